"""Objects by the text that names them: ``package.module:Name`` or ``path/to/file.py:Name(width=3)``."""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib
import importlib.util
import inspect
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.settings import check_settings, takes
from stb_env.errors import ConfigError, DataError, STBError, did_you_mean

__all__ = [
    "Loaded",
    "files_hash",
    "is_reference",
    "load_made",
    "load_module",
    "load_object",
    "place_of",
    "read_settings",
    "source_of",
]

_PACKAGE = "_stb_files_"
# A file that is being run by one thread is half a module to the others.
_RUNNING_A_FILE = threading.RLock()
_MAIN = ("__main__", "__mp_main__")
_FORM = "write settings as keyword arguments with plain values, like NAME(width=3, judge='heuristic')"


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


@dataclass(frozen=True, slots=True)
class Loaded:
    """Object that a text with settings names.

    Attributes:
        object: The object; of a class, an instance.
        source: Its name and a hash of the file that defines it.
        settings: What a class was made with.
    """

    object: Any
    source: str
    settings: JsonMapping


def is_reference(text: str) -> bool:
    r"""Return whether a text has the form ``path.py:Name`` or ``module:Name``, with settings or without.

    Examples:
        >>> is_reference("my/judges.py:Strict(level=2)"), is_reference("my.judges:Strict")
        (True, True)
        >>> is_reference("heuristic"), is_reference("http://host:8080"), is_reference("C:\\judges")
        (False, False, False)
    """
    where, _, name = text.partition("(")[0].rpartition(":")
    module = where.endswith(".py") or all(part.isidentifier() for part in where.split("."))
    return module and name.isidentifier()


def load_made(text: str, offered: Mapping[str, object] | None = None) -> Loaded:
    """Return the object that a text names; of a class, an instance with the settings in parentheses.

    Args:
        text: ``path.py:Name``, ``module:Name``, or for a class ``path.py:Name(width=3)``.
        offered: Further settings, for a class that has them and was not given them.

    Raises:
        ConfigError: There is no such object, or it has no such setting.

    Examples:
        >>> load_made("stb_env.usage:Usage(calls=2)").object.calls
        2
    """
    name, settings = read_settings(text)
    found = load_object(name)
    if isinstance(found, type):
        settings = {key: value for key, value in (offered or {}).items() if takes(found, key)} | settings
        check_settings(found, settings, name)
        return Loaded(_made(found, settings, name), source_of(found), settings)
    if settings:
        raise ConfigError(f"only classes take settings, and {name} is a {type(found).__name__}")
    return Loaded(found, source_of(found), {})


def _made(kind: type, settings: Mapping[str, object], name: str) -> object:
    try:
        return kind(**settings)
    except STBError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ConfigError(f"cannot make {name}: {problem}; write settings as {name}(name=value)") from error


def read_settings(spec: str) -> tuple[str, JsonObject]:
    """Split a text into a name and the settings in the parentheses behind it.

    Values are Python literals; nothing is evaluated.

    Raises:
        ConfigError: What stands in the parentheses is something else.

    Examples:
        >>> read_settings("best_of_n(n=3, judge='heuristic')")
        ('best_of_n', {'n': 3, 'judge': 'heuristic'})
        >>> read_settings("gold"), read_settings("gold()")
        (('gold', {}), ('gold', {}))
        >>> read_settings("mine.py:Mine(3)")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: cannot read the settings in 'mine.py:Mine(3)'; write settings as ...
    """
    name, opened, rest = spec.partition("(")
    if not opened or not rest.endswith(")"):
        return spec, {}
    try:
        call = ast.parse(f"agent({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(spec)
        settings = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        if len(settings) < len(call.keywords) or any(keyword.arg is None for keyword in call.keywords):
            raise ValueError("a setting is given twice, or by **")
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ConfigError(f"cannot read the settings in {spec!r}; {_FORM}") from error
    return name, settings


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


def load_module(where: str) -> ModuleType:
    """Import a module by its name, or a file by its path; a file is run again only where it has changed.

    Raises:
        ConfigError: There is no such module or file, or it fails while it is imported.
    """
    path = Path(where)
    if where.endswith(".py") and not path.is_file():
        raise ConfigError(f"{where} does not exist; give the path of a Python file")
    try:
        if not where.endswith(".py"):
            return importlib.import_module(where)
        with _RUNNING_A_FILE:
            return _import_file(path)
    except (ConfigError, DataError) as error:
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
        raise type(error)(f"{error} ({path.name}, line {lines[-1]})" if lines else str(error)) from error
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
    loader = _FileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ConfigError(f"{path} is not importable as Python")
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__changed__"] = changed
    sys.modules[name] = module
    try:
        loader.exec_module(module)
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


class _FileLoader(SourceFileLoader):
    """Runs a file, in which those beside it can be imported by their names alone, as in a script."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the file with an ``import`` of its own, so that folders may have modules of the same name."""
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> ModuleType:
    """Do what ``import`` stands for in a file of a folder's package."""
    folder = str((globals or {}).get("__package__", "")).partition(".")[0]
    top = name.partition(".")[0]
    if level == 0 and folder.startswith(_PACKAGE) and top not in sys.stdlib_module_names:
        beside = _file_of(f"{folder}.{top}")
        # What is installed from there, such as a project at work, is no second module.
        if beside and beside != _file_of(top):
            found = builtins.__import__(f"{folder}.{name}", globals, locals, fromlist, 0)
            return found if fromlist else sys.modules[f"{folder}.{top}"]
    return builtins.__import__(name, globals, locals, fromlist, level)


def _file_of(name: str) -> str | None:
    """Return the file of a module, without importing it; None where it has none."""
    known = sys.modules.get(name)
    if known is not None:
        return getattr(known, "__file__", None)
    spec = importlib.util.find_spec(name)
    return None if spec is None else spec.origin


class _Folders(MetaPathFinder):
    """Finds the package of a folder by its name, so that what is pickled from its files is found anywhere."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PACKAGE):
            return None
        if path is not None:
            found = PathFinder.find_spec(fullname, path)
            if found is not None and found.origin and type(found.loader) is SourceFileLoader:
                found.loader = _FileLoader(fullname, found.origin)
            return found
        try:
            folder = bytes.fromhex(fullname.removeprefix(_PACKAGE)).decode("utf-8", "surrogateescape")
        except ValueError:
            return None
        spec = ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec


# Before the finder of files, whose modules have no ``import`` of their own.
sys.meta_path.insert(0, _Folders())
