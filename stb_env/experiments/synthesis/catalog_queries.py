"""Queries for the tools of a catalogue: taken from dialogues, and kept where gold solves them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stb_env import TaskSet, Tool, Trajectory, load_agent, play
from stb_env.backend.backend import Backend
from stb_env.core.request import drive
from stb_env.errors import DataError
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.catalog_author import CatalogQuery, GoldCall
from stb_env.experiments.synthesis.dialogue import Call, Dialogue
from stb_env.experiments.synthesis.tool_api import api_of
from stb_env.formats.catalog_file import CatalogFile
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.suites.own_tools.env import make
from stb_env.suites.own_tools.queries import SUITE, query_tasks

Progress = Callable[[int, int], None]
"""Told after each query how many of how many were played."""


def pool_of(file: CatalogFile) -> tuple[Api, ...]:
    """Return the tools of a catalogue as the agents read APIs.

    Raises:
        DataError: Two tools have one name there.
    """
    apis = tuple(api_of(tool) for tool in file.tools)
    names = [api.name for api in apis]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"two tools of the catalogue read as {twice!r} to the agents; rename one of them")
    return apis


def queries_of(file: CatalogFile, dialogues: Iterable[Dialogue]) -> list[CatalogQuery]:
    """Return a query for each dialogue that was kept: what the user says, and the calls as gold.

    What the agents let the APIs answer is made up, so nothing of it is a check.

    Args:
        file: The catalogue that the dialogues are about.
        dialogues: Dialogues, kept or not.
    """
    named = {api_of(tool).name: tool for tool in file.tools}
    found: list[CatalogQuery] = []
    for one in dialogues:
        calls = [call for call in one.calls if not call.is_search]
        if one.outcome != "kept" or not calls or any(call.name not in named for call in calls):
            continue
        gold = [_as_called(named[call.name], call) for call in calls]
        found.append(CatalogQuery(id=f"d{one.index}", query=one.query, gold=gold))
    return found


def _as_called(tool: Tool, call: Call) -> GoldCall:
    """Return a call by the tool's own names, where the agents have names of their own for its arguments."""
    own = dict(zip(api_of(tool).inputs, tool.parameters.get("properties", {}), strict=False))
    return {
        "name": tool.name,
        "arguments": {own.get(name, name): value for name, value in call.arguments.items()},
    }


class Sorted(NamedTuple):
    """Queries that are kept, and those that are not.

    Attributes:
        kept: Those that gold solves.
        dropped: Why each of the others was left out, by id.
    """

    kept: list[CatalogQuery]
    dropped: dict[str, str]


def gold_run(
    file: CatalogFile, queries: Sequence[CatalogQuery], backend: Backend, progress: Progress | None = None
) -> Sorted:
    """Play gold on every query, and keep those that it solves.

    A query with a check is solved where that holds; one without, where every gold call was answered without
    an error.

    Args:
        file: The catalogue.
        queries: Queries, as their file has them, with ids.
        backend: Answers the calls; in mode ``record`` the run is recorded.
        progress: Told how far it is.

    Raises:
        DataError: A query is none.
    """
    tasks = query_tasks(enumerate(queries, 1), "the queries", file.catalog, lambda _query: file.tools)
    env = make(tools=file, data=TaskSet(tasks, SUITE), backend=backend, judge="heuristic")
    agent, found = load_agent("gold")(), Sorted([], {})
    for done, (query, task) in enumerate(zip(queries, tasks, strict=True), 1):
        problem = _problem(play(env, agent, task_id=task.id, seed=0), checked=bool(task.goal))
        if problem:
            found.dropped[task.id] = problem
        else:
            found.kept.append(query)
        if progress is not None:
            progress(done, len(queries))
    return found


def voted(file: CatalogFile, queries: Sequence[CatalogQuery], panel: SolvabilityPanel) -> Sorted:
    """Keep the queries that enough models of a panel take for solvable.

    Args:
        file: The catalogue.
        queries: Queries, as their file has them, with ids.
        panel: The models.

    Raises:
        DataError: A query is none.
    """
    tasks = query_tasks(enumerate(queries, 1), "the queries", file.catalog, lambda _query: file.tools)
    found = Sorted([], {})
    for query, task in zip(queries, tasks, strict=True):
        poll = drive(panel.poll(task))
        if poll.solvable:
            found.kept.append(query)
        else:
            said = ", ".join(f"{vote.judge}: {vote.status or vote.reason}" for vote in poll.votes)
            found.dropped[task.id] = f"the panel does not take it for solvable ({said})"
    return found


def _problem(played: Trajectory, *, checked: bool) -> str:
    if not played.valid:
        return str((played.failure or {}).get("message", "the episode is invalid"))
    if checked:
        return "" if played.solved else "gold does not solve it"
    calls = [call for step in played.steps for call in step["calls"] if call["name"] != "Finish"]
    wrong = next((call for call in calls if call["error"]), None)
    if wrong is not None:
        return f"{wrong['name']} answered with an error: {wrong['error']:.120}"
    return "" if calls else "gold calls nothing"
