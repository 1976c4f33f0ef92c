"""Judges of other people's: a plain function, an ``async`` one, or a class that returns its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from stb_env.core.reference import load_made, source_of
from stb_env.core.request import Request, Slow, called, is_slow
from stb_env.core.signatures import function_of
from stb_env.errors import JudgeError, others_code
from stb_env.judges.judge import Case, Judge
from stb_env.verdict import Verdict, VerdictStatus, Vote

FAILURE = partial(JudgeError, kind="internal", retryable=False)
"""What a bug of a judge is: the same again, however often it is asked."""

Said = Verdict | bool | float | tuple[bool | float, str] | Mapping[str, bool]
"""A verdict; or whether the episode is solved, or its score from 0 to 1; with a reason where there is one; or
whether each of its parts is, by name."""

JudgeLike = Judge | Callable[[Case], Any]
"""A judge, or a function of a case; see `as_judge`."""


class OwnJudge:
    """Asks a function or an object of somebody else's, and reads what it says as a verdict.

    What it raises is a `JudgeError` that names the line: a broken judge decides nothing, so the episode is
    invalid and never unsolved.

    Args:
        judge: A function of a `Case`, or an object with such a method ``judge``. It returns a `Said`,
            something to await for one, or a generator as our own judges do.
        source: Name and version of its code; found out where not given.
        settings: What it was made with, for manifests.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env import Task, Tool
        >>> judge = OwnJudge(lambda case: (case.final_answer == "42", "the answer is 42"))
        >>> task = Task("1", "?", (Tool("ping", "Answers pong.", {}),))
        >>> verdict = drive(judge.judge(Case(task, "41", ())))
        >>> verdict.status, verdict.votes[0].reason
        ('unsolved', 'the answer is 42')
    """

    def __init__(self, judge: Any, source: str = "", settings: Mapping[str, object] | None = None) -> None:
        self._judge = judge
        self._ask: Callable[[Case], Any] = getattr(judge, "judge", judge)
        self._source = source or source_of(judge)
        self._settings = dict(settings or {})

    @property
    def name(self) -> str:
        """Its own name, or that of its function or class."""
        named: str = getattr(self._judge, "name", "") or self._source.partition("@")[0]
        return named

    @property
    def fingerprint(self) -> dict[str, object]:
        """Its own, or its name, its settings and the version of its code."""
        own: dict[str, object] | None = getattr(self._judge, "fingerprint", None)
        if own is not None:
            return own
        return {"judge": self.name, "source": self._source, "settings": self._settings}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            JudgeError: It raised something, or returned what is no verdict.
        """
        # Whoever saves the episode before it is judged does so here: their code is not called in vain.
        yield Request(run=_nothing, arun=_nothing_awaited)
        with others_code(f"judge {self.name!r}", self._ask, FAILURE):
            said = yield from called(self._ask, case)
        return as_verdict(said, self.name)

    def __getattr__(self, name: str) -> object:
        # What else a judge may say of itself: scores, votes, floors ...
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._judge, name)


def _nothing() -> None:
    """Do nothing."""


async def _nothing_awaited() -> None:
    """Do nothing on the event loop."""


def as_verdict(said: Any, judge: str) -> Verdict:
    """Read what a judge said.

    Args:
        said: A `Said`.
        judge: Its name.

    Raises:
        JudgeError: It is something else.

    Examples:
        >>> as_verdict(True, "mine").status, as_verdict(0.25, "mine").score
        ('solved', 0.25)
        >>> as_verdict("yes", "mine")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.JudgeError: judge 'mine' returned 'yes' (str); expected a Verdict, True, False, ...
    """
    if isinstance(said, Verdict):
        return said
    if isinstance(said, Mapping) and said:
        parts = {str(part): bool(held) for part, held in said.items() if isinstance(held, bool | np.bool_)}
        if len(parts) == len(said):
            return Verdict.of("solved" if all(parts.values()) else "unsolved", judge=judge, parts=parts)
    value, reason = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
    known = isinstance(value, bool | np.bool_ | Real) and isinstance(reason, str)
    # NaN is not within the bounds either.
    if not known or not 0 <= value <= 1:
        raise JudgeError(
            f"judge {judge!r} returned {str(said)[:80]!r} ({type(said).__name__}); expected a Verdict, True, "
            "False, a score from 0 to 1, one of these with a reason, as in (False, 'no milk'), "
            "or parts by name, as in {'milk': True, 'tea': False}",
            kind="internal",
            retryable=False,
        )
    score = float(value)
    status: VerdictStatus = "solved" if score == 1 else "unsolved" if score == 0 else "unsure"
    return Verdict(status, score, judge, (Vote(status, reason),) if reason else ())


def as_judge(judge: JudgeLike) -> Judge:
    """Return a judge: the given one where it works as ours do, else an `OwnJudge` around it.

    Raises:
        ConfigError: It is no function and has no method ``judge``.

    Examples:
        >>> as_judge(lambda case: True).name
        '<lambda>'
        >>> as_judge("strict")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a judge is a function of a Case or has a method judge(case), got 'strict'
    """
    expected = "a judge is a function of a Case or has a method judge(case)"
    asked = function_of(judge, ["case"], expected, method="judge")
    if asked is not judge and is_slow(asked) and isinstance(getattr(judge, "name", None), str):
        return judge  # type: ignore[return-value] # it is what the protocol asks for
    return OwnJudge(judge)


def load_own_judge(text: str, models: object = None) -> Judge:
    """Return the judge that stands under ``path.py:Name`` or ``module:Name``, with its version.

    Args:
        text: The text; a class may be given settings, as in ``judges.py:Strict(level=2)``.
        models: Models file, for classes that take a ``model`` and were not given one.

    Raises:
        ConfigError: There is no such judge.
    """
    loaded = load_made(text, {} if models is None else {"model": models})
    judge = as_judge(loaded.object)
    known = isinstance(judge, OwnJudge) or not hasattr(judge, "fingerprint")
    return OwnJudge(loaded.object, loaded.source, loaded.settings) if known else judge
