"""A running total of what models cost, with caps that stop a run before it gets expensive."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial

from stb_env.core.request import Request, Slow
from stb_env.errors import ConfigError, RunStopped
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.model import ChatModel, ModelError, WrappedModel, ask
from stb_env.usage import NO_USAGE, Usage

MAX_TOKENS = 4096
"""Bound on an answer under a cap, where neither the request nor the model's configuration has one."""

_UNPRICED = "is set, but a model has no configured price; add one under [prices]"
_UNCOUNTED = (
    "is set, but a server gave no usable count of the tokens of an answer; take a server that counts them, "
    "or bound the run by calls"
)
# Sums of dollars are not exact.
_ROUNDING = 1e-9

_METER: ContextVar[Meter | None] = ContextVar("stb_env_meter", default=None)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A call that waits for its reservation."""

    stage: str
    most: Usage
    reserved: Future[None] = field(default_factory=Future)


class Meter:
    """Adds up usage and refuses further calls where a cap could be exceeded.

    The most that a call can cost is reserved before it and settled after it, so calls in flight at the same
    time exceed no cap together: one that does not fit beside the others waits until they are settled, and
    is refused where it does not fit alone. Of models that do not say what they cost at most, the calls in
    flight when a cap is reached still count on top. Safe to share between threads, event loops and models.

    Args:
        max_cost: Dollars.
        max_calls: Calls, failed ones included.
        max_tokens: Tokens read and written.

    Raises:
        ConfigError: A cap is negative.

    Examples:
        >>> meter = Meter(max_tokens=10)
        >>> most = Usage(total_tokens=8)
        >>> meter.reserve(most=most).result()
        >>> meter.settle(most, Usage(3, 1, 4, calls=1))
        >>> meter.reserve(most=most).result()
        Traceback (most recent call last):
        ...
        stb_env.models.model.ModelError: the budget of 10 tokens has 6 left and the next call may ...
    """

    cost_setting = "max_cost"
    """The setting that caps the cost, as messages name it."""

    def __init__(
        self, *, max_cost: float | None = None, max_calls: int | None = None, max_tokens: int | None = None
    ) -> None:
        for name, cap in (("max_cost", max_cost), ("max_calls", max_calls), ("max_tokens", max_tokens)):
            if cap is not None and cap < 0:
                raise ConfigError(f"{name} must not be negative, got {cap}")
        self.max_cost, self.max_calls, self.max_tokens = max_cost, max_calls, max_tokens
        self._lock = threading.Lock()
        self._line: deque[_Place] = deque()
        self._flying: list[Usage] = []
        self._started = 0
        self._failed = 0
        self._total = Usage()
        self._uncounted = False

    @property
    def total(self) -> Usage:
        """Usage of all calls so far."""
        return self._total

    @property
    def failed(self) -> int:
        """Calls that ended without an answer."""
        return self._failed

    @property
    def bounds_answers(self) -> bool:
        """True if the greatest cost of a call matters."""
        return self.max_cost is not None or self.max_tokens is not None

    def reserve(self, stage: str = "model", most: Usage = NO_USAGE) -> Future[None]:
        """Ask for leave to make a call.

        Args:
            stage: Role to name in the failure.
            most: What it costs at most, as far as is known; to be settled when it is over.

        Returns:
            What is done when the call may begin. Its failure is a `ModelError`: a cap could be exceeded, or
            the cost of calls is unknown while it is capped.
        """
        place = _Place(stage, most)
        with self._lock:
            self._line.append(place)
            self._call_next()
        return place.reserved

    def withdraw(self, reserved: Future[None], most: Usage) -> None:
        """Give up a reservation without a call, whether or not it was granted yet."""
        if not reserved.cancel() and reserved.exception() is None:
            self.settle(most, NO_USAGE)
            return
        with self._lock:
            self._call_next()

    def settle(self, most: Usage, usage: Usage, *, failed: bool = False) -> None:
        """Count what a call cost in the place of what was reserved for it.

        Args:
            most: What was reserved.
            usage: What it cost.
            failed: Whether it ended without an answer.
        """
        self.add(usage)
        with self._lock:
            self._failed += failed
            # What could be reserved has a price, and an answer has tokens.
            uncounted = (usage.unpriced and most.cost) or (most.total_tokens and not usage.total_tokens)
            self._uncounted |= bool(usage.calls and uncounted)
            self._flying.remove(most)
            self._call_next()

    def add(self, usage: Usage) -> None:
        """Add what a call cost."""
        with self._lock:
            self._total += usage

    def add_failed(self, calls: int) -> None:
        """Add calls that ended without an answer elsewhere."""
        with self._lock:
            self._failed += calls

    def refusal(self, message: str, stage: str) -> Exception:
        """Return the failure of a call that is not made."""
        return ModelError(message, kind="budget", stage=stage)

    def _call_next(self) -> None:
        while self._line:
            place = self._line[0]
            refused = self._used_up() or self._too_much(place.most)
            if refused and self._flying and not self._used_up():
                return
            self._line.popleft()
            if not place.reserved.set_running_or_notify_cancel():
                continue
            if refused:
                place.reserved.set_exception(self.refusal(refused, place.stage))
            else:
                self._started += 1
                self._flying.append(place.most)
                place.reserved.set_result(None)

    def _used_up(self) -> str:
        """Return why no call at all can be made any more; empty where one may."""
        used = self._total
        if self.max_calls is not None and self._started >= self.max_calls:
            return _reached(f"{self.max_calls} calls", f"{self._started}", "max_calls")
        if self.max_tokens is not None and used.total_tokens >= self.max_tokens:
            return _reached(f"{self.max_tokens} tokens", f"{used.total_tokens}", "max_tokens")
        if self.max_tokens is not None and self._uncounted:
            return f"max_tokens {_UNCOUNTED}"
        if self.max_cost is not None and used.unpriced:
            return f"{self.cost_setting} {_UNCOUNTED if self._uncounted else _UNPRICED}"
        if self.max_cost is not None and used.cost >= self.max_cost:
            return _reached(f"${self.max_cost:g}", f"${used.cost:.4f}", self.cost_setting)
        return ""

    def _too_much(self, most: Usage) -> str:
        """Return why a call does not fit beside those in flight; empty where it does."""
        kept = sum(self._flying, self._total)
        if self.max_cost is not None and most.unpriced:
            return f"{self.cost_setting} {_UNPRICED}"
        if self.max_cost is not None and kept.cost + most.cost > self.max_cost + _ROUNDING:
            left = max(0.0, self.max_cost - kept.cost)
            took = f"cost ${most.cost:.4f}"
            return _too_little(f"${self.max_cost:g}", f"${left:.4f}", took, self.cost_setting)
        if self.max_tokens is not None and kept.total_tokens + most.total_tokens > self.max_tokens:
            left_tokens = self.max_tokens - kept.total_tokens
            took = f"take {most.total_tokens}"
            return _too_little(f"{self.max_tokens} tokens", f"{left_tokens}", took, "max_tokens")
        return ""


class RunMeter(Meter):
    """A meter whose cap ends a run, where any other's ends the episode as invalid.

    Args:
        budget: Dollars that the command may spend; None only counts.
    """

    cost_setting = "--budget"

    def __init__(self, budget: float | None = None) -> None:
        super().__init__(max_cost=budget)

    def refusal(self, message: str, stage: str) -> Exception:
        """Return what ends the run where a call is not made."""
        return RunStopped(
            f"the next call of the {stage} model was not made: {message}. Nothing of the episode in progress "
            "was kept; the same command goes on, with its budget anew"
        )


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """Put every model that is connected within the block on one meter, whoever connects it.

    Holds for the thread, the tasks of its event loop, and threads that take over its context as
    `run_batch`'s workers do.

    Examples:
        >>> with metered(Meter(max_cost=5)) as meter:
        ...     current_meter() is meter
        True
        >>> current_meter() is None
        True
    """
    token = _METER.set(meter)
    try:
        yield meter
    finally:
        _METER.reset(token)


def current_meter() -> Meter | None:
    """Return the meter of the enclosing `metered` block, or None outside of any."""
    return _METER.get()


def _reached(budget: str, used: str, setting: str) -> str:
    return f"the budget of {budget} is used up ({used} used); raise {setting} to go on"


def _too_little(budget: str, left: str, may: str, setting: str) -> str:
    return (
        f"the budget of {budget} has {left} left and the next call may {may}; raise {setting} to go on, or "
        "lower max_tokens of the model"
    )


class BudgetedModel(WrappedModel):
    """Counts what a model costs on a meter, and keeps to its caps.

    Put it inside a `CachedModel`, so that hits cost nothing.

    Args:
        model: Answers.
        meter: Counts; may be shared with other models.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> model = BudgetedModel(ScriptedModel(["yes"]), Meter())
        >>> model.complete(ChatRequest.of("Is it?")).text, model.meter.total.calls
        ('yes', 1)
    """

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        super().__init__(model)
        self.meter = meter

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Ask the model inside, as soon as its cost at most fits into the budget."""
        request, most = self._bounded(request)
        reserved = self.meter.reserve(self.role, most)
        try:
            if reserved.done():
                reserved.result()
            else:
                yield Request(run=reserved.result, arun=partial(asyncio.wrap_future, reserved))
        except BaseException:
            self.meter.withdraw(reserved, most)
            raise
        usage, failed = NO_USAGE, True
        try:
            reply: ChatReply = yield ask(self.model, request)
            usage, failed = reply.usage, False
        except ModelError as error:
            usage = error.usage
            raise
        finally:
            # Also where the caller gave up waiting.
            self.meter.settle(most, usage, failed=failed)
        return reply

    def _bounded(self, request: ChatRequest) -> tuple[ChatRequest, Usage]:
        """Return a request whose cost is bounded, and the bound; no bound where the model tells none."""
        most_of = getattr(self.model, "most", None)
        if most_of is None or not self.meter.bounds_answers:
            return request, NO_USAGE
        most: Usage | None = most_of(request)
        if most is None:
            request = replace(request, sampling=replace(request.sampling, max_tokens=MAX_TOKENS))
            most = most_of(request)
        return request, most or NO_USAGE
