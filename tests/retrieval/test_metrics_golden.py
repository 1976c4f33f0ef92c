"""Recall and NDCG, against recorded values of scikit-learn and on real queries."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.retrieval import Hit
from stb_env.runs.metrics.retrieval import evaluate_retriever, ndcg_at, recall_at
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCatalog, ToolId
from tests.shared import golden_cases, queries

HOTEL = Tool("book_hotel", "Reserves a hotel room.", {}, ToolId("Travel", "inns", "book"))
WEATHER = Tool("get_weather", "Forecast for a place.", {}, ToolId("Weather", "skies", "get"))
STOCK = Tool("quote", "Price of a share.", {}, ToolId("Finance", "bourse", "quote"))


def golden(shared_data: Path) -> list[dict[str, Any]]:
    return golden_cases(shared_data, "retrieval/*.json", "corpus_ids", "scores", "relevant")


def test_ndcg_equals_the_golden_values(shared_data: Path):
    cases = golden(shared_data)
    for case in cases:
        gains = [float(document in case["relevant"]) for document in case["corpus_ids"]]
        cuts = {name: int(name.removeprefix("ndcg@")) for name in case if name.startswith("ndcg@")}
        assert cuts
        for name, k in cuts.items():
            assert ndcg_at(case["scores"], gains, k) == pytest.approx(case[name], abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=5), st.integers(1, 6))
def test_ties_count_as_the_mean_over_their_orders(documents: list[tuple[int, int]], k: int):
    scores, gains = zip(*documents, strict=True)
    orders = [
        order
        for order in permutations(range(len(documents)))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    distinct = [[float(-order.index(index)) for index in range(len(documents))] for order in orders]
    expected = fmean(ndcg_at(ranking, gains, k) for ranking in distinct)
    assert ndcg_at(scores, gains, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "gains", "expected"),
    [([3, 2, 1], [1, 1, 0], 1.0), ([3, 2, 1], [0, 0, 0], 0.0), ([], [], 0.0), ([1], [2], 1.0)],
)
def test_ndcg_of_simple_rankings(scores: list[float], gains: list[float], expected: float):
    assert ndcg_at(scores, gains, 2) == expected


@pytest.mark.parametrize(
    ("scores", "gains", "message"),
    [
        ([1, 2], [1], r"^scores and gains must be two lists of one length, got \(2,\), \(1,\)$"),
        ([1, 2], [1, -1], r"^gains must be 0 or more, got -1\.0$"),
    ],
)
def test_ndcg_of_nonsense_is_refused(scores: list[float], gains: list[float], message: str):
    with pytest.raises(DataError, match=message):
        ndcg_at(scores, gains, 1)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.5), (2, 0.5), (3, 1.0), (9, 1.0)])
def test_recall_is_the_share_found_so_far(k: int, expected: float):
    assert recall_at(["a", "x", "b"], {"a", "b"}, k) == expected


def test_recall_of_nothing_relevant_is_refused():
    with pytest.raises(DataError, match="at least one relevant document"):
        recall_at(["a"], set(), 1)


def test_a_retriever_that_finds_everything_scores_one():
    tools = (HOTEL, WEATHER, STOCK)
    tasks = TaskSet(
        [
            Task("1", "a hotel room", tools, relevant=(HOTEL.id,)),
            Task("2", "share price", tools, relevant=(STOCK.id,)),
        ]
    )
    figures = evaluate_retriever(tasks, "bm25", recall=[1], ndcg=[1, 5])
    assert figures == {
        "queries": 2, "left_out": 0, "documents": 3, "recall@1": 1.0, "ndcg@1": 1.0, "ndcg@5": 1.0,
    }  # fmt: skip


def test_queries_that_mark_nothing_are_left_out_and_counted():
    tools = (HOTEL, WEATHER, STOCK)
    tasks = TaskSet([Task("1", "a hotel room", tools, relevant=(HOTEL.id,)), Task("2", "share price", tools)])
    figures = evaluate_retriever(tasks, "ngram")
    assert (figures["queries"], figures["left_out"]) == (1, 1)


def test_tasks_that_mark_nothing_at_all_cannot_be_scored():
    with pytest.raises(DataError, match=r"^no query of demo marks relevant APIs"):
        evaluate_retriever(TaskSet([Task("1", "a", (HOTEL,))], name="demo"))


class Found:
    """A retriever that finds one document, with a score below zero as those of encoders may be."""

    def __init__(self, index: int) -> None:
        self.index = index

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(self.index, -0.5)]


@pytest.mark.parametrize(("index", "ndcg"), [(0, 1.0), (1, 0.0)])
def test_what_a_retriever_leaves_out_ranks_behind_all_that_it_finds(index: int, ndcg: float):
    tasks = TaskSet([Task("1", "a room", (HOTEL, WEATHER, STOCK), relevant=(HOTEL.id,))])
    names = [tool.name for tool in tasks.catalog]
    wanted = names.index(HOTEL.name) if index == 0 else names.index(STOCK.name)
    assert evaluate_retriever(tasks, lambda texts: Found(wanted), ndcg=[1])["ndcg@1"] == ndcg


def test_a_larger_catalogue_is_searched_as_a_whole():
    tasks = TaskSet([Task("1", "a hotel room", (HOTEL,), relevant=(HOTEL.id,))])
    assert evaluate_retriever(tasks, "bm25", ToolCatalog([WEATHER, HOTEL, STOCK]))["documents"] == 3


@pytest.mark.heavy
@pytest.mark.parametrize(
    "kind", ["bm25", *(pytest.param(kind, marks=pytest.mark.heavy) for kind in ("ngram", "hybrid"))]
)
def test_real_queries_find_their_apis_far_more_often_than_by_chance(shared_data: Path, kind: str):
    tasks = load(queries(shared_data)).tasks
    figures = evaluate_retriever(tasks[::8], kind, tasks.catalog)
    by_chance = min(1.0, 5 / figures["documents"])
    assert figures["recall@5"] > min(10 * by_chance, (1 + by_chance) / 2) or by_chance == 1.0
    assert np.all(np.diff([figures[f"recall@{k}"] for k in (1, 3, 5, 10)]) >= 0)
