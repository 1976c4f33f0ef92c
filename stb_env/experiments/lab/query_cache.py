"""Cache hit rates on real queries: StableToolBench's Table 7 in kind (specification, 8.6).

Every agent plays the queries once, against the same answers. An agent's hit rate is the share of its calls
that the cache would have known had all other agents filled it and this one not: leaving one agent out treats
all alike, so that the order in which they were named decides nothing. In a cache that grows while one agent
plays after another the first finds least; that rate is given as its mean over all orders, which follows from
the calls alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil
from pathlib import Path
from typing import cast

from stb_env import (
    ConfigError,
    Task,
    TaskSet,
    ToolEnv,
    Trajectory,
    VirtualBackend,
    load_agent,
    plan,
    run_batch,
)
from stb_env.backend.cache import call_key
from stb_env.backend.taxonomy import classify
from stb_env.backend.virtual import Mode
from stb_env.envs.connections import connect_backend
from stb_env.errors import DataError
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.plots import rate_lines
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.models.preflight import checking
from stb_env.seeding import derive
from stb_env.suites.stabletoolbench.env import KEY_NAME
from stb_env.suites.stabletoolbench.queries import load

SNAPSHOTS: dict[str, float] = {"start": 0.1, "mid": 0.5, "final": 1.0}
"""Share of the queries on which the other agents have played when a snapshot is taken."""

AGENTS = ("keyword", "keyword(calls=6)", "random")
"""Default agents; none of them asks a model."""

_EPISODES = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that someone behind the cache, or the cache, answered.

    Attributes:
        task_id: The query that it was made for.
        key: Its key in the cache.
        known: Whether the cache that was given knew it.
        kept: Whether the filter of Appendix D keeps its answer, so that others find it.
    """

    task_id: str
    key: str
    known: bool
    kept: bool


@dataclass(frozen=True)
class AgentCalls:
    """All calls of one agent.

    Attributes:
        agent: The text that names the agent.
        asked: Its calls, in order.
    """

    agent: str
    asked: Sequence[Asked]

    @cached_property
    def gives(self) -> Mapping[str, set[str]]:
        """For each key that it adds to a cache, the queries for which it does."""
        found: dict[str, set[str]] = {}
        for one in self.asked:
            if one.kept:
                found.setdefault(one.key, set()).add(one.task_id)
        return found


def run(settings: LabSettings) -> Experiment:
    """Play real queries with several agents, and say how many of each one's calls the others had made.

    Args:
        settings: ``episodes`` is the number of queries (100). Options: ``data``, ``agent`` (a list of at
            least two), ``mode`` (offline, or live), ``cache``, ``real``, ``health``, ``simulator`` and
            ``models`` of the backend that answers, and ``concurrency`` (1).

    Raises:
        ConfigError: A setting is wrong.
        DataError: The query files cannot be read.
        RunStopped: What would be asked is not there.
    """
    settings.expect("data", "agent", "mode", "cache", "real", "health", "simulator", "models", "concurrency")
    names = _names(settings)
    loaded = load(str(settings.options["data"])).tasks
    if not loaded:
        raise DataError(f"no usable query in {settings.options['data']}; `stb-env data check` says why")
    # The order follows from the seed and the ids alone.
    ordered = sorted(loaded, key=lambda task: derive(settings.seed, "cache", task.id))
    tasks = TaskSet(ordered[: settings.episodes or _EPISODES], name=loaded.name)
    with checking():
        factories = [load_agent(name, settings.option("models", None)) for name in names]
        for factory in factories:
            # Made once, so that the endpoints of its models are known before the first episode.
            factory()
        backend = _backend(settings)
    jobs = plan(tasks, episodes=None, seed=settings.seed)
    make_env = partial(ToolEnv, tasks, backend, HeuristicJudge())
    played = []
    with closing(backend):
        for name, factory in zip(names, factories, strict=True):
            episodes = run_batch(make_env, factory, jobs, concurrency=settings.count("concurrency", 1))
            played.append(AgentCalls(name, list(_asked(tasks, episodes))))
    rates = {agent.agent: _rates(agent, played, tasks) for agent in played}
    return Experiment(
        "Cache hit rate on real queries, one agent left out (StableToolBench, Table 7)",
        ("agent", "calls", *reversed(SNAPSHOTS)),
        tuple(
            (agent.agent, len(agent.asked), *(rates[agent.agent][name] for name in reversed(SNAPSHOTS)))
            for agent in played
        ),
        notes=tuple(_notes(tasks, played)),
        details={"queries": len(tasks), "agents": list(names)},
        further=(_growing_table(played),),
        plot=lambda axes: rate_lines(
            axes, {agent: found.items() for agent, found in rates.items()}, ylabel="cache hit rate"
        ),
    )


