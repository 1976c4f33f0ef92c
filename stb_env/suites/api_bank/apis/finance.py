"""Bank accounts and share prices."""

from __future__ import annotations

from stb_env.core.jsontypes import Json
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import DATE, RESULT, all_of, raised, same, trimmed
from stb_env.suites.api_bank.definition import TOKEN, Domain, Library, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import normal_date

FINANCE = Domain("Finance Management")

# The bank that opens accounts knows nothing of the balances.
_OPENED = {"test": {"password": "test", "name": "yifei"}}


@FINANCE.api(
    "OpenBankAccount",
    text("account", "Name of the new account."),
    text("password", "Password of the new account."),
    text("name", "Name of its holder."),
)
def open_bank_account(state: State, account: str, password: str, name: str) -> str | tuple[str, State]:
    """Open a bank account."""
    if account in _OPENED or account in state.table("OpenBankAccount"):
        return "failed"
    return "success", state.with_row("OpenBankAccount", account, {"password": password, "name": name})


@FINANCE.api(
    "QueryBalance",
    TOKEN,
    outputs={"balance": ("float", "What the account holds.")},
    compare=all_of(same("token", normal=trimmed), RESULT),
)
def query_balance(state: State, token: str) -> Json:
    """Tell what the user's bank account holds."""
    try:
        user = state.user_of(token)
    except ApiError as error:
        raise ApiError("The token is incorrect.") from error
    account = state.row("Bank", user)
    if account is None:
        raise ApiError("The user does not have an account.")
    return account["balance"]


@FINANCE.api(
    "QueryStock",
    text("stock_code", "Code of the share."),
    text("date", "The day, as YYYY-MM-DD."),
    outputs={"stock_price": ("float", "Price of the share.")},
    reads="library",
    compare=all_of(same("stock_code", normal=raised), same("date", normal=DATE), RESULT),
)
def query_stock(library: Library, stock_code: str, date: str) -> Json:
    """Tell the price of a share on a day."""
    code = stock_code.upper().strip()
    if not code:
        raise ApiError("The stock code cannot be empty.")
    day = normal_date(date)
    prices = library["Stock"].get(code)
    if prices is None:
        raise ApiError("The stock code does not exist.")
    if day not in prices:
        raise ApiError("The stock price of this date is not maintained.")
    return prices[day]
