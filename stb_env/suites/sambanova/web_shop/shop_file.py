"""A shop as one database file: written once, beside its place, and read by any number of processes."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from math import prod
from pathlib import Path

import platformdirs

from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop.postings import PostingsWriter
from stb_env.suites.sambanova.web_shop.product import Described

try:
    import fcntl
except ImportError:  # Windows has no flock.
    fcntl = None  # type: ignore[assignment] # absent module

FORMAT = 1
"""Raised when the tables, or the words that are indexed, change: files of other formats are made anew."""

_TABLES = """
    CREATE TABLE products (
        number INTEGER PRIMARY KEY, asin TEXT UNIQUE, link TEXT, category TEXT, query TEXT, ways INTEGER,
        record TEXT
    );
    CREATE TABLE attributes (name TEXT PRIMARY KEY, goals INTEGER);
    CREATE TABLE hash (hash TEXT);
"""
_REPORTED = 100_000

_log = logging.getLogger(__name__)


def shop_file(name: str, products: Callable[[], Iterable[Described]]) -> Path:
    """Return the file of a shop in the user's cache folder; the first that asks makes it, others wait.

    Args:
        name: Says which products and which version of them.
        products: Gives them; called where the file is not there yet.
    """
    folder = platformdirs.user_cache_path("stb_env", appauthor=False) / "web_shop"
    file = folder / f"{name}-{FORMAT}.sqlite"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(file.with_suffix(".lock")):
            if not file.is_file():
                _make(file, products())
    return file


def write_shop(database: sqlite3.Connection, products: Iterable[Described]) -> None:
    """Write products and their index into an empty database; a product that comes again is left out.

    Raises:
        DataError: There are none.
    """
    database.executescript(_TABLES)
    postings, digest, goals = PostingsWriter(database), hashlib.sha256(), Counter[str]()
    number = 0
    for described in products:
        record = json.dumps(described.record)
        ways = prod(map(len, described.product.options.values())) if described.instruction else 0
        if _insert(database, number, described, ways, record):
            postings.add(described.product.document)
            digest.update(record.encode())
            goals.update({attribute: ways * times for attribute, times in Counter(described.wanted).items()})
            number += 1
            if number % _REPORTED == 0:
                _log.warning("indexed %s products of a shop; this is done once", f"{number:,}")
    if not number:
        raise DataError("a shop needs at least one product")
    postings.close()
    for index, columns in (("by_link", "link"), ("by_category", "category"), ("by_query", "query")):
        database.execute(f"CREATE INDEX {index} ON products ({columns})")
    database.executemany(
        "INSERT INTO attributes VALUES (?, ?)", ((plain(name), goals[name]) for name in goals)
    )
    database.execute("INSERT INTO hash VALUES (?)", (digest.hexdigest(),))
    database.commit()


def plain(text: str) -> str:
    """Return a text as a database column can hold it: without halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _insert(database: sqlite3.Connection, number: int, described: Described, ways: int, record: str) -> bool:
    product = described.product
    columns = map(plain, (product.asin, product.asin.lower(), product.category, product.query))
    row = (number, *columns, ways, record)
    return database.execute("INSERT OR IGNORE INTO products VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount == 1


def _make(file: Path, products: Iterable[Described]) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with closing(sqlite3.connect(draft)) as database:
            # A draft that a crash leaves behind is never read.
            database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            write_shop(database, products)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock; without locks, as on Windows, every process makes the file and the last one's stays."""
    with lock.open("w") as held:
        if fcntl is not None:
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
