"""An agent for searches that knows the solution and errs on each step at a fixed, seeded rate."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from stb_env import Agent, ConfigError, Task, ToolCall, TreeSearch, seeding
from stb_env.core.gymtypes import AnyEnv
from stb_env.envs.finish import GIVE_UP
from stb_env.experiments.lab.reader import corrupted_ending, misread, named_scalars, saying, told
from stb_env.runs.baselines.null import answer
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.oracle import ending
from stb_env.suites.sandbox.template import Solution
from stb_env.tasks import Ending
from stb_env.tools import FINISH
from stb_env.trajectory import Step
from stb_env.wrappers.search import SearchTree

SLIPS = ("misread value", "mixed-up value", "wrong tool", "answer too early")
"""Mistakes of a call, each as likely as the others. An answer gets one fact wrong."""

# What a solution raises where a result has not what it needs to go on.
_STUCK = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError, ApiError)


class StumblingOracle(Agent):
    """Solves Sandbox tasks inside a search; each step is wrong with the same probability.

    It stands for a model of known reliability, so that nothing but the search decides how much of it comes
    out. From the steps to the current node it works out what a solution does next, going by whatever came
    back. It never knows that a step of its own was wrong, and goes on from the result as if it were right:
    it may well give an answer that is wrong. What it does notice is what any reader would: an error that
    the solution does not foresee, or a result without the values that come next. Then it gives up, which
    ends a chain, and sends a search back to where another step can be taken.

    Whether a step is wrong, and how, follows from the episode's seed, the task, the path to the node and
    how many steps were taken there before. So all searches meet the same luck on the same path, and a
    second try at a node is drawn anew.

    Args:
        error_rate: Share of wrong steps.

    Raises:
        ConfigError: The rate is no share.
    """

    name = "stumbling_oracle"

    def __init__(self, error_rate: float = 0.25) -> None:
        if not 0 <= error_rate <= 1:
            raise ConfigError(f"error_rate is a share from 0 to 1, got {error_rate!r}")
        self.error_rate = error_rate

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Prepare for an episode.

        Raises:
            ConfigError: The environment is no search, or not one over the Sandbox.
        """
        if not isinstance(env, TreeSearch) or env.task.suite != "Sandbox":
            raise ConfigError(
                "the stumbling oracle plays searches over the Sandbox; wrap its environment in one"
            )
        self._env, self._seed = env, seed
        self._plan = plan_of(env.task.id)

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return the next call, or the answer."""
        del observation, info
        tree = self._env.tree
        steps = tree.steps(tree.current)
        intended = _next(self._env.task, self._plan.solve(), steps)
        rng = seeding.rng("stumble", self._seed, self._env.task.id, *_place(tree))
        if intended is not None and rng.random() < self.error_rate:
            intended = self._slipped(intended, steps, rng)
        if intended is None:
            return {"name": FINISH, "arguments": {"return_type": GIVE_UP}}
        if not isinstance(intended, ToolCall):
            return answer(intended)
        return {"name": intended.name, "arguments": intended.arguments}

    def _slipped(
        self, intended: ToolCall | Ending, steps: Sequence[Step], rng: random.Random
    ) -> ToolCall | Ending | None:
        if not isinstance(intended, ToolCall):
            return corrupted_ending(self._env.task, intended, rng)
        read = [call.result.response for step in steps for call in step.calls]
        slip = rng.choice(SLIPS)
        if slip == "answer too early":
            return saying(self._env.task, told(read)) if read else None
        if slip == "wrong tool":
            others = [tool.name for tool in self._env.task.tools if tool.name != intended.name]
            return ToolCall(rng.choice(others), intended.arguments) if others else intended
        if slip == "mixed-up value" and (mixed := _mixed_up(intended, read, rng)) is not None:
            return mixed
        return ToolCall(intended.name, misread(intended.arguments, rng))


def _place(tree: SearchTree) -> Iterator[int]:
    """Yield which child each node of the path is, and which one the next step makes."""
    path = tree.path(tree.current)
    for above, index in pairwise(path):
        yield sorted(tree.nodes[above].children).index(index)
    yield len(tree.here.children)


def _next(task: Task, solution: Solution, steps: Sequence[Step]) -> ToolCall | Ending | None:
    """Return the call or the answer that follows these steps; None where the results lead nowhere."""
    try:
        request = next(solution)
        for step in steps:
            result = step.calls[0].result
            if result.error:
                request = solution.throw(ApiError(result.error))
            else:
                request = solution.send(result.response)
    except StopIteration as stop:
        return ending(task, stop.value)
    except _STUCK:
        return None
    return ToolCall(tools()[request.api.id].name, dict(request.arguments))


def _mixed_up(call: ToolCall, read: Sequence[object], rng: random.Random) -> ToolCall | None:
    """Return the call with one value taken for another of its kind that stands in what was read before."""
    if isinstance(call.arguments, str):
        return None
    seen = [value for response in read for _, value in named_scalars(response)]
    seen += [value for value in call.arguments.values() if not isinstance(value, list | dict)]
    swaps = [
        (name, other)
        for name, value in call.arguments.items()
        for other in dict.fromkeys(seen)
        if type(other) is type(value) and other != value
    ]
    if not swaps:
        return None
    name, other = rng.choice(swaps)
    return ToolCall(call.name, {**call.arguments, name: other})
