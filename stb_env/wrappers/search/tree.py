"""The tree of a search: one immutable, picklable value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.state import State
from stb_env.trajectory import Step
from stb_env.usage import NO_USAGE, Usage
from stb_env.wrappers.base import WrapperState

Outcome = Literal["open", "answer", "give_up", "depth", "failed"]

_NOTHING: JsonMapping = {}


class NodeIndex(int):
    """An index where there may be none.

    Gymnasium's vector environments gather a plain number in an array of numbers, which cannot hold the None
    of another environment; any other object goes into an array of objects.
    """


# Named tuples, as `State` and `Step` are: one is made and several are replaced on every step.
class Node(NamedTuple):
    """One action of a search with what followed from it.

    Attributes:
        parent: Index of the node in whose state the action was taken; None for the root.
        state: Snapshot of the environment inside after the action; an answer or a give-up is not played
            there, so for these it is None.
        observation: What the agent saw after the action.
        step: The action with its calls and results; None for the root.
        outcome: ``open`` where the episode can go on from here, ``answer``, ``give_up``, ``depth`` where a
            depth or turn limit ended the branch, ``failed`` where infrastructure did.
        answer: The final answer; empty where none was given.
        action: What the environment inside is given when this node's answer is played.
        value: What the search expects of it, from 0 to 1; None where nothing estimates that.
        total: Sum of the values that were backed up through this node.
        visits: Number of visits.
        exhausted: Whether nothing is left to try in its branch, where a search keeps track of that.
        order: Its visit number, from 1; 0 for the root, and for a node that was made but not visited yet.
        depth: Its depth in the unit of the search's limit; 0 for the root.
        prompted: Whether earlier candidates were shown before this action.
        children: Indices of the nodes below, in the order in which a search goes through them.
    """

    parent: int | None = None
    state: Any = None
    observation: JsonMapping = _NOTHING
    step: Step | None = None
    outcome: Outcome = "open"
    answer: str = ""
    action: Any = None
    value: float | None = None
    total: float = 0.0
    visits: int = 0
    exhausted: bool = False
    order: int = 0
    depth: int = 0
    prompted: bool = False
    children: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return the node as saved trees have it."""
        return {
            "parent": self.parent,
            "order": self.order,
            "step": None if self.step is None else _step_data(self.step),
            "outcome": self.outcome,
            "answer": self.answer,
            "value": self.value,
            "visits": self.visits,
            "prompted": self.prompted,
        }


