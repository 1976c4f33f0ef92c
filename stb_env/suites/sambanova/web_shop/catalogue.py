"""All products of a shop, and the search over them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.sambanova.web_shop.postings import Postings
from stb_env.suites.sambanova.web_shop.product import Described, Product
from stb_env.suites.sambanova.web_shop.shop_file import plain, write_shop

MOST_FOUND = 50

Search = Callable[[str], Sequence[str]]
"""Gives the identities of what a query finds, best first."""

_REMEMBERED = 4_096
_OF_CATEGORY = "SELECT asin FROM products WHERE category = ? ORDER BY number LIMIT ?"
_OF_NUMBERS = "SELECT asin FROM json_each(?) CROSS JOIN products ON number = value ORDER BY key"
_OF_QUERY = "SELECT asin FROM products WHERE query = ? ORDER BY number LIMIT ?"


class Catalogue:
    """Products by identity, in a database with an index that is built once.

    Args:
        products: The products, alone or with who wants them, for a database in memory; one that comes again
            is left out.
        search: Finds products in place of the index.

    Raises:
        DataError: There are none.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> shop = Catalogue([read_product({"asin": "B1", "name": "Red Cups", "pricing": "$5"})])
        >>> shop.find("a red cup", seed=0), shop.find("spoon", seed=0)
        (('B1',), ())
    """

    def __init__(self, products: Iterable[Product | Described], search: Search | None = None) -> None:
        known = tuple(each if isinstance(each, Described) else Described(each) for each in products)
        database = sqlite3.connect(":memory:", check_same_thread=False)
        write_shop(database, known)
        self._begin(lambda: database, search, (Catalogue, (known, search)))

    @classmethod
    def opened(cls, file: Path, again: tuple[Callable[..., Catalogue], tuple[object, ...]]) -> Catalogue:
        """Return the catalogue of a file that `shop_file` made.

        Args:
            file: The file; many processes may read it at once.
            again: A function and its arguments that return the catalogue in another process.
        """
        shop = cls.__new__(cls)
        # The file is never written again, so that nobody needs locks to read it.
        uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
        shop._begin(lambda: sqlite3.connect(uri, uri=True, check_same_thread=False), None, again)
        return shop

    def _begin(
        self,
        connect: Callable[[], sqlite3.Connection],
        search: Search | None,
        again: tuple[Callable[..., Catalogue], tuple[object, ...]],
    ) -> None:
        self._connect, self._again = connect, again
        self._database, self._process = connect(), os.getpid()
        self._search = search or self._ranked
        self.described = lru_cache(_REMEMBERED)(self._described)
        self._remembered = lru_cache(_REMEMBERED)(self._searched)

    def __reduce__(self) -> tuple[object, ...]:
        return self._again

    def __len__(self) -> int:
        ((count,),) = self.rows("SELECT count(*) FROM products")
        return int(count)

    def __iter__(self) -> Iterator[Product]:
        for (number,) in self.rows("SELECT number FROM products ORDER BY number"):
            yield self.at(number).product

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query to the database, whose tables `write_shop` makes."""
        if self._process != os.getpid():
            # Connections do not survive a fork.
            self._database, self._process = self._connect(), os.getpid()
        return self._database.execute(statement, values).fetchall()

    def at(self, number: int) -> Described:
        """Return the product of a number, which counts from 0 in the order that they were written."""
        ((record,),) = self.rows("SELECT record FROM products WHERE number = ?", (number,))
        return Described.of(json.loads(record))

    def product(self, asin: str) -> Product:
        """Return a product.

        Raises:
            DataError: There is none of this identity.
        """
        return self.described(asin).product

    def in_order(self, asins: Iterable[str]) -> list[str]:
        """Return those identities that are the shop's, in the order of its products."""
        numbers = {
            asin: rows[0][0]
            for asin in asins
            if (rows := self.rows("SELECT number FROM products WHERE asin = ?", (plain(asin),)))
        }
        return sorted(numbers, key=numbers.__getitem__)

    def linked(self, link: str) -> Product | None:
        """Return the product of a link in lower case, or None."""
        rows = self.rows("SELECT asin FROM products WHERE link = ? ORDER BY number DESC", (plain(link),))
        return self.product(rows[0][0]) if rows else None

    def find(self, query: str, seed: int) -> tuple[str, ...]:
        """Return the identities of at most 50 products, best first.

        A first word of ``<r>`` finds any products, ``<c>`` those of the department that the second word
        names, and ``<q>`` those that others searched for with exactly the words that follow.

        Args:
            query: What to search for, in lower case.
            seed: Decides which products ``<r>`` finds.
        """
        head, _, rest = query.partition(" ")
        match head:
            case "<r>":
                size = len(self)
                return self._asins(rng("web_shop", "any", seed).sample(range(size), min(MOST_FOUND, size)))
            case "<c>":
                return self._listed(_OF_CATEGORY, rest.split(" ")[0])
            case "<q>":
                return self._listed(_OF_QUERY, rest)
        # What nobody would ask twice is not worth remembering.
        return self._remembered(query) if len(query) < 1_000 else self._searched(query)

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over all that decides pages and rewards."""
        ((digest,),) = self.rows("SELECT hash FROM hash")
        return str(digest)

    def _listed(self, statement: str, value: str) -> tuple[str, ...]:
        return tuple(asin for (asin,) in self.rows(statement, (plain(value), MOST_FOUND)))

    def _asins(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(asin for (asin,) in self.rows(_OF_NUMBERS, (json.dumps(numbers),)))

    def _described(self, asin: str) -> Described:
        rows = self.rows("SELECT record FROM products WHERE asin = ?", (plain(asin),))
        if not rows:
            raise DataError(f"the shop has no product {asin!r}")
        return Described.of(json.loads(rows[0][0]))

    def _searched(self, query: str) -> tuple[str, ...]:
        return tuple(self._search(query))[:MOST_FOUND]

    def _ranked(self, query: str) -> tuple[str, ...]:
        return self._asins(self._postings.best(query, MOST_FOUND))

    @cached_property
    def _postings(self) -> Postings:
        return Postings(self.rows)
