"""Stage labels as codes where the database can: narrow rows are sorted, recounted and written in a third of the time.

A code is of a type that lists the labels of its column in the order of their texts, each once: codes are equal where
the bytes of the texts are, and compare as these do. Whoever reads staged rows reads texts, from a view; what knows of
codes is the recount, which distinguishes them, and the file, whose dictionary they become.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.engines.base import whole
from kanon_sql.recoding import label_codes_sql
from kanon_sql.recoding.label_codes_sql import CodedRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.recoding.label_codes_sql import LabelColumn
    from kanon_sql.release.query import ReleaseQuery
    from kanon_sql.run.session import Session

MOST_LABELS = 65_536
"""The most labels of a column that is held as codes: so many fit in two bytes. A column with more stays text."""

ROW_GROUP = 122_880
"""The rows of a row group of Parquet, where a release states no other number."""

RARE_IN_GROUP = 64
"""Rows that each label has in a row group on average, so that codes are written."""

TEXT = "VARCHAR"


def stage_rows(run: Session, query: ReleaseQuery) -> ReleaseQuery:
    """Stage the rows of a query, and return it as it reads them: with codes, where the database has them.

    Guarantee: the table that `query.staged` names has the same columns, types and values, with and without codes.
    """
    columns = _coded_columns(run, query) if run.engine.capabilities.codes_labels else {}
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
        lambda named: label_codes_sql.stage_codes(query.staging, named, copies, [*columns]),
    )
    for copy in copies.values():
        run.scratch.drop(copy)
    names = label_codes_sql.staged_columns(query.staging)
    rows = CodedRows(staged, names, {each.name: count for each, count in columns.items()})
    run.see(query.staged, label_codes_sql.decoded_rows(query.staged, staged, names, rows.coded))
    return replace(query, codes=rows)


def _coded_columns(run: Session, query: ReleaseQuery) -> Mapping[LabelColumn, int]:
    """Choose the columns of texts with few labels, and say how many these are."""
    types: dict[exp.Table, dict[str, ColumnType]] = {}
    texts = []
    for each in label_codes_sql.label_columns(query.staging):
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
    only suppressed rows had. Texts are written of a column with a label that may be in few rows of a row group: threads
    that write two groups at once have lost such labels (DuckDB 2.0), and left NULL or an empty text in their place.
    """
    groups = counted / (row_group or ROW_GROUP)
    rare = RARE_IN_GROUP * groups if groups > 1 else 0
    coded = [each for each in rows.columns if each in rows.coded]
    as_text, types = set(), {}
    for number, labels, least in run.engine.fetch(
        label_codes_sql.count_staged_labels(rows.table, coded)
    ):
        name = coded[whole(number)]
        if whole(least) < max(rare, 1):
            as_text.add(name)
        elif whole(labels) < rows.listed[name]:
            types[name] = run.scratch.type("written")
            run.engine.execute(label_codes_sql.type_of_rows(types[name], rows.table, name))
    if not as_text and not types:
        return rows.table
    view = run.scratch.table("written_codes")
    run.see(view, label_codes_sql.decoded_rows(view, rows.table, rows.columns, as_text, types))
    return view
