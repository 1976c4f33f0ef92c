from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError, DataError
from stb_env.retrieval.wordpiece import WordPiece

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "run", "##ning", "!", "天"]


def tokenizer(limit: int = 99) -> WordPiece:
    return WordPiece({piece: number for number, piece in enumerate(PIECES)}, limit)


def pieces(text: str, limit: int = 99) -> list[str]:
    numbers, _ = tokenizer(limit).encode([text])
    return [PIECES[number] for number in numbers[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UNaffable running!", ["un", "##aff", "##able", "run", "##ning", "!"]),
        ("ünaffable", ["un", "##aff", "##able"]),
        ("runs", ["[UNK]"]),
        ("run\u00a0run\n", ["run", "run"]),
        ("ru\u200bn", ["run"]),
        ("run天run", ["run", "天", "run"]),
        ("run" * 40, ["[UNK]"]),
        ("[CLS]", ["[UNK]", "[UNK]", "[UNK]"]),
        ("run\ud800", ["run", "[UNK]"]),
        ("", []),
    ],
)
def test_text_becomes_the_longest_known_pieces(text: str, expected: list[str]):
    assert pieces(text) == ["[CLS]", *expected, "[SEP]"]


def test_long_text_loses_its_end():
    assert pieces("run running run", limit=4) == ["[CLS]", "run", "run", "[SEP]"]


def test_a_shorter_text_of_a_batch_is_padded_and_masked():
    numbers, mask = tokenizer().encode(["run", "unaffable running"])
    assert numbers.tolist() == [[2, 7, 3, 0, 0, 0, 0], [2, 4, 5, 6, 7, 8, 3]]
    assert mask.tolist() == [[1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1]]


@given(st.text(st.characters(exclude_categories=())), st.integers(2, 40))
def test_any_text_fits_the_limit(text: str, limit: int):
    numbers = tokenizer(limit).encode([text])[0][0].tolist()
    assert 2 <= len(numbers) <= limit
    assert numbers[0] == 2
    assert numbers[-1] == 3


def test_both_kinds_of_vocabulary_file_are_read(tmp_path: Path):
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    known = {piece: number for number, piece in enumerate(PIECES)}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": known}}), encoding="utf-8")
    for name in ("vocab.txt", "tokenizer.json"):
        numbers, _ = WordPiece.load(tmp_path / name, limit=9).encode(["running"])
        assert numbers.tolist() == [[2, 7, 8, 3]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.txt", None, r"absent\.txt: expected a vocab\.txt or tokenizer\.json of BERT"),
        ("tokenizer.json", "[]", r"tokenizer\.json: expected a vocab\.txt or tokenizer\.json of BERT"),
        (
            "vocab.txt",
            "[PAD]\nhotel\n",
            r"^not an uncased BERT vocabulary: it has no \[CLS\], \[SEP\], \[UNK\]$",
        ),
    ],
)
def test_another_file_is_refused(tmp_path: Path, name: str, content: str | None, message: str):
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        WordPiece.load(tmp_path / name, limit=9)


def test_without_tokenizers_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(
        ConfigError, match=r"^dense retrieval needs tokenizers: pip install 'stb-env\[minilm\]'$"
    ):
        tokenizer()
