"""API-Bank's ToolSearcher: keywords in, the one best API out (Li et al., 2023, section 3)."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.retrieval import NgramRetriever, RetrieverFactory
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.topics import TopicIndex

LOGIN = "GetUserToken"

Record = JsonMapping
"""``name``, ``description``, ``input_parameters`` and ``output_parameters`` of an API."""

# A name counts this often in what an n-gram search reads: keywords repeat names more than descriptions.
_NAME_WEIGHT = 3
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class ToolSearcher:
    """Finds the API that keywords mean; indexed once, and the same answer ever after.

    What a recorded dialogue found for the same keywords comes first, as the paper promises frozen results;
    then an API of just that name, whatever the blanks and capitals; then the best match of a search.

    Args:
        records: The APIs; ToolSearcher itself is never found.
        frozen: Name of the API for keywords that are known; see `frozen_searches`.
        retriever: What indexes texts, in place of `TopicIndex`. It gets the original's texts, for which
            ``lambda texts: DenseRetriever(paraphrase_minilm(), texts)`` is the original's search.

    Raises:
        DataError: A record lacks a field.

    Examples:
        >>> user = {"username": {"type": "str", "description": "Who."}}
        >>> token = {"token": {"type": "str", "description": "Whose."}}
        >>> records = [
        ...     {"name": "GetUserToken", "description": "Log in.", "input_parameters": user,
        ...      "output_parameters": token},
        ...     {"name": "QueryAgenda", "description": "Read the agenda.", "input_parameters": token,
        ...      "output_parameters": {}},
        ... ]
        >>> search = ToolSearcher(records)
        >>> [record["name"] for record in search("what is on my agenda")]
        ['GetUserToken', 'QueryAgenda']
        >>> search("get user token")["name"]
        'GetUserToken'
    """

    def __init__(
        self,
        records: Sequence[Record],
        frozen: Mapping[str, str] | None = None,
        retriever: RetrieverFactory | None = None,
    ) -> None:
        self._records = [_checked(record) for record in records if record.get("name") != SEARCHER]
        self._by_name = {record["name"]: record for record in self._records}
        self._exact = {_squeezed(name): record for name, record in self._by_name.items()}
        self._frozen = {_folded(keywords): name for keywords, name in (frozen or {}).items()}
        self._topics = TopicIndex(self._records) if retriever is None else None
        self._retriever = None
        if retriever is not None:
            text_of = _weighted_text if retriever is NgramRetriever else search_text
            self._retriever = retriever([text_of(record) for record in self._records])

    def __call__(self, keywords: str) -> dict[str, object] | list[dict[str, object]]:
        """Return what the original's call returns.

        Args:
            keywords: What is looked for, as the agent wrote it.

        Returns:
            The record of the best API; where that takes a token, a list of the record of the API that gives
            one, with the text that it is searched by, and the best API's. New objects each time.

        Raises:
            ApiError: Nothing resembles the keywords.
        """
        found = self.find(keywords)
        if found is None:
            raise ApiError(f"no API resembles {keywords[:200]!r}; describe in a few words what it should do")
        giver = self._by_name.get(LOGIN)
        if giver is None or "token" not in found["input_parameters"]:
            return _copy(found)
        return [{**_copy(giver), "desc_for_search": search_text(giver)}, _copy(found)]

    def find(self, keywords: str) -> Record | None:
        """Return the record of the best API, the first of equals; None where none resembles the keywords."""
        known = self._by_name.get(self._frozen.get(_folded(keywords), ""))
        known = known or self._exact.get(_squeezed(keywords))
        if known is not None or not self._records:
            return known
        if self._topics is not None:
            place = self._topics.best(keywords)
            return None if place is None else self._records[place]
        best = self._retriever.search(keywords, 1)[0] if self._retriever else None
        return self._records[best.index] if best and best.score > 0 else None


def search_text(record: Record) -> str:
    """Return the text that the original embeds: the name in words, and right after it the description.

    Examples:
        >>> search_text({"name": "DocumentQA", "description": "Answers questions."})
        'document q aAnswers questions.'
    """
    return _in_words(record["name"]) + str(record["description"])


def spaced(keywords: str) -> str:
    """Return keywords as the level-3 evaluation passes them on: a blank before every capital letter.

    Examples:
        >>> spaced("QueryMeeting")
        'Query Meeting'
    """
    return re.sub(r"(?=[A-Z])", " ", keywords).strip()


def frozen_searches(results: JsonMapping) -> dict[str, str]:
    """Return the table of found names from recorded outputs.

    Args:
        results: Output of a recorded search, a record or a list of two, for each keywords.

    Examples:
        >>> frozen_searches({"log in": {"name": "GetUserToken"}, "agenda": [{"name": "GetUserToken"},
        ...                                                                 {"name": "QueryAgenda"}]})
        {'log in': 'GetUserToken', 'agenda': 'QueryAgenda'}
    """
    return {
        keywords: (output[-1] if isinstance(output, list) else output)["name"]
        for keywords, output in results.items()
    }


def _checked(record: Record) -> Record:
    for key in ("name", "description", "input_parameters", "output_parameters"):
        if key not in record:
            raise DataError(f"an API record needs {key!r}, got {sorted(record)}")
    return record


def _weighted_text(record: Record) -> str:
    return " ".join([*[_in_words(record["name"])] * _NAME_WEIGHT, str(record["description"])])


def _in_words(name: str) -> str:
    return _CAPITAL.sub(" ", name).lower()


def _folded(keywords: str) -> str:
    return " ".join(keywords.casefold().split())


def _squeezed(keywords: str) -> str:
    return "".join(keywords.casefold().split())


def _copy(record: Record) -> dict[str, object]:
    members = ("name", "description", "input_parameters", "output_parameters")
    return {key: copy.deepcopy(record[key]) for key in members}
