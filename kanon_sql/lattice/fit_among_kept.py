"""A check of the classes that a node keeps against the distribution of the kept rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.lattice.classes_at_node import classes_at_node
from kanon_sql.lattice.value_counts import count_values

if TYPE_CHECKING:
    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.frequency_sets import FrequencySet
    from kanon_sql.lattice.node import Node
    from kanon_sql.run.session import Session


def fit_among_kept(
    run: Session, encoded: Encoded, counting: Counting, finer: FrequencySet, node: Node, *, but: int
) -> bool:
    """Return True if all classes that a node keeps also fit by the distribution of the kept rows."""
    engine = run.engine
    with classes_at_node(run, encoded, counting, finer, node, but=but) as at:
        of_table = count_values(run, counting.among_kept({}), at.kept, called="kept_values")
        among = counting.among_kept(of_table)
        (row,) = engine.fetch(among.check(at.kept, 1, detail=False), among.bindings([node]))
    for each in of_table.values():
        run.scratch.drop(each.table)
    _, _, failing, *_ = row
    return int(str(failing)) == 0
