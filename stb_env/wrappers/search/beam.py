"""Beam search: level by level, keeping the best nodes of each."""

from __future__ import annotations

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.judges.judge import Judge
from stb_env.wrappers.search.dialect import Depth, Dialect
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch, at_least_one
from stb_env.wrappers.search.value import Value, heuristic_value


class BeamSearch(TreeSearch):
    """Gives every node of a level ``width`` children, and goes on with the ``beam`` best of these.

    The first of equal nodes comes first. The root is a level of its own. What is common to all searches is
    said at `TreeSearch`.

    Args:
        env: A tool environment.
        value: What is expected of a node, from 0 to 1; or a judge of answers.
        width: Children of each node of a level.
        beam: Nodes that are kept of a level.
        max_depth: Depth at which a branch without an answer ends.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; the most valuable one is played.
        depth: What one level is for ``max_depth``: ``turns``, or ``nodes``: one for a thought and two for a
            call.

    Raises:
        ConfigError: A setting is out of range, or so is a value.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = BeamSearch(notes(), width=2, beam=1)
        >>> _ = env.reset(seed=0)
        >>> [env.step("Let me think.")[4]["node"] for _ in range(4)]
        [0, 1, 1, 3]
    """

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        value: Value | Judge = heuristic_value,
        width: int = 2,
        beam: int = 2,
        max_depth: int = 12,
        max_queries: int | None = 200,
        answers: int = 1,
        depth: Depth = "turns",
    ) -> None:
        at_least_one(width=width, beam=beam)
        super().__init__(
            env,
            Dialect(depth),
            value=value,
            width=width,
            beam=beam,
            max_depth=max_depth,
            max_queries=max_queries,
            answers=answers,
            depth=depth,
        )
        self.width, self.beam = width, beam
        self.method = f"Beam_{beam}"

    @property
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        return {"width": self.width, "beam": self.beam, **super().settings}

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        yield from ()
        tree = tree.visit(len(tree.nodes) - 1, self.max_depth)
        if self._answered(tree):
            return tree._replace(over=True)
        if len(tree.here.children) < self.width:
            return tree
        level = [0]
        while level:
            for index in level:
                if len(tree.nodes[index].children) < self.width:
                    return tree._replace(current=index)
            level = self._kept(tree, [child for index in level for child in tree.nodes[index].children])
        return tree._replace(over=True)

    def _kept(self, tree: SearchTree, nodes: list[int]) -> list[int]:
        """Return the best open nodes, in order of value."""
        going_on = [index for index in nodes if tree.nodes[index].outcome == "open"]
        return sorted(going_on, key=lambda index: -(tree.nodes[index].value or 0.0))[: self.beam]
