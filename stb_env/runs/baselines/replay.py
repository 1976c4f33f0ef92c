"""Plays saved trajectories again, call by call."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.formats.saved_action import saved_action
from stb_env.runs import Agent
from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Trajectory


class Replay(Agent):
    """Repeats the calls of a saved run, task by task.

    Args:
        path: A run folder or its ``trajectories.jsonl``.

    Raises:
        ConfigError: No path was given.
        DataError: The path holds no trajectories.
    """

    name = "replay"
    needs = "a saved run"

    def __init__(self, path: str = "") -> None:
        if not path:
            raise ConfigError("the replay agent needs a saved run: --agent replay:RUN_FOLDER")
        self._saved: dict[str, Trajectory] = {}
        for trajectory in read_trajectories(path):
            self._saved.setdefault(trajectory.task_id, trajectory)

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Start the next task from its first saved step."""
        self._turn = 0

    def act(self, observation: Mapping[str, object], info: JsonMapping) -> object:
        """Return the calls of the saved step.

        Raises:
            ConfigError: The saved run has no such task or no further step.
        """
        trajectory = self._saved.get(info["task_id"])
        if trajectory is None:
            raise ConfigError(f"the saved run has no task {info['task_id']!r}; play the tasks that it has")
        if self._turn >= len(trajectory.steps):
            raise ConfigError(f"task {info['task_id']!r} went on after its {self._turn} saved steps")
        step = trajectory.steps[self._turn]
        self._turn += 1
        return saved_action(step)
