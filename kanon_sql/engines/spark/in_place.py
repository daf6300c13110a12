"""Spark's release in place: a table of the same kind is created, and the two tables are renamed.

The catalog renames one table at a time. Meanwhile their names are the source's name with an ending, so that the
next run recognizes the tables of a killed run and restores them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines import in_place_sql
from kanon_sql.engines.commands_sql import command, drop_table
from kanon_sql.engines.in_place_sql import ColumnChanges, Dependent, Swap
from kanon_sql.errors import StatementError, VerificationError

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.engines.base import Engine

RELEASE, ORIGINAL = "__kanon_release", "__kanon_original"
TESTED = frozenset({"parquet", "orc"})
OURS = ("spark.sql.", "transient_lastDdlTime")


def next_to(table: exp.Table, ending: str) -> exp.Table:
    """Return the name of the temporary table next to another: that one's name with an ending."""
    return named(f"{table.name}{ending}", schema=table.db or None, catalog=table.catalog or None)


def restore(engine: Engine, table: exp.Table) -> None:
    """Restore the tables of a killed run: the original gets its name back, and the unfinished release is dropped."""
    created, aside = next_to(table, RELEASE), next_to(table, ORIGINAL)
    if not engine.locate(created):
        return
    if engine.locate(aside) and not engine.locate(table):
        engine.execute(command("rename_table", aside, table))
    engine.execute(drop_table(created))


def leftovers(names: list[str]) -> list[tuple[str, str]]:
    """Recognize the tables of a killed run by their names, with what to do about each.

    >>> leftovers(["a__kanon_release", "a__kanon_original", "b", "b__kanon_original"])[2:]
    [('b__kanon_original', 'holds the raw rows of b, whose release stands; drop it, or rename it')]
    """
    found = []
    for name in names:
        own = name.removesuffix(RELEASE).removesuffix(ORIGINAL)
        if f"{own}{RELEASE}" in names and name != own:
            why = f"of a release of {own} in place that did not end; the next one puts it right"
            found.append((name, why))
        elif name.endswith(ORIGINAL):
            why = f"holds the raw rows of {own}, whose release stands; drop it, or rename it"
            found.append((name, why))
    return found


def _described(engine: Engine, table: exp.Table) -> tuple[dict[str, str], dict[str, str]]:
    """Return the details of a table as Spark describes them, and the comments of its columns."""
    rows = [
        [str(cell or "") for cell in row]
        for row in engine.fetch(command("describe_extended", table))
    ]
    names = [row[0] for row in rows]
    first = next(
        (at for at, name in enumerate(names) if not name or name.startswith("# ")), len(rows)
    )
    start = (
        names.index("# Detailed Table Information")
        if "# Detailed Table Information" in names
        else 0
    )
    comments = {row[0]: row[2] for row in rows[:first] if row[2]}
    details = {row[0]: row[1] for row in rows[start:]}
    if "# Column Default Values" in names:
        details["defaults"] = "yes"
    return details, comments


def _partitions(engine: Engine, table: exp.Table) -> list[str]:
    names = [str(row[0]) for row in engine.fetch(command("describe_extended", table))]
    if "# Partition Information" not in names:
        return []
    after = names[names.index("# Partition Information") + 2 :]
    return after[: next((at for at, name in enumerate(after) if not name), len(after))]


def dependents(engine: Engine, table: exp.Table, changes: ColumnChanges) -> list[Dependent]:
    """Find what depends on a table. Views do not count: they refer to it by name, and show the release."""
    found = []
    if any(each.kind == "view" for each in engine.locate(table)):
        what = "is not a plain table; only those are released in place"
        return [Dependent("its kind", what, barred=True)]
    details, _ = _described(engine, table)
    provider = details.get("Provider", "").lower()
    if details.get("Type") != "MANAGED" or provider not in TESTED:
        kinds = " and ".join(sorted(TESTED))
        what = f"only managed tables of {kinds} are released in place on Spark; others keep files or versions of the raw rows"
        found.append(Dependent("its kind", what, barred=True))
    if engine.locate(next_to(table, ORIGINAL)):
        what = "holds the raw rows of a run that was killed after its release stood; drop it, or rename it"
        found.append(Dependent(f"table {table.name}{ORIGINAL}", what, barred=True))
    if changes.lose(_partitions(engine, table)):
        found.append(Dependent("partitions", "are by a column that goes; the release has fewer"))
    if details.get("Num Buckets", "0") not in {"0", "-1", ""}:
        found.append(Dependent("buckets", "are not taken over"))
    if "defaults" in details:
        found.append(Dependent("defaults", "of columns are not taken over"))
    return found


def swap(engine: Engine, swap: Swap) -> None:
    """Create the release next to the table, count it, and exchange the names."""
    table = swap.table
    created, aside = next_to(table, RELEASE), next_to(table, ORIGINAL)
    details, comments = _described(engine, table)
    parts = [name for name in _partitions(engine, table) if name in swap.columns]
    listed = engine.fetch(command("table_properties", table))
    properties = {str(k): str(v) for k, v in listed if not str(k).startswith(OURS)}
    properties.pop("comment", None)
    in_order = [*(name for name in swap.columns if name not in parts), *parts]
    types = {column.name: column.type for column in engine.columns(swap.staged)}
    statement = in_place_sql.create_replacement(
        created,
        [(name, types[name], comments.get(name)) for name in in_order],
        provider=details["Provider"],
        partitions=parts,
        comment=details.get("Comment") or None,
        settings=properties,
    )
    engine.execute(statement)
    engine.execute(in_place_sql.insert_rows(created, in_order, swap.staged))
    swap.recount(engine, created)
    engine.execute(command("uncache", table))
    engine.execute(command("rename_table", table, aside))
    engine.execute(command("rename_table", created, table))
    try:
        swap.recount(engine, table)  # a rename in some catalogs can lose the table's files
        if swap.kept is not None:
            engine.execute(command("rename_table", aside, swap.kept))
    except (StatementError, VerificationError):
        engine.execute(command("rename_table", table, created))
        engine.execute(command("rename_table", aside, table))
        raise
    if swap.kept is None:
        engine.execute(command("purge_table", aside))
