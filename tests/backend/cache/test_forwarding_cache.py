"""A cache whose answers are carried elsewhere, beside a folder that somebody else is making."""

from __future__ import annotations

from pathlib import Path

import pytest

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache, call_key
from stb_env.backend.cache.forwarding_cache import CarriedCache
from stb_env.tools import ToolId

PING = ToolId("Net", "icmp", "ping")
ENTRY = CacheEntry.of(PING, {}, {"ms": 4}, source="real")


@pytest.mark.parametrize("begun", ["overlay/", "cache.json.draft", "overlay/cache.db-journal"])
def test_a_folder_in_which_a_cache_is_only_begun_knows_nothing_yet(tmp_path: Path, begun: str):
    part = tmp_path / begun
    (part if begun.endswith("/") else part.parent).mkdir(parents=True, exist_ok=True)
    if not begun.endswith("/"):
        part.write_bytes(b"")
    cache = CarriedCache(tmp_path)
    assert cache.get(CallKey(PING, {})) is None
    assert cache.add(call_key(PING, {}), ENTRY) is None


def test_what_a_folder_holds_is_known(tmp_path: Path):
    ResponseCache(tmp_path).add(call_key(PING, {}), ENTRY)
    hit = CarriedCache(tmp_path).get(CallKey(PING, {}))
    assert hit is not None
    assert hit.text == '{"error": "", "response": {"ms": 4}}'
