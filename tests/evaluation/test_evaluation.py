"""Playing evaluations, whole and in pieces."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.evaluation.plan import AgentPlan, EvaluationPlan
from stb_env.evaluation.plan_file import read_plan
from stb_env.evaluation.play_plan import evaluate
from stb_env.runs.verdict_file import verdict_file
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli import app
from stb_env.show.cli.eval import preferring
from tests.kills import killed, needs_fork

GROUPS = ("stb/Sandbox-v1", "stb/I1Instruction-v0")
AGENTS = (AgentPlan("gold"), AgentPlan("noop"))
PLAN = EvaluationPlan("test", GROUPS, AGENTS, episodes=4, judge="heuristic", reference="noop", comparisons=2)


def played(plan: EvaluationPlan, out: Path):
    return evaluate(plan, out, prefer=preferring(plan, out))


def results_of(out: Path) -> dict:
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


def test_every_agent_plays_every_group_in_a_run_of_its_own(tmp_path: Path):
    done = played(PLAN, tmp_path)
    assert {(run.agent, run.group, run.solved_valid) for run in done.results.runs} == {
        ("gold", "Sandbox", 1.0),
        ("gold", "I1Instruction", 1.0),
        ("noop", "Sandbox", 0.0),
        ("noop", "I1Instruction", 0.0),
    }
    for cell in PLAN.cells:
        names = {file.name for file in (tmp_path / cell.folder).iterdir()}
        assert {"manifest.json", "trajectories.jsonl", "summary.json", "timings.jsonl"} <= names
    assert done.results.missing == 0


def test_the_average_weighs_every_group_the_same(tmp_path: Path):
    plan = replace(PLAN, agents=(AgentPlan("keyword", "agents/keyword.py:KeywordAgent"),), reference=None)
    (average,) = played(plan, tmp_path).results.averages
    runs = results_of(tmp_path)["runs"]
    assert average.mean == sum(run["rate"]["mean"] for run in runs) / 2
    assert average.interval[0] <= average.mean <= average.interval[1]
    assert average.groups == 2


def test_an_agent_against_itself_is_at_exactly_one_half(tmp_path: Path):
    plan = replace(PLAN, agents=(AgentPlan("noop"), AgentPlan("one", "gold"), AgentPlan("two", "gold")))
    played(replace(plan, reference="one"), tmp_path)
    wins = {(win["agent"], win["group"]): win["rate"] for win in results_of(tmp_path)["wins"]}
    assert {rate["ties_half"] for (agent, _), rate in wins.items() if agent == "two"} == {0.5}
    assert wins["noop", "I1Instruction"]["ties_half"] == 0.0
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    row = next(line for line in text.partition("win rate")[2].splitlines() if line.startswith("| two"))
    half, interval = [cell.strip() for cell in row.split("|")][-3:-1]
    low, high = map(float, interval.split(" to "))
    assert (half, low < 50.0 < high) == ("50.0", True)


def test_a_verdict_that_was_mended_later_counts(tmp_path: Path):
    plan = replace(PLAN, groups=GROUPS[1:], agents=AGENTS[:1], reference=None)
    played(plan, tmp_path)
    folder = tmp_path / plan.cells[0].folder
    first = read_trajectories(folder)[0]
    verdict = {"status": "unsolved", "score": 0.0, "votes": [], "judge": "heuristic"}
    line = {"version": 1, "task_id": first.task_id, "trial": first.trial, "seed": first.seed}
    line |= {
        "judge": "heuristic",
        "settings": "",
        "verdict": verdict,
        "failure": None,
        "votes": [],
        "usage": {},
    }
    verdict_file(folder, "heuristic").write_text(json.dumps(line) + "\n")
    assert played(plan, tmp_path).results.runs[0].solved_valid < 1.0


def test_a_second_sitting_plays_nothing_and_changes_no_byte(tmp_path: Path):
    played(PLAN, tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    seen: list[tuple[int, int]] = []
    evaluate(
        PLAN,
        tmp_path,
        prefer=preferring(PLAN, tmp_path),
        progress=lambda _, done, total: seen.append((done, total)),
    )
    assert len(seen) == len(PLAN.cells)
    assert all(done == total for done, total in seen)
    assert before == {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}


def test_more_agents_can_join_an_evaluation_later(tmp_path: Path):
    played(replace(PLAN, agents=AGENTS[1:]), tmp_path)
    times = (tmp_path / "offline" / "noop" / "Sandbox" / "timings.jsonl").read_bytes()
    played(PLAN, tmp_path)
    assert (tmp_path / "offline" / "noop" / "Sandbox" / "timings.jsonl").read_bytes() == times
    assert len(results_of(tmp_path)["runs"]) == 4


def test_an_evaluation_of_other_settings_is_refused_with_the_difference(tmp_path: Path):
    played(PLAN, tmp_path)
    with pytest.raises(ConfigError, match=r"another configuration \(seed: there 0, now 1\)"):
        played(replace(PLAN, seed=1), tmp_path)


def test_a_wrong_cell_shows_before_the_first_is_played(tmp_path: Path):
    plan = replace(PLAN, agents=(*AGENTS, AgentPlan("last", "agents/none.py:Agent")))
    with pytest.raises(ConfigError, match=r"agents/none\.py does not exist"):
        played(plan, tmp_path)
    assert not list(tmp_path.rglob("trajectories.jsonl"))


AGENT = """
import os, signal
from pathlib import Path
from stb_env import Agent

