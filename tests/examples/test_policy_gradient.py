"""The policy-gradient example learns."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from examples.collect import main as collect
from examples.policy_gradient import TEMPLATES, Policy, Trained, main, tasks_of
from stb_env.errors import ConfigError
from stb_env.runs import play, read_curve
from stb_env.show.cli import app
from stb_env.suites.sandbox.template import templates
from stb_env.tools import FINISH, ToolCall
from stb_env.wrappers import DiscreteActions
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    file = tmp_path_factory.mktemp("run") / "curve.json"
    return main(episodes=660, out=str(file), seed=0), file


@pytest.mark.heavy
def test_training_solves_held_out_tasks_that_chance_does_not(trained: tuple[dict[str, Any], Path]):
    curve = trained[0]["curve"]
    assert curve[0]["success"] < 0.2
    assert curve[-1]["success"] > curve[0]["success"] + 0.25


@pytest.mark.heavy
def test_the_learning_curve_is_saved(trained: tuple[dict[str, Any], Path]):
    report, file = trained
    assert json.loads(file.read_text("utf-8")) == report
    assert read_curve(file.with_suffix(".jsonl")) == report["curve"]
    assert [point["step"] for point in report["curve"]] == [66 * part for part in range(11)]


@pytest.mark.heavy
def test_training_on_equal_seeds_gives_equal_curves(tmp_path: Path):
    # The second batch of 22 is played with what the first has taught.
    one, other = (main(episodes=44, out=str(tmp_path / f"{name}.json"), seed=3) for name in ("one", "other"))
    assert one == other


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".npz", ".png"])
def test_what_an_earlier_training_wrote_is_left_alone(tmp_path: Path, suffix: str):
    (earlier := tmp_path / f"curve{suffix}").write_text('{"step": 0, "success": 0.5}\n', encoding="utf-8")
    with pytest.raises(SystemExit, match=rf"curve{suffix} is of an earlier training: move it, or give anoth"):
        main(episodes=22, out=str(tmp_path / "curve.json"))
    assert [*tmp_path.iterdir()] == [earlier]
    assert earlier.read_text("utf-8") == '{"step": 0, "success": 0.5}\n'


def test_the_report_may_not_have_the_name_of_the_curve(tmp_path: Path):
    with pytest.raises(SystemExit, match=r"curve\.jsonl is what the curve, .*: name the report FILE\.json$"):
        main(episodes=22, out=str(tmp_path / "curve.jsonl"))


@pytest.mark.parametrize("words", [["--help"], ["many"]], ids=["help", "no number"])
@pytest.mark.parametrize("example", ["policy_gradient", "collect"])
def test_an_example_says_how_it_is_used(
    example: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    script = str(ROOT / "examples" / f"{example}.py")
    monkeypatch.setattr(sys, "argv", [script, *words])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    assert "[EPISODES] [FILE]" in "".join(capsys.readouterr())
    assert ended.value.code == (0 if words == ["--help"] else 2)


def test_transitions_are_never_written_over(tmp_path: Path):
    file = tmp_path / "transitions.jsonl"
    collect(1, str(file))
    before = file.read_bytes()
    with pytest.raises(
        SystemExit, match=r"transitions\.jsonl is there already: move it, or give another FILE$"
    ):
        collect(1, str(file))
    assert file.read_bytes() == before


@pytest.mark.heavy
def test_the_saved_policy_plays_held_out_tasks_as_well_as_it_did_when_training_ended(
    trained: tuple[dict[str, Any], Path],
):
    report, file = trained
    agent = Trained(str(file.with_suffix(".npz")))
    env = agent.wrap(gym.make("stb/Sandbox-v1", max_turns=6))
    task_ids = tasks_of(TEMPLATES, "val", "test")
    solved = sum(play(env, agent, task_id=task_id, seed=0).solved for task_id in task_ids)
    # Ties are drawn by episode here, and were drawn one after another there.
    assert solved / len(task_ids) == pytest.approx(report["curve"][-1]["success"], abs=0.1)


@pytest.mark.heavy
def test_the_laboratory_plays_a_saved_policy(
    trained: tuple[dict[str, Any], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    policy = trained[1].with_suffix(".npz")
    agent = f"{ROOT / 'examples' / 'policy_gradient.py'}:Trained(policy={str(policy)!r})"
    words = ["--agent", agent, "--episodes", "34", "--set", "outages=1", "--set", "shares=[0.5]"]
    app(["lab", "failures", *words, "--out", str(tmp_path)], standalone_mode=False)
    rows = json.loads((tmp_path / "failures.json").read_text("utf-8"))["rows"]
    # It knows some templates and no others, and nobody told it what the open judge likes.
    assert 0.0 < rows[0]["exact"] < 0.5
    assert [row["invalid"] for row in rows] == [0, 0, 0, 0]
    assert capsys.readouterr().out.startswith("Failing tools, with and without the virtual system")


def test_a_file_without_a_policy_is_refused(tmp_path: Path):
    (text := tmp_path / "policy.npz").write_text("weights")
    with pytest.raises(
        ConfigError, match=r"^cannot read a policy from .*policy.npz \(ValueError\); `python "
    ):
        Trained(str(text))
    with pytest.raises(ConfigError, match=r"^cannot read a policy from nothing.npz \(FileNotFoundError\); "):
        Trained("nothing.npz")


def test_a_policy_of_other_features_is_refused(tmp_path: Path):
    Policy(3).save(short := tmp_path / "short.npz")
    other = tmp_path / "other.npz"
    np.savez(other, features=np.array(["height"]), weights=np.zeros(1), pair_weights=np.zeros(4))
    for file in (short, other):
        with pytest.raises(ConfigError, match=rf"^the policy in .*{file.name} has other features than this "):
            Trained(str(file))


def test_its_templates_take_one_or_two_calls_of_tools_that_training_has():
    chosen = [templates()[name] for name in TEMPLATES]
    assert all(template.calls <= 2 and not template.held_out for template in chosen)


def test_choosing_can_solve_most_of_its_tasks():
    env = DiscreteActions(gym.make("stb/Sandbox-v1", split="train", max_turns=6))
    task_ids = tasks_of(TEMPLATES, "val", "test")
    assert sum(reachable(env, task_id) for task_id in task_ids) >= 0.95 * len(task_ids)


def reachable(env: DiscreteActions, task_id: str) -> bool:
    """Return whether the known solution, then one of the answers, is among the candidates all the way."""
    _, info = env.reset(seed=0, options={"task_id": task_id})
    for call in env.task.gold:
        wanted = meaning(env, call)
        found = [json.loads(text) for text in info["candidates"]]
        offered = [meaning(env, ToolCall(made["name"], made["arguments"])) for made in found]
        if wanted not in offered:
            return False
        info = env.step(offered.index(wanted))[4]
    answers = [index for index, text in enumerate(info["candidates"]) if json.loads(text)["name"] == FINISH]
    return any(env.fork().step(index)[1] == 1.0 for index in answers)


def meaning(env: DiscreteActions, call: ToolCall) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of a call, without those that only repeat a default."""
    tools = {tool.name: tool.parameters["properties"] for tool in env.task.tools}
    known = tools.get(call.name, {})
    assert not isinstance(call.arguments, str)
    kept = {
        name: value
        for name, value in call.arguments.items()
        if "default" not in known.get(name, {}) or known[name]["default"] != value
    }
    return call.name, kept
