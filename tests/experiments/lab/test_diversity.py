import json
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError, DataError
from stb_env.experiments.lab.answer_pairs import AnswerPair
from stb_env.experiments.lab.diversity import identical, mean_distances, run
from stb_env.experiments.lab.embedding_map import correlation_distances, hashed_grams, pca_map
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.formats.recorded_answer import Answer
from stb_env.tools import ToolId
from tests.shared import folder

FIRST, SECOND = ToolId("T", "t", "first"), ToolId("T", "t", "second")


@pytest.fixture(scope="module")
def small():
    return run(LabSettings(episodes=12))


def row_of(experiment, calls, answers):
    (row,) = (
        row for row in experiment.to_dict()["rows"] if (row["calls"], row["answers"]) == (calls, answers)
    )
    return row


def pair(api, real, simulated):
    return AnswerPair("demo", api, {}, Answer("", real), Answer("", simulated))


def test_an_api_counts_once_where_any_two_of_its_answers_are_equal():
    pairs = [
        pair(FIRST, "a", 1),
        pair(FIRST, "b", 2),
        pair(FIRST, "a", 3),
        pair(SECOND, "a", 1),
        pair(SECOND, "b", 2),
    ]
    assert identical("demo", pairs, "real") == ("demo", "real", 2, 1.0, 1, 0.5)
    assert identical("demo", pairs, "simulated") == ("demo", "simulated", 2, 1.0, 0, 0.0)


def test_an_api_that_was_called_once_counts_for_nothing():
    assert identical("demo", [pair(FIRST, "a", "b")], "real") == ("demo", "real", 0, 1.0, 0, None)


def test_every_api_is_called_five_times_in_both_ways_of_choosing_calls(small):
    points = small.details["points"]
    assert len(points) == 2 * 2 * 12 * 5
    for calls in ("written", "gold"):
        assert row_of(small, calls, "real")["apis"] == row_of(small, calls, "simulated")["apis"] == 12


def test_the_count_of_the_paper_stands_beside_ours(small):
    assert row_of(small, "paper", "the paper's simulator")["apis_with_identical"] == 2


def test_gold_calls_are_all_answered(small):
    assert row_of(small, "gold", "real")["answered"] == 1.0


def test_a_simulated_answer_is_nearest_to_the_real_one_of_its_call(small):
    (table,) = small.to_dict()["further"]
    for row in table["rows"]:
        assert row["same_call"] < row["other_call"] < row["other_api"]


def test_stand_ins_are_labelled_in_table_and_json(small):
    assert "stand-in: hashed character n-grams" in small.table()
    assert "Map: stand-in: principal components." in small.table()
    assert small.details["embedding"].startswith("stand-in: ")
    assert small.details["map"].startswith("stand-in: ")


@pytest.mark.heavy
def test_equal_seeds_give_equal_json_and_others_other_apis(small):
    def text(seed):
        return json.dumps(run(LabSettings(seed=seed, episodes=12)).to_dict())

    assert text(0) == json.dumps(small.to_dict()) != text(1)


@pytest.mark.heavy
def test_golden_pairs_of_recordings_can_be_mapped_too(shared_data):
    found = run(LabSettings(options={"data": str(folder(shared_data, "mirrorapi_bench"))}))
    assert {row["calls"] for row in found.to_dict()["rows"]} == {
        "paper",
        *(file.stem for file in (shared_data / "mirrorapi_bench").glob("*.jsonl")),
    }


@pytest.mark.parametrize(
    ("module", "package", "options"),
    [
        ("umap", "umap-learn", {"map": "umap"}),
        ("sentence_transformers", "sentence-transformers", {"embedding": "all-mpnet-base-v2"}),
    ],
)
def test_a_method_that_is_not_installed_says_what_to_install(module, package, options):
    if find_spec(module):
        pytest.skip(f"{package} is installed")
    with pytest.raises(ConfigError, match=rf"^this needs {package}, .* `pip install {package}`"):
        run(LabSettings(episodes=2, options=options))


def test_a_folder_without_pairs_is_refused(tmp_path):
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"^no pair of a real and a simulated answer in .*MirrorAPI-Bench"):
        run(LabSettings(options={"data": str(tmp_path)}))


def test_distances_are_split_by_call_and_api_as_worked_out_by_hand():
    real = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [-1.0, 0.0, 1.0]])
    # Each simulated answer equals its real one; correlations between rows are 0.5, -1 and -0.5.
    same_call, other_call, other_api = mean_distances([FIRST, FIRST, SECOND], real, real)
    assert same_call == 0.0
    assert other_call == pytest.approx(1 - 0.5)
    assert other_api == pytest.approx(((1 + 1) + (1 + 0.5)) / 2)


def test_a_kind_of_pair_that_does_not_occur_has_no_distance():
    assert mean_distances([FIRST], np.ones((1, 3)), np.ones((1, 3)))[1:] == (None, None)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_embedded_texts_have_length_one_or_nothing_in_them(texts):
    lengths = np.linalg.norm(hashed_grams(texts), axis=1)
    assert np.all(np.isclose(lengths, 1) | (lengths == 0))


def test_the_correlation_metric_is_pearsons():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(3, 8)), rng.normal(size=(2, 8))
    expected = 1 - np.corrcoef(first, second)[:3, 3:]
    assert correlation_distances(first, second) == pytest.approx(expected)


def test_the_map_keeps_the_distances_of_points_that_lie_in_a_plane():
    plane = np.random.default_rng(0).normal(size=(10, 2))
    turned = plane @ np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    found = pca_map(turned, seed=0)
    assert np.linalg.norm(found[:, None] - found, axis=2) == pytest.approx(
        np.linalg.norm(plane[:, None] - plane, axis=2)
    )
