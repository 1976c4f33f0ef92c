"""What is written in one step of the event loop leaves in one piece, and nothing of it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from stb_env.serve.operations.one_write import OneWrite


class Line(asyncio.Transport):
    """Notes what it is given, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self.closed = False

    def writelines(self, pieces) -> None:
        self.pieces.append(b"".join(pieces))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def get_write_buffer_size(self) -> int:
        return 7


def written(step: Callable[[OneWrite, Line], object]) -> Line:
    """Return the line as it is after one step and what the step left to do."""
    line = Line()

    async def run() -> None:
        step(OneWrite(line, asyncio.get_running_loop()), line)
        await asyncio.sleep(0)

    asyncio.run(run())
    return line


def test_head_and_body_of_an_answer_leave_in_one_piece():
    def answer(one: OneWrite, line: Line) -> None:
        one.write(b"head, ")
        one.write(b"body")
        assert not line.pieces

    assert written(answer).pieces == [b"head, body"]


def test_what_is_written_before_the_end_leaves_before_it():
    def last_answer(one: OneWrite, line: Line) -> None:
        one.write(b"bye")
        one.close()
        assert (line.pieces, line.closed) == ([b"bye"], True)

    assert written(last_answer).pieces == [b"bye"]


def test_much_is_not_held_for_the_transport_says_when_it_wants_no_more():
    def stream(one: OneWrite, line: Line) -> None:
        for _ in range(5):
            one.write(b"x" * 50_000)
        assert [len(piece) for piece in line.pieces] == [100_000, 100_000]

    assert b"".join(written(stream).pieces) == b"x" * 250_000


def test_nothing_is_written_to_a_client_that_has_gone():
    def gone(one: OneWrite, line: Line) -> None:
        one.write(b"too late")
        line.closed = True

    assert written(gone).pieces == []


def test_everything_else_is_the_transport_s_own():
    written(lambda one, line: one.get_write_buffer_size() == 7 or 1 / 0)
