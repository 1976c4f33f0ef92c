"""Responders answer samples: a model, the recorded dialogues, or a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.reference import load_object
from stb_env.errors import ConfigError
from stb_env.models import ChatModel, ChatRequest, Sampling, fingerprint
from stb_env.models.agent_role import agent_model
from stb_env.suites.api_bank.formats.rendering import expected_text
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.usage import NO_USAGE, Usage

MODEL, GOLD = "chat", "gold"

Response = tuple[str, Usage]
"""A text and what it cost."""


@dataclass(frozen=True, slots=True)
class Responder:
    """Answers samples.

    Attributes:
        name: Name for tables.
        fingerprint: Plain data that decides the answers.
        respond: Answers chat messages that ask for a sample.
    """

    name: str
    fingerprint: JsonObject
    respond: Callable[[Sequence[JsonMapping], Sample], Response]


def responder(spec: str, models: str | Path | None, seed: int | None) -> Responder:
    """Return the responder that a text names.

    Args:
        spec: ``chat`` for the ``agent`` role of the models file, ``gold`` for the recorded texts, or
            ``path.py:name`` or ``module:name`` of a function from chat messages to a text.
        models: Models file.
        seed: Seed of the model's sampling; that of its configuration where None.

    Raises:
        ConfigError: There is no such responder, or no model.

    Examples:
        >>> responder("gold", None, None).name
        'gold'
        >>> responder("golden", None, None)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: --agent must be chat, gold, path.py:name or module:name, got 'golden'
    """
    if spec == MODEL:
        return of_model(agent_model(models, "benchmark's"), seed)
    if spec == GOLD:
        return Responder(GOLD, {"agent": GOLD}, lambda _, sample: (expected_text(sample), NO_USAGE))
    if ":" not in spec:
        raise ConfigError(f"--agent must be chat, gold, path.py:name or module:name, got {spec!r}")
    return _of_function(spec)


def of_model(model: ChatModel, seed: int | None = None) -> Responder:
    """Return a responder who passes everything on to a model.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> ask = [{"role": "user", "content": "Which day?"}]
        >>> of_model(ScriptedModel(["[GetToday()]"])).respond(ask, None)[0]
        '[GetToday()]'
    """

    def respond(messages: Sequence[Mapping[str, object]], _: Sample) -> Response:
        reply = model.complete(ChatRequest(tuple(messages), sampling=Sampling(seed=seed)))
        return reply.text, reply.usage

    return Responder(model.name, {"agent": MODEL, "model": fingerprint(model), "seed": seed}, respond)


def _of_function(spec: str) -> Responder:
    function = load_object(spec)
    if not callable(function):
        raise ConfigError(f"{spec} is a {type(function).__name__}; expected a function of chat messages")

    def respond(messages: Sequence[Mapping[str, object]], _: Sample) -> Response:
        text = function(messages)
        if not isinstance(text, str):
            raise ConfigError(f"{spec} must return a text, got {type(text).__name__}")
        return text, NO_USAGE

    return Responder(spec, {"agent": spec}, respond)
