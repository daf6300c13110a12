"""Encode the source once, into the frequency set that checks read or roll up.

Beside it are made the statistics of each level, from the mapping tables, and the counts of all sensitive values.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.together import all_level_statistics, all_maps, one_map
from kanon_sql.counting.lattice import smallest_classes
from kanon_sql.counting.lattice.counting_sql import CodedPopulation, Counting
from kanon_sql.counting.lattice.smallest_classes import Items, LookedUp, Rank
from kanon_sql.counting.source.open_source import source_changed
from kanon_sql.engines.base import whole
from kanon_sql.errors import SourceError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.labels_sql import Released, release_map
from kanon_sql.policy.hierarchies.mapping_sql import NullCode, Packing
from kanon_sql.policy.metrics.node import Lattice, joint_sets
from kanon_sql.policy.metrics.statistics import (
    ColumnStatistics,
    LevelStatistics,
    Need,
    TableStatistics,
)
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.demands import joint_demands, requirements, requirements_of_release
from kanon_sql.policy.privacy.fitting_sql import (
    MOST_STEPS,
    ValueNodes,
    first_steps,
    order_leaves,
    value_nodes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.hierarchies.together import Together
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Engine, Row
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import Metric
    from kanon_sql.policy.model import Column
    from kanon_sql.policy.privacy.fitting_sql import TableValues
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute


def frequency_set(
    table: exp.Table,
    counting: Counting,
    source: exp.Table,
    *,
    quasi: Sequence[tuple[str, exp.Table, bool]],
    sensitive: Sequence[exp.Table],
    entity: str | None,
    rows: int,
    weight: str | None = None,
) -> Statement:
    """Encode and count the source; `quasi` has each column with its table of codes, and whether that has one of NULL.

    A row of the source counts as one, or as its `weight`.
    """
    keys = []
    for number, key in enumerate(counting.packing.keys):
        parts: list[exp.Expr] = [
            column(key, of=f"q{q}") for q in range(len(quasi)) if counting.packing.uses(q, number)
        ]
        keys.append({"as": name(key), "parts": parts or [literal(0)]})
    columns = len(keys) + len(sensitive) + (1 if entity else 0)
    return Statement(
        "lattice/frequency_set",
        {
            "frequency_set": table,
            "source": source,
            "keys": keys,
            "joins": [
                _joined(f"q{q}", text, codes, nulls=nulls)
                for q, (text, codes, nulls) in enumerate(quasi)
            ],
            "sensitive": [
                {
                    "as": name(f"sensitive_{n}"),
                    "code": column("code", of=f"v{n}"),
                    **_joined(f"v{n}", each.column, codes),
                }
                for n, (each, codes) in enumerate(
                    zip(counting.sensitive, sensitive, strict=True), 1
                )
            ],
            "entity": column(entity, of="s") if entity else None,
            "weight": None if weight is None else column(weight, of="s"),
            "groups": [literal(n + 1) for n in range(columns)],
        },
        scans=rows,
    )


def _joined(alias: str, text: str, codes: exp.Table, *, nulls: bool = True) -> dict[str, object]:
    """Join the codes of a column's values."""
    own, value = column(text, of="s"), column("value", of=alias)
    return {"table": codes, "alias": name(alias), "column": own, "value": value, "nulls": nulls}


NARROW = 1 << 31
"""The first number of rows that a signed 32-bit integer does not hold."""


@dataclass(frozen=True, slots=True)
class QuasiTables:
    """The tables of one quasi-identifier: the codes of its values, its mapping table, its paths."""

    column: Column
    codes: exp.Table
    map: exp.Table
    paths: exp.Table
    height: int

    def label(self, at: int) -> dict[str, object]:
        """Return the columns that hold the label of one level: a text, two bounds, or neither at the top."""
        if at == 0:
            return {"label": column("value", of="m"), "ends": None}
        if not self.column.output.bounded:
            return {"label": column(mapping_sql.level(at), of="m"), "ends": None}
        found = self.column.output.level_columns(at, self.height)
        ends = {
            end: column(text, of="p") for end, text in zip(("low", "high"), found, strict=False)
        }
        return {"label": None, "ends": ends or None}


