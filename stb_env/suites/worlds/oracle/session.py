"""Sessions: carries out the requests of a plan in as many calls as the conventions of services ask for."""

from __future__ import annotations

from typing import Any

from stb_env.suites.worlds.oracle.requests import Asking, Plan, Request
from stb_env.suites.worlds.services.archetypes.protocols import DONE
from stb_env.suites.worlds.world import Built


class Session:
    """Knows what was done in an episode for the conventions of services: sign-ins, and exports.

    Args:
        world: The world.
    """

    def __init__(self, world: Built) -> None:
        self._world = world
        self._signed_in: set[str] = set()
        self._exports: dict[tuple[str, str], str] = {}

    def calls(self, request: Request) -> int:
        """Return how many calls carry out a request, and remember them as made."""
        before = self._sign_in(request)
        if before is not None:
            self._signed_in.add(before.tool.subject)
        parts = self._world.offered.parts.get(request.tool.tool.name, ())
        count = len(parts) or 1
        if parts and parts[0].kind == "start":
            asked, _ = self._asked(request)
            # It is asked for so often until it is done.
            count = 1 if asked in self._exports else parts[0].limit + 2
            self._exports.setdefault(asked, "")
        return count + (before is not None)

    def carried(self, plan: Plan) -> Plan:
        """Yield the calls of a plan's requests, and return what the plan does."""
        response: object = None
        while True:
            try:
                request = plan.send(response)
            except StopIteration as stop:
                return stop.value
            response = yield from self._steps(request)

    def _sign_in(self, request: Request) -> Request | None:
        """Return the call that signs in to the service of a request, if that has to be done."""
        described = self._world.blueprint.entities.get(request.tool.entity)
        if described is None or described.service in self._signed_in:
            return None
        tool = self._world.offered.sign_ins.get(described.service)
        return None if tool is None else Request(tool, {})

    def _asked(self, request: Request) -> tuple[tuple[str, str], dict[str, Any]]:
        """Return what an export is known by, and the arguments that choose one of its pages."""
        pager = request.tool.pager
        names = () if pager is None else pager.names
        narrowing = {name: value for name, value in request.arguments.items() if name not in names}
        paging = {name: value for name, value in request.arguments.items() if name in names}
        return (request.tool.tool.name, repr(narrowing)), paging

    def _steps(self, request: Request) -> Asking[Any]:
        """Yield the calls that carry out a request, and return the response that counts."""
        before = self._sign_in(request)
        if before is not None:
            yield before
            self._signed_in.add(before.tool.subject)
        parts = self._world.offered.parts.get(request.tool.tool.name, ())
        arguments = request.arguments
        if not parts:
            tool = self._world.tools.get(request.tool.tool.name, request.tool)
            return (yield Request(tool, arguments, request))
        first, last = parts[0], parts[-1]
        if first.kind == "refresh":
            yield Request(first, {})
            return (yield Request(last, arguments, request))
        if first.kind == "quote":
            quote = yield Request(first, arguments)
            if "error" in quote:
                return quote
            return (yield Request(last, {last.params[0].name: quote[first.items]}, request))
        asked, paging = self._asked(request)
        name = last.params[0].name
        if asked not in self._exports:
            narrowing = {key: value for key, value in arguments.items() if key not in paging}
            started = yield Request(first, narrowing)
            while (yield Request(parts[1], {name: started[first.items]}))[parts[1].items] != DONE:
                pass
            self._exports[asked] = started[first.items]
        return (yield Request(last, {name: self._exports[asked], **paging}, request))
