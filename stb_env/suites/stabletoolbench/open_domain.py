"""APIs for queries that name none, found by retrieval (specification, 7.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from stb_env.errors import DataError
from stb_env.retrieval import ToolIndex
from stb_env.suites.stabletoolbench.api_entry import APIEntry, api_id, tool_from_api
from stb_env.tools import NO_ID, ToolId, unique_names


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Settings for finding the APIs of a query.

    Attributes:
        k: How many.
        retriever: How they are searched; see `stb_env.retrieval.retriever_for`.
    """

    k: int
    retriever: str = "hybrid"


class ApiSearch:
    """Finds API entries for a query; equal entries and queries give equal ones.

    Args:
        entries: What is searched; of one API's entries the first.
        settings: How, and how many are found.

    Raises:
        DataError: There is nothing to search.
        ConfigError: There is no such retriever.

    Examples:
        >>> films = {"category_name": "Data", "tool_name": "Films", "api_name": "Cast of a film"}
        >>> rain = {"category_name": "Weather", "tool_name": "Sky", "api_name": "Rain tomorrow"}
        >>> mail = {"category_name": "Email", "tool_name": "Post", "api_name": "Send a letter"}
        >>> search = ApiSearch([films, rain, mail], Retrieval(1, "bm25"))
        >>> [entry["tool_name"] for entry in search.apis("Will there be rain?")]
        ['Sky']
        >>> search.fingerprint
        {'k': 1, 'retriever': 'bm25', 'apis': 3}
    """

    def __init__(self, entries: Iterable[APIEntry], settings: Retrieval) -> None:
        known: dict[ToolId, APIEntry] = {}
        for entry in entries:
            known.setdefault(api_id(entry), entry)
        known.pop(NO_ID, None)
        if not known:
            raise DataError(
                "there are no APIs to retrieve from: no query here names any and there are no tool files; "
                "name their folder with tools=... (--tools PATH)"
            )
        self.settings = settings
        names = unique_names(known)
        tools = (tool_from_api(entry, names[identity]) for identity, entry in known.items())
        self._index = ToolIndex(tools, settings.retriever)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides what is found, beside the entries themselves."""
        return {
            "k": self.settings.k,
            "retriever": self.settings.retriever,
            "apis": len(self._index.catalog),
        }

    def apis(self, query: str) -> list[APIEntry]:
        """Return the entries that fit a query best, best first."""
        return [cast(APIEntry, tool.record) for tool in self._index.search(query, self.settings.k)]
