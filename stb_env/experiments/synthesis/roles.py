"""Roles of the synthesis, and the methods: the roles that write a dialogue, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import did_you_mean
from stb_env.experiments.synthesis.api import SEARCHER, Api
from stb_env.experiments.synthesis.dialogue import Call, Review, Turn
from stb_env.experiments.synthesis.form import DuplicateQuery, Form, UnfitDraft, list_of, record, text
from stb_env.experiments.synthesis.grounding import ungrounded
from stb_env.experiments.synthesis.near_equal import nearest
from stb_env.experiments.synthesis.role import Role, lines
from stb_env.experiments.synthesis.scene import Scene
from stb_env.models.prompting import delimited

DOMAINS = 5
# Beyond this the oldest are left out of the prompt; they are still refused.
_SHOWN = 300


class DomainMaker(Role):
    """Names several domains; the first one that is not taken is used."""

    name = "domain"
    form = Form("domain", {"domains": list_of(text(80), 20)})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return how many are wanted, and what is taken."""
        known = "\n".join(list(dict.fromkeys(scene.known_domains))[-_SHOWN:])
        return {"count": str(DOMAINS), "known": delimited(known, "domains")}

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with a domain."""
        taken = {_folded(domain) for domain in scene.known_domains}
        for domain in draft["domains"]:
            if _folded(domain) not in taken:
                return replace(scene, domain=" ".join(domain.split()))
        raise UnfitDraft(f"all of these domains are taken: {', '.join(draft['domains'])}")


def _folded(domain: str) -> str:
    return " ".join(domain.lower().split())


APIS, MOST_APIS = 4, 12

_WORD = r"^[A-Za-z]\w{0,63}$"
_PARAMETER = record(
    {
        "type": {"enum": ["str", "int", "float", "bool", "list", "dict"]},
        "description": {"type": "string", "maxLength": 500},
        "required": {"type": "boolean"},
    },
    optional=("required",),
)
_PARAMETERS = {
    "type": "object",
    "propertyNames": {"pattern": _WORD},
    "additionalProperties": _PARAMETER,
    "maxProperties": 30,
}
API_RECORD = record(
    {
        "name": text(64, _WORD),
        "description": text(1_000),
        "input_parameters": _PARAMETERS,
        "output_parameters": _PARAMETERS,
    }
)


class ApiMaker(Role):
    """Designs several APIs, of which a dialogue gets some at random."""

    name = "api"
    form = Form("api", {"apis": list_of(API_RECORD, MOST_APIS)})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the domain, and real descriptions where there are any."""
        samples = lines([api.record for api in scene.samples])
        return {
            "count": str(max(APIS, scene.size)),
            "domain": delimited(scene.domain, "domain"),
            "samples": delimited(samples, "samples"),
        }

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the APIs of the domain, and those that the dialogue needs."""
        pool = [Api.from_record(each) for each in draft["apis"]]
        _check_names(pool)
        if len(pool) < scene.size:
            raise UnfitDraft(f"at least {scene.size} APIs are needed, got {len(pool)}")
        return scene.with_pool(pool)


def _check_names(pool: Sequence[Api]) -> None:
    # Without regard to case and style, so that a search result means one API.
    counts = Counter(api.key[0] for api in pool)
    repeated = [api.name for api in pool if counts[api.key[0]] > 1]
    if repeated:
        raise UnfitDraft(f"each API needs a name of its own, got {', '.join(repeated)}")
    if SEARCHER.key[0] in counts:
        raise UnfitDraft(f"the name {SEARCHER.name} is taken by the search")
    for api in pool:
        if not api.outputs:
            raise UnfitDraft(f"{api.name} returns nothing; give it output_parameters")


MOST_TURNS = 8

QUERY = {
    "utterances": list_of(text(2_000), MOST_TURNS),
    "time": {"type": "string", "maxLength": 200},
}


class QueryMaker(Role):
    """Writes utterances that call for the drawn APIs and for the ability."""

    name = "query"
    form = Form("query", QUERY, optional=("time",))

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the domain, the APIs and the ability."""
        return {
            "domain": delimited(scene.domain, "domain"),
            "apis": delimited(lines([api.record for api in scene.apis]), "apis"),
            "ability": scene.ability.text,
            "turns": str(scene.most_turns),
        }

    def wanted(self, scene: Scene) -> Mapping[str, object]:
        """Return the form with room for as many utterances as are wanted."""
        return self.form.narrowed({"utterances": list_of(text(2_000), scene.most_turns)})

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the user's side.

        Raises:
            DuplicateQuery: The user says what one said before.
            UnfitDraft: There are too many utterances, one has no words or names an API, or the time is
                none.
        """
        # One line each: the training form has a line for what a user says.
        utterances = tuple(" ".join(each.split()) for each in draft["utterances"])
        if wordless := [each for each in utterances if not any(map(str.isalnum, each))]:
            raise UnfitDraft(f"an utterance needs words, got {wordless[0]!r}")
        if len(utterances) > scene.most_turns:
            raise UnfitDraft(f"at most {scene.most_turns} utterances are wanted, got {len(utterances)}")
        named = [api.name for api in scene.apis if any(api.name in said.split() for said in utterances)]
        if named:
            raise UnfitDraft(f"the user must not know of APIs, but names {', '.join(named)}")
        known = nearest(utterances[0], scene.known_queries)
        if known is not None:
            raise DuplicateQuery(f"this is too close to an earlier query: {known}")
        return replace(scene, utterances=utterances, time=_moment(draft.get("time", "").strip()))


def _moment(written: str) -> str:
    """Return a moment in the one form that later roles read; a zone says nothing to them."""
    if not written:
        return ""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise UnfitDraft(
            f"time must be YYYY-MM-DD HH:MM:SS, or be left out where it does not matter, got {written!r}"
        ) from None
    return moment.replace(tzinfo=None).isoformat(" ", "seconds")


MOST_CALLS = 20
_MOST_REASONS = 5

_CALL = record({"name": text(64), "arguments": {"type": "object"}, "result": {}})


def _turns(call: Mapping[str, object], most: int, least: int = 1) -> dict[str, object]:
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

    def wanted(self, scene: Scene) -> Mapping[str, object]:
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


def _call_of(api: Api, result: Mapping[str, object]) -> dict[str, object]:
    arguments = api.function["function"]["parameters"]
    return record({"name": _one_of([api.name]), "arguments": arguments, "result": result})


def _answer_of(api: Api) -> dict[str, object]:
    answer, refusal = record({name: {} for name in api.outputs}), record({"error": {"type": "string"}})
    return {"anyOf": [answer, refusal]}


def _one_of(names: Iterable[str]) -> dict[str, object]:
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


_MOST_INSTANCE = 60_000
_REASONS = {"type": "array", "items": {"type": "string", "maxLength": 1_000}, "maxItems": 20}


class Tester(Role):
    """Says whether a dialogue is kept, and why not where it is not.

    Arguments that nobody gave are no matter of opinion: they are found mechanically (`ungrounded`) and drop
    the dialogue, whatever its author says.
    """

    name = "tester"
    form = Form("tester", {"keep": {"type": "boolean"}, "reasons": _REASONS})

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return the whole dialogue, and the ability that it shall show."""
        instance = {
            "domain": scene.domain,
            "apis": [api.record for api in scene.apis],
            "time": scene.time,
            "turns": [turn.to_dict() for turn in scene.turns],
        }
        shown = jsontext.dumps(jsontext.cut(instance, _MOST_INSTANCE))
        return {"instance": delimited(shown, "instance"), "ability": scene.ability.text}

    def take(self, scene: Scene, draft: JsonMapping) -> Scene:
        """Return the scene with the verdict."""
        reasons = tuple(reason for reason in draft["reasons"] if reason.strip())
        if not draft["keep"] and not reasons:
            raise UnfitDraft("give at least one reason for dropping it")
        made_up = tuple(ungrounded(scene.turns, scene.apis, scene.time))
        return replace(scene, review=Review(draft["keep"] and not made_up, (*reasons, *made_up)))


