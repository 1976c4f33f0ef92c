"""Descriptions of named agents, for lists of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stb_env.suite import Reference, resolved


@dataclass(frozen=True, slots=True)
class AgentDescription:
    """Description of an agent.

    Attributes:
        name: What ``--agent`` takes.
        description: What it does, in one line.
        settings: Its settings with their defaults.
        needs: What it needs besides an environment; empty for nothing.
    """

    name: str
    description: str
    settings: Mapping[str, Any]
    needs: str = ""

    @classmethod
    def of(cls, name: str, agent: Reference) -> AgentDescription:
        """Describe an agent by its docstring and its signature.

        Examples:
            >>> keyword = AgentDescription.of("keyword", "stb_env.agents.keyword:KeywordAgent")
            >>> keyword.settings, keyword.needs
            ({'calls': 2}, '')
        """
        found = resolved(agent)
        settings = {
            setting.name: setting.default
            for setting in inspect.signature(found).parameters.values()
            if setting.default is not setting.empty
        }
        description, _, _ = (inspect.getdoc(found) or "").partition("\n")
        return cls(name, description, settings, getattr(found, "needs", ""))

    def to_dict(self) -> dict[str, Any]:
        """Return all but the name as plain data."""
        return {"description": self.description, "settings": dict(self.settings), "needs": self.needs}
