"""Lines for supervised fine-tuning: chat messages with tools, in OpenAI's form, and what to learn of them."""

from __future__ import annotations

from collections.abc import Iterator

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.formats.branches import branches, played_branch
from stb_env.formats.engine_tokens import has_tokens, token_samples
from stb_env.formats.spans import NOT_MADE, spans
from stb_env.formats.template_messages import template_messages
from stb_env.trajectory import Trajectory

# What a step is to the environment; anything else came from the engine that wrote it.
_OWN = frozenset(
    (
        *("calls", "reward", "terminated", "truncated", "text", "thought", "written", "empty_thought"),
        *("code", "original_observation", "not_called", "engine", "program", "problem", "reads"),
    )
)


def sft_lines(trajectory: Trajectory, *, every_branch: bool = False) -> Iterator[dict[str, object]]:
    """Yield an episode as training data; of a search, the branch whose answer was played.

    Messages are in the form that chat templates render, see `stb_env.formats.template_messages`, and have
    the thoughts of their author, see `shown`. ``mask``
    lists the characters that the assistant wrote, see `stb_env.formats.spans`. Where the engine gave token
    ids, ``tokens`` has them with a loss mask of 1 for each that the model wrote: one sample where every
    prompt extended the last, see `stb_env.formats.engine_tokens`. Messages that only told a search what it
    had tried before, flagged ``"valid": false``, are left out. What an engine gave with its actions is kept
    as given, under ``engine``: one object for each assistant message.

    Args:
        trajectory: The episode.
        every_branch: Whether to yield each branch of a search, numbered, whatever became of it.

    Raises:
        ArgumentsError: The arguments of a call are no JSON object.

    Examples:
        >>> chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
        >>> episode = Trajectory("", "", "7", 0, 0, "?", [], chat, [], None, "", None, 0.0, True, None, {})
        >>> [(line["messages"] == chat, line["mask"]) for line in sft_lines(episode)]
        [(True, [{'message': 1, 'field': 'content', 'start': 0, 'end': 1}])]
    """
    if not every_branch or trajectory.tree is None:
        yield _line(played_branch(trajectory))
        return
    for number, branch in enumerate(branches(trajectory)):
        yield _line(branch) | {"branch": number}


def shown(trajectory: Trajectory) -> list[JsonObject]:
    """Return what an agent was shown and wrote, without what only told a search what it had tried before.

    A thought that stands in the text of a message is where it stood: the content is the text as it was
    written, which an agent of ours also reads again. Any other (one that a server gave apart, or that stood
    beside a call written as text) is ``reasoning_content``. Neither is known of episodes whose steps are not
    one for each message of the assistant.
    """
    said = [
        {name: value for name, value in message.items() if name != "valid"}
        for message in trajectory.messages
        if message.get("valid", True)
    ]
    own = [message for message in said if message["role"] == "assistant"]
    for message, step in (
        zip(own, trajectory.steps, strict=False) if len(own) == len(trajectory.steps) else ()
    ):
        engine = step.get("engine", {})
        if engine.get("finish_reason") in NOT_MADE:
            # Nobody learns from what was not carried out, and its thought was not shown again.
            continue
        if written := step.get("written"):
            message["content"] = written
        elif thought := engine.get("reasoning_content") or engine.get("reasoning") or step.get("thought"):
            message["reasoning_content"] = thought
    return said


def _line(trajectory: Trajectory) -> dict[str, object]:
    said = template_messages(shown(trajectory))
    line = {
        "messages": said,
        "tools": list(trajectory.tools),
        "mask": [span._asdict() for span in spans(said, trajectory.steps)],
        "suite": trajectory.suite,
        "group": trajectory.group,
        "task_id": trajectory.task_id,
        "trial": trajectory.trial,
        "seed": trajectory.seed,
        "verdict": None if trajectory.verdict is None else trajectory.verdict["status"],
        "reward": trajectory.reward,
    }
    if has_tokens(trajectory.steps):
        line["tokens"] = [
            {"input_ids": sample.ids, "loss_mask": [0] * len(sample.prompt) + sample.mask}
            for sample in token_samples(trajectory.steps)
        ]
    engine = [_engine(step) for step in trajectory.steps]
    return line | ({"engine": engine} if any(engine) else {})


def _engine(step: JsonMapping) -> dict[str, object]:
    return {**step.get("engine", {}), **{name: value for name, value in step.items() if name not in _OWN}}
