"""The fields of a query record, each checked where it is read."""

from __future__ import annotations

from typing import cast

from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.api_entry import (
    PARAMETERS,
    APIEntry,
    api_id,
    damaged_parameters,
    parameters_schema,
)
from stb_env.tools import NO_ID

NO_APIS = "; retrieve=K (--retrieve K) finds K of them for such a query"

_IDENTITY = ("category_name", "tool_name", "api_name")


class BadRecord(DataError):
    """A record that cannot be used.

    Args:
        place: Path of the field.
        message: What was got and what was expected.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


def read_query(query: object) -> str:
    """Return the query's text, of a list of one that one.

    Raises:
        BadRecord: It is no text, or an empty one.
    """
    if isinstance(query, list) and len(query) == 1:
        query = query[0]
    if not isinstance(query, str) or not query.strip():
        raise BadRecord("query", f"expected a non-empty text, got {query!r:.60}")
    return query


def read_id(task_id: object) -> str:
    """Return the query's id.

    Raises:
        BadRecord: It is neither a number nor a non-empty text.
    """
    if not isinstance(task_id, int | str) or isinstance(task_id, bool) or task_id == "":
        raise BadRecord("query_id", f"expected a number or a non-empty text, got {task_id!r:.60}")
    return str(task_id)


def read_apis(apis: object) -> list[APIEntry]:
    """Return the API entries; none where the record names none.

    Raises:
        BadRecord: They are no list of API entries.
    """
    if apis is None:
        return []
    if not isinstance(apis, list):
        raise BadRecord("api_list", f"expected a list, got {type(apis).__name__}")
    for position, entry in enumerate(apis):
        _check_api(f"api_list[{position}]", entry)
    return apis


def _check_api(place: str, entry: object) -> None:
    if not isinstance(entry, dict):
        raise BadRecord(place, f"expected an object, got {type(entry).__name__}")
    for name in _IDENTITY:
        if not isinstance(entry.get(name), str):
            raise BadRecord(f"{place}.{name}", f"expected a text, got {entry.get(name)!r:.60}")
    damaged = damaged_parameters(entry)
    if damaged:
        raise BadRecord(f"{place}.{damaged}", "expected a list of objects that have a text 'name'")
    if api_id(cast(APIEntry, entry)) == NO_ID:
        raise BadRecord(place, "nothing is left of its category, tool and API name once standardised")


def same_parameters(one: APIEntry, other: APIEntry) -> bool:
    """Say whether two entries have the same parameters.

    Examples:
        >>> same_parameters({"optional_parameters": []}, {})
        True
    """
    if all(one.get(key) == other.get(key) for key in PARAMETERS):
        return True
    return parameters_schema(one) == parameters_schema(other)