class Mortal(Agent):
    '''Answers, and kills its process at the fifth action of its first life.'''
    actions = 0
    def act(self, observation, info):
        Mortal.actions += 1
        marker = Path(__file__).with_name("died")
        if Mortal.actions == 5 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        answer = {"return_type": "give_answer", "final_answer": info["task_id"]}
        return {"name": "Finish", "arguments": answer}
"""


@pytest.mark.heavy
@needs_fork
def test_a_killed_evaluation_goes_on_and_ends_in_equal_bytes(tmp_path: Path):
    plan = tmp_path / "plan.toml"
    (tmp_path / "mortal.py").write_text(AGENT)
    agent = tmp_path / "mortal.py"
    plan.write_text(
        '[eval]\ngroups = ["stb/Sandbox-v1", "stb/I1Instruction-v0"]\nepisodes = 3\ntrials = 2\n'
        'judge = "heuristic"\nreference = "gold"\n[[agent]]\nname = "gold"\n'
        f'[[agent]]\nname = "mortal"\nspec = "{agent}:Mortal"\n'
    )

    run = partial(CliRunner().invoke, app, ["eval", str(plan), "--out", str(tmp_path / "killed")])
    assert killed(run)
    saved = sum(len(read_trajectories(file)) for file in (tmp_path / "killed").rglob("trajectories.jsonl"))
    assert 0 < saved < 24
    assert run().exit_code == 0
    played(read_plan(plan), tmp_path / "whole")
    for name in ("results.json", "results.md", "manifest.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    for file in (tmp_path / "whole").rglob("trajectories.jsonl"):
        twin = tmp_path / "killed" / file.relative_to(tmp_path / "whole")
        assert twin.read_bytes() == file.read_bytes()


@pytest.mark.heavy
def test_a_cell_that_keeps_failing_stops_alone_and_the_same_evaluation_mends_it(tmp_path: Path):
    file = tmp_path / "mine.py"
    agents = (AgentPlan("mine", f"{file}:policy"), AgentPlan("noop"))
    plan = replace(PLAN, groups=GROUPS[:1], agents=agents, episodes=24)
    file.write_text("def policy(observation, info):\n    return info['secret']\n")
    broken = played(plan, tmp_path / "run")
    assert broken.stopped.startswith(
        "offline · mine · Sandbox: 20 episodes in a row failed alike (internal): "
    )
    assert [run.episodes for run in broken.results.runs] == [20, 24]
    assert broken.results.missing == 4
    file.write_text("def policy(observation, info):\n    return 'hm'\n")
    for folder in ("run", "whole"):
        mended = played(plan, tmp_path / folder)
        assert (mended.stopped, mended.results.missing) == ("", 0)
    assert results_of(tmp_path / "run") == results_of(tmp_path / "whole")


def test_an_evaluation_of_more_episodes_goes_on_from_a_smaller_one(tmp_path: Path):
    for size in (2, 4):
        played(replace(PLAN, groups=GROUPS[:1], episodes=size), tmp_path / "grown")
    played(replace(PLAN, groups=GROUPS[:1]), tmp_path / "whole")
    cell = Path("offline", "noop", "Sandbox")
    assert len((tmp_path / "grown" / cell / "timings.jsonl").read_text().splitlines()) == 4
    assert results_of(tmp_path / "grown") == results_of(tmp_path / "whole")
