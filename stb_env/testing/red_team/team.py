"""The red team by name, and the agent that plays any of it."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.gymtypes import AnyEnv
from stb_env.errors import ConfigError, did_you_mean
from stb_env.runs import Agent
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.copier import Copier, Memoriser
from stb_env.testing.red_team.guesser import Guesser
from stb_env.testing.red_team.meddler import Meddler, Quitter, Repeater
from stb_env.testing.red_team.twister import Twister

LINES: tuple[type[Cheater], ...] = (Twister, Guesser, Copier, Memoriser, Meddler, Repeater, Quitter)
"""Each line of calls, with all cheats that follow it."""

RED_TEAM: Mapping[str, type[Cheater]] = {cheat: line for line in LINES for cheat in line.says}
"""Who plays each cheat."""


class RedTeam(Agent):
    """Deserves nothing and looks clever: plays one of the cheats of `stb_env.testing.red_team`.

    Args:
        cheat: Which one: ``denied``, ``hedged``, ``guess_dump`` and so on.

    Raises:
        ConfigError: There is no such cheat.

    Examples:
        >>> from stb_env import load_agent
        >>> load_agent("red:denied")().name, load_agent("red(cheat='hedged')")().name
        ('red:denied', 'red:hedged')
        >>> load_agent("red:denid")()
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no cheat 'denid'; there is denied, ... Did you mean 'denied'?
    """

    name = "red"

    def __init__(self, cheat: str = "denied") -> None:
        if cheat not in RED_TEAM:
            raise ConfigError(
                f"no cheat {cheat!r}; there is {', '.join(RED_TEAM)}.{did_you_mean(cheat, RED_TEAM)}"
            )
        self._player = RED_TEAM[cheat](cheat)
        self.name = self._player.name

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Prepare the cheat."""
        self._player.reset(env, seed)

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return what the cheat does."""
        return self._player.act(observation, info)
