"""A run as plain data, from which a worker of a cluster makes the same environment and agents."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stb_env import jsontext
from stb_env.backend.cache import ResponseCache
from stb_env.backend.cache.carried import CarriedCache
from stb_env.backend.cache.entry import CacheEntry
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.llm.meter import Meter, metered
from stb_env.llm.models_file import GGUF
from stb_env.rollout.agent import Agent
from stb_env.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from stb_env.evaluate.session import Session

_MODELS = "models"


class Recipe:
    """What a `Session` is made of, as plain data that can travel, and the courier of the run (see `Courier`).

    A models file travels as text: it names the environment variables of keys, so that keys stay where they
    are. Every other path is looked up at the worker, a relative one from the folder in which the run was
    started. What models cost at a worker, and the answers that it adds in mode ``record``, come back.

    Args:
        text: What `of` writes.
        meter: Where the run is saved, counts what models cost.
        cache: Where the run is saved, keeps new answers.

    Examples:
        >>> inputs = {"env_id": "stb/Sandbox-v1", "agent": "gold", "settings": {}, "episodes": 1}
        >>> recipe = Recipe.of(inputs, {})
        >>> recipe.make_agent().name, recipe.make_env().rules.judge.name
        ('gold', 'exact')
        >>> Recipe.of({**inputs, "settings": {"judge": print}}, {})
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: judge cannot travel to other machines: it is a builtin_function...
    """

    def __init__(self, text: str, meter: Meter | None = None, cache: ResponseCache | None = None) -> None:
        self._text = text
        self._data: JsonObject = json.loads(text)
        self._meter = meter or Meter()
        self._cache = cache
        self._told, self._told_failed = NO_USAGE, 0
        self._files: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def of(
        cls,
        inputs: JsonMapping,
        manifest: JsonMapping,
        *,
        records: str = "",
        keys: Sequence[str] = (),
        meter: Meter | None = None,
        cache: ResponseCache | None = None,
    ) -> Recipe:
        """Write down a session.

        Args:
            inputs: Its arguments by name.
            manifest: Its manifest; a worker whose own says something else refuses to play.
            records: Cache folder to which new answers are to be added; empty for none.
            keys: Environment variables that hold the keys of its models; who lacks one refuses to play.
            meter: Counts what models cost at the workers.
            cache: Keeps the new answers of the workers.

        Raises:
            ConfigError: An argument is an object that cannot travel; the message says which.
        """
        settings = {name: _packed(name, value) for name, value in inputs["settings"].items()}
        given = {name: _packed(name, value) for name, value in inputs.items() if name != "settings"}
        data = {
            "inputs": given | {"settings": settings},
            "manifest": dict(manifest),
            "records": records,
            "keys": list(keys),
            "home": str(Path.cwd()),
        }
        return cls(jsontext.dumps(data), meter, cache)

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe, (self._text,)

    def make_env(self) -> ToolEnv:
        """Make an environment of the run.

        Raises:
            ConfigError: This machine would play something else than the run does.
        """
        with metered(self._meter):
            return self._session.another_env()

    def make_agent(self) -> Agent:
        """Make an agent of the run."""
        # Whoever connects a model is counted where it is connected, and agents connect theirs each.
        with metered(self._meter):
            return self._session.make_agent()

    def collect(self) -> JsonObject:
        """Return what models have cost here and which answers are new, since the last time."""
        total, failed = self._meter.total, self._meter.failed
        news: JsonObject = {}
        if total != self._told or failed != self._told_failed:
            news = {"usage": (total - self._told).to_dict(), "failed": failed - self._told_failed}
            self._told, self._told_failed = total, failed
        if self._carried is not None and (entries := self._carried.drain()):
            news["entries"] = [entry.written() for entry in entries]
        return news

    def deliver(self, news: JsonObject) -> None:
        """Count what models have cost at a worker, and keep the answers that nobody had before.

        Raises:
            BudgetExceeded: The run's budget is used up; workers themselves know no cap.
        """
        if self._cache is not None:
            for written in news.get("entries", ()):
                entry = CacheEntry.read(written)
                self._cache.add(entry.key, entry)
        if "usage" in news:
            self._meter.add(Usage(**news["usage"]))
            self._meter.add_failed(news["failed"])
            granted = self._meter.reserve()
            granted.result()
            self._meter.withdraw(granted, NO_USAGE)

    def close(self) -> None:
        """Remove the files that were made here."""
        if self._files is not None:
            self._files.cleanup()

    @cached_property
    def _carried(self) -> CarriedCache | None:
        return CarriedCache(self._data["records"]) if self._data["records"] else None

    @cached_property
    def _session(self) -> Session:
        # Sessions make recipes, and recipes sessions.
        from stb_env.evaluate.session import Session

        _check_keys(self._data["keys"])
        if os.path.isdir(self._data["home"]):
            os.chdir(self._data["home"])
        given = self._data["inputs"]
        settings = {name: self._unpacked(value) for name, value in given["settings"].items()}
        inputs = {name: self._unpacked(value) for name, value in given.items()} | {"settings": settings}
        connected = {} if self._carried is None else {"cache": self._carried}
        session = Session(**inputs, connected=connected)
        if self._data["manifest"]:
            _check(self._data["manifest"], json.loads(jsontext.dumps(dict(session.manifest))))
        return session

    def _unpacked(self, value: Any) -> Any:
        if not isinstance(value, dict) or set(value) != {"models file"}:
            return value
        if self._files is None:
            self._files = tempfile.TemporaryDirectory(prefix="stb-env-")
        file = Path(self._files.name) / "models.toml"
        file.write_text(value["models file"], encoding="utf-8")
        return str(file)


def _packed(name: str, value: Any) -> Any:
    if isinstance(value, ResponseCache) and value.folder is not None and value.overlay is None:
        value = value.folder
    if isinstance(value, Path):
        value = str(value)
    if name == _MODELS and isinstance(value, str) and not value.lower().endswith(GGUF):
        return {"models file": _text_of(Path(value))}
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{name} cannot travel to other machines: it is a {type(value).__name__}; give its name or path, "
            "which every machine can look up"
        ) from None
    return value


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the models file {file}: {error}") from error


def _check_keys(keys: Sequence[str]) -> None:
    missing = [name for name in keys if not os.environ.get(name)]
    if missing:
        raise ConfigError(
            f"the models of this run take the keys in {', '.join(keys)}, and a worker has no "
            f"{', '.join(missing)}; keys do not travel: set them on every machine, then start Ray there"
        )


def _check(run: JsonMapping, here: JsonMapping) -> None:
    different = sorted(name for name in run.keys() | here.keys() if run.get(name) != here.get(name))
    if different:
        pairs = ((name, run.get(name), here.get(name)) for name in different)
        shown = "; ".join(f"{name}: there {there!r:.80}, here {own!r:.80}" for name, there, own in pairs)
        raise ConfigError(
            f"this worker would play another run than the one it was hired for ({shown}); give every machine "
            "the same files and STB_ variables as there"
        )
