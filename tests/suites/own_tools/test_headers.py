"""A header that ``--header`` supplies goes with each request, the reset too, and no agent sets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI, Header, HTTPException
from fastapi.security import APIKeyQuery

from tests.command import reported
from tests.fakes.shop_service import serving
from tests.suites.own_tools.test_epochs import play, write_queries

KEY, QUERY_KEY = "desk-key-97531", "query-key-86420"
noted: list[str] = []


def service() -> FastAPI:
    app = FastAPI(title="Desk", version="1")

    def keyed(x_api_key: Annotated[str, Header()] = "") -> None:
        if x_api_key != KEY:
            raise HTTPException(401, "bad key")

    guarded: dict[str, Any] = {"dependencies": [Depends(keyed)]}

    @app.post("/notes", operation_id="note", **guarded)
    def note(text: str) -> list[str]:
        noted.append(text)
        return noted

    @app.get("/notes", operation_id="notes", **guarded)
    def notes() -> list[str]:
        return noted

    @app.get("/queried", operation_id="queried", **guarded)
    def queried(key: Annotated[str, Depends(APIKeyQuery(name="key"))]) -> bool:
        return key == QUERY_KEY

    @app.post("/testing/reset", include_in_schema=False, **guarded)
    def reset() -> None:
        noted.clear()

    @app.post("/testing/shown_reset", **guarded)
    def shown_reset() -> None:
        noted.clear()

    return app


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(service()) as url:
        yield f"{url}/openapi.json"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)
    monkeypatch.setenv("DESK_APIKEYQUERY", QUERY_KEY)


@pytest.mark.parametrize("path", ["/testing/reset", "/testing/shown_reset"])
def test_a_reset_is_sent_the_header_too(tmp_path: Path, url: str, path: str):
    words = ("--header", "X-Api-Key=DESK_KEY", "--reset", f"POST {path}", "--only", "note*")
    found = reported("tools", "import", url, *words, "--out", tmp_path / "catalog.json")
    assert found["sources"]["desk"]["reset"]["security"] == [["X-Api-Key"]]
    write_queries(tmp_path / "queries.jsonl", *[[("note", {"text": "tea"}), ("notes", {})]] * 2)
    assert play(tmp_path, "live", "live") == [[("real", ["tea"])] * 2] * 2


def test_an_agent_is_not_shown_a_supplied_header_and_cannot_replace_it(tmp_path: Path, url: str):
    def parameters(*words: str) -> dict[str, list[str]]:
        reported("tools", "import", url, *words, "--out", tmp_path / "catalog.json")
        catalog = json.loads((tmp_path / "catalog.json").read_text(encoding="utf-8"))
        return {tool["name"]: list(tool["parameters"]["properties"]) for tool in catalog["tools"]}

    shown = parameters()
    assert (shown["note"], shown["notes"]) == (["text", "x-api-key"], ["x-api-key"])
    hidden = parameters("--header", "X-Api-Key=DESK_KEY")
    assert (hidden["note"], hidden["notes"], hidden["queried"]) == (["text"], [], [])
    # A catalogue that was written by hand may show it all the same.
    content = json.loads((tmp_path / "catalog.json").read_text(encoding="utf-8"))
    for tool in content["tools"]:
        for name, place in (("x-api-key", "header"), ("key", "query")):
            tool["parameters"]["properties"][name] = {"type": "string"}
            form = {"argument": name, "name": name, "in": place, "explode": place == "query"}
            form["style"] = "form" if place == "query" else "simple"
            tool["source"]["parameters"].append(form)
    (tmp_path / "catalog.json").write_text(json.dumps(content), encoding="utf-8")
    mine = json.dumps({"x-api-key": "mine", "key": "mine"})
    answer = reported("tools", "call", tmp_path / "catalog.json", "queried", mine)
    assert answer["response"] is True
