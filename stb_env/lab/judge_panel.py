"""What a judge under test can answer: is a task solvable, is it solved, which of two answers is better."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from stb_env.judges.judge import Case, Judge
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.preference import PreferenceJudge
from stb_env.judges.solvability import ModelSolvability
from stb_env.llm import ChatModel
from stb_env.request import Slow
from stb_env.tasks import Task

Choice = Literal["first", "second", "tie"]


class SolvabilityJudge(Protocol):
    """Decides whether a task can be solved with the tools that it offers."""

    def solvable(self, task: Task) -> Slow[bool]:
        """Return whether it can.

        Raises:
            JudgeError: No usable answer came.
        """
        ...


class ComparisonJudge(Protocol):
    """Decides which of two answers to one query is better."""

    def better(self, first: Case, second: Case) -> Slow[Choice]:
        """Return the better one, or a tie.

        Raises:
            JudgeError: No usable answer came.
        """
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges behind one row of the table; None where there is none for a question.

    Attributes:
        name: Label of the row.
        solvability: Decides on tasks.
        solving: Decides on episodes.
        comparison: Decides between two episodes.
    """

    name: str
    solvability: SolvabilityJudge | None = None
    solving: Judge | None = None
    comparison: ComparisonJudge | None = None


class ScoreComparison:
    """Prefers the answer with the better verdict: what a judge of single answers says about two.

    Args:
        judge: Judges each of them.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def better(self, first: Case, second: Case) -> Slow[Choice]:
        """Return the one with the higher score; see `ComparisonJudge`."""
        one = yield from self._judge.judge(first)
        other = yield from self._judge.judge(second)
        if one.score == other.score:
            return "tie"
        return "first" if one.score > other.score else "second"


class NeededTools:
    """Knows which tools the gold solution needs: the truth about solvability, to check the laboratory by."""

    def solvable(self, task: Task) -> Slow[bool]:
        """Return whether all of them are offered; yields nothing."""
        yield from ()
        return {tool.id for tool in task.tools}.issuperset(task.relevant)


def model_panel(model: ChatModel, *, votes: int = 1, cache: Path | str | None = None) -> Panel:
    """Return the row in which one model answers all three questions.

    Args:
        model: Decides on tasks as `ModelSolvability`, on episodes as `PassJudge` and on pairs as
            `PreferenceJudge`, in the order in which they come.
        votes: How often it judges each episode.
        cache: Folder of answers that are known.

    Raises:
        ConfigError: ``votes`` is out of range.
    """
    judge = PassJudge(model, votes=votes, cache=cache)
    preference = PreferenceJudge(model, order="given", cache=cache)
    return Panel(judge.name, ModelSolvability(model, cache=cache), judge, preference)
