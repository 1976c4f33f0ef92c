"""Which episodes an export keeps, which it has already, and which part of it they are in."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from stb_env.errors import ConfigError
from stb_env.formats.duplicates import Duplicates
from stb_env.formats.selection import Selection
from stb_env.formats.split import Split
from stb_env.trajectory import Trajectory

SOLVED = {"status": "solved", "score": 1.0, "votes": [], "judge": "exact"}


def episode(task_id="7", query="?", sources=(), **changes):
    chat = [{"role": "user", "content": query}, {"role": "assistant", "content": "!"}]
    steps = [{"calls": [{"source": source, "status": 0} for source in sources]}]
    plain = Trajectory("s", "g", task_id, 0, 0, query, [], chat, steps, None, "", SOLVED, 1.0, True, None, {})
    return replace(plain, **changes)


REASONS = [
    (Selection(), {}, None),
    (Selection(), {"valid": False}, "invalid"),
    (Selection("solved"), {"verdict": SOLVED | {"status": "unsolved"}}, "not_solved"),
    (Selection("solved"), {}, None),
    (Selection("all"), {"valid": False}, "invalid"),
    (Selection(suites=("other",)), {}, "suite"),
    (Selection(groups=("other",)), {}, "group"),
    (Selection(suites=("s",), groups=("g",)), {}, None),
    (Selection(min_steps=2), {}, "length"),
    (Selection(max_steps=0), {}, "length"),
    (Selection(max_characters=5), {}, "length"),
    (Selection(max_characters=15), {}, None),
    (Selection(max_simulated=0.4), {"sources": ("cache", "simulator", "env")}, "simulated"),
    (Selection(max_simulated=0.5), {"sources": ("cache", "simulator", "env")}, None),
    (Selection(max_simulated=0.0), {}, None),
]


@pytest.mark.parametrize(("selection", "changes", "reason"), REASONS)
def test_an_episode_is_left_out_for_a_reason(selection, changes, reason):
    assert selection.reason(episode(**changes)) == reason


def test_a_share_above_one_is_refused():
    with pytest.raises(ConfigError, match=r"^max_simulated is a share from 0 to 1, got 2$"):
        Selection(max_simulated=2)


def test_bounds_that_nothing_meets_are_refused():
    with pytest.raises(ConfigError, match=r"^max_steps 1 is below min_steps 2$"):
        Selection(min_steps=2, max_steps=1)


def test_trials_of_one_task_are_duplicates_only_where_they_are_equal():
    seen = Duplicates("near")
    other = replace(episode(), messages=[{"role": "user", "content": "?"}])
    assert [seen.reason(each) for each in (episode(), other, replace(episode(), trial=1))] == [
        *(None, None),
        "duplicate",
    ]


def test_near_equal_queries_are_found_exactly_where_they_share_four_fifths_of_their_words():
    def words(*numbers):
        return " ".join(f"word{number}" for number in numbers)

    seen = Duplicates("near")
    tasks = [
        words(*range(10)),
        words(*range(9), 99),  # 9 of 11 words
        words(*range(8), 98, 97),  # 8 of 12 words
    ]
    assert [seen.reason(episode(str(number), query)) for number, query in enumerate(tasks)] == [
        *(None, "near_duplicate"),
        None,
    ]


def test_without_deduplication_nothing_is_known():
    seen = Duplicates("none")
    assert [seen.reason(episode()) for _ in range(2)] == [None, None]


def test_a_split_puts_tasks_in_their_parts_by_its_shares():
    split = Split.parse("train=0.7, test=0.3")
    counts = Counter(split.part("s", str(number)) for number in range(2000))
    assert counts["train"] == pytest.approx(1400, abs=80)
    assert counts.keys() == {"train", "test"}


def test_a_part_of_no_share_gets_no_task():
    split = Split.parse("0,1")
    assert {split.part("s", str(number)) for number in range(100)} == {"validation"}


NO_SPLITS = [
    *("a", "0.5,0.2,0.2,0.1", "train=0.5,train=0.5", "Train=1", ""),
    *("1.5,-0.5", "1.0,nan", "0.5,inf"),
]


@pytest.mark.parametrize("text", NO_SPLITS)
def test_a_split_that_is_none_is_refused(text):
    with pytest.raises(ConfigError, match=r"^a split is shares such as 0\.8,0\.1,0\.1 or names with them"):
        Split.parse(text)
