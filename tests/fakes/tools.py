"""The least that a task has to offer."""

from __future__ import annotations

from stb_env.tools import Tool

PING = Tool("ping", "Answers pong.", {"type": "object", "properties": {}})
ONE_TOOL = (PING,)
