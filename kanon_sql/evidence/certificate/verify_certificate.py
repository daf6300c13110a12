"""Verifies a certificate at any later time: against its release, its own files, its plan and its signature."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import check_no_password, named_source
from kanon_sql.counting.run.session import resolve, session
from kanon_sql.counting.source.files import read_files
from kanon_sql.counting.source.open_source import open_recoded
from kanon_sql.counting.source.open_view import open_as_view
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.locations import Source
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.certificate.certificate import (
    CERTIFICATE,
    INCOMPLETE,
    REPORT,
    SCRIPT,
    SIGNATURE,
    Certificate,
    CountError,
    Stored,
    TableLocation,
    digest,
    read_bytes,
)
from kanon_sql.evidence.certificate.certified_parts import (
    certified_parts,
    figures_digest,
    public_key,
    script_of,
    signed_by,
    table_of,
)
from kanon_sql.evidence.certificate.certify import (
    against_population,
    changed_columns,
    claimed_by,
    count_error,
    failures,
    hidden_columns,
    measured,
    other_columns,
    recounted,
    tagged_columns,
)
from kanon_sql.evidence.certificate.claims import Claim, ClaimVerdict, Kind, failed
from kanon_sql.policy.model import Policy, Suppression
from kanon_sql.recoding.planning.open_plan import name_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.connect import Settings
    from kanon_sql.evidence.certificate.certificate import FilesLocation

OF_LEDGER = (Kind.ROWS, Kind.CLASSES, Kind.SMALLEST, Kind.UNIQUE, Kind.ABOVE)
"""The claims of a series whose bounds are counts of its ledger, and not of its plan."""
MOST_BYTES = 16 << 20
"""The most bytes of a certificate's file that are read."""


@dataclass(frozen=True, slots=True)
class Recheck:
    """The result of verifying a certificate: its claims with the counts of now, and all faults.

    `same_rows`: the rows are those that were certified, to the last cell. `signed`: a key was given; a missing or bad
    signature is then a fault.
    """

    certificate: Certificate
    claims: tuple[Claim, ...]
    same_rows: bool
    faults: tuple[Fault, ...]
    signed: bool
    has_signature: bool
    compared_with_plan: bool
    release: str
    count_error: CountError | None = None

    @property
    def passed(self) -> bool:
        """Whether there is no fault. Claims that cannot be checked in the release are in `unchecked`."""
        return not self.faults

    def __bool__(self) -> bool:
        return self.passed  # so that `assert verify_certificate(...)` fails on any fault

    @property
    def unchecked(self) -> tuple[Claim, ...]:
        """Return the claims that the release neither contradicts nor proves."""
        return tuple(claim for claim in self.claims if claim.verdict is ClaimVerdict.UNCHECKED)

    @property
    def pages_compared(self) -> bool:
        """Whether report and script were compared with the figures; if another version made them, only by hash."""
        return self.certificate.made_by == version("kanon-sql")

    def summary(self) -> dict[str, object]:
        """Return the document that `verify --json` prints."""
        return {
            "passed": self.passed,
            "release": self.release,
            "same_rows": self.same_rows,
            "signature": self._signature(),
            "compared_with_plan": self.compared_with_plan,
            "count_error": self.count_error
            and {
                "spread": self.count_error.spread,
                "plain": self.count_error.plain,
                "tenth": self.count_error.tenth,
                "counted": self.count_error.counted,
            },
            "pages_compared": self.pages_compared,
            "claims": [claim.document() for claim in self.claims],
            "faults": [{"where": fault.where, "what": fault.what} for fault in self.faults],
        }

    def _signature(self) -> str:
        if any(fault.where == SIGNATURE for fault in self.faults):
            return "bad"
        if self.signed:
            return "good"
        return "unchecked" if self.has_signature else "none"


