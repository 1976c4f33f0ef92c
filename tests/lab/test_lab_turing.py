import json
from dataclasses import replace
from statistics import fmean

import pytest

from stb_env.lab.answer_pairs import Similarity, recorded_pairs
from stb_env.lab.experiment import LabSettings
from stb_env.lab.turing import run
from tests.shared import folder


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_sandbox_answers_where_no_data_is_given():
    (row,) = run(LabSettings(episodes=15)).to_dict()["rows"]
    assert (row["group"], row["pairs"], row["same_outcome"]) == ("sandbox", 15, 1.0)
    assert row["schema_match"] > 0.8 > row["bleu4"]


def test_without_labels_nothing_is_claimed_about_people():
    (table,) = run(LabSettings(episodes=5)).to_dict()["further"]
    assert [row["win"] for row in table["rows"]] == [None] * 3
    assert table["notes"][0].startswith("No labels yet")


def test_labels_that_come_back_are_counted_for_the_simulated_answer(tmp_path):
    run(LabSettings(out=tmp_path, episodes=4))
    key = lines_of(tmp_path / "turing_key.jsonl")
    for annotator, labels in {
        "ada": ["real", "real", "tie", "made"],
        "bob": ["real", "made", "tie", "made"],
    }.items():
        lines = [
            {
                "pair": line["pair"],
                "question": "overall",
                "label": {"real": line["real"], "made": "AB".replace(line["real"], ""), "tie": "tie"}[label],
            }
            for line, label in zip(key, labels, strict=True)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{annotator}.jsonl").write_text(text, encoding="utf-8")
    files = f"{tmp_path / 'ada.jsonl'},{tmp_path / 'bob.jsonl'}"
    (table,) = run(LabSettings(episodes=4, options={"labels": files})).to_dict()["further"]
    overall = table["rows"][0]
    assert overall["question"] == "overall"
    assert (overall["pairs"], overall["labels"]) == (4, 8)
    assert (overall["win"], overall["lose"], overall["tie"]) == (3 / 8, 3 / 8, 2 / 8)
    assert overall["agreement"] == 3 / 4
    # Expected disagreement 2 (3 * 3 + 3 * 2 + 3 * 2) of 8 * 7; observed 2 of 8.
    assert overall["alpha"] == pytest.approx(1 - (2 / 8) / (42 / 56))


def test_equal_seeds_give_equal_files_and_json(tmp_path):
    def result(folder, seed):
        experiment = run(LabSettings(out=folder, seed=seed, episodes=6))
        files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
        return json.dumps(experiment.to_dict()), files

    assert result(tmp_path / "a", 0) == result(tmp_path / "b", 0)
    assert result(tmp_path / "c", 1)[1] != result(tmp_path / "d", 0)[1]


def test_golden_every_file_of_recorded_pairs_is_measured(shared_data):
    data = folder(shared_data, "mirrorapi_bench")
    found = run(LabSettings(options={"data": str(data)})).to_dict()
    rows = {row["group"]: row for row in found["rows"]}
    files = {file.stem: file for file in data.glob("*.jsonl")}
    assert set(rows) >= set(files)
    assert all(rows[name]["pairs"] == len(recorded_pairs(file)) for name, file in files.items())
    total = sum(rows[name]["pairs"] for name in files)
    assert total == len(found["details"]["pairs"])
    for name, file in files.items():
        measured = [Similarity.of(pair) for pair in recorded_pairs(file)]
        assert rows[name]["rouge_l"] == pytest.approx(fmean(each.rouge_l for each in measured), abs=1e-3)
    for row in rows.values():
        assert 0 <= row["schema_match"] <= row["same_outcome"] <= 1


def test_golden_a_real_answer_against_itself_is_perfect(shared_data):
    for pair in recorded_pairs(folder(shared_data, "mirrorapi_bench")):
        same = Similarity.of(replace(pair, simulated=pair.real))
        assert same.same_outcome
        assert same.schema_match
        assert same.field_overlap in (None, 1.0)
        assert same.bleu4 == pytest.approx(1.0)
        assert same.rouge_l == 1.0
