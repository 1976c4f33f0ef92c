"""Tasks about subscriptions."""

from __future__ import annotations

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.lookups import accepted, days, exchanged, find, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import plan_keeper, rate_board


def _subscriptions(draw: Draw) -> list[Row]:
    return list(draw.home().table("subscriptions").values())


def _subscription(service: str) -> Steps[Row]:
    return (yield from find(plan_keeper.list_subscriptions(), service=service))


@template(plan_keeper.TOOL, calls=2, unseen=True)
def subscription_cost(draw: Draw) -> Plan:
    """Cost of a subscription over some months, and its renewal date."""
    service, months = draw.pick(_subscriptions(draw))["service"], draw.between(2, 24)

    def solve() -> Solution:
        key = (yield from _subscription(service))["subscription_id"]
        row = yield plan_keeper.subscription_details(subscription_id=key)
        cost = round(row["monthly_price"] * months, 2)
        return Answer.of(
            f"It costs {cost:.2f} AUR and renews on {row['renews_on']}.",
            facts.number("total", cost, "in AUR"),
            facts.date("renewal_date", row["renews_on"]),
        )

    return Plan.of(
        f"What do I pay for {service} in {months} months, and when does it renew next?",
        f"Work out the cost of {months} months of my {service} subscription, and give me its next renewal "
        "date.",
        f"For my budget: {service}, {months} months at the present tier. Sum in aurel and date of the next "
        "renewal, please.",
        solve=solve,
    )


@template(plan_keeper.TOOL, calls=3, writes=("subscriptions",))
def upgrade_within_budget(draw: Draw) -> Plan:
    """Move to premium if that fits a budget, else to standard."""
    basic = [row for row in _subscriptions(draw) if row["tier"] == "basic"]
    service, limit = draw.pick(basic)["service"], draw.between(4, 31)

    def solve() -> Solution:
        row = yield from _subscription(service)
        prices = (yield plan_keeper.tier_prices(service=service))["prices"]
        tier = "premium" if prices["premium"] <= limit else "standard"
        if row["tier"] != tier:
            yield plan_keeper.change_tier(subscription_id=row["subscription_id"], tier=tier)
        return Answer.of(
            f"It is {tier} now, at {prices[tier]:.2f} AUR a month.",
            facts.number("monthly_price", prices[tier], "in AUR"),
        )

    return Plan.of(
        f"Upgrade my {service} subscription to premium if that costs {limit} AUR a month at most, else to "
        "standard. What is the price a month from now on?",
        f"My limit for {service} is {limit} aurel a month: choose premium within it, and standard if premium "
        "costs more. Make the change and tell me the monthly price.",
        f"Is premium of {service} within {limit} AUR a month? Then switch me to it; otherwise standard will "
        "do, whatever it costs. Which monthly price results?",
        solve=solve,
    )


@template(
    plan_keeper.TOOL,
    calls=3,
    writes=("subscriptions",),
    offers=[plan_keeper.cancel_subscription, plan_keeper.pause_subscription],
)
def cancel_or_pause(draw: Draw) -> Plan:
    """Cancel a subscription, or pause it where the contract still binds."""
    service, until = draw.pick(_subscriptions(draw))["service"], draw.pick(days(30, 180))

    def solve() -> Solution:
        key = (yield from _subscription(service))["subscription_id"]
        row = yield plan_keeper.subscription_details(subscription_id=key)
        if row["status"] == "active" and days_left(row["bound_until"]) >= 0:
            yield plan_keeper.pause_subscription(subscription_id=key, until=until.isoformat())
        elif row["status"] == "active":
            yield plan_keeper.cancel_subscription(subscription_id=key)
        bound = row["bound_until"]
        return Answer.of(f"Done; the contract date is {bound}.", facts.date("bound_until", bound))

    return Plan.of(
        f"Cancel {service}. If the contract still binds me, pause it until {until} instead. Until which date "
        "does (or did) the contract bind me?",
        f"I want to get rid of {service}: cancel it if the contract has run out, otherwise have it paused "
        f"until {long_date(until)}. Tell me the day until which it is or was binding.",
        f"End my {service} subscription, or, where the minimum term has not passed, put it on hold until "
        f"{until}. I also want to know the date on which the minimum term ends or ended.",
        solve=solve,
    )


@template(plan_keeper.TOOL, calls=3, writes=("subscriptions",))
def bound_by_contract(draw: Draw) -> Plan:
    """Cancel a subscription unless the contract binds; then nothing changes."""
    binds = draw.rng.choice((True, False))
    rows = [row for row in _subscriptions(draw) if (days_left(row["bound_until"]) >= 0) is binds]
    service, months = draw.pick(rows)["service"], draw.between(2, 13)

    def solve() -> Solution:
        key = (yield from _subscription(service))["subscription_id"]
        row = yield plan_keeper.subscription_details(subscription_id=key)
        cancelled = row["status"] == "cancelled" or (
            yield from accepted(plan_keeper.cancel_subscription(subscription_id=key))
        )
        cost = round(row["monthly_price"] * months, 2)
        return Answer.of(
            f"{'Yes' if cancelled else 'No'}, the contract date is {row['bound_until']}; {months} months "
            f"cost {cost:.2f} AUR.",
            facts.yes_no("was_cancelled", cancelled),
            facts.date("bound_until", row["bound_until"]),
            facts.number("total", cost, "in AUR"),
        )

    return Plan.of(
        f"Can I get out of {service} now? Cancel it if so. Either way: until when does (or did) the contract "
        f"bind me, and what do {months} months of it cost?",
        f"Try to cancel my {service} subscription and leave it alone if that is refused. Did it work? Give "
        f"me the date until which I am or was bound and the cost of {months} months.",
        f"Is {service} cancellable today? Then cancel it. Tell me whether you did, the end of the binding "
        f"period, be it past or not, and the price of {months} months in aurel.",
        solve=solve,
    )


@template(plan_keeper.TOOL, rate_board.TOOL, calls=7)
def all_subscriptions(draw: Draw) -> Plan:
    """Cost of all subscriptions over some months, in another currency."""
    draw.home()
    months, code = draw.between(2, 12), draw.pick(FOREIGN)

    def solve() -> Solution:
        total = 0.0
        for row in (yield plan_keeper.list_subscriptions())["results"]:
            details = yield plan_keeper.subscription_details(subscription_id=row["subscription_id"])
            total += details["monthly_price"]
        total = yield from exchanged(round(total * months, 2), code)
        return Answer.of(
            f"They cost {total:.2f} {code}.",
            facts.number("total", total, f"in {code}, the sum converted to the cent"),
        )

    return Plan.of(
        f"What do all my subscriptions together cost in {months} months, converted to {code} in one sum?",
        f"Add up the monthly prices of everything I subscribe to, times {months}, and convert the sum to "
        f"{code}.",
        f"I move abroad. Take the sum of {months} months of all my subscriptions: how much {code} is it?",
        solve=solve,
    )
