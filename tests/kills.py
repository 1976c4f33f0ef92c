"""Work that is killed half-way, as a machine's owner or its kernel would do it."""

import multiprocessing
import os
import signal

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody can be killed here without a fork")


def die():
    """End this process as nothing can be prepared for."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed(work):
    """Do work in another process, and say whether it was killed there."""
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(process, 0)[1] == signal.SIGKILL


def killed_when(work, holds):
    """Do work in another process, kill it once something holds, and say whether it was still at work."""
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    while process.is_alive() and not holds():
        process.join(0.01)
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def killed_after(rows, work):
    """Do work that tells its progress, which is killed once it has come to a number of rows."""
    return killed(lambda: work(lambda done: die() if done >= rows else None))
