"""A run goes on: what may pass is played again, more is played on request, and the file stays in order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from typer.testing import CliRunner

from stb_env.core.files import LineWriter
from stb_env.errors import ConfigError, InfrastructureError, StorageError
from stb_env.runs import Agent, Job, Run, plan, run_batch
from stb_env.runs.baselines import load_agent
from stb_env.runs.verdict_file import Judgement, read_judged
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli import app
from stb_env.trajectory import Trajectory
from tests.kills import die, killed, killed_when, needs_fork
from tests.processes import lines as line_count

MANIFEST = {"env": "stb/Sandbox-v1", "seed": 0, "judge": "exact"}


def sandbox() -> Any:
    return gym.make("stb/Sandbox-v1").unwrapped


def jobs(count: int = 6, **kwargs: Any) -> list[Job]:
    return plan(sandbox().tasks, episodes=count, **kwargs)


class Unlucky(Agent):
    """Plays as gold, but for the tasks whose model is down."""

    def __init__(self, down: set[str], *, retryable: bool = True) -> None:
        self.down, self.retryable, self.gold = down, retryable, load_agent("gold")()

    def reset(self, env: Any, seed: int) -> None:
        self.task_id = env.unwrapped.task.id
        self.gold.reset(env, seed)

    def act(self, observation: Any, info: Any) -> Any:
        if self.task_id in self.down:
            raise InfrastructureError("down", kind="transport", stage="agent", retryable=self.retryable)
        return self.gold.act(observation, info)


def sit(
    folder: Path, planned: list[Job], down: set[str] = frozenset(), *, concurrency: int = 1, **failing: bool
) -> list[Trajectory]:
    with closing(Run(folder, MANIFEST)) as run:
        return run_batch(sandbox, lambda: Unlucky(down, **failing), planned, run, concurrency=concurrency)


def lines(folder: Path) -> bytes:
    return (folder / "trajectories.jsonl").read_bytes()


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    """The episodes of a run that nothing disturbed."""
    sit(tmp_path / "whole", jobs())
    return lines(tmp_path / "whole")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_what_failed_for_a_reason_that_may_pass_is_played_again_in_its_place(
    tmp_path: Path, whole: bytes, concurrency: int
):
    planned = jobs()
    down = {planned[1].task_id, planned[4].task_id}
    sit(tmp_path / "run", planned, down, concurrency=concurrency)
    failed = [line for line in lines(tmp_path / "run").splitlines() if b'"message": "down"' in line]
    played = sit(tmp_path / "run", planned, concurrency=concurrency)
    assert lines(tmp_path / "run") == whole
    assert played == read_trajectories(tmp_path / "run")
    assert (tmp_path / "run" / "failures.jsonl").read_bytes().splitlines() == failed
    assert len(failed) == 2


def test_what_failed_for_good_is_not_played_again(tmp_path: Path):
    planned = jobs()
    sit(tmp_path, planned, {planned[1].task_id}, retryable=False)
    before = lines(tmp_path)
    sit(tmp_path, planned)
    assert lines(tmp_path) == before
    assert not (tmp_path / "failures.jsonl").exists()


def test_every_failure_of_an_episode_is_kept(tmp_path: Path, whole: bytes):
    planned = jobs()
    for _ in range(3):
        sit(tmp_path / "run", planned, {planned[0].task_id})
    sit(tmp_path / "run", planned)
    assert lines(tmp_path / "run") == whole
    assert [json.loads(line)["failure"]["message"] for line in (tmp_path / "run/failures.jsonl").open()] == [
        "down"
    ] * 3


def test_an_episode_that_was_judged_since_is_not_played_again(tmp_path: Path):
    planned = jobs()
    sit(tmp_path, planned, {planned[1].task_id})
    before = lines(tmp_path)
    verdict = {"status": "solved", "score": 1.0, "judge": "exact"}
    job = planned[1]
    (tmp_path / "verdicts.jsonl").write_text(
        Judgement(job.task_id, job.trial, job.seed, "exact", "", verdict=verdict).to_json() + "\n"
    )
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    sit(tmp_path, planned)
    assert lines(tmp_path) == before
    assert read_judged(tmp_path)[1].solved


def test_a_judgement_on_an_episode_that_is_played_again_is_forgotten(tmp_path: Path, whole: bytes):
    planned = jobs()
    sit(tmp_path / "run", planned, {planned[1].task_id})
    failure = {"kind": "judge", "stage": "judge", "retryable": True, "message": "no verdict"}
    missing, kept = (
        Judgement(job.task_id, job.trial, job.seed, "exact", "", failure=failure).to_json()
        for job in planned[1:3]
    )
    other = tmp_path / "run" / "verdicts-other.jsonl"
    (tmp_path / "run" / "verdicts.jsonl").write_text(f"{missing}\n")
    other.write_text(f"{missing}\n{kept}\n")
    sit(tmp_path / "run", planned)
    assert all(episode.solved for episode in read_judged(tmp_path / "run"))
    assert other.read_text() == f"{kept}\n"


def test_more_episodes_and_more_trials_extend_a_run_in_order(tmp_path: Path):
    sit(tmp_path / "run", jobs(2))
    for size in ({"count": 4}, {"count": 4, "trials": 2}, {"count": 6, "trials": 3}):
        played = sit(tmp_path / "run", jobs(**size))
        assert [episode.key for episode in played] == [job.key for job in jobs(**size)]
    sit(tmp_path / "whole", jobs(6, trials=3))
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")


def test_what_a_killed_process_left_out_of_order_is_put_in_order(tmp_path: Path, whole: bytes):
    sit(tmp_path / "run", jobs())
    rows = whole.splitlines(keepends=True)
    (tmp_path / "run" / "trajectories.jsonl").write_bytes(b"".join(rows[1:] + rows[:1]))
    sit(tmp_path / "run", jobs())
    assert lines(tmp_path / "run") == whole


def test_while_another_process_plays_a_run_nobody_else_may(tmp_path: Path):
    planned = jobs()
    sit(tmp_path, planned, {planned[0].task_id})
    with closing(Run(tmp_path, MANIFEST)) as run:
        run.begin(planned)
        with pytest.raises(ConfigError, match=r"^another process is writing to .*; wait for it"):
            Run(tmp_path, MANIFEST)


@pytest.mark.parametrize(
    "torn", [b'{"version": 2, "ta', b'{"half', b"\x00\x00\xff\n", b'{"version": 2, \xff\n']
)
def test_an_unreadable_last_line_is_dropped_and_played_again(tmp_path: Path, whole: bytes, torn: bytes):
    sit(tmp_path / "run", jobs(5))
    with (tmp_path / "run" / "trajectories.jsonl").open("ab") as file:
        file.write(torn)
    sit(tmp_path / "run", jobs())
    assert lines(tmp_path / "run") == whole


# -- killed at any moment ------------------------------------------------------------------------


def sit_until(folder: Path, planned: list[Job], acts: int) -> None:
    """Play until so many acts on the disk are done, and die at the next."""
    left = iter(range(acts))

    def dying(act: Callable[..., Any]) -> Callable[..., Any]:
        def acted(*args: Any, **kwargs: Any) -> Any:
            if next(left, None) is None:
                die()
            return act(*args, **kwargs)

        return acted

    # Every act on the disk is one after which, or in the middle of which, the process may be killed.
    with pytest.MonkeyPatch.context() as patch:
        for place, name in ((os, "fsync"), (Path, "replace"), (LineWriter, "write")):
            patch.setattr(place, name, dying(getattr(place, name)))
        sit(folder, planned)


@pytest.mark.heavy
@needs_fork
def test_a_process_that_is_killed_at_any_act_on_the_disk_loses_nothing(tmp_path: Path):
    planned = jobs(3, trials=2)
    down = {planned[0].task_id, planned[3].task_id}
    sit(tmp_path / "whole", planned)
    sit(tmp_path / "run", [job for job in planned if job.trial == 0], down)
    acts, dead = 0, True
    while dead:
        # Each sitting gets a little further than the one before, so that every act is once the last.
        dead = killed(partial(sit_until, tmp_path / "run", planned, acts))
        acts += 1
        known = read_trajectories(tmp_path / "run")
        assert len({episode.key for episode in known}) == len(known)
        kept = [Trajectory.from_json(line) for line in failures(tmp_path / "run")]
        assert {e.task_id for e in [*known, *kept] if e.failure is not None} == down
    assert acts > 5
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")


def failures(folder: Path) -> Iterator[str]:
    file = folder / "failures.jsonl"
    if file.exists():
        yield from file.read_text().splitlines()


@pytest.mark.heavy
@needs_fork
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_run_that_is_killed_again_and_again_comes_to_the_same_episodes(tmp_path: Path, concurrency: int):
    # What every process would make anew is made before they are forked.
    sandbox()
    words = ["run", "stb/Sandbox-v1", "--agent", "random", "--json"]
    words += ["--episodes", "16", "--concurrency", str(concurrency), "--out"]
    file = tmp_path / "killed" / "trajectories.jsonl"
    run = partial(CliRunner().invoke, app, [*words, str(tmp_path / "killed")])
    for wanted in (1, 5, 10):
        killed_when(run, lambda wanted=wanted: line_count(file) >= wanted)
        known = read_trajectories(tmp_path / "killed")
        assert wanted <= len(known) == len({episode.key for episode in known})
    assert run().exit_code == 0
    whole = [sys.executable, "-m", "stb_env", *words, tmp_path / "whole"]
    subprocess.run(whole, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "99"})
    assert file.read_bytes() == (tmp_path / "whole" / "trajectories.jsonl").read_bytes()


# -- what the disk refuses -----------------------------------------------------------------------


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have the disk take so many further bytes and no more, as a full one does."""

    def fill(left: int) -> None:
        def append(self: LineWriter, data: bytes) -> None:
            nonlocal left
            self._file.write(data[:left])
            left -= min(left, len(data))
            if not left:
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(LineWriter, "_append", append)

    return fill


