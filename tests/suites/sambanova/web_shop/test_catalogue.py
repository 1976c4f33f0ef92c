"""A shop on disk: its ranking, and who may read it at once."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop import postings
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.generator import described_product, embedded_catalogue
from stb_env.suites.sambanova.web_shop.product import Described, read_product
from stb_env.suites.sambanova.web_shop.shop_file import shop_file
from stb_env.suites.sambanova.web_shop.terms import terms

PRODUCTS = [described_product(number) for number in range(0, 10_000, 23)]
QUERIES = [
    "black desk lamp",
    "usb port usb cable",
    "with the of",
    "gaming",
    "a sage green rug for 5 feet",
    "zzz",
]


def by_the_formula(query: str) -> list[str]:
    """Rank as Lucene does by default in pyserini 0.17, one product at a time (toolbench-tasks 9.3)."""
    texts = [Counter(terms(each.product.document)) for each in PRODUCTS]
    mean = sum(text.total() for text in texts) / len(texts)
    scores = []
    for number, text in enumerate(texts):
        score = 0.0
        for term in terms(query):
            having = sum(term in other for other in texts)
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            norm = 0.9 * (1 - 0.4 + 0.4 * text.total() / mean)
            score += idf * text[term] / (text[term] + norm)
        # Single precision of the norms decides nothing but ties.
        scores.append((-round(score, 5), number))
    return [PRODUCTS[number].product.asin for score, number in sorted(scores) if score][:50]


@pytest.mark.heavy
@pytest.mark.parametrize("query", QUERIES)
def test_products_are_ranked_by_lucenes_formula(query: str):
    shop = Catalogue(PRODUCTS)
    assert list(shop.find(query, 0)) == by_the_formula(query)


@pytest.mark.heavy
@pytest.mark.parametrize("query", QUERIES)
def test_the_parts_that_an_index_is_written_in_change_nothing(query: str, monkeypatch: pytest.MonkeyPatch):
    whole = Catalogue(PRODUCTS)
    monkeypatch.setattr(postings.PostingsWriter.__init__, "__defaults__", (100,))
    parts = Catalogue(PRODUCTS)
    assert parts.rows("SELECT count(*) FROM postings") > whole.rows("SELECT count(*) FROM postings")
    assert parts.find(query, 0) == whole.find(query, 0)


def test_a_product_that_is_not_there_is_an_error():
    with pytest.raises(DataError, match="the shop has no product 'B9'"):
        Catalogue(PRODUCTS[:1]).product("B9")


def test_halves_of_characters_break_no_search():
    shop = Catalogue([read_product({"asin": "B1", "name": "Cup \ud800", "query": "cups \ud800"})])
    assert shop.product("B1").title == "Cup \ud800"
    assert shop.find("<q> \ud800", 0) == shop.find("\ud800", 0) == ()
    assert shop.find("cup \ud800", 0) == ("B1",)


def test_catalogues_travel_to_other_processes():
    shop = Catalogue(PRODUCTS[:9])
    copy = pickle.loads(pickle.dumps(shop))
    assert (copy.hash, list(copy)) == (shop.hash, list(shop))
    assert len(pickle.dumps(embedded_catalogue())) < 200
    assert pickle.loads(pickle.dumps(embedded_catalogue())) is embedded_catalogue()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_reads_on():
    shop = embedded_catalogue()
    found = shop.find("desk lamp", 0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(shop.product, found) == list(map(shop.product, found))


def first_use(folder: str) -> tuple[str, tuple[str, ...]]:
    """Open a shop that nobody has opened before, and search it."""
    os.environ["XDG_CACHE_HOME"] = folder
    file = shop_file("first", lambda: PRODUCTS)
    shop = Catalogue.opened(file, (Catalogue, ()))
    return shop.hash, shop.find("black desk lamp", 0)


@pytest.mark.heavy
def test_processes_that_open_a_shop_for_the_first_time_at_once_get_one(tmp_path: Path):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        seen = pool.map(first_use, [str(tmp_path)] * 4, chunksize=1)
    shop = Catalogue(PRODUCTS)
    assert set(seen) == {(shop.hash, shop.find("black desk lamp", 0))}
    assert [file.suffix for file in sorted(tmp_path.glob("stb_env/web_shop/*"))] == [".lock", ".sqlite"]


def test_a_draft_that_a_crash_left_is_not_taken_for_a_shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def crashing():
        yield Described(PRODUCTS[0].product)
        raise DataError("the file ends here")

    with pytest.raises(DataError, match="the file ends here"):
        shop_file("first", crashing)
    shop = Catalogue.opened(shop_file("first", lambda: PRODUCTS), (Catalogue, ()))
    assert len(shop) == len(PRODUCTS)


def test_a_large_shop_ranks_as_a_small_one_that_remembers_words(monkeypatch):
    database = sqlite3.connect(":memory:")
    writer = postings.PostingsWriter(database)
    for text in ("red cup", "red cups, two red cups", "blue cup", "spoon"):
        writer.add(text)
    writer.close()

    def ranked():
        index = postings.Postings(lambda *query: database.execute(*query).fetchall())
        return [index.best(query, 4) for query in ("red cup", "red cup", "cup cup spoon", "fork", "")]

    remembered = ranked()
    monkeypatch.setattr(postings, "_FEW", 0)
    assert ranked() == remembered
    assert remembered[0][0] == 1
