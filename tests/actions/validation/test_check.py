"""Checking calls against the schemas of their tools."""

from __future__ import annotations

import copy
import json
import pickle
import re
from types import MappingProxyType

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stb_env.actions import POSITIONAL, parse_action
from stb_env.actions.validation import Checked, Violation, check_call, validate_call
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.api_entry import original_name
from stb_env.tools import Tool, ToolCall, ToolId, pure_name

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "n": {"type": "integer"},
        "ratio": {"type": "number"},
        "exact": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["metric", "imperial"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "filters": {
            "type": "object",
            "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}},
            "required": ["low"],
        },
        "page": {"type": ["integer", "null"]},
        "size": {"type": "integer", "maximum": 9},
    },
    "required": ["city"],
}
TOOL = Tool("search", "Searches.", PARAMETERS)


def call(**arguments):
    return ToolCall("search", {"city": "Rome", **arguments})


def tool(properties, **rest):
    return Tool("search", "", {"type": "object", "properties": properties, **rest})


def test_a_call_that_fits_its_schema_has_no_violation():
    fitting = call(
        n=1, ratio=0.5, exact=True, unit="metric", tags=["a"], filters={"low": 1, "extra": 2}, page=None
    )
    assert validate_call(fitting, TOOL) == []
    assert check_call(fitting, TOOL) == Checked(fitting.arguments)


def test_the_arguments_of_a_valid_call_are_not_copied():
    fitting = call(n=1)
    assert check_call(fitting, TOOL).arguments is fitting.arguments


@pytest.mark.parametrize(
    ("arguments", "path", "kind", "message"),
    [
        ({}, "city", "required", "missing required parameter 'city' (string)"),
        (
            {"city": "a", "citty": "b"},
            "citty",
            "unknown",
            "unknown parameter 'citty'. Did you mean 'city'?",
        ),
        ({"city": "a", "zzzzzz": 1}, "zzzzzz", "unknown", "unknown parameter 'zzzzzz'."),
        ({"city": "a", "n": "five"}, "n", "type", "'n' must be an integer, got the text 'five'"),
        ({"city": "a", "n": 5.5}, "n", "type", "'n' must be an integer, got the number 5.5"),
        ({"city": "a", "exact": 1}, "exact", "type", "'exact' must be true or false, got the number 1"),
        ({"city": None}, "city", "type", "'city' must be a string, got null"),
        ({"city": ["a", "b"]}, "city", "type", "'city' must be a string, got an array of 2"),
        ({"city": "a", "page": {}}, "page", "type", "'page' must be an integer or null, got an object"),
        ({"city": "a", "tags": ["b", True]}, "tags[1]", "type", "'tags[1]' must be a string, got true"),
        (
            {"city": "a", "unit": "kelvin"},
            "unit",
            "enum",
            "'unit' must be one of \"metric\", \"imperial\", got the text 'kelvin'",
        ),
        (
            {"city": "a", "filters": {"high": 3}},
            "filters.low",
            "required",
            "missing required parameter 'filters.low' (integer)",
        ),
        ({"city": "a", "size": 12}, "size", "other", "'size' must be at most 9, got the number 12"),
        ("city: Rome", "", "not_object", "the arguments must be an object, got the text 'city: Rome'"),
    ],
)
def test_each_violation_says_what_to_do(arguments, path, kind, message):
    (violation,) = validate_call(ToolCall("search", arguments), TOOL)
    assert (violation.path, violation.kind, violation.message) == (path, kind, message)


