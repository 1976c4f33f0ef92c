"""Tasks whose labels are accepted programs, and the oracle that makes their gold calls."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial

from stb_env.tasks import Oracle, Task
from stb_env.tools import Tool, ToolCall, ToolResult


def labelled_task(
    suite: str,
    tools: Mapping[str, Tool],
    task_id: str,
    split: str,
    query: str,
    gold: Sequence[ToolCall],
    labels: Sequence[str],
    *,
    group: str,
    goal: Mapping[str, object] | None = None,
    record: Mapping[str, object] | None = None,
) -> Task:
    """Build a task that is solved by any of some programs.

    Args:
        suite: Name of its task set.
        tools: All tools, by name.
        task_id: Its id.
        split: Its split.
        query: What is asked for.
        gold: The calls that solve it.
        labels: The accepted programs.
        group: Its kind.
        goal: What the goal has besides the labels.
        record: What its official record has besides prompt and labels.
    """
    return Task(
        id=task_id,
        query=query,
        tools=tuple(tools.values()),
        suite=suite,
        group=group,
        split=split,
        relevant=tuple(dict.fromkeys(tools[call.name].id for call in gold)),
        gold=tuple(gold),
        goal={"labels": list(labels), **(goal or {})},
        answer="acts",
        record={"prompt": query, "completion": list(labels), **(record or {})},
    )


def gold_oracle(ending: str) -> Oracle:
    """Return an oracle that makes a task's gold calls.

    Args:
        ending: The final answer; ``{calls}`` in it stands for their number.

    Examples:
        >>> from stb_env.tools import Tool
        >>> task = Task("1", "Ping?", (Tool("ping", "", {}),), gold=(ToolCall("ping", {}),))
        >>> next(gold_oracle("Done.")(task)).name
        'ping'
    """
    # No inner function: what an environment holds is pickled with it.
    return partial(_make_calls, ending)


def _make_calls(ending: str, task: Task) -> Generator[ToolCall, ToolResult, str]:
    # Results are sent to a generator; the iterator of a tuple cannot take them.
    for call in task.gold:  # noqa: UP028
        yield call
    return ending.format(calls=len(task.gold))
