"""What an episode's replies are worth: their likeness to the recorded ones, and their truth."""

from __future__ import annotations

from stb_env.jsontypes import Json
from stb_env.judges.judge import Case
from stb_env.metrics.rouge import rouge_l
from stb_env.suites.api_bank.agreement import Known
from stb_env.suites.api_bank.apis.today import TODAY
from stb_env.suites.api_bank.user import ScriptedUser
from stb_env.tasks import Task
from stb_env.tools import FINISH


def mean_rouge(case: Case) -> float | None:
    """Return the mean ROUGE-L of the replies that follow recorded calls; None where there are none.

    The last text of a turn is its reply, and so is a final answer; a turn that was never answered scores 0.
    """
    references = case.task.goal["replies"]
    if not references:
        return None
    said = _replies(case)
    scores = [
        round(rouge_l(said[turn], reference), 4) if turn in said else 0.0 for turn, reference in references
    ]
    return sum(scores) / len(scores)


def mean_agreement(case: Case) -> float | None:
    """Return the share of the replies after recorded calls that agree with what the episode's calls returned.

    None where nothing was replied in those turns. See `Known` for what disagrees.
    """
    texts = [text for _, text, _ in answers(case)]
    if not texts:
        return None
    calls = [call for call in case.calls if call.name != FINISH]
    known = Known(heard(case.task), results(case))
    failed = [bool(calls[-1].result.error)] if calls else []
    return sum(known.agrees(text, failed=failed if text is texts[-1] else ()) for text in texts) / len(texts)


def heard(task: Task) -> list[str]:
    """Return what the user says or knows, and the date."""
    said = [str(turn["user"]) for turn in task.record["turns"]]
    return [TODAY, *said, *(str(fact[2]) for fact in task.record.get("knows", ()))]


def results(case: Case) -> list[Json]:
    """Return what calls took and returned."""
    calls = [call for call in case.calls if call.name != FINISH]
    return [part for call in calls for part in (call.arguments, call.result.response)]


def answers(case: Case) -> list[tuple[int, str, str]]:
    """Return each turn after recorded calls, what was said there, and what the recorded assistant said."""
    said = _replies(case)
    return [(turn, said[turn], recorded) for turn, recorded in case.task.goal["replies"] if turn in said]


def spoken(case: Case) -> dict[int, list[str]]:
    """Return all texts of each turn, by its number: who says goodbye has told it before."""
    said = list(case.replies)
    if case.calls and case.calls[-1].name == FINISH and case.final_answer:
        said.append(case.final_answer)
    turns: dict[int, list[str]] = {}
    for turn, text in zip(ScriptedUser().turns_of(case.task, said), said, strict=True):
        turns.setdefault(turn, []).append(text)
    return turns


def _replies(case: Case) -> dict[int, str]:
    """Return the last text of each turn, by its number."""
    return {turn: texts[-1] for turn, texts in spoken(case).items()}
