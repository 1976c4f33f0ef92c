"""Tasks about to-do lists."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.climate import CONDITIONS
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.households import TODAY, friends
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.lookups import city_id, contact_named, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import city_atlas, climate_desk, contact_book, task_tray

_LISTS = tuple(task_tray.LISTS)
_NEW = (
    "Bleed the radiators", "Call the notary", "Defrost the freezer", "Label the jars", "Measure the loft",
    "Pay the window cleaner", "Replace the batteries", "Sharpen the shears", "Wax the bike chain",
)  # fmt: skip


@template(task_tray.TOOL, calls=1)
def todos_due(draw: Draw) -> Plan:
    """To-dos of a list that are due by a day."""
    home, name = draw.home(), draw.pick(_LISTS)
    dates = [row["due_date"] for row in home.table("todos").values() if row["list_name"] == name]
    limit = draw.pick(days(days_left(min(dates)), 35))

    def solve() -> Solution:
        page = yield task_tray.search_todos(title="", list_name=name, due_by=limit.isoformat())
        due = [row["title"] for row in page["results"] if not row["done"]]
        return Answer.of(f"Due are: {', '.join(due)}.", facts.names("titles", due))

    return Plan.of(
        f'What on my list "{name}" is due by {long_date(limit)}, that day included?',
        f"Name every open to-do of the list {name} with a due date up to {limit}.",
        f"Which things from {name} (my to-do list) must be done by {limit} at the latest?",
        solve=solve,
    )


@template(task_tray.TOOL, calls=2, writes=("todos",))
def add_todo(draw: Draw) -> Plan:
    """Add a to-do."""
    draw.home()
    name, title, when = draw.pick(_LISTS), draw.pick(_NEW), draw.pick(days(1, 90))
    priority = draw.pick(task_tray.PRIORITIES)

    def solve() -> Solution:
        if not (yield task_tray.search_todos(title=title))["results"]:
            yield task_tray.add_todo(
                list_name=name, title=title, due_date=when.isoformat(), priority=priority
            )
        return Answer.of(f"{title} is on the list {name}.")

    return Plan.of(
        f'Add "{title}" to my list {name}, due {when}, with {priority} priority, unless it is on a list.',
        f'Remind me of "{title}" by {long_date(when)}: list {name}, priority {priority}. Just once, please.',
        f'I need a to-do "{title}" in {name} for {when}; its priority is {priority}. Look whether there is '
        "one before you add it.",
        solve=solve,
    )


@template(task_tray.TOOL, calls=3, writes=("todos",))
def postpone_urgent(draw: Draw) -> Plan:
    """Move everything urgent on a list to another day."""
    draw.home()
    name, when = draw.pick(_LISTS), draw.pick(days(40, 140))

    def solve() -> Solution:
        rows = (yield task_tray.search_todos(title="", list_name=name, priority="high"))["results"]
        for row in rows:
            yield task_tray.reschedule_todo(todo_id=row["todo_id"], due_date=when.isoformat())
        titles = [row["title"] for row in rows]
        return Answer.of(f"Moved: {', '.join(titles)}.", facts.names("moved_titles", titles))

    return Plan.of(
        f"Move every high-priority to-do of my list {name} to {when}, and tell me which ones those are.",
        f"Whatever is urgent (priority high) on {name} can wait until {long_date(when)}. Change the due "
        "dates and name what you moved.",
        f"Postpone all the to-dos with high priority on the list {name}: the new due date is {when}. Which "
        "were they?",
        solve=solve,
    )


@template(task_tray.TOOL, calls=4, writes=("todos",))
def swap_todos(draw: Draw) -> Plan:
    """Tick one to-do off, make another one urgent."""
    home = draw.home()
    done, urgent = draw.pick_some(
        [row for row in home.table("todos").values() if row["priority"] != "high"], 2
    )

    def solve() -> Solution:
        rows = (yield task_tray.search_todos(title=done["title"]))["results"]
        for row in rows:
            yield task_tray.complete_todo(todo_id=row["todo_id"])
        rows = (yield task_tray.search_todos(title=urgent["title"]))["results"]
        for row in rows:
            yield task_tray.set_priority(todo_id=row["todo_id"], priority="high")
        due = rows[0]["due_date"] if rows else ""
        return Answer.of(f"Done. It is due on {due}.", facts.date("due_date", due))

    return Plan.of(
        f'I have finished "{done["title"]}", tick it off. Then give "{urgent["title"]}" high priority; when '
        "is that one due?",
        f'"{done["title"]}" is done. "{urgent["title"]}" is urgent now: set its priority to high and tell me '
        "its due date.",
        f'Mark the to-do "{done["title"]}" as completed and raise "{urgent["title"]}" to priority high. '
        "Until when do I have time for the latter?",
        solve=solve,
    )


@template(contact_book.TOOL, task_tray.TOOL, calls=4, writes=("todos",), unseen=True)
def birthday_todo(draw: Draw) -> Plan:
    """Note something some days before a contact's birthday."""
    draw.home()
    rows = [row for row in friends(draw.household) if not row["birthday"].endswith("02-29")]
    later = [row for row in rows if row["birthday"][5:] > "03-20"]
    name, ahead = draw.pick(later)["name"], draw.between(3, 14)
    title = f"Card for {name}"

    def solve() -> Solution:
        row = yield from contact_named(name)
        birthday = date.fromisoformat(row["birthday"]).replace(year=TODAY.year)
        due = (birthday - timedelta(days=ahead)).isoformat()
        if not (yield task_tray.search_todos(title=title))["results"]:
            yield task_tray.add_todo(list_name="Errands", title=title, due_date=due)
        return Answer.of(f'"{title}" is due on {due}.', facts.date("due_date", due))

    return Plan.of(
        f'Put "{title}" on my Errands list (normal priority), due {ahead} days before the birthday that '
        f"{name} from my contacts has this year, 2026. On which date is that?",
        f"{ahead} days before this year's (2026) birthday of my contact {name} I want a to-do "
        f'"{title}" in Errands. Add it and tell me the due date.',
        f'Look up when {name} (see contacts) has a birthday and add the errand "{title}" for {ahead} days '
        "earlier in 2026. Which due date did you set?",
        solve=solve,
    )


