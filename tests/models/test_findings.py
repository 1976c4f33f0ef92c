"""What endpoints can do is found out once, and forgotten when it may have changed."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from stb_env.models import Clock, ModelError, ScriptedModel
from stb_env.models.abilities import Abilities
from stb_env.models.context_window import listed_window
from stb_env.models.endpoint import ModelAddress
from stb_env.models.findings import FINDINGS, KEPT, RETRY, Findings

FAR = ModelAddress("https://llm.example/v1", "m")
NEAR = ModelAddress("http://127.0.0.1:8000/v1", "m")
NOTHING = Abilities(json_schema=False, tools=False, rendered=False)


class Time:
    now = 1000.0

    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now, wall=lambda: self.now)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def mute() -> ScriptedModel:
    """A model that answers, and shows no ability."""
    return ScriptedModel(lambda request: "hm")


def test_a_distant_finding_outlives_the_process(tmp_path: Path, mute):
    file = tmp_path / "new" / "endpoints.json"
    assert Findings(file).of(FAR, lambda: mute) == NOTHING
    asked = len(mute.requests)
    assert Findings(file).of(FAR, lambda: mute) == NOTHING
    assert (asked > 0, len(mute.requests)) == (True, asked)


def test_findings_travel_without_what_a_process_knows(tmp_path: Path, mute):
    known = Findings(tmp_path / "f")
    known.of(NEAR, lambda: mute)
    assert pickle.loads(pickle.dumps(known)).file == known.file
    assert pickle.loads(pickle.dumps(FINDINGS)) is FINDINGS


def test_a_local_finding_does_not(tmp_path: Path, mute):
    Findings(tmp_path / "f").of(NEAR, lambda: mute)
    assert not (tmp_path / "f").exists()


def test_an_old_finding_is_found_again(tmp_path: Path, mute, time):
    Findings(tmp_path / "f", time.clock()).of(FAR, lambda: mute)
    asked = len(mute.requests)
    time.now += KEPT
    Findings(tmp_path / "f", time.clock()).of(FAR, lambda: mute)
    assert len(mute.requests) == 2 * asked


@pytest.mark.parametrize("text", ["", "[]", '{"https://llm.example/v1 m": {"found": "today"}}', "{"])
def test_a_damaged_file_is_no_finding(tmp_path: Path, mute, text):
    (tmp_path / "f").write_text(text)
    assert Findings(tmp_path / "f").of(FAR, lambda: mute) == NOTHING
    assert list(json.loads((tmp_path / "f").read_text())) == [FAR.key]


def test_a_file_that_cannot_be_written_costs_only_the_next_process_its_time(tmp_path: Path, mute):
    (tmp_path / "taken").write_text("no folder")
    assert Findings(tmp_path / "taken" / "f").of(FAR, lambda: mute) == NOTHING


def test_an_endpoint_that_was_down_is_asked_again_after_a_while(tmp_path: Path, mute, time):
    dead = ScriptedModel(lambda request: ModelError("down", kind="transport", retryable=True))
    findings = Findings(tmp_path / "f", time.clock())
    assert findings.of(FAR, lambda: dead) is None
    assert findings.of(FAR, lambda: mute) is None
    time.now += RETRY
    assert findings.of(FAR, lambda: mute) == NOTHING
    assert len(dead.requests) == 1


@pytest.mark.parametrize(
    ("failure", "found"),
    [
        (ModelError("late", kind="timeout", retryable=True), None),
        (ModelError("no gateway", kind="transport", retryable=True, status=502), None),
        (ModelError("cut off", kind="transport", retryable=True), None),
        (ModelError("an own fault", kind="transport", retryable=True, status=500), NOTHING),
        (ModelError("no tools here", status=400), NOTHING),
    ],
)
def test_what_passes_within_a_probe_proves_nothing_and_is_not_remembered(tmp_path: Path, failure, found):
    model = ScriptedModel(lambda request: failure if request.tools else "hm")
    assert Findings(tmp_path / "f").of(FAR, lambda: model) == found
    assert (tmp_path / "f").exists() == (found is not None)


def test_a_model_that_takes_no_sampling_is_asked_without(tmp_path: Path):
    def answer(request):
        sampled = bool(request.sampling.to_dict())
        return ModelError("no temperature", status=400) if sampled else '{"code": "marigold-4711"}'

    found = Findings(tmp_path / "f").of(FAR, lambda: ScriptedModel(answer))
    assert found == Abilities(json_schema=True, tools=False, rendered=True)


@pytest.mark.parametrize("listing", [None, [], {"data": 1}, {"data": [{"id": "m", "max_model_len": "4k"}]}])
def test_a_server_that_says_no_window_has_none(listing):
    assert listed_window(listing, "m") is None
