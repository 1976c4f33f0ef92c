"""Order of nodes in a depth-first search, and the conversation at each."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from stb_env.models import ChatReply, ScriptedModel
from stb_env.runs import Agent, play
from stb_env.usage import Usage
from stb_env.wrappers import DepthFirstSearch, IndependentChains
from stb_env.wrappers.search import (
    OriginalRanker,
    Pair,
    Ranker,
    Scored,
    failed_reply,
    original_search,
    rank_by_value,
)
from stb_env.wrappers.search.original import RENAMED
from tests.wrappers.search.searching import GIVE_UP, CountingJudge, actions, go, maze, nodes_after, played_out


class Lost(Agent):
    """Takes the wrong door first, gives up wherever it meets a wall, and answers behind door c."""

    def __init__(self) -> None:
        self.name = "lost"

    def act(self, observation: Any, info: Any) -> Any:
        data = json.loads(observation["result"] or "{}")
        tried = {call["arguments"].get("door") for item in data.get("tried", ()) for call in item["calls"]}
        if data.get("error"):
            return GIVE_UP
        if data.get("response"):
            return actions("!")[0]
        return go("c" if "wall" in tried else "wall")


@pytest.mark.parametrize(
    ("script", "settings", "nodes"),
    [
        pytest.param("a!", {}, [1, "end"], id="an answer ends the search"),
        pytest.param("-a!", {}, [0, 2, "end"], id="a give-up in the first reply goes back to the root"),
        pytest.param("--", {}, [0, "end"], id="a root whose children all gave up ends it"),
        pytest.param("-", {"compat": "original"}, ["end"], id="the original ends at a first give-up"),
        pytest.param("a-b!", {}, [1, 0, 3, "end"], id="a give-up abandons the node above"),
        pytest.param("ab-c!", {}, [1, 2, 1, 4, "end"], id="and the one above that tries its next child"),
        pytest.param("ab-c-", {}, [1, 2, 1, 4, 0], id="twice, if need be, and then goes further up"),
        pytest.param("abc", {"max_depth": 2}, [1, 1, 0], id="the depth limit goes back one level"),
        pytest.param("abc", {"max_depth": 3}, [1, 2, 2], id="and only there"),
        pytest.param("ab", {"max_depth": 4, "depth": "nodes"}, [1, 1], id="a call is two nodes"),
        pytest.param(".....", {"max_depth": 4, "depth": "nodes"}, [1, 2, 3, 3, 2], id="a text is one"),
        pytest.param("a!", {"max_depth": 1, "width": 3}, [0, "end"], id="an answer at the limit counts"),
        pytest.param("ab", {"width": 1, "max_depth": 2}, [1, "end"], id="width 1 is a single chain"),
        pytest.param("aaa", {"width": 3, "max_depth": 1}, [0, 0, "end"], id="width 3 has three children"),
        pytest.param("!a!", {"answers": 2}, [0, 2, "end"], id="another answer is sought from the root"),
        pytest.param("!", {"answers": 2, "compat": "original"}, ["end"], id="the original would not"),
        pytest.param("a!b!", {"answers": 2}, [1, 0, 3, "end"], id="an answer abandons the node above"),
        pytest.param("abc", {"max_queries": 3}, [1, 2, "end"], id="the last reply is played"),
        pytest.param("ab!", {"max_queries": 3}, [1, 2, "end"], id="also where it is the answer"),
    ],
)
def test_a_depth_first_search_goes_on_where_the_paper_says(script, settings, nodes):
    assert nodes_after(DepthFirstSearch(maze(), **settings), script) == nodes


@pytest.mark.parametrize(
    ("script", "settings", "nodes"),
    [
        pytest.param("a!", {}, [1, "end"], id="an answer ends it"),
        pytest.param("a-b!", {"tries": 2}, [1, 0, 3, "end"], id="a try begins afresh"),
        pytest.param("a-", {"tries": 1}, [1, "end"], id="one try is one chain"),
        pytest.param("abc", {"tries": 2, "max_depth": 2}, [1, 0, 3], id="the depth limit ends a try"),
        pytest.param("!a!", {"tries": 3, "answers": 2}, [0, 2, "end"], id="answers come from tries"),
        pytest.param("abc", {"tries": 9, "max_queries": 3}, [1, 2, "end"], id="the budget covers all tries"),
    ],
)
def test_independent_chains_start_over(script, settings, nodes):
    assert nodes_after(IndependentChains(maze(), **settings), script) == nodes


def test_independent_chains_do_not_hear_of_each_other():
    env = IndependentChains(maze(), tries=3)
    first, _ = env.reset(seed=0)
    opening = env.messages
    env.step(go("a"))
    again, *_ = env.step(GIVE_UP)
    assert (again, env.messages) == (first, opening)
    assert not any(node.prompted for node in env.tree.nodes)


def test_an_agent_that_fails_one_branch_finds_the_answer_in_the_other():
    assert play(IndependentChains(maze(), tries=1), Lost(), task_id="1", seed=0).reward == 0.0
    saved = play(DepthFirstSearch(maze()), Lost(), task_id="1", seed=0)
    assert (saved.reward, saved.tree["best"], saved.final_answer) == (1.0, 4, "gold")


def test_the_result_lists_what_was_tried_and_where_it_led():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    for action in actions("ab-"):
        observation, *_ = env.step(action)
    data = json.loads(observation["result"])
    assert data["response"] == {"room": "a"}
    call = {"name": "go", "arguments": {"door": "b"}, "error": "", "response": {"room": "ab"}}
    assert data["tried"] == [{"calls": [call], "outcome": "give_up"}]


def test_a_list_of_results_becomes_the_response_beside_what_was_tried():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    env.step([go("a"), go("b")])
    env.step(go("c"))
    observation, *_ = env.step(GIVE_UP)
    data = json.loads(observation["result"])
    assert [item["response"] for item in data["response"]] == [{"room": "a"}, {"room": "ab"}]
    assert len(data["tried"]) == 1


def test_a_result_with_candidates_keeps_the_observations_bound():
    env = DepthFirstSearch(maze(limits={"result": 256}), width=9, max_depth=2)
    env.reset(seed=0)
    for action in actions("a" + "bcw." * 2):
        observation, *_ = env.step(action)
        json.loads(observation["result"])
        assert len(observation["result"]) <= 256


def test_the_conversation_ends_in_what_was_tried_only_where_something_was():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    seen = []
    for action in actions("ab-"):
        env.step(action)
        seen.append([message["role"] for message in env.messages])
    assert seen[1] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert seen[2] == ["system", "user", "assistant", "tool", "user"]
    assert '"door": "b"' in env.messages[-1]["content"]


def test_the_tree_says_which_actions_were_taken_with_candidates_shown():
    *_, info = played_out(DepthFirstSearch(maze()), "ab-c!")
    assert [node["prompted"] for node in info["tree"]["nodes"]] == [False, False, False, False, True, False]


def test_the_conversation_of_the_end_is_that_of_the_chosen_answer():
    *_, info = played_out(DepthFirstSearch(maze(), answers=2), "ab!c?")
    said = [message for message in info["messages"] if message["role"] == "tool"]
    assert [json.loads(message["content"])["response"] for message in said] == [
        *({"room": "a"}, {"room": "ab"}, "answer given")
    ]


def test_the_tree_is_plain_data_of_the_agreed_form():
    *_, info = played_out(DepthFirstSearch(maze()), "a!")
    tree = json.loads(json.dumps(info["tree"]))
    nodes = tree.pop("nodes")
    assert tree == {
        "method": "DFS_woFilter_w2",
        "settings": {"width": 2, "max_depth": 12, "max_queries": 200, "answers": 1, "filter": False},
        "queries": 2,
        "tokens": 0,
        "best": 2,
        "current": 2,
    }
    assert nodes[0]["step"] is None
    assert [(node["parent"], node["order"], node["outcome"], node["answer"]) for node in nodes] == [
        (None, 0, "open", ""),
        (0, 1, "open", ""),
        (1, 2, "answer", "gold"),
    ]
    assert nodes[1]["step"].keys() == {"calls", "text", "result", "status"}


def test_tokens_that_a_message_reports_are_counted():
    env = DepthFirstSearch(maze())
    env.reset(seed=0)
    env.step({"content": "Hm.", "usage": {"total_tokens": 7}})
    *_, info = env.step({**actions("!")[0], "usage": {"total_tokens": 5}})
    assert info["tree"]["tokens"] == 12


# -- the search that ranks ------------------------------------------------------------------------


def rank_last(pair: Pair) -> float:
    """Prefers what was made later."""
    return 0.0


def test_children_are_made_first_then_visited_from_the_best():
    env = DepthFirstSearch(maze(), filter=True, rank=rank_last)
    assert nodes_after(env, "ab") == [0, 2]
    assert [env.tree.nodes[index].order for index in (1, 2)] == [0, 1]


def test_an_answer_among_the_children_counts_once_it_is_visited():
    assert nodes_after(DepthFirstSearch(maze(), filter=True, rank=rank_last), "!a") == [0, 2]
    assert nodes_after(DepthFirstSearch(maze(), filter=True, rank=lambda pair: 1.0), "!a") == [0, "end"]


def test_an_answer_that_the_budget_left_unvisited_is_better_than_none():
    env = DepthFirstSearch(maze(), filter=True, rank=rank_last, max_queries=2)
    *_, info = played_out(env, "!a")
    assert info["verdict"]["status"] == "solved"


def test_the_next_best_child_follows_when_the_best_one_failed():
    env = DepthFirstSearch(maze(), filter=True, rank=rank_last, max_depth=2)
    assert nodes_after(env, "abcc") == [0, 2, 2, 1]


def test_ranking_by_heuristic_values_needs_no_model():
    env = DepthFirstSearch(maze(), filter=True)
    assert nodes_after(env, "wa") == [0, 2]
    assert env.rank is rank_by_value


def verdicts(*better: str) -> ScriptedModel:
    replies = [ChatReply({"content": json.dumps({"better": each})}, usage=Usage(calls=1)) for each in better]
    return ScriptedModel(replies)


@pytest.mark.parametrize(
    ("replies", "node"),
    [
        pytest.param(("second", "first"), 2, id="the second, asked both ways"),
        pytest.param(("first", "second"), 1, id="the first, asked both ways"),
        pytest.param(("second", "second"), 1, id="who prefers a place prefers no one"),
        pytest.param(("tie", "first"), 2, id="half a point is enough"),
    ],
)
def test_a_model_ranks_in_both_orders(replies, node):
    model = verdicts(*replies)
    env = DepthFirstSearch(maze(), filter=True, rank=Ranker(model))
    assert nodes_after(env, "ab") == [0, node]
    assert len(model.requests) == 2


def test_a_model_that_is_given_as_ranking_ranks():
    model = verdicts("second", "first")
    assert nodes_after(DepthFirstSearch(maze(), filter=True, rank=model), "ab") == [0, 2]
    assert len(model.requests) == 2


def test_a_model_is_shown_the_query_and_both_ways_between_delimiters():
    model = verdicts("tie", "tie")
    nodes_after(DepthFirstSearch(maze(), filter=True, rank=Ranker(model)), "ab")
    text = model.requests[0].messages[0]["content"]
    assert text.index("Where is the gold?") < text.index('"room": "a"') < text.index('"room": "b"')
    assert text.count("<<<") == 5


def test_what_a_ranking_costs_is_usage_and_no_query():
    env = DepthFirstSearch(maze(), filter=True, rank=Ranker(verdicts("tie", "tie")))
    nodes_after(env, "ab")
    assert (env.tree.queries, env.tree.spent.calls) == (2, 4)


def test_a_ranking_is_awaited_on_the_event_loop():
    async def search() -> Any:
        env = DepthFirstSearch(maze(), filter=True, rank=Ranker(verdicts("second", "first")))
        await env.areset(seed=0)
        await env.astep(go("a"))
        return await env.astep(go("b"))

    assert asyncio.run(search())[4]["node"] == 2


def test_a_search_goes_on_without_a_ranking_that_cannot_be_read_and_says_so():
    model = ScriptedModel(["hm"] * 3)
    *_, info = played_out(DepthFirstSearch(maze(), filter=True, rank=Ranker(model)), "?!")
    assert (info["valid"], info["verdict"]["status"], info["tree"]["best"]) == (True, "unsolved", 1)
    (note,) = info["tree"]["notes"]
    assert note.startswith("nodes 1 and 2 were not compared: model 'scripted' wrote nothing that can be read")
    assert info["usage"]["calls"] == len(model.requests) == 3


# -- the original's rules --------------------------------------------------------------------------


def test_the_original_counts_rankings_as_queries():
    def rank(pair: Pair) -> Scored:
        return Scored(0.5, Usage(calls=2, total_tokens=20))

    env = DepthFirstSearch(maze(), filter=True, rank=rank, compat="original")
    nodes_after(env, "ab")
    assert (env.tree.queries, env.tree.tokens) == (4, 20)


def test_the_original_refuses_a_ranking_without_a_letter():
    rank = OriginalRanker(ScriptedModel([" "]))
    *_, info = played_out(DepthFirstSearch(maze(), filter=True, rank=rank, compat="original"), "ab")
    assert (info["valid"], info["failure"]["kind"]) == (False, "judge")
    assert "ranked two candidates with an empty reply; expected A or B" in info["failure"]["message"]


def test_the_original_throws_the_reply_at_the_query_limit_away():
    judge = CountingJudge()
    env = DepthFirstSearch(maze(judge), max_queries=2, compat="original")
    *_, info = played_out(env, "a!")
    assert (judge.cases, info["verdict"]["status"], len(env.tree.nodes)) == ([], "unsolved", 2)


def test_the_original_runs_calls_in_the_order_of_the_message():
    judge = CountingJudge()
    env = DepthFirstSearch(maze(judge), compat="original")
    env.reset(seed=0)
    calls = [{"id": "x", "function": {"name": "Finish", "arguments": json.dumps(GIVE_UP["arguments"])}}]
    calls.append({"id": "y", "function": {"name": "go", "arguments": '{"door":"a"}'}})
    *_, terminated, _, info = env.step({"content": None, "tool_calls": calls})
    assert (terminated, [call["name"] for call in info["calls"]]) == (False, ["Finish", "go"])
    assert env.messages[2]["tool_calls"][1]["function"]["arguments"] == '{"door":"a"}'


def test_the_original_takes_a_text_for_a_thought_and_says_nothing_to_it():
    env = DepthFirstSearch(maze(), compat="original")
    nodes_after(env, ".")
    assert [message["role"] for message in env.messages] == ["system", "user", "assistant"]


def test_the_original_renames_a_made_up_function_and_keeps_its_name_in_the_tree():
    env = DepthFirstSearch(maze(), compat="original")
    env.reset(seed=0)
    env.step({"name": "fly", "arguments": {}})
    call, result = env.messages[2:]
    assert call["tool_calls"][0]["function"]["name"] == result["name"] == RENAMED
    assert env.tree.nodes[1].step.calls[0].name == "fly"


@pytest.mark.parametrize(
    ("make", "renamed"),
    [(IndependentChains, [True, True]), (DepthFirstSearch, [True, False])],
)
def test_the_original_renames_every_made_up_function_in_a_chain_and_the_first_in_a_tree(make, renamed):
    env = make(maze(), compat="original")
    env.reset(seed=0)
    env.step([{"name": "fly", "arguments": {}}, {"name": "swim", "arguments": {}}])
    names = [call["function"]["name"] for call in env.messages[2]["tool_calls"]]
    assert [name.startswith("invalid_") for name in names] == renamed


def test_a_reply_that_the_client_did_not_get_ends_a_branch_of_the_original():
    env = DepthFirstSearch(maze(), compat="original")
    env.reset(seed=0)
    *_, info = env.step(failed_reply("boom"))
    node = env.tree.nodes[1]
    assert (info["node"], node.outcome, node.step.extra["code"]) == (0, "failed", -1)


def test_the_original_flags_what_it_showed_before_and_sends_it_no_more():
    env = DepthFirstSearch(maze(), compat="original")
    *_, info = played_out(env, "ab-c!")
    flagged = [message for message in info["messages"] if message.get("valid") is False]
    assert len(flagged) == 1
    assert '"mento-carlo-action-value": 0.0' in flagged[0]["content"]


@pytest.mark.parametrize("doors", [("a", "wall"), ("wall", "a")])
def test_the_status_of_a_message_with_several_calls_is_the_highest_of_theirs(doors: tuple[str, str]):
    env = DepthFirstSearch(maze(), compat="original")
    env.reset(seed=0)
    observation, *_ = env.step([go(door) for door in doors])
    assert (observation["status"], env.tree.nodes[1].step.status) == (1, 1)


def test_the_original_reports_its_last_give_up_where_it_has_no_answer():
    *_, info = played_out(DepthFirstSearch(maze(), compat="original"), "a-b-")
    tree = info["tree"]
    assert (tree["best"], tree["nodes"][4]["outcome"]) == (4, "give_up")


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("CoT@3", {"tries": 3}),
        ("DFS_woFilter_w2", {"width": 2, "filter": False}),
        ("DFS_w3", {"width": 3, "filter": True}),
    ],
)
def test_a_method_is_found_by_the_name_of_its_answer_files(method, settings):
    search = original_search(maze(), method, max_depth=7)
    assert search.method == method
    assert search.settings.items() >= {**settings, "max_depth": 7}.items()
