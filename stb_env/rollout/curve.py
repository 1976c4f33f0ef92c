"""The figures of a training run as it goes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from stb_env import jsontext
from stb_env.errors import ConfigError
from stb_env.files import LineWriter, make_folder


class Curve:
    """Appends points to a JSON Lines file, each on disk before training goes on.

    A point is the step and any figures. What a file already holds stays, so a resumed run goes on where it
    stopped: its points begin after the last one. The same points go to TensorBoard, in a folder
    ``tensorboard`` beside the file, where that and PyTorch are installed, and to the run of wandb that the
    process has started, where it has; neither is needed.

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
        self._writer = LineWriter(self._file)
        self.points: list[dict[str, float]] = read_curve(self._file)
        self._board = _tensorboard(self._file.parent / "tensorboard") if mirrors else None
        self._mirrors = mirrors

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
            ConfigError: The step is not after the last one.
            StorageError: The disk is full.
        """
        if self.points and step <= self.points[-1]["step"]:
            raise ConfigError(
                f"{self._file} ends at step {self.points[-1]['step']:g}, so step {step} cannot follow; go on "
                "after it or name another"
            )
        point = {"step": step, **{name: _plain(value) for name, value in figures.items()}}
        self._writer.write(jsontext.dumps(point))
        self.points.append(point)
        if self._board is not None:
            for name, value in figures.items():
                self._board.add_scalar(name, value, step)
        if self._mirrors and (run := _wandb_run()) is not None:
            run(figures, step=step)

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
        if self._board is not None:
            self._board.close()


def read_curve(file: str | Path) -> list[dict[str, float]]:
    """Return the points of a file that a `Curve` wrote.

    Raises:
        ConfigError: It holds something else.
    """
    points = []
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
        try:
            point = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigError(
                f"{file}:{number} is no point of a curve: {error}; name another file"
            ) from error
        if not isinstance(point, dict) or "step" not in point:
            raise ConfigError(f"{file}:{number} is no point of a curve: it has no step; name another file")
        points.append(point)
    return points


def _plain(value: float) -> float:
    """Return a number of numpy or PyTorch as one of Python, and an integer as it is."""
    return value if isinstance(value, int) else float(value)


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
