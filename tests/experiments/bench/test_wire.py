"""Both clients are measured beside a bare loop, each with as many episodes at once."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from stb_env.experiments.bench import wire
from stb_env.experiments.bench.wire import wire_measurements

URL = "http://127.0.0.1:9/v1"


@pytest.mark.heavy
def test_each_figure_is_named_for_the_client_that_was_measured(monkeypatch: pytest.MonkeyPatch):
    async def bare(url: str, episodes: int, latency: float) -> tuple[float, float]:
        return 0.5, 10.0 * episodes

    async def model(url: str, client: str, episodes: int, latency: float) -> tuple[float, float]:
        return {"lean": 0.6, "openai": 0.7}[client], 20.0 * episodes

    for name, stand_in in (
        ("endpoint", lambda latency: nullcontext(URL)),
        ("_bare", bare),
        ("_model", model),
    ):
        monkeypatch.setattr(wire, name, stand_in)
    figures = {figure.name: (figure.value, figure.note) for figure in wire_measurements((2,))}
    assert figures == {
        "bare loop, 2 in flight": (0.5, "20 us/call"),
        "lean, 2 in flight": (0.6, "40 us/call"),
        "openai, 2 in flight": (0.7, "40 us/call"),
    }