def test_a_full_disk_ends_a_run_with_every_saved_line_whole(
    tmp_path: Path, whole: bytes, full: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
):
    full(len(whole) // 2)
    with pytest.raises(
        StorageError,
        match=r"^cannot write .*jsonl: No space left on device; free space, and the same command goes on$",
    ):
        sit(tmp_path / "run", jobs())
    assert lines(tmp_path / "run").endswith(b"\n")
    assert whole.startswith(lines(tmp_path / "run"))
    monkeypatch.undo()
    sit(tmp_path / "run", jobs())
    assert lines(tmp_path / "run") == whole


def test_a_folder_that_is_deleted_under_a_run_ends_it(tmp_path: Path):
    with closing(Run(tmp_path / "run", MANIFEST)) as run:
        for file in (tmp_path / "run").iterdir():
            file.unlink()
        (tmp_path / "run").rmdir()
        with pytest.raises(StorageError, match=r"trajectories\.jsonl was deleted while it was written to"):
            run_batch(sandbox, load_agent("gold"), jobs(), run)


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(ConfigError, match=rf"^{place} cannot be a folder: a file stands in its place;"):
            Run(place, MANIFEST)


# -- whose run it is -----------------------------------------------------------------------------


def test_episodes_without_a_manifest_are_nobodys(tmp_path: Path):
    sit(tmp_path, jobs(2))
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ConfigError, match=r"manifest\.json is missing, so nobody knows whose episodes"):
        sit(tmp_path, jobs(2))
    assert not (tmp_path / "manifest.json").exists()


