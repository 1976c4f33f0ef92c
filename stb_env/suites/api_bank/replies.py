"""ROUGE-L of an episode's replies against the recorded ones: a metric, and no part of the reward."""

from __future__ import annotations

from stb_env.judges.judge import Case
from stb_env.metrics.rouge import rouge_l
from stb_env.tools import FINISH


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
