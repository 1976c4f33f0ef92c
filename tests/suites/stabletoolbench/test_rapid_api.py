"""RapidAPI's own hosts, as tool files name them, and who is never sent the key."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.errors import BackendError, ConfigError
from stb_env.suites.stabletoolbench.api_entry import tool_from_api
from stb_env.suites.stabletoolbench.env import make
from stb_env.suites.stabletoolbench.rapid_api import RapidAPI
from stb_env.suites.stabletoolbench.tool_files import ToolFile
from stb_env.tools import Status, Tool
from tests.fakes.api_server import APIServer
from tests.fakes.openai_server import Answer
from tests.suites.stabletoolbench.tool_folder import FILMS, MINIMAL, record, write_queries, write_tools

KEY = "a-key-of-mine-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("RAPIDAPI_KEY", KEY)


@pytest.fixture
def server() -> Iterator[APIServer]:
    with APIServer().running() as running:
        yield running


def tool(number: int = 0, **changes: Any) -> Tool:
    file = ToolFile.read("Movies", FILMS)
    return tool_from_api(file.entry(list(file.apis.values())[number]) | changes, "film")


def local(**settings: Any) -> RapidAPI:
    return RapidAPI(hosts=("127.0.0.1",), scheme="http", retries=0, **settings)


def test_a_call_goes_to_the_tool_files_url_under_the_raw_names():
    request = RapidAPI().built(tool(), {"filmid": 7, "limit": 3})
    assert (request.method, request.url) == ("GET", "https://film-fan.p.rapidapi.com/v1/7/cast?limit=3")
    assert request.headers == {"X-RapidAPI-Key": KEY, "X-RapidAPI-Host": "film-fan.p.rapidapi.com"}


def test_a_path_alone_is_one_on_the_tools_host():
    assert RapidAPI().built(tool(1), {}).url == "https://film-fan.p.rapidapi.com/v1/newest"


def test_a_query_in_the_url_stays_and_its_places_are_filled():
    url = "https://film-fan.p.rapidapi.com/find?kind=film&n={limit}"
    assert (
        RapidAPI()
        .built(tool(url=url), {"limit": 3, "filmid": 7})
        .url.endswith("/find?kind=film&n=3&filmId=7")
    )
    assert RapidAPI().built(tool(url=url), {}).url.endswith("/find?kind=film")


def test_what_is_no_query_goes_into_the_body():
    request = RapidAPI().built(tool(method="post"), {"filmid": 7, "limit": 3})
    assert (request.method, request.content) == ("POST", b'{"limit": 3}')


def test_an_answer_comes_back(server):
    server.script(Answer({"cast": ["A"]}), path="/v1/7/cast")
    result = drive(local().request(tool(url=server.url("/v1/{filmId}/cast")), {"filmid": 7}))
    assert (result.response, result.source) == ({"cast": ["A"]}, "real")
    (request,) = server.requests
    assert request.headers["x-rapidapi-key"] == KEY


def test_a_complaint_about_the_call_is_for_the_agent_to_read(server):
    server.script(Answer({"message": "no such film"}, status=404), path="/v1/7/cast")
    result = drive(local().request(tool(url=server.url("/v1/{filmId}/cast")), {"filmid": 7}))
    assert (result.error, result.response) == ("HTTP 404", {"message": "no such film"})


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_refused_key_or_a_busy_api_is_a_failure_that_shows_no_key(server, status):
    server.script(Answer({"message": f"bad key {KEY}"}, status=status), path="/v1/7/cast")
    with pytest.raises(
        BackendError, match=rf"^RapidAPI at .* failed on cast_of_film of .*: .*{status}"
    ) as caught:
        drive(local().request(tool(url=server.url("/v1/{filmId}/cast")), {"filmid": 7}))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/v1",
        "https://p.rapidapi.com.evil.example/v1",
        "http://film-fan.p.rapidapi.com/v1",
        "https://evil.example#.p.rapidapi.com/v1",
        "https://evil.example\\.p.rapidapi.com/v1",
        "https://film-fan.p.rapidapi.com@evil.example/v1",
        "https://user@film-fan.p.rapidapi.com/v1",
        "https://{filmId}.p.rapidapi.com/v1",
        "https://evil.example?.p.rapidapi.com/v1",
    ],
)
def test_no_other_host_is_ever_sent_the_key(url):
    with pytest.raises(
        BackendError, match=r"^RapidAPI cannot be asked for cast_of_film of film_fan: .* is no host"
    ):
        RapidAPI().built(tool(url=url), {"filmid": "evil.example/"})


def test_no_argument_leads_to_another_place():
    url = RapidAPI().built(tool(), {"filmid": "../../x?y#z"}).url
    assert url == "https://film-fan.p.rapidapi.com/v1/..%2F..%2Fx%3Fy%23z/cast"


@pytest.mark.parametrize("arguments", ["[1]", {}, {"filmid": ".."}])
def test_arguments_that_do_not_fit_are_the_agents_to_mend(arguments):
    result = drive(RapidAPI().request(tool(), arguments))
    assert (result.status, result.source) == (Status.INVALID_ARGUMENTS, "env")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": ""}, r"no tool file says at which URL it is; give tools=DIR \(--tools DIR\)$"),
        ({"url": "https://[::1"}, r"its URL is none$"),
        ({"method": "BREW"}, r"its method is 'BREW'$"),
    ],
)
def test_a_tool_file_that_names_no_place_is_a_failure_that_says_so(changes, message):
    with pytest.raises(BackendError, match=message):
        RapidAPI().built(tool(**changes), {"filmid": 7})


def test_it_needs_a_key(monkeypatch):
    monkeypatch.delenv("RAPIDAPI_KEY")
    with pytest.raises(ConfigError, match=r"export it as RAPIDAPI_KEY$"):
        RapidAPI()


def test_a_copy_asks_the_same_places():
    copy = pickle.loads(pickle.dumps(RapidAPI()))
    assert copy.built(tool(), {"filmid": 7}) == RapidAPI().built(tool(), {"filmid": 7})
    assert KEY not in repr(copy.fingerprint)


def test_an_environment_asks_the_hosts_of_its_tool_files(tmp_path, server):
    film = FILMS["api_list"][0] | {"url": server.url("/v1/{filmId}/cast")}
    folder = write_tools(tmp_path / "mine", Movies__film_fan=FILMS | {"api_list": [film]})
    data = write_queries(tmp_path, record(MINIMAL))
    settings: dict[str, Any] = {"mode": "live", "simulator": "none", "judge": "heuristic", "tools": folder}
    env = make("I1-Instruction", data, real="rapidapi", **settings)
    assert env.rules.backend.fingerprint["real"]["protocol"] == "rapidapi"
    env = make("I1-Instruction", data, real=local(), **settings)
    env.reset(seed=0)
    *_, info = env.step({"name": "cast_of_film_for_film_fan", "arguments": {"filmid": 7}})
    assert (info["calls"][0]["source"], info["calls"][0]["response"]) == (
        "real",
        {"error": "", "response": "ok"},
    )
    assert [request.target for request in server.requests] == ["/v1/7/cast"]
