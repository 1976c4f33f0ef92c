"""The response cache: what APIs answered, found by call."""

from stb_env.backend.cache.entry import CacheEntry, EntrySource, Hit
from stb_env.backend.cache.key import CallKey, call_key
from stb_env.backend.cache.response_cache import ResponseCache

__all__ = ["CacheEntry", "CallKey", "EntrySource", "Hit", "ResponseCache", "call_key"]
