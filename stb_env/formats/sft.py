"""Lines for supervised fine-tuning: chat messages with tools, in OpenAI's form."""

from __future__ import annotations

from collections.abc import Iterator

from stb_env.formats.branches import branches, played_branch
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.trajectory import Trajectory

# What a step is to the environment; anything else came from the engine that wrote it.
_OWN = frozenset(
    (
        *("calls", "reward", "terminated", "truncated", "text", "empty_thought"),
        *("code", "original_observation", "not_called"),
    )
)


def sft_lines(trajectory: Trajectory, *, every_branch: bool = False) -> Iterator[JsonObject]:
    """Yield an episode as training data; of a search, the branch whose answer was played.

    Messages that only told a search what it had tried before, flagged ``"valid": false``, are left out.
    What an engine gave with its actions (token ids, log probabilities, loss masks) is kept as given, under
    ``engine``: one object for each assistant message.

    Args:
        trajectory: The episode.
        every_branch: Whether to yield each branch of a search, numbered, whatever became of it.

    Examples:
        >>> chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
        >>> episode = Trajectory("", "", "7", 0, 0, "?", [], chat, [], "", None, 0.0, True, None, {})
        >>> [line["messages"] == chat for line in sft_lines(episode)]
        [True]
    """
    if not every_branch or trajectory.tree is None:
        yield _line(played_branch(trajectory))
        return
    for number, branch in enumerate(branches(trajectory)):
        yield _line(branch) | {"branch": number}


def _line(trajectory: Trajectory) -> JsonObject:
    line = {
        "messages": [_message(message) for message in trajectory.messages if message.get("valid", True)],
        "tools": list(trajectory.tools),
        "suite": trajectory.suite,
        "group": trajectory.group,
        "task_id": trajectory.task_id,
        "trial": trajectory.trial,
        "seed": trajectory.seed,
        "verdict": None if trajectory.verdict is None else trajectory.verdict["status"],
        "reward": trajectory.reward,
    }
    engine = [{name: value for name, value in step.items() if name not in _OWN} for step in trajectory.steps]
    return line | ({"engine": engine} if any(engine) else {})


def _message(message: JsonMapping) -> JsonObject:
    return {name: value for name, value in message.items() if name != "valid"}
