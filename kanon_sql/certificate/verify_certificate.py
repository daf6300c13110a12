"""Hold a certificate against its release, its own files, its plan and its signature, at any later time."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.certificate.certificate import (
    REPORT,
    SCRIPT,
    SIGNATURE,
    Certificate,
    digest,
)
from kanon_sql.certificate.certificate_files import figures_of, named_table, with_files
from kanon_sql.certificate.certify import (
    digest_of,
    hidden_columns,
    quasi_of,
    recounted,
    sizes_of,
    tagged_columns,
)
from kanon_sql.certificate.claims import (
    Claim,
    ClaimVerdict,
    Kind,
    claims_of,
    contradicted,
    entity_shown,
    released_names,
)
from kanon_sql.certificate.signature import public_key, signed_by
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.errors import Fault, InputError
from kanon_sql.planning.open_plan import check_plan, name_plan
from kanon_sql.policy.linkable import linking_columns
from kanon_sql.policy.locations import Source
from kanon_sql.policy.model import Policy, Suppression
from kanon_sql.recoding.linked_rows import count_linked
from kanon_sql.run.arguments import checked
from kanon_sql.run.inputs import check_no_password, named_source
from kanon_sql.run.session import resolve, session
from kanon_sql.source import source_sql
from kanon_sql.source.files import read_files
from kanon_sql.source.open_source import OpenSource, open_as_view, seal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.engines.connect import Settings
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.linkable import Linked
    from kanon_sql.run.inputs import PolicyInput
    from kanon_sql.run.session import Session

MOST_BYTES = 16 << 20
"""No file of a certificate is larger."""


@dataclass(frozen=True, slots=True)
class Recheck:
    """What became of a certificate: its claims as they were counted now, and all that is wrong.

    `same_rows` says whether the rows are those that were certified, to the last cell. `signed` is
    whether a signature was held against a key; a signature without one, and none at all, are not.
    `release` is what was counted in: a table, or a path from where it was named.
    """

    certificate: Certificate
    claims: tuple[Claim, ...]
    same_rows: bool
    faults: tuple[Fault, ...]
    signed: bool
    has_signature: bool
    held_to_plan: bool
    release: str

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong. Claims that the release cannot show are in `unchecked`."""
        return not self.faults

    @property
    def unchecked(self) -> tuple[Claim, ...]:
        """Give the claims that the release neither contradicts nor shows."""
        return tuple(claim for claim in self.claims if claim.verdict is ClaimVerdict.UNCHECKED)

    def summary(self) -> dict[str, object]:
        """Give what `verify --json` prints."""
        return {
            "passed": self.passed,
            "release": self.release,
            "same_rows": self.same_rows,
            "signature": self._signature(),
            "held_to_plan": self.held_to_plan,
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
    connection: object | None = None,
    settings: Settings | None = None,
) -> Recheck:
    """Count everything that a certificate claims again, and compare the hash of all rows.

    Reads only. The script and the report beside it must be those that it names and, of the same
    version, those that its figures come to. With a `key` its signature must be there and good; with a
    `plan` its claims must be those of that plan. `release` is where the release is by now, if it was
    moved or renamed, or an address: a certificate alone leads nobody to one. Raises InputError for what is no certificate, and where there is no such release.
    """
    file = Path(certificate)
    content = _read(file)
    found = Certificate.from_json(_decoded(content, file), str(file))
    folder = str(file.absolute().parent)
    faults = list(_of_files(file, found))
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
        _see(run, view, found, release, folder)
        if release is not None:
            faults += hidden_columns(run, named_source(engine, str(release)), "")
        elif not found.place.is_table:
            faults += _of_place(run, found, folder)
        columns = run.engine.columns(view)
        faults += tagged_columns(columns)
        stack.enter_context(engine.own_functions())
        claims = _counted(run, view, found, columns)
        same = _same_rows(run, view, found, columns, claims)
        faults += contradicted(claims)
        faults += _of_figures(found, claims)
        if not faults and sizes_of(run, view, found) != found.sizes:
            faults.append(Fault("class_sizes", "are not those that are found"))
        if same and _linked(run, view, found) != found.linked:
            faults.append(Fault("linked", "is not what is found"))
    if not same:
        private = not contradicted(claims)
        what = "is not that of the certificate: the rows are not those that were certified"
        what += ", though every claim holds of them" if private else ""
        faults.append(Fault("fingerprint", what))
    return Recheck(
        found,
        claims,
        same,
        tuple(faults),
        signed=key is not None,
        has_signature=signature.is_file(),
        held_to_plan=plan is not None,
        release=found.place.name if release is None else str(release),
    )


