"""Chooses, for all columns with `output: apportioned` together, which value each region shows in each of them.

Over all regions each value shall be shown by as many rows as have it, and each pair of values of two columns too, as far
as whole regions allow. A region shows at first the value at a point of its rows, where the points of the regions are
spread evenly. Then, in steps, regions choose again: in a step a region chooses in one column alone, knowing what all
showed before the step. At last, unless rare values are shown, regions that show in all of these columns what one row alone
has, or one entity, choose another value in one of them, if one leads to what no row has alone. All figures are whole
numbers and ties end by place, so every engine finds the same values.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InfeasibleError, InternalError
from kanon_sql.policy.hierarchies.order import Steps
from kanon_sql.policy.model import Rare
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
from kanon_sql.recoding.rare_bounds import rare_counts, rare_places

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues


STEPS = 60
"""How many times regions choose. Each step is three statements over a bounded number of regions."""
STEPS_OF_MANY = 30
"""The same where only some regions choose, more in a step: at 1,000,000 rows counts of pairs are as close (1.5 % for 1.4 %
are in another place), and 70 statements are spared."""
DRAFT_STEPS = 14
"""The same for a draft, which releases nothing: in most tables twice for each column."""
MOST_MOVED = 12
"""For so many steps at most a table is written of what regions show then, so that no statement reads too many tables."""
CHOOSING = 100
"""The most regions that choose in one column in one step. Of a table with more regions, the others keep their first values,
which are off by less than what these can correct."""
STEPS_A_LONE_STEP = 5
"""For so many steps there is one at the end in which regions choose that show what one row alone has. All in one step would
choose the same values: on NIST's extract counts of two columns erred by 3.0 %, in twelve steps by 1.6."""


