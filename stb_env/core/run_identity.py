"""The identity of a run: a digest of everything in its manifest that decides its numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json

GROWING = ("episodes", "trials")
"""Fields of a manifest that only grow: the run is the same, and longer."""
LEARNED = ("answer_bounds",)
"""Fields that only an endpoint tells; they are absent where it was not asked."""


def run_identity(manifest: Mapping[str, object]) -> str:
    """Return the identity of the run with this manifest: equal where one run may go on as the other.

    Args:
        manifest: The manifest, as plain data.

    Examples:
        >>> run_identity({"agent": "gold", "episodes": 2}) == run_identity({"agent": "gold", "episodes": 5})
        True
        >>> run_identity({"agent": "gold"}) == run_identity({"agent": "noop"})
        False
    """
    fields = {
        name: without_departures(value) if name == "protocol" else value
        for name, value in manifest.items()
        if name not in GROWING and name not in LEARNED and value is not None
    }
    text = json.dumps(json.loads(jsontext.dumps(fields)), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def without_departures(protocol: Json) -> Json:
    """Return a protocol without its departures: they follow from all the rest, the number of trials too."""
    if not isinstance(protocol, dict):
        return protocol
    return {name: value for name, value in protocol.items() if name != "departures"}


def saved_identity(folder: Path) -> str:
    """Return the identity of the run in a folder; empty where no manifest says whose run it is.

    Examples:
        >>> saved_identity(Path("runs/nothing"))
        ''
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return ""
    return run_identity(manifest) if isinstance(manifest, dict) else ""


def foreign(run: str, folder_run: str) -> str:
    """Return what is wrong with an episode of one run in the folder of another, or nothing.

    Args:
        run: Identity that the episode carries; empty in lines that were written before runs had one.
        folder_run: Identity of the folder's run; empty where it is not known.
    """
    if run in ("", folder_run) or not folder_run:
        return ""
    return (
        f"belongs to another run ({run[:12]}; this folder's manifest.json is of {folder_run[:12]}): "
        "put the file back that was there, or play the run again"
    )


class RunCheck:
    """Finds the line of another run: than the folder's manifest says, or than the lines before it.

    Args:
        folder: Holds the lines.
        mixed: Whether lines of several runs may stand together where there is no manifest.

    Examples:
        >>> check = RunCheck(Path("runs/nothing"))
        >>> check.wrong("a" * 32), check.wrong("")
        ('', '')
        >>> check.wrong("b" * 32)  # doctest: +ELLIPSIS
        'belongs to another run (bbbbbbbbbbbb; the lines before it are of aaaaaaaaaaaa, ...
    """

    def __init__(self, folder: Path, *, mixed: bool = False) -> None:
        self._manifest = saved_identity(folder)
        self._mixed = mixed
        self._first = ""

    def wrong(self, run: str) -> str:
        """Return what is wrong with an episode of this run, or nothing.

        Args:
            run: Identity that the episode carries; empty in lines that were written before runs had one.
        """
        if self._manifest:
            return foreign(run, self._manifest)
        self._first = self._first or run
        if self._mixed or run in ("", self._first):
            return ""
        return (
            f"belongs to another run ({run[:12]}; the lines before it are of {self._first[:12]}, and no "
            "manifest.json says whose folder it is): put back the files that were there"
        )
