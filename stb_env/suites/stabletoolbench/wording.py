"""The original's wording of episodes, searches and rankings, in its own texts where the user has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from stb_env.envs.finish import FINISH_TOOL
from stb_env.envs.wording import Wording
from stb_env.models.prompting import prompt
from stb_env.suites.stabletoolbench.originals import Originals, places
from stb_env.tasks import Task
from stb_env.tools import Tool, standardize

HOME = "stb_env.suites.stabletoolbench"
MAX_DESCRIPTION = 512
"""Characters of a tool's description in the task description."""


@cache
def own_texts() -> Originals:
    """Return texts in our own words that stand where the original's would."""
    system, user, task = (prompt(f"start_{name}", "v1", HOME).text for name in ("system", "user", "task"))
    ranking = prompt("ranking_original", "v1").text.replace("${", "{")
    return Originals(
        system=system,
        # A prompt file ends without its last line break, which the original's form has.
        user=user + "\n",
        task=task + "\n",
        finish={
            "name": FINISH_TOOL.name,
            "description": FINISH_TOOL.description,
            "parameters": dict(FINISH_TOOL.parameters),
        },
        diversity=prompt("diversity", "v1").text,
        former=("", "\n"),
        ranking=ranking,
        ranking_user="A or B?",
    )


class OriginalWording(Wording):
    """The original's start messages, Finish function, diversity message and ranking, in its form.

    Args:
        texts: The original's texts; our own stand in where not given.

    Examples:
        >>> wording = OriginalWording()
        >>> wording.user("Capital of France?").splitlines()[:2], wording.fingerprint["origin"]
        (['', 'Capital of France?'], 'own prompts')
    """

    def __init__(self, texts: Originals | None = None) -> None:
        super().__init__()
        self._own = texts is None
        self._texts = texts or own_texts()
        finish = self._texts.finish
        self.finish = replace(FINISH_TOOL, description=finish["description"], parameters=finish["parameters"])

    @property
    def fingerprint(self) -> dict[str, object]:
        """Author of the words, and their hash."""
        return {"origin": "own prompts" if self._own else "original prompts", "agent": self._texts.hash}

    def system(self, task: Task, tools: Sequence[Tool]) -> str:
        """Return the system message: how to proceed, then the task description with the tools."""
        del task
        return places(self._texts.system, {"task_description": self._described(tools)})

    def user(self, query: str) -> str:
        """Return the query with what signals the start."""
        return places(self._texts.user, {"input_description": query})

    def tried(self, candidates: str, result: str) -> str:
        """Return the diversity message."""
        if self._own:
            return super().tried(candidates, result)
        before, after = self._texts.former
        shown = f"{candidates}\n" + (f"{before}{result}{after}" if result else "")
        return places(self._texts.diversity, {"previous_candidate": shown})

    def ranking(self, task: Task, common: str, first: str, second: str) -> list[dict[str, object]]:
        """Return a ranking's messages; the task description is what the original gives of the task."""
        shown = {
            "task_description": self._described(task.tools),
            "input_description": task.query,
            "query": task.query,
            "intersect_trice": common,
            "common": common,
            "candidate_A": first,
            "first": first,
            "candidate_B": second,
            "second": second,
        }
        return [
            {"role": "system", "content": places(self._texts.ranking, shown)},
            {"role": "user", "content": self._texts.ranking_user},
        ]

    def _described(self, tools: Sequence[Tool]) -> str:
        described: dict[str, str] = {}
        for tool in tools:
            # A name keeps its first place and gets its last description.
            text = str(tool.record.get("tool_description") or "")
            described[_tool_name(tool)] = text[:MAX_DESCRIPTION].replace("\n", "").strip() or "None"
        lines = (f"{number}.{name}: {text}\n" for number, (name, text) in enumerate(described.items(), 1))
        return self._texts.task + "".join(lines)


def _tool_name(tool: Tool) -> str:
    return standardize(str(tool.record.get("tool_name", tool.id.tool)))
