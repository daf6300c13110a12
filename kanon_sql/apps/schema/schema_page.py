"""The page of a schema's plan for whoever signs it: as HTML, as text, and as a codebook for who gets the rows.

It is made of the plan's file and the policy, reads no table, and has no value of the data.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kanon_sql.apps.schema.schema_plan import (
    check_policy_of,
    figures_of,
    policy_beside,
    read_schema_plan,
    recoded_columns,
    released_of,
    released_tables,
    unprotected_tables,
    verdict_of,
)
from kanon_sql.apps.schema.schema_policy import PERSON, protection_of
from kanon_sql.apps.schema.stage_schema import class_size
from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report
from kanon_sql.engines.connect import is_address
from kanon_sql.evidence.reports.dossier import (
    ASKED,
    ROWS_AND_PEOPLE,
    limits_of,
    transformations,
)
from kanon_sql.evidence.reports.first_screen import OF_EVERY_PAGE, roles_decided
from kanon_sql.evidence.reports.make_report import file_hash
from kanon_sql.evidence.reports.report import (
    CODEBOOK,
    NOT_DECIDED,
    html_table,
    purpose_lines,
    section_lines,
)
from kanon_sql.evidence.reports.report_values import ReportSection
from kanon_sql.evidence.reports.utility_sections import OWN, in_one_cell
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import column_roles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.apps.schema.schema_plan import PlannedTable, SchemaPlan
    from kanon_sql.apps.schema.schema_policy import SchemaPolicy, TableEntry


BY_EVENT = "the value, or a label of its hierarchy: each event has the coarseness that it needs"
NOT_LISTED = "not listed"


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column of a table of the schema: its role in words, what a cell shows, and why it has this role.

    `use` is what a reader may do with it; None where the release does not have it.
    """

    name: str
    role: str
    shows: str
    why: str = ""
    use: str | None = OWN


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """A plan of a schema with its policy, for the people who decide on it. `files` has hashes by their names."""

    plan: SchemaPlan
    policy: SchemaPolicy
    name: str
    files: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """The title that the policy states, or one by the plan's name."""
        return self.policy.about.title or f"Report of the schema in {self.name}"

    def to_html(self) -> str:
        """Return the page, which loads nothing."""
        of, about = self, self.policy.about
        return render_report(
            "schema.html",
            title=of.title,
            release=of.plan.release,
            verdict=_verdict(of),
            figures=list(_figures(of)),
            decided=list(_decided(of)),
            origin=_origin(of),
            dossier={"about": about},
            picture=picture_of(of.plan),
            sections=[
                {
                    "id": each.id,
                    "title": each.title,
                    "sentences": each.sentences,
                    "tables": [html_table(table) for table in each.tables],
                }
                for each in _sections(of)
            ],
            made_by=version("kanon-sql"),
        )

    def to_text(self) -> str:
        """Return the report as text for a terminal."""
        verdict = _verdict(self)
        figures = [[name, value, beside] for name, value, beside, _ in _figures(self)]
        first = [
            *(str(verdict[each]) for each in ("line", "text")),
            *(f"{name}: {what}" for name, what, _ in _decided(self)),
            *(f"{name}: {what}" for name, what in _origin(self)),
        ]
        found = [
            ReportSection("verdict", self.title, first),
            ReportSection(
                "figures", "Figures", (), (), [ShownTable(["figure", "value", "beside"], figures)]
            ),
            ReportSection("purpose", "Data and purpose", purpose_lines(self.policy.about)),
            *map(_as_sentences, _sections(self)),
        ]
        return "\n".join(section_lines(found)).lstrip("\n") + "\n"

    def to_codebook(self) -> str:
        """Return the codebook as Markdown: what a cell of each released column shows, and what may be done with it."""
        return "\n".join(_codebook_lines(self)) + "\n"


def report_schema(plan: str | Path, *, policy: str | Path | None = None) -> SchemaReport:
    """Read the plan of a schema and its policy for a report. Raises InputError, and StalePlanError for another policy."""
    from kanon_sql.apps.schema.read_schema import read_schema_policy  # noqa: PLC0415  it imports much

    stated = read_schema_plan(Path(plan))
    file = policy_beside(stated, Path(plan)) if policy is None else Path(policy)
    read = read_schema_policy(file)
    check_policy_of(stated, read)
    files = (("Policy, SHA-256", f"{file_hash(file)}  {file.name}"),)
    return SchemaReport(stated, read, Path(plan).name, files)


