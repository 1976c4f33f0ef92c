"""Converted answers of StableToolBench: one object a group, from query id to what its evaluators read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stb_env.actions import finish_arguments
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.formats.branches import Tree, tree_node, tree_step
from stb_env.formats.call_texts import ANSWERED, BAD_FINISH, GAVE_UP, read_call
from stb_env.formats.imported import Origin, answer_in, imported
from stb_env.tools import FINISH, ToolCall
from stb_env.trajectory import Trajectory

_FINISH_CODES: Mapping[Any, int] = {"give_answer": ANSWERED, "give_up_and_restart": GAVE_UP}
_OUTCOMES: Mapping[Any, str] = {ANSWERED: "answer", GAVE_UP: "give_up"}


def is_converted(value: object) -> bool:
    """Say whether a decoded file is of converted answers."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(entry, dict) and isinstance(entry.get("answer"), dict) for entry in value.values())
        and all("answer_details" in entry["answer"] for entry in value.values())
    )


def read_entry(entry: JsonMapping, origin: Origin) -> Trajectory:
    """Read an entry as a trajectory: a chain of steps, and no verdict.

    Each node of the entry is a step of its own, for the format does not say which made up one message. An
    entry whose last step is no Finish ended without an answer, whatever it has as its final one.

    Args:
        entry: What a group's file has for a query.
        origin: What the file's place says; the entry knows its method itself.

    Raises:
        DataError: It is no entry.
    """
    try:
        tree = _tree(entry)
        origin = origin._replace(method=tree["method"])
        return imported(origin, entry["query"], entry["available_tools"], tree)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise DataError(f"malformed entry of converted answers: {type(error).__name__}: {error}") from error


def _tree(entry: JsonMapping) -> Tree:
    answer = entry["answer"]
    nodes = [tree_node()]
    for number, detail in enumerate(_details(answer["answer_details"]), 1):
        step, outcome = _step(detail, number)
        nodes.append(tree_node(number - 1, number, step, outcome=outcome, answer=answer_in(step)))
    last = len(nodes) - 1
    reported = bool(answer["final_answer"]) and nodes[last]["outcome"] != "open"
    document = {} if any("function" in tool for tool in entry["available_tools"]) else {"functions": "flat"}
    return {
        "method": answer["method"],
        "settings": {
            **({"tries": 1} if "cot" in answer["method"].lower() else {}),
            "document": document | ({} if reported else {"give_ups": "ignored"}),
        },
        "queries": last,
        "tokens": 0,
        "best": last if reported else None,
        "current": last,
        "nodes": nodes,
    }


def _details(below: list[JsonMapping]) -> Iterator[Mapping[str, object]]:
    while below:
        # Conversion leaves one way; of several, the last is where a depth-first search stopped.
        if below[-1]["role"] not in ("system", "user"):
            yield below[-1]
        below = below[-1]["next"]


def _step(detail: JsonMapping, number: int) -> tuple[dict[str, object], str]:
    message = detail["message"]
    if detail["role"] != "tool":
        return tree_step([], message), "open"
    name, arguments = message["name"], message["arguments"]
    code = 0
    if name == FINISH:
        code = _FINISH_CODES.get(finish_arguments(ToolCall(FINISH, arguments)).get("return_type"), BAD_FINISH)
    call = read_call(f"call_{number - 1}", name, arguments, message["response"], code)
    return tree_step([call]), _OUTCOMES.get(code, "open")
