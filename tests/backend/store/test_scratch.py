"""What killed processes leave beside a store is swept, and what living ones use is not."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.store import scratch_folder, sweep
from stb_env.core.files import sweep_drafts
from stb_env.tools import ToolId

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody can be killed here without a fork")

ENTRY = CacheEntry.of(ToolId("Net", "icmp", "ping"), {}, 1)


@contextmanager
def making(target: Path) -> Iterator[Callable[[], None]]:
    """Have another process make the target and stop half-way; what is yielded kills it."""
    ready, tell = os.pipe()
    process = os.fork()
    if process == 0:
        with scratch_folder(target) as folder:
            (folder / "half").write_text("done")
            os.write(tell, b"!")
            signal.pause()
    os.read(ready, 1)

    def kill() -> None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)

    yield kill
    os.close(ready)
    os.close(tell)


def test_only_what_nobody_works_on_any_more_is_swept(tmp_path: Path):
    with making(tmp_path / "store") as kill:
        assert sweep(tmp_path / "store") == 0
        assert len(list(tmp_path.iterdir())) == 1
        kill()
        assert sweep(tmp_path / "other") == 0
        assert sweep(tmp_path / "store") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_next_one_to_write_to_a_cache_sweeps_it_and_a_reader_does_not(tmp_path: Path):
    cache = ResponseCache(tmp_path)
    cache.put(ENTRY.key, ENTRY)
    cache.close()
    usual = sorted(file.name for file in tmp_path.iterdir())
    with making(tmp_path / "overlay") as kill:
        kill()
    ResponseCache(tmp_path, read_only=True).close()
    assert len(list(tmp_path.iterdir())) == len(usual) + 1
    ResponseCache(tmp_path).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == usual


def test_the_next_snapshot_sweeps_what_a_killed_one_left(tmp_path: Path):
    with making(tmp_path / "frozen") as kill:
        kill()
    ResponseCache().snapshot(tmp_path / "frozen")
    assert [folder.name for folder in tmp_path.iterdir()] == ["frozen"]


def test_a_draft_is_swept_when_its_process_is_long_gone_and_never_before(tmp_path: Path):
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    fresh, old, living = (
        tmp_path / f".cache.json.{name}" for name in (f"{gone}.1", f"{gone}.2", f"{os.getpid()}.1")
    )
    for draft in (fresh, old, living):
        draft.write_text("{")
    for draft in (old, living):
        os.utime(draft, (0, 0))
    assert sweep_drafts(tmp_path / "cache.json") == 1
    assert sorted(tmp_path.iterdir()) == sorted((fresh, living))
