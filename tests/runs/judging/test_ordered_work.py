"""Results in order, of which few wait for a slow one before them."""

from __future__ import annotations

import threading
from pathlib import Path

from stb_env.runs.judging.ordered_work import work_in_order


class Text(str):
    """A line that is itself."""

    __slots__ = ()

    def to_json(self) -> str:
        return str(self)


def test_four_times_as_many_as_are_worked_on_at_once_wait_for_a_slow_one_and_no_more(tmp_path: Path):
    begun: list[int] = []
    eighth, ninth = threading.Event(), threading.Event()

    def work(item: int) -> Text:
        begun.append(item)
        if item == 0:
            assert eighth.wait(60)
            assert not ninth.wait(0.05)
        (eighth if item == 7 else ninth if item == 8 else threading.Event()).set()
        return Text(item)

    work_in_order(range(50), work, tmp_path / "lines", 2)
    assert (tmp_path / "lines").read_text().split() == [str(item) for item in range(50)]
    assert sorted(begun) == list(range(50))
