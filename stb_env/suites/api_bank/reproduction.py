"""Replay recorded calls, compare each by the rule of its API, and explain what does not reproduce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.errata import errata
from stb_env.suites.api_bank.formats.dialogues import Envelope, GoldCall, recorded_ids
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.tasks import recorded_calls
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task
from stb_env.testing.report import Report
from stb_env.tools import ToolResult

Mode = Literal["replayed", "isolated"]

RELEASED: Mapping[int, float] = {1: 329 / 389, 2: 79 / 119, 3: 235 / 245}
"""Share of all recorded calls of a level that the released code reproduces, alone and with a right search."""
REPRODUCED = 0.97
"""Share of the recorded calls that must come out as recorded."""

CURED = "stateful"
SEARCHED = "stateful, our search"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The outcome of one recorded call.

    Attributes:
        index: Its place among the calls of its dialogue, from 0.
        call: The call.
        result: What this package answers.
        envelope: The same in the recorded form; None where the call never reached the API.
        reproduced: Whether it is right by the API's rule.
        cause: Why not, a name in the errata; empty where it is right, or where no cause is known.
    """

    index: int
    call: GoldCall
    result: ToolResult
    envelope: Envelope | None
    reproduced: bool
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Replay:
    """The outcome of all recorded calls in one setting.

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

    def __str__(self) -> str:
        return f"{self.reproduced} of {self.tried} ({self.share:.1%})"

    @property
    def share(self) -> float:
        """Share of the calls that are reproduced; 1 where there is none."""
        return self.reproduced / self.tried if self.tried else 1.0

    @property
    def counts(self) -> JsonObject:
        """Calls tried and reproduced, and misses with a cause that the errata know."""
        explained = sum(count for cause, count in self.causes.items() if cause in errata().causes)
        return {"tried": self.tried, "reproduced": self.reproduced, "explained": explained}

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data, every miss listed."""
        misses = [list(miss) for miss in self.misses]
        return {"setting": self.setting, **self.counts, "causes": dict(self.causes), "misses": misses}


def replay(calls: Sequence[GoldCall], world: ApiBankWorld, *, mode: Mode = "replayed") -> list[Reproduction]:
    """Play the recorded calls of one dialogue again.

    Without a searcher in the world, tool searches are answered with what was recorded.

    Args:
        calls: The dialogue's calls, in order.
        world: Runs them; its ``compat`` decides how they are taken and judged.
        mode: ``replayed`` plays them one after another on the same state; ``isolated`` each on a fresh one,
            as the original evaluator does.

    Raises:
        ConfigError: The mode is unknown.
        DataError: A call is of an API that the world does not have.
    """
    if mode not in ("replayed", "isolated"):
        raise ConfigError(f"mode must be 'replayed' or 'isolated', got {mode!r}")
    together = _play(calls, world)
    return together if mode == "replayed" else [_alone(replayed, world) for replayed in together]


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


def check(report: Report, env: ToolEnv, tasks: Sequence[Task]) -> None:
    """Play every recorded call again, as the original does and as this package does.

    Args:
        report: Takes the checks and their counts.
        env: An environment of API-Bank; one whose calls something else answers has nothing to check.
        tasks: The tasks whose calls are played.
    """
    world = env.rules.backend
    if not isinstance(world, ApiBankWorld):
        return
    rows = {row.setting: row for row in replays(tasks, world)}
    cured = rows[CURED]
    report.counts["gold_calls"] = cured.counts
    report.counts["replays"] = [row.to_dict() for row in rows.values()]
    report.counts["errata"] = errata().version
    bar = max(REPRODUCED, *(RELEASED[task.record["level"]] for task in tasks))
    report.add("recorded calls reproduce", cured.share >= bar, f"{cured}, at least {bar:.1%} demanded")
    for row in rows.values():
        unexplained = [miss for miss in row.misses if not miss[-1]]
        causes = ", ".join(f"{cause or 'unknown'} {count}" for cause, count in row.causes.items())
        detail = f"{row}{': ' if causes else ''}{causes} {unexplained[:3] or ''}".rstrip()
        report.add(f"misses explained: {row.setting}", not unexplained, detail)


def _play(calls: Sequence[GoldCall], world: ApiBankWorld) -> list[Reproduction]:
    state = world.fresh(0, None if world.original else recorded_ids(calls))
    played = []
    for index, call in enumerate(calls):
        api = world.apis.apis.get(call.name)
        if api is None:
            near = did_you_mean(call.name, world.apis.apis)
            raise DataError(f"{call.name!r} is no API of {world.apis.name}.{near}")
        if call.name == SEARCHER and world.searcher is None:
            found = ToolResult.of(call.result["output"], source="world")
            played.append(Reproduction(index, call, found, call.result, True))
            continue
        tool = world.tools[call.name]
        arguments = _as_written(call.arguments) if world.original else call.arguments
        result, state = world.call(state, tool, arguments)
        envelope = world.envelope(tool, arguments, result)
        right = world.matches(tool, envelope, call.result)
        cause = "" if right else _cause(api, call, envelope or {})
        played.append(Reproduction(index, call, result, envelope, right, cause))
    return played


def _alone(replayed: Reproduction, world: ApiBankWorld) -> Reproduction:
    (alone,) = _play([replayed.call], world)
    cause = "earlier_calls" if replayed.reproduced and not alone.reproduced else alone.cause
    return replace(alone, index=replayed.index, cause=cause)


def _replay(setting: str, tasks: Iterable[Task], world: ApiBankWorld, mode: Mode) -> Replay:
    played = [(task.id, each) for task in tasks for each in replay(recorded_calls(task), world, mode=mode)]
    misses = tuple(
        (name, each.index, each.call.name, each.cause) for name, each in played if not each.reproduced
    )
    causes = dict(Counter(cause for *_, cause in misses))
    return Replay(setting, len(played), len(played) - len(misses), causes, misses)


def _as_written(arguments: Mapping[str, object]) -> dict[str, str]:
    """Return arguments as the released parser leaves them: texts, whatever they spell."""
    return {name: value if isinstance(value, str) else str(value) for name, value in arguments.items()}


def _cause(api: API, call: GoldCall, envelope: Envelope) -> str:
    """Return the cause of a miss by its name in the errata, or an empty text where none is known.

    Args:
        api: The API of the call.
        call: The recorded call.
        envelope: What came out of it; empty where it never reached the API.
    """
    inputs, ours, theirs = envelope.get("input") or {}, envelope.get("output"), call.result["output"]
    if api.by_alias.keys() & call.arguments.keys():
        return "renamed_parameter"
    if call.name == "DeleteMeeting" and ours == "success" == theirs:
        return "unacceptable_deletion"
    lists = [each.name for each in api.parameters if each.kind.startswith("list")]
    if any(isinstance(inputs.get(name), str) for name in lists):
        return "list_as_text"
    if call.name == "QueryScene" and str(ours).lower() == str(theirs).lower():
        return "capital_letters"
    if call.name in ("Dictionary", "Translate") and envelope.get("exception") is not None:
        return "unrecorded_answer"
    if call.name == "QueryRegistration" and isinstance(ours, dict) and isinstance(theirs, dict):
        return "random_id" if list(ours.values()) == list(theirs.values()) else ""
    if call.name == SEARCHER:
        return "reworded_documentation" if _names(ours) == _names(theirs) else "unfrozen_search"
    return ""


def _names(found: Json) -> list[str]:
    return [each.get("name") for each in (found if isinstance(found, list) else [found]) if each]
