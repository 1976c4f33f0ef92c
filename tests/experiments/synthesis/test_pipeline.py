"""Five agents write a dialogue, each held to its form."""

from __future__ import annotations

import json

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.experiments.synthesis import Ability, Dialogue, ModelAuthor, Pipeline, Settings
from stb_env.models import ModelError, ScriptedModel
from tests.experiments.synthesis.replies import FERRY, TIDES, USES, Cast, called, pipeline, search


def first(**cast_and_settings) -> Dialogue:
    cast = cast_and_settings.pop("cast", None)
    return drive(pipeline(cast, **cast_and_settings).dialogue(0, []))


def write(made: Pipeline, count: int) -> list[Dialogue]:
    dialogues: list[Dialogue] = []
    for index in range(count):
        dialogues.append(drive(made.dialogue(index, dialogues)))
    return dialogues


def test_five_answers_make_a_dialogue():
    dialogue = first(abilities=(Ability.RETRIEVE,))
    assert dialogue.outcome == "kept"
    assert dialogue.domain == "Harbours of birch"
    assert len(dialogue.pool) == 3
    assert len(dialogue.apis) == 1
    assert dialogue.query == "Dear cedar cedar-amber cedar-amber-amber, two at lock A, Brest?"
    assert called(dialogue) == ["ToolSearcher", dialogue.apis[0].name]
    assert dialogue.calls[0].result == dialogue.apis[0].record
    assert dialogue.reply == "It is all done."
    assert dialogue.usage.calls == 5
    assert dialogue.usage.cost == pytest.approx(0.05)


def test_every_prompt_holds_the_texts_of_others_between_delimiters():
    cast = Cast()
    models = {name: cast.model(name) for name in ("domain", "api", "query", "caller", "tester")}
    made = Pipeline({name: ModelAuthor(model) for name, model in models.items()})
    drive(made.dialogue(0, []))
    for name, label in (
        ("api", "domain"),
        ("query", "apis"),
        ("caller", "utterances"),
        ("tester", "instance"),
    ):
        (request,) = models[name].requests
        assert f"<<<{label} " in request.messages[0]["content"]


def test_a_dialogue_survives_its_line():
    dialogue = first(abilities=(Ability.PLAN,))
    assert Dialogue.from_json(dialogue.to_json()) == dialogue


def test_a_line_shows_query_calls_and_reply():
    line = json.loads(first(abilities=(Ability.CALL,)).to_json())
    assert line["query"] == line["turns"][0]["user"]
    assert line["calls"] == line["turns"][0]["calls"]
    assert line["reply"] == line["turns"][0]["reply"]
    assert line["review"] == {"keep": True, "reasons": []}


def test_what_is_wrong_is_shown_and_asked_for_again():
    model = ScriptedModel(["no JSON", '{"domains": []}', '{"domains": ["Tides"]}'])
    made = Pipeline(Cast().authors() | {"domain": ModelAuthor(model)})
    dialogue = drive(made.dialogue(0, []))
    assert dialogue.domain == "Tides"
    assert [each.role for each in dialogue.rejections] == ["domain", "domain"]
    second = model.requests[1].messages
    assert second[1] == {"role": "assistant", "content": "no JSON"}
    assert "expected one JSON object, found none" in second[2]["content"]
    assert len({request.key for request in model.requests}) == 3


def test_a_further_try_leaves_more_to_chance():
    model = ScriptedModel(["no JSON", '{"domains": ["Tides"]}'])
    drive(Pipeline(Cast().authors() | {"domain": ModelAuthor(model)}).dialogue(0, []))
    once, again = (request.sampling.temperature or 0.0 for request in model.requests)
    assert again > once


@pytest.mark.parametrize("role", ["domain", "api", "query", "caller", "tester"])
def test_a_role_that_never_writes_what_fits_fails_the_sample(role: str):
    dialogue = first(cast=Cast({role: ["nothing"] * 3}), attempts=3)
    assert dialogue.outcome == "failed"
    assert {each.role for each in dialogue.rejections} == {role}
    assert len(dialogue.rejections) == 3
    assert Dialogue.from_json(dialogue.to_json()) == dialogue


def test_what_the_tester_drops_keeps_its_reasons():
    dialogue = first(cast=Cast(keep=lambda _: False))
    assert dialogue.outcome == "dropped"
    assert dialogue.review.reasons == ("the results do not fit",)


def test_a_query_like_an_earlier_one_is_a_duplicate():
    said = json.dumps({"utterances": ["Two at lock A, Brest?"]})
    cast = Cast({"query": [said] * 4})
    one, other = write(pipeline(cast, attempts=3), 2)
    assert one.outcome == "kept"
    assert other.outcome == "duplicate"
    assert other.rejections[-1].reason.startswith("this is too close to an earlier query: Two at lock A")


