"""A check of the classes that a node keeps, by the distribution of their own rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.frequency_sets import FrequencySet
    from kanon_sql.lattice.node import Node
    from kanon_sql.run.session import Session


def fit_among_kept(run: Session, counting: Counting, finer: FrequencySet, node: Node) -> bool:
    """Whether all classes that fit at a node, and are counted on a finer set, fit by their own distribution too."""
    engine = run.engine
    all_, fitting = run.scratch.table("all"), run.scratch.table("fitting")
    engine.execute(counting.roll_ups(all_, finer.table, [node], rows=finer.rows))
    of_table, tables = {}, [all_, fitting]
    if (population := counting.population) is not None:
        tables.append(run.scratch.table("population"))
        engine.execute(population.roll_up(counting, tables[-1], node))
        counting = replace(counting, population=replace(population, table=tables[-1]))
    engine.execute(counting.fitting_classes(fitting, all_))
    named = partial(run.scratch.table, "kept_values")
    for of, values, statement in counting.among_kept({}).values_of_table(fitting, named):
        engine.execute(statement)
        of_table[of] = values
        tables.append(values.table)
    among = counting.among_kept(of_table)
    (row,) = engine.fetch(among.check(fitting, 1, detail=False), among.bindings([node]))
    for each in tables:
        run.scratch.drop(each)
    _, _, failing, *_ = row
    return int(str(failing)) == 0
