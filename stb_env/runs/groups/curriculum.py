"""Tasks that are neither too easy nor too hard for the model as it is now."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
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

    Where tasks are ``ordered``, as levels are, one is drawn only when the model can do the one before it:
    when that was tried as often as `memory` says, and solved more often than `high`. Most draws are of the
    hardest task that may be drawn and was not found too hard.

    Args:
        tasks: Ids of tasks, or names of anything that is tried: levels, kits.
        low: Success rate below which a task is too hard for now.
        high: Success rate above which it is too easy.
        rest: Weight of a task outside of the bounds, where one inside weighs 1.
        memory: How many of a task's last trials its rate is of.
        seed: What is drawn follows from it.
        ordered: Whether the tasks are in the order of their difficulty, the easiest first.

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
        >>> levels = Curriculum(["level 1", "level 2", "level 3"], ordered=True, memory=4)
        >>> levels.note("level 1", [1, 1, 1, 1])
        >>> levels.current
        'level 2'
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
        ordered: bool = False,
    ) -> None:
        self.tasks = tuple(tasks)
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise ConfigError("a curriculum takes tasks, each of them once")
        if not 0 <= low <= high <= 1:
            raise ConfigError(f"low and high must be rates with low <= high, got {low} and {high}")
        if rest < 0 or memory < 1:
            raise ConfigError(f"rest must be at least 0 and memory at least 1, got {rest} and {memory}")
        self.low, self.high, self.rest, self.memory, self.seed = low, high, rest, memory, seed
        self.ordered = ordered
        self._draws = 0
        self._past: dict[str, tuple[int, ...]] = {}

    @property
    def rates(self) -> Mapping[str, float]:
        """The success rate of each task that was tried, over its last trials."""
        return {task: sum(past) / len(past) for task, past in self._past.items()}

    @property
    def current(self) -> str:
        """The task that is drawn most where tasks are ordered."""
        rates, may = self.rates, self._open()
        return next(
            (task for task in reversed(may) if not self._knows(task) or rates[task] >= self.low), may[0]
        )

    def pick(self, number: int) -> str:
        """Return the task that a number draws; the same number draws the same until more is recorded."""
        return self._shuffled(number)[0]

    def draw(self, count: int) -> list[str]:
        """Return the next tasks, each of them once where there are so many.

        Args:
            count: How many.
        """
        drawn: list[str] = []
        while len(drawn) < count:
            drawn += self._shuffled(self._draws)[: count - len(drawn)]
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
            self._past[task_id] = (*self._past.get(task_id, ()), *successes)[-self.memory :]

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
                "ordered": self.ordered,
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

    def _open(self) -> list[str]:
        """Return the tasks that may be drawn, in order."""
        if not self.ordered:
            return list(self.tasks)
        rates = self.rates
        done = takewhile(lambda task: self._knows(task) and rates[task] > self.high, self.tasks[:-1])
        return list(self.tasks[: len(list(done)) + 1])

    def _knows(self, task: str) -> bool:
        return len(self._past.get(task, ())) == self.memory

    def _shuffled(self, number: int) -> list[str]:
        """Return the tasks in an order in which heavy ones tend to come first (Efraimidis and Spirakis)."""
        heavy = self._heavy()
        return sorted(self._open(), key=lambda task: self._place(task, number, heavy))

    def _heavy(self) -> set[str]:
        """Return the tasks that weigh 1."""
        if self.ordered:
            return {self.current}
        rates = self.rates
        return {task for task in self.tasks if task not in rates or self.low <= rates[task] <= self.high}

    def _place(self, task: str, number: int, heavy: set[str]) -> float:
        weight = 1.0 if task in heavy else self.rest
        chance = (derive(self.seed, "curriculum", number, task) + 1) / (2**63 + 1)
        return -math.log(chance) / weight if weight else math.inf
