"""``stb-env bench``: figures of the hot paths, and of the clients of models."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import chain
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.options import Data
from stb_env.errors import ConfigError
from stb_env.experiments.bench import Measurement
from stb_env.experiments.bench import bench as measure
from stb_env.experiments.bench.integrations import TurnCost, turn_costs
from stb_env.experiments.bench.rollouts import rollout_measurements
from stb_env.experiments.bench.serve import serve_measurements
from stb_env.experiments.bench.sessions import session_measurements
from stb_env.experiments.bench.tails import EPISODES, Tail, tail_measurements
from stb_env.experiments.bench.wire import ROUNDS, wire_measurements


class Part(StrEnum):
    """Parts that can be measured."""

    PATHS = "paths"
    WIRE = "wire"
    ROLLOUTS = "rollouts"
    SESSIONS = "sessions"
    INTEGRATIONS = "integrations"
    SERVE = "serve"


@reporting
def bench(
    part: Annotated[
        Part,
        typer.Argument(
            help="The hot paths, the clients of models before a slow endpoint, whole episodes before it, in "
            "Inspect AI and verifiers too where installed, sessions of a server, a turn in each framework "
            "that is installed, or the server's recorded answers."
        ),
    ] = Part.PATHS,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="How long each figure is measured.")
    ] = 0.5,
    data: Data = None,
    in_flight: Annotated[
        str | None,
        typer.Option(
            "--in-flight", help="wire, rollouts: episodes, serve: clients at once, separated by commas."
        ),
    ] = None,
    latency: Annotated[
        float,
        typer.Option("--latency", min=0.001, help="wire, rollouts: seconds until the endpoint answers."),
    ] = 0.2,
    rounds: Annotated[
        int,
        typer.Option("--rounds", min=1, help="rollouts: episodes one after the other in each place."),
    ] = ROUNDS,
    tail: Annotated[
        Tail | None,
        typer.Option(
            "--tail",
            help="rollouts: latency of this shape (its median is --latency), in a run on disk beside a plain "
            "loop in this process, and constant latency beside it.",
        ),
    ] = None,
    episodes: Annotated[
        int, typer.Option("--episodes", min=2, help="rollouts --tail: how many episodes.")
    ] = EPISODES,
    sessions: Annotated[
        int, typer.Option("--sessions", min=1, help="sessions: how many are open at once.")
    ] = 1_000,
    entries: Annotated[
        int, typer.Option("--entries", min=1, help="serve: how many answers are recorded.")
    ] = 165_000,
    as_json: options.AsJson = False,
) -> None:
    """Measure in one run; compare ratios, machines differ.

    Example: stb-env bench --seconds 0.05
    """
    if part is Part.WIRE:
        counts = _numbers("16,64,256,1024" if in_flight is None else in_flight)
        _show(wire_measurements(counts, latency), "calls of models, one core", as_json)
    elif part is Part.ROLLOUTS and tail is not None:
        counts = _numbers("16,64,256" if in_flight is None else in_flight)
        tails: list[Tail] = list(dict.fromkeys(("constant", tail)))
        measured = (tail_measurements(counts, latency, each, episodes=episodes) for each in tails)
        _show(chain.from_iterable(measured), "episodes with a tail, one process", as_json)
    elif part is Part.ROLLOUTS:
        counts = _numbers("16,64,256,1024" if in_flight is None else in_flight)
        figures = rollout_measurements(counts, latency, rounds=rounds, beside=True)
        _show(figures, "whole episodes, one core", as_json)
    elif part is Part.SESSIONS:
        _show(session_measurements(sessions), "sessions of a server", as_json)
    elif part is Part.INTEGRATIONS:
        _show_turns(turn_costs(), as_json)
    elif part is Part.SERVE:
        counts = _numbers("1,16,64" if in_flight is None else in_flight)
        _show(serve_measurements(seconds, entries, counts), "the server", as_json)
    else:
        _show(measure(seconds=seconds, data=data), "hot paths", as_json)


def _show_turns(measured: Iterable[TurnCost], as_json: bool) -> None:
    costs = list(measured)
    table = Table(title="a turn in each framework, us of CPU time")
    table.add_column("loop")
    for column in ("a turn", "our own loop", "times", "ours of it", "its server"):
        table.add_column(column, justify="right")
    for cost in costs:
        figures = (cost.us, cost.own_us, cost.ratio, cost.ours_us, cost.server_us)
        table.add_row(
            cost.loop, *(f"{figure:,.1f}" if figure is cost.ratio else f"{figure:,.0f}" for figure in figures)
        )
    emit({"turns": [cost.to_dict() for cost in costs]}, as_json, table)


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise ConfigError(f"--in-flight must be whole numbers above 0, such as 16,64, got {text!r}")
    return [int(part) for part in parts]


def _show(measured: Iterable[Measurement], title: str, as_json: bool) -> None:
    figures = list(measured)
    table = Table(title=title)
    for column, side in (("figure", "left"), ("value", "right"), ("against", "left")):
        table.add_column(column, justify="right" if side == "right" else "left")
    for figure in figures:
        table.add_row(figure.name, _shown(figure), figure.note)
    rows = [{"name": f.name, "value": f.value, "unit": f.unit, "note": f.note} for f in figures]
    emit({"figures": rows}, as_json, table)


def _shown(figure: Measurement) -> str:
    if figure.unit == "/s":
        return f"{figure.value:,.0f} /s"
    return f"{figure.value:.3f} {figure.unit}" if figure.value < 100 else f"{figure.value:,.1f} {figure.unit}"
