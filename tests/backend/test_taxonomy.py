"""Appendix D classes, and the check of real answers in its three readings."""

import json
import re

import pytest

from stb_env.backend.taxonomy import ApiClass, accept_real, classify, matches
from stb_env.errors import ConfigError
from tests.shared import golden_cases as golden_cases_of

DIFFERENCES = {
    '"15000 items"': "500 inside a larger number is no status",
    '"price 4010"': "401 inside a larger number is no status",
    '"zip 40310"': "403 inside a larger number is no status",
    '{"id": 40312}': "403 inside a larger number is no status",
    "500": "a bare number is data",
    '"status_code=50"': "50 is no status",
    '"authorized user"': "only not being authorised is a failure",
    '"authenticate"': "a word that announces no failure",
    '"unsubscribe"': "a word that announces no failure",
    '"blocked"': "a word that announces no failure",
    '"credential"': "a word that announces no failure",
    '"parse"': "a word that announces no failure",
    '"sparse"': "parse inside another word",
    '{"text": "a parameterised story"}': "parameter inside another word, in the data",
    '"timeout"': "the one-word spelling of time out",
    '"doesn\'t exist"': "the short form of does not exist",
    '"API doesn\'t exists"': "also outside of a message object",
    '"internal server error"': "the usual spelling of internal error",
    '"service not found"': "whatever the case of its letters",
    '"access_denied"': "whatever the case of its letters",
    '"not found"': "a failure that the original does not look for",
    '"You are not subscribed to this API."': "a failure that the original does not look for",
    '"Too many requests"': "a failure that the original does not look for",
    '"null"': "nothing was answered",
    "null": "nothing was answered",
}
"""Responses without an error on which the default reading differs, with the reason."""

MAY_DIFFER = re.compile(
    # A status inside a larger number, and numbers that are data or no status.
    r"\d[45]0\d|[45]0\d\d|^-?\d+$|=\d\d\b|"
    # Words that announce no failure by themselves.
    r"authori|authenti|subscri|block|credential|parse|paramet|"
    # Spellings and failures that the original does not look for, and an answer of nothing.
    r"time-?out|n[o']t exist|server error|not found|denied|too many requests|^\"?null\"?$",
    re.IGNORECASE,
)
"""What is in every response, as JSON, on which the two readings differ (spec stabletoolbench 3)."""

ERROR_DIFFERENCES = {
    '"x"': "an application error is an answer: kept",
    "null": "an error of null is no error",
}


def golden_cases(folder):
    return golden_cases_of(folder, "server/*.json", "value", "accepted")


def test_golden_result_checks_of_the_original_and_of_its_mirrorapi_copy(shared_data):
    for case in golden_cases(shared_data):
        assert accept_real(case["value"], taxonomy="paper") is case["accepted"], case
        assert accept_real(case["value"], taxonomy="mirrorapi") is case["accepted_mirrorapi_copy"], case


def test_golden_result_checks_differ_in_the_default_reading_only_where_a_reason_is_stated(shared_data):
    for case in golden_cases(shared_data):
        value = case["value"]
        if "error" not in value or "response" not in value:
            assert not accept_real(value), case
        elif value["error"] == "" and not MAY_DIFFER.search(json.dumps(value["response"])):
            assert accept_real(value) is case["accepted"], case
        elif value["error"] != "":
            # An application error is an answer, and the original takes none.
            assert accept_real(value) or not case["accepted"], case


@pytest.mark.parametrize("response", DIFFERENCES)
def test_every_stated_difference_is_within_the_rule(response):
    assert MAY_DIFFER.search(response)


@pytest.mark.parametrize("response", list(DIFFERENCES))
def test_every_stated_difference_exists(response):
    value = {"error": "", "response": json.loads(response)}
    assert accept_real(value) != accept_real(value, taxonomy="paper")


@pytest.mark.parametrize("error", list(ERROR_DIFFERENCES))
def test_every_stated_difference_of_errors_exists(error):
    value = {"error": json.loads(error), "response": "ok"}
    assert accept_real(value)
    assert not accept_real(value, taxonomy="paper")


@pytest.mark.parametrize(
    ("error", "response", "default", "paper"),
    [
        ("", "fine", "success", "success"),
        ("", {"items": [1, 2]}, "success", "success"),
        ("no such city", "", "other_error", "other_error"),
        ("Function executing from x error", "connection", "parsing_error", "parsing_error"),
        ("Message error...", "Function executing from x", "other_error", "other_error"),
        ("HTTP 500 from upstream", "", "not_found", "not_connected"),
        ("", "Rate limit exceeded", "not_connected", "not_connected"),
        ("", {"message": "Too many requests"}, "not_connected", "success"),
        ("", "{'message': 'You are not subscribed to this API.'}", "not_authorised", "success"),
        ("", '{"message": "API doesn\'t exists"}', "not_found", "not_found"),
        ("", {"message": "This page is not available"}, "not_found", "not_found"),
        ("", {"status": 404}, "not_found", "not_found"),
        ("", {"statusCode": 503, "body": ""}, "not_connected", "success"),
        ("", {"status_code": 401}, "not_authorised", "not_authorised"),
        ("", {"error": {"message": "Missing required parameter: q"}}, "parameter_change", "parameter_change"),
        ("", "name 'x' is not defined", "parameter_change", "parameter_change"),
        ("Unauthorized error...", "", "not_authorised", "not_authorised"),
        ("", {"title": "ACCESS_DENIED"}, "not_authorised", "not_authorised"),
        ("", "<html><head><title>404 Not Found</title></head>" + "x" * 500, "not_found", "not_found"),
        ("", {"story": "the file was not found, the connection timed out"}, "success", "not_connected"),
        ("", {"population": 404, "room": "401"}, "success", "not_found"),
        (
            "",
            "It tells of a parameter, a credential and 403 other things. " * 10,
            "success",
            "parameter_change",
        ),
        ("", {"status": True, "code": [404]}, "success", "not_found"),
        ("", None, "success", "success"),
    ],
)
def test_answers_fall_into_the_classes_of_appendix_d(error, response, default, paper):
    assert classify(error, response).value == default
    assert classify(error, response, taxonomy="paper").value == paper


