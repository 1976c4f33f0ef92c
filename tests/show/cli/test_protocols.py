"""``--protocol`` and ``stb-env protocols``: a paper's settings hold, and every departure is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.runs.make import env_settings
from stb_env.runs.protocol import find_protocol, parse_protocol, protocols
from tests.command import reported, stb

OFFLINE = ("--mode", "offline", "--judge", "heuristic")
HEAD = 'name = "mine"\nversion = 1\ntitle = "T"\npaper = "P"\n'


def manifest(tmp_path: Path, *words: object):
    reported("run", *words, "--out", tmp_path / "run")
    return json.loads((tmp_path / "run" / "manifest.json").read_text())


def test_every_protocol_is_listed_with_how_often_it_departs():
    listed = reported("protocols")
    assert list(listed) == [protocol.name for protocol in protocols()]
    assert all(one["settings"] and one["paper"] for one in listed.values())


@pytest.mark.parametrize("name", [protocol.name for protocol in protocols()])
def test_a_protocol_shows_each_setting_ours_beside_the_papers(name: str):
    rows = reported("protocols", name)["settings"]
    assert all(row["about"] and row["source"] and row["ours"] for row in rows)
    assert stb("protocols", name).exit_code == 0


@pytest.mark.parametrize("name", [protocol.name for protocol in protocols()])
def test_a_protocol_sets_nothing_that_its_environments_do_not_have(name: str):
    protocol = find_protocol(name)
    common = {"judge", "max_turns", "order", "shard", "limits"}
    for setting in protocol.settings:
        if setting.part == "environment":
            for env_id in setting.of or protocol.environments:
                assert setting.name in env_settings(env_id) | common, (setting.name, env_id)


def test_a_protocol_that_is_not_there_is_refused_with_the_nearest():
    done = stb("run", "stb/I1Instruction-v0", "--protocol", "stabletoolbanch")
    assert done.exit_code == 2
    assert "Did you mean 'stabletoolbench'?" in done.stderr


def test_a_protocol_is_refused_for_environments_that_it_says_nothing_of():
    done = stb("run", "stb/Sandbox-v1", "--protocol", "stabletoolbench")
    assert done.exit_code == 2
    assert "the protocol 'stabletoolbench' is made for stb/I1Instruction-v0" in done.stderr


def test_a_manifest_says_which_protocol_made_a_run_and_how_it_departs(tmp_path: Path):
    words = ("stb/I1Instruction-v0", "--protocol", "stabletoolbench", "--agent", "echo", "--episodes", 1)
    said = manifest(tmp_path, *words, *OFFLINE)["protocol"]
    assert (said["name"], said["version"]) == ("stabletoolbench", 2)
    assert said["departures"][:3] == [
        "mode is 'offline', not 'live'",
        "judge is 'heuristic', not 'pass'",
        "agent 'echo' is none of the protocol's",
    ]
    assert "own prompts stand in for the original's" in said["departures"]
    assert said["departures"][-1:] == find_protocol("stabletoolbench").standing[-1:]


def test_a_run_without_a_protocol_says_nothing_of_one(tmp_path: Path):
    assert "protocol" not in manifest(tmp_path, "stb/Sandbox-v1", "--episodes", 1)


def test_a_table_says_that_the_prompts_are_our_own():
    words = ("--protocol", "stabletoolbench", "--agent", "echo", "--episodes", 1, *OFFLINE)
    shown = " ".join(stb("run", "stb/I1Instruction-v0", *words).stdout.replace("│", " ").split())
    assert "stabletoolbench, version 2" in shown
    assert "own prompts stand in for the original's" in shown


def test_a_resumed_run_under_another_protocol_is_refused(tmp_path: Path):
    words = (
        "run",
        "stb/I1Instruction-v0",
        "--agent",
        "echo",
        "--episodes",
        1,
        *OFFLINE,
        "--out",
        tmp_path / "r",
    )
    reported(*words, "--protocol", "stabletoolbench")
    done = stb(*words, "--protocol", "toolllm")
    assert done.exit_code == 2
    assert "holds a run with another configuration" in done.stderr


@pytest.mark.parametrize(("name", "blank"), [("stabletoolbench", True), ("toolllm", False)])
def test_functions_are_those_of_the_protocols_paper(tmp_path: Path, name: str, blank: bool):
    words = ("--protocol", name, "--agent", "echo", "--episodes", 1, *OFFLINE, "--out", tmp_path / "run")
    reported("run", "stb/I1Instruction-v0", *words)
    line = json.loads((tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()[0])
    offered = [tool["function"]["parameters"] for tool in line["tools"][:-1]]
    assert {"" in one[listed] for one in offered for listed in ("required", "optional")} == {blank}


def test_sambanova_plays_gold_programs_three_times(tmp_path: Path):
    words = ("stb/HomeSearch-v1", "--protocol", "sambanova", "--agent", "gold", "--episodes", 2)
    played = reported("run", *words)
    assert (played["solved"], played["episodes"]) == (6, 6)
    assert played["judges"] == ["original"]


def test_an_evaluation_follows_the_protocol_of_its_plan_and_its_tables_say_so(tmp_path: Path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[eval]\ngroups = ["stb/I1Instruction-v0"]\nprotocol = "stabletoolbench"\njudge = "heuristic"\n'
        'mode = "offline"\nepisodes = 1\n[[agent]]\nname = "echo"\n'
    )
    done = reported("eval", plan, "--out", tmp_path / "out")
    assert done["remarks"][0] == "Protocol stabletoolbench, version 2."
    assert "Departs from the paper: own prompts stand in for the original's." in done["remarks"]
    assert "own prompts" in (tmp_path / "out" / "results.md").read_text()


def test_eval_takes_a_protocol_on_the_command_line_too(tmp_path: Path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[eval]\ngroups = ["stb/HomeSearch-v1"]\nepisodes = 1\n[[agent]]\nname = "gold"\n')
    done = reported("eval", plan, "--out", tmp_path / "out", "--protocol", "sambanova")
    assert done["remarks"][0] == "Protocol sambanova, version 2."
    assert done["runs"][0]["judges"] == ["original"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD, r"mine.toml needs a setting 'setting'; it has name, version, title, paper"),
        (
            f'{HEAD}[[setting]]\npart = "env"',
            r"part of \[\[setting\]\] number 1 in mine.toml must be one of 'run', 'environment'",
        ),
        ("name =", r"mine.toml is not TOML"),
    ],
)
def test_a_broken_protocol_is_refused(text: str, said: str):
    with pytest.raises(ConfigError, match=said):
        parse_protocol(text, "mine.toml")
