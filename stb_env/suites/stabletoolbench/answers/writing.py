"""Writing a trajectory as an answer file of StableToolBench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.formats.branches import Tree, children, path, path_messages, tree_of
from stb_env.formats.call_texts import given_arguments
from stb_env.suites.stabletoolbench.answers.conversion import convert
from stb_env.suites.stabletoolbench.answers.messages import opening, split_lists, to_original
from stb_env.suites.stabletoolbench.answers.nodes import CONSTANTS, Raw, childless, mark, size_of, write_nodes
from stb_env.suites.stabletoolbench.answers.reading import SETTINGS
from stb_env.trajectory import Trajectory

_ARGUMENTS = {ours: theirs for theirs, ours in SETTINGS.items()}


def method_of(trajectory: Trajectory) -> str:
    """Return the name of an episode's search; a single chain is ``CoT@1``."""
    return str(tree_of(trajectory)["method"])


def answer_file(trajectory: Trajectory) -> dict[str, object]:
    """Return an episode as an answer file; chains have ``trys``, any other search a ``tree``.

    The observation of a call is what the agent was shown. Where nothing was answered, a tree reports its last
    give-up; the original picks one at random. ``is_terminal`` is always false, and ``win`` of a try says
    whether an earlier one had won: both are so in the original's files.

    Args:
        trajectory: Any episode.
    """
    tree = tree_of(trajectory)
    dialect = tree["settings"].get("document", {})
    groups = write_nodes(tree, dialect.get("node", CONSTANTS))
    best = _reported(tree)
    answers = _answers(tree)
    generation = _generation(trajectory, tree, best, dialect)
    arguments = {
        _ARGUMENTS.get(name, name): value for name, value in tree["settings"].items() if name != "document"
    }
    if _is_chains(tree):
        found = _tries(tree, groups)
    else:
        mark(tree, groups)
        found = {"tree": {**size_of(tree, groups), "tree": groups[0][0]}}
        generation["finish_type"] = _finish_type(tree, best)
    return {
        "win": bool(answers),
        **found,
        "forward_args": arguments,
        "compare_candidates": [_line(tree, groups, index) for index in answers],
        "answer_generation": generation,
    }


def converted_entry(trajectory: Trajectory, method: str | None = None) -> JsonObject:
    """Return an episode as an entry of converted answers.

    Args:
        trajectory: Any episode.
        method: Name that the entry gives to the method; that of the episode's search by default.
    """
    return convert(answer_file(trajectory), method or method_of(trajectory))


def _generation(
    trajectory: Trajectory, tree: Tree, best: int | None, dialect: Mapping[str, object]
) -> dict[str, object]:
    flat = dialect.get("functions") == "flat"
    generation: JsonObject = {
        "valid_data": best is not None,
        "final_answer": "" if best is None else _final_text(tree["nodes"][best]),
        "function": [tool["function"] if flat else tool for tool in trajectory.tools],
        "query_count": tree["queries"],
        "total_tokens": tree["tokens"],
        "chain": [],
        "query": trajectory.query,
    }
    if best is not None:
        lists = split_lists(opening(path_messages(trajectory, best)))
        legacy = dialect.get("messages") == "legacy"
        generation["train_messages"] = [to_original(messages, legacy=legacy) for messages in lists]
    elif _is_chains(tree):
        generation["train_messages"] = []
    return generation


def _is_chains(tree: Tree) -> bool:
    if not (tree["method"].startswith("CoT") or "tries" in tree["settings"]):
        return False
    return all(len(below) == 1 for index, below in children(tree).items() if index != 0)


def _tries(tree: Tree, groups: Sequence[Sequence[Raw]]) -> dict[str, object]:
    inner = children(tree)
    tries: list[JsonObject] = []
    won = False
    for index in (i for i in range(1, len(tree["nodes"])) if i not in inner):
        tries.append({"chain": _line(tree, groups, index), "win": won})
        won |= any(tree["nodes"][i]["outcome"] == "answer" for i in path(tree, index))
    return {"try_count": len(tries), "trys": tries}


def _answers(tree: Tree) -> list[int]:
    # A search with ranking makes children that it never visits; their answers do not count.
    return [
        index
        for index, node in enumerate(tree["nodes"])
        if node["outcome"] == "answer" and (node["order"] or index == tree["best"])
    ]


def _line(tree: Tree, groups: Sequence[Sequence[Raw]], index: int) -> list[Raw]:
    return [childless(raw) for i in path(tree, index) for raw in groups[i]]


def _reported(tree: Tree) -> int | None:
    if tree["best"] is not None:
        return int(tree["best"])
    # Only trees report give-ups, and the first versions of ToolLLM did not even there.
    if _is_chains(tree) or tree["settings"].get("document", {}).get("give_ups") == "ignored":
        return None
    ends = [index for index, node in enumerate(tree["nodes"]) if node["outcome"] == "give_up"]
    return max(ends, key=lambda index: tree["nodes"][index]["order"], default=None)


def _finish_type(tree: Tree, best: int | None) -> str:
    gave_up = best is not None and tree["nodes"][best]["outcome"] == "give_up"
    return "give_up" if gave_up else "give_answer"


def _final_text(node: JsonMapping) -> str:
    # Finish is the last call wherever the original's own habit of calling on after it is not kept.
    calls = node["step"]["calls"]
    return given_arguments(calls[-1]) if calls else ""
