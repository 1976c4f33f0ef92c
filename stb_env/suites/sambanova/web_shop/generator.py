"""The embedded shop: ten thousand products of a hundred kinds, each of which follows from its number."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.seeding import derive, rng
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.product import Described, read_product
from stb_env.suites.sambanova.web_shop.shop_file import shop_file
from stb_env.suites.sambanova.web_shop.trait import Trait, asked_for

VERSION = 2
SIZE = 10_000

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CODES = 36**8
# Without a factor in common with the numbers of codes and of names, so that none comes twice.
_STRIDE = 1_580_030_173
_TRAITS = 5


@lru_cache(maxsize=4_096)
def described_product(number: int) -> Described:
    """Return a product of the embedded shop, and what somebody who wants it would say.

    Args:
        number: From 0 to `SIZE` - 1.

    Examples:
        >>> described_product(7) == described_product(7)
        True
    """
    kinds, phrases = _content()
    kind, draw = kinds[number % len(kinds)], rng("web_shop", "product", VERSION, number)
    style = draw.choice(kind.styles)
    traits = draw.sample(kind.traits, _TRAITS)
    # The first is what the name and the first bullet tell: what is wanted has to be looked for.
    wanted = draw.sample(traits[1:], draw.randint(2, 3))
    words = _Words(phrases, kind, style, number, draw)
    record = {
        "asin": f"B0{_code(number)}",
        "category": kind.category,
        "query": kind.query,
        "product_category": kind.path,
        "name": words.of("titles", detail=_detail(traits[0])),
        "full_description": words.description(traits),
        "small_description": words.bullets(traits),
        "pricing": f"${draw.uniform(*kind.price):.2f}",
        "customization_options": {
            name: [{"value": value} for value in _some(values, draw)] for name, values in kind.options.items()
        },
    }
    request = asked_for(style.lower(), kind.noun.lower(), wanted)
    return Described(
        read_product(record, [style.lower(), *(trait.text for trait in traits)]),
        draw.choice(phrases["instructions"]).format(it=request),
        (style.lower(), *(trait.text for trait in wanted)),
    )


def described_products() -> Iterator[Described]:
    """Yield the products of the embedded shop."""
    return map(described_product.__wrapped__, range(SIZE))


@cache
def embedded_catalogue() -> Catalogue:
    """Return the embedded shop; its index is made once for every user, in a few seconds."""
    # A few products show whether their making has changed since the file was made.
    sample = [str(described_product(number).record) for number in range(0, SIZE, SIZE // 20)]
    name = f"embedded-{VERSION}-{derive(*_texts(), *sample):x}"
    return Catalogue.opened(shop_file(name, described_products), (embedded_catalogue, ()))


class _Kind(NamedTuple):
    """A kind of product: all that its products have in common."""

    noun: str
    query: str
    category: str
    path: str
    setting: str
    styles: Sequence[str]
    traits: Sequence[Trait]
    options: dict[str, list[str]]
    price: tuple[float, float]


class _Words:
    """Writes the texts of a product, no sentence form of which comes twice in it."""

    def __init__(
        self, phrases: JsonMapping, kind: _Kind, style: str, number: int, draw: random.Random
    ) -> None:
        self._phrases, self._draw = phrases, draw
        onsets, codas, lines = (phrases[name] for name in ("onsets", "codas", "lines"))
        name, line = divmod(number * _STRIDE % (len(onsets) * len(codas) * len(lines)), len(lines))
        onset, coda = divmod(name, len(codas))
        setting = phrases["settings"][kind.setting]
        # In the order in which they are drawn.
        self._varying = (
            ("who", setting["who"]),
            ("where", setting["where"]),
            ("town", phrases["towns"]),
            ("span", phrases["spans"]),
            ("number", phrases["marks"]),
        )
        self._fixed = {
            "brand": onsets[onset] + codas[coda],
            "line": lines[line],
            "style": style,
            "noun": kind.noun,
        }

    def of(self, name: str, **words: str) -> str:
        """Return one of the sentences of a name."""
        return self._filled(self._draw.choice(self._phrases[name]), words)

    def description(self, traits: Sequence[Trait]) -> str:
        """Return a full description, which says two of the traits."""
        small = {name: self._fixed[name].lower() for name in ("noun", "style")}
        forms = self._draw.sample(self._phrases["middles"], 2)
        said = [
            self._filled(form, {"first": trait.predicate})
            for form, trait in zip(forms, self._draw.sample(traits, 2), strict=True)
        ]
        sentences = [self.of("openings", **small), *said, self.of("closings", **small)]
        return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)

    def bullets(self, traits: Sequence[Trait]) -> list[str]:
        """Return a short description for each trait."""
        forms = self._draw.sample(self._phrases["bullets"], len(traits))
        return [
            f"{trait.text.capitalize()}: {self._filled(form, {})}"
            for trait, form in zip(traits, forms, strict=True)
        ]

    def _filled(self, form: str, words: dict[str, str]) -> str:
        pick = self._draw.choice
        drawn = {name: pick(known) for name, known in self._varying}
        return form.format_map(self._fixed | drawn | words)


def _detail(trait: Trait) -> str:
    return f"{', ' if trait.is_adjective else ' with '}{trait.text.title()}"


def _some(values: Sequence[str], draw: random.Random) -> list[str]:
    kept = set(draw.sample(values, min(len(values), draw.randint(2, 3))))
    return [value for value in values if value in kept]


def _code(number: int) -> str:
    rest, digits = number * _STRIDE % _CODES, ""
    for _ in range(8):
        rest, digit = divmod(rest, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


@cache
def _content() -> tuple[tuple[_Kind, ...], JsonMapping]:
    kinds, phrases = map(json.loads, _texts())
    phrases |= {name: phrases[name].split() for name in ("onsets", "codas", "lines")}
    phrases |= {name: phrases[name].split("|") for name in ("towns", "spans", "marks")}
    phrases["settings"] = {
        name: {role: people.split("|") for role, people in setting.items()}
        for name, setting in phrases["settings"].items()
    }
    return tuple(map(_kind, kinds)), phrases


def _kind(record: JsonMapping) -> _Kind:
    split = {
        "styles": record["styles"].split("|"),
        "traits": [Trait.of(trait) for trait in record["traits"].split("|")],
        "options": {name: values.split("|") for name, values in record["options"].items()},
    }
    return _Kind(**{**record, **split})


def _texts() -> tuple[str, str]:
    folder = files("stb_env.suites.sambanova.web_shop") / "content"
    return (folder / "kinds.json").read_text("utf-8"), (folder / "phrases.json").read_text("utf-8")
