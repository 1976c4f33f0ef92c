"""Declares environments, and makes them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from stb_env.backend.own import UserLike, as_user
from stb_env.core.kinds import Count
from stb_env.core.reference import files_hash, is_reference, place_of
from stb_env.core.settings import checks_settings
from stb_env.declare.declaration import Declaration, declare, declared
from stb_env.declare.facts import ASK_USER
from stb_env.declare.function import Function
from stb_env.declare.judge import CheckJudge, DeclaredJudge
from stb_env.declare.queries import Query, Reasons, a_day
from stb_env.declare.seeded import DeclaredTasks, first_queries, read_ranges
from stb_env.declare.states import Timed, own, started
from stb_env.declare.talk import DeclaredWording, declared_user
from stb_env.declare.world import FunctionWorld
from stb_env.envs.connections import connect_judge
from stb_env.envs.rules import Potential
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, did_you_mean
from stb_env.judges.own_judge import JudgeLike, as_judge
from stb_env.judges.registry import EXACT
from stb_env.runs.baselines.gold import gold_oracle
from stb_env.steps import CallRecord
from stb_env.suite import Maker, Suite, register, registered
from stb_env.tasks import Task, TaskSet
from stb_env.tools import ToolId, naming_problems

Timeout = float | Mapping[str | Callable[..., object], float]
"""Seconds for a call of any tool, or by tool."""

_ID = re.compile(r"(?P<namespace>[A-Za-z_][\w-]*)/(?P<name>[A-Za-z][\w.-]*)-v(?P<version>\d+)")
_MAKER = "stb_env.declare.environments:make"
_MOST = 100_000
"""Most tasks that are listed."""


@checks_settings
def environment(
    env_id: str,
    *,
    tools: Sequence[Callable[..., object]],
    tasks: Iterable[Query] | Callable[[int], Query],
    state: object = None,
    judge: JudgeLike | str | None = None,
    cannot: Reasons | None = None,
    splits: Mapping[str, tuple[int, int | None]] | None = None,
    user: UserLike | Literal["model"] | None = None,
    policy: str = "",
    today: date | str | None = None,
    description: str = "",
    max_turns: Count = 24,
    timeout: Timeout | None = None,
    suite: str = "",
) -> Suite:
    """Declare an environment of plain functions, and register it.

    Args:
        env_id: Its id, such as ``my/Todo-v0``.
        tools: Functions with type hints and docstrings, plain or ``async``. One whose first parameter is
            hinted with the state's type, or is called ``state``, is given the state. It returns what the
            agent reads and raises `ValueError` or `LookupError` to refuse a call. A parameter called
            ``clock`` without a hint, or hinted `Clock`, is given the day and the number of the call.
        tasks: What `stb_env.task` returns; or a function that returns it for a seed, the same each time.
        state: What makes the state of an episode (``dict``, a class, a function), or an object that each
            episode gets a copy of. Functions change their copy; where the state is a frozen dataclass, such
            as `stb_env.backend.world.Tables`, they return their answer and the next state.
        judge: Decides in place of the tasks' checks and answers: a function of a `Case`, a `Judge`, or the
            text that names one.
        cannot: What may be lacking, by the reason for which a request cannot be met, as in
            ``{"not_found": ["order", "person"]}``. Every task with a typed answer offers it, so that its
            presence tells nothing.
        splits: Where tasks come from seeds, the first seed of each split and the one after its last, None for
            no end; ``{"test": (0, 100), "train": (100, None)}`` where not given.
        user: Hears what agents write without a call and says something back: a function of task, state and
            text, a `User`, or ``model`` for the model of the role ``user``, who knows the tasks' facts.
        policy: What every agent is told beside the usual, in its system message.
        today: The day of every episode, which does not pass.
        description: What it is, in one line.
        max_turns: Actions after which an episode is cut off.
        timeout: Seconds that a call of a tool may take before its episode ends as invalid: one number, or a
            number by tool, as in ``{find: 5}``.
        suite: Name of its suite; made of the id where not given.

    Returns:
        Its suite, which an entry point of the group ``stb_env.suites`` may name.

    Raises:
        ConfigError: Something is wrong with a function, a task or the id; the message says what.

    Examples:
        >>> import stb_env
        >>> def add(state: list, text: str) -> int:
        ...     '''Write a line down and return how many there are.'''
        ...     state.append(text)
        ...     return len(state)
        >>> noted = lambda answer, state: "milk" in state
        >>> milk = stb_env.task("Note milk.", gold="add(text='milk')", check=noted)
        >>> suite = stb_env.environment("demo/Lines-v0", tools=[add], state=list, tasks=[milk])
        >>> env = stb_env.make("demo/Lines-v0")
        >>> _ = env.reset(seed=0)
        >>> _ = env.step('{"name": "add", "arguments": {"text": "milk"}}')
        >>> env.step({"name": "Finish", "arguments": {"final_answer": "Done."}})[1]
        1.0
    """
    # The frame between is the one in which settings are checked.
    module = sys._getframe(2).f_globals.get("__name__", "__main__")
    named = _named(env_id)
    if judge is not None and not isinstance(judge, str):
        as_judge(judge)
    if user is not None and not isinstance(user, str):
        as_user(user)
    name = suite or _suite_name(named)
    _check_free(name, env_id)
    kind = type(_started(f"the state of {env_id}", state))
    functions = _functions(env_id, tools, kind, named)
    seeded = tasks if callable(tasks) else None
    ranges = read_ranges(env_id, splits, seeded=seeded is not None)
    queries = _queries(env_id, tasks if seeded is None else ())  # type: ignore[arg-type] # no function is left
    drawn = queries if seeded is None else first_queries(env_id, seeded, ranges)
    if not drawn:
        raise ConfigError(f"{env_id} has no tasks; give tasks=[stb_env.task(...), ...]")
    _check_queries(env_id, drawn, judge)
    _check_states(env_id, drawn, kind)
    _check_reasons(env_id, drawn, cannot)
    day, facts = a_day(today, f"today of {env_id}"), _facts(env_id, drawn, functions)
    _check_days(env_id, functions, drawn, day)
    homes = {module, *(function.call.__module__ or module for function in functions.values())}
    declaration = Declaration(
        place=place_of(module),
        env_id=env_id,
        suite=name,
        functions=functions,
        queries=queries,
        seeded=seeded,
        splits=ranges,
        reasons=cannot,
        state=state,
        judge=judge,
        user=user,
        policy=policy,
        today=day,
        facts=facts,
        timed=bool(facts)
        or any(function.clock for function in functions.values())
        or any(query.events for query in drawn.values()),
        max_turns=max_turns,
        timeouts=_timeouts(env_id, timeout, functions),
        source=files_hash(sorted(homes)),
    )
    for key in drawn:
        declaration.task(key)
    declare(declaration)
    return register(_suite(name, description, declaration))


def make(
    where: str,
    judge: str | JudgeLike | None = None,
    votes: int = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    split: str | None = None,
    max_turns: int | None = None,
    **settings: Any,
) -> ToolEnv:
    """Make a declared environment.

    Args:
        where: ``module:ID`` or ``path.py:ID``, where it is declared.
        judge: As declared if None, ``exact`` for the tasks' own checks, or another; see `connect_judge`.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the judge.
        split: Only tasks of this split; None for all, or for the first where tasks come from seeds.
        max_turns: Actions after which an episode is cut off; as declared if None.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: Nothing is declared there, or a setting is wrong.
    """
    found = declared(where)
    chosen = found.judge if judge is None else judge
    if chosen is None or chosen == EXACT:
        _check_queries(found.env_id, found.queries, None)
        decides: JudgeLike = CheckJudge(found)
    elif judge is None and not isinstance(chosen, str):
        decides = DeclaredJudge(found)
    else:
        decides = connect_judge(chosen, votes, models, votes_cache)
    if found.timed and settings.get("potential") is not None:
        settings["potential"] = partial(_potential, settings["potential"])
    settings.setdefault("user", declared_user(found, models))
    settings.setdefault("wording", _wording(found))
    return ToolEnv(
        _tasks(found, split),
        FunctionWorld(found),
        decides,
        max_turns=found.max_turns if max_turns is None else max_turns,
        oracle=gold_oracle,
        **settings,
    )


def _potential(own: Potential, task: Task, state: Timed, calls: Sequence[CallRecord]) -> float:
    return own(task, state.own, calls)


def _wording(found: Declaration) -> DeclaredWording | None:
    told = found.policy or found.seeded is not None or any(query.policy for query in found.queries.values())
    return DeclaredWording(found) if told else None


def _suite(name: str, description: str, declaration: Declaration) -> Suite:
    functions, queries, judge = declaration.functions, declaration.queries, declaration.judge
    count = "endless" if declaration.seeded is not None else len(queries)
    splits = declaration.splits or dict.fromkeys(query.split for query in queries.values())
    return Suite(
        name=name,
        description=description or f"{len(functions)} tools, {count} tasks",
        environments={declaration.env_id: Maker(_MAKER, {"where": declaration.where})},
        splits=tuple(splits),
        oracle=gold_oracle,
        exact=judge is None or not isinstance(judge, str) or is_reference(judge),
    )


def _named(env_id: str) -> re.Match[str]:
    named = _ID.fullmatch(env_id)
    if named is None:
        raise ConfigError(f"an id has the form my/Todo-v0, with a namespace and a version, got {env_id!r}")
    return named


def _suite_name(named: re.Match[str]) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", named["name"])
    version = "" if named["version"] == "0" else f"_v{named['version']}"
    return re.sub(r"\W+", "_", f"{named['namespace']}_{words}{version}").lower()


def _started(what: str, state: object) -> object:
    try:
        made = started(state)
        own(made)
    except Exception as error:
        raise ConfigError(
            f"{what} cannot be made: {type(error).__name__}: {error}; give a class or "
            "function without parameters, or an object that can be copied"
        ) from error
    return made


def _functions(
    env_id: str, tools: Sequence[Callable[..., object]], state: type, named: re.Match[str]
) -> dict[str, Function]:
    place = ToolId.of(named["namespace"], named["name"], "")
    functions = [Function.of(tool, state, place) for tool in tools]
    problems = naming_problems(function.tool for function in functions)
    if problems:
        raise ConfigError(f"{env_id} cannot offer these tools: {'; '.join(problems)}; rename or remove them")
    return {function.tool.name: function for function in functions}


def _queries(env_id: str, tasks: Iterable[Query]) -> dict[str, Query]:
    queries: dict[str, Query] = {}
    for number, query in enumerate(tasks, 1):
        if number > _MOST:
            raise ConfigError(
                f"{env_id} lists more than {_MOST} tasks; for tasks without end give a function of a seed"
            )
        if not isinstance(query, Query):
            raise ConfigError(
                f"task {number} of {env_id} is a {type(query).__name__}; make it by stb_env.task(...)"
            )
        key = query.id or str(number)
        if key in queries:
            raise ConfigError(f"two tasks of {env_id} have the id {key!r}; give each an id of its own")
        queries[key] = query
    return queries


def _facts(env_id: str, queries: Mapping[str, Query], functions: Mapping[str, Function]) -> tuple[str, ...]:
    """Return what the user can be asked about: the facts of any task."""
    facts = tuple(dict.fromkeys(about for query in queries.values() for about in query.facts))
    if facts and ASK_USER in functions:
        raise ConfigError(
            f"{env_id} has a tool {ASK_USER!r}, which tasks with facts= bring; rename the function"
        )
    return facts


def _timeouts(env_id: str, timeout: Timeout | None, functions: Mapping[str, Function]) -> dict[str, float]:
    if timeout is None:
        return {}
    given = timeout if isinstance(timeout, Mapping) else dict.fromkeys(functions, timeout)
    timeouts = {getattr(tool, "__name__", str(tool)): seconds for tool, seconds in given.items()}
    for name, seconds in timeouts.items():
        if name not in functions:
            near = did_you_mean(name, functions)
            raise ConfigError(f"timeout of {env_id} names {name!r}, which is none of its tools.{near}")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise ConfigError(f"timeout of {env_id} is {seconds!r:.60}; give a number of seconds above 0")
    return timeouts


def _check_days(
    env_id: str, functions: Mapping[str, Function], queries: Mapping[str, Query], today: date | None
) -> None:
    clock = next((name for name, function in functions.items() if function.clock), "")
    without = next((key for key, query in queries.items() if query.today is None), None)
    if clock and today is None and without is not None:
        raise ConfigError(
            f"tool {clock!r} takes the clock, and task {without!r} of {env_id} has no day; give "
            "environment(..., today='2026-03-09')"
        )


def _check_states(env_id: str, queries: Mapping[str, Query], kind: type) -> None:
    """Check that tasks start with states of the environment's type; each of several that share one once."""
    seen = {id(query.state): key for key, query in queries.items() if query.state is not None}
    for key in seen.values():
        made = _started(f"the state of task {key!r}", queries[key].state)
        if kind is not type(None) and not (isinstance(made, kind) or issubclass(kind, type(made))):
            raise ConfigError(
                f"the state of task {key!r} is a {type(made).__name__}, and that of {env_id} a "
                f"{kind.__name__}; give one of the same type"
            )


