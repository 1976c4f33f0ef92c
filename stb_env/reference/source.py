"""Versions of code for manifests: names with a hash of the file that defines them."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path


def source_of(found: object) -> str:
    """Return the name of a function, a class or an instance with a hash of the file that defines it.

    Examples:
        >>> source_of(source_of)[:10], len(source_of(source_of))
        ('source_of@', 22)
    """
    named = found if inspect.isroutine(found) or isinstance(found, type) else type(found)
    name = getattr(named, "__name__", type(found).__name__)
    return f"{name}@{files_hash([getattr(named, '__module__', '')])}"


def files_hash(modules: Iterable[str]) -> str:
    """Return twelve hex digits over the files of modules; a module without a file counts by its name.

    Examples:
        >>> files_hash(["stb_env.usage"]) == files_hash(["stb_env.usage", "stb_env.usage"])
        True
    """
    digest = hashlib.sha256()
    for module in dict.fromkeys(modules):
        file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        digest.update(file.read_bytes() if file.is_file() else module.encode())
    return digest.hexdigest()[:12]
