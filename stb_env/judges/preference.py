"""The preference judge (SoWR): which of two episodes of one task is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, get_args

from stb_env import seeding
from stb_env.core.request import Slow
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.judges.judge import Case
from stb_env.judges.majority import MissingVotes
from stb_env.judges.pair_question import Choice, Outcome, PairQuestion, PromptPairQuestion, read_choice
from stb_env.judges.readable import ReadableModel
from stb_env.models import CachedModel, ChatModel, ChatReply, ModelError, ask, fingerprint
from stb_env.tools import FINISH
from stb_env.usage import Usage
from stb_env.verdict import VerdictStatus

Order = Literal["both", "random", "given"]
LoneUnsure = Literal["wins", "compare"]
How = Literal["missing", "status", "identical", "compared"]

_MIRROR: dict[Outcome, Outcome] = {"first": "second", "second": "first", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Contender:
    """One of two episodes of a task.

    Attributes:
        case: What a judge sees of it; its answer is empty where the episode ended without one.
        status: Its verdict.
    """

    case: Case
    status: VerdictStatus


@dataclass(frozen=True, slots=True)
class Preference:
    """The better of two contenders.

    Attributes:
        outcome: The better one, or a tie.
        how: What decided: an answer was missing, the verdicts did, the two are the same, or a comparison.
        votes: What the model said, once for each order; ``first`` is always the first contender.
        usage: What that cost.
    """

    outcome: Outcome
    how: How
    votes: tuple[Choice, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Preferring(Protocol):
    """Prefers one of two contenders."""

    @property
    def name(self) -> str:
        """Label of the judge."""
        ...

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a preference, as plain data."""
        ...

    def compare(self, first: Contender | None, second: Contender | None, turn: int = 0) -> Slow[Preference]:
        """Return the better one; None stands for a contender that never answered.

        Raises:
            JudgeError: No usable decision came.
        """
        ...


class PreferenceJudge:
    """Prefers by the verdicts where they differ, and by asking a model where they do not.

    The rules of SoWR (Guo et al., 2024): a missing answer loses, solved beats whatever is not, and unsure
    beats unsolved; answers with the same verdict are compared. Their program loses the verdicts before it
    uses them; here they count as their paper describes.

    Args:
        model: Answers the questions.
        order: ``both`` asks in both orders and calls it a tie where the two disagree, so that a judge who
            prefers a place prefers no one. ``random`` asks once, in an order that follows from task and
            turn, as their paper does. ``given`` asks once, in the order of the arguments.
        unsure: Who is better where one contender is unsure and the other unsolved: ``wins`` takes the
            unsure one without a question, as their program does, ``compare`` asks.
        attempts: How often a question is put at most.
        cache: Folder of answers that are known.
        question: Builds the request; the package's own prompt where not given.
        seed: Chooses other orders.

    Raises:
        ConfigError: A setting is unknown or out of its range.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> from stb_env.core.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> task = Task("1", "Capital of France?", (search,))
        >>> paris, lyon = (Contender(Case(task, city, ()), "solved") for city in ("Paris", "Lyon"))
        >>> place = PreferenceJudge(ScriptedModel(["first", "first"], name="m"))
        >>> drive(place.compare(paris, lyon)).outcome
        'tie'
        >>> taste = PreferenceJudge(ScriptedModel(["first", "second"], name="m"))
        >>> taste.name, drive(taste.compare(paris, lyon)).outcome
        ('preference:m:v2', 'first')
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        order: Order = "both",
        unsure: LoneUnsure = "wins",
        attempts: int = 3,
        cache: Path | str | None = None,
        question: PairQuestion | None = None,
        seed: int = 0,
    ) -> None:
        if order not in get_args(Order):
            raise ConfigError(f"order must be one of {', '.join(get_args(Order))}, got {order!r}")
        self.order = order
        self.unsure = _checked(unsure)
        self._seed = seed
        self._question: PairQuestion = question or PromptPairQuestion()
        # The cache is outermost, so that it keeps nothing that cannot be read.
        patient = ReadableModel(model, _readable, attempts, own_words=True)
        self._model: ChatModel = patient if cache is None else CachedModel(patient, cache)

    @property
    def name(self) -> str:
        """Judge, model and wording: ``preference:gpt-4o:v2``."""
        return f"preference:{self._model.name}:{self._question.label}"

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a preference, as plain data."""
        return {
            "judge": self.name,
            "model": fingerprint(self._model),
            "comparison": self._question.fingerprint,
            "order": self.order,
            "unsure": self.unsure,
            "seed": self._seed,
        }

    def better(self, first: Case, second: Case) -> Slow[Outcome]:
        """Return the better of two cases whatever their verdicts.

        Raises:
            JudgeError: No usable decision came.
        """
        preference = yield from self.compare(Contender(first, "unsure"), Contender(second, "unsure"))
        return preference.outcome

    def compare(self, first: Contender | None, second: Contender | None, turn: int = 0) -> Slow[Preference]:
        """Return the better one; see `Preferring`.

        Raises:
            MissingVotes: A question brought no usable answer.
        """
        settled = settle(first, second, self.unsure)
        if settled is not None or first is None or second is None:
            return settled or Preference("tie", "missing")
        votes: list[Choice] = []
        usage = Usage()
        for swapped in self._orders(first.case.task.id, turn):
            try:
                choice, cost = yield from self._ask(first.case, second.case, swapped, turn)
            except InfrastructureError as error:
                usage += error.usage if isinstance(error, ModelError) else Usage()
                raise self._missing(first.case.task.id, error, usage) from error
            votes.append(choice)
            usage += cost
        return Preference(_agreed(votes), "compared", tuple(votes), usage)

    def _orders(self, task_id: str, turn: int) -> Sequence[bool]:
        if self.order == "both":
            return (False, True)
        if self.order == "given":
            return (False,)
        return (seeding.rng("preference order", self._seed, task_id, turn).random() < 0.5,)

    def _ask(self, first: Case, second: Case, swapped: bool, turn: int) -> Slow[tuple[Choice, Usage]]:
        pair = (second, first) if swapped else (first, second)
        question = replace(self._question.ask(*pair), index=turn)
        reply: ChatReply = yield ask(self._model, question)
        choice = read_choice(reply)
        if choice is None:
            # What is stored could be read once; the rules of reading may have changed since.
            raise MissingVotes("the stored reply holds no choice; use another cache folder")
        return (replace(choice, outcome=_MIRROR[choice.outcome]) if swapped else choice), reply.usage

    def _missing(self, task_id: str, error: InfrastructureError, usage: Usage) -> MissingVotes:
        return MissingVotes(
            f"judge {self.name} did not compare two answers to task {task_id!r}: {error}",
            kind=error.kind,
            retryable=error.retryable,
            usage=usage,
        )


