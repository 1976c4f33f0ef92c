"""Fixtures of tests and doctests alike."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import suppress
from importlib import import_module
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
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without looking for reference cycles: that took a quarter of the time of collecting."""
    gc.disable()
    try:
        _import_from_the_end(session.config)
        return (yield)
    finally:
        gc.enable()
        # At 700, Python's own, a tenth of the tests' time goes into looking for cycles, at a heap this large.
        gc.set_threshold(50_000, 20, 10)


def _import_from_the_end(config: pytest.Config) -> None:
    """Let every second process of a run of the whole begin with the last test modules.

    Pytest rewrites a module's assertions and keeps what it made. Two processes that go through the modules in
    one order rewrite each of them twice; these meet in the middle.
    """
    worker = getattr(config, "workerinput", {"workerid": "gw0"})["workerid"]
    if int(worker.removeprefix("gw")) % 2 == 0 or config.args != config.getini("testpaths"):
        return
    for file in sorted((config.rootpath / "tests").rglob("test_*.py"), reverse=True):
        # Collecting says why a module cannot be imported, or is skipped.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))


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
