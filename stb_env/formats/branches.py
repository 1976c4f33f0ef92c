"""The branches of a search, read from the plain data that a trajectory carries as its ``tree``.

Formats write trees of any search, so what they need of one is here and not with the searches.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from stb_env.actions.finish_arguments import finish_arguments
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.formats.call_texts import given_arguments, observation_of, with_report
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import CallRecord, Trajectory
from stb_env.usage import NO_USAGE

Tree = JsonMapping

_OUTCOMES: Mapping[int, str] = {Status.FINISHED: "answer", Status.GAVE_UP: "give_up"}


def tree_of(trajectory: Trajectory) -> Tree:
    """Return the search tree of an episode; an episode without a search is a tree of one chain.

    Examples:
        >>> steps = [{"calls": [], "text": "Let me think."}]
        >>> episode = Trajectory("", "", "7", 0, 0, "?", [], [], steps, None, "", None, 0.0, True, None, {})
        >>> tree = tree_of(episode)
        >>> tree["method"], tree["best"], [node["parent"] for node in tree["nodes"]]
        ('CoT@1', None, [None, 0])
    """
    return trajectory.tree if trajectory.tree is not None else _chain(trajectory)


def tree_node(
    parent: int | None = None,
    order: int = 0,
    step: Mapping[str, object] | None = None,
    *,
    outcome: str = "open",
    answer: str = "",
    prompted: bool = False,
) -> JsonObject:
    """Return a node of a search tree as plain data, without value and visits; the root needs no arguments."""
    return {
        "parent": parent,
        "order": order,
        "step": step,
        "outcome": outcome,
        "answer": answer,
        "value": None,
        "visits": 0,
        "prompted": prompted,
    }


def tree_step(calls: Sequence[JsonMapping], text: str = "", **extra: object) -> JsonObject:
    """Return a step of a search tree as plain data; result and status follow from the calls.

    Args:
        calls: Calls as `CallRecord.to_dict` writes them; further keys are kept.
        text: What the agent wrote besides them.
        **extra: Further keys of the step.
    """
    texts = [CallRecord.from_dict(call).result.text for call in calls]
    result = f"[{', '.join(texts)}]" if len(texts) > 1 else "".join(texts)
    return {
        "calls": list(calls),
        "text": text,
        "result": result,
        "status": max((int(call["status"]) for call in calls), default=int(Status.NO_CALL)),
        **extra,
    }


def children(tree: Tree) -> Mapping[int, list[int]]:
    """Return the children of each node that has some, in order."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(tree["nodes"]):
        if node["parent"] is not None:
            found[node["parent"]].append(index)
    return found


def path(tree: Tree, index: int) -> list[int]:
    """Return the nodes from the first action to a node, by index.

    Examples:
        >>> path({"nodes": [{"parent": None}, {"parent": 0}, {"parent": 0}, {"parent": 2}]}, 3)
        [2, 3]
    """
    found = []
    while tree["nodes"][index]["parent"] is not None:
        found.append(index)
        index = tree["nodes"][index]["parent"]
    return found[::-1]


def final_node(tree: Tree) -> int:
    """Return the node on which an episode ended: the chosen one, else the last child of the last child ...

    In a depth-first search the latter is where it stopped.
    """
    if tree["best"] is not None:
        return int(tree["best"])
    below, index = children(tree), 0
    while index in below:
        index = below[index][-1]
    return index


def path_messages(trajectory: Trajectory, index: int) -> list[dict[str, object]]:
    """Return the conversation on the path to a node as OpenAI chat messages.

    On the chosen path these are the episode's own messages. On any other they are rendered from the steps,
    so what a search wrote in between, such as earlier candidates, is not among them.
    """
    tree = tree_of(trajectory)
    steps = [tree["nodes"][i]["step"] for i in path(tree, index)]
    said = [dict(message) for message in trajectory.messages]
    if index == final_node(tree) and sum(m["role"] == "assistant" for m in said) == len(steps):
        return said
    head = list(takewhile(lambda message: message["role"] in ("system", "user"), said))
    shown = [message for message in head if message.get("valid", True)]
    return [*shown, *render(steps)] if shown else render(steps, trajectory.query)


def render(steps: Iterable[Mapping[str, object]], query: str | None = None) -> list[JsonObject]:
    """Return steps of a tree as OpenAI chat messages, after the query where one is given.

    Calls and results have the texts that were written and shown, where these are known.
    """
    said = [] if query is None else [{"role": "user", "content": query}]
    for step in steps:
        said += [_reply(step), *_reactions(step)]
    return said


def _reply(step: JsonMapping) -> JsonObject:
    spoke = step["text"] or step.get("empty_thought") or not step["calls"]
    message: JsonObject = {"role": "assistant", "content": step["text"] if spoke else None}
    if step["calls"]:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": given_arguments(call)},
            }
            for call in step["calls"]
        ]
    return message


