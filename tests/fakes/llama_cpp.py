"""The part of xllamacpp that is used, without a model: its servers say what they are told to."""

from __future__ import annotations

import importlib.machinery
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any


def completion(text: str, *, finish_reason: str = "stop", prompt_tokens: int = 5) -> dict[str, Any]:
    return {
        "choices": [{"finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}],
        "model": "m.gguf",
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 2, "total_tokens": prompt_tokens + 2},
    }


@dataclass
class LlamaCpp:
    """Stands for the package.

    Attributes:
        reply: What is answered; what can be raised is raised, what can be called is called with the body.
        reads_tools: Whether a prompt with tools is the longer one.
        servers: Settings of every server that was started.
        bodies: What was asked, in order.
    """

    reply: Any = field(default_factory=lambda: completion("yes"))
    reads_tools: bool = True
    servers: list[Any] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def module(self) -> ModuleType:
        module = ModuleType("xllamacpp")
        module.__spec__ = importlib.machinery.ModuleSpec("xllamacpp", None)
        module.CommonParams = lambda: SimpleNamespace(
            model=SimpleNamespace(path=""), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )
        module.Server = self._server
        return module

    def _server(self, settings: Any) -> SimpleNamespace:
        self.servers.append(settings)
        return SimpleNamespace(handle_chat_completions=self._answer)

    def _answer(self, body: dict[str, Any]) -> Any:
        if body["max_tokens"] == 1:
            return completion("", prompt_tokens=9 if "tools" in body and self.reads_tools else 5)
        self.bodies.append(body)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply(body) if callable(self.reply) else self.reply
