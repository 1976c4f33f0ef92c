"""Programs as actions on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env import read_trajectories
from stb_env.show.cli import app

pytest.importorskip("pydantic_monty", reason="programs need the extra stb-env[code]")

runner = CliRunner()


def stb(*words: str | Path):
    return runner.invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("option", [["--actions", "code"], ["--set", "actions=code"]])
def test_gold_is_played_in_programs(option, tmp_path: Path):
    result = stb("run", "stb/Sandbox-v1", *option, "--episodes", "3", "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["solved_all"] == 1.0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["programs"]["interpreter"].startswith("pydantic-monty ")
    steps = [step for episode in read_trajectories(tmp_path) for step in episode.steps[:-1]]
    assert steps
    assert all("program" in step for step in steps)


def test_a_program_of_ones_own_is_played(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("Finish(cannot={'reason': 'nothing', 'what': []})\n")
    arguments = ["run", "stb/Sandbox-v1", "--agent", f"code:{program}", "--episodes", "1", "--json"]
    result = stb(*arguments, "--actions", "code")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["solved_all"] == 0.0


def test_the_program_agent_names_the_option_that_it_needs(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("1\n")
    result = stb("run", "stb/Sandbox-v1", "--agent", f"code:{program}", "--episodes", "1")
    assert "--actions code" in result.output


def test_episodes_played_together_are_saved_as_those_played_alone(tmp_path: Path):
    for out, concurrency in (("alone", "1"), ("together", "4")):
        words = (
            "run",
            "stb/Sandbox-v1",
            "--actions",
            "code",
            "--episodes",
            "6",
            "--concurrency",
            concurrency,
        )
        assert stb(*words, "--out", tmp_path / out).exit_code == 0
    saved = {(tmp_path / out / "trajectories.jsonl").read_bytes() for out in ("alone", "together")}
    assert len(saved) == 1
