"""What a command sends, read by the standard library alone: nothing of the package decides it."""

from __future__ import annotations

import argparse
import json
import shlex
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Sent(NamedTuple):
    """A request; header lines, kinds of quotes and what ends a command are no part of it."""

    method: str
    address: str
    params: dict[str, str]
    body: Any


def sent_by(command: str) -> Sent | None:
    """Return what a shell that runs curl would send; None where it would send nothing."""
    try:
        words = shlex.split(command.rstrip("; \t"))
        options, unknown = _parser().parse_known_args(words[1:])
    except (ValueError, argparse.ArgumentError):
        return None
    if words[:1] != ["curl"] or unknown or not options.url:
        return None
    parts = urlsplit(options.url)
    method = options.method or ("GET" if options.body is None else "POST")
    params = dict(parse_qsl(parts.query, keep_blank_values=True))
    return Sent(method, f"{parts.scheme}://{parts.netloc}{unquote(parts.path)}", params, _read(options.body))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False, allow_abbrev=False)
    parser.add_argument("-X", "--request", dest="method")
    parser.add_argument("-H", "--header", action="append")
    parser.add_argument("-d", "--data", dest="body")
    parser.add_argument("url", nargs="?")
    return parser


def _read(body: str | None) -> Any:
    try:
        return body if body is None else json.loads(body)
    except ValueError:
        return body
