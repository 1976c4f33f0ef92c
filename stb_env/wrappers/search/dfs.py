"""Depth-first search with a decision tree (DFSDT), with and without ranking of candidates."""

from __future__ import annotations

from itertools import combinations

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.rules import Compat
from stb_env.envs.tool_env import Transition
from stb_env.errors import InfrastructureError
from stb_env.models import ChatModel
from stb_env.usage import NO_USAGE
from stb_env.wrappers.search.dialect import Depth, Dialect, tokens_of, wording_of
from stb_env.wrappers.search.original import OriginalDialect
from stb_env.wrappers.search.original_ranking import OriginalRanker
from stb_env.wrappers.search.ranking import Pair, Rank, as_rank, rank_by_value
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.tree_search import UNKNOWN, TreeSearch, at_least_one, check_compat
from stb_env.wrappers.search.value import Scored, settled

ANSWERED, QUERIES_SPENT = 10_000, 100_000


class DepthFirstSearch(TreeSearch):
    """Depth-first search over decisions: DFSDT of ToolLLM (Qin et al., 2023), the DFS of Guo et al., 2024.

    Goes on below each node that it makes until the branch ends. At the depth limit, the node above tries
    its next child. After a give-up or an answer, the node above is abandoned too and the one above that
    tries its next child; the root is never abandoned before it has had ``width`` children. As published,
    the width is 2 and nothing is filtered. What is common to all searches is said at `TreeSearch`.

    With ``filter``, all children of a node are made first, ranked pair by pair and then visited in order;
    an answer among them counts once it is visited.

    Args:
        env: A tool environment.
        width: Children of a node at most.
        max_depth: Depth at which a branch without an answer ends.
        max_queries: Actions after which the search ends; None for no limit.
        answers: Answers after which it ends; the first one is played.
        filter: Whether children are ranked before any is visited.
        rank: Compares two children, or the chat model that does (see `Ranker`); by their heuristic values
            where not given.
        compat: ``"original"`` for the published rules, oddities included: depth in nodes, a give-up in
            the first reply ends everything, the reply at the query limit is thrown away, rankings count
            as queries. See `stb_env.wrappers.search.original`.
        depth: What one level is: ``turns``, or ``nodes``: one for a thought and two for a call.

    Raises:
        ConfigError: A setting is out of range.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = DepthFirstSearch(notes())
        >>> _ = env.reset(seed=0)
        >>> give_up = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> observation, reward, terminated, truncated, info = env.step(give_up)
        >>> terminated, info["node"], observation["result"][-24:]
        (False, 0, ' "outcome": "give_up"}]}')
        >>> env.step(give_up)[4]["tree"]["method"]
        'DFS_woFilter_w2'
    """

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        width: int = 2,
        max_depth: int = 12,
        max_queries: int | None = 200,
        answers: int = 1,
        filter: bool = False,  # the field's word
        rank: Rank | ChatModel | None = None,
        compat: Compat | None = None,
        depth: Depth = "turns",
    ) -> None:
        at_least_one(width=width)
        check_compat(compat)
        super().__init__(
            env,
            OriginalDialect() if compat else Dialect(depth),
            width=width,
            max_depth=max_depth,
            max_queries=max_queries,
            answers=answers,
            filter=filter,
            rank=rank,
            compat=compat,
            depth=depth,
        )
        self.width, self.filter, self.compat = width, filter, compat
        self.rank = self._ranking(rank)
        self.method = f"DFS_w{width}" if filter else f"DFS_woFilter_w{width}"

    def _ranking(self, rank: Rank | ChatModel | None) -> Rank:
        if rank is None or callable(rank) or self.compat is None:
            return as_rank(rank_by_value if rank is None else rank)
        return OriginalRanker(rank, wording_of(self.env))

    @property
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        return {"width": self.width, **super().settings, "filter": self.filter}

    # -- core ------------------------------------------------------------------------------------

    def _step(self, action: object) -> Slow[Transition]:
        tree = self._running()
        if self.compat is None or self.max_queries is None or tree.queries + 1 < self.max_queries:
            return (yield from super()._step(action))
        # The original counts the query, and then throws its reply away.
        level = len(tree.path(tree.current)) - 1
        tree = tree.asked(tokens_of(action), NO_USAGE)._replace(returned=QUERIES_SPENT - level)
        return (yield from self._end(tree, [], 0.0))

    def _choose(self, tree: SearchTree) -> int | None:
        if self.compat is None:
            return super()._choose(tree)
        # The original reports a give-up where there is no answer; of several, it draws one.
        given_up = (
            index for index, node in enumerate(tree.nodes) if node.outcome == "give_up" and node.order
        )
        last = max(given_up, key=lambda index: tree.nodes[index].order, default=None)
        return next(iter(tree.answers()), last)

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        if not self.filter:
            return self._visit(tree, len(tree.nodes) - 1)
        children = tree.here.children
        if len(children) < self.width:
            return tree
        tree = yield from self._ranked(tree, tree.current)
        return self._visit(tree, tree.here.children[0])

    def _visit(self, tree: SearchTree, index: int) -> SearchTree:
        tree = tree.visit(index, self.max_depth)
        node = tree.nodes[index]
        if node.outcome == "open":
            return tree._replace(current=index)
        return self._resume(tree, node.parent or 0, abandoned=node.outcome in ("answer", "give_up"))

    def _resume(self, tree: SearchTree, index: int | None, *, abandoned: bool) -> SearchTree:
        """Go on after a branch has ended.

        Args:
            tree: The tree.
            index: The node above the branch; None above the root, where nothing is left.
            abandoned: Whether that node is left too, because the agent itself ended the branch.
        """
        if self._answered(tree):
            return tree._replace(over=True, returned=ANSWERED)
        while index is not None:
            node = tree.nodes[index]
            kept = not abandoned or (node.parent is None and self.compat is None)
            waiting = next((child for child in node.children if not tree.nodes[child].order), None)
            if kept and waiting is not None:
                return self._visit(tree, waiting)
            if kept and len(node.children) < self.width:
                return tree._replace(current=index)
            index, abandoned = node.parent, False
        return tree._replace(over=True, returned=1)

    def _ranked(self, tree: SearchTree, index: int) -> Slow[SearchTree]:
        """Sort the children of a node by the points of all their comparisons, the best first."""
        children = tree.nodes[index].children
        points = dict.fromkeys(children, 0.0)
        for first, second in combinations(children, 2):
            pair = Pair.of(self.task, tree, first, second)
            try:
                scored = yield from settled(self.rank(pair), "rank")
            except InfrastructureError as error:
                # The original has no answer to this, so neither do its rules.
                if self.compat:
                    raise
                tree = tree.noted(f"nodes {first} and {second} were not compared: {error}", error.usage)
                scored = Scored(UNKNOWN)
            points[first] += scored.score
            points[second] += 1 - scored.score
            counted = (scored.usage.calls, scored.usage.total_tokens) if self.compat else (0, 0)
            tree = tree.asked(counted[1], scored.usage, queries=counted[0])
        return tree.changed(index, children=tuple(sorted(children, key=lambda child: -points[child])))
