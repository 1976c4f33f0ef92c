"""Tasks about invoices and the accounts that pay them."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.backend.world import Row, Tables
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.lookups import accepted, account_named, exchanged, transferred
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, template
from stb_env.suites.sandbox.tools import bill_box, pocket_bank, rate_board


def _invoices(home: Tables, *statuses: str) -> list[Row]:
    return [row for row in home.table("invoices").values() if row["status"] in statuses]


def _invoice(issuer: str) -> Steps[Row]:
    row: Row = (yield bill_box.list_invoices(issuer=issuer))["results"][0]
    return row


def _pay(invoices: Iterable[Row], account: Row) -> Steps[None]:
    for row in invoices:
        if row["status"] in ("open", "overdue"):
            yield bill_box.pay_invoice(invoice_id=row["invoice_id"], account_id=account["account_id"])


@template(bill_box.TOOL, calls=1)
def invoices_above(draw: Draw) -> Plan:
    """Open invoices that exceed an amount."""
    home = draw.home()
    amounts, overdue = ([row["amount"] for row in _invoices(home, status)] for status in ("open", "overdue"))
    limit = draw.between(10, 139)
    if not min(amounts) <= limit < min(max(amounts), max(overdue)):
        raise Undecided

    def solve() -> Solution:
        rows = (yield bill_box.list_invoices(status="open"))["results"]
        issuers = [row["issuer"] for row in rows if row["amount"] > limit]
        return Answer.of(f"Those of {', '.join(issuers)}.", facts.names("issuers", issuers))

    return Plan.of(
        f"Which of my open invoices (those that are not overdue yet) ask for more than {limit} AUR? Name the "
        "issuers.",
        f"List the companies whose open invoices exceed {limit} aurel; leave overdue ones out.",
        f"Go through my invoices with status open and tell me who wants more than {limit} AUR.",
        solve=solve,
    )


@template(
    bill_box.TOOL, pocket_bank.TOOL, rate_board.TOOL, calls=5, writes=("invoices", "accounts"), unseen=True
)
def pay_invoice(draw: Draw) -> Plan:
    """Pay an invoice and tell what is left, in another currency."""
    home = draw.home()
    issuer = draw.pick(_invoices(home, "open", "overdue"))["issuer"]
    kind, code = draw.pick(pocket_bank.KINDS), draw.pick(FOREIGN)

    def solve() -> Solution:
        invoice = yield from _invoice(issuer)
        yield from _pay([invoice], (yield from account_named(kind)))
        left = yield from exchanged((yield from account_named(kind))["balance"], code)
        return Answer.of(
            f"Paid; {left:.2f} {code} are left.", facts.number("balance_after", left, f"in {code}, to cents")
        )

    return Plan.of(
        f"Pay the invoice of {issuer} from my {kind} account. How much is then left there, in {code}?",
        f"{issuer} wants money: settle it out of the {kind} account and tell me the remaining balance "
        f"converted to {code}.",
        f"Settle what I owe {issuer}, using my {kind} account, and report what remains in it as an amount in "
        f"{code}.",
        solve=solve,
    )


@template(bill_box.TOOL, pocket_bank.TOOL, calls=4, writes=("invoices", "accounts"))
def pay_from_fitting_account(draw: Draw) -> Plan:
    """Pay from one account if enough stays there, else from another."""
    home = draw.home()
    issuer = draw.pick(_invoices(home, "open", "overdue"))["issuer"]
    first, second = draw.pick_some(pocket_bank.KINDS, 2)
    rest = 50 * draw.between(10, 160)

    def solve() -> Solution:
        key = (yield from _invoice(issuer))["invoice_id"]
        invoice = yield bill_box.invoice_details(invoice_id=key)
        rows = (yield pocket_bank.list_accounts())["accounts"]
        by_kind = {row["kind"]: row for row in rows}
        enough = by_kind[first]["balance"] - invoice["amount"] >= rest
        account = by_kind[first if enough else second]
        if invoice["status"] == "paid":
            account = next(row for row in rows if row["account_id"] == invoice["account_id"])
        yield from _pay([invoice], account)
        kind = account["kind"]
        return Answer.of(
            f"I paid from the {kind} account; the invoice was due on {invoice['due_on']}.",
            facts.choice("account", kind, pocket_bank.KINDS, "the account that paid"),
            facts.date("due_date", invoice["due_on"]),
        )

    return Plan.of(
        f"Pay {issuer}'s invoice from my {first} account if at least {rest} AUR stay there afterwards, "
        f"otherwise from {second}. Which account did you take, and when was the invoice due?",
        f"Settle the {issuer} invoice. Use the {first} account only where its balance stays at {rest} AUR or "
        f"more, else the {second} account; tell me which one it was and the due date.",
        f"I owe {issuer}. The {first} account should pay as long as {rest} AUR or more remain in it; if "
        f"fewer would, let the {second} account pay. Name the account and the invoice's due date.",
        solve=solve,
    )


@template(bill_box.TOOL, pocket_bank.TOOL, calls=6, writes=("invoices", "accounts"))
def refund_and_pay(draw: Draw) -> Plan:
    """Take a payment back and pay another invoice."""
    home = draw.home()
    recent = [row for row in _invoices(home, "paid") if days_left(row["paid_on"]) >= -14]
    old, new = draw.pick(recent)["issuer"], draw.pick(_invoices(home, "open", "overdue"))["issuer"]
    kind = draw.pick(pocket_bank.KINDS)

    def solve() -> Solution:
        row = yield from _invoice(old)
        if row["status"] == "paid":
            yield bill_box.refund_invoice(invoice_id=row["invoice_id"])
        row = yield from _invoice(new)
        yield from _pay([row], (yield from account_named(kind)))
        left = (yield from account_named(kind))["balance"]
        return Answer.of(
            f"Done; the {kind} account holds {left:.2f} AUR.",
            facts.number("balance_after", left, "in AUR, to cents"),
        )

    return Plan.of(
        f"Get the payment to {old} refunded, then pay {new} from my {kind} account. What is the balance of "
        f"the {kind} account after that?",
        f"Have the money for {old} returned and settle {new}'s invoice out of {kind}; how much is in {kind} "
        "in the end?",
        f"Two things: a refund for the invoice of {old}, and {new} is to be paid from the {kind} account. "
        "Tell me that account's final balance.",
        solve=solve,
    )


@template(bill_box.TOOL, rate_board.TOOL, calls=3, writes=("invoices", "accounts"))
def refund_too_late(draw: Draw) -> Plan:
    """Have a payment refunded, unless it is too late for that."""
    paid, in_time = _invoices(draw.home(), "paid"), draw.pick((True, False))
    issuer = draw.pick([row for row in paid if (days_left(row["paid_on"]) >= -14) is in_time])["issuer"]
    code = draw.pick(FOREIGN)

    def solve() -> Solution:
        invoice = yield from _invoice(issuer)
        refunded = invoice["status"] != "paid" or (
            yield from accepted(bill_box.refund_invoice(invoice_id=invoice["invoice_id"]))
        )
        amount = yield from exchanged(invoice["amount"], code)
        return Answer.of(
            f"{'Yes' if refunded else 'No'}. It is about {amount:.2f} {code}.",
            facts.yes_no("was_refunded", refunded),
            facts.number("amount", amount, f"amount of the invoice in {code}, to cents"),
        )

    return Plan.of(
        f"Is my payment to {issuer} still refundable? If it is, have it refunded. How much is the invoice in "
        f"{code}, either way?",
        f"Try to get a refund of what I paid {issuer}. Did it work? Give me the amount of that invoice in "
        f"{code} too.",
        f"I want the money for the {issuer} invoice back. Ask for it, tell me whether that went through, and "
        f"convert the amount of the invoice to {code}.",
        solve=solve,
    )


@template(bill_box.TOOL, pocket_bank.TOOL, calls=7, writes=("invoices", "accounts", "transfers"), unseen=True)
def clear_overdue(draw: Draw) -> Plan:
    """Fill up an account and pay everything that is overdue from it."""
    draw.home()
    source, payer = draw.pick_some(pocket_bank.KINDS, 2)
    amount = draw.between(20, 400)

    def solve() -> Solution:
        rows = (yield pocket_bank.list_accounts())["accounts"]
        ids = {row["kind"]: row["account_id"] for row in rows}
        yield from transferred(ids[source], ids[payer], amount)
        overdue = (yield bill_box.list_invoices(status="overdue"))["results"]
        yield from _pay(overdue, {"account_id": ids[payer]})
        left = (yield from account_named(payer))["balance"]
        return Answer.of(
            f"All is paid; {left:.2f} AUR are left.", facts.number("balance_after", left, "in AUR, to cents")
        )

    return Plan.of(
        f"Move {amount} AUR from {source} to {payer}, then pay all overdue invoices from my {payer} account. "
        "How much does it hold afterwards, in AUR?",
        f"Clear my overdue invoices out of the {payer} account, after transferring {amount} aurel into it "
        f"from {source}. What is left in {payer}, in aurel?",
        f"I want nothing overdue any more: top {payer} up with {amount} AUR from {source}, and let it pay "
        f"every overdue invoice. Report the final balance of {payer} in AUR.",
        solve=solve,
    )
