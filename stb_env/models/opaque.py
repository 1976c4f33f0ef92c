"""Members of a message that its provider alone wants back, unread: signatures, encrypted thoughts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping, JsonObject

OPAQUE = "opaque"
"""Member of an assistant's message and of a step's engine data; only its own provider is sent it."""


def without_opaque(messages: Iterable[JsonMapping]) -> list[JsonMapping]:
    """Return messages for everybody but the provider that wrote the opaque members.

    Examples:
        >>> without_opaque([{"role": "assistant", "content": "Hi.", "opaque": {"provider": "google"}}])
        [{'role': 'assistant', 'content': 'Hi.'}]
    """
    return [
        {name: value for name, value in message.items() if name != OPAQUE} if OPAQUE in message else message
        for message in messages
    ]


def with_opaque(messages: Sequence[JsonMapping], steps: Iterable[JsonMapping]) -> list[JsonObject]:
    """Return the messages of an episode with the opaque members that its steps keep, one message for each.

    Args:
        messages: The messages, as the environment renders them.
        steps: The steps as a trajectory has them.

    Examples:
        >>> step = {"engine": {"opaque": {"provider": "google"}}}
        >>> with_opaque([{"role": "user"}, {"role": "assistant"}], [step])[1]
        {'role': 'assistant', 'opaque': {'provider': 'google'}}
    """
    kept: Iterator[JsonMapping] = (step.get("engine") or {} for step in steps)
    return [{**message, **_opaque_of(message, kept)} for message in messages]


def _opaque_of(message: Mapping[str, object], kept: Iterator[Mapping[str, object]]) -> Mapping[str, object]:
    engine = next(kept, {}) if message.get("role") == "assistant" else {}
    return {OPAQUE: engine[OPAQUE]} if OPAQUE in engine else {}
