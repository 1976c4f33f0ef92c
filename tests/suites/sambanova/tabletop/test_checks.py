"""Every way that does what a goal asks for counts, and what comes near to it does not."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.tabletop.checks import succeeded
from stb_env.suites.sambanova.tabletop.demos import SCENE
from stb_env.suites.sambanova.tabletop.goals import GOALS
from stb_env.suites.sambanova.tabletop.robot import Robot
from stb_env.suites.sambanova.tabletop.scene import Scene
from stb_env.suites.sambanova.tabletop.targets import Look
from stb_env.suites.sambanova.tabletop.world import run

LEFT = {"corner_or_side": "left side"}
CORNER = {"corner_or_side": "top right corner"}
ON_BLOCK = {"block": "green block", "object1": "pink block"}
ON_BOWL = {"block": "green block", "object1": "cyan bowl"}
# Green and yellow lie above the red bowl, pink is nearest to it and second from the left.
ABOVE = {"direction": "top", "bowl": "red bowl", "corner_or_side": "bottom side"}
NEAREST = {"distance": "closest", "bowl": "red bowl", "corner_or_side": "right side"}
SECOND = {"nth": "second", "direction": "left", "corner_or_side": "top left corner"}
BESIDE = {"block": "green block", "magnitude": "10 cm", "direction": "left", "bowl": "cyan bowl"}
AWAY = {"block": "green block", "distance": "farthest", "bowl": "red bowl"}

ALL = "for name, at in zip(objects, [{}]):\n    put_first_on_second(name, at)"
TOWER = "stack_objects_in_order(['pink block', 'green block', 'yellow block'])"


def every(*places: object) -> str:
    return ALL.format(", ".join(map(repr, places)))


def put(block: str, where: object) -> str:
    return f"put_first_on_second('{block} block', {where!r})"


def reached(kind: str, slots: dict[str, str], program: str, table: Scene = SCENE) -> bool:
    robot = Robot(table)
    run(program, robot)
    return succeeded(kind, Look(slots, table.positions, robot.scene.positions))


WAYS = [
    ("SI_0", ON_BLOCK, put("green", "pink block")),
    ("SI_0", ON_BLOCK, put("green", [0.02, -0.61])),
    ("SI_0", ON_BOWL, put("green", "cyan bowl")),
    ("SI_0", ON_BOWL, put("green", [0.2, -0.62])),
    ("SI_1", {}, TOWER),
    ("SI_1", {}, every("middle", "middle", "middle")),
    ("SI_1", {}, every([0.1, -0.3], [0.11, -0.3], [0.1, -0.31])),
    ("SI_2", LEFT, every("left side", "left side", "left side")),
    ("SI_2", LEFT, every([-0.25, -0.3], [-0.25, -0.5], [-0.25, -0.7])),
    ("SI_2", LEFT, every([-0.22, -0.48], [-0.28, -0.48], [-0.22, -0.54])),
    ("SI_2", LEFT, every("top left corner", "left side", "bottom left corner")),
    ("SI_2", CORNER, every([0.25, -0.25], [0.19, -0.25], [0.25, -0.31])),
    ("SI_3", {"bowl": "cyan bowl"}, every("cyan bowl", "cyan bowl", "cyan bowl")),
    ("SI_3", {"bowl": "cyan bowl"}, every([0.16, -0.65], [0.2, -0.65], [0.18, -0.62])),
    (
        "SI_5",
        ABOVE,
        f"{put('green', 'bottom side')}\n{put('yellow', 'bottom side')}\n{put('pink', 'bottom side')}",
    ),
    (
        "SI_5",
        ABOVE,
        f"{put('green', [-0.1, -0.7])}\n{put('yellow', [0.1, -0.78])}\n{put('pink', [0.0, -0.75])}",
    ),
    ("SI_6", NEAREST, put("pink", "right side")),
    ("SI_6", NEAREST, put("pink", [0.25, -0.6])),
    ("SI_7", SECOND, put("pink", "top left corner")),
    ("SI_7", SECOND, put("pink", [-0.28, -0.22])),
    ("UI_0", {}, every("top left corner", "bottom right corner", "top right corner")),
    ("UI_0", {}, every([-0.28, -0.22], [0.2, -0.7], [-0.2, -0.7])),
    ("UI_2", LEFT, every([-0.22, -0.6], [-0.22, -0.6], [-0.22, -0.6])),
    ("UI_3", BESIDE, put("green", [0.08, -0.65])),
    ("UI_3", BESIDE, put("green", [0.1, -0.63])),
    ("UI_4", AWAY, put("green", "top right corner")),
    ("UI_4", AWAY, put("green", [0.28, -0.22])),
    ("UI_5", {"line": "horizontal"}, every([-0.1, -0.3], [0.0, -0.3], [0.05, -0.31])),
    ("UI_5", {"line": "vertical"}, every([0.2, -0.3], [0.2, -0.34], [0.2, -0.7])),
    ("UI_5", {"line": "diagonal"}, every([-0.1, -0.6], [0.0, -0.5], [0.1, -0.4])),
    ("UI_5", {"line": "diagonal"}, every([-0.2, -0.5], [-0.1, -0.4], [0.0, -0.3])),
    ("UI_5", {"line": "diagonal"}, every([0.2, -0.7], [0.1, -0.64], [0.0, -0.58])),
    ("UI_6", {}, every("left side", "top side", "bottom side")),
    ("UI_6", {}, every([-0.28, -0.35], [0.2, -0.45], [0.05, -0.78])),
]
CHEATS = [
    ("SI_0", ON_BLOCK, put("pink", "green block")),
    ("SI_0", ON_BLOCK, put("green", [0.045, -0.6])),
    ("SI_0", ON_BLOCK, f"{TOWER}\n{put('pink', 'middle')}"),
    ("SI_0", ON_BLOCK, every("middle", "middle", "middle")),
    ("SI_0", ON_BOWL, put("green", "red bowl")),
    ("SI_0", ON_BOWL, put("green", [0.18, -0.59])),
    ("SI_1", {}, put("green", "pink block")),
    ("SI_1", {}, every([0.0, -0.3], [0.0, -0.3], [0.06, -0.3])),
    ("SI_2", LEFT, every("left side", "left side", "middle")),
    ("SI_2", LEFT, every("right side", "right side", "right side")),
    ("SI_2", LEFT, every("left side", [-0.14, -0.5], "left side")),
    ("SI_2", CORNER, every([0.25, -0.25], [0.25, -0.25], [0.25, -0.36])),
    ("SI_3", {"bowl": "cyan bowl"}, every("red bowl", "red bowl", "red bowl")),
    ("SI_3", {"bowl": "cyan bowl"}, every("cyan bowl", "cyan bowl", [0.18, -0.71])),
    ("SI_5", ABOVE, put("green", "bottom side")),
    ("SI_5", ABOVE, every("bottom side", "bottom side", "middle")),
    ("SI_5", ABOVE, every("top side", "top side", [0.0, -0.6])),
    ("SI_6", NEAREST, put("green", "right side")),
    ("SI_6", NEAREST, every("right side", "right side", "right side")),
    ("SI_6", NEAREST, put("pink", "left side")),
    ("SI_7", SECOND, put("green", "top left corner")),
    ("SI_7", SECOND, every("top left corner", "top left corner", "top left corner")),
    ("SI_7", SECOND, put("pink", "left side")),
    ("UI_0", {}, every("top left corner", "top left corner", "top right corner")),
    ("UI_0", {}, every("top left corner", "left side", "top right corner")),
    ("UI_2", LEFT, every([-0.22, -0.6], [-0.22, -0.6], [-0.22, -0.5])),
    ("UI_2", LEFT, TOWER),
    ("UI_3", BESIDE, put("yellow", [0.08, -0.65])),
    ("UI_3", BESIDE, put("green", [0.28, -0.65])),
    ("UI_3", BESIDE, every([0.08, -0.65], "middle", "middle")),
    ("UI_4", AWAY, put("green", "bottom left corner")),
    ("UI_4", AWAY, put("yellow", "top right corner")),
    ("UI_4", AWAY, every("top right corner", "top right corner", "top right corner")),
    ("UI_5", {"line": "horizontal"}, every([0.2, -0.3], [0.2, -0.34], [0.2, -0.7])),
    ("UI_5", {"line": "horizontal"}, every([0.0, -0.3], [0.0, -0.3], [0.1, -0.3])),
    ("UI_5", {"line": "horizontal"}, every([0.0, -0.3], [0.045, -0.3], [0.02, -0.345])),
    ("UI_5", {"line": "vertical"}, every([-0.1, -0.3], [0.0, -0.3], [0.05, -0.31])),
    ("UI_5", {"line": "diagonal"}, every([-0.1, -0.5], [0.0, -0.5], [0.1, -0.5])),
    ("UI_5", {"line": "diagonal"}, every([-0.1, -0.6], [0.1, -0.55], [0.1, -0.4])),
    ("UI_5", {"line": "diagonal"}, every("middle", "middle", "middle")),
    ("UI_6", {}, every("left side", [-0.25, -0.4], "bottom side")),
    ("UI_6", {}, every("top left corner", "top side", "bottom side")),
    ("UI_6", {}, every("left side", "top side", "middle")),
]

# For goals about colors: a block and a bowl of each of two colors, and a yellow block.
COLORED = Scene.of(
    {"red block": (-0.1, -0.35), "blue block": (0.15, -0.4), "yellow block": (0.0, -0.6)},
    {"red bowl": (-0.18, -0.62), "blue bowl": (0.18, -0.65), "green bowl": (0.1, -0.25)},
)
BLOCKS = list(COLORED.blocks)


def into(*bowls: str) -> str:
    return "\n".join(f"put_first_on_second({a!r}, {b!r})" for a, b in zip(BLOCKS, bowls, strict=False))


@pytest.mark.parametrize(("kind", "slots", "program"), WAYS)
def test_what_does_as_asked_counts(kind: str, slots: dict[str, str], program: str):
    assert reached(kind, slots, program)


@pytest.mark.parametrize(("kind", "slots", "program"), CHEATS)
def test_what_comes_near_does_not_count(kind: str, slots: dict[str, str], program: str):
    assert not reached(kind, slots, program)


@pytest.mark.parametrize(
    ("kind", "program", "counts"),
    [
        ("SI_4", into("red bowl", "blue bowl"), True),
        ("SI_4", into("red bowl", "blue bowl", "green bowl"), False),
        ("SI_4", into("red bowl"), False),
        ("SI_4", into("blue bowl", "red bowl"), False),
        ("UI_1", into("blue bowl", "red bowl", "green bowl"), True),
        ("UI_1", into("green bowl", "red bowl", "blue bowl"), True),
        ("UI_1", into("red bowl", "blue bowl", "green bowl"), False),
        ("UI_1", into("blue bowl", "red bowl", "red bowl"), False),
        ("UI_1", into("blue bowl", "red bowl"), False),
    ],
)
def test_blocks_go_into_bowls_by_color(kind: str, program: str, counts: bool):
    assert reached(kind, {}, program, COLORED) == counts


def test_doing_nothing_never_counts():
    tried = {kind: slots for kind, slots, _ in WAYS} | {"SI_4": {}, "UI_1": {}}
    assert tried.keys() == GOALS.keys()
    for kind, slots in tried.items():
        table = COLORED if kind in ("SI_4", "UI_1") else SCENE
        assert not reached(kind, slots, "say('done')", table)


@pytest.mark.parametrize(("kind", "slots", "program"), WAYS)
def test_every_way_has_a_cheat_beside_it(kind: str, slots: dict[str, str], program: str):
    del program
    assert [cheat for cheat in CHEATS if cheat[:2] == (kind, slots)]
