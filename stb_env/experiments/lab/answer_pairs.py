"""Pairs of a real and a simulated answer to one call, and how similar they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from stb_env.backend.cache.key import call_key
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.experiments.lab.sandbox_calls import SandboxCall
from stb_env.formats.recorded_answer import Answer, Notes, RecordedCall
from stb_env.runs.metrics.response_schema import decoded, field_overlap, schema_match
from stb_env.runs.metrics.similarity import bleu4, lcs_f1, tokens
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.suites.stabletoolbench import mirrorapi_bench
from stb_env.tools import ToolId


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """One call with both answers.

    Attributes:
        group: Its origin: the name of a file without its ending, or of a way to choose calls.
        id: The API.
        arguments: The arguments of the call.
        real: Answer of the API.
        simulated: Answer of the simulator.
    """

    group: str
    id: ToolId
    arguments: JsonMapping | str
    real: Answer
    simulated: Answer

    @property
    def text(self) -> str:
        """The whole pair as one JSON text, for hashing."""
        answers = [text_of(self.real), text_of(self.simulated)]
        return jsontext.dumps([self.group, *self.id, self.arguments, *answers])


def text_of(answer: Answer) -> str:
    """Return an answer as the text that an agent reads: its error, then its response.

    Examples:
        >>> text_of(Answer("", {"rain": 2})), text_of(Answer("not found", ""))
        ('{"rain": 2}', 'not found')
    """
    response = answer.response if isinstance(answer.response, str) else jsontext.dumps(answer.response)
    return "\n".join(part for part in (answer.error, response) if part)


def recorded_pairs(folder: str | Path) -> list[AnswerPair]:
    """Read every pair of a MirrorAPI-Bench folder, in order of file and line; of equal pairs one is kept.

    Args:
        folder: Holds ``*.jsonl`` files, or is one.

    Raises:
        DataError: There is no such file, or no pair in any.
    """
    place = Path(folder)
    files = [place] if place.is_file() else sorted(place.glob("*.jsonl"))
    found = {pair.text: pair for file in files for pair in _file_pairs(file)}
    if not found:
        raise DataError(
            f"no pair of a real and a simulated answer in {place}; give a MirrorAPI-Bench folder of .jsonl "
            "files whose lines hold request, real_response and simulated_response"
        )
    return list(found.values())


def _file_pairs(file: Path) -> Iterator[AnswerPair]:
    simulated: RecordedCall | None = None
    for recorded in mirrorapi_bench.read_file(file, Notes(), simulated=True):
        if recorded.source == "simulator":
            simulated = recorded
            continue
        call = (recorded.id, recorded.arguments)
        # A line without a usable simulated answer has a real one alone.
        if simulated is not None and call == (simulated.id, simulated.arguments):
            yield AnswerPair(file.stem, *call, recorded.answer, simulated.answer)
        simulated = None


def sandbox_pairs(calls: Iterable[SandboxCall], group: str) -> list[AnswerPair]:
    """Let the Sandbox, as the real API, and the template simulator answer the same calls."""
    world, simulator = SandboxWorld(), TemplateSimulator()
    pairs = []
    for tool, arguments, home in calls:
        real, _ = world.call(household(home), tool, arguments)
        simulated = simulator.simulate(tool, arguments, key=call_key(tool.id, arguments))
        answers = (Answer(result.error, result.response) for result in (real, simulated))
        pairs.append(AnswerPair(group, tool.id, arguments, *answers))
    return pairs


@dataclass(frozen=True, slots=True)
class Similarity:
    """Similarity of two answers to one call.

    Attributes:
        same_outcome: Whether both answered or both refused.
        schema_match: Whether they also have the same fields with the same types.
        field_overlap: Common fields among all; None where neither has a field.
        bleu4: BLEU-4 of the simulated text against the real one.
        rouge_l: ROUGE-L of the same.
    """

    same_outcome: bool
    schema_match: bool
    field_overlap: float | None
    bleu4: float
    rouge_l: float

    @classmethod
    def of(cls, pair: AnswerPair) -> Similarity:
        """Measure a pair.

        Examples:
            >>> from stb_env.formats.recorded_answer import Answer
            >>> from stb_env.tools import NO_ID
            >>> rain, snow = Answer("", "{'mm': 2, 'day': 'Mon'}"), Answer("", {"mm": 3, "day": "Mon"})
            >>> found = Similarity.of(AnswerPair("demo", NO_ID, {}, rain, snow))
            >>> found.schema_match, found.field_overlap, round(found.rouge_l, 2)
            (True, 1.0, 0.89)
        """
        real, simulated = (decoded(answer.response) for answer in (pair.real, pair.simulated))
        texts = [tokens(text_of(answer)) for answer in (pair.real, pair.simulated)]
        same_outcome = bool(pair.real.error) == bool(pair.simulated.error)
        return cls(
            same_outcome,
            same_outcome and schema_match(real, simulated),
            field_overlap(real, simulated),
            bleu4(*texts),
            lcs_f1(*texts),
        )


class MeanSimilarity(TypedDict):
    """Mean of every measure over pairs; None where no pair has a value."""

    group: str
    pairs: int
    same_outcome: float | None
    schema_match: float | None
    field_overlap: float | None
    bleu4: float | None
    rouge_l: float | None
    with_fields: int


def means(pairs: Sequence[AnswerPair], measured: Sequence[Similarity]) -> list[MeanSimilarity]:
    """Return the means by group, and over all pairs where there are several groups."""
    groups: dict[str, list[Similarity]] = {}
    for pair, one in zip(pairs, measured, strict=True):
        groups.setdefault(pair.group, []).append(one)
    rows = [_mean_row(group, groups[group]) for group in sorted(groups)]
    return rows if len(rows) == 1 else [*rows, _mean_row("all", measured)]


def _mean_row(group: str, measured: Sequence[Similarity]) -> MeanSimilarity:
    fields = [one.field_overlap for one in measured if one.field_overlap is not None]
    return {
        "group": group,
        "pairs": len(measured),
        "same_outcome": _mean(one.same_outcome for one in measured),
        "schema_match": _mean(one.schema_match for one in measured),
        "with_fields": len(fields),
        "field_overlap": _mean(fields),
        "bleu4": _mean(one.bleu4 for one in measured),
        "rouge_l": _mean(one.rouge_l for one in measured),
    }


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(sum(found) / len(found), 6) if found else None
