"""A picture that is drawn with boxes and texts, as rows of pixels."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import ConfigError

if TYPE_CHECKING:
    from PIL import ImageFont

Color = tuple[int, int, int]
BLACK: Color = (32, 33, 36)
WHITE: Color = (255, 255, 255)
LINE = 18
"""Rows of pixels that a line of text takes."""

_SIZE = 12


class Picture:
    """A white sheet of a fixed size to draw on; equal drawings are equal to the byte.

    Args:
        width: Columns of pixels.
        height: Rows of pixels.

    Raises:
        ConfigError: Pillow is not installed.

    Examples:
        >>> picture = Picture(40, 20)
        >>> picture.box(0, 0, 10, 10, (255, 0, 0))
        >>> picture.pixels.shape, picture.pixels[5, 5].tolist()
        ((20, 40, 3), [255, 0, 0])
    """

    def __init__(self, width: int, height: int) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise ConfigError(
                "render_mode='rgb_array' needs Pillow here; pip install 'stb-env[render]'"
            ) from error
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width, height), WHITE)
        self._draw = ImageDraw.Draw(self._image)

    def box(
        self, left: int, top: int, width: int, height: int, fill: Color, edge: Color | None = None
    ) -> None:
        """Draw a filled box, with an edge where one is given."""
        self._draw.rectangle((left, top, left + width - 1, top + height - 1), fill=fill, outline=edge)

    def text(
        self,
        left: int,
        top: int,
        text: str,
        *,
        width: int,
        color: Color = BLACK,
        bold: bool = False,
        right: bool = False,
    ) -> None:
        """Draw a line of text, cut with an ellipsis where it is longer than what there is.

        Args:
            left: Where its place begins.
            top: Where it begins.
            text: The text, on one line.
            width: Pixels that there are.
            color: Its colour.
            bold: Whether it is drawn twice, side by side.
            right: Whether it ends at the right of its place.
        """
        font = _font()
        kept = " ".join(text.split()) if "\n" in text else text
        if font.getlength(kept) > width:
            while kept and font.getlength(f"{kept}…") > width:
                kept = kept[:-1]
            kept = f"{kept}…"
        start = left + max(0, width - round(font.getlength(kept))) if right else left
        for shift in range(2 if bold else 1):
            self._draw.text((start + shift, top), kept, fill=color, font=font)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture: rows from the top, columns, and red, green and blue."""
        return np.array(self._image, dtype=np.uint8)


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(_SIZE)
