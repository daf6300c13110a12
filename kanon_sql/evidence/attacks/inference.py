"""The homogeneity and the background knowledge attack: infer the sensitive value of a row from its class."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_table
from kanon_sql.engines.base import whole
from kanon_sql.errors import Fault
from kanon_sql.evidence.attacks.attacks_sql import InferredValues
from kanon_sql.evidence.attacks.linking import (
    MOST_SHOWN,
    attacking,
    check_named,
    check_tables,
    read_sensitive,
    shown_text,
)
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.counting.run.inputs import Connection, TableInput
    from kanon_sql.engines.connect import Settings


@dataclass(frozen=True, slots=True)
class AttributeDisclosure:
    """The result of an attack by someone who can exclude `excluding` other sensitive values of each class.

    `rows_with_value` have a value that is counted. The value of `exposed_rows`, in `exposed_classes`, is certain.
    `shown` has labels and values of some exposed classes, if values were asked for.
    """

    excluding: int
    rows: int
    rows_with_value: int
    classes: int
    exposed_rows: int
    exposed_classes: int
    highest: float
    shown: tuple[Mapping[str, object], ...] = ()

    @property
    def exposed_share(self) -> float:
        """The share of the rows with a value whose value is known for sure; 0 if there are none."""
        return self.exposed_rows / self.rows_with_value if self.rows_with_value else 0.0

    def summary(self) -> dict[str, object]:
        """Return the document that `attack homogeneity --json` and `attack background --json` print."""
        return {
            "excluding": self.excluding,
            "rows": self.rows,
            "rows_with_value": self.rows_with_value,
            "classes": self.classes,
            "exposed_rows": self.exposed_rows,
            "exposed_classes": self.exposed_classes,
            "exposed_share": self.exposed_share,
            "highest": self.highest,
        }


@checked
def attack_homogeneity(
    source: TableInput,
    *,
    quasi: Sequence[str],
    sensitive: str,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> AttributeDisclosure:
    """Count the rows whose sensitive value is known for sure, as all rows of their class have it; reads only.

    The attack is that of Machanavajjhala and others (ICDE 2006).

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        sensitive: The sensitive column.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The classes and rows whose value is known.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["30-39", "30-39", "50-59"], "disease": ["flu", "flu", "cold"]})
    >>> kanon_sql.attack_homogeneity(table, quasi=["age"], sensitive="disease").exposed_rows
    3
    """
    return attack_background(
        source,
        quasi=quasi,
        sensitive=sensitive,
        excluding=0,
        sensitive_nulls=sensitive_nulls,
        show_values=show_values,
        database=database,
        connection=connection,
        settings=settings,
    )


@checked
def attack_background(
    source: TableInput,
    *,
    quasi: Sequence[str],
    sensitive: str,
    excluding: int,
    sensitive_nulls: str = SensitiveNulls.NOT_COUNTED,
    show_values: bool = False,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> AttributeDisclosure:
    """Compute how surely an attacker who excludes the most frequent other values infers a value; reads only.

    In a class of n rows with a value, c of them v, the probability of v is c / (n - the rows of the `excluding` most
    frequent other values); `highest` is the largest. NULL is a value of quasi-identifiers. Recursive (c, l)-diversity
    with l = excluding + 2 bounds it (Machanavajjhala and others, ICDE 2006).

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        sensitive: The sensitive column.
        excluding: How many values the attacker can exclude.
        sensitive_nulls: `value` if NULL counts as a sensitive value.
        show_values: Whether the result has values of the data.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The exposed rows and classes, and the highest probability.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> table = pd.DataFrame({"age": ["30-39"] * 3, "disease": ["flu", "flu", "cold"]})
    >>> kanon_sql.attack_background(table, quasi=["age"], sensitive="disease", excluding=1).highest
    1.0
    """
    quasi = check_named(quasi, "quasi")
    attribute = read_sensitive(sensitive, sensitive_nulls)
    check_tables([] if excluding >= 0 else [Fault("excluding", "must be at least 0")])
    with ExitStack() as stack:
        run = attacking(stack, database, connection, settings)
        table = open_table(run, source, "attacked")
        check_tables(table.column_problems([*quasi, sensitive]))
        inferred = InferredValues(table.table, quasi, attribute, excluding)
        with run.engine.own_functions():
            ((*counts, highest),) = run.engine.fetch(inferred.infer_values())
            shown: list[Mapping[str, object]] = []
            if show_values:
                for *labels, value, count in run.engine.fetch(inferred.exposed_classes(MOST_SHOWN)):
                    named = dict(zip(quasi, map(shown_text, labels), strict=True))
                    of_value = {"value": shown_text(value), "rows": whole(count)}
                    shown.append({"labels": named, **of_value})
        classes, rows, valued, exposed_classes, exposed_rows = map(whole, counts)
        return AttributeDisclosure(
            excluding,
            rows,
            valued,
            classes,
            exposed_rows,
            exposed_classes,
            float(str(highest or 0)),
            tuple(shown),
        )
