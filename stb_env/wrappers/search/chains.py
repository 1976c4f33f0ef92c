"""Independent tries: several chains from the same start (CoT@n)."""

from __future__ import annotations

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.rules import Compat
from stb_env.judges.judge import Judge
from stb_env.wrappers.search.dialect import Depth, Unprompted
from stb_env.wrappers.search.original import OriginalChains
from stb_env.wrappers.search.tree import SearchTree
from stb_env.wrappers.search.tree_search import TreeSearch, at_least_one, check_compat
from stb_env.wrappers.search.value import Value


class IndependentChains(TreeSearch):
    """Plays a task up to n times from its start, each time without knowing of the others: CoT@n.

    A try ends with an answer, a give-up or at ``max_depth``; then the next begins at the root. The search
    ends as soon as ``answers`` are found. What is common to all searches is said at `TreeSearch`; here
    nothing that was tried is shown.

    Args:
        env: A tool environment.
        tries: How often the task is tried at most.
        max_depth: Depth at which a try without an answer ends.
        max_queries: Actions after which the search ends, over all tries; None for no limit.
        answers: Answers after which it ends; with ``value``, more than one makes this best-of-n.
        value: Chooses among several answers, a judge may too; the first one without it.
        depth: What one level is: ``turns``, or ``nodes``: one for a thought and two for a call.
        compat: ``"original"`` for the published rules; see `stb_env.wrappers.search.original`.

    Raises:
        ConfigError: A setting is out of range.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = IndependentChains(notes(), tries=2)
        >>> _ = env.reset(seed=0)
        >>> give_up = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> env.step("Let me think.")[4]["node"], env.step(give_up)[4]["node"], env.step(give_up)[2]
        (1, 0, True)
    """

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        tries: int = 1,
        max_depth: int = 12,
        max_queries: int | None = None,
        answers: int = 1,
        value: Value | Judge | None = None,
        depth: Depth = "turns",
        compat: Compat | None = None,
    ) -> None:
        at_least_one(tries=tries)
        check_compat(compat)
        super().__init__(
            env,
            OriginalChains() if compat else Unprompted(depth),
            tries=tries,
            max_depth=max_depth,
            max_queries=max_queries,
            answers=answers,
            value=value,
            depth=depth,
            compat=compat,
        )
        self.tries = tries
        self.method = f"CoT@{tries}"

    @property
    def settings(self) -> dict[str, object]:
        """The settings as plain data."""
        return {"tries": self.tries, **super().settings}

    def _advance(self, tree: SearchTree) -> Slow[SearchTree]:
        yield from ()
        last = len(tree.nodes) - 1
        tree = tree.visit(last, self.max_depth)
        if tree.nodes[last].outcome == "open":
            return tree._replace(current=last)
        answered = self._answered(tree)
        over = answered or len(tree.nodes[0].children) >= self.tries
        return tree._replace(current=0, over=over, returned=int(answered) if over else None)
