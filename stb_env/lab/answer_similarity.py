"""Measured similarity of the real and the simulated answer of a pair, and its means over groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stb_env.jsontypes import JsonObject
from stb_env.lab.answer_pairs import AnswerPair, text_of
from stb_env.metrics.response_schema import decoded, field_overlap, schema_match
from stb_env.metrics.similarity import bleu4, lcs_f1, tokens

ALL = "all"


@dataclass(frozen=True, slots=True)
class Similarity:
    """How alike two answers to one call are.

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


def means(pairs: Sequence[AnswerPair], measured: Sequence[Similarity]) -> list[JsonObject]:
    """Return the mean of every measure by group, and over all pairs where there are several groups.

    Args:
        pairs: The pairs.
        measured: Their similarities, in the same order.

    Returns:
        One object a group, with its number of ``pairs`` and of those ``with_fields``; a mean without a
        value is None.
    """
    groups = sorted({pair.group for pair in pairs})
    rows = [
        _mean_row(group, [one for pair, one in zip(pairs, measured, strict=True) if pair.group == group])
        for group in groups
    ]
    return rows if len(rows) == 1 else [*rows, _mean_row(ALL, measured)]


def _mean_row(group: str, measured: Sequence[Similarity]) -> JsonObject:
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
