"""``stb-env data fetch``, end to end."""

from __future__ import annotations

import json
import re
import socket
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.fakes.file_server import FileServer
from tests.fetch.sources import BIG, COMMIT, FILE, one_file, source_list, zipped


def stb(*words: str | Path) -> Any:
    return CliRunner().invoke(app, ["data", "fetch", *(str(word) for word in words)])


def report(*words: str | Path) -> dict[str, Any]:
    result = stb(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_command_reports_as_json(tmp_path: Path, server: FileServer, folder: Path):
    server.offer("/file.bin", BIG)
    one_file(tmp_path, server)
    (file,) = report("set", "--source", tmp_path / "sources.toml", "--folder", folder)["files"]
    assert (file["file"], file["size"], file["status"]) == (FILE, len(BIG), "fetched")


def test_optional_parts_are_fetched_by_name_alone(tmp_path: Path, server: FileServer, folder: Path):
    server.offer("/b", b"b")
    parts = [f'name = "{name}"\nurl = "BASE/{name}"\ntarget = "{name}"\noptional = true' for name in "ab"]
    file = source_list(tmp_path, server, *parts)
    assert report("set", "--source", file, "--folder", folder)["files"] == []
    named = report("set", "--source", file, "--folder", folder, "--only", "b")
    assert [entry["file"] for entry in named["files"]] == ["set/b"]


def test_the_next_commands_use_what_was_fetched(tmp_path: Path, server: FileServer, folder: Path):
    queries = {"solvable_queries/test_instruction/G1.json": b"[]", "toolbench/inference/texts.py": b"A = 1"}
    server.offer_github("THUNLP-MT/StableToolBench", COMMIT, queries)
    packed = zipped(("server/tool_response_cache/Food/menu_for_Food/list.json", b"{}"))
    server.offer_huggingface("stabletoolbench/Cache", COMMIT, {"cache.zip": packed})
    own = (resources.files("stb_env.fetch") / "sources.toml").read_text(encoding="utf-8")
    source = tmp_path / "sources.toml"
    hosts = re.compile(r'^(huggingface|github_\w+) = "https://.*"', re.MULTILINE)
    source.write_text(hosts.sub(rf'\1 = "{server.base}"', own), encoding="utf-8")
    recorded, played = report("stabletoolbench", "--source", source, "--folder", folder)["next"]
    cache = folder / "stabletoolbench/cache/cache/server/tool_response_cache"
    assert recorded == f"stb-env cache import {cache} --cache {folder}/stabletoolbench/response_cache"
    assert f"--data {folder}/stabletoolbench/solvable_queries --cache {folder}/stable" in played
    assert "next:" in stb("stabletoolbench", "--source", source, "--folder", folder).stdout


def test_the_list_names_every_part():
    listed = report("--list")["datasets"]
    names = {f"{dataset['name']}/{part['name']}" for dataset in listed for part in dataset["parts"]}
    assert {"stabletoolbench/queries", "stabletoolbench/cache", "toolllm/examples"} <= names
    assert "queries" in stb("--list").stdout


def test_without_a_network_there_is_one_clear_error(tmp_path: Path, folder: Path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{unused.getsockname()[1]}"
    file = tmp_path / "sources.toml"
    file.write_text(f'[[set.parts]]\nname = "a"\ntarget = "a"\nurl = "http://{host}/a"', encoding="utf-8")
    result = stb("set", "--source", file, "--folder", folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"error: cannot reach {host}" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a data set: stabletoolbench, toolllm, api-bank; --list shows their parts"),
        (("toollm",), "no data set 'toollm'; there are .* Did you mean 'toolllm'"),
        (("toolllm", "--only", "exmples"), "no part of toolllm 'exmples'"),
    ],
)
def test_bad_use_is_explained(words: tuple[str, ...], message: str, folder: Path):
    result = stb(*words, "--folder", folder)
    assert result.exit_code == 2
    assert re.search(message, result.stderr)
