"""Alignment data of the tasks, and the command that writes it."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec

import gymnasium as gym
import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.show.cli import app
from stb_env.suites.sambanova.alignment.generate import AlignmentSet, training_recipe
from stb_env.suites.sambanova.materials import calls, documents
from stb_env.suites.sambanova.tasks import SUITE

TEMPLATED = ("open_weather", "cat_api", "home_search", "trip_booking")
PLAIN = ("virtual_home", "web_shop")


SPLIT = (
    "open_weather",
    "cat_api",
    "home_search",
    "trip_booking",
    "google_sheets",
    "virtual_home",
    "tabletop",
)


def swept(*tasks):
    """Leave to the heavy tests all but the task whose samples are made soonest."""
    return [task if task == "open_weather" else pytest.param(task, marks=pytest.mark.heavy) for task in tasks]


@cache
def made(task, samples=None, split="train"):
    return AlignmentSet.make(SUITE[task], samples, split=split)


@pytest.mark.heavy
@pytest.mark.parametrize("task", TEMPLATED + PLAIN)
def test_there_are_as_many_samples_and_templates_as_in_the_paper(task):
    found, suite = made(task), SUITE[task]
    assert len(found.pairs) == suite.samples
    assert len(found.templates) == (suite.templates if task in TEMPLATED else 0)


@pytest.mark.parametrize("task", swept(*TEMPLATED))
def test_no_solved_goal_is_there_twice(task):
    assert len(set(made(task).pairs)) == len(made(task).pairs)


@pytest.mark.parametrize("task", swept(*TEMPLATED, "virtual_home"))
def test_no_solved_goal_is_a_test_nor_has_the_program_of_one(task):
    tests = gym.make(SUITE[task].env_id).unwrapped.tasks
    found = [tests.at(index) for index in range(tests.size)]
    assert not {test.query for test in found} & {pair.goal for pair in made(task).pairs}
    labels = {label for test in found for label in test.goal["labels"]}
    assert not labels & {pair.action for pair in made(task).pairs}


@pytest.mark.heavy
@pytest.mark.parametrize("task", SPLIT)
def test_validation_shares_no_goal_with_training_and_none_with_the_tests(task):
    trained, held = made(task), made(task, split="validation")
    tests = gym.make(SUITE[task].env_id).unwrapped.tasks
    goals = {pair.goal for pair in held.pairs}
    assert len(held.pairs) == len(set(held.pairs)) > 0
    assert not goals & {pair.goal for pair in trained.pairs}
    assert not goals & {tests.at(index).query for index in range(tests.size)}


@pytest.mark.parametrize("task", swept(*TEMPLATED, "google_sheets", "virtual_home"))
def test_validation_has_a_tenth_of_the_papers_samples(task):
    assert len(made(task, split="validation").pairs) == SUITE[task].samples // 10


@pytest.mark.parametrize("task", swept(*TEMPLATED))
def test_no_program_with_values_is_both_trained_and_validated_on(task):
    shown = "".join(documents(SUITE[task]).values())
    both = {pair.action for pair in made(task).pairs} & {
        pair.action for pair in made(task, split="validation").pairs
    }
    assert all(program in shown for program in both)


@pytest.mark.heavy
def test_all_steps_of_a_trajectory_are_of_one_split():
    trained, held = (
        {wish for pair in made("web_shop", split=split).pairs for wish in _wishes(pair.goal)}
        for split in ("train", "validation")
    )
    assert held
    assert not held & trained


def _wishes(page):
    lines = page.splitlines()
    return {lines[number + 1] for number, line in enumerate(lines) if line.startswith("Instruction:")}


@pytest.mark.heavy
def test_no_sheet_program_calls_just_what_a_test_does():
    suite, tests = SUITE["google_sheets"], gym.make("stb/GoogleSheets-v1").unwrapped.tasks
    avoided = {tuple(sorted(calls(suite, tests.at(n).goal["labels"][0]))) for n in range(tests.size)}
    assert not avoided & {tuple(sorted(calls(suite, pair.action))) for pair in made("google_sheets").pairs}


@pytest.mark.heavy
def test_no_home_search_has_the_functions_of_a_test():
    suite, tests = SUITE["home_search"], gym.make("stb/HomeSearch-v1").unwrapped.tasks
    avoided = {frozenset(calls(suite, tests.at(index).goal["labels"][0])) for index in range(tests.size)}
    assert not avoided & {frozenset(calls(suite, pair.action)) for pair in made("home_search").pairs}


@pytest.mark.parametrize("task", swept(*TEMPLATED))
def test_every_filled_program_runs(task):
    env = gym.make(SUITE[task].env_id)
    env.reset(seed=0)
    state = env.snapshot()
    for pair in made(task).pairs[::9]:
        env.restore(state)
        _, _, _, _, info = env.step(pair.action)
        # An image to be taken off the favourites need not be among those of this task.
        errors = [call["error"] for call in info["calls"] if call["status"] != 1 or task != "cat_api"]
        assert info["calls"], pair
        assert not any(errors), pair


@pytest.mark.parametrize("task", swept(*TEMPLATED))
def test_training_data_make_the_tests_less_complex_than_the_demonstrations_do(task):
    suite = SUITE[task]
    assert 0 < made(task).complexity.score < 1.3 * suite.published_complexity


@pytest.mark.heavy
def test_a_shop_has_no_complexity_and_its_goals_are_pages():
    found = made("web_shop")
    assert found.complexity is None
    assert all(pair.action.startswith(("search[", "click[")) for pair in found.pairs)


@pytest.mark.heavy
def test_equal_seeds_make_equal_sets_and_others_do_not():
    suite = SUITE["home_search"]
    assert AlignmentSet.make(suite, 150, seed=1).pairs == AlignmentSet.make(suite, 150, seed=1).pairs
    assert AlignmentSet.make(suite, 150, seed=1).pairs != AlignmentSet.make(suite, 150, seed=2).pairs


def test_each_sample_ends_with_its_goal_after_others():
    found = made("home_search", 120)
    samples = list(found.samples(pairs=3))
    assert all(len(sample.spans) == 3 for sample in samples)
    for sample, pair in zip(samples, found.pairs, strict=True):
        assert sample.text.endswith(f"Task: {pair.goal}\nAction: {pair.action}\n")


def test_a_sample_shows_the_documents_of_a_prompt():
    sample = next(made("virtual_home").samples())
    assert sample.text.count("\nAgent.") >= SUITE["virtual_home"].documents_k


def test_less_than_one_sample_is_refused():
    with pytest.raises(ConfigError, match="samples must be at least 1, got 0"):
        AlignmentSet.make(SUITE["home_search"], 0)


def test_the_papers_recipe_is_at_hand():
    recipe = training_recipe()
    assert (recipe["epochs"], recipe["batch_size"], recipe["max_tokens"]) == (8, 16, 2048)


# -- the command -----------------------------------------------------------------------------------------


def align(*words):
    return CliRunner().invoke(app, ["sambanova", "align", *map(str, words)])


@pytest.mark.heavy
def test_the_command_writes_samples_recipe_and_summary(tmp_path):
    done = align("home_search,cat_api", "--out", tmp_path, "--samples", 30, "--json")
    report = json.loads(done.stdout)
    lines, held = (
        [json.loads(line) for line in (tmp_path / f"{split}.jsonl").read_text().splitlines()]
        for split in ("train", "validation")
    )
    assert (
        {"train": len(lines), "validation": len(held)} == report["samples"] == {"train": 60, "validation": 6}
    )
    assert [(row["samples"], row["validation"]) for row in report["tasks"]] == [(30, 3), (30, 3)]
    recipe = json.loads((tmp_path / "recipe.json").read_text())
    assert recipe == {**training_recipe(), "samples": report["samples"]}
    card = (tmp_path / "README.md").read_text()
    assert "| train.jsonl | 60 |" in card
    assert "| validation.jsonl | 6 |" in card
    assert "| cat_api | 30 | 30 | 3 |" in card
    assert json.loads((tmp_path / "summary.json").read_text())["tasks"] == report["tasks"]
    for line in lines:
        assert line["last_only"] == line["all_shot"][-1:]
        assert all(line["text"][begin] == " " for begin, _ in line["all_shot"])


@pytest.mark.heavy
def test_the_command_mixes_the_tasks_and_writes_the_same_again(tmp_path):
    for name in ("a", "b"):
        assert align("home_search,cat_api", "--out", tmp_path / name, "--samples", 30).exit_code == 0
    texts = [(tmp_path / name / "train.jsonl").read_bytes() for name in ("a", "b")]
    assert texts[0] == texts[1]
    tasks = [json.loads(line)["task"] for line in texts[0].splitlines()]
    assert tasks != sorted(tasks)
    assert tasks != sorted(tasks, reverse=True)


@pytest.mark.skipif(find_spec("tokenizers") is not None, reason="tokenizers is installed here")
def test_without_the_tokenizers_package_the_command_names_it(tmp_path):
    done = align("home_search", "--out", tmp_path, "--tokenizer", tmp_path / "tokenizer.json")
    assert done.exit_code == 2
    assert "pip install tokenizers" in done.stderr


def test_with_a_tokenizer_the_command_writes_ids_and_masks(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    made_of = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0, "</s>": 1}, unk_token="?"))
    made_of.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made_of.save(str(tmp_path / "t.json"))
    words = ("--samples", 3, "--tokenizer", tmp_path / "t.json", "--end-of-text", "</s>")
    assert align("home_search", "--out", tmp_path / "out", *words).exit_code == 0
    line = json.loads((tmp_path / "out" / "train.jsonl").read_text().splitlines()[0])
    assert (line["input_ids"][-1], line["all_shot_mask"][-1]) == (1, 1)
    assert 0 < sum(line["last_only_mask"]) < sum(line["all_shot_mask"]) < len(line["input_ids"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("home_serch",), "no SambaNova task 'home_serch'"),
        (("home_search", "--end-of-text", "</s>"), "--end-of-text names a token; give its --tokenizer too"),
    ],
)
def test_the_command_refuses_bad_use(tmp_path, words, message):
    done = align(*words, "--out", tmp_path)
    assert done.exit_code == 2
    assert message in done.stderr
