"""Plays the recorded calls of tasks again, in every setting that matters, and explains what misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stb_env.jsontypes import JsonObject
from stb_env.suites.api_bank.errata import errata
from stb_env.suites.api_bank.gold import Mode, Reproduction, replay
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.tasks import recorded_calls
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task

RELEASED: Mapping[int, float] = {1: 329 / 389, 2: 79 / 119, 3: 235 / 245}
"""Share of all recorded calls of a level that the released code reproduces, alone and with a right search."""

CURED = "stateful"
SEARCHED = "stateful, our search"


@dataclass(frozen=True, slots=True)
class Replay:
    """What one setting reproduces.

    Attributes:
        setting: The setting's name.
        tried: How many calls were played.
        reproduced: How many of them are right by the rules of their APIs.
        causes: How many misses have which cause, a name in the errata; empty for unknown.
        misses: Dialogue, number of the call, API and cause of every miss.
    """

    setting: str
    tried: int = 0
    reproduced: int = 0
    causes: Mapping[str, int] = field(default_factory=dict)
    misses: tuple[tuple[str, int, str, str], ...] = ()

    @property
    def share(self) -> float:
        """Share of the calls that are reproduced; 1 where there is none."""
        return self.reproduced / self.tried if self.tried else 1.0

    @property
    def explained(self) -> int:
        """How many misses have a cause that the errata know."""
        return sum(count for cause, count in self.causes.items() if cause in errata().causes)

    def to_dict(self) -> JsonObject:
        """Return it as plain data, every miss listed."""
        return {
            "setting": self.setting,
            "tried": self.tried,
            "reproduced": self.reproduced,
            "explained": self.explained,
            "causes": dict(self.causes),
            "misses": [list(miss) for miss in self.misses],
        }


def replays(tasks: Sequence[Task], world: ApiBankWorld) -> list[Replay]:
    """Play the recorded calls of tasks again.

    Args:
        tasks: The tasks, of one level.
        world: Has their APIs and databases.

    Returns:
        Five settings: the released code's way and ours, each with every call alone and with earlier calls
        played first; searches answered as recorded. Then ours with a search that knows no recorded one.
    """
    ours, released = (
        ApiBankWorld(world.apis, world.databases, compat=compat) for compat in (None, "original")
    )
    searching = ApiBankWorld(world.apis, world.databases, searcher=ToolSearcher(world.apis.entries))
    return [
        _replay("original, isolated", tasks, released, "isolated"),
        _replay("original, stateful", tasks, released, "replayed"),
        _replay("isolated", tasks, ours, "isolated"),
        _replay(CURED, tasks, ours, "replayed"),
        _replay(SEARCHED, tasks, searching, "replayed"),
    ]


def _replay(setting: str, tasks: Iterable[Task], world: ApiBankWorld, mode: Mode) -> Replay:
    played = [(task.id, each) for task in tasks for each in replay(recorded_calls(task), world, mode=mode)]
    missed = [(name, each) for name, each in played if not each.reproduced]
    return Replay(
        setting,
        len(played),
        len(played) - len(missed),
        dict(Counter(each.cause for _, each in missed)),
        tuple(_miss(name, each) for name, each in missed),
    )


def _miss(name: str, reproduction: Reproduction) -> tuple[str, int, str, str]:
    return name, reproduction.index, reproduction.call.name, reproduction.cause
