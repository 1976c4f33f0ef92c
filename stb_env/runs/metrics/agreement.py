"""Agreement of people or models: label shares, observed agreement and two chance-corrected measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from stb_env.errors import DataError

Label = str


def shares(labels: Iterable[Label], known: Sequence[Label]) -> dict[Label, float]:
    """Return the share of each known label; all 0 where there are no labels.

    Args:
        labels: What was said.
        known: Every label that there is, in the order of the result.

    Raises:
        DataError: A label is not among the known ones.

    Examples:
        >>> shares(["win", "tie", "win", "lose"], ("win", "lose", "tie"))
        {'win': 0.5, 'lose': 0.25, 'tie': 0.25}
    """
    counts = Counter(labels)
    unknown = sorted(counts.keys() - set(known))
    if unknown:
        raise DataError(f"unknown label {unknown[0]!r}; expected one of {', '.join(known)}")
    total = counts.total()
    return {label: counts[label] / total if total else 0.0 for label in known}


def observed_agreement(units: Iterable[Sequence[Label]]) -> float | None:
    """Return the share of equal pairs among all pairs of labels that one unit got.

    Args:
        units: The labels of each unit, one an annotator; units with fewer than two say nothing.

    Returns:
        The mean over units, from 0 to 1, or None where no unit has two labels.

    Examples:
        >>> observed_agreement([["A", "A", "B"], ["B", "B"], ["A"]])
        0.6666666666666666
    """
    single = [_agreeing(Counter(unit)) for unit in units if len(unit) > 1]
    return sum(single) / len(single) if single else None


def _agreeing(counts: Mapping[Label, int]) -> float:
    total = sum(counts.values())
    return sum(count * (count - 1) for count in counts.values()) / (total * (total - 1))


def krippendorff_alpha(units: Iterable[Sequence[Label]]) -> float | None:
    """Return Krippendorff's alpha for nominal labels (Krippendorff, Content Analysis, 2004).

    Any number of annotators, and any of them may have left out any unit.

    Args:
        units: The labels of each unit; units with fewer than two say nothing.

    Returns:
        1 for perfect agreement, 0 for what chance gives, below 0 for systematic disagreement; None where
        it is not defined: no unit has two labels, or only one label was ever used.

    Examples:
        >>> krippendorff_alpha([["A", "A"], ["B", "B"], ["A", "B"]])
        0.4444444444444444
        >>> krippendorff_alpha([["A", "A"], ["A", "A"]]) is None
        True
    """
    pairable = [Counter(unit) for unit in units if len(unit) > 1]
    overall: Counter[Label] = Counter()
    for counts in pairable:
        overall.update(counts)
    total = overall.total()
    expected = 1 - _agreeing(overall) if total else 0.0
    if not expected:
        return None
    # Each unit weighs as many labels as it has.
    disagreement = sum(counts.total() * (1 - _agreeing(counts)) for counts in pairable) / total
    return 1 - disagreement / expected


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float | None:
    """Return Cohen's kappa of two annotators who labelled the same units (Cohen, 1960).

    Args:
        first: One annotator's labels.
        second: The other's, of the same units in the same order.

    Returns:
        1 for perfect agreement, 0 for what chance gives; None where it is not defined: no units, or both
        used one and the same label throughout.

    Raises:
        DataError: The two have different lengths.

    Examples:
        >>> round(cohen_kappa(["y", "y", "n", "n"], ["y", "n", "n", "n"]), 3)
        0.5
    """
    if len(first) != len(second):
        raise DataError(
            f"two annotators must label the same units, got {len(first)} and {len(second)} labels"
        )
    if not first:
        return None
    total = len(first)
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / total
    mine, theirs = Counter(first), Counter(second)
    chance = sum(mine[label] * theirs[label] for label in mine) / total**2
    return (observed - chance) / (1 - chance) if chance < 1 else None
