import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.formats.recorded_answer import Answer
from stb_env.lab.answer_pairs import AnswerPair
from stb_env.lab.turing_labels import QUESTIONS, blind, outcomes, read_labels, write_sheets
from stb_env.tools import ToolId


def made_pairs(count):
    return [
        AnswerPair(
            "demo", ToolId("Tools", "demo", "now"), {"n": n}, Answer("", f"real {n}"), Answer("", f"made {n}")
        )
        for n in range(count)
    ]


def lines_of(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


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
