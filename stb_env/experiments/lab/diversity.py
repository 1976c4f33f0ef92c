"""Diversity of simulated answers: identical ones among different calls, and a map of real against simulated.

StableToolBench's authors wrote 5 different calls for each of 60 APIs (section 4.4) and mapped 246 APIs of one
category (Figure 9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from stb_env import ChatModel, ConfigError
from stb_env.backend.call_writer import CallWriter
from stb_env.experiments.lab.answer_pairs import AnswerPair, recorded_pairs, sandbox_pairs, text_of
from stb_env.experiments.lab.embedding_map import EMBEDDINGS, MAPS, Vectors, correlation_distances
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.sandbox_calls import gold_calls, written_calls
from stb_env.formats.recorded_answer import Answer
from stb_env.models import ROLES, connect, load_models
from stb_env.tools import ToolId

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APIS, CALLS = 60, 5
PAPER = ("paper", "the paper's simulator", APIS, None, 2, 2 / APIS)
SIDES = ("real", "simulated")

_COLUMNS = ("calls", "answers", "apis", "answered", "apis_with_identical", "share")
_NOTES = (
    "answered is the share of calls that got an answer without an error; APIs called once are left out of "
    "the counts. Written calls are made up, so a real API refuses many; gold calls come from solutions.",
)
_DISTANCE_TITLE = "Mean correlation distance of real to simulated answers"
_DISTANCES = ("calls", "embedding", "same_call", "other_call", "other_api")


def run(settings: LabSettings) -> Experiment:
    """Count APIs with identical answers to different calls, and measure how far apart answers are.

    Options: ``calls``, how many of each API; ``data``, a MirrorAPI-Bench folder in place of the Sandbox;
    ``writer``, the role of the models file (``models``) that writes calls (without it they follow from
    documentation);
    ``embedding`` and ``map``, ``stand-in`` each or the paper's. ``episodes`` is the number of APIs, or of
    pairs of ``data``.

    Raises:
        ConfigError: An option is unknown, or what it needs is not installed.
        DataError: The data is not what the format promises.
    """
    settings.expect("calls", "data", "writer", "models", "embedding", "map")
    embedding = EMBEDDINGS[settings.one_of("embedding", list(EMBEDDINGS), "stand-in")]
    mapping = MAPS[settings.one_of("map", list(MAPS), "stand-in")]
    pairs = _pairs(settings)
    real = embedding.run([text_of(pair.real) for pair in pairs])
    simulated = embedding.run([text_of(pair.simulated) for pair in pairs])
    points = _points(pairs, mapping.run(np.concatenate([real, simulated]), settings.seed))
    groups = list(dict.fromkeys(pair.group for pair in pairs))
    distances: list[TableRow] = []
    for group in groups:
        chosen = [position for position, pair in enumerate(pairs) if pair.group == group]
        apis = [pairs[position].id for position in chosen]
        distances.append((group, embedding.label, *mean_distances(apis, real[chosen], simulated[chosen])))
    return Experiment(
        title="Diversity: APIs with identical answers to different calls",
        columns=_COLUMNS,
        rows=(*(identical(group, pairs, side) for group in groups for side in SIDES), PAPER),
        notes=(*_NOTES, f"Embedding: {embedding.label}. Map: {mapping.label}."),
        details={"embedding": embedding.label, "map": mapping.label, "points": points},
        further=(
            Experiment(
                "Mean correlation distance of real to simulated answers", _DISTANCES, tuple(distances)
            ),
        ),
        plot=lambda axes: _plot(axes, points, f"{embedding.label}; {mapping.label}"),
    )


def _pairs(settings: LabSettings) -> list[AnswerPair]:
    data = settings.option("data", None)
    if data is not None:
        return recorded_pairs(str(data))[: settings.episodes]
    apis, calls = settings.episodes or APIS, settings.count("calls", CALLS)
    writer = CallWriter(_model(settings), seed=settings.seed)
    written = sandbox_pairs(written_calls(apis, calls, writer, settings.seed), "written")
    return written + sandbox_pairs(gold_calls(apis, calls, settings.seed), "gold")


def _model(settings: LabSettings) -> ChatModel | None:
    if settings.option("writer", None) is None:
        if "models" in settings.options:
            raise ConfigError("models names the model that writes calls; say which: --set writer=agent")
        return None
    role = settings.one_of("writer", list(ROLES), "agent")
    return connect(load_models(settings.option("models", None))[role])


def identical(group: str, pairs: Sequence[AnswerPair], side: str) -> TableRow:
    """Return the row of one group: APIs that were called more than once, and those with two equal answers.

    Args:
        group: The group.
        pairs: All pairs.
        side: ``real`` or ``simulated``.
    """
    answers: dict[ToolId, list[Answer]] = {}
    for pair in pairs:
        if pair.group == group:
            answers.setdefault(pair.id, []).append(pair.real if side == "real" else pair.simulated)
    several = [found for found in answers.values() if len(found) > 1]
    equal = sum(max(Counter(map(text_of, found)).values()) > 1 for found in several)
    every = [answer for found in answers.values() for answer in found]
    answered = sum(not answer.error for answer in every) / len(every)
    return group, side, len(several), answered, equal, equal / len(several) if several else None


def mean_distances(apis: Sequence[ToolId], real: Vectors, simulated: Vectors) -> tuple[float | None, ...]:
    """Return how far simulated answers are from real ones: same call, other call of the API, other API.

    Args:
        apis: The API of each call.
        real: Embedded real answers, shape (calls, size).
        simulated: Embedded simulated answers to the same calls.

    Returns:
        Three mean correlation distances, from 0 to 2; None where there is no such pair.
    """
    distances = correlation_distances(real, simulated)
    numbers = {api: number for number, api in enumerate(dict.fromkeys(apis))}
    numbered = np.array([numbers[api] for api in apis])
    same_call = np.eye(len(apis), dtype=bool)
    same_api = numbered[:, None] == numbered[None, :]
    return tuple(
        round(float(distances[chosen].mean()), 6) if chosen.any() else None
        for chosen in (same_call, same_api & ~same_call, ~same_api)
    )


class Point(TypedDict):
    """An answer on the map."""

    x: float
    y: float
    answer: str
    calls: str
    api: str


def _points(pairs: Sequence[AnswerPair], places: Vectors) -> list[Point]:
    points: list[Point] = []
    for position, (x, y) in enumerate(places):
        side, pair = SIDES[position // len(pairs)], pairs[position % len(pairs)]
        place = (round(float(x), 4), round(float(y), 4))
        points.append(Point(x=place[0], y=place[1], answer=side, calls=pair.group, api=pair.id.api))
    return points


def _plot(axes: Axes, points: Sequence[Point], label: str) -> None:
    for side, marker in zip(SIDES, "ox", strict=True):
        mine = [point for point in points if point["answer"] == side]
        axes.scatter(
            [point["x"] for point in mine], [point["y"] for point in mine], s=12, marker=marker, label=side
        )
    axes.set_title(label, fontsize="small")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.legend()
