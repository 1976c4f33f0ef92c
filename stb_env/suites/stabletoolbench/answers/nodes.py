"""The nodes of answer files: each step of a search as a Thought and pairs of Action and Action Input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.formats.branches import Tree, children, path
from stb_env.formats.call_texts import (
    ANSWERED,
    GAVE_UP,
    code_of,
    given_arguments,
    observation_of,
    with_report,
)

THOUGHT, ACTION, INPUT = "Thought", "Action", "Action Input"

Raw = JsonObject

CONSTANTS: JsonMapping = {"Elo": 1000.0}
"""Fields that are the same on every node; only files of an older version have others."""

_STANDARD = frozenset(
    (
        *("is_terminal", "pruned", "finished", "depth", "node_type", "description", "observation"),
        *("observation_code", "child_count", "expand_num", "io_state", "children"),
    )
)
_PRUNED = frozenset({"give_up", "depth", "failed"})
_LEVELS = 2


def write_nodes(tree: Tree, constants: Mapping[str, object] = CONSTANTS) -> list[list[Raw]]:
    """Return the file's nodes for each node of a tree, the root's first, all linked by ``children``.

    Visit numbers and finished marks are left at their start, as they are in chains.
    """
    groups = [[_raw(INPUT, "", constants)]]
    for node in tree["nodes"][1:]:
        group = list(_group(node["step"], constants))
        group[-1]["pruned"] |= node["outcome"] in _PRUNED
        for above, below in pairwise([groups[node["parent"]][-1], *group]):
            below["depth"] = above["depth"] + 1
            above["children"].append(below)
            above["child_count"] += 1
        groups.append(group)
    return groups


def _group(step: JsonMapping, constants: JsonMapping) -> Iterator[Raw]:
    calls = with_report(step)
    if step["text"] or not calls or step.get("empty_thought"):
        yield _raw(THOUGHT, step["text"], constants, code=None if calls else step.get("code"))
    for call in calls:
        yield _raw(ACTION, call["name"], constants)
        raw = _raw(INPUT, given_arguments(call), constants, observation_of(call), code_of(call))
        raw["pruned"] = code_of(call) == GAVE_UP
        yield raw


def _raw(
    kind: str, description: str, constants: JsonMapping, observation: str = "", code: int | None = None
) -> Raw:
    # The original never wrote that a node was terminal.
    raw: Raw = {"is_terminal": False, "pruned": False, "finished": False, "depth": 0}
    raw |= {"node_type": kind, "description": description, **constants}
    if observation:
        raw["observation"] = observation
    if code is not None:
        raw["observation_code"] = code
    raw |= {"child_count": 0, "expand_num": 0}
    if kind == INPUT:
        raw["io_state"] = {}
    return raw | {"children": []}


def mark(tree: Tree, groups: Sequence[Sequence[Raw]]) -> None:
    """Set visit numbers and, from each answer up to the second Action Input above it, finished marks."""
    for index, (node, group) in enumerate(zip(tree["nodes"], groups, strict=True)):
        group[-1]["expand_num"] = node["order"]
        for position, raw in enumerate(group):
            if raw.get("observation_code") == ANSWERED:
                above = [item for i in path(tree, index)[:-1] for item in groups[i]]
                _mark_finished([*groups[0], *above, *group[: position + 1]])


def _mark_finished(line: Sequence[Raw]) -> None:
    left = _LEVELS
    for raw in reversed(line):
        raw["finished"] = True
        left -= raw["node_type"] == INPUT
        if left < 0:
            return


def constants_of(raw: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a node that are the same on every node of its file."""
    return {name: value for name, value in raw.items() if name not in _STANDARD}


def childless(raw: Mapping[str, object]) -> Raw:
    """Return a node as chains hold it: without its children."""
    return {name: value for name, value in raw.items() if name != "children"}


def kind_of(raw: object) -> str:
    """Return a node's type.

    Raises:
        DataError: It is no node, or of no known type.
    """
    kind = raw.get("node_type") if isinstance(raw, dict) else None
    if kind not in (THOUGHT, ACTION, INPUT):
        raise DataError(f"expected a node of type {THOUGHT}, {ACTION} or {INPUT}, got {kind!r}")
    return str(kind)


def size_of(tree: Tree, groups: Sequence[Sequence[Raw]]) -> dict[str, int]:
    """Return ``size`` and ``max_length`` of a tree: its nodes and its levels."""
    inner = children(tree)
    leaves = [group[-1] for index, group in enumerate(groups) if index not in inner]
    return {"size": sum(map(len, groups)), "max_length": 1 + max(leaf["depth"] for leaf in leaves)}
