"""The overlay of a response cache in Redis, for several machines."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Self
from urllib.parse import urlsplit

from stb_env.backend.store import Row, disk
from stb_env.core.checksums import of_row
from stb_env.errors import BackendError, ConfigError, DataError

SCHEMES = ("redis", "rediss")
PASSWORD = "STB_REDIS_PASSWORD"  # noqa: S105 (its name)

_VALUES, _ORDER, _TAGS = "stb-env:values", "stb-env:order", "stb-env:tags"
_AT_ONCE = 64
_SECONDS = 10.0
# A call's place is that of its first answer, as in a file. All keys are named, as a cluster asks for. A tag
# is the checksum of a row, which rows of earlier versions lack.
_PUT = """
for i = 1, #ARGV, 3 do
    if redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) == 1 then
        redis.call('ZADD', KEYS[2], redis.call('HLEN', KEYS[1]), ARGV[i])
    end
    redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 2])
end
"""
_ADD = """
local added = redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
if added == 1 then
    redis.call('ZADD', KEYS[2], redis.call('HLEN', KEYS[1]), ARGV[1])
    redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
end
return added
"""


class RedisOverlay:
    """Entries that any number of machines add to; the first answer to a call stays for all of them.

    Text alone is written and read, in two hashes and one sorted set. How well an entry survives a crash is
    the server's setting (``appendonly``, ``appendfsync``).

    Args:
        url: ``redis://HOST[:PORT][/DATABASE]``, or ``rediss://`` for TLS. A password is taken from the
            environment variable ``STB_REDIS_PASSWORD`` alone, so that no file or log can hold it.

    Raises:
        ConfigError: The URL is none or holds a password, or the package redis is not installed.

    Examples:
        >>> RedisOverlay("redis://:secret@cache.example/0")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the Redis URL holds a password; put it into STB_REDIS_PASSWORD instead
    """

    def __init__(self, url: str) -> None:
        self.url = _checked(url)
        self._client: Any = None
        self._inherited: object = None
        self._connect()
        _LIVE.add(self)

    def __repr__(self) -> str:
        return f"RedisOverlay({self.url!r})"

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.url,)

    def __len__(self) -> int:
        with self._asking() as client:
            return int(client.hlen(_VALUES))

    def get(self, key: str) -> str | None:
        """Return the value of a key, or None.

        Raises:
            BackendError: The server does not answer.
            DataError: The value is no text, or was changed.
        """
        name = key.encode("utf-8", "surrogatepass")
        with self._asking() as client:
            # In one transaction, so that the checksum is that of the value.
            value, tag = client.pipeline().hget(_VALUES, name).hget(_TAGS, name).execute()
        if value is None:
            return None
        text = self._text(key, value)
        if _is_changed(key, text, tag):
            raise DataError(f"the row {key!r} in {self.url} {disk.CHANGED}")
        return text

    def rows(self, prefix: str = "", *, group: int = 0, start: str = "") -> Iterator[Row]:
        """Yield every row in order of its key, as `FrozenStore.rows` does; the keys are held in memory."""
        with self._asking() as client:
            found = client.zrange(_ORDER, 0, -1)
        # As they were added, so that sorting by the first characters leaves equals in that order.
        names = [name.decode("utf-8", "surrogateescape") for name in found]
        names = sorted(
            (name for name in names if name.startswith(prefix) and name >= start),
            key=lambda name: name[: group or None],
        )
        names_left = iter(names)
        while part := list(islice(names_left, _AT_ONCE)):
            asked = [name.encode("utf-8", "surrogateescape") for name in part]
            with self._asking() as client:
                found = client.pipeline().hmget(_VALUES, asked).hmget(_TAGS, asked).execute()
            yield from map(_row, part, *found)

    def add(self, key: str, value: str) -> bool:
        """Store a value where the key has none, whoever else tries it too; say whether it was stored."""
        name, text, _, tag = disk.row(key, value)
        with self._asking() as client:
            return bool(client.eval(_ADD, 3, _VALUES, _ORDER, _TAGS, name, text, tag))

    def put_many(self, items: Iterable[tuple[str, str]]) -> None:
        """Store all items, a thousand in one transaction."""
        rows = (disk.row(key, value) for key, value in items)
        while part := [each for name, text, _, tag in islice(rows, 1000) for each in (name, text, tag)]:
            with self._asking() as client:
                client.eval(_PUT, 3, _VALUES, _ORDER, _TAGS, *part)

    def close(self) -> None:
        """Release the connections; the next use opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connect(self) -> Any:
        if self._client is None:
            redis = _package()
            self._client = redis.Redis.from_url(
                self.url,
                password=os.environ.get(PASSWORD),
                socket_timeout=_SECONDS,
                socket_connect_timeout=_SECONDS,
            )
        return self._client

    @contextmanager
    def _asking(self) -> Iterator[Any]:
        redis = _package()
        try:
            yield self._connect()
        except redis.RedisError as error:
            # Not chained: what the client says may name its connection.
            raise BackendError(
                f"the cache overlay {self.url} does not answer ({type(error).__name__}); start its server,"
                f" and check host, port and password ({PASSWORD})",
                kind="transport",
                stage="cache",
                retryable=isinstance(error, redis.ConnectionError | redis.TimeoutError),
            ) from None

    def _text(self, key: str, value: bytes) -> str:
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise DataError(
                f"the row {key!r} in {self.url} is no UTF-8; nobody but stb-env may write there"
            ) from None

    def _after_fork(self) -> None:
        # The parent's connection must not be used, and closing it here would end it there.
        self._inherited, self._client = self._client, None


def _checked(url: str) -> str:
    scheme, _, place = url.partition("://")
    if "@" in place:
        raise ConfigError(f"the Redis URL holds a password; put it into {PASSWORD} instead")
    try:
        parts = urlsplit(url)
        known = scheme in SCHEMES and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        known = False
    if not known or parts.query or not re.fullmatch(r"/?[0-9]*", parts.path):
        raise ConfigError(f"no Redis URL: {url!r}; expected redis://HOST:PORT/DATABASE or rediss://...")
    return url


def _package() -> Any:
    try:
        import redis
    except ModuleNotFoundError as error:
        raise ConfigError("an overlay in Redis needs its client: pip install 'stb-env[redis]'") from error
    return redis


def _row(name: str, value: bytes | None, tag: bytes | None) -> Row:
    try:
        name.encode()
        text = (value or b"").decode()
    except UnicodeError:
        return Row(repr(name), "", "not UTF-8")
    return Row(name, text, disk.CHANGED if _is_changed(name, text, tag) else "")


def _is_changed(key: str, text: str, tag: bytes | None) -> bool:
    return tag is not None and tag != str(of_row(key, text)).encode()


_LIVE: weakref.WeakSet[RedisOverlay] = weakref.WeakSet()


def _after_fork() -> None:
    for overlay in list(_LIVE):
        overlay._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