class VerdictPreference:
    """Prefers by the verdicts alone, without a model; equal verdicts are a tie.

    Args:
        judge: Name of the judge that gave the verdicts.
        unsure: See `PreferenceJudge`; here ``compare`` is a tie.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> search = Tool("search", "", {})
        >>> case = Case(Task("1", "Capital of France?", (search,)), "Paris.", ())
        >>> judge = VerdictPreference("heuristic")
        >>> judge.name, drive(judge.compare(Contender(case, "unsolved"), Contender(case, "solved"))).outcome
        ('verdicts:heuristic', 'second')
    """

    def __init__(self, judge: str, unsure: LoneUnsure = "wins") -> None:
        self.name = f"verdicts:{judge}"
        self.unsure = _checked(unsure)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Everything that decides a preference, as plain data."""
        return {"judge": self.name, "unsure": self.unsure}

    def compare(self, first: Contender | None, second: Contender | None, turn: int = 0) -> Slow[Preference]:
        """Return the one with the better verdict; yields nothing."""
        del turn
        yield from ()
        return settle(first, second, self.unsure) or Preference("tie", "status")


def settle(
    first: Contender | None, second: Contender | None, unsure: LoneUnsure = "wins"
) -> Preference | None:
    """Return the preference that needs no comparison, or None.

    Args:
        first: A contender, or None where there is no answer of its.
        second: The other.
        unsure: What a lone unsure against unsolved is worth.
    """
    if first is None or second is None:
        outcome: Outcome = "tie" if first is second else "second" if first is None else "first"
        return Preference(outcome, "missing")
    statuses = (first.status, second.status)
    for status in ("solved", "unsure") if unsure == "wins" else ("solved",):
        if statuses.count(status) == 1:
            return Preference("first" if first.status == status else "second", "status")
    if statuses[0] == statuses[1] and _same(first.case, second.case):
        return Preference("tie", "identical")
    return None


def _same(first: Case, second: Case) -> bool:
    """Say whether two episodes gave the same answer after the same calls with the same results."""
    return first.text == second.text and _told(first) == _told(second)


def _told(case: Case) -> list[tuple[object, ...]]:
    calls = (call for call in case.calls if call.name != FINISH)
    return [(call.name, call.arguments, call.result.error, call.result.response) for call in calls]


def _agreed(votes: Sequence[Choice]) -> Outcome:
    outcomes = {vote.outcome for vote in votes}
    return outcomes.pop() if len(outcomes) == 1 else "tie"


def _checked(unsure: LoneUnsure) -> LoneUnsure:
    if unsure not in get_args(LoneUnsure):
        raise ConfigError(f"unsure must be 'wins' or 'compare', got {unsure!r}")
    return unsure


def _readable(reply: ChatReply) -> bool:
    return read_choice(reply) is not None
