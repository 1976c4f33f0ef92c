"""The picture of the package in docs/internals.md is the import contract."""

from __future__ import annotations

import re

from tests.conftest import ROOT
from tests.test_layers import LAYERS


def rows() -> list[set[str]]:
    """Return the names of each row of the picture."""
    page = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    picture = page.partition("<!-- rooms -->\n```text\n")[2].partition("```")[0].splitlines()
    return [set(re.findall(r"\w+", line.partition("#")[0])) for line in picture]


def test_the_picture_has_the_layers_of_the_contract_in_their_order():
    assert rows() == [set(layer) for layer in LAYERS if layer != ["__main__"]]


def test_a_folder_is_written_as_one():
    page = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    picture = page.partition("<!-- rooms -->")[2].partition("```\n\n")[0]
    names = {name for row in rows() for name in row}
    folders = {name for name in names if (ROOT / "stb_env" / name).is_dir()}
    assert set(re.findall(r"(\w+)/", picture)) == folders
