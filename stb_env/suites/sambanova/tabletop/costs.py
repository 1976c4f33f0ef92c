"""Costs of the functions of the table and its libraries; see `interpreter.costs`."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, perm

from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, SHARE, weigh
from stb_env.suites.sambanova.common.interpreter.costs import Args, Cost, Options, at_least, read, words

MAX_PHRASE = 400
"""Characters of a phrase: it is matched with forms whose time grows with the square of its length."""


def _phrase(args: Args, options: Options) -> int:
    """Return the steps of understanding phrases, and of going through points."""
    texts = [len(value) for value in (*args, *options.values()) if isinstance(value, str)]
    return 20 + read(args, options) + sum(min(size, MAX_PHRASE) ** 2 for size in texts) // 2_000


def _chosen(name: str) -> Cost:
    def cost(args: Args, options: Options) -> int:
        sizes = [weigh(value) for value in args if not isinstance(value, int)]
        count = next((value for value in args if isinstance(value, int)), None)
        return sum(sizes) // SHARE + min(_combined(name, sizes, count, options), MAX_ITEMS) // SHARE

    return cost


def _combined(name: str, sizes: list[int], count: int | None, options: Options) -> int:
    """Return how many members the choices have in all; never more than a few times the bound is counted."""
    if name == "pairwise":
        return 2 * sum(sizes)
    if name != "product":
        whole = max(sizes, default=0)
        picked = max(0, min(whole if count is None else count, whole))
        if picked > 16 and whole > 16:
            return MAX_ITEMS
        return picked * (perm if name == "permutations" else comb)(whole, picked)
    repeat = options.get("repeat", 1)
    times = repeat if isinstance(repeat, int) and 0 <= repeat <= 16 else 1
    members = len(sizes) * times
    for size in sizes * times:
        members *= size
        if members > MAX_ITEMS:
            return MAX_ITEMS
    return members


ITERTOOLS: Mapping[str, Cost] = {
    name: _chosen(name) for name in ("combinations", "pairwise", "permutations", "product")
}
"""The library of the same name."""

_SHAPE = at_least(2, lambda args, options: 4 * read(args, options))
SHAPES: Mapping[str, Cost] = {
    **words("Point LineString Polygon MultiPoint box translate scale rotate interpolate", _SHAPE),
    "distance": at_least(1, read),
}
"""Functions that make, move and measure shapes."""


def _along(args: Args, options: Options) -> int:
    """Return the steps of finding points on a line: each goes along the line from its beginning."""
    line, count = (*args, *options.values(), 0, 0)[:2]
    return 20 + weigh(line) * (1 + abs(count) if isinstance(count, int) else 1) // SHARE


_MOVE = at_least(10, read)
PRIMITIVES: Mapping[str, Cost] = {
    **words("parse_obj_name parse_position parse_question transform_shape_pts", _phrase),
    **words("put_first_on_second stack_objects_in_order", _MOVE),
    **words("get_obj_names get_corner_name get_side_name get_color denormalize_xy say", at_least(2, read)),
    **words(
        "get_obj_pos is_obj_visible detect_obj get_bbox point_gripper_to get_box_area", at_least(2, read)
    ),
    **words("get_obj_positions_np get_all_object_positions_np make_line make_triangle", at_least(4, read)),
    **words(
        "get_closest_idx get_closest_point get_farthest_point", at_least(4, lambda *given: 8 * read(*given))
    ),
    "interpolate_pts_on_line": _along,
    "get_points_from_polygon": at_least(4, read),
}
"""The functions that programs are given."""