def _check_queries(env_id: str, queries: Mapping[str, Query], judge: object) -> None:
    if judge is not None:
        return
    open_ones = [key for key, query in queries.items() if query.is_open]
    if open_ones:
        raise ConfigError(
            f"nothing decides on task {open_ones[0]!r} of {env_id}; give it check= or answer=, or the "
            "environment a judge="
        )


def _check_reasons(env_id: str, queries: Mapping[str, Query], reasons: Reasons | None) -> None:
    for reason, listed in (reasons or {}).items():
        if isinstance(listed, str) or not listed:
            raise ConfigError(
                f"cannot of {env_id} lists {listed!r} for the reason {reason!r}; give what may be lacking, "
                "such as ['order']"
            )
    for key, query in queries.items():
        if query.cannot is None:
            continue
        reason, lacking = query.cannot["reason"], list(query.cannot["what"])
        missing = [what for what in lacking if what not in (reasons or {}).get(reason, ())]
        if missing:
            raise ConfigError(
                f"cannot of task {key!r} says that {missing[0]!r} is {reason!r}, which cannot= of {env_id} "
                f"does not list; give environment(..., cannot={{{reason!r}: {lacking}}})"
            )


def _check_free(name: str, env_id: str) -> None:
    for suite in registered():
        makers = suite.environments.values()
        own = all(isinstance(maker, Maker) and maker.entry_point == _MAKER for maker in makers)
        if suite.name == name and not own:
            raise ConfigError(f"the suite {name!r} exists already; give {env_id} a suite='...' of its own")


def _tasks(found: Declaration, split: str | None) -> TaskSet | DeclaredTasks:
    if found.seeded is not None:
        return DeclaredTasks(found, next(iter(found.splits)) if split is None else split)
    tasks = _listed(found)
    if split is None:
        return tasks
    known = list(dict.fromkeys(task.split for task in tasks))
    if split not in known:
        near = did_you_mean(split, known)
        raise ConfigError(f"{tasks.name} has the splits {', '.join(known)}, got split={split!r}.{near}")
    return tasks.filter(split=split)


# Vector environments make many equal ones in a process.
@lru_cache(maxsize=64)
def _listed(found: Declaration) -> TaskSet:
    return TaskSet(map(found.task, found.queries), found.env_id)
