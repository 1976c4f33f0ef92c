"""Your own environment, the short way: plain functions become tools, an object holds the state.

Examples:
    >>> import stb_env
    >>> def add(todo: dict, title: str) -> str:
    ...     '''Put an item on the list.'''
    ...     todo[title] = "open"
    ...     return f"added {title}"
    >>> def count(todo: dict) -> int:
    ...     '''Count the items.'''
    ...     return len(todo)
    >>> tasks = [
    ...     stb_env.task("Put milk on it.", gold="add('milk')", check=lambda answer, todo: "milk" in todo),
    ...     stb_env.task("How many items are there?", gold="count()", answer={"items": 0}),
    ... ]
    >>> suite = stb_env.environment("demo/Todo-v0", tools=[add, count], state=dict, tasks=tasks)
    >>> env = stb_env.make("demo/Todo-v0")
    >>> _ = env.reset(options={"task_id": "1"})
    >>> env.step("add(title='milk')")[0]["result"]
    '{"error": "", "response": "added milk"}'
    >>> env.step({"name": "Finish", "arguments": {"final_answer": "Done."}})[1]
    1.0
    >>> _ = env.reset(options={"task_id": "2"})
    >>> _ = env.step("count()")
    >>> env.step({"name": "Finish", "arguments": {"answer": {"items": 0}}})[1]
    1.0
"""

from stb_env.declare.environments import environment
from stb_env.declare.queries import task
from stb_env.declare.states import Clock

__all__ = ["Clock", "environment", "task"]
