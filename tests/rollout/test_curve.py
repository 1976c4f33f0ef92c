"""The recorder of learning curves."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stb_env.errors import ConfigError
from stb_env.rollout.curve import Curve, read_curve


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
    [("not json", "Expecting value"), ('{"success": 1}', "it has no step"), ("[1]", "it has no step")],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, line: str, why: str):
    file = tmp_path / "notes.txt"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=rf"notes\.txt:1 is no point of a curve: {why}.*; name another file$"
    ):
        Curve(file)


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


def test_tensorboard_gets_the_same_points_where_it_is_installed(tmp_path: Path):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with Curve(tmp_path / "curve.jsonl") as curve:
        curve.add(3, success=0.5)
    assert [file.stat().st_size > 0 for file in (tmp_path / "tensorboard").iterdir()] == [True]
