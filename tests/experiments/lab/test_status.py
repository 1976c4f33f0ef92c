"""The scan of API status, and the broken APIs it finds."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.backend.real_api import RemoteServer
from stb_env.backend.taxonomy import ApiClass, classify
from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.sandbox_api import COUNTS, FlawedAPI, WorldAPI
from stb_env.experiments.lab.status import run
from stb_env.show.cli import app
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.stabletoolbench.queries import load
from tests.fakes.api_server import APIServer, answered
from tests.fakes.openai_server import Answer
from tests.shared import queries


def test_a_broken_api_answers_by_its_flaw_in_both_readings():
    api = FlawedAPI(1.0)
    for tool in tools().values():
        result = drive(api.request(tool, {}))
        for reading in ("default", "paper"):
            assert classify(result.error, result.response, taxonomy=reading) is api.flaw(tool.id)


def test_all_flaws_occur_and_none_without_a_share():
    assert {FlawedAPI(1.0).flaw(identity) for identity in tools()} == set(COUNTS)
    assert {FlawedAPI(0.0).flaw(identity) for identity in tools()} == {None}


def test_a_sound_api_answers_as_the_world_does():
    tool = next(iter(tools().values()))
    expected = drive(WorldAPI(check=None).request(tool, {}))
    assert drive(FlawedAPI(0.0).request(tool, {})) == expected


def test_the_scan_finds_every_planted_flaw():
    for answer in run(LabSettings()).to_dict()["details"]["answers"]:
        if answer["planted"] != "success":
            assert answer["default"] == answer["paper"] == answer["planted"]


def test_each_table_adds_up_to_the_apis_scanned():
    result = run(LabSettings(seed=2)).to_dict()
    status = {row[""]: row for row in result["rows"]}
    assert sum(row["default"] for row in status.values()) == result["details"]["apis"]
    reasons = result["further"][0]["rows"]
    assert sum(row["default"] for row in reasons) == status["not available"]["default"]
    assert sum(row["StableToolBench, share"] for row in reasons) == pytest.approx(1, abs=1e-5)


def test_equal_seeds_give_equal_scans_and_others_do_not():
    assert run(LabSettings(seed=1)).to_dict() == run(LabSettings(seed=1)).to_dict()
    assert run(LabSettings(seed=1)).to_dict() != run(LabSettings(seed=2)).to_dict()


@pytest.mark.heavy
def test_documented_apis_are_scanned_through_the_backend_and_nothing_is_written(shared_data: Path):
    def digests() -> dict[Path, str]:
        files = (file for file in data.rglob("*") if file.is_file())
        return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    data = queries(shared_data)
    before = digests()
    result = run(LabSettings(episodes=200, options={"data": str(data)})).to_dict()
    assert result["details"]["apis"] == min(200, len(load(data).tasks.catalog))
    assert {row["planted"] for row in result["rows"]} == {None}
    assert digests() == before


@pytest.fixture
def server() -> Iterator[APIServer]:
    with APIServer().running() as running:
        yield running


BROKEN = {
    "not_authorised": [Answer({"message": "Unauthorized"}, 401), Answer("", 403)],
    "not_found": [Answer("no such page", 404), Answer("", 500)],
    "not_connected": [Answer("", 429), answered("You have exceeded the MONTHLY quota of your plan")],
    "other_error": [Answer("<html>Welcome</html>"), Answer("")],
    "parsing_error": [answered("", error="Function executing from stub error...", status=200)],
    "success": [answered({"ok": True}), answered([1, 2])],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A query whose APIs are as many as there are kinds of broken answers, and one more."""
    size = sum(map(len, BROKEN.values())) + 1
    apis = [
        {"category_name": "Data", "tool_name": f"tool {n}", "api_name": f"api {n}", "api_description": "",
         "required_parameters": [], "optional_parameters": [], "method": "GET"}
        for n in range(size)
    ]  # fmt: skip
    record = {"query_id": 1, "query": "What?", "api_list": apis, "relevant APIs": []}
    file = tmp_path_factory.mktemp("queries") / "G1_instruction.json"
    file.write_text(json.dumps([record]))
    return file


def scanned(server: APIServer, data: Path, **options: Any) -> dict[str, Any]:
    """Scan the server, the last API of which does not answer in time."""
    real = RemoteServer(server.url(), retries=0, timeout=1.0)
    server.script(*(answer for answers in BROKEN.values() for answer in answers), Answer(hold=server.hold()))
    return run(LabSettings(options={"data": str(data), "real": real, **options})).to_dict()


def test_a_scan_of_real_apis_classes_whatever_they_say(server: APIServer, data: Path):
    result = scanned(server, data)
    found = Counter(answer["default"] for answer in result["details"]["answers"])
    expected = {name.replace("_", " "): len(answers) for name, answers in BROKEN.items()}
    assert found == {**expected, "no answer": 1}
    assert result["details"]["sources"] == {"real": sum(expected.values()), "failure: timeout": 1}
    shares = {row[""]: row["default, share"] for row in result["rows"]}
    assert sum(shares.values()) == pytest.approx(1, abs=1e-5)
    assert shares["no answer"] == pytest.approx(1 / len(result["details"]["answers"]), abs=1e-6)


def test_a_strict_scan_hears_nothing_of_broken_apis(server: APIServer, data: Path):
    found = Counter(a["default"] for a in scanned(server, data, health="strict")["details"]["answers"])
    assert found["success"] == len(BROKEN["success"])
    assert found["not authorised"] == 0
    assert found["no answer"] > len(BROKEN["not_authorised"])


def test_a_scan_says_who_answered_in_title_note_and_json(server: APIServer, data: Path):
    real, simulated = scanned(server, data), run(LabSettings(options={"data": str(data)})).to_dict()
    for result, who in ((real, "real APIs"), (simulated, "a simulator")):
        assert result["title"] == f"Status of APIs, answered by {who} (StableToolBench, Table 10)"
        assert result["details"]["answered_by"] == who
    assert simulated["notes"][0].startswith("No real API was asked: a simulator answered")
    assert not any(note.startswith("No real API was asked") for note in real["notes"])


def test_a_scan_of_a_server_that_is_gone_is_one_line_before_the_first_call(data: Path):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}/rapidapi"
    done = CliRunner().invoke(app, ["lab", "status", "--data", str(data), "--set", f"real={url}"])
    assert done.exit_code == 1
    assert done.stdout == ""
    assert re.fullmatch(
        rf"error: the remote server at {url} cannot be reached: the connection failed: [^\n]*\n", done.stderr
    )


def test_an_unknown_health_is_refused(data: Path):
    options = {"data": str(data), "real": "http://127.0.0.1:1/x", "health": "observed"}
    with pytest.raises(
        ConfigError, match=r"^health must be one of .* got 'observed'. Did you mean 'observe'"
    ):
        run(LabSettings(options=options))


def test_the_classes_that_the_filter_keeps_are_no_flaws():
    assert not {found for found in COUNTS if found.kept}
    assert ApiClass.OTHER_ERROR.kept
