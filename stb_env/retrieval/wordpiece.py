"""The tokenizer of an uncased BERT, so that a sentence encoder needs a vocabulary file and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import ConfigError, DataError

_SPECIAL = ("[CLS]", "[SEP]", "[PAD]", "[UNK]")


class WordPiece:
    """Turns texts into the numbers of an uncased BERT vocabulary, with Hugging Face's tokenizers.

    Args:
        vocabulary: Number of each piece; pieces inside a word begin with ``##``.
        limit: Most pieces of a text, start and end included; what is longer loses its end.

    Raises:
        ConfigError: tokenizers is not installed.
        DataError: One of the special pieces is missing.
    """

    def __init__(self, vocabulary: Mapping[str, int], limit: int) -> None:
        missing = [piece for piece in _SPECIAL if piece not in vocabulary]
        if missing:
            raise DataError(f"not an uncased BERT vocabulary: it has no {', '.join(missing)}")
        library = _tokenizers()
        # Built from its parts: read from a tokenizer.json it would take "[CLS]" in a text for the start.
        settings = {"unk_token": "[UNK]", "max_input_chars_per_word": 100}
        model = library.models.WordPiece(dict(vocabulary), **settings)
        start, end = ((piece, vocabulary[piece]) for piece in ("[CLS]", "[SEP]"))
        self._tokenizer: Any = library.Tokenizer(model)
        self._tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
        self._tokenizer.post_processor = library.processors.BertProcessing(end, start)
        self._tokenizer.enable_truncation(limit)
        self._tokenizer.enable_padding(pad_id=vocabulary["[PAD]"])

    @classmethod
    def load(cls, path: str | Path, limit: int) -> WordPiece:
        """Read the vocabulary from a ``vocab.txt`` (one piece a line) or a Hugging Face ``tokenizer.json``.

        Raises:
            ConfigError: tokenizers is not installed.
            DataError: The file cannot be read, or holds something else.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            if Path(path).suffix == ".json":
                pieces = json.loads(text)["model"]["vocab"].items()
                return cls({str(piece): int(number) for piece, number in pieces}, limit)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{path}: expected a vocab.txt or tokenizer.json of BERT ({error!r})") from error
        return cls({piece: number for number, piece in enumerate(text.splitlines())}, limit)

    def encode(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the texts' pieces, and a 1 for each that is no padding.

        Args:
            texts: Any texts.

        Returns:
            Two arrays of shape (texts, pieces of the longest).
        """
        # What JSON lets into a text and UTF-8 does not, the library refuses: surrogates become "?".
        rows = self._tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        numbers = np.array([row.ids for row in rows], np.int64)
        return numbers, np.array([row.attention_mask for row in rows], np.int64)


def _tokenizers() -> Any:
    try:
        return import_module("tokenizers")
    except ModuleNotFoundError as error:
        raise ConfigError("dense retrieval needs tokenizers: pip install 'stb-env[minilm]'") from error
