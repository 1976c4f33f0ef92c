"""The keyless judge of answers in free text, for evaluations with ``answer="text"``.

It looks for the value of every field in the text and refuses texts that take something back or hedge. It
reads no grammar and is wrong in both directions: docs/trust.md has how often. Never train on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stb_env.core.answers import code_key, name_key, same
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.suites.sandbox.conventions import MONTHS
from stb_env.suites.sandbox.generator import fields_of
from stb_env.suites.sandbox.verifier import state_parts, verdict_of
from stb_env.verdict import Verdict

LONGEST = 2_000
"""Characters of an answer; a longer one is a dump in which any value could be found."""
_NEAR = 3
FIRST = 6
"""Number of values of a type among which the right one has to stand."""

DOUBTS = (
    "actually no", "always wrong", "among others", "another possibility", "answer is among", "anything but",
    "as if", "blogger", "correction", "could be", "could just as well", "depending on", "disregard",
    "do not believe", "each longer", "either", "false", "fan on a forum", "going by", "guess", "had i",
    "had you", "however the tools", "i am not sure", "i can not stand", "i cannot stand", "i dreamt",
    "i have no idea", "if i had to", "if it were", "ignore my", "in reality", "in truth", "incorrect",
    "invalid", "is a lie", "it is off", "just kidding", "last spring", "last week", "last year", "lie that",
    "made all of this up", "make that", "may be so", "maybe", "might", "mistaken", "moved from",
    "not checked", "not correct", "not right", "not so", "not the case", "not true", "not verified",
    "on second thought", "one of", "opposite", "option 1", "or else", "or it may", "or perhaps",
    "otherwise now", "parrot", "perhaps", "pigs fly", "possibly", "rather than", "rumor", "rumour",
    "scratch that", "some say", "test sentence", "then again", "they are off", "unless", "untrue",
    "used to", "whichever", "wrong", "yes and no",
)  # fmt: skip
"""Phrases of texts that do not stand by what they say."""
YES = frozenset({"yes", "yeah", "yep", "correct", "true", "indeed"})
NO = frozenset({"no", "nope", "not", "never", "cannot", "neither", "nothing", "without"})

_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[, \u202f]\d{3}(?!\d))*(?:\.\d+)?(?:\s*(million|thousand)\b)?")
_SEPARATOR = re.compile(r"[,\s]")
_NUMERIC_DATE = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTH = "|".join(month[:3].lower() for month in MONTHS)
_DATE = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})[a-z]*\.?,? ?(\d{{4}})?")
_US_DATE = re.compile(rf"\b({_MONTH})[a-z]*\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ?(\d{{4}})?")
_TIME = re.compile(r"\b(\d{1,2})[:.h](\d\d)(?::\d\d)?\s*([ap])?\.?m?|\b(\d{1,2})\s*([ap])\.?m\b")
_WORDS = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_SCALE = {"million": 1e6, "thousand": 1e3}


class Found(NamedTuple):
    """A value in a text: the value, where it stands, and how exactly it is written."""

    value: Json
    start: int
    slack: float = 0.0


class TextJudge:
    """Looks for the fields of a task's answer in free text; state counts as for typed answers."""

    name = "text"
    floors: Mapping[str, float] = {}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The task changes tables but the case carries no state.
        """
        yield from ()
        schema, goal = fields_of(case.task.id), case.task.goal
        problems = dict(state_parts(case))
        if goal["cannot"]:
            problems["cannot"] = "" if refuses(case.final_answer) else "nothing says that it cannot be done"
        elif problem := unclear(case.final_answer):
            problems["answer"] = problem
        else:
            for name, value in goal["answer"].items():
                told = states(schema[name], value, case.final_answer, case.task.query)
                problems[f"answer:{name}"] = "" if told else "not found in the text"
        return verdict_of(problems, self.name)


def unclear(text: str) -> str:
    """Return why a text does not stand by what it says, or an empty string."""
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    said = f" {' '.join(_WORDS.findall(text.casefold()))} "
    doubt = next((doubt for doubt in DOUBTS if f" {doubt} " in said), "")
    return f"it says {doubt!r}" if doubt else ""


def refuses(text: str) -> bool:
    """Return whether a text says that something is not so or cannot be done."""
    words = _WORDS.findall(text.casefold().replace("’", "'"))
    return bool(text) and len(text) <= LONGEST and any(word in NO or word.endswith("n't") for word in words)


def states(schema: JsonMapping, value: Json, text: str, query: str) -> bool:
    """Return whether a text states a value of a field, and no other in its place.

    Examples:
        >>> states({"type": "number"}, 1250, "It costs 1,250.00 AUR.", "How much?")
        True
        >>> states({"type": "string", "format": "date"}, "2026-03-09", "On March 9, 2026.", "When?")
        True
    """
    match value:
        case bool():
            return _polarity(text) is value
        case list():
            return all(states(schema.get("items", {}), each, text, query) for each in value)
        case int() | float():
            found = list(_numbers(text))
            asked = {each.value for each in _numbers(query)}
        case str() if schema.get("format") in ("date", "time"):
            read = _dates if schema["format"] == "date" else _times
            found, asked = list(read(text)), {each.value for each in read(query)}
        case str() if schema.get("format") == "code":
            return code_key(value) in code_key(text)
        case _:
            said = name_key(text)
            start = said.find(name_key(str(value)))
            return start >= 0 and not _denied(said, start)
    others = [each for each in found if each.value not in asked or same(schema, value, each.value)]
    return any(_is(schema, value, each) and not _denied(text, each.start) for each in others[:FIRST])


def _denied(text: str, start: int) -> bool:
    """Return whether one of the three words before a place denies what follows, in the same sentence."""
    before = re.split(r"[.;!?\n]\s", text[max(0, start - 60) : start].casefold().replace("’", "'"))[-1]
    return any(word in NO or word.endswith("n't") for word in _WORDS.findall(before)[-_NEAR:])


def _is(schema: JsonMapping, value: object, found: Found) -> bool:
    loose = {**schema, "tolerance": max(schema.get("tolerance", 0.0), found.slack)}
    return same(loose, value, found.value)


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(name_key(text)))


def _polarity(text: str) -> bool:
    words = _WORDS.findall(text.casefold().replace("’", "'"))
    for word in words:
        if word in YES:
            return True
        if word in NO or word.endswith("n't"):
            return False
    return True


def _numbers(text: str) -> Iterator[Found]:
    for match in _NUMBER.finditer(text):
        digits = _SEPARATOR.sub("", match[0].removesuffix(match[1] or ""))
        scale = _SCALE.get(match[1] or "", 1.0)
        decimals = len(digits.partition(".")[2])
        yield Found(
            float(digits) * scale,
            match.start(),
            0.5 * 10**-decimals * scale if decimals or scale > 1 else 0.0,
        )


def _dates(text: str) -> Iterator[Found]:
    low = text.casefold()
    found = [(match.start(), match[0]) for match in _ISO.finditer(low)]
    found += [
        (match.start(), f"{match[3]}-{int(match[2]):02d}-{int(match[1]):02d}")
        for match in _NUMERIC_DATE.finditer(low)
    ]
    for pattern, day, month in ((_DATE, 1, 2), (_US_DATE, 2, 1)):
        for match in pattern.finditer(low):
            number = next(n for n, name in enumerate(MONTHS, 1) if name.lower().startswith(match[month]))
            found.append((match.start(), f"{match[3] or '2026'}-{number:02d}-{int(match[day]):02d}"))
    for start, value in sorted(found):
        yield Found(value, start)


def _times(text: str) -> Iterator[Found]:
    for match in _TIME.finditer(text.casefold()):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = match[3] or match[5]
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour < 24 and minute < 60:
            yield Found(f"{hour:02d}:{minute:02d}", match.start())
