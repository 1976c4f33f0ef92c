"""Five agents write a dialogue in turn, as a PettingZoo environment.

As in PettingZoo's own modules, `env` makes the environment with its usual checks, `raw_env` the same
without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Dict, Discrete
from gymnasium.utils.seeding import np_random
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from stb_env import ConfigError
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.form import MAX_DRAFT, UnfitDraft
from stb_env.experiments.synthesis.pipeline import Settings
from stb_env.experiments.synthesis.role import complaint
from stb_env.experiments.synthesis.roles import MULTI
from stb_env.experiments.synthesis.scene import Scene
from stb_env.spaces import TextSpace

MAX_BRIEF = 200_000
MAX_COMPLAINT = 20_000

Observation = JsonObject


class WritingEnv(AECEnv):  # type: ignore[misc] # PettingZoo publishes no types
    """The roles domain, api, query, caller and tester each write one JSON text; they share the reward.

    A role observes ``brief`` (what its model would be asked), ``complaint`` (what is wrong with its last
    text, or nothing) and ``attempt``, from 0. A text that cannot be used costs everyone the penalty and is
    asked for again; after the last attempt the episode ends. When the tester has spoken, everyone earns 1
    if it keeps the dialogue and 0 if not. The tester earns like everyone else: to learn it alone, pay it by
    labels of people.

    Args:
        abilities: What the ability of an episode is drawn from.
        most_turns: Number of utterances the user may make, where the ability leaves it open.
        attempts: How often each role may write.
        penalty: What a text that cannot be used costs.
        samples: Descriptions of real APIs for the API maker, all of which it sees.
        render_mode: ``ansi`` or None.

    Attributes:
        scene: What is there of the dialogue.

    Raises:
        ConfigError: A setting is out of its range.

    Examples:
        >>> arena = env(abilities=("call",))
        >>> arena.reset(seed=0)
        >>> arena.agent_selection, arena.last()[0]["attempt"]
        ('domain', 0)
        >>> arena.step("no JSON")
        >>> arena.agent_selection, arena.last()[0]["attempt"], arena.rewards["tester"]
        ('domain', 1, -0.1)
        >>> arena.step('{"domains": ["Tide tables"]}')
        >>> arena.agent_selection, "Tide tables" in arena.last()[0]["brief"]
        ('api', True)
    """

    metadata: ClassVar[JsonObject] = {
        "name": "stb_synthesis_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        abilities: Sequence[str] = tuple(Ability),
        most_turns: int = 3,
        attempts: int = 3,
        penalty: float = 0.1,
        samples: Sequence[Api] = (),
        render_mode: str | None = None,
    ) -> None:
        if penalty < 0:
            raise ConfigError(f"penalty must not be negative, got {penalty}")
        self._settings = Settings(tuple(map(Ability.named, abilities)), most_turns, 1, attempts)
        self._penalty = float(penalty)
        self._samples = tuple(samples)
        self.render_mode = render_mode
        self._roles = {role.name: role for role in MULTI}
        self.possible_agents = list(self._roles)
        self.agents: list[str] = []
        self._random: np.random.Generator | None = None
        seen = {"brief": TextSpace(MAX_BRIEF), "complaint": TextSpace(MAX_COMPLAINT)}
        self._observation_spaces = {
            name: Dict({**seen, "attempt": Discrete(attempts)}) for name in self._roles
        }
        self._action_spaces = {name: TextSpace(MAX_DRAFT) for name in self._roles}

    def observation_space(self, agent: str) -> Dict:
        """Return what a role observes."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> TextSpace:
        """Return what a role may write: any text; what can be used is its form's business."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:  # noqa: ARG002
        """Draw what the next dialogue has to call for.

        Args:
            seed: Seeds this episode and those after it.
            options: Has no members here.
        """
        if seed is not None or self._random is None:
            self._random = np_random(seed)[0]
        settings = self._settings
        drawn = int(self._random.integers(2**62))
        opening = Scene.opening(drawn, settings.abilities, settings.most_turns)
        self.scene = replace(opening, samples=self._samples)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, JsonObject] = {name: {} for name in self.agents}
        self._seen = {name: _observation("", "", 0) for name in self.agents}
        self._skip_agent_selection = None
        self._select(self.agents[0])

    def observe(self, agent: str) -> Observation:
        """Return what a role saw last; nothing before its turn."""
        return dict(self._seen[agent])

    def step(self, action: object) -> None:
        """Let the selected role write; None lets a finished one leave.

        Raises:
            ResetNeeded: No episode is running.
        """
        if not self.agents:
            raise ResetNeeded("no episode is running; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        try:
            if not isinstance(action, str):
                raise UnfitDraft(f"expected a JSON text, got {type(action).__name__}")
            self.scene = self._roles[agent].read(self.scene, action)
        except UnfitDraft as unfit:
            self._refuse(agent, str(unfit))
        else:
            self._go_on(agent)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the dialogue so far as text (``ansi``)."""
        if self.render_mode != "ansi":
            return None
        return "\n".join(jsontext.dumps(turn.to_dict()) for turn in self.scene.written)

    def close(self) -> None:
        """Release nothing: there is nothing to hold."""

    def _select(self, agent: str) -> None:
        self.agent_selection = agent
        self._seen[agent] = _observation(self._roles[agent].brief(self.scene), "", 0)

    def _refuse(self, agent: str, reason: str) -> None:
        attempt = self._seen[agent]["attempt"] + 1
        if attempt == self._settings.attempts:
            self._end(-self._penalty, f"{agent}: {reason}")
            return
        self._pay(-self._penalty)
        self._seen[agent] = _observation(self._seen[agent]["brief"], complaint(reason), attempt)

    def _go_on(self, agent: str) -> None:
        following = self.possible_agents.index(agent) + 1
        if following < len(self.possible_agents):
            self._pay(0.0)
            self._select(self.possible_agents[following])
            return
        review = self.scene.review
        keeps = review is not None and review.keep
        self._end(float(keeps), "kept" if keeps else "dropped")

    def _end(self, reward: float, outcome: str) -> None:
        self._pay(reward)
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {name: {"outcome": outcome} for name in self.agents}
        self.agent_selection = self.agents[0]

    def _pay(self, reward: float) -> None:
        self.rewards = dict.fromkeys(self.agents, reward)


def raw_env(**settings: Any) -> WritingEnv:
    """Return a `WritingEnv`; see there for the arguments."""
    return WritingEnv(**settings)


def env(**settings: object) -> Any:
    """Return a `WritingEnv` that complains about calls in a wrong order."""
    return OrderEnforcingWrapper(raw_env(**settings))


def _observation(brief: str, told: str, attempt: int) -> Observation:
    return {"brief": brief[:MAX_BRIEF], "complaint": told[:MAX_COMPLAINT], "attempt": attempt}
