"""What doctests need beside what they show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gymnasium.envs.registration import registry

from stb_env import suite


@pytest.fixture(autouse=True)
def forgotten_suites(request: pytest.FixtureRequest) -> Iterator[None]:
    """Forget what a doctest registers: no other test may find it listed, and no reader needs to see that."""
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    suites, environments = dict(suite._SUITES), dict(registry)
    yield
    for known, before in ((suite._SUITES, suites), (registry, environments)):
        known.clear()
        known.update(before)
