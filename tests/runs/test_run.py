"""Episodes, runs and their resumption."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from stb_env.core.checksums import sealed
from stb_env.errors import ConfigError, DataError, InfrastructureError
from stb_env.runs import Agent, Job, Run, as_agent, plan, play, run_batch
from stb_env.runs.baselines import BASELINES, load_agent
from stb_env.runs.metrics.rates import summarize
from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Trajectory
from stb_env.wrappers import DepthFirstSearch

MANIFEST = {"env": "stb/Sandbox-v1", "seed": 0}


def sandbox() -> Any:
    return gym.make("stb/Sandbox-v1").unwrapped


def mislaying(observation: Any, info: Any) -> Any:
    raise DataError("mislaid")


def jobs(count: int = 6, **kwargs: Any) -> list[Job]:
    return plan(sandbox().tasks, episodes=count, **kwargs)


def test_a_plan_is_in_task_order_with_seeds_of_their_own():
    planned = jobs(3, trials=2, seed=5)
    tasks = sandbox().tasks
    assert [job.task_id for job in planned] == [tasks.at(i).id for i in (0, 0, 1, 1, 2, 2)]
    assert [job.trial for job in planned] == [0, 1] * 3
    assert len({job.seed for job in planned}) == 6


def test_an_episode_seed_does_not_depend_on_how_many_are_played():
    assert jobs(3, seed=1) == jobs(6, seed=1)[:3]


def test_a_plan_has_no_more_episodes_than_there_are_tasks():
    tasks = sandbox().tasks
    assert plan(tasks, episodes=tasks.size + 5) == plan(tasks, episodes=None) == jobs(tasks.size)
    assert len(plan(tasks, episodes=None)) == tasks.size


def test_an_endless_source_needs_a_number_of_episodes():
    env = gym.make("stb/Sandbox-v1", split="train").unwrapped
    with pytest.raises(ConfigError, match=r"generates tasks without end; say how many with --episodes N"):
        plan(env.tasks, episodes=None)


def test_trajectories_survive_writing_and_reading(tmp_path: Path):
    run = Run(tmp_path, MANIFEST)
    played = run_batch(sandbox, load_agent("gold"), jobs(), run)
    run.close()
    assert read_trajectories(tmp_path) == played
    assert all(trajectory.solved for trajectory in played)


@pytest.mark.parametrize("name", ["gold", "random"])
def test_concurrency_changes_no_byte(tmp_path: Path, name: str):
    for workers in (1, 4):
        run = Run(tmp_path / str(workers), MANIFEST)
        run_batch(sandbox, load_agent(name), jobs(12), run, concurrency=workers)
        run.close()
    files = [(tmp_path / str(workers) / "trajectories.jsonl").read_bytes() for workers in (1, 4)]
    assert files[0] == files[1]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path):
    for count in (2, 6, 6):
        run = Run(tmp_path, MANIFEST)
        run_batch(sandbox, load_agent("gold"), jobs(count), run)
        run.close()
    keys = [trajectory.key for trajectory in read_trajectories(tmp_path)]
    assert keys == [job.key for job in jobs(6)]


def test_a_batch_returns_the_episodes_of_earlier_sittings_too(tmp_path: Path):
    for count in (2, 5):
        run = Run(tmp_path, MANIFEST)
        played = run_batch(sandbox, load_agent("gold"), jobs(count), run)
        run.close()
        assert [trajectory.key for trajectory in played] == [job.key for job in jobs(count)]


def test_a_torn_line_is_played_again(tmp_path: Path):
    run = Run(tmp_path, MANIFEST)
    run_batch(sandbox, load_agent("gold"), jobs(3), run)
    run.close()
    file = tmp_path / "trajectories.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    run = Run(tmp_path, MANIFEST)
    run_batch(sandbox, load_agent("gold"), jobs(3), run)
    run.close()
    assert file.read_bytes() == whole


def test_another_configuration_is_refused_with_the_difference(tmp_path: Path):
    Run(tmp_path, MANIFEST).close()
    with pytest.raises(
        ConfigError, match=r"another configuration \(seed: there 0, now 1\); use another --out"
    ):
        Run(tmp_path, MANIFEST | {"seed": 1})


@pytest.mark.parametrize(
    ("there", "now", "difference"),
    [
        (MANIFEST, MANIFEST | {"votes": 3}, "votes: there None, now 3"),
        (MANIFEST | {"votes": 3}, MANIFEST, "votes: there 3, now None"),
    ],
)
def test_a_setting_that_only_one_of_two_configurations_has_is_a_difference(
    tmp_path: Path, there: dict[str, Any], now: dict[str, Any], difference: str
):
    Run(tmp_path, there).close()
    with pytest.raises(ConfigError, match=rf"another configuration \({difference}\); use another --out"):
        Run(tmp_path, now)


def test_the_replay_agent_repeats_a_saved_run(tmp_path: Path):
    run = Run(tmp_path, MANIFEST)
    first = run_batch(sandbox, load_agent("random"), jobs(), run)
    run.close()
    again = run_batch(sandbox, load_agent(f"replay:{tmp_path}"), jobs())
    assert [t.to_json() for t in again] == [replace(t, run="").to_json() for t in first]


def test_an_agent_whose_model_fails_ends_the_episode_as_invalid():
    class Failing(Agent):
        def act(self, observation: Any, info: Any) -> Any:
            raise InfrastructureError("no model", kind="rate_limit", stage="agent", retryable=True)

    (job,) = jobs(1)
    trajectory = play(sandbox(), Failing(), task_id=job.task_id, seed=job.seed)
    assert (trajectory.valid, trajectory.reward, trajectory.steps) == (False, 0.0, [])
    assert trajectory.failure is not None
    assert trajectory.failure["kind"] == "rate_limit"


def test_the_reward_of_an_episode_is_the_sum_over_its_steps():
    env = gym.make("stb/Sandbox-v1", reward="dense").unwrapped
    (job,) = jobs(1)
    trajectory = play(env, load_agent("gold")(), task_id=job.task_id, seed=job.seed)
    rewards = [step["reward"] for step in trajectory.steps]
    assert rewards[-1] != pytest.approx(1.0)
    assert trajectory.reward == pytest.approx(sum(rewards)) == pytest.approx(1.0)


def test_an_episode_that_its_agent_left_keeps_the_conversation_so_far():
    class Tired(Agent):
        said = False

        def act(self, observation: Any, info: Any) -> Any:
            if self.said:
                raise InfrastructureError("no model", kind="rate_limit", stage="agent", retryable=True)
            self.said = True
            return "Let me think."

    (job,) = jobs(1)
    trajectory = play(sandbox(), Tired(), task_id=job.task_id, seed=job.seed)
    assert (len(trajectory.steps), trajectory.final_answer) == (1, "")
    assert [message["role"] for message in trajectory.messages] == ["system", "user", "assistant", "user"]
    assert trajectory.messages[2]["content"] == "Let me think."


def test_of_two_answers_in_one_step_the_one_that_is_judged_is_that_of_the_trajectory():
    def answer(text: str) -> dict[str, Any]:
        refusal = {"reason": "not_found", "what": ["film"]}
        return {"name": "Finish", "arguments": {"cannot": refusal, "final_answer": text}}

    (job,) = jobs(1)
    env = sandbox()
    agent = as_agent(lambda observation, info: [answer("one"), answer("other")])
    trajectory = play(env, agent, task_id=job.task_id, seed=job.seed)
    assert trajectory.final_answer == env.snapshot().final_answer == "one"


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_agent_of_a_batch_plays_the_environment_that_it_wraps(concurrency: int):
    class Searching(Agent):
        def wrap(self, env: Any) -> Any:
            return DepthFirstSearch(env, max_queries=1)

        def act(self, observation: Any, info: Any) -> Any:
            return "Let me think."

    played = run_batch(sandbox, Searching, jobs(3), concurrency=concurrency)
    assert [trajectory.tree["queries"] for trajectory in played] == [1, 1, 1]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_every_environment_of_a_batch_is_closed_in_the_end(concurrency: int):
    closed, made = [], []

    def make() -> Any:
        env = sandbox()
        env.close = lambda: closed.append(env)
        made.append(env)
        return env

    run_batch(make, load_agent("gold"), jobs(4), concurrency=concurrency)
    assert 1 <= len(made) <= concurrency
    assert {id(env) for env in closed} == {id(env) for env in made}
    with pytest.raises(DataError, match=r"^mislaid$"):
        run_batch(make, lambda: as_agent(mislaying), jobs(1))
    assert len(closed) == len(made)


def test_a_bug_in_an_agent_is_not_hidden():
    def broken(observation: Any, info: Any) -> Any:
        raise ZeroDivisionError

    (job,) = jobs(1)
    with pytest.raises(ZeroDivisionError):
        play(sandbox(), as_agent(broken), task_id=job.task_id, seed=job.seed)


def test_after_an_error_that_is_about_the_whole_run_no_further_episode_is_begun(
    monkeypatch: pytest.MonkeyPatch,
):
    """Episodes that wait for each other until the pool is left show which ones were begun."""
    left = threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, *args: Any, **options: Any) -> None:
            left.set()
            super().shutdown(*args, **options)

    monkeypatch.setattr("stb_env.runs.players.ThreadPoolExecutor", Pool)
    planned, begun = jobs(12), []

    def policy(observation: Any, info: Any) -> Any:
        begun.append(info["task_id"])
        if info["task_id"] == planned[0].task_id:
            mislaying(observation, info)
        left.wait(60)
        return {"name": "Finish", "arguments": {"cannot": {"reason": "not_found", "what": ["film"]}}}

    with pytest.raises(DataError, match=r"^mislaid$"):
        run_batch(sandbox, lambda: as_agent(policy), planned, concurrency=2)
    # At most one more for each worker.
    assert len(begun) <= 3


def test_invalid_episodes_are_counted_and_left_out_of_rates():
    gold = run_batch(sandbox, load_agent("gold"), jobs(4))
    failure = {"kind": "timeout", "stage": "real", "retryable": True, "message": ""}
    failed = [replace(gold[0], valid=False, reward=0.0, verdict=None, failure=failure)]
    summary = summarize(gold + failed, planned=6)
    assert (summary["solved_valid"], summary["invalid"], summary["failures"]) == (1.0, 1, {"timeout": 1})
    assert summary["solved_all"] == round(4 / 6, 6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{}", "not a trajectory line"),
        ("nonsense", "not a trajectory line"),
        ('{"version": 99}', "trajectory version 99; this package reads 3"),
    ],
)
def test_a_broken_line_is_named_with_file_and_number(tmp_path: Path, line: str, message: str):
    (tmp_path / "trajectories.jsonl").write_text(line + "\n")
    with pytest.raises(DataError, match=rf"trajectories.jsonl, line 1: {message}"):
        read_trajectories(tmp_path)


def test_lines_are_of_version_3_and_those_of_earlier_ones_are_read(tmp_path: Path):
    (job,) = jobs(1)
    episode = play(sandbox(), load_agent("gold")(), task_id=job.task_id, seed=job.seed)
    assert episode.to_json().startswith('{"version": 3, ')
    data = episode.to_dict()
    said = {"answer": episode.text}
    later = ("final_answer", "reward_mode")
    lines = [{**data, **said, "version": version, "trial": version} for version in (1, 2)]
    for line in lines:
        for name in later:
            del line[name]
    (tmp_path / "trajectories.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = read_trajectories(tmp_path)
    assert [(one.answer, one.final_answer, one.reward_mode) for one in read] == [
        (None, episode.text, "sparse")
    ] * 2


WRONG_TYPES = [
    ({"steps": None}, "steps is a list of objects, got None"),
    ({"steps": ["x"]}, "steps is a list of objects, got 'x' at 0"),
    ({"steps": [{}]}, "calls of steps 0 is a list, got None"),
    ({"messages": "hello"}, "messages is a list of objects, got 'hello'"),
    ({"messages": [{}]}, "role of messages 0 is text, got None"),
    ({"tools": None}, "tools is a list of objects, got None"),
    ({"verdict": "solved"}, "verdict is an object or null, got 'solved'"),
    ({"verdict": {}}, "status of verdict is text, got None"),
    ({"reward": "1"}, "reward is a number, got '1'"),
    ({"trial": "a"}, "trial is a whole number, got 'a'"),
    ({"trial": True}, "trial is a whole number, got True"),
    ({"task_id": None}, "task_id is text, got None"),
    ({"valid": 1}, "valid is true or false, got 1"),
    ({"usage": None}, "usage is an object, got None"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG_TYPES)
def test_a_field_of_another_type_is_named_with_file_and_number(tmp_path: Path, fields: Any, message: str):
    whole = Trajectory("s", "", "7", 0, 0, "?", [], [], [], None, "", None, 0.0, True, None, {}).to_dict()
    lines = [sealed(json.dumps(whole)), sealed(json.dumps(whole | fields))]
    (tmp_path / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in lines))
    expected = rf"trajectories.jsonl, line 2: not a trajectory line \({re.escape(message)}\): "
    with pytest.raises(DataError, match=expected):
        read_trajectories(tmp_path)


# -- agents by name ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(BASELINES.keys() - {"replay", "chat", "code"}))
def test_every_baseline_plays_an_episode(name: str):
    (job,) = jobs(1)
    trajectory = play(sandbox(), load_agent(name)(), task_id=job.task_id, seed=job.seed)
    assert trajectory.valid


def test_an_agent_is_loaded_from_a_file_and_from_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "mine.py"
    file.write_text(
        "from stb_env.runs.baselines.null import Echo as Mine\ndef policy(obs, info): return 'hm'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load_agent(f"{file}:Mine")().name == "echo"
    assert load_agent("mine:policy")().act({}, {}) == "hm"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "golden",
            r"^no agent 'golden'; give a name \(.*\), path.py:Name or .*\. Did you mean 'gold'\?$",
        ),
        ("nowhere.py:X", r"^nowhere.py does not exist; give the path of a Python file$"),
        ("no_such_module:X", r"^cannot import 'no_such_module' \(.*\); is it installed or on PYTHONPATH\?$"),
        ("stb_env:Agnt", r"^stb_env defines no 'Agnt'\. Did you mean 'Agent'\?$"),
        ("stb_env:__version__", r"is a str; expected an Agent class or a policy function$"),
    ],
)
def test_an_agent_that_does_not_exist_is_answered(spec: str, message: str):
    with pytest.raises(ConfigError, match=message):
        load_agent(spec)


# -- killed runs ---------------------------------------------------------------------------------
