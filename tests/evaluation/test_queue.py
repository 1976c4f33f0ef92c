"""More episodes at a time than the models file lets questions through: said, and no time of the model."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.command import stb
from tests.fakes.openai_server import Answer, Received
from tests.models.end_to_end.services import Services, diligent

SECONDS, EPISODES = 0.1, 6


def slowly(request: Received) -> Answer:
    threading.Event().wait(SECONDS)
    return diligent(0)(request)


@pytest.mark.parametrize(("connections", "crowded"), [(1, True), (EPISODES, False)])
def test_a_wait_for_a_connection_is_said_and_is_no_time_of_the_model(
    services: Services, tmp_path: Path, connections: int, crowded: bool
):
    services.agent.server._scripts["agent"].clear()
    services.agent.always(slowly)
    models = services.models(tmp_path / "models.toml", agent={"concurrency": connections})
    done = stb(
        *("run", "stb/Sandbox-v1", "--agent", "chat", "--models", models, "--episodes", EPISODES, "--json"),
        *("--concurrency", EPISODES, "--out", tmp_path / "run"),
    )
    assert done.exit_code == 0, done.output
    assert (
        "6 episodes are played at a time, and the agent's model agent-model is asked only 1" in done.stderr
    ) is crowded
    timings = [json.loads(line) for line in (tmp_path / "run" / "timings.jsonl").open()]
    waits = [one["waited"].get("queue", 0.0) for one in timings]
    if crowded:
        assert sum(waits) > 2 * SECONDS
    else:
        assert sum(waits) < SECONDS
    for one in timings:
        assert one["waited"]["agent"] + one["waited"].get("queue", 0.0) <= one["seconds"] + 1e-5
