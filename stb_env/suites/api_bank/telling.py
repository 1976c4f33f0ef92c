"""Whether the user was told what was done and found, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from stb_env import jsontext
from stb_env.jsontypes import Json, JsonMapping
from stb_env.judges.account import Acts, asserted, faults, words_of
from stb_env.judges.cues import COMMON
from stb_env.judges.days import days_in
from stb_env.judges.judge import Case
from stb_env.reading.statement import statements
from stb_env.suites.api_bank.agreement import Known
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.claim import unfounded
from stb_env.suites.api_bank.pasted import Pasted
from stb_env.suites.api_bank.replies import answers, heard, results
from stb_env.suites.api_bank.strangers import strangers
from stb_env.tools import FINISH

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_AFFIRMED = re.compile(
    r"\b(?:yes|yep|yeah|no|indeed|right|there (?:is|are)|you (?:do )?have|is (?:still )?(?:set|there|on|in)|"
    r"exists?|found|correct)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")


def misstated(case: Case, queries: Callable[[], Iterable[int]], made: Sequence[bool]) -> str:
    """Return what is wrong with the replies that follow recorded calls; an empty text where nothing is.

    A reply must not take back, doubt or contradict what was done and found (`faults`, `Known`), and where
    somebody asked for something that calls look up, what the recorded assistant told of it has to be told:
    one word or number of it at least, and a result that is a number as it is. The recorded reply is right.

    Args:
        case: The episode.
        queries: Returns which of the recorded calls looked something up.
        made: Of each recorded call, whether the episode made it where it is needed; what was never looked
            up is not told by the words that it has in common with something else.
    """
    said = answers(case)
    whole = len(said) == len(case.task.goal["replies"])
    if whole and all(text == recorded for _, text, recorded in said) and _is_recorded(case):
        return ""
    calls = [call for call in case.calls if call.name != FINISH]
    returned = results(case)
    heard_so_far = [*heard(case.task), *map(_written, returned)]
    # What a search for tools returns says what they could do, and not what was done.
    done = [_written(call.result.response) for call in calls if call.name != SEARCHER]
    lived_through = [*heard(case.task), *done]
    acts = Acts(
        frozenset(words_of(call.name)[0] for call in calls),
        failed=any(call.result.error for call in calls),
        several=any(_is_choice(call.result.response) for call in calls if call.name != SEARCHER),
        empty=any(not call.result.response for call in calls),
    )
    turns = _turns(case)
    for turn, text, recorded in said:
        added = text.replace(recorded.strip(), "") if recorded.strip() else text
        if not added.strip():
            continue
        known = Known(heard_so_far, [part for _, call in turns[turn] for part in _figured_with(call)])
        wrong = next(_wrong(added, known, "\n".join(heard_so_far), acts), "")
        wrong = wrong or next(_beside(added, "\n".join(heard_so_far)), "")
        wrong = wrong or next(_claimed(added, [call.name for call in calls], "\n".join(lived_through)), "")
        if wrong:
            return wrong
    if case.answer and not _is_recorded(case) and all(case.answer != text for _, text, _ in said):
        wrong = next(map(str, faults(case.answer, "\n".join(heard_so_far), acts)), "")
        if wrong:
            return wrong
    return next(_untold(case, turns, set(queries()), made), "")


def _is_recorded(case: Case) -> bool:
    """Return whether the last words are those of the recorded assistant, whatever they answer."""
    return any(case.answer.strip() == str(turn["reply"]).strip() for turn in case.task.record["turns"])


def _claimed(text: str, names: Iterable[str], heard_so_far: str) -> Iterator[str]:
    told = "\n".join(said.text for said in asserted(text))
    yield from (
        f"the reply says {verb!r}, which no call did" for verb in unfounded(told, names, heard_so_far)
    )


def _wrong(text: str, known: Known, returned: str, acts: Acts) -> Iterator[str]:
    yield from map(str, faults(text, returned, acts))
    told = "\n".join(said.text for said in asserted(text))
    days = {day for day, _ in days_in(returned)}
    other = [words for day, words in days_in(told) if days and day not in days]
    yield from (
        f"the reply says {word!r}, which nothing bears out" for word in (*other, *known.unsupported(told))
    )


def _beside(text: str, heard_so_far: str) -> Iterator[str]:
    yield from (
        f"the reply speaks of something else: {strange!r}" for strange in strangers(text, heard_so_far)
    )


def _figured_with(call: JsonMapping) -> list[Json]:
    """Return what a reply can reckon with: a result, and the numbers of a formula."""
    result = call["result"]
    formula = str(result.get("input")) if call["name"] == "Calculator" else ""
    return [*result.values(), *(float(number) for number in _NUMBER.findall(formula))]


def _turns(case: Case) -> list[list[tuple[int, JsonMapping]]]:
    """Return the recorded calls of each turn, numbered throughout."""
    numbered = iter(enumerate(case.task.goal["calls"]))
    return [[next(numbered) for _ in range(turn["calls"])] for turn in case.task.record["turns"]]


def _untold(
    case: Case, turns: list[list[tuple[int, JsonMapping]]], queries: set[int], made: Sequence[bool]
) -> Iterator[str]:
    """Yield what was looked up and is not told, in its turn or anywhere where turns cannot be told apart."""
    asked = _words(" ".join(heard(case.task)[1:]))
    said = {turn: text for turn, text, _ in answers(case)}
    spoken = [*case.replies, case.answer]
    everything = " ".join(spoken)
    pasted = Pasted([call.result.response for call in case.calls if call.name != FINISH])
    for turn, recorded in case.task.goal["replies"]:
        words = recorded.strip()
        if any(words == text.strip() or words in pasted.without(text) for text in spoken):
            continue
        prose = pasted.without(said.get(turn, everything))
        text = _told(prose)
        for number, call in turns[turn]:
            facts = _facts(call["result"]["output"]) & _words(recorded)
            if number not in queries or not facts:
                continue
            whole = pasted.is_list(prose)
            told = facts <= _words(text) if whole else _answers(text, facts - asked, facts)
            if not (told and made[number]):
                shown = ", ".join(sorted(facts - asked or facts)[:5])
                yield f"what {call['name']} found is not told: {shown}"


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
    """Return what a text says: its numbers, each in one form, and its words but for the commonest."""
    folded = text.lower().replace(",", "")
    numbers = {f"{float(number):g}" for number in _NUMBER.findall(folded)}
    return numbers | {word for word in _WORD.findall(folded) if word not in COMMON}


def _is_choice(result: Json) -> bool:
    if isinstance(result, Mapping):
        return any(_is_choice(each) for each in result.values())
    return isinstance(result, list) and len(result) > 1
