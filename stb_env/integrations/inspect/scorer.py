"""Scorer for Inspect: converts an episode's verdict to a score."""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from stb_env.core.jsontypes import JsonMapping
from stb_env.trajectory_line import answer_text

MANIFEST = "stb_manifest"
"""Where a log's metadata has the manifest of its run, as a run folder has it."""
STORED = "stb"
"""Where a sample's store has its episode: a line of ``trajectories.jsonl`` as plain data."""


@scorer(metrics=[mean(), stderr()])
def verdict() -> Scorer:
    """Return the scorer: the reward, with verdict and votes; unscored where the infrastructure failed."""

    async def score(state: TaskState, target: Target) -> Score:
        del target
        return score_of(state.store.get(STORED))

    return score


def score_of(episode: JsonMapping | None) -> Score:
    """Return the score of an episode, given as a line of ``trajectories.jsonl`` has it."""
    if episode is None:
        return Score.unscored(reason="scoring_failed", explanation="the episode never began")
    decided, failure = episode["verdict"], episode["failure"]
    metadata = {"verdict": decided, "failure": failure}
    if not episode["valid"]:
        why = f"{failure['kind']}: {failure['message']}" if failure else "there is nothing to judge"
        return Score.unscored(
            reason="scoring_failed", answer=answer_text(episode), explanation=why, metadata=metadata
        )
    why = f"{decided['status']} ({decided['judge']})" if decided else "not finished"
    return Score(value=episode["reward"], answer=answer_text(episode), explanation=why, metadata=metadata)