WIDEST = 3
"""The most columns of a table in a terminal: a wider one has a sentence for each row."""


def _as_sentences(section: ReportSection) -> ReportSection:
    """Put sentences in place of wide tables."""
    wide = [each for each in section.tables if len(each.headings) > WIDEST]
    said = (
        f"{row[0]}: {'; '.join(f'{what}: {text}' for what, text in zip(table.headings[1:], row[1:], strict=True) if text != '-')}"
        for table in wide
        for row in table.rows
    )
    tables = [each for each in section.tables if each not in wide]
    return ReportSection(section.id, section.title, [*section.sentences, *said], (), tables)


def _origin(of: SchemaReport) -> list[tuple[str, str]]:
    database = of.policy.database
    if database is not None and is_address(database):  # without its user
        place = urlsplit(database)
        database = f"{place.scheme}://{place.hostname or ''}{place.path}"
    return [
        ("Date", datetime.now(UTC).date().isoformat()),
        *([] if database is None else [("Database", database)]),
        *of.files,
        ("Policy's rules, as the plan has them", of.plan.policy_hash),
        ("Plan, SHA-256", sha256(of.plan.to_yaml().encode()).hexdigest()),
    ]


def _verdict(of: SchemaReport) -> dict[str, object]:
    """Return the sentences that decide: which tables have no guarantee, how many people stand below k, and who gets the release."""
    plan = of.plan
    below = [str(each) for each in plan.joined if each.below]
    recipients = " ".join((of.policy.about.recipients or "").split()).rstrip(".")
    whose = f" for “{recipients}”" if recipients else ", and its policy names no recipients"
    text = "; ".join((f"This plan releases {released_tables(plan)}{whose}", *below))
    meets = not unprotected_tables(plan) and not below
    return {"meets": meets, "line": verdict_of(plan), "text": f"{text}."}


def _figures(of: SchemaReport) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the figures of the first screen: name, value, what it is compared with, and whether it is open."""
    for name, table in of.plan.tables.items():
        if table.plan is not None:
            k, least = class_size(of.policy.tables[name].policy), table.plan.smallest_class
            beside = f"k = {k:,}; somebody is found with a chance of at most 1 in {least:,}"
            yield (
                f"Smallest class of {name}",
                _whose(of.policy.tables[name], table, least),
                beside,
                False,
            )
    for each in of.plan.joined:
        beside = f"of {each.people:,} in {each.people_of}; k = {each.k:,}"
        what = f"by {joined(each.over)} in {joined(each.tables)}" if each.over else "over the join"
        yield f"People below k {what}", f"{each.below:,}", beside, bool(each.below)


def _whose(entry: TableEntry, table: PlannedTable, many: int) -> str:
    """Return a number of people or rows, as the table's classes count."""
    if entry.protection is PERSON or (
        table.plan is not None and table.plan.counts_people is not None
    ):
        return "1 person" if many == 1 else f"{many:,} people"
    return counted(many, "row")


def _decided(of: SchemaReport) -> Iterator[tuple[str, str, bool]]:
    """Yield what whoever signs has judged: what nobody has decided, the terms, and the warnings."""
    for name, entry in of.policy.tables.items():
        if entry.whole:
            yield (
                f"{name}: copied",
                "as it is but for keys: it must hold nothing about people, which nobody has counted",
                True,
            )
            continue
        for what, names, is_open in roles_decided(entry.policy):
            if is_open:
                yield f"{name}: {what[:1].lower()}{what[1:]}", names, True
    terms = of.policy.about.terms
    missing = "NOT STATED: no ban on linking or on finding people"
    yield "Terms of use", terms or missing, terms is None
    if of.plan.warnings:
        yield (
            "Warnings",
            f"{counted(len(of.plan.warnings), 'warning')} of the plan: see “Warnings”",
            True,
        )


