"""The Turing test of simulated answers: measured pairs, blinded sheets, and labels that come back."""

import json
from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.experiments.lab.answer_pairs import AnswerPair, Similarity, recorded_pairs
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.turing import run
from stb_env.experiments.lab.turing_labels import QUESTIONS, blind, outcomes, read_labels, write_sheets
from stb_env.formats.recorded_answer import Answer
from stb_env.tools import ToolId
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


@pytest.mark.heavy
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


@pytest.mark.heavy
def test_golden_a_real_answer_against_itself_is_perfect(shared_data):
    for pair in recorded_pairs(folder(shared_data, "mirrorapi_bench")):
        same = Similarity.of(replace(pair, simulated=pair.real))
        assert same.same_outcome
        assert same.schema_match
        assert same.field_overlap in (None, 1.0)
        assert same.bleu4 == pytest.approx(1.0)
        assert same.rouge_l == 1.0


# -- sheets and labels ----------------------------------------------------------------------------


def made_pairs(count):
    return [
        AnswerPair(
            "demo", ToolId("Tools", "demo", "now"), {"n": n}, Answer("", f"real {n}"), Answer("", f"made {n}")
        )
        for n in range(count)
    ]


def written(file, *labels):
    file.write_text("".join(json.dumps(label) + "\n" for label in labels), encoding="utf-8")
    return file


def test_a_sheet_shows_both_answers_and_nothing_that_tells_them_apart(tmp_path):
    sheets, key = write_sheets(tmp_path / "new", blind(made_pairs(20), seed=0))
    sides = {line["pair"]: line["real"] for line in lines_of(key)}
    for line in lines_of(sheets):
        assert set(line) == {"pair", "api", "arguments", "A", "B"}
        real = sides[line["pair"]]
        assert line[real]["response"].startswith("real")
        assert line["AB".replace(real, "")]["response"].startswith("made")


def test_the_real_answer_stands_on_either_side():
    sides = [pair.real for pair in blind(made_pairs(200), seed=0)]
    assert 70 < sides.count("A") < 130


def test_the_order_of_the_sheet_is_not_that_of_the_pairs():
    numbers = [pair.pair.arguments["n"] for pair in blind(made_pairs(50), seed=0)]
    assert sorted(numbers) == list(range(50)) != numbers


@given(st.integers(0, 2**32), st.integers(1, 12))
def test_sides_and_names_follow_from_pair_and_seed_alone(seed, count):
    pairs = made_pairs(12)
    assert blind(pairs, seed, count) == blind(pairs[::-1], seed)[:count]
    assert {pair.name for pair in blind(pairs, seed)}.isdisjoint(pair.name for pair in blind(pairs, seed + 1))


def test_the_questions_go_out_with_the_sheets(tmp_path):
    write_sheets(tmp_path, blind(made_pairs(1), seed=0))
    about = json.loads((tmp_path / "turing_questions.json").read_text(encoding="utf-8"))
    assert about["questions"] == dict(QUESTIONS)
    assert about["line"]["question"] in QUESTIONS
    assert about["line"]["label"] in about["labels"]


def test_a_label_for_the_simulated_side_is_its_win(tmp_path):
    blinded = blind(made_pairs(3), seed=0)
    won, lost, tied = blinded
    file = written(
        tmp_path / "ada.jsonl",
        {"pair": won.name, "question": "overall", "label": "AB".replace(won.real, "")},
        {"pair": lost.name, "question": "overall", "label": lost.real},
        {"pair": tied.name, "question": "overall", "label": "tie"},
        {"pair": won.name, "question": "format", "label": won.real, "annotator": "bob"},
    )
    labels = read_labels([file], blinded)
    assert {label.annotator for label in labels} == {"ada", "bob"}
    found = outcomes(labels, blinded)
    assert found == {"overall": [["win"], ["lose"], ["tie"]], "format": [["lose"]], "relevance": []}


def test_labels_of_several_annotators_meet_at_their_pair(tmp_path):
    blinded = blind(made_pairs(1), seed=0)
    label = {"pair": blinded[0].name, "question": "overall", "label": "tie"}
    files = [written(tmp_path / f"{name}.jsonl", label) for name in ("ada", "bob", "eve")]
    assert outcomes(read_labels(files, blinded), blinded)["overall"] == [["tie", "tie", "tie"]]


NAME = blind(made_pairs(1), seed=0)[0].name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair": "p7"}, r"no pair 'p7' among the 1 given out; use the same data and seed$"),
        ({"question": "overal"}, r"no question 'overal'; .*relevance\. Did you mean 'overall'\?$"),
        ({"label": "a"}, r"no label 'a'; expected A, B, tie\.$"),
        ({"label": None}, r"expected a text as 'label', got None$"),
    ],
)
def test_a_label_that_fits_nothing_is_refused_with_its_line(tmp_path, change, message):
    line = {"pair": NAME, "question": "overall", "label": "tie"} | change
    with pytest.raises(DataError, match=r"ada\.jsonl, line 1: " + message):
        read_labels([written(tmp_path / "ada.jsonl", line)], blind(made_pairs(1), seed=0))


@pytest.mark.parametrize(
    ("text", "message"), [("[1]\n", "expected an object, got list"), ("{\n", "Expecting")]
)
def test_a_line_that_is_no_object_is_refused(tmp_path, text, message):
    file = tmp_path / "ada.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"ada\.jsonl, line 1: {message}"):
        read_labels([file], blind(made_pairs(1), seed=0))


def test_labelling_twice_is_refused(tmp_path):
    line = {"pair": NAME, "question": "overall", "label": "tie"}
    file = written(tmp_path / "ada.jsonl", line, line | {"label": "A"})
    message = rf"line 2: ada labels overall of pair {NAME} twice; keep one line$"
    with pytest.raises(DataError, match=message):
        read_labels([file], blind(made_pairs(1), seed=0))


def test_a_missing_file_of_labels_is_named(tmp_path):
    with pytest.raises(DataError, match=r"^no labels at .*none\.jsonl; give a file of JSON lines"):
        read_labels([tmp_path / "none.jsonl"], [])
