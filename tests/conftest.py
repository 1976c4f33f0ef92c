"""Fixtures that every test folder shares."""

from __future__ import annotations

import os
from collections.abc import Generator
from functools import cache
from pathlib import Path

import hypothesis
import pytest
import typer.testing
from _pytest.doctest import DoctestModule

from stb_env.models.models_file import PARTS, ROLES

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes says how busy the machine is and nothing of the package. Where CI is set, a
# failure must be the change's and not the draw's.
hypothesis.settings.register_profile(
    "stb_env",
    deadline=None,
    max_examples=int(os.environ.get("STB_EXAMPLES", "30")),
    derandomize="CI" in os.environ,
)
hypothesis.settings.load_profile("stb_env")


# The runner builds all commands anew for each that it runs, which takes ten times as long as most of them do.
typer.testing._get_command = cache(typer.testing._get_command)


# No test may reach a model that the developer's environment happens to configure.
_models = tuple(f"STB_{role.upper()}_" for role in (*ROLES, *PARTS))
for _name in list(os.environ):
    if _name.endswith("_API_KEY") or _name.startswith(_models):
        del os.environ[_name]

# A proxy that the machine may be configured with has no way to the servers of the tests.
os.environ["NO_PROXY"] = "127.0.0.1"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in the package's docstrings alone: tests have none, and it takes long to see that."""
    found = yield
    return [collector for collector in found if not isinstance(collector, DoctestModule)]


# Cases of one test that a run of the whole plays; the others are heavy.
_SAMPLE = 8
_WHOLE = 5_000


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of a long table to the heavy tests in a run of the whole; a folder plays them all."""
    if len(items) < _WHOLE:
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for table in cases.values():
        for number, item in enumerate(table):
            # Evenly spaced, so that neighbours, which are much alike, are not all that is played.
            if number * _SAMPLE // len(table) == (number - 1) * _SAMPLE // len(table):
                item.add_marker(pytest.mark.heavy)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real research data; tests skip where it is absent."""
    folder = Path(os.environ.get("STB_SHARED_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set STB_SHARED_DATA to the folder that holds it")
    return folder


@pytest.fixture(autouse=True)
def environment() -> Generator[None, None, None]:
    """Restore the variables that a command sets for the processes that it would start, as ``serve`` does."""
    before = dict(os.environ)
    yield
    after = dict(os.environ)
    for name in after.keys() - before.keys():
        del os.environ[name]
    for name, value in before.items():
        # Pytest's own says the phase of the test, and is another now.
        if after.get(name) != value and name != "PYTEST_CURRENT_TEST":
            os.environ[name] = value
