"""Texts as vectors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError
from stb_env.testing.notes import notes
from stb_env.wrappers import DiscreteActions, TextFeatures
from stb_env.wrappers.text_features import hashed

FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}


class Lengths:
    """An encoder of two dimensions: length and number of words."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[len(text), len(text.split())] for text in texts], np.float32)


def test_texts_give_way_to_vectors_of_query_and_result():
    env = TextFeatures(notes(), size=128)
    observation, _ = env.reset(options={"task_id": "day"})
    assert np.array_equal(observation["query_features"], hashed(env.task.query, 128))
    assert not observation["result_features"].any()
    after = env.step(FIND)[0]
    assert np.array_equal(after["query_features"], observation["query_features"])
    assert after["result_features"].any()


@given(st.text(max_size=200), st.sampled_from([2, 33, 256]))
def test_hashed_features_have_unit_length_or_are_zero(text: str, size: int):
    vector = hashed(text, size)
    assert vector.shape == (size,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0 if vector.any() else 0.0, abs=1e-5)
    assert np.abs(vector).max() <= 1.0


@pytest.mark.heavy
def test_hashed_features_are_the_same_in_every_process():
    code = "from stb_env.wrappers.text_features import hashed; print(hashed('Call the bank', 32).tolist())"
    made = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == str(hashed("Call the bank", 32).tolist())


def test_what_comes_back_can_be_changed_without_harm():
    env = TextFeatures(notes(), size=32)
    first, _ = env.reset(options={"task_id": "day"})
    first["query_features"][:] = 9.0
    assert np.array_equal(
        env.reset(options={"task_id": "day"})[0]["query_features"], hashed(env.task.query, 32)
    )


def test_an_encoder_takes_the_place_of_hashing():
    env = TextFeatures(notes(), encoder=Lengths())
    observation, _ = env.reset(options={"task_id": "day"})
    wanted = np.array([len(env.task.query), len(env.task.query.split())], np.float32)
    assert np.allclose(observation["query_features"], wanted / np.linalg.norm(wanted))
    assert observation["result_features"].tolist() == [0.0, 0.0]
    assert observation in env.observation_space


def test_only_the_start_of_a_text_is_read():
    env = TextFeatures(notes(), size=32, characters=2)
    assert np.array_equal(env.reset(options={"task_id": "day"})[0]["query_features"], hashed("On", 32))


def test_it_goes_around_choices_that_keep_their_texts():
    env = TextFeatures(DiscreteActions(notes(), size=8, texts=True), size=32)
    assert sorted(env.observation_space) == [
        "features",
        "query_features",
        "result_features",
        "status",
        "turn",
    ]


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"size": 1}, r"^size must be at least 2 and characters at least 1, got 1 and 4096$"),
        ({"characters": 0}, r"^size must be at least 2 and characters at least 1, got 256 and 0$"),
        ({"encoder": "bert"}, r"^encoder must be None, 'minilm' or an Encoder, got 'bert'$"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, object], error: str):
    with pytest.raises(ConfigError, match=error):
        TextFeatures(notes(), **settings)
