"""Plays a dialogue as it was recorded: its calls, and between turns what the assistant said."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall | str, ToolResult, str]:
    """Yield the calls and replies of each turn; return the last reply.

    Some dialogues call what their searches did not find; the oracle then searches for its name first.

    Examples:
        >>> from stb_env.tools import Tool
        >>> today = Tool("GetToday", "", {})
        >>> turns = [{"user": "Hi.", "calls": 0, "reply": "Hello!"}, {"user": "Which day?", "calls": 1,
        ...                                                            "reply": "Friday."}]
        >>> task = Task("1", "Hi.", (today,), gold=(ToolCall("GetToday", {}),), record={"turns": turns})
        >>> plan = oracle(task)
        >>> next(plan), next(plan).name
        ('Hello!', 'GetToday')
    """
    names = {tool.name for tool in task.tools}
    known = {SEARCHER} if SEARCHER in names else names | {call.name for call in task.gold}
    gold = iter(task.gold)
    turns = task.record["turns"]
    for number, turn in enumerate(turns, 1):
        for _ in range(turn["calls"]):
            call = next(gold)
            if call.name not in known:
                search = yield ToolCall(SEARCHER, {"keywords": call.name})
                known.update(found_names(search))
            result = yield call
            if call.name == SEARCHER:
                known.update(found_names(result))
        if number < len(turns):
            yield turn["reply"]
    return str(turns[-1]["reply"]) if turns else ""
