"""The fourth agent: calls the APIs, answers in their place, and replies to the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from stb_env.errors import did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.prompting import delimited
from stb_env.synthesis.api import SEARCHER, Api
from stb_env.synthesis.dialogue import Call, Turn
from stb_env.synthesis.form import Form, UnfitDraft, list_of, record, text
from stb_env.synthesis.query_maker import MOST_TURNS
from stb_env.synthesis.role import Role, lines
from stb_env.synthesis.scene import Scene

MOST_CALLS = 20
_MOST_REASONS = 5

_CALL = record({"name": text(64), "arguments": {"type": "object"}, "result": {}})


def _turns(call: JsonMapping, most: int, least: int = 1) -> JsonObject:
    return list_of(record({"calls": list_of(call, MOST_CALLS, 0), "reply": text(8_000)}), most, least)


TURNS = _turns(_CALL, MOST_TURNS)


class Caller(Role):
    """Writes the calls with their results and the reply to each utterance."""

    name = "caller"
    form = Form("caller", {"turns": TURNS})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the domain, the APIs, what the user says and the ability."""
        return {
            "domain": delimited(scene.domain, "domain"),
            "apis": delimited(lines([api.record for api in scene.apis]), "apis"),
            "utterances": delimited(lines(scene.utterances), "utterances"),
            "time": delimited(scene.time, "time"),
            "ability": scene.ability.text,
        }

    def wanted(self, scene: Scene) -> JsonMapping:
        """Return the form with a turn for each utterance, and the calls that the scene's APIs take."""
        calls = [_call_of(api, _answer_of(api)) for api in scene.apis]
        if scene.ability.searches:
            calls.append(_call_of(SEARCHER, _one_of(api.name for api in scene.apis)))
        turns = len(scene.utterances)
        return self.form.narrowed({"turns": _turns({"anyOf": calls}, turns, turns)})

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the whole dialogue."""
        if len(draft["turns"]) != len(scene.utterances):
            raise UnfitDraft(
                f"{len(scene.utterances)} turns are wanted, one for each utterance, got {len(draft['turns'])}"
            )
        turns = tuple(
            Turn(said, tuple(_call(each, scene.apis) for each in turn["calls"]), turn["reply"].strip())
            for said, turn in zip(scene.utterances, draft["turns"], strict=True)
        )
        calls = [call for turn in turns for call in turn.calls]
        found = list(_violations(calls, scene))
        if found:
            raise UnfitDraft("; ".join(found[:_MOST_REASONS]))
        return replace(scene, turns=turns)


def _call_of(api: Api, result: JsonMapping) -> JsonObject:
    arguments = api.function["function"]["parameters"]
    return record({"name": _one_of([api.name]), "arguments": arguments, "result": result})


def _answer_of(api: Api) -> JsonObject:
    answer, refusal = record({name: {} for name in api.outputs}), record({"error": {"type": "string"}})
    return {"anyOf": [answer, refusal]}


def _one_of(names: Iterable[str]) -> JsonObject:
    return {"type": "string", "enum": list(names)}


def _call(draft: JsonMapping, apis: Sequence[Api]) -> Call:
    """Return a call; the result of a search is the whole description of the API that it names."""
    result = draft["result"]
    if draft["name"] == SEARCHER.name:
        named = result.get("name") if isinstance(result, Mapping) else result
        result = next((api.record for api in apis if api.name == named), result)
    return Call(draft["name"], draft["arguments"], result)


def _violations(calls: Sequence[Call], scene: Scene) -> Iterator[str]:
    apis = {api.name: api for api in scene.apis}
    for call in calls:
        yield from _search(call, apis) if call.is_search else _use(call, apis)
    yield from _order(calls, scene)


def _search(call: Call, apis: Mapping[str, Api]) -> Iterator[str]:
    yield from SEARCHER.violations(call.arguments)
    keywords = str(call.arguments.get("keywords", ""))
    if not keywords.strip() or any(name in keywords.split() for name in apis):
        yield f"keywords must describe an API without its name, got {keywords[:80]!r}"
    if not isinstance(call.result, Mapping) or str(call.result.get("name")) not in apis:
        yield f"a search must find one of {', '.join(apis)}, got {str(call.result)[:80]!r}"


def _use(call: Call, apis: Mapping[str, Api]) -> Iterator[str]:
    api = apis.get(call.name)
    if api is None:
        yield f"there is no API {call.name!r}.{did_you_mean(call.name, apis)}"
        return
    yield from api.violations(call.arguments)
    # An API may refuse instead, and then says why.
    if not isinstance(call.result, Mapping) or not call.result.keys() & {*api.outputs, "error"}:
        yield f"{call.name} returns an object with {', '.join(api.outputs)}, got {str(call.result)[:80]!r}"


def _order(calls: Sequence[Call], scene: Scene) -> Iterator[str]:
    """Yield how the order of calls misses the ability."""
    found: set[str] = set()
    used: set[str] = set()
    for call in calls:
        if call.is_search:
            if not scene.ability.searches:
                yield "the APIs are known from the start; do not search"
            elif isinstance(call.result, Mapping):
                found.add(str(call.result.get("name")))
        else:
            if scene.ability.searches and call.name not in found | used:
                yield f"{call.name} is called before a search has found it"
            used.add(call.name)
    unused = [api.name for api in scene.apis if api.name not in used]
    if unused:
        yield f"never called: {', '.join(unused)}; all APIs are needed"
