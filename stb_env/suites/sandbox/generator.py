"""Makes the task that a key means.

Splits are disjoint by construction: the slots that a draw chose hash to one of ten buckets, and each split
owns some of the buckets, so no (template, slots) occurs in two splits. Templates that need a held-out tool
or category are never in train or val, nor are their tools ever distractors there; test owns all of them.
The templates of split "missing" are in no other; their tasks come in twins from the same draw, of which one
can be done and the other cannot, with the same form of answer and, where none is withheld, the same tools.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import islice
from random import Random
from typing import NamedTuple

from stb_env import seeding
from stb_env.core.answers import object_schema
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.cannot import REASONS, Gap
from stb_env.suites.sandbox.catalog import household, tools
from stb_env.suites.sandbox.changes import changes
from stb_env.suites.sandbox.content.edition import within
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.facts import values_of
from stb_env.suites.sandbox.offer import offered
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.solving import Solved, idle_filters, run
from stb_env.suites.sandbox.task_key import BUCKETS, EDITIONS, TaskKey
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Template, Undecided, refusal
from stb_env.tasks import Task
from stb_env.tools import ToolCall

_ATTEMPTS = 400


class Instance(NamedTuple):
    """A drawn and solved instance of a template, with its impossible twin where it has one."""

    draw: Draw
    plan: Plan
    query: str
    solved: Solved
    twin: Instance | None = None


def plan_of(task_id: str) -> Plan:
    """Return the plan behind a task; its solution runs within the task's edition, whoever drives it.

    Raises:
        DataError: There is no such task.
    """
    instance = _instance(TaskKey.parse(task_id))
    edition, solve = instance.draw.household // COUNT, instance.plan.solve
    return instance.plan._replace(solve=lambda: _within(edition, solve()))


def _within(edition: int, solution: Solution) -> Solution:
    """Run a solution as it is, step by step, within an edition."""
    proceed: Callable[[], ApiCall] = partial(next, solution)
    while True:
        try:
            with within(edition):
                request = proceed()
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer
        try:
            proceed = partial(solution.send, (yield request))
        except ApiError as error:
            proceed = partial(solution.throw, error)


def fields_of(task_id: str) -> dict[str, JsonMapping]:
    """Return the schema of every field of a task's typed answer.

    Raises:
        DataError: There is no such task.
    """
    facts = _instance(TaskKey.parse(task_id)).solved.answer.facts
    return {fact.name: fact.schema for fact in facts}


def draw_of(key: TaskKey) -> Draw:
    """Return the draw behind a key: the slots that identify the instance, and the household."""
    return _instance(key).draw


def generate(key: TaskKey) -> Task:
    """Make the task that a key means; the same key gives the same task in every process."""
    feasible = _feasible(key)
    draw, plan, query, solved, _ = _instance(key)
    known = tools()
    withheld = tuple(api.id for api in plan.gap.withheld)
    # Twins offer the same tools in the same order, but for those that one of them withholds.
    calls = dict.fromkeys(call.api.id for call in feasible.solved.calls)
    used = tuple(identity for identity in calls if identity not in withheld)
    return Task(
        id=key.id,
        query=query,
        tools=offered(used, key, withheld),
        suite="Sandbox",
        group=key.template.group,
        split=key.split,
        relevant=used,
        gold=tuple(ToolCall(known[call.api.id].name, dict(call.arguments)) for call in solved.calls),
        goal=_Goal(draw.household, solved),
        record={
            "template": key.template.name,
            "level": key.template.calls,
            "household": draw.household,
            "final_answer": solved.answer.text,
        },
        answer=object_schema({fact.name: fact.schema for fact in feasible.solved.answer.facts}),
        cannot=REASONS,
    )


class _Goal(JsonMapping):
    """The goal of a task: the typed answer, or why there is none, and the tables that change.

    Comparing states is a tenth of the work of a task, and needed only at its end: it is done when asked for.
    """

    def __init__(self, household_number: int, solved: Solved) -> None:
        self._household = household_number
        self._solved = solved

    def __reduce__(self) -> tuple[type[dict[str, object]], tuple[dict[str, object]]]:
        return dict, (self._parts,)

    @cached_property
    def _parts(self) -> dict[str, object]:
        answer = self._solved.answer
        return {
            "answer": values_of(answer.facts),
            "cannot": answer.gap.to_dict() if answer.gap else None,
            "writes": changes(household(self._household), self._solved.state),
        }

    def __getitem__(self, name: str) -> object:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def _instance(key: TaskKey) -> Instance:
    feasible = _feasible(key)
    return feasible if key.feasible or feasible.twin is None else feasible.twin


def _feasible(key: TaskKey) -> Instance:
    """Return the instance of a key, or where its request cannot be met, the twin of which it can."""
    if key.split != "train":
        return _series(key.split, key.template).at(key.place)
    rng = seeding.rng("sandbox", key.split, key.template.name, key.turn)
    return next(_instances(key.split, key.template, rng))


class _Series:
    """The instances of a template in a listed split, no two of them with the same slots."""

    def __init__(self, split: str, template: Template) -> None:
        self._what = f"{template.name} has too few slot values for split {split}; give it more"
        self._source = _instances(split, template, seeding.rng("sandbox", split, template.name))
        self._found: dict[tuple[str, ...], Instance] = {}
        self._lock = threading.Lock()

    def at(self, turn: int) -> Instance:
        with self._lock:
            repeats = 0
            while len(self._found) <= turn:
                instance = next(self._source)
                known = self._found.setdefault(tuple(instance.draw.slots), instance)
                repeats = repeats + 1 if known is not instance else 0
                if repeats > _ATTEMPTS:
                    raise DataError(self._what)
        return next(islice(self._found.values(), turn, None))


@lru_cache(maxsize=1024)
def _series(split: str, template: Template) -> _Series:
    return _Series(split, template)


def _instances(split: str, template: Template, rng: Random) -> Iterator[Instance]:
    """Draw instances whose slots belong to the split and whose answer is decided."""
    unfit = number = 0
    while unfit < _ATTEMPTS:
        unfit += 1
        with within(EDITIONS[split][rng.randrange(len(EDITIONS[split]))]):
            instance = _drawn(split, template, rng, number)
        if instance is not None:
            unfit, number = 0, number + 1
            yield instance
    raise DataError(f"{template.name} has too few slot values for split {split}; give it more")


def _drawn(split: str, template: Template, rng: Random, number: int) -> Instance | None:
    """Draw once; None where the draw is another split's, or has several right answers."""
    if not template.twins:
        return _one(split, template, Draw(rng), rng)
    seed = rng.getrandbits(64)
    draws = [Draw(Random(seed), feasible=feasible, number=number) for feasible in (True, False)]
    feasible, twin = (_one(split, template, draw, Random(seed)) for draw in draws)
    return None if feasible is None or twin is None else feasible._replace(twin=twin)


def _one(split: str, template: Template, draw: Draw, rng: Random) -> Instance | None:
    try:
        plan = template.draw(draw)
    except Undecided:
        return None
    if _owned(split, template) and bucket_of(template.name, draw.slots) not in BUCKETS[split]:
        return None
    query = plan.wordings[rng.randrange(len(plan.wordings))]
    if plan.gap and not plan.gap.hidden:
        plan = plan._replace(solve=partial(_refusing, plan.gap))
    home = household(draw.household)
    try:
        solved = run(plan, home)
    except Undecided:
        return None
    if not template.twins and idle_filters(plan, home, solved):
        return None
    return Instance(draw, plan, query, solved)


def _refusing(gap: Gap) -> Solution:
    yield from ()
    return refusal(gap)


def _owned(split: str, template: Template) -> bool:
    # A template with held-out tools is in test alone, so all its instances are test's; likewise for missing.
    return split in BUCKETS and not template.held_out


def bucket_of(template: str, slots: list[str]) -> int:
    """Return the bucket, from 0 to 9, that owns an instance."""
    return seeding.derive("sandbox bucket", template, *slots) % 10
