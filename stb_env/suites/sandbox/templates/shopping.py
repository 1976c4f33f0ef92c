"""Tasks about the shop."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.products import products
from stb_env.suites.sandbox.lookups import product_id
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import corner_shop

# Every cart starts with the first product, so the tasks are about the others.
_PRODUCTS = Options(lambda: list(products().values())[1:])


@template(corner_shop.TOOL, calls=2)
def product_price(draw: Draw) -> Plan:
    """Price and weight of several pieces of a product."""
    name, count = draw.pick(_PRODUCTS)["name"], draw.between(2, 9)

    def solve() -> Solution:
        row = yield corner_shop.product_details(product_id=(yield from product_id(name)))
        cost, weight = round(row["price_aur"] * count, 2), row["weight_g"] * count
        return Answer.of(
            f"Together they cost {cost:.2f} AUR and weigh {weight} g.",
            facts.number("total", cost, "in AUR"),
            facts.integer("weight_g", weight),
        )

    return Plan.of(
        f"What would {count} pieces of the {name} cost in total, and what would they weigh in grams?",
        f"I think of buying {count} x {name}. Total price and total weight (grams)?",
        f"For {count} units of the {name}, work out the sum in aurel and the weight in g.",
        solve=solve,
    )


@template(corner_shop.TOOL, calls=2, writes=("cart",))
def fill_cart(draw: Draw) -> Plan:
    """Put a product into the cart."""
    draw.home()
    name, count = draw.pick(_PRODUCTS)["name"], draw.between(1, 9)

    def solve() -> Solution:
        key = yield from product_id(name)
        row = yield corner_shop.set_cart_quantity(product_id=key, quantity=count)
        total = row["cart_total"]
        return Answer.of(
            f"Done; the cart now comes to {total:.2f} AUR.", facts.number("cart_total", total, "in AUR")
        )

    return Plan.of(
        f"Put {count} of the {name} into my cart, leave the rest of it as it is, and tell me the new total.",
        f"I want {count} x {name} in my cart besides what is there. What is the cart's total then?",
        f"Make my cart hold {count} of the {name}, in addition to the other lines; report the total.",
        solve=solve,
    )


@template(corner_shop.TOOL, calls=4, writes=("cart", "orders"))
def order_product(draw: Draw) -> Plan:
    """Order a product together with what is in the cart."""
    draw.home()
    name, count = draw.pick(_PRODUCTS)["name"], draw.between(1, 9)

    def solve() -> Solution:
        key = yield from product_id(name)
        lines = (yield corner_shop.view_cart())["lines"]
        if lines:
            yield corner_shop.set_cart_quantity(product_id=key, quantity=count)
            yield corner_shop.place_order()
        return Answer.of("The order is placed.")

    return Plan.of(
        f"Add {count} of the {name} to what is in my cart already and order all of it.",
        f"Check my cart, put {count} x {name} in as well, and place the order.",
        f"I want to buy {count} pieces of the {name} together with the present contents of my cart. Order "
        "it.",
        solve=solve,
    )
