"""Any HTTP API by a template: where arguments go, and that none leaves its place."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.real_api import HTTPTemplate
from stb_env.core.request import adrive, drive
from stb_env.errors import ActionError, BackendError, ConfigError, DataError
from stb_env.tools import Status, Tool, ToolId
from tests.fakes.api_server import APIServer
from tests.fakes.openai_server import Answer

KEY = "http/secret+key=="
CAST = Tool("cast", "", {}, ToolId("Data", "films", "cast"))
TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "../",
        "..",
        ".",
        "@evil.example",
        "//evil.example",
        "\\\\evil",
        "?a=b",
        "#x",
        "%2e%2e",
        "a\r\nHost: b",
        "\ud800",
    ]
)


@pytest.fixture
def server(server: APIServer, monkeypatch: pytest.MonkeyPatch) -> APIServer:
    monkeypatch.setenv("FILM_KEY", KEY)
    server.default = Answer({"data": {"cast": ["A"]}})
    return server


@pytest.fixture
def api(server) -> Callable[..., HTTPTemplate]:
    def build(path: str = "/v1/{film}/cast", **template: Any) -> HTTPTemplate:
        given = {"url": server.url(path), **template}
        return HTTPTemplate(given, key_env="FILM_KEY", retries=0)

    return build


def test_a_tool_may_have_a_host_of_its_own(server, api):
    with APIServer().running() as other:
        other.default = Answer({"data": {"cast": ["B"]}})
        template = api("/{film}", response="/data/cast/0", hosts={"news": other.url("")})
        for tool in ("films", "news"):
            call = Tool("cast", "", {}, ToolId("Data", tool, "cast"))
            assert drive(template.request(call, {"film": "x"})).response == {"films": "A", "news": "B"}[tool]
        assert [len(one.requests) for one in (server, other)] == [1, 1]
        template.close()


def test_no_argument_leads_away_from_a_tools_own_host():
    template = HTTPTemplate({"url": "https://one.example/{path}", "hosts": {"films": "https://two.example"}})
    for path in ("@three.example", "//three.example", "a/../../b"):
        assert urlsplit(template.build({"path": path}, CAST.id).url).netloc == "two.example"


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        (["https://a.example"], r"^hosts of an HTTP template must be a table such as"),
        ({"Films DB": "https://a.example"}, r"^hosts names the tool 'Films DB'; .* name is 'films_db'$"),
        ({"films": "a.example"}, r"^the URL of the tool 'films' must be a URL such as"),
        ({"films": "https://{host}"}, r"^the URL of the tool 'films' names no valid host"),
        ({"films": "https://a.example/v1"}, r"^the host of the tool 'films' must be scheme and host alone"),
        (
            {"films": "https://me:pw@a.example"},
            r"^the host of the tool 'films' must be scheme and host alone",
        ),
        ({"films": "https://a.example?x=1"}, r"^the host of the tool 'films' must be scheme and host alone"),
    ],
)
def test_a_host_that_is_none_is_refused_and_no_password_shown(hosts: Any, message: str):
    with pytest.raises(ConfigError, match=message) as caught:
        HTTPTemplate({"url": "https://one.example/", "hosts": hosts})
    assert "pw" not in str(caught.value)


def test_arguments_go_to_path_query_headers_and_body(server, api):
    template = api(
        method="POST",
        query={"limit": "{n}", "none": "{missing}", "tag": "{tags}", "fixed": 3},
        headers={"X-Lang": "{lang}", "Authorization": "Bearer {$key}"},
        body={"n": "{n}", "text": "{n} of {film}", "deep": [{"tags": "{tags}"}], "api": "{$tool}/{$api}"},
        response="/data/cast",
    )
    arguments = {"film": "a b/c", "n": 3, "tags": ["x", "y&z"], "lang": "de"}
    result = drive(template.request(CAST, arguments))
    assert (result.response, result.source) == (["A"], "real")
    (seen,) = server.requests
    assert (seen.method, seen.target) == ("POST", "/v1/a%20b%2Fc/cast?limit=3&tag=x&tag=y%26z&fixed=3")
    assert (seen.headers["x-lang"], seen.headers["authorization"]) == ("de", f"Bearer {KEY}")
    assert seen.body == {"n": 3, "text": "3 of a b/c", "deep": [{"tags": ["x", "y&z"]}], "api": "films/cast"}


def test_a_star_takes_all_arguments_that_no_place_names(server, api):
    drive(api(query="*").request(CAST, {"film": 1, "b": True, "c": None}))
    drive(api("/x", method="PUT", body="*").request(CAST, {"film": 1, "b": [True]}))
    assert server.requests[0].target == "/v1/1/cast?b=true"
    assert (server.requests[1].method, server.requests[1].body) == ("PUT", {"film": 1, "b": [True]})


def test_it_works_on_the_event_loop_too(server, api):
    template = api(response="/data")

    async def play() -> Any:
        result = await adrive(template.request(CAST, '{"film": "x"}'))
        await template.aclose()
        return result

    assert asyncio.run(play()).response == {"cast": ["A"]}


@given(film=TEXTS, query=TEXTS, header=TEXTS)
def test_no_argument_leads_to_another_place(film, query, header):
    api = HTTPTemplate(
        {
            "url": "https://films.example:8443/v1/{film}/cast",
            "query": {"q": "{query}"},
            "headers": {"X-Lang": "{header}"},
        }
    )
    try:
        request = api.build({"film": film, "query": query, "header": header})
    except ActionError:
        return
    parts = urlsplit(request.url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "films.example:8443", "")
    _, version, segment, last = parts.path.split("/")
    assert (version, last) == ("v1", "cast")
    assert unquote(segment) == film.encode(errors="replace").decode()
    assert segment not in (".", "..")
    assert parts.query.startswith("q=")
    assert not set("&=#\r\n ") & set(parts.query[2:])
    assert set(request.headers) == {"X-Lang"}
    assert request.headers["X-Lang"].isascii()
    assert "\r" not in request.headers["X-Lang"]
    assert "\n" not in request.headers["X-Lang"]


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_two_arguments_together_cannot_climb_either(parts):
    api = HTTPTemplate({"url": "https://films.example/v1/{a}{b}/cast"})
    try:
        path = urlsplit(api.build({"a": parts[0], "b": parts[1]}).url).path
    except ActionError:
        return
    assert unquote(path.split("/")[2]) not in (".", "..")
    assert path.count("/") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "'film' is missing, and it is a part of the URL"),
        ({"film": ""}, "'film' is missing, and it is a part of the URL"),
        ({"film": ".."}, "'film' cannot be '..' in the path of a URL"),
        ({"film": "x", "lang": "a\r\nHost: evil"}, "'lang' has characters that no HTTP header can carry"),
        ("[1]", "an object of arguments was expected"),
    ],
)
def test_arguments_that_cannot_be_sent_are_an_observation(server, api, arguments, message):
    result = drive(api(headers={"X-Lang": "{lang}"}).request(CAST, arguments))
    assert result.error == f"invalid arguments: {message}"
    assert (result.source, result.status) == ("env", Status.INVALID_ARGUMENTS)
    assert server.requests == []


def test_a_redirect_is_not_followed(server, api):
    server.script(Answer("", 302, headers={"Location": "http://127.0.0.1:9/"}), path="/v1/x/cast")
    with pytest.raises(BackendError, match="HTTP 302"):
        drive(api().request(CAST, {"film": "x"}))


@pytest.mark.parametrize(
    ("answer", "error", "response"),
    [
        (Answer({"error": {"text": "no such film"}, "data": None}), "no such film", ""),
        (Answer({"error": {"text": ""}, "data": 7}), "", 7),
        (Answer({"error": {"text": {"code": 9}}}), '{"code": 9}', ""),
        (Answer({"error": {"text": "bad id"}}, 400), "bad id", ""),
        (Answer({"why": "bad id"}, 422), "HTTP 422", {"why": "bad id"}),
    ],
)
def test_pointers_tell_response_and_error_apart(server, api, answer, error, response):
    server.script(answer, path="/v1/x/cast")
    result = drive(api(response="/data", error="/error/text").request(CAST, {"film": "x"}))
    assert (result.error, result.response) == (error, response)


@pytest.mark.parametrize(
    ("answer", "message", "kind"),
    [
        (Answer({"other": 1}), "the body of the answer has nothing at '/data'", "internal"),
        (Answer("<html>"), "a body that is no JSON", "transport"),
        (Answer({"message": "key?"}, 401), "HTTP 401", "internal"),
        (Answer("<html>", 404), "HTTP 404", "internal"),
        (Answer("", 429), "HTTP 429", "rate_limit"),
        (Answer("", 500), "HTTP 500", "transport"),
    ],
)
def test_an_answer_of_no_use_is_a_failure(server, api, answer, message, kind):
    server.script(answer, path="/v1/x/cast")
    with pytest.raises(BackendError, match=message) as caught:
        drive(api(response="/data").request(CAST, {"film": "x"}))
    assert (caught.value.kind, caught.value.stage) == (kind, "real")


def test_a_key_in_the_url_reaches_the_server_alone(server, api, caplog):
    caplog.set_level(logging.DEBUG)
    template = api(query={"appid": "{$key}"})
    server.script(lambda seen: Answer({"saw": seen.target}, 401), path="/v1/x/cast")
    with pytest.raises(BackendError, match=r"saw.*appid=\[key\]") as caught:
        drive(template.request(CAST, {"film": "x"}))
    encoded = "http%2Fsecret%2Bkey%3D%3D"
    assert server.requests[0].target == f"/v1/x/cast?appid={encoded}"
    request = template.build({"film": "x"})
    for text in (str(caught.value), repr(template), str(template.fingerprint), repr(request), caplog.text):
        assert KEY not in text
        assert encoded not in text


def test_an_argument_cannot_ask_for_the_key(api):
    request = api(query={"q": "{q}"}).build({"film": "{$key}", "q": "{$key}", "$key": "x"})
    assert KEY not in unquote(request.url)


def test_the_fingerprint_follows_the_template(api):
    assert api().fingerprint == api().fingerprint != api(query={"a": 1}).fingerprint


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_template_is_read_from_a_file(tmp_path, suffix, server):
    file = tmp_path / f"films{suffix}"
    template = {"url": server.url("/{film}"), "key_env": "FILM_KEY", "headers": {"X-Key": "{$key}"}}
    lines = [f"url = '{template['url']}'", "key_env = 'FILM_KEY'", "[headers]", "X-Key = '{$key}'"]
    file.write_text(json.dumps(template) if suffix == ".json" else "\n".join(lines))
    drive(HTTPTemplate.load(file, retries=0).request(CAST, {"film": "x"}))
    assert server.requests[0].headers["x-key"] == KEY


def test_a_template_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.toml: expected an HTTP template as TOML or JSON"):
        HTTPTemplate.load(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({}, r"^an HTTP template is a table with at least a url, such as https://HOST/\{name\}$"),
        ({"url": "https://{host}/x"}, r"^the url of an HTTP template has places in its path alone"),
        ({"url": "{scheme}://h/x"}, r"^the url of an HTTP template has places in its path alone"),
        ({"url": "https://h/x?q={q}"}, r"^the url of an HTTP template has places in its path alone"),
        ({"url": "h/x"}, r"^the URL of the HTTP API must be a URL such as http://"),
        (
            {"url": "https://h/x", "methd": "GET"},
            r"^an HTTP template has no 'methd'; .*Did you mean 'method'\?$",
        ),
        ({"url": "https://h/x", "method": "TRACE"}, r"^method of an HTTP template must be one of .*'TRACE'$"),
        ({"url": "https://h/x", "query": "q"}, r"^query of an HTTP template must be a table, got 'q'$"),
        ({"url": "https://h/x", "response": "data"}, r"^response of an HTTP template is a JSON pointer"),
        ({"url": "https://h/x", "headers": {"A B": "x"}}, r"^'A B' is no name of an HTTP header$"),
        (
            {"url": "https://h/x", "query": {"k": "{$key}"}},
            r"^the HTTP template sends a key; name the environ",
        ),
    ],
)
def test_a_wrong_template_is_refused(template, message):
    with pytest.raises(ConfigError, match=message):
        HTTPTemplate(template)


def test_a_key_that_is_not_set_is_missed_at_once(monkeypatch):
    monkeypatch.delenv("FILM_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"^the HTTP template sends a key; export it as FILM_KEY$"):
        HTTPTemplate({"url": "https://h/x", "headers": {"K": "{$key}"}}, key_env="FILM_KEY")
