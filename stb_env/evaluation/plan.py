"""Plans of evaluations: agents on groups under simulators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.options import EnvironmentOptions
from stb_env.core.reference import is_reference
from stb_env.errors import ConfigError, did_you_mean
from stb_env.evaluation.resolved import RunSpec
from stb_env.runs.make import env_settings

LIVE = ("live", "record")


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """An agent of an evaluation.

    Attributes:
        name: Its name in tables, and its folder.
        spec: The text that names it, as ``--agent`` takes it; the name where not given.
        models: Models file of its own; that of the evaluation where not given.
        settings: Settings of the environments that it plays, such as ``max_turns``.
    """

    name: str
    spec: str = ""
    models: str | None = None
    settings: JsonMapping = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimulatorPlan:
    """A simulator in place of the APIs: a row of StableToolBench's Table 6. For the live modes alone.

    Attributes:
        name: Its name in tables, and its folder.
        model: Model name; the configured one where not given.
        temperature: Sampling temperature; the configured one where not given.
        profile: Profile of `LLMSimulator`.
        cache: Folder of recorded responses; that of the evaluation where not given.
    """

    name: str
    model: str | None = None
    temperature: float | None = None
    profile: str | None = None
    cache: str | None = None

    @property
    def settings(self) -> dict[str, object]:
        """Settings besides name and cache."""
        given = {"model": self.model, "temperature": self.temperature, "profile": self.profile}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Assumption:
    """Assumed requests to a role's model in an episode, where nothing has been measured.

    Attributes:
        calls: Model calls: for the judge each vote's, for comparisons each comparison's.
        prompt: Tokens read, each call.
        completion: Tokens written, each call.
    """

    calls: float
    prompt: float
    completion: float


ASSUMED: Mapping[str, Assumption] = {
    "agent": Assumption(8, 4_000, 150),
    "simulator": Assumption(5, 2_500, 300),
    "judge": Assumption(1.5, 1_500, 100),
    "comparison": Assumption(2, 3_000, 100),
}
"""Defaults; a judge asks twice where it is unsure at first, a comparison once in each order."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of an evaluation: an agent on a group under a simulator."""

    simulator: SimulatorPlan
    agent: AgentPlan
    group: str

    @property
    def folder(self) -> Path:
        """Its folder within the evaluation."""
        names = (self.simulator.name, self.agent.name, group_name(self.group))
        return Path(*map(folder_name, names))

    def __str__(self) -> str:
        return f"{self.simulator.name} · {self.agent.name} · {group_name(self.group)}"


