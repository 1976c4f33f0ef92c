"""Search over the tools of a catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from stb_env.errors import ConfigError, did_you_mean
from stb_env.retrieval.bm25 import BM25Retriever
from stb_env.retrieval.dense import DenseRetriever
from stb_env.retrieval.encoders import paraphrase_minilm
from stb_env.retrieval.hybrid import HybridRetriever
from stb_env.retrieval.ngram import NgramRetriever
from stb_env.retrieval.retriever import Retriever
from stb_env.tools import Tool, ToolCatalog

RetrieverFactory = Callable[[Sequence[str]], Retriever]
"""Indexes texts."""

_WORD_LIMIT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def _hybrid(texts: Sequence[str]) -> Retriever:
    return HybridRetriever([BM25Retriever(texts), NgramRetriever(texts)], len(texts))


def _minilm(texts: Sequence[str]) -> Retriever:
    return DenseRetriever(paraphrase_minilm(), texts)


KINDS: Mapping[str, RetrieverFactory] = {
    "bm25": BM25Retriever,
    "ngram": NgramRetriever,
    "hybrid": _hybrid,
    "minilm": _minilm,
}


def tool_text(tool: Tool) -> str:
    """Return what a search reads of a tool: its name as words, its description, its parameters.

    Examples:
        >>> schema = {"type": "object", "properties": {"cityName": {"description": "Where."}}}
        >>> tool_text(Tool("get_weather", "Weather now.", schema))
        'get weather Weather now. city Name Where.'
    """
    properties = tool.parameters.get("properties", {})
    parameters = (f"{name} {schema.get('description', '')}" for name, schema in properties.items())
    return _WORD_LIMIT.sub(" ", " ".join([tool.name, tool.description, *parameters]))


def retriever_for(tools: Iterable[Tool], kind: str | RetrieverFactory = "hybrid") -> Retriever:
    """Return a retriever over tools, whose hits are positions among them.

    Equal tools are indexed once in a process; the same few catalogues serve every environment.

    Args:
        tools: What is searched, for example a `ToolCatalog`.
        kind: ``bm25``, ``ngram``, ``hybrid`` (both of them), ``minilm`` (an extra), or what indexes texts.

    Raises:
        ConfigError: There is no such kind, or its packages are missing.

    Examples:
        >>> texts = {"get_weather": "Weather now.", "book_hotel": "Books a room.", "add": "Adds numbers."}
        >>> tools = [Tool(name, text, {}) for name, text in texts.items()]
        >>> retriever_for(tools, "bm25").search("a room, please", k=1)[0].index
        1
        >>> retriever_for(tools, "cosine")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no retriever 'cosine'; known: bm25, ngram, hybrid, minilm.
    """
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ConfigError(f"no retriever {kind!r}; known: {', '.join(KINDS)}.{did_you_mean(kind, KINDS)}")
        kind = KINDS[kind]
    return _indexed(kind, tuple(tool_text(tool) for tool in tools))


@lru_cache(maxsize=8)
def _indexed(factory: RetrieverFactory, texts: tuple[str, ...]) -> Retriever:
    return factory(texts)


class ToolIndex:
    """Tools that can be asked for by name or searched.

    Args:
        tools: The tools; one that occurs again with the same identity is taken once.
        kind: How they are searched; see `retriever_for`.

    Raises:
        DataError: Two different APIs share a name.
        ConfigError: There is no such kind, or its packages are missing.

    Examples:
        >>> index = ToolIndex([Tool("get_weather", "Weather.", {}), Tool("book_hotel", "Books a room.", {})])
        >>> [tool.name for tool in index.search("a room, please", k=1)]
        ['book_hotel']
    """

    def __init__(self, tools: Iterable[Tool], kind: str | RetrieverFactory = "hybrid") -> None:
        self.catalog = ToolCatalog(tools)
        self.kind = kind
        self._tools = tuple(self.catalog)
        self._retriever = retriever_for(self._tools, kind)

    def search(self, query: str, k: int) -> list[Tool]:
        """Return the ``k`` best tools, best first.

        Raises:
            ConfigError: ``k`` is below 1.
        """
        return [self._tools[hit.index] for hit in self._retriever.search(query, k)]

    def including(self, tools: Iterable[Tool]) -> ToolIndex:
        """Return an index over these tools too; this one where it has them all.

        Raises:
            DataError: Another API has the name of one of them.
        """
        missing = [tool for tool in tools if self.catalog.by_id(tool.id) is None]
        return ToolIndex([*self._tools, *missing], self.kind) if missing else self
