"""The branches of a search, and how single chains look as trees."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import pytest
from hypothesis import given

import stb_env  # noqa: F401 (registers the ids)
from stb_env.formats.branches import branches, children, final_node, path, played_branch, tree_node, tree_of
from stb_env.formats.imported import imported
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.runs.metrics.rates import summarize
from tests.formats.trees import FUNCTIONS, ORIGIN, episodes


@pytest.fixture(scope="module")
def played():
    env = gym.make("stb/Sandbox-v1")
    _, info = env.reset(seed=0)
    return play(env, load_agent("gold")(), task_id=info["task_id"], seed=0)


@given(episodes())
def test_every_leaf_is_a_branch_with_the_steps_of_its_path(episode):
    tree = episode.tree
    leaves = [index for index in range(1, len(tree["nodes"])) if index not in children(tree)]
    parts = branches(episode)
    assert [len(part.steps) for part in parts] == [len(path(tree, leaf)) for leaf in leaves]
    assert all(sum(m["role"] == "assistant" for m in part.messages) == len(part.steps) for part in parts)
    assert all(part.tree is None and part.key == episode.key for part in parts)


@given(episodes())
def test_no_branch_but_the_chosen_one_is_ever_counted(episode):
    parts = branches(episode)
    counted = [part for part in parts if part.valid or part.verdict or part.failure or part.reward]
    assert len(counted) == (episode.tree["best"] is not None)
    assert summarize(parts)["solved"] == 0


def test_a_branch_that_was_not_judged_has_no_verdict_and_no_failure(played):
    step = tree_of(played)["nodes"][1]["step"]
    nodes = [tree_node(), tree_node(0, 1, step), tree_node(0, 2, step, outcome="answer", answer="yes")]
    tree = {"method": "DFS_w2", "settings": {}, "queries": 2, "tokens": 0, "best": 2, "current": 2}
    other, chosen = branches(replace(played, tree=tree | {"nodes": nodes}))
    assert (other.verdict, other.failure, other.valid, other.reward) == (None, None, False, 0.0)
    assert (chosen.verdict, chosen.valid, chosen.final_answer) == (played.verdict, True, "yes")
    assert chosen.steps[-1]["reward"] == played.reward == 1.0
    assert other.messages[:2] == played.messages[:2]


def test_an_episode_without_a_search_is_its_only_branch(played):
    assert branches(played) == [played]
    assert played_branch(played) is played


def test_an_episode_without_a_search_is_a_tree_of_one_chain(played):
    tree = tree_of(played)
    assert [node["parent"] for node in tree["nodes"]] == [None, *range(len(played.steps))]
    assert tree["best"] == final_node(tree) == len(played.steps)
    assert tree["nodes"][-1]["outcome"] == "answer"
    assert [node["step"]["calls"] for node in tree["nodes"][1:]] == [step["calls"] for step in played.steps]


@pytest.mark.parametrize(("agent", "outcome"), [("give_up", "give_up"), ("noop", "depth")])
def test_a_chain_without_an_answer_has_nothing_chosen(agent, outcome):
    env = gym.make("stb/Sandbox-v1", max_turns=2, compat="original")
    _, info = env.reset(seed=0)
    tree = tree_of(play(env, load_agent(agent)(), task_id=info["task_id"], seed=0))
    assert (tree["best"], tree["nodes"][-1]["outcome"]) == (None, outcome)


def test_without_a_chosen_node_a_search_ended_on_the_last_child_of_the_last_child():
    nodes = [tree_node(), *(tree_node(parent) for parent in (0, 0, 2, 2, 1))]
    assert final_node({"best": None, "nodes": nodes}) == 4
    assert final_node({"best": None, "nodes": nodes[:1]}) == 0


def test_an_empty_search_has_no_branch():
    tree = {
        "method": "CoT@1",
        "settings": {},
        "queries": 0,
        "tokens": 0,
        "best": None,
        "nodes": [tree_node()],
    }
    episode = imported(ORIGIN, "?", FUNCTIONS, tree)
    assert branches(episode) == []
    assert played_branch(episode).steps == []
