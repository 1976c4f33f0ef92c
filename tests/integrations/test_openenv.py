"""OpenEnv's own harness plays our server through the typed client and sessions; `.ci/openenv` runs it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("openenv.core", reason="OpenEnv is not installed; .ci/openenv runs this")

from openenv.core.env_server.mcp_types import CallToolObservation
from openenv.core.harness import (
    HarnessRunLimits,
    MCPHarnessAdapter,
    ModelStepResult,
    build_harness_rollout_func,
)
from openenv.core.llm_client import LLMResponse, ToolCall

from stb_env.integrations.openenv import EpisodeClient, SessionFactory, TaskGiven, dataset
from stb_env.serve.settings import ServeSettings
from stb_env.serve.toolbox import SAY
from tests.integrations.broken import SUITE_IDS, named
from tests.integrations.conversations import CONVERSATIONS, Conversation, expected
from tests.integrations.scripted import NOTES, SETTINGS, WRONG, calls_of, gold_turns, page_script
from tests.serve.served import notes_known, serving

SANDBOX = "stb/Sandbox-v1"
Turns = list[dict[str, Any]]


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with notes_known(), serving(ServeSettings(ids=(*SETTINGS, "test/Notes-v0"))) as url:
        yield f"{url}/openenv"


def writes(turns: Turns) -> Callable[..., ModelStepResult]:
    """Return a model that writes these turns."""
    left = iter(turns)

    def step(messages: Any, tools: Any, sampling: Any) -> ModelStepResult:
        turn = next(left)
        calls = [ToolCall(f"c{n}", name, given) for n, (name, given) in enumerate(calls_of(turn))]
        return ModelStepResult(LLMResponse(turn["content"] or "", calls))

    return step


def played(url: str, task: Any, turns: Turns, limit: int = 40) -> tuple[Any, Any]:
    """Play as TRL's asynchronous trainer does, and return the rollout and what the session says of it."""
    session = SessionFactory(url).create(task, seed=0, episode_id="mine")
    try:
        rollout = MCPHarnessAdapter().run_white_box(writes(turns), session, HarnessRunLimits(limit))
        return rollout, session.verify(rollout.messages)
    finally:
        session.close()


def gold(env_id: str, row: dict[str, Any]) -> Turns:
    turns = gold_turns(env_id, row["prompt"][-1]["task_id"], **SETTINGS.get(env_id, {}))
    return [turn if turn.get("tool_calls") else said(turn["content"]) for turn in turns]


