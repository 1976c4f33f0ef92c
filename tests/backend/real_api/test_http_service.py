"""A service behind an OpenAPI document is asked as the document says, and nobody else ever is."""

from __future__ import annotations

import base64
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.real_api.http_service import HTTPService
from stb_env.backend.real_api.tool_import import import_document
from stb_env.core.request import drive
from stb_env.errors import ActionError, BackendError, DataError
from stb_env.formats.catalog_file import CatalogFile
from stb_env.tools import Status, Tool, ToolResult
from tests.command import error_of, stb
from tests.fakes.shop_service import KEY, Shop


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop().running() as shop:
        yield shop


@pytest.fixture(scope="module")
def file(shop: Shop) -> CatalogFile:
    return import_document(f"{shop.url}/openapi.json").file


def named(file: CatalogFile, name: str) -> Tool:
    tool = next((tool for tool in file.tools if tool.name.startswith(name)), None)
    assert tool is not None, name
    return tool


def ask(file: CatalogFile, name: str, arguments: dict[str, Any]) -> ToolResult:
    service = HTTPService(file.sources["corner_shop"], retries=0)
    return drive(service.request(named(file, name), arguments))


def test_arguments_go_to_path_query_header_and_cookie(file: CatalogFile):
    arguments = {"words": ["a b", "c&d"], "most": 3, "x-lang": "de", "seen": "yes"}
    told = {"words": ["a b", "c&d"], "most": 3, "lang": "de", "seen": "yes"}
    assert ask(file, "search", arguments).response == told


def test_bodies_go_as_json_and_as_forms_with_files(file: CatalogFile):
    assert ask(file, "parts", {"name": "a", "parts": [{"name": "b"}]}).response == {"direct": 1}
    assert ask(file, "files", {"upload": "hello", "title": "t"}).response == {"title": "t", "bytes": 5}


def test_what_the_service_complains_about_is_for_the_agent_to_read(file: CatalogFile):
    result = ask(file, "get_item", {"item": 7})
    assert (result.status, result.error) == (Status.TOOL_ERROR, "status 404 Not Found")
    assert result.response == {"detail": "no such item"}


def test_an_empty_answer_and_a_picture_are_told_of(file: CatalogFile):
    assert ask(file, "delete", {"item": 1}).response == {"status": 204}
    assert ask(file, "picture", {}).response["content_type"] == "image/png"


def test_a_text_is_read_in_the_charset_that_the_service_names(file: CatalogFile):
    assert ask(file, "latin", {}).response == "café"


def test_a_header_of_one_s_own_is_sent_with_the_value_of_its_variable(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    target = f"{shop.url}/openapi.json"
    file = import_document(target, headers={"X-Lang": "SHOP_LANG"}, name="corner_shop").file
    with pytest.raises(BackendError, match=r"wants a key; export it as SHOP_LANG$"):
        ask(file, "told", {})
    monkeypatch.setenv("SHOP_LANG", "fr-12345")
    assert ask(file, "told", {}).response == {"length": 8}
    for name, variable, message in [
        ("X-Lang", "fr-12345", "the key of 'X-Lang' is given by the name of an environment variable"),
        ("Host", "SHOP_LANG", "--header takes NAME=VARIABLE, and 'Host' is no header that can be sent"),
    ]:
        done = stb("tools", "import", target, "--header", f"{name}={variable}", "--out", tmp_path / "c.json")
        assert (done.exit_code, message in error_of(done)) == (2, True), done.output


def test_a_redirect_is_not_followed(file: CatalogFile):
    with pytest.raises(BackendError, match="HTTP 307 leads elsewhere, and that is not followed"):
        ask(file, "moved", {})


def test_a_key_comes_from_its_variable_and_is_shown_nowhere(
    file: CatalogFile, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(BackendError, match=r"wants a key; export it as CORNER_SHOP_APIKEYHEADER$"):
        ask(file, "order", {"item": 1})
    monkeypatch.setenv("CORNER_SHOP_APIKEYHEADER", KEY)
    assert ask(file, "order", {"item": 1}).response["echo"] == "[key]"
    monkeypatch.setenv("CORNER_SHOP_APIKEYHEADER", "wrong-key-98765")
    with pytest.raises(BackendError, match=r'HTTP 401: {"detail": "bad key \[key\]"}'):
        ask(file, "order", {"item": 1})
    monkeypatch.setenv("CORNER_SHOP_HTTPBEARER", "token-13579")
    assert ask(file, "account", {}).response == {"token": "[key]"}
    service = HTTPService(file.sources["corner_shop"])
    assert b"token-13579" not in pickle.dumps(service)
    assert "token-13579" not in repr(service.build(named(file, "account"), {}))


def test_a_user_name_and_password_go_as_basic_authorisation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_LOGIN", "ann:secret-word")
    source = {"server": "https://h.example", "keys": {"b": {"kind": "basic", "env": "MY_LOGIN"}}}
    operation = {"from": "s", "method": "GET", "path": "/a", "security": [["b"]]}
    tool = Tool("a", "", {}, record={"source": operation})
    sent = HTTPService(source).build(tool, {})
    assert sent.headers["Authorization"] == "Basic " + base64.b64encode(b"ann:secret-word").decode()


@pytest.mark.parametrize(
    "value", ["..", "../../admin", "@evil.example", "a/b", "?x=1", "#", "\\\\evil", "%2e%2e"]
)
def test_no_argument_leads_out_of_its_place(value: str):
    place = {"argument": "id", "name": "id", "in": "path", "style": "simple", "explode": False}
    operation = {"from": "s", "method": "GET", "path": "/items/{id}/name", "parameters": [place]}
    tool = Tool("a", "", {}, record={"source": operation})
    service = HTTPService({"server": "https://h.example/v1"})
    try:
        url = service.build(tool, {"id": value}).url
    except ActionError:
        assert value == ".."
    else:
        assert url.startswith("https://h.example/v1/items/")
        assert url.count("/") == 6
        assert url.endswith("/name")


def test_an_operation_whose_path_leads_to_another_host_is_refused():
    tool = Tool("a", "", {}, record={"source": {"from": "s", "method": "GET", "path": "@evil.example/"}})
    with pytest.raises(ActionError, match=r"^the path '@evil\.example/' leads away from its server$"):
        HTTPService({"server": "https://h.example"}).build(tool, {})


def test_a_document_that_is_not_there_is_one_clear_line(shop: Shop):
    with pytest.raises(DataError, match=r"/nothing\.json cannot be read: HTTP 404$"):
        import_document(f"{shop.url}/nothing.json")
