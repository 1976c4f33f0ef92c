"""The paper's figures (Li et al., 2023, tables 3 to 6), and tables of ours beside them."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import TypedDict, cast

from rich.table import Table

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.api_bank.formats.dialogues import LEVEL_NAMES


class PublishedModel(TypedDict):
    """A row of Table 3: levels 1, 2, 3 and the total.

    Attributes:
        name: Name of the model.
        correctness: Percent of right calls; of dialogues in level 3.
        rouge: ROUGE-L of its replies.
    """

    name: str
    correctness: list[float]
    rouge: list[float]


class PublishedErrors(TypedDict):
    """One of Tables 4 to 6.

    Attributes:
        table: Its number.
        name: Name of the model.
        shares: Percent of its errors, by type.
    """

    table: int
    name: str
    shares: dict[str, float]


class Published(TypedDict):
    """The paper's figures.

    Attributes:
        samples: Numbers of ``calls`` and ``responses`` by level.
        models: Table 3.
        errors: Tables 4 to 6.
    """

    samples: dict[str, dict[str, int]]
    models: list[PublishedModel]
    errors: list[PublishedErrors]


@lru_cache(maxsize=1)
def published() -> Published:
    """Return the paper's figures, read once.

    Examples:
        >>> found = published()
        >>> found["samples"]["calls"]["1"], found["models"][4]["name"], found["errors"][2]["table"]
        (399, 'GPT-4', 6)
    """
    file = files("stb_env.suites.api_bank") / "benchmark" / "published.toml"
    return cast(Published, tomllib.loads(file.read_text(encoding="utf-8")))


def tables(figures: dict[str, object], *, beside_paper: bool = False) -> Table:
    """Return the tables of what `metrics.report` returns.

    Args:
        figures: The report, with ``invalid_episodes``.
        beside_paper: Whether to add Tables 3 to 6; the report then has a ``model``.
    """
    grid = Table.grid()
    grid.add_row(accuracy_table(figures))
    grid.add_row(error_table(figures))
    if beside_paper:
        grid.add_row(paper_table(figures))
        grid.add_row(paper_errors(figures))
    return grid


def accuracy_table(figures: JsonObject) -> Table:
    """Return accuracy and ROUGE-L by level."""
    table = Table(title="API calls and responses", caption=_notes(figures))
    for column in ("level", "correctness", "ROUGE-L", "calls", "dialogues"):
        table.add_column(column, justify="left" if column == "level" else "right", no_wrap=column == "level")
    for level, row in figures["levels"].items():
        calls = f"{row['right_calls']}/{row['calls']}"
        dialogues = f"{row['right_dialogues']}/{row['dialogues']}"
        shares = _percent(row["accuracy"]), _fraction(row["rouge"])
        table.add_row(LEVEL_NAMES[int(level)], *shares, calls, dialogues)
    total = figures["total"]
    table.add_row("total", _percent(total["accuracy"]), _fraction(total["rouge"]), "", "")
    return table


def error_table(figures: JsonObject) -> Table:
    """Return the types of errors, in all and by level."""
    by_level = figures["errors_by_level"]
    table = Table(title=f"{sum(figures['errors'].values())} errors")
    for column in ("type", "share", "count", *(f"level {level}" for level in by_level)):
        table.add_column(column, justify="left" if column == "type" else "right")
    errors = sum(figures["errors"].values())
    for name, count in figures["errors"].items():
        share = _percent(count / errors) if errors else "-"
        table.add_row(name, share, str(count), *(str(counts[name]) for counts in by_level.values()))
    return table


def paper_table(figures: JsonObject) -> Table:
    """Return Table 3 of the paper with the figures as its last row."""
    table = Table(
        title="Table 3: correctness in %, ROUGE-L",
        caption="the paper's GPT-3.5-turbo and GPT-4 are those of June 2023",
    )
    for column in ("model", "level 1", "level 2", "level 3", "total"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for row in published()["models"]:
        pairs = zip(row["correctness"], row["rouge"], strict=True)
        table.add_row(row["name"], *(f"{right:.2f} {rouge:.4f}" for right, rouge in pairs))
    table.add_section()
    rows = [figures["levels"].get(str(level)) for level in (1, 2, 3)]
    table.add_row(figures["model"], *map(_cell, [*rows, figures["total"]]))
    return table


def paper_errors(figures: JsonObject) -> Table:
    """Return Tables 4 to 6 of the paper beside the shares of the figures."""
    table = Table(title="Tables 4 to 6: share of the types of errors, in %")
    table.add_column("type")
    for name in ("here", *(f"{one['table']}: {one['name']}" for one in published()["errors"])):
        table.add_column(name, justify="right")
    errors = sum(figures["errors"].values())
    for name, count in figures["errors"].items():
        shares = (one["shares"].get(name) for one in published()["errors"])
        here = f"{100 * count / errors:.2f}" if errors else "-"
        table.add_row(name, here, *("-" if share is None else f"{share:.2f}" for share in shares))
    return table


def _notes(figures: JsonObject) -> str:
    weights = ", ".join(f"{level}: {weight}" for level, weight in figures["total"]["weights"].items())
    invalid = figures["invalid_episodes"]
    missing = sum(row["missing"] for row in figures["levels"].values())
    noted = f"; {missing} samples have no prediction" if missing else ""
    noted += f"; {invalid} invalid episodes left out" if invalid else ""
    return f"weights of the levels in the total {weights}; level 3 counts dialogues{noted}"


def _cell(row: JsonObject | None) -> str:
    if row is None or row["accuracy"] is None:
        return "-"
    return f"{100 * row['accuracy']:.2f} {_fraction(row['rouge'])}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


def _fraction(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
