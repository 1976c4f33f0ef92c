"""The reference servers of the Model Context Protocol, imported, recorded, frozen, and replayed without them.

They come from the npm registry, so this runs only where ``STB_NPM_SERVERS`` is set: in a section of CI.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.saved import unbound
from tests.suites.own_tools.page import block

pytestmark = [
    pytest.mark.skipif(
        "STB_NPM_SERVERS" not in os.environ, reason="set STB_NPM_SERVERS to fetch servers with npx"
    ),
    pytest.mark.timeout(600),
]
BIN = str(Path(sys.executable).parent)
SERVER = "npx -y @modelcontextprotocol/server-filesystem"


def run(line: str, folder: Path, path: str) -> str:
    env = os.environ | {"PATH": path}
    command = shlex.split(line)
    command[0] = shutil.which(command[0], path=path) or command[0]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=500)
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def with_npx(line: str, folder: Path) -> str:
    return run(line, folder, BIN + os.pathsep + os.environ["PATH"])


def without_npx(line: str, folder: Path) -> str:
    assert shutil.which("npx", path=BIN) is None
    return run(line, folder, BIN)


def test_the_page_s_block_with_the_everything_server(tmp_path: Path):
    for line in block("mcp").splitlines():
        with_npx(line, tmp_path)
    assert json.loads((tmp_path / "mcp-second" / "summary.json").read_text())["solved"] == 4


def test_the_page_s_block_with_servers_of_files_and_of_a_graph(tmp_path: Path):
    said = with_npx(shlex.join(["bash", "-euc", block("mcp-more")]), tmp_path)
    assert "harbour closes" in said
    assert "likes tea" in said


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a catalogue of a server of files, and queries about them."""
    (tmp_path / "files" / "deep").mkdir(parents=True)
    (tmp_path / "files" / "note.txt").write_text("The harbour closes at 18:45.\n", encoding="utf-8")
    (tmp_path / "files" / "deep" / "list.txt").write_text("tea\nsalt\n", encoding="utf-8")
    gold = {
        "note": ("read_text_file", {"path": f"{tmp_path}/files/note.txt"}, "18:45"),
        "deep": ("list_directory", {"path": f"{tmp_path}/files/deep"}, "list.txt"),
        "refused": ("read_text_file", {"path": "/etc/hostname"}, "not allowed"),
    }
    queries: list[dict[str, Any]] = [
        {
            "id": name,
            "query": f"What about {name}?",
            "gold": [{"name": tool, "arguments": arguments}],
            "check": {"equals": answer},
        }
        for name, (tool, arguments, answer) in gold.items()
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries), encoding="utf-8")
    with_npx(f"stb-env tools import --mcp '{SERVER} {tmp_path}/files' --out c.json", tmp_path)
    return tmp_path


def test_the_filesystem_server_is_replayed_to_the_byte_when_server_and_files_are_gone(files: Path):
    options = "stb-env run stb/Tools-v0 --tools c.json --data q.jsonl --agent gold"
    for out in ("first", "second"):
        with_npx(f"{options} --mode record --set start=true --cache cache --out {out}", files)
    with_npx("stb-env cache snapshot --cache cache --out frozen", files)
    shutil.rmtree(files / "files")
    for out in ("third", "fourth"):
        without_npx(f"{options} --mode replay --cache frozen --out {out}", files)
        assert unbound(files / out) == unbound(files / "second"), out
        assert (files / out / "summary.json").read_bytes() == (files / "second" / "summary.json").read_bytes()
    first = (files / "first" / "trajectories.jsonl").read_text(encoding="utf-8")
    assert first.count('"source": "real"') == 3
    assert "Access denied" in first, "what a server refuses is an observation, and recorded"
    assert "harbour closes" in (files / "fourth" / "trajectories.jsonl").read_text(encoding="utf-8")


def test_a_server_of_files_is_asked_about_what_its_folders_list(files: Path):
    options = "--dialogues 6 --mode record --cache made --start --json"
    made = json.loads(with_npx(f"stb-env synthesize --tools c.json --out made.jsonl {options}", files))
    queries = (files / "made.jsonl").read_text(encoding="utf-8")
    assert made["kept"] == 6, made
    assert "harbour closes at 18:45." in queries


def test_a_program_is_not_started_where_that_is_not_allowed(files: Path):
    command = f"{BIN}/stb-env tools call c.json list_allowed_directories"
    done = subprocess.run(command.split(), cwd=files, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert "the catalogue starts a program: npx -y" in done.stderr
    called = json.loads(with_npx("stb-env tools call c.json list_allowed_directories --start", files))
    assert str(files / "files") in json.dumps(called)
