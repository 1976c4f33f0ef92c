"""The conformance kit: standing checks of an environment, for ours and everybody's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import gymnasium as gym
from gymnasium.utils.env_checker import check_env

from stb_env.backend.virtual import VirtualBackend
from stb_env.core.gymtypes import AnyEnv
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs.make import make_env
from stb_env.suite import find_env, resolved, suite_of
from stb_env.testing.cheating import check_red_team
from stb_env.testing.claims import check_claims, check_other_acts
from stb_env.testing.copies import check_async, check_determinism, check_forks, check_pickling, check_spec
from stb_env.testing.gold import check_gold
from stb_env.testing.report import Report
from stb_env.testing.subject import Progress, Subject, draws
from stb_env.testing.undeserving import check_leaks, check_nulls
from stb_env.testing.wrapped import check_wrapped
from stb_env.tools import naming_problems
from stb_env.wrappers import ToolWrapper

_COPIED = 20
"""Episodes on which copies are checked."""

RED_TEAM = 20
"""Episodes that the red team plays."""


def check(
    env: str | AnyEnv,
    *,
    settings: Mapping[str, object] | None = None,
    seeds: int | None = None,
    seed: int = 0,
    red_team: int = RED_TEAM,
) -> Report:
    """Check that an environment keeps the contract of this package; for use in tests.

    Args:
        env: An id, as every command takes it (``my/Todo-v0``, ``module:my/Todo-v0``, ``todo.py:my/Todo-v0``),
            or an environment. Of one in wrappers of this package the wrappers are checked: that they keep
            the contract of copies, whatever they make of rewards and calls.
        settings: Settings that an id is made with.
        seeds: How many tasks to draw; None for all of a finite set, 200 of an endless one.
        seed: Seed of the draws.
        red_team: How many of these the red team plays; 0 leaves it out.

    Returns:
        The report, every check of which holds.

    Raises:
        AssertionError: A check does not hold; the message says which and why.
        ConfigError: There is no such environment.

    Examples:
        >>> check("stb_env.testing.notes:test/Notes-v0", seeds=3).passed
        True
        >>> check("test/Notes-v0", settings={"judge": "heuristic"}, seeds=3)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        AssertionError: test/Notes-v0 fails 1 of 19 checks:
        - gold: 0 of 3 reach the maximum, not ...
    """
    if isinstance(env, str):
        env_id = find_env(env)
        suite = suite_of(env_id)
        made = make_env(env, {**(suite.standing if suite else {}), **(settings or {})})
    else:
        if settings:
            raise ConfigError("settings are for an id; an environment that is given is made already")
        if isinstance(env, ToolWrapper):
            return _passed(check_wrapped(env, seeds=3 if seeds is None else seeds, seed=seed))
        made = _tool_env(env)
        env_id = made.spec.id if made.spec is not None else type(made).__name__
    return _passed(validate(env_id, made, seeds=seeds, seed=seed, red_team=red_team))


def validate(
    env_id: str,
    env: ToolEnv,
    *,
    seeds: int | None = None,
    seed: int = 0,
    red_team: int = RED_TEAM,
    progress: Progress | None = None,
) -> Report:
    """Examine an environment; what does not hold stands in the report.

    Args:
        env_id: Its id.
        env: The environment.
        seeds: How many tasks to draw; None for all of a finite set, 200 of an endless one. Where a listed
            split has fewer and the suite generates training tasks, those make up the number.
        seed: Seed of the draws.
        red_team: How many of these the red team plays; 0 leaves it out.
        progress: Called with a stage's name, the episodes done and all of them.

    Examples:
        >>> import stb_env
        >>> env = stb_env.make("stb_env.testing.notes:test/Notes-v0")
        >>> validate("test/Notes-v0", env, seeds=3).passed
        True
    """
    report = Report(env_id)
    tell = progress or (lambda _stage, _done, _all: None)
    subject = Subject(env, suite_of(env_id), draws(env, seeds, seed), tell)
    few = subject.jobs[:_COPIED]
    _check_contract(report, env)
    _check_tools(report, subject)
    gold = check_gold(report, subject)
    if subject.suite is not None and subject.suite.checks is not None:
        resolved(subject.suite.checks)(report, env, subject.tasks())
    check_nulls(report, subject)
    check_leaks(report, subject)
    check_claims(report, subject)
    check_other_acts(report, subject)
    if red_team:
        check_red_team(report, subject, red_team)
    check_determinism(report, subject, few, gold)
    check_async(report, subject, few)
    check_forks(report, subject, few)
    check_pickling(report, subject, few)
    check_spec(report, subject, env_id)
    report.counts["tasks"] = len(subject.jobs)
    return report


def _passed(report: Report) -> Report:
    if not report.passed:
        failed = "".join(f"\n- {check.name}: {check.detail}" for check in report.failed)
        count = f"{len(report.failed)} of {len(report.checks)}"
        raise AssertionError(f"{report.env} fails {count} checks:{failed}")
    return report


def _tool_env(env: AnyEnv) -> ToolEnv:
    inner = env.unwrapped
    if not isinstance(inner, ToolEnv):
        raise ConfigError(f"the kit examines a ToolEnv or the id of one, got {type(inner).__name__}")
    return inner


def _check_contract(report: Report, env: ToolEnv) -> None:
    fork = env.fork()
    backend = fork.rules.backend
    if isinstance(backend, VirtualBackend) and backend.mode != "offline":
        # It samples calls that nobody recorded, and what is recorded comes from elsewhere at the second time.
        fork.rules = replace(fork.rules, backend=backend.in_mode("offline"))
    try:
        with warnings.catch_warnings():
            # Advice about array observations, which text observations cannot take.
            warnings.simplefilter("ignore")
            check_env(fork, skip_render_check=True, skip_close_check=True)
    except (AssertionError, gym.error.Error) as error:
        report.add("check_env", False, str(error))
    else:
        report.add("check_env", True, "Gymnasium's own checker accepts it")


def _check_tools(report: Report, subject: Subject) -> None:
    if subject.env.rules.compat is not None:
        # Two APIs of the original can share a name.
        return
    problems = {task.id: found for task in subject.tasks() if (found := naming_problems(task.tools))}
    first = "".join(f"; task {task_id}: {'; '.join(found)}" for task_id, found in list(problems.items())[:3])
    detail = f"{len(problems)} of {len(subject.jobs)} tasks offer tools that cannot be told apart{first}"
    report.add("tools", not problems, detail)
