"""Complexity of the embedded tests, given the training data that are made here and the demonstrations."""

from __future__ import annotations

from functools import cache

from stb_env.runs.make import make_env
from stb_env.suites.sambanova.alignment.generate import AlignmentSet, complexity_after
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.complexity import Complexity
from stb_env.suites.sambanova.materials import examples


@cache
def trained_complexity(task: SambaNovaTask) -> Complexity | None:
    """Return how far a task's tests are from its training data, which is the score of the paper's Table 9.

    None where the score is 0 by definition, or the tests have no programs.
    """
    return AlignmentSet.make(task).complexity


@cache
def shown_complexity(task: SambaNovaTask) -> Complexity | None:
    """Return how far a task's tests are from its demonstrations; None as in `trained_complexity`."""
    tests = make_env(task.env_id, {}).tasks
    return complexity_after(task, tests, [example.program for example in examples(task)])


@cache
def embedded_tests(task: SambaNovaTask) -> str:
    """Return the hash of a task's own tests, as manifests name it."""
    return make_env(task.env_id, {}).tasks.hash
