"""Quality of a search: recall and NDCG, as in ToolLLM (Qin et al., 2023)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from stb_env.errors import DataError
from stb_env.retrieval import Retriever, RetrieverFactory, retriever_for
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCatalog

RECALL_AT = (1, 3, 5, 10)
NDCG_AT = (1, 3, 5)


def recall_at(found: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the share of what is relevant among the first ``k`` found.

    Args:
        found: Best first.
        relevant: At least one.
        k: How many count.

    Raises:
        DataError: Nothing is relevant.

    Examples:
        >>> recall_at(["b", "x", "a"], {"a", "b"}, k=2)
        0.5
    """
    if not relevant:
        raise DataError("recall needs at least one relevant document, got none; leave such queries out")
    return len(set(found[:k]) & set(relevant)) / len(set(relevant))


def ndcg_at(scores: ArrayLike, gains: ArrayLike, k: int) -> float:
    """Return NDCG at ``k`` (Järvelin and Kekäläinen, 2002), ties averaged.

    Documents with equal scores share their discounts, which gives the mean over every order that the scores
    allow. It is scikit-learn's rule, with which ToolLLM's figures were made.

    Args:
        scores: Of every document, shape (documents,).
        gains: Relevance of every document, 0 or more, shape (documents,).
        k: How many ranks count.

    Returns:
        From 0 to 1; 0 where nothing is relevant.

    Raises:
        DataError: The shapes differ, or a gain is negative.

    Examples:
        >>> ndcg_at([0.9, 0.5, 0.1], [0, 1, 0], k=1), ndcg_at([0.5, 0.5], [0, 1], k=1)
        (0.0, 0.5)
    """
    ranked, relevance = np.asarray(scores, np.float64), np.asarray(gains, np.float64)
    if ranked.shape != relevance.shape or ranked.ndim != 1:
        raise DataError(
            f"scores and gains must be two lists of one length, got {ranked.shape}, {relevance.shape}"
        )
    if relevance.size and relevance.min() < 0:
        raise DataError(f"gains must be 0 or more, got {relevance.min()}")
    discounts = 1 / np.log2(np.arange(relevance.size) + 2)
    discounts[k:] = 0
    ideal = float(np.sort(relevance)[::-1] @ discounts)
    if ideal == 0:
        return 0.0
    _, group, sizes = np.unique(-ranked, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    shared = np.add.reduceat(discounts, ends - sizes) / sizes
    return float((shared[group] * relevance).sum()) / ideal


def evaluate_retriever(
    tasks: TaskSet,
    kind: str | RetrieverFactory = "hybrid",
    catalog: ToolCatalog | None = None,
    recall: Iterable[int] = RECALL_AT,
    ndcg: Iterable[int] = NDCG_AT,
) -> dict[str, object]:
    """Search for every task's query and compare with the APIs that the data set marks as relevant.

    Args:
        tasks: The queries.
        kind: The retriever; see `stb_env.retrieval.retriever_for`.
        catalog: What is searched; None for all tools of the tasks.
        recall: Where to cut recall.
        ndcg: Where to cut NDCG.

    Returns:
        ``queries`` that were scored, ``left_out`` that mark nothing relevant in the catalogue, ``documents``,
        and the mean over the scored queries of each ``recall@k`` and ``ndcg@k``, from 0 to 1.

    Raises:
        DataError: No query marks anything relevant.
    """
    tools = list(tasks.catalog if catalog is None else catalog)
    position = {tool.id: index for index, tool in enumerate(tools)}
    retriever = retriever_for(tools, kind)
    cuts = [("recall", k) for k in recall] + [("ndcg", k) for k in ndcg]
    rows: list[list[float]] = []
    for task in tasks:
        relevant = {position[identity] for identity in task.relevant if identity in position}
        if relevant:
            rows.append(_figures(retriever, task.query, relevant, len(tools), cuts))
    if not rows:
        raise DataError(f"no query of {tasks.name or 'the task set'} marks relevant APIs; nothing to score")
    means = np.mean(rows, axis=0)
    return {
        "queries": len(rows),
        "left_out": len(tasks) - len(rows),
        "documents": len(tools),
        **{f"{name}@{k}": round(float(mean), 4) for (name, k), mean in zip(cuts, means, strict=True)},
    }


def _figures(
    retriever: Retriever, query: str, relevant: Collection[int], size: int, cuts: Sequence[tuple[str, int]]
) -> list[float]:
    hits = retriever.search(query, size)
    found = [hit.index for hit in hits]
    # What a retriever leaves out ranks behind all that it finds.
    scores, gains = np.full(size, -np.inf), np.zeros(size)
    scores[found] = [hit.score for hit in hits]
    gains[list(relevant)] = 1
    return [
        recall_at(found, relevant, k) if name == "recall" else ndcg_at(scores, gains, k) for name, k in cuts
    ]
