"""The paper's figures (Li et al., 2023, tables 3 to 6)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A row of Table 3: levels 1, 2, 3 and the total.

    Attributes:
        name: Name of the model.
        correctness: Percent of right calls; of dialogues in level 3.
        rouge: ROUGE-L of its replies.
    """

    name: str
    correctness: tuple[float, ...]
    rouge: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PublishedErrors:
    """One of Tables 4 to 6.

    Attributes:
        table: Its number.
        name: Name of the model.
        shares: Percent of its errors, by type.
    """

    table: int
    name: str
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Published:
    """The figures.

    Attributes:
        calls: Call samples by level.
        responses: Response samples by level.
        models: Table 3.
        errors: Tables 4 to 6.

    Examples:
        >>> found = published()
        >>> found.calls[1], found.models[4].name, found.models[4].correctness[2]
        (399, 'GPT-4', 70.0)
        >>> found.errors[2].shares["Failed API Retrieval"]
        67.86
    """

    calls: Mapping[int, int]
    responses: Mapping[int, int]
    models: tuple[PublishedModel, ...]
    errors: tuple[PublishedErrors, ...]


@lru_cache(maxsize=1)
def published() -> Published:
    """Return the paper's figures, read once."""
    file = files("stb_env.suites.api_bank") / "benchmark" / "published.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    calls, responses = (
        {int(level): count for level, count in data["samples"][name].items()}
        for name in ("calls", "responses")
    )
    models = (
        PublishedModel(row["name"], tuple(row["correctness"]), tuple(row["rouge"])) for row in data["models"]
    )
    return Published(calls, responses, tuple(models), tuple(PublishedErrors(**row) for row in data["errors"]))
