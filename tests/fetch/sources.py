"""Lists of sources that point at a local server, and what lies there."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from stb_env.fetch import Sources, read_sources
from tests.fakes.file_server import FileServer

COMMIT, LATER = "c0ffee" + "0" * 34, "decade" + "0" * 34
BIG = bytes(range(256)) * 20_000
FILE = "set/file.bin"

GITHUB = """
name = "queries"
github = "lab/repo"
revision = "HEAD"
folder = "data/queries"
target = "queries"
"""
HUGGINGFACE = """
name = "cache"
huggingface = "lab/Cache"
revision = "main"
target = "cache"
unpack = true
"""


def source_list(tmp_path: Path, server: FileServer, *parts: str) -> Path:
    """Write a list of sources with the data set ``set``, whose parts are given as lines of TOML."""
    tables = "\n".join(f"[[set.parts]]\n{part.replace('BASE', server.base)}" for part in parts)
    endpoints = "\n".join(f'{name} = "{server.base}"' for name in ("huggingface", "github_api", "github_raw"))
    file = tmp_path / "sources.toml"
    file.write_text(f'[endpoints]\n{endpoints}\n[set]\ntitle = "Set"\n{tables}\n', encoding="utf-8")
    return file


def sources(tmp_path: Path, server: FileServer, *parts: str) -> Sources:
    return read_sources(source_list(tmp_path, server, *parts))


def one_file(tmp_path: Path, server: FileServer, **more: Any) -> Sources:
    """Return sources with one file, ``/file.bin``."""
    extra = "\n".join(f"{name} = {json.dumps(value)}" for name, value in more.items())
    return sources(tmp_path, server, f'name = "file"\nurl = "BASE/file.bin"\ntarget = "file.bin"\n{extra}')


def record_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "fetched.json").read_text(encoding="utf-8"))


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return packed.getvalue()
