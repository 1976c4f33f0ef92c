"""Output of a judging command: its report, its table, and its agreement with people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.table import Table

from stb_env.console.output import console
from stb_env.core.jsontypes import JsonObject
from stb_env.runs.metrics.human_accuracy import Labelled, human_accuracy
from stb_env.usage import Usage

Decisions = Mapping[tuple[str, int], str]
"""What a judge said, by task and trial."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one judging command.

    Attributes:
        question: What was decided: ``solvability``, ``solving`` or ``comparison``.
        report: The figures, JSON values.
        title: Title of the table.
        rows: The same figures for people.
        caption: Where everything is kept.
        failed: Whether something is still undecided.
        decisions: What each judge decided, by its name.
    """

    question: str
    report: JsonObject
    title: str
    rows: list[tuple[str, str]]
    caption: str
    failed: bool
    decisions: Mapping[str, Decisions]

    def measure(self, labelled: Iterable[Labelled]) -> None:
        """Add the accuracy of each judge against people, one row of Table 8's column."""
        cases = list(labelled)
        found = [human_accuracy(self.question, name, cases, said) for name, said in self.decisions.items()]
        self.report["human"] = [accuracy.to_dict() for accuracy in found]
        for one in found:
            share = "-" if one.accuracy is None else f"{one.accuracy:.1%}"
            left_out = f"missing {one.missing}, people split {one.split}"
            self.rows.append(
                (f"{one.judge} right on {self.question}", f"{share} of {one.decided} ({left_out})")
            )

    def table(self) -> Table:
        """Return the figures as a table."""
        table = Table(title=self.title, caption=self.caption)
        table.add_column("figure")
        table.add_column("value", justify="right")
        for name, value in self.rows:
            table.add_row(name, value)
        return table


def spent(usage: Usage) -> tuple[str, str]:
    """Return the row that says what model calls cost."""
    return "model calls behind it", f"{usage.calls}, {usage.total_tokens:,} tokens, {usage.price_tag}"


def tell(remark: str) -> None:
    """Print a remark on stderr."""
    console.print(remark, soft_wrap=True)
