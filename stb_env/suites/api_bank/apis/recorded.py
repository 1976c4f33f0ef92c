"""An API that nobody wrote code for: it answers what a dialogue recorded for the same arguments."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from stb_env import jsontext
from stb_env.jsontypes import Json, JsonMapping, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.casting import CASTS, Kind
from stb_env.suites.api_bank.definition import API, Library, Parameter
from stb_env.suites.api_bank.state import State

ANSWERS = "Recorded"
"""Where a library holds the answers: by API and `answer_key`, each with ``output`` and ``exception``."""

_KINDS: Mapping[str, Kind] = {name: name for name in CASTS}


@dataclass(frozen=True, slots=True)
class RecordedAPI(API):
    """An API of a written dialogue.

    Attributes:
        record: Its documentation, as it was written.

    Examples:
        >>> day = {"day": {"type": "str", "description": "Which."}}
        >>> tides = RecordedAPI.of({"name": "Tides", "description": "High water.", "input_parameters": day})
        >>> library = {ANSWERS: {"Tides": {answer_key({"day": "Monday"}): {"output": "06:10"}}}}
        >>> tides.run(State(), library, {"day": "Monday"})[0]
        '06:10'
        >>> tides.run(State(), library, {"day": "Tuesday"})
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: Tides has no result for {"day": "Tuesday"}
    """

    record: JsonMapping = field(default_factory=dict)

    @classmethod
    def of(cls, record: JsonMapping, domain: str = "written") -> RecordedAPI:
        """Return the API that a record of a search result describes."""
        parameters = tuple(_parameter(name, each) for name, each in record["input_parameters"].items())
        return cls(
            record["name"], domain, str(record["description"]), parameters, {}, _nothing, record=record
        )

    def __reduce__(self) -> tuple[Callable[..., API], tuple[object, ...]]:
        """Pickle as what makes an equal one again."""
        return type(self).of, (dict(self.record), self.domain)

    @property
    def entry(self) -> JsonObject:
        """The documentation as it was written; a new object each time."""
        return {"output_parameters": {}, **copy.deepcopy(dict(self.record))}

    def run(self, state: State, library: Library, bound: JsonMapping) -> tuple[Json, State]:
        """Answer what was recorded.

        Raises:
            ApiError: It recorded a refusal, or nothing for these arguments.
        """
        answer = library.get(ANSWERS, {}).get(self.name, {}).get(answer_key(bound))
        if answer is None:
            raise ApiError(f"{self.name} has no result for {jsontext.dumps(dict(bound))[:200]}")
        if answer.get("exception"):
            raise ApiError(str(answer["exception"]))
        return copy.deepcopy(answer["output"]), state


def answer_key(arguments: JsonMapping) -> str:
    """Return the text under which the answer to some arguments is kept.

    Examples:
        >>> answer_key({"b": 1, "a": " Brest "}) == answer_key({"a": "brest", "b": 1.0})
        True
    """
    return jsontext.dumps({name: _folded(arguments[name]) for name in sorted(arguments)})


def _folded(value: Json) -> Json:
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_folded(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _folded(value[name]) for name in sorted(value)}
    return value


def _parameter(name: str, record: JsonMapping) -> Parameter:
    kind = _KINDS.get(str(record.get("type")), "json")
    return Parameter(name, kind, str(record.get("description", "")), not record.get("required", True))


def _nothing() -> None:
    """Stand for code that there is none of."""
