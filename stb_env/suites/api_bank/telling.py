"""Whether the user was told what was done and found, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from stb_env import jsontext
from stb_env.jsontypes import Json, JsonMapping
from stb_env.judges.cues import COMMON
from stb_env.judges.judge import Case
from stb_env.reading.fold import fold
from stb_env.reading.moments import days
from stb_env.reading.statement import statements
from stb_env.suites.api_bank.figures import clocks, whole_numbers
from stb_env.suites.api_bank.leaves import leaves
from stb_env.suites.api_bank.pasted import Pasted
from stb_env.suites.api_bank.questions import Question, question_of
from stb_env.suites.api_bank.replies import heard, spoken
from stb_env.suites.api_bank.testimony import Testimony
from stb_env.tools import FINISH

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_AFFIRMED = re.compile(
    r"\b(?:yes|yep|yeah|no|indeed|right|there (?:is|are)|you (?:do )?have|is (?:still )?(?:set|there|on|in)|"
    r"exists?|found|correct)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{3})+(?![\d.])")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|y|e)$")
_DIVIDED = re.compile(r"\d(?:[ ()/.-]{0,2}\d){6,20}")
_DATED = re.compile(r"\d{4}-\d\d-|\d\d?[/.]\d\d?[/.]\d{4}")
_CODE = 6
"""Digits of which a longer run is one code, however it is divided."""
_TOKEN = re.compile(r"[^\W_]+")
_MANY, _NAME = 8, 4
"""Things that were found of which each has to be told, and words of the name of one."""


def misstated(case: Case, queries: Callable[[], Iterable[int]], made: Sequence[bool]) -> str:
    """Return what is wrong with the replies that follow recorded calls; an empty text where nothing is.

    A reply must not take back, doubt or contradict what was done and found (`Testimony`), and where
    somebody asked for something that calls look up, what the recorded assistant told of it has to be told:
    one word or number of it at least, and a result that is a number as it is. The recorded reply is right.

    Args:
        case: The episode.
        queries: Returns which of the recorded calls looked something up.
        made: Of each recorded call, whether the episode made it where it is needed; what was never looked
            up is not told by the words that it has in common with something else.
    """
    said = _tellings(case)
    whole = len({turn for turn, _, _ in said}) == len(case.task.goal["replies"])
    if whole and all(text == recorded for _, text, recorded in said) and _is_recorded(case):
        return ""
    episode = Testimony(case)
    turns = _turns(case)
    for turn, text, recorded in said:
        added = text.replace(recorded.strip(), "") if recorded.strip() else text
        if not added.strip():
            continue
        recorded_calls = [call for _, call in turns[turn]]
        wrong = next(episode.wrong(added, recorded_calls, _asked(case, turn)), "")
        if wrong:
            return wrong
    if case.final_answer and not _is_recorded(case) and all(case.final_answer != text for _, text, _ in said):
        # Who only says goodbye, or sums up, is held against all that was done.
        recorded_calls = case.task.goal["calls"]
        wrong = next(episode.wrong(case.final_answer, recorded_calls, "\n".join(heard(case.task))), "")
        if wrong:
            return wrong
    return next(_untold(case, turns, set(queries()), made), "")


def _tellings(case: Case) -> list[tuple[int, str, str]]:
    """Return what was said after recorded calls, each with its turn and the recorded reply.

    A question of the agent tells nothing, and what it only announces is still to come.
    """
    turns = spoken(case)
    return [
        (turn, text, recorded)
        for turn, recorded in case.task.goal["replies"]
        for place, text in enumerate(turns.get(turn, ()), 1)
        if place == len(turns[turn]) or question_of(text) in (Question.NONE, Question.OFFER)
    ]


def _asked(case: Case, turn: int) -> str:
    """Return what the user said since the last reply that followed calls."""
    turns = case.task.record["turns"][: turn + 1]
    last = max((place for place, each in enumerate(turns[:-1], 1) if each["calls"]), default=0)
    return "\n".join(str(each["user"]) for each in turns[last:])


def _is_recorded(case: Case) -> bool:
    """Return whether the last words are those of the recorded assistant, whatever they answer."""
    return any(case.final_answer.strip() == str(turn["reply"]).strip() for turn in case.task.record["turns"])


def _turns(case: Case) -> list[list[tuple[int, JsonMapping]]]:
    """Return the recorded calls of each turn, numbered throughout."""
    numbered = iter(enumerate(case.task.goal["calls"]))
    return [[next(numbered) for _ in range(turn["calls"])] for turn in case.task.record["turns"]]


def _untold(
    case: Case, turns: list[list[tuple[int, JsonMapping]]], queries: set[int], made: Sequence[bool]
) -> Iterator[str]:
    """Yield what was looked up and is not told, in its turn or anywhere where turns cannot be told apart."""
    asked = _words(" ".join(heard(case.task)[1:]))
    said = {turn: "\n".join(texts) for turn, texts in spoken(case).items()}
    texts = [*case.replies, case.final_answer]
    everything = " ".join(texts)
    pasted = Pasted([call.result.response for call in case.calls if call.name != FINISH])
    for turn, recorded in case.task.goal["replies"]:
        words = recorded.strip()
        if any(words == text.strip() or words in pasted.without(text) for text in texts):
            continue
        prose = pasted.without(said.get(turn, everything))
        text = _told(prose)
        for number, call in turns[turn]:
            facts = _facts(call["result"]["output"]) & _words(recorded)
            if number not in queries or not facts or _is_step(call, _after(call, turns[turn])):
                continue
            whole = pasted.is_list(prose)
            told = facts <= _words(text) if whole else _answers(text, facts - asked, facts)
            if not (told and made[number]):
                shown = ", ".join(sorted(facts - asked or facts)[:5])
                yield f"what {call['name']} found is not told: {shown}"
            # What was found on the way need not be told by who went the whole way.
            later = _after(call, turns[turn]) if all(made) else []
            for name in _left_out(call, later, recorded, prose):
                yield f"what {call['name']} found is not told: {name}"


def _after(call: JsonMapping, turn: Iterable[tuple[int, JsonMapping]]) -> list[JsonMapping]:
    calls = [each for _, each in turn]
    return calls[calls.index(call) + 1 :]


def _is_step(call: JsonMapping, later: Iterable[JsonMapping]) -> bool:
    """Return whether all that a call returned are numbers that a later one of its turn takes."""
    values = list(leaves(call["result"]["output"], str, int, float))
    taken = {value for each in later for value in leaves(each["result"].get("input"), int, float)}
    return bool(values) and all(value in taken for value in values)


def _left_out(call: JsonMapping, later: Iterable[JsonMapping], recorded: str, told: str) -> Iterator[str]:
    """Yield the names of what was found, taken by no later call, and told by the recorded reply alone."""
    taken = {value for each in later for value in leaves(each["result"].get("input"), str)}
    output = call["result"]["output"]
    lists = list(output.values()) if isinstance(output, dict) else [output]
    several = next((each for each in lists if isinstance(each, list) and 1 < len(each) <= _MANY), [])
    names = [next(leaves(item, str), "") for item in several]
    words = [set(_TOKEN.findall(fold(name))) for name in names]
    said, heard_of = set(_TOKEN.findall(fold(told))), set(_TOKEN.findall(fold(recorded)))
    for place, own in enumerate(words):
        rest = own - {word for other, each in enumerate(words) if other != place for word in each}
        wanted = bool(rest) and len(own) <= _NAME and own <= heard_of and names[place] not in taken
        if wanted and not rest & said:
            yield names[place]


def _answers(text: str, new: Set[str], facts: Set[str]) -> bool:
    """Return whether a reply tells something that the user did not say, or affirms what the user said."""
    told = _words(text)
    return bool(new & told) if new else bool(facts & told or _AFFIRMED.search(text))


def _told(text: str) -> str:
    """Return what a text says, in whatever tone, without what it denies and what it merely pastes."""
    left_out = ("denied", "retracted", "quoted")
    return " ".join(said.text for said in statements(text) if said.stance not in left_out)


def _facts(value: Json) -> set[str]:
    return _words(_written(value))


def _written(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def _words(text: str) -> set[str]:
    """Return what a text says: its numbers, each in one form, and stems of its less common words."""
    folded = fold(text)
    said = {float(number) for number in _NUMBER.findall(folded.replace(",", ""))}
    said |= {number.quantity.value for number in whole_numbers(folded)}
    told = (value for clock in clocks(folded) for value in clock.values)
    said |= {float(part) for value in told for part in value.split(":") if part != "00"}
    said |= {float(number.replace(".", "")) for number in _GROUPED.findall(folded)}
    dates = (value for day in days(folded) for value in day.values)
    said |= {float(part) for value in dates for part in value.split("-") if part.isdecimal()}
    codes = (re.sub(r"\D", "", run) for run in _DIVIDED.findall(folded) if not _DATED.match(run))
    said |= {float(code) for code in codes if len(code) > _CODE}
    words = {_ENDING.sub("", word) for word in _WORD.findall(folded) if word not in COMMON}
    return {f"{number:g}" for number in said} | words
