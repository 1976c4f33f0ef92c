"""Stop a run whose episodes all fail alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stb_env.errors import RunStopped
from stb_env.trajectory import Trajectory

STOP_AFTER = 20
"""Equal failures in a row that end a run, where nothing else is said."""

_SUSPICIOUS = 3
# What an endpoint that is down makes of an episode.
_OUTAGE = frozenset({"transport", "timeout"})


class Breaker:
    """Watches how the episodes of a run end, in their order.

    Failures are equal where kind, stage and message are; those of an endpoint that is down say so in changing
    words, so kind and stage alone count there.

    Args:
        limit: Equal failures in a row that end the run; None or 0 for no end.
        check: Asks the run's endpoints whether they are there, and raises `RunStopped` where one is not.
            Asked when a few episodes in a row have failed as they do in an outage, so that nobody waits for
            the limit.

    Examples:
        >>> from stb_env import load_agent, play
        >>> from stb_env.testing.notes import notes
        >>> from dataclasses import replace
        >>> episode = play(notes(), load_agent("gold")(), task_id="day", seed=0)
        >>> failure = {"kind": "cache_miss", "stage": "cache", "retryable": False, "message": "unknown"}
        >>> breaker = Breaker(2)
        >>> breaker.watch(replace(episode, failure=failure))
        >>> breaker.watch(replace(episode, failure=failure))
        Traceback (most recent call last):
        ...
        stb_env.errors.RunStopped: 2 episodes in a row failed alike (cache_miss): unknown; ...
    """

    def __init__(self, limit: int | None = STOP_AFTER, check: Callable[[], None] | None = None) -> None:
        self._limit = limit
        self._check = check
        self._last: tuple[str, ...] = ()
        self._row = 0

    def watch(self, episode: Trajectory) -> None:
        """Take note of how an episode ended.

        Raises:
            RunStopped: Too many in a row failed alike, or an endpoint is gone.
        """
        if episode.failure is None:
            self._last, self._row = (), 0
            return
        alike = _what(episode.failure)
        self._row = self._row + 1 if alike == self._last else 1
        self._last = alike
        if self._limit and self._row >= self._limit:
            raise RunStopped(
                f"{self._row} episodes in a row failed alike ({alike[0]}): {episode.failure['message']}; "
                "mend that and give the same command again, or let it go on with --stop-after 0"
            )
        if self._check is not None and alike[0] in _OUTAGE and self._row % _SUSPICIOUS == 0:
            self._ask(self._check)

    def _ask(self, check: Callable[[], None]) -> None:
        try:
            check()
        except RunStopped as error:
            raise RunStopped(f"{self._row} episodes in a row failed, and {error}") from error


def _what(failure: Mapping[str, object]) -> tuple[str, ...]:
    kind, stage = str(failure["kind"]), str(failure["stage"])
    return (kind, stage) if kind in _OUTAGE else (kind, stage, str(failure["message"]))
