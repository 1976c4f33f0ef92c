"""Work in child processes: what is asked in between, what is raised, and what goes on afterwards."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from threading import Thread

import pytest

from stb_env.core.children import Ask, ChildEndedError, ChildFailedError, Children

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no processes are forked there")


class SaidError(Exception):
    """Raised in a child for whoever asked."""


def total(ask: Ask, words: list[str]) -> tuple[int, int]:
    return sum(int(str(ask(word))) for word in words), os.getpid()


def refuse(kind: str) -> None:
    raise SaidError("no") if kind == "said" else KeyError(kind)


def leave() -> None:
    os._exit(3)


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    made = Children(seconds=10, told=SaidError)
    yield made
    made.end()


def test_a_function_asks_while_it_works(children: Children) -> None:
    counted, process = children.converse(len, total, ["a", "bcd"])
    assert counted == 4
    assert process != os.getpid()


def test_it_asks_where_it_runs_here(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STB_PROGRAMS", "inside")
    assert children.converse(len, total, ["a", "bcd"]) == (4, os.getpid())


@pytest.mark.parametrize("error", [OSError("closed"), KeyboardInterrupt()])
def test_an_answer_that_raises_ends_the_work_and_not_the_child(
    children: Children, error: BaseException
) -> None:
    before = children.converse(len, total, [])[1]

    def answer(question: str) -> int:
        if question == "b":
            raise error
        return 1

    with pytest.raises(type(error)):
        children.converse(answer, total, ["a", "b", "c"])
    assert children.converse(len, total, ["abc"]) == (3, before)


def test_what_is_raised_there_is_raised_here_or_shown(children: Children) -> None:
    with pytest.raises(SaidError, match="no"):
        children.run(refuse, "said")
    with pytest.raises(ChildFailedError, match=r"in refuse\n[\s\S]*KeyError: 'other'"):
        children.run(refuse, "other")


def test_whoever_waits_for_a_child_is_told_too_when_one_ends(children: Children) -> None:
    told: list[ChildEndedError] = []

    def try_to_leave() -> None:
        try:
            children.run(leave)
        except ChildEndedError as error:
            told.append(error)

    # Threads that wait for ever must not keep the tests from ending.
    threads = [Thread(target=try_to_leave, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(told) == 16
    assert children.converse(len, total, ["ab"])[0] == 2


def test_a_child_that_ends_is_told_of_and_others_come(children: Children) -> None:
    template = children.template
    with pytest.raises(ChildEndedError):
        children.run(leave)
    assert children.converse(len, total, ["ab"])[0] == 2
    assert children.template != template
