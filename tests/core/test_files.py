"""Durable appends and atomic replacement."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from stb_env.core.files import LineWriter, write_json, write_text
from stb_env.errors import ConfigError, StorageError


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


def test_a_line_that_the_disk_takes_half_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    append(tmp_path / "log", "whole")
    writer = LineWriter(tmp_path / "log")

    def half(self: LineWriter, data: bytes) -> None:
        self._file.write(data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(LineWriter, "_append", half)
    with pytest.raises(
        StorageError,
        match=r"^cannot write .*log: No space left on device; free space, and the same command goes on$",
    ):
        writer.write("not to be")
    monkeypatch.undo()
    writer.write("next")
    writer.close()
    assert (tmp_path / "log").read_text() == "whole\nnext\n"


def test_a_line_whose_writer_is_interrupted_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    writer = LineWriter(tmp_path / "log")
    writer.write("one")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            writer.write("two")
    writer.write("two")
    writer.close()
    assert (tmp_path / "log").read_text(encoding="utf-8") == "one\ntwo\n"


def test_a_disk_that_takes_a_line_in_pieces_gets_all_of_it(tmp_path: Path):
    class Slow:
        """A file that takes three bytes at a time, as the system may."""

        def __init__(self, file: Any) -> None:
            self._file = file

        def write(self, data: Any) -> int:
            return self._file.write(data[:3])

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    writer = LineWriter(tmp_path / "log")
    writer._file = Slow(writer._file)
    writer.write("a line of some length")
    writer.close()
    assert (tmp_path / "log").read_text() == "a line of some length\n"


def test_a_file_that_is_deleted_while_it_is_written_to_is_said(tmp_path: Path):
    writer = LineWriter(tmp_path / "log")
    (tmp_path / "log").unlink()
    with pytest.raises(
        StorageError, match=r"^.*log was deleted while it was written to; what it held is gone"
    ):
        writer.write("lost")
    writer.close()


def test_text_that_the_disk_refuses_leaves_the_old_file_whole_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_text(tmp_path / "a.txt", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"^cannot write .*a\.txt: No space left on device; free space"):
        write_text(tmp_path / "a.txt", "new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]
