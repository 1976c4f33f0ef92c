"""The engine's tokens, joined where prompts extend each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.formats.engine_tokens import has_tokens, token_samples
from stb_env.formats.rl import rl_records
from stb_env.trajectory import Trajectory

ids = st.lists(st.integers(0, 9), max_size=4)
turns = st.lists(st.tuples(ids, st.lists(st.integers(0, 9), min_size=1, max_size=4)), min_size=1, max_size=5)


def step(prompt, completion, logprobs=None):
    engine = {"prompt_token_ids": prompt, "token_ids": completion}
    if logprobs is not None:
        engine["logprobs"] = {"content": [{"token": "x", "logprob": value} for value in logprobs]}
    return {"calls": [], "engine": engine}


@given(turns)
def test_prompts_that_extend_each_other_are_one_sample_that_masks_what_was_read(played):
    steps, text = [], []
    for heard, said in played:
        text += heard
        steps.append(step(list(text), said, [-1.0] * len(said)))
        text += said
    (sample,) = token_samples(steps)
    assert sample.ids == text
    own = [token for token, mask in zip(sample.completion, sample.mask, strict=True) if mask]
    assert own == [token for _, said in played for token in said]
    assert sample.logprobs == [-1.0 * mask for mask in sample.mask]


def test_a_prompt_that_lost_an_earlier_token_begins_a_sample_of_its_own():
    first, shortened = step([1, 2], [3]), step([1, 9, 3, 4], [5])
    one, other = token_samples([first, shortened])
    assert (one.ids, one.steps) == ([1, 2, 3], [0])
    assert (other.prompt, other.completion, other.mask, other.steps) == ([1, 9, 3, 4], [5], [1], [1])


def test_a_prompt_that_ends_before_the_last_reply_did_is_no_extension():
    assert len(token_samples([step([1, 2], [3, 4]), step([1, 2, 3], [5])])) == 2


def test_one_step_without_log_probabilities_leaves_none_for_its_sample():
    (sample,) = token_samples([step([1], [2], [-0.5]), step([1, 2], [3])])
    assert sample.logprobs is None


def test_a_step_without_ids_is_named():
    steps = [step([1], [2]), {"calls": [], "engine": {"finish_reason": "stop"}}]
    assert (has_tokens(steps), has_tokens(steps[:1]), has_tokens([])) == (False, True, False)
    message = "^step 1 has no prompt_token_ids and no token_ids; ask the engine for them$"
    with pytest.raises(DataError, match=message):
        token_samples(steps)


def test_log_probabilities_of_other_tokens_are_refused():
    with pytest.raises(DataError, match=r"^step 0 has 2 log probabilities for 1 tokens$"):
        token_samples([step([1], [2], [-0.5, -0.5])])


def test_every_part_of_an_episode_has_its_reward_and_advantage():
    steps = [step([1, 2], [3]), step([4], [5])]
    episode = Trajectory("s", "g", "7", 2, 3, "?", [], [], steps, None, "", None, 0.5, True, None, {})
    records = list(rl_records(episode, -0.25))
    assert [(each["part"], each["parts"], each["reward"], each["advantage"]) for each in records] == [
        (0, 2, 0.5, -0.25),
        (1, 2, 0.5, -0.25),
    ]
