"""Reading the chains and trees of answer files as a search tree whose nodes are the model's messages.

A message is a thought, then its calls. In a tree a message ends where the search visited a node or went more
than one way; in a chain, where no conversation tells, each call is a message of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError
from stb_env.formats.branches import tree_node, tree_step
from stb_env.formats.call_texts import ANSWERED, GAVE_UP, read_call
from stb_env.formats.imported import answer_in
from stb_env.suites.stabletoolbench.answers.nodes import ACTION, INPUT, THOUGHT, Raw, kind_of

Node = JsonObject


def read_chains(chains: Iterable[Sequence[Raw]], sizes: Mapping[int, Sequence[int]]) -> list[Node]:
    """Read independent tries as branches of one root.

    Args:
        chains: The nodes of each try.
        sizes: Number of nodes of each message, for the tries where a conversation tells.

    Raises:
        DataError: A chain is malformed.
    """
    nodes = [tree_node()]
    for number, chain in enumerate(chains):
        parent, calls = 0, 0
        for group in _split(chain, sizes.get(number, ())):
            nodes.append(_node(parent, len(nodes), group, calls))
            parent, calls = len(nodes) - 1, calls + _calls_in(group)
    return nodes


def read_tree(root: Raw) -> list[Node]:
    """Read a tree in the order in which a depth-first search made it.

    Raises:
        DataError: A node is malformed.
    """
    kind_of(root)
    nodes = [tree_node(order=root.get("expand_num", 0))]
    # A stack, not recursion: a chain may be deeper than Python's stack.
    stack = [(raw, 0, 0, place > 0) for place, raw in _numbered(root)]
    while stack:
        raw, parent, calls, prompted = stack.pop()
        group = _message(raw)
        node = _node(parent, group[-1].get("expand_num", 0), group, calls)
        nodes.append(node | {"prompted": prompted})
        calls += _calls_in(group)
        stack += [(below, len(nodes) - 1, calls, place > 0) for place, below in _numbered(group[-1])]
    return nodes


def _numbered(raw: Raw) -> list[tuple[int, Raw]]:
    return list(enumerate(_below(raw)))[::-1]


def _below(raw: Raw) -> Sequence[Raw]:
    below = raw.get("children") or []
    if not isinstance(below, list):
        raise DataError(f"the children of a node must be a list, got {type(below).__name__}")
    return below


def _message(raw: Raw) -> list[Raw]:
    group = [raw]
    while True:
        below = _below(group[-1])
        if kind_of(group[-1]) == ACTION:
            if len(below) != 1 or kind_of(below[0]) != INPUT:
                raise DataError(f"an {ACTION} needs one {INPUT} below it, this one has {len(below)} children")
        elif group[-1].get("expand_num") or len(below) != 1 or kind_of(below[0]) == THOUGHT:
            return group
        group.append(below[0])


def _split(chain: Sequence[Raw], sizes: Sequence[int]) -> Iterator[list[Raw]]:
    if sum(sizes) != len(chain):
        sizes = list(_usual_sizes(chain))
    start = 0
    for size in sizes:
        yield list(chain[start : start + size])
        start += size


def _usual_sizes(chain: Sequence[Raw]) -> Iterator[int]:
    size = 0
    for raw, after in zip(chain, [*chain[1:], None], strict=True):
        size += 1
        kind = kind_of(raw)
        if kind == INPUT or (kind == THOUGHT and (after is None or kind_of(after) != ACTION)):
            yield size
            size = 0
    if size:
        raise DataError(f"a chain ends in an {ACTION} without {INPUT}")


def _calls_in(group: Sequence[Raw]) -> int:
    return sum(kind_of(raw) == INPUT for raw in group)


def _node(parent: int, order: int, group: Sequence[Raw], calls: int) -> Node:
    step = _read_step(group, calls)
    return tree_node(parent, order, step, outcome=_outcome(group), answer=answer_in(step))


def _read_step(group: Sequence[Raw], first: int) -> dict[str, object]:
    thoughtful = kind_of(group[0]) == THOUGHT
    calls = _read_calls(group[1:] if thoughtful else group, first)
    text = _text(group[0], "description") if thoughtful else ""
    extra: JsonObject = {"empty_thought": True} if thoughtful and calls and not text else {}
    if not calls and group[0].get("observation_code") is not None:
        extra["code"] = group[0]["observation_code"]
    return tree_step(calls, text, **extra)


def _read_calls(acting: Sequence[Raw], first: int) -> list[dict[str, object]]:
    calls: list[JsonObject] = []
    for action, given in zip_longest(acting[::2], acting[1::2], fillvalue={"node_type": THOUGHT}):
        kinds = kind_of(action), kind_of(given)
        if kinds != (ACTION, INPUT):
            raise DataError(f"expected {ACTION} and {INPUT} in turn, got {' and '.join(kinds)}")
        texts = _text(action, "description"), _text(given, "description"), _text(given, "observation")
        calls.append(read_call(f"call_{first + len(calls)}", *texts, given.get("observation_code")))
    return calls


def _text(raw: Raw, field: str) -> str:
    text = raw.get(field)
    if text is None and field == "observation":
        return ""
    if not isinstance(text, str):
        raise DataError(f"the {field} of a node must be text, got {type(text).__name__}")
    return text


def _outcome(group: Sequence[Raw]) -> str:
    last = group[-1]
    if any(raw.get("observation_code") == ANSWERED for raw in group):
        return "answer"
    if not last.get("pruned"):
        return "open"
    if last.get("observation_code") == GAVE_UP:
        return "give_up"
    return "failed" if kind_of(last) == THOUGHT and "observation_code" in last else "depth"
