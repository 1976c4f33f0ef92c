"""Stable tool-use environments behind one Gymnasium interface, offline by default.

Importing the package registers its environments, so ``gymnasium.make(ID)`` works. What is public is listed
once, in ``__init__.pyi``, for people, type checkers and this module alike.
"""

from __future__ import annotations

import importlib
import pkgutil
import re

from stb_env.suite import register_installed, register_own

__version__ = "0.1.0"

# Public name -> module that defines it; imported at first use, so that importing the package stays cheap.
_STUB = (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode()
_HOMES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+)", _STUB, re.MULTILINE)}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'stb_env' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


register_own()
register_installed()
