"""The limits on requests in flight and on dollars, over a whole run of the command line."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion

LIMIT = 8
FINISH = {"name": "Finish", "arguments": '{"return_type": "give_answer", "final_answer": "I do not know."}'}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": FINISH}],
}


@pytest.mark.heavy
def test_two_hundred_episodes_at_a_limit_of_8_never_show_the_server_a_ninth_request(tmp_path: Path) -> None:
    full = threading.Barrier(LIMIT)
    begun = iter(range(200))

    def answer(_: Received) -> Answer:
        # The first eight wait for each other, so that the limit is really reached.
        if next(begun) < LIMIT:
            full.wait(timeout=30)
        return Answer(completion(None, finish_reason="tool_calls", message=CALL))

    with OpenAIServer().running() as server:
        server.script(*[answer] * 200)
        models = tmp_path / "models.toml"
        settings = {"model": "m", "base_url": server.url(), "concurrency": LIMIT, "max_tokens": 64}
        lines = (f"{name} = {json.dumps(value)}" for name, value in settings.items())
        models.write_text("\n".join(["[models.agent]", *lines]))
        arguments = ["run", "stb/Sandbox-v1", "--agent", "chat", "--models", str(models), "--json"]
        arguments += ["--episodes", "100", "--trials", "2", "--concurrency", "24", "--set", "answer=text"]
        arguments += ["--out", str(tmp_path / "run")]
        done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert (json.loads(done.stdout)["episodes"], len(server.requests)) == (200, 200)
    assert server.peak == LIMIT


def test_a_budget_ends_a_run_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with OpenAIServer().running() as server:
        # 10 tokens read and 5 written: at most $0.64 reserved for a bound of 64, and $0.05 paid.
        server.script(*[Answer(completion(None, finish_reason="tool_calls", message=CALL))] * 20)
        models = tmp_path / "models.toml"
        price = "price = { prompt = 0, completion = 10000 }"
        models.write_text(
            f'[models.agent]\nmodel = "m"\nbase_url = "{server.url()}"\nmax_tokens = 64\n{price}'
        )
        arguments = ["run", "stb/Sandbox-v1", "--agent", "chat", "--models", str(models), "--episodes", "4"]
        arguments += ["--set", "answer=text", "--out", str(tmp_path / "run")]
        stopped = CliRunner().invoke(app, [*arguments, "--budget", "0.72"])
        assert stopped.exit_code == 1
        assert "the budget of $0.72 has $0.0" not in stopped.output
        assert "left and the next call may cost $0.6400; raise --budget to go on" in stopped.output
        assert len(server.requests) == 2
        assert CliRunner().invoke(app, [*arguments, "--budget", "9"]).exit_code == 0
    assert len(server.requests) == 4
