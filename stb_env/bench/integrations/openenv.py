"""OpenEnv's harness and client, over a WebSocket of a server in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stb_env.bench.beside import session_server
from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script, calls_of
from stb_env.bench.process import cpu_seconds


@contextmanager
def openenv(script: Script) -> Iterator[Play]:
    """Play as TRL's asynchronous trainer does."""
    from openenv.core.harness import MCPHarnessAdapter, ModelStepResult
    from openenv.core.llm_client import LLMResponse, ToolCall

    from stb_env.integrations.openenv import SessionFactory

    def model(messages: Sequence[Any], tools: Any, sampling: Any) -> ModelStepResult:
        del tools, sampling
        with script.model():
            turn = script.next_turn(messages)
            calls = [ToolCall(f"c{n}", name, given) for n, (name, given) in enumerate(calls_of(turn))]
            return ModelStepResult(LLMResponse(str(turn["content"] or ""), calls))

    with session_server(ENV_ID) as (port, pid):
        sessions = SessionFactory(f"http://127.0.0.1:{port}/openenv/{ENV_ID}")

        def one(task: str) -> float | None:
            session = sessions.create(task, seed=0)
            try:
                played = MCPHarnessAdapter().run_white_box(model, session)
                reward: float | None = session.verify(played.messages).env_reward
                return reward
            finally:
                session.close()

        yield Play(lambda ids: mean([one(task) for task in ids]), lambda: cpu_seconds(pid))
