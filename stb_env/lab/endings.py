"""How the laboratory's agents end an episode: prose, with the typed answer that a task asks for beside it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from stb_env.tasks import Ending, Task
from stb_env.testing.red_team.typed import least, wrong_value

_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]{3,}")


def saying(task: Task, text: str) -> Ending:
    """Return an ending of an agent that has prose but no values: a typed answer then holds the least ones."""
    return {"answer": least(task.answer), "final_answer": text} if isinstance(task.answer, Mapping) else text


def corrupted_ending(task: Task, ending: Ending, rng: random.Random) -> Ending:
    """Return an ending with one thing changed: a number or name of its prose, and one field."""
    if isinstance(ending, str):
        return corrupted(ending, rng)
    changed = {**ending, "final_answer": corrupted(str(ending.get("final_answer", "")), rng)}
    fields = ending.get("answer")
    if fields and isinstance(task.answer, Mapping):
        name = rng.choice(sorted(fields))
        changed["answer"] = {**fields, name: wrong_value(task.answer["properties"][name], fields[name])}
    return changed


def corrupted(text: str, rng: random.Random) -> str:
    """Return a text with one number or name changed; one without either turned into its opposite.

    Examples:
        >>> corrupted("It is open.", random.Random(0))
        'No. It is open.'
    """
    found = [*_DIGITS.finditer(text), *_NAME.finditer(text)]
    if not found:
        return f"No. {text}" if not text.startswith("No") else f"Yes. {text}"
    match = rng.choice(found)
    changed = str(int(match[0]) + rng.randint(1, 9)) if match[0].isdigit() else match[0][::-1].capitalize()
    return text[: match.start()] + changed + text[match.end() :]
