"""Best-first search: always go on at the most promising node."""

from __future__ import annotations

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.judges.judge import Judge
from stb_env.wrappers.search.dialect import Depth, Dialect
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch, at_least_one
from stb_env.wrappers.search.value import Value, heuristic_value

# The root has no value of its own: of a task that has only begun, nothing is known.
_ROOT = 0.5


class BestFirstSearch(TreeSearch):
    """Goes on at the open node of the highest value that has fewer than ``width`` children.

    Among equals the one with the fewest children comes first, then the newest; with a value that is the
    same everywhere this is a depth-first search. The root counts as 0.5. What is common to all searches is
    said at `TreeSearch`.

    Args:
        env: A tool environment.
        value: What is expected of a node, from 0 to 1; or a judge of answers.
        width: Children of a node at most.
        max_depth: Depth at which a branch without an answer ends.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; the most valuable one is played.
        depth: What one level is: ``turns``, or ``nodes``: one for a thought and two for a call.

    Raises:
        ConfigError: A setting is out of range, or so is a value.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = BestFirstSearch(notes(), value=lambda view: 1 / len(view.steps))
        >>> _ = env.reset(seed=0)
        >>> [env.step("Let me think.")[4]["node"] for _ in range(3)]
        [1, 1, 3]
    """

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        value: Value | Judge = heuristic_value,
        width: int = 2,
        max_depth: int = 12,
        max_queries: int | None = 200,
        answers: int = 1,
        depth: Depth = "turns",
    ) -> None:
        at_least_one(width=width)
        super().__init__(
            env,
            Dialect(depth),
            value=value,
            width=width,
            max_depth=max_depth,
            max_queries=max_queries,
            answers=answers,
            depth=depth,
        )
        self.width = width
        self.method = f"BestFirst_w{width}"

    @property
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        return {"width": self.width, **super().settings}

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        yield from ()
        tree = tree.visit(len(tree.nodes) - 1, self.max_depth)
        frontier = [
            (_ROOT if node.value is None else node.value, -len(node.children), index)
            for index, node in enumerate(tree.nodes)
            if node.outcome == "open" and len(node.children) < self.width
        ]
        if self._answered(tree) or not frontier:
            return tree._replace(over=True)
        return tree._replace(current=max(frontier)[-1])
