"""Groups of real queries, and the environments that play them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from stb_env.errors import DataError
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.suites.stabletoolbench.queries import GROUPS, find_files


def env_id(group: str) -> str:
    """Return the id of a group's environment.

    Examples:
        >>> env_id("I1-Category")
        'stb/I1Category-v0'
    """
    return f"stb/{group.replace('-', '')}-v0"


def env_settings(settings: LabSettings, own: Collection[str]) -> dict[str, object]:
    """Return the options that are settings of the environments: all but the experiment's own."""
    return {name: value for name, value in settings.options.items() if name not in own}


def groups_of(settings: LabSettings) -> list[str]:
    """Return the groups that were asked for, or else those that the data has.

    Raises:
        ConfigError: There is no such group.
        DataError: The data has none.
    """
    data = Path(settings.text("data", ""))
    if settings.option("groups", None) is None:
        return list(_groups_in(data))
    return settings.some_of("groups", list(GROUPS), list(GROUPS))


def _groups_in(data: Path) -> Iterator[str]:
    """Yield the groups that the data has; a single file of another name is played as the first."""
    if data.is_file():
        yield next((group for group, stem in GROUPS.items() if stem == data.stem), next(iter(GROUPS)))
        return
    stems = {file.stem for file in find_files(data)}
    groups = [group for group, stem in GROUPS.items() if stem in stems]
    if not groups:
        raise DataError(
            f"no group's queries in {data}; expected files such as {next(iter(GROUPS.values()))}.json"
        )
    yield from groups
