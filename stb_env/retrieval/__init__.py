"""Search over texts and tools: BM25, character n-grams, a mixture of both, or a sentence encoder.

``retriever_for(catalog)`` indexes tools once, ``search(query, k)`` finds; everything is deterministic.
"""

from stb_env.retrieval.bm25 import BM25Retriever
from stb_env.retrieval.dense import DenseRetriever
from stb_env.retrieval.encoders import Encoder, OnnxEncoder, paraphrase_minilm
from stb_env.retrieval.hybrid import HybridRetriever
from stb_env.retrieval.ngram import NgramRetriever
from stb_env.retrieval.retriever import Hit, Retriever
from stb_env.retrieval.tool_index import RetrieverFactory, ToolIndex, retriever_for, tool_text

__all__ = [
    "BM25Retriever",
    "DenseRetriever",
    "Encoder",
    "Hit",
    "HybridRetriever",
    "NgramRetriever",
    "OnnxEncoder",
    "Retriever",
    "RetrieverFactory",
    "ToolIndex",
    "paraphrase_minilm",
    "retriever_for",
    "tool_text",
]
