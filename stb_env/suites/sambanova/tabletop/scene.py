"""The objects on the table as an immutable value, and the effect of moving a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.tabletop.places import COLORS, PLACES, Point, Position, distance, on_table

BLOCK = 0.04
"""Edge of a block, in metres."""

BOWL = 0.06
"""Radius of a bowl, in metres."""

_GRASP = 0.03
_RIM = 0.005


@dataclass(frozen=True, slots=True)
class Scene:
    """Blocks and bowls with their positions.

    Attributes:
        blocks: Positions of the blocks' centres by name, in order.
        bowls: Positions of the bowls by name, in order; bowls cannot be moved.
        said: What was said aloud.

    Examples:
        >>> scene = Scene.of({"red block": (0.1, -0.4), "blue block": (-0.1, -0.4)}, {})
        >>> scene.put("red block", "blue block").blocks["red block"]
        (-0.1, -0.4, 0.06)
    """

    blocks: Mapping[str, Position]
    bowls: Mapping[str, Position]
    said: tuple[str, ...] = ()

    @classmethod
    def of(cls, blocks: Mapping[str, Sequence[float]], bowls: Mapping[str, Sequence[float]]) -> Scene:
        """Build a scene in which every block stands on whatever is under it."""
        grounded = {name: (at[0], at[1], 0.0) for name, at in bowls.items()}
        return cls(_settled({name: (at[0], at[1], 0.0) for name, at in blocks.items()}, grounded), grounded)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all objects, blocks first."""
        return (*self.blocks, *self.bowls)

    @property
    def positions(self) -> Mapping[str, Position]:
        """Positions of all objects."""
        return {**self.blocks, **self.bowls}

    def storey(self, name: str) -> int:
        """Return on which storey of its stack a block is, the lowest being 0; bowls are on the table.

        Examples:
            >>> scene = Scene.of({"red block": (0.1, -0.4), "blue block": (-0.1, -0.4)}, {})
            >>> scene.put("red block", "blue block").storey("red block")
            1
        """
        return round(max(0.0, self.blocks[name][2] - BLOCK / 2) / BLOCK) if name in self.blocks else 0

    def find(self, text: str) -> Position | Point:
        """Return the position of an object, or the point of a named place.

        Raises:
            CrashError: Nothing has that name.

        Examples:
            >>> Scene.of({"red block": (0.1, -0.4)}, {}).find("the small red_square")
            (0.1, -0.4, 0.02)
        """
        name = object_name(text)
        if name in PLACES:
            return PLACES[name]
        for objects in (self.blocks, self.bowls):
            if name in objects:
                return objects[name]
        near = did_you_mean(name, [*self.names, *PLACES])
        raise CrashError(f"nothing on the table is named {text!r}.{near}")

    def put(self, first: str | Sequence[float], second: str | Sequence[float]) -> Scene:
        """Return the scene after a block was picked up and put down.

        Args:
            first: A block, or a point with a block under it. A bowl cannot be moved, and where nothing is,
                nothing is moved.
            second: An object, a named place or a point.

        Raises:
            CrashError: A name is unknown, or the arm does not reach that far.
        """
        picked_at, point = self._point(first), self._point(second)
        block = self._grasped(first, picked_at)
        if block is None:
            return self
        others = {name: at for name, at in self.blocks.items() if name != block}
        settled = _settled(others, self.bowls)
        height = _height(point, settled, self.bowls)
        moved = {
            name: (point[0], point[1], height) if name == block else settled[name] for name in self.blocks
        }
        return replace(self, blocks=moved)

    def say(self, text: str) -> Scene:
        """Return the scene after something was said."""
        return replace(self, said=(*self.said, text))

    def _point(self, where: str | Sequence[float]) -> Point:
        x, y = (self.find(where) if isinstance(where, str) else where)[:2]
        point = (float(x), float(y))
        if not on_table(point):
            raise CrashError(f"the arm does not reach ({point[0]:.3f}, {point[1]:.3f}), off the table")
        return point

    def _grasped(self, first: str | Sequence[float], point: Point) -> str | None:
        name = object_name(first) if isinstance(first, str) else ""
        if name in self.blocks:
            return name
        if name in self.bowls:
            return None
        near = [block for block, at in self.blocks.items() if distance(at, point) <= _GRASP]
        # The gripper comes from above, so of a stack it gets the uppermost.
        return min(
            near,
            key=lambda block: (-self.blocks[block][2], distance(self.blocks[block], point)),
            default=None,
        )


@lru_cache(maxsize=1_024)
def object_name(text: str) -> str:
    """Return the name that a text means, as the original cleans it.

    Examples:
        >>> object_name("the red_square"), object_name("small blue circle")
        ('red block', 'blue bowl')
    """
    text = text.replace("the", "").replace("_", " ").strip()
    words = {"circle": "bowl", "square": "block", "small": ""}
    return " ".join(word for word in (words.get(word, word) for word in text.split()) if word)


def color_of(text: str) -> str | None:
    """Return the first colour word in a text.

    Examples:
        >>> color_of("the red block"), color_of("a block")
        ('red', None)
    """
    return next((color for color in COLORS if color in text), None)


def _settled(blocks: Mapping[str, Position], bowls: Mapping[str, Position]) -> dict[str, Position]:
    """Let every block sink onto whatever is under it."""
    settled: dict[str, Position] = {}
    for name in sorted(blocks, key=lambda name: blocks[name][2]):
        at = blocks[name]
        settled[name] = (at[0], at[1], _height(at, settled, bowls))
    return {name: settled[name] for name in blocks}


def _height(point: Sequence[float], blocks: Mapping[str, Position], bowls: Mapping[str, Position]) -> float:
    """Return where the centre of a block comes to rest that is lowered over a point."""
    under = [at[2] for at in blocks.values() if _overlap(at, point)]
    if under:
        return round(max(under) + BLOCK, 6)
    in_bowl = any(distance(at, point) < BOWL for at in bowls.values())
    return BLOCK / 2 + (_RIM if in_bowl else 0)


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    # Blocks that are set down flush beside each other touch, by a rounding error, and do not overlap.
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) < BLOCK - 1e-6
