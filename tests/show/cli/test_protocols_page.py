"""``stb-env protocols --markdown`` prints a page with every protocol."""

from __future__ import annotations

from typer.testing import CliRunner

from stb_env.runs.protocol import protocols
from stb_env.show.cli import app


def test_the_page_has_a_section_and_all_settings_of_every_protocol():
    printed = CliRunner().invoke(app, ["protocols", "--markdown"])
    assert printed.exit_code == 0
    assert printed.stdout.startswith("# Protocols\n")
    for protocol in protocols():
        section = printed.stdout.partition(f"\n## {protocol.name}\n")[2].partition("\n## ")[0]
        assert section.count("\n| `") == len(protocol.settings)
        assert section.count("\n- ") == len(protocol.standing)
