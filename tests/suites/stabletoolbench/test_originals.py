"""The original's texts are read from the user's copy: parsed, never run, and missed with a word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import stb_env
from stb_env.errors import ConfigError, DataError
from stb_env.suites.stabletoolbench.originals import find_evaluator, find_originals, places, read_originals
from stb_env.suites.stabletoolbench.wording import OriginalWording
from tests.suites.stabletoolbench import repository
from tests.suites.stabletoolbench.repository import write_repository


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return write_repository(tmp_path / "copy")


def test_every_text_of_a_copy_is_read(copy: Path):
    found = read_originals(copy)
    assert (found.system, found.user, found.task) == (repository.SYSTEM, repository.USER, repository.TASK)
    assert (found.diversity, found.former) == (repository.DIVERSITY, (repository.FORMER, "\n"))
    assert (found.ranking, found.ranking_user) == (repository.RANKING, repository.RANKING_USER)
    assert found.finish == repository.FINISH


def test_a_copy_that_lacks_a_text_is_refused_with_its_name(tmp_path: Path):
    copy = write_repository(tmp_path, without="DIVERSITY_PROMPT")
    with pytest.raises(
        DataError, match=re.escape(f"{copy} lacks texts of the original's inference: diversity (DIVERSITY_P")
    ):
        read_originals(copy)


def test_a_copy_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"is no folder; give a copy of the StableToolBench repository"):
        read_originals(tmp_path / "none")


def test_a_fetched_copy_is_found_beside_the_queries(tmp_path: Path):
    queries = tmp_path / "solvable_queries" / "test_instruction"
    queries.mkdir(parents=True)
    assert find_originals(queries) is None
    write_repository(tmp_path / "originals")
    assert find_originals(queries) == tmp_path / "originals"


def test_an_evaluator_of_a_copy_is_found_by_its_name(copy: Path):
    folder = copy / "tooleval" / "evaluators" / "mine"
    folder.mkdir(parents=True)
    (folder / "template.txt").write_text("")
    assert find_evaluator(copy, "mine") == folder
    with pytest.raises(DataError, match=r"has no evaluator 'yours'; evaluators there: mine"):
        find_evaluator(copy, "yours")


def test_what_fills_a_place_is_never_read_as_one():
    assert places("{a} {b} {c}", {"a": "{b}", "b": "{a}"}) == "{b} {a} {c}"


def test_an_episode_opens_in_the_words_of_the_copy(copy: Path):
    env = stb_env.make("stb/I1Instruction-v0", compat="original", originals=str(copy), judge="heuristic")
    observation, info = env.reset(seed=0)
    system, user = (message["content"] for message in info["messages"])
    assert system.startswith("Rules of the copy.\nTask description: What the copy says of tasks.\n")
    assert user == f"\n{observation['query']}\nGo!\n"
    assert json.loads(observation["tools"])[-1]["function"] == repository.FINISH


def test_without_a_copy_our_own_words_have_the_same_form():
    env = stb_env.make("stb/I1Instruction-v0", compat="original", judge="heuristic")
    observation, info = env.reset(seed=0)
    system, user = (message["content"] for message in info["messages"])
    tool = env.task.tools[0].id.tool
    assert f"\n1.{tool}: " in system
    assert user.startswith(f"\n{observation['query']}\n")
    assert user.endswith("\n")
    assert env.wording.fingerprint["origin"] == "own prompts"


def test_originals_are_for_the_original_alone(copy: Path):
    with pytest.raises(ConfigError, match=r"originals are read with compat='original' alone"):
        stb_env.make("stb/I1Instruction-v0", originals=str(copy))


def test_a_diversity_message_repeats_the_observation_where_there_is_one(copy: Path):
    wording = OriginalWording(read_originals(copy))
    assert wording.tried("[1]", "seen") == "The copy shows [1]\nbefore that: seen\nand wants another."
    assert wording.tried("[1]", "") == "The copy shows [1]\nand wants another."


def test_other_texts_have_another_hash(copy: Path):
    before = OriginalWording(read_originals(copy)).fingerprint
    assert before["origin"] == "original prompts"
    assert before["agent"] != OriginalWording().fingerprint["agent"]