@dataclass(frozen=True, slots=True)
class Encoded:
    """The first frequency set and its number of rows, the source's statistics, each column's tables."""

    table: exp.Table
    set_rows: int
    stats: TableStatistics
    counting: Counting
    lattice: Lattice
    maps: tuple[exp.Table, ...]
    codes: tuple[exp.Table, ...]
    mapped: tuple[Mapped, ...]
    _ranks: dict[tuple[int, int], Rank] = field(default_factory=dict, repr=False, compare=False)

    @property
    def known(self) -> list[QuasiTables]:
        """The tables in which labels are looked up, for each quasi-identifier."""
        return [
            QuasiTables(each.column, codes, map_, each.paths, each.hierarchy.height)
            for each, codes, map_ in zip(self.mapped, self.codes, self.maps, strict=True)
        ]

    def ranks(self, run: Session, node: Node) -> list[Rank]:
        """Rank each column's labels at a node by their bytes, so that every database breaks ties alike."""
        ranks = []
        for quasi, (each, level) in enumerate(zip(self.mapped, node.levels, strict=True)):
            masks = self.counting.packing.column_masks(quasi, level)
            if not any(masks):
                continue
            if (quasi, level) in self._ranks:
                ranks.append(self._ranks[quasi, level])
                continue
            released, table = run.scratch.table("release_map"), run.scratch.table("ranks")
            one = Released(each.column, level, each.hierarchy.height, released, by_bytes=True)
            run.engine.execute(release_map(one, each.domain, each.paths, rows=each.rows))
            ranks.append(self._ranks.setdefault((quasi, level), Rank(table, masks)))
            packing = self.counting.packing
            run.engine.execute(
                smallest_classes.ranks(packing, ranks[-1], self.codes[quasi], released)
            )
        return ranks


def encode(
    run: Session, opened: OpenSource, mapped: Sequence[Mapped], *, only_entered: bool = False
) -> Encoded:
    """Assign each value its path code, pack the keys, and count the distinct tuples.

    Raises SourceError where the rows counted are not those of `opened`. With `only_entered` they may be fewer: rows of
    values that have no entry in a hierarchy are not counted.
    """
    maps, of_all = map_tables(run, mapped)
    beyond_rows = opened.population is not None
    columns, siblings = survey_maps(
        run.engine, maps, mapped, of_all=of_all, beyond_rows=beyond_rows
    )
    packing = Packing.of(siblings, run.engine.capabilities.key_bits)
    codes = []
    for quasi, (map_, of) in enumerate(zip(maps, mapped, strict=True)):
        codes.append(run.scratch.table("codes"))
        # Where every row is joined by itself, what a view computes is computed for every row.
        view = of.together is not None and not run.engine.capabilities.joins_by_row
        run.see(codes[-1], mapping_sql.path_codes(codes[-1], map_, packing, quasi, view=view))
    counting = Counting.of(
        packing,
        requirements(run.policy.privacy),
        entity=run.policy.entity is not None,
        signature=run.policy.signature,
        joint=joint_sets(joint_demands(run.policy.privacy), [c.name for c in run.policy.quasi]),
        of_release=requirements_of_release(run.policy.privacy),
    )
    counting = replace(counting, narrow=opened.rows < NARROW)
    sensitive, every, read = [], opened.source_tuples, opened.tuples
    for each in counting.sensitive:
        table = run.scratch.create(
            "values",
            mapping_sql.domain_codes,
            every.table,
            each.column,
            rows=every.size,
            counts_null=each.counts_null,
            order=None if each.order is None else order_leaves(each.order, column("value")),
        )
        sensitive.append(table)
    base = run.scratch.create(
        "frequency_set",
        frequency_set,
        counting,
        read.table,
        quasi=[(m.column.name, c, m.nulls) for m, c in zip(mapped, codes, strict=True)],
        sensitive=sensitive,
        entity=run.policy.entity,
        rows=read.size,
        weight=read.weight,
    )
    recompiles = run.engine.capabilities_at(base).recompiles_values
    counting = replace(counting, masks_as_rows=recompiles)
    if run.policy.nulls is Nulls.WILDCARD:
        counting = replace(
            counting, nulls=find_null_codes(run.engine, packing, mapped, maps, codes)
        )
    counting = replace(counting, population=_encoded(run, opened, counting, mapped, codes))
    counting = replace(
        counting, nodes=nodes_of_codes(run.scratch, opened, counting.sensitive, sensitive)
    )
    of_rows = base if opened.all_rows is None else _without_keys(run, opened, counting, sensitive)
    of_table = count_values(run, counting, of_rows, called="table_values")
    counting = replace(counting, of_table=of_table)
    ((set_rows, rows, classes),) = run.engine.fetch(counting.totals(base))
    if int(str(rows)) != opened.rows and not only_entered:
        raise SourceError(run.policy.subject, [source_changed(run, opened.rows, int(str(rows)))])
    persons = None
    if counting.signature:
        ((_, _, persons),) = run.engine.fetch(counting.count_persons(base))
    most = None if persons is None else int(str(persons))
    stats = TableStatistics(int(str(rows)), int(str(classes)), tuple(columns), persons=most)
    if opened.left_out:
        stats = stats.with_left_out(opened.left_out)
    return Encoded(
        base,
        int(str(set_rows)),
        stats,
        counting,
        lattice_of(mapped),
        tuple(maps),
        tuple(codes),
        tuple(mapped),
    )


