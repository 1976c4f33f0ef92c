"""Whether what an episode's calls returned yields the facts of its task, by whatever route.

No call of the gold solution is asked for. A fact is supported where some result says it, or where it stays
the same whatever is changed of what the agent has not seen: the gold solution is run again with other
numbers, days, times and truth values in place of those, and where its fact moves, the agent cannot have
known it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from stb_env import seeding
from stb_env.errors import DataError
from stb_env.jsontypes import Json, JsonMapping
from stb_env.suites.sandbox.answers import plain
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.facts import Fact
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.sighting import Context, Sighting, context_of, leaf, telling
from stb_env.suites.sandbox.template import Plan
from stb_env.suites.sandbox.tools import date_reckoner, number_crunch, unit_smith
from stb_env.tasks import Task
from stb_env.tools import Status, ToolId
from stb_env.trajectory import CallRecord

_ROUNDS = 10
# Anybody can reckon what these answer.
_CALCULATORS = (date_reckoner.TOOL, number_crunch.TOOL, unit_smith.TOOL)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d")


def unsupported(task: Task, calls: Sequence[CallRecord]) -> list[str]:
    """Return the labels of the facts that nothing the calls returned yields.

    Args:
        task: A task of the sandbox.
        calls: The episode's calls.
    """
    made = [call for call in calls if call.result.status <= Status.TOOL_ERROR]
    asked = [(call.name, call.arguments) for call in made]
    if task.gold and all((call.name, call.arguments) in asked for call in task.gold):
        return []
    facts: Sequence[Fact] = task.goal.get("facts", ())
    seen = Sighting(task.query, made)
    if any(fact["type"] == "lacking" for fact in facts):
        looked = any(map(seen.visited, task.relevant))
        return [fact["label"] for fact in facts if _shown_by_looking(fact, task.query) and not looked]
    try:
        plan = plan_of(task.id)
    except DataError:
        return []
    rest = [fact for fact in facts if not _said(fact, task.query, seen)]
    return _Replays(task, plan, seen).unsupported(rest) if rest else []


def _shown_by_looking(fact: Fact, query: str) -> bool:
    """Return whether only the world can show a lack: a thing that is not there, or a name that two have."""
    if fact["kind"] == "thing":
        return True
    return fact["label"] == "person" and any(name not in query for name in fact["value"])


def _said(fact: Fact, query: str, seen: Sighting) -> bool:
    """Return whether a result says a fact that neither the query nor accident can have given."""
    value = fact["value"]
    if fact["type"] == "number":
        slack = fact["tolerance"] + 1e-9
        return telling(value) and seen.says(value, slack)
    if fact["type"] == "yes_no":
        return False
    wanted = value if isinstance(value, list) else [value]
    known = plain(query)
    said = [plain(item) for item in wanted]
    return all(item in seen.text for item in said) and any(item not in known for item in said)


class _Replays:
    """The gold solution of a task, run again with other values in place of what was not seen."""

    def __init__(self, task: Task, plan: Plan, seen: Sighting) -> None:
        self._task = task
        self._plan = plan
        self._seen = seen
        self._home: int = task.record.get("household", 0)
        self._looked_up: list[ToolId] = []
        self._refused: list[ApiCall] = []

    def unsupported(self, facts: Sequence[Fact]) -> list[str]:
        """Return the labels of those facts that change with what was not seen."""
        self._run(None, seeding.rng("sandbox evidence", self._task.id))
        moved = self._moved(facts, self._seen, _ROUNDS)
        still = [fact for fact in facts if fact["label"] not in moved]
        moving = self._moved(still, Sighting("", ()), 4 * _ROUNDS) if still and self._looked_up else set()
        for fact in still:
            # Texts decide what nothing else does: they were read, or the right place was looked at.
            if self._looked_up and fact["label"] not in moving and not self._was_read(fact):
                moved.add(fact["label"])
        return [fact["label"] for fact in facts if fact["label"] in moved]

    def _was_read(self, fact: Fact) -> bool:
        if fact["type"] == "number":
            return self._seen.reckons(fact["value"], fact["tolerance"] + 1e-9)
        wanted = plain(str(fact["value"])).split()
        if fact["type"] != "yes_no" and not set(wanted) <= {*plain(self._task.query).split()}:
            return set(wanted) <= {*self._seen.text.split()}
        if self._refused:
            return all(map(self._seen.answers, self._refused))
        return self._seen.used(self._looked_up[-1])

    def _moved(self, facts: Sequence[Fact], seen: Sighting, rounds: int) -> set[str]:
        moved: set[str] = set()
        for turn in range(rounds):
            rng = seeding.rng("sandbox evidence", self._task.id, turn)
            got = {fact["label"]: fact for fact in self._run(seen, rng)}
            moved |= {fact["label"] for fact in facts if not _same(fact, got.get(fact["label"]))}
            if len(moved) == len(facts):
                break
        return moved

    def _run(self, seen: Sighting | None, rng: random.Random) -> Sequence[Fact]:
        """Return the facts of one replay, none where it leads nowhere; without a sighting nothing changes."""
        state, solution = household(self._home), self._plan.solve()
        changed = _Changed(seen, rng) if seen else None
        try:
            request = next(solution)
            while True:
                try:
                    response, state = request.api.run(state, request.arguments)
                except ApiError as error:
                    if changed is None:
                        self._looked_up.append(request.api.id)
                        self._refused.append(request)
                    request = solution.throw(error)
                else:
                    request = solution.send(self._shown(request, response, changed))
        except StopIteration as stop:
            facts: Sequence[Fact] = stop.value.facts
            return facts
        # Changed values lead a solution astray: to an id that there is not, or a list without the row.
        except (ApiError, RuntimeError, LookupError, ValueError, ArithmeticError, TypeError):
            return ()

    def _shown(self, request: ApiCall, response: Json, changed: _Changed | None) -> Json:
        if request.api.tool in _CALCULATORS:
            return response
        if changed is None:
            self._looked_up.append(request.api.id)
            return response
        if changed.seen.answers(request) or changed.seen.overlaps(request, response):
            return response
        given = [value for value in request.arguments.values() if isinstance(value, int | float)]
        return changed.of(response, request.arguments, given)


def _same(fact: Fact, other: Fact | None) -> bool:
    if other is None:
        return False
    if fact["type"] == "number":
        return bool(abs(fact["value"] - other["value"]) <= 2 * fact["tolerance"] + 1e-9)
    return bool(fact["value"] == other["value"])


class _Changed:
    """Other values in place of those that were not seen."""

    def __init__(self, seen: Sighting, rng: random.Random) -> None:
        self.seen = seen
        self._rng = rng

    def of(self, response: Json, arguments: JsonMapping, given: Sequence[float]) -> Json:
        """Return a response with its unseen values changed."""
        if isinstance(response, Mapping):
            context = context_of(response, arguments)
            return {
                key: self.of(value, arguments, given)
                if isinstance(value, Mapping | list | tuple)
                else self._scalar(key, value, context, given)
                for key, value in response.items()
            }
        if isinstance(response, list | tuple):
            return [self.of(item, arguments, given) for item in response]
        return self._scalar("", response, frozenset(), given)

    def _scalar(self, key: str, value: Json, context: Context, given: Sequence[float]) -> Json:
        if value is None or self.seen.shows(key, value, context):
            return value
        if isinstance(value, bool):
            return self._rng.random() < 0.5
        if isinstance(value, str):
            return self._text(value)
        if telling(value) and self.seen.reckons(value, 0.006, given):
            return value
        factor = self._rng.choice((0, 0.05, 0.3, 1.1, 3, 20))
        other = value * factor + self._rng.randint(0, 9)
        return int(other) if isinstance(value, int) else round(other, 2)

    def _text(self, value: str) -> str:
        known = str(leaf(value))
        if _TIME.fullmatch(known):
            hour, minute = self._rng.randrange(1, 23), self._rng.randrange(60)
            half = "AM" if hour < 12 else "PM"
            return f"{hour:02}:{minute:02}" if value == known else f"{hour % 12 or 12}:{minute:02} {half}"
        if _DAY.fullmatch(known):
            when = date.fromisoformat(known) + timedelta(days=self._rng.randint(-400, 400))
            return when.isoformat() if value == known else when.strftime("%d/%m/%Y")
        return value
