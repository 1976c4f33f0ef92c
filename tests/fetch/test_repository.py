"""Repositories are fetched at one commit, each file as the host lists it, and archives unpacked."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from stb_env.fetch import Fetcher, FetchError
from tests.fakes.file_server import FileServer
from tests.fetch.sources import COMMIT, GITHUB, HUGGINGFACE, LATER, record_of, sources, zipped


@pytest.fixture
def github(tmp_path: Path, server: FileServer, folder: Path) -> Fetcher:
    return Fetcher(sources(tmp_path, server, GITHUB), folder)


@pytest.fixture
def huggingface(tmp_path: Path, server: FileServer, folder: Path) -> Fetcher:
    return Fetcher(sources(tmp_path, server, HUGGINGFACE), folder)


def test_a_github_folder_is_fetched_at_one_commit(github: Fetcher, server: FileServer, folder: Path):
    files = {
        "data/queries/test/G1.json": b"[1]",
        "data/queries/ids.json": b"{}",
        "data/queries/.gitignore": b"*",
        "README.md": b"hello",
    }
    server.offer_github("lab/repo", COMMIT, files)
    report = github.fetch("set")
    assert [outcome.file for outcome in report.files] == ["set/queries/ids.json", "set/queries/test/G1.json"]
    assert (folder / "set/queries/test/G1.json").read_bytes() == b"[1]"
    assert report.commits == {"queries": COMMIT}


def test_a_branch_that_moved_on_changes_nothing(github: Fetcher, server: FileServer, folder: Path):
    server.offer_github("lab/repo", COMMIT, {"data/queries/G1.json": b"[1]"})
    github.fetch("set")
    server.offer_github("lab/repo", LATER, {"data/queries/G1.json": b"[2]"})
    (folder / "set/queries/G1.json").unlink()
    assert github.fetch("set").commits == {"queries": COMMIT}
    assert (folder / "set/queries/G1.json").read_bytes() == b"[1]"


def test_only_the_files_that_are_missing_are_fetched_again(github: Fetcher, server: FileServer, folder: Path):
    server.offer_github("lab/repo", COMMIT, {f"data/queries/{name}": b"[1]" for name in "abc"})
    github.fetch("set")
    (folder / "set/queries/b").unlink()
    assert [outcome.status for outcome in github.fetch("set").files] == ["kept", "fetched", "kept"]


def test_a_file_that_is_not_what_its_commit_lists_is_refused(github: Fetcher, server: FileServer):
    server.offer_github("lab/repo", COMMIT, {"data/queries/G1.json": b"[1]"})
    server.offer(f"/lab/repo/{COMMIT}/data/queries/G1.json", b"[2]")
    with pytest.raises(FetchError, match=r"set/queries/G1.json: .* expected Git blob \w{40}, got \w{40}"):
        github.fetch("set")


def test_a_folder_that_is_not_there_is_named(github: Fetcher, server: FileServer):
    server.offer_github("lab/repo", COMMIT, {"data/other/G1.json": b"[1]"})
    with pytest.raises(FetchError, match=f"has no folder 'queries' at commit {COMMIT}"):
        github.fetch("set")


@pytest.mark.heavy
@pytest.mark.parametrize("large", [True, False])
def test_a_hugging_face_data_set_is_fetched_through_redirects(
    huggingface: Fetcher, server: FileServer, folder: Path, large: bool
):
    files = {"README.md": b"read me", "answers/a.json": b"{}", ".gitattributes": b"", "b c.json": b"[]"}
    server.offer_huggingface("lab/Cache", COMMIT, files, large)
    fetched = {outcome.file.removeprefix("set/cache/") for outcome in huggingface.fetch("set").files}
    assert fetched == {"README.md", "answers/a.json", "b c.json"}
    assert record_of(folder)["files"]["set/cache/README.md"]["commit"] == COMMIT


def test_what_hugging_face_says_a_file_hashes_to_is_checked(huggingface: Fetcher, server: FileServer):
    server.offer_huggingface("lab/Cache", COMMIT, {"a.json": b"[1]"})
    server.offer(f"/stored/{hashlib.sha256(b'[1]').hexdigest()}", b"[2]")
    with pytest.raises(FetchError, match="expected SHA-256"):
        huggingface.fetch("set")


@pytest.mark.parametrize("path", ["../escape.json", "/etc/escape", "a/../../escape"])
def test_a_listed_path_that_leaves_the_folder_is_refused(huggingface: Fetcher, server: FileServer, path: str):
    server.offer_huggingface("lab/Cache", COMMIT, {path: b"[1]"})
    with pytest.raises(FetchError, match="lists the unsafe path"):
        huggingface.fetch("set")


def test_a_listing_that_is_cut_short_is_refused(tmp_path: Path, server: FileServer, folder: Path):
    whole = 'name = "all"\ngithub = "lab/repo"\nrevision = "HEAD"\ntarget = "all"'
    server.offer("/repos/lab/repo/commits/HEAD", {"sha": COMMIT})
    server.offer(f"/repos/lab/repo/git/trees/{COMMIT}?recursive=1", {"tree": [], "truncated": True})
    with pytest.raises(FetchError, match="lists only some of the files"):
        Fetcher(sources(tmp_path, server, whole), folder).fetch("set")


@pytest.mark.parametrize("answer", [{"no": "sha"}, {"sha": "main"}, [1], "no JSON"])
def test_a_host_that_says_something_else_is_not_understood(github: Fetcher, server: FileServer, answer: Any):
    server.offer("/repos/lab/repo/commits/HEAD", answer)
    with pytest.raises(FetchError, match=r"form that is not understood|no JSON"):
        github.fetch("set")


def test_a_pinned_commit_is_taken_as_it_stands(tmp_path: Path, server: FileServer, folder: Path):
    server.offer_github("lab/repo", COMMIT, {"data/queries/G1.json": b"[1]"}, branch="unasked")
    pinned = sources(tmp_path, server, GITHUB.replace("HEAD", COMMIT))
    assert Fetcher(pinned, folder).fetch("set").commits == {"queries": COMMIT}


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ("HEAD", LATER, f"from another commit .there {COMMIT}, now {LATER}.; fetch into another"),
        (
            "lab/repo",
            "lab/fork",
            "from another place .there github:lab/repo/data/queries, now github:lab/fork",
        ),
    ],
)
def test_another_place_or_commit_than_the_recorded_one_is_refused(
    tmp_path: Path, github: Fetcher, server: FileServer, folder: Path, was: str, now: str, message: str
):
    server.offer_github("lab/repo", COMMIT, {"data/queries/G1.json": b"[1]"})
    github.fetch("set")
    with pytest.raises(FetchError, match=message):
        Fetcher(sources(tmp_path, server, GITHUB.replace(was, now)), folder).fetch("set")


# -- archives -------------------------------------------------------------------------------------------


def test_archives_are_unpacked_beside_themselves(huggingface: Fetcher, server: FileServer, folder: Path):
    packed = zipped(("cache/Food/menu.json", b"{}"), ("cache/empty/", b""))
    server.offer_huggingface("lab/Cache", COMMIT, {"server.zip": packed})
    assert huggingface.fetch("set").unpacked == (folder / "set/cache/server",)
    assert (folder / "set/cache/server/cache/Food/menu.json").read_bytes() == b"{}"
    assert (folder / "set/cache/server/cache/empty").is_dir()


def test_an_archive_is_unpacked_once_and_again_where_its_folder_is_gone(
    huggingface: Fetcher, server: FileServer, folder: Path
):
    server.offer_huggingface("lab/Cache", COMMIT, {"server.zip": zipped(("a.json", b"{}"))})
    huggingface.fetch("set")
    inside = folder / "set/cache/server/a.json"
    inside.write_bytes(b"changed by hand")
    huggingface.fetch("set")
    assert inside.read_bytes() == b"changed by hand"
    inside.unlink()
    inside.parent.rmdir()
    huggingface.fetch("set")
    assert inside.read_bytes() == b"{}"


def test_an_archive_never_replaces_files_that_were_fetched(huggingface: Fetcher, server: FileServer):
    files = {"server.zip": zipped(("a.json", b"{}")), "server/b.json": b"{}"}
    server.offer_huggingface("lab/Cache", COMMIT, files)
    with pytest.raises(FetchError, match=r"server.zip cannot be unpacked .*: other files"):
        huggingface.fetch("set")
