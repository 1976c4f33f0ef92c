"""The declared parts of a task, resolved: documents, demonstrations, turns and calls."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from stb_env.suite import resolved
from stb_env.suites.sambanova.common.prompt import example_text
from stb_env.suites.sambanova.common.task import SambaNovaTask


class Example(NamedTuple):
    """A demonstration: its name, what is asked, the program, and its text in a prompt."""

    name: str
    goal: str
    program: str
    text: str


class Turn(NamedTuple):
    """A goal, or a page that is shown, and the answer to it."""

    asked: str
    answer: str


def documents(task: SambaNovaTask) -> dict[str, str]:
    """Return the API documents of a task by name.

    Raises:
        ConfigError: The task names a part that is not there.

    Examples:
        >>> from stb_env.suites.sambanova.tasks import SUITE
        >>> list(documents(SUITE["web_shop"]))
        ['search', 'click']
    """
    return dict(_documents(task.documents))


@lru_cache
def examples(task: SambaNovaTask) -> tuple[Example, ...]:
    """Return the demonstrations of a task.

    Raises:
        ConfigError: The task names a part that is not there.
    """
    return tuple(
        Example(name, goal, program, "\n".join(example_text(*turn) for turn in _turns(task, goal, program)))
        for name, goal, program in resolved(task.demonstrations)()
    )


def turns(task: SambaNovaTask, example: Example) -> list[Turn]:
    """Return what an example answers to what: one program to its goal, or actions, each to its page."""
    return _turns(task, example.goal, example.program)


def calls(task: SambaNovaTask, program: str) -> list[str]:
    """Return the calls of a program as the complexity score counts them.

    Examples:
        >>> from stb_env.suites.sambanova.tasks import SUITE
        >>> calls(SUITE["web_shop"], "search[lamp]")
        ['search']
    """
    found: list[str] = resolved(task.calls)(program)
    return found


@lru_cache
def _documents(reference: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in resolved(reference)())


def _turns(task: SambaNovaTask, goal: str, program: str) -> list[Turn]:
    pairs = resolved(task.turns)(program) if task.is_stepwise else [(goal, program)]
    return [Turn(asked, answer) for asked, answer in pairs]
