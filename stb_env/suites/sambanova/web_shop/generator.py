"""The embedded shop: a thousand products of our own, made from a seed."""

from __future__ import annotations

import json
import random
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from stb_env.jsontypes import JsonMapping
from stb_env.seeding import rng
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.product import Product, read_product

VERSION = 1
SIZE = 1_000

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ATTRIBUTES = 4


class Described(NamedTuple):
    """A product with what somebody who wants it would say.

    Attributes:
        product: The product.
        instruction: Asks for it.
        wanted: The attributes that the instruction names.
    """

    product: Product
    instruction: str
    wanted: tuple[str, ...]


@cache
def described_products() -> tuple[Described, ...]:
    """Return the products of the embedded shop.

    Examples:
        >>> described = described_products()
        >>> len(described), len({each.product.asin for each in described})
        (1000, 1000)
    """
    kinds, phrases = _read("kinds.json"), _read("phrases.json")
    draw = rng("web_shop", "catalogue", VERSION)
    codes = draw.sample(range(36**8), SIZE)
    return tuple(
        _describe(kinds[index % len(kinds)], phrases, f"B0{_code(codes[index])}", draw)
        for index in range(SIZE)
    )


@cache
def embedded_catalogue() -> Catalogue:
    """Return the embedded shop with its index."""
    return Catalogue(each.product for each in described_products())


def _describe(kind: JsonMapping, phrases: JsonMapping, asin: str, draw: random.Random) -> Described:
    traits = draw.sample(kind["traits"].split("|"), _ATTRIBUTES)
    wanted = tuple(traits[: draw.randint(2, 3)])
    brand = draw.choice(phrases["onsets"].split()) + draw.choice(phrases["codas"].split())
    style = draw.choice(kind["styles"].split("|"))
    words = {"brand": brand, "style": style, "noun": kind["noun"]}
    record = {
        "asin": asin,
        "category": kind["category"],
        "query": kind["query"],
        "product_category": kind["path"],
        "name": draw.choice(phrases["titles"]).format_map(words | {"trait": draw.choice(traits).title()}),
        "full_description": draw.choice(phrases["descriptions"]).format_map(
            words | {"noun": kind["noun"].lower(), "first": traits[0], "second": traits[1]}
        ),
        "small_description": [
            draw.choice(phrases["bullets"]).format_map(words | {"trait": trait.capitalize()})
            for trait in traits
        ],
        "pricing": _pricing(kind["price"], draw),
        "customization_options": {
            name: [{"value": value} for value in _some(values.split("|"), draw)]
            for name, values in kind["options"].items()
        },
    }
    instruction = draw.choice(phrases["instructions"]).format(
        style=style.lower(), a_style=_with_article(style), noun=kind["noun"].lower(), traits=_listed(wanted)
    )
    return Described(read_product(record, traits), instruction, wanted)


def _some(values: list[str], draw: random.Random) -> list[str]:
    kept = set(draw.sample(values, min(len(values), draw.randint(2, 3))))
    return [value for value in values if value in kept]


def _pricing(bounds: list[int], draw: random.Random) -> str:
    low = round(draw.uniform(*bounds), 2)
    kind = draw.random()
    if kind < 0.02:
        return ""
    return f"${low}" if kind < 0.8 else f"${low}${round(low * draw.uniform(1.1, 1.6), 2)}"


def _code(number: int) -> str:
    digits = ""
    for _ in range(8):
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'AEIOU' else 'a'} {word.lower()}"


def _listed(items: tuple[str, ...]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}"


@cache
def _read(name: str) -> Any:
    file = files("stb_env.suites.sambanova.web_shop") / "content" / name
    return json.loads(file.read_text(encoding="utf-8"))
