"""NeMo Gym's resources server, asked as its agents ask it; what the wire costs is left out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script, calls_of

_MADE = {"id": "r", "created_at": 0.0, "model": "m", "object": "response", "tools": [], "tool_choice": "auto"}
_CALLED = {"type": "function_call_output", "call_id": "c", "output": "{}"}


@contextmanager
def nemo_gym(script: Script) -> Iterator[Play]:
    """Play a session for each task."""
    from httpx import ASGITransport, AsyncClient
    from nemo_gym.config_types import BaseServerConfig
    from nemo_gym.server_utils import ServerClient
    from omegaconf import DictConfig

    from stb_env.integrations.nemo_gym import EpisodesConfig, EpisodesServer, dataset

    place = {"host": "127.0.0.1", "port": 1}
    config = EpisodesConfig(**place, entrypoint="app.py", name="stb", domain="agent", env_id=ENV_ID)
    others = ServerClient(head_server_config=BaseServerConfig(**place), global_config_dict=DictConfig({}))
    server = EpisodesServer(config=config, server_client=others)
    transport = ASGITransport(server.setup_webserver())
    rows = {row["task_id"]: row for row in dataset(ENV_ID, list(script.turns))}
    said = {**_MADE, "parallel_tool_calls": False, "output": [_CALLED]}

    async def one(task: str) -> float:
        async with AsyncClient(transport=transport, base_url="http://stb") as client:
            await client.post("/seed_session", json=rows[task])
            for turn in script.turns[task]:
                for name, arguments in calls_of(turn):
                    await client.post(f"/{name}", json=arguments)
            told: Any = await client.post("/verify", json={**rows[task], "response": said})
            return float(told.json()["reward"])

    async def play(ids: Sequence[str]) -> float:
        return mean([await one(task) for task in ids])

    with asyncio.Runner() as runner:
        yield Play(lambda ids: runner.run(play(ids)))
