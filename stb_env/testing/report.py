"""The outcome of checks: what was checked, whether it holds, and the counts behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

from stb_env.core.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class Check:
    """One check with its outcome."""

    name: str
    passed: bool
    detail: str

    def to_dict(self) -> dict[str, str | bool]:
        """Return the check as plain data."""
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(slots=True)
class Report:
    """Every check of an environment with the counts behind them.

    Attributes:
        env: The environment's id.
        checks: In the order in which they ran.
        counts: Plain numbers: tasks, gold calls tried and reproduced, mean reward of each agent.

    Examples:
        >>> report = Report("my/Todo-v0")
        >>> report.add("gold", True, "10 of 10 solved")
        >>> report.passed, report.failed
        (True, [])
    """

    env: str
    checks: list[Check] = field(default_factory=list)
    counts: JsonObject = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """True if every check holds."""
        return not self.failed

    @property
    def failed(self) -> list[Check]:
        """The checks that do not hold."""
        return [check for check in self.checks if not check.passed]

    def add(self, name: str, passed: bool, detail: str) -> None:
        """Record one check."""
        self.checks.append(Check(name, passed, detail))

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        checks = [check.to_dict() for check in self.checks]
        return {"env": self.env, "passed": self.passed, "checks": checks, **self.counts}
