"""A notebook as an environment: the smallest whole one, for doctests and first tests, and a model to copy.

Three tools, a world that runs them, tasks with goal and solution, an exact judge, and the suite with its id.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from stb_env.backend.world import Tables, World
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.judge import Case
from stb_env.suite import Maker, Suite
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.verdict import Verdict


def _tool(name: str, description: str, parameter: str) -> Tool:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return Tool(name, description, schema, ToolId("Office", "notebook", name))


ADD = _tool("add_note", "Writes a note down and returns its id.", "text")
FIND = _tool("find_notes", "Returns the notes that contain a word, by id.", "word")
DELETE = _tool("delete_note", "Deletes the note of an id.", "id")

DENTIST, LEMONS = "Dentist on Tuesday", "Buy two lemons"
START = Tables({"notes": {"note-001": {"text": DENTIST}, "note-002": {"text": LEMONS}}}, {"note": 2})


class Notebook(World):
    """Writes, finds and deletes notes; holds nothing itself, so one serves any number of episodes."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Version of the notebook."""
        return {"world": "notebook", "version": 1}

    def start(self, task: Task, seed: int) -> Tables:  # noqa: ARG002
        """Return the notes that every episode begins with."""
        return START

    def call(self, state: Tables, tool: Tool, arguments: Mapping[str, Any]) -> tuple[ToolResult, Tables]:
        """Run one call."""
        (parameter,) = tool.parameters["required"]
        given = str(arguments.get(parameter, ""))
        if tool == ADD:
            key, state = state.next_id("note")
            return ToolResult.of({"id": key}, source="world"), state.with_row("notes", key, {"text": given})
        texts = {key: row["text"] for key, row in state.table("notes").items()}
        if tool == FIND:
            found = {key: text for key, text in texts.items() if given.casefold() in text.casefold()}
            return ToolResult.of({"notes": found}, source="world"), state
        if given not in texts:
            return ToolResult.of("", error=f"there is no note {given!r}", source="world"), state
        return ToolResult.of({"deleted": given}, source="world"), state.without_row("notes", given)


def _task(task_id: str, query: str, notes: list[str], answer: str, *gold: tuple[Tool, str]) -> Task:
    calls = tuple(ToolCall(tool.name, {tool.parameters["required"][0]: given}) for tool, given in gold)
    goal = {"notes": sorted(notes), "answer": answer}
    return Task(task_id, query, (ADD, FIND, DELETE), suite="notes", gold=calls, goal=goal)


DAY = "On which day do I see the dentist? Answer with the day alone."
WRITE = 'Write down a note that says "Call the bank".'
MOVE = 'Replace my note about the dentist by one that says "Dentist on Friday".'
MOVED = ((FIND, "dentist"), (DELETE, "note-001"), (ADD, "Dentist on Friday"))
TASKS = TaskSet(
    [
        _task("day", DAY, [DENTIST, LEMONS], "Tuesday", (FIND, "dentist")),
        _task("write", WRITE, [DENTIST, LEMONS, "Call the bank"], "", (ADD, "Call the bank")),
        _task("move", MOVE, [LEMONS, "Dentist on Friday"], "", *MOVED),
    ],
    name="notes",
)


class NotesJudge:
    """Solved where the notes are those of the goal, and the answer is the goal's and nothing else."""

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing."""
        yield from ()
        notes = sorted(row["text"] for row in case.state.table("notes").values())
        wanted, said = case.task.goal["answer"], case.final_answer.strip(" .").casefold()
        parts = {"notes": notes == case.task.goal["notes"], "answer": wanted.casefold() in ("", said)}
        return Verdict.of("solved" if all(parts.values()) else "unsolved", judge=self.name, parts=parts)


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields its gold calls, returns its answer."""
    for call in task.gold:  # noqa: UP028 (a tuple takes no results)
        yield call
    return task.goal["answer"] or "Done."


def notes(**settings: Any) -> ToolEnv:
    """Make the environment.

    Examples:
        >>> env = notes()
        >>> observation, info = env.reset(options={"task_id": "day"})
        >>> env.step('{"name": "find_notes", "arguments": {"word": "dentist"}}')[0]["result"]
        '{"error": "", "response": {"notes": {"note-001": "Dentist on Tuesday"}}}'
    """
    return ToolEnv(TASKS, Notebook(), NotesJudge(), oracle=oracle, **settings)


ENVIRONMENTS = {"test/Notes-v0": Maker("stb_env.testing.notes:notes")}
SUITE = Suite(name="notes", description="a notebook", environments=ENVIRONMENTS, oracle=oracle)
