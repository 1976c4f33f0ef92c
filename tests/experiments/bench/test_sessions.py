"""Figures of a session server under load, here of one that answers at once."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from stb_env.experiments.bench import sessions
from stb_env.experiments.bench.sessions import session_measurements


@contextmanager
def served(env_id: str) -> Iterator[tuple[int, int]]:
    yield 0, os.getpid()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Any]:
    async def ask(verb: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"session": "a", "reward": 0.0}

    yield ask


def test_steps_a_second_and_the_time_of_a_step_are_those_of_the_server(monkeypatch: pytest.MonkeyPatch):
    for name, stand_in in (("session_server", served), ("_socket", connected), ("_http", connected)):
        monkeypatch.setattr(sessions, name, stand_in)
    figures = {figure.name: figure.value for figure in session_measurements(sessions=8)}
    for name in ("WebSocket", "HTTP"):
        assert figures[f"{name}: steps"] > 100
        assert 0 < figures[f"{name}: p50 of a step"] <= figures[f"{name}: p99 of a step"] < 1_000
