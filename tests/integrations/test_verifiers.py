"""``vf-eval`` finds every suite, plays its tasks by their own tools, and repeats what a failure cut short."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers", reason="needs the extra stb-env[verifiers]")
pytest.importorskip("stb_sandbox", reason="needs what is in the folder environments/ installed")

import stb_env
from stb_env.integrations.verifiers.harness import _Tools
from stb_env.integrations.verifiers.toolset import SAY, played
from stb_env.runs import DrivenEpisode
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.integrations.broken import named
from tests.integrations.conversations import CONVERSATIONS, Conversation, alike, expected, made, outcome
from tests.integrations.scripted import NOTES, WRONG, calls_of, gold_turns, page_script

ROOT = Path(__file__).resolve().parent.parent.parent
SUITES = {
    "stb_sandbox": "stb/Sandbox-v1",
    "stb_api_bank": "stb/APIBankRetrieve-v1",
    "stb_sambanova": "stb/OpenWeather-v1",
    "stb_stabletoolbench": "stb/I1Instruction-v0",
}
BROKEN = "tests.integrations.broken:"
pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


def knowing(env_id: str, count: int) -> Callable[[Received], Answer]:
    """Return a model that knows the solutions of the first tasks, and tells them by the query."""
    env = stb_env.make(env_id)
    tasks = [env.tasks.at(index) for index in range(count)]
    plans = {task.query: gold_turns(env_id, task.id) for task in tasks}

    def answer(request: Received) -> Answer:
        messages = request.body["messages"]
        asked = next(message["content"] for message in messages if message["role"] == "user")
        turns = next(turns for query, turns in plans.items() if query in asked)
        number = sum(message["role"] == "assistant" for message in messages)
        calls = calls_of(turns[number])
        return called(*calls) if calls else Answer(completion(turns[number]["content"]))

    return answer


def called(*calls: tuple[str, dict[str, Any]]) -> Answer:
    written = [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": written}
    return Answer(completion(message=message, finish_reason="tool_calls"))


def evaluated(folder: Path, server: OpenAIServer, *words: str, settings: list[str]) -> list[dict[str, Any]]:
    """Run ``vf-eval`` and return its traces."""
    command = [str(Path(sys.executable).with_name("vf-eval")), *words]
    again = "--resume" in words
    more = (
        []
        if again
        else [
            *("-m", "scripted", "--client.base-url", server.url(), "--client.api-key-var", "ANY"),
            *(
                "--env.agent.runtime.type",
                "subprocess",
                "--no-push",
                "--no-rich",
                "-o",
                str(folder),
                *settings,
            ),
        ]
    )
    environment = {**os.environ, "ANY": "none", "PYTHONPATH": f"{ROOT}{os.pathsep}{folder.parent}"}
    done = subprocess.run(
        [*command, *more], capture_output=True, text=True, timeout=200, env=environment, cwd=folder.parent
    )
    files = sorted(folder.rglob("traces.jsonl"))
    assert files, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]


def play(folder: Path, server: OpenAIServer, name: str, count: int, *words: str) -> list[dict[str, Any]]:
    settings = ["--env.taskset.num-tasks", str(count), *words]
    return evaluated(folder / "out", server, name, "-n", str(count), "--clean", settings=settings)


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_is_found_and_its_known_solutions_earn_their_reward(name, tmp_path, server):
    server.script(*[knowing(SUITES[name], 2)] * 50)
    episodes = play(tmp_path, server, name, 2)
    traces = [trace for episode in episodes for trace in episode["traces"]]
    assert [trace["rewards"]["stb"]["score"] for trace in traces] == [1.0, 1.0]
    assert {trace["stop_condition"] for trace in traces} == {"over"}
    env = stb_env.make(SUITES[name])
    for index, trace in enumerate(sorted(traces, key=lambda trace: trace["task"]["data"]["idx"])):
        task = env.tasks.at(index)
        assert trace["task"]["data"]["id"] == task.id
        # Those that an episode finds on the way come later, so not all need to have been offered.
        known = {tool.name for tool in task.tools} | {"Finish", "ToolSearcher"}
        assert {"Finish"} < {tool["name"] for tool in trace["tools"]} <= known


def test_text_without_a_call_is_the_answer(tmp_path, server):
    server.script(*[Answer(completion("I do not know."))] * 2)
    (episode,) = play(tmp_path, server, "stb_sandbox", 1, "--env.taskset.env-id", NOTES)
    (trace,) = episode["traces"]
    assert trace["rewards"]["stb"]["score"] == 0.0
    assert trace["info"]["stb_env"]["verdict"]["status"] == "unsolved"


def test_text_without_a_call_is_no_typed_answer(tmp_path, server):
    finish = {"id": "c", "type": "function", "function": {"name": "Finish", "arguments": json.dumps(WRONG)}}
    said = {"role": "assistant", "content": None, "tool_calls": [finish]}
    refused = Answer(completion(None, message=said, finish_reason="tool_calls"))
    server.script(Answer(completion("I do not know.")), refused)
    (episode,) = play(tmp_path, server, "stb_sandbox", 1)
    (trace,) = episode["traces"]
    assert trace["rewards"]["stb"]["score"] == 0.0
    assert "no tool call found" in server.requests[-1].body["messages"][-1]["content"]


CONVERSATION = "stb/APIBankCall-v1"


def test_a_conversation_goes_on_after_a_text_and_earns_every_point(tmp_path, server):
    server.script(*[knowing(CONVERSATION, 2)] * 50)
    episodes = play(tmp_path, server, "stb_api_bank", 2, "--env.taskset.env-id", CONVERSATION)
    traces = [trace for episode in episodes for trace in episode["traces"]]
    assert [trace["rewards"]["stb"]["score"] for trace in traces] == [1.0, 1.0]
    roles = ["".join(said["role"][0] for said in request.body["messages"]) for request in server.requests]
    assert any("au" in each for each in roles), roles


def test_who_only_talks_in_a_conversation_earns_nothing(tmp_path, server):
    server.script(*[Answer(completion("All done, the task is solved."))] * 50)
    (episode,) = play(tmp_path, server, "stb_api_bank", 1, "--env.taskset.env-id", CONVERSATION)
    (trace,) = episode["traces"]
    assert (trace["rewards"]["stb"]["score"], trace["stop_condition"]) == (0.0, "over")
    assert trace["info"]["stb_env"]["verdict"]["status"] == "unsolved"
    assert len(server.requests) > 1


def test_a_failed_backend_is_an_error_without_a_reward_which_resuming_repeats(tmp_path, server):
    server.script(*[knowing("stb/Sandbox-v1", 1)] * 50)
    (episode,) = play(
        tmp_path, server, "stb_sandbox", 1, "--env.taskset.env-id", BROKEN + named("stb/Sandbox-v1")
    )
    (trace,) = episode["traces"]
    assert not trace["ok"]
    assert trace["errors"][0]["type"] == "TaskError"
    assert "the backend is down" in trace["errors"][0]["message"]
    assert not trace["rewards"]
    asked = len(server.requests)
    (results,) = (tmp_path / "out").rglob("traces.jsonl")
    saved = results.parent / "configs" / "resolved" / "eval.json"
    evaluated(tmp_path / "out", server, "@", str(saved), "--resume", settings=[])
    assert len(server.requests) == 2 * asked


def test_a_model_that_cannot_be_asked_is_an_error_without_a_reward(tmp_path, server):
    server.script(*[Answer({"error": {"message": "down"}}, 400)] * 50)
    (episode,) = play(tmp_path, server, "stb_sandbox", 1)
    assert not episode["ok"]
    assert not any(trace["rewards"] for trace in episode["traces"])


def test_the_module_of_the_page_is_a_taskset(tmp_path, server):
    (tmp_path / "my_notes.py").write_text(
        page_script("verifiers", "integrations_verifiers.md"), encoding="utf-8"
    )
    server.script(*[knowing("stb_env.testing.notes:test/Notes-v0", 1)] * 9)
    (episode,) = play(tmp_path, server, "my_notes", 1)
    assert episode["traces"][0]["rewards"]["stb"]["score"] == 1.0


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=str)
def test_a_conversation_is_the_same_episode_as_in_our_own_loop(conversation: Conversation):
    episode = DrivenEpisode(made(conversation))
    episode.start(task_id=conversation.task, seed=0)

    class Tools(_Tools):
        """Plays on this episode what would go to the tool server."""

        async def _called(self, server: Any, name: str, arguments: dict[str, Any]) -> str:
            return (await played(episode, name, arguments)).text

    async def all_turns() -> None:
        tools = Tools([None])
        for text, calls in conversation.turns:
            for name, given in calls:
                await tools.call(name, given if isinstance(given, str) else json.dumps(given))
            if not calls:
                await played(episode, SAY, {"text": text})

    asyncio.run(all_turns())
    alike(outcome(episode), expected(conversation), turns=conversation.one_call_each)
