"""Judge whether the table ended up as it was asked for.

Where the default differs from the original's tests, those let something slip, or refuse what was asked for:

- A stack is any heap there: heights are not looked at. Here every block stands on another.
- Blocks in bowls of other colours: there colours are not looked at. Here they are.
- A diagonal line is tested on one side of the table's two diagonals there, so that a heap beside one passes
  and a line elsewhere does not. Here it is any straight line that rises or falls, and blocks of a line stand
  beside each other.
- A corner or a side is one point there, with 5 cm around it, so that four blocks only fit as a tower. Here a
  side is the strip of 15 cm along its edge, and a corner where two such strips meet; a block that is to have
  a side of its own stands nearer to it than to the next.
- Where one block is to be moved, or some, the others may be anywhere there. Here they stay where they were.
- Blocks that have no bowl of their colour may be moved anywhere there. Here they stay where they were.
- A failing call is the end there. Here it changes nothing, and a later move can make up for it; whether any
  call failed is said all the same.
- An empty generation counts as executable there. Here something has to be done.
"""

from __future__ import annotations

from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.verdicts import (
    first_error,
    is_executable,
    made_calls,
    state_of,
    verdict_of,
    verdict_on_parts,
)
from stb_env.suites.sambanova.tabletop.checks import reached, succeeded
from stb_env.suites.sambanova.tabletop.primitives import BY_NAME
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.targets import Look
from stb_env.suites.sambanova.tabletop.world import start_of
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict


class TabletopJudge:
    """Looks at the table at the end.

    The parts of a verdict are what the goal asks for, block by block where it can be. No call may fail after
    the last move.

    Args:
        original: Whether to judge as the original does, its defects included.
    """

    def __init__(self, *, original: bool = False) -> None:
        self.name = "original" if original else "exact"
        self._original = original

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The case does not carry the table.
        """
        yield from ()
        scene, calls, goal = state_of(case, Scene, "table"), made_calls(case), case.task.goal
        look = Look(goal["slots"], start_of(case.task).positions, scene.positions)
        if self._original:
            executable = is_executable(calls) or not calls
            success = succeeded(goal["type"], look, original=True) and executable
            return verdict_of(self.name, success=success, executable=executable, reason=first_error(calls))
        return verdict_on_parts(self.name, calls, reached(goal["type"], look), _moves)


def _moves(call: CallRecord) -> bool:
    """Return whether a call moved a block."""
    told = call.result.response
    if call.name == PROGRAM:
        return bool(told["moved"])
    return BY_NAME[call.name].moves and bool(told)
