"""A product with what somebody who wants it would say."""

from __future__ import annotations

from typing import NamedTuple

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.web_shop.product import Product


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
    def record(self) -> JsonObject:
        """All of it as a JSON object, which `of` reads."""
        return {"product": self.product.record, "instruction": self.instruction, "wanted": list(self.wanted)}

    @classmethod
    def of(cls, record: JsonMapping) -> Described:
        """Return what a record stands for.

        Examples:
            >>> from stb_env.suites.sambanova.web_shop.product import read_product
            >>> cup = Described(read_product({"asin": "B1", "name": "Cup"}), "a blue cup", ("blue",))
            >>> Described.of(cup.record) == cup
            True
        """
        product = Product.of(record["product"])
        return cls(product, record["instruction"], tuple(record["wanted"]))
