"""What a model's server tells of its tokens reaches the trajectory, streamed or whole."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.models import ModelConfig, OpenAIModel
from stb_env.runs import Job, run_batch
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.testing.notes import notes
from tests.fakes.openai_server import Answer, OpenAIServer, completion

FINISH = {"name": "Finish", "arguments": '{"return_type": "give_up_and_restart"}'}
LOGPROBS = {"content": [{"token": "F", "logprob": -0.1, "bytes": [70], "top_logprobs": []}]}
TOLD: dict[str, Any] = {"token_ids": [3, 5], "logprobs": LOGPROBS}


@pytest.mark.parametrize("streams", [False, True])
def test_token_ids_and_logprobs_of_the_server_are_kept_with_the_step_that_they_made(streams: bool) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [_call()]}
    body = completion(message=message, finish_reason="tool_calls", **TOLD) | {"prompt_token_ids": [1, 2]}
    extra = {"logprobs": True, "return_token_ids": True}
    with OpenAIServer().running() as server:
        server.streams = streams
        server.script(Answer(body))
        config = ModelConfig("agent", "tiny", base_url=server.url(), extra=extra)
        model = OpenAIModel(config)
        (episode,) = run_batch(notes, lambda: ChatAgent(model), [Job("day", 0, 0)])
        model.close()
    assert server.requests[0].body.items() >= extra.items()
    assert episode.steps[0]["engine"] == {
        **TOLD,
        "prompt_token_ids": [1, 2],
        "finish_reason": "tool_calls",
    }


def _call() -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": FINISH}