class Soloist(Role):
    """Does the work of the first four agents in one reply, which is held to the same checks."""

    name = "single"
    form = Form(
        "single",
        {"domain": text(80), "apis": list_of(API_RECORD, MOST_APIS), **QUERY, "turns": TURNS},
        optional=("time",),
    )

    def fields(self, scene: Scene) -> Mapping[str, str]:
        """Return what is taken, the number of APIs and the ability."""
        return {
            "size": str(scene.size),
            "known": DomainMaker().fields(scene)["known"],
            "ability": scene.ability.text,
            "turns": str(scene.most_turns),
        }

    def take(self, scene: Scene, draft: Mapping[str, object]) -> Scene:
        """Return the scene with the whole dialogue."""
        scene = DomainMaker().take(scene, {"domains": [draft["domain"]]})
        scene = ApiMaker().take(scene, draft)
        scene = QueryMaker().take(scene, draft)
        return Caller().take(scene, draft)


MULTI: tuple[Role, ...] = (DomainMaker(), ApiMaker(), QueryMaker(), Caller(), Tester())
"""The five agents of API-Bank's paper."""

SINGLE: tuple[Role, ...] = (Soloist(), Tester())
"""The baseline: one agent writes everything, and the same tester looks at it."""

METHODS: Mapping[str, tuple[Role, ...]] = {"multi": MULTI, "single": SINGLE}
