"""Effects: the state of a world after actions on its rows."""

from __future__ import annotations

from collections.abc import Callable

from stb_env.suites.worlds.data.facts import Facts
from stb_env.suites.worlds.data.rows import Row, State
from stb_env.suites.worlds.goals.goal import Change, GoalError, Make
from stb_env.suites.worlds.schema.actions import Create, Delete, Move, Set, Transition
from stb_env.suites.worlds.schema.kit import Life


def acted(
    facts: Facts,
    entity: str,
    acts: list[tuple[tuple[int, Row], str]],
    value: int | None,
    skips: bool,
) -> State:
    """Return the state after an action was done to each of some rows.

    Raises:
        GoalError: An action does not suit its row, and none is skipped.
    """
    known: dict[str, Callable[[int, Row], Row | None]] = {}
    changed: dict[int, Row | None] = {}
    for (number, row), action in acts:
        if isinstance(facts.blueprint.entities[entity].actions[action], Delete):
            changed[number] = None
            continue
        if action not in known:
            known[action] = _action(facts, entity, action, value)
        after = known[action](number, row)
        if after is not None:
            changed[number] = after
        elif not skips:
            raise GoalError(f"row {number} of {entity} is none that one can {action}, or is so already")
    return facts.blueprint.data.put_all(facts.state, entity, changed)


def made(facts: Facts, goal: Make, meant: int) -> State:
    """Return the state with the new row, whose label is the next code."""
    described = facts.blueprint.entities[goal.entity]
    action = described.actions[goal.action]
    if not isinstance(action, Create):
        raise GoalError(f"{goal.action} makes no row of {goal.entity}")
    data = facts.blueprint.data
    values = {action.fields[0]: meant, **dict(goal.values)}
    for name, text in action.start.items():
        values[name] = facts.blueprint.value_of(goal.entity, name, text)
    values[described.label] = len(data.rows[goal.entity]) + facts.state.made.get(goal.entity, 0)
    return data.add(facts.state, goal.entity, tuple(values[name] for name in described.attributes))[1]


def moved(facts: Facts, goal: Change, one: tuple[int, Row], other: tuple[int, Row]) -> State:
    """Return the state in which a quantity was moved from one row to another.

    Raises:
        GoalError: The first row has not so much, or the rows do not suit each other.
    """
    entity = goal.select.entity
    described = facts.blueprint.entities[entity]
    action = described.actions[goal.action]
    if not isinstance(action, Move) or goal.value is None:
        raise GoalError(f"{goal.action} moves nothing of {entity}")
    column, same = described.columns[action.field], [described.columns[each] for each in action.same]
    suits = facts.all_hold(entity, action.when)(*one) and all(one[1][each] == other[1][each] for each in same)
    if one[0] == other[0] or not suits or one[1][column] < goal.value:
        raise GoalError(f"nobody can {goal.action} so much of {entity} {one[0]} to {other[0]}")
    rows: dict[int, Row | None] = {}
    for (number, row), more in ((one, -goal.value), (other, goal.value)):
        rows[number] = (*row[:column], row[column] + more, *row[column + 1 :])
    return facts.blueprint.data.put_all(facts.state, entity, rows)


def _action(facts: Facts, entity: str, action: str, value: int | None) -> Callable[[int, Row], Row | None]:
    """Return what makes the row after an action out of the row before; None where the action does not suit.

    Raises:
        GoalError: It is no action on single rows, or its value is not given.
    """
    described = facts.blueprint.entities[entity]
    what = described.actions[action]
    sources: list[int] | None = None
    if isinstance(what, Transition):
        life = described.attributes[what.field]
        if not isinstance(life, Life):
            raise GoalError(f"{what.field} of {entity} is no lifecycle")
        sources = [life.values.index(source) for source in what.source]
        wanted = life.values.index(what.target)
    elif isinstance(what, Set) and value is not None:
        wanted = value
    else:
        raise GoalError(f"{action} is no action on a single row, or its value is not given")
    column = described.columns[what.field]
    allowed = facts.all_hold(entity, what.when)

    def done(number: int, row: Row) -> Row | None:
        suits = sources is None or row[column] in sources
        if not suits or row[column] == wanted or not allowed(number, row):
            return None
        return (*row[:column], wanted, *row[column + 1 :])

    return done
