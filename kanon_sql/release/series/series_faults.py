"""The reasons why a policy, a database, a destination or an option does not go with a series."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import parse_table_name
from kanon_sql.counting.source.column_problems import pseudonym_secret
from kanon_sql.errors import Fault, InputError, ReleaseError
from kanon_sql.policy.privacy.privacy_model import Distribution, Monotony
from kanon_sql.release.series.ledger import OWN_COLUMNS
from kanon_sql.release.stage import SERIES, executor_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.locations import Destination
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.series_rule import Series

OWN = re.compile(
    "|".join(
        [
            *OWN_COLUMNS,
            r"series_(row(_\d+)?|person|copies|stay|nth)",
            r"hashed_text(_\d+)?",
            "row_text",
            "values_text",
            r"sensitive_\d+",
        ]
    )
)
OF_CLASS = frozenset({Distribution.NONE, Distribution.OF_CLASS, Distribution.RANKED})
"""What a model may read of the values of a cell: the cell alone."""


def check_series(
    run: Session, rule: Series, out: Destination | None, others: Mapping[str, bool]
) -> Destination:
    """Return the destination of a series. Raises InputError or ReleaseError, with all faults, where it cannot go on there."""
    faults = [
        Fault(
            option,
            "does not go with a series: each of its releases takes the rows that there are, and replaces the last",
        )
        for option, used in others.items()
        if used
    ]
    faults += policy_faults(run.policy, rule)
    if faults:
        raise InputError(run.policy.subject, faults)
    if out is None:
        raise ReleaseError("release", [Fault("", "is missing; a series needs a table or a file")])
    if found := list(_place_faults(run, rule, out)):
        raise ReleaseError(out.name, found)
    return out


def policy_faults(policy: Policy, rule: Series) -> Iterator[Fault]:
    """Yield a fault for each part of a policy that a series cannot keep."""
    yield from executor_problems(policy, SERIES)
    for model in policy.privacy:
        measures = [each.measure for each in model.requirements]
        if model.monotony is Monotony.NEVER or any(
            each.distribution not in OF_CLASS or each.population is not None or each.of_release
            for each in measures
        ):
            what = (
                f"a series cannot keep {model}: two sets of rows that satisfy it may not do so together, or are compared with "
                f"other rows, which change; use k, distinct_l or entropy_l"
            )
            yield policy.fault("privacy", what)
    for column in policy.columns:
        if not column.is_dropped and any(
            OWN.fullmatch(each.casefold()) for each in column.released_as
        ):
            yield policy.fault(
                f"columns.{column.name}",
                "has the name of a column of the ledger; rename it in a query",
            )
    if pseudonym_secret(rule.key_env) is None:
        what = f"the environment variable {rule.key_env} must hold a key of 16 bytes or more"
        yield policy.fault("series.key_env", what)


def _place_faults(run: Session, rule: Series, out: Destination) -> Iterator[Fault]:
    """Yield a fault for each reason why release and ledger cannot be written together."""
    facts, is_table = run.engine.capabilities, out.format.kind.in_database
    if not facts.transactions and (is_table or out.lake is not None):
        what = f"{facts.name} writes no two tables in one transaction, so that release and ledger could disagree"
        yield Fault(
            "series", f"{what}; name a folder of Parquet, or run the series in DuckDB or PostgreSQL"
        )
    elif out.view or out.in_place is not None:
        what = "a view" if out.view else "in place"
        yield Fault(
            "release",
            f"is {what}, and a series replaces a release of its own; name a table or a Parquet file",
        )
    elif out.in_several_files or not out.format.kind.takes_series:
        what = "is neither a table, one of a lake, nor Parquet in one place, whose next release appears at once with its ledger"
        yield Fault("release", f"{what}; name one of these")
    elif not is_table and not facts.writes_files:
        what = f"is no table of {facts.name}, and a ledger is one folder of the machine that writes the release; name a table"
        yield Fault("release", what)
    elif out.lake is None and not is_table and run.engine.store(run.path(out.name)) is not None:
        what = "is in an object store, which renames no file; name a file of this machine, and copy it there"
        yield Fault("release", what)
    elif is_table and rule.ledger.table is None:
        yield Fault(
            "series.ledger",
            "must be {table: ...} beside a release that is a table, to be written together",
        )
    elif not is_table and rule.ledger.path is None:
        yield Fault(
            "series.ledger",
            "must be {path: FOLDER} beside a release that is a file or a table of a lake, to be written together",
        )
    elif is_table:
        yield from _table_faults(str(rule.ledger.table), out)


def _table_faults(ledger: str, out: Destination) -> Iterator[Fault]:
    rows, release = parse_table_name(ledger), parse_table_name(out.name)
    if rows.catalog.casefold() != release.catalog.casefold():
        yield Fault(
            "series.ledger",
            "must be in the database of the release, to be written in one transaction",
        )
    if rows.name.casefold() in {release.name.casefold(), f"{release.name}_releases".casefold()}:
        yield Fault("series.ledger", "must have another name than the release")
