"""Entries and caches to test with, and any arguments of a call."""

from __future__ import annotations

from hypothesis import strategies as st

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.tools import ToolId

PING = ToolId("Net", "icmp", "ping")
TEXT = st.text(st.characters(), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
)
ARGUMENTS = st.dictionaries(TEXT, VALUES, max_size=5)


def entry(arguments=None, response="pong", identity=PING, **more):
    return CacheEntry.of(identity, {} if arguments is None else arguments, response, **more)


def filled(folder, *entries):
    cache = ResponseCache(folder)
    for each in entries:
        cache.put(each.key, each)
    return cache
