"""The published dialogues as episodes, samples and scenes."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.runs import plan, play
from stb_env.runs.baselines import load_agent
from stb_env.suites.api_bank.corpus import LEVELS, read_corpus
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.formats.dialogues import find_dialogues
from stb_env.suites.api_bank.formats.rendering import call_line
from stb_env.suites.api_bank.formats.scenes import read_scenes
from stb_env.suites.api_bank.inspect import statistics
from stb_env.suites.api_bank.judge import is_needed
from stb_env.suites.api_bank.metrics import by_level
from stb_env.suites.api_bank.reproduction import CURED, SEARCHED, replay, replays

ABILITIES = ("Call", "Retrieve", "Plan")


@pytest.fixture(scope="module")
def folder(shared_data):
    folder = shared_data / "api_bank"
    if not (folder / "init_database").is_dir():
        pytest.skip(f"no {folder / 'init_database'}")
    return folder


class Envs(dict):
    """The environments by ability; one whose dialogues are absent skips."""

    def __init__(self, folder):
        self.folder = folder

    def __missing__(self, ability):
        skip_without(self.folder, ability)
        self[ability] = gym.make(f"stb/APIBank{ability}-v1", data=self.folder).unwrapped
        return self[ability]


def skip_without(folder, ability):
    level = LEVELS[ability]
    if not any(dialogue.level == level for dialogue in find_dialogues(folder)):
        pytest.skip(f"no dialogues of level {level} in {folder}")


@pytest.fixture(scope="module")
def envs(folder):
    return Envs(folder)


@pytest.fixture(scope="module")
def corpora(folder):
    levels = {dialogue.level for dialogue in find_dialogues(folder)}
    return [read_corpus(ability, folder) for ability in ABILITIES if LEVELS[ability] in levels]


def played(env, agent):
    jobs = plan(env.tasks, episodes=None)
    return [play(env, load_agent(agent)(), task_id=job.task_id, seed=job.seed) for job in jobs]


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_the_oracle_scores_all_that_replay_reproduces(envs, ability):
    env = envs[ability]
    episodes = played(env, "gold")
    rows = {row.setting: row for row in replays([*env.tasks], env.rules.backend)}
    judged = [episode for episode in episodes if episode.valid]
    needed = sum(is_needed(each) for task in env.tasks for each in task.goal["calls"])
    right = sum(episode.verdict["metrics"]["right_calls"] for episode in judged)
    assert right == rows[CURED].reproduced - (rows[CURED].tried - needed)
    assert {episode.reward for episode in judged} <= {1.0}


@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_dialogues_without_a_call_are_no_tasks(folder, envs, ability):
    silent = read_corpus(ability, folder).without_calls
    assert {task.id for task in envs[ability].tasks}.isdisjoint(silent)
    assert all(task.goal["calls"] for task in envs[ability].tasks)


@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_replay_cured_reproduces_everything_and_explains_every_other_miss(envs, ability):
    env = envs[ability]
    rows = {row.setting: row for row in replays([*env.tasks], env.rules.backend)}
    assert rows[CURED].misses == ()
    for row in rows.values():
        assert row.counts["explained"] == row.tried - row.reproduced, row.misses


def test_golden_our_search_alone_misses_nothing_but_searches(envs):
    rows = {row.setting: row for row in replays([*envs["Retrieve"].tasks], envs["Retrieve"].rules.backend)}
    assert {name for _, _, name, _ in rows[SEARCHED].misses} <= {"ToolSearcher"}


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("agent", ["give_up", "echo", "inject"])
def test_golden_an_agent_that_calls_nothing_scores_nothing(envs, ability, agent):
    assert {episode.reward for episode in played(envs[ability], agent)} <= {0.0}


def gold_predictions(evaluator):
    texts = {}
    for sample in evaluator.samples:
        place = evaluator.place(sample)
        key = (sample.dialogue, sample.id)
        if sample.level == 3:
            key = (place, sample.id if sample.wants_call else None)
        texts[key] = call_line(sample.target) if sample.wants_call else sample.target.text
    return texts


def test_golden_the_recorded_texts_score_everything(corpora):
    evaluator = Evaluator(corpora)
    for level, figures in by_level(evaluator.evaluate(gold_predictions(evaluator))).items():
        assert figures.accuracy == 1.0, level
        assert figures.rouge == pytest.approx(1.0)


def test_golden_the_released_way_rejects_recorded_texts_where_it_does_not_reproduce_their_calls(corpora):
    evaluator = Evaluator(corpora, compat="original")
    figures = by_level(evaluator.evaluate(gold_predictions(evaluator)))
    for corpus in corpora:
        misses = [
            reproduction
            for dialogue in corpus.dialogues
            for reproduction in replay(dialogue.calls, corpus.world("original"), mode="isolated")
            if not reproduction.reproduced
        ]
        accuracy = figures[LEVELS[corpus.ability]].accuracy
        assert (accuracy is None or accuracy == 1.0) == (not misses), corpus.ability


def test_golden_samples_of_consecutive_calls_are_cut_twice(corpora):
    spoken = [corpus for corpus in corpora if LEVELS[corpus.ability] < 3]
    if not spoken:
        pytest.skip("no dialogues of levels 1 and 2")
    evaluator = Evaluator(spoken)
    dialogues = {dialogue.name: dialogue for corpus in spoken for dialogue in corpus.dialogues}
    calls = sum(len(dialogue.calls) for dialogue in dialogues.values())
    following = sum(
        type(one) is type(other) and not hasattr(one, "speaker")
        for dialogue in dialogues.values()
        for one, other in zip(dialogue.items, dialogue.items[1:], strict=False)
    )
    assert sum(sample.wants_call for sample in evaluator.samples) == calls + following


def test_golden_scenes_are_played_to_their_end(folder):
    if not any(folder.rglob("lv3-samples/*.txt")):
        pytest.skip("no scenes")
    env = gym.make("stb/APIBankPlan-v1", data=folder, scenes=True).unwrapped
    assert len(env.tasks) == len(read_scenes(folder))
    assert {episode.reward for episode in played(env, "gold")} == {1.0}


def test_golden_the_counts_of_table_2_are_those_of_the_files(folder):
    counts = statistics(find_dialogues(folder)).counts
    files = sorted(file for file in folder.rglob("*.jsonl") if file.parent.name.startswith("level-"))
    lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    plans = [plan for file in sorted(folder.rglob("level-3*.json")) for plan in json.loads(file.read_text())]
    assert counts["dialogues"] == len(files) + len(plans)
    called = sum(line["role"] == "API" for line in lines)
    assert counts["calls"] == called + sum(len(plan["apis"]) for plan in plans)
    for level, name in enumerate(("Call", "Retrieve+Call"), 1):
        assert counts[name] == sum(file.parent.name.startswith(f"level-{level}") for file in files)
    assert counts["single-call turns"] + counts["multi-call turns"] <= counts["turns"]
    assert sum(line["role"] == "User" for line in lines) + len(plans) >= counts["turns"]
