"""The original's own way from a generation to a verdict, its quirks included.

The messages are the original's, since a verdict of this mode is compared with the original's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.common.curl.crash import CrashError, is_literal
from stb_env.suites.sambanova.common.curl.request import Answer, Request, read_request
from stb_env.suites.sambanova.common.curl.words import CurlError

Fetch = Callable[[Request, Account], tuple[Answer, Account]]
"""Sends a request of an account; raises `CurlError` where nothing answers."""

STRINGS_DIFFER = "string comparison between the generation and the label failed"

_BLANKS = re.compile(r"[ \t]+")
_BREAKS = re.compile(r"\n+")


def folded(kept: str) -> str:
    r"""Return a command as the original compares it by text: runs of blanks are one blank.

    Examples:
        >>> folded("curl\t-X  DELETE 'https://a.example' ")
        "curl -X DELETE 'https://a.example'"
    """
    return _BREAKS.sub("\n", _BLANKS.sub(" ", kept).strip()).strip()


def final_command(kept: str, key: str) -> str:
    """Return the command that the original hands to the shell: two headers follow it.

    Examples:
        >>> final_command("curl 'https://a.example'", "k")
        "curl 'https://a.example' -H 'Content-Type: application/json' -H 'x-api-key: k'"
    """
    return "{} -H 'Content-Type: application/json' -H 'x-api-key: {}'".format(kept.strip("\n"), key)


def run(kept: str, key: str, fetch: Fetch, account: Account) -> tuple[dict[Any, Any], Account]:
    """Return the dictionary that the original reads from the service's answer, and the account after it.

    Raises:
        CrashError: There is none.
    """
    try:
        answer, account = fetch(read_request(final_command(kept, key)), account)
    except CurlError as error:
        raise CrashError(f"shell process failed: return code {error.code}") from error
    body = answer.body
    if answer.medium != "json" or not is_literal(body, null=True):
        raise CrashError(f"the answer is no Python literal: {str(body)[:200]}")
    if not isinstance(body, Mapping):
        return dict(enumerate(body)), account
    if body.get("message") != "SUCCESS":
        raise CrashError(f"HTTP request failed: response: {str(dict(body))[:200]}")
    return {name: value for name, value in body.items() if name != "id"}, account
