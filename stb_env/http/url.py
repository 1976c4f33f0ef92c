"""URLs of endpoints, and the variables that hold their keys: checks and what may be shown of them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from stb_env.errors import ConfigError

_HOST = re.compile(r"[\w.:-]+", re.ASCII)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_TOKEN = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}")


def check_url(what: str, url: object, example: str = "http://HOST:PORT/PATH") -> None:
    """Check that a URL can be asked.

    Args:
        what: Names it in the message. The URL stays unsaid: it may carry a password.
        url: The URL.
        example: One that would do.

    Raises:
        ConfigError: It cannot.

    Examples:
        >>> check_url("the URL of the films", "ftp://films.example")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the URL of the films must be a URL such as http://HOST:PORT/PATH
    """
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        port_fits = parts is not None and (parts.port is None or parts.port > 0)
    except ValueError:
        parts, port_fits = None, False
    if parts is None or not port_fits or parts.scheme not in ("http", "https"):
        raise ConfigError(f"{what} must be a URL such as {example}")
    if not _HOST.fullmatch(parts.hostname or ""):
        raise ConfigError(f"{what} names no valid host; write {example}")
    if parts.fragment:
        raise ConfigError(f"{what} must end before any '#'; write {example}")


def check_variable(what: str, name: object) -> None:
    """Check the name of an environment variable that holds a key; empty for none.

    Raises:
        ConfigError: It is none. What was got stays unsaid: it is most likely the key itself.
    """
    if not isinstance(name, str) or (name and not _VARIABLE.fullmatch(name)):
        raise ConfigError(
            f"{what} must be the name of an environment variable in capitals, such as MY_API_KEY; "
            "export the key under that name"
        )


def public_url(url: str) -> str:
    """Return a URL without a user name, password or query, for messages and keys of caches.

    Examples:
        >>> public_url("http://me:secret@127.0.0.1:8000/v1?key=1")
        'http://127.0.0.1:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def shown_url(url: str) -> str:
    """Return what messages may show of a URL: also without the parts of its path that may be keys.

    Examples:
        >>> shown_url("http://me:secret@127.0.0.1:8000/s/Zm9vYmFyMTIzNDU2Nzg5MDEy/gpt-4o-2024-08-06")
        'http://127.0.0.1:8000/s/[key]/gpt-4o-2024-08-06'
    """
    public = public_url(url)
    for part in keys_in_path(url):
        public = public.replace(part, "[key]")
    return public


def keys_in_path(url: str) -> list[str]:
    """Return the parts of a URL's path that may be keys: with twenty letters and digits in a row."""
    return [part for part in urlsplit(url).path.split("/") if _TOKEN.search(part)]
