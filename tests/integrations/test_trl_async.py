"""TRL's asynchronous rollouts play our server by OpenEnv's harness; `.ci/integrations trl_async` runs this.

The worker is TRL's own, in the process that it starts. A server that answers as vLLM's does stands for vLLM.
What follows, the trainer's forward pass over its samples, calls an attention kernel that is for GPUs alone.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra stb-env[trl]")
pytest.importorskip("openenv.core", reason="needs the extra stb-env[openenv]")

from accelerate import PartialState
from datasets import Dataset
from openenv.core.harness import MCPHarnessAdapter
from trl.experimental.async_grpo.async_rollout_worker import RolloutSample
from trl.experimental.async_grpo.openenv_harness import HarnessRolloutWorker

from stb_env.integrations.openenv import SessionFactory, dataset
from stb_env.runs.make import make
from stb_env.serve.settings import ServeSettings
from tests.integrations.broken import named
from tests.integrations.test_trl import gold_turns, ids_of, qwen_tokenizer, told
from tests.serve.served import serving

SANDBOX = "stb/Sandbox-v1"
GROUP = 4
pytestmark = pytest.mark.timeout(300)


class Vllm:
    """Continues prompts of token ids with known solutions, and gives up in every second rollout."""

    def __init__(self, env_id: str, task_ids: list[str]) -> None:
        tasks = make(env_id).tasks
        self.plans = {tasks.get(task_id).query: gold_turns(env_id, task_id) for task_id in task_ids}
        self.begun: defaultdict[str, int] = defaultdict(int)
        self.prompts: list[list[int]] = []

    def complete(self, prompt: list[int]) -> dict[str, Any]:
        self.prompts.append(prompt)
        text = qwen_tokenizer().decode(prompt)
        query = next(query for query in self.plans if query in text)
        answered = text.count("<tool_response>")
        ids = ids_of(told(self.plans[query], answered))
        if not answered:
            self.begun[query] += 1
            ids = ids if self.begun[query] % 2 else ids_of("I give up.<|im_end|>")
        return {"choices": [{"token_ids": ids, "logprobs": {"token_logprobs": [-0.5] * len(ids)}}]}

    @contextmanager
    def running(self) -> Iterator[str]:
        vllm = self

        class Routes(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                assert self.path == "/v1/completions"
                assert asked["return_token_ids"]
                self._send(vllm.complete(asked["prompt"]))

            def _send(self, answer: Any) -> None:
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _without_vllm(monkeypatch: pytest.MonkeyPatch):
    # It is asked over HTTP alone, yet a worker is not made where it is not installed.
    monkeypatch.setattr("trl.experimental.async_grpo.async_rollout_worker.is_vllm_available", lambda: True)


@contextmanager
def rolling(url: str, rows: list[dict[str, Any]], vllm: Vllm) -> Iterator[Iterator[RolloutSample]]:
    """Give what a trainer would learn from, as the worker's own process sends it."""
    with vllm.running() as model:
        worker = HarnessRolloutWorker(
            harness_session_factory=partial(SessionFactory, url),
            harness_adapter=MCPHarnessAdapter(),
            model_name="tiny",
            dataset=Dataset.from_list(rows),
            reward_funcs=[],
            processing_class=qwen_tokenizer(),
            eos_token_ids=[qwen_tokenizer().eos_token_id],
            num_generations=GROUP,
            max_inflight_tasks=GROUP,
            vllm_server_url=model,
            max_tokens=4000,
            max_tool_calling_iterations=8,
        )
        # Its log speaks through accelerate, which a trainer would have started.
        PartialState(cpu=True)
        worker.start()
        try:
            yield iter(lambda: worker.rollout_buffer.get(timeout=120), None)
        finally:
            worker.stop()


def test_a_group_of_the_harness_learns_from_the_rewards_of_its_sessions():
    row = dataset(SANDBOX, 1)[0]
    vllm = Vllm(SANDBOX, [row["prompt"][-1]["task_id"]])
    with (
        serving(ServeSettings(ids=(SANDBOX,))) as base,
        rolling(f"{base}/openenv/{SANDBOX}", [row], vllm) as made,
    ):
        group = list(islice(made, GROUP))
    assert sorted(round(sample.advantage) for sample in group) == [-1, -1, 1, 1]
    for sample in group:
        own = [token for token, mine in zip(sample.input_ids, sample.completion_mask, strict=True) if mine]
        solved = sample.advantage > 0
        turns = next(iter(vllm.plans.values()))
        wrote = [told(turns, place) for place in range(len(turns))] if solved else ["I give up.<|im_end|>"]
        # The harness asks for nothing more once the episode is over.
        assert qwen_tokenizer().decode(own) == "".join(wrote)


def test_a_failed_backend_is_no_lesson_to_the_group():
    broken = named(SANDBOX)
    row = dataset(SANDBOX, 1)[0]
    vllm = Vllm(SANDBOX, [row["prompt"][-1]["task_id"]])
    settings = ServeSettings(ids=(f"tests.integrations.broken:{broken}",))
    with serving(settings) as base, rolling(f"{base}/openenv/{broken}", [row], vllm) as made:
        group = list(islice(made, GROUP))
    # Half of them gave up before anything failed, and earned 0; the others have no reward at all.
    assert [sample.advantage for sample in group] == [0.0] * GROUP
    assert sorted(str(sample.metrics["reward"]) for sample in group) == ["0.0", "0.0", "nan", "nan"]
