"""How an engine is registered: its addresses, the connections that it accepts, and how it opens both.

The three engines of this package and those of other packages are values of `Connector`. Another package registers its
engine by an entry point of the group `kanon_sql.engines`. The name of the entry point is the scheme of its addresses.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from importlib.metadata import EntryPoint

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.capabilities import Capabilities
    from kanon_sql.engines.connect import Settings

GROUP = "kanon_sql.engines"
SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)
"""The beginning of an address. A single letter before a colon is a drive, and does not match."""


@dataclass(frozen=True, slots=True)
class Connector:
    """How to connect to one engine.

    `opens` opens the database at an address; its last argument is whether to open it for writing. `uses` takes an open
    connection of one of the `libraries` (names of top-level packages), and leaves it open. Both yield an engine for a
    `with` block. `dialect` is duckdb, postgres or spark: that of policies' SQL and of the engine's words and templates.
    """

    capabilities: Capabilities
    dialect: str
    schemes: tuple[str, ...]
    libraries: frozenset[str]
    opens: Callable[[str, Settings, bool], AbstractContextManager[Engine]]
    uses: Callable[[object, Settings], AbstractContextManager[Engine]]


def named_by(database: str, own: tuple[Connector, ...]) -> Connector | None:
    """Return the connector of an address: one of our `own`, or the entry point with its scheme as name.

    None if there is neither. Raises InputError where several packages have such an entry point, or it does not load.
    """
    found = next((each for each in own if database.lower().startswith(each.schemes)), None)
    scheme = SCHEME.match(database)
    if found is not None or scheme is None:
        return found
    given = [each for each in _entry_points() if each.name.lower() == scheme[1].lower()]
    if len(given) > 1:
        packages = " and ".join(sorted(_package(each) for each in given))
        what = f"is the name of several engines, of {packages}; uninstall all but one"
        raise InputError("database", [Fault(scheme[1], what)])
    return _loaded(given[0]) if given else None


def others() -> Iterator[Connector]:
    """Yield the connectors of other packages. Raises InputError where one does not load."""
    yield from map(_loaded, _entry_points())


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    """List the entry points. Cached, because this reads the metadata of every installed package."""
    from importlib.metadata import entry_points  # noqa: PLC0415  few runs need it

    return tuple(sorted(entry_points(group=GROUP), key=lambda each: each.name))


def _loaded(given: EntryPoint) -> Connector:
    try:
        found = given.load()
    except Exception as error:
        what = f"of {_package(given)} cannot be loaded ({type(error).__name__})"
        raise InputError(GROUP, [Fault(given.name, what)]) from error
    if not isinstance(found, Connector):
        what = f"of {_package(given)} is no Connector of kanon_sql.engines.connector"
        raise InputError(GROUP, [Fault(given.name, what)])
    return found


def _package(given: EntryPoint) -> str:
    return given.dist.name if given.dist is not None else given.value
