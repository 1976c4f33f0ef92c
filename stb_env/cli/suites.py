"""``stb-env list``: what there is to play."""

from __future__ import annotations

from rich.table import Table

from stb_env.baselines import BASELINES
from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.jsontypes import JsonObject
from stb_env.rollout.make import env_ids, make_env


@reporting
def list_suites(as_json: options.AsJson = False) -> None:
    """List environments and baseline agents."""
    rows = [_row(env_id) for env_id in env_ids()]
    table = Table(title="environments", caption="agents: " + ", ".join(sorted(BASELINES)))
    for column in ("id", "embedded tasks", "judge", "mode"):
        table.add_column(column)
    for row in rows:
        table.add_row(row["id"], str(row["tasks"] or "endless"), row["judge"], row["mode"])
    emit({"environments": rows, "agents": sorted(BASELINES)}, as_json, table)


def _row(env_id: str) -> JsonObject:
    env = make_env(env_id, {})
    rules = env.rules
    return {
        "id": env_id,
        "tasks": env.tasks.size,
        "judge": rules.judge.name,
        "mode": rules.backend.fingerprint.get("mode", "world"),
    }
