"""The exact verifier: typed answers, the final state, and whether an answer comes from results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

from stb_env.core import jsontext
from stb_env.core.answers import right_fields
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.events import NOTES
from stb_env.suites.worlds.episode.faults import is_earlier
from stb_env.suites.worlds.episode.user import asked
from stb_env.suites.worlds.goals.goal import Expected, RowId
from stb_env.tasks import Task
from stb_env.tools import Status
from stb_env.trajectory import CallRecord
from stb_env.verdict import KEPT, Verdict, VerdictStatus, Vote


class Changes(TypedDict):
    """Changes in the rows of an entity.

    Attributes:
        rows: The changed rows by number; null is one that was deleted.
        new: The rows that were made, in an order of their own: their numbers are no part of a goal.
    """

    rows: dict[str, list[int] | None]
    new: list[list[int]]


class Looks(TypedDict):
    """Calls that would have found a row of a name.

    Attributes:
        text: The name.
        search: Tools that search by words of it.
        exact: Tools that take the whole of it.
    """

    text: str
    search: list[str]
    exact: list[str]


class Cannot(TypedDict):
    """Reason that a request cannot be met, as Finish takes it."""

    reason: str
    what: list[str]


class Stage(TypedDict):
    """Solution of a task after some of the changes that others make.

    Attributes:
        answer: The right value of every field.
        support: As of a `GoalRecord`.
        changes: What has to change beside what others changed, by entity.
        moved: What others changed, by entity.
    """

    answer: JsonObject
    support: dict[str, dict[str, str]]
    changes: dict[str, Changes]
    moved: dict[str, Changes]


class GoalRecord(TypedDict):
    """Content of a task's ``goal``.

    Attributes:
        answer: The right value of every field; none where the request cannot be met.
        support: By field and entity, or ``entity.attribute``, the rows that it stands on: bit n of the
            hexadecimal number is row n.
        drawn: How many rows each entity has at the start.
        changes: What has to change, by entity.
        generated: By entity of rows that have to be made, the column of which each has a value of its own.
        cannot: Why the request cannot be met; None where it can. Only tasks have it that offer a refusal.
        shown: By entity, the rows that show why, as in `support`.
        looks: The calls of which one shows it, too, where a name is no row's.
        stages: What solves the task after none, one, two ... of the changes that others make.
    """

    answer: JsonObject
    support: dict[str, dict[str, str]]
    drawn: dict[str, int]
    changes: dict[str, Changes]
    generated: NotRequired[dict[str, int]]
    cannot: NotRequired[Cannot | None]
    shown: NotRequired[dict[str, str]]
    looks: NotRequired[Looks]
    stages: NotRequired[list[Stage]]


def goal_record(blueprint: Blueprint, expected: Expected) -> GoalRecord:
    """Return what solves a goal as plain data."""
    drawn = {entity: len(rows) for entity, rows in blueprint.data.rows.items()}
    support = {name: masks(rows) for name, rows in expected.support.items()}
    generated = generated_columns(blueprint, expected.state.made)
    done = changes(expected.state, drawn, generated)
    record = GoalRecord(answer=expected.answer, support=support, drawn=drawn, changes=done)
    if generated:
        record["generated"] = generated
    return record


def generated_columns(blueprint: Blueprint, entities: Iterable[str]) -> dict[str, int]:
    """Return the column of each entity of which new rows have values of their own: the label."""
    described = blueprint.entities
    return {entity: described[entity].columns[described[entity].label] for entity in entities}


def stage_record(blueprint: Blueprint, expected: Expected, moved: State, made: Iterable[str]) -> Stage:
    """Return what solves a goal from a state that others have changed, as plain data.

    Args:
        blueprint: The world.
        expected: What solves the goal from that state.
        moved: The state.
        made: The entities of which rows are made by anyone.
    """
    drawn = {entity: len(rows) for entity, rows in blueprint.data.rows.items()}
    generated = generated_columns(blueprint, sorted(made))
    by_others = changes(moved, drawn, generated)
    return Stage(
        answer=expected.answer,
        support={name: masks(rows) for name, rows in expected.support.items()},
        changes=_beside(changes(expected.state, drawn, generated), by_others),
        moved=by_others,
    )


def _beside(done: Mapping[str, Changes], moved: Mapping[str, Changes]) -> dict[str, Changes]:
    """Return changes without those of others that are as they left them.

    What is there no more of a new row that others made stands among the changed rows.
    """
    found: dict[str, Changes] = {}
    none = Changes(rows={}, new=[])
    for entity in sorted({*done, *moved}):
        own, others = done.get(entity, none), moved.get(entity, none)
        rows = {
            number: row
            for number, row in own["rows"].items()
            if number not in others["rows"] or others["rows"][number] != row
        }
        # A row that is as it was drawn is not as others left it.
        rows |= {number: [] for number in others["rows"] if number not in own["rows"]}
        new, gone = list(own["new"]), list[list[int]]()
        for row in others["new"]:
            if row in new:
                new.remove(row)
            else:
                gone.append(row)
        rows |= {f"new {place}": row for place, row in enumerate(gone)}
        if rows or new:
            found[entity] = Changes(rows=rows, new=new)
    return found


def current_goal(goal: JsonMapping, state: State) -> JsonMapping:
    """Return a task's ``goal`` as it is where an episode stands, if others change rows meanwhile."""
    stages: Sequence[Stage] = goal.get("stages", ())
    if not stages:
        return goal
    return {**goal, **stages[len(state.notes.get(NOTES, ()))]}


