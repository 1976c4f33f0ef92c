"""The tokens of an episode as its engine gave them, joined where each request extends the one before.

Nothing is tokenised here: a text may have several tokenisations, and only the engine's own is the one that
its log probabilities belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError

_LARGEST = 2**31 - 1


@dataclass(slots=True)
class TokenSample:
    """One unbroken stretch of tokens that a model read and wrote.

    Attributes:
        prompt: Ids of the first prompt.
        completion: Ids of all that followed: the model's replies, and between them what it read.
        mask: For each id of the completion, 1 where the model wrote it and 0 where it read it.
        logprobs: For each id of the completion its log probability, 0.0 where the model read it; None where
            the engine gave none.
        steps: Numbers of the steps in it, from 0.
    """

    prompt: list[int]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] | None = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    @property
    def ids(self) -> list[int]:
        """All ids: what the next prompt begins with, if it extends this."""
        return self.prompt + self.completion

    def append(self, number: int, reply: _Reply) -> None:
        """Add a step whose prompt extends what is here."""
        read = reply.prompt[len(self.prompt) + len(self.completion) :]
        self.completion += read + reply.ids
        self.mask += [0] * len(read) + [1] * len(reply.ids)
        self.steps.append(number)
        if self.logprobs is None or reply.logprobs is None:
            self.logprobs = None
        else:
            self.logprobs += [0.0] * len(read) + reply.logprobs


@dataclass(frozen=True, slots=True)
class _Reply:
    prompt: list[int]
    ids: list[int]
    logprobs: list[float] | None


def has_tokens(steps: Sequence[JsonMapping]) -> bool:
    """Say whether an engine gave the token ids of every step."""
    engines = [step.get("engine", {}) for step in steps]
    return bool(engines) and all("prompt_token_ids" in each and "token_ids" in each for each in engines)


def token_samples(steps: Sequence[JsonMapping]) -> list[TokenSample]:
    """Return the tokens of an episode: one sample where each step's prompt extends all that came before.

    A step whose prompt does not (the conversation was shortened, its thoughts were taken out, the template
    writes earlier turns in another way) begins a sample of its own, so that no token stands behind a prefix
    which the model did not see.

    Args:
        steps: Steps of an episode, each with ``prompt_token_ids`` and ``token_ids`` under ``engine``.

    Raises:
        DataError: A step has no token ids, what are none, or not as many log probabilities as tokens.

    Examples:
        >>> first = {"engine": {"prompt_token_ids": [1, 2], "token_ids": [3]}}
        >>> second = {"engine": {"prompt_token_ids": [1, 2, 3, 4], "token_ids": [5, 6]}}
        >>> (sample,) = token_samples([first, second])
        >>> sample.completion, sample.mask
        ([3, 4, 5, 6], [1, 0, 1, 1])
        >>> [sample.steps for sample in token_samples([second, first])]
        [[0], [1]]
    """
    samples: list[TokenSample] = []
    for number, step in enumerate(steps):
        reply = _reply(number, step.get("engine", {}))
        extends = samples and reply.prompt[: len(samples[-1].ids)] == samples[-1].ids
        if not extends:
            samples.append(TokenSample(reply.prompt))
        samples[-1].append(number, reply)
    return samples


def _reply(number: int, engine: JsonMapping) -> _Reply:
    missing = [name for name in ("prompt_token_ids", "token_ids") if name not in engine]
    if missing:
        raise DataError(f"step {number} has no {' and no '.join(missing)}; ask the engine for them")
    prompt, ids = (_ids(number, name, engine[name]) for name in ("prompt_token_ids", "token_ids"))
    logprobs = _logprobs(number, engine.get("logprobs"))
    if logprobs is not None and len(logprobs) != len(ids):
        raise DataError(f"step {number} has {len(logprobs)} log probabilities for {len(ids)} tokens")
    return _Reply(prompt, ids, logprobs)


def _ids(number: int, name: str, given: Any) -> list[int]:
    ids = list(given) if isinstance(given, Iterable) else [given]
    # Both look at all ids at the speed of C; only a broken record is looked at one by one.
    if set(map(type, ids)) - {int} or (ids and (min(ids) < 0 or max(ids) > _LARGEST)):
        odd = next(each for each in ids if type(each) is not int or not 0 <= each <= _LARGEST)
        raise DataError(f"step {number}: an id in {name} is a whole number from 0, got {odd!r:.40}")
    return ids


def _logprobs(number: int, given: Any) -> list[float] | None:
    try:
        content = given.get("content") if given else None
        return None if content is None else [float(token["logprob"]) for token in content]
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise DataError(
            f"step {number}: log probabilities are {{'content': [{{'logprob': ...}}]}}, got {given!r:.60}"
        ) from error
