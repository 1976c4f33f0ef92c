"""Model services over HTTP, and the command line that talks to them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Imported here, because the first import would eat up the short time-outs of some tests.
import httpx2  # noqa: F401
import pytest

from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Trajectory
from tests import command
from tests.models.end_to_end.services import Services, diligent, serving, simulating, voting


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and what it wrote."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        return json.loads(self.stdout)


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Three services that answer nothing of use yet; pauses between attempts are short."""
    monkeypatch.setattr("stb_env.http.retry.FIRST_PAUSE", 0.01)
    with serving() as running:
        for service in running:
            monkeypatch.setenv(service.variable, service.key)
        yield running


@pytest.fixture
def willing(services: Services) -> Services:
    """Services that solve every query: one call, an answer, a vote for it."""
    services.agent.always(diligent(1))
    services.simulator.always(simulating)
    services.judge.always(voting("Solved"))
    return services


@pytest.fixture(scope="session")
def stb() -> Callable[..., Outcome]:
    """Run ``stb-env`` with these words."""

    def run(*words: object) -> Outcome:
        done = command.stb(*words)
        return Outcome(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def play(stb: Callable[..., Outcome], tmp_path: Path) -> Callable[..., tuple[Outcome, list[Trajectory]]]:
    """Play embedded queries with the chat agent in record mode, into ``run`` and ``cache``."""

    def run(models: Path, *words: object, out: str = "run") -> tuple[Outcome, list[Trajectory]]:
        folders = ("--cache", tmp_path / "cache", "--out", tmp_path / out)
        who = ("--agent", f"chat:{models}", "--set", f"models={models}")
        done = stb("run", "stb/I1Instruction-v0", *who, "--mode", "record", *folders, "--json", *words)
        return done, read_trajectories(tmp_path / out)

    return run


@pytest.fixture
def leaks(services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Callable[..., list[str]]:
    """Where a key of any service stands: in files below the test's folder, in the log, in given texts."""
    caplog.set_level(logging.DEBUG)

    def found(*texts: str) -> list[str]:
        keys = [service.key.encode() for service in services]
        places = {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        places["log"] = caplog.text.encode()
        places |= {f"text {index}": text.encode() for index, text in enumerate(texts)}
        assert any(places.values())
        return [place for place, content in places.items() if any(key in content for key in keys)]

    return found
