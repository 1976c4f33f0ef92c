"""``/metrics``: what the server does, as Prometheus reads it, of all worker processes together."""

from __future__ import annotations

import os
from collections import Counter as Counted
from collections.abc import Callable, Iterable

from fastapi import APIRouter, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable of the folder in which workers share their figures; the library's own word."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 25.0, 100.0)

Answered = tuple[str, str, int, float, str, float]
"""A request: its method, its route, the status, the seconds it took, the client, and when it ended."""


class Metrics:
    """The figures of one process.

    Attributes:
        shared: Whether other processes have to know them.

    Examples:
        >>> metrics = Metrics()
        >>> metrics.requests([("POST", "/virtual", 200, 0.002, "127.0.0.1", 0.0)])
        >>> metrics.answered("cache")
        >>> b'stb_answers_total{source="cache"} 1.0' in metrics.written()
        True
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "stb_requests", "Requests", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "stb_request_seconds",
            "Seconds until the end of the answer",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._answers = Counter(
            "stb_answers", "Calls of the virtual API by who answered", ("source",), registry=self._registry
        )
        self._refusals = Counter(
            "stb_refusals", "Requests not answered as asked", ("kind",), registry=self._registry
        )
        self._in_flight = Gauge(
            "stb_requests_in_flight", "Requests at work", multiprocess_mode="livesum", registry=self._registry
        )
        self._sessions = Gauge(
            "stb_sessions", "Open sessions", multiprocess_mode="livesum", registry=self._registry
        )
        self.shared = SHARED in os.environ
        self._sources: Counted[str] = Counted()

    def watch(self, sessions: Callable[[], int]) -> None:
        """Take the number of open sessions from a function; they live in a process alone."""
        self._sessions.set_function(sessions)

    def watch_work(self, at_work: Callable[[], int]) -> None:
        """Take the number of requests at work from a function, where no other process has to know it."""
        if not self.shared:
            self._in_flight.set_function(at_work)

    def working(self, requests: int) -> None:
        """Say how many requests are at work, where other processes have to know it."""
        self._in_flight.set(requests)

    def requests(self, answered: Iterable[Answered]) -> None:
        """Count requests that were answered."""
        counted: Counted[tuple[str, str, int]] = Counted()
        times: dict[str, Callable[[float], None]] = {}
        for method, route, status, seconds, _, _ in answered:
            counted[route, method, status] += 1
            if route not in times:
                times[route] = self._seconds.labels(route).observe
            times[route](seconds)
        for labels, number in counted.items():
            self._requests.labels(*labels).inc(number)
        self._count_sources()

    def answered(self, source: str) -> None:
        """Count a call of the virtual API by who answered it; shown when its request is counted."""
        self._sources[source] += 1

    def refused(self, kind: str) -> None:
        """Count a request that was not answered as asked."""
        self._refusals.labels(kind).inc()

    def written(self) -> bytes:
        """Return the figures of all processes in Prometheus' text format."""
        self._count_sources()
        if SHARED not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # as published
        return generate_latest(registry)

    def _count_sources(self) -> None:
        sources, self._sources = self._sources, Counted()
        for source, number in sources.items():
            self._answers.labels(source).inc(number)


def routes(metrics: Metrics, flush: Callable[[], object]) -> APIRouter:
    """Return the route.

    Args:
        metrics: The figures.
        flush: Counts what is not counted yet.
    """
    router = APIRouter(tags=["operations"])

    @router.get("/metrics", response_class=Response)
    async def written() -> Response:
        """Return the figures of all worker processes."""
        flush()
        return Response(metrics.written(), media_type=CONTENT_TYPE_LATEST)

    return router
