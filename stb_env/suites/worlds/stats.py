"""Figures of generated worlds: how much they have, and how little they repeat."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import Goal, GoalError, Work
from stb_env.suites.worlds.goals.mutants import clause_mutants, rule_mistakes
from stb_env.suites.worlds.oracle.careless import careless_solves
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.joining import kit_of
from stb_env.suites.worlds.tasks.dials import PLAIN, Dials
from stb_env.suites.worlds.tasks.hidden_tasks import guesses
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.source import TASKS_A_WORLD, WorldTasks
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import Built

_HARD_LEVELS = (5, 6)
_WORLDS_OF_MISTAKES = 30
"""Worlds in which mistakes are made on purpose."""
NEAR = 0.6
"""Requests that share so much of their words are near-duplicates."""

_MASKED = re.compile(r"\S*[0-9@]\S*|(?<=[a-z0-9,] )(?:[A-Z][\w'-]*)(?: [A-Z][\w'-]*)*")
_WORD = re.compile(r"[a-z]+|#")


def statistics_of(
    worlds: int, tell: Callable[[int], None], services: int | None = None, dials: Dials = PLAIN
) -> dict[str, object]:
    """Return the figures of some worlds of training, with ten tasks of each.

    Args:
        worlds: How many worlds.
        tell: Told how many tasks there are after each.
        services: How many services worlds have at least; None is those of one kit.
        dials: Conditions of the episodes.
    """
    source = WorldTasks("train", worlds=worlds, services=services, dials=dials)
    made: list[WorldTask] = []
    for index in range(worlds * TASKS_A_WORLD):
        made.append(task_of(source.at(index).id))
        tell(len(made))
    built = {each.key: each.world for each in made}
    calls = [each.solved.calls for each in made]
    called = [
        [tool for call in each.task.gold if (tool := built[each.key].tools.get(call.name))] for each in made
    ]
    sequences = {
        (each.key, *(tool.tool.name for tool in tools)) for each, tools in zip(made, called, strict=True)
    }
    kinds = {tuple((tool.kind, tool.entity) for tool in tools) for tools in called}
    # Requests that only the user's facts tell apart count once.
    requests = dict.fromkeys((each.key, each.task.query) for each in made)
    words = [frozenset(_WORD.findall(masked(said))) for _, said in requests]
    used = [{tool.entity for tool in tools if tool.entity} for tools in called]
    over = [
        len({_service(built[each.key], entity) for entity in entities})
        for each, entities in zip(made, used, strict=True)
    ]
    kits = [
        len({kit_of(built[each.key].blueprint.kit, entity) for entity in entities})
        for each, entities in zip(made, used, strict=True)
    ]
    return {
        "worlds": len(built),
        "tasks": len(made),
        "kits": sorted({world.blueprint.kit.name for world in built.values()}),
        "services a world": _spread([len(world.codec.styles) for world in built.values()]),
        "tools a world": _spread([len(world.tools) for world in built.values()]),
        "rows a world": _spread([_rows(world) for world in built.values()]),
        "archetypes": len({tool.kind for world in built.values() for tool in world.tools.values()}),
        "styles": len({style for world in built.values() for style in world.codec.styles.values()}),
        "distinct tool specifications": len(
            {tool.tool.spec for world in built.values() for tool in world.tools.values()}
        ),
        "goal shapes": dict(sorted(Counter(type(each.drawn.goal).__name__ for each in made).items())),
        "levels": dict(sorted(Counter(str(each.task.record["level"]) for each in made).items())),
        "calls a task": _spread(calls),
        "distinct call sequences": len(sequences),
        "distinct sequences of kinds and entities": len(kinds),
        "tasks over three or more services": _share(count >= 3 for count in over),
        "tasks over two or more kits": _share(count >= 2 for count in kits),
        "words of requests": len(frozenset[str]().union(*words)),
        "near-duplicate requests": near_duplicates(words),
        **_asked(made),
        "tasks of levels 5 and 6 that mistakes solve": mistakes(list(built.values())[:_WORLDS_OF_MISTAKES]),
    }


def _asked(made: Sequence[WorldTask]) -> dict[str, object]:
    """Return figures of what requests leave open, where they do."""
    users = [user for each in made if (user := each.task.goal.get("script", {}).get("user"))]
    if not users:
        return {}
    facts = [fact for user in users for fact in user["facts"].values()]
    guessed = [guesses(each) for each in made if each.open is not None]
    return {
        "details left open": _spread([len(user["facts"]) for user in users]),
        "how users tell them": dict(sorted(Counter(fact["manner"] for fact in facts).items())),
        "calls for that": _spread([len(each.task.gold) - each.solved.calls for each in made]),
        "tasks that guessers solve who never ask": {
            name: _share(each[name] for each in guessed) for name in guessed[0]
        },
    }


def mistakes(worlds: Sequence[Built]) -> dict[str, object]:
    """Return the share of goals that each mistake solves, of those in which it can be made.

    ``drawn`` are the goals that are long enough, and ``kept`` those of them in which mistakes change enough.
    """
    counts = {"drawn": (Counter[str](), Counter[str]()), "kept": (Counter[str](), Counter[str]())}
    for world in worlds:
        drawer = GoalDrawer(world.blueprint, Costs(world))
        for level in _HARD_LEVELS:
            for goal, drawn in drawer.candidates(level, rng("mistakes", world.key, level)):
                for name, solves in _made_in(world, goal):
                    for stood, solved in [counts["drawn"], *([counts["kept"]] if drawn else [])]:
                        stood[name] += 1
                        solved[name] += solves
    return {
        name: {
            when: round(solved[name] / stood[name], 2) if stood[name] else None
            for when, (stood, solved) in counts.items()
        }
        for name in sorted(counts["drawn"][0])
    }


def _made_in(world: Built, goal: Goal) -> list[tuple[str, bool]]:
    """Return the mistakes that can be made in a task, and whether each solves it."""
    try:
        expected = evaluate(goal, world.blueprint, State())
    except GoalError:
        return []
    found = [
        (f"{mutant.kind} a clause", mutant.solves(expected))
        for mutant in clause_mutants(goal, world.blueprint)
    ]
    if isinstance(goal, Work):
        found += [(each.kind, each.wrong == 0) for each in rule_mistakes(goal, world.blueprint)]
    solved = solve(world, goal)
    if solved is not None:
        found += careless_solves(world, goal, solved, expected).items()
    return found


def masked(query: str) -> str:
    """Return a request with values and names masked, in lower case.

    Examples:
        >>> masked("Move the box of Ada Holm to 12.50 EUR by 2026-01-03.")
        'move the box of # to # # by #'
    """
    return _MASKED.sub("#", query).lower()


def near_duplicates(words: Sequence[frozenset[str]]) -> float:
    """Return the share of requests that are near-duplicates of an earlier one."""
    seen: list[frozenset[str]] = []
    repeated = 0
    for each in words:
        if any(len(each & other) >= NEAR * len(each | other) for other in seen):
            repeated += 1
        else:
            seen.append(each)
    return round(repeated / max(1, len(words)), 4)


def _service(world: Built, entity: str) -> str:
    return world.blueprint.entities[entity].service


def _rows(world: Built) -> int:
    return sum(len(rows) for rows in world.blueprint.data.rows.values())


def _spread(values: Sequence[int]) -> dict[str, object]:
    return {"least": min(values), "median": statistics.median(values), "most": max(values)}


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return round(sum(listed) / max(1, len(listed)), 4)
