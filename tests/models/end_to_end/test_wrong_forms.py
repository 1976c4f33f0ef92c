"""Models that write in wrong forms, through the command line: corrections, and no episode thrown away."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from stb_env.saved_episodes import read_trajectories
from stb_env.tools import Status
from tests.fakes.openai_server import Answer, Received, completion, error
from tests.models.end_to_end.services import Service, Services, calling, finishing, said, voting

PLAIN = Answer(completion("It is probably 42."))
UNREADABLE = Answer(completion("Well, that depends."))


def rigid(answer: Callable[[Received], Answer]) -> Callable[[Received], Answer]:
    """A server that, as llama.cpp does, refuses a history with a call whose arguments are no object."""

    def strict(request: Received) -> Answer:
        for message in request.body["messages"]:
            for call in message.get("tool_calls") or ():
                try:
                    read = isinstance(json.loads(call["function"]["arguments"]), dict)
                except ValueError:
                    read = False
                if not read:
                    return error("Value is not callable: failed to parse tool call arguments", 500)
        return answer(request)

    return strict


def in_turn(*answers: Answer) -> Callable[[Received], Answer]:
    """An agent that goes by how often it has spoken."""
    return lambda request: answers[sum(m["role"] == "assistant" for m in request.body["messages"])]


def malformed(arguments: str) -> Answer:
    function = {"name": "no_such_tool", "arguments": arguments}
    return said({"content": None, "tool_calls": [{"id": "c0", "type": "function", "function": function}]})


def heard(service: Service) -> Mapping[str, Any]:
    """The last message of the service's last request."""
    return service.requests[-1].body["messages"][-1]


@pytest.fixture
def agent(services: Services) -> Service:
    return services.agent


@pytest.mark.parametrize("arguments", ['{"city": "Os', "city=Oslo", "[1]"])
def test_one_malformed_call_does_not_cost_the_episode_at_a_rigid_server(
    services: Services, agent: Service, play: Any, tmp_path: Path, arguments: str
):
    agent.always(rigid(in_turn(malformed(arguments), finishing("Oslo."))))
    services.judge.always(voting("Solved"))
    done, (episode,) = play(services.models(tmp_path / "models.toml"), "--episodes", 1)
    assert (done.exit_code, done.report["invalid"], len(agent.requests)) == (0, 0, 2)
    assert (episode.valid, episode.final_answer) == (True, "Oslo.")
    assert "no tool is named 'no_such_tool'" in heard(agent)["content"]


def test_the_rigid_server_refuses_what_the_published_client_sends_back(
    services: Services, agent: Service, stb: Any, tmp_path: Path
):
    agent.always(rigid(in_turn(malformed("{"), finishing("Oslo."))))
    models = services.models(tmp_path / "models.toml")
    who = ("--agent", "chat(compat='original')", "--models", models, "--episodes", 1)
    stb(
        "run",
        "stb/I1Instruction-v0",
        *who,
        "--mode",
        "record",
        "--cache",
        tmp_path / "c",
        "--out",
        tmp_path / "o",
    )
    (episode,) = read_trajectories(tmp_path / "o")
    assert (episode.valid, episode.failure["kind"]) == (False, "transport")


def test_plain_text_is_reminded_of_and_the_second_is_the_answer(
    services: Services, agent: Service, play: Any, tmp_path: Path
):
    agent.script(PLAIN, Answer(completion("It is 42.")))
    services.judge.always(voting("Solved"))
    _, (episode,) = play(services.models(tmp_path / "models.toml"), "--episodes", 1)
    assert (episode.final_answer, len(episode.steps)) == ("It is 42.", 2)
    assert heard(agent)["role"] == "user"
    assert "call Finish to give the final answer" in heard(agent)["content"]


