"""Progress as plain lines, and what models have cost in them."""

from __future__ import annotations

from itertools import count

import pytest
from rich.console import Console

from stb_env.console import progress
from stb_env.console.progress import CALM, SECONDS, Lines, bars, spending
from stb_env.models import Meter, Usage


class Told:
    """Lines whose clock is set by hand."""

    def __init__(self) -> None:
        self.moment = 0.0
        self.written: list[str] = []
        self.meter = Meter()
        self.lines = Lines(self.meter, self.written.append, now=lambda: self.moment)

    def at(self, moment: float, done: int, total: int = 100) -> None:
        self.moment = moment
        self.lines.tell("play", done, total)


def test_a_line_shows_how_far_it_is_what_it_cost_and_how_long_it_still_takes():
    told = Told()
    told.meter.add(Usage(1500, 500, 2000, calls=4, cost=0.25))
    told.at(0.0, 0)
    told.at(10.0, 20)
    assert told.written == [
        "play: 20 of 100 (20%), 4 model calls, 0 failed, 2,000 tokens, $0.2500, 0:00:40 left"
    ]


def test_each_tenth_is_a_line_and_what_lies_between_is_none():
    told = Told()
    for done in range(101):
        told.at(10.0 * done, done)
    assert [line.split()[1] for line in told.written] == [str(done) for done in range(10, 101, 10)]


def test_quick_work_prints_nothing():
    told = Told()
    for done in range(101):
        told.at(CALM * done / 200, done)
    assert told.written == []


def test_work_that_takes_long_says_so_even_where_nothing_is_done():
    told = Told()
    told.at(0.0, 0)
    told.moment = SECONDS - 1
    told.lines.tick()
    assert told.written == []
    told.moment = SECONDS
    told.lines.tick()
    assert told.written == [
        "play: 0 of 100 (0%), 0 model calls, 0 failed, 0 tokens, $0.0000, time left unknown"
    ]


def test_what_an_earlier_sitting_did_does_not_count_as_speed():
    told = Told()
    told.at(0.0, 50)
    told.at(10.0, 60)
    assert told.written[0].endswith("0:00:40 left")


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(calls=1, cost=0.5), "$0.5000"),
        (Usage(calls=1, unpriced=1), "cost unknown"),
        (Usage(calls=2, cost=0.5, unpriced=1), "more than $0.5000"),
    ],
)
def test_a_cost_that_is_not_known_is_not_shown_as_nothing(usage, cost):
    meter = Meter()
    meter.add(usage)
    assert spending(meter).endswith(f", {cost}")
    assert (usage.report()["cost"] is None) == bool(usage.unpriced)


def test_a_terminal_shows_calls_failures_tokens_and_money_in_its_bar(monkeypatch):
    times = count()
    terminal = Console(force_terminal=True, width=120, record=True, get_time=lambda: float(next(times)))
    monkeypatch.setattr(progress, "console", terminal)
    meter = Meter()
    with bars(False, meter) as tell:
        tell("play", 0, 10)
        meter.add(Usage(90, 10, 100, calls=3, cost=0.75))
        tell("play", 5, 10)
    assert "3 model calls, 0 failed, 100 tokens, $0.7500" in terminal.export_text()


def test_quiet_progress_prints_nothing(capsys):
    with bars(True, Meter()) as tell:
        tell("play", 5, 10)
    assert capsys.readouterr() == ("", "")
