"""The original servers' ``config.yml``: that of the GPT server, and those of the two MirrorAPI servers.

The names of its keys are wire strings. Relative paths are those of the file's folder, where the original is
started.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from stb_env.backend.cache import ResponseCache
from stb_env.backend.cache.layers import read_manifest
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.suites.stabletoolbench.cache_import import import_source

KEY_VARIABLE = "STB_CONFIG_API_KEY"
"""Environment variable under which the file's key is known to this process and its workers."""

MIRROR_MODEL = "simulation-250123-qwen25-mixed"
MIRROR_CACHE = "mirrorapi_cache"
"""Part of the file name by which MirrorAPI-Cache's server is configured; the keys are the same."""

_REAL = "toolbench_url"
_NO_KEYS = ("", "EMPTY")
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "api_key": str,
    "api_base": str,
    "model": str,
    "temperature": (int, float),
    "toolbench_url": str,
    "tools_folder": str,
    "cache_folder": str,
    "is_save": bool,
    "port": int,
    "log_file": str,
}


class OriginalPlace(NamedTuple):
    """The folders and the real API of the original's server.

    Attributes:
        cache: Folder of recorded answers, in the original's layout; new ones go there.
        tools: Folder of tool files.
        url: The real API.
        save: Whether new answers are stored.
    """

    cache: str
    tools: str
    url: str
    save: bool


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The settings in such a file.

    Attributes:
        folder: The file's.
        values: Its keys with their values.
        ignored: Keys in it that no original server knows.
        name: The file's; that of MirrorAPI-Cache's server tells it from that of MirrorAPI's.
    """

    folder: Path
    values: Mapping[str, Any] = field(repr=False)
    ignored: tuple[str, ...] = ()
    name: str = "config.yml"

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: It cannot be read, is no mapping, or has a value of another type.

        Examples:
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = Path(folder) / "config.yml"
            ...     _ = file.write_text('{"toolbench_url": "http://127.0.0.1:1/rapidapi"}')
            ...     ServerConfig.read(file).settings(None)
            {'mode': 'live', 'real': 'http://127.0.0.1:1/rapidapi'}
        """
        values = _yaml(file)
        if not isinstance(values, dict):
            raise ConfigError(f"{file} must be a mapping of names to values, as the original's config.yml is")
        for name, kind in _KINDS.items():
            value = values.get(name)
            if value is not None and not (
                isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
            ):
                # The value stays unsaid: it may be the key.
                raise ConfigError(
                    f"{file}: {name} is a {type(value).__name__}, which it is not in the original"
                )
        known = {name: values[name] for name in _KINDS if values.get(name) not in (None, "")}
        ignored = tuple(sorted(map(str, values.keys() - _KINDS)))
        return cls(file.resolve().parent, known, ignored, file.name)

    @property
    def is_mirror(self) -> bool:
        """True if it is a MirrorAPI server's: they have neither a cache nor real APIs."""
        return not {"toolbench_url", "cache_folder"} & self.values.keys()

    @property
    def official_cache(self) -> Path | None:
        """The folder of recorded answers in the original's layout, where there is one."""
        return self._path("cache_folder")

    def settings(self, cache: Path | None) -> dict[str, object]:
        """Return the settings of the virtual API.

        Args:
            cache: Our cache folder; see `taken_over`.
        """
        saves = self.values.get("is_save", True) and cache is not None
        settings: JsonObject = {"mode": "record" if saves and not self.is_mirror else "live"}
        if self.is_mirror:
            settings["simulator"] = "mirror_cache" if MIRROR_CACHE in self.name else "mirror_sft"
        if cache is not None:
            settings["cache"] = str(cache)
        if "toolbench_url" in self.values:
            settings["real"] = self.values["toolbench_url"]
        tools = self._path("tools_folder")
        if tools is not None and tools.is_dir():
            settings["tools"] = str(tools)
        return settings

    def place(self) -> OriginalPlace:
        """Return what the original's server works on, with its own defaults.

        Raises:
            ConfigError: The file is a MirrorAPI server's, or names no real API.
        """
        if self.is_mirror:
            raise ConfigError(
                "compat='original' stands for the server with a cache and real APIs, and this file is a "
                "MirrorAPI server's, which has neither; leave out --compat"
            )
        if "toolbench_url" not in self.values:
            raise ConfigError(f"compat='original' needs the real API: name its URL under {_REAL}")
        return OriginalPlace(
            str(self._path("cache_folder") or self.folder / "tool_response_cache"),
            str(self._path("tools_folder") or self.folder / "tools"),
            self.values["toolbench_url"],
            self.values.get("is_save", True),
        )

    def environment(self) -> dict[str, str]:
        """Return the environment variables that give the simulator the file's model."""
        key, base = self.values.get("api_key", ""), self.values.get("api_base", "")
        if key in _NO_KEYS and not base:
            return {}
        found = {
            "STB_SIMULATOR_MODEL": self.values.get("model", MIRROR_MODEL if self.is_mirror else ""),
            "STB_SIMULATOR_BASE_URL": base,
            "STB_SIMULATOR_TEMPERATURE": str(self.values.get("temperature", "")),
        }
        if key not in _NO_KEYS:
            found |= {"STB_SIMULATOR_API_KEY_ENV": KEY_VARIABLE, KEY_VARIABLE: key}
        return {name: value for name, value in found.items() if value}

    def _path(self, name: str) -> Path | None:
        return self.folder / self.values[name] if name in self.values else None


def taken_over(official: Path, cache: Path | None = None) -> Path:
    """Return our cache folder with what an official one holds; it is imported once.

    The official folder stays as it is.

    Args:
        official: Recorded answers in the original's layout.
        cache: Our folder; None for one beside the official folder, whose name ends in ``.stb``.

    Raises:
        ConfigError: The official folder holds other things.
    """
    ours = official.with_name(f"{official.name}.stb") if cache is None else cache
    if read_manifest(ours) is not None or not any(official.rglob("*.json")):
        return ours
    ours.parent.mkdir(parents=True, exist_ok=True)
    scratch = tempfile.TemporaryDirectory(dir=ours.parent, prefix=f".{ours.name}-")
    with scratch as folder, closing(ResponseCache(folder)) as read:
        import_source(read, official, kind="official")
        read.snapshot(ours)
    return ours


def _yaml(file: Path) -> object:
    try:
        yaml: Any = importlib.import_module("yaml")
    except ModuleNotFoundError as error:
        raise ConfigError("a config.yml needs PyYAML; pip install 'stb-env[serve]'") from error
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {file}: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{file} is not YAML: line {_line(error)}") from error


def _line(error: object) -> int:
    # The message would quote the line, which may be the key's.
    mark = getattr(error, "problem_mark", None)
    return 0 if mark is None else mark.line + 1
