"""A task as a choice among few actions, for policies that do not write text."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from stb_env.core import jsontext
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.tool_env import Info, Observation, Transition
from stb_env.errors import ConfigError
from stb_env.spaces import TextSpace
from stb_env.tools import FINISH
from stb_env.wrappers.base import ToolWrapper
from stb_env.wrappers.features import FEATURES, features
from stb_env.wrappers.proposals import Seen, candidates, done


@dataclass(frozen=True, slots=True)
class _Choice:
    """Observations so far, and the actions to choose from."""

    seen: Seen
    actions: tuple[str, ...]


class DiscreteActions(ToolWrapper):
    """Turns a task into a choice among at most ``size`` candidate actions.

    Candidates are calls of the task's tools, with arguments from the query (names, quoted texts, numbers,
    dates, times, codes, phone numbers), from earlier results (by the names of fields) and from
    documentation, and Finish calls whose answers quote results. They follow from what an agent sees and from
    nothing else, and equal episodes have equal ones. No claim is made that a task can be solved with them.

    The observation has ``features``, a float32 Box of shape (size, len(feature_names)) with values in
    [0, 1]: one row for each candidate, zeros for the rest. Beside it stands what else is no text, so that
    libraries whose networks read arrays alone take it as it is. ``info`` gains ``action_mask``, an int8
    array of shape (size,) with a 1 for each candidate, and ``candidates``, their JSON texts; both at every
    reset and step, and empty once the episode is over. An index without a candidate, like anything that is
    no index, is an action without a call: it costs a turn.

    Args:
        env: A tool environment.
        size: Most candidates at a time.
        finish: Whether Finish calls are among them; without them an episode ends at its turn limit.
        texts: Whether the observation also has the texts of the environment inside: query, tools, result.

    Raises:
        ConfigError: ``size`` is below 2, or what is inside has no texts or takes no text.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = DiscreteActions(notes(), texts=True)
        >>> observation, info = env.reset(options={"task_id": "write"})
        >>> observation["query"]
        'Write down a note that says "Call the bank".'
        >>> info["candidates"][0]
        '{"name": "add_note", "arguments": {"text": "Call the bank"}}'
        >>> observation, reward, terminated, truncated, info = env.step(0)
        >>> observation["result"]
        '{"error": "", "response": {"id": "note-003"}}'
    """

    reads_texts = ("query", "tools")
    needs_text_actions = True
    plays_calls = True
    feature_names: ClassVar[tuple[str, ...]] = FEATURES

    @checks_settings
    def __init__(self, env: AnyEnv, size: int = 64, finish: bool = True, texts: bool = False) -> None:
        if size < 2:
            raise ConfigError(f"size must be at least 2 candidates, got {size}")
        super().__init__(env, size=size, finish=finish, texts=texts)
        self.size, self.finish, self.texts = size, finish, texts
        self.action_space = Discrete(size)
        inside = cast(Dict, self.env.observation_space)
        kept = {name: space for name, space in inside.items() if texts or not isinstance(space, TextSpace)}
        shape = (size, len(FEATURES))
        self.observation_space = Dict({**kept, "features": Box(0.0, 1.0, shape, np.float32)})
        self._kept = tuple(kept)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of the current step, under the name that sb3-contrib's MaskablePPO asks for.

        Raises:
            ResetNeeded: No episode was started.
        """
        return _mask(len(self._choice().actions), self.size).astype(np.bool_)

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        seen = Seen(observation["query"], observation["tools"])
        return self._offer(seen, observation, info)

    def _step(self, action: object) -> Slow[Transition]:
        choice = self._choice()
        chosen = _chosen(action, choice.actions)
        refusal = _refusal(len(choice.actions)) if chosen is None else None
        told, reward, terminated, truncated, info = yield from self.env._step(chosen or refusal)
        if refusal is not None:
            told = {**told, "result": jsontext.dumps({"error": refusal, "response": ""})}
        calls = (done(call, choice.seen.query) for call in info["calls"])
        seen = replace(
            choice.seen,
            # What can be called may change during an episode.
            tools=told["tools"],
            calls=(*choice.seen.calls, *(call for call in calls if call.name != FINISH)),
            turn=told["turn"],
            over=terminated or truncated,
        )
        observation, info = self._offer(seen, told, info)
        return observation, reward, terminated, truncated, info

    def _choice(self) -> _Choice:
        if self._own is None:
            raise ResetNeeded("no episode is running; call env.reset() first")
        choice: _Choice = self._own
        return choice

    def _offer(self, seen: Seen, observation: Observation, info: Info) -> tuple[Observation, Info]:
        found = candidates(seen, self.size, self.finish)
        actions = tuple(candidate.action for candidate in found)
        self._own = _Choice(seen, actions)
        beside = {name: observation[name] for name in self._kept}
        observation = {**beside, "features": features(found, seen, self.size)}
        return observation, {**info, "action_mask": _mask(len(actions), self.size), "candidates": [*actions]}


def _mask(count: int, size: int) -> NDArray[np.int8]:
    return (np.arange(size) < count).astype(np.int8)


def _chosen(action: Any, actions: tuple[str, ...]) -> str | None:
    try:
        index = operator.index(action)
    except TypeError:
        return None
    return actions[index] if 0 <= index < len(actions) else None


def _refusal(count: int) -> str:
    # Quotes nothing of the action: inside this text it could be read as a call.
    return f"no such candidate; choose an index below {count}, where action_mask is 1"