def _linked(run: Session, view: exp.Table, found: Certificate) -> tuple[Linked, ...]:
    """Count again what the columns give away that join rows."""
    columns = [each.column for each in found.linked]
    return count_linked(run, view, found.released_as(()), columns, rows=found.rows)


def _read(file: Path) -> bytes:
    """Read a small file; raises InputError."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no name of a file"
        raise InputError(str(file), [Fault("", f"cannot be read ({why})")]) from error
    if len(content) > MOST_BYTES:
        raise InputError(str(file), [Fault("", "is larger than any file of a certificate")])
    return content


def _decoded(content: bytes, file: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(str(file), [Fault("", "is not a whole certificate")]) from error


def _of_files(file: Path, found: Certificate) -> Iterator[Fault]:
    """Hold the script and the report against their hashes, and what this version would write.

    A report of any version names the hash of the figures that it is of.
    """
    _, made = with_files(found)
    of_this_version = found.made_by == version("kanon-sql")
    for name in (SCRIPT, REPORT):
        try:
            content = _read(file.with_name(name))
        except InputError as error:
            yield Fault(name, error.faults[0].what)
            continue
        if digest(content) != found.files[name]:
            yield Fault(name, "is not the one that the certificate names: its hash differs")
        elif name == REPORT and figures_of(found).encode() not in content:
            yield Fault(name, "is the page of other figures than the certificate's: one was edited")
        elif of_this_version and content != made[name]:
            yield Fault(name, "is not what the certificate's figures come to: it was edited")


def _of_signature(signature: Path, key: str, content: bytes) -> Iterator[Fault]:
    public = public_key(key)
    try:
        signed = _read(signature)
    except InputError as error:
        yield Fault(SIGNATURE, error.faults[0].what)
        return
    if not signed_by(public, signed, content):
        yield Fault(SIGNATURE, "is not of this certificate by this key")


def _of_plan(
    run: Session, found: Certificate, plan: str | Path | Plan, policy: PolicyInput | None
) -> Iterator[Fault]:
    """Hold what is claimed against what a plan, and the policy that it is of, claim."""
    named = name_plan(plan, policy)
    chosen, meant = named.plan, named.read_policy()
    check_plan(replace(run, policy=meant), named)
    if digest_of(named) != found.plan:
        yield Fault("plan", "is not the plan that was certified: its hash differs")
    due = [_of_what(each) for each in claims_of(meant, chosen)]
    if [_of_what(each) for each in found.claims] != due:
        why = "are not those of the plan"
        if any(c.kind is Kind.DISTINCT_L and c.nulls is None for c in found.claims):
            why += "; the certificate counts NULL as a sensitive value and does not say so: certify again"
        yield Fault("claims", why)
    # The same claims over other columns, or beside more of them, would be of another release.
    stated = {
        "policy": (found.policy, chosen.policy_digest),
        "release.columns": (
            sorted(name for name, _ in found.columns),
            sorted(released_names(meant)),
        ),
        "quasi_identifiers": (found.quasi, quasi_of(meant, chosen)),
        "entity": ((found.entity, found.entity_released), (meant.entity, entity_shown(meant))),
        "nulls": (found.nulls, meant.nulls.value),
        "linked": ([each.column for each in found.linked], linking_columns(meant)),
    }
    for where, (then, planned) in stated.items():
        if then != planned:
            yield Fault(where, "is not what the plan and its policy say")


def _of_what(claim: Claim) -> tuple[object, ...]:
    """Give a claim as it is before anything is counted."""
    return (
        claim.kind,
        claim.over,
        claim.counts,
        claim.asked,
        claim.source_rows,
        claim.recounted,
        claim.nulls,
    )


def _database(found: Certificate, given: str | None, folder: str, subject: str) -> str | None:
    """Name the database to look in: the one given, from here, or the certificate's, from its folder."""
    if given is not None:
        return given if is_address(given) else resolve(given, "")
    if found.place.database is not None:
        return resolve(found.place.database, folder)
    if found.place.is_table:
        what = f"is of a table of {found.engine}; say where that is by --database"
        raise InputError(subject, [Fault("release", what)])
    return None


