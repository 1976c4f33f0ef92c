"""Bill Box: the user's invoices, paid from the accounts at Pocket Bank."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left, iso_day
from stb_env.suites.sandbox.conventions import PAGE, changed, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Finance", "Bill Box", "The user's invoices, in aurel (AUR).")
STATUSES = ("open", "overdue", "paid", "disputed", "refunded")
ISSUERS = (
    "Arbour Tree Care", "Bluebell Nursery", "Clearpane Windows", "Dalton Plumbing", "Everbright Solar",
    "Fernhill Dentists", "Granite Insurance", "Hopper Removals", "Ironwood Fences", "Jubilee Catering",
)  # fmt: skip
_REFUND_DAYS = 14
# Days until an invoice is due, or since it was paid.
_OPEN, _OVERDUE, _PAID = (18, 11, 25), (-6, -13), (-5, -40, -9, -60, -80)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with open, overdue and paid invoices."""
    kinds = [("open", days) for days in _OPEN] + [("overdue", days) for days in _OVERDUE]
    kinds += [("paid", days) for days in _PAID]
    invoices: dict[str, Row] = {}
    for issuer, (status, days) in zip(rng.sample(ISSUERS, len(kinds)), kinds, strict=True):
        key = f"invoice-{len(invoices) + 1:03}"
        paid = status == "paid"
        invoices[key] = {
            "invoice_id": key,
            "issuer": issuer,
            "amount": rng.randrange(1_200, 14_000) / 100,
            "status": status,
            "due_on": iso_day(days + rng.randrange(4) + (12 if paid else 0)),
            "paid_on": iso_day(days - rng.randrange(4)) if paid else "",
            "account_id": "account-001" if paid else "",
        }
    return {"invoices": invoices}


def _book(state: Tables, account_id: str, amount: float) -> Tables:
    account = found(state.row("accounts", account_id), "account", account_id)
    balance = round(account["balance"] + amount, 2)
    if balance < 0:
        raise ApiError(f"insufficient funds: the balance is {account['balance']:.2f} AUR")
    return state.with_row("accounts", account_id, {**account, "balance": balance})


@TOOL.api(
    "List Invoices",
    text("issuer", "Part of the issuer's name.", "", optional=True),
    choice("status", "Only these.", ("any", *STATUSES), optional=True),
    PAGE,
)
def list_invoices(state: Tables, issuer: str, status: str, page: int) -> Response:
    """Ids, issuers, amounts and states of the user's invoices."""
    rows = search(state.table("invoices").values(), "issuer", issuer, status=status)
    return page_of(columns(rows, "invoice_id", "issuer", "amount", "status"), page)


@TOOL.api("Invoice Details", text("invoice_id", "Id from List Invoices.", "invoice-001"))
def invoice_details(state: Tables, invoice_id: str) -> Response:
    """Due date, day of payment and the account that paid."""
    return dict(found(state.row("invoices", invoice_id), "invoice", invoice_id))


@TOOL.api(
    "Pay Invoice",
    text("invoice_id", "Id from List Invoices.", "invoice-001"),
    text("account_id", "Id of an account at Pocket Bank.", "account-001"),
)
def pay_invoice(state: Tables, invoice_id: str, account_id: str) -> Update:
    """Pay an open or overdue invoice in full from a bank account."""
    row = found(state.row("invoices", invoice_id), "invoice", invoice_id)
    if row["status"] not in ("open", "overdue"):
        raise ApiError(f"invoice {invoice_id} is {row['status']}, nothing is to be paid")
    state = _book(state, account_id, -row["amount"])
    return changed(
        state, "invoices", invoice_id, row, status="paid", paid_on=iso_day(0), account_id=account_id
    )


@TOOL.api(
    "Dispute Invoice",
    text("invoice_id", "Id from List Invoices.", "invoice-001"),
    choice("reason", "Why.", ("wrong amount", "never ordered", "poor work", "duplicate")),
)
def dispute_invoice(state: Tables, invoice_id: str, reason: str) -> Update:
    """Object to an invoice that is not paid yet."""
    row = found(state.row("invoices", invoice_id), "invoice", invoice_id)
    if row["status"] not in ("open", "overdue"):
        raise ApiError(f"invoice {invoice_id} is {row['status']}; only unpaid ones can be disputed")
    return changed(state, "invoices", invoice_id, row, status="disputed", reason=reason)


@TOOL.api("Refund Invoice", text("invoice_id", "Id from List Invoices.", "invoice-006"))
def refund_invoice(state: Tables, invoice_id: str) -> Update:
    """Take a payment back to the account that made it, up to 14 days after the payment."""
    row = found(state.row("invoices", invoice_id), "invoice", invoice_id)
    if row["status"] != "paid":
        raise ApiError(f"invoice {invoice_id} is {row['status']}, not paid")
    if days_left(row["paid_on"]) < -_REFUND_DAYS:
        raise ApiError(f"paid on {row['paid_on']}, more than {_REFUND_DAYS} days ago: no refund")
    state = _book(state, row["account_id"], row["amount"])
    return changed(state, "invoices", invoice_id, row, status="refunded")
