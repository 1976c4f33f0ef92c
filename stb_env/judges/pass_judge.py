"""The pass judge (SoPR): a model checks the answer, and the whole episode where that left it unsure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.answer_status import read_vote
from stb_env.judges.checks import Checks, PromptChecks
from stb_env.judges.protocol import Case
from stb_env.judges.readable import ReadableModel
from stb_env.judges.votes import MissingVotes, check_scores, majority
from stb_env.llm import CachedModel, ChatModel, ChatReply, ChatRequest, ModelError, ask, fingerprint
from stb_env.request import Slow
from stb_env.tasks import Task
from stb_env.usage import Usage
from stb_env.verdict import SCORES, Verdict, VerdictStatus, Vote

Reward = Literal["mean", "majority"]

# A final answer with this text counts as giving up, wherever in it the text stands.
_GIVE_UP = "give_up_and_restart"
_MAX_VOTES = 1_000
_PROBE = Case(Task("", "", ()), "", ())


@dataclass(slots=True)
class _Ballot:
    """What one case has got so far."""

    votes: list[Vote] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    failure: InfrastructureError | None = None

    @property
    def valid(self) -> list[Vote]:
        return [vote for vote in self.votes if vote.status is not None]


class PassJudge:
    """Decides with a language model whether an answer solves the query.

    An empty answer, and one that contains ``give_up_and_restart``, is unsolved without a model call. Each
    vote is StableToolBench's two-stage check: the model first sees query and final answer; only where it
    is unsure it is asked once more with the tools used and every call. A reply that cannot be read and a
    refusal are asked again; then the vote is missing, as it is where the model's client found no answer
    within its own retries and deadline. A missing vote is a `MissingVotes` failure and never "unsolved".

    A status scores 1 for solved, 0.5 for unsure and 0 for unsolved unless ``scores`` says otherwise. The
    StableToolBench paper prints the three scores in an order that gives unsolved 0.5 and unsure 0; its
    code does it this way around, and so do its numbers.

    Args:
        model: Answers the questions.
        votes: How often each case is judged, independently.
        reward: ``majority`` scores the status that most votes have (unsure where none has), ``mean`` is
            the mean score of the votes.
        scores: Score of each status, from 0 to 1.
        attempts: How often a question is put at most.
        cache: Folder of votes that are known. Their key is the whole question (texts, prompt, number of
            the vote) and the model's fingerprint, so that judging again calls no model.
        evaluator: Official evaluator whose prompts are used; the package's own where not given.
        require_all: Whether a single missing vote costs the verdict; otherwise most of them must be there.

    Raises:
        ConfigError: A setting is out of its range.

    Examples:
        >>> from stb_env.llm import ScriptedModel
        >>> from stb_env.request import drive
        >>> from stb_env.tasks import Task
        >>> model = ScriptedModel(["Solved", "Unsolved", "Solved"], name="m")
        >>> judge = PassJudge(model, votes=3, reward="mean")
        >>> verdict = drive(judge.judge(Case(Task("1", "Capital of France?", ()), "Paris.", ())))
        >>> judge.name, verdict.status, round(verdict.score, 3)
        ('pass:m:v1', 'solved', 0.667)
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        votes: int = 1,
        reward: Reward = "majority",
        scores: Mapping[VerdictStatus, float] = SCORES,
        attempts: int = 3,
        cache: Path | str | None = None,
        evaluator: Checks | None = None,
        require_all: bool = True,
    ) -> None:
        if not 1 <= votes <= _MAX_VOTES:
            raise ConfigError(f"votes must be from 1 to {_MAX_VOTES}, got {votes}")
        if reward not in get_args(Reward):
            raise ConfigError(f"reward must be 'mean' or 'majority', got {reward!r}")
        self.votes = votes
        self.reward = reward
        self.scores = check_scores(scores)
        self.require_all = require_all
        self._checks: Checks = evaluator or PromptChecks()
        # An evaluator that lacks a question shows it now, not after the first episode.
        for question in (self._checks.answer, self._checks.details):
            question(_PROBE)
        # The cache is outermost, so that it keeps nothing that cannot be read.
        patient = ReadableModel(model, _readable, attempts)
        self._model: ChatModel = patient if cache is None else CachedModel(patient, cache)

    @property
    def name(self) -> str:
        """Judge, model and wording: ``pass:gpt-4o:v1``."""
        return f"pass:{self._model.name}:{self._checks.label}"

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Everything that decides a verdict, as plain data."""
        return {
            "judge": self.name,
            "model": fingerprint(self._model),
            "checks": self._checks.fingerprint,
            "votes": self.votes,
            "reward": self.reward,
            "scores": dict(self.scores),
            "require_all": self.require_all,
        }

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict with every vote and what the votes cost.

        Raises:
            MissingVotes: Too many votes are missing.
        """
        reason = _gate(case.answer)
        if reason:
            return self._verdict(_Ballot([Vote("unsolved", reason)] * self.votes))
        ballot = _Ballot()
        for index in range(self.votes):
            try:
                vote = yield from self._vote(case, index, ballot)
            except InfrastructureError as error:
                ballot.failure = error
                ballot.usage += error.usage if isinstance(error, ModelError) else Usage()
                vote = Vote(None, str(error))
            ballot.votes.append(vote)
        needed = self.votes if self.require_all else self.votes // 2 + 1
        if ballot.failure is not None and len(ballot.valid) < needed:
            raise self._missing(ballot, ballot.failure)
        return self._verdict(ballot)

    def _vote(self, case: Case, index: int, ballot: _Ballot) -> Slow[Vote]:
        vote = yield from self._ask(self._checks.answer(case), index, ballot)
        if vote.status == "unsure":
            vote = yield from self._ask(self._checks.details(case), index, ballot)
        return vote

    def _ask(self, question: ChatRequest, index: int, ballot: _Ballot) -> Slow[Vote]:
        reply: ChatReply = yield ask(self._model, replace(question, index=index))
        ballot.usage += reply.usage
        return read_vote(reply) or Vote(None, "the reply holds no status")

    def _verdict(self, ballot: _Ballot) -> Verdict:
        status = majority(ballot.votes)
        score = self.scores[status]
        if self.reward == "mean":
            scored = [self.scores[vote.status] for vote in ballot.votes if vote.status is not None]
            score = sum(scored) / len(scored)
        return Verdict(status, float(score), self.name, tuple(ballot.votes), usage=ballot.usage)

    def _missing(self, ballot: _Ballot, failure: InfrastructureError) -> MissingVotes:
        missing = self.votes - len(ballot.valid)
        return MissingVotes(
            f"{missing} of {self.votes} votes of judge {self.name} are missing: {failure}",
            kind=failure.kind,
            retryable=failure.retryable,
            votes=tuple(ballot.votes),
            usage=ballot.usage,
        )


def _readable(reply: ChatReply) -> bool:
    return read_vote(reply) is not None


def _gate(answer: str) -> str:
    """Return why an answer needs no model, or nothing."""
    if not answer.strip():
        return "empty: there is no answer to judge"
    return f"the answer contains {_GIVE_UP}" if _GIVE_UP in answer else ""
