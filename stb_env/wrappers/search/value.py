"""Value functions: the expected score of a node, from 0 to 1, never read off the episode's verdict."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from stb_env.core.request import Slow
from stb_env.envs.finish import finish_form
from stb_env.errors import ConfigError
from stb_env.judges.judge import Case, Judge
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import CallRecord, Step
from stb_env.usage import NO_USAGE, Usage
from stb_env.wrappers.search.tree import Outcome, SearchTree, middle


class NodeView(NamedTuple):
    """View of a node for values and rankings.

    Attributes:
        task: The task.
        steps: Every step from the root to the node, its own last.
        outcome: What became of it.
        answer: Its final answer; empty where none was given.
        backend: The backend's state after the steps, for values that may know the truth and are then named
            as oracles.
    """

    task: Task
    steps: tuple[Step, ...]
    outcome: Outcome
    answer: str
    backend: Any = None

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Every call of the steps, in order."""
        return tuple(call for step in self.steps for call in step.calls)


def view_of(task: Task, tree: SearchTree, index: int) -> NodeView:
    """Return what values and rankings see of a node."""
    node = tree.nodes[index]
    # An answer or a give-up was not played: the backend is as the node above left it.
    state = middle(node.state) or middle(tree.nodes[node.parent or 0].state)
    return NodeView(task, tree.steps(index), node.outcome, node.answer, state.backend)


class Scored(NamedTuple):
    """A number with what it cost to find it.

    Attributes:
        score: From 0 to 1.
        usage: What a model used for it.
    """

    score: float
    usage: Usage = NO_USAGE


Score = float | Scored
Value = Callable[[NodeView], Score | Slow[Score]]
"""Of a node; may ask a model by yielding requests."""


def settled(found: Score | Slow[Score], what: str) -> Slow[Scored]:
    """Return a score once it is there.

    Args:
        found: The score, or a generator that finds it.
        what: What was asked, for the error.

    Raises:
        ConfigError: It is not from 0 to 1.
    """
    score = (yield from found) if isinstance(found, Generator) else found
    scored = score if isinstance(score, Scored) else Scored(float(score))
    if not 0 <= scored.score <= 1:
        raise ConfigError(f"a {what} must be from 0 to 1, got {scored.score!r}")
    return scored


def heuristic_value(view: NodeView) -> float:
    """Estimate a node from its calls alone: how many were answered, whether the last one was, what is new.

    An answer is worth half a point and half the share of calls that were answered; nothing where it is
    empty. Any other node gets 0.4 where its last step was answered, 0.3 times the share of all calls that
    were, and 0.3 where its last step brought a result that no earlier one had. It does not read the query.

    Examples:
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> step = Step((), "Let me think.", status=Status.NO_CALL)
        >>> heuristic_value(NodeView(Task("1", "?", (search,)), (step,), "open", ""))
        0.0
    """
    played = view.steps[:-1] if view.outcome == "answer" else view.steps
    worked = [call.result.status is Status.OK for step in played for call in step.calls]
    share = sum(worked) / len(worked) if worked else 0.0
    if view.outcome == "answer":
        return 0.5 + 0.5 * share if view.answer.strip() else 0.0
    last = view.steps[-1] if view.steps else None
    if view.outcome in ("give_up", "failed") or last is None or not last.calls:
        return 0.0
    news = all(step.result != last.result for step in view.steps[:-1])
    return 0.4 * (last.status is Status.OK) + 0.3 * share + 0.3 * news


def unlabelled(task: Task) -> Task:
    """Return a task as an agent knows it: without gold calls, goal, marked APIs and the data set's record.

    Examples:
        >>> from stb_env.tools import Tool
        >>> unlabelled(Task("1", "?", (Tool("search", "", {}),), goal={"answer": 42})).goal
        {}
    """
    return replace(task, relevant=(), gold=(), goal={}, record={})


def as_value(value: Value | Judge) -> Value:
    """Return a value, made of a judge where that was given.

    Examples:
        >>> from stb_env.judges.heuristic import HeuristicJudge
        >>> as_value(HeuristicJudge()).__name__, as_value(heuristic_value).__name__
        ('judge:heuristic', 'heuristic_value')
    """
    return value if callable(value) else JudgeValue(value)


class JudgeValue:
    """Values answers by a judge of the search's own, and other nodes by another value.

    The judge sees no label of the task and no state of the world. Still, give it a judge that the episode
    is not scored by.

    Args:
        judge: Decides on the answers of a search.
        before: Values nodes without an answer; halved, so that a solved answer is above all of them.
        oracle: Whether the judge may see labels and state, as exact verifiers must. Such a search knows the
            truth: say so in every table. Its name begins with ``oracle``.

    Examples:
        >>> from stb_env.judges.heuristic import HeuristicJudge
        >>> from stb_env.core.request import drive
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> value = JudgeValue(HeuristicJudge())
        >>> value.__name__, drive(value(NodeView(Task("1", "?", (search,)), (), "answer", ""))).score
        ('judge:heuristic', 0.0)
    """

    def __init__(self, judge: Judge, before: Value = heuristic_value, *, oracle: bool = False) -> None:
        self._judge = judge
        self._before = before
        self._oracle = oracle
        self.__name__ = f"{'oracle' if oracle else 'judge'}:{judge.name}"

    def __call__(self, view: NodeView) -> Slow[Score]:
        """Return the verdict's score for an answer, half the other value for anything else.

        Raises:
            JudgeError: No usable verdict came.
        """
        if view.outcome != "answer":
            scored = yield from settled(self._before(view), "value")
            return scored._replace(score=scored.score / 2)
        task, state = (view.task, view.backend) if self._oracle else (unlabelled(view.task), None)
        case = Case(task, view.answer, view.calls, state)
        if isinstance(task.answer, Mapping) and view.calls[-1].name == FINISH:
            call = view.calls[-1]
            finish = finish_form(task, gives_up=True).read(ToolCall(FINISH, call.arguments, call.id))
            case = replace(case, final_answer=finish.final_answer, answer=finish.answer, cannot=finish.cannot)
        verdict = yield from self._judge.judge(case)
        return Scored(verdict.score, verdict.usage or NO_USAGE)
