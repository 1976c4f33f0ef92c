"""The feed of changes: a tool that tells what others have changed in an episode."""

from __future__ import annotations

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.events import NOTES, Event
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import Bound, Param, Workshop, WorldTool


def change_feed(workshop: Workshop) -> WorldTool:
    """Make the tool that tells what others have changed in an episode."""
    codec = workshop.codec
    service = next(iter(codec.blueprint.entities.values())).service
    style = codec.styles[service]

    def told(place: int, event: Event, number: int) -> JsonObject:
        what = "added" if event.new is not None else "removed" if event.column is None else "changed"
        line: JsonObject = {
            "change": place,
            "record": codec.noun(event.entity)[0],
            "id": codec.id_of(event.entity, number),
            "what": what,
        }
        if event.column is not None:
            line["field"] = next(
                each.name for each in codec.fields[event.entity].values() if each.column == event.column
            )
        return line

    def read(value: Json) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            message = f"after must be a whole number from 0, got {value!r:.40}"
            raise ApiError(style.error("invalid", message), arguments=True)
        return value

    def run(state: State, bound: Bound) -> tuple[object, State]:
        events = () if state.script is None else state.script.events
        numbers, after = state.notes.get(NOTES, ()), bound.get("after", 0)
        lines = [
            told(place, event, number)
            for place, (event, number) in enumerate(zip(events, numbers, strict=False), 1)
            if place > after
        ]
        return {"changes": lines, "last": len(numbers)}, state

    schema: JsonObject = {
        "type": "integer",
        "minimum": 0,
        "description": "Only changes after the one of this number; 0, which is all, by default.",
    }
    param = Param("after", schema, read)
    name = workshop.name(service, style.verb("list"), "changes", after=("by others",))
    about = (
        "Lists what others have changed since this work began, in order, in all services: which record, and "
        "which field of it. The values are where the record is read; last is the number of the last change."
    )
    return WorldTool(workshop.tool(name, about, [param]), "changes", "", (param,), run)
