"""Checks of a household episode: the goal is reached, and nothing else was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from stb_env.suites.sambanova.virtual_home.acts import done
from stb_env.suites.sambanova.virtual_home.home import Home
from stb_env.suites.sambanova.virtual_home.step import Step

_LEEWAY = 4
_FREE = frozenset({"Find", "WalkTo", "RunTo", "TurnTo", "LookAt"})

# Ways of getting at things and of tidying up, which whoever does a chore may need whatever the chore is.
_HANDLING = _FREE | {
    "Close",
    "Drop",
    "Grab",
    "LieOn",
    "Open",
    "PlugIn",
    "PlugOut",
    "Put",
    "PutBack",
    "PutIn",
    "PutOn",
    "SitOn",
    "StandUp",
    "SwitchOff",
    "SwitchOn",
    "TakeOff",
    "Touch",
}
_SLIPS = 1
_POSTURES = frozenset({"sitting", "lying", "asleep"})

Labels = Sequence[Sequence[Step]]


class HomeGoal(TypedDict):
    """The goal of an activity whose outcome is known.

    Attributes:
        labels: Known programs.
        reaches: Conditions that hold when it is done, see `Home.meets`.
        given: Facts at the start, besides the usual ones.
        rests: Postures of the person when all is done.
    """

    labels: list[str]
    reaches: list[str]
    given: list[str]
    rests: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class Course:
    """The steps of an episode.

    Attributes:
        tries: Every step, done or not; None for a call that is no step.
        is_done: Whether it was done.
        last: Place of the last step that was done and asked for; -1 if there is none.
    """

    tries: Sequence[Step | None]
    is_done: Sequence[bool]
    last: int

    @classmethod
    def of(
        cls, goal: HomeGoal, labels: Labels, tries: Sequence[Step | None], is_done: Sequence[bool]
    ) -> Course:
        """Return the course of an episode on the way to a goal."""
        asked = [
            at
            for at, step in enumerate(tries)
            if step and is_done[at] and _is_asked(step, labels, goal["reaches"])
        ]
        return cls(tries, is_done, asked[-1] if asked else -1)

    @property
    def made(self) -> list[Step]:
        """The steps that were done."""
        return self._done(len(self.tries))

    @property
    def asked(self) -> list[Step]:
        """The steps that were done, up to the last one that was asked for."""
        return self._done(self.last + 1)

    @property
    def late(self) -> list[Step]:
        """All steps after that."""
        return [step for step in self.tries[self.last + 1 :] if step]

    def _done(self, end: int) -> list[Step]:
        return [step for at, step in enumerate(self.tries[:end]) if step and self.is_done[at]]


def reached(goal: HomeGoal, home: Home) -> dict[str, bool]:
    """Return what is to be reached, and whether it is; what is so at the start already is to be kept.

    Examples:
        >>> goal = {"reaches": ["on cup table", "not open oven", "did Wash cup"], "given": []}
        >>> reached(goal, Home.of(["on cup table"]))
        {'state:on cup table': True, 'kept:not open oven': True, 'act:3 Wash cup': False}
    """
    start = Home.of(goal["given"])
    return {
        _part(number, condition, start): home.meets(condition)
        for number, condition in enumerate(goal["reaches"], 1)
    }


def _part(number: int, condition: str, start: Home) -> str:
    if start.meets(condition):
        return f"kept:{condition}"
    return f"act:{number} {condition.removeprefix('did ')}" if "did " in condition else f"state:{condition}"


def guards(goal: HomeGoal, labels: Labels, course: Course, home: Home) -> dict[str, bool]:
    """Return what is not to be done on the way, and whether that is so."""
    start, things = Home.of(goal["given"]), _things(goal, labels)
    late = (step for step in course.late if step.name not in _FREE and step.objects)
    foreign = [step for step in late if things.isdisjoint(step.objects)]
    changed = [fact for fact in home.facts ^ start.facts if fact[0] not in _POSTURES]
    is_asked = len(unasked(course.tries, labels)) <= _SLIPS and not unasked(course.late, labels)
    return {
        **{f"kept:{condition}": home.meets(condition) for condition in _rests(goal, course)},
        "kept:few steps": _effort(course.made) <= _LEEWAY + 1.5 * max(map(_effort, labels)),
        "kept:nothing unasked": is_asked and not foreign,
        "kept:other things": not any(things.isdisjoint(fact[1:]) for fact in changed),
    }


def _rests(goal: HomeGoal, course: Course) -> list[str]:
    """Return how the person sat or lay when all was done, where one of several errands asks for that."""
    rests = goal.get("rests", [])
    if not rests:
        return []
    home = Home.of(goal["given"])
    for step in course.asked:
        home = done(home, step)
    return [condition for condition in rests if home.meets(condition)]


def _things(goal: HomeGoal, labels: Labels) -> frozenset[str]:
    """Return what labels and goal have to do with."""
    words = (word for condition in (*goal["reaches"], *goal["given"]) for word in condition.split())
    return frozenset([*words, *(thing for label in labels for step in label for thing in step.objects)])


def _is_asked(step: Step, labels: Labels, reaches: Sequence[str]) -> bool:
    """Return whether a step does what a label does, other than getting there and getting up."""
    if step.name in _FREE or step.name == "StandUp":
        return f"did {' '.join([step.name, *step.objects])}" in reaches
    return any(step in label for label in labels)


def unasked(steps: Sequence[Step | None], labels: Sequence[Sequence[Step]]) -> list[Step]:
    """Return the acts that no label calls for: of another kind, or done more often than any label does.

    What only handles a thing is no such act. Attempts count like steps that were done.

    Examples:
        >>> label = [Step("Grab", ("beer",)), Step("Drink", ("beer",))]
        >>> unasked([*label, Step("Open", ("freezer",)), Step("Eat", ("beer",))], [label])
        [Step(name='Eat', objects=('beer',))]
    """
    times: Counter[Step] = Counter()
    found = []
    for step in steps:
        if step is None or step.name in _HANDLING:
            continue
        times[step] += 1
        asked = any(step.name == other.name for label in labels for other in label)
        if not asked or times[step] > max(1, *(label.count(step) for label in labels)):
            found.append(step)
    return found


def _effort(steps: Sequence[Step]) -> int:
    return sum(step.name not in _FREE for step in steps)
