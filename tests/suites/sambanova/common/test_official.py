"""Official folders are read as they are, and what is broken in them is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.errors import DataError
from stb_env.suites.sambanova.common.official import read_official


def write(folder: Path, *records: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "test.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def test_a_folder_has_items_documents_and_demonstrations(tmp_path: Path):
    folder = write(
        tmp_path / "v0",
        {"prompt": " a \n", "completion": ["x", "y"], "more": 1},
        {"prompt": "b", "completion": "z"},
    )
    for name, text in {
        "functions/find.txt": "# finds\nfind\n",
        "examples/0_0.txt": "Task: c\nActions:\nd\ne\n\n",
    }.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    official = read_official(folder)
    assert [(item.number, item.goal, item.labels) for item in official.items] == [
        (1, "a", ("x", "y")),
        (2, "b", ("z",)),
    ]
    assert official.items[0].record["more"] == 1
    assert official.documents == (("find", "# finds\nfind"),)
    assert official.demonstrations == (("0_0", "c", "d\ne"),)


def test_a_test_file_alone_will_do(tmp_path: Path):
    folder = write(tmp_path / "v0", {"prompt": "a", "completion": ["x"]})
    assert read_official(folder / "test.jsonl") == read_official(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no lines"),
        ("{", "line 1 is no JSON"),
        ("[]", "needs a text 'prompt' and a list 'completion'"),
        ('{"prompt": "a"}', "needs a text 'prompt' and a list 'completion'"),
        ('{"prompt": "a", "completion": []}', "needs a text 'prompt' and a list 'completion'"),
        ('{"prompt": "a", "completion": [1]}', "each completion must be a text"),
    ],
)
def test_a_broken_test_file_says_where(tmp_path: Path, text: str, message: str):
    (tmp_path / "test.jsonl").write_text(text)
    with pytest.raises(DataError, match=message):
        read_official(tmp_path)


def test_a_missing_file_and_a_broken_demonstration_are_named(tmp_path: Path):
    with pytest.raises(DataError, match=r"no test file at .*test\.jsonl"):
        read_official(tmp_path)
    folder = write(tmp_path / "v0", {"prompt": "a", "completion": ["x"]})
    (folder / "examples").mkdir()
    (folder / "examples" / "0_0.txt").write_text("Task: a")
    with pytest.raises(DataError, match=r"0_0\.txt must hold 'Task: <goal>', a line 'Action:'"):
        read_official(folder)


def test_a_file_that_is_no_text_is_named(tmp_path: Path):
    (tmp_path / "test.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        read_official(tmp_path)
