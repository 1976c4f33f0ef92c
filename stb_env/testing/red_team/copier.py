"""Cheats that know an answer by heart: that of this task, or that of the one most like it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.evidence import Ending, Evidence, Say
from stb_env.testing.red_team.known_solutions import gold_line, neighbour


def by_heart(evidence: Evidence) -> Ending | None:
    """Return the Finish that solves the task."""
    return dict(evidence.gold)


def _of_another(evidence: Evidence) -> Ending | None:
    return dict(evidence.other) if evidence.other != evidence.gold else None


class Memoriser(Cheater):
    """Gives the answer that solves the task without a single call, as if it had learnt it by heart."""

    says: ClassVar[Mapping[str, Say]] = {"memorised": by_heart}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Learn the answer from gold."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        _, self._gold = gold_line(env, inner.task.id, seed)

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Make no call."""
        return None


class Copier(Cheater):
    """Does and says what gold does and says in the task whose query is most like this one."""

    says: ClassVar[Mapping[str, Say]] = {"neighbour": _of_another}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Learn the other task's solution from gold."""
        super().reset(env, seed)
        inner: Any = env.unwrapped
        _, self._gold = gold_line(env, inner.task.id, seed)
        other = neighbour(env, inner.task)
        actions, self._other = ([], {}) if other is None else gold_line(env, other.id, seed)
        self._actions = iter(actions[: inner.rules.max_turns - 1])

    def next_action(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return the next action of the other solution."""
        return next(self._actions, None)
