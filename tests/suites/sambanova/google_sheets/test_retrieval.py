"""The documents that a prompt shows are those that its goal needs."""

from __future__ import annotations

from stb_env.retrieval import BM25Retriever
from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE, SheetsTasks
from stb_env.suites.sambanova.materials import documents
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.tasks import Task

TASK = SUITE["google_sheets"]
NAMES, TEXTS = zip(*sorted(documents(TASK).items()), strict=True)
RETRIEVER = BM25Retriever(TEXTS)


def found(task: Task) -> tuple[int, int]:
    """Return how many functions the gold needs, and how many of them are among those retrieved."""
    needed = {call.name for call in task.gold}
    shown = {NAMES[hit.index] for hit in RETRIEVER.search(task.query, TASK.documents_k)}
    return len(needed), len(needed & shown)


def test_most_functions_that_golds_need_are_retrieved():
    for split, size in (("test", TEST_SIZE), ("train", 280)):
        counts = [found(SheetsTasks(split).at(index)) for index in range(size)]
        assert sum(shown for _, shown in counts) >= 0.85 * sum(needed for needed, _ in counts)
        assert sum(needed == shown for needed, shown in counts) >= 0.65 * size


def test_functions_that_no_goal_needs_are_not_retrieved_for_all():
    shown = [{NAMES[hit.index] for hit in RETRIEVER.search(SheetsTasks().at(n).query, 10)} for n in range(70)]
    assert len(set.intersection(*shown)) <= 2
