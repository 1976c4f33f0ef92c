"""Text and tool-call spaces."""

from __future__ import annotations

import copy
import json
import pickle

import gymnasium as gym
import jsonschema_rs
import numpy as np
import pytest
from gymnasium.spaces.utils import flatten, flatten_space, unflatten
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.answers import form_problems, object_schema
from stb_env.envs.finish import finish_form
from stb_env.errors import ConfigError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.spaces import TextSpace, ToolCallSpace, sample_arguments
from stb_env.suites.sandbox.env import make as sandbox
from stb_env.tools import FINISH, Tool, ToolCall

scalars = st.one_of(
    st.just({"type": "string"}),
    st.sampled_from([{"type": "string", "format": form} for form in ("date", "time", "code")]),
    st.just({"type": "boolean"}),
    st.just({"type": ["number", "string"]}),
    st.integers(-5, 5).map(lambda low: {"type": "integer", "minimum": low, "maximum": low + 3}),
    st.lists(st.integers() | st.text(max_size=5), min_size=1, max_size=4).map(
        lambda values: {"enum": values}
    ),
)
schemas = st.recursive(
    scalars,
    lambda inner: (
        inner.map(lambda s: {"type": "array", "items": s})
        | inner.map(lambda s: {"type": "array", "items": s, "uniqueItems": True, "maxItems": 2})
        | st.dictionaries(st.text(max_size=5), inner, max_size=3).map(
            lambda p: {"type": "object", "properties": p, "required": list(p)[:1]}
        )
    ),
    max_leaves=6,
)


def tool(name: str) -> Tool:
    return Tool(name, "", {"type": "object", "properties": {}})


@given(st.dictionaries(st.text(max_size=5), schemas, max_size=4), st.integers(0, 2**32))
def test_sampled_arguments_satisfy_their_schema(properties: dict, seed: int):
    schema = {"type": "object", "properties": properties, "required": list(properties)[:2]}
    drawn = sample_arguments(schema, np.random.default_rng(seed))
    assert jsonschema_rs.is_valid(schema, drawn)
    assert not list(form_problems(schema, drawn))


def test_a_mask_leaves_only_the_tools_it_names():
    space = ToolCallSpace((tool("a"), tool("b"), tool("c")), seed=0)
    drawn = {json.loads(space.sample(mask=np.array([0, 1, 0], dtype=np.int8)))["name"] for _ in range(20)}
    assert drawn == {"b"}


def test_a_probability_weighs_the_tools():
    space = ToolCallSpace((tool("a"), tool("b")), seed=0)
    drawn = [json.loads(space.sample(probability=np.array([0.9, 0.1])))["name"] for _ in range(200)]
    assert 150 < drawn.count("a") < 200


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"mask": np.array([1])}, r"must have shape \(2,\) and a positive entry"),
        ({"mask": np.array([0, 0])}, r"must have shape \(2,\) and a positive entry"),
        (
            {"mask": np.array([1, 0]), "probability": np.array([1, 0])},
            r"^give either mask or probability, not both$",
        ),
    ],
)
def test_a_mask_that_makes_no_sense_is_refused(kwargs: dict, message: str):
    with pytest.raises(ConfigError, match=message):
        ToolCallSpace((tool("a"), tool("b"))).sample(**kwargs)


def test_equal_seeds_draw_equal_calls():
    spaces = [ToolCallSpace((tool("a"), tool("b"))) for _ in range(2)]
    for space in spaces:
        space.seed(5)
    assert [spaces[0].sample() for _ in range(9)] == [spaces[1].sample() for _ in range(9)]


def test_spaces_are_equal_by_type_and_bound():
    assert TextSpace(5) == TextSpace(5) != TextSpace(6)
    assert ToolCallSpace((tool("a"),)) == ToolCallSpace((tool("b"),))
    assert TextSpace(1_000_000) != ToolCallSpace()


def test_membership_is_by_type_and_length():
    space = TextSpace(3)
    assert "abc" in space
    assert "\ud800" in space
    assert "abcd" not in space
    assert b"abc" not in space


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_a_copy_is_equal_and_draws_on_its_own(clone):
    space = ToolCallSpace((tool("a"), tool("b")), seed=1)
    other = clone(space)
    other.seed(3)
    assert other == space
    assert other.sample()


def test_a_text_space_has_nothing_to_mask():
    with pytest.raises(ConfigError, match="has no alternatives to mask"):
        TextSpace(3).sample(mask=1)


def test_required_members_are_there_however_deep_they_lie():
    schema = {"type": "integer"}
    for _ in range(8):
        schema = object_schema({"x": schema})
    drawn = sample_arguments(schema, np.random.default_rng(0))
    assert jsonschema_rs.is_valid(schema, drawn)


def test_every_sampled_finish_of_the_sandbox_is_a_valid_answer():
    env = sandbox()
    seen = 0
    for index in range(60):
        task = env.tasks.at(index)
        env.reset(seed=index, options={"task_id": task.id})
        form = finish_form(task)
        only = np.array([tool.name == FINISH for tool in env.action_space.tools], dtype=np.int8)
        for _ in range(5):
            call = json.loads(env.action_space.sample(mask=only))
            finish = form.read(ToolCall(call["name"], call["arguments"]))
            assert (finish.kind, finish.problem) == ("answer", "")
            seen += finish.answer is not None
    assert seen == 300


def test_the_random_agent_ends_its_episodes_and_earns_nothing():
    env = sandbox()
    played = [play(env, load_agent("random")(), task_id=env.tasks.at(n).id, seed=n) for n in range(12)]
    assert any(episode.answer is not None for episode in played)
    assert {episode.reward for episode in played} == {0.0}


def limited(env):
    return gym.wrappers.TimeLimit(env, env.get_wrapper_attr("max_turns"))


GYMNASIUM = {
    "FrameStackObservation": lambda env: gym.wrappers.FrameStackObservation(env, 3),
    "of zeros": lambda env: gym.wrappers.FrameStackObservation(env, 3, padding_type="zero"),
    "DelayObservation": lambda env: gym.wrappers.DelayObservation(env, 1),
    "FlattenObservation": gym.wrappers.FlattenObservation,
    "TimeAwareObservation": lambda env: gym.wrappers.TimeAwareObservation(limited(env)),
    "time as it is": lambda env: gym.wrappers.TimeAwareObservation(limited(env), flatten=False),
    "flattened stack": lambda env: gym.wrappers.FlattenObservation(
        gym.wrappers.FrameStackObservation(env, 2)
    ),
}


@pytest.mark.parametrize("name", GYMNASIUM)
def test_gymnasiums_own_wrappers_take_the_observations(name):
    env = GYMNASIUM[name](gym.make("stb/Sandbox-v1"))
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    assert info["max_turns"] == env.get_wrapper_attr("max_turns") == 24
    assert env.step(env.action_space.sample())[0] in env.observation_space
    assert env.observation_space.sample() in env.observation_space
    assert env.spec.max_episode_steps is None or "ime" in name


@pytest.mark.parametrize("space", [TextSpace(5), ToolCallSpace()])
def test_texts_are_flattened_and_batched_as_they_are(space):
    batch = batch_space(space, 2)
    assert batch.sample() in batch
    assert concatenate(space, ["a", "b"], create_empty_array(space, 2)) == ("a", "b")
    assert list(iterate(batch, ("a", "b"))) == ["a", "b"]
    assert flatten_space(space) == space
    assert unflatten(space, flatten(space, "a")) == "a"
