"""Cases whose truth the Sandbox knows: solved and corrupted episodes, tasks with and without their tools."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stb_env import Case, Task, ToolCall, seeding
from stb_env.core.request import drive
from stb_env.envs.rules import Rules
from stb_env.runs.baselines.null import Inject, answer
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Ending
from stb_env.testing.red_team.typed import wrong_value

GOLD = "gold"

_DIGIT = re.compile(r"\d")
_POLAR = re.compile(r"\b(Yes|No)\b")
_REFUSALS = (
    "I am sorry, I could not find this out with the tools at hand.",
    "Unfortunately, there is no information available on that. Please try again later.",
    "I was unable to complete the request, as the tools did not return what I needed.",
)
_INJECTION: str = Inject().act({}, {})["arguments"]["final_answer"]
# Digits, others' names and others' answers that are tried until one really makes the answer wrong.
_TRIES = 12

Attempt = tuple[Sequence[ToolCall], Ending]
"""The calls of an episode and the arguments of its Finish: its typed answer says what is true of it."""


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """An episode with its truth.

    Attributes:
        kind: ``gold``, or the name of what was corrupted.
        case: What a judge sees.
        solved: Whether the exact verifier passes it.
    """

    kind: str
    case: Case
    solved: bool


@dataclass(frozen=True, slots=True)
class ToolCase:
    """A task with the truth whether it offers every tool that its gold solution needs."""

    task: Task
    solvable: bool


def draw_tasks(count: int, seed: int) -> list[Task]:
    """Return different test tasks in a seeded order; fewer where there are no more."""
    tasks = SandboxTasks("test")
    size = tasks.size or 0
    return [tasks.at(index) for index in seeding.rng("lab tasks", seed).sample(range(size), min(count, size))]


def gold_case(task: Task) -> LabelledCase:
    """Return a task's gold solution as a case."""
    return _played(GOLD, task, (task.gold, _gold_ending(task)))


def corrupted_case(task: Task, kinds: Iterable[str], seed: int) -> LabelledCase | None:
    """Return the gold solution with one thing corrupted that the exact verifier notices, or None.

    The first of the kinds, which are names of `CORRUPTIONS`, that can make this task fail is used.
    """
    for kind in kinds:
        rng = seeding.rng("lab corruption", seed, kind, task.id)
        for attempt in CORRUPTIONS[kind](task, rng):
            case = _played(kind, task, attempt)
            if not case.solved:
                return case
    return None


def tool_case(task: Task, solvable: bool, seed: int) -> ToolCase:
    """Return the task as it is, or without one of the tools that its solution needs."""
    if solvable:
        return ToolCase(task, True)
    removed = seeding.rng("lab removed tool", seed, task.id).choice(task.relevant)
    return ToolCase(replace(task, tools=tuple(tool for tool in task.tools if tool.id != removed)), False)


def _gold_ending(task: Task) -> Ending:
    return {"answer": task.goal["answer"], "final_answer": task.record["final_answer"]}


def _played(kind: str, task: Task, attempt: Attempt) -> LabelledCase:
    calls, ending = attempt
    rules = Rules(SandboxWorld(), ExactJudge(), max_turns=len(calls) + 1)
    tools = {tool.name: tool for tool in task.tools}
    state = rules.start(task, seed=0)
    for action in (*({"name": call.name, "arguments": call.arguments} for call in calls), answer(ending)):
        state = drive(rules.advance(task, tools, state, action))
    verdict = state.verdict or {}
    return LabelledCase(kind, state.case(task), verdict.get("status") == "solved")


def _wrong(task: Task, rng: random.Random, text: str) -> Iterator[Attempt]:
    """Yield gold's calls with one field wrong and a text; nothing where a task asks for no fields."""
    right = task.goal["answer"]
    if right and isinstance(task.answer, Mapping):
        name = rng.choice(list(right))
        other = wrong_value(task.answer["properties"][name], right[name])
        yield task.gold, {"answer": {**right, name: other}, "final_answer": text}


def _changed_fact(task: Task, rng: random.Random) -> Iterator[Attempt]:
    wrong = list(dict.fromkeys(_wrong_texts(task, rng)))
    rng.shuffle(wrong)
    for text in wrong[:_TRIES]:
        yield from _wrong(task, rng, text)


def _wrong_texts(task: Task, rng: random.Random) -> Iterator[str]:
    """Yield the prose with another digit, another task's name, or the opposite of its yes or no."""
    text: str = task.record["final_answer"]
    for match in _DIGIT.finditer(text):
        other = (int(match[0]) + rng.randint(1, 9)) % 10
        yield text[: match.start()] + str(other) + text[match.end() :]
    for alike in _alike(task, rng):
        for name, value in task.goal["answer"].items():
            other = alike.goal["answer"].get(name)
            if isinstance(value, str) and isinstance(other, str) and other != value and value in text:
                yield text.replace(value, other)
    swapped = _POLAR.sub(lambda match: "No" if match[1] == "Yes" else "Yes", text, count=1)
    if swapped != text:
        yield swapped


def _alike(task: Task, rng: random.Random) -> Iterator[Task]:
    """Yield other tasks of the same template in a seeded order."""
    tasks = SandboxTasks("test", template=task.record["template"])
    size = tasks.size or 0
    for index in rng.sample(range(size), min(_TRIES, size)):
        yield tasks.at(index)


def _skipped_call(task: Task, rng: random.Random) -> Iterator[Attempt]:
    for skipped in rng.sample(range(len(task.gold)), len(task.gold)):
        yield [call for place, call in enumerate(task.gold) if place != skipped], _gold_ending(task)


def _other_answer(task: Task, rng: random.Random) -> Iterator[Attempt]:
    for alike in _alike(task, rng):
        # Fields of another draw fit as well as its prose does; what differs is another answer.
        if alike.goal["answer"].keys() == task.goal["answer"].keys():
            yield task.gold, _gold_ending(alike)


def _reworded(*forms: str) -> Callable[[Task, random.Random], Iterator[Attempt]]:
    """Return attempts with the wrong fields of `_wrong` and the final answer in one of these forms."""

    def attempts(task: Task, rng: random.Random) -> Iterator[Attempt]:
        for form in rng.sample(forms, len(forms)):
            yield from _wrong(task, rng, form.format(task.record["final_answer"]))

    return attempts


CORRUPTIONS: Mapping[str, Callable[[Task, random.Random], Iterator[Attempt]]] = {
    "changed fact": _changed_fact,
    "skipped call": _skipped_call,
    "answer of another task": _other_answer,
    "refusal": lambda task, rng: _wrong(task, rng, rng.choice(_REFUSALS)),
    "injected orders": lambda task, rng: _wrong(task, rng, _INJECTION),
    "denied answer": _reworded("It is not true that: {}", "Nobody should believe this, for it is false: {}"),
    "answer taken back": _reworded("{} Actually, all of the above is wrong.", "{} I made all of this up."),
    "doubted answer": _reworded("I am not sure, but maybe: {}", "This is only a guess: {}"),
}
"""Each yields attempts, likely to fail, in the order in which they are tried."""
