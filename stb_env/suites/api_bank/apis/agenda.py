"""The agenda: dated items with a place."""

from __future__ import annotations

from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.records import Record, find_own, number_key
from stb_env.suites.api_bank.compare import NAME, RESULT, alike, all_of, same, when_done
from stb_env.suites.api_bank.definition import TOKEN, Domain, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_time
from stb_env.suites.api_bank.tokens import user_of

AGENDA = Domain("Schedule Management")

_ITEM = (
    TOKEN,
    text("content", "What is to be done."),
    text("time", "When, as YYYY-MM-DD hh:mm:ss."),
    text("location", "Where."),
)
_MATCH = all_of(alike("content"), same("time", "location"), RESULT)


@AGENDA.api("AddAgenda", *_ITEM, compare=all_of(NAME, _MATCH))
def add_agenda(state: State, token: str, content: str, time: str, location: str) -> tuple[str, State]:
    """Put an item on the user's agenda."""
    read_time(time)
    if not content.strip():
        raise ApiError("Content should not be null")
    item = {"content": content, "time": time, "location": location, "username": user_of(state, token)}
    return "success", state.with_row("Agenda", number_key(state.table("Agenda")), item)


@AGENDA.api("DeleteAgenda", *_ITEM, compare=when_done(same("time")))
def delete_agenda(
    state: State,
    token: str,
    content: str,
    time: str,
    location: str,  # noqa: ARG001
) -> str | tuple[str, State]:
    """Take an item off the user's agenda; its content or its time tells which."""
    found = _find(state, token, content, time)
    if found is not None:
        return "success", state.without_row("Agenda", found[0])
    if content or time:
        raise _nothing("meeting", content, time)
    # The original reports success here without deleting anything.
    return "success"


@AGENDA.api("ModifyAgenda", *_ITEM, compare=_MATCH)
def modify_agenda(
    state: State, token: str, content: str, time: str, location: str
) -> str | tuple[str, State]:
    """Change an item of the user's agenda; its content or its time tells which."""
    found = _find(state, token, content, time)
    if found is None:
        if content or time:
            raise _nothing("agenda", content, time)
        # The original returns the error as if it were a result.
        return "Error"
    item = {"content": content, "time": time, "location": location, "username": found[1]["username"]}
    return "success", state.with_row("Agenda", found[0], item)


@AGENDA.api("QueryAgenda", *_ITEM, outputs={"info": ("json", "The item as it is stored.")}, compare=_MATCH)
def query_agenda(state: State, token: str, content: str, time: str, location: str) -> JsonMapping:  # noqa: ARG001
    """Look up an item of the user's agenda; its content or its time tells which."""
    found = _find(state, token, content, time)
    if found is None:
        raise _nothing("agenda", content, time) if content or time else ApiError("Error")
    return found[1]


def _find(state: State, token: str, content: str, time: str) -> tuple[str, Record] | None:
    if time:
        read_time(time)
    user = user_of(state, token)
    return find_own(state, "Agenda", user, lambda item: item["content"] == content or item["time"] == time)


def _nothing(what: str, content: str, time: str) -> ApiError:
    which = f"about {content}" if content else f"at time : {time}"
    return ApiError(f"You have no {what} {which}")