def _see(
    run: Session, view: exp.Table, found: Certificate, release: str | Path | None, folder: str
) -> None:
    """Open the release where it is by now, or where it was from the certificate's folder."""
    if release is not None:
        open_as_view(run, view, named_source(run.engine, str(release)), "")
    elif found.place.is_table:
        origin = named_table(found.place)
        if not run.engine.locate(origin):
            what = (
                "there is no such table; say its name by --release, or the database by --database"
            )
            raise InputError(found.place.name, [Fault("release", what)])
        run.see(view, source_sql.open_table(view, origin))
    elif "://" in found.place.name:
        what = "is at an address; if you trust it, say it by --release"
        raise InputError(found.place.name, [Fault("release", what)])
    else:
        path, delimiter = found.place.name, found.place.delimiter
        open_as_view(run, view, Source(path=path, delimiter=delimiter), folder)


def _of_place(run: Session, found: Certificate, folder: str) -> Iterator[Fault]:
    """Hold what the script reads against what was read here; another engine may spell it otherwise."""
    place = found.place
    source = Source(path=place.name, delimiter=place.delimiter)
    yield from hidden_columns(run, source, folder)
    read = read_files(run.engine, source, folder)
    there = read.seen_from(folder)
    told = (place.kind, place.pattern, place.base, place.partitions, place.delimiter)
    seen = (read.kind, there.files.pattern, there.files.base, read.partitions, read.delimiter)
    if told != seen and run.engine.dialect == found.dialect:
        yield Fault("release", "is not what the script reads: its pattern is of other files")


def _counted(
    run: Session, view: exp.Table, found: Certificate, columns: Sequence[ColumnType]
) -> tuple[Claim, ...]:
    """Count the claims; where a column is missing, nothing but that can be said."""
    certified, there = {name for name, _ in found.columns}, {column.name for column in columns}
    if certified <= there:
        return recounted(run, view, found)
    others = len(certified ^ there)
    return tuple(
        replace(claim, found=others if claim.kind is Kind.COLUMNS else None)
        for claim in found.claims
    )


def _same_rows(
    run: Session,
    view: exp.Table,
    found: Certificate,
    columns: Sequence[ColumnType],
    claims: Sequence[Claim],
) -> bool:
    """Compare the hash of all rows; the columns may stand in another order by now."""
    by_name = {column.name: column for column in columns}
    if by_name.keys() != {name for name, _ in found.columns}:
        return False
    rows = next((c.found for c in claims if c.kind is Kind.ROWS), None)
    ordered = tuple(by_name[name] for name, _ in found.columns)
    hashed = seal(run, OpenSource(view, ordered, rows or 0))
    if not found.portable and hashed.rpartition(":")[0] != found.fingerprint.rpartition(":")[0]:
        what = f"was hashed by {found.engine}, whose texts of some columns are its own; verify it there"
        raise InputError("fingerprint", [Fault("release", what)])
    return hashed == found.fingerprint


def _of_figures(found: Certificate, claims: Sequence[Claim]) -> Iterator[Fault]:
    """Hold the figures of a certificate against what is counted now, where the claim itself holds."""
    for then, now in zip(found.claims, claims, strict=True):
        if now.verdict is not ClaimVerdict.FAIL and then.found != now.found:
            what = f"{now.says}: certified as {then.found}, found {now.found}"
            yield Fault(now.kind.value, what)