def apportion(
    run: Session,
    values: Mapping[int, ReleasedValues],
    found: Mapping[int, exp.Table],
    tuples: exp.Table,
    hidden: exp.Table | None,
) -> ApportionedPairs:
    """Create the tables `found` of the value that each region shows, by the number of its column.

    Returns the pairs of values that were counted for that.
    Unless the column says `rare: show`, no value is shown that is in `hidden`, as fewer than k rows or people have it. Unless
    all columns do, no region shows together what one row or entity alone has, if another value of it avoids that.
    Raises InfeasibleError where a column has no other.
    """
    numbers = sorted(values)
    people = run.policy.entity is not None
    statements = Apportioned(numbers, tuples, run.scratch.table, entity=people)
    counts, spots, shown = (
        run.scratch.table(f"apportioned_{each}") for each in ("counts", "spots", "start")
    )
    run.engine.execute(statements.count(counts))
    run.engine.execute(statements.number(spots, counts))
    regions = run.engine.fetch_count(source_sql.count_rows(spots))
    common, rare = counts, None
    hidden_columns = _hiding(run.policy, numbers)
    if hidden_columns:
        if hidden is None:
            raise InternalError("rare values were not counted")
        common, rare = (run.scratch.table(f"apportioned_{each}") for each in ("common", "rare"))
        run.engine.execute(rows_of_rare(rare, counts, hidden))
        run.engine.execute(leave_out_rare(common, counts, spots, hidden=hidden, rare=rare))
    run.engine.execute(statements.start(shown, common, spots, rare))
    if hidden_columns:
        _check_shown(run, hidden_columns, shown, regions)
    most, choosing = min(DRAFT_STEPS if run.draft else STEPS, regions), CHOOSING
    if regions > most * choosing and not run.draft:
        most, choosing = STEPS_OF_MANY, CHOOSING * STEPS // STEPS_OF_MANY
    pairs = ApportionedPairs(*(run.scratch.table(f"apportioned_{each}") for each in ("pairs", "left")))  # fmt: skip
    lone = -(-most // STEPS_A_LONE_STEP) if hidden_columns else 0
    for step in statements.choose(
        found, values, shown, common, pairs, most=most, choosing=choosing, lone=lone
    ):
        run.engine.execute(step.statement)
        for table in step.spent:
            run.scratch.drop(table)
    return pairs


def show_kept(
    run: Session,
    values: Mapping[int, ReleasedValues],
    found: Mapping[int, exp.Table],
    kept: exp.Table,
) -> None:
    """Create the tables `found` of the value that each region shows, by the ranks that a plan's file has kept."""
    for number, table in found.items():
        run.engine.execute(shown_values(table, kept, values[number]))


def shown_values(found: exp.Table, shown: exp.Table, values: ReleasedValues) -> Statement:
    """Look up the value of a column that each region shows."""
    leaves = {"found": found, "shown": shown}
    return Statement("multidimensional/apportioned/apportioned", {**leaves, **values.leaves})


def untrue_rows(run: Session, hidden: exp.Table | None) -> Iterator[str]:
    """Warn that columns show values whose counts are close, and rows that are not true; and of rounded and hidden values."""
    yield from (
        f"columns.{each.name}: is rounded down to steps of {each.order.width} (snap), so its mean falls by about half a step"
        for each in run.policy.quasi
        if isinstance(each.order, Steps) and each.output.shows_values
    )
    names = [each.name for each in run.policy.quasi if each.output.together]
    if not names:
        return
    rare = [] if hidden is None else run.engine.fetch(rare_counts(hidden))
    left_out = ""
    if rare:
        k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
        who = "rows" if entity is None else "people"
        found = {run.policy.quasi[whole(axis)].name: whole(places) for axis, places in rare}
        many = sum(found.values())
        of = ", ".join(f"{places:,} of {name}" for name, places in found.items())
        left_out = (
            f"; {counted(many, 'value')} that fewer than {k:,} {who} have {'is' if many == 1 else 'are'} not shown ({of}): "
            "the least and the largest of a number can be among them"
        )
    yield (
        f"columns.{names[0]}: {joined(names)} show{'s' if len(names) == 1 else ''} values whose counts are close to the table's: "
        f"a row does not show what is true of it, but a value that stands for its class, and its relation to sensitive values is weakened{left_out}"
    )


def find_hidden(run: Session, tuples: exp.Table) -> exp.Table | None:
    """Create the table of values that fewer than k rows or people have, of columns that do not show them; None if none is.

    `tuples` have the entities, where people are counted.
    """
    numbers = _hiding(run.policy, range(len(run.policy.quasi)))
    if not numbers:
        return None
    hidden = run.scratch.table("hidden")
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity is not None
    run.engine.execute(rare_places(hidden, tuples, numbers, entity=entity, least=k))
    return hidden


def _hiding(policy: Policy, numbers: Iterable[int]) -> list[int]:
    """Return the numbers of the columns, of these, that show no rare value."""
    quasi = policy.quasi
    return [n for n in numbers if quasi[n].output.together and quasi[n].rare is Rare.NEAREST]


def _check_shown(run: Session, numbers: list[int], shown: exp.Table, regions: int) -> None:
    """Raise InfeasibleError where some of the `regions` have nothing to show in a column of these `numbers`."""
    able = {row[0] for row in run.engine.fetch(columns_with_values(shown, regions))}
    lacking = [run.policy.quasi[n].name for n in numbers if n not in able]
    if lacking:
        k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
        who = "rows" if entity is None else "people"
        raise InfeasibleError(
            f"no recoding satisfies the policy: output: apportioned shows values that at least {k:,} {who} have, and "
            f"{joined(lacking)} {'has' if len(lacking) == 1 else 'have'} none; make it coarser by snap: or in a query, or "
            "say rare: show in its entry"
        )


@dataclass(frozen=True, slots=True)
class ApportionedPairs:
    """The rows of every two values in the source, and by how many `more` rows regions show them; of each value alone, too."""

    table: exp.Table
    more: exp.Table


@dataclass(frozen=True, slots=True)
class Apportioned:
    """The statements for some columns, by their numbers, over the `tuples` of regions.

    `named` names a table for a step. Where people are counted, `tuples` have the `entity`.
    """

    columns: Sequence[int]
    tuples: exp.Table
    named: Callable[[str], exp.Table]
    entity: bool

    def count(self, counts: exp.Table) -> Statement:
        """Count the rows of each region by each of its values."""
        columns = [{"number": n, "place": _place(n)} for n in self.columns]
        return Statement(
            "multidimensional/apportioned/apportioned_counts",
            {"counts": counts, "tuples": self.tuples, "columns": columns},
        )

    def number(self, spots: exp.Table, counts: exp.Table) -> Statement:
        """Give each region of `counts` a place in an order that does not depend on its rows."""
        return Statement(
            "multidimensional/apportioned/apportioned_spots",
            {"spots": spots, "counts": counts, "quasi": self.columns[0]},
        )

    def start(
        self, shown: exp.Table, common: exp.Table, spots: exp.Table, rare: exp.Table | None
    ) -> Statement:
        """Choose the value that each region shows at first, of `common`; `rare` has the rows that this leaves out."""
        return Statement(
            "multidimensional/apportioned/apportioned_start",
            {"shown": shown, "common": common, "spots": spots, "rare": rare},
        )

    def offer_to_lone(
        self, offers: exp.Table, shown: exp.Table, common: exp.Table, steps: int
    ) -> Statement:
        """Find other values for the regions that show what one row alone has, or one entity."""
        leaves = {"every": shown, "common": common, "columns": self.columns, "steps": steps}
        return Statement(
            "multidimensional/apportioned/apportioned_lone",
            {**leaves, "offers": offers, "tuples": self.tuples, "entity": self.entity},
        )

    def choose(
        self,
        found: Mapping[int, exp.Table],
        values: Mapping[int, ReleasedValues],
        shown: exp.Table,
        common: exp.Table,
        counted: ApportionedPairs,
        *,
        most: int,
        choosing: int = CHOOSING,
        lone: int,
    ) -> Iterator[CutStatement]:
        """Yield the statements that create the tables `found` of what each region shows, a table for each column.

        They create the tables of the pairs that are `counted`, too. `values` maps the columns to their axes. `shown` has
        what each region shows at first, and `common` what it may show. Regions choose at `most` so many times, but in
        each column once, and so many in one step and column; then, in `lone` steps, those that show what one row alone has.
        """
        offers, movable, rest = (
            self.named(f"apportioned_{each}") for each in ("offers", "movable", "rest")
        )
        steps = max(len(self.columns), most)
        own = [{"number": n, "place": _place(n)} for n in self.columns]
        pairs = [
            {"first": a, "second": b, "first_place": _place(a), "second_place": _place(b)}
            for a, b in combinations(self.columns, 2)
        ]
        stride = steps // len(self.columns)  # no two columns in one step, whatever their numbers
        first = [{"quasi": n, "step": at * stride} for at, n in enumerate(self.columns)]
        most_spots = steps * choosing
        bound = {"steps": steps, "first_steps": first, "most": most_spots}
        yield self._movable(movable, shown, most_spots)
        yield CutStatement(
            Statement(
                "multidimensional/apportioned/apportioned_pairs",
                {"pairs": counted.table, "tuples": self.tuples, "columns": own, "of": pairs},
            )
        )
        yield CutStatement(
            Statement(
                "multidimensional/apportioned/apportioned_rest",
                {"rest": rest, "pairs": counted.table, "shown": shown},
            )
        )
        yield CutStatement(
            Statement(
                "multidimensional/apportioned/apportioned_offers",
                {"offers": offers, "common": common, "shown": shown, **bound},
            )
        )
        changes: list[exp.Table] = []  # of the pairs that moves changed, which are few beside all
        made: list[exp.Table] = []
        at_once = min(stride, MOST_MOVED)  # in so many steps no region chooses twice
        for step in range(steps + lone):
            if step == steps:
                every = yield from self._after(shown, [movable])
                offers, movable = self.named("apportioned_lone"), self.named("apportioned_movable")
                yield CutStatement(self.offer_to_lone(offers, every, common, lone))
                yield self._movable(movable, every, offers=offers)
            moves = self.named("apportioned_moves")
            leaves = {"moves": moves, "offers": offers, "movable": movable, "rest": [rest, *changes]}  # fmt: skip
            if step < steps:
                leaves |= {"columns": len(self.columns), "step": step}
                yield CutStatement(Statement("multidimensional/apportioned/apportioned_moves", leaves))  # fmt: skip
            else:
                leaves |= {"step": step - steps}
                yield CutStatement(Statement("multidimensional/apportioned/apportioned_lone_moves", leaves))  # fmt: skip
            before, changes = changes, [self.named("apportioned_changes")]
            if step == steps + lone - 1:
                before, changes = [rest, *before], [counted.more]
            yield CutStatement(
                Statement(
                    "multidimensional/apportioned/apportioned_rest_after",
                    {"rest": changes[0], "before": before, "moves": moves, "movable": movable},
                ),
                spent=tuple(before),
            )
            made.append(moves)
            if step < steps and (len(made) == at_once or step == steps - 1):
                movable = yield from self._after(movable, made)
                made = []
        every = yield from self._after(every, made) if lone else self._after(shown, [movable])
        for number, table in found.items():
            yield CutStatement(shown_values(table, every, values[number]))

    def _movable(
        self,
        movable: exp.Table,
        shown: exp.Table,
        most: int | None = None,
        offers: exp.Table | None = None,
    ) -> CutStatement:
        """Find what the regions show that may choose: those of the first spots, or those that have offers."""
        leaves = {"movable": movable, "shown": shown, "most": most, "offers": offers}
        return CutStatement(Statement("multidimensional/apportioned/apportioned_movable", leaves))

    def _after(
        self, shown: exp.Table, moves: Sequence[exp.Table]
    ) -> Generator[CutStatement, None, exp.Table]:
        """Create the table of what regions show after moves, and drop the tables before it. Returns the table."""
        after = self.named("apportioned_after")
        yield CutStatement(
            Statement(
                "multidimensional/apportioned/apportioned_after",
                {"after": after, "before": shown, "moves": moves},
            ),
            spent=(shown, *moves),
        )
        return after


def rows_of_rare(found: exp.Table, counts: exp.Table, hidden: exp.Table) -> Statement:
    """Count the rows of each region whose value in a column is among the hidden ones."""
    return Statement(
        "multidimensional/apportioned/apportioned_rare",
        {"found": found, "counts": counts, "rare": hidden},
    )


def leave_out_rare(
    common: exp.Table, counts: exp.Table, spots: exp.Table, *, hidden: exp.Table, rare: exp.Table
) -> Statement:
    """Keep the values that are not hidden, or else the nearest. `rare` has the rows of the others."""
    return Statement(
        "multidimensional/apportioned/apportioned_common",
        {"common": common, "counts": counts, "spots": spots, "hidden": hidden, "rare": rare},
    )


def columns_with_values(shown: exp.Table, regions: int) -> Statement:
    """List the columns in which each of so many regions shows a value."""
    return Statement(
        "multidimensional/apportioned/apportioned_columns", {"shown": shown, "regions": regions}
    )


def _place(number: int) -> exp.Column:
    return column(f"place_{number}", of="w")
