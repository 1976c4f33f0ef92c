"""The paper's own method: one prompt with retrieved documents and demonstrations, one answer, no sampling.

Run a task as the paper did with ``stb-env run stb/HomeSearch-v1 --protocol sambanova --models models.toml``,
or the paper's ablation grid with ``stb-env eval examples/sambanova_grid.toml``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stb_env import Agent
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.models import ChatModel, fingerprint
from stb_env.models.agent_role import agent_model
from stb_env.suites.sambanova.common.asking import FINISH_ACTION, answer_of
from stb_env.suites.sambanova.common.prompt import Variant
from stb_env.suites.sambanova.few_shot import Chat, FewShotPrompt, Shown
from stb_env.usage import Usage


class FewShotAgent(Agent):
    """Asks a model once for a whole program, or in a shop once for each action.

    The model's most likely answer is taken: temperature 0, and the paper's bound on the answer's length.
    Where the model fails, the episode is invalid; the original counts it as a program that does not run.

    Args:
        model: The model, or the path of a models file whose ``agent`` role is used; None for the role's usual
            configuration.
        variant: ``original`` or ``system``, see `FewShotPrompt`.
        chat: ``none``, ``tags`` or ``turns``, see `FewShotPrompt`.
        examples: How many demonstrations; ``paper`` for as many as in the paper.
        documents: How many API documents; ``paper`` for as many as in the paper.
        stop: Stop texts besides the usual ones.
        data: SambaNova's own folder, for its documents and demonstrations.

    Raises:
        ConfigError: No model is configured.
    """

    name = "few_shot"
    needs = "a model"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        *,
        variant: Variant = "original",
        chat: Chat = "none",
        examples: Shown = "paper",
        documents: Shown = "paper",
        stop: Sequence[str] = (),
        data: str | None = None,
    ) -> None:
        self._model = agent_model(model, "few-shot")
        self._settings: JsonObject = {
            "variant": variant,
            "chat": chat,
            "examples": examples,
            "documents": documents,
            "stop": tuple(stop),
            "data": data,
        }

    @property
    def fingerprint(self) -> dict[str, object]:
        """The settings that decide the answers, for the run's manifest."""
        prompt = {name: value for name, value in self._settings.items() if name != "data"}
        return {**fingerprint(self._model), "prompt": {**prompt, "stop": list(prompt["stop"])}}

    def wrap(self, env: AnyEnv) -> FewShotPrompt:
        """Return the environment with the paper's prompts.

        Raises:
            ConfigError: It is of no task of the suite.
        """
        return FewShotPrompt(env, **self._settings)

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Forget the last episode."""
        del seed
        if not isinstance(env, FewShotPrompt):
            raise ConfigError(f"{self.name} plays what its wrap() returned, got {type(env).__name__}")
        self._env = env
        self._answered = False
        self.usage = Usage()

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Return the model's answer, or Finish after its one program.

        Raises:
            ModelError: The model gave no answer.
        """
        del observation, info
        task = self._env.suite_task
        if self._answered and not task.is_stepwise:
            return FINISH_ACTION
        self._answered = True
        messages, stops = self._env.question, self._env.sent_stops
        return (yield from answer_of(self, self._model, messages, task.max_tokens, stops))


class ZeroShotAgent(FewShotAgent):
    """Sees API documents, and no demonstration."""

    name = "zero_shot"

    def __init__(self, model: ChatModel | Path | str | None = None, *, chat: Chat = "none") -> None:
        super().__init__(model, examples=0, chat=chat)


class SystemPromptAgent(FewShotAgent):
    """Sees the system prompt, and no demonstration."""

    name = "system_prompt"

    def __init__(self, model: ChatModel | Path | str | None = None, *, chat: Chat = "none") -> None:
        super().__init__(model, variant="system", examples=0, chat=chat)


class SystemFewShotAgent(FewShotAgent):
    """Sees the system prompt and demonstrations."""

    name = "system_few_shot"

    def __init__(self, model: ChatModel | Path | str | None = None, *, chat: Chat = "none") -> None:
        super().__init__(model, variant="system", chat=chat)
