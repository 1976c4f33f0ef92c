"""Training data of ToolLLM's API retriever: document texts, and the files that its training reads.

File names, columns, separators and key words reproduce the original's format and are needed byte for byte.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError

_SHUFFLE_SEED = 42
_IDENTITY = ("category_name", "tool_name", "api_name")

Pair = tuple[int, int]
"""Query id and document id."""


def document_text(entry: JsonMapping) -> str:
    r"""Return the text that ToolLLM's retriever embeds for an API entry.

    Raises:
        DataError: A name is missing.

    Examples:
        >>> entry = {"category_name": "Data", "tool_name": "Films", "api_name": "Film",
        ...          "required_parameters": [], "optional_parameters": []}
        >>> document_text(entry)
        'Data, Films, Film, , required_params: [], optional_params: [], return_schema: ""'
    """
    return ", ".join(
        [
            *_names(entry),
            entry.get("api_description") or "",
            "required_params: " + json.dumps(entry.get("required_parameters", "")),
            "optional_params: " + json.dumps(entry.get("optional_parameters", "")),
            "return_schema: " + json.dumps(entry.get("template_response", "")),
        ]
    )


def document_identity(entry: Mapping[str, object], separator: str = "[SEP]") -> str:
    r"""Return what names a document in retrieval results.

    Args:
        entry: An API entry.
        separator: ``[SEP]`` in StableToolBench, a tab in ToolLLM.

    Examples:
        >>> document_identity({"category_name": "Data", "tool_name": "Films", "api_name": "Film"})
        'Data[SEP]Films[SEP]Film'
    """
    return separator.join(_names(entry))


def _names(entry: Mapping[str, object]) -> list[str]:
    names = [entry.get(key) for key in _IDENTITY]
    if not all(isinstance(name, str) for name in names):
        raise DataError(f"an API entry needs the texts {', '.join(_IDENTITY)}, got {names}")
    return [str(name) for name in names]


@dataclass(frozen=True, slots=True)
class Part:
    """The training or the test half.

    Attributes:
        queries: Text of each query, by id.
        pairs: Each relevant document with its query, in the order in which the original shuffles them.
    """

    queries: Mapping[int, str]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class RetrieverData:
    """The data that a retriever is trained and tested on.

    Attributes:
        corpus: Id and JSON text of each API entry, one for every occurrence, so that both repeat.
        train: The training half.
        test: The test half.
    """

    corpus: tuple[tuple[int, str], ...]
    train: Part
    test: Part

    def write(self, folder: str | Path) -> None:
        """Write ``corpus.tsv``, and of both halves ``train.query.txt`` and ``qrels.train.tsv``.

        Args:
            folder: Made where it does not exist.
        """
        root = Path(folder)
        root.mkdir(parents=True, exist_ok=True)
        _write_table(root / "corpus.tsv", [("docid", "document_content"), *self.corpus])
        for name, part in (("train", self.train), ("test", self.test)):
            _write_table(
                root / f"{name}.query.txt", [(query, part.queries[query]) for query, _ in part.pairs]
            )
            _write_table(
                root / f"qrels.{name}.tsv", [(query, 0, document, 1) for query, document in part.pairs]
            )


def retriever_data(records: Iterable[Mapping[str, object]], test_ids: Collection[str | int]) -> RetrieverData:
    """Build training data from query records, ids and order as in the original.

    Args:
        records: Records of a query file of ToolLLM: ``query query_id api_list`` and ``relevant APIs``.
        test_ids: Query ids of the test half; those of an index file are its keys.

    Raises:
        DataError: A record lacks a field.

    Examples:
        >>> api = {"category_name": "Data", "tool_name": "Films", "api_name": "Film"}
        >>> record = {"query": "Which film?", "query_id": 7, "api_list": [api],
        ...           "relevant APIs": [["Films", "Film"]]}
        >>> retriever_data([record], test_ids=[7]).test.pairs
        ((1, 1),)
    """
    held_out = {str(task_id) for task_id in test_ids}
    halves: tuple[list[_Fields], list[_Fields]] = ([], [])
    for index, record in enumerate(records):
        fields = _fields(index, record)
        halves[fields.id in held_out].append(fields)
    numbering = _Numbering({}, {}, [])
    # The training half is numbered first.
    train, test = ([pair for fields in half for pair in numbering.pairs(fields)] for half in halves)
    texts = {number: query for query, number in numbering.queries.items()}
    return RetrieverData(tuple(numbering.corpus), _part(train, texts), _part(test, texts))


class _Fields(NamedTuple):
    id: str
    query: str
    entries: list[JsonMapping]
    relevant: list[list[str]]


@dataclass(frozen=True, slots=True)
class _Numbering:
    queries: dict[str, int]
    documents: dict[str, int]
    corpus: list[tuple[int, str]]

    def pairs(self, fields: _Fields) -> Iterator[Pair]:
        """Number the record's query and documents, and yield those that belong together."""
        query = self.queries.setdefault(fields.query, len(self.queries) + 1)
        for entry in fields.entries:
            text = json.dumps(entry)
            document = self.documents.setdefault(text, len(self.documents) + 1)
            self.corpus.append((document, text))
            if [entry.get("tool_name"), entry.get("api_name")] in fields.relevant:
                yield query, document


def _fields(index: int, record: JsonMapping) -> _Fields:
    try:
        relevant = [list(pair) for pair in record["relevant APIs"]]
        fields = _Fields(str(record["query_id"]), record["query"], record["api_list"], relevant)
    except (KeyError, TypeError) as error:
        raise DataError(
            f"record {index}: expected query, query_id, api_list and relevant APIs, got {error!r}"
        ) from error
    if not isinstance(fields.query, str):
        raise DataError(f"record {index}: query must be a text, got {fields.query!r:.60}")
    return fields


def _part(pairs: Sequence[Pair], texts: Mapping[int, str]) -> Part:
    order = np.arange(len(pairs))
    # NumPy's older generator, whose stream is what scikit-learn's shuffle draws from.
    np.random.RandomState(_SHUFFLE_SEED).shuffle(order)
    return Part({query: texts[query] for query, _ in pairs}, tuple(pairs[index] for index in order.tolist()))


def _write_table(path: Path, rows: Iterable[Sequence[str | int]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
