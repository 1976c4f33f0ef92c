"""Judge an episode of API-Bank by its calls and by the state that it leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal, get_args

from stb_env.core.request import Slow
from stb_env.errors import ConfigError, JudgeError, did_you_mean
from stb_env.judges.judge import Case
from stb_env.runs.metrics.rouge import rouge_l
from stb_env.suites.api_bank.matching import (
    STEPS,
    GoldRecord,
    Matched,
    changed_tables,
    expected_state,
    is_needed,
    match,
    same_state,
)
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import FINISH
from stb_env.verdict import Verdict, Vote

RewardBasis = Literal["acts", "calls", "state", "rouge", "all"]


class DialogueJudge:
    """Compares an episode with the dialogue that it was made from. Nothing that is said decides.

    A recorded call counts as done where a call of the episode is right by the rule of its API, as the paper
    defines it: the same query or modification, the same result (Li et al., 2023, section 5). Each act
    answers for one recorded call, in whatever order they are made; a query also answers for its recorded
    repetitions. Arguments that nobody gave decide nothing (`argument_origins`).

    The verdict's parts are ``act:NUMBER NAME`` for each recorded call that counts, ``state:TABLE`` for each
    table that the recorded calls change, and ``kept:NAME``, False, for each API with an act that nobody asked
    for. Searches for tools and log-ins are steps to the calls that follow them, and count only where no other
    call does.

    The metrics are ``call_accuracy``, the share of recorded calls done; ``gold_calls`` and ``right_calls``;
    ``unasked_changes``; ``rouge_l``, the mean over the replies that follow recorded calls, each rounded to
    four places; and ``state``, 1 where the tables end up as the recorded calls leave them. A dialogue
    without a call, or without a change where that is what counts, is ``na``.

    Args:
        world: Runs the calls again.
        basis: What the score is. ``acts``: 1 where every part holds, else 0. Of the calls of each API as many
            count as are recorded, from the end, so that nothing is won by making every call that might be
            right. The others are measures of the paper: ``calls``, the share of recorded calls done, where
            every unasked act counts as one more call that was not; ``state``, whether the tables are right;
            ``rouge``, the mean ROUGE-L; ``all``, the product of these three.

    Raises:
        ConfigError: The basis is unknown.
    """

    name = "exact"
    # Raised whenever other calls or states are judged right than before.
    version = 5
    # A call without arguments is right by chance now and then, and a last call that repeats another, or that
    # nobody can make, can be left out.
    floors: Mapping[str, float] = {"random": 0.03}

    def __init__(self, world: ApiBankWorld, basis: RewardBasis = "acts") -> None:
        known = get_args(RewardBasis)
        if basis not in known:
            near = did_you_mean(str(basis), known)
            raise ConfigError(f"reward_basis must be one of {', '.join(known)}, got {basis!r}.{near}")
        self.world = world
        self.basis = basis

    @property
    def fingerprint(self) -> dict[str, object]:
        """The settings that decide a verdict."""
        return {"judge": self.name, "basis": self.basis, "version": self.version}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            JudgeError: The case carries no state of API-Bank.
        """
        yield from ()
        if not isinstance(case.state, State):
            raise JudgeError(
                f"task {case.task.id} is judged by its final state, got {type(case.state).__name__}; "
                "pass the world's state in the case",
                retryable=False,
            )
        gold = case.task.goal["calls"]
        needed = [is_needed(each) for each in gold]
        if not any(needed):
            return Verdict("na", 0.0, self.name, (Vote("na", "the dialogue records no call"),))
        start = self.world.start(case.task, case.state.seed)
        matched = match(self.world, gold, case.calls, start)
        expected = expected_state(self.world, case.task, matched.right, start)
        rouge = mean_rouge(case)
        right = sum(call is not None for call, asked in zip(matched.right, needed, strict=True) if asked)
        metrics = {
            "call_accuracy": right / sum(needed),
            "gold_calls": sum(needed),
            "right_calls": right,
            "unasked_changes": len(matched.unasked),
            "state": float(same_state(case.state, expected)),
        }
        metrics |= {} if rouge is None else {"rouge_l": rouge}
        changes = changed_tables(start, expected)
        wrong = set(changed_tables(case.state, expected))
        parts = _acts(gold, matched) | {f"state:{name}": name not in wrong for name in changes}
        parts |= {f"kept:{call.name}": False for call in matched.unasked}
        scores = {
            "acts": float(all(parts.values())),
            "calls": right / (sum(needed) + len(matched.unasked)),
            "state": metrics["state"] if changes else None,
            "rouge": rouge,
        }
        return self._verdict(scores, parts, metrics)

    def _verdict(
        self, scores: Mapping[str, float | None], parts: Mapping[str, bool], metrics: Mapping[str, float]
    ) -> Verdict:
        names = ("calls", "state", "rouge") if self.basis == "all" else (self.basis,)
        counted = [score for name in names if (score := scores[name]) is not None]
        if not counted:
            reason = f"nothing in the dialogue is judged by {self.basis}"
            return Verdict("na", 0.0, self.name, (Vote("na", reason),), parts, metrics)
        score = prod(counted)
        return Verdict("solved" if score >= 1.0 else "unsolved", score, self.name, (), parts, metrics)


def _acts(gold: Sequence[GoldRecord], matched: Matched) -> dict[str, bool]:
    """Return for each recorded call that counts whether it was made; its number is its place, from 1."""
    last = max((place for place, each in enumerate(gold) if each["name"] not in STEPS), default=-1)
    counted = (
        place
        for place, each in enumerate(gold)
        if is_needed(each) and (each["name"] not in STEPS or place > last)
    )
    return {f"act:{place + 1} {gold[place]['name']}": matched.last[place] for place in counted}


def mean_rouge(case: Case) -> float | None:
    """Return the mean ROUGE-L of the replies that follow recorded calls; None where there are none.

    Each text of the agent belongs to the turn that it answers; those after the user's last utterance belong
    to the last turn, of which the likest counts. A turn that was never answered scores 0.
    """
    references = case.task.goal["replies"]
    if not references:
        return None
    said = list(case.replies)
    if case.calls and case.calls[-1].name == FINISH and case.final_answer:
        said.append(case.final_answer)
    last = len(case.task.record["turns"]) - 1
    scores = [
        max(
            (round(rouge_l(text, wanted), 4) for n, text in enumerate(said) if min(n, last) == turn),
            default=0.0,
        )
        for turn, wanted in references
    ]
    return sum(scores) / len(scores)
