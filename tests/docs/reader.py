"""Run a block of a page in a process of its own, forked from one that has imported the package.

A new interpreter takes half a second before it does anything, a fork of one that has imported everything none
of it. What a block changes (registered suites, environment variables, the folder) dies with its process.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.docs.page import Block

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.docs.preloaded"])

SECONDS = 60
_SHELL = set("|&;<>$`\n")


def run(block: Block, folder: Path) -> str:
    """Run a block in a folder, line by line where it is a shell's; return what it wrote.

    Raises:
        AssertionError: It failed; the message has the line and what it wrote.
    """
    if block.language == "python":
        return _done(_python, block.code, folder)
    if block.language == "console":
        return _console(block.code, folder)
    return "".join(_done(_line, line, folder) for line in lines(block.code))


def lines(code: str) -> list[str]:
    """Return the commands of a shell's block, a continued line as one, without comments."""
    joined = code.replace("\\\n", " ").splitlines()
    return [line for line in joined if line.strip() and not line.startswith("#")]


def _console(code: str, folder: Path) -> str:
    """Run what follows each prompt; below it stands all that it writes."""
    written = ""
    for part in code.split("$ ")[1:]:
        line, _, expected = part.partition("\n")
        got = _done(_line, line, folder)
        assert got.split() == expected.split(), f"{line}\nwrites\n{got}\nand the page says\n{expected}"
        written += got
    return written


def _done(target: Callable[[str], None], code: str, folder: Path) -> str:
    log = folder / ".written"
    process = _FORKS.Process(target=_in_folder, args=(target, code, str(folder), str(log)))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
    written = log.read_text(encoding="utf-8", errors="replace")
    assert process.exitcode == 0, f"exit code {process.exitcode}\n{code}\n{written}"
    return written


def _in_folder(target: Callable[[str], None], code: str, folder: str, log: str) -> None:
    os.chdir(folder)
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    os.environ["PYTHONPATH"] = folder
    os.environ["COLUMNS"] = "80"
    sys.path.insert(0, folder)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    try:
        target(code)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _python(code: str) -> None:
    exec(compile(code, "a block", "exec"), {"__name__": "__main__"})


def _line(line: str) -> None:
    words = shlex.split(line, comments=True)
    if _SHELL & set(line) or words[0] not in {"stb-env", "python"}:
        raise SystemExit(subprocess.run(["sh", "-c", line], timeout=SECONDS).returncode)
    sys.argv = words if words[0] == "stb-env" else words[1:]
    if words[0] == "stb-env":
        from stb_env.show.cli import main

        main()
    elif words[1] == "-m":
        sys.argv = words[2:]
        runpy.run_module(words[2], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[1], run_name="__main__")
