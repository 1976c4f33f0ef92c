"""Monte-Carlo tree search with upper confidence bounds (UCT)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import gymnasium as gym

from stb_env.errors import ConfigError
from stb_env.request import Slow
from stb_env.wrappers.search.dialect import Depth, Dialect
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch, at_least_one
from stb_env.wrappers.search.value import Value, heuristic_value


class MonteCarloTreeSearch(TreeSearch):
    """UCT (Kocsis and Szepesvari, 2006) with a value in the place of a random play-out.

    Every step is one round: the new node's value is backed up to the root, then the search walks down from
    there, at each node to the child with the largest mean value plus ``c * sqrt(ln(visits above) / visits)``,
    until it meets a node with fewer than ``width`` children. There the next action is taken. A branch that
    ended without an answer backs up 0; where nothing is left to try, the walk does not go. Of equal children
    the first is taken.

    Unless ``answers`` says when it is enough, the whole budget is used and the most valuable answer is
    played. What is common to all searches is said at `TreeSearch`.

    Args:
        env: A tool environment.
        value: What is expected of a node, from 0 to 1.
        width: Children of a node at most.
        c: How much exploring is worth, at least 0.
        max_depth: Depth at which a branch without an answer ends.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; None for all that the budget allows.
        depth: What one level is: ``turns``, or ``nodes``: one for a thought and two for a call.

    Raises:
        ConfigError: A setting is out of range, or so is a value.

    Examples:
        >>> import gymnasium as gym, stb_env
        >>> env = MonteCarloTreeSearch(gym.make("stb/Sandbox-v0"), width=2, max_queries=4)
        >>> _ = env.reset(seed=0)
        >>> [env.step("Let me think.")[4]["node"] for _ in range(3)]
        [0, 1, 2]
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        value: Value = heuristic_value,
        width: int = 3,
        c: float = math.sqrt(2),
        max_depth: int = 12,
        max_queries: int | None = 200,
        answers: int | None = None,
        depth: Depth = "turns",
    ) -> None:
        at_least_one(width=width)
        if not c >= 0:
            raise ConfigError(f"c must be at least 0, got {c}")
        super().__init__(
            env,
            Dialect(depth),
            value=value,
            width=width,
            c=c,
            max_depth=max_depth,
            max_queries=max_queries,
            answers=answers,
            depth=depth,
        )
        self.width, self.c = width, c
        self.method = f"UCT_w{width}"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {"width": self.width, "c": self.c, **super().settings}

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        yield from ()
        last = len(tree.nodes) - 1
        tree = self._backed_up(tree.visit(last, self.max_depth), last)
        if self._answered(tree) or tree.nodes[0].exhausted:
            return tree._replace(over=True)
        index = 0
        while len((node := tree.nodes[index]).children) >= self.width:
            doubt = self.c * math.sqrt(math.log(node.visits))
            going_on = (child for child in node.children if not tree.nodes[child].exhausted)
            index = max(going_on, key=partial(_bound, tree, doubt))
        return tree._replace(current=index)

    def _backed_up(self, tree: SearchTree, index: int) -> SearchTree:
        """Add a node's value to the totals of its path; what ended without an answer has none."""
        node, nodes = tree.nodes[index], list(tree.nodes)
        value = (node.value or 0.0) if node.outcome in ("open", "answer") else 0.0
        for place in reversed(tree.path(index)):
            node = nodes[place]
            full = len(node.children) >= self.width and all(nodes[child].exhausted for child in node.children)
            nodes[place] = node._replace(
                visits=node.visits + 1, total=node.total + value, exhausted=full or node.outcome != "open"
            )
        return tree._replace(nodes=tuple(nodes))


def _bound(tree: SearchTree, doubt: float, index: int) -> float:
    node = tree.nodes[index]
    return node.total / node.visits + doubt / math.sqrt(node.visits)
