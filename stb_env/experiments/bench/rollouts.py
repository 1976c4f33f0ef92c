"""Share of the latency bound that whole episodes reach, with many of them in flight on one core."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence

from stb_env import ChatAgent, Job, ToolEnv, run_batch
from stb_env.core.background import wait_for
from stb_env.experiments.bench.frameworks import framework_measurements
from stb_env.experiments.bench.measurement import Measurement
from stb_env.experiments.bench.shop import TASKS, Shop
from stb_env.experiments.bench.wire import CALLS, ROUNDS, bare_share, endpoint
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.models import ChatReply, ChatRequest, ModelConfig, OpenAIModel
from stb_env.models.config import Client

# Messages of an episode's first question: the system's and the user's.
_AT_FIRST = 2
_UNLIMITED = 1_000_000
_PER_MB = 1024**2 if sys.platform == "darwin" else 1024


def rollout_measurements(
    in_flight: Sequence[int] = (64, 256, 1024),
    latency: float = 0.2,
    *,
    rounds: int = ROUNDS,
    beside: bool = False,
) -> Iterator[Measurement]:
    """Measure chat episodes of four calls, beside a bare loop on the same connections.

    Args:
        in_flight: Number of episodes played at once.
        latency: Seconds that the endpoint takes for an answer.
        rounds: Episodes one after the other in each place. All ask at once when a run starts and wait for the
            last when it ends, so the fewer these are, the more of what is measured are its two ends.
        beside: Whether to measure them through httpx2 too (``client="openai"``), and in each framework that
            is installed.
    """
    with endpoint(latency) as url:
        for episodes in in_flight:
            bare = bare_share(url, episodes, latency, rounds)
            share, slowest, cost = _played(url, episodes, latency, rounds)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MB
            name = f"rollouts, {episodes:,} in flight"
            note = f"bare loop {bare:.3f}, {cost:.0f} us/call, peak {memory:.0f} MB"
            yield Measurement(name, share, "of the bound", note)
            yield Measurement(f"{name}, p99", 1e3 * slowest, "ms", "ours between two questions")
            if beside:
                share, _, cost = _played(url, episodes, latency, rounds, "openai")
                yield Measurement(f"{name}, openai", share, "of the bound", f"{cost:.0f} us/call")
                yield from framework_measurements(url, episodes, latency)


class _Watched(OpenAIModel):
    """A model that notes when each question of an episode is asked, and when its answer is there.

    Attributes:
        gaps: Seconds between an answer and the next question of the same episode.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.gaps: list[float] = []
        self._answered: dict[int, float] = {}

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Answer, taking the time."""
        if len(request.messages) > _AT_FIRST:
            self.gaps.append(time.perf_counter() - self._answered[request.index])
        reply = await super().acomplete(request)
        self._answered[request.index] = time.perf_counter()
        return reply


def _played(
    url: str, episodes: int, latency: float, rounds: int = ROUNDS, client: Client = "lean"
) -> tuple[float, float, float]:
    """Return the share of the latency bound, p99 of our own times in seconds, CPU time of a call in us."""
    config = ModelConfig("agent", "fake", base_url=url, max_tokens=256, concurrency=_UNLIMITED, client=client)
    model = _Watched(config)
    env = ToolEnv(TASKS, Shop(), HeuristicJudge(), max_turns=CALLS)

    def play(times: int) -> float:
        jobs = [Job("tea", 0, seed) for seed in range(times * episodes)]
        begun = time.perf_counter()
        run_batch(env.fork, lambda: ChatAgent(model), jobs, concurrency=episodes)
        return time.perf_counter() - begun

    try:
        # Connecting is no part of it: connections are kept.
        play(1)
        model.gaps.clear()
        spent = time.process_time()
        took = play(rounds)
        spent = time.process_time() - spent
    finally:
        wait_for(model.aclose())
    # At the start all ask at once; where there is more, that is the queue of a first moment and not of steps.
    steady = model.gaps[len(model.gaps) // rounds :] or model.gaps
    calls = rounds * CALLS
    slowest = statistics.quantiles(steady, n=100)[-1]
    return calls * latency / took, slowest, 1e6 * spent / (calls * episodes)