def masks(rows: Iterable[RowId]) -> dict[str, str]:
    """Return rows by entity: bit n of the hexadecimal number is row n."""
    found: dict[str, int] = {}
    for entity, number in rows:
        found[entity] = found.get(entity, 0) | 1 << number
    return {entity: f"{mask:x}" for entity, mask in sorted(found.items())}


def changes(
    state: State, drawn: Mapping[str, int], generated: Mapping[str, int] | None = None
) -> dict[str, Changes]:
    """Return what a state changed, comparable however it was brought about.

    Args:
        state: The state.
        drawn: How many rows each entity has at the start.
        generated: By entity, the column of which new rows have values of their own: they are left out.
    """
    found: dict[str, Changes] = {}
    for entity in sorted(state.changed):
        rows: dict[str, list[int] | None] = {}
        new: list[list[int]] = []
        for number, row in sorted(state.changed[entity].items()):
            # Whatever changed in another world is a change of what was there.
            if entity not in drawn or number < drawn[entity]:
                rows[str(number)] = None if row is None else list(row)
            elif row is not None:
                own = (generated or {}).get(entity)
                new.append([value for column, value in enumerate(row) if column != own])
        if rows or new:
            found[entity] = Changes(rows=rows, new=sorted(new))
    return found


class ExactJudge:
    """Compares an episode with what its task declares: data with data.

    The verdict's parts are ``answer:FIELD`` for every field of the typed answer, right and supported;
    ``cannot`` where the request cannot be met;
    ``state:ENTITY`` for every entity whose rows the task changes; and ``kept:ENTITY``, which is always false,
    for every entity of which the episode changed other rows. A vote says of each part that failed what was
    wanted and what was got.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The case carries no state of a world.
        """
        yield from ()
        if not isinstance(case.state, State):
            raise JudgeError(
                f"task {case.task.id} is judged by its final state, got {type(case.state).__name__}; "
                f"pass the world's state in the case",
                kind="internal",
                retryable=False,
            )
        goal = current_goal(case.task.goal, case.state)
        told = _cannot_part if goal.get("cannot") else _answer_parts
        problems = {**dict(told(case, goal, case.state)), **dict(_state_parts(goal, case.state))}
        reasons = [f"{part}: {problem}" for part, problem in problems.items() if problem]
        status: VerdictStatus = "unsolved" if reasons else "solved"
        votes = (Vote(status, "; ".join(reasons)),) if reasons else ()
        parts = {part: not problem for part, problem in problems.items()}
        return Verdict.of(status, judge=self.name, votes=votes, parts=parts)


def progress(task: Task, state: State, calls: Sequence[CallRecord]) -> float:
    """Return the share that an episode has reached of what solves its task, for dense rewards.

    That is: of the rows that the answer stands on, those that results have shown; and of the rows that have
    to change or be made, those that are as they have to be.

    Args:
        task: A task of generated worlds.
        state: Where an episode stands.
        calls: The calls so far, which say nothing more.

    Returns:
        From 0 to 1. It falls where a row that was right is changed once more.
    """
    del calls
    goal = current_goal(task.goal, state)
    none = Changes(rows={}, new=[])
    needed: dict[str, int] = {}
    for rows in [goal["shown"]] if goal.get("cannot") else goal["support"].values():
        for entity, mask in rows.items():
            needed[entity] = needed.get(entity, 0) | int(mask, 16)
    reached = sum((mask & state.shown.get(entity, 0)).bit_count() for entity, mask in needed.items())
    total = sum(mask.bit_count() for mask in needed.values())
    done = _beside(changes(state, goal["drawn"], goal.get("generated")), goal.get("moved", {}))
    for entity, change in goal["changes"].items():
        got = done.get(entity, none)
        reached += sum(got["rows"].get(number, []) == row for number, row in change["rows"].items())
        reached += (Counter(map(tuple, change["new"])) & Counter(map(tuple, got["new"]))).total()
        total += len(change["rows"]) + len(change["new"])
    return reached / total if total else 0.0


