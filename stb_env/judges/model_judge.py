"""The base of model judges: a verdict by majority or mean of independent votes of a language model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, get_args

from stb_env.core.request import Slow
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.judge import Case
from stb_env.judges.majority import MissingVotes, check_scores, majority
from stb_env.judges.readable import ReadableModel
from stb_env.models import CachedModel, ChatModel, ChatReply, ChatRequest, ModelError, ask, fingerprint
from stb_env.usage import Usage
from stb_env.verdict import SCORES, Verdict, VerdictStatus, Vote

Reward = Literal["mean", "majority"]

_MAX_VOTES = 1_000


@dataclass(slots=True)
class Ballot:
    """Votes on one case so far."""

    votes: list[Vote] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    failure: InfrastructureError | None = None

    @property
    def valid(self) -> list[Vote]:
        """The votes that came."""
        return [vote for vote in self.votes if vote.status is not None]


class VotingJudge:
    """Base of judges that ask a model for each vote; a subclass says what is asked and how it is read.

    Each vote has a seed of its own. A reply that cannot be read is asked for again with what was wrong, and a
    refusal is asked again (see `ReadableModel`); then the vote is missing, as it is where the model's client
    found no answer within its own retries and deadline. A missing vote is a `MissingVotes` failure and never
    "unsolved".

    Args:
        model: Answers the questions.
        readable: Whether a reply can be used.
        votes: How often each case is judged, independently.
        reward: ``majority`` scores the status that most votes have (unsure where none has), ``mean`` is
            the mean score of the votes.
        scores: Score of each status, from 0 to 1.
        attempts: How often a question is put at most.
        cache: Folder of votes that are known. Their key is the whole question (texts, prompt, number of
            the vote) and the model's fingerprint, so that judging again calls no model.
        require_all: Whether a single missing vote costs the verdict; otherwise most of them must be there.
        own_words: Whether a reply that only repeats a passage of what is judged is asked for again.

    Raises:
        ConfigError: A setting is out of its range.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        model: ChatModel,
        readable: Callable[[ChatReply], bool],
        *,
        votes: int = 1,
        reward: Reward = "majority",
        scores: Mapping[VerdictStatus, float] = SCORES,
        attempts: int = 3,
        cache: Path | str | None = None,
        require_all: bool = True,
        own_words: bool = True,
    ) -> None:
        if not 1 <= votes <= _MAX_VOTES:
            raise ConfigError(f"votes must be from 1 to {_MAX_VOTES}, got {votes}")
        if reward not in get_args(Reward):
            raise ConfigError(f"reward must be 'mean' or 'majority', got {reward!r}")
        self.votes = votes
        self.reward = reward
        self.scores = check_scores(scores)
        self.require_all = require_all
        # The cache is outermost, so that it keeps nothing that cannot be read.
        patient = ReadableModel(model, readable, attempts, own_words=own_words)
        self._model: ChatModel = patient if cache is None else CachedModel(patient, cache)

    @property
    def label(self) -> str:
        """Names the wording of the questions."""
        raise NotImplementedError

    @property
    def wording(self) -> dict[str, object]:
        """Texts and rules that decide the questions and the reading of replies, as plain data."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Judge, model and wording: ``pass:gpt-4o:v3``."""
        return f"{self.kind}:{self._model.name}:{self.label}"

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a verdict, as plain data."""
        return {
            "judge": self.name,
            "model": fingerprint(self._model),
            "checks": self.wording,
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
        reason = self._gate(case.text)
        if reason:
            return self._verdict(Ballot([Vote("unsolved", reason)] * self.votes))
        ballot = Ballot()
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

    def _gate(self, answer: str) -> str:
        """Return why an answer needs no model, or nothing."""
        return "" if answer.strip() else "empty: there is no answer to judge"

    def _vote(self, case: Case, index: int, ballot: Ballot) -> Slow[Vote]:
        raise NotImplementedError

    def _ask(self, question: ChatRequest, index: int, ballot: Ballot) -> Slow[ChatReply]:
        reply: ChatReply = yield ask(self._model, replace(question, index=index))
        ballot.usage += reply.usage
        return reply

    def _verdict(self, ballot: Ballot) -> Verdict:
        status = majority(ballot.votes)
        score = self.scores[status]
        if self.reward == "mean":
            scored = [self.scores[vote.status] for vote in ballot.votes if vote.status is not None]
            score = sum(scored) / len(scored)
        return Verdict(status, float(score), self.name, tuple(ballot.votes), usage=ballot.usage)

    def _missing(self, ballot: Ballot, failure: InfrastructureError) -> MissingVotes:
        missing = self.votes - len(ballot.valid)
        return MissingVotes(
            f"{missing} of {self.votes} votes of judge {self.name} are missing: {failure}",
            kind=failure.kind,
            retryable=failure.retryable,
            votes=tuple(ballot.votes),
            usage=ballot.usage,
        )
