"""Which runs may be compared, and what comparing them says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError, DataError
from stb_env.evaluation.comparison import compare_folders
from stb_env.models.chat import digest
from stb_env.runs.verdict_file import Judgement, verdict_file
from stb_env.show.cli import app
from stb_env.trajectory import Trajectory
from tests.runs.metrics.episodes import episode

MODEL = "pass:m:v3"
MANIFEST: dict[str, Any] = {
    "version": 1,
    "env": "stb/I1Instruction-v0",
    "package": "0.1.0",
    "scores": 1,
    "agent": "cot",
    "agent_settings": None,
    "seed": 0,
    "episodes": None,
    "trials": 1,
    "settings": {"mode": "replay", "compat": None, "votes": 3},
    "tasks": "tttt",
    "backend": {"mode": "replay", "cache": "cccc", "simulator": {"model": "s", "temperature": 1.0}},
    "judge": MODEL,
    "judge_settings": {"model": {"model": "m"}, "votes": 3},
    "max_turns": 24,
    "prompts": {"agent": "pppp"},
}


def saved(folder: Path, episodes: Sequence[Trajectory] = (), **changes: Any) -> Path:
    """Write a run; a change of a table's members leaves its other members."""
    folder.mkdir()
    manifest = dict(MANIFEST)
    for name, value in changes.items():
        known = manifest.get(name)
        manifest[name] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    (folder / "manifest.json").write_text(json.dumps(manifest))
    lines = [one.to_json() + "\n" for one in episodes or [episode("1")]]
    (folder / "trajectories.jsonl").write_text("".join(lines))
    return folder


def run(*statuses: str | None, **changes: Any) -> list[Trajectory]:
    """Return episodes of tasks 0, 1, 2 ... with these verdicts; None for an invalid one."""
    usage = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10, "calls": 1, "cost": 0.5}
    usage |= {"unpriced": 0}
    return [episode(str(task), status, usage=usage, **changes) for task, status in enumerate(statuses)]


def test_two_runs_are_compared_on_the_tasks_that_both_have(tmp_path: Path):
    first = saved(tmp_path / "a", run("solved", "solved", "unsure", "unsolved", "solved", None))
    second = saved(tmp_path / "b", run("solved", "unsolved", "unsolved", "solved", None, "solved"))
    found = compare_folders(first, second)
    assert (found.score.tasks, found.score.left_out) == (4, 2)
    assert found.solved == (0.5, 0.5)
    assert (found.score.first, found.score.second) == (0.625, 0.5)
    assert (found.only_first, found.only_second) == (["1"], ["3"])
    assert (found.score.only_first, found.score.only_second, found.score.mcnemar) == (1, 1, 1.0)
    assert found.first.summary["invalid"] == 1
    assert found.first.cost.dollars_per_solved == 1.0


def test_hits_that_a_simulator_had_answered_are_counted_apart(tmp_path: Path):
    def played(name: str, *origins: str) -> Path:
        calls = [{"source": "cache", "origin": origin} for origin in origins]
        return saved(tmp_path / name, run("solved", steps=[{"calls": calls}]))

    first, second = played("a", "real", "simulator", "simulator"), played("b", "real", "unknown")
    done = CliRunner().invoke(app, ["compare", str(first), str(second)], env={"COLUMNS": "200"})
    (row,) = (line for line in done.stdout.splitlines() if "cache hits, simulated" in line)
    assert re.findall(r"\d+, \d+", row) == ["3, 2", "2, 0"]
    summary = compare_folders(first, second).first.summary
    assert summary["sources"] == {"cache": 1, "cache (simulated)": 2}


def test_the_lists_of_flipped_tasks_are_as_long_as_the_counts(tmp_path: Path):
    first = run("solved", "solved", "unsolved") + run("unsolved", "solved", "unsolved", trial=1)
    second = run("unsolved", "unsolved", "solved") + run("unsolved", "unsolved", "solved", trial=1)
    found = compare_folders(saved(tmp_path / "a", first), saved(tmp_path / "b", second))
    assert (found.only_first, found.only_second) == (["1"], ["2"])
    assert (found.score.only_first, found.score.only_second) == (1, 1)


