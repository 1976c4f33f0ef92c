"""Folders of answers, and what their names say."""

from __future__ import annotations

import json

import pytest

from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.answer_folder import AnswerFolder, find_kind, kind_of
from stb_env.suites.stabletoolbench.answers import answer_file, converted_entry, file_name
from tests.suites.stabletoolbench.test_answers import ANSWER, OBSERVED, call, dfs


def value(query="Two and two?"):
    document = dfs(call("Finish", ANSWER, OBSERVED, 3))
    document["answer_generation"]["query"] = query
    return document


def write(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


@pytest.fixture
def folder(tmp_path):
    for group in ("G1_instruction", "G2_answer"):
        write(tmp_path / group / file_name("10", "DFS_woFilter_w2"), value(group))
    return tmp_path


def test_folders_name_groups_and_files_name_queries(folder):
    first, second = AnswerFolder(folder)
    assert (first.suite, first.group, first.task_id) == ("StableToolBench", "I1-Instruction", "10")
    assert (second.suite, second.group, second.query) == ("ToolLLM", "G2_answer", "G2_answer")
    assert first.tree["method"] == "DFS_woFilter_w2"


def test_equal_ids_of_different_folders_are_different_episodes(folder):
    write(folder / "G2_answer" / file_name("10", "CoT@1"), value())
    keys = [episode.key for episode in AnswerFolder(folder)]
    assert len(set(keys)) == len(keys) == 3


def test_an_episode_has_the_same_key_wherever_the_folder_lies(folder, tmp_path_factory):
    moved = folder.rename(tmp_path_factory.mktemp("elsewhere") / "moved")
    before = [episode.key for episode in AnswerFolder(moved)]
    after = [episode.key for episode in AnswerFolder(moved.rename(moved.with_name("again")))]
    assert before == after


def test_converted_files_are_read_where_no_answer_files_are(folder):
    entries = {episode.task_id: converted_entry(episode) for episode in AnswerFolder(folder / "G2_answer")}
    write(folder / "G1_tool.json", entries)
    reader = AnswerFolder(folder)
    assert len(list(reader)) == 2
    assert reader.kinds == {"answers": 2, "converted": 1}
    (episode,) = AnswerFolder(folder / "G1_tool.json")
    assert (episode.group, episode.task_id, converted_entry(episode)) == ("I1-Tool", "10", entries["10"])


def test_one_broken_file_does_not_hide_the_others(folder):
    write(folder / "G1_instruction" / "9_CoT@1.json", "{")
    write(folder / "G1_instruction" / "8_CoT@1.json", {"trys": []})
    reader = AnswerFolder(folder)
    assert len(list(reader)) == 2
    assert [message.partition(":")[0].rpartition("/")[2] for message in reader.problems.values()] == [
        "malformed answer file",
        "9_CoT@1.json is no JSON file that can be read",
    ]
    with pytest.raises(DataError, match=r"8_CoT@1\.json: malformed answer file"):
        list(AnswerFolder(folder, strict=True))


def test_a_file_can_be_read_alone(folder):
    (episode,) = AnswerFolder(folder / "G1_instruction" / "10_DFS_woFilter_w2.json")
    assert (episode.group, answer_file(episode)["win"]) == ("I1-Instruction", True)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (value(), "answers"),
        ({"trys": []}, "answers"),
        ({"1": {"answer": {"answer_details": []}}}, "converted"),
        ([{"query": "?"}], "queries"),
        ({"1": 0}, None),
        ([1], None),
        ({}, None),
    ],
)
def test_the_content_says_what_a_file_is(content, kind):
    assert kind_of(content) == kind


def test_the_first_known_file_says_what_a_folder_is(tmp_path):
    write(tmp_path / "a.json", "no JSON")
    write(tmp_path / "b.json", {"1": 0})
    assert find_kind(tmp_path) is None
    write(tmp_path / "c.json", [{"query": "?"}])
    write(tmp_path / "d.json", value())
    assert find_kind(tmp_path) == "queries"


def test_a_folder_without_json_is_refused(tmp_path):
    with pytest.raises(DataError, match="no JSON file at"):
        list(AnswerFolder(tmp_path))
    with pytest.raises(DataError, match="no JSON file at"):
        find_kind(tmp_path / "missing")
