"""Statements that choose, for all columns together, which value each region shows in each of them.

Over all regions each value shall be shown by as many rows as have it, and each pair of values of two columns too, as far
as whole regions allow. A region shows at first the value at a point of its rows, where the points of the regions are
spread evenly. Then, in steps, regions choose again: in a step a region chooses in one column alone, knowing what all
showed before the step. All figures are whole numbers and ties end by place, so every engine finds the same values.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
from kanon_sql.sql.quoting import column
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues

STEPS = 60
"""How many times regions choose. Each step is three statements over a bounded number of regions."""
CHOOSING = 100
"""The most regions that choose in one column in one step. Of a table with more regions, the others keep their first values,
which are off by less than what these can correct."""


@dataclass(frozen=True, slots=True)
class Apportioned:
    """The statements for some columns, by their numbers, over the `tuples` of regions.

    `named` names a table for a step.
    """

    columns: Sequence[int]
    tuples: exp.Table
    named: Callable[[str], exp.Table]

    def count(self, counts: exp.Table) -> Statement:
        """Count the rows of each region by each of its values."""
        columns = [{"number": n, "place": _place(n)} for n in self.columns]
        return Statement(
            "multidimensional/apportioned_counts",
            {"counts": counts, "tuples": self.tuples, "columns": columns},
        )

    def number(self, spots: exp.Table, counts: exp.Table) -> Statement:
        """Give each region of `counts` its spot in an order that has no part in what the region is."""
        return Statement(
            "multidimensional/apportioned_spots",
            {"spots": spots, "counts": counts, "quasi": self.columns[0]},
        )

    def choose(
        self,
        found: Mapping[int, exp.Table],
        values: Mapping[int, ReleasedValues],
        spots: exp.Table,
        common: exp.Table,
        *,
        regions: int,
    ) -> Iterator[CutStatement]:
        """Yield the statements that create the tables `found` of what each region shows, a table for each column.

        `values` maps the columns to their axes. `common` has what each of the `regions` may show, and `spots` their spots.
        """
        shown, offers, movable, rest = (
            self.named(f"apportioned_{each}") for each in ("start", "offers", "movable", "rest")
        )
        steps = max(len(self.columns), min(STEPS, regions))
        own = [{"number": n, "place": _place(n)} for n in self.columns]
        pairs = [
            {"first": a, "second": b, "first_place": _place(a), "second_place": _place(b)}
            for a, b in combinations(self.columns, 2)
        ]
        bound = {"steps": steps, "stride": steps // len(self.columns), "most": steps * CHOOSING}
        yield CutStatement(
            Statement(
                "multidimensional/apportioned_start",
                {"shown": shown, "common": common, "spots": spots},
            )
        )
        yield CutStatement(
            Statement(
                "multidimensional/apportioned_movable",
                {"movable": movable, "shown": shown, "most": bound["most"]},
            )
        )
        yield CutStatement(
            Statement(
                "multidimensional/apportioned_rest",
                {
                    "rest": rest,
                    "tuples": self.tuples,
                    "shown": shown,
                    "columns": own,
                    "pairs": pairs,
                },
            )
        )
        yield CutStatement(
            Statement(
                "multidimensional/apportioned_offers",
                {"offers": offers, "common": common, "spots": spots, **bound},
            ),
            spent=(spots,),
        )
        for step in range(steps):
            moves = self.named("apportioned_moves")
            yield CutStatement(
                Statement(
                    "multidimensional/apportioned_moves",
                    {
                        "moves": moves,
                        "offers": offers,
                        "movable": movable,
                        "rest": rest,
                        "step": step,
                    },
                )
            )
            before, rest = rest, self.named("apportioned_rest")
            yield CutStatement(
                Statement(
                    "multidimensional/apportioned_rest_after",
                    {"rest": rest, "before": before, "moves": moves, "movable": movable},
                ),
                spent=(before,),
            )
            before, movable = movable, self.named("apportioned_movable")
            yield CutStatement(
                Statement(
                    "multidimensional/apportioned_movable_after",
                    {"movable": movable, "before": before, "moves": moves},
                ),
                spent=(before, moves),
            )
        for number, table in found.items():
            leaves = {"found": table, "shown": shown, "movable": movable}
            yield CutStatement(
                Statement("multidimensional/apportioned", {**leaves, **values[number].leaves})
            )


def leave_out_rare(common: exp.Table, counts: exp.Table, rare: exp.Table) -> Statement:
    """Keep the values that are not rare, or else the nearest."""
    return Statement(
        "multidimensional/apportioned_common", {"common": common, "counts": counts, "rare": rare}
    )


def columns_with_values(counts: exp.Table, common: exp.Table) -> Statement:
    """List the columns in which every region of `counts` has a value in `common`."""
    return Statement("multidimensional/apportioned_columns", {"counts": counts, "common": common})


def _place(number: int) -> exp.Column:
    return column(f"place_{number}", of="w")
