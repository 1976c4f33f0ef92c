"""The sentence planner: says a goal as a person would ask for it."""

from __future__ import annotations

import re
from random import Random

from stb_env.suites.worlds.blueprint import Blueprint
from stb_env.suites.worlds.clauses import queue_clauses
from stb_env.suites.worlds.goals import (
    Change,
    Clause,
    Difference,
    Extreme,
    ForEach,
    Goal,
    Group,
    Listing,
    Lookup,
    Make,
    Measure,
    Related,
    Select,
    Several,
    Summary,
    Work,
)
from stb_env.suites.worlds.kit import Day, Ref
from stb_env.suites.worlds.kit_actions import Set
from stb_env.suites.worlds.nouns import fill, participle
from stb_env.suites.worlds.phrases import Phrases, Said, listed, several

_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_ORDINALS = ("Firstly", "Secondly", "Thirdly", "Fourthly", "Fifthly", "Sixthly", "Seventhly", "Eighthly")
_PARTICLE = re.compile(r"\w (?:off|down|out|up|back|away|in|over|on|aside|through|forward) \{np\}")
"""A verb's particle, behind which no pronoun stands."""
_LONG = 70
"""Letters of a noun phrase after which a reader has lost the sentence."""


def query(goal: Goal, blueprint: Blueprint, pick: Random, *, rules: bool = False) -> str:
    """Return a goal in words.

    Args:
        goal: The goal.
        blueprint: The world.
        pick: Draws among ways to say the same.
        rules: Whether the rules of a queue are part of the request; else the agent has to look them up.
    """
    return _Planner(Phrases(blueprint, pick), rules).goal(goal)


