"""Fixtures of tests and doctests alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gymnasium.envs.registration import registry

from stb_env import suite


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What a test registers is forgotten after it, so that tests over every id find ours alone."""
    suites, environments = dict(suite._SUITES), dict(registry)
    yield
    for known, before in ((suite._SUITES, suites), (registry, environments)):
        known.clear()
        known.update(before)


@pytest.fixture(autouse=True)
def forgotten_by_doctests(request: pytest.FixtureRequest) -> None:
    """Doctests forget as well, and no reader needs to see that."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("forgotten")
