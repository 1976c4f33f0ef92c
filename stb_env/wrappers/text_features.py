"""Texts as vectors, for policies that read numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import cast

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.tool_env import Info, Observation, Transition
from stb_env.errors import ConfigError
from stb_env.retrieval import Encoder, paraphrase_minilm
from stb_env.seeding import derive
from stb_env.spaces import TextSpace
from stb_env.wrappers.base import ToolWrapper

Vector = NDArray[np.float32]

MINILM = "minilm"
_READ = ("query", "result")
_WORD = re.compile(r"\w+")
_KEPT = 4096


class TextFeatures(ToolWrapper):
    """Replaces the texts of an observation by vectors of the query and of the latest result.

    The observation has ``query_features`` and ``result_features``, float32 Boxes of unit length (or zeros),
    beside what was no text before. Hashed features count words and pairs of neighbouring words in one of
    ``size`` places each, with a sign, so that what collides cancels out on average (Weinberger et al., 2009);
    they are the same in every process. An encoder puts texts of a like meaning close together instead.

    Args:
        env: A tool environment whose observation has texts.
        size: Places of the hashed vectors; an encoder has its own size.
        encoder: None for hashed features, ``minilm`` for the sentence encoder of the extra ``minilm``, or an
            `Encoder`.
        characters: How much of a text is read, from its start.

    Raises:
        ConfigError: A setting is out of range, or the observation has no texts.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = TextFeatures(notes(), size=64)
        >>> observation, _ = env.reset(options={"task_id": "write"})
        >>> sorted(observation), observation["query_features"].shape
        (['query_features', 'result_features', 'status', 'turn'], (64,))
        >>> float(observation["result_features"].sum())
        0.0
    """

    reads_texts = _READ

    @checks_settings
    def __init__(
        self, env: AnyEnv, size: int = 256, encoder: str | Encoder | None = None, characters: int = 4096
    ) -> None:
        if size < 2 or characters < 1:
            raise ConfigError(
                f"size must be at least 2 and characters at least 1, got {size} and {characters}"
            )
        if isinstance(encoder, str) and encoder != MINILM:
            raise ConfigError(f"encoder must be None, {MINILM!r} or an Encoder, got {encoder!r}")
        super().__init__(env, _disable_deepcopy=True, size=size, encoder=encoder, characters=characters)
        inside = cast(Dict, self.env.observation_space)
        self.size, self.encoder, self.characters = size, encoder, characters
        kept = {name: space for name, space in inside.items() if not isinstance(space, TextSpace)}
        box = Box(-1.0, 1.0, self._vector("size").shape, np.float32)
        self.observation_space = Dict({**kept, **{f"{name}_features": box for name in _READ}})
        self._kept = tuple(kept)

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        return self._read(observation), info

    def _step(self, action: object) -> Slow[Transition]:
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        return self._read(observation), reward, terminated, truncated, info

    def _read(self, observation: Observation) -> Observation:
        vectors = {f"{name}_features": self._vector(observation[name]).copy() for name in _READ}
        return {**{name: observation[name] for name in self._kept}, **vectors}

    def _vector(self, text: str) -> Vector:
        text = text[: self.characters]
        if self.encoder is None:
            return hashed(text, self.size)
        return _encoded(self.encoder, text)  # type: ignore[arg-type] # any object is hashable, unless it says no


@lru_cache(maxsize=_KEPT)
def hashed(text: str, size: int) -> Vector:
    """Return a text's words and pairs of neighbouring words, counted in hashed places; of unit length.

    Args:
        text: The text.
        size: Number of places.

    Returns:
        float32 array of shape (size,); zeros for a text without words.

    Examples:
        >>> one, other, far = (hashed(text, 64) for text in ("Call the bank", "call the BANK!", "Buy two"))
        >>> round(float(one @ other), 3), bool(one @ far < 0.5)
        (1.0, True)
    """
    words = _WORD.findall(text.lower())
    vector = np.zeros(size, np.float32)
    for term in (*words, *map(" ".join, pairwise(words))):
        place, sign = _place(term, size)
        vector[place] += sign
    return _unit(vector)


@lru_cache(maxsize=16 * _KEPT)
def _place(term: str, size: int) -> tuple[int, float]:
    drawn = derive("text feature", term)
    return (drawn >> 1) % size, 1.0 if drawn & 1 else -1.0


@lru_cache(maxsize=_KEPT)
def _encoded(encoder: str | Encoder, text: str) -> Vector:
    # A session of onnxruntime cannot travel with a pickled environment; its name can.
    model = paraphrase_minilm() if isinstance(encoder, str) else encoder
    if not text:
        return np.zeros_like(_encoded(encoder, "size"))  # type: ignore[arg-type] # as above
    return _unit(np.asarray(model.encode([text])[0], np.float32))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    # Rounding may leave an entry just above 1, which the space does not have.
    return np.clip(vector / length, -1.0, 1.0).astype(np.float32) if length else vector
