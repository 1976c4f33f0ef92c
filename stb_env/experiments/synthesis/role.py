"""Base of the roles: the question to an agent, and the use of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stb_env import seeding
from stb_env.core import jsontext
from stb_env.experiments.synthesis.form import Form
from stb_env.experiments.synthesis.scene import Scene
from stb_env.models import ChatReply, ChatRequest, Contract, Sampling
from stb_env.models.prompting import delimited, latest
from stb_env.models.retry_sampling import quoted

JSON_OBJECT = {"type": "json_object"}
_MAX_QUOTED = 8_000


@dataclass(frozen=True, slots=True)
class Try:
    """A reply that could not be used, and why."""

    reply: ChatReply
    reason: str


class Role:
    """Base of the roles: a prompt, a form, and what is done with a draft that has the form.

    Texts that other agents wrote stand between delimiters in every prompt, and are never executed.
    """

    name: ClassVar[str]
    form: ClassVar[Form]

    @property
    def prompt_name(self) -> str:
        """Name of its prompt."""
        return f"synthesis_{self.name}"

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return what goes into the prompt."""
        raise NotImplementedError

    def take(self, scene: Scene, draft: Mapping[str, object]) -> Scene:
        """Return the scene with what a draft adds.

        Raises:
            UnfitDraft: It has the form but cannot be used.
        """
        raise NotImplementedError

    def wanted(self, scene: Scene) -> Mapping[str, object]:
        """Return the form as closely as it is known for a scene, for grammars that hold a model to it."""
        del scene
        return self.form.parameters

    def brief(self, scene: Scene) -> str:
        """Return what the agent is told: all that it sees of the scene."""
        return latest(self.prompt_name).render(**self.fields(scene))

    def ask(self, scene: Scene, tries: Sequence[Try] = ()) -> ChatRequest:
        """Put the question, after the last try that could not be used where there was one."""
        messages = [{"role": "user", "content": self.brief(scene)}]
        if tries:
            messages += [
                {"role": "assistant", "content": quoted(tries[-1].reply, _MAX_QUOTED)},
                {"role": "user", "content": complaint(tries[-1].reason)},
            ]
        seed = seeding.derive("synthesis", scene.seed, self.name, len(tries)) % 2**31
        return ChatRequest(
            tuple(messages),
            sampling=Sampling(seed=seed),
            response_format=JSON_OBJECT,
            index=len(tries),
            contract=Contract(f"synthesis_{self.form.name}", self.wanted(scene)),
        )

    def read(self, scene: Scene, text: str) -> Scene:
        """Return the scene with what an agent wrote.

        Raises:
            UnfitDraft: It cannot be used; the message says why.
        """
        return self.take(scene, self.form.read(text))


def complaint(reason: str) -> str:
    """Return what an agent is told about a draft that could not be used."""
    return latest("synthesis_retry").render(reason=delimited(reason, "reason"))


def lines(values: Sequence[object]) -> str:
    """Return JSON values one a line."""
    return "\n".join(jsontext.dumps(value) for value in values)
