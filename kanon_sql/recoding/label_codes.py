"""Stage labels as codes where the database can: it sorts, recounts and writes in a third of the time.

A code is of a type that lists the labels of its column once each, in the order of their texts: codes are equal where
the bytes of the texts are, and compare as these do. Readers of staged rows see texts, in a view. Only the recount,
which compares codes, and the file, whose dictionary they become, use the codes themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.recoding import label_codes_sql
from kanon_sql.recoding.label_codes_sql import CodedRows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.recoding.label_codes_sql import LabelColumn
    from kanon_sql.recoding.query import ReleaseQuery

MOST_LABELS = 65_536
"""The most labels of a column that is held as codes: so many fit in two bytes. A column with more stays text."""

ROW_GROUP = 122_880
"""The rows of a row group of Parquet, where a release states no other number."""

RARE_IN_GROUP = 16
"""A column of many labels is written as codes where a row group has this many rows of each label on average: of rows in
random order, hardly a group has so few of them that the label can be lost."""

FEW_LABELS = 8_192
"""Most labels of a column that is written as codes though some are rare. Of 40 files of 2 million rows whose column had
8,000 labels, three quarters of them rare, none had lost one; of 40 with 60,000 labels a third had."""

MANY_ROWS = 1_000_000
"""Rows of a source from which columns of few texts that are released unchanged are coded, too."""

FEW_VALUES = 1_000
"""The most values of such a column, by the engine's estimate."""

FIRST_ROWS = 1_000_000
"""Staged rows, which are in random order, in which labels are looked for first."""

TEXT = "VARCHAR"


def stage_rows(run: Session, query: ReleaseQuery, *, texts: Collection[str] = ()) -> ReleaseQuery:
    """Stage the rows of a query; return the query with the table of codes, where the database has them.

    `texts` names text columns of the source. Those that are released unchanged and have few values are coded too where
    there are many rows. A row whose value the source did not have when its values were listed is then not staged: the
    recount misses it.

    Guarantee: the table that `query.staged` names has the same columns, types and values, with and without codes.
    """
    codes_labels = run.engine.capabilities.codes_labels
    staging = _with_values(run, query, texts) if codes_labels else query.staging
    columns = _coded_columns(run, staging) if codes_labels else {}
    if not columns:
        run.engine.execute(query.staging)
        return query
    types = {}
    for each in columns:
        types[each] = run.scratch.type("labels")
        run.engine.execute(label_codes_sql.label_type(types[each], each))
    copies = {}
    for alias, origin in {s.alias: s.table for each in columns for s in each.sources}.items():
        copies[alias] = run.scratch.create(
            "coded", label_codes_sql.code_labels, origin, alias, types
        )
    staged = run.scratch.create(
        "codes",
        lambda named: label_codes_sql.stage_codes(
            staging, named, copies, [*columns], taken=query.order
        ),
    )
    for copy in copies.values():
        run.scratch.drop(copy)
    names = label_codes_sql.staged_columns(staging)
    rows = CodedRows(staged, names, {each.name: count for each, count in columns.items()})
    run.see(query.staged, label_codes_sql.decoded_rows(query.staged, staged, names, rows.coded))
    return replace(query, codes=rows)


def _with_values(run: Session, query: ReleaseQuery, texts: Collection[str]) -> Statement:
    """Return the staging statement with columns of few texts read from tables of values, to be coded."""
    staging = query.staging
    found = [each for each in label_codes_sql.values_of_source(staging) if each in texts]
    if not found or staging.scans < MANY_ROWS:
        return staging
    counts = run.engine.fetch_counts(label_codes_sql.guess_values(query.source, found))
    tables = {
        name: run.scratch.create("values", mapping_sql.domain, query.source, name)
        for name, count in zip(found, counts, strict=True)
        if count <= FEW_VALUES
    }
    return label_codes_sql.with_values(staging, tables) if tables else staging


def _coded_columns(run: Session, staging: Statement) -> Mapping[LabelColumn, int]:
    """Choose the columns of texts with few labels; return the number of labels of each."""
    types: dict[exp.Table, dict[str, ColumnType]] = {}
    texts = []
    for each in label_codes_sql.label_columns(staging):
        for table in {source.table for source in each.sources} - types.keys():
            types[table] = {of.name: of for of in run.engine.columns(table)}
        if all(s.as_text or types[s.table][s.column].type == TEXT for s in each.sources):
            texts.append(each)
    if not texts:
        return {}
    counts = run.engine.fetch_counts(label_codes_sql.count_labels(texts))
    return {of: count for of, count in zip(texts, counts, strict=True) if 0 < count <= MOST_LABELS}


def written_rows(
    run: Session, rows: CodedRows, *, counted: int, row_group: int | None
) -> exp.Table:
    """Return staged rows as a file of row groups needs them: as codes of types that list only used labels.

    A file's dictionary has an entry for each label of a type, empty where no row has it: it would give away labels that
    only suppressed rows had. A column of many labels, one of which may be in few rows of a row group, is written as
    texts: threads that write two groups at once have lost such labels (DuckDB 2.0), and left NULL or an empty text in
    their place. A caller that writes codes compares what was written, and writes texts where a label was lost.
    """
    groups = counted / (row_group or ROW_GROUP)
    frequent = RARE_IN_GROUP * groups if groups > 1 else 1
    columns = [each for each in rows.columns if each in rows.coded]
    if counted > FIRST_ROWS:  # most labels of most columns are frequent among the first
        found = _count_labels(run, rows.table, columns, limit=FIRST_ROWS)
        columns = [
            name
            for name, (labels, least) in found.items()
            if labels < rows.listed[name] or _may_be_lost(labels, least, frequent)
        ]
    as_text, types = set(), {}
    for name, (labels, least) in _count_labels(run, rows.table, columns).items():
        if _may_be_lost(labels, least, frequent):
            as_text.add(name)
        elif labels < rows.listed[name]:
            types[name] = run.scratch.type("written")
            run.engine.execute(label_codes_sql.type_of_rows(types[name], rows.table, name))
    if not as_text and not types:
        return rows.table
    view = run.scratch.table("written_codes")
    run.see(view, label_codes_sql.decoded_rows(view, rows.table, rows.columns, as_text, types))
    return view


def _may_be_lost(labels: int, least: int, frequent: float) -> bool:
    """Whether a column has so many labels, the rarest in so few rows, that writing codes likely loses one."""
    return labels > FEW_LABELS and least < frequent


def _count_labels(
    run: Session, staged: exp.Table, columns: Sequence[str], *, limit: int | None = None
) -> dict[str, tuple[int, int]]:
    """Return, for each column, the number of its labels in staged rows and the rows of the rarest label."""
    if not columns:
        return {}
    counted = run.engine.fetch(label_codes_sql.count_staged_labels(staged, columns, limit=limit))
    return {columns[whole(n)]: (whole(labels), whole(least)) for n, labels, least in counted}
