"""A server that plays real APIs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.api_server import APIServer


@pytest.fixture
def server() -> Iterator[APIServer]:
    with APIServer().running() as running:
        yield running
