"""Queries are kept where gold solves them, and where a panel of models takes them for solvable."""

from __future__ import annotations

from stb_env.backend.cache import ResponseCache, call_key
from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.virtual import VirtualBackend
from stb_env.experiments.synthesis.catalog_queries import gold_run, voted
from stb_env.formats.catalog_file import CatalogFile
from stb_env.judges.solvability import ModelSolvability
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.models import ScriptedModel

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FILE = CatalogFile.of({"version": 1, "tools": [{"name": "ask", "parameters": SCHEMA}]})
QUERIES = [
    {"id": name, "query": f"What of {name}?", "gold": [{"name": "ask", "arguments": {"n": n}}]}
    for name, n in (("good", 1), ("wrong", 2), ("unknown", 3))
]


def test_a_query_whose_gold_fails_or_was_never_recorded_is_dropped_with_the_reason():
    cache, tool = ResponseCache(), FILE.tools[0]
    for n, error in ((1, ""), (2, "no such number")):
        entry = CacheEntry.of(tool.id, {"n": n}, "fine", error=error, source="real")
        cache.put(call_key(tool.id, {"n": n}), entry)
    found = gold_run(FILE, QUERIES, VirtualBackend(cache, mode="replay"))
    assert [query["id"] for query in found.kept] == ["good"]
    assert found.dropped["wrong"] == "ask answered with an error: no such number"
    assert found.dropped["unknown"].startswith("no recorded response for 'ask'")


def test_a_query_is_kept_where_most_models_call_it_solvable():
    said = {"a": ["Solvable"] * 2, "b": ["Solvable", "Unsolvable"], "c": ["Unsolvable"] * 2}
    panel = SolvabilityPanel(
        [ModelSolvability(ScriptedModel(words, name=name)) for name, words in said.items()]
    )
    found = voted(FILE, QUERIES[:2], panel)
    assert [query["id"] for query in found.kept] == ["good"]
    assert found.dropped["wrong"].startswith("the panel does not take it for solvable (")
