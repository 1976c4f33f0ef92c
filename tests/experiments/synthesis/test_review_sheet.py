"""The sheet for people."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.core.request import drive
from stb_env.errors import DataError
from stb_env.experiments.synthesis.near_equal import jaccard, nearest
from stb_env.experiments.synthesis.review_sheet import COLUMNS, SIZE, read_sheet, sheet, wilson
from tests.experiments.synthesis.replies import pipeline


def dialogues(count: int, **changes):
    one = drive(pipeline().dialogue(0, []))
    return [replace(one, index=index, **changes) for index in range(count)]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_sheet_is_a_seeded_sample_with_empty_labels():
    found = rows(sheet(dialogues(150), seed=1))
    assert len(found) == SIZE == len({row["index"] for row in found})
    assert tuple(found[0]) == COLUMNS
    assert {row["usable"] + row["remark"] for row in found} == {""}
    assert sheet(dialogues(150), seed=1) == sheet(dialogues(150), seed=1) != sheet(dialogues(150), seed=2)


def test_a_cell_never_becomes_a_formula():
    (row,) = rows(sheet(dialogues(1, domain="=HYPERLINK(1)"), seed=0))
    assert row["domain"] == "'=HYPERLINK(1)"


def test_labels_give_the_usable_share_with_an_interval(tmp_path: Path):
    file = tmp_path / "review.csv"
    labels = ["yes", "YES ", "no", ""]
    file.write_text("index,usable\n" + "".join(f"{index},{label}\n" for index, label in enumerate(labels)))
    found = read_sheet(file)
    assert (found.labelled, found.usable, found.unlabelled) == (3, 2, 1)
    assert found.share == pytest.approx(2 / 3)
    assert found.interval == wilson(2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("index,usable\n1,maybe\n", r".*, row 1: usable must be yes, no or empty, got 'maybe'"),
        (
            "index,label\n1,yes\n",
            r".*, row 1: a review sheet has the columns index, ability, .*, got index, label",
        ),
    ],
)
def test_a_broken_sheet_is_named(tmp_path: Path, text: str, message: str):
    file = tmp_path / "review.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=f"^{message}$"):
        read_sheet(file)


@given(count=st.integers(1, 200), data=st.data())
def test_an_interval_holds_the_share(count: int, data: st.DataObject):
    hits = data.draw(st.integers(0, count))
    low, high = wilson(hits, count)
    assert 0 <= low <= hits / count + 1e-6
    assert hits / count - 1e-6 <= high <= 1


@given(one=st.text("ab c", max_size=12), other=st.text("ab c", max_size=12))
def test_likeness_is_symmetric_and_whole_for_the_same(one: str, other: str):
    assert jaccard(one, other) == jaccard(other, one)
    assert jaccard(one, one) == 1.0


def test_the_closest_known_text_is_named():
    known = ["the tide in Brest today", "the tide in Brest now please"]
    assert nearest("The tide in Brest, today!", known) == known[0]
    assert nearest("Ferries to Oslo", known) is None
    assert nearest("anything", []) is None
