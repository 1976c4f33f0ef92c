"""Matches the calls of an episode with the recorded ones, and compares the states that they leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypedDict

from stb_env.backend.user import ASK_USER
from stb_env.core import jsontext
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_forms import Loose
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.retrieval_world import FOUND, found_names
from stb_env.suites.api_bank.searcher import LOGIN
from stb_env.suites.api_bank.state import State, Table
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status
from stb_env.trajectory import CallRecord

STEPS = (SEARCHER, LOGIN)
"""Calls that only prepare others."""

# Rows of these are numbered in the order in which they come, which another right order may change.
_NUMBERED = ("AddMeeting", "Agenda", "Alarm", "Appointments", "Hotel", "Meeting", "Reminder")
# What an API remembers between calls is no change that anyone asks for.
_BOOKKEEPING = (FOUND, "FlightSearch", "ForgotPassword", "HotelAvailability")


class GoldRecord(TypedDict):
    """A recorded call in a task's goal.

    Attributes:
        name: Name of the API.
        result: The recorded envelope.
        loose: Arguments that nobody gave; see `argument_origins`.
    """

    name: str
    result: Envelope
    loose: Loose


@dataclass(frozen=True, slots=True)
class Matched:
    """The calls of an episode, matched with the recorded ones.

    Attributes:
        right: For each recorded call the one of the episode that is right by its API's rule, or None.
        others: The calls that are none of these, those that never reached an API among them.
        unasked: Those of the others that acted: they changed a table, sent something or played something.
        last: For each recorded call whether the right one is among the last of its API: of as many different
            calls as are recorded, counted from the end. A refused call that a later act of the same API made
            good is not counted.
    """

    right: tuple[CallRecord | None, ...]
    others: tuple[CallRecord, ...]
    unasked: tuple[CallRecord, ...]
    last: tuple[bool, ...]


def match(
    world: ApiBankWorld, gold: Sequence[GoldRecord], calls: Iterable[CallRecord], state: State
) -> Matched:
    """Run calls again, each of them matched with the first recorded one that it is right for.

    Args:
        world: Runs the calls.
        gold: The recorded calls, each with ``name`` and ``result``.
        calls: The calls of an episode, in order.
        state: The state at its start.
    """
    calls = [call for call in calls if call.name not in (FINISH, ASK_USER)]
    right: list[CallRecord | None] = [None] * len(gold)
    acted: list[CallRecord] = []
    others, unasked = [], []
    for call in calls:
        after = _after(world, state, call)
        acts = not same_state(state, after) or _acts(world, call)
        places = _places(world, call, gold, right, once=acts)
        acted += [call] if acts else []
        for place in places:
            right[place] = call
        if not places:
            others.append(call)
            unasked += [call] if acts else []
        state = after
    latest = _latest(gold, calls, {id(call) for call in acted})
    last = tuple(call is not None and _key(call) in latest for call in right)
    return Matched(tuple(right), tuple(others), tuple(unasked), last)


def expected_state(
    world: ApiBankWorld, task: Task, right: Sequence[CallRecord | None], state: State
) -> State:
    """Return the state that the recorded calls leave, in the wording of the calls that are right.

    Rules of comparison allow other words for a text; the tables then hold those words.
    """
    for gold, made in zip(task.gold, right, strict=True):
        arguments = gold.arguments if made is None else _arguments(made)
        if isinstance(arguments, dict) and _may_change(world, gold.name):
            state = world.call(state, world.tools[gold.name], arguments)[1]
    return state


def changed_tables(one: State, other: State) -> list[str]:
    """Return the names of the tables that two states do not share, in order."""
    if one.tables is other.tables:
        return []
    names = sorted((one.tables.keys() | other.tables.keys()) - set(_BOOKKEEPING))
    return [name for name in names if not _same_rows(name, one.table(name), other.table(name))]


def same_state(one: State, other: State) -> bool:
    """Return whether two states hold the same, numbers of rows aside."""
    return not changed_tables(one, other)


def is_needed(gold: GoldRecord) -> bool:
    """Return whether a recorded call has to be made: nobody can make a sum of numbers from nowhere."""
    return not (gold["name"] == "Calculator" and gold["loose"])


def _latest(gold: Sequence[GoldRecord], calls: Sequence[CallRecord], acted: Set[int]) -> set[str]:
    """Return the keys of the last different calls of each API, as many as it has recorded ones.

    Without this an agent could make every call that might be right, the right one among them.
    """
    room = Counter(each["name"] for each in gold)
    latest: set[str] = set()
    made_good: set[str] = set()
    for call in reversed(calls):
        if id(call) in acted:
            made_good.add(call.name)
        elif not _reached(call) or (call.result.error and call.name in made_good):
            continue
        key = _key(call)
        if room[call.name] and key not in latest:
            latest.add(key)
            room[call.name] -= 1
    return latest


def _key(call: CallRecord) -> str:
    arguments = _arguments(call)
    return jsontext.dumps([call.name, {name: arguments[name] for name in sorted(arguments)}])


def _places(
    world: ApiBankWorld,
    call: CallRecord,
    gold: Sequence[GoldRecord],
    right: Sequence[CallRecord | None],
    *,
    once: bool,
) -> list[int]:
    """Return which recorded calls a call answers for: one, and the recorded repetitions of a query.

    Who has looked something up need not look again, and what was found once is found.
    """
    if not _reached(call):
        return []
    tool = world.tools[call.name]
    envelope = world.envelope(tool, _arguments(call), call.result)
    free = [place for place, each in enumerate(gold) if right[place] is None and each["name"] == call.name]
    places = [
        place
        for place in free
        if world.matches(tool, envelope, gold[place]["result"], gold[place]["loose"])
        or (call.name == SEARCHER and _finds(call, gold[place + 1 :]))
    ]
    return places[:1] if once else places


def _finds(call: CallRecord, later: Sequence[GoldRecord]) -> bool:
    """Return whether a search finds what the dialogue goes on to call, where its own search found another."""
    wanted = next((each["name"] for each in later if each["name"] not in STEPS), None)
    return wanted is not None and wanted in found_names(call.result)


def _reached(call: CallRecord) -> bool:
    return call.result.source == "world" and call.result.status is not Status.INVALID_ARGUMENTS


def _arguments(call: CallRecord) -> Mapping[str, object]:
    return {} if isinstance(call.arguments, str) else call.arguments


def _acts(world: ApiBankWorld, call: CallRecord) -> bool:
    return _reached(call) and world.apis.apis[call.name].acts and not call.result.error


def _may_change(world: ApiBankWorld, name: str) -> bool:
    return world.apis.apis[name].reads == "state"


def _after(world: ApiBankWorld, state: State, call: CallRecord) -> State:
    if not _reached(call) or not _may_change(world, call.name):
        return state
    return world.call(state, world.tools[call.name], _arguments(call))[1]


def _same_rows(name: str, rows: Table, others: Table) -> bool:
    if rows is others or rows == others:
        return True
    if name not in _NUMBERED or len(rows) != len(others):
        return False
    return sorted(map(jsontext.dumps, rows.values())) == sorted(map(jsontext.dumps, others.values()))
