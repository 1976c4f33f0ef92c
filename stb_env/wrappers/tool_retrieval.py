"""Tool retrieval: the agent searches an open catalogue before it can call what it found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast, runtime_checkable

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError
from stb_env.retrieval import RetrieverFactory, ToolIndex
from stb_env.tasks import Task, TaskSource
from stb_env.tools import FINISH, Tool, ToolCatalog
from stb_env.wrappers.base import ToolWrapper, WrapperState
from stb_env.wrappers.tool_finder import MOST_RESULTS, SEARCH, Found, OpenRules, ToolFinder


class ToolRetrieval(ToolWrapper):
    """Hides the tools of a task among those of a whole catalogue.

    An episode offers ``search_tools(query, k)``, Finish and whatever ``always`` names. A search answers with
    documentation, best match first; from the next action on the found tools are offered too and can be
    called. Any other name is the observation ``unknown_tool``, which says how to find tools. A search is a
    call like any other: it costs the action that it is part of. Where the found tools outgrow
    ``limits.tools``, those found first have to be searched again.

    The last step's ``info["retrieval"]`` counts ``searches`` and the tools ``found`` and ``relevant``, and
    has their ``recall``: the share of the relevant tools that were found, or offered from the start, where it
    is known which these are.

    The environment inside is a fork of the given one, which stays as it is.

    Args:
        env: A tool environment.
        retriever: ``bm25``, ``ngram``, ``hybrid``, ``minilm``, or what indexes texts; see
            `stb_env.retrieval.retriever_for`.
        catalog: What is searched besides the task's own tools; None for the tools of every task, or for
            nothing where tasks have no end.
        k: Number of tools a search returns unless it asks for another number, 1 to 20.
        always: Tools that are offered from the start.

    Raises:
        ConfigError: A setting is out of range, a name is not in the catalogue, or the environment is one
            that has no catalogue, or that numbers actions, leaves out tools or searches.

    Examples:
        >>> import json
        >>> from stb_env import ToolRetrieval
        >>> from stb_env.testing.notes import notes
        >>> env = ToolRetrieval(notes(), retriever="bm25")
        >>> observation, info = env.reset(seed=0)
        >>> [tool["function"]["name"] for tool in info["tools"]]
        ['search_tools', 'Finish']
        >>> search = {"name": "search_tools", "arguments": {"query": "delete a note", "k": 1}}
        >>> observation, *_ = env.step(search)
        >>> [tool["function"]["name"] for tool in json.loads(observation["tools"])]
        ['search_tools', 'delete_note', 'Finish']
        >>> json.loads(env.step({"name": "tell_time", "arguments": {}})[0]["result"])["error"]
        "no tool 'tell_time' has been found so far; describe to search_tools what you need."
    """

    reads_texts = ("tools",)
    needs_text_actions = True
    needs_one_branch = True

    @checks_settings
    def __init__(
        self,
        env: AnyEnv,
        retriever: str | RetrieverFactory = "hybrid",
        catalog: ToolCatalog | None = None,
        k: int = 5,
        always: Sequence[str] = (FINISH,),
    ) -> None:
        if not 1 <= k <= MOST_RESULTS:
            raise ConfigError(f"k must be from 1 to {MOST_RESULTS} tools, got {k}")
        settings = {"retriever": retriever, "catalog": catalog, "k": k, "always": always}
        # A catalogue is read-only and can be large: what is recorded is the given one, no copy.
        super().__init__(env, _disable_deepcopy=True, **settings)
        self.env = self.env.fork()
        rules = self._base.rules
        if isinstance(rules, OpenRules) or self._base.visible is not None:
            raise ConfigError("the tools of this environment have to be found already; one search is enough")
        if rules.compat is not None:
            raise ConfigError(f"compat={rules.compat!r} gives APIs equal names; retrieval needs compat=None")
        self._index = ToolIndex(_catalog(self.env.tasks, catalog), retriever)
        self._always = tuple(name for name in always if name != FINISH)
        self._check_names()
        self._base.rules = OpenRules.around(rules, ToolFinder(self._index, k))

    def restore(self, state: WrapperState) -> None:
        """Continue from a snapshot; see `ToolWrapper.restore`."""
        super().restore(state)
        self._enter(self.env.task)
        self._offer()

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        observation, info = yield from self.env._reset(seed, options)
        self._own = Found()
        self._enter(self.env.task)
        tools = self._offer()
        # A wrapper inside may have listed the tools in them that are now hidden.
        info = {**info, "tools": json.loads(tools), "messages": self.messages}
        return {**observation, "tools": tools}, info

    def _step(self, action: object) -> Slow[Transition]:
        observation, reward, terminated, truncated, info = yield from self.env._step(action)
        found: Found = self._own.after(info["calls"])
        if found != self._own:
            self._own = found
            observation = {**observation, "tools": self._offer()}
        if terminated or truncated:
            info = {**info, "tools": json.loads(observation["tools"]), "retrieval": self._figures(found)}
        return observation, reward, terminated, truncated, info

    @property
    def _base(self) -> ToolEnv:
        return cast(ToolEnv, self.env.unwrapped)

    @property
    def _open(self) -> OpenRules:
        return cast(OpenRules, self._base.rules)

    def _check_names(self) -> None:
        catalog = self._index.catalog
        if SEARCH in catalog:
            raise ConfigError(f"a tool of the catalogue is named {SEARCH!r} itself; give it another name")
        for name in self._always:
            if name not in catalog:
                raise ConfigError(f"always names {name!r}, which is no tool here.{catalog.nearest(name)}")

    def _enter(self, task: Task) -> None:
        """Let searches find the tools of a task that the catalogue lacks."""
        rules, index = self._open, self._index.including(task.tools)
        if index is not rules.finder.index:
            self._base.rules = replace(rules, finder=replace(rules.finder, index=index))

    def _offer(self) -> str:
        """Offer what the agent may call now, and return it as the observation's text."""
        rules, base = self._open, self._base
        first = [rules.finder.tool, *rules.finder.named(self._always)]
        later = rules.finder.named(name for name in self._own.names if name not in self._always)
        room = rules.limits.tools - sum(len(tool.spec) + 2 for tool in (*first, base.finish))
        base._offer([*first, *_latest(later, room)])
        return base._tools_text

    def _figures(self, found: Found) -> dict[str, object]:
        relevant = _relevant(self.env.task)
        figures: JsonObject = {
            "searches": found.searches,
            "found": len(found.names),
            "relevant": len(relevant),
        }
        if relevant:
            figures["recall"] = len(relevant.intersection((*found.names, *self._always))) / len(relevant)
        return figures


@runtime_checkable
class _Catalogued(Protocol):
    """A task source that knows all of its tools."""

    @property
    def catalog(self) -> ToolCatalog: ...


def _catalog(tasks: TaskSource, given: ToolCatalog | None) -> list[Tool]:
    """Return the given tools and those of the tasks, where these end."""
    tools = [] if given is None else list(given)
    if isinstance(tasks, _Catalogued):
        return [*tools, *tasks.catalog]
    if tasks.size is not None:
        return [*tools, *(tool for index in range(tasks.size) for tool in tasks.at(index).tools)]
    return tools


def _latest(tools: Sequence[Tool], room: int) -> list[Tool]:
    """Return the last tools whose function specs fit into so many characters, in order."""
    kept: list[Tool] = []
    for tool in reversed(tools):
        room -= len(tool.spec) + 2
        if room < 0:
            break
        kept.insert(0, tool)
    return kept


def _relevant(task: Task) -> frozenset[str]:
    """Return the names of the tools that the task needs; none where the data set does not say."""
    marked = {tool.name for tool in task.tools if tool.id in task.relevant}
    return frozenset(marked or {tool.name for tool in task.tools} & {call.name for call in task.gold})
