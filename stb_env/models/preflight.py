"""Checks before a run: models and real APIs are asked whether they are there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

from stb_env.core.background import wait_for
from stb_env.errors import RunStopped
from stb_env.http.retry import Clock, Deadline
from stb_env.http.url import shown_url
from stb_env.models.chat import ChatRequest, Sampling
from stb_env.models.client import OpenAIModel
from stb_env.models.config import ModelConfig
from stb_env.models.context_window import answer_share
from stb_env.models.endpoint import Endpoint
from stb_env.models.failure import refuses_key
from stb_env.models.model import ModelError
from stb_env.models.transport import Closable, ModelTransport, transport_of

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds in which an endpoint has to say that it is there."""

_NOTED: ContextVar[list[Asked] | None] = ContextVar("stb_env_endpoints", default=None)


class Asked(Protocol):
    """Something that will be asked, and can be found out to be gone before it is."""

    @property
    def place(self) -> Hashable:
        """A value that two of them share if they ask the same address in the same way."""
        ...

    def check(self) -> None:
        """Ask it whether it is there.

        Raises:
            RunStopped: It is not; the message is one line.
        """
        ...


@dataclass(frozen=True, slots=True)
class Preflight:
    """Checks of a role's endpoint before a run begins.

    Attributes:
        config: Its configuration.
        env: Where its key is looked up.
        answers: Folder of answers that are known; empty for none.
    """

    config: ModelConfig
    env: Mapping[str, str] = field(repr=False)
    answers: str = ""

    @property
    def place(self) -> Hashable:
        """Its address, its key, and the answers that are known."""
        return self.config.base_url, self.config.key_variable, self.answers

    def check(self) -> None:
        """Ask it whether it is there.

        One of which answers are known is taken to be: there may be nothing left to ask.

        Raises:
            RunStopped: Nobody answers, or the key is refused; the message is one line.
        """
        if self.answers and Path(self.answers).is_dir() and any(Path(self.answers).iterdir()):
            return
        clock = Clock()
        transport = self._transport(clock)
        deadline = Deadline(min(PATIENCE, self.config.timeout), clock, "time-out")
        try:
            took_key = wait_for(_over(transport, lambda wire: transport.find(wire, deadline)))
        except ModelError as error:
            config = self.config
            raise RunStopped(
                f"{config.role} model {config.model!r} at {shown_url(config.endpoint)} cannot be reached: "
                f"{error}; start it, or mend base_url, and give the same command again"
            ) from None
        if not took_key:
            self._use_key()

    def answer_bound(self) -> int | None:
        """Return how many tokens an answer may have that no setting bounds: a share of the model's window.

        None where the configuration says it, or the server tells no window; it is asked once in a process.
        """
        if self.config.bounded:
            return None
        transport = self._transport(Clock())
        window = wait_for(_over(transport, transport.window))
        return None if window is None else answer_share(self.config.role, window)

    def _transport(self, clock: Clock) -> ModelTransport:
        place = Endpoint.of(self.config.endpoint)
        return transport_of(self.config, self.config.credentials(self.env), clock, place)

    def _use_key(self) -> None:
        # A key may have the right to ask a model and none to list them, so only a question can tell.
        model = OpenAIModel(replace(self.config, retries=0), env=self.env)
        try:
            model.complete(ChatRequest.of("Hello.", sampling=Sampling(max_tokens=1)))
        except ModelError as error:
            if refuses_key(error):
                raise RunStopped(str(error)) from None
        finally:
            model.close()


async def _over(transport: ModelTransport, ask: Callable[[Closable], Awaitable[T]]) -> T:
    wire = transport.connect()
    try:
        return await ask(wire)
    finally:
        await wire.aclose()


@contextmanager
def noting() -> Iterator[list[Asked]]:
    """Note every model and every real API that is connected within the block, whoever connects it.

    A block within another shares its list.

    Examples:
        >>> from stb_env.models import connect
        >>> with noting() as endpoints:
        ...     model = connect(ModelConfig("agent", "tiny", base_url="http://127.0.0.1:8000/v1"))
        >>> [endpoint.place for endpoint in endpoints]
        [('http://127.0.0.1:8000/v1', '', '')]
    """
    noted = _NOTED.get()
    if noted is not None:
        yield noted
        return
    endpoints: list[Asked] = []
    token = _NOTED.set(endpoints)
    try:
        yield endpoints
    finally:
        _NOTED.reset(token)


def note(asked: Asked) -> None:
    """Note something for the enclosing `noting` block, where there is one."""
    noted = _NOTED.get()
    if noted is not None:
        noted.append(asked)


@contextmanager
def checking(votes: str | Path = "") -> Iterator[None]:
    """Ask everything that is connected within the block whether it is there, as soon as the block ends.

    Args:
        votes: See `check_all`.

    Raises:
        RunStopped: Something is not.
    """
    with noting() as noted:
        yield
    check_all(noted, votes)


def keys_of(endpoints: Iterable[Asked]) -> set[str]:
    """Return the environment variables in which the keys of models are found, of those that were noted."""
    configs = [(one.config, one.env) for one in endpoints if isinstance(one, Preflight)]
    return {config.key_variable for config, env in configs if env.get(config.key_variable)}


def check_all(endpoints: Iterable[Asked], votes: str | Path = "") -> None:
    """Ask each endpoint whether it is there, the same one once.

    Args:
        endpoints: What was noted.
        votes: Folder of a judge's votes that are known; empty for none.

    Raises:
        RunStopped: One is not.
    """
    if votes:
        endpoints = (
            replace(one, answers=str(votes))
            if isinstance(one, Preflight) and one.config.role == "judge"
            else one
            for one in endpoints
        )
    found = {one.place: one for one in endpoints}
    for endpoint in found.values():
        endpoint.check()


def answer_bounds(endpoints: Iterable[Asked]) -> dict[str, object]:
    """Return, by role, how many tokens an answer may have that no setting bounds; see `Preflight`.

    Args:
        endpoints: What was noted.
    """
    models = {one.config.role: one for one in endpoints if isinstance(one, Preflight)}
    bounds = {role: one.answer_bound() for role, one in sorted(models.items())}
    return {role: bound for role, bound in bounds.items() if bound is not None}
