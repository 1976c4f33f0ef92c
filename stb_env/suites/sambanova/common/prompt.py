"""The parts of a task's prompt: API documents, demonstrations, goal.

The original's wording of the parts is kept to the letter, for models were measured with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from stb_env.models.prompting import prompt

_HOME = "stb_env.suites.sambanova"

Variant = Literal["original", "system"]


def example_text(goal: str, program: str) -> str:
    r"""Return a demonstration as a prompt shows it.

    Examples:
        >>> example_text("Sleep", "Agent.Sleep()")
        'Task: Sleep\nAction:\nAgent.Sleep()\n'
    """
    return prompt("example", "v1", _HOME).render(goal=goal, program=program)


def documents_block(documents: Iterable[str]) -> str:
    r"""Return the block of API documents; empty where there are none.

    Examples:
        >>> documents_block(["# Sleeps.\nAgent.Sleep()"])[:49]
        'I have the following set of API:\n\n# Sleeps.\nAgent'
    """
    text = _lines(documents)
    return prompt("documents", "v1", _HOME).render(documents=text) if text else ""


def examples_block(examples: Iterable[str]) -> str:
    """Return the block of demonstrations; empty where there are none."""
    text = _lines(examples)
    return prompt("examples", "v1", _HOME).render(examples=text) if text else ""


def prompt_text(goal: str, documents: Iterable[str], examples: Iterable[str], variant: Variant) -> str:
    r"""Assemble a prompt.

    Args:
        goal: What is asked for, or the page that is to be acted on.
        documents: API documents, best match first.
        examples: Demonstrations as `example_text` writes them, best match first.
        variant: ``original`` is the plain template, ``system`` has instructions of our own with what the
            paper says of its system prompt.

    Examples:
        >>> prompt_text("Sleep", [], [], "original")
        '\n\nTask: Sleep\nAction:\n'
    """
    if variant == "system":
        shown = _lines(examples)
        solved = prompt("system_examples", "v1", _HOME).render(examples=shown) if shown else ""
        system = prompt("system", "v1", _HOME)
        return system.render(goal=goal, documents=_lines(documents), examples=solved) + "\n"
    return prompt("prompt", "v1", _HOME).render(
        goal=goal, documents=documents_block(documents), examples=examples_block(examples)
    )


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)
