"""A browser, runs for it to show, and where to keep what it looked like."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env import make
from stb_env.runs import Run
from tests.show.report.browser import chromium
from tests.show.report.played_runs import played, searched


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", metavar="DIR", help="write what the viewer looks like to this folder")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    played(folder / "gold", "stb/Sandbox-v1", episodes=40)
    played(folder / "keyword", "stb/Sandbox-v1", "keyword(calls=2)", episodes=40)
    played(folder / "sheets", "stb/GoogleSheets-v1", episodes=6)
    played(folder / "tabletop", "stb/Tabletop-v1", episodes=6)
    env = make("stb/Sandbox-v1")
    run = Run(
        folder / "search", {"env": "stb/Sandbox-v1", "agent": "guesser", "judge": "exact", "settings": {}}
    )
    for place in range(3):
        run.add(searched(env, env.tasks.at(place).id), 0.1)
    run.finish({"episodes": 3})
    run.close()
    return folder


@pytest.fixture(scope="module")
def pictures(request: pytest.FixtureRequest) -> Path | None:
    folder = request.config.getoption("--screenshots", None)
    return None if folder is None else Path(folder)