def test_of_a_long_enumeration_as_much_is_listed_as_fits_and_the_rest_is_counted():
    tool = Tool("pick", "", {"properties": {"v": {"enum": [f"v{number}" for number in range(50_000)]}}})
    (violation,) = validate_call(ToolCall("pick", {"v": "V77"}), tool)
    assert len(violation.message) < 4_200
    assert violation.message.endswith(" more, got the text 'V77'. Did you mean 'v77'?")
    last, more = map(int, re.findall(r'"v(\d+)" and (\d+) more', violation.message)[0])
    assert last + 1 + more == 50_000


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"minimum": 1}, 0, "at least 1, got the number 0"),
        ({"exclusiveMinimum": 0.5}, 0.5, "more than 0.5, got the number 0.5"),
        ({"exclusiveMaximum": 9}, 9, "less than 9, got the number 9"),
        ({"multipleOf": 5}, 7, "a multiple of 5, got the number 7"),
        ({"minLength": 3}, "ab", "a text of at least 3 characters, got the text 'ab'"),
        ({"maxLength": 1}, "ab", "a text of at most 1 characters, got the text 'ab'"),
        ({"pattern": "^[0-9]+$"}, "ab", "a text that matches \"^[0-9]+$\", got the text 'ab'"),
        ({"minItems": 2}, [1], "an array of at least 2, got an array of 1"),
        ({"maxItems": 1}, [1, 2], "an array of at most 1, got an array of 2"),
        ({"uniqueItems": True}, [1, 1], "an array that repeats nothing, got an array of 2"),
        ({"const": "en"}, "fr", "\"en\", got the text 'fr'"),
        ({"anyOf": [{"minimum": 3}]}, 1, 'what anyOf [{"minimum": 3}] allows, got the number 1'),
    ],
)
def test_a_violation_is_told_in_words_of_our_own(schema, value, expected):
    (violation,) = validate_call(ToolCall("search", {"x": value}), tool({"x": schema}))
    assert (violation.message, violation.kind) == (f"'x' must be {expected}", "other")


def test_a_value_that_is_never_allowed_is_a_violation():
    (violation,) = validate_call(ToolCall("search", {"x": 1}), tool({"x": False}))
    assert violation.message.endswith("must be what the schema allows, got the number 1")


def test_every_violation_of_a_call_is_reported():
    kinds = [
        violation.kind for violation in validate_call(ToolCall("search", {"n": "x", "m": 1, "o": 2}), TOOL)
    ]
    assert sorted(kinds) == ["required", "type", "unknown", "unknown"]


def test_a_violation_is_plain_data_as_a_dictionary():
    violation = Violation("n", "an integer", "null", "'n' must be an integer, got null", "type")
    assert json.loads(json.dumps(violation.to_dict())) == {
        "path": "n",
        "expected": "an integer",
        "got": "null",
        "message": "'n' must be an integer, got null",
        "kind": "type",
    }


def test_reports_are_bounded_however_wrong_the_call():
    wrong = ToolCall(
        "search", {"city": "a", "tags": [1] * 5_000} | {f"x{i}": "y" * 5_000 for i in range(500)}
    )
    violations = validate_call(wrong, TOOL)
    assert 0 < len(violations) <= 20
    assert all(len(violation.message) < 1_000 for violation in violations)


def test_unknown_parameters_pass_only_where_the_schema_says_so():
    extra = ToolCall("search", {"extra": 1})
    assert validate_call(extra, tool({}, additionalProperties=True)) == []
    assert validate_call(extra, tool({}, additionalProperties={"type": "integer"})) == []
    assert validate_call(extra, tool({}, patternProperties={"^ex": {"type": "integer"}})) == []
    assert [violation.kind for violation in validate_call(extra, tool({}))] == ["unknown"]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_raw_text_counts_as_no_arguments(blank):
    assert check_call(ToolCall("search", blank), tool({"n": {"type": "integer"}})).arguments == {}
    assert [violation.kind for violation in check_call(ToolCall("search", blank), TOOL).violations] == [
        "required"
    ]


def test_raw_text_stays_raw_text_in_the_outcome():
    checked = check_call(ToolCall("search", "city = Rome"), TOOL)
    assert checked.arguments == "city = Rome"
    assert [violation.kind for violation in checked.violations] == ["not_object"]


@pytest.mark.parametrize(
    ("written", "kind", "coerced"),
    [
        ("5", "integer", 5),
        ("-5", "integer", -5),
        ("5.0", "integer", 5),
        (5.0, "integer", 5),
        ("5", "number", 5),
        ("1.5", "number", 1.5),
        ("1e3", "number", 1000.0),
        (5, "string", "5"),
        (1.5, "string", "1.5"),
        (True, "string", "true"),
        ("true", "boolean", True),
        ("FALSE", "boolean", False),
        ('["a", 1]', "array", ["a", 1]),
        ('{"a": 1}', "object", {"a": 1}),
        ("5", ["null", "integer"], 5),
        (5.5, ["integer", "string"], "5.5"),
    ],
)
def test_a_value_whose_meaning_is_certain_is_coerced_and_recorded(written, kind, coerced):
    checked = check_call(ToolCall("search", {"x": written}), tool({"x": {"type": kind}}))
    assert checked.arguments == {"x": coerced}
    assert type(checked.arguments["x"]) is type(coerced)
    assert checked.violations == ()
    assert [(coercion.path, coercion.kind) for coercion in checked.coercions] == [("x", "coerced")]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("5.5", "integer"),
        (5.5, "integer"),
        ("05", "integer"),
        ("1e3", "integer"),
        ("", "integer"),
        (" 5", "integer"),
        ("٥", "integer"),
        (True, "integer"),
        (None, "integer"),
        ("", "number"),
        ("five", "number"),
        ("NaN", "number"),
        ("1e999", "number"),
        ("0.12345678901234567890123", "number"),
        (False, "number"),
        (None, "string"),
        (["a"], "string"),
        ("yes", "boolean"),
        (1, "boolean"),
        ("1", "boolean"),
        ("a, b", "array"),
        ('{"a": 1}', "array"),
        ("[" * 100_000, "array"),
        ("[]", "object"),
        ("null", "null"),
    ],
)
def test_a_value_whose_meaning_would_change_is_left_alone(written, kind):
    checked = check_call(ToolCall("search", {"x": written}), tool({"x": {"type": kind}}))
    assert checked.arguments == {"x": written}
    assert checked.coercions == ()
    assert [violation.kind for violation in checked.violations] == ["type"]


