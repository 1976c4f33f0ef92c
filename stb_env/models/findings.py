"""Known abilities of endpoints: kept in the process and, for distant ones, in a file."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import platformdirs

from stb_env.core import jsontext
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import InfrastructureError
from stb_env.http.retry import Clock
from stb_env.models.abilities import Abilities, probe
from stb_env.models.endpoint import ModelAddress
from stb_env.models.model import ChatModel

KEPT = 7 * 24 * 3600.0
"""Seconds that a finding in the file is trusted."""

_log = logging.getLogger("stb_env")

RETRY = 60.0
"""Seconds until an endpoint that did not answer is asked again what it can do."""


class Findings:
    """Abilities by place, each found out at most once at a time. Safe to share between threads.

    A loopback server's are never written down: tomorrow another model may listen at the same address.

    Args:
        file: Where findings outlive the process; None for the usual file in the user's cache folder.
        clock: Tells the time.
    """

    def __init__(self, file: Path | None = None, clock: Clock | None = None) -> None:
        self._file = file
        self._clock = clock or Clock()
        self._known: dict[ModelAddress, Abilities] = {}
        self._failed: dict[ModelAddress, float] = {}
        self._locks: defaultdict[ModelAddress, threading.Lock] = defaultdict(threading.Lock)

    def __reduce__(self) -> tuple[Callable[[Path | None], Findings], tuple[Path | None]]:
        # What is known belongs to a process, as its locks do: another one has its own.
        return _of_this_process, (self._file,)

    @property
    def file(self) -> Path:
        """File in which findings are kept after the process ends."""
        return self._file or platformdirs.user_cache_path("stb_env", appauthor=False) / "endpoints.json"

    def of(self, place: ModelAddress, prober: Callable[[], ChatModel]) -> Abilities | None:
        """Return what an endpoint can do, asking it where nobody has; None where it does not answer.

        What it lacks is said once a process, in one line of the log.

        Args:
            place: Endpoint and model.
            prober: Makes the model to ask.
        """
        with self._locks[place]:
            if place in self._known:
                return self._known[place]
            now = self._clock.monotonic()
            if now - self._failed.get(place, now - RETRY) < RETRY:
                return None
            found = self._stored(place)
            if found is None:
                try:
                    found = probe(prober())
                except InfrastructureError:
                    # The request that follows meets the same failure, and says it with its type.
                    self._failed[place] = now
                    return None
                self._store(place, found)
            self._known[place] = found
        _warn(place, found)
        return found

    def renew(self, place: ModelAddress, model: ChatModel) -> Abilities:
        """Ask an endpoint, whatever was known.

        Raises:
            InfrastructureError: It does not answer.
        """
        found = probe(model)
        with self._locks[place]:
            self._known[place] = found
            self._store(place, found)
        return found

    def _stored(self, place: ModelAddress) -> Abilities | None:
        if place.local:
            return None
        entry = self._read().get(place.key)
        try:
            age = self._clock.wall() - entry["found"] if entry else KEPT
            return Abilities(**entry["abilities"]) if entry and 0 <= age < KEPT else None
        except (TypeError, KeyError):
            return None

    def _store(self, place: ModelAddress, found: Abilities) -> None:
        if place.local:
            return
        entry = {"found": self._clock.wall(), "abilities": found.to_dict()}
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_json(self.file, {**self._read(), place.key: entry})
        except OSError as error:
            # The next process asks again, that is all.
            _log.info("cannot keep what endpoints can do in %s: %s", self.file, error.strerror)

    def _read(self) -> JsonObject:
        try:
            value = jsontext.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


FINDINGS = Findings()
"""What this process knows."""


def _of_this_process(file: Path | None) -> Findings:
    return FINDINGS if file is None else Findings(file)


def _warn(place: ModelAddress, found: Abilities) -> None:
    if found.lacks:
        _log.warning("%s: %s; asked in another way (stb-env models check)", place, found.lacks)
