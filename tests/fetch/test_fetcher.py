"""A file is fetched resumably, atomically, and checked against what was recorded; over real HTTP."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.fetch import Fetcher, FetchError, Report
from stb_env.fetch.web import redirected
from tests.fakes.file_server import FileServer
from tests.fetch.sources import BIG, COMMIT, FILE, LATER, one_file, record_of


@pytest.fixture
def fetcher(tmp_path: Path, server: FileServer, folder: Path) -> Fetcher:
    return Fetcher(one_file(tmp_path, server), folder)


# -- the record -----------------------------------------------------------------------------------------


def test_a_file_is_fetched_and_its_hash_recorded(fetcher: Fetcher, server: FileServer, folder: Path):
    offered = server.offer("/file.bin", BIG, headers={"X-Repo-Commit": COMMIT})
    (outcome,) = fetcher.fetch("set").files
    assert (folder / FILE).read_bytes() == BIG
    assert (outcome.status, outcome.size, outcome.recorded) == ("fetched", len(BIG), True)
    entry = record_of(folder)["files"][FILE]
    assert entry["sha256"] == hashlib.sha256(BIG).hexdigest()
    assert (entry["commit"], entry["etag"]) == (COMMIT, offered.etag)


def test_a_second_fetch_checks_the_file_and_asks_no_one(fetcher: Fetcher, server: FileServer):
    server.offer("/file.bin", BIG)
    fetcher.fetch("set")
    (outcome,) = fetcher.fetch("set").files
    assert (outcome.status, outcome.recorded, len(server.requests)) == ("kept", False, 1)


def test_a_damaged_file_is_fetched_again(fetcher: Fetcher, server: FileServer, folder: Path):
    server.offer("/file.bin", BIG)
    fetcher.fetch("set")
    (folder / FILE).write_bytes(BIG[:-1] + b"x")
    assert fetcher.fetch("set").files[0].status == "fetched"
    assert (folder / FILE).read_bytes() == BIG


def test_content_that_changed_is_refused_and_the_old_file_kept(
    fetcher: Fetcher, server: FileServer, folder: Path
):
    server.offer("/file.bin", b"first", headers={"X-Repo-Commit": COMMIT})
    fetcher.fetch("set")
    (folder / FILE).write_bytes(b"mine!")
    server.offer("/file.bin", b"other", headers={"X-Repo-Commit": LATER})
    wanted, got = (hashlib.sha256(text).hexdigest() for text in (b"first", b"other"))
    expected = f"changed: expected SHA-256 {wanted} .*{COMMIT}.*, got {got} .*{LATER}.*fetch into another"
    with pytest.raises(FetchError, match=expected):
        fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == b"mine!"
    assert record_of(folder)["files"][FILE]["sha256"] == wanted


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"sha256": "0" * 64}, r"expected SHA-256 0{64}, got [0-9a-f]{64}; what was there before is kept"),
        ({"size": 7}, r"expected 7 bytes, the server offers 5"),
    ],
)
def test_what_the_list_declares_is_checked(
    tmp_path: Path, server: FileServer, folder: Path, declared: dict[str, Any], message: str
):
    server.offer("/file.bin", b"hello")
    with pytest.raises(FetchError, match=message):
        Fetcher(one_file(tmp_path, server, **declared), folder).fetch("set")
    assert not (folder / FILE).exists()
    assert not list(folder.rglob("*.part"))


def test_a_broken_record_is_not_overwritten(fetcher: Fetcher, folder: Path):
    folder.mkdir()
    (folder / "fetched.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"fetched.json is no record of fetched files .*restore it"):
        fetcher.fetch("set")
    assert (folder / "fetched.json").read_text(encoding="utf-8") == "{"


# -- going on -------------------------------------------------------------------------------------------


def test_a_cut_connection_is_gone_on_with_where_it_broke(fetcher: Fetcher, server: FileServer, folder: Path):
    server.offer("/file.bin", BIG, cuts=[1_000_000, 2_000_000])
    fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == BIG
    assert [wanted for _, wanted in server.requests] == ["", "bytes=1000000-", "bytes=3000000-"]


def give_up(fetcher: Fetcher, server: FileServer, content: bytes, first: int) -> None:
    """Let a fetch get so many bytes and then nothing, until it gives up."""
    server.offer("/file.bin", content, cuts=[first, 0, 0, 0, 0, 0])
    with pytest.raises(
        FetchError, match=f"was cut 5 times .*{first} bytes are kept: run the same command again"
    ):
        fetcher.fetch("set")


def test_a_fetch_that_gave_up_is_gone_on_with_by_the_next(fetcher: Fetcher, server: FileServer, folder: Path):
    give_up(fetcher, server, BIG, 1_000_000)
    assert not (folder / FILE).exists()
    fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == BIG
    assert server.requests[-1] == ("/file.bin", "bytes=1000000-")


@pytest.mark.heavy
@pytest.mark.parametrize("settings", [{"ranges": False}, {"checks": False}, {}])
def test_two_versions_are_never_put_together(
    fetcher: Fetcher, server: FileServer, folder: Path, settings: dict[str, bool]
):
    give_up(fetcher, server, b"a" * 1000, 500)
    server.offer("/file.bin", b"b" * 1000, **settings)
    fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == b"b" * 1000


def test_a_server_that_ignores_ranges_is_read_from_the_start(
    fetcher: Fetcher, server: FileServer, folder: Path
):
    server.offer("/file.bin", BIG, ranges=False, cuts=[1_000_000])
    fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == BIG


@pytest.mark.parametrize("etag", ["", 'W/"weak"'])
def test_without_a_strong_validator_a_file_is_read_from_the_start(
    fetcher: Fetcher, server: FileServer, etag: str
):
    server.offer("/file.bin", BIG, headers={"ETag": etag}, cuts=[1_000_000])
    fetcher.fetch("set")
    assert [wanted for _, wanted in server.requests] == ["", ""]


@pytest.mark.heavy
@pytest.mark.parametrize("part", [BIG, BIG + b"more", BIG[:10]])
def test_a_part_of_any_length_ends_as_the_file(
    fetcher: Fetcher, server: FileServer, folder: Path, part: bytes
):
    give_up(fetcher, server, BIG, 1_000_000)
    (folder / "set/.file.bin.part").write_bytes(part)
    fetcher.fetch("set")
    assert (folder / FILE).read_bytes() == BIG
    assert sorted(file.name for file in folder.rglob("*") if file.is_file()) == [
        ".fetching",
        "fetched.json",
        "file.bin",
    ]


def test_a_part_with_wrong_bytes_is_found_out_and_thrown_away(
    tmp_path: Path, server: FileServer, folder: Path
):
    fetcher = Fetcher(one_file(tmp_path, server, sha256=hashlib.sha256(BIG).hexdigest()), folder)
    give_up(fetcher, server, BIG, 1_000_000)
    (folder / "set/.file.bin.part").write_bytes(b"x" * 1_000_000)
    with pytest.raises(FetchError, match="expected SHA-256"):
        fetcher.fetch("set")
    assert fetcher.fetch("set").files[0].status == "fetched"


# -- atomic and alone -----------------------------------------------------------------------------------


def test_a_failed_fetch_leaves_the_old_file(fetcher: Fetcher, server: FileServer, folder: Path):
    server.offer("/file.bin", BIG)
    fetcher.fetch("set")
    (folder / FILE).write_bytes(b"old and damaged")
    give_up(fetcher, server, BIG, 10)
    assert (folder / FILE).read_bytes() == b"old and damaged"


def test_two_fetches_into_one_folder_are_refused(fetcher: Fetcher, server: FileServer):
    hold = threading.Event()
    server.offer("/file.bin", BIG, hold=hold)
    reports: list[Report] = []
    first = threading.Thread(target=lambda: reports.append(fetcher.fetch("set")))
    first.start()
    server.seen.acquire()
    with pytest.raises(ConfigError, match=r"another process is writing to .*wait for it"):
        fetcher.fetch("set")
    hold.set()
    first.join()
    assert reports[0].files[0].status == "fetched"


# -- the network ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "headers", "kind", "retryable"),
    [
        (404, {}, "transport", False),
        (429, {}, "rate_limit", True),
        (403, {"X-RateLimit-Remaining": "0"}, "rate_limit", True),
        (503, {}, "transport", True),
    ],
)
def test_a_refusal_is_classified(
    fetcher: Fetcher, server: FileServer, status: int, headers: dict[str, str], kind: str, retryable: bool
):
    server.offer("/file.bin", b"", status=status, headers=headers)
    with pytest.raises(FetchError, match=f"answered HTTP {status}") as caught:
        fetcher.fetch("set")
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("file:///etc/passwd", "leads to file:///etc/passwd, which is no http"),
        ("ftp://x.org/a", "leads to ftp://x.org/a, which is no http"),
    ],
)
def test_a_redirect_away_from_http_is_refused(
    fetcher: Fetcher, server: FileServer, location: str, message: str
):
    server.offer("/file.bin", b"", location=location)
    with pytest.raises(FetchError, match=message):
        fetcher.fetch("set")


def test_a_redirect_gives_up_no_encryption():
    with pytest.raises(FetchError, match=r"https://x.org/a leads to http://x.org/b, which is no https URL"):
        redirected("https://x.org/a", "http://x.org/b")
