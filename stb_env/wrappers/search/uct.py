"""Monte-Carlo tree search with upper confidence bounds (UCT)."""

from __future__ import annotations

import math
from functools import partial

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.errors import ConfigError
from stb_env.judges.judge import Judge
from stb_env.wrappers.search.dialect import Depth, Dialect
from stb_env.wrappers.search.tree import Node, SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch, at_least_one
from stb_env.wrappers.search.value import Value, heuristic_value


class MonteCarloTreeSearch(TreeSearch):
    """UCT (Kocsis and Szepesvari, 2006), whose play-outs are the agent's own and stay in the tree.

    A round begins somewhere in the tree and goes on, as a chain would, until its branch ends. The value of
    its answer, or 0 where there is none, is backed up to the root. Then the search walks down from there, at
    each node to the child with the largest ``mean value + c * sqrt(ln(visits above) / visits)``, of equal
    children the first, and the next round begins at the first node that may have another child: one that has
    fewer than ``width``, and fewer than the square root of its visits (progressive widening), or nothing
    else to go to. Where a branch ended, and where the agent gave up, the walk does not go.

    Unless ``answers`` says when it is enough, the whole budget is used and the most valuable answer is
    played. What is common to all searches is said at `TreeSearch`.

    Args:
        env: A tool environment.
        value: What is expected of an answer, from 0 to 1; or a judge.
        width: Children of a node at most.
        c: How much exploring is worth, at least 0.
        max_depth: Depth at which a branch without an answer ends.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; None for all that the budget allows.
        depth: What one level is: ``turns``, or ``nodes``: one for a thought and two for a call.

    Raises:
        ConfigError: A setting is out of range, or so is a value.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = MonteCarloTreeSearch(notes(), max_depth=2, max_queries=6)
        >>> _ = env.reset(seed=0)
        >>> [env.step("Let me think.")[4]["node"] for _ in range(5)]
        [1, 1, 1, 0, 5]
    """

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        value: Value | Judge = heuristic_value,
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
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        return {"width": self.width, "c": self.c, **super().settings}

    def _valued(self, tree: SearchTree) -> Slow[SearchTree]:
        # Nothing but the end of a round is backed up, and a value may cost a model call.
        if tree.nodes[-1].outcome != "answer":
            return tree
        return (yield from super()._valued(tree))

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        yield from ()
        last = len(tree.nodes) - 1
        tree = tree.visit(last, self.max_depth)
        if tree.nodes[last].outcome == "open":
            return tree._replace(current=last)
        tree = self._backed_up(tree, last)
        if self._answered(tree) or tree.nodes[0].exhausted:
            return tree._replace(over=True)
        return tree._replace(current=self._descended(tree))

    def _descended(self, tree: SearchTree) -> int:
        """Return the node at which the next round begins."""
        index = 0
        while True:
            node = tree.nodes[index]
            going_on = [child for child in node.children if not tree.nodes[child].exhausted]
            if not going_on or self._widens(node):
                return index
            doubt = self.c * math.sqrt(math.log(node.visits))
            index = max(going_on, key=partial(_bound, tree, doubt))

    def _widens(self, node: Node) -> bool:
        return len(node.children) < min(self.width, math.isqrt(node.visits))

    def _backed_up(self, tree: SearchTree, index: int) -> SearchTree:
        """Add the value of a round's end to the totals of its path, and close what leads nowhere."""
        nodes, end = list(tree.nodes), tree.nodes[index]
        value = (end.value or 0.0) if end.outcome == "answer" else 0.0
        for place in reversed(tree.path(index)):
            node = nodes[place]
            full = len(node.children) >= self.width and all(nodes[child].exhausted for child in node.children)
            # A give-up condemns the node that it was made at, but never the whole task.
            given_up = end.outcome == "give_up" and place == end.parent != 0
            nodes[place] = node._replace(
                visits=node.visits + 1,
                total=node.total + value,
                exhausted=full or given_up or node.outcome != "open",
            )
        return tree._replace(nodes=tuple(nodes))


def _bound(tree: SearchTree, doubt: float, index: int) -> float:
    node = tree.nodes[index]
    return node.total / node.visits + doubt / math.sqrt(node.visits)
