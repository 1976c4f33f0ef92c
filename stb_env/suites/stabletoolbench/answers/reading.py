"""Reading an answer file as a trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.formats.branches import Tree, path
from stb_env.formats.call_texts import given_arguments, observation_of
from stb_env.formats.imported import Origin, imported
from stb_env.suites.stabletoolbench.answers.conversion import Document
from stb_env.suites.stabletoolbench.answers.files import is_answer
from stb_env.suites.stabletoolbench.answers.messages import is_legacy, merge_lists, to_current
from stb_env.suites.stabletoolbench.answers.nodes import CONSTANTS, constants_of
from stb_env.suites.stabletoolbench.answers.tree import Node, read_chains, read_tree
from stb_env.trajectory import Trajectory

SETTINGS: Mapping[str, str] = {
    "single_chain_max_step": "max_depth",
    "tree_beam_size": "width",
    "max_query_count": "max_queries",
    "pass_at": "tries",
    "answer": "answers",
    "with_filter": "filter",
}
"""Settings of the search in ``forward_args``, and their names in a tree."""


def read_answer_file(document: Document, origin: Origin) -> Trajectory:
    """Read an answer file as a trajectory: messages, steps, answer, search tree, and no verdict.

    What a trajectory has no place for and a file of equal content needs is kept in the tree's
    ``settings["document"]`` and beside the calls (see `read_call`), so that `answer_file` gives the document
    back. These parts of one are lost:

    - fields that the original does not write, and node fields such as ``Elo`` where they differ from node to
      node;
    - null calls in messages;
    - the text of a call after Finish, which the original reports as the final answer;
    - tries without any node.

    Args:
        document: The decoded file.
        origin: What its name and folder say.

    Raises:
        DataError: It is no answer file, or malformed.
    """
    if not is_answer(document):
        raise DataError("not an answer file: expected an object with trys or tree")
    try:
        return _read(document, origin)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise DataError(f"malformed answer file: {type(error).__name__}: {error}") from error


def _read(document: Document, origin: Origin) -> Trajectory:
    generation = document["answer_generation"]
    lists = generation.get("train_messages") or []
    messages = to_current(merge_lists(lists))
    nodes, first = _nodes(document, messages)
    best = _best(nodes, generation, messages)
    settings = {SETTINGS.get(name, name): value for name, value in document.get("forward_args", {}).items()}
    dialect = _dialect(generation, lists, first)
    if "tree" in document and best is None and any(node["outcome"] == "give_up" for node in nodes):
        dialect["give_ups"] = "ignored"
    tree = {
        "method": origin.method,
        "settings": settings | ({"document": dialect} if dialect else {}),
        "queries": generation["query_count"],
        "tokens": generation["total_tokens"],
        "best": best,
        "current": len(nodes) - 1 if best is None else best,
        "nodes": nodes,
    }
    if best is not None:
        messages = _settled(tree, best, messages)
    return imported(origin, generation["query"], generation["function"], tree, messages)


def _nodes(
    document: Document, messages: Sequence[Mapping[str, object]]
) -> tuple[list[Node], Mapping[str, object]]:
    if "tree" in document:
        root = document["tree"]["tree"]
        return read_tree(root), root
    chains = [attempt["chain"] for attempt in document["trys"]]
    first = next((raw for chain in chains for raw in chain), {**CONSTANTS})
    said = _told(messages)
    number = next((n for n, chain in enumerate(chains) if said and _texts_of(chain) == said), None)
    sizes = {} if number is None else {number: [_size(m) for m in messages if m["role"] == "assistant"]}
    return read_chains(chains, sizes), first


def _size(message: JsonMapping) -> int:
    return (message.get("content") is not None) + 2 * len(message.get("tool_calls") or ())


def _dialect(
    generation: JsonMapping, lists: Sequence[Sequence[Mapping[str, object]]], node: Mapping[str, object]
) -> dict[str, object]:
    dialect: JsonObject = {}
    if any(is_legacy(messages) for messages in lists):
        dialect["messages"] = "legacy"
    if not any("function" in function for function in generation["function"]):
        dialect["functions"] = "flat"
    if constants_of(node) != CONSTANTS:
        dialect["node"] = constants_of(node)
    return dialect


def _best(
    nodes: Sequence[Node], generation: Mapping[str, object], messages: Sequence[Mapping[str, object]]
) -> int | None:
    """Find the node that the file reports: by its conversation, else by its argument text."""
    if not generation["valid_data"]:
        return None
    outcome = "give_up" if generation.get("finish_type") == "give_up" else "answer"
    ends = [index for index, node in enumerate(nodes) if node["outcome"] == outcome]
    said = _told(messages)
    for index in ends:
        if _texts_on(nodes, index) == said:
            return index
    for index in ends:
        if any(given_arguments(c) == generation["final_answer"] for c in nodes[index]["step"]["calls"]):
            return index
    raise DataError(f"the file reports an {outcome} that none of its nodes gives")


def _told(messages: Sequence[JsonMapping]) -> list[str]:
    """Return thoughts and argument texts, in order; names differ where a function was made up."""
    told = []
    for message in messages:
        if message["role"] == "assistant":
            told += [] if message.get("content") is None else [message["content"]]
            told += [call["function"]["arguments"] for call in message.get("tool_calls") or ()]
    return told


def _texts_on(nodes: Sequence[Node], index: int) -> list[str]:
    texts: list[str] = []
    for step in (nodes[i]["step"] for i in path({"nodes": nodes}, index)):
        if step["text"] or not step["calls"] or "empty_thought" in step:
            texts.append(step["text"])
        texts += map(given_arguments, step["calls"])
    return texts


def _texts_of(chain: Sequence[JsonMapping]) -> list[str]:
    return [raw["description"] for raw in chain if raw["node_type"] != "Action"]


def _settled(tree: Tree, best: int, messages: list[JsonObject]) -> list[dict[str, object]]:
    """Give the calls on the chosen path the ids of the conversation, and its last calls their results."""
    calls = [call for i in path(tree, best) for call in tree["nodes"][i]["step"]["calls"]]
    told = [call for message in messages for call in message.get("tool_calls") or ()]
    if len(calls) == len(told):
        for call, said in zip(calls, told, strict=True):
            call["id"] = said["id"]
    return messages + list(_last_results(messages, {call["id"]: call for call in calls}))


def _last_results(
    messages: Sequence[JsonMapping], calls: Mapping[str, Mapping[str, object]]
) -> Iterator[dict[str, object]]:
    for said in messages[-1].get("tool_calls") or () if messages else ():
        if said["id"] in calls:
            call = calls[said["id"]]
            result = {"name": said["function"]["name"], "content": observation_of(call)}
            yield {"role": "tool", "tool_call_id": said["id"], **result}
