"""All tables of four rows and two columns, for statements that become no formulas: DuckDB runs them, Python defines them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

import class_models
import duckdb

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.quoting import table as table_of
from kanon_sql.policy.hierarchies.labels_sql import SourceRows
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.policy.privacy.closeness import GroundDistance, TCloseness
from kanon_sql.policy.privacy.demands import demands, requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.recount import recount_statement
from tests.proofs import channels
from tests.proofs.definitions import Table
from tests.proofs.proof import created_by, make_table
from tests.proofs.recounts import ILL, MODELS, RELEASE, SEX, WHO, ZIP
from tests.proofs.releases import COLUMNS, LABELS, MAPS, RELEASED, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROWS = 4
ENDS_IN_AN_ERROR = ("no number",)
"""What a statement gives that stops itself: a text that it casts to a number, and which is none."""


@dataclass(frozen=True)
class Execution:
    """Statements, the table that they read, and what their last result must be, as a function of the table's rows."""

    name: str
    template: str
    statements: Sequence[str]
    table: Table
    columns: Sequence[str]
    defined: Callable[[Sequence[tuple[object, ...]]], list[tuple[object, ...]]]
    maps: Sequence[str] = ()

    def __str__(self):
        return self.name

    def tables(self):
        """Yield the rows of every table of at most four rows, without regard to their order."""
        kinds = list(product(*self.table.values.values()))
        for size in range(ROWS + 1):
            yield from combinations_with_replacement(kinds, size)

    def unlike(self):
        """Yield the tables for which DuckDB gives other rows than the definition."""
        with duckdb.connect(config={"threads": 1}) as connection:
            for name in self.maps:
                make_table(connection, name, MAPS[name].columns, MAPS[name].rows)
            make_table(
                connection,
                self.table.name,
                {c: self.table.type_of(c) for c in self.table.values},
                [],
            )
            source = table_of(self.table.name).sql("duckdb", identify=True)
            made = [created_by(each) for each in self.statements]
            shown = ", ".join(column(each).sql("duckdb", identify=True) for each in self.columns)
            for rows in self.tables():
                connection.execute(f"DELETE FROM {source}")
                if rows:
                    marks = ", ".join(
                        "(" + ", ".join("?" for _ in self.table.values) + ")" for _ in rows
                    )
                    connection.execute(
                        f"INSERT INTO {source} VALUES {marks}", [c for row in rows for c in row]
                    )
                try:
                    found = self.run(connection, zip(self.statements, made, strict=True), shown)
                except duckdb.ConversionException:
                    found = [ENDS_IN_AN_ERROR]
                if sorted(found, key=repr) != sorted(self.defined(rows), key=repr):
                    yield rows

    @staticmethod
    def run(connection, statements, shown):
        """Run the statements, each with the name of the table that it makes, and return the rows of the last one."""
        for text, name in statements:
            last = text if name is None else f"SELECT * FROM {name}"
            if name is not None:
                connection.execute(f"DROP TABLE IF EXISTS {name}")
                connection.execute(text)
        return connection.execute(f"SELECT {shown} FROM ({last}) AS t").fetchall()


def ordered():
    """The recount of t-closeness by the order of numbers, from one value of a class to the next."""
    rule = class_models.ordered_distance(Fraction(2, 5), ["1", "2", "10"])
    model = TCloseness(ILL, Decimal("0.4"), distance=GroundDistance.ORDERED, order=OrderKind.NUMBER)
    (demand,) = demands((model,))
    statement = recount_statement(table_of(RELEASE), [SEX], demand.recounted, entity=None)

    def defined(rows):
        classes = defaultdict(list)
        for sex, ill in rows:
            classes[sex].append(ill)
        table = Counter(ill for _, ill in rows if ill is not None)
        short = sum(
            not rule.fits(Counter(v for v in of if v is not None), table) for of in classes.values()
        )
        return [(len(classes), short)]

    table = Table(RELEASE, {SEX: ("f", None), ILL: ("1", "2", "10", None)}, rows=ROWS)
    return Execution(
        "recount: t-closeness in an order", "release/verify", [statement.render("duckdb")], table,
        ("classes", "short_classes"), defined,
    )  # fmt: skip


