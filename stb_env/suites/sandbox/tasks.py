"""Sandbox tasks as a source that an environment draws from; an id is all that it takes to make one again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property, lru_cache, partial

from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.generator import generate
from stb_env.suites.sandbox.task_key import (
    DISTRACTORS,
    HELD_OUT_SPLITS,
    MOST_DISTRACTORS,
    SPLITS,
    TaskKey,
    draws,
    templates_of,
)
from stb_env.suites.sandbox.template import GROUPS
from stb_env.suites.sandbox.world import VERSION
from stb_env.tasks import Task
from stb_env.tools import ToolCatalog


class SandboxTasks:
    """A `TaskSource` of sandbox tasks.

    Args:
        split: ``train`` (unlimited), ``val`` or ``test`` (fixed lists; test has 100 tasks of each group), or
            ``missing``: 100 pairs of twins, side by side; of each pair one task can be done, and the other
            lacks a detail, a thing or a tool, where right is to say so and to change nothing.
        group: Only this group, for example ``I1-Instruction``; None is all.
        level: Only tasks that need so many calls; None is all.
        template: Only this template; None is all.
        distractors: How many tools a task offers besides those that it needs.
        typed: Whether answers are typed; else they are text.

    Raises:
        ConfigError: A setting is unknown, or no template meets them all.

    Examples:
        >>> tasks = SandboxTasks("train")
        >>> tasks.get(tasks.at(7).id).key == tasks.at(7).key, tasks.size
        (True, None)
    """

    def __init__(
        self,
        split: str = "train",
        group: str | None = None,
        level: int | None = None,
        template: str | None = None,
        distractors: int = DISTRACTORS,
        *,
        typed: bool = True,
    ) -> None:
        _check("split", split, SPLITS)
        known_templates = templates_of(split)
        if group is not None:
            _check("group", group, GROUPS)
        if template is not None:
            _check("template", template, known_templates)
        if not 0 <= distractors <= MOST_DISTRACTORS:
            raise ConfigError(f"distractors must be from 0 to {MOST_DISTRACTORS}, got {distractors}")
        self.name = "Sandbox"
        self._settings = (split, group, level, template, distractors)
        self._typed = typed
        self._split = split
        self._distractors = distractors
        self._templates = chosen = [
            known
            for known in known_templates.values()
            if (split in HELD_OUT_SPLITS or not known.held_out)
            and group in (None, known.group)
            and level in (None, known.calls)
            and template in (None, known.name)
        ]
        if not self._templates:
            raise ConfigError(
                f"no template has {split=}, {group=}, {level=} and {template=}; "
                f"held-out groups are in splits {', '.join(sorted(HELD_OUT_SPLITS))} only, levels go from "
                f"{min(known.calls for known in known_templates.values())} to "
                f"{max(known.calls for known in known_templates.values())}"
            )

        keys = (
            TaskKey(split, known, turn, distractors)
            for known in chosen
            for turn in range(draws(split, known) or 0)
        )
        self._listed = sorted(keys, key=lambda key: key.place)

    def __reduce__(self) -> tuple[Callable[..., SandboxTasks], tuple[object, ...]]:
        """Pickle as the settings that make an equal source again: templates hold code."""
        return partial(type(self), typed=self._typed), self._settings

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        return len(self._listed) or None

    @cached_property
    def catalog(self) -> ToolCatalog:
        """Every tool of the world, for searches that the tasks of a split are no limit of."""
        return ToolCatalog(tools().values())

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over every task, or over four of each template where there is no end."""
        digest = hashlib.sha256(f"sandbox {VERSION} {self._split} {self._distractors}".encode())
        for index in range(self.size or 4 * len(self._templates)):
            digest.update(self.at(index).key.encode())
        return digest.hexdigest()

    def endless(self) -> SandboxTasks:
        """Return the training tasks, of which there are as many as anyone wants to draw."""
        return SandboxTasks("train", distractors=self._distractors, typed=self._typed)

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        if self._listed:
            return _made(self._listed[index % len(self._listed)], self._typed)
        turn, which = divmod(index, len(self._templates))
        return _made(TaskKey(self._split, self._templates[which], turn, self._distractors), self._typed)

    def get(self, task_id: str) -> Task:
        """Return the task of this id, whatever the filters of this source.

        Raises:
            DataError: There is none; the message names the nearest.
        """
        return _made(TaskKey.parse(task_id), self._typed)


# Runs play a task once a trial, and making it costs more than the rest of a reset.
@lru_cache(maxsize=1024)
def _made(key: TaskKey, typed: bool) -> Task:
    task = generate(key)
    return task if typed else replace(task, answer=None, cannot=None)


def _check(what: str, got: str, known: Iterable[str]) -> None:
    if got not in known:
        raise ConfigError(f"unknown {what} {got!r}; known: {', '.join(known)}.{did_you_mean(got, known)}")
