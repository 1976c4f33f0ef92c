"""Tasks that are neither too easy nor too hard for the model as it is now."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError, DataError
from stb_env.runs.groups.group import Group
from stb_env.seeding import derive

VERSION = 1


class Curriculum:
    """Draws tasks, those first whose success rate lies between bounds.

    What is drawn follows from the seed, the number of draws so far and the recorded successes alone. Tasks
    that were never tried weigh as much as those between the bounds; the others are drawn more rarely, not
    never: what was too hard for the model may be just right later.

    Args:
        tasks: Ids of tasks.
        low: Success rate below which a task is too hard for now.
        high: Success rate above which it is too easy.
        rest: Weight of a task outside of the bounds, where one inside weighs 1.
        memory: How many of a task's last trials its rate is of.
        seed: What is drawn follows from it.

    Raises:
        ConfigError: There is no task, one stands there twice, or a number is out of range.

    Examples:
        >>> curriculum = Curriculum(["easy", "right", "hard"], rest=0.0)
        >>> for task, successes in {"easy": [1, 1], "right": [1, 0], "hard": [0, 0]}.items():
        ...     curriculum.note(task, successes)
        >>> curriculum.draw(1), curriculum.rates["right"]
        (['right'], 0.5)
        >>> Curriculum.restored(curriculum.state()).draw(1) == curriculum.draw(1)
        True
    """

    def __init__(
        self,
        tasks: Iterable[str],
        *,
        low: float = 0.1,
        high: float = 0.9,
        rest: float = 0.1,
        memory: int = 32,
        seed: int = 0,
    ) -> None:
        self.tasks = tuple(tasks)
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise ConfigError("a curriculum takes tasks, each of them once")
        if not 0 <= low <= high <= 1:
            raise ConfigError(f"low and high must be rates with low <= high, got {low} and {high}")
        if rest < 0 or memory < 1:
            raise ConfigError(f"rest must be at least 0 and memory at least 1, got {rest} and {memory}")
        self.low, self.high, self.rest, self.memory, self.seed = low, high, rest, memory, seed
        self._draws = 0
        self._past: dict[str, deque[int]] = {}

    @property
    def rates(self) -> Mapping[str, float]:
        """The success rate of each task that was tried, over its last trials."""
        return {task: sum(past) / len(past) for task, past in self._past.items()}

    def draw(self, count: int) -> list[str]:
        """Return the next tasks, each of them once where there are so many.

        Args:
            count: How many.
        """
        drawn: list[str] = []
        while len(drawn) < count:
            drawn += self._shuffled()[: count - len(drawn)]
            self._draws += 1
        return drawn

    def record(self, group: Group) -> None:
        """Take note of how a group went; invalid trials say nothing."""
        self.note(group.task_id, [int(episode.solved) for episode in group.episodes if episode.valid])

    def note(self, task_id: str, successes: Sequence[int]) -> None:
        """Take note of trials at a task, 1 for each that solved it and 0 for any other.

        Raises:
            ConfigError: The task is none of these.
        """
        if task_id not in self.tasks:
            raise ConfigError(f"task {task_id!r} is none of the curriculum's {len(self.tasks)}")
        if successes:
            self._past.setdefault(task_id, deque(maxlen=self.memory)).extend(successes)

    def state(self) -> JsonObject:
        """Return all that it is as plain data, for a checkpoint."""
        return {
            "version": VERSION,
            "tasks": list(self.tasks),
            "settings": {
                "low": self.low,
                "high": self.high,
                "rest": self.rest,
                "memory": self.memory,
                "seed": self.seed,
            },
            "draws": self._draws,
            "past": {task: list(past) for task, past in self._past.items()},
        }

    @classmethod
    def restored(cls, state: JsonMapping) -> Self:
        """Return the curriculum that a state is of.

        Raises:
            DataError: It is no state of a version that this package reads.
        """
        try:
            if state["version"] != VERSION:
                raise DataError(f"curriculum version {state['version']!r}; this package reads {VERSION}")
            made = cls(state["tasks"], **state["settings"])
            made._draws = int(state["draws"])
            for task, past in state["past"].items():
                made.note(task, [int(success) for success in past])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"not the state of a curriculum ({error!r})") from error
        return made

    def _shuffled(self) -> list[str]:
        """Return all tasks in an order in which heavy ones tend to come first (Efraimidis and Spirakis)."""
        rates = self.rates
        return sorted(self.tasks, key=lambda task: self._place(task, rates.get(task)))

    def _place(self, task: str, rate: float | None) -> float:
        weight = 1.0 if rate is None or self.low <= rate <= self.high else self.rest
        chance = (derive(self.seed, "curriculum", self._draws, task) + 1) / (2**63 + 1)
        return -math.log(chance) / weight if weight else math.inf
