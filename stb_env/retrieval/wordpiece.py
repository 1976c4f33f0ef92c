"""BERT's uncased WordPiece tokenizer, so that a sentence encoder needs a vocabulary file and nothing else.

The rules are those of the published BERT code (Devlin et al., 2019): lower case, accents removed, every mark
and every CJK character a word of its own, then greedily the longest known piece.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from stb_env.errors import DataError

_LONGEST_WORD = 100
_SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
# What BERT's code calls Chinese: the CJK ideographs, without kana and hangul.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """Turns text into the numbers of an uncased BERT vocabulary.

    Args:
        vocabulary: Number of each piece; pieces inside a word begin with ``##``.

    Raises:
        DataError: One of the special pieces is missing.

    Examples:
        >>> pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hotel", "book", "##ing", "!"]
        >>> tokenizer = WordPiece({piece: number for number, piece in enumerate(pieces)})
        >>> tokenizer.encode("Hôtel booking, 42!", limit=16)
        [2, 4, 5, 6, 1, 1, 7, 3]
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        missing = [piece for piece in _SPECIAL if piece not in vocabulary]
        if missing:
            raise DataError(f"not an uncased BERT vocabulary: it has no {', '.join(missing)}")
        self._vocabulary = vocabulary
        self._start, self._end, self.padding, self._unknown = (vocabulary[piece] for piece in _SPECIAL)
        self._pieces_of = lru_cache(maxsize=65_536)(self._split)

    @classmethod
    def load(cls, path: str | Path) -> WordPiece:
        """Read a ``vocab.txt`` (one piece a line) or a Hugging Face ``tokenizer.json``.

        Raises:
            DataError: The file cannot be read, or holds something else.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            if Path(path).suffix == ".json":
                return cls(json.loads(text)["model"]["vocab"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}: expected a vocab.txt or tokenizer.json of BERT ({error!r})") from error
        return cls({piece: number for number, piece in enumerate(text.splitlines())})

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the numbers of a text's pieces between those of its start and end.

        Args:
            text: Any text.
            limit: Most numbers, start and end included; what is longer loses its end.
        """
        numbers: list[int] = []
        for word in split_words(text):
            numbers += self._pieces_of(word)
            if len(numbers) > limit - 2:
                break
        return [self._start, *numbers[: limit - 2], self._end]

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        numbers: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(prefix + word[start:end])
                if number is not None:
                    numbers.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(numbers)


def split_words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case and without accents; each mark is a word.

    Examples:
        >>> list(split_words("Zürich-West, ok?"))
        ['zurich', '-', 'west', ',', 'ok', '?']
    """
    for word in "".join(map(_spaced, text)).split():
        plain = "".join(
            c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn"
        )
        start = 0
        for position, char in enumerate(plain):
            if _is_mark(char):
                if start < position:
                    yield plain[start:position]
                yield char
                start = position + 1
        if start < len(plain):
            yield plain[start:]


def _spaced(char: str) -> str:
    if char.isalnum() and char < "\u3400":
        return char
    if char in "\t\n\r" or unicodedata.category(char) == "Zs":
        return " "
    if char in "\0\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co"):
        return ""
    return f" {char} " if any(low <= ord(char) <= high for low, high in _IDEOGRAPHS) else char


def _is_mark(char: str) -> bool:
    # All ASCII that is neither letter, digit nor blank counts, although "$" or "+" are no punctuation.
    if char < "\x80":
        return not char.isalnum() and char > " "
    return unicodedata.category(char).startswith("P")