@template(city_atlas.TOOL, climate_desk.TOOL, task_tray.TOOL, calls=4, writes=("todos",), unseen=True)
def packing_todo(draw: Draw) -> Plan:
    """Note to pack one thing if rain is forecast, else another."""
    draw.home()
    name, when = draw.pick(CITIES)["name"], draw.pick(days(2, 100))
    wet, dry = draw.pick((("Pack the umbrella", "Pack the sun hat"), ("Pack the boots", "Pack the sandals")))

    def solve() -> Solution:
        key = yield from city_id(name)
        row = yield climate_desk.daily_forecast(city_id=key, date=when.isoformat())
        title = wet if row["rain"] > 0 else dry
        if not (yield task_tray.search_todos(title=title))["results"]:
            yield task_tray.add_todo(list_name="Home", title=title, due_date=when.isoformat())
        return Answer.of(
            f"{'Yes' if row['rain'] > 0 else 'No'}, {row['condition']}; I noted it.",
            facts.yes_no("will_rain", row["rain"] > 0),
            facts.choice("condition", row["condition"], CONDITIONS),
        )

    return Plan.of(
        f'If any rain is forecast for {name} on {when}, add "{wet}" to my Home list, due that day; else '
        f'"{dry}". Does rain come, and which conditions are expected?',
        f'I travel to {name} on {long_date(when)}. Put "{wet}" (rain above 0 mm) or "{dry}" (a dry day) on '
        "the list Home for that date. Is it going to rain? Give the weather condition too.",
        f'Check the forecast of {name} for {when}. Put on my list Home, due then, "{wet}" where it rains, '
        f'otherwise "{dry}". Does it rain, and what is the condition?',
        solve=solve,
    )
