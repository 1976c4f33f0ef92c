"""What services of a catalogue answered is recorded whatever its words: they say by status if it worked."""

from __future__ import annotations

import pytest

from stb_env.backend.cache import ResponseCache
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Slow, drive
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

PING = Tool("ping", "", {})


class Says:
    """Answers as a service does that is about rate limits."""

    def __init__(self, says_status: bool) -> None:
        self.fingerprint: dict[str, str] = {}
        self.says_status = says_status

    def request(self, tool: Tool, arguments: object) -> Slow[ToolResult]:
        yield from ()
        return ToolResult.of({"message": "Too many requests"}, source="real")


@pytest.mark.parametrize("says_status", [True, False])
def test_words_of_failure_keep_an_answer_from_the_cache_only_where_words_are_all_there_is(says_status: bool):
    cache = ResponseCache()
    backend = VirtualBackend(cache, mode="record", real=Says(says_status))
    drive(backend.answer(backend.start(Task("1", "", (PING,)), 0), PING, ToolCall("ping", {})))
    assert len(cache) == int(says_status)