def test_a_run_does_not_differ_from_itself(tmp_path: Path):
    folder = saved(tmp_path / "a", run("solved", "unsolved", "unsure"))
    found = compare_folders(folder, folder)
    assert (found.score.difference, found.score.p_value) == (0.0, 1.0)
    assert found.solved_interval[0] < 0 < found.solved_interval[1], "three tasks alone prove no equality"


@pytest.mark.parametrize(
    ("changes", "name", "shown"),
    [
        ({"tasks": "uuuu"}, "tasks", "tttt and uuuu"),
        ({"env": "stb/I1Tool-v0"}, "env", "stb/I1Instruction-v0 and stb/I1Tool-v0"),
        ({"backend": {"cache": "dddd"}}, "backend.cache", "cccc and dddd"),
        ({"backend": {"mode": "offline"}}, "backend.mode", "replay and offline"),
        (
            {"backend": {"simulator": {"model": "s", "temperature": 0.1}}},
            "backend.simulator",
            r'{"temperature": 1.0} and {"temperature": 0.1}',
        ),
        ({"backend": {"real": "r"}}, "backend.real", "nothing and r"),
        ({"backend": {"faults": {"share": 0.2}}}, "backend.faults", r'nothing and {"share": 0.2}'),
        ({"prompts": {"agent": "qqqq"}}, "prompts.agent", "pppp and qqqq"),
        ({"settings": {"compat": "original"}}, "settings.compat", "nothing and original"),
        ({"judge_settings": {"votes": 1}}, "judge_settings", r'{"votes": 3} and {"votes": 1}'),
        ({"max_turns": 12}, "max_turns", "24 and 12"),
        ({"scores": 2}, "scores", "1 and 2"),
        ({"user": {"user": "llm"}}, "user", r'nothing and {"user": "llm"}'),
    ],
)
def test_a_difference_is_refused_by_name_unless_it_is_ignored(
    tmp_path: Path, changes: dict[str, Any], name: str, shown: str
):
    first, second = saved(tmp_path / "a"), saved(tmp_path / "b", **changes)
    with pytest.raises(ConfigError) as refused:
        compare_folders(first, second)
    assert str(refused.value) == (
        f"{first} and {second} cannot be compared:\n  {name} is {shown}\n"
        f"Play both under equal conditions, or accept each by name: --ignore {name}"
    )
    found = compare_folders(first, second, ignore=[name])
    assert [one.name for one in found.ignored] == [name]


def test_every_difference_is_named_at_once(tmp_path: Path):
    first, second = saved(tmp_path / "a"), saved(tmp_path / "b", tasks="uuuu", max_turns=12)
    with pytest.raises(ConfigError, match=r"--ignore tasks --ignore max_turns$"):
        compare_folders(first, second)
    with pytest.raises(ConfigError, match=r"compared:\n  max_turns is 24 and 12\nPlay"):
        compare_folders(first, second, ignore=["tasks"])


@pytest.mark.parametrize(
    ("changes", "remarks"),
    [
        ({"agent": "dfs", "agent_settings": {"model": "other"}}, []),
        ({"settings": {"votes": 1}}, []),
        ({"package": "0.2.0"}, ["package is 0.1.0 and 0.2.0"]),
        ({"seed": 1, "trials": 3}, ["seed is 0 and 1", "trials is 1 and 3"]),
    ],
)
def test_what_may_differ_is_at_most_remarked(tmp_path: Path, changes: dict[str, Any], remarks: list[str]):
    found = compare_folders(saved(tmp_path / "a"), saved(tmp_path / "b", **changes))
    assert found.remarks == remarks


def test_judges_of_other_models_are_compared_only_where_that_is_accepted(tmp_path: Path):
    other = "pass:n:v3"
    first, second = saved(tmp_path / "a"), saved(tmp_path / "b", run("solved", judge=other), judge=other)
    with pytest.raises(ConfigError, match=r"judge is pass:m:v3 and pass:n:v3\n"):
        compare_folders(first, second)
    first = saved(tmp_path / "c", run("unsolved"))
    found = compare_folders(first, second, ignore=["judge"])
    assert (found.judge, found.score.difference) == ("pass:m:v3 and pass:n:v3", -1.0)


