"""Training: synthesised dialogues and official training files as episodes, runs as official files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError, DataError
from stb_env.show.cli.main import app
from stb_env.suites.api_bank.corpus import read_corpus
from stb_env.suites.api_bank.env import make
from stb_env.suites.api_bank.formats.dialogues import read_dialogues, read_level3
from stb_env.suites.api_bank.formats.training import read_training
from stb_env.suites.api_bank.formats.written_dialogues import read_written
from stb_env.suites.api_bank.recorded_apis import RecordedApis
from tests.shared import folder

ABILITIES = ("Call", "Retrieve", "Plan")


def stb(*words: object, code: int = 0) -> dict:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout) if code == 0 else {"error": done.stderr}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("synthesis") / "out"
    stb("synthesize", "--out", place, "--dialogues", 40)
    return place


@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize(("agent", "share"), [("gold", 1.0), ("echo", 0.0), ("noop", 0.0)])
def test_synthesised_dialogues_are_episodes_that_gold_solves_and_cheats_do_not(
    written, ability, agent, share
):
    words = ("run", f"stb/APIBank{ability}-v1", "--data", written, "--set", "split=train", "--agent", agent)
    played = stb(*words)
    assert played["episodes"] > 0
    assert (played["solved_valid"], played["invalid"]) == (share, 0)


def test_the_training_samples_of_a_synthesis_are_the_same_dialogues(written):
    whole = [one.dialogue for one in read_written(written)]
    cut = [one.dialogue for one in read_written(written / "kept.api_bank.json")]
    assert len(whole) == len(cut) > 0
    for one, other in zip(whole, cut, strict=True):
        assert one.level == other.level
        assert [(call.name, call.arguments, call.result) for call in one.calls] == [
            (call.name, call.arguments, call.result) for call in other.calls
        ]


def test_dialogues_that_were_not_kept_are_no_episodes(written, tmp_path):
    lines = (written / "dialogues.jsonl").read_text().splitlines()
    kept = [json.loads(line) for line in lines if json.loads(line)["outcome"] == "kept"]
    for one in kept:
        del one["sha256"]
    dropped = json.dumps(kept[0] | {"outcome": "dropped"})
    (tmp_path / "dialogues.jsonl").write_text(f"{dropped}\n{json.dumps(kept[1])}\n")
    assert [one.dialogue.name for one in read_written(tmp_path)] == [f"synthesis-{kept[1]['index']:05}"]


def test_official_training_files_are_episodes_that_gold_solves(shared_data):
    data = folder(shared_data, "api_bank", "train")
    levels = {one.dialogue.level for one in read_written(data)}
    for ability, level in zip(ABILITIES, (1, 2, 3), strict=True):
        if level in levels:
            played = stb("run", f"stb/APIBank{ability}-v1", "--data", data, "--agent", "gold")
            assert played["solved"] == played["episodes"] > 0


def test_official_dialogues_are_still_no_training_split(shared_data):
    with pytest.raises(ConfigError, match="the official dialogues are tests; leave out data"):
        make("Call", data=folder(shared_data, "api_bank"), split="train")


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(DataError, match=r"holds no dialogues of level 3; give level-3\.json"):
        make("Plan", data=tmp_path / "missing.json")
    with pytest.raises(DataError, match="holds no API-Bank dialogues"):
        make("Call", data=tmp_path)


def test_dialogues_that_contradict_earlier_ones_are_left_out_with_the_reason(written):
    first, *_ = (one for one in read_written(written) if one.dialogue.level == 1)
    item = next(place for place, each in enumerate(first.dialogue.items) if each in first.dialogue.calls)
    call = first.dialogue.items[item]
    other = type(call)(call.name, call.arguments, {"output": {"other": 1}, "exception": None})
    items = (*first.dialogue.items[:item], other, *first.dialogue.items[item + 1 :])
    twin = type(first.dialogue)("twin", 1, items)
    taken = RecordedApis([first, type(first)(twin, first.apis)])
    assert [one.name for one in taken.dialogues] == [first.dialogue.name]
    assert taken.left_out == {"twin": f"{call.name} answers the same call otherwise elsewhere"}


def test_a_check_says_how_many_written_dialogues_can_be_played_and_why_others_cannot(written):
    counted = stb("data", "check", written)
    assert sum(row["there"] for row in counted.values()) == len(read_written(written))
    for row in counted.values():
        assert row["playable"] == row["there"] - len(row["left_out"])


def test_a_corpus_of_written_apis_is_picklable(written):
    corpus = read_corpus("Call", written)
    again = pickle.loads(pickle.dumps(corpus))
    assert again.apis.entries == corpus.apis.entries


def test_a_run_is_exported_as_dialogues_that_are_read_again(tmp_path):
    for ability in ABILITIES:
        run = tmp_path / ability
        stb("run", f"stb/APIBank{ability}-v1", "--agent", "gold", "--episodes", 4, "--out", run)
        stb("export", run, "--format", "api-bank")
        files = run / "exports" / "api-bank"
        found = read_level3(files / "level-3.json") if ability == "Plan" else read_dialogues(files)
        played = [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]
        assert len(found) == len(played)
        for dialogue, episode in zip(sorted(found, key=_calls), sorted(played, key=_made), strict=True):
            assert [call.name for call in dialogue.calls] == _names(episode)
            assert dialogue.items[-1].speaker == "AI"


def test_a_run_is_exported_as_training_samples_that_are_episodes_again(tmp_path):
    run = tmp_path / "run"
    stb("run", "stb/APIBankCall-v1", "--agent", "gold", "--episodes", 6, "--out", run)
    stb("export", run, "--format", "lynx", "--only", "solved")
    place = run / "exports" / "lynx"
    calls = read_training(place / "lv1-train.json")
    played = [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]
    assert len(calls) == sum(len(_names(episode)) for episode in played)
    assert all(sample.call is not None for sample in calls)
    assert len(read_written(place)) > 0


def test_what_is_none_of_api_bank_is_not_exported_as_such(tmp_path):
    stb("run", "stb/Sandbox-v1", "--episodes", 1, "--out", tmp_path / "run")
    error = stb("export", tmp_path / "run", "--format", "lynx", code=2)["error"]
    assert "is none of API-Bank, but of" in error


def _names(episode: dict) -> list[str]:
    calls = [call["name"] for step in episode["steps"] for call in step["calls"]]
    return [name for name in calls if name != "Finish"]


def _made(episode: dict) -> list[str]:
    return _names(episode)


def _calls(dialogue) -> list[str]:
    return [call.name for call in dialogue.calls]
