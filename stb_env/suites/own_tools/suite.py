"""Declaration of the suite for somebody's own tools."""

from __future__ import annotations

from stb_env.suite import Suite

SUITE = Suite(
    name="own_tools",
    description="Your own tools: a catalogue of an MCP server, an OpenAPI document or functions, and queries",
    environments={"stb/Tools-v0": "stb_env.suites.own_tools.env:make"},
    needs={"": "--tools: your catalogue; --data: your queries"},
    standing={"judge": "heuristic"},
)
