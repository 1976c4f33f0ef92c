"""APIs of written dialogues: they answer what was recorded, and agree over all dialogues."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.suites.api_bank.api_error import ApiError, ArgumentsError
from stb_env.suites.api_bank.api_set import LEVEL_12, ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.casting import CASTS, Kind
from stb_env.suites.api_bank.databases import Databases
from stb_env.suites.api_bank.definition import API, Library, Parameter
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall
from stb_env.suites.api_bank.formats.written_dialogues import WrittenDialogue
from stb_env.suites.api_bank.state import State

ANSWERS = "Recorded"
"""Name of the answers in a library: by API and `answer_key`, each with ``output`` and ``exception``."""

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
    def entry(self) -> dict[str, object]:
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


def answer_key(arguments: Mapping[str, object]) -> str:
    """Return the text under which the answer to some arguments is kept.

    Examples:
        >>> answer_key({"b": 1, "a": " Brest "}) == answer_key({"a": "brest", "b": 1.0})
        True
    """
    return jsontext.dumps({name: _folded(arguments[name]) for name in sorted(arguments)})


def _folded(value: object) -> object:
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_folded(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _folded(value[name]) for name in sorted(value)}
    return value


def _parameter(name: str, record: Mapping[str, object]) -> Parameter:
    kind = _KINDS.get(str(record.get("type")), "json")
    return Parameter(name, kind, str(record.get("description", "")), not record.get("required", True))


def _nothing() -> None:
    """Stand for code that there is none of."""


class RecordedApis:
    """APIs of written dialogues, as far as the dialogues agree about them.

    Writers know nothing of each other: two may describe an API of one name in two ways, or let it answer the
    same call with two results. The first then holds, and a dialogue that says otherwise is left out, as is
    one with a call that does not fit its API.

    Args:
        written: The dialogues.

    Attributes:
        dialogues: Those that are taken, their calls in the form that dialogues record.
        left_out: Why which others are not, by name.
    """

    def __init__(self, written: Iterable[WrittenDialogue]) -> None:
        self.dialogues: list[Dialogue] = []
        self.left_out: dict[str, str] = {}
        self._apis: dict[str, API] = {SEARCHER: LEVEL_12.apis[SEARCHER]}
        self._answers: dict[str, dict[str, JsonMapping]] = {}
        self._finds: dict[str, str] = {}
        for one in written:
            try:
                self.dialogues.append(self._taken(one))
            except (_Unfit, ArgumentsError) as error:
                self.left_out[one.dialogue.name] = str(error)

    @property
    def apis(self) -> ApiSet:
        """The APIs."""
        return ApiSet("written APIs", self._apis)

    @property
    def databases(self) -> Databases:
        """Their recorded answers."""
        return Databases({}, {ANSWERS: self._answers}, source={ANSWERS: self._answers})

    def _taken(self, one: WrittenDialogue) -> Dialogue:
        apis = {name: RecordedAPI.of(record, one.domain or "written") for name, record in one.apis.items()}
        named = dict.fromkeys(name for call in one.dialogue.calls for name in (call.name, _found_by(call)))
        chosen = {name: self._agreed(apis, name) for name in named if name}
        answers: dict[tuple[str, str], JsonMapping] = {}
        calls = {}
        for place, call in enumerate(one.dialogue.items):
            if isinstance(call, GoldCall):
                calls[place] = self._called(chosen[call.name], call, answers)
        found = {api.name: api for api in chosen.values() if api.name != SEARCHER}
        self._apis |= found
        for (name, key), answer in answers.items():
            self._answers.setdefault(name, {})[key] = answer
        items = tuple(calls.get(place, item) for place, item in enumerate(one.dialogue.items))
        return replace(one.dialogue, items=items)

    def _agreed(self, apis: Mapping[str, API], name: str) -> API:
        known = self._apis.get(name)
        if name == SEARCHER and known is not None:
            return known
        if name not in apis:
            raise _Unfit(f"{name} is nowhere described")
        if known is not None and known.entry["input_parameters"] != apis[name].entry["input_parameters"]:
            raise _Unfit(f"{name} takes other arguments in an earlier dialogue")
        return known or apis[name]

    def _called(
        self, api: API, call: GoldCall, answers: dict[tuple[str, str], Mapping[str, object]]
    ) -> GoldCall:
        """Return a call with its whole envelope, and take note of its answer."""
        output, exception = call.result["output"], call.result["exception"]
        envelope = api.envelope(call.arguments, output, exception)
        if api.name == SEARCHER:
            self._found(call)
            return GoldCall(call.name, call.arguments, envelope)
        key = answer_key(api.cast(call.arguments))
        answer = {"output": output, "exception": exception}
        known = answers.get((api.name, key)) or self._answers.get(api.name, {}).get(key)
        if known is not None and known != answer:
            raise _Unfit(f"{api.name} answers the same call otherwise elsewhere")
        answers[api.name, key] = answer
        return GoldCall(call.name, call.arguments, envelope)

    def _found(self, call: GoldCall) -> None:
        name = _found_by(call)
        keywords = " ".join(str(call.arguments.get("keywords")).casefold().split())
        if self._finds.setdefault(keywords, name) != name:
            raise _Unfit(f"the search for {keywords!r} finds another API in an earlier dialogue")


def _found_by(call: GoldCall) -> str:
    """Return the name of the API that a search found; empty where it is none, or found nothing."""
    found = call.result["output"] if call.name == SEARCHER else None
    return str(found.get("name", "")) if isinstance(found, Mapping) else ""


class _Unfit(Exception):
    """A dialogue does not agree with the ones before it."""