def test_the_heuristic_is_never_compared_with_another_judge(tmp_path: Path):
    mixed = saved(tmp_path / "b", run("solved", judge="heuristic"), judge="heuristic", judge_settings=None)
    with pytest.raises(
        ConfigError, match=r"judge is pass:m:v3 and heuristic\nThe heuristic's verdicts are never"
    ):
        compare_folders(saved(tmp_path / "a"), mixed, ignore=["judge"])


def test_verdicts_of_one_judge_given_later_can_be_compared(tmp_path: Path):
    folders = [
        saved(tmp_path / "a", run("solved")),
        saved(tmp_path / "b", run("solved", judge="heuristic"), judge="heuristic", judge_settings=None),
    ]
    for folder, status in zip(folders, ("solved", "unsolved"), strict=True):
        verdict = {"status": status, "score": float(status == "solved"), "votes": [], "judge": "pass:x:v3"}
        line = Judgement("0", 0, 0, "pass:x:v3", "same", verdict=verdict).to_json()
        verdict_file(folder, "pass:x:v3").write_text(line + "\n")
    found = compare_folders(*folders, judge="pass:x:v3")
    assert (found.judge, found.score.difference) == ("pass:x:v3", 1.0)


def test_verdicts_that_were_mended_under_other_settings_differ(tmp_path: Path):
    first, second = saved(tmp_path / "a", run("solved")), saved(tmp_path / "b", run("solved"))
    verdict = {"status": "solved", "score": 1.0, "votes": [], "judge": MODEL}
    settings = digest(MANIFEST["judge_settings"])
    for told, refused in ((settings, False), ("other", True)):
        line = Judgement("0", 0, 0, MODEL, told, verdict=verdict).to_json()
        verdict_file(second, MODEL).write_text(line + "\n")
        if refused:
            with pytest.raises(ConfigError, match=r'judge_settings is \["\w{64}"\] and \["other"\]'):
                compare_folders(first, second)
        else:
            assert compare_folders(first, second).ignored == []


@pytest.mark.parametrize(("misses", "refused"), [(1, False), (2, True)])
def test_more_than_one_replay_miss_in_a_hundred_calls_is_refused(tmp_path: Path, misses: int, refused: bool):
    steps = [{"calls": [{"source": "cache"}] * 99}]
    failure = {"kind": "cache_miss", "stage": "cache", "retryable": False, "message": ""}
    missed = [episode(f"m{n}", None, failure=failure) for n in range(misses)]
    first = saved(tmp_path / "a", [episode("1", steps=steps), *missed])
    second = saved(tmp_path / "b")
    if not refused:
        assert compare_folders(first, second).score.tasks == 1
        return
    with pytest.raises(ConfigError, match=r"replay_misses is 2\.0% of calls and 0\.0% of calls\n"):
        compare_folders(first, second)
    assert compare_folders(first, second, ignore=["replay_misses"]).score.left_out == 2


def test_a_name_that_nothing_differs_in_is_refused(tmp_path: Path):
    first, second = saved(tmp_path / "a"), saved(tmp_path / "b", max_turns=12)
    with pytest.raises(ConfigError, match=r"--ignore turns names nothing .* apart; what differs: max_turns$"):
        compare_folders(first, second, ignore=["turns"])
    with pytest.raises(ConfigError, match=r"--ignore judge names nothing .*; nothing differs$"):
        compare_folders(first, first, ignore=["judge"])


def test_a_folder_without_a_run_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"none holds no run; give a folder that `stb-env run --out` wrote"):
        compare_folders(tmp_path / "none", tmp_path / "none")
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"holds no run \(an evaluation; compare two of its runs\)"):
        compare_folders(tmp_path, tmp_path)
    folder = saved(tmp_path / "a")
    (folder / "manifest.json").unlink()
    with pytest.raises(
        ConfigError, match=r"has no manifest\.json, and nothing else says under which conditions"
    ):
        compare_folders(folder, folder)


def test_runs_without_a_shared_task_are_refused(tmp_path: Path):
    first, second = saved(tmp_path / "a", run("solved")), saved(tmp_path / "b", [episode("9")])
    with pytest.raises(DataError, match=r"share no task of which both have a valid episode"):
        compare_folders(first, second)
