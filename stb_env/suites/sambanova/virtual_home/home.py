"""What is so in a home: facts about its things and about the person in it, and conditions on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

Fact = tuple[str, ...]
"""A relation and what it holds of, such as ``("on", "cup", "table")``.

Of things: ``on`` and ``in`` another one, ``holds`` a liquid, ``open``, ``running``, ``unplugged``, ``clean``,
``cut``, ``hot``, and ``lacking`` where the home has none of it. Of the person: ``held``, ``worn``,
``sitting`` or ``lying`` on a thing, ``asleep``. What was done is a fact for good: ``did``, the step's
function and object, and, one fact each, what it was done with: the seat, what was worn, held or running.
"""


@dataclass(frozen=True, slots=True)
class Home:
    """A home at one moment.

    Attributes:
        facts: All that is so; whatever is not among them is not.

    Examples:
        >>> home = Home.of(["in milk freezer"])
        >>> home.has("in", "milk", "freezer"), home.meets("not open freezer")
        (True, True)
        >>> home.plus(("open", "freezer")).meets("not open freezer")
        False
    """

    facts: frozenset[Fact] = frozenset()

    @classmethod
    def of(cls, facts: Iterable[str]) -> Home:
        """Return the home in which these facts hold, each written as words with blanks between them."""
        return cls(frozenset(tuple(fact.split()) for fact in facts))

    def has(self, *fact: str) -> bool:
        """Return whether something is so."""
        return fact in self.facts

    def having(self, *start: str) -> list[Fact]:
        """Return the facts that begin so, in alphabetical order."""
        return sorted(fact for fact in self.facts if fact[: len(start)] == start)

    def plus(self, *facts: Fact) -> Home:
        """Return the home in which these facts hold too."""
        return Home(self.facts.union(facts))

    def without(self, which: Callable[[Fact], bool]) -> Home:
        """Return the home in which these facts hold no more."""
        return Home(frozenset(fact for fact in self.facts if not which(fact)))

    def minus(self, *start: str) -> Home:
        """Return the home in which no fact begins so."""
        return self.without(lambda fact: fact[: len(start)] == start)

    def meets(self, condition: str) -> bool:
        """Return whether a condition holds: a fact in words, one behind ``not``, or several with ``|``.

        Examples:
            >>> Home.of(["did Wash cup"]).meets("did Scrub cup | did Wash cup")
            True
        """
        return any(self._meets(each.split()) for each in condition.split("|"))

    def _meets(self, words: list[str]) -> bool:
        if words[0] == "not":
            return not self.has(*words[1:])
        return self.has(*words)

    def about(self, thing: str) -> list[str]:
        """Return what can be seen of a thing, in words.

        Examples:
            >>> Home.of(["on cup table", "clean cup", "did Find cup"]).about("cup")
            ['clean cup', 'on cup table']
        """
        return [" ".join(fact) for fact in sorted(self.facts) if thing in fact[1:] and fact[0] != "did"]