@pytest.mark.parametrize(
    "wrapped", [lambda text: text, lambda text: {"message": text}, lambda text: {"error": {"reason": text}}]
)
@pytest.mark.parametrize(("length", "found"), [(300, "not_found"), (301, "success")])
def test_only_a_text_of_up_to_300_characters_announces_a_failure(wrapped, length, found):
    text = "page not found; ".ljust(length, "x")
    assert classify("", wrapped(text)).value == found


@pytest.mark.parametrize(("before", "found"), [(1_900, "not_connected"), (2_000, "other_error")])
def test_only_the_first_2000_characters_of_an_error_are_read(before, found):
    assert classify("x" * before + " connection refused", "").value == found


@pytest.mark.parametrize("taxonomy", ["default", "paper"])
def test_a_text_of_several_classes_takes_the_first_and_names_all(taxonomy):
    error = "Function executing from x: connection refused, page not found, not authorized"
    found = matches(error, "Connection refused", taxonomy=taxonomy)
    assert found[0] is ApiClass.PARSING_ERROR is classify(error, "", taxonomy=taxonomy)
    assert {ApiClass.NOT_CONNECTED, ApiClass.NOT_FOUND, ApiClass.NOT_AUTHORISED} <= set(found)
    assert matches("", "fine", taxonomy=taxonomy) == (ApiClass.SUCCESS,)
    assert matches("x", "fine", taxonomy=taxonomy) == (ApiClass.OTHER_ERROR,)


def test_only_successes_and_other_errors_are_kept():
    assert [each for each in ApiClass if each.kept] == [ApiClass.OTHER_ERROR, ApiClass.SUCCESS]


@pytest.mark.parametrize("value", [None, [], "text", 5, {}, {"error": ""}, {"response": "x"}])
@pytest.mark.parametrize("taxonomy", ["default", "paper", "mirrorapi"])
def test_what_is_no_answer_is_never_accepted(value, taxonomy):
    assert not accept_real(value, taxonomy=taxonomy)


def test_a_wrong_argument_that_the_api_complains_about_is_an_answer():
    value = {"error": "", "response": "f() got an unexpected keyword argument 'x', 404"}
    assert all(accept_real(value, taxonomy=taxonomy) for taxonomy in ("default", "paper", "mirrorapi"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: classify("", "", taxonomy="papr"),
            "no taxonomy 'papr'; expected one of default, paper. Did you mean 'paper'?",
        ),
        (
            lambda: accept_real({}, taxonomy="x"),
            "no taxonomy 'x'; expected one of default, paper, mirrorapi.",
        ),
    ],
)
def test_an_unknown_reading_is_a_config_error(call, message):
    with pytest.raises(ConfigError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "response", ["[" * 50_000, "{'a':" * 50_000, "not " * 50_000, "\ud800", {"message": ["\ud800", 1]}]
)
def test_no_response_makes_classification_fail_or_crawl(response):
    assert classify("x" * 100_000, response) is ApiClass.OTHER_ERROR


LONG = ", 'rows': '" + "x" * 400 + "'"


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("{'message': 'not found'" + LONG + "}", ApiClass.NOT_FOUND),
        ("{'message': 'not found'" + LONG + "}  # as Python wrote it", ApiClass.NOT_FOUND),
        (json.dumps({"message": "not found", "rows": "x" * 400}) + "\n", ApiClass.NOT_FOUND),
        ("{'message': 'not found'" + LONG, ApiClass.SUCCESS),
        ("[{'message': 'not found'" + LONG + "}]", ApiClass.SUCCESS),
        ("not found " + "x" * 400, ApiClass.SUCCESS),
        ("<html><title>404 Not Found</title>" + "x" * 400, ApiClass.NOT_FOUND),
        ("{'message': '<title>Not Found</title>'" + LONG, ApiClass.NOT_FOUND),
        ("[" + json.dumps("<title>Not Found</title>" + "x" * 400) + "]", ApiClass.SUCCESS),
        ("{'message': 'not found'", ApiClass.NOT_FOUND),
    ],
    ids=[
        "Python",
        "comment",
        "JSON",
        "cut",
        "list",
        "text",
        "page",
        "page in a cut object",
        "page in a list",
        "short",
    ],
)
def test_a_long_text_announces_a_failure_as_an_object_or_a_page(response, expected):
    assert classify("", response) is expected
