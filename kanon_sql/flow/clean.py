"""What killed runs left: found by the locks and marks of runs, and taken away."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engine import spill
from kanon_sql.engine.beside import sweep
from kanon_sql.engine.connect import is_address, open_engine
from kanon_sql.engine.scratch import age_of, mark_of
from kanon_sql.engine.spill import State
from kanon_sql.errors import Fault, InputError
from kanon_sql.sql import publishing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.engine.connect import Settings

UNDOES = "has no meaning: {} undoes by itself what a killed run did"
DAY = 24 * 60 * 60.0


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that a run made and did not take away, whether it was removed, and why."""

    place: str
    removed: bool
    why: str


def clean(
    path: str | Path | None = None,
    *,
    database: str | None = None,
    connection: object | None = None,
    settings: Settings | None = None,
    schema: str | None = None,
    older_than: float = DAY,
    force: bool = False,
    dry_run: bool = False,
) -> list[Leftover]:
    """Remove what killed runs left, and nothing of a run that lives.

    In a folder, which is that of temporary files unless `path` names another, a run is dead when
    its lock is free. In a database without transactions, whose tables nobody locks, it is taken for
    dead when it began more than `older_than` seconds ago. `force` removes folders of older
    versions, which held no lock; `dry_run` removes nothing.
    """
    if database is None and connection is None:
        if schema is not None:
            raise InputError("clean", [Fault("schema", "goes with a database")])
        folder = Path(path) if path is not None else spill.default_parent()
        if not folder.is_dir():
            raise InputError(str(folder), [Fault("path", "there is no such folder")])
        return list(_in_folder(folder, force=force, dry_run=dry_run))
    if path is not None:
        raise InputError("clean", [Fault("path", "a folder or a database, one at a time")])
    if connection is None and database is not None and not is_address(database):
        if not Path(database).is_file():
            raise InputError(database, [Fault("database", "there is no such file")])
        if schema is not None:
            raise InputError(database, [Fault("schema", UNDOES.format("DuckDB"))])
        return []  # a DuckDB file undoes by itself what a killed run did in it
    found = []
    with open_engine(connection, database, settings, writes=True) as engine:
        if schema is not None and engine.facts.transactions:
            raise InputError("clean", [Fault("schema", UNDOES.format(engine.facts.name))])
        for table in engine.leftovers(schema):
            age = age_of(mark_of(table.name) or "")
            dead = age > older_than
            if dead and not dry_run:
                engine.say(publishing.drop_table(table))
            why = (
                State.DEAD.value if dead else f"of a run that began {age:.0f} s ago, and may go on"
            )
            found.append(Leftover(".".join(part.name for part in table.parts), dead, why))
    return found


def _in_folder(folder: Path, *, force: bool, dry_run: bool) -> Iterator[Leftover]:
    for each in spill.spilled(folder):
        try:
            state = spill.clear(each, force=force, dry_run=dry_run)
        except OSError as error:
            why = f"cannot be removed ({os.strerror(error.errno or 0)})"
            yield Leftover(str(each), removed=False, why=why)
            continue
        removed = state is State.DEAD or (force and state is State.UNKNOWN)
        yield Leftover(str(each), removed=removed, why=state.value)
    for name in sweep(folder, dry_run=dry_run):
        yield Leftover(str(folder / name), removed=not dry_run, why=State.DEAD.value)
