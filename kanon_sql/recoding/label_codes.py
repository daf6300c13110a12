"""Stages labels as codes where the database can: it sorts, recounts and writes in a third of the time.

A code is of a type that lists the labels of its column once each, in the order of their texts: codes are equal where
the bytes of the texts are, and compare as these do. Readers of staged rows see texts, in a view. Only the recount,
which compares codes, and the file, whose dictionary they become, use the codes themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.base import whole
from kanon_sql.policy.hierarchies import mapping_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.recoding.query import ReleaseQuery


_Entry: TypeAlias = "Mapping[str, Any]"
REGION = "m"
"""The alias of the table that says what each region is released as, where rows are assigned to regions."""
CODED = "kanon_code"
SOURCE = "s"
"""The alias of the source."""
VALUES = "kanon_values"


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Staged rows with codes in place of some columns' labels; `columns` are all that were staged.

    Each column of codes has a type in `types`, which has so many labels as `listed` states.
    """

    table: exp.Table
    columns: tuple[str, ...]
    listed: Mapping[str, int]
    types: Mapping[str, exp.Table]

    @property
    def coded(self) -> frozenset[str]:
        """Name the columns of codes."""
        return frozenset(self.listed)


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A column of a table, joined under an alias, from which labels of a released column are taken, maybe `as_text`."""

    alias: str
    table: exp.Table
    column: str
    as_text: bool

    @property
    def leaf(self) -> dict[str, object]:
        return {"table": self.table, "text": column(self.column, of="t"), "coded": False}


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """A released column of labels, the number of its entry in the statement, and where its labels are taken from."""

    number: int
    name: str
    sources: tuple[LabelSource, ...]


def label_columns(staging: Statement) -> Iterator[LabelColumn]:
    """Find the released columns that take all they release from tables of labels, whatever the recoding.

    Whether these are texts is for the caller to find out.
    """
    tables = _tables(staging)
    for number, entry in enumerate(_entries(staging)):
        origins = [each for each in _origins(entry) if each["from"] is not None]
        if origins and all(each["from"].table in tables for each in origins):
            sources = [
                LabelSource(of.table, tables[of.table], of.name, bool(each.get("as_text")))
                for each in origins
                for of in [each["from"]]
            ]
            yield LabelColumn(number, entry["as"].name, tuple(dict.fromkeys(sources)))


def values_of_source(staging: Statement) -> Iterator[str]:
    """Name the released columns that are the source's own, under their names."""
    for entry in _entries(staging):
        own = column(entry["as"].name, of=SOURCE)
        if entry["kind"] == "plain" and own in {entry["from"], entry.get("own")}:
            yield entry["as"].name


def with_values(staging: Statement, tables: Mapping[str, exp.Table]) -> Statement:
    """Take columns that are the source's own from tables of their values, by a join as labels are."""
    entries, joined = list(_entries(staging)), list(_joined(staging))
    for number, entry in enumerate(entries):
        if (table := tables.get(entry["as"].name)) is not None:
            alias = f"{VALUES}_{number}"
            value = column("value", of=alias)
            entries[number] = {**entry, "from": value}
            own = entry["from"]
            joined.append(
                {"table": table, "alias": name(alias), "column": own, "value": value, "nulls": True}
            )
    return replace(staging, leaves={**staging.leaves, "columns": entries, "joins": joined})


def values_to_mask(values: exp.Table, source: exp.Table, text: str, by: exp.Column) -> Statement:
    """Write each value of a column once, beside what it is looked up `by`."""
    leaves = {"values": values, "source": source, "from": column(text, of="s"), "by": by}
    return Statement("recoding/values_to_mask", leaves)