def test_text_is_the_answer_at_once_where_the_command_says_so(
    services: Services, agent: Service, stb: Any, tmp_path: Path
):
    agent.script(PLAIN)
    services.judge.always(voting("Solved"))
    who = ("--agent", "chat(answer='text')", "--models", services.models(tmp_path / "m.toml"))
    where = ("--mode", "record", "--cache", tmp_path / "cache", "--out", tmp_path / "out", "--episodes", 1)
    stb("run", "stb/I1Instruction-v0", *who, *where)
    (episode,) = read_trajectories(tmp_path / "out")
    assert (episode.final_answer, len(agent.requests)) == ("It is probably 42.", 1)


def test_a_reply_that_was_cut_costs_a_turn_and_what_the_engine_gave_is_saved(
    services: Services, agent: Service, play: Any, tmp_path: Path
):
    cut = completion("The answer is", finish_reason="length", token_ids=[5, 6], logprobs={"content": []})
    agent.script(Answer({**cut, "prompt_token_ids": [1, 2, 3]}), finishing("42"))
    services.judge.always(voting("Solved"))
    _, (episode,) = play(services.models(tmp_path / "models.toml"), "--episodes", 1)
    first, second = episode.steps
    assert (first["calls"], episode.final_answer) == ([], "42")
    assert first["engine"] == {
        "finish_reason": "length",
        "token_ids": [5, 6],
        "prompt_token_ids": [1, 2, 3],
        "logprobs": {"content": []},
    }
    assert second["engine"] == {"finish_reason": "stop"}
    begun, told = agent.requests[1].body["messages"][-2:]
    # What we say of it is a message of its own: a trainer learns what stands in the assistant's.
    assert begun == {"role": "assistant", "content": "The answer is"} == episode.messages[2]
    assert told == episode.messages[3]
    assert (told["role"], "cut at the length limit" in told["content"]) == ("user", True)


def test_an_unreadable_vote_is_asked_again_with_what_was_wrong_at_another_seed(
    services: Services, agent: Service, play: Any, tmp_path: Path
):
    agent.always(finishing("42"))
    services.judge.script(UNREADABLE, voting("Solved"))
    models = services.models(tmp_path / "models.toml", judge={"temperature": 0.0, "seed": 3})
    _, (episode,) = play(models, "--episodes", 1)
    first, second = (request.body for request in services.judge.requests)
    assert (episode.reward, first["temperature"], first["seed"]) == (1.0, 0.0, 3)
    assert second["messages"][:1] == first["messages"]
    assert "could not be read" in second["messages"][-1]["content"]
    assert second["seed"] != first["seed"]
    assert second["temperature"] > 0


def test_best_of_n_goes_on_where_its_own_judge_writes_nothing_of_use(
    services: Services, agent: Service, stb: Any, tmp_path: Path
):
    def answer(request: Received) -> Answer:
        judging = request.body["tools"][0]["function"]["name"] == "report_status"
        return UNREADABLE if judging else finishing("42")

    agent.always(answer)
    services.judge.always(voting("Solved"))
    who = ("--agent", "best_of_n(n=2)", "--models", services.models(tmp_path / "models.toml"))
    where = ("--mode", "record", "--cache", tmp_path / "cache", "--out", tmp_path / "out", "--episodes", 1)
    done = stb("run", "stb/I1Instruction-v0", *who, *where, "--json")
    (episode,) = read_trajectories(tmp_path / "out")
    assert (done.report["invalid"], episode.final_answer, episode.reward) == (0, "42", 1.0)
    assert [note[:29] for note in episode.tree["notes"]] == [
        "node 1 has no value of its ow",
        "node 2 has no value of its ow",
    ]


def test_calls_of_unknown_tools_are_corrected_until_the_model_finishes(
    services: Services, agent: Service, play: Any, tmp_path: Path
):
    agent.script(calling("fly", {}), Answer(completion('{"name": "swim", "arguments": {}}')), finishing("42"))
    services.judge.always(voting("Solved"))
    _, (episode,) = play(services.models(tmp_path / "models.toml"), "--episodes", 1)
    assert [step["calls"][0]["status"] for step in episode.steps][:2] == [Status.UNKNOWN_TOOL] * 2
    assert episode.final_answer == "42"
