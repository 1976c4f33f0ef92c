"""Episodes that were played elsewhere, as trajectories without a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stb_env.actions import finish_arguments
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.formats.branches import Tree, final_node, path, render, saved_steps
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import Trajectory
from stb_env.trajectory_line import text_of
from stb_env.usage import Usage
from stb_env.verdict import Verdict, Vote

UNJUDGED: JsonMapping = {
    "kind": "judge",
    "stage": "judge",
    "retryable": True,
    "message": "imported and not judged yet; judge the run",
}


class Origin(NamedTuple):
    """Properties of an episode that follow from the place of its file.

    Attributes:
        task_id: The query.
        method: The search.
        suite: Suite of the task.
        group: Group of the task.
        seed: Tells it from episodes of the same query in the same run.
    """

    task_id: str
    method: str = "CoT@1"
    suite: str = ""
    group: str = ""
    seed: int = 0


def imported(
    origin: Origin,
    query: str,
    functions: Sequence[Mapping[str, object]],
    tree: Tree,
    messages: Sequence[Mapping[str, object]] = (),
) -> Trajectory:
    """Build the trajectory of an episode that was played elsewhere.

    An episode with an answer has no verdict and is not valid until a judge has decided, so that no figure
    takes it for solved or failed. One that gave up or ran out of turns is unsolved without a judge.

    Args:
        origin: Where it came from.
        query: The query.
        functions: Function specs, wrapped or flat, Finish included.
        tree: Its search tree, in which the path that counts is the one to `final_node`.
        messages: The conversation on that path; made of its steps where there is none.
    """
    last = final_node(tree)
    outcome = tree["nodes"][last]["outcome"]
    steps = [tree["nodes"][index]["step"] for index in path(tree, last)]
    answered = outcome == "answer"
    given = _given(steps[-1]) if steps else {}
    typed, cannot = _typed(given, "answer"), _typed(given, "cannot")
    prose = given.get("final_answer", "") if typed or cannot else tree["nodes"][last]["answer"]
    unsolved = Verdict.of("unsolved", judge="env", votes=(Vote("unsolved", _reason(outcome)),))
    return Trajectory(
        suite=origin.suite,
        group=origin.group,
        task_id=origin.task_id,
        trial=0,
        seed=origin.seed,
        query=query,
        tools=[wrapped(function) for function in functions],
        messages=list(messages) or render(steps, query),
        steps=saved_steps(steps, outcome),
        answer=typed,
        final_answer=prose,
        cannot=cannot,
        verdict=None if answered else unsolved.to_dict(),
        reward=0.0,
        valid=not answered,
        failure=UNJUDGED if answered else None,
        usage=Usage(total_tokens=tree["tokens"], calls=tree["queries"]).to_dict(),
        tree=tree,
    )


def wrapped(function: Mapping[str, object]) -> JsonMapping:
    """Return a function spec in OpenAI's wrapped form.

    Examples:
        >>> wrapped({"name": "ping"})
        {'type': 'function', 'function': {'name': 'ping'}}
    """
    return function if "function" in function else {"type": "function", "function": function}


def answer_in(step: Mapping[str, object]) -> str:
    """Return the answer that a step gives, as text; empty where it gives none."""
    given = _given(step)
    said = given.get("final_answer")
    prose = said if isinstance(said, str) else "" if said is None else jsontext.dumps(said)
    return text_of(prose, _typed(given, "answer"), _typed(given, "cannot"))


def _given(step: JsonMapping) -> JsonMapping:
    """Return the arguments of the Finish that a step ends with; empty without one."""
    for call in step["calls"]:
        if call["name"] == FINISH and call["status"] == Status.FINISHED:
            return finish_arguments(ToolCall(FINISH, call["arguments"]))
    return {}


def _typed(given: Mapping[str, object], name: str) -> Mapping[str, object] | None:
    value = given.get(name)
    return value if isinstance(value, dict) else None


def _reason(outcome: str) -> str:
    return "the agent gave up" if outcome == "give_up" else "it ended without an answer"
