"""Suites: what a benchmark declares about itself, and where declarations are found."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from gymnasium.envs.registration import register as register_env
from gymnasium.envs.registration import registry

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.reference import load_module, load_object
from stb_env.errors import ConfigError, did_you_mean

GROUP = "stb_env.suites"
"""Entry-point group in which packages, this one too, name their suites."""

VECTOR = "stb_env.envs.vector_id"
"""Module that makes the vector environment of an id."""

Reference = str | Callable[..., Any]
"""An object, or where it stands as ``package.module:Name``, so that nothing is imported before it is used."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Factory of an environment, as Gymnasium's registry keeps it.

    Attributes:
        entry_point: ``package.module:function``.
        kwargs: Arguments that belong to the id; plain data.
    """

    entry_point: str
    kwargs: JsonMapping = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The one declaration of a suite; the engine knows nothing else of it.

    Attributes:
        name: Its name: its folder, and its word on the command line with ``-`` for ``_``.
        description: What it is, in one line.
        environments: What makes each of its environments, by id: a function as ``package.module:function``,
            or a `Maker` where arguments belong to the id.
        splits: Splits of its tasks.
        needs: What an id needs for all that it has, by id; a plain install plays it all the same. ``""``
            stands for the ids that are not named.
        data: Names under which `stb-env data fetch` knows its official files.
        protocols: Bundles of settings that reproduce a paper, as ``package:folder/file.toml``; see
            `stb_env.runs.protocol`.
        oracle: Solves its tasks.
        exact: Whether an exact verifier decides its tasks. What solves them must then reach the maximum; open
            queries that a model or a heuristic judges have no such thing.
        prompts: Package whose folder ``prompts`` holds its prompts.
        demonstrations: Returns its solved examples.
        tables: Returns the published figures.
        agents: Policies of its own, by the name that ``--agent`` takes.
        inspect: Reports on official files, see `stb_env.console.inspection`.
        exports: Writers of its official answer files, by the name that ``stb-env export --format`` takes.
        checks: Adds checks of its own to those of `stb_env.testing`.
        standing: Settings under which standing checks cost nothing and give the same each time.
        commands: Typer application with its own commands.
        replaced: Earlier ids, whose scores are not comparable with today's, with the id that follows each.
        required: Settings that its environments cannot be made without. Such ids are listed, and left out of
            what goes through all that there are.
        choices: Settings that only say which of its tasks are played and how hard they are: clients of a
            server may choose them. None names a file, a model or a judge.

    Examples:
        >>> from stb_env import Suite
        >>> suite = Suite(name="demo", description="A list.", environments={"demo/Todo-v0": "todo:make"})
        >>> suite.name, suite.splits
        ('demo', ('test',))
    """

    name: str
    description: str
    environments: Mapping[str, Maker | str]
    splits: tuple[str, ...] = ("test",)
    needs: Mapping[str, str] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    oracle: Reference | None = None
    exact: bool = True
    prompts: str = ""
    demonstrations: Reference | None = None
    tables: Reference | None = None
    agents: Mapping[str, Reference] = field(default_factory=dict)
    inspect: Reference | None = None
    exports: Mapping[str, Reference] = field(default_factory=dict)
    checks: Reference | None = None
    standing: JsonMapping = field(default_factory=dict)
    commands: Reference | None = None
    replaced: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ConfigError(f"a suite is named by an identifier, such as my_suite, got {self.name!r}")

    def register(self) -> Suite:
        """Make it known here, and its environments known to Gymnasium; see `register`."""
        return register(self)

    def need(self, env_id: str) -> str:
        """Return what an environment needs for all that it has; empty for nothing."""
        return self.needs.get(env_id, self.needs.get("", ""))


_SUITES: dict[str, Suite] = {}


def resolved(reference: Reference) -> Any:
    """Return the object that a reference stands for.

    Raises:
        ConfigError: There is no such object.

    Examples:
        >>> resolved("stb_env.errors:ConfigError").__name__
        'ConfigError'
    """
    return load_object(reference) if isinstance(reference, str) else reference


def register(suite: Suite) -> Suite:
    """Make a suite known here, and its environments known to Gymnasium.

    Args:
        suite: The suite; declared again, it replaces itself.

    Raises:
        ConfigError: Its name or an id belongs to another suite.
    """
    known = _SUITES.get(suite.name)
    if known is not None and known.environments.keys().isdisjoint(suite.environments):
        raise ConfigError(
            f"the suite {suite.name!r} is there already, with {', '.join(known.environments)}; "
            "give yours another name"
        )
    for env_id in suite.environments:
        owner = suite_of(env_id)
        if owner is not None and owner.name != suite.name:
            raise ConfigError(f"{env_id} belongs to the suite {owner.name!r}; give yours another id")
    _SUITES[suite.name] = suite
    for env_id, made in suite.environments.items():
        maker = Maker(made) if isinstance(made, str) else made
        # Without Gymnasium's wrappers the made object keeps snapshot, restore, fork, astep and areset;
        # the order check and the turn limit are the environment's own.
        registry.pop(env_id, None)
        register_env(
            env_id,
            maker.entry_point,
            disable_env_checker=True,
            order_enforce=False,
            vector_entry_point=f"{VECTOR}:{env_id}",
            kwargs=dict(maker.kwargs),
        )
    return suite


