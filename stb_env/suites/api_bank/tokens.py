"""Who a token belongs to."""

from __future__ import annotations

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.state import State


def user_of(state: State, token: str) -> str:
    """Return the user of a token; accounts are looked up as they are now.

    Raises:
        ApiError: No account has it.
    """
    for username, account in state.table("Account").items():
        if account["token"] == token:
            return username
    raise ApiError("The token is invalid.")
