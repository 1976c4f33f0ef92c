"""Elements of HTML and SVG whose text and attributes are always escaped."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None

# What no document may hold: control characters, and halves of surrogate pairs.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | float | None) -> Element:
    """Return an element with its children, texts among them.

    Args:
        tag: Its name.
        children: What it holds; None stands for nothing.
        attributes: Its attributes; an underscore stands for a hyphen, but at the end, where it sets a name
            apart from Python's own. None leaves one out.

    Examples:
        >>> markup(element("p", "1 < 2", element("b", "!"), class_="quiet"))
        '<p class="quiet">1 &lt; 2<b>!</b></p>'
    """
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), clean(_written(value)))
    for child in children:
        if isinstance(child, Element):
            made.append(child)
        elif child is not None:
            _append_text(made, clean(child))
    return made


def clean(text: str) -> str:
    r"""Return a text with a replacement sign for each character that no document may hold.

    Examples:
        >>> clean("a\x00b\ud800")
        'a�b�'
    """
    return _FORBIDDEN.sub("\ufffd", text)


def markup(root: Element) -> str:
    """Return an element as HTML; what a style or script holds stands as it is."""
    return tostring(root, encoding="unicode", method="html")


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        last = parent[-1]
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
