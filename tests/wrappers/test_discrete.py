"""A task as a choice among candidate actions."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

import stb_env  # noqa: F401 (registers the environments)
from stb_env.envs.finish import finish_form
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs import Agent
from stb_env.runs import play as record
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.wrappers import DiscreteActions, proposals
from stb_env.wrappers.documented import documented
from stb_env.wrappers.features import ANSWER_FEATURES, CALL_FEATURES, FEATURES
from stb_env.wrappers.mentions import mentions

INFO = ("action_mask", "candidates")


def make(size: int = 64, finish: bool = True, texts: bool = True, **more: Any) -> DiscreteActions:
    env = gym.make("stb/Sandbox-v1", split="train", **more)
    return DiscreteActions(env, size=size, finish=finish, texts=texts)


def started(task: str = "train-contact_phone-0", **more: Any) -> tuple[DiscreteActions, Any, Any]:
    env = make(**more)
    return env, *env.reset(seed=0, options={"task_id": task})


def play(env: DiscreteActions, seed: int) -> list[Any]:
    """Play one episode of random choices and return everything that was seen, as plain data."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    seen = [_plain(observation, info)]
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(rng.integers(len(info["candidates"])))
        over = terminated or truncated
        seen.append([_plain(observation, info), reward, terminated, truncated])
    return seen


def _plain(observation: dict[str, Any], info: dict[str, Any]) -> list[Any]:
    return [
        {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in part.items()}
        for part in (observation, info)
    ]


def calls_of(info: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = [json.loads(text) for text in info["candidates"]]
    return [call["arguments"] for call in found if call["name"].startswith(name)]


def answers_of(info: dict[str, Any]) -> list[Any]:
    """Return the answers on offer: typed ones as objects, others as text."""
    return [
        given["answer"] if "answer" in given else given["final_answer"] for given in calls_of(info, FINISH)
    ]


def feature(observation: dict[str, Any], index: int, name: str) -> float:
    return float(observation["features"][index, FEATURES.index(name)])


def choose(env: DiscreteActions, info: dict[str, Any], *parts: str) -> Any:
    index = next(i for i, text in enumerate(info["candidates"]) if all(part in text for part in parts))
    return env.step(index)


# -- the contract --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("finish", [True, False])
@pytest.mark.parametrize("texts", [True, False])
def test_gymnasium_accepts_it(finish: bool, texts: bool):
    check_env(make(finish=finish, texts=texts), skip_render_check=True)


def test_observations_are_arrays_and_numbers_unless_texts_are_asked_for():
    plain, written = (DiscreteActions(gym.make("stb/Sandbox-v1"), texts=texts) for texts in (False, True))
    assert {name: type(space) for name, space in plain.observation_space.items()} == {
        "features": Box,
        "status": Discrete,
        "turn": Discrete,
    }
    assert {*written.observation_space} - {*plain.observation_space} == {"query", "tools", "result"}
    observation, _ = plain.reset(seed=0)
    assert observation in plain.observation_space


def test_an_episode_is_recorded_with_its_query_whatever_is_observed():
    class First(Agent):
        name = "first"

        def act(self, observation: Any, info: Any) -> int:
            return info["candidates"].index(next(text for text in info["candidates"] if FINISH in text))

    episodes = [
        record(make(texts=texts), First(), task_id="train-sun_times-0", seed=0) for texts in (True, False)
    ]
    assert episodes[0].query == episodes[1].query != ""


def test_what_follows_from_equal_sights_is_worked_out_once(monkeypatch: pytest.MonkeyPatch):
    seen = play(make(max_turns=5), seed=11)
    monkeypatch.setattr(proposals, "_fillings", None)
    assert play(make(max_turns=5), seed=11) == seen


@settings(max_examples=25)
@given(st.integers(0, 2**31), st.sampled_from([2, 7, 64]))
def test_mask_candidates_and_features_agree_at_every_step(seed: int, size: int):
    env = make(size, max_turns=6)
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        count = len(info["candidates"])
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].tolist() == [1] * count + [0] * (size - count)
        assert env.action_masks().tolist() == (info["action_mask"] == 1).tolist()
        assert len(set(info["candidates"])) == count > 0
        assert observation in env.observation_space
        assert not observation["features"][count:].any()
        assert all(env.unwrapped.rules.max_turns and json.loads(text)["name"] for text in info["candidates"])
        observation, _, terminated, truncated, info = env.step(rng.integers(count))
        over = terminated or truncated
    assert info["candidates"] == []
    assert not info["action_mask"].any()
    assert not observation["features"].any()