def test_dialogues_of_one_domain_share_its_apis_and_ask_for_no_others():
    cast = Cast()
    one, other, third = write(pipeline(cast, per_domain=2), 3)
    assert one.domain == other.domain
    assert one.pool == other.pool
    assert other.usage.calls == 3
    assert third.domain != one.domain


def test_a_domain_that_is_taken_is_refused():
    taken = json.dumps({"domains": ["Harbours  OF birch"]})
    cast = Cast()
    made = pipeline(cast, per_domain=1)
    one = drive(made.dialogue(0, []))
    again = Pipeline(Cast({"domain": [taken] * 3}).authors(), settings=Settings(per_domain=1))
    other = drive(again.dialogue(1, [one]))
    assert other.outcome == "failed"
    assert other.rejections[0].reason == "all of these domains are taken: Harbours  OF birch"


def test_abilities_are_drawn_by_the_seed():
    drawn = [one.ability for one in write(pipeline(), 30)]
    assert drawn == [one.ability for one in write(pipeline(), 30)]
    assert set(drawn) == set(Ability)
    assert drawn != [one.ability for one in write(pipeline(seed=1), 30)]


def test_real_descriptions_reach_the_api_maker():
    from tests.experiments.synthesis.replies import APIS

    cast = Cast()
    model = cast.model("api")
    made = Pipeline(cast.authors() | {"api": ModelAuthor(model)}, samples=tuple(APIS.values()))
    drive(made.dialogue(0, []))
    assert '"BookFerry"' in model.requests[0].messages[0]["content"]


def test_a_single_agent_writes_everything_and_the_tester_looks_at_it():
    whole = {
        "domain": "sea",
        "apis": [TIDES],
        "utterances": ["When is high water in Brest?"],
        "turns": [{"calls": [search("TideTable"), USES["TideTable"]], "reply": "At 06:10."}],
    }
    authors = {
        "single": ModelAuthor(ScriptedModel([json.dumps({**whole, "apis": [FERRY]}), json.dumps(whole)])),
        "tester": ModelAuthor(Cast().model("tester")),
    }
    made = Pipeline(authors, method="single", settings=Settings((Ability.RETRIEVE,)))
    dialogue = drive(made.dialogue(0, []))
    assert dialogue.outcome == "kept"
    assert dialogue.usage.calls == 3
    assert dialogue.rejections[0].reason.startswith("a search must find one of BookFerry, got 'TideTable'")


def test_a_model_that_cannot_be_reached_says_what_the_dialogue_has_cost():
    broken = ModelAuthor(ScriptedModel([ModelError("no answer", kind="timeout")]))
    made = Pipeline(Cast().authors() | {"caller": broken})
    with pytest.raises(InfrastructureError, match=r"^no answer$") as caught:
        drive(made.dialogue(0, []))
    assert caught.value.stage == "synthesis"
    assert caught.value.usage.calls == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "mult"}, r"no method 'mult'; there is multi, single\. Did you mean 'multi'\?"),
        ({"authors": {}}, r"no author plays domain, api, query, caller, tester; give one for each role"),
    ],
)
def test_a_wrong_setting_is_named(arguments, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        Pipeline(**{"authors": Cast().authors(), **arguments})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"abilities": ()}, "abilities must name at least one of call, retrieve, plan"),
        ({"attempts": 0}, "attempts must be from 1 to 100, got 0"),
        ({"most_turns": 9}, "most_turns must be from 1 to 8, got 9"),
    ],
)
def test_a_setting_out_of_range_is_named(settings, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        Settings(**settings)


# -- without a model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["multi", "single"])
def test_the_sandbox_plays_every_role(method: str):
    dialogues = write(Pipeline.offline(3, method=method), 15)
    kept = [one for one in dialogues if one.outcome == "kept"]
    assert len(kept) >= 12
    assert {one.ability for one in kept} == set(Ability)
    for one in kept:
        searches = [call for call in one.calls if call.is_search]
        assert len(searches) == (len(one.apis) if one.ability.searches else 0)
        assert {api.name for api in one.apis} == {call.name for call in one.calls} - {"ToolSearcher"}


def test_the_sandbox_writes_the_same_again():
    assert write(Pipeline.offline(5), 4) == write(Pipeline.offline(5), 4)


def test_the_sandbox_drops_a_reply_that_misses_the_facts():
    from dataclasses import replace

    from stb_env.experiments.synthesis.sandbox_author import SandboxAuthor

    made = Pipeline.offline(0)
    dialogue = drive(made.dialogue(0, []))
    scene = made._opening(0, [])
    scene = replace(
        scene.with_pool(dialogue.pool),
        utterances=(dialogue.query,),
        turns=(replace(dialogue.turns[0], reply="I do not know."),),
    )
    tester = made.roles[-1]
    verdict = tester.read(scene, drive(SandboxAuthor().write(tester, scene, ())).text).review
    assert not verdict.keep
    assert verdict.reasons[0].startswith("the reply is not the task's answer")
