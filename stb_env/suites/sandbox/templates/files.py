"""Tasks about files and folders."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.lookups import accepted, contact_named, file_named
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import contact_book, file_nest

_NEW_FOLDERS = ("Bundle", "Drafts", "Later", "Moving house", "Originals", "Review", "Shared", "Tables")
_NEW_STEMS = ("appendix", "checklist", "draft", "handout", "notes", "overview", "summary")


def _files(draw: Draw) -> list[Row]:
    return list(draw.home().table("files").values())


def _target(draw: Draw, parents: Sequence[str], source: str) -> str:
    """Draw a folder to move files to: as often one that exists as one that has to be created."""
    if draw.pick((True, False)):
        return draw.pick([path for path in file_nest.FOLDERS if path.count("/") == 2 and path != source])
    return f"{draw.pick(parents)}/{draw.pick(_NEW_FOLDERS)}"


def _folder_of(path: str) -> Steps[None]:
    """Create a folder unless it is there."""
    parent = path.rpartition("/")[0]
    if path not in (yield file_nest.list_folder(path=parent))["subfolders"]:
        yield file_nest.create_folder(path=path)


@template(file_nest.TOOL, calls=1)
def files_above(draw: Draw) -> Plan:
    """Files of a folder that exceed a size."""
    rows, folder = _files(draw), draw.pick(file_nest.FOLDERS)
    sizes = [row["size_kb"] for row in rows if row["folder"] == folder]
    limit = draw.between(min(sizes), max(sizes) - 1)

    def solve() -> Solution:
        page = yield file_nest.list_folder(path=folder)
        large = [row["name"] for row in page["results"] if row["size_kb"] > limit]
        return Answer.of(f"These: {', '.join(large)}.", facts.names("file_names", large))

    return Plan.of(
        f"Which files that lie directly in the folder {folder} are larger than {limit} kB?",
        f"I am cleaning up {folder} (the folder itself, without its subfolders). Name every file there of "
        f"more than {limit} kilobytes.",
        f"Give me the names of all files in {folder} whose size exceeds {limit} kB; subfolders do not count.",
        solve=solve,
    )


@template(file_nest.TOOL, calls=2, writes=("files",))
def rename_file(draw: Draw) -> Plan:
    """Give a file another name."""
    old = draw.pick(_files(draw))["name"]
    new = f"{draw.pick(_NEW_STEMS)}-{draw.between(1, 30)}.{old.rpartition('.')[2]}"

    def solve() -> Solution:
        row = yield from file_named(old)
        if row:
            yield file_nest.rename_file(file_id=row["file_id"], name=new)
        return Answer.of(f"It is called {new} now.")

    return Plan.of(
        f"Rename my file {old} to {new}.",
        f"The file {old} has a poor name; call it {new}.",
        f"Please change the name of {old} into {new}, in whatever folder it is.",
        solve=solve,
    )


@template(file_nest.TOOL, calls=4, writes=("files", "folders"), offers=[file_nest.create_folder])
def file_to_new_folder(draw: Draw) -> Plan:
    """Move a file to a folder, which may have to be created."""
    row = draw.pick(_files(draw))
    name, path = row["name"], _target(draw, ("/Work", "/Home"), row["folder"])

    def solve() -> Solution:
        row = yield from file_named(name)
        yield from _folder_of(path)
        if row and row["folder"] != path:
            yield file_nest.move_file(file_id=row["file_id"], folder=path)
        size = row["size_kb"] if row else 0
        return Answer.of(f"Moved; it has {size} kB.", facts.integer("size_kb", size))

    return Plan.of(
        f"Move {name} to the folder {path}, creating that folder if it is missing. How large is the file, in "
        "kB?",
        f"I want {name} in {path}. Make the folder where there is none, and tell me how many kilobytes the "
        "file has.",
        f"Put my file {name} into {path} (a new folder, unless it exists) and report the file's size in kB.",
        solve=solve,
    )


@template(file_nest.TOOL, calls=5, writes=("files", "folders"), offers=[file_nest.create_folder])
def gather_tables(draw: Draw) -> Plan:
    """Move all CSV files of a folder to a new one."""
    draw.home()
    source = draw.pick(file_nest.FOLDERS)
    parents = ("/Work", "/Work/Reports") if source.startswith("/Home") else ("/Home", "/Home/Photos")
    target = _target(draw, parents, source)

    def solve() -> Solution:
        rows = (yield file_nest.list_folder(path=source))["results"]
        yield from _folder_of(target)
        for row in rows:
            if row["name"].endswith(".csv"):
                yield file_nest.move_file(file_id=row["file_id"], folder=target)
        return Answer.of(f"The CSV files are in {target}.")

    return Plan.of(
        f"Create the folder {target} if need be and move all CSV files that lie directly in {source} there.",
        f"Every .csv file of {source} itself (leave subfolders alone) should go to {target}, which may have "
        "to be created.",
        f"Tidy up: the CSV files in {source} belong into {target}. Create it where it is missing, and leave "
        "other files and subfolders as they are.",
        solve=solve,
    )


@template(contact_book.TOOL, file_nest.TOOL, calls=4, writes=("files",))
def share_file(draw: Draw) -> Plan:
    """Share a file with a contact."""
    name = draw.pick(_files(draw))["name"]
    friend = draw.pick(friends(draw.household))["name"]

    def solve() -> Solution:
        email = (yield from contact_named(friend))["email"]
        row = yield from file_named(name)
        if row:
            yield file_nest.share_file(file_id=row["file_id"], email=email)
        return Answer.of(f"{name} is shared with {email}.", facts.code("email_address", email))

    return Plan.of(
        f"Share the file {name} with my contact {friend}. Which address did you use?",
        f"{friend} (in my contacts) should be able to read {name}. Set that up and tell me the e-mail "
        "address it is shared with.",
        f"Give {friend} access to my file {name}, under the e-mail address in my contacts, and repeat the "
        "address.",
        solve=solve,
    )


@template(file_nest.TOOL, calls=3, writes=("files",))
def copy_without_space(draw: Draw) -> Plan:
    """Copy a file, unless it is larger than the space left."""
    rows, large = _files(draw), draw.pick((True, False))
    row = draw.pick([row for row in rows if (row["size_kb"] >= 1_200) is large])
    name = row["name"]
    folder = draw.pick([path for path in file_nest.FOLDERS if path != row["folder"]])

    def solve() -> Solution:
        rows = [row for row in (yield file_nest.search_files(name=name))["results"] if row["name"] == name]
        if not rows:
            raise ApiError(f"no file named {name}")
        copied = any(row["folder"] == folder for row in rows) or (
            yield from accepted(file_nest.copy_file(file_id=rows[0]["file_id"], folder=folder))
        )
        free, size = (yield file_nest.storage_quota())["free_kb"], rows[0]["size_kb"]
        return Answer.of(
            f"{'Yes' if copied else 'No'}: it has {size} kB, and {free} kB are free.",
            facts.yes_no("was_copied", copied),
            facts.integer("size_kb", size, "of the file"),
            facts.integer("free_kb", free, "in the end"),
        )

    return Plan.of(
        f"Copy {name} to {folder} if the quota allows it; delete nothing for it. Did it work? Tell me the "
        "size of the file and the space left in the end, in kB.",
        f"Is there room for a copy of {name} in {folder}? If there is, make it. Report the size of the file "
        "and the space that is free after that, in kilobytes, and leave everything else as it is.",
        f"I would like a second {name}, in {folder}. Try it without removing anything. Did it work, how many "
        "kB does the file have, and how many are free in the end?",
        solve=solve,
    )
