"""Saved episodes as tests of metrics need them."""

from __future__ import annotations

from stb_env.trajectory import Trajectory
from stb_env.verdict import SCORES


def episode(task="1", status="solved", *, trial=0, group="G", votes=(), judge="pass:m:v3", **changes):
    """Return an episode with a verdict; without a status it is invalid."""
    verdict = None
    if status is not None:
        cast = [{"status": vote, "reason": ""} for vote in votes]
        verdict = {"status": status, "score": SCORES[status], "votes": cast, "judge": judge}
        verdict |= changes.pop("verdict", {})
    fields = {
        "suite": "S",
        "group": group,
        "task_id": task,
        "trial": trial,
        "seed": 0,
        "query": f"query {task}",
        "tools": (),
        "messages": (),
        "steps": (),
        "answer": None,
        "final_answer": "",
        "verdict": verdict,
        "reward": 0.0 if status is None else SCORES[status],
        "valid": status is not None,
        "failure": None if status is not None else {"kind": "judge"},
        "usage": {},
    }
    return Trajectory(**(fields | changes))