def _sections(of: SchemaReport) -> Iterator[ReportSection]:
    """Yield the sections after the first screen and the purpose."""
    plan, tables = of.plan, of.plan.tables
    finds = [[name, table.protection, _finds(of, name, table)] for name, table in tables.items()]
    yield ReportSection(
        "finds",
        "What a stranger could find out",
        [
            "The chances are those of somebody who knows what is named here of a person, and nothing more."
        ],
        (),
        [ShownTable(["table", "protected by", "who finds what"], finds)],
    )
    yield ReportSection(
        "joined",
        "Who stands below k over the join",
        [
            "A person stands below k if fewer than k people have the same labels and the same joined rows, pseudonyms left aside.",
            *(
                [each.warning for each in plan.joined]
                or ["No released rows can be joined to people by a pseudonym."]
            ),
        ],
    )
    rows = [
        [
            name,
            f"{table.rows:,}",
            released_of(table),
            f"{table.protection}: {figures_of(table)}" if figures_of(table) else table.protection,
            _thresholds(of.policy.tables[name], table),
            f"{protection_of(table.protection).promise}; {table.limit}",
        ]
        for name, table in tables.items()
    ]
    headings = ["table", "rows", "released", "protected by", "thresholds", "promise, and its limit"]
    yield ReportSection(
        "tables", "Tables and what protects each", (), (), [ShownTable(headings, rows)]
    )
    yield from (_columns(of, name, table) for name, table in tables.items())
    keys = [
        [str(each), "valid" if each.released else "no", f"{each.orphans:,}"]
        for each in plan.foreign_keys
    ]
    headings = ["key", "in the release", "rows of the source that name no row"]
    yield ReportSection(
        "keys", "Foreign keys", (), (), [ShownTable(headings, keys)] if keys else ()
    )
    yield ReportSection("warnings", "Warnings", plan.warnings or ["None."])
    yield ReportSection("limits", "Limits", list(_limits(of)))
    could = [
        f"about: {key}: {what}"
        for key, what in ASKED.items()
        if getattr(of.policy.about, key) is None
    ]
    yield ReportSection("could-state", "What the policy could state", could)


def _finds(of: SchemaReport, name: str, table: PlannedTable) -> str:
    """Say of a table what somebody finds who knows something of a person."""
    entry, own = of.policy.tables[name], protection_of(table.protection)
    if own.folded:
        return f"Its columns are in {table.into}, under the k of its people; no single row is released."
    if own.events:
        k = max(class_size(each.policy) for each in of.policy.people if each.of == entry.of)
        knows = (
            "all their rows"
            if table.known is None
            else f"any {counted(table.known, 'event')} of theirs"
        )
        return f"Whoever knows the class of a person and {knows} finds at least {k:,} people: a chance of at most 1 in {k:,}."
    if table.plan is not None:
        knows = (
            joined([each.name for each in entry.policy.quasi]) or "nothing but that they are in it"
        )
        least = table.plan.smallest_class
        return f"Whoever knows {knows} of a person finds at least {_whose(entry, table, least)}: a chance of at most 1 in {least:,}."
    if own.claims_nothing:
        joins = [each for each in of.plan.joined if name in each.tables]
        said = "".join(
            f" Of {each.people:,} people {each.below:,} have fewer than {each.k:,} like them over all joined rows"
            + (
                ""
                if each.fewest is None
                else f", and somebody only {each.fewest:,}: a chance of 1 in {each.fewest:,}"
            )
            + "."
            for each in joins
        )
        return f"Whoever knows some of the rows of a person, by any column, may find that person.{said}"
    return "Nothing of people, if it holds nothing about them: nobody has counted that."


def _thresholds(entry: TableEntry, table: PlannedTable) -> str:
    """Return the privacy models of a table, and how many rows it may suppress, and did."""
    if table.plan is not None:
        read, most = table.plan.source_rows, table.plan.max_suppressed
        gone, models = table.plan.suppressed_rows, f"{joined(table.plan.privacy)}; "
    elif table.unchanged is not None and table.known is None:
        read, gone, models = table.rows - table.left_out, table.suppressed, ""
        most = entry.policy.suppression.limit(read)
    else:
        return "none"
    return f"{models}{gone:,} of {read:,} rows suppressed, at most {most:,}"


