"""Conversion of answer files to the format that StableToolBench's evaluators read.

Byte for byte what the original makes of a valid answer. Where there is none, the original walks at random:
here the last try counts, and in a tree the last child of the last child and so on, which is where a
depth-first search stopped; that is always one of the walks that the original may take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.answers.nodes import ACTION, INPUT, THOUGHT, kind_of
from stb_env.tools import FINISH

Detail = tuple[str, Json]
Document = JsonMapping


def convert(document: Document, method: str) -> JsonObject:
    """Convert an answer file to an entry of converted answers.

    A ``function_call`` that is null, at which the original fails, counts as absent. The shape of the document
    decides how it is read, not the method's name.

    Args:
        document: The decoded file.
        method: Name that the entry gives to the method.

    Raises:
        DataError: The document is no answer file.
    """
    try:
        generation = document["answer_generation"]
        details = _said(generation) if generation["valid_data"] else _walked(document)
        return entry_of(
            generation["query"], generation["function"], method, generation["final_answer"], list(details)
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise DataError(f"not an answer file: {type(error).__name__}: {error}") from error


def entry_of(
    query: str, tools: Sequence[object], method: str, final_answer: str, details: Sequence[Detail]
) -> dict[str, object]:
    """Build an entry of converted answers.

    Args:
        query: The query.
        tools: Function list, Finish included.
        method: Name of the method.
        final_answer: Argument text of the Finish that counts; empty where there is none.
        details: Role and message of each step.
    """
    below: list[JsonObject] = []
    opening: list[Detail] = [("system", ""), ("user", "")]
    for role, message in reversed([*opening, *details]):
        below = [{"role": role, "message": message, "next": below}]
    answer = {
        "method": method,
        "total_steps": len(opening) + len(details),
        "final_answer": final_answer,
        "answer_details": below,
    }
    return {"query": query, "available_tools": list(tools), "answer": answer}


def tool_detail(name: str, arguments: str, response: str) -> Detail:
    """Return a step that called a function."""
    return "tool", {"name": name, "arguments": arguments, "response": response}


def _said(generation: JsonMapping) -> Iterator[Detail]:
    messages = generation["train_messages"][-1][2:]
    unread = iter(enumerate(messages, 1))
    for after, message in unread:
        if message["role"] != "assistant":
            continue
        if message.get("function_call") is not None:
            following = messages[after] if after < len(messages) else {}
            call = message["function_call"]
            response = "" if call["name"] == FINISH else _text(following.get("content"))
            yield tool_detail(call["name"], call["arguments"], response)
            next(unread, None)
        elif message.get("tool_calls") is not None:
            yield from _called(message["tool_calls"], messages[after:])
        else:
            yield "assistant", _text(message.get("content"))


def _called(calls: Sequence[JsonMapping], later: Sequence[JsonMapping]) -> Iterator[Detail]:
    for call in calls:
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        if name == FINISH:
            yield tool_detail(name, arguments, "")
            return
        results = (m for m in later if m["role"] == "tool" and m.get("tool_call_id") == call["id"])
        result = next(results, None)
        if result is not None:
            yield tool_detail(name, arguments, _text(result.get("content")))


def _walked(document: Document) -> Iterator[Detail]:
    if "trys" in document:
        nodes = iter(document["trys"][-1]["chain"] if document["trys"] else ())
    else:
        nodes = _last_branch(document["tree"]["tree"])
    for node in nodes:
        if kind_of(node) == THOUGHT:
            yield "assistant", node["description"]
        elif kind_of(node) == ACTION:
            given: JsonMapping = next(nodes, {})
            observation = _text(given.get("observation"))
            yield tool_detail(node["description"], given.get("description", ""), observation)


def _last_branch(node: JsonMapping) -> Iterator[Mapping[str, object]]:
    while below := node["children"]:
        inputs = [each for each in below if kind_of(each) == INPUT] if kind_of(node) == ACTION else ()
        node = inputs[0] if inputs else below[-1]
        yield node


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else jsontext.dumps(value)
