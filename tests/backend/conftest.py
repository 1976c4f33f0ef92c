"""A server that plays real APIs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.api_server import APIServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[APIServer]:
    # A proxy that the machine may be configured with has no way to 127.0.0.1.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with APIServer().running() as running:
        yield running
