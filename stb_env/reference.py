"""Objects by the text that names them: ``package.module:Name`` or ``path/to/file.py:Name``."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from stb_env.errors import ConfigError, did_you_mean

_PACKAGE = "_stb_files_"


def load_object(text: str) -> object:
    """Return the object that a text names.

    Args:
        text: ``package.module:Name`` or ``path/to/file.py:Name``. A file may import its neighbours
            (``from .common import``).

    Raises:
        ConfigError: The text has no colon, or there is no such module, file or name; the message names the
            nearest.

    Examples:
        >>> load_object("stb_env.usage:NO_USAGE").calls
        0
        >>> load_object("stb_env.usage:NO_USAG")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: stb_env.usage defines no 'NO_USAG'. Did you mean 'NO_USAGE'?
    """
    where, colon, name = text.rpartition(":")
    if not colon or not name:
        raise ConfigError(f"expected path.py:Name or module:Name, got {text!r}")
    module = load_module(where)
    found: object = getattr(module, name, None)
    if found is None:
        raise ConfigError(f"{where} defines no {name!r}.{did_you_mean(name, dir(module))}")
    return found


def load_module(where: str) -> ModuleType:
    """Import a module by its name, or a file by its path; a file is run again only where it has changed.

    Raises:
        ConfigError: There is no such module or file.
    """
    if not where.endswith(".py"):
        try:
            return importlib.import_module(where)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"cannot import {where!r} ({error}); is it installed or on PYTHONPATH?"
            ) from error
    path = Path(where)
    if not path.is_file():
        raise ConfigError(f"{where} does not exist; give the path of a Python file")
    return _import_file(path)


def place_of(module: str) -> str:
    """Return the text that names a module in any process: its name, or the path of its file.

    Args:
        module: Name of a module that is imported; one that was run as a script or imported by its path is
            known by its file alone.

    Examples:
        >>> place_of("stb_env.usage")
        'stb_env.usage'
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is not None and (module == "__main__" or module.startswith(_PACKAGE)):
        return str(Path(file).resolve())
    return module


def _import_file(path: Path) -> ModuleType:
    name = f"{_folder(path.parent)}.{path.stem.replace('.', '_')}"
    changed = path.stat().st_mtime_ns
    if name in sys.modules and getattr(sys.modules[name], "__changed__", changed) == changed:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} is not importable as Python")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__changed__"] = changed
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        # A half-made module would pass for the whole one at the next attempt.
        del sys.modules[name]
        raise
    return module


def _folder(folder: Path) -> str:
    """Return the name of a package that stands for a folder, so that its files can import each other."""
    place = str(folder.resolve())
    name = f"{_PACKAGE}{hashlib.sha256(place.encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [place]
        sys.modules[name] = package
    return name
