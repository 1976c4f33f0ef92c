"""``stb-env list``: what there is to play, and who plays."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Group
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.runs.baselines.registry import AgentDescription, named_agents
from stb_env.runs.make import make_env
from stb_env.suite import Suite, suites


@reporting
def list_suites(as_json: options.AsJson = False) -> None:
    """List environments, and agents with their settings.

    Example: stb-env list
    """
    with _without_remarks():
        rows = [_row(suite, env_id) for suite in suites() for env_id in suite.environments]
    agents = [AgentDescription.of(name, agent) for name, agent in named_agents().items()]
    data = {"environments": rows, "agents": {agent.name: agent.to_dict() for agent in agents}}
    emit(data, as_json, Group(_environments(rows), _agents(agents)))


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Keep from the log which judge stands in where no key is set: nothing is judged here."""
    log = logging.getLogger("stb_env")
    log.addFilter(_is_error)
    try:
        yield
    finally:
        log.removeFilter(_is_error)


def _is_error(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


def _row(suite: Suite, env_id: str) -> dict[str, object]:
    if suite.required:
        about = {"tasks": None, "judge": "", "mode": ""}
        return {"id": env_id, **about, "suite": suite.name, "needs": suite.need(env_id), "required": True}
    env = make_env(env_id, {})
    rules = env.rules
    return {
        "id": env_id,
        "tasks": env.tasks.size,
        "judge": rules.judge.name,
        "mode": rules.backend.fingerprint.get("mode", "world"),
        "suite": suite.name,
        "needs": suite.need(env_id),
    }


def _environments(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="environments", caption="each that has a judge here plays without anything else")
    table.add_column("id", no_wrap=True)
    for column in ("tasks", "judge", "mode", "for all of it"):
        table.add_column(column, overflow="fold")
    for row in rows:
        tasks = "" if row.get("required") else str(row["tasks"] or "endless")
        table.add_row(row["id"], tasks, row["judge"], row["mode"], row["needs"])
    return table


def _agents(agents: list[AgentDescription]) -> Table:
    table = Table(title="agents", caption="--agent takes a name, with settings as in 'dfs(width=3)'")
    table.add_column("name", no_wrap=True)
    for column in ("settings", "needs", "what it does"):
        table.add_column(column, overflow="fold")
    for agent in agents:
        # That one takes a model is said by what it needs.
        given = [f"{name}={value!r}" for name, value in agent.settings.items() if name != "model"]
        table.add_row(agent.name, ", ".join(given), agent.needs, agent.description)
    return table
