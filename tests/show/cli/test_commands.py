"""The command line, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.shared import queries

runner = CliRunner()


def stb(*words: str | Path) -> Any:
    return runner.invoke(app, [str(word) for word in words])


def report(*words: str | Path) -> dict[str, Any]:
    result = stb(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_list_names_every_environment_and_agent():
    listed = report("list")
    assert "stb/Sandbox-v1" in [row["id"] for row in listed["environments"]]
    assert {"gold", "noop", "random", "replay", "dfs", "few_shot"} <= set(listed["agents"])


def test_list_says_what_an_agent_takes_and_needs():
    agents = report("list")["agents"]
    assert agents["dfs"]["settings"] == {
        "model": None,
        "width": 2,
        "max_depth": 12,
        "max_queries": 200,
        "filter": False,
        "compat": None,
    }
    assert agents["dfs"]["description"].startswith("Goes back where a branch ends in a give-up")
    assert [agents[name]["needs"] for name in ("dfs", "replay", "gold")] == ["a model", "a saved run", ""]


def test_list_for_people_has_every_agent_too():
    result = stb("list")
    assert result.exit_code == 0
    assert all(f"│ {name} " in result.stdout for name in ("gold", "best_of_n", "system_few_shot"))


def test_run_saves_manifest_trajectories_timings_and_summary(tmp_path: Path):
    summary = report("run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "5", "--out", tmp_path)
    assert (summary["episodes"], summary["solved_all"], summary["judges"]) == (5, 1.0, ["exact"])
    assert {file.name for file in tmp_path.iterdir()} == {
        "SHA256SUMS",
        "manifest.json",
        "trajectories.jsonl",
        "timings.jsonl",
        "summary.json",
    }
    assert json.loads((tmp_path / "summary.json").read_text())["mean"] == 1.0


def test_a_saved_line_has_the_documented_fields(tmp_path: Path):
    report("run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "1", "--out", tmp_path)
    (line,) = (tmp_path / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
    saved = json.loads(line)
    assert list(saved) == [
        "version",
        "suite",
        "group",
        "task_id",
        "trial",
        "seed",
        "query",
        "tools",
        "messages",
        "steps",
        "answer",
        "final_answer",
        "verdict",
        "reward",
        "valid",
        "failure",
        "usage",
        "reward_mode",
        "run",
        "sha256",
    ]
    assert set(saved["steps"][0]) == {"calls", "reward", "terminated", "truncated"}
    assert set(saved["steps"][0]["calls"][0]) == {
        *("id", "name", "arguments", "error", "response", "source", "status", "violations")
    }
    assert [m["role"] for m in saved["messages"]][:2] == ["system", "user"]


def test_two_runs_of_one_seed_have_equal_bytes(tmp_path: Path):
    for name in ("a", "b"):
        report("run", "stb/I2Category-v0", "--agent", "random", "--seed", "3", "--out", tmp_path / name)
    first, second = ((tmp_path / name / "trajectories.jsonl").read_bytes() for name in ("a", "b"))
    assert first == second


def test_other_seeds_play_otherwise(tmp_path: Path):
    for seed in ("1", "2"):
        report(
            "run",
            "stb/Sandbox-v1",
            "--agent",
            "random",
            "--seed",
            seed,
            "--episodes",
            "5",
            "--out",
            tmp_path / seed,
        )
    first, second = ((tmp_path / name / "trajectories.jsonl").read_bytes() for name in ("1", "2"))
    assert first != second


def test_any_setting_of_the_environment_can_be_set(tmp_path: Path):
    words = (
        "run",
        "stb/Sandbox-v1",
        "--agent",
        "noop",
        "--episodes",
        "2",
        "--set",
        "max_turns=3",
        "--set",
        "split=val",
    )
    assert report(*words)["turns"] == 3


ERRORS = [
    (
        ("run", "stb/Sandbx-v1"),
        2,
        "unknown environment 'stb/Sandbx-v1'; `stb-env list` shows all. Did you mean",
    ),
    (("run", "stb/Sandbox-v1", "--agent", "golden"), 2, "no agent 'golden'; give a name (best_of_n, "),
    (
        ("run", "stb/Sandbox-v1", "--agent", "gold:x"),
        2,
        "gold takes no argument, got 'x'; write --agent gold",
    ),
    (
        ("run", "stb/Sandbox-v1", "--agent", "dfs(widht=2)"),
        2,
        "max_queries, filter, compat. Did you mean 'width'?",
    ),
    (("run", "stb/Sandbox-v1", "--agent", "dfs(width='2')"), 2, "width must be a whole number, got '2'"),
    (
        ("run", "stb/Sandbox-v1", "--set", "max_trns=3"),
        2,
        "stb/Sandbox-v1 has no setting 'max_trns'; it takes",
    ),
    (("run", "stb/Sandbox-v1", "--set", "max_turns=x"), 2, "max_turns must be a whole number, got 'x'"),
    (("run", "stb/Sandbox-v1", "--set", "votes=0"), 2, "votes must be at least 1, got 0"),
    (("run", "stb/Sandbox-v1", "--set", "split=tset"), 2, "got 'tset'. Did you mean 'test'?"),
    (
        ("run", "stb/Sandbox-v1", "--data", "5"),
        2,
        "stb/Sandbox-v1 has no setting 'data'; it takes split",
    ),
    (
        ("run", "stb/I1Tool-v0", "--set", 'faults={"shar": 1}'),
        2,
        "faults has no setting 'shar'; it takes share",
    ),
    (("run", "stb/Sandbox-v1", "--set", "max_turns"), 2, "--set takes NAME=VALUE, got 'max_turns'"),
    (("run", "stb/Sandbox-v1", "--set", "split=train"), 2, "say how many with --episodes N"),
    (("run", "stb/I1Tool-v0", "--data", "/nowhere"), 2, "/nowhere does not exist"),
    (("run", "stb/I1Tool-v0", "--mode", "replay"), 2, "mode 'replay' needs a cache"),
    (("run", "stb/I1Tool-v0", "--mode", "reply"), 2, "Did you mean 'replay'?"),
    (("run", "stb/I1Tool-v0", "--cache", "/nowhere"), 2, "make one with `stb-env cache import"),
    (("data", "check", "/nowhere"), 2, "/nowhere does not exist"),
]


@pytest.mark.parametrize(("words", "code", "message"), ERRORS)
def test_bad_use_says_what_to_do_and_exits_with_2(words: tuple[str, ...], code: int, message: str):
    result = stb(*words)
    assert result.exit_code == code
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_run_of_nothing_but_failures_exits_with_1(tmp_path: Path):
    from stb_env.backend.cache import CacheEntry, ResponseCache
    from stb_env.tools import ToolId

    cache = ResponseCache(tmp_path / "cache")
    entry = CacheEntry.of(ToolId("a", "b", "c"), {}, "x")
    cache.put(entry.key, entry)
    cache.close()
    result = stb("run", "stb/I1Tool-v0", "--cache", tmp_path / "cache", "--mode", "replay", "--json")
    assert result.exit_code == 1
    summary = json.loads(result.stdout)
    assert (summary["invalid_share"], summary["failures"]) == (1.0, {"cache_miss": 2})


@pytest.mark.heavy
def test_validate_holds_for_the_shipped_environments():
    for env_id in ("stb/Sandbox-v1", "stb/I3Instruction-v0"):
        found = report("validate", env_id, "--seeds", "12")
        assert found["passed"]
        assert {"tried", "reproduced", "explained"} <= found["gold_calls"].keys()
        assert {"gold", "noop", "give_up", "echo", "inject", "random"} == found["scores"].keys()


def test_data_check_counts_and_reports(tmp_path: Path):
    file = tmp_path / "G1_tool.json"
    api = {"category_name": "a", "tool_name": "b", "api_name": "c"}
    file.write_text(json.dumps([{"query": "q", "query_id": 1, "api_list": [api]}, {"query": ""}]))
    result = stb("data", "check", file, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["queries"], found["apis"], len(found["problems"])) == (1, 1, 1)
    assert stb("data", "check", file, "--strict").exit_code == 2


def test_data_check_lists_every_record_that_cannot_be_played(tmp_path: Path):
    api = {"category_name": "a", "tool_name": "b", "api_name": "c"}
    other = {**api, "required_parameters": [{"name": "day"}]}
    records = [
        {"query": "good", "api_list": [api]},
        {"query": "no APIs", "query_id": 5},
        {"query": "no id", "query_id": "", "api_list": [api]},
        {"query": "two APIs of one identity", "query_id": 7, "api_list": [other]},
    ]
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(records))
    result = stb("data", "check", file, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["queries"]) == (1, 1)
    assert [(problem["index"], problem["field"]) for problem in found["problems"]] == [
        (1, "api_list"),
        (2, "query_id"),
        (3, "api_list[0]"),
    ]
    strict = stb("data", "check", file, "--strict")
    assert strict.exit_code == 2
    assert "record 1, api_list: expected at least one API to call, got none" in strict.stderr


def test_data_import_writes_a_layout_that_loads_without_a_problem(tmp_path: Path):
    cut = ('{"a": [{"b": "' + "s" * 1000)[:1000]
    api = {"category_name": "a", "tool_name": "b", "api_name": "c", "template_response": cut}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([3, {"query": ["q"], "api_list": [api], "relevant APIs": [["b", "c"]]}]))
    report("data", "import", file, "--out", tmp_path / "out")
    found = report("data", "check", tmp_path / "out" / "test_instruction" / "mine.json")
    assert (found["queries"], found["problems"], found["cut_templates"]) == (1, [], 0)


def test_the_version_is_printed():
    assert stb("--version").stdout.startswith("stb-env ")


def group_id(stem: str) -> str:
    """Return the environment of a file of queries, such as G1_tool."""
    level, _, kind = stem.partition("_")
    return f"stb/I{level[1:]}{kind.capitalize()}-v0"


@pytest.mark.heavy
def test_real_queries_are_played_without_an_exception(shared_data: Path, tmp_path: Path):
    data = queries(shared_data)
    stems = sorted(file.stem for file in (data / "test_instruction").glob("*.json"))
    for stem in stems:
        out = tmp_path / stem
        summary = report(
            "run", group_id(stem), "--data", data, "--agent", "gold", "--seed", "0", "--out", out
        )
        count = len(json.loads((data / "test_instruction" / f"{stem}.json").read_text(encoding="utf-8")))
        assert (summary["episodes"], summary["invalid"]) == (count, 0)
        for line in (out / "trajectories.jsonl").read_text(encoding="utf-8").splitlines():
            for message in json.loads(line)["messages"]:
                if message["role"] == "tool":
                    json.loads(message["content"])


@pytest.mark.heavy
def test_null_agents_stay_at_the_floor_on_real_queries(shared_data: Path):
    data = queries(shared_data)
    stem = min(file.stem for file in (data / "test_instruction").glob("*.json"))
    found = report("validate", group_id(stem), "--data", data, "--seeds", "40")
    assert found["passed"], found
