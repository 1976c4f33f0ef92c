"""Protocols: tools by which a service carries out in several calls what another one does in one.

A world is made of tools that each do one thing in one call; the oracle plans with these. By the conventions
of a world, agents have other tools in the place of some: those that quote, start, ask for or refresh first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.reports import refreshed
from stb_env.suites.worlds.services.archetypes.tool import Bound, Param, Workshop, WorldTool
from stb_env.suites.worlds.services.conventions import Conventions
from stb_env.suites.worlds.services.style import Style
from stb_env.suites.worlds.services.tickets import Kind, Ticket, issued, left, open_tickets, ticket

SIGNED_IN = "session "
"""Begins the note of a state that says that somebody has signed in to a service."""
DONE = "done"
"""What the status of an export says once it can be fetched."""


@dataclass(frozen=True, eq=False)
class Offered:
    """The tools of a world as agents have them.

    Attributes:
        tools: The tools, in order.
        parts: By the name of a tool that stands for several: those, in the order of their calls.
        sign_ins: By service, the tool that signs in.
    """

    tools: tuple[WorldTool, ...]
    parts: Mapping[str, tuple[WorldTool, ...]]
    sign_ins: Mapping[str, WorldTool]


def offered(workshop: Workshop, meant: Iterable[WorldTool], conventions: Conventions) -> Offered:
    """Make the tools that agents have out of those that each do one thing in one call."""
    made: dict[str, WorldTool] = {}
    parts: dict[str, tuple[WorldTool, ...]] = {}
    desks: dict[str, _Desk] = {}
    sign_ins = {
        service: _sign_in(workshop, service)
        for service in workshop.codec.styles
        if service in conventions.signs_in
    }
    entities = workshop.codec.blueprint.entities
    for tool in meant:
        described = entities.get(tool.entity)
        if described is None:
            made[tool.tool.name] = tool
            continue
        service = described.service
        desk = desks.setdefault(service, _Desk(workshop, service))
        own: tuple[WorldTool, ...] = ()
        if (tool.entity, tool.subject) in conventions.quoted and tool.kind in desk.QUOTES:
            own = desk.quoted(tool)
        elif tool.kind == "list" and tool.entity in conventions.exported:
            own = desk.exported(tool, conventions.exported[tool.entity])
        elif tool.kind == "report":
            own = refreshed(workshop, tool)
        if own:
            parts[tool.tool.name] = own
        sign_in = sign_ins.get(service)
        for each in own or (tool,):
            made[each.tool.name] = (
                _guarded(workshop, each, sign_in, service) if sign_in is not None and each.entity else each
            )
    return Offered((*sign_ins.values(), *made.values()), parts, sign_ins)


def _sign_in(workshop: Workshop, service: str) -> WorldTool:
    style = workshop.codec.styles[service]

    def run(state: State, bound: Bound) -> tuple[object, State]:
        del bound
        notes = {**state.notes, f"{SIGNED_IN}{service}": (1,)}
        return {style.field("signed in"): True}, replace(state, notes=notes)

    name = workshop.name(service, style.verb("sign_in"), service)
    about = f"Signs in to the {service} service, for the whole session: before, none of its tools answers."
    return WorldTool(workshop.tool(name, about, []), "sign_in", "", (), run, subject=service)


def _guarded(workshop: Workshop, tool: WorldTool, sign_in: WorldTool, service: str) -> WorldTool:
    """Return a tool that answers only those who have signed in."""
    style, key = workshop.codec.styles[service], f"{SIGNED_IN}{service}"
    refused = style.error("unauthorized", f"nobody is signed in; call {sign_in.tool.name} first")

    def run(state: State, bound: Bound) -> tuple[object, State]:
        if key not in state.notes:
            raise ApiError(refused, unheard=True)
        return tool.run(state, bound)

    return replace(tool, run=run)


class _Desk:
    """Makes the tools of one service that hand out tickets, and those that take them.

    Args:
        workshop: Makes the tools of the world.
        service: The service.
    """

    QUOTES = ("transition", "set", "create", "delete", "void", "move")

    def __init__(self, workshop: Workshop, service: str) -> None:
        self._workshop, self._service = workshop, service
        self._style: Style = workshop.codec.styles[service]
        self._meant: dict[str, WorldTool] = {}
        self._quote = self._style.verb("quote")
        self._token = self._style.field(self._quote, "token")
        self._job, self._status = self._style.field("export", "id"), self._style.field("export", "status")
        self._confirming: WorldTool | None = None
        self._asking: WorldTool | None = None

    def _param(self, kind: Kind, name: str) -> Param:
        def read(value: object) -> str:
            if not isinstance(value, str):
                raise ApiError(
                    self._style.error("invalid", f"{name} is text, got {value!r:.40}"), arguments=True
                )
            return value

        given = {"quote": "As the quote gave it.", "export": "As the start of the export gave it."}[kind]
        return Param(name, {"type": "string", "description": given}, read, required=True)

    def _found(self, state: State, kind: Kind, code: str) -> Ticket:
        found = ticket(state, kind, code)
        if found is None or found.tool not in self._meant:
            name = self._token if kind == "quote" else self._job
            raise ApiError(self._style.error("not_found", f"there is no {name} {code!r:.40}"))
        return found

    # -- quotes ----------------------------------------------------------------------------------

    def quoted(self, tool: WorldTool) -> tuple[WorldTool, ...]:
        """Return the tools that quote what a tool does, and that do it."""
        if self._confirming is None:
            self._confirming = self._confirm()
        name, prefix = tool.tool.name, f"{self._style.prefix}-q".upper()
        self._meant[name] = tool

        def run(state: State, bound: Bound) -> tuple[object, State]:
            preview, _ = tool.run(state, bound)
            for older in open_tickets(state, "quote", name):
                state = left(state, older, 0)
            code, state = issued(state, "quote", prefix, name, bound, 1)
            return {self._token: code, "preview": preview}, state

        about = (
            f"Quotes a change without making it; {self._confirming.tool.name} makes it, with the "
            f"{self._token} of the latest quote. The change: {tool.tool.description}"
        )
        made = self._workshop.tool(
            self._workshop.derived(self._service, self._quote, name), about, tool.params
        )
        quote = replace(tool, tool=made, kind="quote", run=run, items=self._token)
        return quote, self._confirming

    def _confirm(self) -> WorldTool:
        param = self._param("quote", self._token)

        def run(state: State, bound: Bound) -> tuple[object, State]:
            found = self._found(state, "quote", bound[param.name])
            if not found.left:
                message = f"{self._token} {found.code} was used before, or a later quote stands in its place"
                raise ApiError(self._style.error("conflict", message))
            response, after = self._meant[found.tool].run(state, found.bound)
            return response, left(after, found, 0)

        name = self._workshop.name(self._service, self._style.verb("confirm"), self._quote)
        about = (
            f"Makes the change that was quoted. A {self._token} can be used once, and only while no later "
            "quote of the same kind was asked for; what the change needs is looked at again."
        )
        return WorldTool(self._workshop.tool(name, about, [param]), "confirm", "", (param,), run)

    # -- exports ---------------------------------------------------------------------------------

    def exported(self, tool: WorldTool, polls: int) -> tuple[WorldTool, ...]:
        """Return the tools that start the export of a list, ask how it stands, and fetch its rows."""
        if tool.pager is None:
            raise KeyError(f"{tool.tool.name} has no pages")
        if self._asking is None:
            self._asking = self._ask()
        name, prefix = tool.tool.name, f"{self._style.prefix}-x".upper()
        self._meant[name] = tool
        many = self._workshop.codec.noun(tool.entity)[1]
        narrowing = tuple(each for each in tool.params if each.name not in tool.pager.names)
        paging = tuple(each for each in tool.params if each.name in tool.pager.names)
        job = self._param("export", self._job)

        def start(state: State, bound: Bound) -> tuple[object, State]:
            code, state = issued(state, "export", prefix, name, bound, polls)
            return {self._job: code, self._status: "running"}, state

        def fetch(state: State, bound: Bound) -> tuple[object, State]:
            found = self._found(state, "export", bound[job.name])
            if found.tool != name:
                message = f"{self._job} {found.code} is an export of something else"
                raise ApiError(self._style.error("not_found", message))
            if found.left:
                message = f"export {found.code} is still running; ask {asking.tool.name} until it is {DONE}"
                raise ApiError(self._style.error("conflict", message))
            page = {key: value for key, value in bound.items() if key != job.name}
            return tool.run(state, {**found.bound, **page})

        asking = self._asking
        starts = self._workshop.name(self._service, "export", many)
        fetches = self._workshop.name(self._service, self._style.verb("fetch"), many, after=("export",))
        about = f"Starts an export, which {fetches} returns once {asking.tool.name} says that it is {DONE}."
        started = replace(
            tool,
            tool=self._workshop.tool(starts, f"{about} {tool.tool.description}", narrowing),
            kind="start",
            params=narrowing,
            run=start,
            filters=(),
            items=self._job,
            limit=polls,
            pager=None,
        )
        about = f"Returns the {many} of an export that is {DONE}, as they are now. {tool.pager.words}"
        params = (job, *paging)
        made = self._workshop.tool(fetches, about, params)
        fetched = replace(tool, tool=made, kind="fetch", params=params, run=fetch, filters=(), sorts=())
        return started, asking, fetched

    def _ask(self) -> WorldTool:
        param = self._param("export", self._job)

        def run(state: State, bound: Bound) -> tuple[object, State]:
            found = self._found(state, "export", bound[param.name])
            if found.left:
                state = left(state, found, found.left - 1)
            status = "running" if found.left > 1 else DONE
            return {self._job: found.code, self._status: status}, state

        name = self._workshop.name(self._service, self._style.verb("poll"), "export", after=("status",))
        about = f"Tells how an export stands: running, or {DONE}. Ask again while it is running."
        made = self._workshop.tool(name, about, [param])
        return WorldTool(made, "poll", "", (param,), run, items=self._status)
