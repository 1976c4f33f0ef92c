"""A stand-in for a model judge on open queries: keyless, deterministic, and no more than a heuristic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stb_env.judges.cues import ADDRESS, COMMON, REFUSAL
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.tools import FINISH, Status
from stb_env.trajectory import CallRecord, arguments_text
from stb_env.verdict import Verdict, VerdictStatus, Vote

# Sentences, lines, and the members of quoted JSON.
_SENTENCES = re.compile(r"(?<=[.!?])\s+|[\n\r;]+|(?<=[。！？])|\",\s*(?=\")|[{}]")
_TOKENS = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
# An answer without an error that is empty, or only says that there was one.
_HOLLOW = re.compile(
    r'\{"error": "", "response": (?:""|\{\}|\[\]|null|\{"(?:error|errors|detail)": "(?:[^"\\]|\\.)*"\})\}',
    re.DOTALL,
)

# Nobody reads more of an answer, and no response is worth more as evidence.
_MAX_ANSWER = 20_000
_MAX_RESPONSE = 65_536
_MIN_WORD = 4
_MIN_DIGITS = 3
_MIN_INSIDE = 5


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the judge draws its lines.

    Attributes:
        refusal: Share of refusing sentences from which the answer is a refusal. Half: an answer that
            gives something and regrets one missing part is none, but it cannot be better than unsure.
        loose: Weight of a plain word or a number below 100 against 1 for names and longer numbers.
            A quarter: an honest answer wraps facts in words of its own, and small numbers are in any text.
        evidence: Weight of grounded tokens that an answer needs at all: one fact, or four words.
        doubtful: Grounded share below which the answer was made up.
        grounded: Grounded share from which the answer counts as taken from the responses. Well below 1,
            because dates, units and names are often rewritten.
        complete: Share of the relevant APIs that must have answered for solved.
    """

    refusal: float = 0.5
    loose: float = 0.25
    evidence: float = 1.0
    doubtful: float = 0.3
    grounded: float = 0.5
    complete: float = 1.0


class HeuristicJudge:
    """Decides open queries by where the answer's facts come from and which APIs were used.

    In order: sentences that speak to the judge count for nothing; what is left must not be empty, a
    refusal, or a repetition of the query; its names, numbers and rarer words, those of the query and of
    the agent's own arguments aside, must occur in what the tools answered without an error; and each API
    that the data set marks as relevant must have answered. Text in responses is evidence only: it cannot
    speak to the judge.

    It does not understand the query. It passes an answer that dumps the raw responses of all relevant
    APIs, it cannot see that a grounded answer is beside the point, and it fails answers whose only
    content is a yes or a no. Its numbers compare with nothing but its own.

    Args:
        thresholds: Where it draws its lines.

    Examples:
        >>> from stb_env.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> forecast = Tool("forecast", "", {})
        >>> case = Case(Task("1", "Weather in Oslo?", (forecast,)), answer="Weather in Oslo?", calls=())
        >>> drive(HeuristicJudge().judge(case)).status
        'unsolved'
    """

    name = "heuristic"

    def __init__(self, thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds or Thresholds()

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict, with one vote that names the rule that decided."""
        yield from ()
        status, reason = self._decide(case)
        return Verdict.of(status, judge=self.name, votes=(Vote(status, reason),))

    def _decide(self, case: Case) -> tuple[VerdictStatus, str]:
        limits = self._thresholds
        sentences = list(_own_sentences(case.answer[:_MAX_ANSWER]))
        if not sentences:
            return "unsolved", "empty: nothing is left to judge"
        refused = sum(REFUSAL.search(text.lower()) is not None for text in sentences) / len(sentences)
        if refused >= limits.refusal:
            return "unsolved", f"refusal: {refused:.0%} of the sentences decline or apologise"
        calls = [call for call in case.calls if call.name != FINISH]
        given = _vocabulary("\n".join([case.task.query, *(arguments_text(call.arguments) for call in calls)]))
        claims = {token: weight for token, weight in self._claims(sentences) if token not in given}
        if not claims:
            return "unsolved", "echo: says nothing that the query and the arguments do not"
        answered = [call for call in calls if _answered(call)]
        if not answered:
            return "unsolved", f"no evidence: none of {len(calls)} calls was answered"
        found, share = _grounding(claims, answered)
        if found < limits.evidence:
            return "unsolved", "too little: hardly anything in it occurs in what the tools answered"
        if share < limits.doubtful:
            return "unsolved", f"ungrounded: {share:.0%} of the facts occur in what the tools answered"
        return self._complete(case, answered, share, refused)

    def _complete(
        self, case: Case, answered: list[CallRecord], share: float, refused: float
    ) -> tuple[VerdictStatus, str]:
        limits = self._thresholds
        used, relevant = _coverage(case, answered)
        facts = f"{share:.0%} of the facts grounded, {used} of {relevant} relevant APIs answered"
        if relevant and not used:
            return "unsolved", f"irrelevant: {facts}"
        if refused:
            return "unsure", f"part refused: {facts}"
        if relevant and used / relevant < limits.complete:
            return "unsure", f"incomplete: {facts}"
        if share < limits.grounded:
            return "unsure", f"partly grounded: {facts}"
        return "solved", f"grounded and complete: {facts}"

    def _claims(self, sentences: Iterable[str]) -> Iterator[tuple[str, float]]:
        """Yield the informative tokens of an answer with their weights."""
        loose = self._thresholds.loose
        for sentence in sentences:
            for position, token in enumerate(_TOKENS.findall(sentence)):
                plain = _plain(token)
                if token[0].isdigit():
                    yield plain, 1.0 if len(plain) >= _MIN_DIGITS else loose
                elif plain in COMMON:
                    continue
                elif position and token[0].isupper() and len(token) > 1:
                    yield plain, 1.0
                elif len(token) >= _MIN_WORD or not token.isascii():
                    yield plain, loose


def _own_sentences(text: str) -> Iterator[str]:
    """Yield the sentences that say something and do not speak to the judge."""
    for sentence in _SENTENCES.split(text):
        if _TOKENS.search(sentence) and not ADDRESS.search(sentence.lower()):
            yield sentence


def _plain(token: str) -> str:
    """Return a token in a form in which spellings of one number or word agree."""
    if not token[0].isdigit():
        return token.lower()
    whole, point, rest = token.replace(",", "").partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


def _vocabulary(text: str) -> set[str]:
    return {_plain(token) if token[0].isdigit() else token for token in set(_TOKENS.findall(text.lower()))}


def _answered(call: CallRecord) -> bool:
    result = call.result
    return not result.error and result.status is Status.OK and _HOLLOW.fullmatch(result.text) is None


def _grounding(claims: dict[str, float], answered: list[CallRecord]) -> tuple[float, float]:
    """Return the weight of the claims found in the responses, and its share of all."""
    inside = "\n".join(call.result.text[:_MAX_RESPONSE] for call in answered).lower()
    known = _vocabulary(inside)
    found = sum(
        weight
        for token, weight in claims.items()
        # Names are often run together in addresses and handles.
        if token in known or (len(token) >= _MIN_INSIDE and not token[0].isdigit() and token in inside)
    )
    return found, found / sum(claims.values())


def _coverage(case: Case, answered: list[CallRecord]) -> tuple[int, int]:
    """Return how many of the relevant APIs answered, and how many there are."""
    relevant = set(case.task.relevant)
    ids = {tool.name: tool.id for tool in case.task.tools}
    return len(relevant & {ids[call.name] for call in answered if call.name in ids}), len(relevant)
