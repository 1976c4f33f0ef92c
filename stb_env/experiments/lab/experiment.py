"""Settings of an experiment, and its result: tables, JSON and a plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from stb_env import ConfigError
from stb_env.core.files import write_json
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import did_you_mean
from stb_env.experiments.lab.plots import INSTALL_PLOTS as INSTALL_PLOTS
from stb_env.experiments.lab.plots import draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Name = TypeVar("Name", bound=str)
Number = TypeVar("Number", int, float)

TableCell: TypeAlias = str | int | float | bool | tuple[float, float] | None
"""A value of a table; a pair is an interval, and None does not apply."""

TableRow: TypeAlias = tuple[TableCell, ...]
"""A row of a table. Shares stay numbers from 0 to 1."""


@dataclass(frozen=True, slots=True)
class LabSettings:
    """Settings of an experiment.

    Attributes:
        out: Folder for what it writes; None writes nothing.
        seed: Everything random follows from it.
        episodes: Number of episodes, APIs or pairs, whatever the experiment counts; None for its default.
        options: The experiment's own settings by name.
        refuses: Why an option that other experiments have cannot apply to this one, by its name.

    Examples:
        >>> settings = LabSettings(options={"error_rate": 0.5})
        >>> settings.option("error_rate", 0.3), settings.option("seeds", 1)
        (0.5, 1)
        >>> settings.expect("error_rates")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no setting 'error_rate'; expected error_rates. Did you mean 'error_rates'?
    """

    out: Path | None = None
    seed: int = 0
    episodes: int | None = None
    options: JsonMapping = field(default_factory=dict)
    refuses: Mapping[str, str] = field(default_factory=dict)

    def expect(self, *known: str) -> None:
        """Check the names of the options against those that the experiment has.

        Raises:
            ConfigError: Another one was given.
        """
        for name in self.options:
            if name not in known and name in self.refuses:
                raise ConfigError(f"this experiment takes no {name}: {self.refuses[name]}")
            if name not in known:
                expected = ", ".join(sorted(known)) or "none"
                raise ConfigError(f"no setting {name!r}; expected {expected}.{did_you_mean(name, known)}")

    def option(self, name: str, default: object) -> Json:
        """Return a setting as it was given, or the default where it was not.

        The methods below also check it, and raise ConfigError where it is something else.
        """
        return self.options.get(name, default)

    def text(self, name: str, default: str) -> str:
        """Return a setting that is a text, and not an empty one."""
        value = self.option(name, default)
        if not isinstance(value, str) or not value:
            raise ConfigError(f"{name} is a text, got {value!r}")
        return value

    def flag(self, name: str) -> bool:
        """Return a setting that is true or false, which is the default."""
        value = self.option(name, False)
        if not isinstance(value, bool):
            raise ConfigError(f"{name} is true or false, got {value!r}")
        return value

    def one_of(self, name: str, known: Sequence[Name], default: Name) -> Name:
        """Return a setting that is one of several names."""
        value = self.option(name, default)
        for one in known:
            if one == value:
                return one
        names = ", ".join(known)
        raise ConfigError(f"{name} must be one of {names}, got {value!r}.{did_you_mean(str(value), known)}")

    def some_of(self, name: str, known: Sequence[Name], default: Sequence[Name]) -> list[Name]:
        """Return a setting that lists some of several names, or is a text with commas between them."""
        value = self.option(name, list(default))
        given = value.split(",") if isinstance(value, str) else value
        names = ", ".join(known)
        if not isinstance(given, list) or not given:
            raise ConfigError(f"{name} is a list of {names}, got {value!r}")
        for one in given:
            if one not in known:
                hint = did_you_mean(str(one), known)
                raise ConfigError(f"{name} must be some of {names}, got {one!r}.{hint}")
        return [one for wanted in given for one in known if one == wanted]

    def share(self, name: str, default: float) -> float:
        """Return a setting that is a share, from 0 to 1."""
        return _share(name, self.option(name, default))

    def count(self, name: str, default: int) -> int:
        """Return a setting that is a whole number from 1."""
        return _count(name, self.option(name, default))

    def number(self, name: str, default: float) -> float:
        """Return a setting that is a number from 0."""
        return _number(name, self.option(name, default))

    def shares(self, name: str, default: Sequence[float]) -> list[float]:
        """Return a setting that is a list of shares, in order, each once."""
        return self._several(name, default, _share, "shares", "[0,0.5]")

    def counts(self, name: str, default: Sequence[int]) -> list[int]:
        """Return a setting that is a list of whole numbers from 1, in order, each once."""
        return self._several(name, default, _count, "whole numbers", "[6,12]")

    def seconds(self, name: str, default: Sequence[float]) -> list[float]:
        """Return a setting that is a list of seconds, in order, each once."""
        return self._several(name, default, _number, "seconds", "[0.2,1]")

    def _several(
        self, name: str, default: object, read: Callable[[str, object], Number], what: str, example: str
    ) -> list[Number]:
        given = self.option(name, default)
        if not isinstance(given, Sequence) or isinstance(given, str) or not given:
            raise ConfigError(f"{name} is a list of {what}, got {given!r}; write {name}={example}")
        return sorted({read(name, one) for one in given})


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigError(f"{name} is a share from 0 to 1, got {value!r}")
    return float(value)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"{name} is a whole number from 1, got {value!r}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or not isfinite(value):
        raise ConfigError(f"{name} is a number from 0, got {value!r}")
    return float(value)


def rounded_share(part: int, whole: int) -> float:
    """Return part of whole as tables have it; 0 where there is no whole."""
    return round(part / whole, 6) if whole else 0.0


@dataclass(frozen=True, slots=True)
class About:
    """Meaning of the numbers of an experiment, in one line.

    Attributes:
        measured: What was measured.
        assumed: What was taken for granted, and so cannot be concluded.

    Examples:
        >>> print(About("the height of the tower", "that the tape is a metre long"))
        Measured: the height of the tower. Assumed: that the tape is a metre long.
    """

    measured: str
    assumed: str

    def __str__(self) -> str:
        return f"Measured: {self.measured}. Assumed: {self.assumed}."


@dataclass(frozen=True, slots=True)
class Experiment:
    """The result of an experiment.

    Attributes:
        title: What was measured.
        columns: Names of the table's columns.
        rows: The table's rows.
        notes: Remarks and conclusions, a sentence each.
        details: Whatever else belongs into the JSON.
        further: More tables of the same experiment.
        plot: Draws the result on matplotlib axes; None where there is nothing to draw.
        about: What is measured and what assumed; None for a further table of another experiment.

    Examples:
        >>> print(Experiment("Rates", ("share", "rate"), ((0.1, 0.52),), notes=("It fell.",)).table())
        Rates
        <BLANKLINE>
        | share | rate  |
        | ----- | ----- |
        | 0.1   | 0.520 |
        <BLANKLINE>
        It fell.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    details: JsonMapping = field(default_factory=dict)
    further: tuple[Experiment, ...] = ()
    plot: Callable[[Axes], None] | None = field(default=None, compare=False)
    about: About | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain data; ``about``, ``details`` and ``further`` where there are any."""
        data: JsonObject = {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
        }
        if self.about is not None:
            data["about"] = asdict(self.about)
        if self.details:
            data["details"] = dict(self.details)
        if self.further:
            data["further"] = [table.to_dict() for table in self.further]
        return data

    def table(self) -> str:
        """Return the result as text: Markdown tables, each between its title and its notes."""
        cells = [self.columns, *(tuple(map(shown, row)) for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.columns))]
        lines = [_line(row, widths) for row in cells]
        lines.insert(1, _line(["-" * width for width in widths], widths))
        parts = [
            self.title,
            str(self.about or ""),
            "\n".join(lines),
            "\n".join(self.notes),
            *(more.table() for more in self.further),
        ]
        return "\n\n".join(part for part in parts if part)

    def write(self, folder: Path, name: str) -> list[str]:
        """Write ``NAME.json``, ``NAME.md`` and, where matplotlib is installed, ``NAME.png`` to a folder.

        Returns:
            Remarks for people: how to get the plot, where it could not be drawn.
        """
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / f"{name}.json", self.to_dict(), sort_keys=False)
        (folder / f"{name}.md").write_text(self.table() + "\n", encoding="utf-8")
        if self.plot is None:
            return []
        try:
            draw(self.plot, folder / f"{name}.png")
        except ConfigError as error:
            return [str(error)]
        return []


def shown(value: TableCell) -> str:
    """Return a cell's value as text.

    Examples:
        >>> [shown(value) for value in (0.123456, 0.25, 0.1, (0.25, 0.5), None, True, 12345)]
        ['0.123', '0.250', '0.1', '0.250 to 0.500', '-', 'yes', '12,345']
    """
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            # One decimal is how a setting looks, not a measurement.
            return str(value) if len(str(value)) <= len("0.1") else f"{value:.3f}"
        case tuple():
            return " to ".join(f"{end:.3f}" for end in value)
        case _:
            return value


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
