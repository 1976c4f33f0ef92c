"""ToolLLM's pass decision (Qin et al., 2023): an unsolved answer passes where its task cannot be solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, get_args

from stb_env import seeding
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.judges.judge import Case
from stb_env.judges.majority import MissingVotes
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.solvability import ModelSolvability, Solvability
from stb_env.usage import Usage
from stb_env.verdict import Verdict, VerdictStatus, Vote

Decision = Literal["pass", "fail", "random"]
Ties = Literal["pass", "random"]

ANSWER_STATUSES: tuple[VerdictStatus, ...] = ("solved", "unsolved", "unsure")
TASK_STATUSES: tuple[Solvability, ...] = ("solvable", "unsolvable", "unsure")

_DECISIONS: Mapping[tuple[VerdictStatus, Solvability], Decision] = {
    ("unsolved", "solvable"): "fail",
    ("unsolved", "unsure"): "random",
    ("unsolved", "unsolvable"): "pass",
    ("unsure", "solvable"): "random",
    ("unsure", "unsure"): "random",
    ("unsure", "unsolvable"): "pass",
}


def decide(answer: VerdictStatus, task: Solvability) -> Decision:
    """Return what ToolLLM makes of two statuses (Guo et al., 2024, Figure 2).

    Examples:
        >>> decide("solved", "unsolvable"), decide("unsolved", "unsolvable"), decide("unsure", "solvable")
        ('pass', 'pass', 'random')
    """
    return "pass" if answer == "solved" else _DECISIONS[answer, task]


class OriginalPassJudge:
    """Decides as ToolLLM does (Qin et al., 2023): by the status of the answer and that of the task.

    Kept to show how unstable it is, which SoPR was made to mend (Guo et al., 2024). Each vote first takes
    the status of the answer; unless that is solved, a model also says whether the task can be solved, and
    some pairs of statuses are settled at random: here by a generator seeded by task, answer and vote. A pass
    is ``solved``, a fail ``unsolved``. The verdict's ``metrics`` hold the share of votes with each status of
    answer and task; a solved answer counts its task as solvable. Episodes without an answer are judged too,
    since they may pass.

    Args:
        answers: Gives the status of the answer; its number of votes is that of this judge.
        tasks: Gives the status of the task.
        seed: Seed of what is settled at random.
        ties: Whether as many passes as fails are a pass, as in the rate that ToolLLM's program
            prints, or settled at random, as in its tables.

    Raises:
        ConfigError: ``ties`` is unknown.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> forecast = Tool("forecast", "", {})
        >>> model = ScriptedModel(["Unsolved", "Unsolvable"], name="m")
        >>> judge = OriginalPassJudge(PassJudge(model), ModelSolvability(model))
        >>> drive(judge.judge(Case(Task("1", "Weather?", (forecast,)), "I cannot.", ()))).status
        'solved'
    """

    judges_unanswered = True

    def __init__(
        self, answers: PassJudge, tasks: ModelSolvability, *, seed: int = 0, ties: Ties = "pass"
    ) -> None:
        if ties not in get_args(Ties):
            raise ConfigError(f"ties must be 'pass' or 'random', got {ties!r}")
        self.votes = answers.votes
        self._answers, self._tasks = answers, tasks
        self._seed, self._ties = seed, ties

    @property
    def name(self) -> str:
        """Judge, model and wording: ``original_pass:gpt-4o:v3``."""
        return self._answers.name.replace(self._answers.kind, "original_pass", 1)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a verdict, as plain data."""
        return {
            "judge": self.name,
            "answers": self._answers.fingerprint,
            "tasks": self._tasks.fingerprint,
            "seed": self._seed,
            "ties": self._ties,
        }

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return pass or fail of each vote and of most of them.

        Raises:
            JudgeError: No status of the answer or of the task came.
        """
        answers: Verdict = yield from self._answers.judge(case)
        usage, votes, counts = answers.usage or Usage(), [], Counter[str]()
        for index, answer in enumerate(answers.votes):
            task: Solvability = "solvable"
            if answer.status not in (None, "solved"):
                opinion = yield from self._tasks.opinion(case.task, index)
                task, usage = opinion.status, usage + opinion.usage
            counts.update((f"answer_{answer.status}", f"task_{task}"))
            votes.append(self._vote(case, index, answer.status, task))
        return self._verdict(case, votes, counts, usage)

    def _vote(self, case: Case, index: int, answer: VerdictStatus | None, task: Solvability) -> Vote:
        if answer is None:
            return Vote(None, "the status of the answer is missing")
        decision = decide(answer, task)
        passed = self._coin(case, index) if decision == "random" else decision == "pass"
        return Vote("solved" if passed else "unsolved", f"answer {answer}, task {task}: {decision}")

    def _verdict(self, case: Case, votes: list[Vote], counts: Counter[str], usage: Usage) -> Verdict:
        cast = [vote.status for vote in votes if vote.status is not None]
        if not cast:
            raise MissingVotes(f"no vote of judge {self.name} came", votes=tuple(votes), usage=usage)
        passes, fails = cast.count("solved"), cast.count("unsolved")
        tied = self._ties == "pass" or self._coin(case, "tie")
        passed = passes > fails or (passes == fails and tied)
        names = [f"answer_{status}" for status in ANSWER_STATUSES]
        names += [f"task_{status}" for status in TASK_STATUSES]
        shares = {name: counts[name] / len(votes) for name in names}
        status: VerdictStatus = "solved" if passed else "unsolved"
        return Verdict(status, float(passed), self.name, tuple(votes), metrics=shares, usage=usage)

    def _coin(self, case: Case, what: int | str) -> bool:
        # By the answer too: two runs of a task are left to chance independently.
        rng = seeding.rng("original pass", self._seed, case.task.id, what, case.final_answer)
        return rng.random() < 0.5
