"""Names, tools, calls and results."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env import tools
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.api_entry import original_name, server_names
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tools import Status, Tool, ToolCatalog, ToolId, ToolResult, unique_names
from tests.shared import golden_cases, queries

OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
texts = st.text(max_size=40)
ids = st.builds(ToolId.of, texts, texts, texts)


def golden_name(case: dict) -> object:
    given_ = case["input"]
    match case["fn"]:
        case "standardize":
            return tools.standardize(given_)
        case "pure_name":
            return tools.pure_name(given_)
        case "change_name":
            return tools.escape_reserved(given_)
        case "standardize_category":
            return tools.standardize_category(given_)
        case "function_name":
            api, tool = given_["api_name"], given_["tool_name"]
            return {
                "pure_api_name": tools.pure_name(api),
                "untruncated": f"{tools.pure_name(api)}_for_{tools.standardize(tool)}",
                "function_name": original_name(api, tool),
            }
        case "server_names":
            names = server_names(given_["category"], given_["tool_name"], given_["api_name"])
            return {
                "cache_tool_dir": names.tool_folder,
                "standard_category": names.category,
                "api_name": names.api,
            }
    raise AssertionError(f"a kind of name that this test does not know: {case['fn']}")


def test_golden_names_are_standardised_as_in_the_original(shared_data: Path):
    cases = golden_cases(shared_data, "*.json", "fn", "input", "output")
    wrong = [case["id"] for case in cases if golden_name(case) != case["output"]]
    assert cases
    assert wrong == []


def test_default_names_are_injective_over_all_real_apis(shared_data: Path):
    catalog = load(queries(shared_data)).tasks.catalog
    names = {tool.id: tool.name for tool in catalog}
    assert len(set(names.values())) == len(names) > 0
    assert all(OPENAI_NAME.fullmatch(name) for name in names.values())


@given(st.lists(ids, max_size=20))
def test_default_names_are_injective_and_valid_over_any_apis(identities: list[ToolId]):
    names = unique_names(identities)
    assert len(set(names.values())) == len(set(identities))
    assert all(OPENAI_NAME.fullmatch(name) for name in names.values())


@given(st.lists(ids, max_size=8), st.randoms(use_true_random=False))
def test_default_names_do_not_depend_on_order(identities: list[ToolId], random):
    shuffled = list(identities)
    random.shuffle(shuffled)
    assert unique_names(shuffled) == unique_names(identities)


def test_a_short_unambiguous_name_is_kept_as_the_original_writes_it():
    identity = ToolId.of("Data", "TheClique", "Songkick concert")
    assert unique_names([identity])[identity] == original_name("Songkick concert", "TheClique")


@given(texts)
def test_standardising_twice_changes_nothing_more(name: str):
    once = tools.standardize(name)
    assert tools.standardize(once) == once


@pytest.mark.parametrize(
    "name", ["", "send ping", "ping!", "ping\n", "net.ping", "päng", "天气", "a^b", "p" * 65, "\ud800"]
)
def test_a_name_that_models_cannot_call_is_refused(name: str):
    message = rf"^a tool's name is 1 to 64 of \[a-zA-Z0-9_-\], got {re.escape(repr(name))}; rename it$"
    with pytest.raises(DataError, match=message):
        Tool(name, "", {})


@pytest.mark.parametrize("name", ["p", "Ping-1_b", "-", "p" * 64])
def test_a_legal_name_is_taken(name: str):
    assert Tool(name, "", {}).name == name


def test_a_name_that_another_program_gave_is_taken_as_it_is():
    assert "天气" in Tool("天气", "", {}, checked=False).spec


def test_an_identity_follows_from_the_name_where_none_is_given():
    assert Tool("ping", "", {}).id == ToolId.named("ping")
    assert Tool("ping", "", {}, ToolId("a", "b", "c")).id == ToolId("a", "b", "c")


@pytest.mark.parametrize("identity", [tools.NO_ID, ToolId("a", "b", "c")])
def test_a_renamed_tool_keeps_its_identity(identity: ToolId):
    tool = Tool("ping", "", {}, identity)
    assert tool.renamed("pong").id == tool.id


def test_a_renamed_tool_needs_a_legal_name_too():
    with pytest.raises(DataError, match=r"^a tool's name is 1 to 64 of .*, got 'po ng'; rename it$"):
        Tool("ping", "", {}).renamed("po ng")


def test_a_tool_survives_pickling_with_its_spec():
    tool = Tool("ping", "Answers.", {"type": "object", "properties": {}}, ToolId("a", "b", "c"))
    copy = pickle.loads(pickle.dumps(tool))
    assert (copy, copy.spec) == (tool, tool.spec)


def test_a_result_hands_out_a_new_response_each_time():
    result = ToolResult.of({"list": [1]}, source="cache")
    result.response["list"].append(2)
    assert result.response == {"list": [1]}


def test_an_error_makes_the_status_a_tool_error():
    assert ToolResult.of("", error="no such id", source="world").status is Status.TOOL_ERROR


def test_the_catalog_finds_a_tool_by_exact_name_only():
    catalog = ToolCatalog([Tool("add_numbers", "", {}), Tool("numbers", "", {})])
    found = catalog.get("numbers")
    assert found is not None
    assert found.name == "numbers"
    assert catalog.get("umbers") is None


def test_the_catalog_refuses_two_apis_of_one_name():
    one, other = Tool("get", "", {}, ToolId("a", "b", "c")), Tool("get", "", {}, ToolId("x", "b", "c"))
    with pytest.raises(DataError, match=r"two APIs are named 'get': .*; use unique_names"):
        ToolCatalog([one, other])


SHARED = ToolId("a", "b", "c")
CLASHES = [
    (
        [Tool("get", "", {}, SHARED), Tool("fetch", "", {}, SHARED)],
        "tools 'get' and 'fetch' share ToolId(category='a', tool='b', api='c'), and with it their recorded "
        "responses; give each its own identity",
    ),
    (
        [Tool("get", "", {}), Tool("get", "", {"type": "object"})],
        "two tools named 'get' differ and share ToolId(category='no category', tool='', api='get'); "
        "give each its own name and identity",
    ),
    (
        [Tool("get", "", {}), Tool("get", "", {}, SHARED)],
        "two APIs are named 'get': ToolId(category='no category', tool='', api='get') and "
        "ToolId(category='a', tool='b', api='c'); use unique_names",
    ),
    (
        [Tool("get", "", {}), Tool("Finish", "", {})],
        "a tool is named 'Finish', which ends every episode; give it another name",
    ),
]


@pytest.mark.parametrize(("clashing", "message"), CLASHES)
def test_the_catalog_refuses_what_it_could_not_tell_apart(clashing: list[Tool], message: str):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        ToolCatalog(clashing)


def test_the_catalog_takes_a_tool_that_occurs_again_once():
    get = Tool("get", "One wording.", {})
    catalog = ToolCatalog([get, get, Tool("get", "Another wording.", {})])
    assert list(catalog) == [get]


def test_the_catalog_names_the_nearest_tool():
    assert ToolCatalog([Tool("forecast", "", {})]).nearest("forcast") == " Did you mean 'forecast'?"
