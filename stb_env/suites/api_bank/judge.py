"""Judges an episode of API-Bank by its calls, by the state that it leaves, and by what was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from stb_env import jsontext
from stb_env.errors import ConfigError, JudgeError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.judges.judge import Case
from stb_env.request import Slow
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.replies import mean_agreement, mean_rouge
from stb_env.suites.api_bank.retrieval_world import FOUND, found_names
from stb_env.suites.api_bank.searcher import LOGIN
from stb_env.suites.api_bank.state import State, Table
from stb_env.suites.api_bank.telling import misstated
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict, Vote

RewardBasis = Literal["dialogue", "calls", "state", "rouge", "all"]

# Rows of these are numbered in the order in which they come, which another right order may change.
_NUMBERED = ("AddMeeting", "Agenda", "Alarm", "Appointments", "Hotel", "Meeting", "Reminder")
_BOOKKEEPING = (FOUND, "ForgotPassword")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of an episode's calls.

    Attributes:
        right: For each recorded call the one of the episode that is right by its API's rule, or None.
        others: The calls that are none of these, those that never reached an API among them.
        unasked: How many of the others changed something.
    """

    right: tuple[CallRecord | None, ...]
    others: tuple[CallRecord, ...]
    unasked: int


class DialogueJudge:
    """Compares an episode with the dialogue that it was made from.

    A recorded call counts as done where a call of the episode is right by the rule of its API, as the paper
    defines it: the same query or modification, the same result (Li et al., 2023, section 5). Each change
    answers for one recorded call, in whatever order they were made; a query also answers for its recorded
    repetitions, and looking something up besides costs nothing. A search is done, too, where it finds what
    the dialogue calls next and its own search missed. Arguments that nobody gave decide nothing
    (`grounding`). The verdict's metrics are ``call_accuracy``, the share of recorded calls done;
    ``gold_calls`` and ``right_calls``; ``unasked_changes``; ``rouge_l``, the mean over the replies that
    follow recorded calls, each rounded to four places; ``agreement``, the share of these replies that state
    nothing which the results contradict (`agreement`); and ``state``, 1 where the tables end up as the
    recorded calls leave them. A dialogue without a call, or without a change where that is what counts, is
    ``na``.

    Args:
        world: Runs the calls again.
        basis: What the score is. ``calls``: the share of recorded calls done, where every unasked change
            counts as one more call that was not; ``dialogue``: the same where what was said of the calls
            holds and what was asked for was told (`misstated`), and nothing elsewhere; ``state``: whether
            the tables are right; ``rouge``: the mean ROUGE-L; ``all``: the product of these three.

    Raises:
        ConfigError: The basis is unknown.
    """

    name = "exact"
    # Raised whenever other words, calls or states are judged right than before.
    version = 4
    # A call without arguments, or a search for anything, is right by chance now and then.
    floors: Mapping[str, float] = {"random": 0.03}

    def __init__(self, world: ApiBankWorld, basis: RewardBasis = "calls") -> None:
        known = get_args(RewardBasis)
        if basis not in known:
            near = did_you_mean(str(basis), known)
            raise ConfigError(f"reward_basis must be one of {', '.join(known)}, got {basis!r}.{near}")
        self.world = world
        self.basis = basis

    @property
    def fingerprint(self) -> JsonObject:
        """What decides a verdict."""
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
        replayed = self.replay(gold, case.calls, start)
        wanted = self._wanted(case.task, replayed, start)
        changing = not _same(start, wanted)
        rouge = mean_rouge(case)
        agreement = mean_agreement(case)
        right = sum(call is not None for call, asked in zip(replayed.right, needed, strict=True) if asked)
        state_holds = _same(case.state, wanted)
        scores = {
            "calls": right / (sum(needed) + replayed.unasked),
            "state": float(state_holds) if changing else None,
            "rouge": rouge,
        }
        metrics = {
            "call_accuracy": right / sum(needed),
            "gold_calls": sum(needed),
            "right_calls": right,
            "unasked_changes": replayed.unasked,
            "state": float(state_holds),
        }
        metrics |= {} if rouge is None else {"rouge_l": rouge}
        metrics |= {} if agreement is None else {"agreement": agreement}
        parts = {"calls": right == sum(needed), "state": state_holds}
        wrong = (
            ""
            if self.basis != "dialogue"
            else misstated(
                case,
                lambda: self._queries(case.task, start),
                [call is not None or not asked for call, asked in zip(replayed.right, needed, strict=True)],
            )
        )
        scores["dialogue"] = 0.0 if wrong else scores["calls"]
        return self._verdict(scores, parts, metrics, wrong)

    def _verdict(
        self,
        scores: Mapping[str, float | None],
        parts: dict[str, bool],
        metrics: dict[str, float],
        wrong: str = "",
    ) -> Verdict:
        names = ("calls", "state", "rouge") if self.basis == "all" else (self.basis,)
        counted = [score for name in names if (score := scores[name]) is not None]
        if not counted:
            reason = f"nothing in the dialogue is judged by {self.basis}"
            return Verdict("na", 0.0, self.name, (Vote("na", reason),), parts, metrics)
        score = 1.0
        for each in counted:
            score *= each
        status: Literal["solved", "unsolved"] = "solved" if score >= 1.0 else "unsolved"
        votes = (Vote(status, wrong),) if wrong else ()
        return Verdict(status, score, self.name, votes, parts, metrics)

    def _queries(self, task: Task, state: State) -> list[int]:
        """Return which recorded calls changed nothing: what they found is what was asked for."""
        found = []
        for number, call in enumerate(task.gold):
            before = state
            if _may_change(self.world, call.name) and isinstance(call.arguments, Mapping):
                state = self.world.call(state, self.world.tools[call.name], call.arguments)[1]
            if _same(before, state) and call.name not in (SEARCHER, LOGIN):
                found.append(number)
        return found

    def replay(self, gold: Sequence[JsonMapping], calls: Iterable[CallRecord], state: State) -> Replayed:
        """Run calls again, each of them matched with the first recorded one that it is right for.

        Args:
            gold: The recorded calls, each with ``name`` and ``result``.
            calls: The calls of an episode, in order.
            state: The state at its start.
        """
        right: list[CallRecord | None] = [None] * len(gold)
        others, unasked = [], 0
        for call in calls:
            if call.name == FINISH:
                continue
            after = self._after(state, call)
            places = self._places(call, gold, right, changed=not _same(state, after))
            if places:
                right = [call if place in places else done for place, done in enumerate(right)]
            else:
                others.append(call)
                unasked += not _same(state, after)
            state = after
        return Replayed(tuple(right), tuple(others), unasked)

    def _places(
        self, call: CallRecord, gold: Sequence[JsonMapping], right: list[CallRecord | None], *, changed: bool
    ) -> set[int]:
        """Return which recorded calls a call answers for: one, and the recorded repetitions of a query.

        Who has looked something up need not look again, and what was found once is found.
        """
        if not _reached(call):
            return set()
        tool = self.world.tools[call.name]
        envelope = self.world.envelope(tool, _arguments(call), call.result)
        free = [
            place for place, each in enumerate(gold) if right[place] is None and each["name"] == call.name
        ]
        places = [
            place
            for place in free
            if self.world.matches(tool, envelope, gold[place]["result"], gold[place].get("loose", {}))
            or (call.name == SEARCHER and _finds(call, gold[place + 1 :]))
        ]
        return set(places[:1] if changed else places)

    def _wanted(self, task: Task, replayed: Replayed, state: State) -> State:
        """Return the state that the recorded calls leave, in the wording of the calls that are right.

        Rules of comparison allow other words for a text; the tables then hold those words.
        """
        for gold, right in zip(task.gold, replayed.right, strict=True):
            tool = self.world.tools[gold.name]
            arguments = gold.arguments if right is None else _arguments(right)
            if isinstance(arguments, Mapping) and _may_change(self.world, gold.name):
                state = self.world.call(state, tool, arguments)[1]
        return state

    def _after(self, state: State, call: CallRecord) -> State:
        if not _reached(call) or not _may_change(self.world, call.name):
            return state
        return self.world.call(state, self.world.tools[call.name], _arguments(call))[1]