def _without_keys(
    run: Session, opened: OpenSource, counting: Counting, sensitive: Sequence[exp.Table]
) -> exp.Table:
    """Count the sensitive values of all rows of a source, including those that are left out."""
    every = opened.source_tuples
    return run.scratch.create(
        "all_values",
        frequency_set,
        counting,
        every.table,
        quasi=[],
        sensitive=sensitive,
        entity=run.policy.entity,
        rows=every.size,
        weight=every.weight,
    )


def value_nodes_of(scratch: Scratch, opened: OpenSource, of_values: Sequence[Mapped]) -> OpenSource:
    """Return the source with the hierarchy nodes above the values of each of these sensitive columns."""
    nodes = {
        each.column.name: ValueNodes(
            map_table(scratch, each), each.hierarchy.height, each.hierarchy.digest
        )
        for each in of_values
    }
    return replace(opened, nodes=nodes)


def nodes_of_codes(
    scratch: Scratch,
    opened: OpenSource,
    sensitive: Sequence[SensitiveAttribute],
    codes: Sequence[exp.Table],
) -> dict[SensitiveAttribute, ValueNodes]:
    """Create the tables of the nodes above the values' codes, for sensitive attributes in a tree."""
    found = {}
    for attribute, table in zip(sensitive, codes, strict=True):
        if attribute.in_tree:
            above = opened.nodes[attribute.column]
            made = scratch.create("value_nodes", value_nodes, table, above)
            found[attribute] = ValueNodes(made, above.height)
    return found


def lattice_of(mapped: Sequence[Mapped]) -> Lattice:
    """Return the nodes that a search may choose: each column at the levels that the policy allows it."""
    return Lattice(
        tuple(
            each.hierarchy.height if each.column.levels.most is None else each.column.levels.most
            for each in mapped
        ),
        tuple(each.column.levels.least for each in mapped),
        tuple(each.hierarchy.root for each in mapped),
    )


def _encoded(
    run: Session,
    opened: OpenSource,
    counting: Counting,
    mapped: Sequence[Mapped],
    codes: Sequence[exp.Table],
) -> CodedPopulation | None:
    """Count the population's distinct tuples by the source's codes. Raises SourceError if its rows differ."""
    population = opened.population
    if population is None:
        return None
    alone = replace(counting, sensitive=(), entity=False, signature=False)
    table = run.scratch.create(
        "population",
        frequency_set,
        alone,
        population.table,
        quasi=[(m.column.name, c, m.nulls) for m, c in zip(mapped, codes, strict=True)],
        sensitive=[],
        entity=None,
        rows=population.rows,
    )
    ((_, rows, _),) = run.engine.fetch(alone.totals(table))
    if int(str(rows)) != population.rows:
        from kanon_sql.counting.source.open_source import population_changed  # noqa: PLC0415  few policies have one

        raise SourceError(run.policy.subject, [population_changed(run, population, int(str(rows)))])
    return CodedPopulation(table, population.rows)


