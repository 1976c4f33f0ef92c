"""The recorder of learning curves."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stb_env.errors import ConfigError
from stb_env.runs.curve import Curve, read_curve


def test_a_curve_reads_back_as_it_was_written(tmp_path: Path):
    file = tmp_path / "run" / "curve.jsonl"
    with Curve(file) as curve:
        curve.add(0, success=0.25, loss=1.5)
        curve.add(10, success=np.float32(0.5))
    assert read_curve(file) == [{"step": 0, "success": 0.25, "loss": 1.5}, {"step": 10, "success": 0.5}]


def test_every_point_is_in_the_file_before_training_goes_on(tmp_path: Path):
    file = tmp_path / "curve.jsonl"
    with Curve(file) as curve:
        curve.add(1, success=0.0)
        assert file.read_text("utf-8") == '{"step": 1, "success": 0.0}\n'


def test_a_run_that_was_killed_goes_on_after_its_last_whole_point(tmp_path: Path):
    file = tmp_path / "curve.jsonl"
    file.write_text('{"step": 1, "success": 0.0}\n{"step": 2, "succ', encoding="utf-8")
    with Curve(file) as curve:
        curve.add(2, success=1.0)
    assert [point["step"] for point in read_curve(file)] == [1, 2]


def test_the_whole_points_of_a_file_that_a_kill_tore_are_read(tmp_path: Path):
    file = tmp_path / "curve.jsonl"
    whole = '{"step": 1, "success": 0.0}\n'
    for torn in ("", "{", '{"step"', '{"step": 2, "succ', '{"step": 2, "success": "in'):
        file.write_text(whole + torn, encoding="utf-8")
        assert read_curve(file) == [{"step": 1, "success": 0.0}]
    file.write_bytes(whole.encode() + '{"step": 2, "é'.encode()[:-1])
    assert read_curve(file) == [{"step": 1, "success": 0.0}]


def test_a_point_that_lacks_its_line_break_alone_is_kept(tmp_path: Path):
    file = tmp_path / "curve.jsonl"
    file.write_text('{"step": 1, "success": 0.0}', encoding="utf-8")
    assert read_curve(file) == [{"step": 1, "success": 0.0}]
    with Curve(file) as curve:
        curve.add(2, success=1.0)
    assert [point["step"] for point in read_curve(file)] == [1, 2]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_what_is_not_finite_comes_back_as_the_number_it_was(tmp_path: Path, value: float):
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(0, loss=value)
    np.testing.assert_equal(read_curve(tmp_path / "curve.jsonl"), [{"step": 0, "loss": float(value)}])


def test_a_step_may_be_an_integer_of_numpy(tmp_path: Path):
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(np.int64(64), episodes=np.int64(3))
    assert (tmp_path / "curve.jsonl").read_text("utf-8") == '{"step": 64, "episodes": 3}\n'


@pytest.mark.parametrize(
    ("step", "figures", "error"),
    [
        (1, {"loss": "low"}, r"^loss must be a number, got 'low'$"),
        (1, {"loss": None}, r"^loss must be a number, got None$"),
        ("one", {}, r"^step must be a number, got 'one'$"),
        (math.nan, {}, r"^step must be a finite number, got nan$"),
    ],
)
def test_what_is_no_number_is_refused_and_nothing_is_written(
    tmp_path: Path, step: int, figures: dict[str, float], error: str
):
    with Curve(tmp_path / "curve.jsonl") as curve, pytest.raises(ConfigError, match=error):
        curve.add(step, **figures)
    assert read_curve(tmp_path / "curve.jsonl") == []


def test_a_step_that_does_not_grow_is_refused(tmp_path: Path):
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(5, success=0.0)
        with pytest.raises(
            ConfigError,
            match=r"curve\.jsonl ends at step 5, so step 5 cannot follow; go on after it or name another$",
        ):
            curve.add(5, success=1.0)
        assert len(curve.points) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"not json", "Expecting value"),
        (b'{"success": 1}', "it has no step"),
        (b"[1]", "it has no step"),
        (b"\xff\xfe", "it is no UTF-8"),
        (b'{"step": "one"}', "not all in it are numbers"),
        (b'{"step": 1, "success": [0.5]}', "not all in it are numbers"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, line: bytes, why: str):
    file = tmp_path / "notes.txt"
    for text in (line, line + b"\n"):
        file.write_bytes(text)
        with pytest.raises(
            ConfigError, match=rf"notes\.txt:1 is no point of a curve: {why}.*; name another file$"
        ):
            Curve(file)
        assert file.read_bytes() == text


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path):
    with pytest.raises(
        ConfigError, match=r"^cannot read the curve .*none\.jsonl: No such .*; name another file$"
    ):
        read_curve(tmp_path / "none.jsonl")


def test_a_run_of_wandb_that_was_started_gets_the_same_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    told: list[tuple[dict[str, float], int]] = []
    double = SimpleNamespace(run=object(), log=lambda figures, step: told.append((figures, step)))
    monkeypatch.setitem(sys.modules, "wandb", double)
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(3, success=0.5)
    with Curve(tmp_path / "quiet.jsonl", mirrors=False) as quiet:
        quiet.add(3, success=0.5)
    assert told == [({"success": 0.5}, 3)]


def test_no_run_of_wandb_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(run=None, log=pytest.fail))
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(3, success=0.5)
    assert len(curve.points) == 1


def test_tensorboard_gets_the_same_points_as_a_run_for_each_curve_where_it_is_installed(tmp_path: Path):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    for name in ("one", "other"):
        with Curve(tmp_path / f"{name}.jsonl") as curve:
            curve.add(np.int64(3), success=0.5)
    for name in ("one", "other"):
        events = [*(tmp_path / "tensorboard" / name).iterdir()]
        assert [file.stat().st_size > 0 for file in events] == [True]
