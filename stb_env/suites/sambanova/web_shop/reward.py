"""The reward of a purchase: how far the bought product is the wanted one (WebShop, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stb_env.suites.sambanova.web_shop.fuzzy import token_set_ratio
from stb_env.suites.sambanova.web_shop.goals import Goal
from stb_env.suites.sambanova.web_shop.product import Product
from stb_env.suites.sambanova.web_shop.vocabulary import COLORS, Nouns, color_words, nouns_of, plain_color

_ALIKE = 85
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Reward:
    """The value of a purchase with the parts that it is made of.

    Attributes:
        total: The reward, in [0, 1].
        type: Factor for the kind of product, in [0, 1].
        attributes: Wanted attributes that are met.
        options: Wanted options that are met.
        price: Whether the price is within the bound.
        wanted_attributes: Number of wanted attributes.
        wanted_options: Number of wanted options.
        query_match: Whether both are searched for with the same words.
        category_match: Whether they share two levels of their categories.
        title_score: Share of the wanted name's nouns that the bought name has.
    """

    total: float
    type: float
    attributes: int
    options: int
    price: bool
    wanted_attributes: int
    wanted_options: int
    query_match: bool
    category_match: bool
    title_score: float

    @property
    def metrics(self) -> dict[str, float]:
        """The shares and weights of the parts, under WebShop's names; options only where some are wanted."""
        parts = self.wanted_attributes + self.wanted_options + 1
        figures = {
            "reward": self.total,
            "r_type": self.type,
            "r_att": self.attributes / self.wanted_attributes if self.wanted_attributes else 1.0,
            "r_price": float(self.price),
            "w_att": self.wanted_attributes / parts,
            "w_price": 1 / parts,
            "title_score": self.title_score,
        }
        if self.wanted_options:
            figures |= {
                "r_option": self.options / self.wanted_options,
                "w_option": self.wanted_options / parts,
            }
        return figures


def purchase_reward(
    product: Product,
    chosen: Mapping[str, str],
    goal: Goal,
    *,
    nouns: Nouns = nouns_of,
    original: bool = False,
) -> Reward:
    """Rate a purchase.

    The original has defects that the default mends: what is wanted in capitals is never found in a text, a
    shade is found inside of words (``tan`` in ``standard``) and on one side only, so that the very option
    that is wanted can fail and another one pass, and a product of the same kind can be worth nothing because
    its name has no noun of the wanted name.

    Args:
        product: What was bought.
        chosen: The chosen options, value by name.
        goal: What was wanted: ``query``, ``product_category``, ``name``, ``attributes``, ``goal_options`` (a
            dict of name and value, or a list of values) and ``price_upper``.
        nouns: Finds the nouns of a name.
        original: Whether to rate as the original does.
    """
    attributes, options = goal["attributes"], goal["goal_options"]
    met = sum(_has(product, wanted if original else wanted.lower()) for wanted in attributes)
    matched = _matched_originally(chosen, options) if original else _matched(chosen, options)
    price = product.price <= goal["price_upper"]
    query_match = product.query == goal["query"]
    category_match = len(_levels(product.path) & _levels(goal["product_category"])) >= 2
    title_score = _title_score(nouns(product.title), nouns(goal["name"]))
    factor = _type_factor(query_match or category_match, title_score, original=original)
    return Reward(
        factor * (met + matched + price) / (len(attributes) + len(options) + 1),
        factor,
        met,
        matched,
        price,
        len(attributes),
        len(options),
        query_match,
        category_match,
        title_score,
    )


def _type_factor(is_same_kind: bool, title_score: float, *, original: bool) -> float:
    factor = 1.0 if is_same_kind or title_score > 0.2 else 0.5
    if is_same_kind and not original:
        return factor
    if title_score == 0:
        return 0.0
    return 0.1 if title_score < 0.1 else factor


def _title_score(bought: Iterable[str], wanted: Sequence[str]) -> float:
    # A wanted name without a noun neither speaks for a product nor against it.
    return len(set(bought) & set(wanted)) / len(wanted) if wanted else 0.2


def _levels(path: str) -> set[str]:
    return {level.strip() for level in path.split("›")}


def _has(product: Product, wanted: str) -> bool:
    # Mostly it is one of them as it stands, and to compare texts takes a while.
    likely = (wanted,) if wanted in product.attributes else ()
    if any(token_set_ratio(attribute, wanted) > _ALIKE for attribute in (*likely, *product.attributes)):
        return True
    texts = (product.title, " ".join(product.bullets), product.description)
    return any(wanted in text.lower() for text in texts)


def _matched(chosen: Mapping[str, str], wanted: Mapping[str, str] | Sequence[str]) -> int:
    if isinstance(wanted, Mapping):
        return sum(name in chosen and _same(chosen[name], value) for name, value in wanted.items())
    return sum(any(_same(value, other) for other in chosen.values()) for value in wanted)


def _same(left: str, right: str) -> bool:
    """Return whether two values have the same words, in whatever order, or one is a shade of the other."""
    ours, theirs = _words(left), _words(right)
    if ours == theirs:
        return True
    colors, others = color_words(left.lower()), color_words(right.lower())
    is_shade = bool(colors and others) and (colors <= others or others <= colors)
    return is_shade and _numbers(ours) == _numbers(theirs)


def _words(text: str) -> list[str]:
    return sorted(_WORD.findall(text.lower()))


def _numbers(words: Iterable[str]) -> list[str]:
    return [word for word in words if any(char.isdigit() for char in word)]


def _matched_originally(chosen: Mapping[str, str], wanted: Mapping[str, str] | Sequence[str]) -> int:
    values = [plain_color(value) for value in chosen.values()]
    texts = [_pair_text(*pair) for pair in wanted.items()] if isinstance(wanted, Mapping) else wanted
    if not isinstance(wanted, Mapping):
        texts = [plain_color(text) for text in texts]
    return sum(any(token_set_ratio(value, text) > _ALIKE for value in values) for text in texts)


def _pair_text(name: str, value: str) -> str:
    """Return what the original compares in place of a pair: the pair as Python writes it, or its color."""
    return next((color for color in COLORS if color in (name, value)), str((name, value)))