@checked
def verify_certificate(
    certificate: str | Path,
    release: str | Path | None = None,
    *,
    database: str | None = None,
    plan: str | Path | Plan | None = None,
    policy: PolicyInput | None = None,
    key: str | None = None,
    population: str | None = None,
    against: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
) -> Recheck:
    """Recount every claim of a certificate, and compare the hash of all rows; reads only.

    The script and the report beside it must have the stated hashes and, if this version wrote them,
    follow from its figures. With a `key` its signature must be good, with a `plan` its claims that
    plan's.

    Args:
        certificate: The certificate's file or folder.
        release: Where the release is now; required of an address.
        database: The DuckDB file, or the address of the server, that has the tables.
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        key: The file of the public key.
        population: The table to count claims about a population in, recoded like the release.
        against: The source, to count the error of simple counts again.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.

    Returns:
        Each claim with its count, and all faults.

    Raises:
        InputError: It is no certificate, or there is no such release.
    """
    file = Path(certificate)
    file = file / CERTIFICATE if file.is_dir() else file
    content = read_bytes(file, MOST_BYTES)
    found = Certificate.from_json(_decoded(content, file), str(file))
    folder, location = str(file.absolute().parent), found.location
    faults = list(_of_files(file, found))
    if against is not None and plan is None:
        what = "is counted with the plan of the release, whose hierarchies say what labels cover: give it too"
        raise InputError("against", [Fault("", what)])
    signature = file.with_name(SIGNATURE)
    if key is not None:
        faults += _of_signature(signature, key, content)
    check_no_password("database", database or "")
    where = None if connection is not None else _database(found, database, folder, str(file))
    with ExitStack() as stack:
        engine = stack.enter_context(open_engine(connection, where, settings, writes=False))
        nothing = Policy(Source(), None, (), (), Suppression(rows=0))
        run = stack.enter_context(session(engine, nothing))
        stack.enter_context(engine.transaction())
        if plan is not None:
            faults += _of_plan(run, found, plan, policy)
        view = run.scratch.table("certified")
        _open(run, view, location, release, folder)
        if release is not None:
            faults += hidden_columns(run, named_source(engine, str(release)), "")
        elif not isinstance(location, TableLocation):
            faults += _of_files_read(run, found, location, folder)
        columns = run.engine.columns(view)
        others = other_columns((name for name, _ in found.columns), columns)
        faults += [*tagged_columns(columns), *others]
        members = None if population is None else _population(run, found, population)
        stack.enter_context(engine.own_functions())
        now, changes = _counted_now(run, view, found, columns, members)
        error, faults = found.count_error, [*faults, *changes]
        if against is not None and plan is not None and not others:
            error, differs = count_error(run, name_plan(plan, policy), view, against)
            faults += differs or _of_count_error(found, error)
    same = not others and now.fingerprint == found.fingerprint
    if not faults and now.sizes != found.sizes:
        faults.append(Fault("class_sizes", "are not those that were counted now"))
    if same:
        faults += _of_measures(found, now)
    if not same:
        what = "is not that of the certificate: the rows are not those that were certified"
        what += "" if failed(now.claims) else ", though they satisfy every claim"
        faults.append(Fault("fingerprint", what))
    return Recheck(
        found,
        now.claims,
        same,
        tuple(faults),
        signed=key is not None,
        has_signature=signature.is_file(),
        compared_with_plan=plan is not None,
        release=str(location if release is None else release),
        count_error=error,
    )


def _counted_now(
    run: Session,
    view: exp.Table,
    found: Certificate,
    columns: Sequence[ColumnType],
    members: exp.Table | None,
) -> tuple[Certificate, list[Fault]]:
    """Count the claims of a certificate in its release again; return it with the counts of now, and what differs."""
    names, there = {name for name, _ in found.columns}, {column.name for column in columns}
    if not names <= there:
        now = replace(found, claims=_uncounted(found.claims, len(names ^ there)))
        return now, failed(now.claims)
    claims = against_population(run, view, found, recounted(run, view, found), members)
    now = measured(run, view, columns, found, claims)
    faults: list[Fault] = []
    if names == there:
        _check_comparable(found, now)
        faults += changed_columns(found, columns, run.engine.dialect)
    return now, [*faults, *failures(run, view, now.claims), *_of_figures(found, now)]


