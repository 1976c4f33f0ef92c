"""Numbers that somebody works out from others, rounds, or only supposes: told by the words around them."""

from __future__ import annotations

import re

from stb_env.reading.numerals import Number

_RECKONED = re.compile(
    r"[=+*×÷·]|\d [x/-] \d|\b(?:total\w*|sum\w*|add\w*|plus|minus|subtract\w*|times|multipl\w*|"
    r"product|divid\w*|far|near|differ\w*|altogether|together|combin\w*|overall|in all|calculat\w*|"
    r"comput\w*|result\w*|makes?|gives?|equals?|averag\w*|mean|more|less|fewer|most|"
    r"(?:high|low|old|young|long|short|great|small|warm|cool|cold|hott|earl|lat)i?er|left|leaves?|remain\w*|rest|"
    r"up|down|rose|fell|increas\w*|decreas\w*|change[ds]?|comes?|so|goes to|go to|tax\w*|deduct\w*|per)\b"
)
_COUNTED = re.compile(
    r"[ -]?(?:people|persons?|guests?|travell?ers?|nights?|days?|hours?|hrs?|h\b|minutes?|min\b|meetings?|"
    r"items?|results?|entries|records?|of you|of us)"
)
_ROUNDED = re.compile(
    r"~|≈|\b(?:about|around|roughly|nearly|almost|approx\w*|some|circa|close to|far from|near|"
    r"just (?:over|under)|or so|rounded)\b"
)
_SUPPOSED = re.compile(r"\bif\b[^.]{0,80}\b(?:would|['’]d|could)\b|\b(?:would|['’]d|could)\b[^.]{0,80}\bif\b")


def is_reckoned(sentence: str, tail: str = "") -> bool:
    """Return whether a sentence works something out, or counts what follows a number.

    Examples:
        >>> is_reckoned("that makes 12"), is_reckoned("it costs 12"), is_reckoned("for 12", " people")
        (True, False, True)
    """
    return _RECKONED.search(sentence) is not None or _COUNTED.match(tail) is not None


def is_supposed(sentence: str) -> bool:
    """Return whether a sentence says what would be if something else were asked.

    Examples:
        >>> is_supposed("if you meant the other, that would be 12"), is_supposed("it is 12")
        (True, False)
    """
    return _SUPPOSED.search(sentence) is not None


def slack(number: Number, sentence: str) -> float:
    """Return how far from a number what it stands for may be.

    Examples:
        >>> from stb_env.reading.numerals import numbers
        >>> slack(numbers("12.5 m")[0], "12.5 m"), slack(numbers("about 1,200")[0], "about 1,200")
        (0.050000001, 50.000000001)
    """
    value = abs(number.quantity.value)
    if number.decimals:
        near = 0.5 * 10.0**-number.decimals
    elif _ROUNDED.search(sentence) and value == int(value):
        digits = f"{int(value)}"
        near = 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0") or "0")) if value >= 10 else 0.5
    else:
        near = 0.0
    return float(near + 1e-9)