def labelled(rows):
    """Return the labels of all rows of each person, in order."""
    found = defaultdict(list)
    for sex, who in rows:
        found[who].append(sex)
    return {who: tuple(sorted(labels, key=str)) for who, labels in found.items()}


def signed_recount():
    """The recount of people by the labels of all their rows."""
    (demand,) = demands((KAnonymity(2),))
    statement = recount_statement(
        table_of(RELEASE), [SEX], demand.recounted, entity=WHO, signature=True
    )

    def defined(rows):
        sizes = Counter(labelled(rows).values())
        return [(len(sizes), min(sizes.values(), default=None), sum(n < 2 for n in sizes.values()))]

    table = Table(RELEASE, {SEX: ("f", "m", None), WHO: ("1", "2", "3")}, rows=ROWS)
    return Execution(
        "recount by signature", "release/verify", [statement.render("duckdb")], table,
        ("classes", "smallest_class", "short_classes"), defined,
    )  # fmt: skip


def failing_persons():
    """The people whose rows are suppressed, by the classes of all their rows."""
    of = SourceRows(table_of(SOURCE), COLUMNS[:1], requirements((KAnonymity(2),)), WHO)
    statements = staging_sql.failing_persons(
        table_of("failing"), of, steps=[table_of("all classes")]
    )

    def defined(rows):
        signatures = labelled([(LABELS[SEX][sex], who) for sex, who in rows])
        sizes = Counter(signatures.values())
        return [(who, len(of)) for who, of in signatures.items() if sizes[of] < 2]

    table = Table(SOURCE, {SEX: ("f", "x", None), WHO: ("1", "2")}, rows=ROWS)
    return Execution(
        "people who fail by signature", "recoding/failing_persons",
        [each.render("duckdb") for each in statements], table, ("entity", "row_count"), defined,
        [RELEASED[SEX]],
    )  # fmt: skip


def warehouse(name, entity=None):
    """The script of one statement: labels, classes, the limit of suppression, and an error where these are not kept."""
    by_values = "distinct" in name
    values = {SEX: ("f", "x", "no entry", None)}
    values |= {WHO: ("1", "2")} if entity else {ILL: ("f", None)} if by_values else {ZIP: ("02", "03", None)}  # fmt: skip
    sex, zip_, ill = channels.COLUMNS
    columns = [sex] if entity else [sex, ill] if by_values else [sex, zip_]
    statement = channels.script_of(columns, requirements(MODELS[name][0]), entity)

    def label(sex, other):
        own = "unknown" if sex is None else channels.PEOPLE.get(sex)
        if entity:
            return (own,)
        return (own, other if by_values or other is None else f"{other[0]}*")

    def defined(rows):
        classes = defaultdict(list)
        for sex, other in rows:
            classes[label(sex, other)[: 1 if by_values else 2]].append((sex, other))
        kept = []
        for of in classes.values():
            people = {other for _, other in of} - {None}
            if (len(people) if entity or by_values else len(of)) >= 2:
                kept += of
        lost = any(sex == "no entry" for sex, _ in rows)
        if lost or not kept or len(rows) - len(kept) > 2:
            return [ENDS_IN_AN_ERROR]
        return [label(*row) for row in kept]

    table = Table(channels.SOURCE, values, rows=ROWS)
    by = "by people" if entity else "by rows"
    return Execution(
        f"warehouse: {name}, {by}", "release/warehouse_release", [statement.render("duckdb")], table,
        [each for each in (SEX, ZIP, ILL) if each in {SEX, *([] if entity else values)}], defined,
    )  # fmt: skip


EXECUTIONS = (
    ordered(),
    signed_recount(),
    failing_persons(),
    warehouse("k"),
    warehouse("k", WHO),
    warehouse("distinct l"),
)