def look_up(scratch: Scratch, encoded: Encoded, metric: Metric) -> LookedUp:
    """Create the look-up tables that exact costs of a metric need."""
    wanted = [
        (quasi, level)
        for quasi, column in enumerate(encoded.stats.columns)
        for level, at in enumerate(column.levels)
        if (at.values > 1 if metric.need is Need.ENTROPY else at.narrowest != at.widest)
    ]
    items, packing = (
        Items({pair: number for number, pair in enumerate(wanted)}),
        encoded.counting.packing,
    )
    if not wanted:
        return LookedUp(items)
    masks = scratch.create("items", items.table, packing)
    return LookedUp(
        items, (masks, scratch.create("weights", items.weights, packing, encoded.codes))
    )


def count_values(
    run: Session, counting: Counting, rows: exp.Table, *, called: str
) -> dict[SensitiveAttribute, TableValues]:
    """Create a scratch table of the counts of the values in `rows`, for each attribute that is compared.

    For an ordered attribute of few values, the counts up to each value are fetched too: no check then needs windows.
    """
    of_table = {}
    for each, values, statement in counting.values_of_table(
        rows, partial(run.scratch.table, called)
    ):
        run.engine.execute(statement)
        of_table[each] = values
        if each.order is not None:
            steps = tuple(whole(n) for (n,) in run.engine.fetch(first_steps(values.table)))
            if len(steps) <= MOST_STEPS:
                of_table[each] = replace(values, steps=steps)
    return of_table


def map_table(scratch: Scratch, each: Mapped, *, by_bytes: bool = False) -> exp.Table:
    """Create a mapping table; `by_bytes` siblings have the same order on every engine."""
    return scratch.create(
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
        return [map_table(run.scratch, each) for each in mapped], None
    of_all = run.scratch.create(
        "all_maps",
        all_maps,
        together.domains,
        together.paths,
        columns=len(together.numbers),
        height=together.height,
    )
    maps = []
    for each in mapped:
        if each.together is None:
            maps.append(map_table(run.scratch, each))
            continue
        quasi, at = together.numbers[each.column.name], together.at(each.column.name)
        maps.append(run.scratch.table("map"))
        top = each.hierarchy.height
        run.see(maps[-1], one_map(maps[-1], of_all, quasi, at, top))
    return maps, of_all


def survey_maps(
    engine: Engine,
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
    for quasi, row in _surveyed(engine, maps, mapped, of_all, beyond_rows=beyond_rows):
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
    engine: Engine,
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
        found += [(alone[int(str(row[0]))], row[1:]) for row in engine.fetch(survey)]
    together = shared_by(mapped)
    if of_all is not None and together is not None:
        survey = all_level_statistics(of_all, together.paths, together.height)
        places = {each.column.name: at for at, each in enumerate(mapped)}
        of_number = {number: places[name] for name, number in together.numbers.items()}
        found += [(of_number[int(str(row[0]))], row[1:]) for row in engine.fetch(survey)]
    return found


def shared_by(mapped: Sequence[Mapped]) -> Together | None:
    """Return the tables that columns share, if any are mapped together."""
    return next((each.together for each in mapped if each.together is not None), None)


def find_null_codes(
    engine: Engine,
    packing: Packing,
    mapped: Sequence[Mapped],
    maps: Sequence[exp.Table],
    codes: Sequence[exp.Table],
) -> tuple[NullCode | None, ...]:
    """Look up the code of NULL in each column; None where no row has it."""
    found: list[NullCode | None] = []
    for quasi, (each, map_, table) in enumerate(zip(mapped, maps, codes, strict=True)):
        keys = [packing.uses(quasi, number) for number, _ in enumerate(packing.keys)]
        named = [key for key, used in zip(packing.keys, keys, strict=True) if used]
        height = each.hierarchy.height
        rows = engine.fetch(mapping_sql.null_codes(table, map_, named, height))
        if not rows:
            found.append(None)
            continue
        cells = [int(str(cell)) for cell in rows[0]]
        own = iter(cells[height + 1 :])
        found.append(
            NullCode(
                tuple(next(own) if used else 0 for used in keys),
                frozenset(n for n in range(height + 1) if not cells[n]),
            )
        )
    return tuple(found)
