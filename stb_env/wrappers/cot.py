"""Chain of thought: the agent thinks before each call, and what it thought is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, cast, get_args

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError
from stb_env.models.prompting import prompt
from stb_env.spaces import ToolCallSpace
from stb_env.trajectory import Step, arguments_text, messages
from stb_env.wrappers.base import ToolWrapper

Style = Literal["react", "tools"]


class ChainOfThought(ToolWrapper):
    r"""Asks for a thought before each call, and shows the episode as a model that thinks would read it.

    `messages`, also those in ``info``, hold the conversation in one of two styles. ``react`` is text alone,
    for models without function calling: the system message lists the tools and the labels Thought, Action
    and Action Input (ReAct, Yao et al., 2023), the agent's steps have that form and results come as
    observations of the user. ``tools`` keeps OpenAI's function calls, with the thought as their content.
    Actions are read as everywhere; of ReAct text the thought becomes the step's text.

    Args:
        env: A tool environment.
        style: ``react`` or ``tools``.

    Raises:
        ConfigError: The style is neither, or the environment searches.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = ChainOfThought(notes())
        >>> observation, info = env.reset(seed=0)
        >>> info["messages"][1]["content"] == observation["query"]
        True
        >>> _ = env.step('Thought: I am stuck.\nAction: ponder\nAction Input: {"on": "it"}')
        >>> print(env.messages[2]["content"])
        Thought: I am stuck.
        Action: ponder
        Action Input: {"on": "it"}
        >>> env.messages[3]["content"][:12], env.thoughts
        ('Observation:', ['I am stuck.'])
    """

    needs_one_branch = True
    plays_calls = True

    @checks_settings
    def __init__(self, env: AnyEnv, style: Style = "react") -> None:
        if style not in get_args(Style):
            raise ConfigError(f"style must be 'react' or 'tools', got {style!r}")
        super().__init__(env, style=style)
        self.style = style

    @property
    def thoughts(self) -> list[str]:
        """Texts of the agent beside its calls, one a step."""
        return [step.text for step in self._steps]

    @property
    def messages(self) -> list[dict[str, object]]:
        """The episode so far in the wrapper's style."""
        query = str(self.env.messages[1]["content"])
        if self.style == "tools":
            return messages(prompt("thought", "v3").text, query, self._steps)
        return [*self._opening(query), *(said for step in self._steps for said in _react_messages(step))]

    @property
    def _steps(self) -> tuple[Step, ...]:
        return cast(ToolEnv, self.env.unwrapped).snapshot().steps

    def _opening(self, query: str) -> list[JsonObject]:
        # What can be called may change during an episode; the action space has what is on offer now.
        offered = cast(ToolCallSpace, cast(ToolEnv, self.env.unwrapped).action_space).tools
        system = prompt("react", "v2").render(tools="\n".join(tool.spec for tool in offered))
        return [{"role": "system", "content": system}, {"role": "user", "content": query}]

    # -- core ------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        return observation, {**info, "messages": self.messages}

    def _step(self, action: object) -> Slow[Transition]:
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        if terminated or truncated:
            info = {**info, "messages": self.messages}
        return observation, reward, terminated, truncated, info


def _react_messages(step: Step) -> Iterator[dict[str, object]]:
    yield {"role": "assistant", "content": react_text(step)}
    # After a last word, and after a conversation's, there is nothing to observe.
    if step.result and not step.terminated:
        yield {"role": "user", "content": f"Observation: {step.result}"}


def react_text(step: Step) -> str:
    r"""Return a step as ReAct text; one without a call is its own text.

    Examples:
        >>> from stb_env.tools import ToolResult
        >>> from stb_env.trajectory import CallRecord
        >>> call = CallRecord("c", "ping", {"n": 1}, ToolResult.of("pong", source="world"))
        >>> react_text(Step((call,), "Is it there?"))
        'Thought: Is it there?\nAction: ping\nAction Input: {"n": 1}'
    """
    if not step.calls:
        return step.text
    lines = [f"Thought: {step.text}"] if step.text else []
    for call in step.calls:
        lines += [f"Action: {call.name}", f"Action Input: {arguments_text(call.arguments)}"]
    return "\n".join(lines)
