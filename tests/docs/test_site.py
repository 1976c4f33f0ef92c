"""What is made when the site is built, and what MkDocs is told."""

from __future__ import annotations

import pytest
import yaml

from stb_env.show.cli import app
from tests.conftest import ROOT
from tests.docs.page import DOCS
from tests.docs.test_suite_pages import loaded

pytest.importorskip("mkdocs", reason="needs the extra stb-env[docs]; .ci/docs has it")


@pytest.fixture(scope="module")
def hooks():
    return loaded(DOCS / "hooks.py")


def test_every_command_has_a_page_with_its_help(hooks):
    pages = dict(hooks.commands())
    named = {command.name for command in app.registered_commands} | {
        group.name for group in app.registered_groups
    }
    assert pages.keys() == named
    assert "* `--seed <int>`" in pages["run"]
    assert "## `stb-env cache import`" in pages["cache"]


def test_the_index_of_commands_says_what_each_does(hooks):
    index = hooks.command_index(list(hooks.commands()))
    assert "| [`stb-env compare`](compare.md) | Compare two runs task by task. |" in index


def test_the_page_of_protocols_is_the_one_that_the_command_prints(hooks):
    assert hooks.protocols().startswith("# Protocols\n")
    assert "\n## stabletoolbench\n" in hooks.protocols()


def test_the_reference_has_every_public_name(hooks):
    import stb_env

    names = {name for name, _ in hooks.public_names()}
    assert names == set(stb_env.__all__) - {"__version__"}
    assert all(f".{name}\n    options:" in hooks.reference() for name in names)


def test_every_page_is_in_the_navigation():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def files(entry):
        if isinstance(entry, str):
            return {entry}
        values = entry if isinstance(entry, list) else entry.values()
        return set().union(*map(files, values))

    listed = files(settings["nav"])
    written = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert written <= listed
    assert listed - written == {"commands/index.md", "protocols.md", "api.md", "changelog.md"}


def test_nothing_is_loaded_from_the_network():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert settings["theme"]["font"] is False
    assert not {"extra_css", "extra_javascript", "extra"} & settings.keys()
