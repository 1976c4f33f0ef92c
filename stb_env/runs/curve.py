"""The figures of a training run as it goes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from stb_env.core import jsontext
from stb_env.core.files import LineWriter, make_folder
from stb_env.errors import ConfigError

_BEGIN = b'{"step": '


class Curve:
    """Appends points to a JSON Lines file, each on disk before training goes on.

    A point is the step and any figures. What a file already holds stays, so a resumed run goes on where it
    stopped: its points begin after the last one. The same points go to TensorBoard, in the folder
    ``tensorboard/NAME`` beside a file NAME.jsonl, where that and PyTorch are installed, and to the run of
    wandb that the process has started, where it has; neither is needed.

    Args:
        file: The file; its folder is made where there is none.
        mirrors: Whether TensorBoard and wandb are told too.

    Raises:
        ConfigError: The file holds something else, or another process is writing to it.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, Curve(f"{folder}/curve.jsonl") as curve:
        ...     curve.add(0, success=0.125)
        ...     curve.add(64, success=0.5)
        ...     curve.points
        [{'step': 0, 'success': 0.125}, {'step': 64, 'success': 0.5}]
    """

    def __init__(self, file: str | Path, *, mirrors: bool = True) -> None:
        self._file = Path(file)
        make_folder(self._file.parent)
        # Opening cuts what follows the last line break, so what is no curve is refused before.
        before = read_curve(self._file) if self._file.exists() else []
        self._writer = LineWriter(self._file)
        self.points: list[dict[str, float]] = read_curve(self._file)
        for point in before[len(self.points) :]:
            self._write(point)
        self._board = _tensorboard(self._board_folder) if mirrors else None
        self._mirrors = mirrors

    @property
    def _board_folder(self) -> Path:
        # TensorBoard takes a folder for one run, whatever is in it.
        return self._file.parent / "tensorboard" / self._file.stem

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, step: int, **figures: float) -> None:
        """Append a point.

        Args:
            step: How far training is: episodes, updates or tokens; it only grows.
            figures: What was measured there.

        Raises:
            ConfigError: The step is not after the last one, or something is no number.
            StorageError: The disk is full.
        """
        if not math.isfinite(reached := _plain("step", step)):
            raise ConfigError(f"step must be a finite number, got {step!r}")
        if self.points and reached <= self.points[-1]["step"]:
            raise ConfigError(
                f"{self._file} ends at step {self.points[-1]['step']:g}, so step {step} cannot follow; go on "
                "after it or name another"
            )
        plain = {name: _plain(name, value) for name, value in figures.items()}
        point = {"step": reached, **plain}
        self._write(point)
        if self._board is not None:
            for name, value in plain.items():
                self._board.add_scalar(name, value, reached)
        if self._mirrors and (run := _wandb_run()) is not None:
            run(plain, step=reached)

    def _write(self, point: dict[str, float]) -> None:
        self._writer.write(jsontext.dumps(point))
        self.points.append(point)

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
        if self._board is not None:
            self._board.close()


def read_curve(file: str | Path) -> list[dict[str, float]]:
    """Return the points of a file that a `Curve` wrote, whole ones alone: a kill may have torn the last line.

    Raises:
        ConfigError: It holds something else, or cannot be read.
    """
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read the curve {file}: {error.strerror}; name another file") from error
    *lines, last = data.split(b"\n")
    points = [_point(f"{file}:{number}", line) for number, line in enumerate(lines, 1)]
    torn = last[: len(_BEGIN)] == _BEGIN[: len(last)] and not last.endswith(b"}")
    return points if torn else [*points, _point(f"{file}:{len(lines) + 1}", last)]


def _point(place: str, line: bytes) -> dict[str, float]:
    try:
        point = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{place} is no point of a curve: it is no UTF-8; name another file") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"{place} is no point of a curve: {error}; name another file") from error
    if not isinstance(point, dict) or "step" not in point:
        raise ConfigError(f"{place} is no point of a curve: it has no step; name another file")
    try:
        # JSON has no NaN and no infinity: these are texts there.
        return {name: float(value) if isinstance(value, str) else value + 0 for name, value in point.items()}
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"{place} is no point of a curve: not all in it are numbers; name another file"
        ) from error


def _plain(name: str, value: object) -> float:
    """Return a number of numpy or PyTorch as one of Python, and an integer as it is."""
    if isinstance(value, Integral):
        return int(value)
    try:
        return float(value)  # type: ignore[arg-type] # whatever has a value, if it has
    except (TypeError, ValueError):
        raise ConfigError(f"{name} must be a number, got {value!r}") from None


def _tensorboard(folder: Path) -> Any:
    # Importing PyTorch takes seconds, so it is not tried where there would be nothing to write with.
    if find_spec("tensorboard") is None or find_spec("torch") is None:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder))


def _wandb_run() -> Callable[..., object] | None:
    """Return how to tell the run that the caller has started; starting one is not for a library."""
    wandb = sys.modules.get("wandb")
    if wandb is None or wandb.run is None:
        return None
    log: Callable[..., object] = wandb.log
    return log