def _reactions(step: JsonMapping) -> Iterator[JsonObject]:
    for call in with_report(step):
        yield {"role": "tool", "tool_call_id": call["id"], "content": observation_of(call)}
    # An imported thought drew no reply, and there is nothing to show in its place.
    if not step["calls"] and step["result"]:
        spoken = step["status"] == Status.OK
        text = json.loads(step["result"])["response"] if spoken else step["result"]
        yield {"role": "user", "content": text}


def branches(trajectory: Trajectory) -> list[Trajectory]:
    """Return each path from the root to a leaf as a trajectory of its own, in the order of the leaves.

    The branch whose answer was played has the episode's verdict, reward and usage. The others were never
    judged: they have no verdict and no failure and are not valid, so no figure counts one. All have the
    key of the episode, of which they are parts and not repetitions.

    Args:
        trajectory: An episode; one without a search is its only branch.
    """
    tree = trajectory.tree
    if tree is None:
        return [trajectory]
    inner = children(tree)
    leaves = [index for index in range(1, len(tree["nodes"])) if index not in inner]
    return [
        played_branch(trajectory) if leaf == tree["best"] else _unjudged(_branch(trajectory, tree, leaf))
        for leaf in leaves
    ]


def played_branch(trajectory: Trajectory) -> Trajectory:
    """Return the path of a search on which its episode ended, with all that the episode earned."""
    if trajectory.tree is None:
        return trajectory
    branch = _branch(trajectory, trajectory.tree, final_node(trajectory.tree))
    if branch.steps:
        earned = {**branch.steps[-1], "reward": trajectory.reward}
        branch = replace(branch, steps=[*branch.steps[:-1], earned])
    return branch


def _branch(trajectory: Trajectory, tree: Tree, leaf: int) -> Trajectory:
    node = tree["nodes"][leaf]
    steps = saved_steps([tree["nodes"][i]["step"] for i in path(tree, leaf)], node["outcome"])
    said, given = path_messages(trajectory, leaf), _given(node["step"])
    answer, cannot = given.get("answer"), given.get("cannot")
    typed = isinstance(answer, Mapping) or isinstance(cannot, Mapping)
    if typed and leaf == final_node(tree):
        # As it was read, with the listed spelling of every value.
        answer, cannot = trajectory.answer, trajectory.cannot
    return replace(
        trajectory,
        messages=said,
        steps=steps,
        answer=answer if typed else None,
        cannot=cannot if typed else None,
        final_answer=given.get("final_answer") or "" if typed else node["answer"],
        tree=None,
    )


def _given(step: JsonMapping | None) -> JsonMapping:
    """Return the arguments of the Finish that ends a step, empty where none does."""
    for call in step["calls"] if step else ():
        if call["name"] == FINISH and call["status"] == Status.FINISHED:
            return finish_arguments(ToolCall(FINISH, call["arguments"]))
    return {}


def _unjudged(branch: Trajectory) -> Trajectory:
    return replace(branch, verdict=None, reward=0.0, valid=False, failure=None, usage=NO_USAGE.to_dict())


def saved_steps(steps: Iterable[Mapping[str, object]], outcome: str) -> list[JsonObject]:
    """Return steps of a tree in the form that a trajectory's ``steps`` have.

    Args:
        steps: The steps of one path, all of them.
        outcome: What became of the path.
    """
    saved = []
    for step in steps:
        kept = {name: value for name, value in step.items() if name not in ("result", "status", "text")}
        kept |= {"reward": 0.0, "terminated": False, "truncated": False}
        saved.append(kept | ({"text": step["text"]} if step["text"] else {}))
    if saved:
        saved[-1]["terminated" if outcome in ("answer", "give_up") else "truncated"] = True
    return saved


def _chain(trajectory: Trajectory) -> Tree:
    nodes = [tree_node()]
    said = [message for message in trajectory.messages if message["role"] == "assistant"]
    for number, step in enumerate(trajectory.steps, 1):
        told = said[number - 1].get("content") if len(said) == len(trajectory.steps) else ""
        kept = {name: value for name, value in step.items() if name not in ("text", "calls")}
        full = tree_step(step["calls"], step.get("text") or told or "", **kept)
        nodes.append(tree_node(number - 1, number, full))
    last = nodes[-1]
    if last["step"]:
        cut = "failed" if trajectory.failure else "depth" if last["step"].get("truncated") else "open"
        last["outcome"] = _OUTCOMES.get(last["step"]["status"], cut)
        last["answer"] = trajectory.text
    return {
        "method": "CoT@1",
        "settings": {"tries": 1, "answers": 1},
        "queries": int(trajectory.usage.get("calls", 0)) or len(trajectory.steps),
        "tokens": int(trajectory.usage.get("total_tokens", 0)),
        "best": len(nodes) - 1 if last["outcome"] == "answer" else None,
        "current": len(nodes) - 1,
        "nodes": nodes,
    }
