"""A kit on trial: everything that a file's text must be before worlds are drawn from it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from stb_env.errors import ConfigError, DataError, STBError
from stb_env.seeding import rng
from stb_env.suites.worlds.authoring.check_kit import check_kit
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.draw_goal import CALLS, GoalDrawer, decided, fits
from stb_env.suites.worlds.goals.answer_fields import answer_schema
from stb_env.suites.worlds.oracle.requests import Memory
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.kit import Day, Entity, Kit, Quantity, own_kit, parse_kit
from stb_env.suites.worlds.words.query import query
from stb_env.suites.worlds.world import Built, build

LEVELS = (1, 2, 3)
"""Levels of which a task is drawn and played."""
_WORLDS, _DRAWS = 3, 24
"""Worlds in which a task of each level is looked for, and draws in each."""
_LONGEST = 200_000
"""Characters of a file; those that ship have a tenth."""
_MOST_ROWS, _MOST_DAYS, _MOST = 1_000, 36_500, 10**9
"""Rows of an entity, days from today, and the greatest number of an attribute."""


def faults_of(text: str, path: Path) -> list[str]:
    """Return what is wrong with the text of a kit's file, each with its place; empty where nothing is.

    Beside the checks of `check_kit`, a task of each of the levels 1 to 3 is drawn in one of several worlds,
    and the oracle has to solve it through the tools as the tables say.

    Args:
        text: The file's text, from wherever: nothing of it is executed, and sizes are bounded.
        path: The file, whose name is the kit's.
    """
    if len(text) > _LONGEST:
        return [f"the file has {len(text):,} characters; {_LONGEST:,} are enough for any kit"]
    try:
        kit = parse_kit(text, path)
    except DataError as error:
        heading, *lines = str(error).splitlines()
        return [line.strip() for line in lines] or [heading]
    if kit.name != path.stem:
        return [f"name: must be that of the file, {path.stem!r}, got {kit.name!r}", *_too_much(kit)]
    return faults_in(kit, played=True)


def faults_in(kit: Kit, *, played: bool = False) -> list[str]:
    """Return what is wrong with a kit that fits the schema, each with its place; empty where nothing is.

    Args:
        kit: The kit.
        played: Whether tasks are drawn from it and played, too.
    """
    try:
        return list(_too_much(kit)) or check_kit(kit) or list(_unplayable(kit) if played else ())
    except STBError as error:
        return [str(error)]
    except RecursionError:
        return ["entities: days that follow days (after), or values that follow values (by), go in a circle"]
    except KeyError as error:
        return [f"entities: {error} is named somewhere, and is nowhere"]
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # What is so wrong that a check stumbles over it.
        return [f"entities: a check ended with {type(error).__name__}: {error}"]


def checked_kit(path: Path) -> Kit:
    """Read a kit of an author's own that can be played; its name tells what the file says.

    Raises:
        ConfigError: The file cannot be read.
        DataError: The kit has faults; the message has each.
    """
    try:
        written = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"kit {path}: {error.strerror}; give the file of a kit or the name of one"
        ) from error
    return _checked(path, written)


# Vector environments make one environment after another.
@lru_cache(maxsize=16)
def _checked(path: Path, written: bytes) -> Kit:
    kit = parse_kit(written.decode("utf-8", "replace"), path)
    faults = faults_in(kit)
    if faults:
        raise DataError(
            "\n  ".join([f"kit {path} has faults; `stb-env worlds check` shows them too:", *faults])
        )
    return own_kit(kit, written)


def _too_much(kit: Kit) -> Iterator[str]:
    first, last = kit.today
    if first >= last:
        yield f"today: the first day must be before the last, got {first} and {last}"
    for name, entity in kit.entities.items():
        at = f"entities.{name}"
        if entity.rows[1] > _MOST_ROWS:
            yield f"{at}.rows: must be {_MOST_ROWS:,} or fewer, got {entity.rows[1]:,}"
        yield from _too_large(entity, f"{at}.attributes")


def _too_large(entity: Entity, at: str) -> Iterator[str]:
    for name, attribute in entity.attributes.items():
        match attribute:
            case Day(between=between):
                numbers, most = between, _MOST_DAYS
            case Quantity(low=low, high=high):
                numbers, most = (low, high), _MOST
            case _:
                weights = getattr(attribute, "weights", ())
                if weights and (min(weights) < 0 or not any(weights)):
                    yield f"{at}.{name}.weights: must be 0 or more, and not all 0, got {weights}"
                continue
        if max(map(abs, numbers)) > most:
            yield f"{at}.{name}: must be between {-most:,} and {most:,}, got {numbers}"


def _unplayable(kit: Kit) -> Iterator[str]:
    """Yield the levels of which no world has a task, and a request on which tools and tables disagree."""
    worlds = [build(kit, seed) for seed in range(_WORLDS)]
    for level in LEVELS:
        played = next(filter(None, (_played(world, level) for world in worlds)), None)
        if played is None:
            yield (
                f"entities: no task of level {level} can be drawn in {_WORLDS} worlds; give rows more "
                "attributes, values that vary more, and references to each other"
            )
        elif not played.agrees:
            yield f"entities: the tools do not give what the tables say for the request {played.query!r}"


class _Played(NamedTuple):
    """A task that the oracle has played."""

    query: str
    agrees: bool


def _played(world: Built, level: int) -> _Played | None:
    """Draw a task of a level and play it; None where the draws give none."""
    drawer, memory = GoalDrawer(world.blueprint, Costs(world)), Memory()
    for draw in range(_DRAWS):
        drawn = drawer.draw(level, rng("kit trial", world.key, level, draw))
        solved = None if drawn is None else solve(world, drawn.goal, *CALLS[level], memory)
        if drawn is None or solved is None:
            continue
        drawn = decided(drawn, solved, world.blueprint)
        if fits(level, solved.calls, drawn.decisions):
            said = query(drawn.goal, world.blueprint, rng("words", world.key, level, draw))
            expected = drawn.expected
            fields = answer_schema(drawn.goal, world.blueprint)["properties"]
            agrees = (solved.answer, solved.state) == (expected.answer, expected.state)
            return _Played(said, agrees and set(fields) == set(solved.answer))
    return None
