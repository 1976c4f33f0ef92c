"""Every scripted search of the original, traced query by query, against ``compat="original"``."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.models import ChatReply, ChatRequest, ScriptedModel
from stb_env.models.prompting import prompt
from stb_env.runs import Agent, play
from stb_env.suites.stabletoolbench.answers import answer_file, convert
from stb_env.suites.stabletoolbench.api_entry import original_name
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.trajectory import arguments_text
from stb_env.usage import Usage
from stb_env.verdict import Verdict
from stb_env.wrappers.search import TreeSearch, original_search
from tests.shared import objects

TOKENS = 10


class EchoingBackend:
    """Answers as the traces say: with the API's name and the arguments that it was given."""

    fingerprint: ClassVar[dict[str, Any]] = {}

    def start(self, task: Task, seed: int) -> None:
        return None

    def answer(self, state: None, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, None]]:
        yield from ()
        return ToolResult.of(f"{tool.id.api}:{arguments_text(call.arguments)}", source="world"), None

    def recorded(self, state: None, tool: Tool, call: ToolCall) -> None:
        return None

    def close(self) -> None:
        pass


class CountingJudge:
    """Passes everything, and counts."""

    name = "counting"

    def __init__(self) -> None:
        self.cases: list[Any] = []

    def judge(self, case: Any) -> Slow[Verdict]:
        yield from ()
        self.cases.append(case)
        return Verdict.of("solved", judge=self.name)


class Talker(Agent):
    """Plays what the model says to the conversation that the search shows."""

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model

    def reset(self, env: Any, seed: int) -> None:
        self.env = env

    def act(self, observation: Any, info: Any) -> Any:
        reply = self.model.complete(ChatRequest(tuple(self.env.messages)))
        return {**reply.message, "usage": {"total_tokens": reply.usage.total_tokens}}


def scripted(script: list[dict[str, Any]]) -> ScriptedModel:
    """The scripted model of the traces: calls as (name, argument text), ten tokens each."""
    replies = []
    for number, item in enumerate(script, 1):
        message: dict[str, Any] = {"role": "assistant"}
        message |= {key: item[key] for key in ("content", "error") if key in item}
        calls = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            for place, (name, text) in enumerate(item.get("calls") or ())
        ]
        message |= {"tool_calls": calls} if calls else {}
        replies.append(ChatReply(message, usage=Usage(total_tokens=TOKENS, calls=1)))
    return ScriptedModel(replies)


def environment(golden: dict[str, Any]) -> tuple[ToolEnv, CountingJudge]:
    tools = tuple(
        Tool(
            original_name(api["api_name"], api["tool_name"]),
            "",
            {"type": "object", "properties": {}},
            ToolId.of(api["category_name"], api["tool_name"], api["api_name"]),
        )
        for api in golden["query"]["api_list"]
    )
    judge = CountingJudge()
    tasks = TaskSet([Task("1", golden["query"]["query"], tools)])
    return ToolEnv(tasks, EchoingBackend(), judge, compat="original", max_turns=1000), judge


def searched(golden: dict[str, Any], case: dict[str, Any]):
    env, judge = environment(golden)
    model, settings = scripted(case["script"]), case["forward_args"]
    search = original_search(
        env,
        case["method"],
        max_depth=settings["single_chain_max_step"],
        max_queries=settings.get("max_query_count", 200),
        answers=settings["answer"],
        model=model,
    )
    trajectory = play(search, Talker(model), task_id="1", seed=0)
    return search, trajectory, model, judge


@pytest.fixture(scope="module")
def traces(shared_data):
    files = objects(shared_data, "stabletoolbench/golden/search/*.json", "query", "cases")
    return [(case, *searched(golden, case)) for golden in files for case in golden["cases"]]


def shape(message: dict[str, Any]) -> dict[str, Any]:
    """A message as the traces show it: role, names of calls, name of the function that answered."""
    shown = {"role": message["role"]}
    if message.get("tool_calls"):
        shown["calls"] = [call["function"]["name"] for call in message["tool_calls"]]
    if message["role"] == "tool":
        shown["name"] = message["name"]
    return shown


def without_state(raw: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in raw.items() if name not in ("io_state", "Elo")}
    if "children" in raw:
        kept["children"] = [without_state(below) for below in raw["children"]]
    return kept


def differences(pairs):
    """The cases in which two values differ, by name, for a message that says which."""
    return {name: (got, expected) for name, got, expected in pairs if got != expected}


def test_golden_every_query_is_sent_the_same_conversation(traces):
    pairs = []
    for case, _, _, model, _ in traces:
        got = [[message["role"] for message in request.messages] for request in model.requests]
        pairs.append((case["name"], got, [call["sent_roles"] for call in case["expected"]["llm_calls"]]))
    assert not differences(pairs)


