"""Every block of the documentation runs: commands in the order of their page, Python blocks by themselves."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.page import DOCS, NOT_RUN, PAGES, Block, blocks, name
from tests.docs.reader import run

README = ROOT / "README.md"
SET_UP = {"quickstart", "tests"}
"""Setting up needs a package registry, so .ci/run executes these two blocks, in new directories."""

PAGE = ""
RUN_BY = {
    ("docs/laboratory.md", PAGE): "tests/experiments/lab/test_laboratory_page.py",
    ("docs/own_tools.md", PAGE): "tests/suites/own_tools/page.py",
    ("docs/programs.md", PAGE): "tests/envs/test_programs.py",
    ("docs/scale.md", PAGE): "tests/runs/cluster/test_ray.py",
    ("docs/integrations.md", "inspect"): "tests/integrations/test_inspect.py",
    ("docs/integrations.md", "skyrl"): "tests/integrations/test_skyrl.py",
    ("docs/integrations.md", "verl"): "tests/integrations/test_verl.py",
    ("docs/integrations.md", "sb3"): "tests/training/test_integrations_page.py",
    ("docs/integrations.md", "openenv"): "tests/integrations/test_openenv.py",
    ("docs/integrations.md", "nemo_gym"): "tests/integrations/test_nemo_gym.py",
    ("docs/training.md", "groups agent"): "tests/runs/groups/test_groups_page.py",
    ("docs/training.md", "groups command"): "tests/runs/groups/test_groups_page.py",
    ("docs/training.md", "groups reading"): "tests/runs/groups/test_groups_page.py",
    ("docs/training.md", "sft"): "tests/training/test_trl_exports.py",
    ("docs/training.md", "kto"): "tests/training/test_trl_exports.py",
    ("docs/training.md", "dpo"): "tests/training/test_trl_exports.py",
    ("docs/integrations_trl.md", "trl"): "tests/integrations/test_trl.py",
    ("docs/integrations_verifiers.md", "verifiers"): "tests/integrations/test_verifiers.py",
}
"""Whole pages and marked blocks that need more than this folder, and the file that runs them there."""

SERVER = "127.0.0.1:8000"
"""Where `stb-env serve` listens, as pages have it."""

RUNNABLE = {"python", "sh", "console"}
SHOWN = {"text", "toml", "json", "yaml"}
"""Languages of blocks that a reader runs, and of those that a reader looks at."""

FEWEST = 26
"""How many blocks may need a network, a key, a GPU or a server."""


def here(page: Path) -> list[Block]:
    """Return the blocks of a page that are run here."""
    if (name(page), PAGE) in RUN_BY:
        return []
    return [
        block
        for block in blocks(page)
        if block.language in RUNNABLE
        and not block.reason
        and block.mark not in SET_UP
        and (name(page), block.mark) not in RUN_BY
    ]


def commands(page: Path) -> list[Block]:
    return [block for block in here(page) if block.language != "python" or block.file]


def python(page: Path) -> list[Block]:
    return [block for block in here(page) if block.language == "python"]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page == README else [pytest.mark.heavy])
        for page in PAGES
        if commands(page)
    ],
    ids=name,
)
def test_the_commands_of_a_page_run_in_order(page: Path, workplace: Path, request: pytest.FixtureRequest):
    for block in commands(page):
        if block.file:
            (workplace / block.file).write_text(block.code, encoding="utf-8")
        else:
            run(at_server(block, request), workplace)


@pytest.mark.parametrize("page", [page for page in PAGES if python(page)], ids=name)
def test_each_python_block_of_a_page_runs_alone(page: Path, tmp_path: Path, request: pytest.FixtureRequest):
    for number, block in enumerate(python(page)):
        folder = tmp_path / str(number)
        folder.mkdir()
        run(at_server(block, request), folder)


@pytest.mark.heavy
@pytest.mark.parametrize("block", python(DOCS / "own_environment.md"), ids=lambda block: block.file or "none")
def test_an_environment_of_the_page_passes_its_own_checks(block: Block, workplace: Path):
    if block.file:
        (workplace / block.file).write_text(block.code, encoding="utf-8")
        run(Block("", "sh", f"stb-env validate {block.file}"), workplace)


def at_server(block: Block, request: pytest.FixtureRequest) -> Block:
    """Return a block with the address of a running server in the place of `SERVER`."""
    if SERVER not in block.code:
        return block
    return block._replace(code=block.code.replace(SERVER, request.getfixturevalue("server")))


def test_the_first_python_of_the_readme_ends_in_a_solved_task(tmp_path: Path):
    first = next(block for block in blocks(README) if block.language == "python")
    assert run(first, tmp_path).splitlines()[-1] == "1.0 solved"
    assert len(first.code.splitlines()) <= 12


def test_the_readme_is_a_screenful_and_a_half():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_the_blocks_that_set_up_are_the_ones_that_ci_executes():
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert {block.mark for block in blocks(README) if block.mark in SET_UP} == SET_UP
    assert all(f"block {mark}" in ci for mark in SET_UP)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page: Path):
    known = RUNNABLE | SHOWN
    assert [block.language for block in blocks(page) if block.language not in known] == []
    fences = re.findall(r"^```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_toml_shown_is_toml(page: Path):
    for block in blocks(page):
        if block.language == "toml":
            assert tomllib.loads(block.code)


@pytest.mark.parametrize(("page", "mark"), RUN_BY)
def test_what_is_run_elsewhere_is_run_there(page: str, mark: str):
    text = (ROOT / RUN_BY[page, mark]).read_text(encoding="utf-8")
    assert (
        any(call in text for call in (f'page_script("{mark}"', f'block("{mark}")'))
        or f'"{mark}", "{Path(page).name}"' in text
        if mark
        else (Path(page).name in text)
    )
    assert not mark or mark in {block.mark for block in blocks(ROOT / page)}


def test_few_blocks_are_not_run_and_each_says_why():
    marked = [block for page in PAGES for block in blocks(page) if block.mark.startswith(NOT_RUN)]
    assert [block.code for block in marked if not block.reason] == []
    assert len(marked) <= FEWEST


def test_links_between_pages_lead_to_files():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#\s]+?)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
            if not link.startswith("http"):
                assert (page.parent / link).exists(), f"{name(page)} links to {link}"


def test_a_block_that_fails_fails_the_test(workplace: Path):
    with pytest.raises(AssertionError, match=r"^exit code 1\nassert False\n(?s:.*)\nAssertionError"):
        run(Block("", "python", "assert False"), workplace)
    with pytest.raises(AssertionError, match=r"^exit code 2\nstb-env run stb/Sandbx-v1\n"):
        run(Block("", "sh", "stb-env list --json\nstb-env run stb/Sandbx-v1\n"), workplace)


def test_a_console_that_writes_something_else_fails_the_test(workplace: Path):
    run(Block("", "console", "$ stb-env --version\nstb-env 0.1.0\n"), workplace)
    with pytest.raises(AssertionError, match="and the page says\nstb-env 9"):
        run(Block("", "console", "$ stb-env --version\nstb-env 9\n"), workplace)


def test_pages_are_found():
    assert README in PAGES
    assert DOCS / "concepts.md" in PAGES
