"""What the page on training says of groups works as it stands there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from stb_env.runs.groups.group_run import read_groups
from tests.command import stb
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")


def block(mark: str) -> str:
    code = PAGE.partition(f"<!-- {mark} -->\n```")[2].partition("\n")[2].partition("```")[0]
    assert code, f"docs/training.md has no block {mark!r}"
    return code


def test_the_commands_and_the_reading_of_groups_work_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path("hasty.py").write_text(block("groups agent"), encoding="utf-8")
    for line in block("groups command").splitlines():
        assert stb(*shlex.split(line)[1:]).exit_code == 0
    groups = read_groups(tmp_path / "groups")
    assert [len(group["trials"]) for group in groups] == [6] * 4
    assert any(group["varied"] for group in groups)
    exec(compile(block("groups reading"), "docs/training.md", "exec"), {})
    played = {group["task_id"] for group in groups}
    lines = (line.split() for line in capsys.readouterr().out.splitlines())
    printed = [words for words in lines if words and words[0] in played]
    assert len(printed) == sum(len(group["trials"]) for group in groups if group["varied"])
    assert any(float(line[2]) > 0 for line in printed)
    assert any(float(line[2]) < 0 for line in printed)
