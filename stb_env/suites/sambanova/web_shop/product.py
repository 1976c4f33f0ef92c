"""A product, and how the shop's raw records become one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.seeding import rng

NO_PRICE = 100.0
NO_ATTRIBUTES = ("DUMMY_ATTR",)
"""Attributes that the original gives a product that nobody described."""

_FOREIGN = re.compile(r"[^\d.]")


@dataclass(frozen=True, slots=True)
class Product:
    """A product of the shop.

    Attributes:
        asin: Its identity, as it stands in the record.
        category: The shop's department.
        query: What one would search for, in lower case.
        path: Levels of its category, separated by ``›``.
        title: Its name.
        description: Its full description.
        bullets: Short descriptions.
        shown_price: The price as pages show it, possibly a range.
        price: The price that counts.
        options: Values of each option, by name, all in lower case.
        attributes: What is true of it.
    """

    asin: str
    category: str
    query: str
    path: str
    title: str
    description: str
    bullets: tuple[str, ...]
    shown_price: str
    price: float
    options: Mapping[str, tuple[str, ...]]
    attributes: tuple[str, ...] = NO_ATTRIBUTES

    @property
    def record(self) -> dict[str, object]:
        """All of it as a JSON object, which `of` reads."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return fields | {"bullets": list(self.bullets), "attributes": list(self.attributes)}

    @classmethod
    def of(cls, record: JsonMapping) -> Product:
        """Return the product of a record that `record` made."""
        options = {name: tuple(values) for name, values in record["options"].items()}
        sequences = {name: tuple(record[name]) for name in ("bullets", "attributes")}
        return cls(**{**record, **sequences, "options": options})

    @property
    def document(self) -> str:
        """The text that search finds it by."""
        options = ", and ".join(f"{name}: {', '.join(values)}" for name, values in self.options.items())
        first = self.bullets[0] if self.bullets else ""
        return " ".join((self.title, self.description, first, options)).lower()


class Described(NamedTuple):
    """A product with what somebody who wants it would say.

    Attributes:
        product: The product.
        instruction: Asks for it.
        wanted: The attributes that the instruction names.
    """

    product: Product
    instruction: str = ""
    wanted: tuple[str, ...] = ()

    @property
    def record(self) -> dict[str, object]:
        """All of it as a JSON object, which `of` reads."""
        return {"product": self.product.record, "instruction": self.instruction, "wanted": list(self.wanted)}

    @classmethod
    def of(cls, record: JsonMapping) -> Described:
        """Return what a record stands for.

        Examples:
                >>> cup = Described(read_product({"asin": "B1", "name": "Cup"}), "a blue cup", ("blue",))
            >>> Described.of(cup.record) == cup
            True
        """
        product = Product.of(record["product"])
        return cls(product, record["instruction"], tuple(record["wanted"]))


def read_product(
    record: JsonMapping, attributes: Sequence[str] = NO_ATTRIBUTES, price: float | None = None
) -> Product:
    """Read a raw record of the shop's product file.

    Args:
        record: The record.
        attributes: What is true of the product.
        price: The price that counts; of a range, one that follows from the product's identity if None.

    Raises:
        DataError: The record lacks a field, or its price cannot be read.

    Examples:
        >>> record = {"asin": "B1", "name": "Cup", "pricing": "$5$7.50", "customization_options": {}}
        >>> product = read_product(record)
        >>> product.shown_price, 5 <= product.price <= 7.5
        ('$5.0 to $7.5', True)
    """
    asin = record.get("asin")
    if not isinstance(asin, str) or not isinstance(record.get("name"), str):
        raise DataError(f"a product needs an asin and a name, got the fields {sorted(record)}")
    prices = _prices(asin, record.get("pricing"))
    bullets = record.get("small_description") or ()
    return Product(
        asin,
        str(record.get("category", "")),
        str(record.get("query", "")).lower().strip(),
        str(record.get("product_category", "")),
        str(record["name"]),
        str(record.get("full_description") or ""),
        (bullets,) if isinstance(bullets, str) else tuple(map(str, bullets)),
        " to ".join(f"${value}" for value in prices) or f"${NO_PRICE}",
        _counted(asin, prices) if price is None else price,
        _options(record.get("customization_options")),
        tuple(attributes) or NO_ATTRIBUTES,
    )


def _prices(asin: str, pricing: object) -> list[float]:
    parts = str(pricing).split("$")[1:3] if pricing else []
    try:
        return [float(_FOREIGN.sub("", part)) for part in parts]
    except ValueError as error:
        raise DataError(f"the price {pricing!r} of product {asin!r} is none; write it as $12.99") from error


def _counted(asin: str, prices: list[float]) -> float:
    if not prices:
        return NO_PRICE
    # The original draws this anew in every process, so that equal purchases earn differently.
    return prices[0] if len(prices) == 1 else round(rng("web_shop", "price", asin).uniform(*prices), 2)


def _options(raw: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, Mapping):
        return {}
    return {
        str(name).lower(): tuple(
            str(choice["value"]).strip().replace("/", " | ").lower() for choice in choices
        )
        for name, choices in raw.items()
        if choices
    }
