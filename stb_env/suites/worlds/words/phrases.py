"""Phrases: clauses, noun phrases and values of a request in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Limit,
    Related,
    Select,
    Tally,
)
from stb_env.suites.worlds.goals.holes import is_open
from stb_env.suites.worlds.schema.actions import Set
from stb_env.suites.worlds.schema.kit import (
    Category,
    Code,
    Day,
    Entity,
    Flag,
    Life,
    Link,
    Person,
    Quantity,
    Ref,
)
from stb_env.suites.worlds.schema.nouns import fill, forms, is_plural, reference_word, with_article
from stb_env.suites.worlds.words.blanks import open_category, open_name, open_value, ways_to_set

_MOST_AFTER = 2
"""Phrases that follow a noun; what is left becomes sentences of its own."""


def several(words: str) -> str:
    """Return the plural of the name of an attribute: its last word, or the one before ``of``.

    Examples:
        >>> several("full name"), several("date of birth"), several("address")
        ('full names', 'dates of birth', 'addresses')
    """
    head, of, rest = words.partition(" of ")
    if head.endswith("y") and head[-2:-1] not in "aeiou":
        return f"{head[:-1]}ies{of}{rest}"
    return f"{head}{'es' if head.endswith(('s', 'x', 'ch', 'sh')) else 's'}{of}{rest}"


def listed(words: list[str]) -> str:
    """Return words as a list in a sentence: ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def is_sentence(phrase: str) -> bool:
    """Return whether a phrase has a verb of its own, so that none of another kind can be joined to it."""
    return phrase.startswith(("whose ", "that ", "who ", "which ", "where "))


def together(phrases: list[str]) -> str:
    """Return phrases that follow a noun as one, those with a verb of their own last.

    Examples:
        >>> together(["whose fee is due", "from May"]), together(["from May", "with a receipt"])
        ('from May whose fee is due', 'from May and with a receipt')
    """
    plain = [phrase for phrase in phrases if not is_sentence(phrase)]
    whole = [phrase for phrase in phrases if is_sentence(phrase)]
    return " ".join(listed(group) for group in (plain, whole) if group)


@dataclass(frozen=True, slots=True)
class Said:
    """A selection in words.

    Attributes:
        singular: Noun phrase of one row, without an article.
        plural: Noun phrase of several.
        extra: Phrases on a row itself for a sentence of their own, which limits the rows further.
        further: Phrases for it on other rows.
    """

    singular: str
    plural: str
    extra: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    @property
    def limits(self) -> tuple[str, ...]:
        """Parts of a sentence of its own, each of which can be said to limit the one before."""
        if not self.extra:
            return self.further
        first = [*self.extra, *self.further[:1]]
        plain = [phrase for phrase in first if not is_sentence(phrase)]
        whole = [phrase for phrase in first if is_sentence(phrase)]
        return (*(listed(group) for group in (plain, whole) if group), *self.further[1:])