class _Planner:
    def __init__(self, say: Phrases, rules: bool) -> None:
        self._say = say
        self._pick = say.pick
        self._with_rules = rules
        self._named: set[tuple[str, int]] = set()
        """Rows that an earlier part of the request names, by entity and label."""

    def goal(self, goal: Goal) -> str:
        """Return a goal in words."""
        match goal:
            case Lookup():
                return self.lookup(goal)
            case Extreme():
                return self.extreme(goal)
            case Summary():
                return self.summary(goal)
            case Group():
                return self.group(goal)
            case Difference():
                return self.difference(goal)
            case Listing():
                return self.listing(goal)
            case Change():
                return self.change(goal)
            case Make():
                return self.make(goal)
            case ForEach():
                return self.for_each(goal)
            case Work():
                return self.work(goal, self._with_rules)
            case Several():
                return self.several(goal)

    def several(self, goal: Several) -> str:
        """Return requests for several things, each marked as one of them."""
        said = [self.goal(part) for part in goal.parts]
        count = _COUNTS[len(said)]
        opening = self._pick.choice(
            [
                f"There are {count} things to do.",
                f"I have {count} requests.",
                f"{count.capitalize()} things, please.",
                "",
            ]
        )
        marks = self._pick.choice(
            [
                [f"({place})" for place in range(1, len(said) + 1)],
                [f"{place}." for place in range(1, len(said) + 1)],
                ["First:", *[self._pick.choice(["Next:", "Then:", "Also:"]) for _ in said[2:]], "Last:"],
                [f"{word}:" for word in _ORDINALS[: len(said)]],
            ]
        )
        marked = [f"{mark} {each}" for mark, each in zip(marks, said, strict=True)]
        return self._pick.choice([" ", "\n"]).join([*([opening] if opening else []), *marked])

    # -- parts ----------------------------------------------------------------------------------

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
            f"leave out all but those {meant}.",
            f"this concerns only the ones {meant}.",
            f"keep to those {meant}.",
            f"only count the ones {meant}.",
            f"what I have in mind are the ones {meant}.",
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
        about = (f"It is one {listed(list(said.limits))}.",) if said.limits else ()
        return self._pick.choice([f"the only {said.singular}", f"the one {said.singular}"]), about

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

    # -- shapes ---------------------------------------------------------------------------------

    def lookup(self, goal: Lookup) -> str:
        one, about = self._one(goal.select)
        fields = self._fields(goal.select.entity, goal.fields)
        be = "is" if len(goal.fields) == 1 else "are"
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
        return " ".join([main, *about])

    def extreme(self, goal: Extreme) -> str:
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
            main = self._choose(
                f"for which {group} is the total {word} of the {rows} highest, and what is that total?",
                f"add up the {word} of the {rows} by {group}. Which {group} has the most, and how much?",
                f"over all {rows}, which {group} has the highest total {word}, and how much is it?",
                f"group the {rows} by {group}: which {group} has the highest total {word}, and what is it?",
            )
        ask = ""
        attribute = self._say.blueprint.attribute(entity, goal.by)
        if isinstance(attribute, Ref):
            label = self._say.entity(attribute.to)
            ask = self._choose(f"Give the {group}'s {label.attributes[label.label].words[0]}.")
        return self._joined(main, said, *([ask] if ask else []))

    def difference(self, goal: Difference) -> str:
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
        said = self._say.select(goal.select)
        words = several(self._say.word(goal.select.entity, goal.path))
        main = self._choose(
            f"list the {words} of all {said.plural}.",
            f"give me the {words} of the {said.plural}.",
            f"which {said.plural} are there? I need their {words}.",
            f"please find all {said.plural} and list their {words}.",
            f"I need a list of the {said.plural}: just their {words}.",
        )
        return self._joined(main, said)

    # -- requests that change something ---------------------------------------------------------

    def _value(self, entity: str, action: str, value: int | None) -> str:
        what = self._say.entity(entity).actions[action]
        return (
            "" if value is None or not isinstance(what, Set) else self._say.value(entity, what.field, value)
        )

    def change(self, goal: Change) -> str:
        entity = goal.select.entity
        one, about = self._one(goal.select)
        form = self._pick.choice(self._say.ways(entity, goal.action, goal.value))
        do = fill(form, {"np": one, "v": self._value(entity, goal.action, goal.value)})
        fields = self._fields(entity, goal.fields).replace("the ", f"{self._say.its(entity)} ", 1)
        return self._done_and_told(do, fields, about)

    def make(self, goal: Make) -> str:
        parent = goal.select.entity
        one, about = self._one(goal.select)
        form = self._pick.choice(self._say.entity(goal.entity).actions[goal.action].say)
        values = {name: self._say.given(goal.entity, name, value) for name, value in goal.values}
        do = fill(form, {"np": one, "noun": self._say.noun(goal.entity), **values})
        fields = self._fields(parent, goal.fields).replace("the ", f"the {self._say.noun(parent)}'s ", 1)
        return self._done_and_told(do, fields, about)

    def _done_and_told(self, do: str, fields: str, about: tuple[str, ...]) -> str:
        main = self._choose(
            f"please {do}, and tell me {fields}.",
            f"{do} and let me know {fields}.",
            f"could you {do}? I also need {fields}.",
            f"I want you to {do}. Then give me {fields}.",
            f"{do}, please, and report {fields}.",
        )
        return " ".join([main, *about])

    def for_each(self, goal: ForEach) -> str:
        entity = goal.select.entity
        said = self._say.select(goal.select)
        form = self._pick.choice(self._say.ways(entity, goal.action, goal.value))
        value = self._value(entity, goal.action, goal.value)
        figures = listed(
            [
                "how many there were" if each.kind == "count" else self._figure(entity, each, "their")
                for each in goal.measures
            ]
        )
        return self._requested(form, said, value, (), self._afterwards(figures))

    def _requested(self, form: str, said: Said, value: str, rules: tuple[str, ...], ask: str) -> str:
        """Return a request for an action on many rows: in one sentence, or after one that names the rows."""
        if not form.endswith("{np}") or said.limits or self._pick.random() < 0.3:
            opening = self._choose(
                f"take all {said.plural}.",
                f"look up all {said.plural}.",
                f"find every {said.singular}.",
                f"this is about all {said.plural}.",
                f"please go through the {said.plural}.",
                f"there are some {said.plural}.",
                f"I need something done about the {said.plural}.",
                f"get together every {said.singular}.",
            )
            thing = self._pick.choice(["each of them", "all of them", "every one of them", "them all"])
            if _PARTICLE.search(form):
                # "Put off all of them", but "put them all off".
                thing = thing.replace("them all", "all of them")
            do = fill(form, {"np": thing, "v": value})
            return self._joined(
                opening,
                said,
                self._choose(
                    f"{do}.",
                    f"please {do}.",
                    f"I want you to {do}.",
                    f"your task is to {do}.",
                    f"could you {do}?",
                    f"I would like you to {do}.",
                ),
                *rules,
                ask,
            )
        thing = self._pick.choice([f"all {said.plural}", f"every {said.singular}", f"each {said.singular}"])
        do = fill(form, {"np": thing, "v": value})
        main = self._choose(
            f"please {do}.",
            f"{do}.",
            f"I want you to {do}.",
            f"could you {do}?",
            f"your task is to {do}.",
            f"I would like you to {do}.",
        )
        return " ".join([main, *rules, ask])

    def _afterwards(self, figures: str) -> str:
        return self._choose(
            f"then tell me {figures}.",
            f"afterwards I need to know {figures}.",
            f"when you are done, report {figures}.",
            f"once that is done, let me know {figures}.",
            f"in the end, tell me {figures}.",
            f"I also want to hear {figures}.",
        )

    def work(self, goal: Work, rules: bool) -> str:
        entity = goal.select.entity
        queue = self._say.entity(entity).queues[goal.queue]
        waiting = queue_clauses(self._say.blueprint, entity, goal.queue)
        said = self._say.select(Select(entity, (*waiting, *goal.select.clauses)))
        done = participle(self._say.entity(entity).actions[goal.decision])
        figures = self._of_decided(entity, goal.measures, done)
        said_rules = (self._rules(goal),) if rules else ()
        form = self._pick.choice(queue.say)
        return self._requested(form, said, "", said_rules, self._afterwards(figures))

    def _of_decided(self, entity: str, measures: tuple[Measure, ...], done: str) -> str:
        """Return the figures over the rows that got one decision, which the first of them names."""
        nouns = self._say.nouns(entity)
        first, *others = measures
        if first.kind == "count":
            opening = f"how many {nouns} you have {done}"
        else:
            opening = f"{self._figure(entity, first)} of the {nouns} you have {done}"
        return listed([opening, *(self._figure(entity, each, "their") for each in others)])

    def _rules(self, goal: Work) -> str:
        queue = self._say.entity(goal.select.entity).queues[goal.queue]
        texts = [*(rule.text for rule in queue.rules), queue.text]
        numbered = " ".join(f"({place}) {text[0].upper()}{text[1:]}" for place, text in enumerate(texts, 1))
        return f"The rules stand in order, and the first that applies decides: {numbered}"
