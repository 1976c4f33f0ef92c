"""Runs of every outcome, for tests of reports: what was really played, with failures and votes among it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stb_env.runs import Run
from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Trajectory

EVIL = "</td><script>document.title = 'taken'</script><img src=x onerror=alert(1)>"
"""What a model, a tool or a file may say."""

VOTES = (("solved", "solved", "solved"), ("solved", "solved", "unsolved"), ("unsolved", "unsolved", None))


def mixed_run(
    folder: Path, gold: Path, noop: Path, wins: Sequence[bool | None], *, agent: str = "mixed"
) -> Path:
    """A run that takes the episodes of a good one where it wins, else of a bad one; None is a failure.

    Votes are cast on the first few episodes, and the first has a query that is up to no good.
    """
    pairs = zip(read_trajectories(gold), read_trajectories(noop), wins, strict=True)
    manifest = json.loads((gold / "manifest.json").read_bytes())
    run = Run(folder, {**manifest, "agent": agent})
    for place, (good, bad, won) in enumerate(pairs):
        episode = _failed(good) if won is None else good if won else bad
        run.add(_voted(replace(episode, seed=good.seed), place), 0.5 + place)
    run.close()
    return folder


def _failed(episode: Trajectory) -> Trajectory:
    failure = {"kind": "model", "stage": "agent", "retryable": True, "message": f"429 {EVIL}"}
    return replace(episode, valid=False, verdict=None, reward=0.0, failure=failure)


def _voted(episode: Trajectory, place: int) -> Trajectory:
    query = EVIL if place == 0 else episode.query
    usage = {"prompt_tokens": 900 + place, "completion_tokens": 100, "total_tokens": 1000 + place, "calls": 2}
    usage |= {"cost": 0.25, "unpriced": 0}
    episode = replace(episode, query=query, usage=usage, usage_by_role={"agent": usage})
    if episode.verdict is None or place >= len(VOTES):
        return episode
    votes = [{"status": status, "reason": f"for {status}"} for status in VOTES[place]]
    return replace(episode, verdict={**episode.verdict, "votes": votes})
