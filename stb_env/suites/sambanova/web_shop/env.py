"""The WebShop environment: find and buy what an instruction asks for, in a shop of pages."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Unpack

from stb_env.actions import Action
from stb_env.actions.validation import check_call
from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import Count
from stb_env.core.request import Slow
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.tool_env import ToolEnv, Transition
from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.mode import Compat, Mode, Split
from stb_env.suites.sambanova.common.program_task import Data, ProgramTask
from stb_env.suites.sambanova.common.whole_program import END
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.judge import PurchaseJudge
from stb_env.suites.sambanova.web_shop.official import GoalKind, read_shop
from stb_env.suites.sambanova.web_shop.oracle import oracle
from stb_env.suites.sambanova.web_shop.pages import PageText
from stb_env.suites.sambanova.web_shop.program import CLICK, parse, parse_original
from stb_env.suites.sambanova.web_shop.rendering import picture, render
from stb_env.suites.sambanova.web_shop.session import BUY, Session
from stb_env.suites.sambanova.web_shop.tasks import tasks_of
from stb_env.suites.sambanova.web_shop.tools import BY_NAME
from stb_env.suites.sambanova.web_shop.vocabulary import Nouns, nouns_of
from stb_env.suites.sambanova.web_shop.world import WebShopWorld
from stb_env.tasks import TaskSource


class WebShopEnv(ToolEnv):
    """A `ToolEnv` that a purchase ends, and that renders the page as a person would like to read it.

    Args:
        tasks: Where tasks come from.
        world: The shop.
        judge: Decides what a purchase is worth.
        **settings: Further settings of `ToolEnv`.
    """

    metadata: ClassVar[JsonObject] = {  # type: ignore[misc] # Env declares an instance variable
        "render_modes": ["ansi", "html", "human", "rgb_array"],
        "render_fps": 1,
    }

    def __init__(self, tasks: TaskSource, world: WebShopWorld, judge: Judge, **settings: Any) -> None:
        super().__init__(tasks, world, judge, **settings)
        self._world = world

    def render(self) -> Any:
        """Return the page as text (``ansi``) or as an image (``rgb_array``), or the episode as ``html``.

        Human eyes get the page on standard output (``human``).

        Raises:
            ConfigError: An image needs Pillow, which is missing.
        """
        if self.render_mode in (None, "html"):
            return super().render()
        session = self._running().backend
        if self.render_mode == "rgb_array":
            return picture(session, self._world.shop, endless=self._world.original)
        text = render(session, self._world.shop, endless=self._world.original)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _step(self, action: object) -> Slow[Transition]:
        parsed = self.read(action)
        closed = _closed_by_purchase(parsed, self._running().backend, self._world)
        return (yield from super()._step(closed))


def _closed_by_purchase(action: Action, session: Session, world: WebShopWorld) -> Action:
    """Return an action with Finish behind the click that buys; the action itself where none does.

    Whether a click buys depends on the page, so the calls up to it are tried out; they change nothing.
    """
    if not any(call.name == CLICK and BUY.lower() in str(call.arguments).lower() for call in action.calls):
        return action
    for index, call in enumerate(action.calls):
        tool = BY_NAME.get(call.name)
        checked = check_call(call, tool) if tool else None
        if tool is None or checked is None or checked.violations or isinstance(checked.arguments, str):
            break
        after = world.after(session, tool, checked.arguments)
        if after is None:
            break
        if after.kind == "done":
            return Action((*action.calls[: index + 1], END), action.text)
        session = after
    return action


@checks_settings
def make(
    split: Split = "test",
    data: Data | None = None,
    compat: Compat | None = None,
    program: bool = False,
    goals: GoalKind = "synthetic",
    page_text: PageText | None = None,
    catalogue: Catalogue | None = None,
    nouns: Nouns = nouns_of,
    max_turns: Count = 25,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the WebShop task: buy what an instruction asks for, page by page.

    An action is ``search[words]``, ``click[element]`` or a typed call, and the answer is the page that it
    leads to. A purchase ends the episode, and its reward is the episode's.

    Args:
        split: ``test`` has 100 fixed goals, ``train`` is endless.
        data: Folder of WebShop's own product files, or tasks.
        compat: ``original`` for the original's pages, actions and rewards, its defects included.
        program: Whether the first action, a list of lines, is all there is.
        goals: In official files, ``synthetic`` goals or ``human`` ones.
        page_text: ``text`` or ``text_rich``; by default the rich one, in the original's mode the plain one.
        catalogue: The products, where ``data`` is tasks; the embedded ones if None.
        nouns: Finds the nouns of product names, which rewards compare.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown, or ``program`` meets the original's mode, whose actions are one
            line each.
        DataError: The files are broken.
    """
    task = _task(goals, page_text, nouns)
    return task.make(Mode.of(split, compat, program), data, catalogue, max_turns=max_turns, **settings)


def _task(goals: GoalKind, page_text: PageText | None, nouns: Nouns) -> ProgramTask[Catalogue]:
    return ProgramTask(
        tasks=tasks_of,
        official=lambda path, mode: read_shop(path, mode.split, goals),
        world=lambda mode, shop: WebShopWorld(shop, page_text=page_text, nouns=nouns, original=mode.original),
        judge=lambda mode: PurchaseJudge(original=mode.original),
        parse=parse,
        parse_original=parse_original,
        oracle=oracle,
        env=WebShopEnv,
        divided=True,
        original_programs=False,
    )
