"""API-Bank with a tool search: what is found is remembered, and only that can be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from stb_env.backend.user import ASK_USER
from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.api_bank.api_set import ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.databases import Databases
from stb_env.suites.api_bank.knowledge import KNOWN, answer
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld, Searcher
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult

FOUND = "found"
"""Table of the names of the APIs that searches found, in order."""

_POOL, _NAMES = "pool", "names"
_MOST_KNOWN = 4_096

SearcherOf = Callable[[Sequence[JsonMapping]], Searcher]
"""Builds a search over the documentation of some APIs."""


class RetrievalWorld(ApiBankWorld):
    """Searches the task's own pool of tools, and remembers in the state what was found.

    Args:
        apis: As `ApiBankWorld` takes them.
        databases: As `ApiBankWorld` takes them.
        searcher_of: Builds the search over a pool; built once for each pool.
        search: Names the search, for manifests.
    """

    def __init__(
        self, apis: ApiSet, databases: Databases, searcher_of: SearcherOf, search: str = "frozen"
    ) -> None:
        super().__init__(apis, databases)
        self._made_of = (apis, databases, searcher_of, search)
        self.search = search
        self._searcher_of = searcher_of
        # Searches are pure and results immutable, so equal searches of a pool share one.
        self._over = lru_cache(maxsize=None)(self._searching)
        self._known = lru_cache(maxsize=_MOST_KNOWN)(
            lambda pool, keywords: self._search(pool, {"keywords": keywords})
        )

    def __reduce__(self) -> tuple[type[RetrievalWorld], tuple[object, ...]]:
        """Pickle as what makes an equal world again, without the searches that are known."""
        return type(self), self._made_of

    @property
    def fingerprint(self) -> dict[str, object]:
        """As of `ApiBankWorld`, and the search."""
        return {**super().fingerprint, "search": self.search}

    def start(self, task: Task, seed: int) -> State:
        """Return the state at the start of an episode, in which nothing is found yet."""
        state = super().start(task, seed)
        pool = {_NAMES: frozenset(tool.name for tool in task.tools)}
        tables = {**state.tables, _POOL: pool, FOUND: {}, KNOWN: task.record.get("knows", {})}
        return State(tables, state.seed, 0, state.recorded_ids)

    def call(self, state: State, tool: Tool, arguments: Mapping[str, object]) -> tuple[ToolResult, State]:
        """Run one call; a search makes what it finds callable, and the user answers what they are asked."""
        if tool.name == ASK_USER:
            return answer(state.table(KNOWN), arguments), state
        if tool.name != SEARCHER:
            return super().call(state, tool, arguments)
        pool = state.row(_POOL, _NAMES)
        keywords = arguments.get("keywords")
        if len(arguments) == 1 and isinstance(keywords, str):
            result, names = self._known(pool, keywords)
        else:
            result, names = self._search(pool, arguments)
        for name in names:
            if name not in state.table(FOUND):
                state = state.with_row(FOUND, name, True)
        return result, state

    def visible(self, task: Task, state: State) -> list[Tool]:
        """Return the search, what was found so far and the tool that asks the user, where there is one."""
        asking = [tool for tool in task.tools[-1:] if tool.name == ASK_USER]
        return [self.tools[name] for name in (SEARCHER, *state.table(FOUND))] + asking

    def _search(
        self, pool: frozenset[str], arguments: Mapping[str, object]
    ) -> tuple[ToolResult, tuple[str, ...]]:
        world = self._over(pool)
        result, _ = world.call(world.fresh(), self.tools[SEARCHER], arguments)
        return result, tuple(found_names(result))

    def _searching(self, pool: frozenset[str]) -> ApiBankWorld:
        apis = self.apis.apis.items()
        entries = [api.found_entry for name, api in apis if name in pool and name != SEARCHER]
        return ApiBankWorld(self.apis, self.databases, searcher=self._searcher_of(entries))


def found_names(result: ToolResult) -> list[str]:
    """Return the names of the APIs that a search found; a refused one found none."""
    found = result.response if isinstance(result.response, list) else [result.response]
    return [entry["name"] for entry in found if isinstance(entry, Mapping)]
