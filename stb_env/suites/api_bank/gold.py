"""Plays recorded calls again and compares what comes out, each by the rule of its API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.causes import cause_of
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import ToolResult

Mode = Literal["replayed", "isolated"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What became of one recorded call.

    Attributes:
        index: Its place among the calls of its dialogue, from 0.
        call: The call.
        result: What this package answers.
        envelope: The same in the recorded form; None where the call never reached the API.
        reproduced: Whether it is right by the API's rule.
        cause: Why not, a name in the errata; empty where it is right, or where no cause is known.
    """

    index: int
    call: GoldCall
    result: ToolResult
    envelope: JsonMapping | None
    reproduced: bool
    cause: str = ""


def replay(calls: Sequence[GoldCall], world: ApiBankWorld, *, mode: Mode = "replayed") -> list[Reproduction]:
    """Play the recorded calls of one dialogue again.

    Without a searcher in the world, tool searches are answered with what was recorded.

    Args:
        calls: The dialogue's calls, in order.
        world: Runs them; its ``compat`` decides how they are taken and judged.
        mode: ``replayed`` plays them one after another on the same state; ``isolated`` each on a fresh one,
            as the original evaluator does.

    Raises:
        ConfigError: The mode is unknown.
        DataError: A call is of an API that the world does not have.
    """
    if mode not in ("replayed", "isolated"):
        raise ConfigError(f"mode must be 'replayed' or 'isolated', got {mode!r}")
    together = _play(calls, world)
    if mode == "replayed":
        return together
    return [_alone(replayed, world) for replayed in together]


def recorded_ids(calls: Sequence[GoldCall]) -> dict[str, tuple[str, ...]]:
    """Return the random ids that a dialogue recorded, by the API that handed them out, in order.

    Later calls and utterances of the dialogue name these ids, so a world that plays it hands them out again.

    Examples:
        >>> recorded_ids([GoldCall("AppointmentRegistration", {}, {"output": "43744231"})])
        {'AppointmentRegistration': ('43744231',)}
    """
    ids: dict[str, tuple[str, ...]] = {}
    for call in calls:
        output = call.result.get("output")
        new = output.get("token") if call.name == "RegisterUser" and isinstance(output, dict) else output
        if call.name in ("RegisterUser", "AppointmentRegistration") and isinstance(new, str):
            ids[call.name] = (*ids.get(call.name, ()), new)
    return ids


def _play(calls: Sequence[GoldCall], world: ApiBankWorld) -> list[Reproduction]:
    state = world.fresh(0, None if world.original else recorded_ids(calls))
    played = []
    for index, call in enumerate(calls):
        reproduction, state = _try(index, call, world, state)
        played.append(reproduction)
    return played


def _alone(replayed: Reproduction, world: ApiBankWorld) -> Reproduction:
    (alone,) = _play([replayed.call], world)
    cause = "earlier_calls" if replayed.reproduced and not alone.reproduced else alone.cause
    return Reproduction(replayed.index, alone.call, alone.result, alone.envelope, alone.reproduced, cause)


def _try(index: int, call: GoldCall, world: ApiBankWorld, state: State) -> tuple[Reproduction, State]:
    api = _api(call, world)
    if call.name == "ToolSearcher" and world.searcher is None:
        found = ToolResult.of(call.result["output"], source="world")
        return Reproduction(index, call, found, call.result, True), state
    tool = world.tools[call.name]
    arguments = _as_written(call.arguments) if world.original else call.arguments
    result, state = world.call(state, tool, arguments)
    envelope = world.envelope(tool, arguments, result)
    right = world.matches(tool, envelope, call.result)
    cause = "" if right else cause_of(api, call, envelope)
    return Reproduction(index, call, result, envelope, right, cause), state


def _api(call: GoldCall, world: ApiBankWorld) -> API:
    api = world.apis.apis.get(call.name)
    if api is None:
        near = did_you_mean(call.name, world.apis.apis)
        raise DataError(f"{call.name!r} is no API of {world.apis.name}.{near}")
    return api


def _as_written(arguments: JsonMapping) -> dict[str, str]:
    """Return arguments as the released parser leaves them: texts, whatever they spell."""
    return {name: value if isinstance(value, str) else str(value) for name, value in arguments.items()}
