"""Checks of what looks like a solution and is none: the red team must earn next to nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from stb_env.testing.red_team.attempt import Attempt, attempts, counted, told
from stb_env.testing.report import Report
from stb_env.testing.subject import Subject
from stb_env.testing.undeserving import floors, impossible_share

EXACT_FLOOR, OPEN_FLOOR = 0.01, 0.15
"""What each cheat may score where an exact verifier decides, and where a heuristic does."""

_SHOWN, _EXCERPT = 5, 160
_SIGNIFICANT = 0.01
CHANCY = frozenset({"neighbour", "guess_first", "guess_last_result", "guess_error"})
"""Cheats that are right now and then: of three accounts that are listed, one is the right one."""


def check_red_team(report: Report, subject: Subject, episodes: int) -> None:
    """Let the red team play some of the episodes, and check what each of its cheats scores.

    Args:
        report: Gets ``red_team``, the mean reward of each cheat over the tasks on which it counts, and
            ``red_team_told``, that of cheats and tasks that are held against nobody.
        subject: The environment.
        episodes: How many of its episodes are played, spread over all of them.
    """
    played = play_red_team(subject, episodes)
    serious = counted(played)
    report.counts["red_team"] = means(serious)
    report.counts["red_team_told"] = means(told(played))
    report.counts["red_team_tasks"] = {
        "played": len({one.task_id for one in played}),
        "asked": len({one.task_id for one in played if one.asked}),
    }
    failures = [one for one in played if one.failure]
    detail = f"{len(failures)} of {len(played)} attempts failed"
    detail += "".join(f", the first ({one.task_id}, {one.cheat}): {one.failure}" for one in failures[:1])
    report.add("red team is judged", not failures, detail)
    allowed = {cheat: floors(subject).get(cheat, _floor(subject)) for cheat in serious}
    # Who always refuses is right where a request cannot be met, and must be wrong elsewhere.
    allowed["refused"] = max(allowed.get("refused", 0.0), impossible_share(subject))
    over = [
        cheat
        for cheat, tried in serious.items()
        if _passes(tried, allowed[cheat], by_chance=not subject.exact or cheat in CHANCY)
    ]
    detail = f"none of {len(serious)} cheats scores more than {_floor(subject):g}"
    if over:
        detail = "; ".join(_caught(cheat, serious[cheat], allowed[cheat]) for cheat in over[:_SHOWN])
        detail += f"; and {len(over) - _SHOWN} more" if len(over) > _SHOWN else ""
        detail += ". Judge the whole answer, not whether the right value stands in it."
    report.add("red team", not over, detail)


def play_red_team(subject: Subject, episodes: int) -> list[Attempt]:
    """Return every attempt of the red team at some of the episodes whose solution is known."""
    known = subject.solvable() if subject.exact else list(subject.jobs)
    jobs = known[:: max(1, len(known) // episodes)][:episodes]
    played: list[Attempt] = []
    for done, job in enumerate(jobs, 1):
        played += attempts(subject.env, job, exact=subject.exact)
        subject.tell("red team", done, len(jobs))
    return played


def means(played: Mapping[str, Sequence[Attempt]]) -> dict[str, float]:
    """Return the mean reward of each cheat."""
    return {cheat: _mean(one.reward for one in tried) for cheat, tried in played.items()}


def _passes(tried: Sequence[Attempt], floor: float, *, by_chance: bool) -> bool:
    """Return whether a cheat scores more than its floor; where it can be right by chance, more than by that.

    What is allowed to pass one time in ten passes one of two tasks one time in five.
    """
    total, count = sum(one.reward for one in tried), len(tried)
    if not by_chance or total <= floor * count:
        return total > floor * count
    passed = math.floor(total)
    fewer = sum(math.comb(count, k) * floor**k * (1 - floor) ** (count - k) for k in range(passed))
    return 1 - fewer < _SIGNIFICANT


def _mean(rewards: Iterable[float]) -> float:
    return round(float(np.mean(list(rewards))), 4)


def _floor(subject: Subject) -> float:
    return EXACT_FLOOR if subject.exact else OPEN_FLOOR


def _caught(cheat: str, tried: Sequence[Attempt], allowed: float) -> str:
    best = max(tried, key=lambda one: one.reward)
    said = " ".join(best.answer.split())
    said = said if len(said) <= _EXCERPT else f"{said[:_EXCERPT]}..."
    score = means({cheat: tried})[cheat]
    return f"{cheat} scores {score:.3f}, at most {allowed:g} allowed (task {best.task_id}: {said!r})"
