"""The pass judge (SoPR): a model checks the answer, and the whole episode where that left it unsure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from stb_env.core.request import Slow
from stb_env.judges.answer_status import read_vote
from stb_env.judges.judge import Case
from stb_env.judges.model_judge import Ballot, Reward, VotingJudge
from stb_env.judges.pass_questions import PassQuestions, PromptQuestions
from stb_env.models import ChatModel, ChatReply
from stb_env.tasks import Task
from stb_env.tools import Tool
from stb_env.verdict import SCORES, VerdictStatus, Vote

# A final answer with this text counts as giving up, wherever in it the text stands.
GIVE_UP = "give_up_and_restart"

_PROBE = Case(Task("probe", "", (Tool("probe", "", {}),)), "", ())


class PassJudge(VotingJudge):
    """Decides with a language model whether an answer solves the query.

    An empty answer, and one that contains ``give_up_and_restart``, is unsolved without a model call. Each
    vote is a check in two stages (Guo et al., 2024): the model first sees query and final answer; only where
    it is unsure it is asked once more with the tools used and every call.

    A status scores 1 for solved, 0.5 for unsure and 0 for unsolved unless ``scores`` says otherwise. Their
    paper prints the three scores in an order that gives unsolved 0.5 and unsure 0; their code does it this
    way around, and so do their numbers.

    Args:
        model: Answers the questions.
        votes: How often each case is judged; the other settings are those of `VotingJudge`.
        reward: How votes become a score.
        scores: Score of each status, from 0 to 1.
        attempts: How often a question is put at most.
        cache: Folder of votes that are known.
        evaluator: Official evaluator whose prompts are used; the package's own where not given.
        require_all: Whether a single missing vote costs the verdict.

    Raises:
        ConfigError: A setting is out of its range.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> search = Tool("search", "", {})
        >>> model = ScriptedModel(["Solved", "Unsolved", "Solved"], name="m")
        >>> judge = PassJudge(model, votes=3, reward="mean")
        >>> verdict = drive(judge.judge(Case(Task("1", "Capital of France?", (search,)), "Paris.", ())))
        >>> judge.name, verdict.status, round(verdict.score, 3)
        ('pass:m:v3', 'solved', 0.667)
    """

    kind: ClassVar[str] = "pass"

    def __init__(
        self,
        model: ChatModel,
        *,
        votes: int = 1,
        reward: Reward = "majority",
        scores: Mapping[VerdictStatus, float] = SCORES,
        attempts: int = 3,
        cache: Path | str | None = None,
        evaluator: PassQuestions | None = None,
        require_all: bool = True,
    ) -> None:
        super().__init__(
            model,
            _readable,
            votes=votes,
            reward=reward,
            scores=scores,
            attempts=attempts,
            cache=cache,
            require_all=require_all,
        )
        self._questions: PassQuestions = evaluator or PromptQuestions()
        # An evaluator that lacks a question shows it now, not after the first episode.
        for question in (self._questions.answer, self._questions.details):
            question(_PROBE)

    @property
    def label(self) -> str:
        """Version of the prompts, or name of the evaluator."""
        return self._questions.label

    @property
    def wording(self) -> dict[str, object]:
        """Texts and rules that decide the two questions."""
        return self._questions.fingerprint

    def _gate(self, answer: str) -> str:
        return f"the answer contains {GIVE_UP}" if GIVE_UP in answer else super()._gate(answer)

    def _vote(self, case: Case, index: int, ballot: Ballot) -> Slow[Vote]:
        vote = yield from _read(self._ask(self._questions.answer(case), index, ballot))
        if vote.status == "unsure":
            vote = yield from _read(self._ask(self._questions.details(case), index, ballot))
        return vote


def _read(asked: Slow[ChatReply]) -> Slow[Vote]:
    reply = yield from asked
    # What is stored could be read once; the rules of reading may have changed since.
    return read_vote(reply) or Vote(None, "the reply holds no status")


def _readable(reply: ChatReply) -> bool:
    return read_vote(reply) is not None