def is_needed(gold: JsonMapping) -> bool:
    """Return whether a recorded call has to be made: nobody can make a sum of numbers from nowhere."""
    return not (gold["name"] == "Calculator" and gold.get("loose"))


def _finds(call: CallRecord, later: Sequence[JsonMapping]) -> bool:
    """Return whether a search finds what the dialogue goes on to call, where its own search found another."""
    wanted = next((each["name"] for each in later if each["name"] not in (SEARCHER, LOGIN)), None)
    return wanted is not None and wanted in found_names(call.result)


def _reached(call: CallRecord) -> bool:
    return call.result.source == "world" and call.result.status is not Status.INVALID_ARGUMENTS


def _arguments(call: CallRecord) -> JsonMapping:
    return {} if isinstance(call.arguments, str) else call.arguments


def _may_change(world: ApiBankWorld, name: str) -> bool:
    return world.apis.apis[name].reads == "state"


def _same(one: State, other: State) -> bool:
    if one.tables is other.tables:
        return True
    names = one.tables.keys() | other.tables.keys()
    return all(
        _same_rows(name, one.table(name), other.table(name)) for name in names if name not in _BOOKKEEPING
    )


def _same_rows(name: str, rows: Table, others: Table) -> bool:
    if rows is others or rows == others:
        return True
    if name not in _NUMBERED or len(rows) != len(others):
        return False
    return sorted(map(jsontext.dumps, rows.values())) == sorted(map(jsontext.dumps, others.values()))
