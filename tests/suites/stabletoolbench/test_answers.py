"""Answer files: reading, writing and converting them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from stb_env.errors import DataError
from stb_env.formats.imported import Origin
from stb_env.suites.stabletoolbench.answers import (
    answer_file,
    convert,
    converted_entry,
    file_name,
    read_answer_file,
    read_json,
    read_name,
)
from stb_env.suites.stabletoolbench.answers.messages import merge_lists, split_lists, to_original
from tests.formats.trees import ORIGIN, decoded, episodes

ANSWER = '{"return_type": "give_answer", "final_answer": "4"}'
GIVE_UP = '{"return_type": "give_up_and_restart"}'
OBSERVED = '{"error": "", "response": "four"}'


def raw(kind, text, *children, **more):
    return {"node_type": kind, "description": text, "children": list(children), **more}


def call(name, arguments, observation="", code=0, *children, **more):
    given = raw("Action Input", arguments, *children, observation=observation, observation_code=code, **more)
    return raw("Action", name, given)


def chain(*tops):
    return [
        {k: v for k, v in node.items() if k != "children"} for top in tops for node in [top, *top["children"]]
    ]


def document(messages=(), valid=True, final=ANSWER, functions=(), **shape):
    generation = {
        "valid_data": valid,
        "final_answer": final,
        "function": list(functions),
        "query_count": 2,
        "total_tokens": 20,
        "query": "Two and two?",
        "train_messages": [[{"role": "system"}, {"role": "user"}, *messages]],
    }
    return {"answer_generation": generation, "forward_args": {}, **shape}


def cot(*tops, **more):
    return document(trys=[{"chain": chain(*tops)}], **more)


def dfs(*tops, **more):
    return document(tree={"tree": raw("Action Input", "", *tops)}, **more)


def said(*messages):
    entry = convert(document(messages, trys=[]), "CoT@1")
    (node,) = entry["answer"]["answer_details"]
    found = []
    while node["next"]:
        (node,) = node["next"]
        found.append((node["role"], node["message"]))
    assert entry["answer"]["total_steps"] == len(found) + 1
    return found[1:]


def current(*calls, content=None):
    tool_calls = [{"id": i, "function": {"name": name, "arguments": text}} for i, name, text in calls]
    return {"role": "assistant", "content": content, "tool_calls": tool_calls}


def result(call_id, text):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def tool(name, arguments, response):
    return "tool", {"name": name, "arguments": arguments, "response": response}


FINISH_CALL = ("f", "Finish", ANSWER)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [{"role": "assistant", "content": "I think."}], [("assistant", "I think.")], id="a thought"
        ),
        pytest.param(
            [
                {"role": "assistant", "content": "lost", "function_call": {"name": "add", "arguments": "{}"}},
                {"role": "function", "name": "add", "content": "four"},
                {"role": "assistant", "function_call": {"name": "Finish", "arguments": ANSWER}},
            ],
            [tool("add", "{}", "four"), tool("Finish", ANSWER, "")],
            id="older dialect",
        ),
        pytest.param(
            [current(("a", "x", "{}"), ("b", "y", "[]")), result("b", "2"), result("a", "1")],
            [tool("x", "{}", "1"), tool("y", "[]", "2")],
            id="results are found by id",
        ),
        pytest.param(
            [current(("a", "x", "{}"), ("b", "y", "[]")), result("b", "2")],
            [tool("y", "[]", "2")],
            id="a call without a result makes no node",
        ),
        pytest.param(
            [current(FINISH_CALL, ("a", "x", "{}")), result("a", "1")],
            [tool("Finish", ANSWER, "")],
            id="nothing after Finish",
        ),
        pytest.param(
            [{"role": "assistant", "content": "Hm.", "function_call": None, "tool_calls": None}],
            [("assistant", "Hm.")],
            id="null calls count as absent",
        ),
        pytest.param([{"role": "user", "content": "?", "valid": False}], [], id="users make no nodes"),
    ],
)
def test_a_conversation_converts_message_by_message(messages, expected):
    assert said(*messages) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (cot(raw("Thought", "Hm."), call("add", "{}", OBSERVED)), ["assistant", "tool"]),
        (dfs(raw("Thought", "a"), raw("Thought", "b", call("add", "{}", OBSERVED))), ["assistant", "tool"]),
        (dfs(call("x", "{}"), call("y", "{}", OBSERVED, 0, raw("Thought", "c"))), ["tool", "assistant"]),
        (document(trys=[]), []),
    ],
)
def test_without_an_answer_the_last_try_or_branch_is_converted(value, expected):
    value["answer_generation"] |= {"valid_data": False, "final_answer": ""}
    entry = convert(value, "any name will do")
    (node,) = entry["answer"]["answer_details"][0]["next"]
    roles = []
    while node["next"]:
        (node,) = node["next"]
        roles.append(node["role"])
    assert roles == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "not an answer file: expected an object with trys or tree"),
        ({"trys": []}, "malformed answer file: KeyError: 'answer_generation'"),
        (cot(valid=True), "the file reports an answer that none of its nodes gives"),
        (cot(raw("Guess", "x")), "expected a node of type Thought, Action or Action Input, got 'Guess'"),
        (cot(raw("Action", "x")), "a chain ends in an Action without Action Input"),
        (cot(raw("Action Input", "x")), "expected Action and Action Input in turn, got Action Input and"),
        (dfs(raw("Action", "x")), "an Action needs one Action Input below it, this one has 0 children"),
        (dfs(call("x", None)), "the description of a node must be text, got NoneType"),
        (dfs(call("x", "{}", [1])), "the observation of a node must be text, got list"),
        (dfs(raw("Thought", 3)), "the description of a node must be text, got int"),
        (dfs() | {"tree": {"tree": raw("Thought", "") | {"children": 3}}}, "the children of a node must be"),
        ({"tree": {"tree": 3}, "answer_generation": {}}, "expected a node of type"),
    ],
)
def test_a_malformed_answer_file_says_what_is_wrong(value, message):
    with pytest.raises(DataError, match=message):
        read_answer_file(value, Origin("1"))


@pytest.mark.parametrize("value", [{}, [], None, {"answer_generation": {"valid_data": True}}])
def test_converting_what_is_no_answer_file_says_so(value):
    with pytest.raises(DataError, match="not an answer file"):
        convert(value, "CoT@1")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("588_CoT@1", ("588", "CoT@1")),
        ("588_DFS_woFilter_w2", ("588", "DFS_woFilter_w2")),
        ("588_DFS_w3", ("588", "DFS_w3")),
        ("10_ChatGPT_DFS_woFilter_w2", ("10", "DFS_woFilter_w2")),
        ("test-buy_shoes-0_CoT@1", ("test-buy_shoes-0", "CoT@1")),
        ("7_UCT_w2", ("7", "UCT_w2")),
        ("12", ("12", "")),
        ("12_my_method", ("12", "my_method")),
        ("CoT@1", ("CoT@1", "")),
    ],
)
def test_a_file_name_holds_query_and_method(name, expected):
    assert read_name(name) == expected


@pytest.mark.parametrize("query_id", ["588", "test-buy_shoes-0", "level-3/a b_c", "ü%2F"])
def test_any_id_survives_in_a_file_name(query_id):
    name = file_name(query_id, "DFS_woFilter_w2")
    assert "/" not in name
    assert read_name(name.removesuffix(".json")).query_id == query_id


def test_a_file_that_nests_deeper_than_a_call_may_is_still_read(tmp_path):
    node = call("Finish", ANSWER, OBSERVED, 3, expand_num=201)
    for number in range(200, 0, -1):
        node = call("add", json.dumps({"n": number}), OBSERVED, 0, node, expand_num=number)
    file = tmp_path / "1_DFS_woFilter_w2.json"
    file.write_text(json.dumps(dfs(node)))
    assert len(read_answer_file(read_json(file), Origin("1")).steps) == 201


def test_what_is_no_json_is_refused_by_name(tmp_path):
    (tmp_path / "1_CoT@1.json").write_text("{")
    with pytest.raises(DataError, match=r"1_CoT@1\.json is no JSON file that can be read"):
        read_json(tmp_path / "1_CoT@1.json")


def test_texts_that_values_cannot_give_back_are_kept_beside_them():
    odd = '{"n":\n  1}'
    value = cot(
        call("add", odd, "not JSON", 11),
        call("Finish", ANSWER, '{"response":"ok"}', 3),
        messages=[],
    )
    episode = read_answer_file(value, Origin("1"))
    (first, last) = (step["calls"][0] for step in episode.steps)
    assert (first["arguments"], first["response"], first["error"]) == ({"n": 1}, "not JSON", "")
    assert answer_file(episode)["trys"][0]["chain"][1]["description"] == odd
    codes = [node.get("observation_code") for node in answer_file(episode)["trys"][0]["chain"]]
    assert codes == [None, 11, None, 3]
    assert last["response"] == "ok"
    assert episode.final_answer == "4"


def test_a_conversation_says_which_calls_were_one_message():
    calls = [("a", "x", '{"n": 1}'), ("b", "y", '{"n": 2}')]
    messages = [current(*calls, content=""), result("a", "1"), result("b", "2"), current(FINISH_CALL)]
    value = cot(
        *(raw("Thought", ""), call("x", '{"n": 1}', "1"), call("y", '{"n": 2}', "2")),
        call("Finish", ANSWER, OBSERVED, 3),
        messages=messages,
    )
    episode = read_answer_file(value, Origin("1"))
    assert [[c["id"] for c in step["calls"]] for step in episode.steps] == [["a", "b"], ["f"]]
    roles = ["system", "user", "assistant", "tool", "tool", "assistant", "tool"]
    assert [message["role"] for message in episode.messages] == roles
    written = answer_file(episode)
    assert written["trys"][0]["chain"][0]["node_type"] == "Thought"
    assert [len(part) for part in written["answer_generation"]["train_messages"]] == [3, 3, 6]


def test_of_several_flagged_messages_each_list_keeps_the_latest():
    flagged = [{"role": "user", "content": text, "valid": False} for text in "ab"]
    reply = {"role": "assistant", "content": "!"}
    whole = [{"role": "user", "content": "?"}, flagged[0], reply, flagged[1], reply]
    lists = split_lists(whole)
    assert lists == [whole[:3], [whole[0], reply, flagged[1], reply]]
    assert merge_lists(lists) == whole


def test_the_older_dialect_keeps_the_first_call_of_a_message():
    messages = [current(("a", "x", "{}"), ("b", "y", "{}")), result("a", "1")]
    old = to_original(messages, legacy=True)
    assert old[0]["function_call"] == {"name": "x", "arguments": "{}"}
    assert old[1] == {"role": "function", "name": "x", "content": "1"}


@pytest.mark.parametrize(
    ("finish", "code", "judged"), [(ANSWER, 3, False), (GIVE_UP, 4, True)], ids=["answered", "gave up"]
)
def test_an_imported_answer_waits_for_a_judge_and_a_give_up_does_not(finish, code, judged):
    end = call("Finish", finish, OBSERVED, code, pruned=code == 4)
    value = dfs(end, final=finish)
    value["answer_generation"] |= {"finish_type": "give_up"} if code == 4 else {}
    episode = read_answer_file(value, Origin("1"))
    assert (episode.valid, episode.solved, episode.reward) == (judged, False, 0.0)
    assert (episode.verdict is not None) == judged
    assert (episode.failure is None) == judged


@pytest.mark.heavy
@given(episodes())
def test_any_tree_exports_to_a_file_that_imports_to_an_equal_tree(episode):
    saved = decoded(answer_file(episode))
    origin = ORIGIN._replace(method=episode.tree["method"])
    again = read_answer_file(saved, origin)
    assert decoded(again.tree) == decoded(episode.tree)
    assert (again.answer, again.query, again.steps) == (episode.answer, episode.query, episode.steps)
    assert decoded(answer_file(again)) == saved


@given(episodes())
def test_any_episode_and_its_answer_file_convert_alike(episode):
    converted = convert(decoded(answer_file(episode)), episode.tree["method"])
    assert decoded(converted_entry(episode)) == converted
