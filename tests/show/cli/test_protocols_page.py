"""The page of documentation is what ``stb-env protocols --markdown`` prints."""

from __future__ import annotations

from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.conftest import ROOT


def test_the_page_shows_every_protocol_as_it_is():
    printed = CliRunner().invoke(app, ["protocols", "--markdown"])
    assert printed.exit_code == 0
    page = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    assert page == printed.stdout, "write it anew: stb-env protocols --markdown > docs/protocols.md"
