"""Which statuses of a service are observations that are recorded, and which are failures that never are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Response
from fastapi.security import APIKeyHeader

from tests.command import reported, stb
from tests.fakes.shop_service import serving

OBSERVED = (400, 402, 403, 404, 405, 409, 410, 413, 415, 422)

asked: list[str] = []
key = APIKeyHeader(name="X-Key")


def service() -> FastAPI:
    app = FastAPI(title="Statuses", version="1")

    @app.get("/open/{status}", operation_id="open")
    def open_(status: int, html: bool = False) -> Response:
        asked.append(str(status))
        if html:
            return Response("<html>Bad request</html>", status, media_type="text/html")
        return Response('{"detail": "no"}', status, {"retry-after": "0"}, "application/json")

    @app.get("/later/{status}", operation_id="later")
    def later(status: int) -> Response:
        asked.append(str(status))
        if len(asked) == 1:
            return Response("", status, {"retry-after": "0"})
        return Response('{"ready": true}', 200, media_type="application/json")

    @app.post("/wrote/{status}", operation_id="write")
    @app.delete("/wrote/{status}", operation_id="drop")
    def wrote(status: int) -> Response:
        asked.append(str(status))
        return Response("{", status, {"retry-after": "0"}, "application/json")

    @app.get("/locked", operation_id="locked")
    def locked(given: Annotated[str, Depends(key)]) -> Response:
        said = "you may not see the orders of others" if given == "right-key-2468" else "invalid API key"
        return Response(json.dumps({"detail": said}), 403, media_type="application/json")

    return app


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("statuses") / "catalog.json"
    with serving(service()) as url:
        reported("tools", "import", f"{url}/openapi.json", "--out", file)
        yield file


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    asked.clear()


def call(catalog: Path, mode: str, cache: Path, name: str, arguments: dict[str, Any]) -> Any:
    """Call a tool; return what it prints, or the message of the failure."""
    words = ("tools", "call", catalog, name, json.dumps(arguments), "--mode", mode, "--cache", cache)
    done = stb(*words, "--json")
    return json.loads(done.stdout) if done.exit_code == 0 else done.stderr


@pytest.mark.heavy
@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("status", OBSERVED)
def test_errors_about_the_call_are_observed_and_recorded(
    catalog: Path, tmp_path: Path, status: int, html: bool
):
    arguments = {"status": status, "html": html}
    recorded = call(catalog, "record", tmp_path / "cache", "open", arguments)
    assert (recorded["source"], recorded["status"]) == ("real", "TOOL_ERROR")
    assert recorded["error"].startswith(f"status {status} ")
    replayed = call(catalog, "replay", tmp_path / "cache", "open", arguments)
    assert replayed == recorded | {"source": "cache"}
    assert asked == [str(status)]


@pytest.mark.parametrize("status", [408, 425, 429, 503])
def test_a_service_that_is_busy_is_asked_again_and_then_a_failure(catalog: Path, tmp_path: Path, status: int):
    failure = call(catalog, "record", tmp_path / "cache", "open", {"status": status})
    assert f"HTTP {status}" in failure
    assert len(asked) == 3
    assert not (tmp_path / "cache").exists()
    asked.clear()
    answer = call(catalog, "record", tmp_path / "cache", "later", {"status": status})
    assert answer["response"] == {"ready": True}
    assert len(asked) == 2


@pytest.mark.parametrize(("name", "member"), [("write", "idempotent"), ("drop", "reads")])
def test_a_call_that_may_write_is_sent_once_unless_the_catalogue_allows_more(
    catalog: Path, tmp_path: Path, name: str, member: str
):
    # The last is damaged data.
    for status in (503, 200):
        asked.clear()
        failure = " ".join(call(catalog, "record", tmp_path / "cache", name, {"status": status}).split())
        assert f"HTTP {status}" in failure
        assert "(not sent again: it may write)" in failure
        assert len(asked) == 1
    content = json.loads(catalog.read_text(encoding="utf-8"))
    for tool in content["tools"]:
        tool["source"][member] = True
    other = tmp_path / f"{member}.json"
    other.write_text(json.dumps(content), encoding="utf-8")
    asked.clear()
    assert "attempts: 3" in call(other, "record", tmp_path / "cache", name, {"status": 503})
    assert len(asked) == 3


@pytest.mark.parametrize("status", [401, 407])
def test_refused_credentials_are_a_failure_and_are_not_recorded(catalog: Path, tmp_path: Path, status: int):
    assert f"HTTP {status}" in call(catalog, "record", tmp_path / "cache", "open", {"status": status})
    assert not (tmp_path / "cache").exists()
    assert len(asked) == 1


def test_403_is_a_failure_where_the_key_is_refused_and_an_observation_where_the_call_is(
    catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STATUSES_APIKEYHEADER", "wrong-key-1357")
    refused = call(catalog, "record", tmp_path / "cache", "locked", {})
    assert "the service refused the key of STATUSES_APIKEYHEADER" in " ".join(refused.split())
    monkeypatch.setenv("STATUSES_APIKEYHEADER", "right-key-2468")
    answer = call(catalog, "record", tmp_path / "cache", "locked", {})
    assert (answer["source"], answer["error"]) == ("real", "status 403 Forbidden")


def test_the_catalogue_may_list_the_observed_statuses(catalog: Path, tmp_path: Path):
    content = json.loads(catalog.read_text(encoding="utf-8"))
    content["sources"]["statuses"]["observed"] = [401, 503]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content), encoding="utf-8")
    for status in (401, 503):
        assert call(other, "record", tmp_path / "cache", "open", {"status": status})["source"] == "real"
    assert "HTTP 404" in call(other, "record", tmp_path / "cache", "open", {"status": 404})
    content["sources"]["statuses"]["observed"] = ["404"]
    other.write_text(json.dumps(content), encoding="utf-8")
    assert "is a list of HTTP statuses from 400 to 599" in call(
        other, "live", tmp_path / "cache", "open", {"status": 404}
    )
