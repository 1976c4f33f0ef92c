"""Replies of a chat model in a wrong form: each costs a turn and is no answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from stb_env.envs.tool_env import ToolEnv
from stb_env.models import ChatReply, ScriptedModel
from stb_env.runs import play
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.runs.baselines.conversation import mended
from stb_env.runs.baselines.null import GiveUp
from stb_env.tasks import TaskSet
from stb_env.testing.notes import notes
from stb_env.tools import Status
from stb_env.trajectory import Trajectory
from stb_env.wrappers import DepthFirstSearch
from tests.agents.talking import said
from tests.wrappers.search.searching import CountingJudge, Maze, go, maze

PLAIN = "The gold is behind the second door."


def native(arguments: str, name: str = "go") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": "c0", "type": "function", "function": function}]}


def cut(message: dict[str, Any]) -> ChatReply:
    return ChatReply({"role": "assistant", **message}, "length")


def played(*replies: Any, **settings: Any) -> tuple[Trajectory, ScriptedModel]:
    model = ScriptedModel(replies)
    return play(maze(), ChatAgent(model, **settings), task_id="1", seed=0), model


def history(model: ScriptedModel) -> list[dict[str, Any]]:
    """The calls in the history that the last request carries."""
    calls = [call for message in model.requests[-1].messages for call in message.get("tool_calls", ())]
    return [call["function"] for call in calls]


def test_the_first_plain_text_is_answered_with_a_reminder_and_costs_a_turn():
    episode, model = played(PLAIN, said("!"))
    assert (episode.final_answer, episode.reward, len(episode.steps)) == ("gold", 1.0, 2)
    assert [message["role"] for message in model.requests[1].messages[-2:]] == ["assistant", "user"]
    assert "call Finish to give the final answer" in model.requests[1].messages[-1]["content"]


def test_a_second_plain_text_in_a_row_is_the_answer():
    episode, _ = played(PLAIN, "gold")
    assert (episode.final_answer, episode.reward, len(episode.steps)) == ("gold", 1.0, 2)


@pytest.mark.parametrize(("prefix", "thought"), [("", None), ("<think>Which?</think>", "Which?")])
def test_a_text_that_is_the_answer_is_saved_as_the_tasks_own_finish(prefix: str, thought: str | None):
    model = ScriptedModel([f"{prefix}Tuesday"])
    episode = play(notes(), ChatAgent(model, answer="text"), task_id="day", seed=0)
    (call,) = episode.messages[2]["tool_calls"]
    assert (call["function"]["arguments"], episode.reward) == ('{"final_answer": "Tuesday"}', 1.0)
    offered = {tool["function"]["name"]: tool["function"]["parameters"] for tool in episode.tools}
    assert json.loads(call["function"]["arguments"]).keys() <= offered["Finish"]["properties"].keys()
    assert episode.steps[0].get("thought") == thought


@pytest.mark.parametrize("answer", ["call", "text"])
def test_plain_text_is_never_the_answer_where_that_is_typed(answer: str):
    schema = {"type": "object", "properties": {"door": {"type": "string"}}, "required": ["door"]}
    task = replace(maze().tasks.at(0), answer=schema)
    env = ToolEnv(TaskSet([task]), Maze(), CountingJudge(), max_turns=4)
    finish = {"function": {"name": "Finish", "arguments": '{"answer": {"door": "gold"}}'}}
    model = ScriptedModel([PLAIN, "gold", "It is gold.", {"role": "assistant", "tool_calls": [finish]}])
    episode = play(env, ChatAgent(model, answer=answer), task_id=task.id, seed=0)
    assert [len(step["calls"]) for step in episode.steps] == [0, 0, 0, 1]
    assert episode.answer == {"door": "gold"}
    assert "its answer has door" in model.requests[1].messages[-1]["content"]


@pytest.mark.parametrize(
    ("text", "is_answer"),
    [
        ("Finish with gold.", False),
        ("I call Finish: the door is gold", False),
        ("Now I would use the `Finish` tool to answer gold.", False),
        ('Finish({"final_answer": "gold"}', False),
        ("The finish with gold is the door.", True),
        ("Finish line: gold", True),
    ],
)
def test_who_talks_of_finishing_has_not_answered(text: str, is_answer: bool):
    episode, _ = played(PLAIN, text, said("!"))
    assert (episode.final_answer == text) == is_answer


def test_a_plain_text_after_a_call_is_reminded_of_anew():
    episode, _ = played(PLAIN, said("a"), PLAIN, "gold")
    assert (episode.final_answer, len(episode.steps)) == ("gold", 4)


def test_the_first_plain_text_is_the_answer_where_that_is_asked_for():
    episode, model = played("gold", answer="text")
    assert (episode.final_answer, episode.reward, len(model.requests)) == ("gold", 1.0, 1)


def test_a_call_of_an_unknown_tool_is_corrected_and_never_an_answer():
    text = json.dumps({"name": "fly", "arguments": {}})
    episode, model = played(text, text, native("{}", "fly"), said("!"))
    assert [step["calls"][0]["status"] for step in episode.steps] == [Status.UNKNOWN_TOOL] * 3 + [
        Status.FINISHED
    ]
    assert "no tool is named 'fly'" in model.requests[-1].messages[-1]["content"]


def test_text_that_is_a_call_of_a_known_tool_is_made():
    episode, _ = played(json.dumps(go("a")), said("!"))
    assert episode.steps[0]["calls"][0]["response"] == {"room": "a"}


@pytest.mark.parametrize("written", ['{"door": "a"', "door=a", '["a"]', "null", '"a"', '{"door": NaN}'])
def test_arguments_that_are_no_json_object_get_a_correction_and_go_back_as_one(written: str):
    episode, model = played(native(written), said("!"))
    assert episode.steps[0]["calls"][0]["status"] == Status.INVALID_ARGUMENTS
    assert "invalid arguments" in model.requests[1].messages[-1]["content"]
    (sent,) = history(model)
    assert isinstance(json.loads(sent["arguments"], parse_constant=pytest.fail), dict)
    assert (episode.valid, episode.final_answer) == (True, "gold")


def test_arguments_that_are_json_go_back_as_they_were_written():
    _, model = played(native('{ "door":"a" }'), said("!"))
    assert history(model) == [{"name": "go", "arguments": '{ "door":"a" }'}]


def test_a_search_sends_json_back_too():
    model = ScriptedModel([native('{"door": '), said("!")])
    play(DepthFirstSearch(maze()), ChatAgent(model), task_id="1", seed=0)
    assert json.loads(history(model)[0]["arguments"]) == {"not_json": '{"door": '}


@pytest.mark.parametrize(
    ("name", "sent"), [("multi.use tool", "multi_use_tool"), ("", "unnamed"), ("x" * 90, "x" * 64)]
)
def test_a_name_that_no_function_can_have_is_mended_in_the_history(name: str, sent: str):
    assert mended(native("{}", name))["tool_calls"][0]["function"]["name"] == sent


def test_the_name_of_a_tool_stays_in_the_history_whatever_it_is():
    assert (
        mended(native("{}", "maps.find"), {"maps.find"})["tool_calls"]
        == native("{}", "maps.find")["tool_calls"]
    )


@pytest.mark.parametrize(
    "message",
    [
        {"content": "First I will think about the doors, of which"},
        {"content": json.dumps(go("a")) + " and then"},
        native('{"door": "a"}'),
        said("?"),
    ],
)
def test_a_reply_that_was_cut_is_said_to_be_cut_costs_a_turn_and_is_not_made(message: dict[str, Any]):
    episode, model = played(cut(message), said("!"))
    assert (episode.steps[0]["calls"], episode.final_answer, len(episode.steps)) == ([], "gold", 2)
    mine, complaint = model.requests[1].messages[-2:]
    assert message.get("content", "").startswith(mine["content"]) or mine["content"] == "..."
    assert (complaint["role"], "cut at the length limit" in complaint["content"]) == ("user", True)
    assert [mine, complaint] == [*episode.messages[2:4]]
    assert history(model) == []


def test_a_reply_that_was_cut_is_not_the_answer_even_after_a_reminder():
    episode, _ = played(PLAIN, cut({"content": "The gold is"}), "gold")
    assert (episode.final_answer, len(episode.steps)) == ("gold", 3)


def test_the_first_words_of_a_long_reply_that_was_cut_are_kept_alone():
    _, model = played(cut({"content": "so " * 5_000}), said("!"))
    assert model.requests[1].messages[-2]["content"] == ("so " * 5_000)[:1_000].strip()


def test_plain_text_is_reminded_of_on_each_branch_of_a_search():
    model = ScriptedModel([PLAIN, said("-"), PLAIN, "gold"])
    episode = play(DepthFirstSearch(maze(), width=2), ChatAgent(model), task_id="1", seed=0)
    assert (episode.final_answer, episode.tree["queries"]) == ("gold", 4)


def test_a_search_hears_of_a_reply_that_was_cut_and_goes_on_below_it():
    model = ScriptedModel([cut(said("?")), said("!")])
    episode = play(DepthFirstSearch(maze()), ChatAgent(model), task_id="1", seed=0)
    assert (episode.final_answer, len(episode.steps), episode.tree["nodes"][2]["parent"]) == ("gold", 2, 1)
    assert "cut at the length limit" in model.requests[1].messages[-1]["content"]


def test_how_answers_are_taken_is_part_of_what_a_manifest_says():
    assert ChatAgent(ScriptedModel([], name="m")).fingerprint == {"model": "m"}
    assert ChatAgent(ScriptedModel([], name="m"), answer="text").fingerprint == {
        "model": "m",
        "answer": "text",
    }


def test_the_original_takes_a_reply_that_was_cut_as_it_is():
    episode, model = played(cut(native('{"door": "a"}')), cut(native("{")), said("!"), compat="original")
    assert episode.steps[0]["calls"][0]["name"] == "go"
    assert [function["arguments"] for function in history(model)] == ['{"door": "a"}', "{"]


def test_what_the_engine_gave_is_kept_with_the_step_and_hidden_from_the_environment():
    extra = {"prompt_token_ids": [1, 2], "token_ids": [3], "logprobs": {"content": []}, "seed": 7}
    first = ChatReply({"role": "assistant", **said("a")}, "tool_calls", extra=extra)
    episode, model = played(first, said("!"))
    assert episode.steps[0]["engine"] == {**extra, "finish_reason": "tool_calls"}
    assert episode.steps[1]["engine"] == {"finish_reason": "tool_calls"}
    assert "token_ids" not in json.dumps([model.requests[1].to_dict(), list(episode.messages)])
    assert Trajectory.from_json(episode.to_json()) == episode


def test_the_finish_reason_of_a_cut_reply_is_kept_with_its_step():
    episode, _ = played(cut({"content": "so"}), said("!"))
    assert [step["engine"]["finish_reason"] for step in episode.steps] == ["length", "tool_calls"]


def test_an_agent_without_a_model_leaves_nothing_of_an_engine():
    episode = play(maze(), GiveUp(), task_id="1", seed=0)
    assert not any("engine" in step for step in episode.steps)
