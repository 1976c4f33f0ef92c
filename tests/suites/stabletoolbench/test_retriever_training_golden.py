"""ToolLLM's retriever data against what the original functions made of the same records."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.queries import find_files
from stb_env.suites.stabletoolbench.retriever_training import (
    RetrieverData,
    document_identity,
    document_text,
    retriever_data,
)
from tests.shared import found, objects, queries

GOLDEN = "stabletoolbench/golden/retrieval"
API = {"category_name": "Data", "tool_name": "Films", "api_name": "Film"}
OTHER = {**API, "api_name": "Cast"}
RECORDS = [
    {"query": "Which\tfilm?", "query_id": 7, "api_list": [API, OTHER], "relevant APIs": [["Films", "Film"]]},
    {"query": "Who plays?", "query_id": 8, "api_list": [OTHER], "relevant APIs": [["Films", "Cast"]]},
    {"query": "Who plays?", "query_id": 9, "api_list": [OTHER, API], "relevant APIs": [["Films", "Cast"]]},
]


def built(shared_data: Path) -> tuple[RetrieverData, dict[str, Any]]:
    golden = objects(shared_data, f"{GOLDEN}/*.json", "source", "index_file", "corpus_rows")[0]
    source = re.match(r"(\w+) first (\d+) records", golden["source"])
    assert source is not None
    stem, count = source.groups()
    files = find_files(queries(shared_data))
    file = next((file for file in files if file.stem == stem), None)
    if file is None:
        pytest.skip(f"no query file {stem}.json")
    records = json.loads(file.read_text(encoding="utf-8"))[: int(count)]
    if not set(golden["index_file"]) <= {str(record["query_id"]) for record in records}:
        pytest.skip(f"{stem}.json does not begin with the records that {golden['source']!r} names")
    return retriever_data(records, golden["index_file"]), golden


def test_document_texts_equal_the_golden_ones(shared_data: Path):
    files = found(shared_data, f"{GOLDEN}/*.jsonl")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    for case in map(json.loads, lines):
        if "original_raises" in case:
            with pytest.raises(DataError, match="an API entry needs the texts"):
                document_text(case["doc"])
        else:
            assert document_text(case["doc"]) == case["text"]


def test_the_corpus_equals_the_golden_one(shared_data: Path):
    data, golden = built(shared_data)
    numbers = [number for number, _ in data.corpus]
    assert len(numbers) == golden["corpus_rows"]
    assert len(set(numbers)) == golden["corpus_unique_docs"]
    assert numbers[: len(golden["first_docids"])] == golden["first_docids"]


@pytest.mark.parametrize("half", ["train", "test"])
def test_queries_and_pairs_equal_the_golden_ones_in_order(shared_data: Path, half: str):
    data, golden = built(shared_data)
    part = getattr(data, half)
    assert [[query, part.queries[query]] for query, _ in part.pairs] == golden[f"{half}_query_rows"]
    assert [[query, 0, document, 1] for query, document in part.pairs] == golden[f"{half}_qrels"]


def test_written_files_have_the_golden_columns_and_rows(shared_data: Path, tmp_path: Path):
    data, golden = built(shared_data)
    data.write(tmp_path)
    assert rows(tmp_path / "corpus.tsv")[0] == golden["corpus_columns"]
    for half in ("train", "test"):
        assert rows(tmp_path / f"{half}.query.txt") == as_text(golden[f"{half}_query_rows"])
        assert rows(tmp_path / f"qrels.{half}.tsv") == as_text(golden[f"{half}_qrels"])


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))


def as_text(table: list[list[Any]]) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in table]


def test_the_training_half_is_numbered_first():
    data = retriever_data(RECORDS, test_ids=["7"])
    assert data.test.pairs == ((2, 2),)
    assert data.test.queries == {2: "Which\tfilm?"}


def test_equal_queries_and_equal_documents_share_a_number():
    data = retriever_data(RECORDS, test_ids=[])
    assert [number for number, _ in data.corpus] == [1, 2, 2, 2, 1]
    assert sorted(data.train.pairs) == [(1, 1), (2, 2), (2, 2)]


def test_tabs_in_a_query_survive_the_file(tmp_path: Path):
    retriever_data(RECORDS, test_ids=[7]).write(tmp_path / "new" / "folder")
    assert rows(tmp_path / "new" / "folder" / "test.query.txt") == [["2", "Which\tfilm?"]]


@pytest.mark.parametrize(
    ("separator", "expected"), [("[SEP]", "Data[SEP]Films[SEP]Film"), ("\t", "Data\tFilms\tFilm")]
)
def test_an_identity_joins_the_three_names(separator: str, expected: str):
    assert document_identity(API, separator) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"relevant APIs": None},
            r"^record 0: expected query, query_id, api_list and relevant APIs, got TypeError",
        ),
        ({"query": ["Which film?"]}, r"^record 0: query must be a text, got \['Which film\?'\]$"),
    ],
)
def test_a_broken_record_is_refused(change: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        retriever_data([{**RECORDS[0], **change}], test_ids=[])


def test_a_record_without_a_query_is_refused():
    with pytest.raises(DataError, match=r"^record 0: expected .*, got KeyError\('query'\)$"):
        retriever_data([{"query_id": 1, "relevant APIs": []}], test_ids=[])