def said(text: str) -> dict[str, Any]:
    """Return the turn that tells a user something: a harness takes a text without a call for the end."""
    call = {"function": {"name": SAY, "arguments": json.dumps({"text": text})}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize("env_id", SETTINGS)
def test_a_model_that_knows_gets_every_point(base: str, env_id: str):
    for row in dataset(env_id, 2, **SETTINGS[env_id]):
        rollout, verified = played(f"{base}/{env_id}", row["prompt"], gold(env_id, row))
        assert (verified.env_reward, verified.done, verified.metrics["valid"]) == (1.0, True, True)
        assert verified.artifacts["verdict"]["status"] == "solved"
        assert verified.metrics["step_count"] == len(rollout.tool_trace)


@pytest.mark.parametrize("env_id", SUITE_IDS)
def test_an_episode_whose_backend_failed_has_no_reward(env_id: str):
    broken = named(env_id)
    row = dataset(env_id, 1)[0]
    with serving(ServeSettings(ids=(f"tests.integrations.broken:{broken}",))) as url:
        _, verified = played(f"{url}/openenv/{broken}", row["prompt"], gold(env_id, row))
    assert (verified.env_reward, verified.done, verified.metrics["valid"]) == (None, True, False)
    assert verified.artifacts["failure"]["message"] == "the backend is down"


def test_openenvs_rollout_function_for_trl_returns_the_rewards(base: str):
    prompts = [row["prompt"] for row in dataset(SANDBOX, 2)]
    knows = {prompt[-1]["content"]: gold(SANDBOX, {"prompt": prompt}) for prompt in prompts[:1]}
    guesses: Turns = [{"role": "assistant", "content": "I would rather not."}]
    rollout = build_harness_rollout_func(
        session_factory=SessionFactory(f"{base}/{SANDBOX}"),
        harness_adapter=MCPHarnessAdapter(),
        model_step_builder=lambda trainer, session: writes(
            knows.get(session.initial_messages()[-1]["content"], guesses)
        ),
    )
    assert rollout(prompts, None)["env_reward"] == [1.0, 0.0]


def test_a_last_message_without_a_call_is_the_answer(base: str):
    row = dataset(NOTES, "day")[0]
    turns = gold(NOTES, row)
    ((_, finished),) = calls_of(turns[-1])
    turns[-1] = {"role": "assistant", "content": finished["final_answer"]}
    assert played(f"{base}/test/Notes-v0", row["prompt"], turns)[1].env_reward == 1.0


def test_a_last_message_without_a_call_is_no_typed_answer(base: str):
    row = dataset(SANDBOX, 1)[0]
    turns = gold(SANDBOX, row)
    ((_, finished),) = calls_of(turns[-1])
    turns[-1] = {"role": "assistant", "content": finished["final_answer"]}
    _, verified = played(f"{base}/{SANDBOX}", row["prompt"], turns)
    assert (verified.env_reward, verified.done) == (0.0, False)


def test_who_answers_without_a_look_or_is_cut_off_earns_nothing(base: str):
    row = dataset(SANDBOX, 1)[0]
    finish = {"id": "c", "type": "function", "function": {"name": "Finish", "arguments": json.dumps(WRONG)}}
    _, guessed = played(f"{base}/{SANDBOX}", row["prompt"], [{"content": None, "tool_calls": [finish]}])
    assert (guessed.env_reward, guessed.done) == (0.0, True)
    _, cut = played(f"{base}/{SANDBOX}", row["prompt"], gold(SANDBOX, row), limit=1)
    assert (cut.env_reward, cut.done) == (0.0, False)


def test_what_a_model_does_wrong_is_marked_as_an_error_and_said(base: str):
    session = SessionFactory(f"{base}/{SANDBOX}").create(None, seed=3)
    wrong = session.call_tool("no_such_tool", {})
    session.close()
    assert wrong.error == wrong.data
    assert json.loads(wrong.data)["error"]
    assert wrong.metadata == {"status": 3, "valid": True}


def test_without_a_task_the_seed_draws_one(base: str):
    drawn = []
    for seed in (3, 3, 4):
        session = SessionFactory(f"{base}/{SANDBOX}").create(
            [{"role": "user", "content": "Solve it."}], seed=seed
        )
        drawn.append(session.initial_messages()[-1]["content"])
        session.close()
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_task_that_is_not_there_is_refused_and_the_connection_closed(base: str):
    with pytest.raises(RuntimeError, match=r"no sandbox task 'nowhere'"):
        SessionFactory(f"{base}/{SANDBOX}").create({"task_id": "nowhere"})


def test_observations_and_state_are_typed(base: str):
    row = dataset(SANDBOX, 1)[0]
    task_id = row["prompt"][-1]["task_id"]

    async def play() -> None:
        async with EpisodeClient(f"{base}/{SANDBOX}") as client:
            begun = (await client.reset(task_id=task_id)).observation
            assert isinstance(begun, TaskGiven)
            assert begun.task_id == task_id
            assert (await client.list_tools())[-1].name == "Finish"
            step = await client.call_tool("Finish", WRONG)
            assert isinstance(step.observation, CallToolObservation)
            assert (step.done, step.reward) == (True, 0.0)
            state = await client.state()
            assert (state.env_id, state.over, state.reward, state.step_count) == (SANDBOX, True, 0.0, 1)

    asyncio.run(play())


def test_the_script_of_the_page_plays_a_server_that_a_user_started():
    with serving(ServeSettings(ids=(SANDBOX,))) as url:
        script = page_script("openenv").replace("http://127.0.0.1:8000", url)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "0.0 True\n"), done.stderr


PLAYABLE = [one for one in CONVERSATIONS if not one.broken and one.turn_limit == 24]


@pytest.mark.parametrize("conversation", PLAYABLE, ids=str)
def test_a_conversation_earns_what_it_earns_in_our_own_loop(base: str, conversation: Conversation):
    turns = [
        {
            "role": "assistant",
            "content": text,
            "tool_calls": [
                {"function": {"name": name, "arguments": json.dumps(given)}} for name, given in calls
            ],
        }
        for text, calls in conversation.turns
    ]
    env_id = conversation.env_id.rpartition(":")[2]
    _, verified = played(f"{base}/{env_id}", conversation.task, turns)
    told = expected(conversation)
    assert (verified.env_reward, verified.metrics["valid"]) == (told["reward"], told["valid"])