@dataclass(frozen=True, slots=True)
class EvaluationPlan(EnvironmentOptions):
    """Agents, groups and simulators, and how much of each.

    What `EnvironmentOptions` has is a setting of every environment that takes it.
    ``data``, ``cache``, ``mode``, ``judge``, ``votes`` and ``models`` are those of groups whose tools are
    remote APIs. A world brings its own tools and judge; what it shall be told stands in ``settings``. A
    ``judge`` of your own (``path.py:Name``) decides in every group.

    Attributes:
        name: Title.
        groups: Environment ids.
        agents: Who plays.
        simulators: Who answers in the APIs' place; see ``conditions`` where none are given.
        seed: Seed of every run.
        trials: How often each task is played.
        episodes: Tasks of each group; None for all.
        concurrency: Episodes played at the same time.
        budget: Dollars that all models together may cost, over all sittings; None for no limit.
        votes: Votes of a model judge on each answer.
        mode: What happens on a cache miss.
        retriever: How tools are searched; see StableToolBench's `make`.
        protocol: Name of the protocol that every run follows; None for our defaults.
        reference: Agent that the others are compared with (SoWR); None for no comparison.
        comparisons: How often the answers to a task are compared.
        settings: Further settings of single environments, by id.
        assumptions: What the estimate of costs assumes, by role.

    Raises:
        ConfigError: Something is missing, out of range, or does not fit together.
    """

    name: str
    groups: tuple[str, ...]
    agents: tuple[AgentPlan, ...]
    simulators: tuple[SimulatorPlan, ...] = ()
    seed: int = 0
    trials: int = 1
    episodes: int | None = None
    concurrency: int = 1
    budget: float | None = None
    votes: int = 1
    mode: str = field(default="offline", kw_only=True)
    retriever: str | None = None
    protocol: str | None = None
    reference: str | None = None
    comparisons: int = 3
    settings: Mapping[str, JsonMapping] = field(default_factory=dict)
    assumptions: Mapping[str, Assumption] = field(default_factory=lambda: dict(ASSUMED))

    def __post_init__(self) -> None:
        for number in ("trials", "episodes", "concurrency", "votes", "comparisons", "retrieve"):
            value = getattr(self, number)
            if value is not None and value < 1:
                raise ConfigError(f"{number} must be at least 1, got {value}")
        if self.budget is not None and not 0 <= self.budget < float("inf"):
            raise ConfigError(f"budget must be a number of dollars from 0, got {self.budget}")
        _check_names("agent", [agent.name for agent in self.agents])
        _check_names("simulator", [simulator.name for simulator in self.simulators])
        self._check_groups()
        self._check_simulators()
        names = [agent.name for agent in self.agents]
        if self.reference is not None and self.reference not in names:
            near = did_you_mean(self.reference, names)
            raise ConfigError(f"reference {self.reference!r} is none of the agents {', '.join(names)}.{near}")

    def _check_groups(self) -> None:
        if not self.groups or not self.agents:
            raise ConfigError("an evaluation needs groups = [...] under [eval], and at least one [[agent]]")
        for group in self.groups:
            # Knows every id, and says which is nearest.
            env_settings(group)
        if len({group_name(group) for group in self.groups}) < len(self.groups):
            raise ConfigError(f"groups has an environment twice: {', '.join(self.groups)}")
        for group in self.settings:
            if group not in self.groups:
                near = did_you_mean(group, self.groups)
                raise ConfigError(f"[settings] has {group!r}, which is none of the groups.{near}")

    def _check_simulators(self) -> None:
        if self.simulators and self.mode not in LIVE:
            raise ConfigError(
                f"simulators are asked in the modes live and record alone; mode is {self.mode!r}"
            )
        if self.simulators and self.simulator is not None:
            raise ConfigError(
                f"simulator is {self.simulator!r}, and the plan has [[simulator]] as well; leave one out"
            )
        caches = [simulator.cache or self.cache for simulator in self.simulators]
        if self.mode == "record" and len(set(caches)) < len(caches):
            raise ConfigError(
                "two simulators that record into one cache would answer with each other's responses; "
                "give each [[simulator]] a cache of its own"
            )

    @property
    def conditions(self) -> tuple[SimulatorPlan, ...]:
        """The simulators; where none was given, one of that name for whatever the mode makes answer."""
        return self.simulators or (SimulatorPlan(self.mode),)

    @property
    def cells(self) -> list[Cell]:
        """Every run, in the order in which they are played."""
        return [
            Cell(simulator, agent, group)
            for simulator in self.conditions
            for group in self.groups
            for agent in self.agents
        ]

    def env_settings(self, cell: Cell) -> dict[str, object]:
        """Return the settings of a cell's environment, plain data."""
        actions = {} if self.actions is None else {"actions": self.actions}
        return {**actions, **self._remote(cell), **self.settings.get(cell.group, {}), **cell.agent.settings}

    def _remote(self, cell: Cell) -> dict[str, object]:
        if not is_remote(cell.group):
            # Which official judge is asked is a matter of open queries; your own judges whatever it is given.
            return {"judge": self.judge} if self.judge is not None and is_reference(self.judge) else {}
        given = {
            "data": self.data,
            **self._documented(cell.group),
            "cache": cell.simulator.cache or self.cache,
            "mode": self.mode,
            "judge": self.judge,
            "models": self.models,
            "originals": self.originals,
            "simulator": cell.simulator.settings or self.simulator,
        }
        known = {name: value for name, value in given.items() if value is not None}
        return known | ({"votes": self.votes} if self.votes > 1 else {})

    def spec(self, cell: Cell) -> RunSpec:
        """Return the run of a cell."""
        return RunSpec(
            cell.group,
            cell.agent.spec or cell.agent.name,
            self.env_settings(cell),
            seed=self.seed,
            episodes=self.episodes,
            trials=self.trials,
            models=cell.agent.models or self.models,
            protocol=self.protocol,
        )

    def _documented(self, group: str) -> dict[str, object]:
        """Return the settings of tool files and retrieval where a group has such."""
        named = {"tools": self.tools, "retrieve": self.retrieve, "retriever": self.retriever}
        return {name: value for name, value in named.items() if name in env_settings(group)}

    def to_dict(self) -> dict[str, object]:
        """Return what decides the numbers, as plain data without paths."""
        simulators = [{"name": one.name, **one.settings} for one in self.conditions]
        agents = [
            {"name": one.name, "spec": one.spec or one.name, "settings": dict(one.settings)}
            for one in self.agents
        ]
        names = ("name", "seed", "trials", "episodes", "judge", "votes", "mode", "reference", "comparisons")
        found = {
            "retrieve": self.retrieve,
            "retriever": self.retriever,
            "protocol": self.protocol,
            "actions": self.actions,
        }
        return {
            **{name: getattr(self, name) for name in names},
            **{name: value for name, value in found.items() if value is not None},
            "groups": list(self.groups),
            "agents": agents,
            "simulators": simulators,
            "settings": {group: dict(given) for group, given in self.settings.items()},
        }


def is_remote(env_id: str) -> bool:
    """Return whether an environment's tools are remote APIs, answered by the virtual backend."""
    return "mode" in env_settings(env_id)


def group_name(env_id: str) -> str:
    """Return a group's name in tables, and its folder; the file that registers it is no part of it.

    Examples:
        >>> group_name("stb/I1Instruction-v0"), group_name("/home/me/todo.py:my/Todo-v0")
        ('I1Instruction', 'my/Todo')
    """
    return env_id.rpartition(":")[2].removeprefix("stb/").rpartition("-v")[0]


def folder_name(name: str) -> str:
    """Return an agent's or simulator's name as the name of a folder.

    Examples:
        >>> folder_name("GPT-4 0125, T=0.1")
        'GPT-4-0125-T-0.1'
    """
    return "-".join(part for part in _words(name) if part)


def _words(name: str) -> Iterator[str]:
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "._") else " " for char in name)
    yield from kept.split()


def _check_names(kind: str, names: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        folder = folder_name(name)
        if not folder or folder.startswith("."):
            raise ConfigError(f"the name of {kind} {name!r} makes no folder; begin it with a letter or digit")
        if folder in seen:
            raise ConfigError(
                f"{kind}s {seen[folder]!r} and {name!r} would share the folder {folder}; rename one"
            )
        seen[folder] = name
