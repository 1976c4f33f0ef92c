"""Rate limits in response headers: how long an endpoint wants to be left alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.http.retry import LONGEST_RETRY_AFTER, retry_after

# The wordings of OpenAI and those who follow it, of proxies, and of the IETF's draft.
_PREFIXES = ("x-ratelimit-", "ratelimit-")
_COUNTED = ("-requests", "-tokens", "")

_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|[dhms])", re.ASCII)
_NUMBER = re.compile(r"\d{1,13}(?:\.\d{1,9})?", re.ASCII)
# Numbers from here on are moments, smaller ones are spans.
_MOMENT = 1e9


def rest_asked(headers: Mapping[str, str], now: float) -> float | None:
    """Return for how many seconds an endpoint wants no further request, at most a minute, or None.

    That is ``Retry-After``, or the time until a limit is reset of which nothing remains.

    Args:
        headers: Response headers; names in any case if the mapping takes them so, else in lower case.
        now: Seconds since the epoch, to compare moments with.

    Examples:
        >>> rest_asked({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s"}, 0.0)
        60.0
        >>> rest_asked({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.0)
        0.12
        >>> rest_asked({"x-ratelimit-remaining": "7", "x-ratelimit-reset": "30"}, 0.0) is None
        True
    """
    # Most answers say nothing of it, and the wordings are many.
    names = " ".join(headers).lower()
    if "retry-after" not in names and "ratelimit" not in names:
        return None
    asked = [retry_after(headers, now), *(_until_reset(headers, prefix, now) for prefix in _PREFIXES)]
    return max((seconds for seconds in asked if seconds is not None), default=None)


def _until_reset(headers: Mapping[str, str], prefix: str, now: float) -> float | None:
    used_up = [
        _seconds(headers.get(f"{prefix}reset{counted}", "").strip(), now)
        for counted in _COUNTED
        if headers.get(f"{prefix}remaining{counted}", "").strip() == "0"
    ]
    known = [seconds for seconds in used_up if seconds is not None]
    return min(max(known), LONGEST_RETRY_AFTER) if known else None


def _seconds(text: str, now: float) -> float | None:
    if _NUMBER.fullmatch(text):
        number = float(text)
        return max(0.0, number - now) if number >= _MOMENT else number
    parts = _PART.findall(text)
    if not parts or "".join(map("".join, parts)) != text:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
