"""A run's lines are what was written, one for each task and trial; unfinished runs are read whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stb_env import load_agent, run_batch
from stb_env.core.checksums import sealed
from stb_env.runs import Run, plan
from stb_env.runs.make import make_env
from stb_env.saved_episodes import read_trajectories
from stb_env.show.report.saved.saved_run import SavedRun
from tests.command import stb
from tests.saved import unsum

PLAY = ["run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "3", "--json", "--out"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    assert stb(*PLAY, folder).exit_code == 0
    return folder


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def repeated(saved: list[str]) -> list[str]:
    return [*saved, saved[1]]


def rewarded(saved: list[str]) -> list[str]:
    return [saved[0], saved[1].replace('"reward": 1.0, "valid"', '"reward": 0.5, "valid"'), saved[2]]


def renamed(saved: list[str]) -> list[str]:
    return [saved[0], saved[1].replace('"trial": 0', '"trial": 7', 1), saved[2]]


def forged(saved: list[str]) -> list[str]:
    text = saved[1].replace('"reward": 1.0, "valid"', '"reward": 0.5, "valid"').rpartition(', "sha256"')[0]
    return [saved[0], sealed(text + "}"), saved[2]]


READERS: dict[str, Callable[[Path], list[object]]] = {
    "report": lambda run: ["report", run, "--out", run.parent / "report.html"],
    "compare": lambda run: ["compare", run, run],
    "export": lambda run: ["export", run, "--out", run.parent / "export"],
    "view": lambda run: ["view", run, "--export", run.parent / "view"],
    "run": lambda run: [*PLAY, run],
    "sft": lambda run: ["export", run, "--format", "sft", "--out", run.parent / "sft"],
    "costs": lambda run: ["costs", run],
    "judge": lambda run: ["judge", run, "--judge", "heuristic"],
    "judge --against": lambda run: ["judge", run, "--against", run],
}


NOT_READ = {
    "summary.json": ("run", "view", "export", "sft", "costs"),
    "manifest.json": ("costs",),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("change", "line", "message"),
    [(repeated, 4, "stands twice, first in line 2"), (rewarded, 2, "changed"), (renamed, 2, "changed")],
)
def test_a_line_that_was_changed_or_repeated_is_named(
    run: Path, reader: str, change: Callable[[list[str]], list[str]], line: int, message: str
):
    file = run / "trajectories.jsonl"
    before = file.read_text().splitlines()
    changed = change(before)
    assert changed != before
    file.write_text("".join(f"{text}\n" for text in changed))
    done = stb(*READERS[reader](run))
    assert done.exit_code == 2
    assert f"error: {file}, line {line}: " in done.output
    assert message in done.output


@pytest.mark.parametrize("reader", READERS)
def test_a_reward_that_its_verdict_does_not_give_is_named_even_with_a_checksum(run: Path, reader: str):
    file = run / "trajectories.jsonl"
    file.write_text("".join(f"{text}\n" for text in forged(file.read_text().splitlines())))
    done = stb(*READERS[reader](run))
    assert done.exit_code == 2
    assert "line 2: the reward is 0.5, and the verdict gives 1.0" in " ".join(done.output.split())


@pytest.mark.heavy
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["trajectories.jsonl", "played.jsonl"])
def test_episodes_of_another_run_are_refused(run: Path, reader: str, name: str):
    assert stb("run", "stb/Sandbox-v1", "--agent", "noop", *PLAY[4:], run.parent / "other").exit_code == 0
    (run / name).write_bytes((run.parent / "other" / "trajectories.jsonl").read_bytes())
    done = stb(*READERS[reader](run))
    assert done.exit_code == 2
    assert f"error: {run / name}, line 1: " in done.output
    assert "belongs to another run" in done.output


@pytest.mark.parametrize("reader", READERS)
def test_episodes_that_were_saved_before_runs_had_an_identity_are_read(run: Path, reader: str):
    file = run / "trajectories.jsonl"
    older = [replace(episode, run="").to_json() for episode in read_trajectories(run)]
    file.write_text("".join(f"{line}\n" for line in older))
    unsum(run)
    assert stb(*READERS[reader](run)).exit_code == 0


def test_a_run_that_was_extended_is_still_the_same_run(run: Path):
    first = (run / "trajectories.jsonl").read_bytes()
    words = [*PLAY[:-3], "5", "--trials", "2", "--json", "--out", str(run)]
    assert stb(*words).exit_code == 0
    assert len({episode.run for episode in read_trajectories(run)}) == 1
    assert set(first.splitlines()) < set((run / "trajectories.jsonl").read_bytes().splitlines())
    assert stb("report", run, "--out", run.parent / "report.html").exit_code == 0


@pytest.mark.parametrize("reader", READERS)
def test_a_run_as_it_was_written_is_read(run: Path, reader: str):
    assert stb(*READERS[reader](run)).exit_code == 0


@pytest.mark.parametrize("text", ["", '{"planned": 3'])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["summary.json", "manifest.json"])
def test_a_cut_file_is_one_clear_line_for_those_who_read_it(run: Path, name: str, reader: str, text: str):
    (run / name).write_text(text)
    done = stb(*READERS[reader](run))
    assert isinstance(done.exception, SystemExit | None)
    errors = [line for line in done.output.splitlines() if line.startswith("error: ")]
    if reader in NOT_READ[name]:
        assert (done.exit_code, errors) == (0, [])
    else:
        assert (done.exit_code, len(errors)) == (2, 1)
        assert f"{run / name} is " in errors[0]


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    """A run whose second episode is still played, while two later ones wait for it."""
    env = make_env("stb/Sandbox-v1", {})
    jobs = plan(env.tasks, episodes=4)
    played = run_batch(env.fork, load_agent("gold"), jobs)
    assert stb(*PLAY[:-3], "4", "--json", "--out", tmp_path / "whole").exit_code == 0
    manifest = json.loads((tmp_path / "whole" / "manifest.json").read_text())
    run = Run(tmp_path / "run", manifest)
    run.begin(jobs)
    for number in (3, 0, 2):
        run.add(played[number], 1.0)
    run.close()
    return tmp_path / "run"


def test_every_reader_reads_what_waits_for_its_turn(unfinished: Path):
    tasks = [json.loads(line)["task_id"] for line in (unfinished / "trajectories.jsonl").open()]
    assert len(tasks) == 1
    assert len((unfinished / "played.jsonl").read_text().splitlines()) == 2
    assert len(read_trajectories(unfinished)) == 3
    assert json.loads(stb("report", unfinished, "--json").stdout)["runs"][0]["episodes"] == 3
    out = unfinished.parent / "export"
    assert stb("export", unfinished, "--out", out).exit_code == 0
    assert len(list(out.rglob("*_CoT@1.json"))) == 3
    rows = SavedRun(unfinished).rows(0, 10)
    assert (rows["total"], {row["status"] for row in rows["rows"]}) == (3, {"solved"})


def test_a_view_that_follows_a_run_sees_waiting_episodes_take_their_place(unfinished: Path):
    saved = SavedRun(unfinished)
    first = saved.rows(0, 10)
    assert saved.rows(0, 10) == first
    whole = unfinished.parent / "whole"
    done = stb(*PLAY[:-3], "4", "--json", "--out", unfinished)
    assert done.exit_code == 0, done.output
    last = saved.rows(0, 10)
    assert last["generation"] > first["generation"]
    assert [row["task"] for row in last["rows"]] == [
        row["task"] for row in SavedRun(whole).rows(0, 9)["rows"]
    ]
    assert (unfinished / "trajectories.jsonl").read_bytes() == (whole / "trajectories.jsonl").read_bytes()
    assert not (unfinished / "played.jsonl").exists()


@pytest.mark.parametrize("text", ["hello", "", "{}"])
@pytest.mark.parametrize("name", ["trajectories.jsonl", "played.jsonl", "verdicts-heuristic.jsonl"])
def test_an_export_of_a_run_with_a_line_that_is_none_names_it(run: Path, name: str, text: str):
    file = run / name
    if name == "verdicts-heuristic.jsonl":
        assert stb("judge", run, "--judge", "heuristic").exit_code == 0
    before = file.read_text() if file.exists() else ""
    file.write_text(f"{before}{text}\n")
    done = stb(*READERS["view"](run))
    assert done.exit_code == 2
    assert f"error: {file}, line {before.count(chr(10)) + 1}: " in done.output
    assert not (run.parent / "view").exists()


def test_an_export_of_a_run_with_an_edited_verdict_names_it(run: Path):
    assert stb("judge", run, "--judge", "heuristic").exit_code == 0
    (file,) = run.glob("verdicts-*.jsonl")
    file.write_text(file.read_text().replace('"status": "', '"status": "un', 1))
    done = stb(*READERS["view"](run))
    assert done.exit_code == 2
    assert f"error: {file}, line 1: " in done.output


@pytest.mark.parametrize("reader", ["view", "costs", "sft", "export"])
@pytest.mark.parametrize("name", ["trajectories.jsonl", "played.jsonl"])
def test_lines_of_two_runs_are_refused_without_a_manifest_too(run: Path, reader: str, name: str):
    other = run.parent / "other"
    assert stb("run", "stb/Sandbox-v1", "--agent", "noop", "--seed", 1, *PLAY[4:], other).exit_code != 2
    lines = (other / "trajectories.jsonl").read_text()
    with (run / name).open("a") as file:
        file.write(lines)
    (run / "manifest.json").unlink()
    done = stb(*READERS[reader](run))
    assert done.exit_code == 2
    assert f"error: {run / name}, line {4 if name == 'trajectories.jsonl' else 1}: " in done.output
    assert "belongs to another run" in done.output
