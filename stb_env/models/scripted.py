"""A model that answers from a script: the double for tests, examples and dry runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.usage import Usage

Scripted = str | JsonMapping | ChatReply | BaseException
"""One scripted reply: its text, its chat message, the whole reply, or an exception to raise."""


class ScriptedModel:
    """Answers from a script, in order, and keeps what it was asked.

    Safe to share between threads; picklable where its replies are.

    Args:
        replies: The replies in order, or a function from the request to a reply.
        name: Name of the model.

    Attributes:
        requests: Every request so far, in order.

    Examples:
        >>> from stb_env import ChatAgent, ScriptedModel
        >>> agent = ChatAgent(ScriptedModel(["yes", {"content": "no"}]))
        >>> agent.ask([{"role": "user", "content": "Is it?"}])
        'yes'
        >>> agent.ask([{"role": "user", "content": "Sure?"}])
        'no'
        >>> agent.ask([{"role": "user", "content": "Really?"}])
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the script of model 'scripted' has 2 replies and all are used; ...
    """

    def __init__(
        self, replies: Sequence[Scripted] | Callable[[ChatRequest], Scripted], name: str = "scripted"
    ) -> None:
        if isinstance(replies, str):
            raise ConfigError(
                f"replies must be a list or a function, got the text {replies!r}; wrap it in a list"
            )
        self._function = replies if callable(replies) else None
        self._replies = () if callable(replies) else tuple(replies)
        self.name = name
        self.requests: list[ChatRequest] = []
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the next reply, or raise it where it is an exception.

        Raises:
            ConfigError: The script ran out.
        """
        with self._lock:
            used = len(self.requests)
            self.requests.append(request)
        reply = self._function(request) if self._function else self._at(used)
        if isinstance(reply, BaseException):
            raise reply
        return self._whole(reply)

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Return the next reply; it is there at once."""
        return self.complete(request)

    def _at(self, index: int) -> Scripted:
        if index >= len(self._replies):
            raise ConfigError(
                f"the script of model {self.name!r} has {len(self._replies)} replies and all are used; "
                "add more, or give a function"
            )
        return self._replies[index]

    def _whole(self, reply: str | Mapping[str, object] | ChatReply) -> ChatReply:
        if isinstance(reply, ChatReply):
            return reply
        content: JsonMapping = {"content": reply} if isinstance(reply, str) else reply
        message = {"role": "assistant", **{key: value for key, value in content.items() if value is not None}}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        return ChatReply(message, reason, Usage(calls=1), self.name)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()