def test_golden_every_diversity_message_lists_the_same_candidates(traces):
    pairs = []
    for case, _, _, model, _ in traces:
        for request, call in zip(model.requests, case["expected"]["llm_calls"], strict=True):
            if "diversity_candidates" in call:
                tried = json.dumps(call["diversity_candidates"], indent=2)
                text = prompt("diversity", "v1").render(tried=tried, result=call["former_observation"] or "")
                pairs.append((case["name"], request.messages[-1]["content"], text))
    assert pairs
    assert not differences(pairs)


def test_golden_every_ranking_compares_the_same_paths(traces):
    pairs = []
    for case, _, trajectory, model, _ in traces:
        for request, call in zip(model.requests, case["expected"]["llm_calls"], strict=True):
            ranking = request.tool_choice == "none"
            pairs.append((case["name"], ranking, call["ranking"]))
            if call["ranking"]:
                texts = {"common": call["rank_common"], "first": call["rank_a"], "second": call["rank_b"]}
                text = prompt("ranking_original", "v1").render(query=trajectory.query, **texts)
                pairs.append((case["name"], request.messages[-1]["content"], text))
    assert not differences(pairs)


@pytest.mark.parametrize(
    ("field", "got"),
    [
        ("query_count", lambda search, document, model: search.tree.queries),
        ("total_tokens", lambda search, document, model: search.tree.tokens),
        ("script_items_used", lambda search, document, model: len(model.requests)),
        ("return", lambda search, document, model: search.tree.returned),
        ("win", lambda search, document, model: document["win"]),
        ("valid_data", lambda search, document, model: document["answer_generation"]["valid_data"]),
        ("compare_candidates", lambda search, document, model: len(document["compare_candidates"])),
        ("finish_type", lambda search, document, model: document["answer_generation"].get("finish_type")),
        ("try_count", lambda search, document, model: document.get("try_count")),
        ("give_up_nodes", lambda search, document, model: gave_up(search)),
    ],
)
def test_golden_counters_and_flags_agree(traces, field, got):
    pairs = [
        (case["name"], got(search, answer_file(trajectory), model), case["expected"][field])
        for case, search, trajectory, model, _ in traces
        if field in case["expected"]
    ]
    assert pairs
    assert not differences(pairs)


def gave_up(search: TreeSearch) -> int:
    return sum(node.outcome == "give_up" and node.order > 0 for node in search.tree.nodes)


def test_golden_the_settings_come_out_as_they_went_in(traces):
    pairs = [
        (case["name"], answer_file(trajectory)["forward_args"].items() >= case["forward_args"].items(), True)
        for case, _, trajectory, _, _ in traces
    ]
    assert not differences(pairs)


def test_golden_every_tree_has_the_same_nodes(traces):
    pairs = []
    for case, _, trajectory, _, _ in traces:
        if "tree" in case["expected"]:
            got = answer_file(trajectory)["tree"]
            shown = {**got, "root": without_state(got["tree"])}
            del shown["tree"]
            pairs.append((case["name"], shown, case["expected"]["tree"]))
    assert pairs
    assert not differences(pairs)


def test_golden_every_try_has_the_same_chain(traces):
    pairs = []
    for case, _, trajectory, _, _ in traces:
        if "trys" in case["expected"]:
            tries = answer_file(trajectory)["trys"]
            got = [{**one, "chain": [without_state(raw) for raw in one["chain"]]} for one in tries]
            pairs.append((case["name"], got, case["expected"]["trys"]))
    assert pairs
    assert not differences(pairs)


def test_golden_final_answers_and_training_messages_agree_where_nothing_is_random(traces):
    pairs = []
    for case, search, trajectory, _, _ in traces:
        expected = case["expected"]
        # The original draws one of several give-ups; with one there is nothing to draw.
        if expected["finish_type"] == "give_up" and gave_up(search) > 1:
            continue
        generation = answer_file(trajectory)["answer_generation"]
        shapes = [[shape(one) for one in said] for said in generation.get("train_messages", [])]
        pairs.append((case["name"], generation["final_answer"], expected["final_answer"]))
        pairs.append((case["name"], shapes, expected["train_messages"]))
    assert pairs
    assert not differences(pairs)


def test_golden_a_drawn_give_up_is_one_that_the_original_may_draw(traces):
    for case, search, trajectory, _, _ in traces:
        if case["expected"]["finish_type"] == "give_up" and gave_up(search) > 1:
            answers = {
                arguments_text(node.step.calls[-1].arguments)
                for node in search.tree.nodes
                if node.outcome == "give_up" and node.step is not None
            }
            assert answer_file(trajectory)["answer_generation"]["final_answer"] in answers, case["name"]


def test_golden_converted_answers_agree(traces):
    pairs = []
    for case, _, trajectory, _, _ in traces:
        if "converted_answer" in case["expected"]:
            got = convert(answer_file(trajectory), case["method"])["answer"]
            pairs.append((case["name"], got, case["expected"]["converted_answer"]))
    assert pairs
    assert not differences(pairs)


def test_golden_the_judge_is_asked_once_and_only_about_an_answer(traces):
    pairs = [
        (case["name"], len(judge.cases), int(bool(case["expected"]["win"]))) for case, *_, judge in traces
    ]
    assert not differences(pairs)
