"""The published leaderboard, and whether its numbers agree with each other."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Literal

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.runs.metrics.sopr import average

Kind = Literal["average", "average_std", "fraction", "total", "change"]

# Numbers are printed with one decimal; a mean of printed numbers is off by as much again.
_PRINTED = 0.05
_ROUNDING = 2 * _PRINTED
# What a query can score in one vote is a multiple of one over this.
_STEPS = {"SoPR": 2, "SoWR": 1, "FAC": 1}
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """A rate of one group, in per cent.

    Attributes:
        mean: The rate, among all planned queries.
        std: Standard deviation over votes.
        queries: Queries that were planned.
        trials: How often each was played.
        unscored: Planned episodes without a result; they are no success.
        reference_unanswered: Those that are won because the reference has no answer.
    """

    mean: float
    std: float
    queries: int
    trials: int = 1
    unscored: int = 0
    reference_unanswered: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One method of a published table, in per cent.

    Attributes:
        table: Name of the table.
        metric: SoPR, SoWR or FAC.
        method: The agent.
        votes: How often each query was judged.
        means: Rate of each group.
        stds: Standard deviation of each group over votes; empty where none was printed.
        average: The printed average.
        average_std: The printed standard deviation of it, or None.
        evaluator: The model that judged; empty where it is not named.
    """

    table: str
    metric: str
    method: str
    votes: int
    means: Mapping[str, float]
    stds: Mapping[str, float]
    average: float
    average_std: float | None
    evaluator: str = ""


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A published number that others contradict.

    Attributes:
        where: Table and row.
        kind: ``average`` or ``average_std`` is not the unweighted mean over groups; ``fraction``: a group's
            rate is no score that its number of queries and votes can give; ``total`` is not the sum of its
            parts; ``change`` is not the change of its two numbers.
        printed: What was printed.
        recomputed: What the other numbers give; for a fraction the nearest possible rate.
        rounding: Whether the rounding of the printed numbers could explain it.
    """

    where: str
    kind: Kind
    printed: float
    recomputed: float
    rounding: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return the inconsistency as plain data."""
        return asdict(self)


def published() -> list[Row]:
    """Return every published row that has a rate for each group.

    Examples:
        >>> rows = published()
        >>> rows[0].table, rows[0].method, rows[0].average
        ('paper, Table 3', 'GPT-3.5-Turbo-0613 CoT', 49.1)
    """
    return [
        _row(table, method, figures)
        for table in _data()["tables"]
        for method, figures in table["rows"].items()
    ]


def group_sizes() -> Mapping[str, int]:
    """Return how many queries each group has."""
    sizes: Mapping[str, int] = _data()["queries"]
    return sizes


def find_table(metric: str, text: str | None = None) -> list[Row]:
    """Return the rows of a published table.

    Args:
        metric: SoPR, SoWR or FAC.
        text: Words of the table's name (``paper``, ``june-2024``, ``mirrorapi``) or the model that judged;
            the first table of the metric where not given.

    Raises:
        ConfigError: No table of the metric is called so.

    Examples:
        >>> find_table("SoWR", "june-2024")[0].table
        'project page, June 2024, SoWR'
    """
    rows = [row for row in published() if row.metric == metric]
    names = {row.table: row.evaluator for row in rows}
    wanted = "" if text is None else _plain(text)
    found = [name for name, judge in names.items() if wanted in _plain(name) or wanted == _plain(judge)]
    if not found:
        known = "; ".join(
            f"{name} (judged by {judge or 'an unnamed model'})" for name, judge in names.items()
        )
        raise ConfigError(f"no published table of {metric} is called {text!r}; there is {known}")
    return [row for row in rows if row.table == found[0]]


def recomputed(row: Row) -> tuple[float, float]:
    """Return average and standard deviation of a row, by the function that averages our own groups.

    Examples:
        >>> mean, std = recomputed(published()[1])
        >>> round(mean, 1), round(std, 1)
        (68.1, 1.4)
    """
    return average(GroupFigures(mean, row.stds.get(group, 0.0), 1) for group, mean in row.means.items())


def check_published() -> list[Inconsistency]:
    """Return what does not agree within the published figures, in their order."""
    data = _data()
    found = [problem for row in published() for problem in _row_problems(row, data["queries"])]
    sums = [(item["name"], item["total"], sum(item["parts"])) for item in data["totals"]]
    found += [Inconsistency(name, "total", total, added) for name, total, added in sums if total != added]
    for item in data["changes"]:
        change = 100 * (item["reproduced"] - item["reported"]) / item["reported"]
        found += _differing(item["name"], "change", item["change"], change)
    return found


def _row_problems(row: Row, queries: Mapping[str, int]) -> Iterator[Inconsistency]:
    where = f"{row.table}, {row.method}"
    mean, std = recomputed(row)
    yield from _differing(where, "average", row.average, mean)
    if row.average_std is not None:
        yield from _differing(where, "average_std", row.average_std, std)
    for group, rate in row.means.items():
        # The most frequent of several comparisons is still one result a query; votes on answers average.
        votes = row.votes if row.metric == "SoPR" else 1
        steps = queries[group] * votes * _STEPS[row.metric]
        nearest = 100 * round(rate * steps / 100) / steps
        if abs(nearest - rate) > _PRINTED + _SLACK:
            yield Inconsistency(f"{where}, {group}", "fraction", rate, round(nearest, 3))


def _differing(where: str, kind: Kind, printed: float, mean: float) -> Iterator[Inconsistency]:
    off = abs(printed - mean)
    if off > _PRINTED + _SLACK:
        yield Inconsistency(where, kind, printed, round(mean, 3), off <= _ROUNDING + _SLACK)


def _plain(text: str) -> str:
    return text.lower().replace("-", " ")


def _row(table: JsonMapping, method: str, figures: JsonMapping) -> Row:
    groups = table["groups"]
    return Row(
        table["name"],
        table["metric"],
        method,
        table["votes"],
        dict(zip(groups, figures["means"], strict=True)),
        dict(zip(groups, figures["stds"], strict=True)) if "stds" in figures else {},
        figures["average"],
        figures.get("average_std"),
        table["evaluator"],
    )


@cache
def _data() -> JsonMapping:
    text = (resources.files("stb_env.suites.stabletoolbench") / "published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
