"""Pictures for videos: of a fixed size, equal for equal states, and another for another state."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import stb_env  # noqa: F401 (registers the environments)
from stb_env.errors import ConfigError
from stb_env.suites.sambanova.google_sheets.picture import picture
from stb_env.suites.sambanova.google_sheets.sheet import Book, book_of
from stb_env.suites.sambanova.google_sheets.values import Formula

pytest.importorskip("PIL", reason="pictures need the extra render")

ENVS = ("stb/Tabletop-v1", "stb/GoogleSheets-v1", "stb/WebShop-v1")


def made(env_id: str, **settings: Any) -> Any:
    env = gym.make(env_id, render_mode="rgb_array", **settings)
    env.reset(seed=0)
    return env


def gold(env: Any) -> Any:
    """Return the first action of a task's solution that changes what is seen."""
    return next(call for call in env.unwrapped.oracle(env.unwrapped.task))


@pytest.mark.parametrize("env_id", ENVS)
def test_a_frame_is_rows_of_bytes_and_says_what_the_state_is(env_id: str):
    env, twin = made(env_id), made(env_id)
    frame = env.render()
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    assert frame.tobytes() == twin.render().tobytes()
    env.step({"name": gold(env).name, "arguments": gold(env).arguments})
    after = env.render()
    assert after.shape == frame.shape
    assert (after != frame).any()


@pytest.mark.parametrize("env_id", ENVS)
def test_gymnasiums_checker_passes_with_pictures(env_id: str):
    env = gym.make(env_id, render_mode="rgb_array").unwrapped
    assert "rgb_array" in env.metadata["render_modes"]
    assert env.metadata["render_fps"] == 1
    check_env(env, skip_render_check=False)


@pytest.mark.parametrize("env_id", ENVS)
def test_every_kind_of_text_is_there_too(env_id: str):
    for mode, start in (("html", "<table"), ("ansi", "")):
        env = gym.make(env_id, render_mode=mode)
        env.reset(seed=0)
        assert env.render().startswith(start)


def cell(book: Book, **look: Any) -> Book:
    return book.with_sheet(book.sheets[-1].style({(1, 1): look}))


@pytest.mark.parametrize(
    "look",
    [
        {"backgroundColor": {"red": 1.0}},
        {"textFormat": {"bold": True}},
        {"textFormat": {"foregroundColor": {"blue": 1.0}}},
        {"horizontalAlignment": "RIGHT"},
    ],
)
def test_the_look_of_a_cell_is_seen(look: dict[str, Any]):
    book = book_of([["a", 1]])
    assert (picture(cell(book, **look)) != picture(book)).any()


def test_a_formula_shows_what_it_comes_to():
    book = book_of([["a", 3]])
    formula = book.with_sheet(book.sheets[-1].write({(1, 2): Formula("=1+2")}))
    assert (picture(formula) == picture(book)).all()


def test_a_large_sheet_keeps_the_size_of_the_picture():
    large = book_of([[row * column for column in range(30)] for row in range(100)])
    assert picture(large).shape == picture(book_of([["a"]])).shape


def test_a_spreadsheet_elsewhere_is_not_drawn():
    env = made("stb/GoogleSheets-v1").unwrapped
    env.restore(env.snapshot()._replace(backend="elsewhere"))
    with pytest.raises(ConfigError, match=r"^only a spreadsheet in memory is drawn; leave out world, or "):
        env.render()


def test_without_pillow_it_says_which_extra_is_missing():
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from stb_env.errors import ConfigError\n"
        "from stb_env.suites.sambanova.common.picture import Picture\n"
        "try: Picture(1, 1)\n"
        "except ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "render_mode='rgb_array' needs Pillow here; pip install 'stb-env[render]'"


@pytest.mark.skipif(find_spec("moviepy") is None, reason="a video needs moviepy")
@pytest.mark.parametrize("env_id", ENVS)
def test_gymnasium_records_a_video(env_id: str, tmp_path: Path):
    env = gym.wrappers.RecordVideo(gym.make(env_id, render_mode="rgb_array"), str(tmp_path))
    env.reset(seed=0)
    for call in [gold(env)] * 2:
        env.step({"name": call.name, "arguments": call.arguments})
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1_000
