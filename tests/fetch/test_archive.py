"""Archives are unpacked whole or not at all, and never outside their folder."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.fetch import FetchError
from stb_env.fetch.archive import Bounds, unpack
from stb_env.fetch.paths import relative
from tests.fetch.sources import zipped


def tarred(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for info, content in entries:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def special(name: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info


def zip_link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_files_and_folders_come_out_as_they_went_in(tmp_path: Path, suffix: str):
    archive = tmp_path / f"a.{suffix}"
    files = {"one.txt": b"1", "./deep/er/two: a name.txt": b"2" * 3_000_000}
    tar = tarred(*((tarfile.TarInfo(name), data) for name, data in files.items()))
    archive.write_bytes(zipped(*files.items()) if suffix == "zip" else tar)
    assert unpack(archive, tmp_path / "out") == 2
    assert {name: (tmp_path / "out" / name).read_bytes() for name in files} == files


@pytest.mark.parametrize(
    ("name", "packed", "message"),
    [
        ("a.zip", zipped(("../escape.txt", b"x")), r"holds the unsafe path '../escape.txt'; nothing was"),
        ("a.zip", zipped(("ok.txt", b"x"), ("/tmp/escape.txt", b"x")), "holds the unsafe path"),
        ("a.zip", zipped((zip_link("link"), b"/etc/passwd")), "holds a link, 'link'"),
        ("a.zip", b"PK no zip at all", "a.zip is broken"),
        ("a.zip", zipped(("a", b"x"), ("a/b", b"x")), "holds the same path twice"),
        ("a.tar.gz", tarred((tarfile.TarInfo("a"), b"x"), (tarfile.TarInfo("a"), b"y")), "same path twice"),
        ("a.tar.gz", tarred((tarfile.TarInfo("../../escape.txt"), b"x")), "holds the unsafe path"),
        ("a.tar.gz", tarred((special("link", tarfile.SYMTYPE), b"")), "holds a link"),
        ("a.tgz", tarred((special("hard", tarfile.LNKTYPE), b"")), "holds a link"),
        ("a.tar.gz", tarred((special("device", tarfile.CHRTYPE), b"")), "holds a special file"),
        ("a.tar.gz", tarred((tarfile.TarInfo("a"), b"x" * 99_999))[:-60], "a.tar.gz is broken"),
    ],
    # Bytes as ids would hold the time of packing, and workers would collect other tests.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_archive_that_is_broken_or_does_more_than_hold_files_is_refused(
    tmp_path: Path, name: str, packed: bytes, message: str
):
    archive = tmp_path / "in" / name
    archive.parent.mkdir()
    archive.write_bytes(packed)
    with pytest.raises(FetchError, match=message):
        unpack(archive, tmp_path / "in" / "out")
    assert list(tmp_path.rglob("*")) == [archive.parent, archive]


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (Bounds(files=2), "holds more than 2 files and folders"),
        (Bounds(size=99), r"a\.zip unpacks to more than 99 bytes, got \d+; expected at most 200 for each"),
    ],
)
def test_an_archive_that_holds_too_much_is_refused(tmp_path: Path, bounds: Bounds, message: str):
    archive = tmp_path / "a.zip"
    archive.write_bytes(zipped(("a", b"x" * 50), ("b", b"x" * 25), ("c", b"x" * 25)))
    with pytest.raises(FetchError, match=message):
        unpack(archive, tmp_path / "out", bounds=bounds)
    assert not (tmp_path / "out").exists()


def test_a_refused_archive_leaves_the_folder_of_an_earlier_one(tmp_path: Path):
    archive, out = tmp_path / "a.zip", tmp_path / "a"
    archive.write_bytes(zipped(("old.txt", b"old")))
    unpack(archive, out)
    archive.write_bytes(zipped(("new.txt", b"new"), ("../escape", b"x")))
    with pytest.raises(FetchError, match="unsafe path"):
        unpack(archive, out)
    assert [file.name for file in out.iterdir()] == ["old.txt"]


def test_an_archive_replaces_the_folder_as_a_whole(tmp_path: Path):
    archive, out = tmp_path / "a.zip", tmp_path / "a"
    for name in ("old.txt", "new.txt"):
        archive.write_bytes(zipped((name, b"x")))
        unpack(archive, out)
    assert [file.name for file in out.iterdir()] == ["new.txt"]


@given(st.text(alphabet="ab./\\:~\0", max_size=12))
def test_a_relative_path_stays_inside_its_folder(name: str):
    path = relative(name)
    if path is not None:
        root = Path("/data/folder")
        assert root in (root / path).parents
        assert ".." not in (root / path).parts


def test_an_archive_is_bounded_by_how_much_it_is_squeezed(tmp_path: Path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made, made.open("zeros", "w") as out:
        for _ in range(65):
            out.write(bytes(2**20))
    with pytest.raises(FetchError, match=r"unpacks to more than 67108864 bytes, got .* unpack it by hand"):
        unpack(bomb, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_archive_in_an_archive_stays_as_it_is(tmp_path: Path):
    outer = tmp_path / "outer.zip"
    outer.write_bytes(zipped(("inner.zip", zipped(("a", b"x")))))
    assert unpack(outer, tmp_path / "out") == 1
    assert zipfile.is_zipfile(tmp_path / "out" / "inner.zip")
