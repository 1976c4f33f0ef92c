"""The tree of a search as a value."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.wrappers.search import Node, SearchTree
from stb_env.wrappers.search.siblings import outcome_of, with_tried

shapes = st.lists(st.integers(0, 1000), max_size=25)
texts = st.text(max_size=400)
values = st.recursive(texts | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=4))
candidates = st.lists(st.fixed_dictionaries({"text": texts, "outcome": st.just("open")}), max_size=4)


def grown(shape: list[int], **node) -> SearchTree:
    """A tree whose nodes hang where the numbers say."""
    tree = SearchTree((Node(),))
    for number in shape:
        tree = tree.added(number % len(tree.nodes), Node(**node))
    return tree


@given(shapes)
def test_every_node_is_on_a_branch_and_every_branch_begins_at_the_root(shape):
    tree = grown(shape)
    branches = tree.branches()
    assert {index for branch in branches for index in branch} == set(range(len(tree.nodes)))
    assert all(branch[0] == 0 and tree.path(branch[-1]) == branch for branch in branches)


@given(shapes)
def test_a_tree_that_grows_leaves_the_one_before_as_it_was(shape):
    tree = grown(shape)
    before = pickle.dumps(tree)
    tree.added(0, Node(answer="more")).visit(len(tree.nodes), 9)
    assert pickle.dumps(tree) == before


@given(shapes)
def test_plain_data_has_the_parents_of_the_tree(shape):
    tree = grown(shape)
    data = json.loads(json.dumps(tree.to_dict("DFS_w2", {})))
    assert [node["parent"] for node in data["nodes"]] == [node.parent for node in tree.nodes]


@pytest.mark.parametrize(
    ("depth", "outcome", "after"),
    [(2, "open", "open"), (3, "open", "depth"), (4, "open", "depth"), (3, "answer", "answer")],
)
def test_a_visit_at_the_depth_limit_ends_a_branch_without_an_answer(depth, outcome, after):
    tree = SearchTree((Node(),)).added(0, Node(depth=depth, outcome=outcome)).visit(1, 3)
    assert (tree.nodes[1].outcome, tree.nodes[1].order) == (after, 1)
    assert tree.answered == (after == "answer")


def test_answers_come_in_the_order_of_their_visits_and_unvisited_ones_last():
    tree = grown([0, 0, 0], outcome="answer").visit(3, 9).visit(1, 9)
    assert (tree.answers(), tree.answers(visited=False)) == ([3, 1], [3, 1, 2])


def test_what_came_of_a_branch_is_an_answer_wherever_there_is_one():
    tree = SearchTree((Node(),)).added(0, Node()).added(1, Node(outcome="answer"))
    assert outcome_of(tree.added(1, Node(outcome="give_up")), 1) == "answer"


@given(texts, values, candidates)
def test_a_result_with_candidates_is_always_an_object_within_its_bound(error, response, tried):
    result = json.dumps({"error": error, "response": response})
    text = with_tried(result, tried, 256)
    assert len(text) <= 256
    assert json.loads(text).keys() == {"error", "response", "tried"}
