"""The list of public files: which data sets there are, of which parts, and where those lie."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TypeVar

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.core.user_tables import check_names
from stb_env.errors import ConfigError, did_you_mean
from stb_env.fetch.paths import relative

T = TypeVar("T")

ENDPOINTS = ("huggingface", "github_api", "github_raw")
_PLACES = ("url", "huggingface", "github")
_TABLE = ("title", "homepage", "licence", "parts")

_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Part:
    """Files of a data set that come from one place.

    Attributes:
        dataset: The data set.
        name: Name of the part within it.
        target: Path below the data set's folder: of the file, or of the folder that a repository goes to.
        about: What is in it.
        url: One file.
        huggingface: A Hugging Face data set, as ``OWNER/NAME``.
        github: A GitHub repository, as ``OWNER/NAME``.
        revision: Commit or branch of the repository.
        folder: Folder within the repository; the whole of it where empty.
        sha256: Hash of the file at ``url``, where it is known.
        size: Its size in bytes, where it is known.
        unpack: Whether archives are unpacked beside themselves.
        optional: Whether it is fetched only where it is asked for by name.
    """

    dataset: str
    name: str
    target: str
    about: str = ""
    url: str = ""
    huggingface: str = ""
    github: str = ""
    revision: str = ""
    folder: str = ""
    sha256: str = ""
    size: int | None = None
    unpack: bool = False
    optional: bool = False

    @property
    def key(self) -> str:
        """Its name among the parts of all data sets."""
        return f"{self.dataset}/{self.name}"

    @property
    def origin(self) -> str:
        """Its source, as text."""
        if self.url:
            return self.url
        host = f"huggingface:{self.huggingface}" if self.huggingface else f"github:{self.github}"
        return f"{host}/{self.folder}" if self.folder else host

    @property
    def commit(self) -> str:
        """The revision where it is a commit, nothing where it is a branch."""
        return self.revision if _COMMIT.fullmatch(self.revision) else ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set with its parts.

    Attributes:
        name: What the command line calls it.
        title: Its own name.
        homepage: Where its authors describe it.
        licence: Under which terms they give it away.
        parts: The parts by name.
    """

    name: str
    title: str
    homepage: str
    licence: str
    parts: Mapping[str, Part]


@dataclass(frozen=True, slots=True)
class Sources:
    """All data sets that can be fetched.

    Attributes:
        datasets: The data sets by name.
        endpoints: Base URL of each host.
    """

    datasets: Mapping[str, DataSet]
    endpoints: Mapping[str, str] = field(default_factory=dict)

    def choose(self, dataset: str, only: Iterable[str] = ()) -> list[Part]:
        """Return the parts of a data set that are wanted.

        Args:
            dataset: Its name.
            only: Names of parts; all that are not optional where empty.

        Raises:
            ConfigError: There is no such data set or part.
        """
        found = _lookup(self.datasets, dataset, "data set")
        only = list(only)
        if only:
            return [_lookup(found.parts, name, f"part of {dataset}") for name in only]
        return [part for part in found.parts.values() if not part.optional]


def read_sources(file: Path | None = None) -> Sources:
    """Read a list of sources; the package's own where no file is given.

    Raises:
        ConfigError: The file is missing or says something that is not understood.

    Examples:
        >>> sources = read_sources()
        >>> sorted(sources.datasets)
        ['api-bank', 'stabletoolbench', 'toolllm']
        >>> [part.name for part in sources.choose("stabletoolbench")]
        ['queries', 'cache', 'originals']
        >>> sources.choose("toollm")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no data set 'toollm'; there are ... Did you mean 'toolllm'?
    """
    where, table = _load(file)
    endpoints = _load(None)[1]["endpoints"] | _table(table.get("endpoints", {}), f"[endpoints] in {where}")
    check_names(f"[endpoints] in {where}", endpoints, ENDPOINTS)
    for name, base in endpoints.items():
        _check(_is_url(base), f"[endpoints] {name} in {where}", base, "an http(s) URL")
    datasets = {name: _dataset(name, data, where) for name, data in table.items() if name != "endpoints"}
    return Sources(datasets, endpoints)


def _load(file: Path | None) -> tuple[str, JsonObject]:
    where = "the list of sources" if file is None else str(file)
    try:
        text = (file or resources.files("stb_env.fetch") / "sources.toml").read_text(encoding="utf-8")
        return where, tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"cannot read {where}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{where} is not TOML: {error}") from error


def _dataset(name: str, data: object, where: str) -> DataSet:
    here = f"[{name}] in {where}"
    table = _table(data, here)
    check_names(here, table, _TABLE)
    _check(relative(name) is not None and "/" not in name, here, name, "a plain name")
    listed = table.get("parts")
    _check(isinstance(listed, list) and bool(listed), f"parts of {here}", listed, "a list of tables")
    parts = [_part(name, entry, here) for entry in listed or []]
    names = [part.name for part in parts]
    _check(len(set(names)) == len(names), f"parts of {here}", names, "different names")
    texts = {key: str(table.get(key, "")) for key in ("title", "homepage", "licence")}
    return DataSet(name, parts={part.name: part for part in parts}, **texts)


def _part(dataset: str, data: object, where: str) -> Part:
    table = _table(data, f"a part of {where}")
    known = [name for name in Part.__dataclass_fields__ if name != "dataset"]
    here = f"part {table.get('name', '?')!r} of {where}"
    check_names(here, table, known)
    for name in known:
        kind = {"size": int, "unpack": bool, "optional": bool}.get(name, str)
        _check(type(table.get(name, kind())) is kind, f"{name} of {here}", table.get(name), kind.__name__)
    places = [place for place in _PLACES if table.get(place)]
    _check(len(places) == 1, here, places, f"exactly one of {', '.join(_PLACES)}")
    for name in ("name", "target"):
        _check(relative(table.get(name, "")) is not None, f"{name} of {here}", table.get(name), "a safe path")
    part = Part(dataset, **table)
    _check_place(part, here)
    return part


def _check_place(part: Part, here: str) -> None:
    if part.url:
        _check(_is_url(part.url), f"url of {here}", part.url, "an http(s) URL")
    else:
        repository = part.huggingface or part.github
        _check(_REPOSITORY.fullmatch(repository), here, repository, "OWNER/NAME")
        _check(part.revision, f"revision of {here}", part.revision, "a commit or a branch")
        _check(not part.sha256 and part.size is None, here, part.name, "sha256 and size with a url alone")
    _check(not part.sha256 or _SHA256.fullmatch(part.sha256), f"sha256 of {here}", part.sha256, "64 digits")
    _check(not part.folder or relative(part.folder), f"folder of {here}", part.folder, "a safe path")


def _is_url(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("https://", "http://"))


def _lookup(table: Mapping[str, T], name: str, noun: str) -> T:
    if name not in table:
        raise ConfigError(f"no {noun} {name!r}; there are {', '.join(table)}.{did_you_mean(name, table)}")
    return table[name]


def _table(value: Json, where: str) -> JsonObject:
    _check(isinstance(value, dict), where, value, "a table")
    return dict(value)


def _check(holds: object, where: str, got: object, expected: str) -> None:
    if not holds:
        raise ConfigError(f"{where}: expected {expected}, got {got!r}")
