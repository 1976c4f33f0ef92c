"""Texts as vectors, vectors as points: StableToolBench's methods as extras, an offline stand-in for each."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stb_env import ConfigError

Vectors = NDArray[np.float64]

SENTENCES = "all-mpnet-base-v2"
NEIGHBOURS, MIN_DISTANCE = 15, 0.5
"""The paper's settings of UMAP."""

_SIZE = 512
_GRAMS = (3, 4)
# About what the sentence model reads before it cuts.
_READ = 1_500


def hashed_grams(texts: Sequence[str]) -> Vectors:
    """Embed texts by their character 3-grams and 4-grams, hashed into 512 signed buckets; rows have length 1.

    Args:
        texts: The texts; their first 1,500 characters count.

    Examples:
        >>> near, far = hashed_grams(["it rains", "it rained", "{}"])[0] @ hashed_grams(["it rained", "{}"]).T
        >>> bool(near > far)
        True
    """
    vectors = np.zeros((len(texts), _SIZE))
    for row, text in enumerate(texts):
        hashes = np.fromiter(map(zlib.crc32, _grams(text.lower()[:_READ])), dtype=np.uint32)
        signs = np.where(hashes & 0x8000_0000, 1.0, -1.0)
        np.add.at(vectors[row], hashes % _SIZE, signs)
    # Repeated members of a list must not drown what is said once.
    vectors = np.sign(vectors) * np.sqrt(np.abs(vectors))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def _grams(text: str) -> chain[bytes]:
    data = text.encode("utf-8", "surrogatepass")
    return chain.from_iterable(
        (data[start : start + size] for start in range(len(data) - size + 1)) for size in _GRAMS
    )


def sentence_vectors(texts: Sequence[str]) -> Vectors:
    """Embed texts with the sentence model that the paper used.

    Raises:
        ConfigError: The package sentence-transformers is not installed.
    """
    model = _extra("sentence_transformers", "sentence-transformers").SentenceTransformer(SENTENCES)
    return np.asarray(model.encode(list(texts)), dtype=np.float64)


def pca_map(vectors: Vectors, seed: int) -> Vectors:  # noqa: ARG001 (every map takes a seed)
    """Return the two principal components of each vector, signs fixed so that equal input gives equal output.

    Args:
        vectors: Shape (texts, size).
        seed: Not used: nothing here is random.

    Examples:
        >>> pca_map(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), 0)[:, 0].tolist()
        [-2.0, 0.0, 2.0]
    """
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[np.arange(min(2, len(axes))), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    points = centred @ axes.T
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def umap_map(vectors: Vectors, seed: int) -> Vectors:
    """Map vectors to points with UMAP at the paper's settings.

    Raises:
        ConfigError: The package umap-learn is not installed.
    """
    umap = _extra("umap", "umap-learn")
    mapper = umap.UMAP(
        n_components=2,
        metric="correlation",
        n_neighbors=NEIGHBOURS,
        min_dist=MIN_DISTANCE,
        random_state=seed,
    )
    return np.asarray(mapper.fit_transform(vectors), dtype=np.float64)


def _extra(module: str, package: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(
            f"this needs {package}, which is not installed; install it with `pip install {package}`, "
            "or leave the option out for the offline stand-in"
        ) from error


class Method(NamedTuple):
    """A way to embed or to map.

    Attributes:
        label: How tables, JSON and plots name it; a stand-in says so.
        run: Does it.
    """

    label: str
    run: Callable[..., Vectors]


EMBEDDINGS: Mapping[str, Method] = {
    "stand-in": Method("stand-in: hashed character n-grams", hashed_grams),
    SENTENCES: Method(SENTENCES, sentence_vectors),
}
"""By name; each takes texts."""

MAPS: Mapping[str, Method] = {
    "stand-in": Method("stand-in: principal components", pca_map),
    "umap": Method(f"UMAP (correlation, {NEIGHBOURS} neighbours, minimum distance {MIN_DISTANCE})", umap_map),
}
"""By name; each takes vectors and a seed."""


def correlation_distances(first: Vectors, second: Vectors) -> Vectors:
    """Return 1 minus Pearson's correlation of every row of one matrix with every row of the other.

    Args:
        first: Shape (n, size).
        second: Shape (m, size).

    Returns:
        Shape (n, m), from 0 to 2.

    Examples:
        >>> correlation_distances(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 6.0], [3.0, 2.0, 1.0]]))
        array([[0., 2.]])
    """
    return np.round(1 - _standard(first) @ _standard(second).T, 12)


def _standard(vectors: Vectors) -> Vectors:
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1.0))
