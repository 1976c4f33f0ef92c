"""Accounts of the system: logging in, registering, passwords."""

from __future__ import annotations

import random
import string

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import EXCEPTION, INPUT, all_of, answered_alike
from stb_env.suites.api_bank.definition import TOKEN, Domain, Parameter, text
from stb_env.suites.api_bank.state import State

ACCOUNTS = Domain("Account Management")
CODE = 970420
"""The verification code that the original sends to everybody."""
DONE = {"status": "success"}

_USERNAME = text("username", "Name of the user.")
_PASSWORD = text("password", "Password of the user.")
_EMAIL = text("email", "Mail address of the user.")
_A_TOKEN = {"token": ("str", "Token that stands for the user in other calls.")}
_LETTERS = string.ascii_letters + string.digits


@ACCOUNTS.api("GetUserToken", _USERNAME, _PASSWORD, outputs=_A_TOKEN)
def get_user_token(state: State, username: str, password: str) -> JsonObject:
    """Log in: returns the token that a user's other calls need."""
    account = state.row("Account", username)
    if account is None:
        raise ApiError("The username does not exist.")
    if account["password"] != password:
        raise ApiError("The password is incorrect.")
    return {"token": account["token"]}


@ACCOUNTS.api(
    "RegisterUser",
    _USERNAME,
    _PASSWORD,
    _EMAIL,
    outputs=_A_TOKEN,
    compare=all_of(answered_alike, INPUT, EXCEPTION),
    named=False,
)
def register_user(state: State, username: str, password: str, email: str) -> tuple[dict[str, str], State]:
    """Create an account for a new user and return its token."""
    if username in state.table("Account"):
        raise ApiError("The username already exists.")
    token, state = state.new_id("RegisterUser", _token, {})
    account = {"password": password, "token": token, "email": email}
    return {"token": token}, state.with_row("Account", username, account)


@ACCOUNTS.api("DeleteAccount", TOKEN, named=False)
def delete_account(state: State, token: str) -> tuple[dict[str, str], State]:
    """Delete the account of the user who is logged in."""
    return DONE, state.without_row("Account", state.user_of(token))


@ACCOUNTS.api(
    "ModifyPassword",
    TOKEN,
    text("old_password", "The password until now."),
    text("new_password", "The password from now on."),
)
def modify_password(
    state: State, token: str, old_password: str, new_password: str
) -> tuple[dict[str, str], State]:
    """Change the password of the user who is logged in."""
    username = state.user_of(token)
    if state.row("Account", username)["password"] != old_password:
        raise ApiError("The old password is incorrect.")
    return DONE, _with_password(state, username, new_password)


@ACCOUNTS.api(
    "ForgotPassword",
    text("status", "'Forgot Password' for the first call, 'Verification Code' for the second."),
    text("username", "Name of the user; the first call needs it.", optional=True),
    text("email", "Mail address of the user; the first call needs it.", optional=True),
    Parameter("verification_code", "int", "Code from the first call; the second call needs it.", True),
    text("new_password", "The new password; the second call needs it.", optional=True),
    outputs={"status": ("str", "The verification code, or whether the password was set.")},
    echo="given",
    named=False,
)
def forgot_password(
    state: State,
    status: str,
    username: str | None = None,
    email: str | None = None,
    verification_code: int | None = None,
    new_password: str | None = None,
) -> tuple[str | int, State]:
    """Reset a forgotten password in two calls: one to get a verification code, one to use it."""
    if status == "Forgot Password":
        return _send_code(state, username, email)
    if status == "Verification Code":
        return "success", _reset(state, verification_code, new_password)
    raise ApiError("The status is only 'Forgot Password' or 'Verification Code'.")


@ACCOUNTS.api("CheckToken", TOKEN, outputs={"username": ("str", "Name of the user.")}, named=False)
def check_token(state: State, token: str) -> dict[str, str]:
    """Tell whom a token belongs to."""
    return {"username": state.user_of(token)}


def _send_code(state: State, username: str | None, email: str | None) -> tuple[int, State]:
    if username is None or email is None:
        raise ApiError("The username and email are required for the first call.")
    account = state.row("Account", username)
    if account is None:
        raise ApiError("The username does not exist.")
    if account["email"] != email:
        raise ApiError("The email is incorrect.")
    return CODE, state.with_row("ForgotPassword", "username", username)


def _reset(state: State, code: int | None, password: str | None) -> State:
    username = state.row("ForgotPassword", "username")
    if username is None:
        raise ApiError("You need to call the API with status 'Forgot Password' at first.")
    if code is None or password is None:
        raise ApiError("The new password and verification code are required for the second call.")
    if code != CODE:
        raise ApiError("The verification code is incorrect.")
    if username not in state.table("Account"):
        raise ApiError(repr(username))
    return _with_password(state, username, password)


def _with_password(state: State, username: str, password: str) -> State:
    return state.with_row("Account", username, {**state.row("Account", username), "password": password})


def _token(number: int) -> str:
    return "".join(random.Random(number).choices(_LETTERS, k=18)).lower()
