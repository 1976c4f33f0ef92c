"""Runs programs in a child process that is watched: the second line behind the budget.

The budget ends whatever it has a charge for, at the same step everywhere. What it has forgotten to charge
ends with its child, and the program is told what the budget would have told it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from stb_env.core.children import ChildEndedError, ChildFailedError, Children, StoppedError
from stb_env.core.request import Request, Slow
from stb_env.errors import BackendError, bug_in
from stb_env.suites.sambanova.common.interpreter.budget import Budget
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.tools import ToolResult

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

# Far more seconds than a budget lets a program take on a slow machine.
CHILDREN = Children(seconds=10.0, told=CrashError)
"""Where the programs run."""


def watched(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of a module in a child, with what can be pickled, and return what it returns.

    Raises:
        CrashError: The function raised it, or the child was stopped.
        Exception: Whatever else the function raises.

    Examples:
        >>> watched(sum, [1, 2])
        3
    """
    for _ in range(2):
        try:
            return CHILDREN.run(function, *args, **kwargs)
        except StoppedError:
            raise Budget().exceeded from None
        except ChildEndedError:
            # Something else may have ended it: the program's own fault happens again.
            continue
        except ChildFailedError:
            # A bug of ours: here it has its traceback.
            return function(*args, **kwargs)
    raise CrashError("the program brought the interpreter down")


def watched_world(
    play: Callable[Concatenate[S, P], tuple[ToolResult, S]], state: S, /, *args: P.args, **kwargs: P.kwargs
) -> Slow[tuple[ToolResult, S]]:
    """Run a program on the state of a world in a child, while no event loop waits for it.

    Args:
        play: Runs it; a function of a module. A program that crashes leaves the state as it is.
        state: The state of the world.
        *args: The program, and what else it is run with.
        **kwargs: More of that.
    """
    try:
        answer: tuple[ToolResult, S] = yield Request(run=partial(watched, play, state, *args, **kwargs))
    except CrashError as error:
        return ToolResult.of("", error=str(error), source="world"), state
    except Exception as error:
        raise BackendError(bug_in("the program's world", error, play), stage="world") from error
    return answer
