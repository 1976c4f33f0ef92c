"""Intervals of Python's garbage collector while many episodes are played."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# New objects after which the young are looked through. A thousand episodes in flight hold a hundred thousand
# in a moment and leave no cycles behind: at Python's 700 a quarter of our time goes into looking for some,
# and at 50,000 still a sixth, since most of what is looked through is what is in flight.
_SELDOM = (500_000, 20, 50)

_lock = threading.Lock()
_users = 0
_before = gc.get_threshold()


@contextmanager
def seldom() -> Iterator[None]:
    """Let the collector of cycles run less often meanwhile, in the whole process.

    It goes on as before when the last one who asked for this is done. Whoever has it run still less, or not
    at all, keeps their setting.

    Examples:
        >>> before = gc.get_threshold()
        >>> with seldom():
        ...     gc.get_threshold()[0] >= 500_000
        True
        >>> gc.get_threshold() == before
        True
    """
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _users, _before
    with _lock:
        _users += 1
        if _users > 1:
            return
        _before = gc.get_threshold()
        # 0 switches it off.
        if 0 < _before[0] < _SELDOM[0]:
            gc.set_threshold(*_SELDOM)


def _end() -> None:
    global _users
    with _lock:
        _users -= 1
        # Somebody else's setting since then is theirs.
        if not _users and gc.get_threshold() == _SELDOM:
            _leave_to_the_next_whole_look()
            gc.set_threshold(*_before)


def _leave_to_the_next_whole_look() -> None:
    # Else all that was played is looked through in the moment in which the setting is put back: 165 ms after
    # 3,000 episodes. Only the next look at everything finds a cycle in it now. What somebody froze would be
    # thawed along.
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
