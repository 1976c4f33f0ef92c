"""Written dialogues as a corpus: their APIs answer what was recorded, and agree over all dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.api_bank.api_error import ArgumentsError
from stb_env.suites.api_bank.api_set import LEVEL_12, ApiSet
from stb_env.suites.api_bank.apis.recorded import ANSWERS, RecordedAPI, answer_key
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.databases import Databases
from stb_env.suites.api_bank.definition import API
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall
from stb_env.suites.api_bank.formats.written import WrittenDialogue


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
        """What they answer."""
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

    def _called(self, api: API, call: GoldCall, answers: dict[tuple[str, str], JsonMapping]) -> GoldCall:
        """Return a call with its whole envelope, and take note of its answer."""
        output, exception = call.result["output"], call.result["exception"]
        envelope: JsonObject = api.envelope(call.arguments, output, exception)
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
