from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.retrieval.wordpiece import WordPiece, split_words

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "run", "##ning", "!", "天"]
SPECIAL = PIECES[:4]


def tokenizer() -> WordPiece:
    return WordPiece({piece: number for number, piece in enumerate(PIECES)})


def pieces(text: str, limit: int = 99) -> list[str]:
    return [PIECES[number] for number in tokenizer().encode(text, limit)]


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
        ("", []),
    ],
)
def test_text_becomes_the_longest_known_pieces(text: str, expected: list[str]):
    assert pieces(text) == ["[CLS]", *expected, "[SEP]"]


def test_long_text_loses_its_end():
    assert pieces("run running run", limit=4) == ["[CLS]", "run", "run", "[SEP]"]


@settings(max_examples=60, deadline=None)
@given(st.text(), st.integers(2, 40))
def test_any_text_fits_the_limit(text: str, limit: int):
    numbers = tokenizer().encode(text, limit)
    assert 2 <= len(numbers) <= limit
    assert numbers[0] == 2
    assert numbers[-1] == 3


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="aé-B c_天\t", max_size=30))
def test_words_hold_no_blank_and_no_capital(text: str):
    for word in split_words(text):
        assert word == word.lower().strip()
        assert word


def test_both_kinds_of_vocabulary_file_are_read(tmp_path: Path):
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": numbers}}), encoding="utf-8")
    for name in ("vocab.txt", "tokenizer.json"):
        assert WordPiece.load(tmp_path / name).encode("running", 9) == [2, 7, 8, 3]


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
        WordPiece.load(tmp_path / name)
