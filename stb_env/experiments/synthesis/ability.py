"""The three abilities that API-Bank grades, and what the calls of a dialogue must look like for each."""

from __future__ import annotations

import random
from enum import StrEnum

from stb_env import ConfigError
from stb_env.errors import did_you_mean
from stb_env.models.prompting import latest


class Ability(StrEnum):
    """An ability that a dialogue asks of an assistant.

    Examples:
        >>> Ability.RETRIEVE.label, Ability.RETRIEVE.searches, Ability.PLAN.most_turns(3)
        ('Retrieve+Call', True, 1)
    """

    CALL = "call"
    RETRIEVE = "retrieve"
    PLAN = "plan"

    @classmethod
    def named(cls, name: str) -> Ability:
        """Return the ability of this name.

        Raises:
            ConfigError: There is none; the message names the nearest.
        """
        known = [ability.value for ability in cls]
        if name not in known:
            raise ConfigError(f"no ability {name!r}; there is {', '.join(known)}.{did_you_mean(name, known)}")
        return cls(name)

    @property
    def label(self) -> str:
        """The name in API-Bank's tables."""
        return {"call": "Call", "retrieve": "Retrieve+Call", "plan": "Plan+Retrieve+Call"}[self.value]

    @property
    def text(self) -> str:
        """Its description in prompts."""
        return latest(f"synthesis_ability_{self.value}").text

    @property
    def searches(self) -> bool:
        """True where every API must be searched before its first call; otherwise there is no search."""
        return self is not Ability.CALL

    def most_turns(self, limit: int) -> int:
        """Return how many utterances a user may make: one where everything is to be planned from it."""
        return 1 if self is Ability.PLAN else limit

    def draw_size(self, rng: random.Random) -> int:
        """Draw how many APIs a dialogue needs."""
        low, high = {"call": (1, 2), "retrieve": (1, 1), "plan": (2, 3)}[self.value]
        return rng.randint(low, high)
