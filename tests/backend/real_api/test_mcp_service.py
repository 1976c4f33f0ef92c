"""A server of the Model Context Protocol is the real API of the tools that it lists."""

from __future__ import annotations

import asyncio
import os
import pickle
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stb_env.backend.real_api import mcp_service
from stb_env.backend.real_api.catalog_api import CatalogAPI
from stb_env.backend.real_api.mcp_service import MCPService
from stb_env.backend.real_api.tool_import import import_server
from stb_env.core.request import adrive, drive
from stb_env.errors import BackendError, ConfigError
from stb_env.formats.catalog_file import CatalogFile
from stb_env.tools import Status
from tests.fakes.mcp_tools import running


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as (url, _asked):
        yield url


@pytest.fixture(scope="module")
def file(url: str) -> CatalogFile:
    return import_server(url).file


def test_every_page_of_the_tools_becomes_the_catalogue_with_valid_names(file: CatalogFile, url: str):
    assert [tool.name for tool in file.tools] == ["double_number", "fail", "secret"]
    assert file.tools[0].record["original"] == "double number"
    assert dict(file.sources) == {"number_server": {"kind": "mcp", "url": url}}


def test_a_call_reaches_the_tool_by_the_name_that_the_server_gave_it(file: CatalogFile):
    api = CatalogAPI(file)
    result = drive(api.request(file.tools[0], {"n": 21}))
    assert (result.source, result.response) == ("real", {"doubled": 42})
    api.close()
    assert drive(api.request(file.tools[0], {"n": 1})).response == {"doubled": 2}, "a new connection"
    assert asyncio.run(adrive(api.request(file.tools[0], {"n": 2}))).response == {"doubled": 4}
    again = pickle.loads(pickle.dumps(api))
    assert drive(again.request(file.tools[0], {"n": 3})).response == {"doubled": 6}
    again.close()
    api.close()


def test_an_error_of_the_tool_is_an_observation(file: CatalogFile):
    api = CatalogAPI(file)
    result = drive(api.request(file.tools[1], {"n": 9}))
    assert (result.status, result.error) == (Status.TOOL_ERROR, "9 is too much")
    api.close()


def test_a_token_that_the_server_tells_back_is_cut_out(
    url: str, file: CatalogFile, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MY_TOKEN", "token-24680")
    service = MCPService({"url": url, "token_env": "MY_TOKEN"})
    assert drive(service.request(file.tools[2], {"n": 0})).response == "it is [key]"
    service.close()


def test_a_server_that_is_not_there_is_a_failure_of_the_infrastructure(file: CatalogFile):
    service = MCPService({"url": "http://127.0.0.1:9/mcp"}, timeout=5)
    with pytest.raises(
        BackendError, match=r"^the MCP server at http://127\.0\.0\.1:9/mcp failed: "
    ) as caught:
        drive(service.request(file.tools[0], {"n": 1}))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)


def test_a_program_of_a_catalogue_starts_only_where_that_is_allowed(tmp_path: object):
    command = [sys.executable, "-c", "raise SystemExit('started')"]
    file = CatalogFile.of(
        {"version": 1, "tools": [{"name": "a"}], "sources": {"s": {"kind": "mcp", "command": command}}}
    )
    with pytest.raises(ConfigError, match=r"^the catalogue starts a program: .*; allow it with start=True"):
        CatalogAPI(file)
    assert CatalogAPI(file, start=True).services["s"].fingerprint["protocol"] == "mcp"


@pytest.mark.parametrize(
    "source", [{"kind": "mcp", "url": "http://h/mcp"}, {"kind": "openapi", "server": "http://h"}]
)
def test_a_source_may_have_a_time_limit_of_its_own(source: dict[str, object]):
    def api(seconds: object) -> CatalogAPI:
        sources = {"s": {**source, "timeout": seconds}}
        return CatalogAPI(CatalogFile.of({"version": 1, "tools": [{"name": "a"}], "sources": sources}))

    assert api(1.5).services["s"].timeout == 1.5
    for wrong in (0, "5", True):
        with pytest.raises(ConfigError, match=r"^timeout of source 's' is a number of seconds above 0, got "):
            api(wrong)


def test_a_program_that_writes_no_messages_is_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mcp_service, "_MOST_NOISE_S", 0.1)
    program = (
        "import os, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); print('Hello'); "
    )
    command = [sys.executable, "-uc", f"{program} sys.stdin.read()", str(tmp_path / "pid")]
    with pytest.raises(BackendError, match=r"failed: it writes lines that are no messages, such as 'Hello'"):
        import_server(shlex.join(command))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_server_that_says_nothing_is_ended_at_the_time_out(tmp_path: Path):
    program = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)"
    command = shlex.join([sys.executable, "-c", program.replace("'pid'", repr(str(tmp_path / "pid")))])
    begun = time.monotonic()
    with pytest.raises(BackendError, match=r"failed: no answer within 0\.7 s$"):
        import_server(command, timeout=0.7)
    assert time.monotonic() - begun < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