@pytest.mark.parametrize("text", ["", "{", '["gold"]', "\x00" * 40])
def test_a_damaged_manifest_is_refused_and_left_alone(tmp_path: Path, text: str):
    sit(tmp_path, jobs(2))
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(
        ConfigError, match=r"manifest\.json is damaged \(.*\); restore it, or use another --out$"
    ):
        sit(tmp_path, jobs(2))
    assert (tmp_path / "manifest.json").read_text() == text


@pytest.mark.parametrize(("there", "now"), [((2, 1), (5, 1)), ((2, 1), (None, 3)), ((2, 1), (2, 2))])
def test_a_longer_run_takes_the_place_of_a_shorter_one(tmp_path: Path, there: Any, now: Any):
    for size in (there, now):
        Run(tmp_path, MANIFEST | dict(zip(("episodes", "trials"), size, strict=True))).close()
    assert json.loads((tmp_path / "manifest.json").read_text())["episodes"] == now[0]


@pytest.mark.parametrize(
    ("there", "now", "difference"),
    [
        ((5, 1), (2, 1), "episodes: there 5, now 2"),
        ((None, 1), (5, 1), "episodes: there None, now 5"),
        ((5, 2), (6, 1), "trials: there 2, now 1"),
    ],
)
def test_a_shorter_run_is_refused(tmp_path: Path, there: Any, now: Any, difference: str):
    sizes = [dict(zip(("episodes", "trials"), size, strict=True)) for size in (there, now)]
    Run(tmp_path, MANIFEST | sizes[0]).close()
    with pytest.raises(ConfigError, match=rf"another configuration \({difference}\); use another --out"):
        Run(tmp_path, MANIFEST | sizes[1])


def test_departures_that_follow_from_the_trials_do_not_keep_a_run_from_growing(tmp_path: Path):
    protocol = {"name": "paper", "version": 1, "departures": ["trials is 1, not 3"]}
    Run(tmp_path, MANIFEST | {"trials": 1, "protocol": protocol}).close()
    Run(tmp_path, MANIFEST | {"trials": 3, "protocol": protocol | {"departures": []}}).close()
    other = protocol | {"version": 2}
    with pytest.raises(ConfigError, match=r"another configuration \(protocol: there .*'version': 1"):
        Run(tmp_path, MANIFEST | {"trials": 3, "protocol": other})
