"""Modules by name and files by path, imported once, under names that hold in every process."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from stb_env.errors import ConfigError, STBError

_PACKAGE = "_stb_files_"
_MAIN = ("__main__", "__mp_main__")


def load_module(where: str) -> ModuleType:
    """Import a module by its name, or a file by its path; a file is run again only where it has changed.

    Raises:
        ConfigError: There is no such module or file, or it fails while it is imported.
    """
    path = Path(where)
    if where.endswith(".py") and not path.is_file():
        raise ConfigError(f"{where} does not exist; give the path of a Python file")
    try:
        return _import_file(path) if where.endswith(".py") else importlib.import_module(where)
    except STBError:
        raise
    except ModuleNotFoundError as error:
        raise ConfigError(f"cannot import {where!r} ({error}); is it installed or on PYTHONPATH?") from error
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
        raise ConfigError(f"cannot import {where!r}: {problem}; correct it and try again") from error


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
    if file is not None and (module in _MAIN or module.startswith(_PACKAGE)):
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
    name = _PACKAGE + str(folder.resolve()).encode("utf-8", "surrogateescape").hex()
    importlib.import_module(name)
    return name


class _Folders(MetaPathFinder):
    """Finds the package of a folder by its name, so that what is pickled from its files is found anywhere."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if path is not None or not fullname.startswith(_PACKAGE):
            return None
        try:
            folder = bytes.fromhex(fullname.removeprefix(_PACKAGE)).decode("utf-8", "surrogateescape")
        except ValueError:
            return None
        spec = ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec


sys.meta_path.append(_Folders())
