"""Blocks go where they are put, rest on what is there, and phrases mean what they say."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.tabletop.layouts import APART, BORDER, EDGE_POINTS, layout
from stb_env.suites.sambanova.tabletop.places import BOTTOM, COLORS, LEFT, PLACES, RIGHT, TOP, distance
from stb_env.suites.sambanova.tabletop.render import SIZE, drawing, picture
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.world import run

BLOCKS = {"green block": (-0.1, -0.35), "yellow block": (0.15, -0.4), "pink block": (0.0, -0.6)}
BOWLS = {"red bowl": (-0.18, -0.62), "cyan bowl": (0.18, -0.65)}
SCENE = Scene.of(BLOCKS, BOWLS)


def value(program: str, *, original: bool = False) -> Any:
    found = run(program, Robot(SCENE, original=original)).value
    return found.tolist() if isinstance(found, np.ndarray) else found


def after(program: str) -> Scene:
    robot = Robot(SCENE)
    run(program, robot)
    return robot.scene


def test_a_block_on_a_block_stands_higher_and_one_in_a_bowl_above_its_floor():
    scene = (
        SCENE.put("green block", "pink block").put("yellow block", "pink block").put("pink block", "red bowl")
    )
    assert scene.blocks["pink block"][2] > scene.bowls["red bowl"][2] + 0.02
    # The block that was lowest is gone: the others sank.
    assert [scene.blocks[name][2] for name in ("green block", "yellow block")] == [0.02, 0.06]


def test_only_the_block_that_is_named_is_moved():
    scene = SCENE.put("green block", "top side")
    assert scene.blocks["green block"] == (0.0, -0.25, 0.02)
    assert {name: at for name, at in scene.blocks.items() if name != "green block"} == {
        name: at for name, at in SCENE.blocks.items() if name != "green block"
    }


@pytest.mark.parametrize("where", ["red bowl", (0.0, -0.3), "middle"])
def test_where_no_block_can_be_grasped_nothing_moves(where: Any):
    assert SCENE.put(where, "top side").blocks == SCENE.blocks


def test_a_point_near_a_block_grasps_the_uppermost():
    scene = SCENE.put("green block", "pink block")
    assert scene.put((0.01, -0.61), "top side").blocks["green block"][:2] == PLACES["top side"]


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        ("green blok", "top side", "nothing on the table is named 'green blok'. Did you mean 'green block'?"),
        ("green block", (0.5, -0.5), "the arm does not reach"),
        ("green block", (0.0, 0.0), "the arm does not reach"),
    ],
)
def test_what_the_arm_cannot_do_is_said(first: Any, second: Any, error: str):
    with pytest.raises(CrashError) as crash:
        SCENE.put(first, second)
    assert error in str(crash.value)


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_layouts_keep_objects_apart_and_off_the_edges(count: int, seed: int):
    points = layout(count, random.Random(seed))
    assert len(points) == count
    assert all(distance(a, b) > APART for a, b in combinations(points, 2))
    for x, y in points:
        # Points are rounded and the bounds are not: LEFT + BORDER is a bit more than -0.2.
        assert LEFT + BORDER - 1e-9 <= x <= RIGHT - BORDER + 1e-9
        assert BOTTOM + BORDER - 1e-9 <= y <= TOP - BORDER + 1e-9
    if count <= 7:
        assert all(distance(point, edge) > 0.147 for point in points for edge in EDGE_POINTS)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(BLOCKS)),
            st.one_of(
                st.sampled_from([*BLOCKS, *BOWLS, *PLACES]),
                st.tuples(st.floats(-0.3, 0.3), st.floats(-0.8, -0.2)),
            ),
        ),
        max_size=12,
    )
)
def test_blocks_never_share_a_place(moves: list[tuple[str, Any]]):
    scene = SCENE
    for first, second in moves:
        scene = scene.put(first, second)
    for a, b in combinations(scene.blocks.values(), 2):
        beside = max(abs(a[0] - b[0]), abs(a[1] - b[1])) >= 0.04 - 1e-6
        assert beside or abs(a[2] - b[2]) >= 0.04 - 1e-6
    assert all(0.02 <= at[2] < 0.2 for at in scene.blocks.values())
    assert scene.bowls == SCENE.bowls


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("get_obj_names()", [*BLOCKS, *BOWLS]),
        ("get_obj_pos('the green block')", [-0.1, -0.35]),
        ("is_obj_visible('red bowl'), is_obj_visible('blue bowl')", (True, False)),
        ("get_color('the red thing') == (1.0, 87 / 255, 89 / 255, 1.0)", True),
        ("get_color('a thing')", None),
        ("denormalize_xy([0, 1])", [-0.25, -0.25]),
        ("get_corner_name([0.2, -0.7]), get_side_name([0.2, -0.5])", ("bottom right corner", "right side")),
        ("[round(float(part), 2) for part in get_bbox('green block')[1]]", [-0.08, -0.33, 0.04]),
        ("get_closest_idx([[0, 0], [1, 1]], [0.9, 0.9])", 1),
        ("get_farthest_point([[0, 0], [1, 1]], [0.9, 0.9])", [0.0, 0.0]),
        ("get_obj_positions_np(['green block', 'pink block'])", [[-0.1, -0.35], [0.0, -0.6]]),
        (
            "interpolate_pts_on_line(make_line([0, -0.5], [0.5, -0.5]), 3)",
            [[0, -0.5], [0.25, -0.5], [0.5, -0.5]],
        ),
        ("round(make_triangle(0.2, [0, -0.5]).area, 4)", 0.0173),
        ("LineString([[0, 0], [3, 4]]).length, Point(1, 2).x", (5.0, 1.0)),
        ("affinity.translate(box(0, 0, 1, 1), 1, 1).bounds", (1.0, 1.0, 2.0, 2.0)),
        ("point_gripper_to([0, -0.5])", None),
    ],
)
def test_each_function_gives_what_it_says(program: str, wanted: Any):
    assert value(program) == wanted


@pytest.mark.parametrize(
    ("phrase", "wanted"),
    [
        ("the green block", "green block"),
        ("green square", "green block"),
        ("the blocks", ["green block", "yellow block", "pink block"]),
        ("all bowls", ["red bowl", "cyan bowl"]),
        ("the block closest to the red bowl", "pink block"),
        ("the block that is farthest from the top left corner", "pink block"),
        ("the closest block to the cyan bowl", "pink block"),
        ("the second block from the left", "pink block"),
        ("the first block from the top", "green block"),
        ("the rightmost block", "yellow block"),
        ("the blocks to the left of the cyan bowl", ["green block", "yellow block", "pink block"]),
        ("the blocks above the yellow block", ["green block"]),
        ("the blocks nearer the top edge than the yellow block", ["green block"]),
        ("blocks except the pink block", ["green block", "yellow block"]),
        ("the blocks that are not yellow", ["green block", "pink block"]),
        ("the yellow and the pink blocks", ["yellow block", "pink block"]),
        ("the red object", "red bowl"),
    ],
)
def test_a_phrase_names_objects(phrase: str, wanted: Any):
    assert value(f"parse_obj_name({phrase!r}, 'objects = []')") == wanted


@pytest.mark.parametrize(
    ("phrase", "wanted"),
    [
        ("the top left corner", [-0.25, -0.25]),
        ("the top-left corner", [-0.25, -0.25]),
        ("the left side", [-0.25, -0.5]),
        ("the center of the table", [0, -0.5]),
        ("the pink block", [0, -0.6]),
        ("10 cm left of the pink block", [-0.1, -0.6]),
        ("0.2 m to the right of the red bowl", [0.02, -0.62]),
        ("5cm above the pink block", [0, -0.55]),
        ("below the pink block by 10cm", [0, -0.7]),
        ("the corner closest to the cyan bowl", [0.25, -0.75]),
        ("the farthest side from the red bowl", [0.25, -0.5]),
        ("halfway between the red bowl and the cyan bowl", [0, -0.635]),
        ("10 cm from the pink block, toward the left of the table", [-0.1, -0.6]),
        ("0.2 m from the red bowl, toward the right edge", [0.02, -0.62]),
        ("a point 10 cm to the top of the block closest to the red bowl", [0, -0.5]),
    ],
)
def test_a_phrase_names_a_position(phrase: str, wanted: list[float]):
    assert value(f"parse_position({phrase!r})") == pytest.approx(wanted)


def test_a_phrase_names_the_points_of_a_line():
    points = value("parse_position('a horizontal line 30cm long with 4 points')")
    assert np.allclose(points, [[-0.15, -0.5], [-0.05, -0.5], [0.05, -0.5], [0.15, -0.5]])
    assert len(value("parse_position('a diagonal line at the middle')")) == 3


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("is the green block to the left of the yellow block?", True),
        ("is the pink block above the green block?", False),
        ("how many blocks are there?", 3),
        ("how many blocks are to the right of the red bowl?", 3),
        ("is there a blue block?", False),
        ("are there any bowls?", True),
        ("what color is the leftmost block?", "green"),
        ("which block is closest to the red bowl?", "pink block"),
    ],
)
def test_a_question_has_an_answer(question: str, wanted: Any):
    assert value(f"parse_question({question!r}, '')") == wanted


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("parse_obj_name('whatever')", UnsupportedError),
        ("parse_obj_name('the blue block')", CrashError),
        ("parse_position('somewhere nice')", UnsupportedError),
        ("parse_question('why?')", UnsupportedError),
        ("transform_shape_pts('dance', [[0, 0]])", UnsupportedError),
        ("parse_obj_name('the ' * 5000)", CrashError),
        ("parse_obj_name(5)", CrashError),
        ("put_first_on_second('green block', 5)", CrashError),
        ("put_first_on_second('green block', np.array([np.nan, 0]))", CrashError),
        ("get_bbox('top side')", CrashError),
        ("import os\nget_obj_names()", CrashError),
        ("make_line([0, 0], 'nowhere')", CrashError),
        ("interpolate_pts_on_line([[0, 0], [1, 1]], 10 ** 6)", CrashError),
    ],
)
def test_what_means_nothing_is_a_crash(call: str, error: type[Exception]):
    with pytest.raises(error):
        value(call)


def test_shapes_are_moved_turned_and_scaled_by_phrases():
    assert value("transform_shape_pts('move it 10 cm up', [[0, 0], [1, 0]])") == [[0, 0.1], [1, 0.1]]
    assert np.allclose(
        value("transform_shape_pts('rotate by 90 degrees', [[-1, 0], [1, 0]])"), [[0, -1], [0, 1]]
    )
    assert value("transform_shape_pts('scale by 2', [[-1, 0], [1, 0]])") == [[-2, 0], [2, 0]]


def test_the_original_takes_no_list_for_a_position():
    assert after("put_first_on_second('green block', [0, -0.5])").blocks["green block"] == (0, -0.5, 0.02)
    with pytest.raises(CrashError, match="list has no shape"):
        value("put_first_on_second('green block', [0, -0.5])", original=True)
    assert value("put_first_on_second('green block', np.array([0, -0.5]))", original=True) is None


def test_what_is_said_is_kept_with_the_table():
    assert after("say('first')\nsay('second')").said == ("first", "second")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz 0123456789.,?-", max_size=80))
def test_any_phrase_means_something_or_crashes(phrase: str):
    for name in ("parse_obj_name", "parse_position", "parse_question"):
        try:
            run(f"{name}({phrase!r})", Robot(SCENE))
        except CrashError:
            continue


def test_the_picture_shows_each_object_where_it_is():
    pixels = picture(SCENE)
    assert (pixels.shape, pixels.dtype) == ((SIZE, SIZE, 3), np.uint8)
    for name, at in SCENE.blocks.items():
        row = round((TOP - at[1]) / (TOP - BOTTOM) * (SIZE - 1))
        column = round((at[0] - LEFT) / (RIGHT - LEFT) * (SIZE - 1))
        assert tuple(pixels[row, column]) == COLORS[name.split()[0]]


def test_the_drawing_names_each_object():
    text = drawing(SCENE.put("green block", "red bowl"))
    assert "G green block (-0.180, -0.620, 0.025)" in text
    assert text.count("\n") == 14 + len(SCENE.names)
    assert sum(line.startswith("|") for line in text.splitlines()) == 13


COLORED = [f"{color} block" for color in ("red", "blue", "green", "yellow")]


@pytest.mark.parametrize("place", ["middle", "red bowl", "right side", "top left corner"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_stack_looks_as_high_as_it_is(count: int, place: str):
    start = Scene.of(
        {name: (-0.2 + 0.1 * n, -0.7) for n, name in enumerate(COLORED)}, {"red bowl": (0.1, -0.4)}
    )
    scene = start
    for name in COLORED[:count]:
        scene = scene.put(name, place)
    x, y, _ = scene.blocks[COLORED[0]]
    heights = sorted(scene.blocks[name][2] for name in COLORED[:count])
    assert np.allclose(np.diff(heights), 0.04)
    # On the picture each block's colour shows over the place, from the lowest upward.
    column = picture(scene)[::-1, round((x - LEFT) / (RIGHT - LEFT) * (SIZE - 1))]
    foot = round((y - 0.02 - BOTTOM) / (TOP - BOTTOM) * (SIZE - 1))
    faces = [tuple(int(part) for part in pixel) for pixel in column[foot : foot + 45]]
    shown = list(dict.fromkeys(face for face in faces if face in set(map(tuple, faces_of(count)))))
    assert shown == faces_of(count)
    # In characters the number stands beside the uppermost.
    text = drawing(scene)
    upmost = COLORED[count - 1][0].upper()
    assert (f"{upmost}{count}" in text or f"{count}{upmost}" in text) == (count > 1)
    assert text.count("from below") == count - 1


def faces_of(count: int) -> list[tuple[int, ...]]:
    """Return the colours of blocks on each other, each storey a little brighter."""
    colors = [COLORS[name.split()[0]] for name in COLORED[:count]]
    return [tuple(round(part + (255 - part) * 0.12 * n) for part in color) for n, color in enumerate(colors)]
