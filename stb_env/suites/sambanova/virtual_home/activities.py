"""Activity files of VirtualHome, and the rule by which the paper's activities follow from them."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from stb_env.core import jsontext
from stb_env.errors import DataError
from stb_env.suites.sambanova.virtual_home.chores import Activity
from stb_env.suites.sambanova.virtual_home.step import Step
from stb_env.suites.sambanova.virtual_home.vocabulary import skills

SPLIT_SEED = 96
"""Seed that divides the 183 activities of the whole file into 100 and 83 with 512 solutions."""

# Before the patterns with one object, and in this order: "Put back X" is no case of "Put X on Y".
_FIRST = ("PourInto", "PutBack", "PutOn", "PutIn", "Put")
_NUMBERED = re.compile(r"Step (\d+): (.+)")


@dataclass(frozen=True, slots=True)
class Selection:
    """The activities that were kept, and how they came to be.

    Attributes:
        activities: Kept activities, the one with the most solutions first.
        counts: Figures of every stage: ``examples``, ``names`` as they stand, ``activities`` with white
            space folded, ``pairs`` of activity and solution, ``solutions``, ``kept`` activities, and their
            ``kept_solutions`` and ``kept_examples``.
    """

    activities: tuple[Activity, ...] = field(repr=False)
    counts: dict[str, int]

    def __str__(self) -> str:
        """Return the counts as a line of text."""
        return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.counts.items())

    def split(self, test: int = 100) -> tuple[tuple[Activity, ...], tuple[Activity, ...]]:
        """Divide into test activities and all others, always in the same way."""
        shuffled = list(self.activities)
        random.Random(SPLIT_SEED).shuffle(shuffled)
        return tuple(shuffled[:test]), tuple(shuffled[test:])


def read_activities(file: str | Path) -> Selection:
    """Read an activity file: a JSON list of texts, each ``Task: <activity>`` and numbered steps.

    Raises:
        DataError: It is not such a file.
    """
    try:
        texts = jsontext.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{file} is no readable JSON file: {error}") from error
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{file} must be a JSON list of texts, got {json.dumps(texts)[:80]}")
    try:
        return select(texts)
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


def select(texts: Sequence[str]) -> Selection:
    r"""Fold equal activities, then keep those that share no solution with a kept one.

    The paper's 183 activities come out of the whole file where activities with more solutions go first.

    Raises:
        DataError: A text is no activity.

    Examples:
        >>> print(select(["Task: Rest\nStep 1: Sleep", "Task:  Rest\nStep 1: Sleep"]))
        examples 2, names 2, activities 1, pairs 1, solutions 1, kept 1, kept solutions 1, kept examples 2
    """
    solutions: dict[str, dict[str, None]] = {}
    names, examples = set(), Counter[str]()
    for text in texts:
        head, _, body = text.partition("\n")
        if not head.startswith("Task:"):
            raise DataError(f"{text[:80]!r} does not begin with 'Task:'")
        name = " ".join(head.removeprefix("Task:").split())
        names.add(head)
        examples[name] += 1
        solutions.setdefault(name, {})[_program(body)] = None
    kept = _keep(solutions)
    return Selection(
        tuple(Activity(name, tuple(solutions[name])) for name in kept),
        {
            "examples": len(texts),
            "names": len(names),
            "activities": len(solutions),
            "pairs": sum(map(len, solutions.values())),
            "solutions": len({program for known in solutions.values() for program in known}),
            "kept": len(kept),
            "kept_solutions": sum(len(solutions[name]) for name in kept),
            "kept_examples": sum(examples[name] for name in kept),
        },
    )


def _keep(solutions: dict[str, dict[str, None]]) -> list[str]:
    taken: set[str] = set()
    kept = []
    # The sort is stable: of equals, the one that appeared first goes first.
    for name in sorted(solutions, key=lambda name: -len(solutions[name])):
        if taken.isdisjoint(solutions[name]):
            taken.update(solutions[name])
            kept.append(name)
    return kept


def _program(body: str) -> str:
    lines = []
    for number, line in enumerate(body.split("\n"), 1):
        match = _NUMBERED.fullmatch(line)
        if match is None or int(match[1]) != number:
            raise DataError(f"{line[:80]!r} should be 'Step {number}: ...'")
        lines.append(step_of(match[2]).line)
    return "\n".join(lines)


def step_of(sentence: str) -> Step:
    """Return the step that a sentence of an activity describes.

    Raises:
        DataError: It fits none of the patterns.

    Examples:
        >>> step_of("Put back coffee cup").line, step_of("Put coffee cup on table").line
        ('Agent.PutBack(coffee_cup)', 'Agent.Put(coffee_cup, table)')
    """
    for name, pattern in _patterns():
        match = pattern.fullmatch(sentence)
        if match:
            return Step(name, tuple(thing.replace(" ", "_") for thing in match.groups()))
    raise DataError(f"{sentence[:80]!r} fits no step of the household")


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    phrases = {skill["name"]: skill["phrase"] for skill in skills()}
    ordered: Iterable[str] = (*_FIRST, *(name for name in phrases if name not in _FIRST))
    return [(name, re.compile(re.sub(r"\b[XY]\b", "(.+?)", phrases[name]))) for name in ordered]
