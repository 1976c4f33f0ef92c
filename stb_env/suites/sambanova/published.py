"""The figures that SambaNova's ToolBench paper printed, and the rank study that follows from them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sambanova import tasks
from stb_env.suites.sambanova.table_row import PAPER, Cell, Figure, Row

_STUDIED_MODELS = {
    "gpt4": "gpt4",
    "llama-30b": "llama",
    "codegen-16B-mono": "codegen",
    "starcoder": "starcoder",
}


def published_row(model: str, setting: str = "three_shot") -> Row:
    """Return the published figures of a model.

    Args:
        model: Its name in the paper's tables.
        setting: ``three_shot`` for Table 8, or a setting of Table 11, such as ``Sys. Prompt``.

    Raises:
        DataError: There are none; the message names the nearest.

    Examples:
        >>> row = published_row("gpt4")
        >>> str(row.cells["trip_booking"][0]), [str(figure) for figure in row.cells["virtual_home"]]
        ('96.7', ['23.0', '23.5'])
    """
    data = published()
    settings = {"three_shot": data["three_shot"], **data["ablation"]}
    models = _found("setting", setting, settings)
    figures = _found("model", model, models)
    read = _printed if setting == "three_shot" else _printed_with_std
    label = "3-shot" if setting == "three_shot" else setting
    cells = {column: read(value) for column, value in figures.items()}
    studied = {column: score for column, score in studied_complexities().items() if column in cells}
    return Row(f"{model} (paper, {label})", cells, dict.fromkeys(cells, PAPER), studied)


def published_settings() -> tuple[str, ...]:
    """Return the settings that figures were published of."""
    return ("three_shot", *published()["ablation"])


def rank_study() -> dict[str, tuple[float, float]]:
    """Return, for each model studied, the correlation of complexity with errors: recomputed, and as printed.

    Examples:
        >>> {model: (round(computed, 1), printed) for model, (computed, printed) in rank_study().items()}
        {'gpt4': (0.2, 0.2), 'llama-30b': (1.0, 1.0), 'codegen-16B-mono': (1.0, 1.0), 'starcoder': (0.9, 0.7)}
    """
    printed = published()["spearman"]["complexity"]
    ranks = {model: published_row(model).complexity_rank for model in _STUDIED_MODELS}
    return {
        model: (rank, printed[_STUDIED_MODELS[model]]) for model, rank in ranks.items() if rank is not None
    }


def studied_complexities() -> dict[str, float]:
    """Return complexities by column, of the tasks over which the paper correlates them with errors."""
    return {
        task.column: task.published_complexity
        for task in tasks.SUITE.values()
        if task.published_complexity is not None and not task.advanced
    }


@cache
def published() -> JsonMapping:
    """Return the figures as they are written down."""
    text = (resources.files("stb_env.suites.sambanova") / "published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _printed(value: Json) -> Cell:
    return tuple(Figure(mean) for mean in (value if isinstance(value, list) else [value]))


def _printed_with_std(value: Json) -> Cell:
    return tuple(Figure(*pair) for pair in (value if isinstance(value[0], list) else [value]))


def _found(what: str, name: str, known: JsonMapping) -> Mapping[str, object]:
    if name not in known:
        raise DataError(f"no figures were published of {what} {name!r}.{did_you_mean(name, list(known))}")
    figures: JsonMapping = known[name]
    return figures
