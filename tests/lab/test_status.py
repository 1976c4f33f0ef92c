"""The scan of API status, and the broken APIs it finds."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.lab.experiment import LabSettings
from stb_env.lab.flawed_api import COUNTS, FlawedAPI
from stb_env.lab.status import run
from stb_env.lab.world_api import WorldAPI
from stb_env.metrics.taxonomy import ApiClass, classify
from stb_env.request import drive
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.stabletoolbench.queries import load
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


def test_an_unknown_mode_is_refused(shared_data: Path):
    options = {"data": str(queries(shared_data)), "mode": "replays"}
    with pytest.raises(ConfigError, match=r"^mode must be one of .* got 'replays'. Did you mean 'replay'"):
        run(LabSettings(options=options))


def test_the_classes_that_the_filter_keeps_are_no_flaws():
    assert not {found for found in COUNTS if found.kept}
    assert ApiClass.OTHER_ERROR.kept
