"""Requests in words that only ask."""

from __future__ import annotations

from stb_env.suites.worlds.goals.goal import (
    Clause,
    Difference,
    Extreme,
    Group,
    Listing,
    Lookup,
    Select,
    Summary,
)
from stb_env.suites.worlds.schema.kit import Ref
from stb_env.suites.worlds.words.phrases import several
from stb_env.suites.worlds.words.sentences import Sentences


class Questions(Sentences):
    """Says goals that change nothing."""

    def lookup(self, goal: Lookup) -> str:
        """Return a request for fields of one row."""
        one, about = self._one(goal.select)
        fields = self._fields(goal.select.entity, goal.fields)
        be = "is" if len(goal.fields) == 1 else "are"
        if any("." in path for path in goal.fields):
            # "The tree's girth of the report" is no English.
            main = self._choose(
                f"for {one}, what {be} {fields}?",
                f"please give me {fields} for {one}.",
                f"for {one}, I need {fields}.",
                f"could you look up {fields} for {one}?",
                f"can you tell me {fields} for {one}?",
            )
            return " ".join([main, *about])
        main = self._choose(
            f"what {be} {fields} of {one}?",
            f"please give me {fields} of {one}.",
            f"I need {fields} of {one}.",
            f"could you look up {fields} of {one}?",
            f"find {one} and tell me {fields} on record for {self._say.it(goal.select.entity)}."
            if not about
            else f"please find {fields} of {one}.",
            f"can you tell me {fields} of {one}?",
        )
        if not goal.currency:
            return " ".join([main, *about])
        asked = self._choose(
            f"I need the amount in {goal.currency}.",
            f"give the amount in {goal.currency}, please.",
            f"what counts is the amount in {goal.currency}.",
        )
        return " ".join([main, *about, asked])

    def extreme(self, goal: Extreme) -> str:
        """Return a request for the row that comes first, and fields of it."""
        entity = goal.select.entity
        said = self._say.select(goal.select)
        label, by = goal.fields
        best = f"{self._superlative(entity, by, goal.most)} {self._say.word(entity, by)}"
        its = self._say.its(entity)
        give = f"Give {its} {self._say.word(entity, label)} and the {self._say.word(entity, by)}."
        tell = f"I need {its} {self._say.word(entity, label)} and the {self._say.word(entity, by)} itself."
        noun = self._say.noun(entity)
        main = self._choose(
            f"among the {said.plural}, which one has the {best}?",
            f"which of the {said.plural} has the {best}?",
            f"of all {said.plural}, find the one with the {best}.",
            f"which {noun} has the {best} among the {said.plural}?",
            f"please find the {noun} with the {best} among all {said.plural}.",
        )
        return self._joined(main, said, self._choose(give, tell))

    def summary(self, goal: Summary) -> str:
        """Return a request for figures over rows."""
        entity = goal.select.entity
        said = self._say.select(goal.select)
        if len(goal.measures) == 1:
            word = self._say.word(entity, goal.measures[0].path)
            main = self._choose_for(
                said.plural,
                (
                    f"what is the total {word} of all {said.plural}?",
                    f"please work out the total {word} of the {said.plural}.",
                    f"I need the total {word} of all {said.plural}.",
                ),
                (
                    f"add up the {word} of all {said.plural} and tell me the total.",
                    f"taking all {said.plural} together, what is the total {word}?",
                ),
            )
            return self._joined(main, said)
        figure = goal.measures[1]
        theirs = self._figure(entity, figure, "their")
        main = self._choose_for(
            said.plural,
            (
                f"for the {said.plural}, I need the count and {self._figure(entity, figure)}.",
                f"what is the number of {said.plural}, and what is {theirs}?",
                f"I need two figures on the {said.plural}: how many there are, and {theirs}.",
            ),
            (
                f"how many {said.plural} are there, and what is {theirs}?",
                f"count the {said.plural} and tell me {theirs}, too.",
                f"please tell me how many {said.plural} we have and {theirs}.",
            ),
        )
        return self._joined(main, said)

    def group(self, goal: Group) -> str:
        """Return a request for the group that comes first, and its figure."""
        entity = goal.select.entity
        said = self._say.select(goal.select)
        group = self._say.word(entity, goal.by)
        if goal.measure.kind == "count":
            main = self._choose(
                f"which {group} has the most {said.plural}, and how many?",
                f"by {group}, where are there the most {said.plural}, and how many?",
                f"for which {group} are there the most {said.plural}, and how many?",
            )
        else:
            word = self._say.word(entity, goal.measure.path)
            rows = said.plural
            main = self._choose_for(
                rows,
                (
                    f"take all {rows}: for which {group} is the total {word} highest, and what is it?",
                    f"for each {group}, add up the {word} of the {rows}. Which has the most, and how much?",
                    f"over all {rows}, which {group} has the highest total {word}, and how much is it?",
                ),
                (
                    f"group the {rows} by {group}: which {group} has the highest total {word}, "
                    "and what is it?",
                ),
            )
        ask = ""
        attribute = self._say.blueprint.attribute(entity, goal.by)
        if isinstance(attribute, Ref):
            label = self._say.entity(attribute.to)
            ask = self._choose(f"Give the {group}'s {label.attributes[label.label].words[0]}.")
        return self._joined(main, said, *([ask] if ask else []))

    def difference(self, goal: Difference) -> str:
        """Return a request for a figure, and how far it is from another."""
        entity = goal.one.entity
        one = next(clause for clause in goal.one.clauses if clause not in goal.other.clauses)
        other = next(clause for clause in goal.other.clauses if clause not in goal.one.clauses)
        shared = Select(entity, tuple(clause for clause in goal.one.clauses if clause != one))
        said = self._say.select(shared)
        first, second = self._two_sides(entity, one, other)
        word = self._say.word(entity, goal.measure.path)
        opening = self._choose(
            f"take the {said.plural}.", f"look at all {said.plural}.", f"this is about the {said.plural}."
        )
        asked = self._choose(
            f"what is the total {word} of those {first}, "
            f"and by how much does it differ from the total of those {second}?",
            f"I need the total {word} of the ones {first}, "
            f"and the difference between it and the total of the ones {second}.",
            f"tell me the total {word} of those {first}, and how far it is from the total of those {second}.",
        )
        return self._joined(opening, said, asked)

    def _two_sides(self, entity: str, one: object, other: object) -> tuple[str, str]:
        if not isinstance(one, Clause) or not isinstance(other, Clause):
            raise TypeError("the sides of a difference differ in a clause")
        state = self._pick.getstate()
        first = self._say.clause(entity, one)
        # The same draw takes the same phrase, so that the sides are parallel.
        self._pick.setstate(state)
        return first, self._say.clause(entity, other)

    def listing(self, goal: Listing) -> str:
        """Return a request for a value of each of some rows."""
        said = self._say.select(goal.select)
        words = several(self._say.word(goal.select.entity, goal.path))
        main = self._choose_for(
            said.plural,
            (
                f"list the {words} of all {said.plural}.",
                f"give me the {words} of the {said.plural}.",
                f"I need a list of the {said.plural}: just their {words}.",
                f"please find all {said.plural}. I need their {words}.",
            ),
            (
                f"which {said.plural} are there? I need their {words}.",
                f"please find all {said.plural} and list their {words}.",
            ),
        )
        return self._joined(main, said)
