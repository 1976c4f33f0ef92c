"""Records for reinforcement learning: the engine's own tokens, with masks, rewards and advantages."""

from __future__ import annotations

from collections.abc import Iterator

from stb_env.errors import DataError
from stb_env.formats.branches import played_branch
from stb_env.formats.engine_tokens import token_samples
from stb_env.trajectory import Trajectory


def rl_records(episode: Trajectory, advantage: float) -> Iterator[dict[str, object]]:
    """Yield an episode as one record, or several where a prompt did not extend what came before.

    Every record of an episode has its reward and advantage. ``completion_mask`` is 1 for the tokens that the
    policy wrote and 0 for those that it read; ``logprobs`` is None where the engine gave none.

    Args:
        episode: An episode whose engine gave token ids.
        advantage: How much better it was than the other trials of its task.

    Raises:
        DataError: A step has no token ids, or there is no step.

    Examples:
        >>> step = {"calls": [], "engine": {"prompt_token_ids": [1, 2], "token_ids": [3]}}
        >>> episode = Trajectory("s", "", "7", 0, 0, "?", [], [], [step], None, "", None, 1.0, True, None, {})
        >>> (record,) = rl_records(episode, 0.75)
        >>> record["completion_ids"], record["completion_mask"], record["advantage"]
        ([3], [1], 0.75)
    """
    samples = token_samples(played_branch(episode).steps)
    if not samples:
        raise DataError("the episode has no step")
    for number, sample in enumerate(samples):
        yield {
            "prompt_ids": sample.prompt,
            "completion_ids": sample.completion,
            "completion_mask": sample.mask,
            "logprobs": sample.logprobs,
            "reward": episode.reward,
            "advantage": advantage,
            "suite": episode.suite,
            "group": episode.group,
            "task_id": episode.task_id,
            "trial": episode.trial,
            "seed": episode.seed,
            "part": number,
            "parts": len(samples),
            "steps": sample.steps,
        }
