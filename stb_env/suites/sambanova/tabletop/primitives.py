"""The functions that programs are given, each with its documentation; they are the task's tools too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.tabletop.layouts import Points
from stb_env.suites.sambanova.tabletop.robot import Robot

Schema = Mapping[str, object]

_XY: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}
_XYS: Schema = {"type": "array", "items": _XY, "minItems": 1, "maxItems": 200}
_NAME: Schema = {"type": "string"}
_NAMES: Schema = {"type": "array", "items": _NAME, "minItems": 1, "maxItems": 20}
_WHERE: Schema = {"anyOf": [_NAME, _XY]}


def _described(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


@dataclass(frozen=True, slots=True)
class Primitive:
    """One function.

    Attributes:
        name: Its name.
        summary: What it does.
        parameters: JSON Schema of each parameter, in order.
        run: Runs it; the robot first.
        optional: Parameters that may be left out.
        moves: Whether it can change the table.
    """

    name: str
    summary: str
    parameters: Mapping[str, Schema]
    run: Callable[..., object]
    optional: tuple[str, ...] = ()
    moves: bool = False

    @property
    def signature(self) -> str:
        """The call with its parameters.

        Examples:
            >>> BY_NAME["put_first_on_second"].signature
            'put_first_on_second(first, second)'
        """
        return f"{self.name}({', '.join(self.parameters)})"


_OBJECT = _described(_NAME, "Name of an object, such as 'red block', or of a place, such as 'top side'.")
_POINT = _described(_XY, "x and y in metres.")
_POINTS = _described(_XYS, "Points, each x and y in metres.")
_PHRASE = _described(_NAME, "The phrase, in plain English.")
_CONTEXT = _described(_NAME, "Says which objects there are; it may be left out.")
_LIST = _described(_NAMES, "Names of objects.")
_PLACE = _described(_WHERE, "Name of an object or place, or x and y in metres.")


def _stack(robot: Robot, object_names: Sequence[str]) -> None:
    for below, name in pairwise(object_names):
        robot.put(name, below)


def _positions(robot: Robot, obj_names: Sequence[str]) -> Points:
    return robot.array([robot.xy(name) for name in obj_names])


def _nearest_index(robot: Robot, points: Iterable[object], point: object) -> int:
    gaps = robot.gaps(points, point)
    return gaps.index(min(gaps))


def _closest(robot: Robot, points: Iterable[object], point: object) -> Points:
    return robot.array(list(points)[_nearest_index(robot, points, point)])


def _farthest(robot: Robot, points: Iterable[object], point: object) -> Points:
    gaps = robot.gaps(points, point)
    return robot.array(list(points)[gaps.index(max(gaps))])


def _box_area(robot: Robot, bbox: Iterable[Iterable[float]]) -> float:  # noqa: ARG001
    try:
        low, high = ([float(part) for part in corner] for corner in bbox)
        return (high[0] - low[0]) * (high[1] - low[1])
    except (TypeError, ValueError, IndexError) as error:
        raise CrashError("a box is its lowest and its highest corner") from error


PRIMITIVES: tuple[Primitive, ...] = (
    Primitive(
        "put_first_on_second",
        "Picks up a block and puts it down somewhere else: on another block, in a bowl, at a place. A bowl "
        "stays where it is.",
        {
            "first": _described(_WHERE, "The block, or x and y of a point where one stands."),
            "second": _described(_WHERE, "Object or place to put it on, or x and y in metres."),
        },
        Robot.put,
        moves=True,
    ),
    Primitive("get_obj_names", "Names all objects on the table.", {}, Robot.names),
    Primitive(
        "get_obj_pos",
        "Gives x and y of the centre of an object, or of a place.",
        {"obj_name": _OBJECT},
        Robot.array_of,
    ),
    Primitive(
        "is_obj_visible", "Says whether an object is on the table.", {"obj_name": _OBJECT}, Robot.is_visible
    ),
    Primitive(
        "get_bbox",
        "Gives the box around an object: its lowest and its highest corner, each x, y and z.",
        {"obj_name": _OBJECT},
        Robot.box,
    ),
    Primitive(
        "get_color",
        "Gives the colour that a name has in it, as red, green, blue and alpha from 0 to 1.",
        {"obj_name": _OBJECT},
        Robot.color,
    ),
    Primitive(
        "denormalize_xy",
        "Turns coordinates from 0 to 1 into metres; [0, 0] is at the bottom left, [0, 1] at the top left.",
        {"pos_normalized": _described(_XY, "x and y from 0 to 1.")},
        Robot.denormalize,
    ),
    Primitive("get_corner_name", "Names the corner nearest to a point.", {"pos": _POINT}, Robot.corner),
    Primitive("get_side_name", "Names the side nearest to a point.", {"pos": _POINT}, Robot.side),
    Primitive(
        "say", "Says something aloud.", {"text": _described(_NAME, "What to say.")}, Robot.say, (), True
    ),
    Primitive(
        "parse_obj_name",
        "Finds the object that a phrase means, such as 'the block closest to the red bowl'; a list for a "
        "phrase in the plural.",
        {"description": _PHRASE, "context": _CONTEXT},
        Robot.parse_name,
        ("context",),
    ),
    Primitive(
        "parse_position",
        "Finds the point that a phrase means, such as '10 cm left of the red bowl', or the points of a line.",
        {"description": _PHRASE},
        Robot.parse_position,
    ),
    Primitive(
        "parse_question",
        "Answers a question about the table, such as 'how many blocks are left of the red bowl?'.",
        {"question": _PHRASE, "context": _CONTEXT},
        Robot.parse_question,
        ("context",),
    ),
    Primitive(
        "transform_shape_pts",
        "Moves, turns or scales points as a phrase says, such as 'move it 10 cm to the left'.",
        {"description": _PHRASE, "shape_pts": _POINTS},
        Robot.transform,
    ),
    Primitive(
        "stack_objects_in_order",
        "Stacks blocks, the first of the names at the bottom; the first may be a bowl.",
        {"object_names": _LIST},
        _stack,
        moves=True,
    ),
    Primitive("point_gripper_to", "Moves the gripper over a point.", {"pos": _PLACE}, Robot.point_to),
    Primitive(
        "detect_obj", "Says whether an object is on the table.", {"obj_name": _OBJECT}, Robot.is_visible
    ),
    Primitive(
        "get_obj_positions_np",
        "Gives x and y of the centres of several objects.",
        {"obj_names": _LIST},
        _positions,
    ),
    Primitive(
        "get_all_object_positions_np",
        "Gives x and y of the centres of several objects.",
        {"obj_names": _LIST},
        _positions,
    ),
    Primitive(
        "get_closest_idx",
        "Gives the number, from 0, of the point that is nearest to a point.",
        {"points": _POINTS, "point": _POINT},
        _nearest_index,
    ),
    Primitive(
        "get_closest_point",
        "Gives the point that is nearest to a point.",
        {"points": _POINTS, "point": _POINT},
        _closest,
    ),
    Primitive(
        "get_farthest_point",
        "Gives the point that is farthest from a point.",
        {"points": _POINTS, "point": _POINT},
        _farthest,
    ),
    Primitive(
        "get_box_area",
        "Gives the area that a box covers on the table, in square metres.",
        {"bbox": _described(_XYS, "The lowest and the highest corner, as get_bbox gives them.")},
        _box_area,
    ),
    Primitive(
        "make_line",
        "Makes a line from one point to another.",
        {"start": _PLACE, "end": _PLACE},
        Robot.line,
    ),
    Primitive(
        "interpolate_pts_on_line",
        "Gives points at equal distances on a line, both ends included.",
        {
            "line": _described(_XYS, "The line, as make_line gives it."),
            "n": {"type": "integer", "minimum": 1, "maximum": 200, "description": "How many points."},
        },
        Robot.points_on,
    ),
    Primitive(
        "make_triangle",
        "Makes a triangle with sides of equal length around a point.",
        {
            "size": {"type": "number", "description": "Length of a side in metres."},
            "center": _PLACE,
        },
        Robot.triangle,
    ),
    Primitive(
        "get_points_from_polygon",
        "Gives the corners of a polygon.",
        {"polygon": _described(_XYS, "The polygon, as make_triangle gives it.")},
        Robot.corners,
    ),
)
_MENTIONED = frozenset(
    (
        *("stack_objects_in_order", "point_gripper_to", "detect_obj", "get_obj_positions_np"),
        *("get_all_object_positions_np", "get_closest_idx", "get_closest_point", "get_farthest_point"),
        *("get_box_area", "make_line", "interpolate_pts_on_line", "make_triangle", "get_points_from_polygon"),
    )
)
GIVEN = tuple(each for each in PRIMITIVES if each.name not in _MENTIONED)
"""Those that the original gives to programs; the others its prompts only mention, and a model writes them."""

BY_NAME: Mapping[str, Primitive] = {primitive.name: primitive for primitive in PRIMITIVES}