def _answer_parts(case: Case, goal: JsonMapping, state: State) -> Iterator[tuple[str, str]]:
    """Yield the part of every field with why it failed, or an empty text."""
    expected: JsonObject = goal["answer"]
    schema = case.task.answer if isinstance(case.task.answer, dict) else {"properties": {}}
    given = case.answer or {}
    right = right_fields(schema, expected, case.answer)
    unasked = _not_asked(goal, state)
    for name, value in expected.items():
        if not right[name]:
            yield f"answer:{name}", f"wanted {_short(value)}, got {_short(given.get(name))}"
        elif not _is_shown(state, goal["support"].get(name, {})):
            yield f"answer:{name}", "is right, but no result of the episode shows what it stands on"
        elif unasked:
            yield f"answer:{name}", f"is right, but nobody asked the user about {unasked}"
        else:
            yield f"answer:{name}", ""

    if case.cannot is not None:
        # Whoever did the work and says that it cannot be done has not done it.
        yield f"{KEPT}request", f"can be met, got {_short(case.cannot)}"


def _cannot_part(case: Case, goal: JsonMapping, state: State) -> Iterator[tuple[str, str]]:
    given = case.cannot
    wanted: Cannot = goal["cannot"]
    if given is None or given["reason"] != wanted["reason"] or set(given["what"]) != set(wanted["what"]):
        yield "cannot", f"wanted {_short(dict(wanted))}, got {_short(given)}"
    elif not _is_shown(state, goal["shown"]) and not ("looks" in goal and _looked(case, goal["looks"])):
        yield "cannot", "is right, but no call of the episode shows it"
    else:
        yield "cannot", ""


def _looked(case: Case, looks: Looks) -> bool:
    """Return whether a call would have found the row of a name, were there one."""
    name = looks["text"].casefold()
    for call in case.calls:
        if isinstance(call.arguments, str) or call.result.status == Status.INVALID_ARGUMENTS:
            continue
        # A call that failed, that nobody looked at, or that an earlier copy answered, has found out nothing.
        if call.result.source in ("fault", "env") or is_earlier(call.result.response):
            continue
        given = [text.casefold().split() for text in _texts(call.arguments)]
        if call.name in looks["exact"] and name.split() in given:
            return True
        response = call.result.response
        if call.name not in looks["search"] or not isinstance(response, Mapping):
            continue
        # Of more hits than are shown, the row may be one.
        whole = response.get("truncated") is False
        if whole and any(words and all(word in name for word in words) for words in given):
            return True
    return False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)


def _is_shown(state: State, support: Mapping[str, str]) -> bool:
    return all(int(mask, 16) & ~state.shown.get(entity, 0) == 0 for entity, mask in support.items())


def _not_asked(goal: JsonMapping, state: State) -> str:
    """Return a detail that only the user knows and that nobody asked about; empty where there is none."""
    user = goal.get("script", {}).get("user")
    facts = {} if user is None else user["facts"]
    return next((about for about in facts if asked(about) not in state.notes), "")


def _state_parts(goal: JsonMapping, state: State) -> Iterator[tuple[str, str]]:
    """Yield the part of every entity that changed or had to, with why it failed, or an empty text."""
    wanted: Mapping[str, Changes] = goal["changes"]
    done = _beside(changes(state, goal["drawn"], goal.get("generated")), goal.get("moved", {}))
    for entity, change in wanted.items():
        yield f"state:{entity}", "" if done.get(entity) == change else _fault(change, done.get(entity))
    for entity, change in done.items():
        asked = wanted.get(entity, Changes(rows={}, new=[]))
        if change["rows"].keys() - asked["rows"].keys() or len(change["new"]) > len(asked["new"]):
            yield f"{KEPT}{entity}", "has changes that nobody asked for"


def _fault(wanted: Changes, done: Changes | None) -> str:
    """Return how many rows are not as asked."""
    got = done or Changes(rows={}, new=[])
    undone = sum(got["rows"].get(number, []) != row for number, row in wanted["rows"].items())
    more = sum(number not in wanted["rows"] for number in got["rows"])
    new = "" if wanted["new"] == got["new"] else ", and the new rows are others"
    return f"{undone} of {len(wanted['rows'])} rows are not as asked, {more} others changed{new}"


def _short(value: object) -> str:
    return jsontext.dumps(value)[:200]
