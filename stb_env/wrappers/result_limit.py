"""A limit on what an agent reads of a result."""

from __future__ import annotations

from dataclasses import replace

from gymnasium.spaces import Dict

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.settings import checks_settings
from stb_env.envs.rules import Rules
from stb_env.errors import ConfigError
from stb_env.spaces import TextSpace
from stb_env.wrappers.ruled import RuledWrapper


class ResultLimit(RuledWrapper):
    """Shortens the results of an environment that is made already.

    It does what ``limits={"result": ...}`` does where an environment is made: a result is cut structurally,
    with a marker, and always parses.

    Args:
        env: A tool environment; it stays as it is, a fork of it is played.
        characters: Longest JSON text of one step's results.

    Raises:
        ConfigError: ``characters`` is below 256, or above the environment's own limit.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = ResultLimit(notes(), characters=300)
        >>> env.observation_space["result"]
        TextSpace(300)
        >>> _ = env.reset(seed=0)
        >>> action = {"name": "find_notes", "arguments": {"word": "x" * 400}}
        >>> len(env.step(action)[0]["result"]) <= 300
        True
    """

    @checks_settings
    def __init__(self, env: AnyEnv, characters: int) -> None:
        if characters < 256:
            raise ConfigError(f"characters must be at least 256, got {characters}")
        self.characters = characters
        super().__init__(env, characters=characters)
        inside = self.env.observation_space
        if isinstance(inside, Dict) and "result" in inside.spaces:
            self.observation_space = Dict({**inside.spaces, "result": TextSpace(characters)})

    def ruled(self, rules: Rules) -> Rules:
        """Return the rules with the lower limit."""
        if self.characters > rules.limits.result:
            raise ConfigError(
                f"characters must be at most the environment's own {rules.limits.result}, got "
                f"{self.characters}; make the environment with limits={{'result': ...}} for longer ones"
            )
        return replace(rules, limits=replace(rules.limits, result=self.characters))
