"""The share of tools that fail is the share that was asked for, of the tools of the tasks played."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import Resolved, RunSpec, resolve
from stb_env.runs.make import make
from stb_env.runs.play_options import PlayOptions
from stb_env.suites.stabletoolbench.queries import load
from tests.command import reported, stb
from tests.shared import queries

GROUPS = ("I1Instruction", "I2Category", "I3Instruction")
QUIET = {"judge": "heuristic"}


def resolved(group: str, share: float, seed: int = 0, **more: Any) -> Resolved:
    episodes, settings = more.pop("episodes", None), {**QUIET, **more}
    faults = {"share": share, "seed": seed, "action": "unavailable"}
    return resolve(RunSpec(f"stb/{group}-v0", "give_up", {**settings, "faults": faults}, episodes=episodes))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 1.0])
def test_exactly_the_rounded_share_of_the_tools_in_use_is_down(group, share):
    for seed in range(4):
        played = resolved(group, share, seed)
        tools = {tool.id[:2] for job in played.jobs for tool in played.env.tasks.get(job.task_id).tools}
        outage = played.env.rules.backend.outage
        assert len(outage.down) == int(share * len(tools) + 0.5)
        assert outage.down <= tools
        assert play_run(played)["outage"] == {"share": share, "tools": len(tools), "down": len(outage.down)}


def test_other_seeds_take_other_tools():
    downs = {resolved("I3Instruction", 0.5, seed).env.rules.backend.outage.down for seed in range(6)}
    assert len(downs) > 1


def test_tools_of_tasks_that_are_not_played_do_not_count():
    played = resolved("I3Instruction", 0.5, episodes=1)
    (job,) = played.jobs
    tools = {tool.id[:2] for tool in played.env.tasks.get(job.task_id).tools}
    outage = played.env.rules.backend.outage
    assert outage.eligible == len(tools) < len(played.env.tasks.tools_used)
    assert outage.down <= tools


def test_an_environment_made_by_hand_takes_its_share_of_its_tasks_tools():
    env = make("stb/I3Instruction-v0", faults={"share": 0.5}, **QUIET)
    tools = env.tasks.tools_used
    assert len(env.rules.backend.outage.down) == int(0.5 * len(tools) + 0.5)


def test_tools_that_the_faults_name_are_the_eligible_ones():
    faults = {"share": 1.0, "tools": [["Data", "films"]]}
    env = make("stb/I3Instruction-v0", faults=faults, **QUIET)
    assert env.rules.backend.outage.down == {("Data", "films")}


def test_every_worker_has_the_same_tools_down(tmp_path):
    played = resolved("I3Instruction", 0.5, episodes=2)
    alone = play_run(played, tmp_path / "alone")
    again = resolved("I3Instruction", 0.5, episodes=2)
    assert play_run(again, tmp_path / "both", PlayOptions(concurrency=2)) == alone


def test_the_tools_that_are_down_stand_in_the_manifest(tmp_path):
    words = ["run", "stb/I3Instruction-v0", "--agent", "give_up", "--judge", "heuristic", "--out", tmp_path]
    summary = reported(*words, "--set", 'faults={"share": 0.5}')
    outage = json.loads((tmp_path / "manifest.json").read_text())["backend"]["outage"]
    assert (outage["tools"], len(outage["down"])) == (summary["outage"]["tools"], summary["outage"]["down"])


def test_the_table_says_how_many_tools_are_down():
    words = ["run", "stb/I3Instruction-v0", "--agent", "give_up", "--judge", "heuristic"]
    played = play_run(resolved("I3Instruction", 0.5))["outage"]
    assert f"{played['down']} of {played['tools']} (" in stb(*words, "--set", 'faults={"share": 0.5}').stdout
    assert "tools down" not in stb(*words).stdout


@pytest.mark.heavy
def test_of_the_real_queries_tools_it_is_the_share_too(shared_data):
    root = queries(shared_data)
    for file in load(root).files:
        for seed in range(3):
            played = resolved("I1Instruction", 0.5, seed, data=str(file), tools="none", episodes=3)
            outage = played.env.rules.backend.outage
            assert len(outage.down) == int(0.5 * outage.eligible + 0.5) > 0
