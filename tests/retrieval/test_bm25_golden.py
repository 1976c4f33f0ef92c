"""BM25 against recorded scores of the library that the original is pinned to, and against its formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.retrieval import BM25Retriever
from stb_env.retrieval.bm25 import words
from tests.shared import task_files

documents = st.lists(st.lists(st.sampled_from(["ab", "cd", "ef", "gh"]), max_size=5), min_size=1, max_size=6)
queries = st.lists(st.sampled_from(["ab", "cd", "ef", "zz"]), max_size=4)


@pytest.fixture(scope="module")
def fixture(shared_data: Path) -> dict[str, Any]:
    return task_files(shared_data, "retriever", "documents", "queries")[0]


def test_tokens_are_those_of_the_golden_queries(fixture: dict[str, Any]):
    assert [words(case["query"]) for case in fixture["queries"]] == [
        case["tokens"] for case in fixture["queries"]
    ]


def test_scores_equal_the_golden_ones(fixture: dict[str, Any]):
    retriever = BM25Retriever(fixture["documents"])
    for case in fixture["queries"]:
        scores = retriever.scores(case["query"])
        assert scores == pytest.approx(case["bm25"], abs=1e-8)
        assert 1 / (1 + np.exp(-scores / 8)) == pytest.approx(case["scaled"], abs=1e-8)


def test_positive_scores_come_in_the_golden_order(fixture: dict[str, Any]):
    retriever = BM25Retriever(fixture["documents"])
    for case in fixture["queries"]:
        golden = case["order_of_positive_scores"]
        found = [hit for hit in retriever.search(case["query"], len(fixture["documents"])) if hit.score > 0]
        # Equal scores come in order of index here; the original leaves their order open.
        assert [hit.index for hit in found] == sorted(golden, key=lambda i: (-case["bm25"][i], i))
        assert [case["bm25"][hit.index] for hit in found] == [case["bm25"][index] for index in golden]


@given(documents, queries)
def test_scores_follow_the_formula(texts: list[list[str]], query: list[str]):
    scores = BM25Retriever(" ".join(text) for text in texts).scores(" ".join(query))
    assert scores.tolist() == pytest.approx(_by_the_formula(texts, query))


def _by_the_formula(texts: list[list[str]], query: list[str]) -> list[float]:
    count, vocabulary = len(texts), {word for text in texts for word in text}
    mean_length = sum(map(len, texts)) / count
    raw = {}
    for word in vocabulary:
        having = sum(word in text for text in texts)
        raw[word] = math.log(count - having + 0.5) - math.log(having + 0.5)
    floor = 0.25 * sum(raw.values()) / len(raw) if raw else 0.0
    idf = {word: value if value >= 0 else floor for word, value in raw.items()}
    return [
        sum(
            idf[word] * text.count(word) * 2.5
            / (text.count(word) + 1.5 * (0.25 + 0.75 * len(text) / mean_length))
            for word in query
            if word in idf and word in text
        )
        for text in texts
    ]  # fmt: skip
