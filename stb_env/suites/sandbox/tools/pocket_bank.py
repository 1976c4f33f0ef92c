"""Pocket Bank: the user's accounts; transfers change them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta

from stb_env.backend.world import Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, search
from stb_env.suites.sandbox.params import number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Finance", "Pocket Bank", "The user's own bank accounts.")
KINDS = ("current", "savings", "holiday")
PAYEES = (
    "Greenline Grocers", "Metro Trams", "Lumen Power", "Brightwater Gym", "Papertrail Books",
    "Oak Street Rent",
)  # fmt: skip


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with accounts with a quarter of a year of payments."""
    accounts = {}
    # In any order, so that an account has no id that one could know by heart.
    for index, kind in enumerate(rng.sample(KINDS, len(KINDS))):
        key = f"account-{index + 1:03}"
        balance = round(rng.uniform(600, 9_000), 2)
        accounts[key] = {"account_id": key, "kind": kind, "balance": balance, "currency": "AUR"}
    transactions = {}
    for index in range(36):
        key = f"payment-{index + 1:03}"
        transactions[key] = {
            "payment_id": key,
            "account_id": rng.choice(list(accounts)),
            "payee": rng.choice(PAYEES),
            "amount": round(rng.uniform(4, 260), 2),
            "date": (TODAY - timedelta(days=90 - 2 * index)).isoformat(),
        }
    return {"accounts": accounts, "transactions": transactions, "transfers": {}}


@TOOL.api("List Accounts")
def list_accounts(state: Tables) -> Response:
    """The user's accounts with balances."""
    return {"accounts": list(state.table("accounts").values())}


@TOOL.api(
    "Search Payments",
    text("account_id", "Id from List Accounts.", "account-001"),
    text("payee", "Part of the payee's name.", "", optional=True),
    PAGE,
)
def search_payments(state: Tables, account_id: str, payee: str, page: int) -> Response:
    """Past card payments of one account, oldest first."""
    found(state.row("accounts", account_id), "account", account_id)
    rows = search(state.table("transactions").values(), "payee", payee, account_id=account_id)
    return page_of(rows, page)


@TOOL.api("List Transfers", PAGE)
def list_transfers(state: Tables, page: int) -> Response:
    """Transfers that the user made between accounts."""
    return page_of(state.table("transfers").values(), page)


@TOOL.api(
    "Transfer Money",
    text("source_account_id", "Id of the account that pays.", "account-001"),
    text("target_account_id", "Id of the account that receives.", "account-002"),
    number("amount", "Amount in aurel, at least 0.01.", 10, 0.01, 1e6),
)
def transfer_money(state: Tables, source_account_id: str, target_account_id: str, amount: float) -> Update:
    """Move money between two of the user's accounts, at once."""
    source = found(state.row("accounts", source_account_id), "account", source_account_id)
    target = found(state.row("accounts", target_account_id), "account", target_account_id)
    amount = round(amount, 2)
    if source_account_id == target_account_id:
        raise ApiError("source and target are the same account")
    if amount > source["balance"]:
        raise ApiError(f"insufficient funds: the balance is {source['balance']:.2f} AUR")
    source = {**source, "balance": round(source["balance"] - amount, 2)}
    target = {**target, "balance": round(target["balance"] + amount, 2)}
    key, state = state.next_id("transfer")
    row = {
        "transfer_id": key,
        "source_account_id": source_account_id,
        "target_account_id": target_account_id,
        "amount": amount,
    }
    state = state.with_row("accounts", source_account_id, source).with_row(
        "accounts", target_account_id, target
    )
    return {**row, "balance": source["balance"]}, state.with_row("transfers", key, row)
