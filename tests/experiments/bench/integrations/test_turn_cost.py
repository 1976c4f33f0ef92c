"""A turn of a loop is measured beside our own; `.ci/integrations overhead` measures frameworks themselves."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.experiments.bench.integrations import turn_cost, turn_costs
from stb_env.experiments.bench.integrations.loop import Loop, Play, Script
from stb_env.show.cli import app


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def loop(once: float, turn: float, model: float = 0.0, mean: float = 1.0, elsewhere: float = 0.0) -> Loop:
    """Return a loop that takes so many CPU seconds at its start, for a turn, and for a turn of its model."""

    @contextmanager
    def start(script: Script) -> Iterator[Play]:
        served = 0.0

        def play(ids: Sequence[str]) -> float:
            nonlocal served
            burn(once)
            for _ in (turn for task in ids for turn in script.turns[task]):
                burn(turn)
                served += elsewhere
                with script.model():
                    burn(model)
            return mean

        yield Play(play, lambda: served)

    return Loop("burning", "stb_env", start)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[[Loop], turn_cost.TurnCost]:
    def measure(loop: Loop) -> turn_cost.TurnCost:
        monkeypatch.setattr(turn_cost, "_LOOKED", 0.01)
        monkeypatch.setattr(turn_cost, "LOOPS", (loop,))
        return next(turn_costs(episodes=2))

    return measure


@pytest.mark.heavy
def test_a_turn_is_measured_without_what_is_done_once_and_without_the_model(measured):
    assert 900 < measured(loop(once=0.02, turn=0.001, model=0.002)).us < 2_500


def test_what_a_server_took_is_part_of_the_whole_and_said_apart(measured):
    cost = measured(loop(once=0.0, turn=0.0005, elsewhere=0.002))
    assert cost.server_us == pytest.approx(2_000)
    assert cost.us == pytest.approx(2_500, rel=0.2)


def test_a_loop_that_loses_points_is_refused_by_name(measured):
    with pytest.raises(
        ConfigError, match=r"^burning earned 0.5 instead of 1.0 with known solutions; mend its"
    ):
        measured(loop(0.0, 0.0, mean=0.5))


def test_the_command_shows_a_driven_episode_beside_our_own_loop_and_all_of_it_is_ours(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(turn_cost, "_LOOKED", 0.2)
    monkeypatch.setattr(turn_cost, "LOOPS", turn_cost.LOOPS[:1])
    result = CliRunner().invoke(app, ["bench", "integrations", "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["turns"]
    assert row["loop"] == "a driven episode"
    assert 0.3 < row["ratio"] < 3.0
    assert row["ratio"] == row["us"] / row["own_us"]
    assert row["ours_us"] > 0.5 * row["us"]
