"""The command that measures the clients of models."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from stb_env.experiments.bench.episodes import episode_measurements
from stb_env.show.cli import app


@pytest.mark.heavy
def test_the_clients_are_measured_beside_a_bare_loop_against_an_endpoint_of_its_own():
    command = ["bench", "wire", "--in-flight", "2", "--latency", "0.002", "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)["figures"]
    names = [f"{name}, 2 in flight" for name in ("bare loop", "lean", "openai")]
    assert [figure["name"] for figure in figures] == names
    assert all(0 < figure["value"] <= 1 for figure in figures)


@pytest.mark.heavy
@pytest.mark.parametrize("rounds", ["1", "3"])
def test_whole_episodes_are_measured_through_both_clients_beside_a_bare_loop(rounds):
    command = ["bench", "rollouts", "--in-flight", "2", "--latency", "0.002", "--rounds", rounds, "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)["figures"]
    # Frameworks, where there are any, stand behind them.
    shares = [figure for figure in figures if figure["unit"] == "of the bound"]
    assert [figure["name"] for figure in shares][:2] == [
        "rollouts, 2 in flight",
        "rollouts, 2 in flight, openai",
    ]
    assert all(0 < figure["value"] <= 1 for figure in shares)
    assert "bare loop 0." in shares[0]["note"]


@pytest.mark.parametrize("tail", ["lognormal", "hangs", "constant"])
def test_a_tail_is_measured_beside_constant_latency_and_a_plain_loop(tail):
    command = ["bench", "rollouts", "--tail", tail, "--in-flight", "4", "--latency", "0.001"]
    result = CliRunner().invoke(app, [*command, "--episodes", "20", "--json"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)["figures"]
    names = [f"20 episodes, 4 places, {shape}" for shape in dict.fromkeys(("constant", tail))]
    assert [figure["name"] for figure in figures[::2]] == names
    assert {figure["unit"] for figure in figures} == {"times", "ms"}
    assert all(figure["value"] > 0 for figure in figures)


@pytest.mark.parametrize("text", ["", "x", "16,,64", "0", "-1", "1.5"])
def test_episodes_in_flight_that_are_no_whole_numbers_are_refused(text):
    result = CliRunner().invoke(app, ["bench", "wire", "--in-flight", text])
    assert result.exit_code != 0
    assert "--in-flight must be whole numbers above 0, such as 16,64" in " ".join(result.output.split())


def test_an_episode_of_the_sandbox_is_measured_in_all_its_parts():
    figures = {figure.name: figure for figure in episode_measurements(0.01)}
    assert {figure.unit for figure in figures.values()} == {"us"}
    parts = ("episode", "reset", "step", "last step", "typed verdict", "last step, new task")
    assert figures.keys() == {f"Sandbox {part}" for part in parts}
    # How long each takes is the machine's: what is asserted is that each took some time.
    assert all(figure.value > 0 for figure in figures.values())
