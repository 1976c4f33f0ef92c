"""Protocols: named, versioned bundles of settings that reproduce a paper."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, Required, cast

from typing_extensions import TypedDict

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.core.reference import read_settings
from stb_env.core.user_tables import checked
from stb_env.errors import ConfigError, did_you_mean
from stb_env.suite import Suite, suites

Part = Literal["run", "environment", "simulator", "agent", "judge", "comparison", "rule"]
"""Where a setting acts; a ``rule`` follows from the others, or lies in the code."""


class _Setting(TypedDict, total=False):
    part: Required[Part]
    name: Required[str]
    value: Required[str | int | float | bool]
    about: Required[str]
    source: Required[str]
    ours: str
    of: list[str]
    departure: str


class _File(TypedDict, total=False):
    name: Required[str]
    version: Required[int]
    title: Required[str]
    paper: Required[str]
    setting: Required[list[_Setting]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting of a protocol.

    Attributes:
        part: Where it acts.
        name: The setting's own name.
        value: What the protocol sets it to.
        about: What it does, in a line.
        source: Where the paper, or the code published with it, says so.
        ours: What holds without the protocol, where it is no plain default of a setting.
        of: Environments or agents that alone have it; all where empty.
        departure: In what the protocol is not followed to the letter, and why.
    """

    part: Part
    name: str
    value: Json
    about: str
    source: str
    ours: str = ""
    of: tuple[str, ...] = ()
    departure: str = ""

    def concerns(self, part: Part, what: str) -> bool:
        """Return whether it is set on an environment or agent of this name, or in a command."""
        return self.part == part and (not self.of or what in self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """Settings that reproduce a paper, and the departures from it.

    Attributes:
        name: Its name, as ``--protocol`` takes it.
        version: Raised whenever its numbers would change.
        title: What it reproduces, in a line.
        paper: The paper.
        settings: All of its settings.
        suite: Name of the suite that declares it.
        environments: Ids that it is made for.

    Examples:
        >>> told = {"about": "Children", "source": "Table 1", "of": ("dfs",)}
        >>> width = Setting(part="agent", name="width", value=2, **told)
        >>> mine = Protocol(name="mine", version=1, title="T", paper="P", settings=(width,))
        >>> mine.agent_spec("dfs"), mine.agent_spec("dfs(width=3)"), mine.agent_spec("cot")
        ('dfs(width=2)', 'dfs(width=3)', 'cot')
        >>> mine.departures("agent", "dfs", {"width": 3})
        ['width of dfs is 3, not 2']
    """

    name: str
    version: int
    title: str
    paper: str
    settings: tuple[Setting, ...]
    suite: str = ""
    environments: tuple[str, ...] = ()

    def values(self, part: Part, what: str = "") -> JsonObject:
        """Return what it sets on an environment, an agent or a command."""
        return {one.name: one.value for one in self.settings if one.concerns(part, what)}

    def agent_spec(self, spec: str) -> str:
        """Return the text that names an agent with the protocol's settings; what is given in it stays.

        Args:
            spec: A name, with settings or without.

        Raises:
            ConfigError: Its settings cannot be read.
        """
        name, given = read_settings(spec)
        merged = self.values("agent", name) | given
        if not merged:
            return spec
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in sorted(merged.items()))})"

    def departures(self, part: Part, what: str, given: Mapping[str, object]) -> list[str]:
        """Return in what given settings differ from the protocol's, one sentence each.

        Args:
            part: Where they act.
            what: The environment or agent that has them.
            given: The settings.
        """
        fixed = self.values(part, what)
        where = f" of {what}" if part == "agent" else ""
        return [
            f"{name}{where} is {given[name]!r}, not {value!r}"
            for name, value in fixed.items()
            if name in given and given[name] != value
        ]

    @property
    def standing(self) -> list[str]:
        """In what every run departs from the paper."""
        return [one.departure for one in self.settings if one.departure]

    def check(self, env_id: str) -> None:
        """Refuse an environment that it does not reproduce anything of.

        Raises:
            ConfigError: It is made for others.
        """
        if env_id not in self.environments:
            raise ConfigError(
                f"the protocol {self.name!r} is made for {', '.join(self.environments)}, not for {env_id}; "
                "leave out --protocol, or take one of these"
            )


def protocols() -> list[Protocol]:
    """Return every protocol that a suite declares, in the order of suites.

    Raises:
        ConfigError: A suite's file of one is wrong.
    """
    return [protocol for suite in suites() for protocol in _declared(suite)]


def find_protocol(name: str) -> Protocol:
    """Return the protocol of a name.

    Raises:
        ConfigError: There is none; the message names the nearest.

    Examples:
        >>> find_protocol("mine")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no protocol 'mine'; `stb-env protocols` lists ...
    """
    known = {protocol.name: protocol for protocol in protocols()}
    if name not in known:
        near = did_you_mean(name, known)
        raise ConfigError(f"no protocol {name!r}; `stb-env protocols` lists {', '.join(known)}.{near}")
    return known[name]


def protocol_for(env_id: str, name: str) -> Protocol:
    """Return a protocol that is to be followed on an environment.

    Raises:
        ConfigError: There is none of that name, or it is made for others.
    """
    protocol = find_protocol(name)
    protocol.check(env_id)
    return protocol


def parse_protocol(text: str, where: str) -> Protocol:
    r"""Read a protocol from TOML text.

    Args:
        text: The text: ``name version title paper``, and a table ``[[setting]]`` for each setting.
        where: What errors call it.

    Raises:
        ConfigError: Something in it is unknown, missing or wrong.

    Examples:
        >>> head = 'name = "mine"\nversion = 1\ntitle = "T"\npaper = "P"\n'
        >>> row = 'part = "environment"\nname = "max_turns"\nvalue = 3\nabout = "Turns"\nsource = "Table 1"'
        >>> parse_protocol(f"{head}[[setting]]\n{row}", "mine.toml").values("environment", "my/Todo-v0")
        {'max_turns': 3}
    """
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{where} is not TOML: {error}") from error
    file = checked(_File, data, where)
    settings = tuple(Setting(**_row(row)) for row in file["setting"])
    head = cast(JsonObject, {name: value for name, value in file.items() if name != "setting"})
    return Protocol(settings=settings, **head)


def _row(row: _Setting) -> JsonObject:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _declared(suite: Suite) -> Iterator[Protocol]:
    for reference in suite.protocols:
        yield _loaded(reference, suite.name, tuple(suite.environments))


@lru_cache
def _loaded(reference: str, suite: str, environments: tuple[str, ...]) -> Protocol:
    package, colon, name = reference.partition(":")
    file = files(package) / name if colon else Path(reference)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"the suite {suite!r} names a protocol that cannot be read: {error}") from error
    return replace(parse_protocol(text, reference), suite=suite, environments=environments)
