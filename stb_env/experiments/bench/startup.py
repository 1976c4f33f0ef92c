"""Start-up costs: imports, and reading a catalogue."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from stb_env.experiments.bench.measurement import Measurement, cycle, rate
from stb_env.suites.stabletoolbench.queries import load


def start_measurements(seconds: float, data: str | None) -> Iterator[Measurement]:
    """Measure imports, in fresh processes, and the reading of query files."""
    gymnasium, ours = import_seconds("gymnasium", "stb_env")
    yield Measurement("import gymnasium", gymnasium, "s")
    yield Measurement("import stb_env", ours, "s", f"{ours - gymnasium:+.3f} s")
    with _query_files(data) as path:
        loaded = load(path)
        loads = rate(lambda: load(path), seconds)
    yield Measurement(
        "catalogue load", 1 / loads, "s", f"{len(loaded.tasks)} queries, {len(loaded.tasks.catalog)} APIs"
    )
    names = [tool.name for tool in loaded.tasks.catalog]
    order = cycle(names)
    yield Measurement("catalogue look-up", rate(lambda: loaded.tasks.catalog.get(next(order)), seconds), "/s")


def import_seconds(*modules: str, runs: int = 7) -> list[float]:
    """Return how long imports take in fresh processes: seconds of the processor, the medians of some runs.

    The modules take turns, and waiting for the processor is not counted, so that a machine which is busy for
    a while makes none of them look slow.

    Args:
        *modules: Names of modules.
        runs: How often each is imported.
    """
    times = [[_import_seconds(module) for module in modules] for _ in range(runs)]
    return [statistics.median(each) for each in zip(*times, strict=True)]


def _import_seconds(module: str) -> float:
    code = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    done = subprocess.run(  # noqa: S603 (our own code and a module name from this package)
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@contextmanager
def _query_files(data: str | None) -> Iterator[Path]:
    if data is not None:
        yield Path(data)
        return
    with as_file(files("stb_env.suites.stabletoolbench") / "embedded") as folder:
        yield folder
