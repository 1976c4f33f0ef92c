"""Tasks of generated worlds with what they were made of, and the calls that solve them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from stb_env.suites.worlds.drawing.draw_goal import Drawn
from stb_env.suites.worlds.goals.refusals import Missing, Refusal
from stb_env.suites.worlds.oracle.asking import Asker, OpenGoal
from stb_env.suites.worlds.oracle.careful import CarefulPlayer
from stb_env.suites.worlds.oracle.persistent import persistent, told
from stb_env.suites.worlds.oracle.player import Player
from stb_env.suites.worlds.oracle.requests import Plan
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.oracle.solve import Solved
from stb_env.suites.worlds.oracle.watching import watchful
from stb_env.suites.worlds.world import Built, built
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult


@dataclass(frozen=True, eq=False)
class WorldTask:
    """A task with what it was made of.

    Attributes:
        key: The world's key: a task does not keep its world in memory.
        drawn: The goal, and what solves it.
        solved: The oracle's plan, without the requests, which `Task.gold` has.
        task: The task.
        paired: Whether it is one of a pair, of which one cannot be met.
        refusal: Why it cannot be met; None where it can.
        missing: The name in it that is no row's, if there is one.
        open: The goal as the request tells it, where it leaves something open.
    """

    key: str
    drawn: Drawn
    solved: Solved
    task: Task
    paired: bool = False
    refusal: Refusal | None = None
    missing: Missing | None = None
    open: OpenGoal | None = None

    @property
    def world(self) -> Built:
        """The world, built again where it is no longer kept."""
        return built(self.key)

    def play(self) -> Generator[ToolCall, ToolResult, Ending]:
        """Yield the calls that solve the task, each sent its result; return the arguments of Finish."""
        moving = bool(self.task.goal.get("script", {}).get("events"))
        session = Session(self.world)
        plan = session.carried(self._plan(watches=moving))
        response: object = None
        while True:
            try:
                request = plan.send(response)
            except StopIteration as stop:
                ending: Ending = stop.value
                return ending
            result = yield from persistent(self.world, request, session)
            response = told(result)
            if result.error and self.missing is None and not moving:
                return f"This cannot be done any more: {result.error}"

    def plan(self, *, watches: bool) -> Plan:
        """Yield the calls of the oracle's requests, and return the arguments of Finish.

        Args:
            watches: Whether it looks what others change.
        """
        return Session(self.world).carried(self._plan(watches=watches))

    def _plan(self, *, watches: bool) -> Plan:
        goal, missing = self.drawn.goal, self.missing
        if self.open is not None:
            asker = Asker(self.world)
            goal = yield from asker.fill(self.open)
            missing = asker.missing or missing
        known, named = goal, missing

        def start() -> Plan:
            # One of a pair has to look whether it can be met.
            if self.paired:
                return CarefulPlayer(self.world, self.solved.modes).end(known, named)
            return Player(self.world, self.solved.modes).solve(known)

        if watches:
            ended = yield from watchful(self.world, known, self.solved.modes, start, paired=self.paired)
        else:
            ended = yield from start()
        return ended if self.paired else {"answer": ended}
