"""Environments that get harder as their agent gets better."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import stb_env
from stb_env import load_agent
from stb_env.errors import ConfigError
from stb_env.evaluation.play_groups import play_groups
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.runs import Curriculum, StagedTasks
from stb_env.runs.groups.trials import Trials
from stb_env.testing.notes import notes
from tests.command import error_of, reported, stb

WORLDS = "stb/Worlds-v0"
LEVELS = [{"level": 1}, {"level": 2}, {"level": 3}]
NAMES = ["level=1", "level=2", "level=3"]


def staged(*, memory: int = 2, env: object = None, stages: list[dict[str, int]] = LEVELS) -> StagedTasks:
    names = [f"level={stage['level']}" for stage in stages]
    curriculum = Curriculum(names, low=0.2, high=0.8, memory=memory, ordered=True)
    return StagedTasks(stb_env.make(WORLDS) if env is None else env, stages, curriculum)  # type: ignore[arg-type]


def train(env: StagedTasks, episodes: int, solves: Callable[[str], bool] = lambda stage: True) -> list[str]:
    """Play episodes of an agent that solves some stages, and return the stage of each."""
    stages = []
    for seed in range(episodes):
        observation, info = env.reset(seed=seed)
        stages.append(info["curriculum"]["stage"])
        agent = load_agent("gold" if solves(stages[-1]) else "give_up")()
        agent.reset(env, seed)
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(agent.act(observation, info))
            over = terminated or truncated
    assert info["curriculum"] == {
        "stage": stages[-1],
        "current": env.curriculum.current,
        "rates": env.curriculum.rates,
    }
    return stages


@pytest.mark.heavy
def test_gold_rises_stage_by_stage_to_level_6() -> None:
    levels = [{"level": level} for level in range(1, 7)]
    stages = train(staged(stages=levels), 24)
    assert list(dict.fromkeys(stages)) == [f"level={level}" for level in range(1, 7)]


def test_who_solves_level_1_alone_stays_there() -> None:
    env = staged()
    stages = train(env, 16, lambda stage: stage == "level=1")
    assert env.curriculum.current == "level=1"
    assert "level=3" not in stages
    assert stages.count("level=1") > 2 * stages.count("level=2") > 0


def test_a_stage_that_is_no_longer_mastered_is_gone_back_to() -> None:
    curriculum = Curriculum(NAMES, memory=2, ordered=True)
    for task in NAMES:
        curriculum.note(task, [1, 1])
        assert curriculum.current == NAMES[min(2, NAMES.index(task) + 1)]
    curriculum.note("level=1", [0])
    assert (curriculum.current, set(curriculum.draw(8))) == ("level=1", {"level=1"})
    assert Curriculum.restored(curriculum.state()).current == "level=1"


def test_a_reset_follows_from_its_seed_and_what_was_solved() -> None:
    env = staged()
    first = env.reset(seed=5)[1]["task_id"]
    fork, copy = env.fork(), pickle.loads(pickle.dumps(env))
    assert {each.reset(seed=5)[1]["task_id"] for each in (env, fork, copy)} == {first}
    train(env, 4)
    # A fork learns from the others, a copy elsewhere does not.
    assert fork.curriculum.rates == env.curriculum.rates
    assert not copy.curriculum.rates


def test_a_named_task_is_of_no_stage() -> None:
    env = staged()
    task = stb_env.make(WORLDS, level=2).tasks.at(0).id
    _, info = env.reset(seed=0, options={"task_id": task})
    assert (info["task_id"], info["curriculum"]["stage"]) == (task, None)
    env.step({"name": "Finish", "arguments": {}})
    assert not env.curriculum.rates


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: staged(stages=LEVELS[:1]),
            r"^stages are two or more settings that differ, got \['level=1'\]$",
        ),
        (lambda: staged(env=notes()), r"^stages are made by the environment's id; make it by stb_env\.make"),
        (
            lambda: StagedTasks(stb_env.make(WORLDS), [{"levl": 1}, {}]),
            r"no setting 'levl'.* Did you mean 'level'",
        ),
        (
            lambda: StagedTasks(stb_env.make(WORLDS), LEVELS, Curriculum(["1", "2"])),
            r"^the stages are \['level=1', .*\], and the curriculum is of others: \['1', '2'\]$",
        ),
    ],
)
def test_stages_that_cannot_be_made_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.heavy
def test_groups_by_stages_go_on_where_they_were_interrupted(tmp_path: Path) -> None:
    def interrupted(done: int, total: int) -> None:
        if 9 < done < total:
            raise KeyboardInterrupt

    spec = RunSpec(WORLDS, "gold", episodes=14)
    for name in ("whole", "parts", "parts"):
        progress = interrupted if name == "parts" and not (tmp_path / "parts").exists() else None
        try:
            done = play_groups(
                resolve(spec), tmp_path / name, Trials(4), stages=LEVELS[:2], progress=progress
            )
        except KeyboardInterrupt:
            assert progress is interrupted
    files = ("curriculum.json", "groups.jsonl", "trajectories.jsonl")
    assert all(
        (tmp_path / "whole" / file).read_bytes() == (tmp_path / "parts" / file).read_bytes() for file in files
    )
    assert done["curriculum"] == {
        "current": "level=2",
        "groups": {"level=1": 5, "level=2": 9},
        "rates": {"level=1": 1.0, "level=2": 1.0},
    }


def test_the_command_draws_by_stages(tmp_path: Path) -> None:
    command = ["groups", WORLDS, "--agent", "give_up", "--k", "2", "--tasks", "4", "--out", tmp_path / "out"]
    done = reported(*command, "--curriculum", "level=[1,2]")
    assert done["curriculum"] == {"current": "level=1", "groups": {"level=1": 4}, "rates": {"level=1": 0.0}}
    assert "lists of equal length" in error_of(stb(*command, "--curriculum", "level=2"))
    file = tmp_path / "out" / "curriculum.json"
    file.write_text(file.read_text().replace("level=1", "level=2", 1))
    told = error_of(stb(*command, "--curriculum", "level=[1,2]"))
    assert told.startswith(f"{file} was changed since it was finished")
    (file.parent / "SHA256SUMS").unlink()
    file.write_text("[[1]]")
    assert f"{file} is damaged" in error_of(stb(*command, "--curriculum", "level=[1,2]"))
