"""The chat agent: one completion a turn, calls in parallel, and failures that stay failures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

import gymnasium as gym
import httpx2  # noqa: F401 (its first import is slow and would eat up time-outs)
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env  # noqa: F401 (registers the ids)
from stb_env.backend.user import Said
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.formats.saved_action import saved_action
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ChatReply, Clock, ModelConfig, ModelError, OpenAIModel, ScriptedModel, Usage
from stb_env.runs import Job, Run, play, run_batch
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.runs.baselines.conversation import Conversation
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, Tool, ToolResult
from tests.fakes.openai_server import Answer, OpenAIServer, completion, error

ENV = "stb/I1Instruction-v0"
KEY = "sk-very-secret-0123456789"
TOO_LONG = ModelError("too long", kind="context", stage="model")
BROKEN_OFF = ModelError("broken off", kind="transport", retryable=True, usage=Usage(5, 1, 6, calls=1))


def function_call(name, arguments, call_id="a"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def calls(*written, content=None):
    return {"content": content, "tool_calls": list(written)}


DONE = calls(function_call(FINISH, {"return_type": "give_answer", "final_answer": "Done."}))


@pytest.fixture
def env():
    return gym.make(ENV, judge=PassJudge(ScriptedModel(lambda request: "Solved", name="j"))).unwrapped


@pytest.fixture
def job(env):
    task = env.tasks.at(0)
    return Job(task.id, 0, 7), [tool.name for tool in task.tools]


def run(env, job, replies):
    model = ScriptedModel(replies, name="m")
    agent = ChatAgent(model)
    return play(env, agent, task_id=job[0].task_id, seed=job[0].seed), model, agent


def test_it_sends_the_messages_and_tools_of_the_episode_and_answers_by_finish(env, job):
    played, model, _ = run(env, job, [DONE])
    (request,) = model.requests
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert [tool["function"]["name"] for tool in request.tools] == [*job[1], FINISH]
    assert (played.final_answer, played.reward, played.valid) == ("Done.", 1.0, True)


def test_calls_of_one_turn_are_all_made_and_each_gets_its_result(env, job):
    tool = job[1][0]
    both = calls(
        function_call(tool, {}, "first"), function_call("no_such_tool", {}, "second"), content="Look."
    )
    played, model, _ = run(env, job, [both, DONE])
    said, *heard = model.requests[1].messages[2:]
    assert said == {"role": "assistant", **both}
    assert [(message["role"], message["tool_call_id"]) for message in heard] == [
        ("tool", "first"),
        ("tool", "second"),
    ]
    assert "no tool is named 'no_such_tool'" in json.loads(heard[1]["content"])["error"]
    assert [call["name"] for call in played.steps[0]["calls"]] == [tool, "no_such_tool"]


def test_every_call_is_answered_even_one_that_was_not_made(env, job):
    wrong = calls(
        function_call(FINISH, {}, "a"), function_call(FINISH, {}, "b"), function_call(job[1][0], "{", "c")
    )
    _, model, _ = run(env, job, [wrong, DONE])
    heard = {message["tool_call_id"]: message["content"] for message in model.requests[1].messages[3:]}
    assert set(heard) == {"a", "b", "c"}
    assert "Finish needs final_answer" in heard["a"]
    assert json.loads(heard["b"])["error"] == "this call was not made"


def test_calls_that_share_an_id_get_ids_of_their_own(env, job):
    _, model, _ = run(env, job, [calls(*[function_call("no_such_tool", {}, "same")] * 2), DONE])
    said, *heard = model.requests[1].messages[2:]
    assert [call["id"] for call in said["tool_calls"]] == [message["tool_call_id"] for message in heard]
    assert len({message["tool_call_id"] for message in heard}) == 2


def test_a_call_written_as_text_is_made(env, job):
    text = json.dumps({"name": job[1][0], "arguments": {}})
    played, model, _ = run(env, job, [text, DONE])
    assert played.steps[0]["calls"][0]["name"] == job[1][0]
    assert model.requests[1].messages[-1]["role"] == "user"


def test_an_empty_answer_costs_a_turn_and_is_complained_about(env, job):
    played, model, _ = run(env, job, ["", DONE])
    assert played.steps[0]["calls"] == []
    assert "no tool call found" in model.requests[1].messages[-1]["content"]


def test_usage_adds_up_over_an_episode_and_starts_anew(env, job):
    played, _, agent = run(env, job, [BROKEN_OFF, "", DONE])
    assert agent.usage == Usage(5, 1, 6, calls=3)
    assert played.usage["calls"] == 4
    agent.reset(env, 0)
    assert agent.usage == Usage()


def test_equal_questions_of_other_seeds_count_as_others(env, job):
    first = run(env, job, [DONE])[1].requests[0]
    again = run(env, job, [DONE])[1].requests[0]
    other = run(env, (Job(job[0].task_id, 0, 8), job[1]), [DONE])[1].requests[0]
    assert first.key == again.key != other.key


# -- failures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failures", "kind"),
    [
        ([ModelError("HTTP 429", kind="rate_limit", retryable=True)], "rate_limit"),
        ([ModelError("late", kind="timeout", retryable=True)], "timeout"),
        ([BROKEN_OFF] * 3, "transport"),
        ([TOO_LONG], "context"),
    ],
)
def test_a_failing_model_ends_the_episode_as_invalid_with_its_kind(env, job, failures, kind):
    played, _, _ = run(env, job, failures)
    assert (played.valid, played.reward, played.verdict) == (False, 0.0, None)
    assert (played.failure["kind"], played.failure["stage"]) == (kind, "agent")


def test_what_was_paid_for_and_broken_off_is_asked_again_as_another_question(env, job):
    played, model, _ = run(env, job, [BROKEN_OFF, DONE])
    assert played.valid
    assert model.requests[0].index != model.requests[1].index


class Verbose:
    """A backend whose every answer is long."""

    fingerprint: ClassVar[dict[str, str]] = {"mode": "verbose"}

    def start(self, task, seed):
        return None

    def answer(self, state, tool, call):
        yield from ()
        return ToolResult.of({"rows": ["word " * 40] * 30}, source="world"), state

    def recorded(self, state, tool, call):
        return None

    def close(self):
        """Hold nothing."""


LOOK = Tool("look", "Looks.", {"type": "object", "properties": {}})


def play_long(script):
    judge = PassJudge(ScriptedModel(lambda request: "Solved"))
    env = ToolEnv(TaskSet([Task("1", "Look around.", (LOOK,))], "long"), Verbose(), judge)
    model = ScriptedModel(script)
    return play(env, ChatAgent(model), task_id="1", seed=0), model


def looks(request, times):
    """Call the tool so many times, each call with an id of its own."""
    said = sum(message["role"] == "assistant" for message in request.messages)
    return calls(function_call("look", {}, f"c{said}")) if said < times else None


def test_what_outgrows_the_context_is_shortened_oldest_results_first():
    def script(request):
        size = sum(len(str(message)) for message in request.messages)
        return looks(request, 3) or (TOO_LONG if size > 14_000 else DONE)

    played, model = play_long(script)
    before, after = (request.messages for request in model.requests[-2:])
    assert played.valid
    assert [len(str(m)) > len(str(n)) for m, n in zip(before, after, strict=True)] == [
        index == 3 or index == 5 for index in range(8)
    ]
    assert "...[cut]" in str(json.loads(after[3]["content"])["response"])
    assert len(played.messages[3]["content"]) > len(after[3]["content"])


def test_a_context_that_stays_too_long_fails_with_its_kind_after_three_shortenings():
    played, model = play_long(lambda request: looks(request, 3) or TOO_LONG)
    assert (played.failure["kind"], played.failure["stage"], played.valid) == ("context", "agent", False)
    assert len(model.requests) == 3 + 1 + 3


json_texts = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"])), lambda inner: st.lists(inner), max_leaves=30
).map(lambda value: json.dumps({"error": "", "response": value}))


@given(st.lists(json_texts, min_size=1, max_size=6))
def test_shortening_keeps_every_message_and_every_result_parses(results):
    talk = Conversation([{"role": "user", "content": "q"}])
    for number, result in enumerate(results):
        talk.say({"role": "assistant", **calls(function_call("f", {}, f"c{number}"))})
        talk.hear(result, [{"id": f"c{number}"}])
    count, size = len(talk.messages), len(str(talk.messages))
    while talk.shorten():
        assert len(str(talk.messages)) < size
        size = len(str(talk.messages))
    assert len(talk.messages) == count
    assert all(json.loads(message["content"]) for message in talk.messages if message["role"] == "tool")


def test_without_a_model_it_says_how_to_configure_one(monkeypatch):
    for name in ("OPENAI_API_KEY", "STB_AGENT_BASE_URL", "STB_AGENT_API_KEY_ENV"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(
        ConfigError, match=r"^the chat agent has no model: set OPENAI_API_KEY, or STB_AGENT_BASE_URL"
    ):
        ChatAgent()


def test_a_models_file_configures_it(tmp_path, monkeypatch):
    monkeypatch.delenv("STB_AGENT_MODEL", raising=False)
    file = tmp_path / "models.toml"
    file.write_text('[models.agent]\nmodel = "tiny"\nbase_url = "http://127.0.0.1:1/v1"\n')
    assert ChatAgent(str(file))._model.name == "tiny"


# -- over HTTP -----------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


def connected(server, role, **settings):
    given = {"base_url": server.url(role), "api_key_env": "TEST_KEY", "retries": 1, **settings}
    clock = Clock(sleep=lambda seconds: None)
    return OpenAIModel(ModelConfig(role, f"{role}-model", **given), env={"TEST_KEY": KEY}, clock=clock)


def over_http(server, job, folder, **settings):
    judge = PassJudge(connected(server, "judge"))
    run_ = Run(folder, {"judge": judge.name})
    env = gym.make(ENV, judge=judge).unwrapped
    model = connected(server, "agent", **settings)
    (played,) = run_batch(lambda: env, lambda: ChatAgent(model), [job[0]], run_)
    run_.close()
    return played


def reply(message):
    return Answer(completion(message=message))


def test_agent_and_judge_play_an_episode_each_at_their_own_endpoint(server, job, tmp_path):
    server.script(reply(calls(function_call(job[1][0], {}, "one"))), reply(DONE), role="agent")
    status = json.dumps({"answer_status": "Solved", "reason": "It is done."})
    server.script(reply(calls(function_call("report_status", status))), role="judge")
    played = over_http(server, job, tmp_path)
    paths = [request.path.split("/")[1] for request in server.requests]
    assert paths == ["agent", "agent", "judge"]
    assert [request.body["model"] for request in server.requests] == [f"{role}-model" for role in paths]
    assert server.requests[1].body["messages"][-1]["tool_call_id"] == "one"
    assert server.requests[2].body["tool_choice"]["function"]["name"] == "report_status"
    assert played.verdict == {
        "status": "solved",
        "score": 1.0,
        "votes": [{"status": "solved", "reason": "It is done."}],
        "judge": "pass:judge-model:v3",
    }
    assert (played.reward, played.usage["calls"], played.usage["total_tokens"]) == (1.0, 3, 45)


FULL = error("maximum context length is 10", 400, code="context_length_exceeded")


@pytest.mark.parametrize(
    ("role", "answers", "kind"),
    [
        ("agent", [error("slow down", 429, retry_after="1")] * 2, "rate_limit"),
        ("agent", [error("oops", 500)] * 2, "transport"),
        ("agent", [FULL], "context"),
        ("agent", [Answer(completion("half", finish_reason="error"))] * 3, "transport"),
        ("agent", [Answer({"cut": 1}, cut=4)] * 2, "transport"),
        ("judge", [error("slow down", 429)] * 6, "rate_limit"),
        ("judge", [Answer(completion('{"answer_status": "Sol'))] * 3, "judge"),
        ("judge", [Answer(completion(message={"refusal": "no"}))] * 3, "internal"),
        ("judge", [Answer('{"choices": [')] * 6, "transport"),
    ],
)
def test_a_failing_endpoint_is_a_typed_failure_and_never_a_score(server, job, tmp_path, role, answers, kind):
    if role == "judge":
        server.script(reply(DONE), role="agent")
    server.script(*answers, role=role)
    played = over_http(server, job, tmp_path)
    assert (played.valid, played.reward, played.verdict) == (False, 0.0, None)
    assert (played.failure["kind"], played.failure["stage"]) == (kind, role)


def test_what_an_agent_refuses_is_its_reply_and_leaves_the_episode_unsolved(server, job, tmp_path):
    refusal = Answer(completion(None, message={"refusal": "I cannot help with that."}))
    server.script(refusal, refusal, role="agent")
    server.script(reply({"content": '{"answer_status": "Unsolved", "reason": "Refused."}'}), role="judge")
    played = over_http(server, job, tmp_path)
    assert (played.valid, played.reward, played.verdict["status"]) == (True, 0.0, "unsolved")
    assert played.final_answer == "I cannot help with that."


def test_no_file_of_a_run_holds_the_key(server, job, tmp_path):
    def echo(request):
        return Answer({"error": {"message": str(dict(request.headers))}}, 401)

    server.script(reply(calls(function_call("x", {}), content=f"key {KEY}")), reply(DONE), role="agent")
    server.script(echo, role="judge")
    over_http(server, job, tmp_path)
    written = [path.read_text() for path in tmp_path.iterdir()]
    assert any("HTTP 401" in text for text in written)
    assert not any(KEY in text for text in written)


class Curious:
    """A user who asks one more question."""

    fingerprint: ClassVar[dict[str, str]] = {"user": "curious"}

    def start(self, task, seed):
        return 0

    def reply(self, task, state, text):
        yield from ()
        return Said(None if state else "And in metres?", state + 1)


def test_in_a_conversation_the_models_text_goes_to_the_user():
    env = gym.make("stb/Sandbox-v1", user=Curious())
    model = ScriptedModel(["Ten feet.", "Three metres."], name="m")
    trajectory = play(env, ChatAgent(model), task_id=env.unwrapped.tasks.at(0).id, seed=0)
    said = [(message["role"], message["content"]) for message in trajectory.messages[-3:]]
    assert said == [("assistant", "Ten feet."), ("user", "And in metres?"), ("assistant", "Three metres.")]
    assert model.requests[1].messages[-1] == {"role": "user", "content": "And in metres?"}


@pytest.mark.parametrize(
    ("reason", "told"),
    [("length", "cut at the length limit"), ("malformed_call", "a call that cannot be taken (BAD_CALL)")],
)
def test_a_reply_that_cannot_be_taken_is_not_said_to_the_user_and_plays_again_alike(reason, told):
    env = gym.make("stb/Sandbox-v1", user=Curious())
    said = {"role": "assistant", "content": "<think>Feet?</think>Ten f"}
    cut = ChatReply(said, reason, extra={"stop_reason": "BAD_CALL"})
    agent = ChatAgent(ScriptedModel([cut, "Ten feet.", "Three metres."]))
    trajectory = play(env, agent, task_id=env.unwrapped.tasks.at(0).id, seed=0)
    mine, complaint = trajectory.messages[2:4]
    assert (mine["content"], told in complaint["content"]) == ("Ten f", True)
    assert trajectory.messages[-2]["content"] == "And in metres?"
    env.reset(options={"task_id": trajectory.task_id}, seed=trajectory.seed)
    again = [env.step(saved_action(step))[0]["result"] for step in trajectory.steps]
    assert again[0] == complaint["content"]
