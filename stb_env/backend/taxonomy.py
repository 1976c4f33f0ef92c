"""Classes of API answers (Guo et al., 2024, Appendix D), and the check of real answers.

Two readings exist. ``paper`` is literal: it looks for substrings anywhere, so that "15000 items" counts as
a server error. ``default`` looks for whole phrases and status numbers where a failure would be announced:
in an error, in a short text, or in the message fields of an object, never in the middle of the data.

Neither the paper nor its code says which class wins where several match; here the order is: Parsing Error,
Not Connected, Not Found, Parameter Change, Not Authorised, Other Errors, Success.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from stb_env.backend.keywords import (
    CODE_FIELDS,
    LITERAL,
    MESSAGE_FIELDS,
    PARSING_PREFIX,
    PHRASES,
    REJECTED,
    REJECTED_CASED,
    REJECTED_WHOLE,
    UNEXPECTED_ARGUMENT,
    ApiClass,
)
from stb_env.core import jsontext
from stb_env.errors import ConfigError, did_you_mean

Taxonomy = Literal["default", "paper"]
RealCheck = Literal["default", "paper", "mirrorapi"]

__all__ = ["ApiClass", "RealCheck", "Taxonomy", "accept_real", "classify", "matches"]

_SHORT, _LONG = 300, 2000
_FIELDS = frozenset(CODE_FIELDS) | frozenset(MESSAGE_FIELDS)
_TITLE = re.compile(r"<title>([^<]{1,200})", re.IGNORECASE)


def classify(error: str, response: object, *, taxonomy: Taxonomy = "default") -> ApiClass:
    """Return the class of an answer.

    Args:
        error: The answer's error; empty where there is none.
        response: The answer's response, any JSON value.
        taxonomy: ``default``, or ``paper`` for the literal keywords.

    Raises:
        ConfigError: There is no such taxonomy.

    Examples:
        >>> classify("", {"message": "Too many requests"}).value, classify("", "15000 items").value
        ('not_connected', 'success')
        >>> classify("", "15404 items", taxonomy="paper").value
        'not_found'
    """
    return next(_matching(error, response, taxonomy))


def matches(error: str, response: object, *, taxonomy: Taxonomy = "default") -> tuple[ApiClass, ...]:
    """Return every class whose keywords match, the winner first; more than one means a close call.

    Examples:
        >>> [found.value for found in matches("", "connection lost: credentials missing", taxonomy="paper")]
        ['not_connected', 'not_authorised']
    """
    found = tuple(_matching(error, response, taxonomy))
    return found if len(found) == 1 else found[:-1]


def accept_real(value: object, *, taxonomy: RealCheck = "default") -> bool:
    """Say whether a real API's answer is worth keeping and showing, or a simulator should answer instead.

    Args:
        value: What the API server answered, as decoded JSON.
        taxonomy: ``default``; ``paper`` for the check of Guo et al., 2024, to the letter; ``mirrorapi`` for
            the copy of it that came with the MirrorAPI servers and knows one phrase less.

    Examples:
        >>> accept_real({"error": "", "response": "zip 40310"})
        True
        >>> accept_real({"error": "", "response": "zip 40310"}, taxonomy="paper")
        False
        >>> accept_real({"error": "", "response": "You are not subscribed to this API."})
        False
    """
    if taxonomy not in ("default", "paper", "mirrorapi"):
        raise _unknown(taxonomy, ("default", "paper", "mirrorapi"))
    if not isinstance(value, Mapping) or "error" not in value or "response" not in value:
        return False
    if taxonomy != "default":
        return value["error"] == "" and _accept_literal(value["response"], taxonomy)
    error, response = value["error"], value["response"]
    if UNEXPECTED_ARGUMENT in str(response):
        # The API is well and tells the agent what was wrong with its call.
        return True
    if not error and response in (None, "", "null"):
        return False
    return classify("" if error is None else str(error), response).kept


def _unknown(taxonomy: str, known: tuple[str, ...]) -> ConfigError:
    near = did_you_mean(taxonomy, known)
    return ConfigError(f"no taxonomy {taxonomy!r}; expected one of {', '.join(known)}.{near}")


def _matching(error: str, response: object, taxonomy: str) -> Iterator[ApiClass]:
    """Yield every class that matches in order; the last is always Other Errors or Success."""
    tests = _TESTS.get(taxonomy)
    if tests is None:
        raise _unknown(taxonomy, tuple(_TESTS))
    if error.startswith(PARSING_PREFIX):
        yield ApiClass.PARSING_ERROR
    yield from tests(error, response)
    yield ApiClass.OTHER_ERROR if error else ApiClass.SUCCESS


def _literal(error: str, response: object) -> Iterator[ApiClass]:
    answered = str(response).lower()
    both = f"{error.lower()}\n{answered}"
    for found, keywords in LITERAL.items():
        if found is ApiClass.NOT_CONNECTED:
            if "HTTP" in error or any(word in answered for word in keywords):
                yield found
        elif any(word in both for word in keywords):
            yield found


def _accept_literal(response: object, taxonomy: str) -> bool:
    text = str(response)
    low = text.lower()
    if UNEXPECTED_ARGUMENT in low:
        return True
    if text in REJECTED_WHOLE or any(word in text for word in REJECTED_CASED):
        return False
    return not any(word in low for word in REJECTED if taxonomy == "paper" or word != "invalid consumer key")


def _announced(error: str, response: object) -> Iterator[ApiClass]:
    text = "\n".join([error[:_LONG], *_announcements(response)]).lower()
    if text:
        yield from _phrased(text)


@lru_cache(maxsize=4096)
def _phrased(text: str) -> tuple[ApiClass, ...]:
    # APIs repeat themselves: "ok" alone announces most of what they answer.
    return tuple(found for found, pattern in PHRASES.items() if pattern.search(text))


def _announcements(response: object) -> Iterator[str]:
    """Yield the texts in which an API would announce a failure."""
    if isinstance(response, str) and len(response) > _SHORT and _is_mute(response):
        return
    value = _decoded(response)
    if isinstance(value, str):
        title = _TITLE.search(value[:_LONG])
        if title:
            yield title[1]
        elif len(value) <= _SHORT:
            yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            low = str(name).lower()
            if low in _FIELDS:
                yield from _field(low, item)


def _is_mute(text: str) -> bool:
    """Say whether a long text is neither a page nor an object, which alone announce something; quickly."""
    bare = text.strip()
    # A Python value may end in a comment.
    whole = bare.startswith("{") and (bare.endswith("}") or "#" in bare)
    return not whole and "<" not in text[:_LONG]


def _field(name: str, item: object) -> Iterator[str]:
    if name in CODE_FIELDS and isinstance(item, int | str) and not isinstance(item, bool):
        yield f"status {item}"[:_SHORT]
    if name not in MESSAGE_FIELDS:
        return
    for part in item.values() if isinstance(item, dict) else item if isinstance(item, list) else [item]:
        if isinstance(part, str) and len(part) <= _SHORT:
            yield part


def _decoded(response: object) -> object:
    """Return what a response means where it is text of JSON or of a Python value, as recordings often are."""
    if not isinstance(response, str) or response.lstrip()[:1] not in ("{", "["):
        return response
    try:
        return jsontext.loads(response)
    except ValueError:
        pass
    try:
        return ast.literal_eval(response.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return response


_TESTS: Mapping[str, Callable[[str, Any], Iterator[ApiClass]]] = {"default": _announced, "paper": _literal}