def test_a_coercion_says_what_was_read_as_what():
    (coercion,) = check_call(call(n="5"), TOOL).coercions
    assert coercion.message == "'n' must be an integer; the text '5' was read as the number 5"


def test_coercion_reaches_into_arrays_and_objects():
    checked = check_call(call(tags='[1, "b"]', filters={"low": "3"}), TOOL)
    assert checked.arguments == {"city": "Rome", "tags": ["1", "b"], "filters": {"low": 3}}
    assert [coercion.path for coercion in checked.coercions] == ["tags", "tags[0]", "filters.low"]


def test_what_coercion_cannot_mend_is_reported_beside_what_it_mended():
    checked = check_call(ToolCall("search", {"n": "5", "citty": "Rome"}), TOOL)
    assert checked.arguments["n"] == 5
    assert sorted(violation.kind for violation in checked.violations) == ["required", "unknown"]
    assert [coercion.path for coercion in checked.coercions] == ["n"]


def test_checking_leaves_the_call_as_it_was():
    written = call(n="5", filters={"low": "3"}, tags='["a"]')
    before = copy.deepcopy(written)
    check_call(written, TOOL)
    assert written == before


def test_positional_arguments_take_the_names_of_the_schema_in_order():
    (program,) = parse_action('API.search("Rome", "5", exact=True)').calls
    checked = check_call(program, TOOL)
    assert checked.arguments == {"city": "Rome", "n": 5, "exact": True}
    assert [coercion.path for coercion in checked.coercions] == [POSITIONAL, "n"]


@pytest.mark.parametrize("arguments", [{POSITIONAL: ["a", "b"]}, {POSITIONAL: ["a"], "city": "b"}])
def test_positional_arguments_that_do_not_fit_are_a_violation(arguments):
    (violation,) = check_call(ToolCall("search", arguments), tool({"city": {"type": "string"}})).violations
    assert violation.message == "arguments without a name do not fit the parameters (city); name each of them"


def test_arguments_of_any_mapping_type_are_checked():
    arguments = MappingProxyType({"city": "Rome", "n": "5"})
    assert check_call(ToolCall("search", arguments), TOOL).arguments == {"city": "Rome", "n": 5}


def test_a_key_with_a_lone_surrogate_is_an_unknown_parameter():
    checked = check_call(ToolCall("search", {"city": "\ud800", "\ud800": 1}), TOOL)
    assert [violation.kind for violation in checked.violations] == ["unknown"]


def test_local_references_are_followed():
    referring = tool(
        {"x": {"$ref": "#/$defs/positive"}}, **{"$defs": {"positive": {"type": "integer", "minimum": 1}}}
    )
    assert validate_call(ToolCall("search", {"x": 1}), referring) == []
    assert [violation.kind for violation in validate_call(ToolCall("search", {"x": 0}), referring)] == [
        "other"
    ]


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"required": "city"}, '"city" is not of type "array"'),
        ({"properties": {"x": {"type": "text"}}}, '"text" is not valid under any of the schemas'),
        ({"properties": {"x": {"$ref": "#/$defs/none"}}}, "Pointer '/$defs/none' does not exist"),
        ({"properties": {"x": {"$ref": "https://example.invalid/x.json"}}}, "leads outside of the schema"),
        ({"properties": {"x": {"pattern": "("}}}, '"(" is not a "regex"'),
    ],
)
def test_a_broken_schema_is_an_error_that_names_the_tool(parameters, problem):
    broken = Tool("broken_tool", "", parameters)
    with pytest.raises(
        DataError, match=f"^tool 'broken_tool' has a broken schema: .*{re.escape(problem)}.*; correct it$"
    ):
        check_call(ToolCall("broken_tool", {}), broken)


