"""The vector environment: many episodes at a time, as Gymnasium's own vector environments play them."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import stb_env
from stb_env.backend.world import Tables
from stb_env.core.request import Request, Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.envs.vector import ToolVectorEnv
from stb_env.errors import ConfigError, DataError
from stb_env.judges.judge import Case
from stb_env.runs.make import env_ids
from stb_env.testing.notes import TASKS, Notebook, NotesJudge, notes
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.verdict import Verdict
from stb_env.wrappers import DepthFirstSearch, DiscreteActions

NO_CALL = "just talking"
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
MODES = ["NextStep", "SameStep", "Disabled"]


def make(num_envs: int = 2, mode: Any = "NextStep", **settings: Any) -> ToolVectorEnv:
    return ToolVectorEnv(notes(**settings), num_envs, mode)


def started(*task_ids: str, mode: Any = "NextStep", **settings: Any) -> ToolVectorEnv:
    envs = make(len(task_ids), mode, **settings)
    envs.reset(seed=0, options={"task_ids": list(task_ids)})
    return envs


def same(one: Any, other: Any) -> bool:
    return bool(data_equivalence(one, other, exact=True))


# -- beside Gymnasium's own ------------------------------------------------------------------------


def transcript(envs: Any, steps: int = 7) -> list[Any]:
    """Play the same actions, resetting by hand what waits for it, and return all that came back."""
    seen: list[Any] = [envs.reset(seed=3)]
    for turn in range(steps):
        count = envs.num_envs
        actions = [json.dumps([FIND, GIVE_UP][(turn + index) % 3 == 2]) for index in range(count)]
        seen.append(envs.step(actions))
        over = np.logical_or(seen[-1][2], seen[-1][3])
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            seen.append(envs.reset(options={"reset_mask": over}))
    envs.close()
    return seen


@pytest.mark.parametrize("mode", MODES)
def test_equal_seeds_and_actions_give_what_gymnasiums_sync_vector_env_gives(mode: str):
    assert same(transcript(make(3, mode)), transcript(SyncVectorEnv([notes] * 3, autoreset_mode=mode)))


@pytest.mark.heavy
def test_equal_seeds_and_actions_give_what_spawned_processes_give():
    other = AsyncVectorEnv([notes] * 2, shared_memory=False, context="spawn")
    assert same(transcript(make(2), 4), transcript(other, 4))


def test_texts_in_shared_memory_are_refused_with_what_to_pass_instead():
    with pytest.raises(ConfigError, match=r"^the observations are texts, .* shared_memory=False"):
        AsyncVectorEnv([notes] * 2)


@pytest.mark.heavy
@pytest.mark.parametrize("env_id", env_ids())
def test_every_id_has_a_vector_environment(env_id: str):
    envs = gym.make_vec(env_id, num_envs=2, vectorization_mode="vector_entry_point")
    assert isinstance(envs, ToolVectorEnv)
    observations, infos = envs.reset(seed=0)
    assert observations in envs.observation_space
    assert [len(observations[key]) for key in ("query", "status")] == [2, 2]
    assert envs.action_space.sample() in envs.action_space
    envs.close()
    assert infos["_task_id"].all()


@pytest.mark.parametrize("env_id", env_ids())
def test_a_specification_keeps_its_vector_environment_as_json(env_id: str):
    spec = gym.spec(env_id)
    again = EnvSpec.from_json(spec.to_json())
    assert again == spec
    assert again.vector_entry_point == f"stb_env.envs.vector_id:{env_id}"


def test_without_a_mode_it_is_what_make_vec_makes():
    envs = gym.make_vec("stb/Sandbox-v1", num_envs=3, split="train", autoreset_mode="SameStep")
    assert repr(envs) == "ToolVectorEnv(stb/Sandbox-v1, num_envs=3)"
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    again = gym.make_vec(envs.spec)
    assert same(again.reset(seed=1), envs.reset(seed=1))
    assert again.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_gymnasiums_vector_wrappers_go_around_it():
    envs = RecordEpisodeStatistics(started("day", "write"))
    envs.reset(seed=0)
    envs.step([FIND, FIND])
    *_, infos = envs.step([GIVE_UP, FIND])
    assert infos["episode"]["l"].tolist() == [2, 0]
    assert infos["_episode"].tolist() == [True, False]


def test_infos_can_be_had_as_a_list():
    envs = DictInfoToList(make())
    _, infos = envs.reset(seed=0, options={"task_ids": ["day", "move"]})
    assert [info["task_id"] for info in infos] == ["day", "move"]


# -- resets ------------------------------------------------------------------------------------------


def test_one_reset_gives_each_environment_a_task_of_its_own():
    _, infos = make(3).reset(seed=0, options={"task_ids": ["move", "day", "write"]})
    assert infos["task_id"].tolist() == ["move", "day", "write"]


@pytest.mark.parametrize("settings", [{"order": "sequential"}, {}])
def test_a_sequential_order_is_dealt_out_so_that_no_two_meet(settings: dict[str, Any]):
    envs = ToolVectorEnv(stb_env.make("stb/Sandbox-v1", split="train", **settings), 4)
    options = {"order": "sequential"}
    dealt = [envs.reset(options=options)[1]["task_id"].tolist() for _ in range(2)]
    tasks = envs.envs[0].tasks
    assert dealt == [[tasks.at(index).id for index in part] for part in (range(4), range(4, 8))]


def test_a_shard_is_dealt_out_too():
    envs = ToolVectorEnv(stb_env.make("stb/Sandbox-v1", split="train"), 2)
    _, infos = envs.reset(options={"order": "sequential", "shard": (1, 3)})
    tasks = envs.envs[0].tasks
    assert infos["task_id"].tolist() == [tasks.at(1).id, tasks.at(4).id]


def test_a_list_of_seeds_seeds_each_environment():
    envs = ToolVectorEnv(stb_env.make("stb/Sandbox-v1", split="train"), 3)
    _, infos = envs.reset(seed=[5, 9, 5])
    assert infos["task_id"][0] == infos["task_id"][2] != infos["task_id"][1]


@pytest.mark.heavy
def test_forks_of_a_running_episode_draw_apart_without_a_seed():
    env = stb_env.make("stb/Sandbox-v1", split="train")
    env.reset(seed=0)
    _, infos = ToolVectorEnv(env, 6).reset()
    assert len(set(infos["task_id"])) > 1


def test_a_mask_resets_those_it_names_and_leaves_the_rest():
    envs = started("day", "write")
    envs.step([FIND, FIND])
    mask = {"reset_mask": np.array([False, True])}
    observations, infos = envs.reset(seed=4, options=mask)
    assert observations["turn"].tolist() == [1, 0]
    assert infos["_task_id"].tolist() == [False, True]
    assert "reset_mask" in mask


@pytest.mark.parametrize(
    ("seed", "options", "error"),
    [
        ([1], {}, r"^seed must be a number or a list of 2, one for each environment, got \[1\]$"),
        (0, {"task_ids": "day"}, r"^task_ids must be a list of 2, one for each environment, got 'day'$"),
        (0, {"task_ids": ["day"]}, r"^task_ids must be a list of 2, .* got \['day'\]$"),
        (0, {"task_ids": ["day"] * 2, "task_id": "day"}, r"^task_id names one task for all .* give either$"),
        (0, {"reset_mask": [True, False]}, r"^reset_mask must be a numpy array of 2 booleans .* got \[True"),
        (0, {"reset_mask": np.zeros(2, bool)}, r"^reset_mask must be .* with a True among them"),
        (0, {"task": "day"}, r"^unknown reset option 'task'"),
        (0, {"taskids": ["day"]}, r"^unknown reset option 'taskids'; .* Did you mean 'task_ids'\?"),
    ],
)
def test_a_reset_that_makes_no_sense_is_refused(seed: Any, options: dict[str, Any], error: str):
    envs = started("day", "write")
    with pytest.raises(ConfigError, match=error):
        envs.reset(seed=seed, options=options)


def test_a_mask_cannot_leave_out_what_has_no_episode():
    with pytest.raises(ResetNeeded, match=r"^environment 0 has no episode yet; call reset\(\) without"):
        make().reset(options={"reset_mask": np.array([False, True])})


# -- steps -------------------------------------------------------------------------------------------


def test_stepping_before_reset_raises_gymnasiums_own_error():
    with pytest.raises(ResetNeeded, match=r"^no episode is running; call reset\(\) first$"):
        make().step([FIND, FIND])


@pytest.mark.parametrize(
    ("actions", "got"),
    [([FIND], "1"), ([FIND] * 3, "3"), (json.dumps(FIND), "a single one"), (FIND, "a sin")],
)
def test_another_number_of_actions_is_refused(actions: Any, got: str):
    with pytest.raises(ConfigError, match=rf"^step takes a list of 2 actions, .* got {got}"):
        started("day", "write").step(actions)


def test_the_next_step_resets_what_is_over():
    envs = started("day", "write", order="sequential")
    observations, _, terminated, _, infos = envs.step([GIVE_UP, FIND])
    assert (terminated.tolist(), observations["turn"].tolist()) == ([True, False], [1, 1])
    observations, rewards, terminated, _, infos = envs.step([FIND, FIND])
    assert (terminated.tolist(), observations["turn"].tolist()) == ([False, False], [0, 2])
    assert infos["_messages"].tolist() == [True, False]
    assert rewards.tolist() == [0.0, 0.0]


def test_the_same_step_resets_what_is_over_and_keeps_how_it_ended():
    envs = started("day", "write", mode="SameStep")
    observations, _, terminated, _, infos = envs.step([GIVE_UP, FIND])
    assert (terminated.tolist(), observations["turn"].tolist()) == ([True, False], [0, 1])
    assert infos["final_obs"][0]["status"] == 5
    assert infos["final_info"]["verdict"]["status"].tolist() == ["unsolved", None]
    assert infos["_final_info"].tolist() == [True, False]


def test_what_is_over_waits_for_its_reset_where_that_is_disabled():
    envs = started("day", "write", mode="Disabled")
    envs.step([GIVE_UP, FIND])
    before = envs.snapshot()
    with pytest.raises(ResetNeeded, match=r"^the episodes of environments \[0\] are over; call reset"):
        envs.step([FIND, FIND])
    assert envs.snapshot() == before
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.step([FIND, FIND])[0]["turn"].tolist() == [1, 2]


def test_samples_of_the_action_space_are_calls_of_the_current_tasks():
    envs = ToolVectorEnv(stb_env.make("stb/Sandbox-v1", split="train"), 3)
    envs.reset(seed=0)
    for env, action in zip(envs.envs, envs.action_space.sample(), strict=True):
        assert json.loads(action)["name"] in {*(tool.name for tool in env.task.tools), "Finish"}


def test_what_came_back_stays_as_it_was():
    envs = started("day", "write")
    first = envs.step([FIND, FIND])
    kept = pickle.dumps(first)
    envs.step([NO_CALL, NO_CALL])
    assert pickle.dumps(first) == kept


# -- waiting -------------------------------------------------------------------------------------------


class Meeting:
    """A judge or notebook that answers once ``expected`` requests are in flight at the same time."""

    def __init__(self, expected: int) -> None:
        self.expected, self.inside, self.most = expected, 0, 0

    async def meet(self) -> None:
        self.inside += 1
        self.most = max(self.most, self.inside)
        while self.most < self.expected:
            await asyncio.sleep(0)
        self.inside -= 1


class MeetingJudge(NotesJudge):
    """Judges when others judge."""

    def __init__(self, meeting: Meeting) -> None:
        self.meeting = meeting

    def judge(self, case: Case) -> Slow[Verdict]:
        yield Request(run=lambda: None, arun=self.meeting.meet)
        return (yield from super().judge(case))


class MeetingNotebook(Notebook):
    """Answers when others answer; fails on request."""

    def __init__(self, meeting: Meeting) -> None:
        super().__init__()
        self.meeting = meeting

    def answer(self, state: Tables, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Tables]]:
        yield Request(run=lambda: None, arun=self.meeting.meet)
        if call.arguments == {"word": "boom"}:
            raise ZeroDivisionError("the notebook is broken")
        return (yield from super().answer(state, tool, call))


@pytest.mark.parametrize("awaited", [False, True])
def test_calls_that_have_to_wait_wait_together(awaited: bool):
    meeting = Meeting(5)
    envs = ToolVectorEnv(ToolEnv(TASKS, MeetingNotebook(meeting), NotesJudge()), 5)
    envs.reset(seed=0)
    observations, *_ = asyncio.run(envs.astep([FIND] * 5)) if awaited else envs.step([FIND] * 5)
    assert (meeting.most, observations["status"].tolist()) == (5, [0] * 5)


def test_judges_that_have_to_wait_wait_together():
    meeting = Meeting(4)
    envs = ToolVectorEnv(ToolEnv(TASKS, Notebook(), MeetingJudge(meeting)), 4)
    envs.reset(seed=0, options={"task_ids": ["day"] * 4})
    answer = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
    _, rewards, *_ = envs.step([answer] * 4)
    assert (meeting.most, rewards.tolist()) == (4, [1.0] * 4)


def test_one_that_breaks_does_not_keep_the_others_from_ending_their_step():
    envs = ToolVectorEnv(ToolEnv(TASKS, MeetingNotebook(Meeting(3)), NotesJudge()), 3)
    envs.reset(seed=0)
    broken = {"name": "find_notes", "arguments": {"word": "boom"}}
    with pytest.raises(ZeroDivisionError, match=r"^the notebook is broken$"):
        envs.step([FIND, broken, FIND])
    assert [state.turn for state in envs.snapshot().envs] == [1, 0, 1]


def test_where_nothing_has_to_wait_there_is_no_event_loop(monkeypatch: pytest.MonkeyPatch):
    envs = started("day", "write")
    monkeypatch.setattr("stb_env.envs.concurrent_work.wait_for", None)
    assert envs.step([FIND, GIVE_UP])[0]["turn"].tolist() == [1, 1]


def test_reset_and_areset_start_equal_episodes():
    assert same(asyncio.run(make(3).areset(seed=1)), make(3).reset(seed=1))


# -- the environments inside -----------------------------------------------------------------------------


def test_forks_share_tasks_and_backend():
    envs = make(4)
    assert len({id(env.tasks) for env in envs.envs}) == len({id(env.rules.backend) for env in envs.envs}) == 1


def test_methods_and_attributes_of_every_environment_can_be_had():
    envs = started("day", "write")
    assert [task.id for task in envs.get_attr("task")] == ["day", "write"]
    assert [action.calls[0].name for action in envs.call("read", FIND)] == ["find_notes"] * 2
    envs.set_attr("order", ["sequential", "random"])
    envs.set_attr("marked", True)
    assert (envs.get_attr("order"), envs.get_attr("marked")) == (("sequential", "random"), (True, True))
    with pytest.raises(ConfigError, match=r"^values must be one, or a list of 2, got 3 of them$"):
        envs.set_attr("order", ["random"] * 3)


def test_every_environment_renders():
    assert [text.splitlines()[0] for text in started("day", "write", render_mode="ansi").render()] == [
        f"[user] {TASKS.get(name).query}" for name in ("day", "write")
    ]


def test_closing_closes_the_backend_once(monkeypatch: pytest.MonkeyPatch):
    closed = []
    monkeypatch.setattr(Notebook, "close", lambda self: closed.append(self))
    envs = make(3)
    envs.close()
    envs.close()
    assert len(closed) == 1


@pytest.mark.parametrize("wrapped", [DiscreteActions, partial(DepthFirstSearch, max_queries=9)])
def test_wrappers_of_this_package_are_played_too(wrapped: Callable[..., Any]):
    envs = ToolVectorEnv(wrapped(notes()), 2)
    other = SyncVectorEnv([lambda: wrapped(notes())] * 2)
    assert same(envs.reset(seed=2), other.reset(seed=2))
    actions = [0, 1] if wrapped is DiscreteActions else [json.dumps(FIND)] * 2
    assert same(envs.step(np.array(actions)), other.step(np.array(actions)))


# -- branching -------------------------------------------------------------------------------------------


def test_a_pickled_snapshot_continues_elsewhere():
    envs, other = started("day", "write"), make()
    envs.step([GIVE_UP, FIND])
    other.restore(pickle.loads(pickle.dumps(envs.snapshot())))
    again = envs.reset(seed=1, options={"reset_mask": np.array([True, False])})
    assert same(other.reset(seed=1, options={"reset_mask": np.array([True, False])}), again)
    assert same(other.step([FIND, GIVE_UP]), envs.step([FIND, GIVE_UP]))


def test_a_fork_and_its_origin_do_not_see_each_other():
    envs = started("day", "write")
    branch = envs.fork()
    branch.step([GIVE_UP, FIND])
    assert [state.turn for state in envs.snapshot().envs] == [0, 0]
    assert envs.step([FIND, FIND])[2].tolist() == [False, False]


def test_a_snapshot_of_another_number_of_environments_is_refused():
    with pytest.raises(DataError, match=r"^this is a snapshot of 2 environments, but here are 3$"):
        make(3).restore(started("day", "write").snapshot())


# -- construction ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"num_envs": 0}, r"^num_envs must be at least 1, got 0$"),
        ({"num_envs": 2.0}, r"^num_envs must be at least 1, got 2.0$"),
        (
            {"autoreset_mode": "SamStep"},
            r"^autoreset_mode must be one of .* got 'SamStep'\. Did you mean 'SameS",
        ),
    ],
)
def test_a_setting_out_of_range_is_refused(given: dict[str, Any], error: str):
    with pytest.raises(ConfigError, match=error):
        ToolVectorEnv(notes(), **given)


def test_a_foreign_environment_is_refused():
    with pytest.raises(ConfigError, match=r"^a vector environment needs a ToolEnv .* got TimeLimit; put"):
        ToolVectorEnv(gym.make("CartPole-v1"))
