from stb_env import environment, task
def add(shelf: dict, title: str, year: int) -> str:
    """Put a book on the shelf."""
    return shelf.setdefault(title, {"year": year, "lent": ""}) and f"{title} is on the shelf"
def lend(shelf: dict, title: str, to: str) -> str:
    """Lend a book to somebody."""
    return shelf[title].update(lent=to) or f"{title} is lent to {to}"
def take(shelf: dict, title: str) -> str:
    """Take a book back."""
    return shelf[title].update(lent="") or f"{title} is back"
def find(shelf: dict, year: int) -> list[str]:
    """List the titles of a year."""
    return [title for title, book in shelf.items() if book["year"] == year]
def count(shelf: dict, lent: bool = False) -> int:
    """Count the books, or the lent ones alone."""
    return sum(bool(book["lent"]) or not lent for book in shelf.values())
BOOKS = {name: {"year": year, "lent": to} for name, year, to in [("Emma", 1815, ""), ("Dune", 1965, "Ann")]}
def loan(b, to):
    return task(f"Lend {b} to {to}.", gold=f"lend('{b}', '{to}')", check=lambda _, s: s[b]["lent"] == to)
SUITE = environment("outsider/Shelf-v0", tools=[add, lend, take, find, count], state=BOOKS, tasks=[
    loan("Emma", "Bo"), loan("Emma", "Cy"), loan("Emma", "Di"), loan("Dune", "Ed"), loan("Dune", "Flo"),
    task("How many books?", gold="count()", answer=2), task("How many lent?", gold="count(True)", answer=1),
    task("Which books are of 1815?", gold="find(1815)", answer={"titles": ["Emma"]}),
    task("Put Kim of 1901 on the shelf.", gold="add('Kim', 1901)", check=lambda _, shelf: "Kim" in shelf),
    task("Ann is back with Dune.", gold="take('Dune')", check=lambda _, shelf: not shelf["Dune"]["lent"])])
