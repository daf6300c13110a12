"""Statements that hold the labels of staged rows as codes, each of a type that lists a column's labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

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

    Of each column of codes it is known how many labels its type lists.
    """

    table: exp.Table
    columns: tuple[str, ...]
    listed: Mapping[str, int]

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
        if entry["kind"] == "plain" and entry["from"] == column(entry["as"].name, of=SOURCE):
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
