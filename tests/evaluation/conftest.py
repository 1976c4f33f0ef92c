"""Model services over HTTP, and the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# Imported here, because the first import would eat up the short time-outs of some tests.
import httpx2  # noqa: F401
import pytest

from tests.fakes.openai_server import Answer, Received, completion
from tests.models.end_to_end.services import Services, diligent, prompt_of, serving, simulating, voting


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """Services that solve every query with one call, an answer and a vote; of two answers, the first wins."""
    monkeypatch.setattr("stb_env.http.retry.FIRST_PAUSE", 0.01)
    with serving() as running:
        for service in running:
            monkeypatch.setenv(service.variable, service.key)
        running.agent.always(diligent(1))
        running.simulator.always(simulating)
        running.judge.always(judging)
        yield running


def judging(request: Received) -> Answer:
    if "Two assistants worked" in prompt_of(request):
        return Answer(completion('{"better": "first", "reason": "It stands first."}'))
    return voting("Solved")


@pytest.fixture
def models(services: Services, tmp_path: Path) -> Path:
    """A models file of these services, each call a dollar: the price of the five tokens that are written."""
    bound = {"max_tokens": 5}
    file = services.models(tmp_path / "models.toml", agent=bound, simulator=bound, judge=bound)
    price = "{ prompt = 0, completion = 200000 }"
    rows = [f'"{service.model}" = {price}' for service in services]
    file.write_text("\n".join([file.read_text(), "[prices]", *rows, ""]))
    return file