def guess_values(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Guess how many values some columns have."""
    leaves = {"source": source, "columns": [column(each, of="s") for each in columns]}
    return Statement("recoding/guess_values", leaves)


def staged_columns(staging: Statement) -> tuple[str, ...]:
    """Name all columns that a statement stages."""
    return tuple(each["as"].name for each in _entries(staging))


def _entries(staging: Statement) -> Sequence[_Entry]:
    return cast("Sequence[_Entry]", staging.leaves["columns"])


def _joined(staging: Statement) -> Sequence[_Entry]:
    return cast("Sequence[_Entry]", staging.leaves["joins"])


def _classes(staging: Statement) -> Sequence[_Entry]:
    return cast("Sequence[_Entry]", staging.leaves["classes"])


def _origins(entry: _Entry) -> list[_Entry]:
    """List what an entry takes its values from: by the level of a row's class there are several."""
    if entry["kind"] == "chosen":
        return [*entry["cases"], entry["otherwise"]]
    return [entry] if entry["kind"] == "plain" else []


def _tables(staging: Statement) -> dict[str, exp.Table]:
    """Give the tables of labels that the statement joins, by their aliases."""
    of_classes = [values for each in _classes(staging) for values in each["found"]]
    found = {each["alias"].name: each["table"] for each in (*_joined(staging), *of_classes)}
    if not (staging.leaves["assigned"] is None and staging.leaves["lined"] is None):
        found[REGION] = cast("exp.Table", staging.leaves["regions"])
    return found


def count_labels(columns: Sequence[LabelColumn]) -> Statement:
    """Count the labels of some columns."""
    described = [{"sources": [each.leaf for each in of.sources]} for of in columns]
    return Statement("recoding/count_labels", {"columns": described})


def label_type(type_: exp.Table, of: LabelColumn) -> Statement:
    """Create the type of a column: its labels in the order of their texts, so that codes compare as these do."""
    leaves = {"type": type_, "sources": [each.leaf for each in of.sources]}
    return Statement("recoding/label_type", leaves)


def type_of_rows(type_: exp.Table, staged: exp.Table, text: str) -> Statement:
    """Create the type of the labels that staged rows have, and of no others."""
    source = {"table": staged, "text": column(text, of="t"), "coded": True}
    return Statement("recoding/label_type", {"type": type_, "sources": [source]})


def count_staged_labels(
    staged: exp.Table, columns: Sequence[str], *, limit: int | None = None
) -> Statement:
    """Count the labels of columns, and the rows of the rarest, in so many staged rows, or in all."""
    described = [
        {"column": column(each, of="t"), "number": number} for number, each in enumerate(columns)
    ]
    leaves = {"staged": staged, "columns": described, "limit": limit}
    return Statement("recoding/count_staged_labels", leaves)


def code_labels(
    coded: exp.Table, origin: exp.Table, alias: str, types: Mapping[LabelColumn, exp.Table]
) -> Statement:
    """Copy a table of labels, with the codes of those that some columns take from it.

    Regions are joined by their numbers, so that nothing reads their texts where there are codes.
    """
    codes = [
        {"text": column(each.column, of="t"), "type": type_, "as": _coded(of, each)}
        for of, type_ in types.items()
        for each in of.sources
        if each.alias == alias
    ]
    read = {each.column for of in types for each in of.sources if each.alias == alias}
    without = [name(text) for text in sorted(read)] if alias == REGION else []
    leaves = {"coded": coded, "origin": origin, "codes": codes, "without": without}
    return Statement("recoding/code_labels", leaves)


def stage_codes(
    staging: Statement,
    staged: exp.Table,
    copies: Mapping[str, exp.Table],
    columns: Sequence[LabelColumn],
    *,
    taken: Collection[str],
) -> Statement:
    """Stage codes in place of the labels of some columns, from copies of their tables, which have both.

    Rows that are numbered first have what is joined with them by names that none of the columns `taken` has.
    """
    entries = list(_entries(staging))
    for of in columns:
        entries[of.number] = _with_codes(entries[of.number], of)

    def copied(joined: Sequence[_Entry]) -> list[_Entry]:
        return [{**each, "table": copies.get(each["alias"].name, each["table"])} for each in joined]

    of_classes = [{**each, "found": copied(each["found"])} for each in _classes(staging)]
    leaves = {**staging.leaves, "staged": staged, "columns": entries}
    leaves |= {"joins": copied(_joined(staging)), "classes": of_classes}
    if REGION in copies:
        leaves["regions"] = copies[REGION]
    if leaves["nth"] is not None:
        leaves |= _numbered_with(entries, {each["alias"].name for each in _joined(staging)}, taken)
    return replace(staging, leaves=leaves)


def _numbered_with(
    entries: Sequence[_Entry], joined: Collection[str], taken: Collection[str]
) -> dict[str, object]:
    """Carry what is released of joined tables with the rows that are numbered."""
    beside: list[_Entry] = []
    after: list[_Entry] = []
    used = {each.casefold() for each in taken}
    for number, entry in enumerate(entries):
        if entry["kind"] == "plain" and entry["from"].table in joined:
            free = f"{CODED}_{number}"
            while free in used:
                free = f"{free}_"
            beside.append({"from": entry["from"], "as": name(free)})
            after.append({**entry, "from": column(free, of=SOURCE)})
        else:
            after.append(entry)
    return {"columns": after, "beside": beside}


def _with_codes(entry: _Entry, of: LabelColumn) -> _Entry:
    def coded(origin: _Entry) -> _Entry:
        taken = origin["from"]
        if taken is None:
            return {**origin}
        source = next(s for s in of.sources if (s.alias, s.column) == (taken.table, taken.name))
        return {
            **origin,
            "from": column(_coded(of, source).name, of=source.alias),
            "as_text": False,
        }

    if entry["kind"] == "plain":
        return coded(entry)
    cases = [coded(each) for each in entry["cases"]]
    return {**entry, "cases": cases, "otherwise": coded(entry["otherwise"])}


def _coded(of: LabelColumn, source: LabelSource) -> exp.Identifier:
    return name(f"{CODED}_{of.number}_{of.sources.index(source)}")


def decoded_rows(
    view: exp.Table,
    staged: exp.Table,
    columns: Sequence[str],
    coded: Collection[str],
    types: Mapping[str, exp.Table] | None = None,
) -> Statement:
    """See staged rows as texts, or with codes of other types: what is not `coded` as it is."""
    described = [
        {
            "from": column(each, of="t"),
            "as": name(each),
            "type": (types or {}).get(each),
            "coded": each in coded,
        }
        for each in columns
    ]
    return Statement(
        "recoding/decoded_rows", {"view": view, "staged": staged, "columns": described}
    )


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
        run.engine.execute(label_type(types[each], each))
    copies = {}
    for alias, origin in {s.alias: s.table for each in columns for s in each.sources}.items():
        copies[alias] = run.scratch.create("coded", code_labels, origin, alias, types)
    staged = run.scratch.create(
        "codes",
        lambda named: stage_codes(staging, named, copies, [*columns], taken=query.order),
    )
    for copy in copies.values():
        run.scratch.drop(copy)
    names = staged_columns(staging)
    listed = {each.name: count for each, count in columns.items()}
    rows = CodedRows(staged, names, listed, {each.name: type_ for each, type_ in types.items()})
    run.see(query.staged, decoded_rows(query.staged, staged, names, rows.coded))
    return replace(query, codes=rows)


def _with_values(run: Session, query: ReleaseQuery, texts: Collection[str]) -> Statement:
    """Return the staging statement with columns of few texts read from tables of values, to be coded."""
    staging = query.staging
    found = [each for each in values_of_source(staging) if each in texts]
    if not found or staging.scans < MANY_ROWS:
        return staging
    counts = run.engine.fetch_counts(guess_values(query.source, found))
    tables = {
        name: run.scratch.create("values", mapping_sql.domain, query.source, name)
        for name, count in zip(found, counts, strict=True)
        if count <= FEW_VALUES
    }
    return with_values(staging, tables) if tables else staging


def _coded_columns(run: Session, staging: Statement) -> Mapping[LabelColumn, int]:
    """Choose the columns of texts with few labels; return the number of labels of each."""
    types: dict[exp.Table, dict[str, ColumnType]] = {}
    texts = []
    for each in label_columns(staging):
        for table in {source.table for source in each.sources} - types.keys():
            types[table] = {of.name: of for of in run.engine.columns(table)}
        if all(s.as_text or types[s.table][s.column].type == TEXT for s in each.sources):
            texts.append(each)
    if not texts:
        return {}
    counts = run.engine.fetch_counts(count_labels(texts))
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
    for each, (labels, least) in _count_labels(run, rows.table, columns).items():
        if _may_be_lost(labels, least, frequent):
            as_text.add(each)
        elif labels < rows.listed[each]:
            types[each] = run.scratch.type("written")
            run.engine.execute(type_of_rows(types[each], rows.table, each))
    if not as_text and not types:
        return rows.table
    view = run.scratch.table("written_codes")
    run.see(view, decoded_rows(view, rows.table, rows.columns, as_text, types))
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
    counted = run.engine.fetch(count_staged_labels(staged, columns, limit=limit))
    return {columns[whole(n)]: (whole(labels), whole(least)) for n, labels, least in counted}
