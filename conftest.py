"""Fixtures of tests and doctests alike."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from importlib.util import find_spec

import pytest
from gymnasium.envs.registration import registry

from stb_env import suite

# An adapter imports its framework, so its doctests are read only where that is.
_FRAMEWORKS = {
    "inspect": "inspect_ai",
    "nemo_gym": "nemo_gym",
    "openenv": "openenv",
    "skyrl": "skyrl_gym",
    "trl": "trl",
    "verifiers": "verifiers",
    "verl": "verl",
}
collect_ignore_glob = [
    f"stb_env/integrations/{name}*" for name, module in _FRAMEWORKS.items() if find_spec(module) is None
]
if find_spec("verifiers") is None:
    collect_ignore_glob.append("stb_env/experiments/bench/verifiers_shop.py")
if find_spec("pydantic_ai") is None:
    collect_ignore_glob.append("stb_env/models/provider_*")
if find_spec("textual") is None:
    collect_ignore_glob.append("stb_env/show/terminal/apps/*")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for reference cycles: that took a quarter of the time of collecting."""
    gc.disable()
    try:
        return (yield)
    finally:
        # What was collected lives to the end; looking through it takes half a second each time.
        gc.freeze()
        gc.enable()
        # At 700, Python's own, a tenth of the tests' time goes into looking.
        gc.set_threshold(50_000, 20, 20)


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