def register_own() -> None:
    """Register the suites of this package; called once, when it is imported."""
    own = [entry for entry in entry_points(group=GROUP) if _is_own(entry)]
    for entry in own or _uninstalled():
        register(_declaration(entry))


def register_installed() -> None:
    """Register the suites of other installed packages, so that ``gymnasium.make`` knows their ids.

    One that cannot be imported is left out; `suites` says what is wrong with it.
    """
    for entry in entry_points(group=GROUP):
        if not _is_own(entry):
            with suppress(Exception):  # another package's module, which may raise anything
                register(_declaration(entry))


def registered() -> list[Suite]:
    """Return the suites that are registered by now, without a look at what else is installed."""
    return list(_SUITES.values())


def suites() -> list[Suite]:
    """Return every suite: those of this package, of installed ones, and what was registered by hand.

    Raises:
        ConfigError: An installed package names a suite that is none, or cannot be imported.
    """
    for entry in entry_points(group=GROUP):
        # Those of this package were registered when it was imported.
        if not _is_own(entry):
            declared = _declaration(entry)
            if _SUITES.get(declared.name) != declared:
                register(declared)
    return list(_SUITES.values())


def suite_of(env_id: str) -> Suite | None:
    """Return the registered suite that an environment belongs to, or None.

    Examples:
        >>> suite_of("my/Nothing-v0") is None
        True
    """
    return next((suite for suite in _SUITES.values() if env_id in suite.environments), None)


def replaced_by(env_id: str) -> str:
    """Return the id that followed one whose scores are not comparable with today's; empty for none.

    Examples:
        >>> replaced_by("my/Nothing-v0")
        ''
    """
    return next((suite.replaced[env_id] for suite in _SUITES.values() if env_id in suite.replaced), "")


def find_env(text: str) -> str:
    """Return the id that a text names, registered and ready to be made.

    Args:
        text: An id of any suite (``my/Todo-v0``), or one with what registers it before it:
            ``package.module:my/Todo-v0`` or ``path/to/todo.py:my/Todo-v0``. A file that declares one
            environment is enough: ``path/to/todo.py``.

    Raises:
        ConfigError: Nothing registers it; the message names the nearest id.
    """
    if text.endswith(".py"):
        text = f"{text}:{_only_id(text)}"
    where, colon, env_id = text.rpartition(":")
    if colon:
        _register_from(where, env_id)
    elif suite_of(env_id) is None:
        # Another package's may be installed; it is imported only now.
        suites()
    if env_id in registry and (colon or suite_of(env_id) is not None):
        return env_id
    if following := replaced_by(env_id):
        raise ConfigError(
            f"{env_id} was replaced by {following}, whose scores are not comparable with its own; "
            f"make {following} (saved runs of {env_id} are still read)"
        )
    known = [known for suite in _SUITES.values() for known in suite.environments]
    place = f" in {where}" if colon else ""
    hint = did_you_mean(env_id, known)
    raise ConfigError(f"unknown environment {env_id!r}{place}; `stb-env list` shows all.{hint}")


def _only_id(file: str) -> str:
    """Return the id of the one environment that a file declares."""
    declared = [one for one in vars(load_module(file)).values() if isinstance(one, Suite)]
    ids = list(dict.fromkeys(env_id for suite in declared for env_id in suite.environments))
    if len(ids) != 1:
        told = (
            f"declares {', '.join(ids)}; name one"
            if ids
            else "keeps no suite; write SUITE = stb_env.environment(...)"
        )
        raise ConfigError(f"{file} {told}, as in {file}:{ids[0] if ids else 'my/Todo-v0'}")
    return ids[0]


def _register_from(where: str, env_id: str) -> None:
    """Import what registers an id, and register its suite where the module only declares that."""
    for declared in vars(load_module(where)).values():
        # Another place may have registered the same id since this module was imported.
        if isinstance(declared, Suite) and env_id in declared.environments:
            register(declared)


def _is_own(entry: EntryPoint) -> bool:
    return entry.module.startswith(f"{__package__}.")


def _uninstalled() -> Iterator[EntryPoint]:
    """Read the entry points of a source tree that is on the path and not installed."""
    project = Path(__file__).parents[1] / "pyproject.toml"
    if project.is_file():
        points = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"]
        for name, value in points[GROUP].items():
            yield EntryPoint(name, value, GROUP)


def _declaration(entry: EntryPoint) -> Suite:
    declared = load_object(entry.value)
    if not isinstance(declared, Suite):
        kind = type(declared).__name__
        raise ConfigError(f"the entry point {entry.value} of {GROUP} is a {kind}; expected a stb_env.Suite")
    return declared