def columns_of(of: SchemaReport, name: str) -> Iterator[SchemaColumn]:
    """Yield the columns of a table: those of its policy, those that it copies, or those that its rows are folded into."""
    entry, table = of.policy.tables[name], of.plan.tables[name]
    if entry.protection.folded:
        for made, fold in entry.folds.items():
            yield SchemaColumn(f"{table.into}.{made}", "summary", str(fold), use="count it")
        return
    recoded = {}
    if table.plan is not None:
        recoded = {each.column: each for each in transformations(entry.policy, table.plan, {})}
    of_policy = {each.name: each for each in entry.policy.columns}
    for role in column_roles(entry.policy):
        column, why = of_policy[role.column], role.why or ""
        if len(entry.path) > 1 and role.column == entry.policy.entity:
            continue  # the key of a person whom another table names, which this one does not have
        if column.role is Role.QUASI and role.column in recoded:
            change = recoded[role.column]
            read = OWN if change.unchanged else column.output.reading
            for released in change.released_as:
                yield SchemaColumn(
                    released, "quasi-identifier", change.becomes or change.recoded, why, read
                )
        elif column.role is Role.QUASI:
            yield SchemaColumn(
                role.column, "quasi-identifier", BY_EVENT, why, column.output.reading
            )
        else:
            undecided = NOT_DECIDED.strip() if role.is_open else ""
            use = (
                None
                if column.is_dropped
                else OWN
                if column.mask is None
                else f"join or count it; it is not {OWN}"
            )
            said = " ".join(filter(None, (undecided, why)))
            yield SchemaColumn(role.column, column.role.value, role.treatment, said, use)
    for released in table.columns:
        if released not in of_policy:
            yield SchemaColumn(released, NOT_LISTED, "released unchanged")


def _columns(of: SchemaReport, name: str, table: PlannedTable) -> ReportSection:
    """Build the section on the columns of a table: roles, what a cell shows, and what each quasi-identifier lost."""
    changes = {each.name: each for each, _ in recoded_columns(table)}
    rows = []
    for column in columns_of(of, name):
        lost: list[str] = ["-", "-", "-"]
        if (change := changes.get(column.name)) is not None:
            kept = f"{min(change.kept / change.rows, 1):.0%}" if change.rows else "-"
            lost = [f"{change.values:,}", f"{change.labels:,}", kept]
        rows.append([column.name, column.role, column.shows, *lost, column.why or "-"])
    headings = [
        "column",
        "role",
        "what a cell shows",
        "values before",
        "values after",
        "rows left",
        "why",
    ]
    return ReportSection(
        f"columns-{list(of.plan.tables).index(name)}",
        f"Columns of {name}",
        [f"Its declaration does not keep: {'; '.join(table.lost)}."] if table.lost else (),
        (),
        [ShownTable(headings, rows)],
    )


