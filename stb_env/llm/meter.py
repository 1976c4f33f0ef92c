"""A running total of what models cost, with caps that stop a run before it gets expensive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject
from stb_env.llm.chat import ChatReply, ChatRequest
from stb_env.llm.model import ChatModel, DrivenModel, ModelError, ask, fingerprint
from stb_env.request import Slow
from stb_env.usage import Usage

_METER: ContextVar[Meter | None] = ContextVar("stb_env_meter", default=None)


class Meter:
    """Adds up usage and refuses further calls once a cap is reached.

    The cap on calls is exact. What a call costs is known only afterwards, so the calls in flight when
    another cap is reached still count on top. Safe to share between threads and between models.

    Args:
        max_cost: Dollars.
        max_calls: Calls, failed ones included.
        max_tokens: Tokens read and written.

    Raises:
        ConfigError: A cap is negative.

    Examples:
        >>> meter = Meter(max_tokens=10)
        >>> meter.start()
        >>> meter.add(Usage(8, 4, 12, calls=1))
        >>> meter.start()
        Traceback (most recent call last):
        ...
        stb_env.llm.model.ModelError: the budget of 10 tokens is used up (12 used); raise max_tokens to go on
    """

    def __init__(
        self, *, max_cost: float | None = None, max_calls: int | None = None, max_tokens: int | None = None
    ) -> None:
        for name, cap in (("max_cost", max_cost), ("max_calls", max_calls), ("max_tokens", max_tokens)):
            if cap is not None and cap < 0:
                raise ConfigError(f"{name} must not be negative, got {cap}")
        self.max_cost, self.max_calls, self.max_tokens = max_cost, max_calls, max_tokens
        self._lock = threading.Lock()
        self._started = 0
        self._total = Usage()

    @property
    def total(self) -> Usage:
        """Usage of all calls so far."""
        return self._total

    def start(self, stage: str = "model") -> None:
        """Take note that a call begins.

        Args:
            stage: Role to name in the failure.

        Raises:
            ModelError: A cap is reached, or the cost of earlier calls is unknown while it is capped.
        """
        with self._lock:
            used = self._total
            if self.max_calls is not None and self._started >= self.max_calls:
                raise _used_up(f"{self.max_calls} calls", f"{self._started}", "max_calls", stage)
            if self.max_tokens is not None and used.total_tokens >= self.max_tokens:
                raise _used_up(f"{self.max_tokens} tokens", f"{used.total_tokens}", "max_tokens", stage)
            if self.max_cost is not None:
                self._check_cost(self.max_cost, stage)
            self._started += 1

    def _check_cost(self, max_cost: float, stage: str) -> None:
        if self._total.unpriced:
            message = "max_cost is set, but a model has no configured price; add one under [prices]"
            raise ModelError(message, kind="budget", stage=stage)
        if self._total.cost >= max_cost:
            raise _used_up(f"${max_cost:g}", f"${self._total.cost:.4f}", "max_cost", stage)

    def add(self, usage: Usage) -> None:
        """Add what a call cost."""
        with self._lock:
            self._total += usage


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


def _used_up(budget: str, used: str, setting: str, stage: str) -> ModelError:
    message = f"the budget of {budget} is used up ({used} used); raise {setting} to go on"
    return ModelError(message, kind="budget", stage=stage)


class BudgetedModel(DrivenModel):
    """Counts what a model costs on a meter, and keeps to its caps.

    Put it inside a `CachedModel`, so that hits cost nothing.

    Args:
        model: Answers.
        meter: Counts; may be shared with other models.

    Examples:
        >>> from stb_env.llm import ScriptedModel
        >>> model = BudgetedModel(ScriptedModel(["yes"]), Meter())
        >>> model.complete(ChatRequest.of("Is it?")).text, model.meter.total.calls
        ('yes', 1)
    """

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        self.model = model
        self.meter = meter

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.model.name

    @property
    def fingerprint(self) -> JsonObject:
        """What decides the answers of the model inside."""
        return fingerprint(self.model)

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Ask the model inside, unless a cap is reached."""
        self.meter.start(getattr(self.model, "role", "model"))
        try:
            reply: ChatReply = yield ask(self.model, request)
        except ModelError as error:
            self.meter.add(error.usage)
            raise
        self.meter.add(reply.usage)
        return reply
