"""Agents who answer support tickets, by team, with their number of open tickets."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.people import full_names

TEAMS = ("billing", "delivery", "hardware", "software")


@per_edition()
def support_staff() -> Mapping[str, JsonObject]:
    """Return every agent by id, four a team; within a team the loads differ."""
    rng = edition.rng("support staff")
    names = full_names(rng, 16)
    rows: dict[str, JsonObject] = {}
    for team in TEAMS:
        for load in rng.sample(range(2, 30), 4):
            key = f"agent-{len(rows) + 1:03}"
            rows[key] = {"agent_id": key, "name": names[len(rows)], "team": team, "open_tickets": load}
    return rows