def test_a_candidate_is_the_call_that_is_made():
    env, _, info = started()
    text = info["candidates"][2]
    _, _, _, _, info = env.step(2)
    call = json.loads(text)
    assert [(made["name"], made["arguments"]) for made in info["calls"]] == [
        (call["name"], call["arguments"])
    ]


@pytest.mark.parametrize(
    "action",
    [
        63,
        -1,
        64,
        10**6000,
        1.0,
        None,
        "0",
        '{"name": "search_contacts_for_contact_book", "arguments": {"name": "a"}}',
        {"name": "search_contacts_for_contact_book", "arguments": {"name": "a"}},
        np.array([0, 1]),
    ],
    ids=lambda action: str(type(action).__name__),
)
def test_what_is_no_candidate_costs_a_turn_and_says_why(action: Any):
    env, _, info = started()
    count = len(info["candidates"])
    observation, reward, terminated, truncated, after = env.step(action)
    assert json.loads(observation["result"]) == {
        "error": f"no such candidate; choose an index below {count}, where action_mask is 1",
        "response": "",
    }
    assert (observation["status"], observation["turn"], after["calls"]) == (Status.NO_CALL, 1, [])
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert after["candidates"] == info["candidates"]


@pytest.mark.parametrize("action", [np.int64(0), np.array(0), np.uint8(0), 0])
def test_every_integer_is_an_index(action: Any):
    env, _, _ = started()
    assert env.step(action)[0]["status"] != Status.NO_CALL


def test_stepping_before_reset_raises_gymnasiums_own_error():
    with pytest.raises(ResetNeeded, match=r"call env\.reset\(\) first"):
        make().step(0)


def test_stepping_after_the_end_raises_gymnasiums_own_error():
    env, _, info = started()
    choose(env, info, '"Finish"')
    with pytest.raises(ResetNeeded, match="this episode is over"):
        env.step(0)


def test_a_size_below_two_is_refused():
    with pytest.raises(ConfigError, match=r"^size must be at least 2 candidates, got 1$"):
        make(1)


def test_awaiting_and_stepping_give_the_same():
    env, _, _ = started()
    other, _, _ = started()
    observation, *_ = env.step(1)
    awaited, *_ = asyncio.run(other.astep(1))
    assert _plain(observation, {}) == _plain(awaited, {})


@pytest.mark.heavy
def test_equal_episodes_are_equal_in_another_process_with_another_hash_seed():
    code = (
        "import json; from tests.wrappers.test_discrete import make, play; "
        "print(json.dumps([play(make(max_turns=5), seed) for seed in range(4)]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(made.stdout) == json.loads(
        json.dumps([play(make(max_turns=5), seed) for seed in range(4)])
    )


def test_a_pickled_snapshot_offers_the_same_choices_elsewhere():
    env, _, _ = started()
    env.step(0)
    other = make()
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    assert _plain(*other.step(1)[::4]) == _plain(*env.step(1)[::4])


def test_a_fork_keeps_its_choices_whatever_its_origin_does():
    env, _, info = started()
    branch, twin = env.fork(), env.fork()
    choose(env, info, '"Finish"')
    assert _plain(*branch.step(0)[::4]) == _plain(*twin.step(0)[::4])


def test_vector_environments_batch_mask_and_features():
    envs = SyncVectorEnv([make, make])
    observation, info = envs.reset(seed=3)
    assert observation["features"].shape == (2, 64, len(FEATURES))
    assert info["action_mask"].shape == (2, 64)
    assert envs.step(np.array([0, 0]))[0]["turn"].tolist() == [1, 1]


def test_a_spec_makes_it_again():
    made = make(size=9, finish=False).spec
    assert made is not None
    again = gym.make(made)
    assert isinstance(again, DiscreteActions)
    assert (again.size, again.finish) == (9, False)


# -- what it may know ------------------------------------------------------------------------------


class WithoutGold(SandboxTasks):
    """Sandbox tasks that know neither solution nor goal; the household stays, in which the world starts."""

    def get(self, task_id: str) -> Task:
        task = super().get(task_id)
        record = {"household": task.record["household"]}
        return replace(task, gold=(), goal={}, relevant=(), record=record)


@pytest.mark.parametrize(
    "template", ["contact_phone", "city_high", "fill_cart", "move_event", "convert_amount"]
)
def test_nothing_that_is_offered_depends_on_gold_or_goal(template: str):
    known = make()
    blind = DiscreteActions(ToolEnv(WithoutGold("train"), SandboxWorld(), ExactJudge()), texts=True)
    options = {"task_id": f"train-{template}-1"}
    (one, info), (other, blind_info) = (env.reset(seed=0, options=options) for env in (known, blind))
    for step in range(6):
        assert [info[key] for key in INFO[1:]] == [blind_info[key] for key in INFO[1:]]
        assert np.array_equal(one["features"], other["features"])
        calls = [i for i, text in enumerate(info["candidates"]) if FINISH not in text]
        one, _, _, _, info = known.step(calls[step % len(calls)])
        other, _, _, _, blind_info = blind.step(calls[step % len(calls)])