def left_out(agent: AgentCalls, others: Sequence[AgentCalls], queries: set[str]) -> float | None:
    """Return the share of an agent's calls that a cache knows which the others filled on some queries.

    Args:
        agent: The agent that took no part.
        others: Those who did.
        queries: Ids of the queries on which they did.

    Examples:
        >>> one = AgentCalls("a", [Asked("1", "x", False, True), Asked("1", "y", False, True)])
        >>> other = AgentCalls("b", [Asked("2", "x", False, True)])
        >>> left_out(one, [other], {"1", "2"}), left_out(one, [other], {"1"})
        (0.5, 0.0)
    """
    given = {key for other in others for key, ids in other.gives.items() if ids & queries}
    hits = sum(one.known or one.key in given for one in agent.asked)
    return round(hits / len(agent.asked), 6) if agent.asked else None


def growing(agent: AgentCalls, others: Sequence[AgentCalls]) -> tuple[float, float, float] | None:
    """Return the share of an agent's calls that a growing cache knows: in the mean, as first and as last.

    Of the orders of all agents, those in which none of the m that give an answer comes before this one are
    one in m + 1. What the agent itself has asked before is known in each.

    Examples:
        >>> one = AgentCalls("a", [Asked("1", "x", False, True)] * 2)
        >>> other = AgentCalls("b", [Asked("2", "x", False, True)])
        >>> growing(one, [other])
        (0.75, 0.5, 1.0)
    """
    if not agent.asked:
        return None
    mean = first = last = 0.0
    own: set[str] = set()
    for one in agent.asked:
        givers = sum(one.key in other.gives for other in others)
        again = one.known or one.key in own
        mean += 1 if again else givers / (givers + 1)
        first += again
        last += again or givers > 0
        if one.kept:
            own.add(one.key)
    total = len(agent.asked)
    return round(mean / total, 6), round(first / total, 6), round(last / total, 6)


def _names(settings: LabSettings) -> list[str]:
    given = settings.option("agent", list(AGENTS))
    if not isinstance(given, list) or len(given) < 2 or not all(isinstance(name, str) for name in given):
        raise ConfigError(
            f"each agent is measured by what the others asked, so two or more are needed, got {given!r}; "
            "write --agent keyword --agent random"
        )
    if len(set(given)) < len(given):
        raise ConfigError(f"an agent would be measured by itself: {', '.join(given)}; give each once")
    return given


def _backend(settings: LabSettings) -> VirtualBackend:
    mode = settings.option("mode", "offline")
    # A cache that grew here would tell one agent what another had asked.
    if mode not in ("offline", "live"):
        raise ConfigError(f"mode must be 'offline' or 'live', got {mode!r}: nothing is recorded or replayed")
    cache = settings.option("cache", None)
    return connect_backend(
        cast(Mode, mode),
        None if cache is None else Path(str(cache)),
        settings.option("real", None),
        settings.option("simulator", None),
        settings.option("models", None),
        key_name=KEY_NAME,
        health=settings.option("health", "strict"),
    )


def _asked(tasks: TaskSet, episodes: Sequence[Trajectory]) -> Iterator[Asked]:
    """Yield the calls that were answered; what the environment refused never came to a cache."""
    for episode in episodes:
        tools = {tool.name: tool for tool in tasks.get(episode.task_id).tools}
        for call in (call for step in episode.steps for call in step["calls"] if call["source"] != "env"):
            key = call_key(tools[call["name"]].id, call["arguments"])
            kept = classify(call["error"], call["response"]).kept
            yield Asked(episode.task_id, key, call["source"] == "cache", kept)


def _rates(agent: AgentCalls, played: Sequence[AgentCalls], tasks: Sequence[Task]) -> dict[str, float | None]:
    others = [other for other in played if other is not agent]
    ids = [task.id for task in tasks]
    return {
        name: left_out(agent, others, set(ids[: ceil(share * len(ids))])) for name, share in SNAPSHOTS.items()
    }


def _growing_table(played: Sequence[AgentCalls]) -> Experiment:
    rows: list[TableRow] = []
    for agent in played:
        found = growing(agent, [other for other in played if other is not agent])
        rows.append((agent.agent, *(found or (None, None, None))))
    return Experiment(
        "Hit rate in a cache that grows as the agents play one after another",
        ("agent", "mean over all orders", "as the first", "as the last"),
        tuple(rows),
        notes=("The mean is exact: it follows from how many others made a call, whatever their order.",),
    )


def _notes(tasks: Sequence[Task], played: Sequence[AgentCalls]) -> Iterator[str]:
    shares = ", ".join(f"{name} {share:.0%}" for name, share in SNAPSHOTS.items())
    yield (
        f"Measured: whose calls the other {len(played) - 1} agents had made on a share of the same "
        f"{len(tasks)} queries ({shares}); a miss is simulated and the episode goes on, as in the paper."
    )
    yield (
        "Assumed: equal calls get equal answers, whoever asks first; answers that Appendix D filters out "
        "are known to nobody."
    )
    silent = [agent.agent for agent in played if not agent.asked]
    if silent:
        yield f"No rate without calls: {', '.join(silent)}."
