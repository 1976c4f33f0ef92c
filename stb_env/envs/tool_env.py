"""The one Gymnasium environment: a query is an episode, an action is a tool call."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import gymnasium as gym
from gymnasium.error import ResetNeeded

from stb_env.actions import Action, parse_action
from stb_env.backend.own import BackendLike, UserLike, as_backend, as_user
from stb_env.core import jsontext
from stb_env.core.episode_html import episode_html
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.kinds import Count
from stb_env.core.request import Slow, adrive, drive
from stb_env.core.settings import checks_settings
from stb_env.envs.episode_text import episode_text
from stb_env.envs.functions import functions_of, program_of
from stb_env.envs.observation import Limits, info_of, limits_of, observation_of, observation_space
from stb_env.envs.programs import PYTHON_TOOL, Actions, Programs, check_code_setting
from stb_env.envs.reset_options import read_options, read_order, read_shard
from stb_env.envs.rules import Compat, Potential, Rules
from stb_env.envs.state import State
from stb_env.envs.wording import Wording
from stb_env.errors import ConfigError, DataError
from stb_env.judges.own_judge import JudgeLike, as_judge
from stb_env.models.prompting import prompt
from stb_env.seeding import derive, draw
from stb_env.spaces import ToolCallSpace
from stb_env.tasks import Oracle, Task, TaskSource
from stb_env.tools import Tool, ToolCall
from stb_env.trajectory import messages
from stb_env.verdict import RewardMode

Visible = Callable[[Task, Any], Sequence[Tool]]
"""Of a task and the backend's state."""
Observation = JsonObject
Info = JsonObject
Transition = tuple[Observation, float, bool, bool, Info]

# Draws from an endless source: any index is a task, this many are told apart.
_ENDLESS = 2**31


