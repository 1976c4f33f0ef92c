"""Saved episodes: the line of version 3, its checksum, its reward, and lines of earlier versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.runs import plan, play, run_batch
from stb_env.runs.baselines import load_agent
from stb_env.runs.metrics.cost import cost, role_usage
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.metrics.repeats import repeats
from stb_env.saved_episodes import read_trajectories
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory

VERDICT = {
    "status": "unsolved",
    "score": 0.0,
    "votes": [],
    "judge": "exact",
    "parts": {"answer:count": True, "answer:day": False, "kept:notes": True},
}
EPISODE = Trajectory(
    suite="demo",
    group="",
    task_id="1",
    trial=0,
    seed=7,
    query="How many?",
    tools=[],
    messages=[{"role": "user", "content": "How many?"}],
    steps=[{"calls": [], "reward": 0.0, "terminated": True, "truncated": False}],
    answer={"count": 2, "day": "Ōsaka"},
    final_answer="Two.",
    verdict=VERDICT,
    reward=0.0,
    valid=True,
    failure=None,
    usage={"calls": 1},
)
GOLDEN = (
    '{"version": 3, "suite": "demo", "group": "", "task_id": "1", "trial": 0, "seed": 7, "query": '
    '"How many?", "tools": [], "messages": [{"role": "user", "content": "How many?"}], "steps": [{"calls": '
    '[], "reward": 0.0, "terminated": true, "truncated": false}], "answer": {"count": 2, "day": "Ōsaka"}, '
    '"final_answer": "Two.", "verdict": {"status": "unsolved", "score": 0.0, "votes": [], "judge": "exact", '
    '"parts": {"answer:count": true, "answer:day": false, "kept:notes": true}}, "reward": 0.0, "valid": '
    'true, "failure": null, "usage": {"calls": 1}, "reward_mode": "sparse", "sha256": "'
    'bf2a48a303f0ff6b64856802196beebb384ad893d6d52ee489254a8e0f5c1cb1"}'
)


def signed(data: dict[str, Any]) -> str:
    """Return a line with a right checksum, whatever it says."""
    text = json.dumps(data, ensure_ascii=False)
    return f'{text[:-1]}, "sha256": "{hashlib.sha256(text.encode()).hexdigest()}"}}'


def test_golden_line_of_version_3():
    assert EPISODE.to_json() == GOLDEN
    assert Trajectory.from_json(GOLDEN) == EPISODE


def test_the_checksum_is_that_of_the_line_without_it():
    assert signed(json.loads(json.dumps(EPISODE.to_dict()))) == EPISODE.to_json()


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": None, "final_answer": ""},
        {"answer": None, "cannot": {"reason": "not_found", "what": ["film"]}},
        {"verdict": None},
        {"valid": False, "failure": {"kind": "timeout", "stage": "agent", "retryable": True, "message": ""}},
        {"reward": 0.5, "reward_mode": "partial"},
        {"reward": 0.7, "reward_mode": "own"},
        {"tree": {"nodes": []}, "usage_by_role": {"agent": {"calls": 1}}},
        {"final_answer": "half \ud800 a character\u2028", "query": "\x00\n"},
    ],
)
def test_an_episode_is_read_as_it_was_written(changes: dict[str, Any]):
    episode = replace(EPISODE, **changes)
    line = episode.to_json()
    assert Trajectory.from_json(line) == Trajectory.from_json(line + "\n") == episode
    assert "\n" not in line


def test_a_played_episode_is_read_as_it_was_written():
    episode = play(notes(), load_agent("gold")(), task_id="move", seed=3)
    assert Trajectory.from_json(episode.to_json()) == episode


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Two."),
        ({"final_answer": ""}, '{"count": 2, "day": "Ōsaka"}'),
        ({"final_answer": "", "answer": None}, ""),
        (
            {"final_answer": "", "answer": None, "cannot": {"reason": "no_tool", "what": ["pay"]}},
            '{"cannot": {"reason": "no_tool", "what": ["pay"]}}',
        ),
    ],
)
def test_the_text_of_an_answer_is_its_prose_or_what_is_typed(changes: dict[str, Any], text: str):
    assert replace(EPISODE, **changes).text == text


# -- changed lines -----------------------------------------------------------------------------------


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / "trajectories.jsonl"
    path.write_bytes(data)
    return path


@pytest.mark.heavy
def test_every_changed_byte_is_an_error_that_names_its_line(tmp_path: Path):
    first, second = (replace(EPISODE, trial=trial).to_json().encode() + b"\n" for trial in (0, 1))
    for place in range(len(second) - 1):
        for byte in {ord("0"), ord(" "), second[place] ^ 1, (second[place] + 1) % 256} - {second[place]}:
            changed = second[:place] + bytes([byte]) + second[place + 1 :]
            with pytest.raises(DataError, match="line 2: "):
                read_trajectories(file_of(tmp_path, first + changed))


@given(st.integers(0), st.integers(0, 3), st.binary(max_size=3))
def test_no_cut_and_no_insertion_goes_unnoticed(place: int, cut: int, more: bytes):
    line = EPISODE.to_json().encode()
    place %= len(line) + 1
    changed = line[:place] + more + line[place + cut :]
    if changed.rstrip(b"\n") == line:
        return
    with pytest.raises((DataError, UnicodeDecodeError)):
        Trajectory.from_json(changed.decode())


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"ONE\nONE\n", "line 2: the episode stands twice, first in line 1"),
        (b"ONE\nTWO\nONE\n", "line 3: the episode stands twice, first in line 1"),
        (b"ONE\n\nTWO\n", "line 2: not a trajectory line"),
        (b"ONETWO\n", "line 1: "),
        (b"ONE\n\xff\n", "line 2: "),
        (b"ONE\n[]\n", "line 2: not a trajectory line"),
        (b"ONE\n" + b"[" * 100_000 + b"\n", "line 2: not a trajectory line"),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_an_error(tmp_path: Path, data: bytes, problem: str):
    for name, trial in ((b"ONE", 0), (b"TWO", 1)):
        data = data.replace(name, replace(EPISODE, trial=trial).to_json().encode())
    with pytest.raises(DataError, match=problem):
        read_trajectories(file_of(tmp_path, data))


def test_a_torn_last_line_is_left_out(tmp_path: Path):
    line = EPISODE.to_json().encode()
    for end in (0, 1, 100, len(line)):
        assert read_trajectories(file_of(tmp_path, line + b"\n" + line[:end])) == [EPISODE]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"reward": 1.0}, "the reward is 1.0, and the verdict gives 0.0 in mode sparse"),
        ({"reward": float("nan")}, "the reward is nan, and the verdict gives 0.0"),
        ({"reward": 1.0, "reward_mode": "partial"}, "the verdict gives 0.5 in mode partial"),
        ({"reward": 0.5, "reward_mode": "dense"}, "the verdict gives 0.0 in mode dense"),
        ({"verdict": {**VERDICT, "status": "solved", "score": 1.0}}, "and the verdict gives 1.0"),
        ({"valid": False, "reward": 1.0}, "the verdict gives 0.0"),
        ({"reward_mode": "mine"}, "reward_mode is one of sparse, partial, dense or own, got 'mine'"),
        ({"reward_mode": None}, "reward_mode is text, got None"),
        ({"verdict": {"status": "solved"}}, "score of verdict is a number, got None"),
        ({"verdict": {**VERDICT, "score": True}}, "score of verdict is a number, got True"),
        ({"verdict": {**VERDICT, "parts": {"answer": 1}}}, "parts of verdict say true or false of each"),
        ({"verdict": {**VERDICT, "parts": ["answer"]}}, "parts of verdict say true or false of each"),
        ({"verdict": []}, "verdict is an object or null"),
        ({"answer": "2"}, "answer is an object or null, got '2'"),
        ({"answer": [2]}, "answer is an object or null"),
        ({"final_answer": None}, "final_answer is text, got None"),
        ({"cannot": "x"}, "cannot is an object or null"),
        ({"version": 4}, "trajectory version 4; this package reads 3"),
        ({"version": "3"}, "trajectory version '3'; this package reads 3"),
    ],
)
def test_a_line_that_contradicts_itself_is_an_error_whatever_its_checksum(
    changes: dict[str, Any], problem: str
):
    with pytest.raises(DataError, match=problem):
        Trajectory.from_json(signed({**EPISODE.to_dict(), **changes}))


# -- earlier versions --------------------------------------------------------------------------------


def earlier(version: int, **changes: Any) -> str:
    data = EPISODE.to_dict() | {"version": version, "answer": "Two."} | changes
    return json.dumps(
        {name: data[name] for name in data if name not in ("final_answer", "reward_mode", "cannot")}
    )


@pytest.mark.parametrize("version", [1, 2])
def test_lines_of_earlier_versions_are_read_with_their_answer_as_text(version: int):
    episode = Trajectory.from_json(earlier(version))
    assert (episode.answer, episode.final_answer, episode.cannot) == (None, "Two.", None)
    assert (episode.reward, episode.reward_mode) == (0.0, "sparse")


@pytest.mark.parametrize("version", [1, 2])
def test_a_shaped_reward_of_an_earlier_version_is_kept_and_written_again(version: int):
    episode = Trajectory.from_json(earlier(version, reward=0.3))
    assert (episode.reward, episode.reward_mode) == (0.3, "own")
    assert Trajectory.from_json(episode.to_json()) == episode


def test_a_typed_line_does_not_pass_for_an_earlier_one():
    for answer in ({"count": 2}, None):
        line = replace(EPISODE, answer=answer).to_json()
        for version in (1, 2):
            changed = line.replace('"version": 3', f'"version": {version}')
            try:
                read = Trajectory.from_json(changed)
            except DataError:
                continue
            pytest.fail(f"read as version {version}: {read.final_answer!r}")


def test_rates_and_costs_of_outlines_are_those_of_whole_episodes():
    jobs = plan(notes().tasks, episodes=None, trials=2)
    whole = [*run_batch(notes, load_agent("gold"), jobs), *run_batch(notes, load_agent("random"), jobs)]
    outlines = [episode.outline for episode in whole]
    for figures in (summarize, repeats, role_usage, cost):
        assert figures(outlines) == figures(whole)
    sizes = [sum(len(episode.to_json()) for episode in episodes) for episodes in (outlines, whole)]
    assert sizes[0] < sizes[1] / 2
    assert run_batch(notes, load_agent("gold"), jobs, outlines=True) == outlines[: len(jobs)]
