"""Whatever clients and steps do, health is told at once, and a stop ends in time."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import ExitStack

import httpx2
import pytest

from tests.serve.asked import Serving, serving

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif("STB_REAL_SERVERS" not in os.environ, reason="run by .ci/serve: STB_REAL_SERVERS"),
]

HALVES = 200
SLOW_S = 20
HALF = b"POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
# In Python throughout, as a forgotten loop in a world would be.
SLOW = f"""
import time
from stb_env import Suite, ToolEnv
from stb_env.suite import Maker
from stb_env.testing.notes import TASKS, NotesJudge, Notebook

class Slow(Notebook):
    def call(self, state, tool, arguments):
        until = time.monotonic() + {SLOW_S}
        while arguments.get("word") == "slow" and time.monotonic() < until:
            pass
        return super().call(state, tool, arguments)

def make(**settings):
    return ToolEnv(TASKS, Slow(), NotesJudge(), **settings)

NOTES = {{"slow/Notes-v0": Maker(f"{{__name__}}:make")}}
SUITE = Suite(name="slow", description="slow notes", environments=NOTES)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("slow")
    (folder / "slow.py").write_text(SLOW)
    with serving(folder, f"{folder / 'slow.py'}:slow/Notes-v0") as server:
        yield server


def play_slowly(url: str, answers: list[int]) -> None:
    with httpx2.Client(base_url=url, timeout=60) as client:
        opened = client.post("/sessions", json={"id": "slow/Notes-v0", "reset": {"seed": 0}}).json()
        action = {"name": "find_notes", "arguments": {"word": "slow"}}
        answers.append(
            client.post(f"/sessions/{opened['session']}/step", json={"action": action}).status_code
        )


def waited(client: httpx2.Client) -> float:
    began = time.monotonic()
    assert client.get("/health").status_code == 200
    return time.monotonic() - began


def test_health_is_told_at_once_and_a_stop_ends_in_time(server: Serving) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    answers: list[int] = []
    with ExitStack() as stack:
        for _ in range(HALVES):
            line = stack.enter_context(socket.create_connection((host, int(port)), timeout=20))
            line.sendall(HALF)
        playing = threading.Thread(target=play_slowly, args=(server.url, answers))
        playing.start()
        time.sleep(1.0)
        client = stack.enter_context(httpx2.Client(base_url=server.url, timeout=30))
        times = sorted(waited(client) for _ in range(40))
        assert times[-4] < 0.1, times
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(30) == 0
    assert time.monotonic() - began < 5.0
    playing.join()
    assert answers == [503]