def _population(run: Session, found: Certificate, population: str) -> exp.Table:
    """Open the population that the classes of a release are compared with; raises InputError."""
    return open_recoded(run, named_source(run.engine, population), found.released_as(()))


def _uncounted(claims: tuple[Claim, ...], others: int) -> tuple[Claim, ...]:
    """Return the claims for a release that lacks a column: only the claim about columns is counted, as `others`."""
    return tuple(
        replace(claim, found=others if claim.kind is Kind.COLUMNS else None) for claim in claims
    )


def _decoded(content: bytes, file: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(str(file), [Fault("", INCOMPLETE)]) from error


def _of_files(file: Path, found: Certificate) -> Iterator[Fault]:
    """Compare the script and the report with their hashes, and with what this version would write.

    A report of any version states the hash of the figures that it shows. In a report of this version, the parts that
    follow from the certificate are compared word by word; only the file's hash covers its other parts.
    """
    script = script_of(found)
    for name in (SCRIPT, REPORT):
        try:
            content = read_bytes(file.with_name(name), MOST_BYTES)
        except InputError as error:
            yield Fault(name, error.faults[0].what)
            continue
        if digest(content) != found.files[name]:
            yield Fault(name, "is not the file that was certified: its hash differs")
        elif name == REPORT and figures_digest(found).encode() not in content:
            yield Fault(name, "shows other figures than the certificate's: one was edited")
        elif found.made_by == version("kanon-sql"):
            if name == REPORT:
                yield from _of_parts(content, certified_parts(found, script))
            elif content != script.text.encode():
                yield Fault(name, "does not match the certificate's figures: it was edited")


def _of_parts(page: bytes, parts: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each part that is not in the page exactly once."""
    for name, text in parts.items():
        if page.count(text.encode()) != 1:
            what = f"does not say what the certificate says of the {name}: it was edited"
            yield Fault(REPORT, what)


def _of_signature(signature: Path, key: str, content: bytes) -> Iterator[Fault]:
    public = public_key(key)
    try:
        signed = read_bytes(signature, MOST_BYTES)
    except InputError as error:
        yield Fault(SIGNATURE, error.faults[0].what)
        return
    if not signed_by(public, signed, content):
        yield Fault(SIGNATURE, "is not a signature of this certificate by this key")


def _of_plan(
    run: Session, found: Certificate, plan: str | Path | Plan, policy: PolicyInput | None
) -> Iterator[Fault]:
    """Compare the claims of a certificate with those of a plan and its policy."""
    named = name_plan(plan, policy)
    run = replace(run, policy=named.read_policy())
    expected = claimed_by(run, named, found.location, found.series)
    if expected.plan != found.plan:
        yield Fault("plan", "is not the plan that was certified: its hash differs")
    # The same claims over other columns, or beside more of them, would be about another release.
    stated, due = _stated(found), _stated(expected)
    series = run.policy.series
    due["series"] = series and (str(series), series.not_protected)
    if expected.count_error is not None and found.made_by == expected.made_by:
        stated["count_error"] = found.count_error and found.count_error.figures
        due["count_error"] = expected.count_error.figures
    for where, value in stated.items():
        if value != due.get(where):
            yield Fault(where, "does not match the plan and its policy")


def _stated(certificate: Certificate) -> dict[str, object]:
    """Return the entries that follow from the plan and the policy alone, by their keys in the document."""
    series = certificate.series
    of_ledger = () if series is None else OF_LEDGER
    return {
        "claims": [
            replace(claim, found=None, bound=0 if claim.kind in of_ledger else claim.bound)
            for claim in certificate.claims
        ],
        "series": series and (series.rule, series.not_protected),
        "policy": certificate.policy,
        **({} if _of_few_words(certificate) else _words(certificate)),
        "release.columns": sorted(name for name, _ in certificate.columns),
        "quasi_identifiers": certificate.quasi,
        "entity": (certificate.entity, certificate.entity_released),
        "nulls": certificate.nulls,
        "linked": [each.column for each in certificate.linked],
        **(
            {}
            if certificate.unique is None
            else {"unique_over_all_columns": certificate.unique.over}
        ),
    }


def _words(certificate: Certificate) -> dict[str, object]:
    """Return the entries that a certificate repeats from its policy."""
    return {"policy.about": certificate.about, "policy.columns": certificate.roles}


def _of_few_words(certificate: Certificate) -> bool:
    """Whether another version wrote the certificate and did not repeat the policy in it."""
    return not certificate.roles and certificate.made_by != version("kanon-sql")


def _database(found: Certificate, given: str | None, folder: str, subject: str) -> str | None:
    """Return the database to open: the given one, from the current folder, or the certificate's, from its folder."""
    if given is not None:
        return given if is_address(given) else resolve(given, "")
    if not isinstance(found.location, TableLocation):
        return None
    if found.location.database is None:
        what = f"is a table of {found.engine}; name its database by --database"
        raise InputError(subject, [Fault("release", what)])
    return resolve(found.location.database, folder)


def _open(
    run: Session,
    view: exp.Table,
    location: TableLocation | FilesLocation,
    release: str | Path | None,
    folder: str,
) -> None:
    """Open the release that is named, or else the certificate's own, relative to the certificate's folder."""
    if release is not None:
        open_as_view(run, view, named_source(run.engine, str(release)), "")
    elif isinstance(location, TableLocation):
        origin = table_of(location)
        if not run.engine.locate(origin):
            what = "there is no such table; name it by --release, or its database by --database"
            raise InputError(location.name, [Fault("release", what)])
        run.see(view, source_sql.open_table(view, origin))
    elif "://" in location.path:
        what = "is at an address; if you trust it, name it by --release"
        raise InputError(location.path, [Fault("release", what)])
    else:
        open_as_view(run, view, Source(path=location.path, delimiter=location.delimiter), folder)


def _of_files_read(
    run: Session, found: Certificate, location: FilesLocation, folder: str
) -> Iterator[Fault]:
    """Compare the files that the script reads with those read here; another engine may spell them differently."""
    source = Source(path=location.path, delimiter=location.delimiter)
    yield from hidden_columns(run, source, folder)
    read = read_files(run.engine, source, folder)
    files = read.seen_from(folder).files
    here = replace(
        location,
        kind=Stored(read.kind),
        pattern=files.pattern,
        base=files.base,
        partitions=read.partitions,
        delimiter=read.delimiter,
    )
    if here != location and run.engine.dialect == found.dialect:
        yield Fault("release", "is not what the script reads: its pattern names other files")


def _check_comparable(found: Certificate, now: Certificate) -> None:
    """Raise InputError where the row hash depends on texts that only another engine writes."""
    if not found.portable and _hashed_by(now) != _hashed_by(found):
        what = f"was hashed by {found.engine}, which writes some columns as text in its own way; verify it there"
        raise InputError("fingerprint", [Fault("release", what)])


def _hashed_by(certificate: Certificate) -> str:
    return certificate.fingerprint.rpartition(":")[0]


def _of_measures(found: Certificate, now: Certificate) -> Iterator[Fault]:
    """Compare the figures that are stated beside the claims with the counts of now."""
    stated = {
        "linked": (found.linked, now.linked),
        "unique_over_all_columns": (found.unique, now.unique),
        "classes_of_few_people": (found.few, now.few),
    }
    for where, (then, counted) in stated.items():
        if then != counted:
            yield Fault(where, "is not what was counted now")


def _of_count_error(found: Certificate, counted: CountError) -> Iterator[Fault]:
    """Compare the certified error of simple counts with that counted beside the source."""
    if found.count_error is not None and not counted.agrees(found.count_error):
        yield Fault("count_error", f"certified: {found.count_error}; found: {counted}")


def _of_figures(found: Certificate, now: Certificate) -> Iterator[Fault]:
    """Compare the certified count of each claim that does not fail with the count of now."""
    for then, claim in zip(found.claims, now.claims, strict=True):
        if claim.of_population:
            continue  # it is counted nowhere else
        if claim.verdict is not ClaimVerdict.FAIL and then.found != claim.found:
            what = f"{claim.text}: certified as {then.found}, found {claim.found}"
            yield Fault(claim.kind.value, what)
