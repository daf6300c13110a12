"""Statements that recount a release and compare it with the claims of its certificate: our own, and those of its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name, table
from kanon_sql.base.sql.templates import Statement, has_template
from kanon_sql.engines import commands_sql
from kanon_sql.engines.source import source_sql
from kanon_sql.evidence.certificate.claims import KINDS, RISK_BELOW, Claim, Kind
from kanon_sql.policy.privacy.fitting_sql import ClassRows, KeyPart, TableValues
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.privacy_model import FRACTION_UNIT, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.evidence.certificate.certificate import Certificate
    from kanon_sql.policy.privacy.privacy_model import Measure

RELEASE, VERDICTS = table("kanon_release"), table("kanon_claims")
"""What a script calls the files of a release, and the table of its verdicts."""


@dataclass(frozen=True, slots=True)
class ClaimedRelease:
    """A release and what is claimed of it.

    `classes` has the released columns of each set of quasi-identifiers that claims are about, by their
    names in the policy, and those of all first; `columns` says of each column of the release whether it is nested.
    With a `seal` the hash of all rows is a claim too. A `dense` statement has a line a claim.
    """

    release: exp.Table
    claims: Sequence[Claim]
    classes: dict[tuple[str, ...], tuple[str, ...]]
    columns: Sequence[tuple[str, bool]]
    entity: str | None
    seal: str | None = None
    dense: bool = False

    @classmethod
    def of(
        cls,
        certificate: Certificate,
        release: exp.Table,
        *,
        sealed: bool = False,
        dense: bool = False,
    ) -> ClaimedRelease:
        """Give what a certificate claims of a table, with the hash of its rows or without."""
        over = dict.fromkeys([(), *(claim.over for claim in certificate.claims)])
        return cls(
            release,
            certificate.claims,
            {each: certificate.released_as(each) for each in over},
            certificate.columns,
            certificate.counted_entity,
            certificate.fingerprint.rpartition(":")[2] if sealed else None,
            dense,
        )

    def leaves(self) -> dict[str, object]:
        """Give the leaves of the statements that count."""
        names = [literal(text) for text, _ in self.columns]
        source_rows = next((c.source_rows for c in self.claims if c.source_rows is not None), 0)
        return {
            "release": self.release,
            "sets": [self._set(each) for each in self.classes],
            "source_rows": literal(source_rows),
            "names": names,
            "name_count": literal(len(names)),
            **source_sql.row_texts(self.release, self.columns),
            "seal": None if self.seal is None else literal(self.seal),
            "dense": self.dense,
            "claims": [self._claim(n, claim) for n, claim in enumerate(self.claims)],
        }

    def _measured(self, over: tuple[str, ...]) -> dict[Measure, tuple[str, Requirement]]:
        """Give what is counted of sensitive attributes in the classes over one set: the column, and the bound."""
        found: dict[Measure, tuple[str, Requirement]] = {}
        for claim in self.claims:
            if claim.over == over and claim.measure is not None and not claim.of_population:
                named = f"{KINDS[claim.kind].count}_{len(found) + 1}"
                found.setdefault(claim.measure, (named, Requirement(claim.measure, claim.bound)))
        return found

    def _set(self, over: tuple[str, ...]) -> dict[str, object]:
        entity = None if self.entity is None else column(self.entity, of="t")
        where = ClassRows(
            entity,
            lambda of: column(of.column, of="t"),
            weighted=False,
            of_table=lambda of, _: TableValues(
                self.release, column(of.column, of="t"), entity=entity
            ),
        )
        names = self.classes[over]
        keys = [KeyPart(column(text, of="r"), name(text), bytes=True) for text in names]
        found = self._measured(over).values()
        whole = [each for each in found if each[1].measure.of_all_classes]
        of_all = where.requirements([each for _, each in whole])
        measured = [each for each in found if each not in whole]
        required = [each for _, each in measured]
        counted = zip(measured, where.requirements(required), strict=True)
        return {
            "columns": [column(text, of="t") for text in names],
            "size": where.measure(SIZE),
            "risks": []
            if over
            else [
                {"count": name(KINDS[kind].count), "below": below}
                for kind, below in RISK_BELOW.items()
                if any(claim.kind is kind for claim in self.claims)
            ],
            "measures": [{**leaves, "count": name(text)} for (text, _), leaves in counted],
            "whole": [
                {**leaves, "count": name(text)}
                for (text, _), leaves in zip(whole, of_all, strict=True)
            ],
            "rows": where.rows(required, self.release, keys, lambda of: column(of.column, of="r")),
        }

    def _claim(self, at: int, claim: Claim) -> dict[str, object]:
        count = KINDS[claim.kind].count
        if claim.measure is not None and not claim.of_population:
            count, _ = self._measured(claim.over)[claim.measure]
        counted = f"counted_{list(self.classes).index(claim.over) + 1}"
        return {
            "counted": name("matched" if claim.kind is Kind.COLUMNS else counted),
            "count": None if claim.of_population else name(count),
            "kind": claim.kind.value,
            "comparator": claim.comparator.value,
            "bound": literal(claim.bound),
            "recounted": claim.recounted,
            "of_population": claim.of_population,
            "required": literal(claim.required),
            "text": literal(claim.text),
            "billionths": claim.divisor == FRACTION_UNIT,
            "parts": None if claim.divisor in {1, FRACTION_UNIT} else literal(f"/{claim.divisor}"),
            "is_new": claim.kind not in {each.kind for each in self.claims[:at]},
        }


def claims(release: ClaimedRelease, *, rows: int) -> Statement:
    """Count each claim: its number, its verdict and what was found, in order."""
    return Statement("certificate/claims", release.leaves(), scans=rows)


def script_statements(
    release: ClaimedRelease, opened: Statement | None, *, dialect: str
) -> Iterator[Statement]:
    """Yield the statements of a script that checks the claims of a release in the database's shell.

    `opened` gives the files of a release their name; None for a table. A dialect needs no step that it has no
    template of; where it has one that checks all claims at once, no verdicts are stored.
    """
    if has_template("certificate/check_claims", dialect):
        yield Statement("certificate/begin_script")
        for text, value in OF_A_SHELL.items():
            yield commands_sql.change_setting(text, value)
        yield Statement("certificate/check_claims", release.leaves())
        yield Statement("certificate/fail_script")
        yield end_of_script()
        return
    yield Statement("certificate/begin_script", {"files": opened is not None})
    if has_template("engines/own_functions", dialect):
        yield commands_sql.own_functions(release.release.db or None)
    if opened is not None:
        if has_template("certificate/plain_partitions", dialect):
            yield Statement("certificate/plain_partitions")
        yield opened
    yield Statement("certificate/store_verdicts", {"verdicts": VERDICTS, **release.leaves()})
    if has_template("certificate/cache_verdicts", dialect):
        yield Statement("certificate/cache_verdicts", {"verdicts": VERDICTS})
    yield Statement("certificate/print_verdicts", {"verdicts": VERDICTS})
    yield Statement("certificate/fail_script", {"verdicts": VERDICTS})
    if has_template("certificate/end_script", dialect):
        yield end_of_script()


def end_of_script() -> Statement:
    """Restore what the script changed in a session that goes on."""
    return Statement("certificate/end_script")


OF_A_SHELL = {
    "search_path": "pg_catalog",  # else a function of a schema may count, which fits its arguments better
    "standard_conforming_strings": "on",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",  # else numbers are cut, and read alike
}
"""Settings of a shell of PostgreSQL, of its role or its database, that would change what a script counts."""