class SearchTree(NamedTuple):
    """Every node that a search made, by index, and where it stands. Node 0 is the root.

    Attributes:
        nodes: The nodes, in the order in which they were made.
        current: The node in whose state the next action is taken.
        visited: Number of nodes that were visited.
        answered: Number of these that are answers.
        queries: Actions so far: each is one that an agent was asked for.
        tokens: Tokens that these cost, where the actions say so.
        best: The node whose answer was played at the end.
        over: Whether the search has ended.
        spent: What models of the environment and of the search itself have used, on all branches.
        returned: What the published search function would have returned, where it has one.
        notes: What the search had to go on without, in words.

    Examples:
        >>> tree = SearchTree((Node(),)).added(0, Node()).added(1, Node()).added(0, Node())
        >>> tree.path(2), tree.branches(), tree.nodes[0].children
        ([0, 1, 2], [[0, 1, 2], [0, 3]], (1, 3))
    """

    nodes: tuple[Node, ...]
    current: int = 0
    visited: int = 0
    answered: int = 0
    queries: int = 0
    tokens: int = 0
    best: int | None = None
    over: bool = False
    spent: Usage = NO_USAGE
    returned: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def here(self) -> Node:
        """The current node."""
        return self.nodes[self.current]

    def asked(self, tokens: int, spent: Usage, queries: int = 1) -> SearchTree:
        """Return a tree for which so much more was asked and used."""
        return self._replace(
            queries=self.queries + queries, tokens=self.tokens + tokens, spent=self.spent + spent
        )

    def noted(self, note: str, spent: Usage = NO_USAGE) -> SearchTree:
        """Return a tree with one remark more, and with what was used in vain.

        Examples:
            >>> SearchTree((Node(),)).noted("went on without a value").to_dict("", {})["notes"]
            ['went on without a value']
        """
        return self._replace(notes=(*self.notes, note), spent=self.spent + spent)

    def added(self, parent: int, node: Node) -> SearchTree:
        """Return a tree with one node more, the last child of its parent."""
        above = self.nodes[parent]
        nodes = [*self.nodes, node._replace(parent=parent)]
        nodes[parent] = above._replace(children=(*above.children, len(self.nodes)))
        return self._replace(nodes=tuple(nodes))

    def changed(self, index: int, **changes: Any) -> SearchTree:
        """Return a tree in which one node has other values."""
        nodes = list(self.nodes)
        nodes[index] = nodes[index]._replace(**changes)
        return self._replace(nodes=tuple(nodes))

    def visit(self, index: int, max_depth: int) -> SearchTree:
        """Return a tree in which a node has the next visit number; one at the depth limit ends its branch."""
        visited = self.visited + 1
        node = self.nodes[index]
        outcome = "depth" if node.outcome == "open" and node.depth >= max_depth else node.outcome
        answered = self.answered + (outcome == "answer")
        nodes = list(self.nodes)
        nodes[index] = node._replace(order=visited, outcome=outcome)
        return self._replace(nodes=tuple(nodes), visited=visited, answered=answered)

    def path(self, index: int) -> list[int]:
        """Return the nodes from the root to a node, both included, by index."""
        path = [index]
        while (parent := self.nodes[path[-1]].parent) is not None:
            path.append(parent)
        return path[::-1]

    def playable(self, index: int) -> int:
        """Return the node, or the nearest one above it, in whose state the episode can go on."""
        while (state := middle(self.nodes[index].state)) is None or state.over:
            index = self.nodes[index].parent or 0
        return index

    def steps(self, index: int) -> tuple[Step, ...]:
        """Return the steps from the root to a node."""
        return tuple(step for i in self.path(index) if (step := self.nodes[i].step) is not None)

    def branches(self) -> list[list[int]]:
        """Return every path from the root to a leaf, in the order in which the leaves were made."""
        return [self.path(index) for index, node in enumerate(self.nodes) if not node.children]

    def answers(self, *, visited: bool = True) -> list[int]:
        """Return the nodes with an answer, first visited first.

        Args:
            visited: Whether to leave out those that were made but never visited.
        """
        found = [i for i, node in enumerate(self.nodes) if node.outcome == "answer"]
        if visited:
            found = [i for i in found if self.nodes[i].order]
        return sorted(found, key=lambda i: (self.nodes[i].order == 0, self.nodes[i].order, i))

    def to_dict(self, method: str, settings: Mapping[str, object]) -> dict[str, object]:
        """Return the tree as plain data, the form that ``info["tree"]`` and trajectories have.

        ``notes`` are in it only where there are any.

        Args:
            method: Name of the search, for example ``DFS_woFilter_w2``.
            settings: Its settings as plain data.
        """
        data: JsonObject = {
            "method": method,
            "settings": dict(settings),
            "queries": self.queries,
            "tokens": self.tokens,
            "best": None if self.best is None else NodeIndex(self.best),
            "current": self.current,
            "nodes": [node.to_dict() for node in self.nodes],
        }
        return data | ({"notes": list(self.notes)} if self.notes else {})


def middle(state: WrapperState | State | None) -> Any:
    """Return the state of the environment inside all wrappers, out of a snapshot; None stays None."""
    while isinstance(state, WrapperState):
        state = state.inner
    return state


def _step_data(step: Step) -> dict[str, object]:
    """Return a step as plain data; what the published search would have shown goes to the call behind it."""
    extra = dict(step.extra)
    nothing: tuple[JsonMapping, ...] = ({},) * len(step.calls)
    reports = extra.pop("reports", nothing)
    calls = [{**call.to_dict(), **report} for call, report in zip(step.calls, reports, strict=True)]
    return {"calls": calls, "text": step.text, "result": step.result, "status": int(step.status), **extra}
