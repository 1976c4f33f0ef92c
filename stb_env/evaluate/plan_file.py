"""Reads an evaluation's plan from a TOML file; what is misspelt in it is an error that names the nearest."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from stb_env.errors import ConfigError, did_you_mean
from stb_env.evaluate.plan import ASSUMED, AgentPlan, Assumption, EvaluationPlan, SimulatorPlan

_NUMBER = (int, float)
_EVAL: Mapping[str, Any] = MappingProxyType(
    {
        "name": str,
        "groups": list,
        "seed": int,
        "trials": int,
        "episodes": int,
        "concurrency": int,
        "budget": _NUMBER,
        "judge": str,
        "votes": int,
        "models": str,
        "data": str,
        "cache": str,
        "mode": str,
        "reference": str,
        "comparisons": int,
    }
)
_AGENT: Mapping[str, Any] = {"name": str, "spec": str, "models": str, "settings": dict}
_SIMULATOR: Mapping[str, Any] = {
    "name": str,
    "model": str,
    "temperature": _NUMBER,
    "profile": str,
    "cache": str,
}
_ASSUMPTION: Mapping[str, Any] = {"calls": _NUMBER, "prompt": _NUMBER, "completion": _NUMBER}
_TABLES: Mapping[str, Any] = {
    "eval": dict,
    "agent": list,
    "simulator": list,
    "settings": dict,
    "assumptions": dict,
}
_WORDS: Mapping[Any, str] = {
    str: "text",
    list: "a list",
    dict: "a table",
    int: "a whole number",
    _NUMBER: "a number",
}


def read_plan(file: str | Path) -> EvaluationPlan:
    """Read a plan. Paths in it are relative to the working directory, as on the command line.

    Args:
        file: A TOML file with ``[eval]``, one or more ``[[agent]]``, and where wanted ``[[simulator]]``,
            ``[settings."ID"]`` and ``[assumptions.ROLE]``.

    Raises:
        ConfigError: The file cannot be read, or something in it is unknown, missing or wrong.
    """
    file = Path(file)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the plan {file}: {error.strerror}") from error
    return parse_plan(text, str(file), name=file.stem)


def parse_plan(text: str, where: str = "the plan", name: str = "evaluation") -> EvaluationPlan:
    r"""Read a plan from TOML text.

    Args:
        text: The text.
        where: What errors call it.
        name: Its name where it has none.

    Raises:
        ConfigError: Something in it is unknown, missing or wrong.

    Examples:
        >>> plan = parse_plan('[eval]\ngroups = ["stb/Sandbox-v0"]\n[[agent]]\nname = "gold"')
        >>> plan.agents[0].name, [cell.simulator.name for cell in plan.cells]
        ('gold', ['offline'])
        >>> parse_plan('[eval]\ngroups = []\nseeds = 3')  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: [eval] in the plan has no setting 'seeds'; it takes ... mean 'seed'?
    """
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{where} is not TOML: {error}") from error
    _check(where, data, _TABLES)
    head = _check(f"[eval] in {where}", data.get("eval", {}), _EVAL)
    groups = head.pop("groups", [])
    if not all(isinstance(group, str) for group in groups):
        raise ConfigError(f"groups under [eval] in {where} must be a list of environment ids, got {groups!r}")
    agents = [_named(f"[[agent]] in {where}", table, _AGENT) for table in data.get("agent", [])]
    simulators = [
        _named(f"[[simulator]] in {where}", table, _SIMULATOR) for table in data.get("simulator", [])
    ]
    settings = data.get("settings", {})
    return EvaluationPlan(
        **({"name": name} | head),
        groups=tuple(groups),
        agents=tuple(AgentPlan(**table) for table in agents),
        simulators=tuple(SimulatorPlan(**table) for table in simulators),
        settings={group: _table(f"[settings.{group!r}] in {where}", settings[group]) for group in settings},
        assumptions=_assumptions(where, data.get("assumptions", {})),
    )


def _assumptions(where: str, tables: Mapping[str, Any]) -> dict[str, Assumption]:
    _check_known(f"[assumptions] in {where}", tables, ASSUMED)
    assumed = dict(ASSUMED)
    for role, table in tables.items():
        given = _check(f"[assumptions.{role}] in {where}", table, _ASSUMPTION)
        if any(value < 0 for value in given.values()):
            raise ConfigError(f"[assumptions.{role}] in {where} must not be negative, got {given}")
        known = {name: getattr(ASSUMED[role], name) for name in _ASSUMPTION}
        assumed[role] = Assumption(**(known | given))
    return assumed


def _named(where: str, table: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    checked = _check(where, table, known)
    if "name" not in checked:
        raise ConfigError(f'{where} needs a name, as in name = "gold"; got {sorted(checked)}')
    return checked


def _check(where: str, table: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in _table(where, table).items():
        _check_known(where, [name], known)
        kind = known[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ConfigError(f"{name} of {where} must be {_WORDS[kind]}, got {value!r}")
    return dict(table)


def _check_known(where: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise ConfigError(
                f"{where} has no setting {name!r}; it takes {', '.join(known)}.{did_you_mean(name, known)}"
            )


def _table(where: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table, got {table!r}")
    return table
