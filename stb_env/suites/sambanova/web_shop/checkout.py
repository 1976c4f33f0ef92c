"""A purchase ends an episode, as every other of the package ends: with Finish."""

from __future__ import annotations

from stb_env.actions import Action
from stb_env.suites.sambanova.common.whole_program import END
from stb_env.suites.sambanova.web_shop.program import CLICK
from stb_env.suites.sambanova.web_shop.session import BUY, Session
from stb_env.suites.sambanova.web_shop.tools import BY_NAME
from stb_env.suites.sambanova.web_shop.world import WebShopWorld
from stb_env.tools import ToolCall
from stb_env.validation import check_call


def closed_by_purchase(action: Action, session: Session, world: WebShopWorld) -> Action:
    """Return an action with Finish behind the click that buys; the action itself where none does.

    Whether a click buys depends on the page, so the calls up to it are tried out; they change nothing.

    Args:
        action: The calls of a turn.
        session: Where the shopper is before them.
        world: Answers them.
    """
    if not any(_may_buy(call) for call in action.calls):
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


def _may_buy(call: ToolCall) -> bool:
    return call.name == CLICK and BUY.lower() in str(call.arguments).lower()