# -- candidates ------------------------------------------------------------------------------------


def test_an_id_from_a_result_fills_the_next_call():
    env, observation, info = started()
    name = next(mention.value for mention in mentions(observation["query"]) if mention.kind == "name")
    _, _, _, _, info = choose(env, info, "search_contacts", f'"{name}"')
    key = next(row["contact_id"] for row in info["calls"][0]["response"]["results"] if row["name"] == name)
    assert calls_of(info, "contact_details")[0] == {"contact_id": key}


def test_answers_quote_the_values_of_a_result():
    env, observation, info = started()
    name = next(mention.value for mention in mentions(observation["query"]) if mention.kind == "name")
    _, _, _, _, info = choose(env, info, "search_contacts", f'"{name}"')
    _, _, _, _, info = choose(env, info, "contact_details")
    row = info["calls"][0]["response"]
    assert {"phone": row["phone"]} in answers_of(info)
    assert (
        env.fork().step(next(i for i, text in enumerate(info["candidates"]) if "Finish" in text))[2] is True
    )
    _, reward, terminated, *_ = choose(env, info, '"answer": {"phone"', row["phone"])
    assert (reward, terminated) == (1.0, True)


def test_every_offered_answer_of_the_sandbox_is_one_that_its_finish_takes():
    env = make()
    rng = np.random.default_rng(0)
    for index in range(25):
        task = env.unwrapped.tasks.at(index)
        _, info = env.reset(seed=index, options={"task_id": task.id})
        for _ in range(3):
            for arguments in calls_of(info, FINISH):
                assert finish_form(task).read(ToolCall(FINISH, arguments)).problem == ""
            calls = [place for place, text in enumerate(info["candidates"]) if FINISH not in text]
            info = env.step(int(rng.choice(calls)))[4]


def test_a_result_without_finish_words_still_offers_text_where_the_answer_is_text():
    env = DiscreteActions(gym.make("stb/I1Instruction-v0"))
    _, info = env.reset(seed=0)
    assert answers_of(info) == ["Done."]


def test_without_finish_no_answer_is_offered():
    env, _, info = started(finish=False)
    assert answers_of(info) == []
    assert answers_of(env.step(0)[4]) == []


def test_a_task_without_tools_offers_an_answer():
    tasks = TaskSet([Task("1", "Hello?", (), checked=False)], "talk")
    env = DiscreteActions(ToolEnv(tasks, SandboxWorld(), ExactJudge()))
    assert answers_of(env.reset(seed=0)[1]) == ["Done."]


def test_few_candidates_still_offer_every_tool():
    _, observation, info = started(size=12)
    offered = {json.loads(text)["name"] for text in info["candidates"]}
    assert offered == {tool.name for tool in documented(observation["tools"])} | {FINISH}


def test_suites_without_a_world_have_candidates_too():
    env = DiscreteActions(gym.make("stb/I1Instruction-v0"))
    _, info = env.reset(seed=0)
    assert len(info["candidates"]) > 1
    assert env.step(0)[4]["calls"][0]["status"] == Status.OK


# -- features --------------------------------------------------------------------------------------


def test_every_column_has_one_name():
    assert (*CALL_FEATURES, *ANSWER_FEATURES) == FEATURES == make().feature_names
    assert len(set(FEATURES)) == len(FEATURES)


def test_a_call_that_was_made_is_marked_as_repeated():
    env, observation, info = started()
    assert feature(observation, 0, "call_repeated") == 0.0
    text = info["candidates"][0]
    observation, _, _, _, info = env.step(0)
    index = info["candidates"].index(text)
    assert feature(observation, index, "call_repeated") == feature(observation, index, "tool_called") == 1.0


def test_answers_alone_tell_the_turn():
    env, _, _ = started()
    observation, _, _, _, info = env.step(0)
    turns = observation["features"][:, FEATURES.index("turn")]
    finish = observation["features"][:, FEATURES.index("finish")]
    assert finish.sum() == len(answers_of(info))
    assert np.array_equal(turns, finish / 8)


def test_using_what_the_query_says_counts_as_progress():
    env, observation, info = started("train-sun_times-0")
    assert feature(observation, len(info["candidates"]) - 1, "mentions_used") == 0.0
    observation, _, _, _, info = env.step(
        int(observation["features"][:, FEATURES.index("new_mentions")].argmax())
    )
    assert feature(observation, len(info["candidates"]) - 1, "mentions_used") == 1.0
