"""Drafts of each role that are taken, and those that are refused with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions.validation.schema import Schema
from stb_env.experiments.synthesis import MULTI, SINGLE
from stb_env.experiments.synthesis.form import MAX_DRAFT, UnfitDraft
from stb_env.experiments.synthesis.scene import Scene
from tests.experiments.synthesis.replies import FERRY, TIDES, USES, scene, search

ROLES = {role.name: role for role in (*MULTI, *SINGLE)}
SAID = ("When is high water?",)


def turns(*calls: dict[str, Any], reply: str = "At six.") -> dict[str, Any]:
    return {"turns": [{"calls": list(calls), "reply": reply}]}


def changed(record: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {**record, **members}


def named(name: str) -> dict[str, Any]:
    return changed(TIDES, name=name)


def apis(*records: dict[str, Any]) -> dict[str, Any]:
    return {"apis": list(records)}


def says(*utterances: str) -> dict[str, Any]:
    return {"utterances": list(utterances)}


def spoken(ability: str = "call", *names: str) -> Scene:
    return scene(ability, *names, utterances=SAID)


TIDE, CROSSING = USES["TideTable"], USES["BookFerry"]
NO_TIME = r"time must be YYYY-MM-DD HH:MM:SS, or be left out where it does not matter, got 'noon'"
REFUSED = {
    "domain": [
        (scene(), {"domains": []}, "'domains' must be an array of at least 1, got an array of 0"),
        (scene(), {"domains": ["  "]}, r"'domains\[0\]' must be a text that matches .*"),
    ],
    "api": [
        (scene(), apis(TIDES, TIDES), r"each API needs a name of its own, got TideTable, TideTable"),
        (scene(), apis(TIDES, named("tide_table")), r"each API needs a name .*, got TideTable, tide_table"),
        (scene(), apis(named("Tool_Searcher")), r"the name ToolSearcher is taken .*"),
        (scene(), apis(named("Tide Table")), r"'apis\[0\]\.name' must be .*, got the text 'Tide Table'"),
        (scene(), apis(changed(TIDES, output_parameters={})), r"TideTable returns nothing; .*"),
        (scene("plan", "TideTable", "BookFerry"), apis(TIDES), r"at least 2 APIs are needed, got 1"),
    ],
    "query": [
        (scene(), says("{"), r"an utterance needs words, got '\{'"),
        (scene(), says(*["a?"] * 4), r"at most 3 utterances are wanted, got 4"),
        (scene(), says("Ask TideTable please"), r"the user must not know of APIs, but names TideTable"),
        (scene(), {**says("a?"), "time": "noon"}, NO_TIME),
        (scene(), {**says("a?"), "time": "2031-05-04 25:00"}, r"time must be YYYY-.*, got .*"),
    ],
    "caller": [
        (spoken(), {"turns": []}, "'turns' must be an array of at least 1, got an array of 0"),
        (spoken(), {"turns": turns()["turns"] * 2}, r"1 turns are wanted, one for each utterance, got 2"),
        (spoken(), turns(), r"never called: TideTable; all APIs are needed"),
        (
            spoken(),
            turns(changed(TIDE, name="TideTabel")),
            r"there is no API 'TideTabel'\. Did you mean 'TideTable'\?; never called: .*",
        ),
        (
            spoken(),
            turns(changed(TIDE, arguments={"port": "Brest"})),
            r"TideTable has no parameter 'port'; TideTable needs the argument 'harbour'",
        ),
        (
            spoken("call", "BookFerry"),
            turns(changed(CROSSING, arguments={"harbour": "Brest", "seats": "2"})),
            r"argument 'seats' of BookFerry must be int, got str",
        ),
        (spoken(), turns(changed(TIDE, result={"wind": 3})), r"TideTable returns an object with high_.*"),
        (spoken(), turns(search("TideTable"), TIDE), r"the APIs are known from the start; do not search"),
        (
            spoken("retrieve"),
            turns(TIDE, search("TideTable")),
            r"TideTable is called before a search has found it",
        ),
        (
            spoken("retrieve"),
            turns(changed(search("TideTable"), result=["x"]), TIDE),
            r"a search must find one of TideTable, got \"\['x'\]\"; .*",
        ),
        (
            spoken("retrieve"),
            turns(changed(search("TideTable"), arguments={"keywords": "TideTable"}), TIDE),
            r"keywords must describe an API without its name, got 'TideTable'",
        ),
    ],
    "tester": [
        (spoken(), {"keep": "yes", "reasons": []}, r"'keep' must be true or false, .*"),
        (spoken(), {"keep": False, "reasons": [" "]}, r"give at least one reason for dropping it"),
    ],
    "single": [(scene(), {"domain": "sea"}, r".*'apis'.*")],
}


@pytest.mark.parametrize(
    ("role", "before", "draft", "message"),
    [(role, *case) for role, cases in REFUSED.items() for case in cases],
)
def test_a_draft_that_does_not_fit_is_refused_with_the_reason(role, before, draft, message):
    with pytest.raises(UnfitDraft, match=f"^{message}$"):
        ROLES[role].read(before, json.dumps(draft))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected one JSON object, found none"),
        ("[1, 2]", "expected one JSON object, found none"),
        ("x" * (MAX_DRAFT + 1), f"at most {MAX_DRAFT} characters are read, got {MAX_DRAFT + 1}"),
        ('{"domains": ["\\ud800"]}', r"a text has half a character in it .*"),
    ],
)
def test_a_text_without_a_draft_is_refused(text: str, message: str):
    with pytest.raises(UnfitDraft, match=f"^{message}$"):
        ROLES["domain"].read(scene(), text)


@pytest.mark.parametrize(
    "text",
    ['```json\n{"domains": ["Tides"]}\n```', 'Here: {"domains": ["Tides"]} Good?', '{"domains": ["Tides"'],
)
def test_an_object_is_found_in_what_stands_around_it(text: str):
    assert ROLES["domain"].read(scene(), text).domain == "Tides"


def test_the_result_of_a_search_becomes_the_whole_description():
    read = ROLES["caller"].read(spoken("retrieve"), json.dumps(turns(search("TideTable"), TIDE)))
    assert read.turns[0].calls[0].result == TIDES


def test_plans_may_use_an_api_again_without_another_search():
    calls = [search("TideTable"), TIDE, TIDE, search("BookFerry"), CROSSING]
    read = ROLES["caller"].read(spoken("plan", "TideTable", "BookFerry"), json.dumps(turns(*calls)))
    assert len(read.turns[0].calls) == 5


def test_an_api_may_refuse():
    refusal = changed(TIDE, result={"error": "no such harbour"})
    assert ROLES["caller"].read(spoken(), json.dumps(turns(refusal))).turns


FEW = scene("call", utterances=("Two for Brest?", "And high water?"))


def held(role: str, before: Scene, draft: dict[str, Any]) -> bool:
    """Say whether a grammar of the form that is asked for lets a draft through."""
    contract = ROLES[role].ask(before).contract
    assert contract is not None
    return Schema(role, contract.plain).fits(draft)


@pytest.mark.parametrize(
    ("role", "before", "draft"),
    [
        ("query", scene(), {"utterances": ["a?"] * 3}),
        ("query", scene(), {"utterances": ["a?"], "time": "2031-05-04 08:00:00"}),
        ("caller", spoken(), turns(TIDE)),
        ("caller", spoken(), turns(changed(TIDE, result={"error": "no such harbour"}))),
        ("caller", spoken("retrieve"), turns(search("TideTable"), TIDE)),
        ("caller", FEW, {"turns": turns(TIDE)["turns"] * 2}),
    ],
)
def test_what_a_role_may_write_has_the_form_that_it_is_asked_for(role, before, draft):
    assert held(role, before, draft)
    assert ROLES[role].read(before, json.dumps(draft))


@pytest.mark.parametrize(
    ("role", "before", "draft"),
    [
        ("query", scene(), {"utterances": ["a?"] * 4}),
        ("caller", FEW, turns(TIDE)),
        ("caller", spoken(), turns(changed(TIDE, name="TideTabel"))),
        ("caller", spoken(), turns(changed(TIDE, arguments={"port": "Brest"}))),
        ("caller", spoken(), turns(changed(TIDE, result={"wind": 3}))),
        ("caller", spoken(), turns(search("TideTable"), TIDE)),
        ("caller", spoken("retrieve"), turns(search("BookFerry"), TIDE)),
    ],
)
def test_slips_of_weak_models_have_not_the_form_that_is_asked_for(role, before, draft):
    assert not held(role, before, draft)
    with pytest.raises(UnfitDraft):
        ROLES[role].read(before, json.dumps(draft))


@pytest.mark.parametrize(
    "written", ["2031-05-04T08:00:00Z", "2031-05-04 08:00", "2031-05-04T08:00:00.5+02:00"]
)
def test_a_moment_in_another_form_of_iso_8601_is_taken(written: str):
    read = ROLES["query"].read(scene(), json.dumps({"utterances": ["a?"], "time": written}))
    assert read.time == "2031-05-04 08:00:00"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
VALID = {
    "domain": {"domains": ["Tides"]},
    "api": {"apis": [TIDES, FERRY]},
    "query": {"utterances": list(SAID)},
    "caller": turns(search("TideTable"), TIDE),
    "tester": {"keep": True, "reasons": []},
    "single": {"domain": "sea", **apis(TIDES), **says(*SAID), **turns(search("TideTable"), TIDE)},
}


def outcome(role: str, text: str) -> Scene | UnfitDraft:
    try:
        return ROLES[role].read(spoken("retrieve"), text)
    except UnfitDraft as unfit:
        return unfit


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value inside a value."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(place for key, item in members for place in places(item, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.heavy
@pytest.mark.parametrize("role", ROLES)
@given(data=st.data())
def test_a_draft_with_anything_anywhere_is_taken_or_refused(role: str, data: st.DataObject):
    path = data.draw(st.sampled_from(places(VALID[role])))
    text = json.dumps(replaced(VALID[role], path, data.draw(JSON)))
    assert isinstance(outcome(role, text), Scene | UnfitDraft)


@pytest.mark.parametrize("role", ROLES)
@given(text=st.text(max_size=200))
def test_any_text_is_refused_with_a_reason(role: str, text: str):
    with pytest.raises(UnfitDraft, match=r"."):
        ROLES[role].read(spoken("retrieve"), text)


@pytest.mark.parametrize("role", VALID)
def test_what_fits_is_taken(role: str):
    assert isinstance(outcome(role, json.dumps(VALID[role])), Scene)
