"""The public function `labels`: writes the key of a release's labels, by which a plain join counts them at a level."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, parse_table_name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.read_paths import hierarchy_of
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import chosen_destination, open_run, open_table
from kanon_sql.engines.base import whole
from kanon_sql.engines.frames import from_relation
from kanon_sql.engines.locations import destination_from_text
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.hierarchies.mapping_sql import level
from kanon_sql.recoding.planning.open_plan import name_plan, open_plan
from kanon_sql.release.destination import StagedRows, is_read
from kanon_sql.release.publish_lake import publisher_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.locations import Destination
    from kanon_sql.recoding.planning.make_plan import Planned

KEY_COLUMNS = (
    "column_name", "label", "level", "ancestor", "least", "greatest",
    "least_number", "greatest_number", "least_date", "greatest_date", "own", "wider",
)  # fmt: skip
ENDS = ("text", "number", "date")
"""What the ends of labels are written as."""
UNIT = 10**6
"""A number is whole if it has no millionths."""


@dataclass(frozen=True, slots=True)
class LabelKey:
    """The key of a release's labels: a small table with a row for each label and each level of its column.

    A row has `column_name`, `label`, `level`, the `ancestor` that covers the label there, and its `least` and
    `greatest` value, NULL for codes. `own` marks the label's own level; at `wider` levels the ancestor is the label
    itself, so that a join loses no row. `labels` counts each column's labels, `unknown` those that its hierarchy
    lacks.
    """

    labels: Mapping[str, int]
    unknown: Mapping[str, int]
    place: str | None
    table: object | None = None

    def summary(self) -> dict[str, object]:
        """Return the object that `labels --json` prints."""
        return {"labels": dict(self.labels), "unknown": dict(self.unknown), "place": self.place}


@checked
def labels(
    release: TableInput,
    *,
    plan: str | Path | Plan,
    policy: PolicyInput | None = None,
    source: TableInput | None = None,
    out: str | None = None,
    replace: bool = False,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> LabelKey:
    """Write the key of a release's labels, by which a join counts rows at any level of a hierarchy.

    Guarantee: the key names no value of the source that the release does not show. Join it `ON
    column_name = 'age' AND label = age AND level = 2`, and group by `ancestor`; wider labels are
    counted as they are.

    Args:
        release: A path, a table's name, or a frame.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        source: The table; by default the policy's source.
        out: A Parquet or CSV file, or a table; by default the key is returned.
        replace: Whether an existing one may be replaced.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        The counts of labels, with the place of the key, or its rows as a Table of pyarrow.

    Raises:
        InputError: An argument is wrong, or the release has no labels of a hierarchy.
        StalePlanError: The policy or a hierarchy has changed since the plan was made.
        ReleaseError: The place cannot take the key.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> hierarchies = {"age": {"intervals": [10, 50]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=hierarchies)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> plan = kanon_sql.plan(policy, people)
    >>> release = kanon_sql.apply(plan, people, policy=policy).to_pandas()
    >>> key = kanon_sql.labels(release, plan=plan, policy=policy, source=people).table.to_pandas()
    >>> print(key[key.level == 2][["label", "ancestor", "least", "greatest"]].to_string(index=False))
       label  ancestor least greatest
    [30, 40)   [0, 50)     0       49
    [50, 60) [50, 100)    50       99
    """
    named = name_plan(plan, policy)
    place = None if out is None else destination_from_text(out)
    with ExitStack() as stack:
        run, frame = open_run(
            stack,
            named.policy,
            source,
            connection=connection,
            settings=settings,
            overrides=named.plan.overrides,
            writes=True,
            release=place,
            keeps_plan=True,
        )
        publisher = publisher_of(run, place, frame, replace=replace)
        if place is not None:
            chosen_destination(run.policy, place, must_publish=connection is None)
            publisher.check()
            if faults := list(_place_faults(run, place, release, publisher.place or "")):
                raise InputError("labels", faults)
        planned = open_plan(run, named, frame, new=True)
        released = open_table(run, release, "release", "the release")
        labelled = list(labelled_columns(run, planned))
        shown = [each.column.name for each in labelled]
        faults = list(released.column_problems(shown))
        if not labelled:
            what = "has no labels of a hierarchy: values, sets, bounds and intervals of an order need no key"
            faults.append(Fault("plan", what))
        if faults:
            raise InputError("labels", faults)
        found = [_label_paths(run, each, released.table, _used(planned, each)) for each in labelled]
        key = run.scratch.create("label_key", label_key, labelled, found)
        counted = run.engine.fetch(count_known_labels(labelled, found, released.table))
        rows = run.engine.fetch_count(source_sql.count_rows(key))
        publisher.publish(planned, StagedRows(key, KEY_COLUMNS, rows))
        table = None
        if place is None:
            table = from_relation(run.engine.relation(key, KEY_COLUMNS), "pyarrow")
        return LabelKey(
            {name: whole(known) for name, (_, _, known) in zip(shown, counted, strict=True)},
            {
                name: whole(labels) - whole(known)
                for name, (_, labels, known) in zip(shown, counted, strict=True)
            },
            publisher.place,
            table,
        )


def names_of_labelled(run: Session, planned: Planned) -> tuple[str, ...]:
    """Return the columns that a release shows labels of a hierarchy in, at a level above the values."""
    return tuple(
        each.column.name
        for each in labelled_columns(run, planned)
        if any(_used(planned, each)) and each.hierarchy.height > 1
    )


def labelled_columns(run: Session, planned: Planned) -> Iterator[Mapped]:
    """Yield the columns whose cells are labels of a hierarchy, each with the paths that have them."""
    by_order = run.policy.search.options.by_order
    for each in planned.mapped:
        output = each.column.output
        if output.is_of_rows or output.bounded:
            continue
        if not by_order or each.column.order is None:
            yield each
        elif output.by_nodes and each.above is not None:
            height = changed(each.hierarchy, height=each.above.levels[-1])
            yield changed(each, paths=each.above.table, hierarchy=height)


def _used(planned: Planned, each: Mapped) -> tuple[int, ...]:
    """Return the levels that a column's labels may have: the recoding's, or all if it has no nodes."""
    recoding = planned.plan.recoding
    if not recoding.nodes:
        return tuple(range(each.hierarchy.height + 1))
    names = [mapped.column.name for mapped in planned.mapped]
    return tuple(sorted(levels_used(recoding, names.index(each.column.name))))


def _place_faults(run: Session, place: Destination, release: object, path: str) -> Iterator[Fault]:
    """Yield a fault for a place that holds something else than a key, or among the files of the release."""
    if place.format.kind.in_database:
        there = bool(run.engine.locate(parse_table_name(place.name)))
    else:
        there = Path(path).exists()
    if there and place.lake is None:
        columns = open_table(
            run, place.name if place.format.kind.in_database else path, "out"
        ).columns
        if tuple(each.name for each in columns) != KEY_COLUMNS:
            yield Fault("out", "holds no key of labels, and is not replaced; name another place")
    is_file = place.format.kind.is_file and isinstance(release, str | Path)
    if is_file and (
        Path(path).absolute().match(str(Path(str(release)).absolute()))
        or is_read(Path(path), str(release), folders=True)
    ):
        what = "is among the files of the release, whose readers would take it for rows"
        yield Fault("out", what)


def _levels(each: Mapped) -> list[dict[str, object]]:
    """Return the leaves of a column's levels: its labels, and what is known of the values that they can have."""
    kind = hierarchy_of(each.column)
    levels: list[dict[str, object]] = []
    for n in range(each.hierarchy.height + 1):
        low, high, months = None, None, kind.months(n)
        if kind.bounded_levels and n == 0:
            low = high = column("value", of="d")
        elif n in kind.bounded_levels:
            low, high = (column(f"{end}_{n}", of="p") for end in ("low", "high"))
        label = column(level(n), of="p") if n else column("value", of="d")
        ends = {
            "low": low,
            "high": high,
            "months": months,
            "spanned": low is not None or months is not None,
        }
        levels.append({"number": n, "label": label, **ends})
    return levels


def _label_paths(run: Session, each: Mapped, release: exp.Table, used: Sequence[int]) -> exp.Table:
    """Create the table of a column's released labels, of the levels that are `used`, each with those above it."""
    spans = run.scratch.create("spanned_labels", spanned_labels, each)
    found = run.scratch.create("label_paths", label_paths, each, release, spans, used)
    run.scratch.drop(spans)
    return found


def spanned_labels(spans: exp.Table, each: Mapped) -> Statement:
    """Create the table of a column's values with their labels, and the least and the greatest value of each label."""
    kind = hierarchy_of(each.column)
    return Statement(
        "release/spanned_labels",
        {
            "spans": spans,
            "domain": each.domain,
            "paths": each.paths,
            "as_text": each.as_text,
            "unit": literal(UNIT),
            "numbers": bool(kind.bounded_levels),
            "dates": kind.of_dates,
            "levels": _levels(each),
        },
    )


def label_paths(
    found: exp.Table, each: Mapped, release: exp.Table, spans: exp.Table, used: Sequence[int]
) -> Statement:
    """Create the table of a column's released labels, of the levels that are `used`, each with those above it."""
    levels = _levels(each)
    return Statement(
        "release/label_paths",
        {
            "found": found,
            "release": release,
            "shown": column(each.column.name, of="r"),
            "spans": spans,
            "used": used,
            "spanned": [at["number"] for at in levels if at["spanned"]],
            "levels": [at["number"] for at in levels],
        },
    )


def label_key(key: exp.Table, labelled: Sequence[Mapped], found: Sequence[exp.Table]) -> Statement:
    """Create the key of the labels of several columns."""
    levels = [
        {
            "named": literal(each.column.name),
            "found": paths,
            "number": n,
            "made": [_ends(each, n, kind, part) for kind in ENDS for part in ("least", "greatest")],
        }
        for each, paths in zip(labelled, found, strict=True)
        for n in range(each.hierarchy.height + 1)
    ]
    return Statement("release/label_key", {"key": key, "levels": levels})


def _ends(each: Mapped, level: int, kind: str, part: str) -> dict[str, object]:
    """Describe one end of the labels of a column at a level, as a text, a number or a date.

    A label of this level or a lower one has the end of the level, and one of a higher level, which is wider, its own.
    """
    is_kind = kind == "text" or (kind == "date") is hierarchy_of(each.column).of_dates
    spanned = [at["number"] for at in _levels(each)[level:] if at["spanned"] and is_kind]
    return {
        "kind": kind,
        "as": name(part if kind == "text" else f"{part}_{kind}"),
        "ends": [
            {"number": n, "value": column(f"{part}_{n}", of="p"), "below": n == level}
            for n in spanned
        ],
    }


def count_known_labels(
    labelled: Sequence[Mapped], found: Sequence[exp.Table], release: exp.Table
) -> Statement:
    """Count the labels that each column of a release shows, and those that its hierarchy has."""
    columns = [
        {"shown": column(each.column.name, of="r"), "found": paths}
        for each, paths in zip(labelled, found, strict=True)
    ]
    return Statement("release/count_known_labels", {"release": release, "columns": columns})
