"""The mapping tables of quasi-identifiers, and the statistics of each level that they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.hierarchies import mapping_sql, together_sql
from kanon_sql.lattice.statistics import ColumnStatistics, LevelStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.hierarchies.together import Together
    from kanon_sql.run.session import Session


def map_table(run: Session, each: Mapped, *, by_bytes: bool = False) -> exp.Table:
    """Create a mapping table; `by_bytes` siblings have the same order on every engine."""
    return run.scratch.create(
        "map",
        mapping_sql.map_values,
        each.domain,
        each.paths,
        height=each.hierarchy.height,
        as_text=each.as_text,
        by_bytes=by_bytes,
        several_roots=each.hierarchy.several_roots,
        rows=each.rows,
    )


def map_tables(run: Session, mapped: Sequence[Mapped]) -> tuple[list[exp.Table], exp.Table | None]:
    """Create each column's mapping table; those mapped together are views of one, which is returned too."""
    together = shared_by(mapped)
    if together is None:
        return [map_table(run, each) for each in mapped], None
    of_all = run.scratch.create(
        "all_maps",
        together_sql.all_maps,
        together.domains,
        together.paths,
        columns=len(together.numbers),
        height=together.height,
    )
    maps = []
    for each in mapped:
        if each.together is None:
            maps.append(map_table(run, each))
            continue
        quasi, at = together.numbers[each.column.name], together.at(each.column.name)
        maps.append(run.scratch.table("map"))
        top = each.hierarchy.height
        run.see(maps[-1], together_sql.one_map(maps[-1], of_all, quasi, at, top))
    return maps, of_all


def survey_maps(
    run: Session,
    maps: Sequence[exp.Table],
    mapped: Sequence[Mapped],
    *,
    of_all: exp.Table | None = None,
    beyond_rows: bool = False,
) -> tuple[list[ColumnStatistics], list[list[int]]]:
    """Return the statistics of each column, and the greatest number of a child at each of its levels.

    Maps that are views of one table, `of_all`, are surveyed there.
    """
    levels: list[list[LevelStatistics]] = [[] for _ in mapped]
    siblings: list[list[int]] = [[] for _ in mapped]
    domains = [0] * len(mapped)
    for quasi, row in _surveyed(run, maps, mapped, of_all, beyond_rows=beyond_rows):
        level, domain, values, leaves, narrowest, widest, last = (
            int(str(cell or 0)) for cell in row[:-1]
        )
        if level > mapped[quasi].hierarchy.height:
            continue
        levels[quasi].append(
            LevelStatistics(values, leaves, narrowest, widest, float(str(row[-1] or 0)))
        )
        siblings[quasi].append(last)
        domains[quasi] = domain
    columns = [
        ColumnStatistics.of(
            domain, at, rows=at[0].leaves, several_roots=each.hierarchy.several_roots
        )
        for domain, at, each in zip(domains, levels, mapped, strict=True)
    ]
    return columns, siblings


def _surveyed(
    run: Session,
    maps: Sequence[exp.Table],
    mapped: Sequence[Mapped],
    of_all: exp.Table | None,
    *,
    beyond_rows: bool,
) -> list[tuple[int, Row]]:
    """Return the counts of each level of each column, by the column's number; levels in order."""
    alone = [at for at, each in enumerate(mapped) if of_all is None or each.together is None]
    tables = [(maps[at], mapped[at].paths, mapped[at].hierarchy) for at in alone]
    found: list[tuple[int, Row]] = []
    if tables:
        survey = mapping_sql.level_statistics(tables, beyond_rows=beyond_rows)
        found += [(alone[int(str(row[0]))], row[1:]) for row in run.engine.fetch(survey)]
    together = shared_by(mapped)
    if of_all is not None and together is not None:
        survey = together_sql.all_level_statistics(of_all, together.paths, together.height)
        places = {each.column.name: at for at, each in enumerate(mapped)}
        of_number = {number: places[name] for name, number in together.numbers.items()}
        found += [(of_number[int(str(row[0]))], row[1:]) for row in run.engine.fetch(survey)]
    return found


def shared_by(mapped: Sequence[Mapped]) -> Together | None:
    """Return the tables that columns share, if any are mapped together."""
    return next((each.together for each in mapped if each.together is not None), None)
