"""Who plays a role: anything that writes a text for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from stb_env.backend.simulator.llm_simulator import ask_once
from stb_env.jsontypes import JsonObject
from stb_env.llm import ChatModel, ChatReply, fingerprint
from stb_env.llm.retry_sampling import another_try, is_cut
from stb_env.request import Slow
from stb_env.synthesis.role import Role, Try
from stb_env.synthesis.scene import Scene
from stb_env.usage import NO_USAGE, Usage


class Written(NamedTuple):
    """What an author wrote, what that cost, and whether it was cut at the length limit."""

    text: str
    usage: Usage = NO_USAGE
    cut: bool = False

    @property
    def reply(self) -> ChatReply:
        """What was written, as a model's reply."""
        message = {"role": "assistant", "content": self.text}
        return ChatReply(message, "length" if self.cut else "stop", self.usage)


class Author(Protocol):
    """Plays roles."""

    @property
    def fingerprint(self) -> JsonObject:
        """Plain data that decides what it writes, for manifests."""
        ...

    def write(self, role: Role, scene: Scene, tries: Sequence[Try]) -> Slow[Written]:
        """Write the text of a role; what it wrote before, and why that could not be used, is in ``tries``.

        Raises:
            InfrastructureError: No text came.
        """
        ...


class ModelAuthor:
    """A chat model that plays roles.

    Args:
        model: Answers.

    Examples:
        >>> from stb_env.llm import ScriptedModel
        >>> from stb_env.request import drive
        >>> from stb_env.synthesis import MULTI, Ability
        >>> author = ModelAuthor(ScriptedModel(['{"domains": ["Tides"]}']))
        >>> scene = Scene.opening(0, list(Ability), 1)
        >>> written = drive(author.write(MULTI[0], scene, ()))
        >>> MULTI[0].read(scene, written.text).domain
        'Tides'
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    @property
    def fingerprint(self) -> JsonObject:
        """The model's own."""
        return fingerprint(self.model)

    def write(self, role: Role, scene: Scene, tries: Sequence[Try]) -> Slow[Written]:
        """Ask the model; a refusal is an empty text.

        Raises:
            InfrastructureError: The model failed, at the stage ``synthesis``.
        """
        request = role.ask(scene, tries)
        if tries:
            request = another_try(request, self.model, tries[-1].reply)
        reply = yield from ask_once(self.model, request, stage="synthesis")
        return Written(reply.text, reply.usage, is_cut(reply))
