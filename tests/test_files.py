"""Durable appends and atomic replacement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.files import LineWriter, write_json, write_text


def append(file: Path, *lines: str) -> None:
    writer = LineWriter(file)
    for line in lines:
        writer.write(line)
    writer.close()


def test_lines_are_appended_across_openings(tmp_path: Path):
    append(tmp_path / "log", "one")
    append(tmp_path / "log", "two", "drei ö")
    assert (tmp_path / "log").read_text(encoding="utf-8") == "one\ntwo\ndrei ö\n"


@pytest.mark.parametrize("torn", ["half", "x" * 200_000])
def test_a_torn_last_line_is_cut_off_at_opening(tmp_path: Path, torn: str):
    (tmp_path / "log").write_text("whole\n" + torn)
    append(tmp_path / "log", "next")
    assert (tmp_path / "log").read_text() == "whole\nnext\n"


def test_a_file_of_one_torn_line_starts_over(tmp_path: Path):
    (tmp_path / "log").write_text("never finished")
    append(tmp_path / "log", "first")
    assert (tmp_path / "log").read_text() == "first\n"


def test_a_file_has_one_writer_at_a_time(tmp_path: Path):
    writer = LineWriter(tmp_path / "log")
    with pytest.raises(
        ConfigError, match=r"^another process is writing to .*log; wait for it or name another$"
    ):
        LineWriter(tmp_path / "log")
    writer.close()
    append(tmp_path / "log", "free again")


def test_replacing_json_leaves_no_draft_behind(tmp_path: Path):
    write_json(tmp_path / "a.json", {"b": 1})
    write_json(tmp_path / "a.json", {"b": 2})
    assert json.loads((tmp_path / "a.json").read_text()) == {"b": 2}
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_value_that_is_no_json_leaves_the_old_file_whole(tmp_path: Path):
    write_json(tmp_path / "a.json", {"b": 1})
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", {"b": object()})
    assert json.loads((tmp_path / "a.json").read_text()) == {"b": 1}


def test_text_keeps_its_line_breaks(tmp_path: Path):
    write_text(tmp_path / "a.txt", "one\r\nzwei ö\n")
    assert (tmp_path / "a.txt").read_bytes() == "one\r\nzwei ö\n".encode()


def test_text_that_cannot_be_encoded_leaves_the_old_file_whole(tmp_path: Path):
    write_text(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "a.txt", "new \ud800")
    assert (tmp_path / "a.txt").read_text() == "old"
