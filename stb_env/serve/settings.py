"""Settings of a server, made by its operator; nothing in here comes from a client."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated

import typer
from typing_extensions import Doc

from stb_env.core.jsontypes import Json
from stb_env.core.kinds import AtLeast
from stb_env.errors import ConfigError
from stb_env.suites.stabletoolbench.server_config import OriginalPlace

MIN_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a client's choices: options of `stb-env serve`.

    Attributes:
        body: Bytes of one request.
        timeout: Seconds until an answer must have begun.
        concurrency: Requests at once in a process; one more is refused.
        rate: Requests a second of one client in a process, after a burst of twice as many; 0 for any number.
        sessions: Open sessions a process.
        idle: Seconds after which a session that nobody uses is closed.
        drain: Seconds that a stop waits for what was accepted.

    Raises:
        ConfigError: One is out of range.

    Examples:
        >>> Limits(body=0)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the limit body must be above 0, got 0
    """

    body: Annotated[int, typer.Option("--body-limit", min=1, help="Bytes of one request.")] = 2_000_000
    timeout: Annotated[float, Doc("Seconds until an answer must have begun.")] = 300.0
    concurrency: Annotated[int, typer.Option("--in-flight", min=1, help="Requests at once in a process.")] = (
        256
    )
    rate: Annotated[float, Doc("Requests a second of one client; 0 for no limit."), AtLeast(0)] = 0.0
    sessions: Annotated[int, Doc("Open sessions."), AtLeast(1)] = 4_096
    idle: Annotated[float, Doc("Seconds after which an unused session is closed.")] = 900.0
    drain: Annotated[float, Doc("Seconds that a stop waits for what was accepted.")] = 3.0

    def __post_init__(self) -> None:
        for name in ("body", "timeout", "concurrency", "sessions", "idle", "drain"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"the limit {name} must be above 0, got {getattr(self, name)}")
        if not self.rate >= 0:
            raise ConfigError(f"the limit rate must be at least 0, got {self.rate}")


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Settings of a server. Plain data: it travels to the worker processes.

    Attributes:
        ids: Environment ids that are served; empty for all that are registered.
        env: Settings of every environment and of the virtual API: data, cache, mode, models, judge ...
        host: Address to listen on.
        port: Port to listen on; 0 for a free one.
        token: What clients must show; may be empty on loopback alone.
        cors: Web origins whose pages may ask.
        limits: What a client may ask.
        workers: Processes. Several serve the virtual API alone: a session lives in one process.
        answers: Whether clients may have what solves a task; who trains on a server must not.
        log_level: The lowest level that is logged; ``info`` has a line for every request.
        log_file: File that the log is appended to as well; empty for none.
        original: Where the original's own server answers the virtual API, what it works on.

    Raises:
        ConfigError: The address needs a token, or the token is too short.

    Examples:
        >>> ServeSettings(host="0.0.0.0")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: 0.0.0.0 is not loopback, so a token is needed; give --token-env or ...
        >>> ServeSettings(token="s3cret-and-long-enough")
        ServeSettings(ids=(), env={}, host='127.0.0.1', port=8000, cors=(), ...
    """

    ids: tuple[str, ...] = ()
    env: Mapping[str, Json] = field(default_factory=dict)
    host: str = "127.0.0.1"
    port: int = 8000
    token: str = field(default="", repr=False)
    cors: tuple[str, ...] = ()
    limits: Limits = Limits()
    workers: int = 1
    answers: bool = False
    log_level: str = "info"
    log_file: str = ""
    original: OriginalPlace | None = None

    def __post_init__(self) -> None:
        if not self.token and not is_loopback(self.host):
            raise ConfigError(
                f"{self.host} is not loopback, so a token is needed; give --token-env or --token-file, "
                "or listen on 127.0.0.1"
            )
        if self.token and (len(self.token) < MIN_TOKEN or not self.token.isascii()):
            # What was got stays unsaid: it is a secret.
            raise ConfigError(f"a token is at least {MIN_TOKEN} ASCII characters long")
        if self.workers < 1:
            raise ConfigError(f"workers must be at least 1, got {self.workers}")
        if self.workers > 1 and self.original is not None:
            raise ConfigError(
                f"{self.workers} workers would lose answers of each other in the original's files; leave out "
                "--workers, or --compat"
            )
        if self.workers > 1 and self.ids:
            raise ConfigError(
                f"{self.workers} workers serve the virtual API alone, since a session lives in one process; "
                f"leave out --workers, or the ids {', '.join(self.ids)}"
            )


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    Examples:
        >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
        (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
