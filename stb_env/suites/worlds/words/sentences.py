"""Sentences: the pieces that all requests in words are put together from."""

from __future__ import annotations

from stb_env.suites.worlds.goals.goal import Clause, Measure, Related, Select
from stb_env.suites.worlds.schema.kit import Day
from stb_env.suites.worlds.words.phrases import Phrases, Said, listed

_LONG = 70
"""Letters of a noun phrase after which a reader has lost the sentence."""


class Sentences:
    """Puts sentences together.

    Args:
        say: The phrases of a world.
        named: Rows that an earlier part of the request names, by entity and label; later ones are added.
    """

    def __init__(self, say: Phrases, named: set[tuple[str, int]]) -> None:
        self._say = say
        self._pick = say.pick
        self._named = named

    def _choose(self, *ways: str) -> str:
        chosen = self._pick.choice(ways)
        return chosen[0].upper() + chosen[1:]

    def _choose_for(self, rows: str, ways: tuple[str, ...], others: tuple[str, ...]) -> str:
        """Return one of several ways; the others end in words that would stand too far from their verb."""
        return self._choose(*ways, *(others if len(rows) < _LONG else ()))

    def _joined(self, main: str, said: Said, *after: str) -> str:
        """Return a sentence, one that limits its rows, and what follows them."""
        limit = (self._limit(said.limits),) if said.limits else ()
        return " ".join([main, *limit, *after])

    def _limit(self, phrases: tuple[str, ...]) -> str:
        meant = phrases[0]
        for phrase in phrases[1:]:
            of_these = self._pick.choice(["and of these only the ones", "and among them only those"])
            meant = f"{meant}, {of_these} {phrase}"
        return self._choose(
            f"I only mean the ones {meant}.",
            f"consider only those {meant}.",
            f"take only the ones {meant}.",
            f"this concerns only the ones {meant}.",
            f"keep to those {meant}.",
            f"limit this to the ones {meant}.",
            f"I mean just the ones {meant}.",
            f"restrict this to those {meant}.",
        )

    def _one(self, select: Select) -> tuple[str, tuple[str, ...]]:
        """Return the one row that is meant, and sentences about it."""
        label = self._say.entity(select.entity).label
        if len(select.clauses) == 1:
            clause = select.clauses[0]
            if isinstance(clause, Clause) and clause.path == label:
                self._named.add((select.entity, clause.value))
                return self._say.named(select.entity, clause.value), ()
            if isinstance(clause, Related) and self._is_named(clause):
                thing = self._say.word(clause.entity, clause.reference)
                return f"the {thing} of that {self._say.noun(clause.entity)}", ()
        said = self._say.select(select)
        if not said.limits:
            return self._pick.choice([f"the only {said.singular}", f"the one {said.singular}"]), ()
        *others, last = said.limits
        only = f"I mean the only one {last}."
        if others:
            only = f"Of the ones {', and among them those '.join(others)}, I mean the only one {last}."
        return f"the {said.singular}", (only,)

    def _is_named(self, clause: Related) -> bool:
        """Return whether a clause speaks of a row that an earlier part of the request names."""
        label = self._say.entity(clause.entity).label
        inner = clause.clauses[0]
        return inner.path == label and (clause.entity, inner.value) in self._named

    def _fields(self, entity: str, paths: tuple[str, ...]) -> str:
        return listed([f"the {self._say.word(entity, path)}" for path in paths])

    def _superlative(self, entity: str, path: str, most: bool) -> str:
        if isinstance(self._say.blueprint.attribute(entity, path), Day):
            return "latest" if most else "earliest"
        return "highest" if most else "lowest"

    def _figure(self, entity: str, measure: Measure, owner: str = "the") -> str:
        """Return the name of a figure that is not the number of rows."""
        word = self._say.word(entity, measure.path)
        if measure.kind == "total":
            return f"{owner} total {word}"
        return f"{owner} {self._superlative(entity, measure.path, measure.kind == 'greatest')} {word}"
