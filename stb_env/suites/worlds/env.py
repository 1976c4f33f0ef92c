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
from stb_env.suites.worlds.drawing.draw_goal import CALLS
from stb_env.suites.worlds.judge import ExactJudge, progress
from stb_env.suites.worlds.schema.kit import Kit
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.hard import HARD_FAULTS, HardTasks
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.nearby import MOST_TOOLS
from stb_env.suites.worlds.tasks.settings import Group, Split
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult

MOST_HIDDEN = 4
"""Details that a request can leave open."""
_SPARE_TURNS = 40
"""Actions beside twice the calls of the longest plan."""


@checks_settings
def make(
    split: Split = "train",
    group: Group | None = None,
    level: int | tuple[int, int] | list[int] | None = None,
    kit: str | Path | None = None,
    worlds: Count | None = None,
    policies: bool = False,
    pairs: float = 0.5,
    budget: float = 0.0,
    tools: int = 0,
    services: int | tuple[int, int] | list[int] | None = None,
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
        level: From 1 (one or two calls) to 6 (41 to 80 calls), or the first and last of a range.
        kit: Only worlds of this kit, such as ``vet_clinic``; or the file of a kit of your own.
        worlds: Only ten tasks of each of so many worlds, which makes training finite, too.
        policies: Whether worlds have policies, and requests can be refused: because a policy forbids them,
            because a state does not allow them, or because a name in them is no row's.
        pairs: Share of tasks in pairs then: of each pair one cannot be met, and its twin can.
        budget: Calls that are allowed, in multiples of those that gold makes, such as 1.5; 0 is any number.
        tools: Tools that are offered at least, up to 200: beside a world's own those of other organisations
            of its kind, which can be called, too. To change anything there fails the episode.
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
            longest tasks.
        **settings: Further settings of `ToolEnv`. ``reward="dense"`` shapes rewards by `progress`.

    Raises:
        ConfigError: A setting is unknown, or no task meets them all.
    """
    levels = (level[0], level[1]) if isinstance(level, tuple | list) else level
    several = (services[0], services[1]) if isinstance(services, tuple | list) else services
    if not 0 <= tools <= MOST_TOOLS:
        raise ConfigError(f"tools is a number up to {MOST_TOOLS}, got {tools!r}")
    if look_alikes is not None and not 0 <= look_alikes <= MOST_ALIKE:
        raise ConfigError(f"look_alikes is a number up to {MOST_ALIKE}, got {look_alikes!r}")
    if not 0 <= hidden <= MOST_HIDDEN:
        raise ConfigError(f"hidden is from 0 to {MOST_HIDDEN}, got {hidden!r}")
    traits = Traits(_percent("dirt", dirt, 1, MOST_DIRT), look_alikes)
    dials = Dials(
        budget=_percent("budget", budget, 100, 1000),
        tools=tools,
        faults=_percent("faults", faults, 1, 50),
        events=int(events),
        hidden=hidden,
    )
    named: str | Kit | None = None if kit is None else str(kit)
    if isinstance(named, str) and named.endswith(".toml"):
        named = checked_kit(Path(named))
    tasks = WorldTasks(split, group, levels, named, worlds, policies, pairs, dials, several, traits)
    return ToolEnv(
        tasks,
        GeneratedWorld(),
        ExactJudge() if judge == "exact" else connect_judge(judge, votes, models, votes_cache),
        max_turns=max_turns or _turns(tasks.levels[-1], faults, events=events),
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
        max_turns=max_turns or _turns(tasks.levels[-1], HARD_FAULTS, events=True),
        potential=progress if settings.get("reward") == "dense" else None,
        oracle=oracle,
        **settings,
    )


def _turns(level: int, faults: float, *, events: bool) -> int:
    """Return the actions of an episode at most."""
    _, most = CALLS[level]
    # What fails is done again, and what others changed is read again.
    return round((2 + 4 * faults + 3 * events) * most) + _SPARE_TURNS


def _percent(name: str, value: float, least: int, most: int) -> int:
    """Return a setting as a percentage, or 0 where it is off.

    Raises:
        ConfigError: It is out of its range.
    """
    percent = round(100 * value)
    if value and not least <= percent <= most:
        raise ConfigError(f"{name} is 0 or from {least / 100:g} to {most / 100:g}, got {value!r}")
    return percent


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
