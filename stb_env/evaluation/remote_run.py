"""Runs on a cluster: a run travels as plain data, and each worker resolves it again."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

from stb_env.backend.cache import ResponseCache
from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.forwarding_cache import CarriedCache
from stb_env.backend.virtual import VirtualBackend
from stb_env.core import jsontext
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.evaluation.resolved import Resolved, RunSpec, resolve
from stb_env.models.meter import Meter, current_meter, metered
from stb_env.models.models_file import GGUF
from stb_env.models.preflight import keys_of
from stb_env.runs.agent import Agent
from stb_env.runs.batch import EnvFactory
from stb_env.usage import NO_USAGE, Usage

_MODELS = "models"


class RemoteRun:
    """A run that travels to the workers of a cluster, and brings back what they spend and record.

    A models file travels as text: it names the environment variables of keys, so that keys stay where they
    are. Every other path is looked up at the worker, a relative one from the folder in which the run was
    started. What models cost at a worker, and the answers that it adds in mode ``record``, come back.

    Args:
        text: What `of` writes.
        meter: Where the run is saved, counts what models cost.
        cache: Where the run is saved, keeps new answers.

    Examples:
        >>> from stb_env.evaluation.resolved import RunSpec, resolve
        >>> run = RemoteRun.of(resolve(RunSpec("stb/Sandbox-v1", episodes=1)))
        >>> run.make_agent().name, run.make_env().rules.judge.name
        ('gold', 'exact')
    """

    def __init__(self, text: str, meter: Meter | None = None, cache: ResponseCache | None = None) -> None:
        self._text = text
        self._data: JsonObject = json.loads(text)
        self._meter = meter or Meter()
        self._cache = cache
        self._told, self._told_failed = NO_USAGE, 0
        self._files: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def of(cls, run: Resolved) -> RemoteRun:
        """Write down a run.

        Raises:
            ConfigError: A setting is an object that cannot travel; the message says which.
        """
        backend = run.env.rules.backend
        cache = backend.cache if isinstance(backend, VirtualBackend) and backend.mode == "record" else None
        # A cache that machines share already needs no worker to send its answers back.
        sent_back = cache is not None and cache.folder is not None and cache.overlay is None
        spec = {field.name: getattr(run.spec, field.name) for field in fields(run.spec)}
        settings = {**spec.pop("settings"), **run.connected}
        data = {
            "spec": {name: _packed(name, value) for name, value in spec.items()},
            "settings": {name: _packed(name, value) for name, value in settings.items()},
            "manifest": run.manifest,
            "records": str(cache.folder) if cache is not None and sent_back else "",
            "keys": sorted(keys_of(run.endpoints)),
            "home": str(Path.cwd()),
        }
        return cls(jsontext.dumps(data), current_meter(), cache)

    def __reduce__(self) -> tuple[type[RemoteRun], tuple[str]]:
        return RemoteRun, (self._text,)

    def begin(self) -> None:
        """Prepare a worker's process: check its keys, and go to the folder in which the run was started.

        Raises:
            ConfigError: A key is missing; keys do not travel.
        """
        _check_keys(self._data["keys"])
        if os.path.isdir(self._data["home"]):
            os.chdir(self._data["home"])

    def make_env(self) -> AnyEnv:
        """Make an environment of the run.

        Raises:
            ConfigError: This machine would play something else than the run does.
        """
        with metered(self._meter):
            return self._env_factory()

    def make_agent(self) -> Agent:
        """Make an agent of the run."""
        # Whoever connects a model is counted where it is connected, and agents connect theirs each.
        with metered(self._meter):
            return self._run.make_agent()

    def collect(self) -> dict[str, object]:
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
    def _run(self) -> Resolved:
        settings = {name: self._unpacked(value) for name, value in self._data["settings"].items()}
        spec = {name: self._unpacked(value) for name, value in self._data["spec"].items()}
        connected = {} if self._carried is None else {"cache": self._carried}
        run = resolve(RunSpec(**spec, settings=settings), connected)
        _check(self._data["manifest"], json.loads(jsontext.dumps(run.manifest)))
        return run

    @cached_property
    def _env_factory(self) -> EnvFactory:
        return self._run.env_factory()

    def _unpacked(self, value: object) -> Any:
        if not isinstance(value, dict) or set(value) != {"models file"}:
            return value
        if self._files is None:
            self._files = tempfile.TemporaryDirectory(prefix="stb-env-")
        file = Path(self._files.name) / "models.toml"
        file.write_text(value["models file"], encoding="utf-8")
        return str(file)


def _packed(name: str, value: object) -> object:
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


def _check(run: Mapping[str, object], here: Mapping[str, object]) -> None:
    different = sorted(name for name in run.keys() | here.keys() if run.get(name) != here.get(name))
    if different:
        pairs = ((name, run.get(name), here.get(name)) for name in different)
        shown = "; ".join(f"{name}: there {there!r:.80}, here {own!r:.80}" for name, there, own in pairs)
        raise ConfigError(
            f"this worker would play another run than the one it was hired for ({shown}); give every machine "
            "the same files and STB_ variables as there"
        )
