"""Runs solutions, also with something left out: what no answer depends on should not be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from stb_env.backend.world import Tables
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.changes import changes
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.template import Answer, Plan, Undecided

Edit = Callable[[int, ApiCall], ApiCall]
"""Of a call's place and the call; returns the one that is made."""


Show = Callable[[Json], Json]


def _as_it_is(result: object) -> object:
    return result


class Solved(NamedTuple):
    """A solution that was run: its calls, answer, state afterwards, and results by the place of the call."""

    calls: list[ApiCall]
    answer: Answer
    state: Tables
    results: Mapping[int, Json]


def run(plan: Plan, state: Tables, edit: Edit | None = None, shown: Show = _as_it_is) -> Solved:
    """Run the solution of a plan.

    Args:
        plan: The plan.
        state: Where it starts.
        edit: Changes calls on their way.
        shown: Of a result; returns what the solution gets to see.

    Raises:
        ApiError: A call was refused, and the solution did not expect that.
        Undecided: There is more than one right answer.
    """
    calls: list[ApiCall] = []
    results: dict[int, Json] = {}
    solution = plan.solve()
    try:
        request = next(solution)
        while True:
            made = request if edit is None else edit(len(calls), request)
            calls.append(request)
            try:
                response, state = made.api.run(state, made.arguments)
            except ApiError as error:
                request = solution.throw(error)
            else:
                results[len(calls) - 1] = seen = shown(response)
                request = solution.send(seen)
    except StopIteration as stop:
        return Solved(calls, stop.value, state, results)


def idle_filters(plan: Plan, state: Tables, solved: Solved) -> bool:
    """Return whether some filter of a gold call changes neither answer nor state.

    The clause of the query that it stands for could be left out, so that ignoring it would cost nothing.

    Args:
        plan: The plan.
        state: Where it starts.
        solved: What its solution did.
    """
    return any(
        _unchanged(plan, state, solved, place, name)
        for place, call in enumerate(solved.calls)
        # A look whether something is there already stands for no clause of the query.
        if not _found_nothing(solved.results.get(place))
        for name in _filters(call)
    )


def _found_nothing(result: object) -> bool:
    return isinstance(result, dict) and [] in result.values()


def _filters(call: ApiCall) -> Iterator[str]:
    """Yield the optional arguments that a call gives, but for the page of a list."""
    for param in call.api.params:
        given = call.arguments.get(param.name, param.default)
        if not param.required and param.name != "page" and given != param.default:
            yield param.name


def _unchanged(plan: Plan, state: Tables, solved: Solved, place: int, name: str) -> bool:
    def without(number: int, call: ApiCall) -> ApiCall:
        if number != place:
            return call
        return ApiCall(call.api, {key: value for key, value in call.arguments.items() if key != name})

    try:
        other = run(plan, state, without)
    except (ApiError, Undecided, LookupError, TypeError, ValueError, RuntimeError, StopIteration):
        # A solution need not cope with results that no filter has cut.
        return False
    return other.answer[1:] == solved.answer[1:] and changes(state, other.state) == changes(
        state, solved.state
    )
