"""Reads an evaluation's plan from a TOML file; what is misspelt in it is an error that names the nearest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from stb_env.core.jsontypes import JsonObject
from stb_env.core.user_tables import check_names, checked, table_form
from stb_env.errors import ConfigError
from stb_env.evaluation.plan import ASSUMED, AgentPlan, Assumption, EvaluationPlan, SimulatorPlan
from stb_env.runs.protocol import find_protocol

# A file has the fields of the classes that it is read into.
_EVAL: Any = table_form(EvaluationPlan, without={"agents", "simulators", "settings", "assumptions"})
_AGENT: Any = table_form(AgentPlan, needs={"name"})
_SIMULATOR: Any = table_form(SimulatorPlan, needs={"name"})
_ASSUMPTION: Any = table_form(Assumption)


class _Plan(TypedDict, total=False):
    eval: _EVAL
    agent: list[_AGENT]
    simulator: list[_SIMULATOR]
    settings: dict[str, JsonObject]
    assumptions: dict[str, _ASSUMPTION]


def read_plan(file: str | Path, **given: object) -> EvaluationPlan:
    """Read a plan. Paths in it are relative to the working directory, as on the command line.

    Args:
        file: A TOML file with ``[eval]``, one or more ``[[agent]]``, and where wanted ``[[simulator]]``,
            ``[settings."ID"]`` and ``[assumptions.ROLE]``.
        **given: What takes the place of the same under ``[eval]``, unless it is None.

    Raises:
        ConfigError: The file cannot be read, or something in it is unknown, missing or wrong.
    """
    file = Path(file)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the plan {file}: {error.strerror}") from error
    return parse_plan(text, str(file), name=file.stem, **given)


def parse_plan(
    text: str, where: str = "the plan", name: str = "evaluation", **given: object
) -> EvaluationPlan:
    r"""Read a plan from TOML text.

    Args:
        text: The text.
        where: What errors call it.
        name: Its name where it has none.
        **given: What takes the place of the same under ``[eval]``, unless it is None.

    Raises:
        ConfigError: Something in it is unknown, missing or wrong.

    Examples:
        >>> plan = parse_plan('[eval]\ngroups = ["stb/Sandbox-v1"]\n[[agent]]\nname = "gold"')
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
    plan: JsonObject = dict(checked(_Plan, data, where))
    head: JsonObject = {"name": name, **plan.get("eval", {})}
    head |= {key: value for key, value in given.items() if value is not None}
    if "protocol" in head:
        head = {**_of_protocol(head["protocol"]), **head}
    return EvaluationPlan(
        groups=tuple(head.pop("groups", [])),
        agents=tuple(AgentPlan(**table) for table in plan.get("agent", [])),
        simulators=tuple(SimulatorPlan(**table) for table in plan.get("simulator", [])),
        settings=plan.get("settings", {}),
        assumptions=_assumptions(where, plan.get("assumptions", {})),
        **head,
    )


def _of_protocol(name: str) -> dict[str, object]:
    """Return what a protocol settles of an evaluation as a whole."""
    protocol = find_protocol(name)
    fixed: JsonObject = {}
    for part in ("run", "environment", "comparison"):
        fixed |= protocol.values(part)
    return {key: fixed[key] for key in ("trials", "mode", "comparisons") if key in fixed}


def _assumptions(where: str, tables: Mapping[str, Mapping[str, float]]) -> dict[str, Assumption]:
    check_names(f"[assumptions] in {where}", tables, ASSUMED)
    for role, table in tables.items():
        if any(value < 0 for value in table.values()):
            raise ConfigError(f"[assumptions.{role}] in {where} must not be negative, got {table}")
    return {role: replace(default, **tables.get(role, {})) for role, default in ASSUMED.items()}
