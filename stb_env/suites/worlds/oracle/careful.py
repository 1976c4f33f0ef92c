"""Plays requests that may have to be refused: decides from what tools show alone, as `Player` does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.goal import Change, ForEach, Goal
from stb_env.suites.worlds.goals.refusals import Missing, policies_on, state_name
from stb_env.suites.worlds.oracle.player import Player
from stb_env.suites.worlds.oracle.requests import Asking, Plan, Request
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.schema.actions import Transition
from stb_env.suites.worlds.schema.kit import Life
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.services.api_error import ApiError


@dataclass(frozen=True, slots=True)
class Ended:
    """Outcome of a careful plan.

    Attributes:
        ending: The arguments of Finish: an answer, or why there is none.
        state: The changes at the end.
        requests: The calls.
    """

    ending: JsonObject
    state: State
    requests: tuple[Request, ...]


class CarefulPlayer(Player):
    """Plays requests in a world in which some cannot be met."""

    def end(self, goal: Goal, missing: Missing | None) -> Asking[JsonObject]:
        """Yield the calls that a request needs, and return the arguments of Finish.

        Args:
            goal: The request.
            missing: The name in it that is no row's, if there is one.
        """
        if missing is not None:
            yield from self._look_for(missing)
            return _cannot("not_found", forms(self._blueprint.entities[missing.entity])[0])
        if not isinstance(goal, Change | ForEach):
            return {"answer": (yield from self.solve(goal))}
        entity = goal.select.entity
        measures = () if isinstance(goal, Change) else goal.measures
        paths = goal.fields if isinstance(goal, Change) else [each.path for each in measures if each.path]
        numbers = yield from self._find(goal.select, paths)
        refusal = yield from self._objection(entity, goal.action, numbers)
        if refusal is not None:
            return refusal
        if isinstance(goal, Change):
            answer = self._fields(entity, numbers[0], goal.fields)
        else:
            answer = self._figures(entity, numbers, measures)
        yield from self._act(entity, numbers, goal.action, goal.value)
        return {"answer": answer}

    def _objection(self, entity: str, action: str, numbers: list[int]) -> Asking[JsonObject | None]:
        """Return why an action cannot be done to all of some rows, or None."""
        described = self._blueprint.entities[entity]
        what = described.actions[action]
        if isinstance(what, Transition):
            life = described.attributes[what.field]
            states = yield from self._rules.measured(entity, numbers, what.field)
            allowed = [life.values.index(each) for each in what.source] if isinstance(life, Life) else []
            if any(states[number] not in allowed for number in numbers):
                return _cannot("wrong_state", state_name(self._blueprint, entity, what.field))
        policies = policies_on(self._blueprint, entity, action)
        book = self.finder.tool("policies", entity)
        if book is not None:
            yield Request(book, {})
        broken: list[str] = []
        for each in policies:
            left = numbers
            for condition in each.policy.when:
                left = yield from self._rules.holding(entity, left, condition)
            if left:
                broken.append(each.code)
        return _cannot("policy", *broken) if broken else None

    def _look_for(self, missing: Missing) -> Plan:
        """Look for a row by its whole name.

        Raises:
            KeyError: There is one.
        """
        entity = missing.entity
        described = self._blueprint.entities[entity]
        label = self.world.codec.fields[entity][described.label]
        tool = self.finder.tool("search", entity, described.label)
        tool = tool or self.finder.tool("key", entity, described.label)
        if tool is None:
            numbers = yield from self.finder.find(entity, (), [described.label], entity)
        else:
            response = yield Request(tool, {tool.params[0].name: missing.text})
            # A look-up by a name that is no row's is an error, a search shows nothing.
            shown = [] if "error" in response else response[tool.items] if tool.items else [response]
            numbers = [self.finder.learn(entity, row) for row in shown]
        names = [self.finder.value(entity, number, described.label) for number in numbers]
        if any(label.write(name) == missing.text for name in names):
            raise KeyError(f"there is a row of {entity} that is named {missing.text}")


def _cannot(reason: str, *what: str) -> JsonObject:
    return {"cannot": {"reason": reason, "what": list(what)}}


def play(player: CarefulPlayer, goal: Goal, missing: Missing | None, most: int) -> Ended | None:
    """Play a request from the start of an episode; None where it takes more than a number of calls."""
    plan = Session(player.world).carried(player.end(goal, missing))
    made: list[Request] = []
    state = State()
    response: Mapping[str, Any] | None = None
    while True:
        try:
            request = plan.send(response)
        except StopIteration as stop:
            return Ended(stop.value, replace(state, notes={}), tuple(made))
        made.append(request)
        if len(made) > most:
            return None
        response, state = _called(request, state)


def _called(request: Request, state: State) -> tuple[JsonMapping, State]:
    """Return the response to a call, or its error under ``error``; and the state after it."""
    try:
        response, after = request.tool.call(state, request.arguments)
    except ApiError as error:
        return {"error": str(error)}, state
    if not isinstance(response, dict):
        raise TypeError(f"{request.tool.tool.name} answered {type(response).__name__}, expected an object")
    return response, after
