"""One episode, from reset to trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.envs.tool_env import ToolEnv, Transition
from stb_env.errors import InfrastructureError
from stb_env.runs.agent import Agent
from stb_env.runs.deadlines import NO_DEADLINES, Deadlines, Watch
from stb_env.runs.opening import Opening
from stb_env.runs.timing import Stopwatch
from stb_env.runs.two_stages import Halt, Keeper, judged, later_judge, not_judged
from stb_env.steps import READS
from stb_env.trajectory import Trajectory
from stb_env.trajectory_line import REWARD_SLACK, earned_reward
from stb_env.usage import NO_USAGE, Usage
from stb_env.wrappers.base import ToolWrapper

_DRIVERS = frozenset({ToolEnv.reset, ToolEnv.step, ToolWrapper.reset, ToolWrapper.step})


def play(
    env: AnyEnv,
    agent: Agent,
    *,
    task_id: str,
    seed: int,
    trial: int = 0,
    deadlines: Deadlines = NO_DEADLINES,
) -> Trajectory:
    """Play one task to its end.

    Args:
        env: Any environment or wrapper of this package.
        agent: Plays it; a failure of its own model ends the episode as invalid.
        task_id: The task.
        seed: Seed of the episode and of the agent.
        trial: Which repetition this is.
        deadlines: How long it may take.

    Returns:
        The trajectory.

    Raises:
        NoActionError: What the agent returned is no action.

    Examples:
        >>> from stb_env import load_agent, play
        >>> from stb_env.testing.notes import notes
        >>> play(notes(), load_agent("gold")(), task_id="move", seed=0).reward
        1.0
    """
    return drive(episode(env, agent, task_id=task_id, seed=seed, trial=trial, deadlines=deadlines))


async def aplay(
    env: AnyEnv,
    agent: Agent,
    *,
    task_id: str,
    seed: int,
    trial: int = 0,
    deadlines: Deadlines = NO_DEADLINES,
) -> Trajectory:
    """Play one task to its end on the event loop; see `play`.

    Examples:
        >>> import asyncio
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> asyncio.run(aplay(notes(), load_agent("gold")(), task_id="move", seed=0)).reward
        1.0
    """
    return await adrive(episode(env, agent, task_id=task_id, seed=seed, trial=trial, deadlines=deadlines))


def episode(
    env: AnyEnv,
    agent: Agent,
    *,
    task_id: str,
    seed: int,
    trial: int = 0,
    deadlines: Deadlines = NO_DEADLINES,
    stopwatch: Stopwatch | None = None,
    keeper: Keeper | None = None,
) -> Slow[Trajectory]:
    """Yield the slow work of one task, and return the trajectory; see `play` and `continued`.

    Where a model is asked for the verdict, ``keeper`` saves the episode before, and one that it has kept is
    judged and not played again.
    """
    stopwatch = stopwatch or Stopwatch()
    watch = Watch(deadlines, stopwatch.now)
    judge, halt = later_judge(env), Halt(env)
    limit = lambda slow: watch.keep(stopwatch.playing(slow))  # noqa: E731
    if judge is not None and keeper is not None:
        kept = keeper.unjudged((task_id, trial, seed))
        if kept is not None:
            return (yield from judged(env, judge, kept, limit, keeper))
    try:
        observation, info = yield from stopwatch.playing(resetting(env, seed, {"task_id": task_id}))
    except InfrastructureError as error:
        return unplayed(task_id, seed, trial, error)
    opening = Opening(observation, info)
    played = yield from continued(
        env,
        agent,
        opening,
        seed=seed,
        trial=trial,
        watch=watch,
        stopwatch=stopwatch,
        halt=None if judge is None else halt,
    )
    if judge is None or not halt.came or not played.awaits_verdict:
        return played
    played = replace(played, failure=not_judged().failure())
    if keeper is not None:
        # In the place in which it was played: on disk before it waits for its judge.
        yield Request(run=partial(keeper.keep, played))
    return (yield from judged(env, judge, played, limit, keeper))


def continued(
    env: AnyEnv,
    agent: Agent,
    opening: Opening,
    *,
    seed: int,
    trial: int = 0,
    agent_seed: int | None = None,
    watch: Watch | None = None,
    stopwatch: Stopwatch | None = None,
    halt: Halt | None = None,
) -> Slow[Trajectory]:
    """Yield the slow work of an episode from an opening on, and return the whole trajectory.

    Args:
        env: Stands where the opening says.
        agent: Plays from there.
        opening: Where the agent begins.
        seed: Seed of the episode.
        trial: Which repetition this is.
        agent_seed: The agent's, where it is not the episode's.
        watch: Keeps the deadlines; None for none.
        stopwatch: Takes the time.
        halt: Ends it before its judge is asked; None has it judged in its last step.
    """
    watch, stopwatch = watch or Watch(NO_DEADLINES), stopwatch or Stopwatch()
    observation, info = opening.observation, opening.info
    steps: list[JsonObject] = [dict(step) for step in opening.steps]
    stepping = _stepping(env)
    failure: JsonObject | None = None
    over = False
    try:
        yield from watch.keep(agent.preparing(env, seed if agent_seed is None else agent_seed))
    except InfrastructureError as error:
        failure, over = error.failure(), True
    while not over:
        watch.begin_step()
        stopwatch.begin_step()
        try:
            action = yield from watch.keep(stopwatch.deciding(agent.deciding(observation, info)))
            watch.check()
            observation, reward, terminated, truncated, info = yield from watch.keep(
                stopwatch.playing(stepping(action) if halt is None else halt.before_judge(stepping(action)))
            )
        except InfrastructureError as error:
            failure = error.failure()
            break
        stopwatch.end_step()
        over = terminated or truncated
        steps.append(step_record(info, float(reward), terminated, truncated))
        if agent.engine:
            steps[-1]["engine"] = dict(agent.engine)
    return recorded(
        env, opening, observation, info, steps, seed=seed, trial=trial, failure=failure, agent=agent.usage
    )


def recorded(
    env: AnyEnv,
    opening: Opening,
    observation: JsonMapping,
    info: JsonMapping,
    steps: list[JsonObject],
    *,
    seed: int,
    trial: int = 0,
    failure: dict[str, object] | None = None,
    agent: Usage = NO_USAGE,
) -> Trajectory:
    """Return the trajectory of an episode that came this far.

    Args:
        env: Stands where it came to.
        opening: Where its agent began.
        observation: The last one.
        info: The last one.
        steps: Its steps, each as `step_record` gives it.
        seed: Seed of the episode.
        trial: Which repetition this is.
        failure: What failed besides the environment, as plain data.
        agent: What the agent's model cost.
    """
    first, environment = opening.info, Usage(**info["usage"]) - opening.spent
    valid = bool(info["valid"]) and failure is None
    reward = sum((float(step["reward"]) for step in steps), 0.0)
    return Trajectory(
        suite=first["suite"],
        group=first["group"],
        task_id=first["task_id"],
        trial=trial,
        seed=seed,
        query=_query(env, observation),
        tools=first["tools"],
        messages=info["messages"] if "messages" in info else _messages(env, first),
        steps=steps,
        answer=info.get("answer"),
        final_answer=info.get("final_answer", ""),
        cannot=info.get("cannot"),
        verdict=info.get("verdict"),
        reward=reward,
        reward_mode=_mode(env, info, reward, valid=valid),
        valid=valid,
        failure=failure or info.get("failure"),
        usage=(environment + agent).to_dict(),
        tree=info.get("tree"),
        usage_by_role=_by_role(agent, environment, info, opening.info),
    )


def _mode(env: AnyEnv, info: JsonMapping, reward: float, *, valid: bool) -> str:
    """Return the mode that a reward follows, or ``own`` where a wrapper made another of it.

    An environment tells it at the end, and one whose agent failed before has it in its rules.
    """
    rules = getattr(env.unwrapped, "rules", None)
    mode = str(info.get("reward_mode", getattr(rules, "reward", "sparse")))
    given = earned_reward(info.get("verdict"), mode, valid=valid)
    return mode if given is None or abs(given - reward) <= REWARD_SLACK else "own"


def unplayed(task_id: str, seed: int, trial: int, error: InfrastructureError) -> Trajectory:
    """Return the record of an episode of which nothing was seen, such as one that could not be started."""
    return Trajectory(
        suite="",
        group="",
        task_id=task_id,
        trial=trial,
        seed=seed,
        query="",
        tools=[],
        messages=[],
        steps=[],
        answer=None,
        final_answer="",
        verdict=None,
        reward=0.0,
        valid=False,
        failure=error.failure(),
        usage=NO_USAGE.to_dict(),
    )


def resetting(
    env: AnyEnv, seed: int, options: dict[str, object]
) -> Slow[tuple[dict[str, object], dict[str, object]]]:
    """Yield the slow work of starting an episode, and return what the environment shows."""
    if isinstance(env, ToolEnv | ToolWrapper) and _only_drives(env.reset):
        return (yield from env._reset(seed, options))
    observation, info = yield _request(env, "reset", seed=seed, options=options)
    return observation, info


def _stepping(env: AnyEnv) -> Callable[[object], Slow[Transition]]:
    """Return what yields the slow work of an action, and returns what the environment shows."""
    if isinstance(env, ToolEnv | ToolWrapper) and _only_drives(env.step):
        return env._step
    return partial(_stepped, env)


def _stepped(env: AnyEnv, action: object) -> Slow[Transition]:
    transition: Transition = yield _request(env, "step", action)
    return transition


def _only_drives(method: Callable[..., object]) -> bool:
    """Return whether a method only drives the generator of its environment, whose requests then show."""
    return getattr(method, "__func__", None) in _DRIVERS


def _request(env: AnyEnv, what: str, *args: object, **options: object) -> Request:
    """Return a call of the environment as slow work; one that cannot wait on a loop gets a thread there."""
    later = getattr(env, f"a{what}", None)
    return Request(
        run=partial(getattr(env, what), *args, **options),
        arun=None if later is None else partial(later, *args, **options),
    )


def _query(env: AnyEnv, observation: Mapping[str, object]) -> str:
    """Return the query, which a wrapper may have left out of what is observed."""
    if "query" in observation:
        return str(observation["query"])
    return str(env.get_wrapper_attr("task").query)


def _messages(env: AnyEnv, first: JsonMapping) -> list[dict[str, object]]:
    """Return the conversation of an episode that its agent left unfinished."""
    said: list[JsonObject] | None = getattr(env, "messages", None)
    return first["messages"] if said is None else said


def step_record(
    info: Mapping[str, object], reward: float, terminated: bool, truncated: bool
) -> dict[str, object]:
    """Return one step as a trajectory has it."""
    step = {"calls": info["calls"], "reward": reward, "terminated": terminated, "truncated": truncated}
    for name in ("text", "thought", "written", "code", "original_observation", "program", "problem", READS):
        if name in info:
            step[name] = info[name]
    return step


def _by_role(
    agent: Usage, environment: Usage, info: JsonMapping, before: JsonMapping
) -> dict[str, JsonObject] | None:
    """Return what each role used since an opening; None where no model was asked.

    What the environment's roles do not account for was spent on other branches of a search.
    """
    if environment == NO_USAGE:
        # As in most episodes, and the rest is made of many sums.
        return {"agent": agent.to_dict()} if agent.calls > 0 else None
    earlier = before.get("usage_by_role", {})
    roles = {"agent": agent} | {
        role: Usage(**usage) - Usage(**earlier.get(role, {}))
        for role, usage in info.get("usage_by_role", {}).items()
    }
    roles["search"] = environment + agent - sum(roles.values(), NO_USAGE)
    asked = {role: usage.to_dict() for role, usage in roles.items() if usage.calls > 0}
    return asked or None
