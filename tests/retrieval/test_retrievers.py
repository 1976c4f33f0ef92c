"""What every retriever keeps, whatever it counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stb_env.errors import ConfigError
from stb_env.retrieval import BM25Retriever, DenseRetriever, Hit, HybridRetriever, NgramRetriever, Retriever
from stb_env.retrieval.retriever import best

WORDS = ("hotel", "booking", "rent", "cheap", "flight", "weather", "of", "the", "x")


class LetterEncoder:
    """Counts letters: an encoder without a model."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), 26)


def hybrid(texts: Sequence[str]) -> HybridRetriever:
    return HybridRetriever([BM25Retriever(texts), NgramRetriever(texts)], len(texts))


def dense(texts: Sequence[str]) -> DenseRetriever:
    return DenseRetriever(LetterEncoder(), texts)


every = pytest.mark.parametrize("make", [BM25Retriever, NgramRetriever, hybrid, dense])
Make = Callable[[Sequence[str]], Retriever]


def indices(hits: Sequence[Hit]) -> list[int]:
    return [hit.index for hit in hits]


@every
def test_the_best_document_comes_first(make: Make):
    texts = ["Cancel a meeting", "Book a hotel room", "Current weather"]
    assert indices(make(texts).search("hotel room", 1)) == [1]


@every
def test_equal_documents_come_in_order_of_index(make: Make):
    texts = ["weather in Rome", "hotel", "weather in Rome", "train", "weather in Rome"]
    hits = make(texts).search("weather in Rome", 3)
    assert indices(hits) == [0, 2, 4]
    assert hits[0].score == hits[1].score == hits[2].score


@every
def test_documents_without_anything_in_common_come_last(make: Make):
    assert indices(make(["", "zebra", ""]).search("zebra", 9)) == [1, 0, 2]


@every
def test_an_empty_index_finds_nothing(make: Make):
    assert make([]).search("anything", 3) == []


@every
def test_asking_for_no_document_is_refused(make: Make):
    with pytest.raises(ConfigError, match=r"^k must be at least 1 document, got 0$"):
        make(["weather"]).search("weather", 0)


@every
@given(texts=st.lists(st.text(max_size=30), max_size=8), query=st.text(max_size=30), k=st.integers(1, 10))
def test_any_texts_give_each_index_once_best_first(make: Make, texts: list[str], query: str, k: int):
    hits = make(texts).search(query, k)
    assert len(set(indices(hits))) == len(hits) == min(k, len(texts))
    assert [(-hit.score, hit.index) for hit in hits] == sorted((-hit.score, hit.index) for hit in hits)


@every
@settings(max_examples=20)
@given(texts=st.lists(st.text(max_size=20), min_size=1, max_size=8), query=st.text(max_size=20))
def test_fewer_results_are_the_first_of_more(make: Make, texts: list[str], query: str):
    retriever = make(texts)
    assert retriever.search(query, 2) == retriever.search(query, len(texts))[:2]


@pytest.mark.parametrize("make", [NgramRetriever, dense])
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(" ".join), min_size=1, max_size=9
    )
)
def test_a_document_is_its_own_best_match(make: Make, texts: list[str]):
    retriever = make(texts)
    for text in texts:
        hit = retriever.search(text, 1)[0]
        assert hit.score == pytest.approx(1)


def test_ngrams_find_what_is_spelled_differently():
    retriever = NgramRetriever(["book a hotel", "cancel a meeting", "weather forecast"])
    assert indices(retriever.search("Cancelation of meetngs", 1)) == [1]


def test_ngrams_do_not_care_for_marks_and_capitals():
    retriever = NgramRetriever(["get user token", "search"])
    assert retriever.search("GET_user-Token!", 2) == retriever.search("get user token", 2)


def test_a_hybrid_puts_first_what_all_its_parts_put_high():
    class Fixed:
        def __init__(self, *scores: float) -> None:
            self._scores = np.array(scores)

        def search(self, query: str, k: int) -> list[Hit]:
            return best(self._scores, k)

    retriever = HybridRetriever([Fixed(3, 2, 1, 0), Fixed(0, 3, 1, 0), Fixed(1, 3, 0, 0)], size=4)
    hits = retriever.search("", 4)
    assert indices(hits) == [1, 0, 2, 3]
    assert [hit.score for hit in hits] == pytest.approx(
        [2 / 61 + 1 / 62, 1 / 61 + 1 / 62, 1 / 63 + 1 / 62, 0]
    )


def test_a_hybrid_counts_each_ranking_down_to_its_depth():
    parts = [NgramRetriever(["hotel", "hotel room", "hotel room rent"])]
    assert [hit.score > 0 for hit in HybridRetriever(parts, size=3, depth=1).search("hotel", 1)] == [True]


@pytest.mark.parametrize(("parts", "depth"), [([], 5), ([NgramRetriever(["a"])], 0)])
def test_a_hybrid_of_nothing_is_refused(parts: list[Retriever], depth: int):
    with pytest.raises(ConfigError, match=r"^a hybrid needs parts and a depth of at least 1, got"):
        HybridRetriever(parts, size=1, depth=depth)


@pytest.mark.heavy
@pytest.mark.serial
@pytest.mark.parametrize(("documents", "milliseconds"), [(73, 1), (4_000, 10)])
def test_keywords_are_looked_up_in_no_time(documents: int, milliseconds: float):
    rng = np.random.default_rng(0)
    vocabulary = ["".join(rng.choice(list("aeioubcdlmnrst"), 6)) for _ in range(2_000)]
    texts = [" ".join(rng.choice(vocabulary, 10)) for _ in range(documents)]
    retriever = hybrid(texts)
    seconds = []
    for text in texts[:30]:
        start = time.perf_counter()
        retriever.search(text[:30], 5)
        seconds.append(time.perf_counter() - start)
    # Several times what it takes: the machine has other work.
    assert min(seconds) < 5 * milliseconds / 1_000
