"""Tasks about currencies and the user's bank accounts."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.currencies import CODES, FOREIGN
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.content.products import products
from stb_env.suites.sandbox.lookups import account_named, city_id, exchanged, product_id, transferred
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import city_atlas, corner_shop, pocket_bank, rate_board

_PRODUCTS = Options(lambda: products().values())


@template(rate_board.TOOL, calls=1)
def convert_amount(draw: Draw) -> Plan:
    """Convert between two currencies."""
    source, target = draw.pick_some(CODES, 2)
    amount = draw.between(15, 4_000)

    def solve() -> Solution:
        got = yield from exchanged(amount, target, source)
        return Answer.of(
            f"That is {got:.2f} {target}.", facts.number("amount", got, f"in {target}, to the cent")
        )

    return Plan.of(
        f"How much is {amount} {source} in {target}, to the cent?",
        f"I have {amount} {source} left over from a trip. What do I get for it in {target}, to the cent?",
        f"Please convert {amount} {source} to {target}, to the cent.",
        solve=solve,
    )


@template(city_atlas.TOOL, rate_board.TOOL, calls=3)
def pocket_money(draw: Draw) -> Plan:
    """An amount in the currency of a city."""
    name, amount = draw.pick(CITIES)["name"], draw.between(40, 2_000)

    def solve() -> Solution:
        city = yield city_atlas.city_details(city_id=(yield from city_id(name)))
        code = city["currency"]
        local = yield from exchanged(amount, code)
        return Answer.of(
            f"You get {local:.2f} {code}.",
            facts.number("amount", local, "in the currency of currency_code, to the cent"),
            facts.choice("currency_code", code, CODES),
        )

    return Plan.of(
        f"I take {amount} aurel (AUR) to {name}. How much is that in the currency used there? Give the "
        "amount and the currency code.",
        f"What will {amount} AUR be worth in local money in {name}? Amount and three-letter code, please.",
        f"Change {amount} AUR into whatever they pay with in {name}: how much do I get, and which currency "
        "code is it?",
        solve=solve,
    )


@template(corner_shop.TOOL, rate_board.TOOL, calls=3)
def price_abroad(draw: Draw) -> Plan:
    """Price of a product in another currency."""
    name, code = draw.pick(_PRODUCTS)["name"], draw.pick(FOREIGN)

    def solve() -> Solution:
        product = yield corner_shop.product_details(product_id=(yield from product_id(name)))
        price = yield from exchanged(product["price_aur"], code)
        return Answer.of(
            f"It costs {price:.2f} {code}.", facts.number("price", price, f"in {code}, to the cent")
        )

    return Plan.of(
        f"What does the {name} from the shop cost in {code}?",
        f"A friend abroad wants the {name}. Tell me its price converted to {code}.",
        f"Look up the {name} and give me its price in {code} at today's rate.",
        solve=solve,
    )


@template(pocket_bank.TOOL, calls=1)
def account_balance(draw: Draw) -> Plan:
    """Balance of one of the user's accounts."""
    draw.home()
    kind = draw.pick(pocket_bank.KINDS)

    def solve() -> Solution:
        balance = (yield from account_named(kind))["balance"]
        return Answer.of(f"It holds {balance:.2f} AUR.", facts.number("balance", balance, "in AUR"))

    return Plan.of(
        f"How much money is in my {kind} account?",
        f"What is the balance of my {kind} account right now?",
        f"Check my {kind} account and tell me how much I have there.",
        solve=solve,
    )


@template(pocket_bank.TOOL, rate_board.TOOL, calls=2)
def balance_abroad(draw: Draw) -> Plan:
    """Balance of an account in another currency."""
    draw.home()
    kind, code = draw.pick(pocket_bank.KINDS), draw.pick(FOREIGN)

    def solve() -> Solution:
        value = yield from exchanged((yield from account_named(kind))["balance"], code)
        return Answer.of(
            f"That is {value:.2f} {code}.", facts.number("value", value, f"in {code}, to the cent")
        )

    return Plan.of(
        f"How much would my {kind} account's whole balance be in {code}?",
        f"If I changed everything in my {kind} account into {code}, how much would I get?",
        f"Give me the balance of my {kind} account, converted to {code}.",
        solve=solve,
    )


@template(pocket_bank.TOOL, calls=3, writes=("accounts", "transfers"))
def transfer_money(draw: Draw) -> Plan:
    """Move money between two accounts."""
    draw.home()
    source, target = draw.pick_some(pocket_bank.KINDS, 2)
    amount = draw.between(5, 500)

    def solve() -> Solution:
        rows = (yield pocket_bank.list_accounts())["accounts"]
        ids = {row["kind"]: row["account_id"] for row in rows}
        yield from transferred(ids[source], ids[target], amount)
        return Answer.of(f"Done: {amount} AUR went from the {source} to the {target} account.")

    return Plan.of(
        f"Move {amount} AUR from my {source} account to my {target} account, once, if I have not done so "
        "yet.",
        f"Please transfer {amount} aurel out of {source} into {target}; make sure it is not done twice.",
        f"Top up my {target} account with {amount} AUR from the {source} account, unless that transfer "
        "exists already.",
        solve=solve,
    )
