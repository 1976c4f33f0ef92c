"""Goals on tables, made from a seed; each is reached by its gold moves and not at the start."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.tabletop.checks import succeeded
from stb_env.suites.sambanova.tabletop.goals import GOALS, Move, draw_slots
from stb_env.suites.sambanova.tabletop.layouts import layout
from stb_env.suites.sambanova.tabletop.objects import RANKS
from stb_env.suites.sambanova.tabletop.places import COLORS
from stb_env.suites.sambanova.tabletop.request import goal_request
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.targets import Look, Positions, Slots, is_plain
from stb_env.suites.sambanova.tabletop.tools import BY_NAME, TOOLS
from stb_env.suites.sambanova.tabletop.world import VERSION
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "Tabletop"
SETUPS = 7
TEST_SIZE = SETUPS * len(GOALS)

_KINDS = tuple(GOALS)
# Of so many wordings of a kind, one is the test's.
_TEST_SHARE = 3
_BESIDE = {"top": "above", "bottom": "below", "left": "to the left of", "right": "to the right of"}
# Purple and gray are known to the world, and in no test.
_COLORS = [color for color in COLORS if color not in ("purple", "gray")]


@lru_cache(maxsize=1_024)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    draw = rng("tabletop", VERSION, split, index)
    kind = _KINDS[index % len(_KINDS)]
    while True:
        positions = _positions(kind, draw)
        slots = draw_slots(kind, positions, draw)
        drawn = json.dumps([kind, slots, positions], sort_keys=True)
        if belongs(split, drawn) and _is_sound(kind, slots, positions):
            break
    instruction = _instruction(split, kind, slots, index)
    return tabletop_task(f"{split}-{index}", split, instruction, kind, slots, positions, index // len(_KINDS))


tasks_of = partial(SeededTasks, NAME, generate, test_size=TEST_SIZE)
"""Makes the goals of a split, in which the 15 types take turns: seven set-ups of each are the test's.

No table with its goal is in both splits.
"""


def tabletop_task(
    task_id: str,
    split: str,
    instruction: str,
    kind: str,
    slots: Mapping[str, str],
    positions: Positions,
    number: int,
) -> Task:
    """Build a task.

    Args:
        task_id: Its id.
        split: Its split.
        instruction: What is to be done; the query names the objects on the table before it.
        kind: Its type, ``SI_0`` to ``UI_6``.
        slots: The goal's own words.
        positions: Where everything stands at the start.
        number: Number of the set-up.
    """
    calls = tuple(
        ToolCall(
            "put_first_on_second", {"first": name, "second": where if isinstance(where, str) else list(where)}
        )
        for name, where in GOALS[kind].moves(slots, positions)
    )
    goal = {
        "type": kind,
        "slots": dict(slots),
        "positions": {name: list(at) for name, at in positions.items()},
    }
    return Task(
        id=task_id,
        query=goal_request(positions, instruction),
        tools=TOOLS,
        suite=NAME,
        group=kind,
        split=split,
        relevant=(BY_NAME["put_first_on_second"].id,),
        gold=tuple(calls),
        goal=goal,
        answer="acts",
        record={
            "tester_id": kind,
            "configs_id": number,
            "configs": _configs(instruction, slots, positions),
        },
    )


def moved(positions: Positions, moves: Sequence[Move]) -> Scene:
    """Return the table after moves.

    Raises:
        CrashError: One of them is impossible.
    """
    scene = Scene.of(
        {name: at for name, at in positions.items() if name.endswith("block")},
        {name: at for name, at in positions.items() if name.endswith("bowl")},
    )
    for first, second in moves:
        scene = scene.put(first, second)
    return scene


def _positions(kind: str, draw: random.Random) -> Positions:
    goal = GOALS[kind]
    blocks = draw.sample(_COLORS, draw.randint(*goal.blocks))
    bowls = draw.sample(_COLORS, draw.randint(*goal.bowls))
    names = [f"{color} block" for color in blocks] + [f"{color} bowl" for color in bowls]
    points = layout(len(names), draw)
    return {
        name: (x, y, 0.02 if name.endswith("block") else 0.0)
        for name, (x, y) in zip(names, points, strict=True)
    }


def _is_sound(kind: str, slots: Mapping[str, str], positions: Positions) -> bool:
    """Return whether a goal asks for one thing, not there yet, that its moves reach in both readings."""
    if not is_plain(kind, slots, positions):
        return False
    moves = GOALS[kind].moves(slots, positions)
    try:
        start, end = moved(positions, ()), moved(positions, moves)
    except CrashError:
        return False
    before = Look(slots, start.positions, start.positions)
    after = Look(slots, start.positions, end.positions)
    return all(
        succeeded(kind, after, original=original) and not succeeded(kind, before, original=original)
        for original in (False, True)
    )


def _configs(instruction: str, slots: Mapping[str, str], positions: Positions) -> dict[str, object]:
    blocks = [name for name in positions if name.endswith("block")]
    bowls = [name for name in positions if name.endswith("bowl")]
    return {
        "block_list": blocks,
        "bowl_list": bowls,
        "position_dict": {
            "block_pos": [[str(part) for part in positions[name]] for name in blocks],
            "bowl_pos": [[str(part) for part in positions[name]] for name in bowls],
        },
        "instruction": instruction,
        "instruction_vars_dict": dict(slots),
    }


def _instruction(split: str, kind: str, slots: Slots, index: int) -> str:
    """Word a goal; no wording is in both splits, and those of the test take turns."""
    texts: list[str] = content("tabletop", "goals")[kind]
    wordings = [text for number, text in enumerate(texts) if (number % _TEST_SHARE == 0) == (split == "test")]
    number = (
        index // len(_KINDS) if split == "test" else rng("wording", VERSION, split, index).randrange(10**6)
    )
    text = wordings[number % len(wordings)].format_map({**slots, **_more_words(slots)})
    return text[0].upper() + text[1:]


def _more_words(slots: Slots) -> dict[str, str]:
    """Return the slots as they are said in a sentence."""
    words = {}
    if "direction" in slots:
        words["beside"] = _BESIDE[slots["direction"]]
    if "distance" in slots:
        words["reach"] = f"{slots['distance']} {'to' if slots['distance'] == 'closest' else 'from'}"
    if "nth" in slots:
        words["number"] = str(RANKS.index(slots["nth"]) + 1)
    return words