class ToolEnv(gym.Env[Observation, Any]):
    """Plays queries against tools: action in, API answer out, verdict as terminal reward.

    The observation is ``Dict(query, tools, result: text; status, turn: Discrete)``. The action is text
    (a dict or list is taken too) in any form of `stb_env.actions`. ``reward`` is 0.0 until the episode
    ends, then the verdict's score. Infrastructure failures end an episode with ``truncated``, reward 0.0
    and ``info["valid"]`` False.

    Args:
        tasks: Where tasks come from.
        backend: Answers tool calls; a class of your own may return its answers or await them (`OwnBackend`).
        judge: Decides on final answers; a function will do (`OwnJudge`).
        max_turns: Actions after which an episode is cut off.
        order: ``"random"`` draws tasks with the environment's generator, ``"sequential"`` goes through
            them in order.
        shard: ``(i, n)``: sequential order visits tasks i, i + n, i + 2n ...
        limits: Bounds on the texts of an observation, as a `Limits` or a dict of its fields.
        compat: ``"original"`` for the look-up and the step codes of Guo et al., 2024.
        reward: ``sparse`` is the verdict's score; ``partial`` the share of the verdict's parts that were
            earned; ``dense`` shapes the reward of each step by ``potential``, so that their sum is the score:
            that helps agents that learn from steps and tells groups of whole episodes nothing.
        potential: How far an episode has come, for dense rewards (see `Rules`).
        oracle: Solves a task, where the suite knows how; the gold agent and validation drive it.
        parse: Reads actions, for tasks with a syntax of their own.
        halt_on_error: Whether a failing call keeps the later ones of the same action from being made.
        user: Answers what the agent writes without a call, in tasks that are conversations; a function
            will do (`OwnUser`).
        user_hears_finish: Whether a Finish with an answer goes to the user as plain text does (see `Rules`).
        visible: Which of a task's tools the agent sees and can call by now, where it has to find them first.
        wording: What the agent reads besides tools and results.
        actions: ``code`` takes programs in Python in place of calls; the task's tools are functions in them.
            It needs the extra ``code``, and goes neither with ``compat`` nor with a ``parse`` of the tasks'.
        render_mode: ``"ansi"`` returns the episode as text, ``"html"`` as HTML, which a notebook shows;
            ``"human"`` writes it to standard output.

    Raises:
        ConfigError: A setting is out of range.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = notes()
        >>> obs, info = env.reset(seed=0)
        >>> obs, reward, terminated, truncated, info = env.step("just chatting")
        >>> int(obs["status"]), reward, terminated
        (4, 0.0, False)
        >>> branch = env.fork()
        >>> action = {"name": "Finish", "arguments": {"final_answer": "That I do not know."}}
        >>> branch.step(action)[2], env.step("more chatting")[2]
        (True, False)
    """

    metadata: ClassVar[JsonObject] = {  # type: ignore[misc] # Env declares an instance variable
        "render_modes": ["ansi", "html", "human"],
        "render_fps": 1,
    }

    @checks_settings
    def __init__(
        self,
        tasks: TaskSource,
        backend: BackendLike,
        judge: JudgeLike,
        *,
        max_turns: Count = 24,
        order: Literal["random", "sequential"] = "random",
        shard: tuple[int, int] = (0, 1),
        limits: Limits | Mapping[str, int] | None = None,
        compat: Compat | None = None,
        reward: RewardMode | None = None,
        potential: Potential | None = None,
        oracle: Oracle | None = None,
        parse: Callable[[Any], Action] = parse_action,
        halt_on_error: bool = False,
        user: UserLike | None = None,
        user_hears_finish: bool = False,
        visible: Visible | None = None,
        wording: Wording | None = None,
        actions: Actions = "calls",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            *modes, last = map(repr, self.metadata["render_modes"])
            raise ConfigError(f"render_mode must be None, {', '.join(modes)} or {last}, got {render_mode!r}")
        if actions == "code":
            check_code_setting(compat, own_syntax=parse is not parse_action)
        self.tasks = tasks
        self.oracle = oracle
        self.wording = wording or Wording(prompt("agent_programs", "v1") if actions == "code" else None)
        self.rules = Rules(
            as_backend(backend),
            as_judge(judge),
            max_turns,
            limits_of(limits),
            compat,
            _reward_mode(reward, potential),
            potential if reward in (None, "dense") else None,
            parse,
            halt_on_error,
            None if user is None else as_user(user),
            user_hears_finish,
            original_finish=self.wording.finish is not None,
            programs=Programs() if actions == "code" else None,
        )
        self.visible = visible
        self.order, self.shard = order, read_shard(shard)
        self.render_mode = render_mode
        self.observation_space = observation_space(max_turns, self.rules.limits)
        self.action_space = ToolCallSpace()
        self._position = 0
        self._state: State | None = None
        self._branch_seed: int | None = None

    # -- Gymnasium -------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode.

        Args:
            seed: Seeds the environment's generator, which draws the task and the episode's seed.
            options: ``task_id`` chooses the task; ``order`` and ``shard`` override the settings; ``seed``
                sets the episode's seed alone.

        Raises:
            ConfigError: An option is unknown.
            DataError: There is no task of that id.
        """
        return drive(self._reset(seed, options))

    async def areset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode on the event loop; see `reset`."""
        return await adrive(self._reset(seed, options))

    def step(self, action: object) -> Transition:
        """Play one action; see the class for what comes back.

        Raises:
            ResetNeeded: No episode is running.
        """
        return drive(self._step(action))

    async def astep(self, action: object) -> Transition:
        """Play one action on the event loop; see `step`."""
        return await adrive(self._step(action))

    def render(self) -> str | None:
        """Return the episode as text (``ansi``, ``html``) or write it to standard output (``human``)."""
        if self.render_mode is None:
            return None
        state = self._running()
        if self.render_mode == "html":
            said = messages("", self._task.query, state.steps)
            return episode_html(said, verdict=state.verdict, failure=state.failure)
        text = episode_text(messages("", self._task.query, state.steps), verdict=state.verdict)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """Release the backend's handles."""
        self.rules.backend.close()

    # -- branching -------------------------------------------------------------------------------

    def snapshot(self) -> State:
        """Return the episode's state: immutable, picklable, free to keep.

        Raises:
            ResetNeeded: No episode was started.
        """
        return self._running()

    def restore(self, state: State) -> None:
        """Continue from a state of this or an equal environment.

        Raises:
            DataError: The state's task does not exist here.
        """
        if self._state is None or state.task_id != self._state.task_id:
            self._set_task(self.tasks.get(state.task_id))
        self._state = state
        self._offer_visible(state)

    def fork(self) -> Self:
        """Return an independent environment in the same state; costs a few microseconds."""
        branch = object.__new__(type(self))
        branch.__dict__.update(self.__dict__)
        branch.action_space = self.action_space.copy()  # type: ignore[attr-defined] # always a ToolCallSpace
        branch._np_random = None
        branch._branch_seed = (
            None if self._state is None else derive("fork", self._state.seed, self._state.turn)
        )
        return branch

    # -- what agents and recorders may read --------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task of the running episode."""
        self._running()
        return self._task

    @property
    def max_turns(self) -> int:
        """Actions after which an episode is cut off; in wrappers, ``env.get_wrapper_attr("max_turns")``."""
        return self.rules.max_turns

    @property
    def messages(self) -> list[dict[str, object]]:
        """The episode so far as OpenAI chat messages."""
        state, wording = self._running(), self.wording
        system = wording.system(self._task, tuple(self._tools.values()))
        if self.rules.programs is not None:
            instructions = self.rules.programs.instructions((*self._tools.values(), self.finish))
            system = f"{system}\n\n{instructions}".lstrip()
        return messages(system, wording.user(self._query), state.steps)

    @property
    def finish(self) -> Tool:
        """The Finish of the running task, as the agent sees it."""
        return self.wording.finish or self.rules.finish_form(self._task).tool

    def read(self, action: object) -> Action:
        """Return what an action says to this environment; plays nothing."""
        return self.rules.read(self._tools, action)

    def program_of(self, calls: Iterable[ToolCall]) -> str:
        """Return a program that makes calls and prints what each returns, as an agent may write it."""
        functions = functions_of((*self._tools.values(), self.finish))
        code = program_of([(call.name, call.arguments) for call in calls], functions)
        return f"```python\n{code}\n```"

    # -- core: wrappers of this package build on these two --------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        yield from ()
        chosen = read_options(options)
        drawn, episode_seed = self._drawn(seed)
        self._set_task(self._choose(drawn, chosen))
        self._state = self.rules.start(self._task, int(chosen.get("seed", episode_seed)))
        self._offer_visible(self._state)
        return self._observation(), self._info(bookend=True) | {"max_turns": self.max_turns}

    def _drawn(self, seed: int | None) -> tuple[int, int]:
        """Draw what a reset needs: a task, even where it is named, so that naming it changes nothing else."""
        if seed is None and self._np_random is None and self._branch_seed is not None:
            seed = self._branch_seed
        super().reset(seed=seed)
        return draw(self.np_random), draw(self.np_random)

    def _choose(self, drawn: int, options: Mapping[str, object]) -> Task:
        if options.get("task_id") is not None:
            return self.tasks.get(str(options["task_id"]))
        return self.tasks.at(self._index(drawn, options))

    def _index(self, drawn: int, options: JsonMapping) -> int:
        if read_order(options.get("order", self.order)) == "random":
            return drawn % (self.tasks.size or _ENDLESS)
        first, stride = read_shard(options.get("shard", self.shard))
        self._position += 1
        return first + stride * (self._position - 1)

    def _set_task(self, task: Task) -> None:
        self._task = task
        limit = self.rules.limits.query
        self._query = task.query if len(task.query) <= limit else task.query[:limit]
        self._offer(task.tools)

    def _offer(self, tools: Sequence[Tool]) -> None:
        """Set what the agent sees and may call besides Finish, until another task or another offer."""
        offered = (*tools, self.finish) if self.rules.programs is None else (PYTHON_TOOL, self.finish)
        text = "[" + ", ".join([tool.spec for tool in offered]) + "]"
        limit = self.rules.limits.tools
        if len(text) > limit:
            raise DataError(
                f"the tools of task {self._task.id!r} take {len(text)} characters, limits.tools allows "
                f"{limit}; offer fewer (own tools: --retrieve 20, or tools import --only 'get_*'), or raise "
                "the limit with limits={'tools': ...}"
            )
        # Thousands of sessions play the same tasks.
        self._tools, self._tools_text = _by_name(tools), sys.intern(text)
        self.action_space.tools = offered  # type: ignore[attr-defined] # always a ToolCallSpace

    def _offer_visible(self, state: State) -> None:
        if self.visible is None:
            return
        tools = self.visible(self._task, state.backend)
        if len(tools) != len(self._tools) or any(tool.name not in self._tools for tool in tools):
            self._offer(tools)

    def _step(self, action: object) -> Slow[Transition]:
        state = self._running()
        if state.over:
            raise ResetNeeded("this episode is over; call env.reset() before env.step()")
        self._state = state = yield from self.rules.advance(self._task, self._tools, state, action)
        self._offer_visible(state)
        step = state.steps[-1]
        if self.render_mode == "human":
            self.render()
        return (
            self._observation(),
            step.reward,
            step.terminated,
            step.truncated,
            self._info(bookend=state.over),
        )

    def _running(self) -> State:
        if self._state is None:
            raise ResetNeeded("no episode is running; call env.reset() first")
        return self._state

    def _observation(self) -> Observation:
        return observation_of(self._running(), self._query, self._tools_text)

    def _info(self, *, bookend: bool) -> Info:
        more: Info = {}
        if bookend:
            more = {"tools": jsontext.read_exactly(self._tools_text), "messages": self.messages}
        return info_of(self._running(), self._task, self.rules.reward, more)


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    named: dict[str, Tool] = {}
    for tool in tools:
        # A task of the original can have a name twice (see `Task.checked`): it reaches the first alone.
        named.setdefault(tool.name, tool)
    return named


def _reward_mode(reward: RewardMode | None, potential: Potential | None) -> RewardMode:
    if reward == "dense" and potential is None:
        raise ConfigError(
            "reward='dense' needs potential=, which says how far an episode has come; give one, or take "
            "reward='partial'"
        )
    return reward or ("sparse" if potential is None else "dense")