class Phrases:
    """Says the parts of one request.

    Args:
        blueprint: The world.
        pick: Draws among ways to say the same.
    """

    def __init__(self, blueprint: Blueprint, pick: Random) -> None:
        self.blueprint = blueprint
        self.pick = pick

    def entity(self, name: str) -> Entity:
        """Return an entity of the world."""
        return self.blueprint.entities[name]

    def noun(self, entity: str) -> str:
        """Return what one row is called."""
        return forms(self.entity(entity))[0]

    def nouns(self, entity: str) -> str:
        """Return what several rows are called."""
        return forms(self.entity(entity))[1]

    def word(self, entity: str, path: str) -> str:
        """Return what a value is called, seen from a row: ``owner's name``."""
        references, _, last = path.rpartition(".")
        if not references:
            return reference_word(self.blueprint.entities, entity, last)
        holder, name = self.blueprint.place(entity, references)
        word = self.blueprint.attribute(entity, path).words[0]
        link = self.blueprint.entities[holder].attributes[name]
        if isinstance(link, Link):
            # The row is the same person as the one before it.
            before = references.rpartition(".")[0]
            return f"{self._owner(entity, before) if before else ''}{word} at the {link.at}"
        return f"{self._owner(entity, references)}{word}"

    def _owner(self, entity: str, references: str) -> str:
        """Return the word in front of what belongs to a row that is referred to: ``owner's``."""
        holder, name = self.blueprint.place(entity, references)
        return f"{reference_word(self.blueprint.entities, holder, name)}'s "

    def its(self, entity: str) -> str:
        """Return the possessive pronoun for a row: people are named by a person's name."""
        described = self.entity(entity)
        return "their" if isinstance(described.attributes[described.label], Person) else "its"

    def it(self, entity: str) -> str:
        """Return the pronoun for a row."""
        return "them" if self.its(entity) == "their" else "it"

    def value(self, entity: str, path: str, value: int) -> str:
        """Return a value as a person writes it."""
        attribute = self.blueprint.attribute(entity, path)
        if is_open(value):
            return open_value(attribute, self.pick)
        text = self.blueprint.text_of(entity, path, value)
        match attribute:
            case Day():
                day = date.fromordinal(value)
                return f"{day.day} {day:%B %Y}"
            case Quantity(type="money"):
                return f"{text.removesuffix('.00')} {self.blueprint.currency}"
            case Quantity(unit=unit, digits=digits):
                number = text.rstrip("0").removesuffix(".") if digits else text
                return f"{number} {unit}".rstrip()
        return text

    def given(self, entity: str, name: str, value: int) -> str:
        """Return a value of a new row in words: of a flag the phrase that says it."""
        attribute = self.entity(entity).attributes[name]
        if isinstance(attribute, Flag):
            return self.pick.choice(attribute.say if value else attribute.say_not)
        return self.value(entity, name, value)

    def ways(self, entity: str, action: str, value: int | None) -> Sequence[str]:
        """Return the ways to ask for an action; others suit a value that is left open."""
        what = self.entity(entity).actions[action]
        if value is None or not is_open(value) or not isinstance(what, Set):
            return what.say
        return ways_to_set(what.say, self.entity(entity).attributes[what.field])

    def named(self, entity: str, label: int) -> str:
        """Return the row of a label, which is an index in its column: ``the pet Captain Marble``."""
        described = self.entity(entity)
        if is_open(label):
            return open_name(described, self.pick)
        text = self.blueprint.text_of(entity, described.label, label)
        noun = self.noun(entity)
        attribute = described.attributes[described.label]
        if isinstance(attribute, Code):
            return self.pick.choice(
                [f"{noun} {text}", f"the {noun} {text}", f"the {noun} with the {attribute.words[0]} {text}"]
            )
        return self.pick.choice([f"the {noun} {text}", f"{noun} {text}", f"the {noun} named {text}"])

    def clause(self, entity: str, clause: Limit) -> str:
        """Return a clause as words that follow a noun."""
        if isinstance(clause, Related):
            return self._related(clause)
        if isinstance(clause, Tally):
            return self._tallied(entity, clause)
        if "." in clause.path:
            return self._over_reference(entity, (clause,))
        return self.pick.choice(self._own_phrases(entity, clause))

    def _by_reference(self, select: Select) -> tuple[list[Clause], list[tuple[Limit, ...]]]:
        """Return the clauses on a row itself, and the others in groups that one phrase can say."""
        near: list[Clause] = []
        groups: dict[str, tuple[Limit, ...]] = {}
        for place, clause in enumerate(select.clauses):
            if not isinstance(clause, Clause):
                groups[str(place)] = (clause,)
            elif "." not in clause.path:
                near.append(clause)
            else:
                references = clause.path.rpartition(".")[0]
                groups[references] = (*groups.get(references, ()), clause)
        return near, list(groups.values())

    def _over_reference(self, entity: str, group: tuple[Limit, ...]) -> str:
        """Return clauses on one row that is referred to, or on rows that refer here, as one phrase."""
        if not isinstance(group[0], Clause):
            return self.clause(entity, group[0])
        first = group[0].path.partition(".")[0]
        reference = self.entity(entity).attributes[first]
        if not isinstance(reference, Ref):
            raise TypeError(f"{first!r} of {entity!r} refers to no entity")
        inner = [
            Clause(clause.path.partition(".")[2], clause.op, clause.value)
            for clause in group
            if isinstance(clause, Clause)
        ]
        label = self.entity(reference.to).label
        if inner[0].path == label:
            thing = self.named(reference.to, inner[0].value)
        elif "." in inner[0].path:
            thing = (
                f"{with_article(self.noun(reference.to))} {self._over_reference(reference.to, tuple(inner))}"
            )
        else:
            phrases = [self.pick.choice(self._own_phrases(reference.to, clause)) for clause in inner]
            thing = f"{with_article(self.noun(reference.to))} {together(phrases)}"
        return self._around(reference.say, thing, nested=inner[0].path != label)

    def _around(self, phrases: Sequence[str], thing: str, *, nested: bool) -> str:
        """Return a phrase about a thing, which stands at the end where it has phrases of its own."""
        ways = [phrase for phrase in phrases if phrase.endswith("{np}")] if nested else []
        return fill(self.pick.choice(ways or phrases), {"np": thing})

    def _related(self, clause: Related) -> str:
        reference = self.entity(clause.entity).attributes[clause.reference]
        if not isinstance(reference, Ref):
            raise TypeError(f"{clause.reference!r} of {clause.entity!r} refers to no entity")
        one, some = self.noun(clause.entity), self.nouns(clause.entity)
        rest = together([self.clause(clause.entity, each) for each in clause.clauses])
        if isinstance(reference, Link):
            ways = reference.many if clause.present else reference.none
            return self._around(ways, f"{with_article(one)} {rest}", nested=True)
        if clause.present:
            thing = self.pick.choice([f"at least one {one} {rest}", f"one or more {some} {rest}"])
        else:
            thing = self.pick.choice([f"no {some} {rest}", f"not a single {one} {rest}"])
        return self._around(reference.many, thing, nested=True)

    def _tallied(self, entity: str, clause: Tally) -> str:
        reference = self.entity(clause.entity).attributes[clause.reference]
        if not isinstance(reference, Ref):
            raise TypeError(f"{clause.reference!r} of {clause.entity!r} refers to no entity")
        some, bound = self.nouns(clause.entity), clause.bound
        said = [self.clause(clause.entity, each) for each in clause.clauses]
        rest = together(said)
        rows = f"{some} {rest}".rstrip()
        more = clause.op == ">"
        if not clause.measure.path:
            one = f"{self.noun(clause.entity)} {rest}".rstrip()
            if more:
                thing = f"more than {bound} {one if bound == 1 else rows}"
            else:
                thing = f"no {rows}" if bound == 1 else f"fewer than {bound} {rows} or none at all"
        else:
            figure = self.word(clause.entity, clause.measure.path)
            than = f"{'more' if more else 'less'} than "
            if bound is not None:
                than += self.value(clause.entity, clause.measure.path, bound)
            else:
                none = "" if more else " (none count as 0)"
                than += f"{self.its(entity)} own {self.word(entity, clause.path)}{none}"
            plural = is_plural(figure)
            combined = f"{'' if plural else 'a '}combined {figure}"
            whose = f"whose combined {figure} {'are' if plural else 'is'}"
            adding = self.pick.choice([f"with {combined} of", f"having {combined} of", whose])
            if any(map(is_sentence, said)):
                # "Slips whose state is handed in with a combined amount" is no English.
                adding = f"and {whose}"
            thing = f"{rows} {adding} {than}"
        return self._around(reference.many, thing, nested=True)

    def _own_phrases(self, entity: str, clause: Clause) -> list[str]:
        attribute = self.entity(entity).attributes[clause.path]
        if is_open(clause.value) and isinstance(attribute, Category | Life):
            return open_category(attribute, contrary=clause.op == "!=")
        value = self.value(entity, clause.path, clause.value)
        match attribute:
            case Day():
                phrases = attribute.after_say if clause.op == ">" else attribute.before_say
            case Quantity():
                phrases = attribute.over_say if clause.op == ">" else attribute.under_say
            case Category() | Life():
                phrases = attribute.say if clause.op == "=" else attribute.say_not
            case Flag():
                phrases = attribute.say if bool(clause.value) == (clause.op == "=") else attribute.say_not
            case _:
                raise TypeError(f"nothing can be said about {clause.path!r} of {entity!r}")
        return [fill(phrase, {"v": value}) for phrase in phrases]

    def _in_front(self, entity: str, clause: Limit) -> list[str]:
        """Return the words for a clause that can stand before the noun."""
        if not isinstance(clause, Clause) or "." in clause.path or clause.op != "=" or is_open(clause.value):
            return []
        attribute = self.entity(entity).attributes[clause.path]
        if isinstance(attribute, Flag):
            return list(attribute.before) if clause.value else []
        if isinstance(attribute, Category | Life):
            value = self.value(entity, clause.path, clause.value)
            return [] if " " in value else [fill(words, {"v": value}) for words in attribute.before]
        return []

    def select(self, select: Select) -> Said:
        """Return the rows of a selection in words."""
        entity = select.entity
        front: list[str] = []
        after: list[str] = []
        extra: list[str] = []
        near, far = self._by_reference(select)
        for clause in self.pick.sample(near, len(near)):
            words = self._in_front(entity, clause)
            if words and not front and self.pick.random() < 0.7:
                front.append(self.pick.choice(words))
            elif len(after) < _MOST_AFTER and self.pick.random() < 0.8:
                after.append(self.pick.choice(self._own_phrases(entity, clause)))
            else:
                extra.append(self.pick.choice(self._own_phrases(entity, clause)))
        nested: list[str] = []
        further: list[str] = []
        for group in self.pick.sample(far, len(far)):
            first = group[0]
            deep = isinstance(first, Clause) and first.path.count(".") > 1
            phrase = self._over_reference(entity, group)
            (further if deep or nested else nested).append(phrase)
        if nested and after and is_sentence(nested[0]):
            # "Fitted with no sprinklers and that set off calls" is no English.
            further.insert(0, nested.pop())
        if len(after) == _MOST_AFTER and nested:
            extra.insert(0, after.pop())
        if len([*after, *nested]) > 1:
            # "lasting an hour and whose state is due" is no English.
            extra += [each for each in after if is_sentence(each)]
            after = [each for each in after if not is_sentence(each)]
        phrase = " and ".join([*after, *nested])
        one, some = (f"{' '.join([*front, noun, phrase])}".rstrip() for noun in forms(self.entity(entity)))
        return Said(one, some, tuple(extra), tuple(further))
