"""A dialogue while it is being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stb_env import seeding
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.dialogue import Review, Turn


@dataclass(frozen=True, slots=True)
class Scene:
    """A dialogue in the making; each role returns a copy that holds more.

    Attributes:
        seed: Decides what is drawn for it.
        ability: What the dialogue has to call for.
        size: Number of APIs it needs.
        most_turns: Number of utterances the user may make.
        known_domains: Domains that are taken.
        known_queries: Queries that are taken.
        samples: Descriptions of real APIs, for the API maker to look at.
        domain: The domain.
        pool: The APIs of the domain.
        apis: The APIs drawn for this dialogue.
        time: When the user first speaks, or empty.
        utterances: What the user says.
        turns: The whole dialogue.
        review: The tester's verdict.
    """

    seed: int
    ability: Ability
    size: int
    most_turns: int = 1
    known_domains: Sequence[str] = ()
    known_queries: Sequence[str] = ()
    samples: Sequence[Api] = ()
    domain: str = ""
    pool: tuple[Api, ...] = ()
    apis: tuple[Api, ...] = ()
    time: str = ""
    utterances: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    review: Review | None = None

    @classmethod
    def opening(cls, seed: int, abilities: Sequence[Ability], most_turns: int) -> Scene:
        """Draw the ability and the number of APIs.

        Args:
            seed: The dialogue's own seed.
            abilities: What to draw from.
            most_turns: Number of utterances a user may make where the ability leaves it open.
        """
        rng = seeding.rng("synthesis", seed, "ability")
        ability = rng.choice(list(abilities))
        return cls(seed, ability, ability.draw_size(rng), ability.most_turns(most_turns))

    def with_pool(self, pool: Sequence[Api]) -> Scene:
        """Take the APIs of the domain, and draw those of this dialogue."""
        rng = seeding.rng("synthesis", self.seed, "apis")
        return replace(self, pool=tuple(pool), apis=tuple(rng.sample(list(pool), min(self.size, len(pool)))))

    @property
    def written(self) -> tuple[Turn, ...]:
        """The turns as far as they were written."""
        return self.turns or tuple(Turn(text, (), "") for text in self.utterances)
