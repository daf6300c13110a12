"""Stage labels as codes where the database can: narrow rows are sorted, recounted and written in a third of the time.

A code is of a type that lists the labels of its column in the order of their texts, each once: codes are equal where
the bytes of the texts are, and compare as these do. Whoever reads staged rows reads texts, from a view; what knows of
codes is the recount, which distinguishes them, and the file, whose dictionary they become.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.hierarchies import mapping_sql
from kanon_sql.recoding import label_codes_sql
from kanon_sql.recoding.label_codes_sql import CodedRows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.recoding.label_codes_sql import LabelColumn
    from kanon_sql.release.query import ReleaseQuery
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

MOST_LABELS = 65_536
"""The most labels of a column that is held as codes: so many fit in two bytes. A column with more stays text."""

ROW_GROUP = 122_880
"""The rows of a row group of Parquet, where a release states no other number."""

RARE_IN_GROUP = 16
"""Rows that each label of a column of many has in a row group on average, so that codes are written: of rows in random
order hardly a group has so few of them that each can be lost."""

FEW_LABELS = 8_192
"""Labels of a column that is written as codes though some are rare. Of 40 files of 2 million rows whose column had 8,000
labels, three quarters of them rare, none had lost one; of 40 with 60,000 labels a third had."""

MANY_ROWS = 1_000_000
"""Rows of a source from which on columns of few texts are coded that are released as they are."""

FEW_VALUES = 1_000
"""The most values of such a column, by a guess."""

FIRST_ROWS = 1_000_000
"""Staged rows, which are in random order, in which labels are looked for first."""

TEXT = "VARCHAR"


def stage_rows(run: Session, query: ReleaseQuery, *, texts: Collection[str] = ()) -> ReleaseQuery:
    """Stage the rows of a query, and return it as it reads them: with codes, where the database has them.

    Of columns of the source that are `texts`, and released as they are, those with few values are coded too where there
    are many rows. A row with a value that the source did not have a moment ago is then none of the staged rows: the
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
    """Take columns of few texts from tables of their values, which are then coded as labels are."""
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
    """Choose the columns of texts with few labels, and say how many these are."""
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
    """See so many staged rows as a file of row groups takes them: codes of types that list no other labels than theirs.

    A file's dictionary has an entry for each label of a type, empty where no row has it: it would tell of labels that
    only suppressed rows had. Texts are written of a column of many labels of which one may be in few rows of a row group:
    threads that write two groups at once have lost such labels (DuckDB 2.0), and left NULL or an empty text in their
    place. Whoever writes codes compares what was written, and writes texts where any was lost.
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
    """Count the labels that staged rows have of some columns, and the rows of the rarest label of each."""
    if not columns:
        return {}
    counted = run.engine.fetch(label_codes_sql.count_staged_labels(staged, columns, limit=limit))
    return {columns[whole(n)]: (whole(labels), whole(least)) for n, labels, least in counted}
