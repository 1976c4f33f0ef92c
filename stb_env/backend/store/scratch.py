"""Folders in which something is made before it is renamed into its place, and what is left of killed ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stb_env.core.files import make_folder
from stb_env.errors import ConfigError

try:
    import fcntl
except ImportError:  # Windows has no flock; there nobody can tell what is left behind, and it stays.
    fcntl = None  # type: ignore[assignment] # absent module

_LOCK = "in-use"


@contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """Make a folder beside a target, gone when the block ends; while this process lives, `sweep` leaves it.

    Args:
        target: What is to be made; its parent must exist.

    Raises:
        OSError: The system refuses.

    Examples:
        >>> with tempfile.TemporaryDirectory() as place, scratch_folder(Path(place) / "cache") as scratch:
        ...     sweep(Path(place) / "cache"), scratch.is_dir()
        (0, True)
    """
    prefix = _prefix(target)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as made:
        folder = Path(made)
        # Named only once it is locked: a lock that can be seen and taken is a dead process's.
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
                Path(lock.name).rename(folder / _LOCK)
            yield folder


@contextmanager
def kept_folder(target: Path, made_from: str) -> Iterator[Path]:
    """Make or find the folder beside a target in which it is being made, for work that can go on later.

    It stays where the process is killed or interrupted, and goes when the block ends otherwise. What an
    earlier process left is found where it was made from the same, and deleted where not.

    Args:
        target: What is to be made; its parent must exist.
        made_from: Tells one source from another.

    Raises:
        ConfigError: Another process is making the target.
        OSError: The system refuses a file.
        StorageError: It refuses the folder.

    Examples:
        >>> with tempfile.TemporaryDirectory() as place:
        ...     with suppress(KeyboardInterrupt), kept_folder(Path(place) / "cache", "v1") as part:
        ...         _ = (part / "half").write_text("done")
        ...         raise KeyboardInterrupt
        ...     with kept_folder(Path(place) / "cache", "v1") as part:
        ...         (part / "half").exists()
        True
    """
    folder = target.parent / f".{target.name}.part"
    make_folder(folder)
    with (folder / _LOCK).open("a+") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConfigError(
                    f"another process is making {target}; wait for it, or name another folder"
                ) from None
        lock.seek(0)
        if lock.read() != made_from:
            _empty(folder)
            lock.truncate(0)
            lock.write(made_from)
            lock.flush()
        try:
            yield folder
        except Exception:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _LOCK:
            path.unlink()


def sweep(target: Path) -> int:
    """Delete the folders that killed processes left beside a target, and return how many there were.

    Args:
        target: What they were to make; where its parent does not exist, nothing is left.
    """
    if fcntl is None or not target.parent.is_dir():
        return 0
    left = [path for path in target.parent.iterdir() if path.name.startswith(_prefix(target))]
    return sum(map(_swept, left))


def _prefix(target: Path) -> str:
    return f".{target.name}.making-"


def _swept(folder: Path) -> bool:
    # What goes wrong here is another's to handle: one that sweeps too, or one that may not write.
    with suppress(OSError), (folder / _LOCK).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
        return True
    return False