def test_a_tool_that_was_checked_can_still_be_pickled():
    check_call(call(n=1), TOOL)
    restored = pickle.loads(pickle.dumps(TOOL))
    assert check_call(call(n="1"), restored).arguments == {"city": "Rome", "n": 1}


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["", "a", "5", "5.0", "true", "[1]", '{"a": 1}']) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
SIMPLE = st.sampled_from(["string", "integer", "number", "boolean", "array", "object"]).map(
    lambda name: {"type": name}
)
ENUMS = st.lists(st.sampled_from(["", "a", "5"]), min_size=1, unique=True).map(
    lambda options: {"type": "string", "enum": options}
)


def objects(members):
    properties = st.dictionaries(st.sampled_from("abc"), members, max_size=3)
    required = st.lists(st.sampled_from("abc"), unique=True, max_size=2)
    return st.builds(lambda p, r: {"type": "object", "properties": p, "required": r}, properties, required)


SCHEMAS = st.recursive(
    SIMPLE | ENUMS,
    lambda inner: objects(inner) | inner.map(lambda items: {"type": "array", "items": items}),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def reference_validator(tool_):
    return jsonschema.Draft202012Validator(tool_.parameters | {"additionalProperties": False})


@given(objects(SCHEMAS), ARGUMENTS)
def test_both_validators_agree_on_what_is_valid(parameters, arguments):
    tested = Tool("search", "", parameters)
    violations = validate_call(ToolCall("search", arguments), tested)
    assert (violations == []) == reference_validator(tested).is_valid(arguments)
    assert all(violation.kind not in ("coerced", "not_object") for violation in violations)


@given(objects(SCHEMAS), ARGUMENTS)
def test_coercion_never_breaks_a_call_and_happens_once(parameters, arguments):
    tested = Tool("search", "", parameters)
    checked = check_call(ToolCall("search", arguments), tested)
    again = check_call(ToolCall("search", checked.arguments), tested)
    assert again.coercions == ()
    assert again.arguments == checked.arguments
    if reference_validator(tested).is_valid(arguments):
        assert checked.violations == ()
        assert checked.arguments == arguments


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_the_way_through_its_text(number):
    assume(len(str(number)) < 250)
    as_text = check_call(ToolCall("search", {"x": number}), tool({"x": {"type": "string"}})).arguments
    assert check_call(ToolCall("search", as_text), tool({"x": {"type": "number"}})).arguments == {"x": number}


TYPES = {"NUMBER": "number", "STRING": "string", "BOOLEAN": "boolean"}
SAMPLES = {"number": 1.5, "string": "text", "boolean": True}


def real_tools(folder):
    for path in sorted(folder.glob("*.json")):
        for query in json.loads(path.read_text()):
            for api in query["api_list"]:
                required, optional = api["required_parameters"], api["optional_parameters"]
                properties = {
                    pure_name(entry["name"]): {"type": TYPES.get(entry["type"], "string")}
                    for entry in required + optional
                }
                names = list(dict.fromkeys(pure_name(entry["name"]) for entry in required))
                identity = ToolId.of(api["category_name"], api["tool_name"], api["api_name"])
                name = original_name(api["api_name"], api["tool_name"])
                yield Tool(
                    name, "", {"type": "object", "properties": properties, "required": names}, identity
                )


def test_real_tools_accept_fitting_calls_and_their_texts_and_name_what_is_missing(shared_data):
    folder = shared_data / "stabletoolbench" / "solvable_queries" / "test_instruction"
    tools = {real.spec: real for real in real_tools(folder)}
    if not tools:
        pytest.skip(f"no queries at {folder}")
    for real in tools.values():
        fitting = {name: SAMPLES[schema["type"]] for name, schema in real.parameters["properties"].items()}
        assert check_call(ToolCall(real.name, fitting), real).violations == ()
        texts = {name: str(value) for name, value in fitting.items()}
        assert check_call(ToolCall(real.name, texts), real).arguments == fitting
        missing = [violation.path for violation in check_call(ToolCall(real.name, {}), real).violations]
        assert missing == real.parameters["required"][:20]
