"""Checks of what was done in an episode, for the tasks of your own environments.

Examples:
    >>> import stb_env
    >>> from stb_env import checks
    >>> def pay(orders: dict, order: int) -> str:
    ...     '''Pay an order.'''
    ...     orders[order] = "paid"
    ...     return "paid"
    >>> def look(orders: dict, order: int) -> str:
    ...     '''Tell the status of an order.'''
    ...     return orders[order]
    >>> done = [checks.called(pay, {"order": 7}, times=1), checks.state(look, {"order": 7}, equals="paid")]
    >>> task = stb_env.task("Pay order 7.", gold="pay(7)", check=done)
    >>> _ = stb_env.environment("demo/Desk-v0", tools=[pay, look], state={7: "new"}, tasks=[task])
    >>> env = stb_env.make("demo/Desk-v0")
    >>> claim = {"name": "Finish", "arguments": {"final_answer": "Order 7 is paid."}}
    >>> for actions in (["pay(7)", claim], [claim]):
    ...     _ = env.reset(seed=0)
    ...     print([env.step(action)[1] for action in actions])
    [0.0, 1.0]
    [0.0]
"""

from stb_env.judges.checks import called, in_order, not_called, said, state

__all__ = ["called", "in_order", "not_called", "said", "state"]
