"""All products of a shop, and the search over them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from stb_env.errors import DataError
from stb_env.retrieval import BM25Retriever
from stb_env.seeding import rng
from stb_env.suites.sambanova.web_shop.product import Product

MOST_FOUND = 50

Search = Callable[[str], Sequence[str]]
"""Gives the identities of what a query finds, best first."""

_REMEMBERED = 4_096
_WORD = re.compile(r"\w+")


class Catalogue:
    """Products by identity, with an index that is built once.

    Args:
        products: The products; one that comes again is left out.
        search: Finds products in place of the index.

    Raises:
        DataError: There are none.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> shop = Catalogue([read_product({"asin": "B1", "name": "Red Cups", "pricing": "$5"})])
        >>> shop.find("a red cup", seed=0), shop.find("spoon", seed=0)
        (('B1',), ())
    """

    def __init__(self, products: Iterable[Product], search: Search | None = None) -> None:
        self.products: dict[str, Product] = {}
        for product in products:
            self.products.setdefault(product.asin, product)
        if not self.products:
            raise DataError("a shop needs at least one product")
        # Links on pages are compared in lower case.
        self._by_link = {asin.lower(): product for asin, product in self.products.items()}
        self._search = search or self._ranked
        self._found: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self.products)

    def linked(self, link: str) -> Product | None:
        """Return the product of a link in lower case, or None."""
        return self._by_link.get(link)

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
                asins = list(self.products)
                return tuple(rng("web_shop", "any", seed).sample(asins, min(MOST_FOUND, len(asins))))
            case "<c>":
                return self._where(lambda product: product.category == rest.split(" ")[0])
            case "<q>":
                return self._where(lambda product: product.query == rest)
        return self._remembered(query)

    def _where(self, holds: Callable[[Product], bool]) -> tuple[str, ...]:
        return tuple(asin for asin, product in self.products.items() if holds(product))[:MOST_FOUND]

    def _remembered(self, query: str) -> tuple[str, ...]:
        found = self._found.get(query)
        if found is None:
            found = tuple(self._search(query))[:MOST_FOUND]
            if len(self._found) < _REMEMBERED and len(query) < 1_000:
                self._found[query] = found
        return found

    def _ranked(self, query: str) -> list[str]:
        scores = self._index.scores(_singular(query))
        # Lucene, which the original searches with, finds what has at least one of the words.
        matching = np.flatnonzero(scores)
        best = matching[np.argsort(-scores[matching], kind="stable")[:MOST_FOUND]]
        asins = self._asins
        return [asins[index] for index in best.tolist()]

    @cached_property
    def _asins(self) -> list[str]:
        return list(self.products)

    @cached_property
    def _index(self) -> BM25Retriever:
        return BM25Retriever([_singular(product.document) for product in self.products.values()])

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over all that decides pages and rewards."""
        digest = hashlib.sha256()
        for product in self.products.values():
            digest.update(repr(product).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def _singular(text: str) -> str:
    """Return the words of a text in the singular, as far as their endings tell (Harman's S stemmer, 1991).

    Examples:
        >>> _singular("Berries, knives and glass mats!")
        'berry knive and glass mat'
    """
    return " ".join(_stem(word) for word in _WORD.findall(text.lower()))


def _stem(word: str) -> str:
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word
