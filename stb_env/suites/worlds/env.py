"""Makes the environment of generated worlds."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Unpack

from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.connections import connect_judge
from stb_env.envs.env_settings import OpenSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.judges.own_judge import JudgeLike
from stb_env.suites.worlds.authoring.kit_trial import checked_kit
from stb_env.suites.worlds.data.traits import MOST_ALIKE, MOST_DIRT, Traits
from stb_env.suites.worlds.judge import ExactJudge, progress
from stb_env.suites.worlds.schema.kit import Kit
from stb_env.suites.worlds.tasks.apply_dials import turns_allowed
from stb_env.suites.worlds.tasks.dials import RANGES, Dials
from stb_env.suites.worlds.tasks.hard import HARD_DIALS, HardTasks
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.settings import LEVELS, Group, Span, Split, number, percent, span
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult


@checks_settings
def make(
    split: Split = "train",
    group: Group | None = None,
    level: Span = None,
    kit: str | Path | None = None,
    worlds: Count | None = None,
    policies: bool = False,
    pairs: float | None = None,
    budget: float = 0.0,
    tools: int = 0,
    services: Span = None,
    look_alikes: int | None = None,
    dirt: float = 0.0,
    faults: float = 0.0,
    events: bool = False,
    hidden: int = 0,
    judge: str | JudgeLike = "exact",
    votes: Count = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    max_turns: Count | None = None,
    **settings: Unpack[OpenSettings],
) -> ToolEnv:
    """Make an environment of generated worlds: organisations with data, tools and rules of their own.

    Args:
        split: ``train`` is endless; ``val`` and ``test`` are fixed lists, and no task is in two of them.
        group: ``I1-Instruction`` has new tasks in worlds of training, ``I1-Tool`` worlds and tools that
            training never shows, ``I1-Category`` kits that it never shows; ``I2-...`` the same over several
            services of a kit, ``I3-...`` over several kits.
        level: From 1 (one or two calls) to 6 (41 to 80 calls), or the first and last of a range: ``[2, 5]``.
        kit: Only worlds of this kit, such as ``vet_clinic``, or of several together, such as
            ``court_registry+vet_clinic``; or the file of a kit of your own.
        worlds: Only ten tasks of each of so many worlds, which makes training finite, too.
        policies: Whether worlds have policies, and requests can be refused: because a policy forbids them,
            because a state does not allow them, or because a name in them is no row's.
        pairs: Share of tasks in pairs then: of each pair one cannot be met, and its twin can. None is .5.
        budget: Calls that are allowed, in multiples of those that gold makes, such as 1.5; 0 is any number.
        tools: Tools that are offered at least, from 20 to 200: beside a world's own those of other
            organisations of its kind, which can be called, too. To change anything there fails the episode.
        services: Only worlds of so many services or more, of as many kits as that takes: organisations whose
            services know the same people. Two numbers are the first and last of a range.
        look_alikes: How many rows look like each that people name by a name, from 0 to 3; None is one for
            some of them.
        dirt: Share of values that are missing, where nothing goes by them, and of copies of other rows'
            values that are out of date, up to .5.
        faults: Share of calls that fail, up to .5: errors that pass, writes that were made although an error
            came back, and lists that are an earlier copy. Each is told.
        events: Whether others change rows while an episode goes on.
        hidden: Details that the request leaves open and only the user knows, at most: 0 to 4. Agents ask with
            the tool ``ask_user``. Tasks come in twins then: of equal requests with other facts.
        judge: ``exact``, or another judge, to see what it makes of episodes whose truth is known.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the judge.
        max_turns: Actions after which an episode is cut off; None is 40 more than twice the calls of the
            longest tasks, and more under dials: gold needs fewer in every task.
        **settings: Further settings of `ToolEnv`. ``reward="dense"`` shapes rewards by `progress`.

    Raises:
        ConfigError: A setting is unknown, or no task meets them all.
    """
    if pairs is not None and not (policies and 0 <= pairs <= 1):
        wrong = f"pairs is from 0 to 1, got {pairs!r}"
        raise ConfigError(
            wrong if policies else "pairs stand among requests that policies forbid; add policies=true"
        )
    traits = Traits(
        percent("dirt", dirt, 1, MOST_DIRT),
        None if look_alikes is None else number("look_alikes", look_alikes, 0, MOST_ALIKE),
    )
    dials = Dials(
        budget=percent("budget", budget, *RANGES["budget"]),
        tools=number("tools", tools, *RANGES["tools"]),
        faults=percent("faults", faults, *RANGES["faults"]),
        events=int(events),
        hidden=number("hidden", hidden, *RANGES["hidden"]),
    )
    named: str | Kit | None = None if kit is None else str(kit)
    if isinstance(named, str) and named.endswith(".toml"):
        named = checked_kit(Path(named))
    tasks = WorldTasks(
        split,
        group,
        span("level", level, LEVELS[0], LEVELS[-1]),
        named,
        worlds,
        policies,
        0.5 if pairs is None else pairs,
        dials,
        span("services", services, 1),
        traits,
    )
    return ToolEnv(
        tasks,
        GeneratedWorld(),
        ExactJudge() if judge == "exact" else connect_judge(judge, votes, models, votes_cache),
        max_turns=max_turns or turns_allowed(tasks.levels[-1], dials),
        potential=progress if settings.get("reward") == "dense" else None,
        oracle=oracle,
        **settings,
    )


@checks_settings
def make_hard(
    judge: str | JudgeLike = "exact",
    votes: Count = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    max_turns: Count | None = None,
    **settings: Unpack[OpenSettings],
) -> ToolEnv:
    """Make the hard test of generated worlds: 300 tasks of levels 5 and 6 under every dial, always the same.

    Args:
        judge: ``exact``, or another judge, to see what it makes of episodes whose truth is known.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the judge.
        max_turns: Actions after which an episode is cut off; None is about five times the calls of the
            longest tasks.
        **settings: Further settings of `ToolEnv`. ``reward="dense"`` shapes rewards by `progress`.
    """
    tasks = HardTasks()
    return ToolEnv(
        tasks,
        GeneratedWorld(),
        ExactJudge() if judge == "exact" else connect_judge(judge, votes, models, votes_cache),
        max_turns=max_turns or turns_allowed(tasks.levels[-1], HARD_DIALS),
        potential=progress if settings.get("reward") == "dense" else None,
        oracle=oracle,
        **settings,
    )


def oracle(task: Task) -> Generator[ToolCall, ToolResult, Ending]:
    """Solve a task of a generated world: yields calls, is sent their results, returns the answer.

    Args:
        task: A task of generated worlds.

    Returns:
        The arguments of Finish.

    Raises:
        DataError: The task is none of theirs.
    """
    return task_of(task.id).play()
