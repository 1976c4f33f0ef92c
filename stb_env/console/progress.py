"""Progress of a command and the cost of its models: live bars where possible, else plain lines."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from importlib.util import find_spec

from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from stb_env.console.output import console
from stb_env.models.meter import Meter, current_meter

SECONDS = 30.0
"""How long at most nothing is printed where there is no terminal."""
STEP = 0.1
"""Share of the work that is worth a line."""
SLOW = 2.0
"""Seconds after which a start says what it does."""
CALM = 2.0
"""How long at least nothing more is printed."""

Tell = Callable[[str, int, int], None]
"""Told the name of a piece of work, and how many of how many are done."""


@contextmanager
def bar(title: str, quiet: bool, meter: Meter | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of one piece of work on stderr; yields what is told how many of how many are done.

    Args:
        title: What is done.
        quiet: Whether to show nothing.
        meter: Counts what models cost; that of the enclosing `metered` block where not given.
    """
    with bars(quiet, meter) as tell:
        yield partial(tell, title)


@contextmanager
def bars(quiet: bool, meter: Meter | None = None) -> Iterator[Tell]:
    """Show the progress of several pieces of work on stderr, or below the cell of a notebook; see `bar`.

    A notebook without ipywidgets gets plain lines.
    """
    meter = meter or current_meter() or Meter()
    if quiet:
        yield lambda *_: None
    elif console.is_terminal or (console.is_jupyter and find_spec("ipywidgets")):
        with _live(meter) as tell:
            yield tell
    else:
        with Lines(meter, partial(console.print, soft_wrap=True, highlight=False)).ticking() as lines:
            yield lines.tell


@contextmanager
def saying(what: str, quiet: bool, after: float = SLOW) -> Iterator[None]:
    """Say on stderr what is done, where the block takes longer than a moment.

    Args:
        what: What is done, such as "opening stb/Tools-v0".
        quiet: Whether to say nothing.
        after: Seconds until it is said.
    """
    timer = threading.Timer(after, partial(console.print, f"{what} ...", soft_wrap=True, highlight=False))
    timer.daemon = True
    if not quiet:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def spending(meter: Meter) -> str:
    """Return what models have cost so far, in words.

    Examples:
        >>> from stb_env.usage import Usage
        >>> meter = Meter()
        >>> meter.add(Usage(900, 100, 1000, calls=2, cost=0.5))
        >>> spending(meter)
        '2 model calls, 0 failed, 1,000 tokens, $0.5000'
    """
    used = meter.total
    return (
        f"{used.calls:,} model calls, {meter.failed:,} failed, {used.total_tokens:,} tokens, {used.price_tag}"
    )


class Lines:
    """Progress as lines of text: one for every tenth, and one when nothing was printed for long.

    Args:
        meter: Counts what models cost.
        write: Prints a line.
        now: Seconds that only grow.

    Examples:
        >>> moments = iter([0.0, 10.0, 20.0])
        >>> lines = Lines(Meter(), print, now=lambda: next(moments))
        >>> lines.tell("gold", 0, 40)
        >>> lines.tell("gold", 10, 40)
        gold: 10 of 40 (25%), 0 model calls, 0 failed, 0 tokens, $0.0000, 0:00:30 left
        >>> lines.tell("gold", 11, 40)
    """

    def __init__(
        self, meter: Meter, write: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._meter = meter
        self._write = write
        self._now = now
        self._lock = threading.Lock()
        self._title, self._done, self._total = "", 0, 0
        self._first, self._start = 0, 0.0
        self._shown, self._printed = 0, 0.0

    def tell(self, title: str, done: int, total: int) -> None:
        """Take note of how far it is, and print that where it is time."""
        with self._lock:
            now = self._now()
            if title != self._title:
                # What an earlier sitting did says nothing about how fast this one is.
                self._title, self._first, self._shown = title, done, done
                self._start = self._printed = now
            self._done, self._total = done, total
            far = done - self._shown >= STEP * total
            if far and now - self._printed >= CALM:
                self._print(now)

    def tick(self) -> None:
        """Print where it stands if nothing was printed for long."""
        with self._lock:
            now = self._now()
            if self._title and now - self._printed >= SECONDS:
                self._print(now)

    @contextmanager
    def ticking(self) -> Iterator[Lines]:
        """Call `tick` every now and then until the block ends."""
        over = threading.Event()

        def wait() -> None:
            while not over.wait(SECONDS):
                self.tick()

        thread = threading.Thread(target=wait, name="progress", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            over.set()
            thread.join()

    def _print(self, now: float) -> None:
        share = f"{self._done / self._total:.0%}" if self._total else "-"
        left = self._left(now)
        when = "time left unknown" if left is None else f"{timedelta(seconds=round(left))} left"
        stand = f"{self._title}: {self._done:,} of {self._total:,} ({share})"
        self._write(f"{stand}, {spending(self._meter)}, {when}")
        self._shown, self._printed = self._done, now

    def _left(self, now: float) -> float | None:
        done = self._done - self._first
        return (now - self._start) / done * (self._total - self._done) if done else None


class _Spending(ProgressColumn):
    """Cost of models, at the end of each bar."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    def render(self, task: Task) -> Text:  # noqa: ARG002 (rich gives it; the meter is of all tasks)
        return Text(spending(self._meter))


@contextmanager
def _live(meter: Meter) -> Iterator[Tell]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        _Spending(meter),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=console, transient=True) as progress:
        known = {}

        def tell(title: str, done: int, total: int) -> None:
            if title not in known:
                known[title] = progress.add_task(title, total=total)
            progress.update(known[title], completed=done, total=total)

        yield tell
