"""The state of a home: facts about its things and the person in it, and conditions on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Fact = tuple[str, ...]
"""A relation and what it holds of, such as ``("on", "cup", "table")``.

Of things: ``on`` and ``in`` another one, ``holds`` a liquid, ``open``, ``running``, ``unplugged``, ``clean``,
``cut``, ``hot``, and ``lacking`` where the home has none of it. Of the person: ``held``, ``worn``,
``sitting`` or ``lying`` on a thing, ``asleep``.
"""

_WITH = frozenset({"sitting", "lying", "held", "worn", "running"})


class DoneStep(NamedTuple):
    """Something that was done, which stays so.

    Attributes:
        step: The function and its objects.
        others: What it was done with: the seat, and all that was worn, held or running all the while.
    """

    step: Fact
    others: frozenset[str]


@dataclass(frozen=True, slots=True)
class Home:
    """A home at one moment.

    Attributes:
        facts: All that is so; whatever is not among them is not.
        history: All that was done, in order.

    Examples:
        >>> home = Home.of(["in milk freezer"])
        >>> home.has("in", "milk", "freezer"), home.meets("not open freezer")
        (True, True)
        >>> home.plus(("open", "freezer")).meets("not open freezer")
        False
    """

    facts: frozenset[Fact] = frozenset()
    history: tuple[DoneStep, ...] = ()

    @classmethod
    def of(cls, facts: Iterable[str]) -> Home:
        """Return the home in which these facts hold, each written as words with blanks between them."""
        return cls(frozenset(tuple(fact.split()) for fact in facts))

    def has(self, *fact: str) -> bool:
        """Return whether something is so."""
        return fact in self.facts

    def having(self, *start: str) -> list[Fact]:
        """Return the facts that begin so, in alphabetical order."""
        return sorted(self._beginning(start))

    def plus(self, *facts: Fact) -> Home:
        """Return the home in which these facts hold too."""
        return Home(self.facts.union(facts), self.history) if facts else self

    def minus(self, *start: str) -> Home:
        """Return the home in which no fact begins so."""
        gone = self._beginning(start)
        return Home(self.facts.difference(gone), self.history) if gone else self

    def _beginning(self, start: Fact) -> list[Fact]:
        size = len(start)
        return [fact for fact in self.facts if fact[:size] == start]

    def after(self, *steps: Fact, before: Home | None = None) -> Home:
        """Return the home in which these things were done too.

        Args:
            *steps: What was done.
            before: The home as it was when that began, so that what it was done with is known.
        """
        still = self.facts & (before or self).facts
        others = frozenset(fact[1] for fact in still if fact[0] in _WITH)
        return Home(self.facts, (*self.history, *(DoneStep(step, others) for step in steps)))

    def meets(self, condition: str) -> bool:
        """Return whether a condition holds.

        It is a fact in words, one behind ``not``, a step that was done behind ``did``, where a thing that it
        was done with may be added, or several of these with ``|`` between them.

        Examples:
            >>> home = Home.of(["sitting chair"]).after(("Read", "novel"))
            >>> home.meets("did Read novel"), home.meets("did Read novel chair"), home.meets("did Read mail")
            (True, True, False)
            >>> home.meets("clean cup | sitting chair")
            True
        """
        return any(self._meets(each.split()) for each in condition.split("|"))

    def _meets(self, words: list[str]) -> bool:
        match words:
            case ["not", *rest]:
                return not self._meets(rest)
            case ["did", *rest]:
                step, other = tuple(rest), rest[-1]
                return any(
                    step == each.step or (step[:-1] == each.step and other in each.others)
                    for each in self.history
                )
        return self.has(*words)

    def about(self, thing: str) -> list[str]:
        """Return what can be seen of a thing, in words.

        Examples:
            >>> Home.of(["on cup table", "clean cup"]).about("cup")
            ['clean cup', 'on cup table']
        """
        return [" ".join(fact) for fact in sorted(self.facts) if thing in fact[1:]]
