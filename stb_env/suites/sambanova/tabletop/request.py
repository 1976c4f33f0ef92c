"""The requests that a model gets: what it sees of the table, and what is wanted, written as in the original.

A goal is one line with the names of all objects and a comment line with the instruction; what a program then
asks for (a phrase's meaning, a function) is a comment line of its own [10.3].
"""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.tasks import Task

_ENDS = (".", "?", "!")


def goal_request(names: Iterable[str], instruction: str) -> str:
    """Return the request for a goal.

    Examples:
        >>> print(goal_request(["red block", "blue bowl"], "put the red block in the blue bowl"))
        objects = ['red block', 'blue bowl']
        # put the red block in the blue bowl.
    """
    return f"{objects_line(names)}\n{phrase_request(instruction)}"


def objects_line(names: Iterable[str]) -> str:
    """Return the line that names all objects; it is run before the program, too."""
    return f"objects = {list(names)}"


def phrase_request(text: str, context: str = "") -> str:
    """Return the request for what a phrase means.

    Args:
        text: The phrase.
        context: What is said about the table, such as `objects_line`.

    Examples:
        >>> phrase_request("the leftmost block", "objects = []").splitlines()
        ['objects = []', '# the leftmost block.']
    """
    line = f"# {' '.join(text.split())}"
    ended = line if line.endswith(_ENDS) else f"{line}."
    return f"{context}\n{ended}" if context else ended


def instruction_of(task: Task) -> str:
    """Return what is wanted in a task, without the objects that the goal names first."""
    return task.query.rpartition("\n")[2]


def function_request(call: str) -> str:
    """Return the request for a function that a program calls and nobody has defined.

    Examples:
        >>> function_request("xs = halves(xs=points)")
        '# define function: xs = halves(xs=points).'
    """
    return f"# define function: {call}."
