"""Wording: what an agent reads in an episode besides its tools and their results."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.models.prompting import Prompt, prompt
from stb_env.tasks import Task
from stb_env.tools import Tool


class Wording:
    """The package's own words. A protocol brings those of its paper, a suite what its episodes need.

    Args:
        text: The system message; the usual one, which knows of no user, where not given.

    Attributes:
        finish: The Finish of a protocol, with its ``return_type``; None for the one that fits the task.

    Examples:
        >>> wording = Wording()
        >>> wording.user("Capital of France?"), sorted(wording.fingerprint)
        ('Capital of France?', ['agent'])
    """

    finish: Tool | None = None

    def __init__(self, text: Prompt | None = None) -> None:
        self._prompt = text or prompt("agent", "v3")

    @property
    def fingerprint(self) -> dict[str, object]:
        """Hashes of the texts by their names, for the run's manifest."""
        return {"agent": self._prompt.hash}

    def system(self, task: Task, tools: Sequence[Tool]) -> str:
        """Return the system message of an episode; none is sent where it is empty.

        Args:
            task: The task.
            tools: The tools that are on offer, Finish left out.
        """
        del task, tools
        return self._prompt.text

    def user(self, query: str) -> str:
        """Return the first message of the user."""
        return query

    def tried(self, candidates: str, result: str) -> str:
        """Return what a search says at a node from which something was tried before.

        Args:
            candidates: What was tried, as JSON.
            result: What had been returned before any of it; empty at the start.
        """
        return prompt("diversity", "v1").render(tried=candidates, result=result)

    def ranking(self, task: Task, common: str, first: str, second: str) -> list[dict[str, object]]:
        """Return the messages that ask which of two candidates is better, A or B.

        Args:
            task: The task.
            common: The steps that they share, as text.
            first: How A goes on.
            second: How B goes on.
        """
        text = prompt("ranking_original", "v1").render(
            query=task.query, common=common, first=first, second=second
        )
        return [
            {"role": "system", "content": self.system(task, task.tools)},
            {"role": "user", "content": text},
        ]
