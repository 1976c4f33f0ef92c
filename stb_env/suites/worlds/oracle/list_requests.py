"""Requests to lists: their pages, and how the clauses of a selection are served."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Limit,
    Related,
    Tally,
)
from stb_env.suites.worlds.oracle.requests import Request
from stb_env.suites.worlds.services.archetypes.tool import Filter, WorldTool


def pages(tool: WorldTool, arguments: JsonObject) -> Generator[Request, JsonMapping, None]:
    """Yield the requests for every page of a list; each is sent its response."""
    if tool.pager is None:
        raise KeyError(f"{tool.tool.name} has no pages")
    start = 0
    place: JsonObject | None = {}
    while place is not None:
        response = yield Request(tool, {**arguments, tool.pager.size_name: tool.limit, **place})
        rows = len(response[tool.items])
        place = tool.pager.next_page(response, start, rows)
        start += rows


def used_filters(tool: WorldTool, clauses: Sequence[Clause]) -> list[tuple[Filter, int]]:
    """Return the filters of a list that serve some clauses, with the stored value of each."""
    used: list[tuple[Filter, int]] = []
    for clause in clauses:
        wanted = {"=": ("=", 0), ">": (">=", 1), "<": ("<=", -1)}.get(clause.op)
        if wanted is None:
            continue
        used.extend(
            (each, clause.value + wanted[1])
            for each in tool.filters
            if each.field.attribute == clause.path and each.op == wanted[0]
        )
    return used


def filtering(tool: WorldTool, clauses: Sequence[Clause]) -> JsonObject:
    """Return the arguments that narrow a list by the clauses that it can filter by."""
    groups = {param.name: param.group for param in tool.params}
    arguments: JsonObject = {}
    for each, value in used_filters(tool, clauses):
        holder = arguments
        if groups[each.param]:
            holder = arguments.setdefault(groups[each.param], {})
        holder[each.param] = each.field.argument(value)
    return arguments


def parted(
    clauses: Sequence[Limit],
) -> tuple[list[Clause], dict[str, list[Clause]], list[Related | Tally]]:
    """Return the clauses on rows themselves, over each reference, and on rows that refer to them."""
    direct: list[Clause] = []
    inner: dict[str, list[Clause]] = {}
    related: list[Related | Tally] = []
    for clause in clauses:
        if not isinstance(clause, Clause):
            related.append(clause)
            continue
        first, _, rest = clause.path.partition(".")
        if rest:
            inner.setdefault(first, []).append(Clause(rest, clause.op, clause.value))
        else:
            direct.append(clause)
    return direct, inner, related
