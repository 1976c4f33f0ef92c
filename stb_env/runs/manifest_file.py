"""The manifest of a run folder: whose results stand there, and which run may go on in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from stb_env.core import checksums, jsontext
from stb_env.core.files import write_json
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.run_identity import GROWING, LEARNED, without_departures
from stb_env.errors import ConfigError


def settle(folder: Path, manifest: JsonMapping, *, holds_results: bool) -> None:
    """Write a run's manifest, unless the folder holds another run's.

    More episodes or trials than there are make the same run longer. What only an endpoint can tell may be
    missing on either side, where it was not asked; what is known of it stays.

    Args:
        folder: The run's folder.
        manifest: Everything that decides the numbers, as plain data.
        holds_results: Whether episodes are saved there.

    Raises:
        ConfigError: The folder holds another run, or nobody can tell whose run it holds.
        DataError: The manifest was changed since the run ended.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     settle(Path(folder), {"agent": "gold", "episodes": 2}, holds_results=False)
        ...     settle(Path(folder), {"agent": "gold", "episodes": 5}, holds_results=True)
        ...     (Path(folder) / "manifest.json").read_text().split()
        ['{', '"agent":', '"gold",', '"episodes":', '5', '}']
    """
    file = folder / "manifest.json"
    now: JsonObject = json.loads(jsontext.dumps(dict(manifest)))
    there = _read(file)
    if there is not None:
        checksums.check(file)
    if there is None:
        if holds_results:
            raise ConfigError(f"{file} is missing, so nobody knows whose episodes stand there; {_ADVICE}")
    elif different := list(_differences(there, now)):
        shown = "; ".join(f"{name}: there {old!r}, now {new!r}" for name, old, new in different)
        raise ConfigError(f"{folder} holds a run with another configuration ({shown}); use another --out")
    else:
        now |= {name: there[name] for name in LEARNED if name in there and name not in now}
    if there != now:
        checksums.forget(folder, file.name)
        write_json(file, now)


_ADVICE = "restore it, or use another --out"


def _read(file: Path) -> JsonObject | None:
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ConfigError(f"{file} is damaged ({error}); {_ADVICE}") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{file} is damaged (no JSON object, but {type(found).__name__}); {_ADVICE}")
    return found


def _differences(there: JsonMapping, now: JsonMapping) -> Iterator[tuple[str, Json, Json]]:
    for name in sorted(there.keys() | now.keys()):
        old, new = there.get(name), now.get(name)
        if old == new or (name in GROWING and name in there and name in now and _grown(old, new)):
            continue
        if name in LEARNED and (name not in there or name not in now):
            continue
        if name == "protocol" and without_departures(old) == without_departures(new):
            continue
        yield name, old, new


def _grown(old: Json, new: Json) -> bool:
    """Say whether a number is larger than before; None stands for all."""
    return old is not None and (new is None or new > old)
