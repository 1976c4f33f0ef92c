"""Solved examples for prompts: what shoppers saw and did, made by the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from stb_env.errors import ConfigError
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.web_shop.generator import embedded_catalogue
from stb_env.suites.sambanova.web_shop.oracle import oracle
from stb_env.suites.sambanova.web_shop.pages import as_rich_text, pieces
from stb_env.suites.sambanova.web_shop.session import PER_PAGE, Session
from stb_env.suites.sambanova.web_shop.tasks import generate
from stb_env.suites.sambanova.web_shop.tools import BY_NAME
from stb_env.suites.sambanova.web_shop.world import WebShopWorld
from stb_env.tasks import Task

COUNTS = {"long": 1_533, "short": 200}
"""Demonstrations of the paper's two versions."""

_KEPT_SHARE = 0.2


def demonstrations(version: str = "long") -> list[Demonstration]:
    r"""Return the demonstrations of a version; none is a test task.

    A program is a trajectory: each page, followed by a line with the action that was taken on it. In the
    ``short`` version four fifths of the other products are taken off the pages, and only the trajectories
    with the least text are kept.

    Raises:
        ConfigError: There is no such version.

    Examples:
        >>> demo = demonstrations("short")[0]
        >>> demo.program.startswith("WebShop\nInstruction: \n"), demo.program.endswith("click[buy now]")
        (True, True)
    """
    if version not in COUNTS:
        raise ConfigError(f"version must be 'long' or 'short', got {version!r}")
    return list(_demonstrations(version))


def short_demonstrations() -> list[Demonstration]:
    """Return the demonstrations of the ``short`` version."""
    return demonstrations("short")


@cache
def _demonstrations(version: str) -> tuple[Demonstration, ...]:
    made = [_demonstration(index, is_short=version == "short") for index in range(COUNTS["long"])]
    if version == "short":
        made.sort(key=lambda demo: (len(demo.program), demo.name))
    return tuple(made[: COUNTS[version]])


def _demonstration(index: int, *, is_short: bool) -> Demonstration:
    task = generate("demo", index)
    steps = list(_played(task))
    opened = frozenset(element for _, _, element in steps)
    program = "\n".join(
        f"{_page(state, task, opened, is_short)}{name}[{element}]" for state, name, element in steps
    )
    return Demonstration(f"{index}_0", task.query, program)


def _played(task: Task) -> Iterator[tuple[Session, str, str]]:
    """Yield the states of an episode with the action in each, and what is searched for or clicked."""
    world = WebShopWorld()
    state, plan = world.start(task, 0), oracle(task)
    call = next(plan)
    while True:
        arguments = dict(call.arguments) if not isinstance(call.arguments, str) else {}
        yield state, call.name, str(next(iter(arguments.values())))
        result, state = world.call(state, BY_NAME[call.name], arguments)
        try:
            call = plan.send(result)
        except StopIteration:
            return


def _page(state: Session, task: Task, opened: frozenset[str], is_short: bool) -> str:
    shop = embedded_catalogue()
    if not is_short or state.kind != "results":
        return as_rich_text(pieces(state, shop))
    draw = rng("web_shop", "short", task.id, state.page)
    # Drawn for every product of the page, whatever it is, so that equal pages lose equal products.
    kept = [asin for asin in state.shown if draw.random() < _KEPT_SHARE or asin.lower() in opened]
    start = (state.page - 1) * PER_PAGE
    found = (*state.found[:start], *kept)
    return as_rich_text(pieces(state._replace(found=found), shop))
