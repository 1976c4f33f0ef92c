"""Preference pairs from verdicts and from the branches of a search."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from stb_env.formats.branches import tree_node, tree_step
from stb_env.formats.preferences import branch_pairs, labelled, preference, verdict_pairs
from stb_env.formats.spans import Span, spoken
from stb_env.trajectory import Trajectory
from tests.formats.trees import episodes

ASKED = {"role": "user", "content": "?"}


LOOK = {"id": "c0", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
FOUND = {"role": "tool", "tool_call_id": "c0", "content": "42"}


def said(text):
    return {"role": "assistant", "content": text}


def episode(status="solved", messages=(), trial=0, task_id="7", query="?"):
    verdict = {"status": status, "score": 0.0, "votes": [], "judge": "exact"}
    chat = list(messages) or [ASKED, said(f"{status} {trial}")]
    return Trajectory(
        "s", "g", task_id, trial, 0, query, [], chat, [], None, "", verdict, 0.0, True, None, {}
    )


def test_the_prompt_is_what_two_episodes_share_up_to_a_reply():
    tool = {"role": "tool", "tool_call_id": "c", "content": "42"}
    better, worse = ([ASKED, said("look"), tool, said(end)] for end in ("42", "41"))
    pair = preference((episode(messages=better), episode(messages=worse)), "verdicts")
    assert (pair["prompt"], pair["chosen"], pair["rejected"]) == (better[:3], better[3:], worse[3:])


def test_episodes_that_part_in_what_a_tool_said_share_less():
    better, worse = ([ASKED, said("look"), {"role": "tool", "content": text}, said("x")] for text in "ab")
    pair = preference((episode(messages=better), episode(messages=worse)), "verdicts")
    assert (pair["prompt"], pair["chosen"]) == ([ASKED], better[1:])


def test_the_first_turn_is_the_reply_in_which_they_part():
    better, worse = [ASKED, said("a"), ASKED, said("b")], [ASKED, said("c"), ASKED, said("d")]
    pair = preference((episode(messages=better), episode(messages=worse)), "verdicts", first_turn=True)
    assert (pair["chosen"], pair["rejected"]) == ([said("a")], [said("c")])


def test_ways_on_end_with_the_models_own_turn_and_tell_which_characters_are_its_own():
    called = {"role": "assistant", "content": None, "tool_calls": [LOOK]}
    better = [ASKED, called, FOUND, said("42"), {"role": "user", "content": "Thanks."}]
    pair = preference((episode(messages=better), episode(messages=[ASKED, said("no"), FOUND])), "verdicts")
    assert [message["role"] for message in pair["chosen"]] == ["assistant", "tool", "assistant"]
    assert pair["rejected"] == [said("no")]
    assert pair["chosen"][0]["content"] == ""
    assert pair["chosen"][0]["tool_calls"][0]["function"]["arguments"] == {"n": 1}
    for name, own in (("chosen", ["look", '{"n": 1}', "42"]), ("rejected", ["no"])):
        assert [spoken(pair[name], Span(**span)) for span in pair[f"{name}_mask"]] == own


def test_an_episode_that_a_judge_decided_on_is_a_labelled_completion():
    chat = [ASKED, {"role": "assistant", "content": "", "tool_calls": [LOOK]}, FOUND, said("42"), FOUND]
    records = [labelled(episode(status, messages=chat)) for status in ("solved", "unsolved", "unsure")]
    assert [record and record["label"] for record in records] == [True, False, None]
    assert records[0]["prompt"] == [ASKED]
    assert [message["role"] for message in records[0]["completion"]] == ["assistant", "tool", "assistant"]
    spans = [Span(**span) for span in records[0]["mask"]]
    assert [spoken(records[0]["completion"], span) for span in spans] == ["look", '{"n": 1}', "42"]
    assert labelled(episode(messages=[ASKED])) is None


def test_episodes_that_end_before_they_part_are_no_pair():
    short = [ASKED]
    assert preference((episode(messages=[ASKED, said("a")]), episode(messages=short)), "verdicts") is None


def test_episodes_whose_prompts_differ_are_no_pair():
    other = [{"role": "user", "content": "!"}, said("b")]
    assert preference((episode(messages=[ASKED, said("a")]), episode(messages=other)), "verdicts") is None


def test_each_solved_trial_meets_one_unsolved_trial_of_its_task():
    played = [
        *(episode("solved", trial=trial) for trial in range(3)),
        episode("unsure", trial=3),
        *(episode("unsolved", trial=trial) for trial in (4, 5)),
        episode("solved", task_id="8"),
        episode("unsolved", task_id="7", query="another", trial=6),
    ]
    assert [(better.trial, worse.trial) for better, worse in verdict_pairs(played)] == [(0, 4), (1, 5)]


def test_pairs_come_whatever_the_order_of_verdicts():
    played = [episode("unsolved", trial=0), episode("solved", trial=1)]
    assert [(better.trial, worse.trial) for better, worse in verdict_pairs(played)] == [(1, 0)]


def searched(*outcomes):
    """A search whose first action had one way on for each outcome; the last that answered was played."""
    nodes = [tree_node(), tree_node(0, 1, tree_step([], "first"))]
    for number, outcome in enumerate(outcomes):
        step = tree_step([], f"way {number}")
        nodes.append(tree_node(1, number, step, outcome=outcome, answer="42" * (outcome == "answer")))
    best = max(index for index, node in enumerate(nodes) if node["outcome"] == "answer")
    tree = {"method": "DFS", "best": best, "current": best, "nodes": nodes}
    return replace(episode(messages=[ASKED]), tree=tree)


def test_each_failed_way_of_a_search_is_worse_than_the_one_that_solved_the_task():
    pairs = [preference(pair, "branches") for pair in branch_pairs(searched("give_up", "failed", "answer"))]
    assert [pair["rejected"][0]["content"] for pair in pairs] == ["way 0", "way 1"]
    assert [pair["chosen"][0]["content"] for pair in pairs] == ["way 2", "way 2"]
    assert all(message["content"] != "first" for pair in pairs for message in pair["chosen"])


def test_a_branch_with_an_answer_that_was_never_judged_is_not_worse():
    assert list(branch_pairs(searched("answer", "answer"))) == []


def test_a_search_that_did_not_solve_its_task_has_no_pairs():
    tree = searched("give_up", "answer").tree
    assert list(branch_pairs(replace(episode("unsolved"), tree=tree))) == []


@given(episodes(chains=False, broken=False))
def test_the_better_branch_of_any_search_is_the_one_that_was_played(tree):
    solved = replace(tree, verdict={"status": "solved", "score": 1.0, "votes": [], "judge": "m"})
    for better, worse in branch_pairs(solved):
        assert better.final_answer == tree.final_answer
        pair = preference((better, worse), "branches")
        assert pair is None or pair["chosen"] != pair["rejected"]