def _limits(of: SchemaReport) -> Iterator[str]:
    """Yield the limits of the counted tables, equal ones once, and those of every report."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, table in of.plan.tables.items():
        if table.plan is not None:
            entry = of.policy.tables[name]
            for each in limits_of(entry.policy, of_source=False):
                if each.title == ROWS_AND_PEOPLE and entry.protection is PERSON:
                    continue  # it has one row a person
                found.setdefault((each.title, each.text), []).append(name)
    every = [
        (title, text) for title, text in found if title in OF_EVERY_PAGE and title != "This page"
    ]
    for (title, text), names in found.items():
        if title not in OF_EVERY_PAGE:
            yield f"{title} ({joined(names)}): {text}"
    yield from (f"{title}: {text}" for title, text in every)


def _codebook_lines(of: SchemaReport) -> Iterator[str]:
    about = of.policy.about
    yield f"{CODEBOOK}# {in_one_cell(about.title or 'Codebook of a schema of tables')}"
    yield ""
    for name, table in of.plan.tables.items():
        if table.into:
            continue
        yield f"## {in_one_cell(table.released_as or name)}"
        yield ""
        yield f"{counted(table.released_rows, 'row')}. {protection_of(table.protection).promise[:1].upper()}{protection_of(table.protection).promise[1:]}; {table.limit}."
        yield ""
        yield "| column | a cell shows | what may be done with it |"
        yield "|---|---|---|"
        for each in columns_of(of, name):
            if each.use is not None:
                use = "read it as it is" if each.use == OWN else each.use
                yield f"| {in_one_cell(each.name)} | {in_one_cell(each.shows)} | {in_one_cell(use)} |"
        yield ""
    for key in of.plan.foreign_keys:
        if key.released:
            yield f"- {in_one_cell(str(key))}: every key names a row"
    yield ""
    for what, text in (("Terms of use", about.terms), ("Contact", about.contact)):
        yield f"{what}: {in_one_cell(text or 'not stated')}"
        yield ""


# The picture of tables and keys.

WIDE, HIGH, BESIDE, BELOW = 190, 64, 40, 72
"""The size of a box of the picture, and the room between boxes, which lines run through."""
MOST_BESIDE = 5
"""The most boxes in a row of the picture."""
LONGEST = 24
"""The most letters of a name in a box; the table below has the whole name."""
MARGIN = 30
LANES, LANE = 8, 7
"""How many lines run beside each other between two rows or boxes, and their distance."""


def _rows_of(table: PlannedTable) -> str:
    """Describe the rows of a table in a box of the picture."""
    if table.into:
        return counted(table.rows, "row")
    return f"{table.released_rows:,} of {counted(table.rows, 'row')}"


def _kind(table: PlannedTable) -> str:
    """Return the class of a box, which sets its frame."""
    own = protection_of(table.protection)
    if own.folded:
        return "folded"
    if own.events:
        return "counted"
    if own.counted:
        return "people" if own.keyed else "counted"
    return "unprotected" if own.claims_nothing else "other"


def picture_of(plan: SchemaPlan) -> dict[str, object]:
    """Place tables in rows: people, then tables with rows of them, then others; keys are lines around their boxes."""
    kinds = {name: _kind(table) for name, table in plan.tables.items()}
    groups = [
        [name for name, kind in kinds.items() if kind == "people"],
        [name for name, kind in kinds.items() if kind in {"counted", "folded", "unprotected"}],
        [name for name, kind in kinds.items() if kind == "other"],
    ]
    cells = {
        name: (at, row) for row, names in enumerate(_rows(groups)) for at, name in enumerate(names)
    }
    places = {
        name: (MARGIN + at * (WIDE + BESIDE), MARGIN + row * (HIGH + BELOW))
        for name, (at, row) in cells.items()
    }
    lines = [
        {
            "points": " ".join(
                f"{x},{y}" for x, y in _way(number, key.table, key.to, cells, places)
            ),
            "valid": key.released,
            "words": str(key),
        }
        for number, key in enumerate(plan.foreign_keys)
    ]
    boxes = [
        {
            "x": x,
            "y": y,
            "name": name if len(name) <= LONGEST else f"{name[: LONGEST - 3]}...",
            "kind": kinds[name],
            "protection": plan.tables[name].protection,
            "rows": _rows_of(plan.tables[name]),
        }
        for name, (x, y) in places.items()
    ]
    width = max(x for x, _ in places.values()) + WIDE + BESIDE + MARGIN
    height = max(y for _, y in places.values()) + HIGH + BELOW
    return {"width": width, "height": height, "boxes": boxes, "lines": lines}


def _way(
    number: int,
    here: str,
    there: str,
    cells: dict[str, tuple[int, int]],
    places: dict[str, tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return the corners of a line from a table to one that it names, which crosses no box.

    It leaves a box at its top or foot, runs between two rows, and where rows are between, down between two boxes. To a table
    of the same row it runs below the row, to the same table around its right side.
    """
    lane = (number % LANES + 1) * LANE
    (x, y), (to_x, to_y) = places[here], places[there]
    if here == there:
        edge, out = x + WIDE, x + WIDE + BESIDE // 4
        return [
            (edge, y + HIGH // 4),
            (out, y + HIGH // 4),
            (out, y + HIGH * 3 // 4),
            (edge, y + HIGH * 3 // 4),
        ]
    start, end = x + WIDE // 2 + lane, to_x + WIDE // 2 - lane
    row, to_row = cells[here][1], cells[there][1]
    if row == to_row:
        under = y + HIGH + lane
        return [(start, y + HIGH), (start, under), (end, under), (end, to_y + HIGH)]
    up = to_row < row
    leave, arrive = (y, to_y + HIGH) if up else (y + HIGH, to_y)
    first = y - BELOW + lane if up else y + HIGH + lane
    last = to_y + HIGH + lane if up else to_y - BELOW + lane
    if first == last:
        return [(start, leave), (start, first), (end, first), (end, arrive)]
    between = x + WIDE + BESIDE // 4 + lane * BESIDE // 2 // (LANES * LANE)
    return [
        (start, leave),
        (start, first),
        (between, first),
        (between, last),
        (end, last),
        (end, arrive),
    ]


def _rows(groups: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    for names in groups:
        for start in range(0, len(names), MOST_BESIDE):
            yield names[start : start + MOST_BESIDE]
