"""The sets of APIs, and the APIs as agents see them."""

from __future__ import annotations

from collections import Counter

import pytest
from jsonschema import Draft202012Validator

from stb_env.errors import ConfigError, DataError
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.definition import Domain
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import Tool
from tests.suites.api_bank.play import LEVEL_3_WORLD, WORLD, play

ALL = [*LEVEL_12.apis.values(), *LEVEL_3.apis.values()]
TOOLS = [*LEVEL_12.tools.values(), *LEVEL_3.tools.values()]


def test_there_are_53_and_22_apis_of_71_names():
    assert (len(LEVEL_12.apis), len(LEVEL_3.apis)) == (53, 22)
    assert len({*LEVEL_12.apis, *LEVEL_3.apis}) == 71
    assert {*LEVEL_12.apis} & {*LEVEL_3.apis} == {"ToolSearcher", "Calculator", "AddMeeting", "QueryMeeting"}


def test_the_domains_have_as_many_apis_as_the_papers_table_8():
    counted = [api for api in LEVEL_12.apis.values() if api.name != "CheckToken"]
    counted += [api for api in LEVEL_3.apis.values() if api.name != "ToolSearcher"]
    folded = {"Entertainment": "Others", "Travel": "Others", "Tool Search": "Others"}
    assert Counter(folded.get(api.domain, api.domain) for api in counted) == {
        "Account Management": 7,
        "Information Query and Processing": 22,
        "Health Management": 8,
        "Schedule Management": 19,
        "Smart Home Control": 6,
        "Finance Management": 6,
        "Others": 5,
    }


def test_twenty_apis_need_a_token():
    needing = {api.name for api in LEVEL_12.apis.values() if "token" in api.by_name}
    families = {
        f"{verb}{what}"
        for verb in ("Add", "Delete", "Modify", "Query")
        for what in ("Agenda", "Alarm", "Meeting", "Reminder")
    }
    assert needing == families | {"DeleteAccount", "ModifyPassword", "QueryBalance", "CheckToken"}
    assert not any("token" in api.by_name for api in LEVEL_3.apis.values())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: f"{tool.id.tool}-{tool.name}")
def test_a_tool_has_a_valid_schema_and_says_what_everything_means(tool):
    Draft202012Validator.check_schema(tool.parameters)
    assert tool.description
    assert all(each["description"] for each in tool.parameters["properties"].values())
    assert list(tool.record) == ["name", "description", "input_parameters", "output_parameters"]
    assert len(tool.name) <= 64


def test_no_two_tools_share_an_identity():
    assert len({tool.id for tool in TOOLS}) == len(TOOLS) == len(ALL)


def test_optional_parameters_may_be_left_out():
    optional = {api.name: [each.name for each in api.parameters if each.optional] for api in ALL}
    assert {name: names for name, names in optional.items() if names} == {
        "ForgotPassword": ["username", "email", "verification_code", "new_password"],
        "Translate": ["src_lang", "tgt_lang"],
        "ModifyRegistration": ["new_appointment_date", "new_appointment_doctor"],
        "RecordHealthData": ["health_data"],
    }


def test_recorded_documentation_takes_the_place_of_ours():
    entry = LEVEL_12.apis["AddAlarm"].entry | {"description": "Rings."}
    entry["input_parameters"]["time"]["description"] = "When."
    call = GoldCall("ToolSearcher", {}, {"output": [LEVEL_12.apis["GetUserToken"].entry, entry]})
    described = LEVEL_12.described([call, GoldCall("GetToday", {}, {"output": "x"})])
    assert described.apis["AddAlarm"].entry == entry
    assert described.tools["AddAlarm"].parameters["properties"]["time"]["description"] == "When."
    assert described.apis["GetToday"] is LEVEL_12.apis["GetToday"]


def test_documentation_of_other_parameters_is_left_alone():
    entry = LEVEL_12.apis["AddAlarm"].entry | {"input_parameters": {}}
    assert LEVEL_12.described([GoldCall("ToolSearcher", {}, {"output": entry})]).apis == LEVEL_12.apis


def test_a_search_is_what_the_world_was_given():
    world = ApiBankWorld(searcher=lambda keywords: {"name": keywords})
    assert play(("ToolSearcher", {"keywords": "alarm"}), world=world).response == {"name": "alarm"}
    with pytest.raises(ConfigError, match=r"^this world has nothing that searches tools; give it one"):
        play(("ToolSearcher", {"keywords": "alarm"}))


def test_a_world_refuses_foreign_tools_and_unknown_settings():
    with pytest.raises(
        DataError, match=r"^'AddAlarms' is no tool of API-Bank; .* Did you mean 'AddAlarm'\?$"
    ):
        WORLD.call(WORLD.fresh(), Tool("AddAlarms", "", {}), {})
    with pytest.raises(DataError, match=r"is no tool of API-Bank level 3; take tools from its tasks\.$"):
        LEVEL_3_WORLD.call(LEVEL_3_WORLD.fresh(), WORLD.tools["PlayMusic"], {})
    with pytest.raises(ConfigError, match=r"^compat must be 'original' or None, got 'old'$"):
        ApiBankWorld(compat="old")


def test_an_api_needs_a_docstring():
    with pytest.raises(ConfigError, match=r"^X has no docstring; it is the API's description$"):
        Domain("d").api("X")(lambda state: "x")


def test_the_fingerprint_tells_worlds_apart():
    prints = [WORLD.fingerprint, LEVEL_3_WORLD.fingerprint, ApiBankWorld(compat="original").fingerprint]
    assert all(prints[a] != prints[b] for a, b in [(0, 1), (0, 2), (1, 2)])
    assert ApiBankWorld().fingerprint == WORLD.fingerprint
