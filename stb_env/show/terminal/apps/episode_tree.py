"""An episode as a tree that folds: each call a branch, its result below it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from stb_env.core.jsontypes import Json, JsonMapping

# What is beside the list of tools on 80 columns, indented twice.
_WIDTH = 42
_MOST = 200
"""Members of one list or object that are shown."""


class EpisodeTree(Tree[None]):
    """Shows the messages of an episode, and how it ended.

    Everything is shown as plain text: what a tool or a model wrote is no markup.
    """

    def __init__(self) -> None:
        super().__init__(Text("episode"), id="episode")
        self.show_root = False
        self.guide_depth = 2

    def show(
        self,
        messages: Sequence[Mapping[str, object]],
        verdict: Mapping[str, object] | None,
        failure: Mapping[str, object] | None,
    ) -> None:
        """Draw an episode anew; what happened last is unfolded and in sight.

        Args:
            messages: OpenAI chat messages; the system's and the query are left out.
            verdict: How it was judged, where it was.
            failure: What failed, where something did.
        """
        self.clear()
        last = None
        called: dict[str, TreeNode[None]] = {}
        for message in _after_query(messages):
            last = self._add(message, called) or last
        if last is not None and verdict is None:
            last.expand_all()
        if failure is not None:
            last = add_json(self.root, f"failure: {failure['kind']}", dict(failure))
            last.expand()
        if verdict is not None:
            title = f"verdict: {verdict['status']}, score {verdict['score']:g}, by {verdict['judge']}"
            last = add_json(self.root, title, dict(verdict))
            last.expand_all()
        self.root.expand()
        if last is not None:
            self.call_after_refresh(self.move_cursor, last)

    def _add(self, message: JsonMapping, called: dict[str, TreeNode[None]]) -> TreeNode[None] | None:
        """Add what a message says; returns what is to be unfolded where it is the last."""
        if message["role"] == "tool":
            return _answer(called[message["tool_call_id"]], message["content"])
        added = None
        if message.get("content"):
            who = "said" if message["role"] == "assistant" else "heard"
            added = add_json(self.root, who, message["content"])
        for call in message.get("tool_calls", ()):
            added = called[call["id"]] = self._call(call["function"])
        return added

    def _call(self, function: JsonMapping) -> TreeNode[None]:
        node = self.root.add(Text(_cut(f"{function['name']}({_inline(function['arguments'])})"), "bold"))
        add_json(node, "arguments", _json(function["arguments"]))
        return node


def add_json(node: TreeNode[None], name: str, value: object) -> TreeNode[None]:
    """Add a JSON value below a node: objects, lists and long texts fold.

    Args:
        node: Where to add it.
        name: Its name there.
        value: The value.

    Returns:
        The node of the value.
    """
    if isinstance(value, dict):
        return _add_members(node, f"{name} {{{len(value)}}}", value.items())
    if isinstance(value, list):
        return _add_members(node, f"{name} [{len(value)}]", ((str(n), one) for n, one in enumerate(value)))
    text = value if isinstance(value, str) else json.dumps(value)
    lines = [line for part in text.splitlines() or [""] for line in textwrap.wrap(part, _WIDTH) or [""]]
    if len(lines) == 1:
        return node.add_leaf(Text.assemble((f"{name}: ", "cyan"), lines[0]))
    added = node.add(Text.assemble((f"{name}: ", "cyan"), _cut(lines[0]), f" ({len(text)} characters)"))
    for line in lines[:_MOST]:
        added.add_leaf(Text(line))
    _add_rest(added, len(lines) - _MOST, "lines")
    return added


def _answer(call: TreeNode[None], content: str) -> TreeNode[None]:
    """Put a result under its call."""
    result = _json(content)
    if isinstance(result, dict) and result.get("error"):
        call.set_label(Text.assemble(_text(call), ("  error", "red")))
        add_json(call, "error", result["error"])
    if isinstance(result, dict) and "response" in result:
        result = result["response"]
    add_json(call, "result", result)
    return call


def _add_members(node: TreeNode[None], label: str, members: Iterable[tuple[str, object]]) -> TreeNode[None]:
    added = node.add(Text(_cut(label), "cyan"))
    known = list(members)
    for name, value in known[:_MOST]:
        add_json(added, name, value)
    _add_rest(added, len(known) - _MOST, "members")
    return added


def _add_rest(node: TreeNode[None], count: int, what: str) -> None:
    if count > 0:
        node.add_leaf(Text(f"… {count} more {what} are not shown", "italic"))


def _after_query(messages: Sequence[Mapping[str, object]]) -> Iterable[Mapping[str, object]]:
    """Return the messages from the first one of the agent on."""
    said = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
    return messages[said[0] :] if said else ()


def _json(text: str) -> object:
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


def _inline(arguments: str) -> str:
    value = _json(arguments)
    if not isinstance(value, dict):
        return arguments
    return ", ".join(f"{name}={json.dumps(one, ensure_ascii=False)}" for name, one in value.items())


def _cut(text: str) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _text(node: TreeNode[None]) -> Text:
    return node.label if isinstance(node.label, Text) else Text(node.label)
