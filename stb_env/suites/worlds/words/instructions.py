"""Requests in words that change something."""

from __future__ import annotations

import re

from stb_env.suites.worlds.drawing.clauses import queue_clauses
from stb_env.suites.worlds.goals.goal import Change, ForEach, Make, Measure, Select, Work
from stb_env.suites.worlds.schema.actions import Move, Set
from stb_env.suites.worlds.schema.nouns import fill, participle
from stb_env.suites.worlds.words.phrases import Said, listed
from stb_env.suites.worlds.words.sentences import Sentences

_PARTICLE = re.compile(r"\w (?:off|down|out|up|back|away|in|over|on|aside|through|forward) \{np\}")
"""A verb's particle, behind which no pronoun stands."""


class Instructions(Sentences):
    """Says goals that change rows."""

    def _value(self, entity: str, action: str, value: int | None) -> str:
        what = self._say.entity(entity).actions[action]
        if value is None or not isinstance(what, Move | Set):
            return ""
        return self._say.value(entity, what.field, value)

    def change(self, goal: Change) -> str:
        """Return a request for an action on one row."""
        entity = goal.select.entity
        one, about = self._one(goal.select)
        form = self._pick.choice(self._say.ways(entity, goal.action, goal.value))
        named = {"np": one, "v": self._value(entity, goal.action, goal.value)}
        its = f"{self._say.its(entity)} "
        if goal.target is not None:
            named["other"], _ = self._one(goal.target)
            # Of two rows the first is meant.
            its = f"the first {self._say.noun(entity)}'s "
        do = fill(form, named)
        fields = self._fields(entity, goal.fields).replace("the ", its, 1)
        return self._done_and_told(do, fields, about)

    def make(self, goal: Make) -> str:
        """Return a request for a new row."""
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
            f"{do}, and let me know {fields}.",
            f"could you {do}? I also need {fields}.",
            f"I want you to {do}. Then give me {fields}.",
            f"{do}, please, and report {fields}.",
        )
        return " ".join([main, *about])

    def for_each(self, goal: ForEach) -> str:
        """Return a request for an action on each of some rows."""
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
                f"pick out every {said.singular}.",
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

    def work(self, goal: Work, *, rules: bool) -> str:
        """Return a request to work through a queue, with its rules or without."""
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
