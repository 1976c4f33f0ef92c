"""The runs that a viewer shows, and everything that its page may ask about them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import orjson

from stb_env import __version__
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError, DataError, STBError
from stb_env.show.report.saved.find_runs import find_runs
from stb_env.show.report.saved.saved_run import SavedRun
from stb_env.show.report.view.replayed import WorldReplay, states_of

_FIRST_ROWS, _MORE_ROWS = 200, 2_000
_LARGEST = 2**53 - 1


class RunIndex:
    """Answers a page's questions about some runs, each by the path that it has on a server and in an export.

    Args:
        paths: What to show, see `stb_env.show.report.saved.find_runs.find_runs`.
        env_id: An environment with the place that declares it, whose code may be run to replay worlds.
        data: Official files that the worlds need.

    Raises:
        DataError: A path holds no run.

    Examples:
        >>> from stb_env.show.report.saved.saved_run import SavedRun
        >>> run_index = RunIndex.of({"mine": SavedRun(Path("nowhere"))})
        >>> run_index.answer("runs.json")["runs"][0]["name"], run_index.answer("0/rows/0.json")["total"]
        ('mine', 0)
        >>> run_index.answer("0/../secret") is None
        True
    """

    def __init__(self, paths: Sequence[Path], *, env_id: str | None = None, data: str | None = None) -> None:
        found = {name: SavedRun(folder) for name, folder in find_runs(paths).items()}
        self._take(found, env_id, data, paths)

    @classmethod
    def of(cls, runs: Mapping[str, SavedRun]) -> RunIndex:
        """Return a run_index with runs that are found already, by name."""
        run_index = object.__new__(cls)
        run_index._take(runs, None, None, ())
        return run_index

    def _take(
        self, runs: Mapping[str, SavedRun], env_id: str | None, data: str | None, paths: Sequence[Path]
    ) -> None:
        self.names, self.runs = list(runs), list(runs.values())
        self._env_id, self._data = env_id, data
        self._worlds: dict[int, WorldReplay | str] = {}
        self._lock = threading.Lock()
        self._paths = list(paths)

    def answer(self, path: str, search: str | None = None) -> JsonObject | None:
        """Return what a path stands for, or None where it stands for nothing.

        Args:
            path: ``runs.json``, or ``N/rows/FIRST.json``, ``N/episodes/NUMBER.json``,
                ``N/states/NUMBER.json`` or ``N/search.json``, of the run of index N.
            search: The text to search for.

        Raises:
            STBError: The run's files are damaged.
        """
        if path == "runs.json":
            self._take_new()
            return self.overview(live=True)
        run, _, rest = path.partition("/")
        kind, _, name = rest.partition("/")
        number = _number(name.removesuffix(".json"))
        if (index := _number(run)) is None or index >= len(self.runs):
            return None
        if rest == "search.json":
            return {"found": self.runs[index].search(search) if search else []}
        asked: dict[str, Callable[[int, int], JsonObject]] = {
            "rows": self.rows,
            "episodes": lambda run, number: self.runs[run].episode(number),
            "states": self.states,
        }
        if kind not in asked or number is None or not name.endswith(".json"):
            return None
        return asked[kind](index, number)

    def _take_new(self) -> None:
        """Take up runs that have begun since, behind those that are known."""
        with self._lock:
            known = {run.folder for run in self.runs}
            for name, folder in (find_runs(self._paths) if self._paths else {}).items():
                if folder not in known:
                    self.names.append(str(folder) if name in self.names else name)
                    self.runs.append(SavedRun(folder))

    def overview(self, *, live: bool) -> dict[str, object]:
        """Return which runs there are.

        Args:
            live: Whether more episodes may come, and be asked for.
        """
        runs = [self._about(name, run) for name, run in zip(self.names, self.runs, strict=True)]
        return {"version": __version__, "live": live, "runs": runs}

    def rows(self, run: int, first: int) -> JsonObject:
        """Return the next rows of a run's list: few at first, so that a page can show something at once."""
        count = _FIRST_ROWS if first == 0 else _MORE_ROWS
        found = self.runs[run].rows(first, count)
        return {**found, "finished": (self.runs[run].folder / "summary.json").is_file()}

    def states(self, run: int, number: int) -> dict[str, object]:
        """Return what an episode changed in its world, or under ``reason`` why that cannot be said."""
        with self._lock:
            world = self._worlds.get(run)
            if world is None:
                world = self._worlds[run] = self._world(run)
        if isinstance(world, str):
            return {"reason": world}
        try:
            return states_of(world, self.runs[run].episode(number)["episode"])
        except STBError as error:
            return {"reason": f"the episode cannot be replayed: {error}"}

    def has_states(self, run: int) -> bool:
        """Return whether a run's episodes change a world that can be made here."""
        return "reason" not in self.states(run, 0)

    def _world(self, run: int) -> WorldReplay | str:
        try:
            return WorldReplay(self.runs[run].manifest, self._env_id, self._data)
        except (ConfigError, DataError) as error:
            return str(error)

    def _about(self, name: str, run: SavedRun) -> dict[str, object]:
        try:
            manifest: JsonMapping = run.manifest
            problem = ""
        except DataError as error:
            manifest, problem = {}, str(error)
        about: JsonObject = {"name": name, "manifest": manifest}
        episodes, trials = manifest.get("episodes"), manifest.get("trials")
        if isinstance(episodes, int):
            about["planned"] = episodes * (trials if isinstance(trials, int) else 1)
        return about | ({"problem": problem} if problem else {})


def encoded(answer: Mapping[str, object]) -> bytes:
    r"""Return an answer as JSON that every browser reads.

    Examples:
        >>> encoded({"text": "\ud800"})
        b'{"text": "\\ud800"}'
        >>> encoded({"seed": 2**62 + 1})
        b'{"seed":"4611686018427387905"}'
    """
    exact = _exact(answer)
    try:
        return orjson.dumps(exact)
    except TypeError:
        # Lone surrogates.
        return jsontext.dumps(exact).encode()


def _exact(value: object) -> object:
    """Return a value with whole numbers as text that a browser would round, as seeds are."""
    if isinstance(value, dict):
        return {name: _exact(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_exact(part) for part in value]
    return str(value) if type(value) is int and abs(value) > _LARGEST else value


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
