"""Statements that hold a release against the claims of its certificate, ours and those of its script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.certificate.claims import Claim, Comparator, Kind
from kanon_sql.engines import settings_sql
from kanon_sql.privacy.fitting_sql import ClassRows
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.source import source_sql
from kanon_sql.sql.quoting import (
    column,
    literal,
    name,
    table,
)
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.privacy_model import Measure


RELEASE, KEPT = table("kanon_release"), table("kanon_claims")
"""What a script calls the files of a release, and the table of its verdicts."""


@dataclass(frozen=True, slots=True)
class ClaimedRelease:
    """A release and what is claimed of it.

    `classes` has the released columns of each set of quasi-identifiers that is claimed of, by their
    names in the policy, and those of all first; `columns` says of each column of the release whether it is nested. With a
    `seal` the hash of all rows is a claim too. What is `dense` has a line a claim.
    """

    release: exp.Table
    claims: Sequence[Claim]
    classes: dict[tuple[str, ...], tuple[str, ...]]
    columns: Sequence[tuple[str, bool]]
    entity: str | None
    seal: str | None = None
    dense: bool = False

    def leaves(self) -> dict[str, object]:
        """Give the leaves of the statements that count."""
        over = list(self.classes)
        names = [literal(text) for text, _ in self.columns]
        source_rows = next((c.source_rows for c in self.claims if c.source_rows is not None), 0)
        claims = [self._claim(n, claim, over) for n, claim in enumerate(self.claims, start=1)]
        if self.seal is not None:
            claims.append(self._sealed(len(claims) + 1, self.seal))
        return {
            "release": self.release,
            "sets": [self._set(number, each) for number, each in enumerate(over, start=1)],
            "source_rows": literal(source_rows),
            "names": names,
            "name_count": literal(len(names)),
            **source_sql.row_texts(self.release, self.columns),
            "hashes": self.seal is not None,
            "dense": self.dense,
            "claims": claims,
        }

    def _measures(self, over: tuple[str, ...]) -> list[Measure]:
        """Give what is counted of sensitive columns in the classes over one set."""
        found = (claim.measure for claim in self.claims if claim.over == over)
        return list(dict.fromkeys(each for each in found if each is not None))

    def _set(self, number: int, over: tuple[str, ...]) -> dict[str, object]:
        entity = None if self.entity is None else column(self.entity, of="t")
        where = ClassRows(entity, lambda of: column(of.column, of="t"), weighted=False)
        return {
            "counted": name(f"counted_{number}"),
            "lines": list(
                batched(
                    [column(text, of="t") for text in self.classes[over]],
                    A_LONG_LINE if self.dense else A_LINE,
                )
            ),
            "whole": not over,
            "is_new": number <= FIRST_OF_SOME,
            "size": where.measure(SIZE),
            "counted_by_value": [
                {**where.measure(each), "as": name(f"different_{n}")}
                for n, each in enumerate(self._measures(over), start=1)
            ],
        }

    def _claim(
        self, number: int, claim: Claim, over: Sequence[tuple[str, ...]]
    ) -> dict[str, object]:
        counted, measure = f"counted_{over.index(claim.over) + 1}", MEASURES.get(claim.kind)
        if claim.kind is Kind.COLUMNS:
            counted = "matched"
        if claim.measure is not None:
            measure = f"different_{self._measures(claim.over).index(claim.measure) + 1}"
        return {
            "number": literal(number),
            "counted": name(counted),
            "measure": name(measure or ""),
            "kind": claim.kind.value,
            "relation": claim.relation.value,
            "asked": literal(claim.asked),
            "recounted": claim.recounted,
            "bound": literal(claim.bound),
            "says": literal(claim.says),
            "is_new": claim.kind not in {each.kind for each in self.claims[: number - 1]},
        }

    def _sealed(self, number: int, seal: str) -> dict[str, object]:
        return {
            "number": literal(number),
            "counted": name("sealed"),
            "measure": name("seal"),
            "kind": "seal",
            "relation": Comparator.EXACTLY.value,
            "asked": literal(seal),
            "recounted": True,
            "bound": literal("the same"),
            "says": literal("hash of all rows"),
            "is_new": True,
        }


FIRST_OF_SOME = 2
"""The set that is first of those of some quasi-identifiers."""
A_LINE, A_LONG_LINE = 4, 10
"""Columns of a line that can be read."""


def batched(columns: Sequence[exp.Column], line: int) -> Iterator[Sequence[exp.Column]]:
    """Give columns a line at a time."""
    return (columns[at : at + line] for at in range(0, len(columns), line))


MEASURES = {
    Kind.COLUMNS: "others",
    Kind.ROWS: "row_count",
    Kind.SUPPRESSED: "suppressed",
    Kind.CLASSES: "classes",
    Kind.SMALLEST: "smallest",
    Kind.K: "smallest",
}
"""The columns of the counts that claims are held against."""


def claims(held: ClaimedRelease, *, rows: int) -> Statement:
    """Ask for the number, the verdict and what was found of each claim, in order."""
    return Statement("certificate/claims", held.leaves(), scans=rows)


def script_statements(
    held: ClaimedRelease, opened: Statement | None, *, dialect: str
) -> Iterator[Statement]:
    """Say the statements of a script that holds a release against its claims in the database's shell.

    `opened` gives the files of a release their name; None for a table.
    """
    if dialect == "postgres":
        yield from _in_one_transaction(held)
        return
    yield Statement("certificate/begin_claims", {"files": opened is not None})
    if dialect == "duckdb":
        yield settings_sql.own_functions(held.release.db or None)
    if opened is not None:
        if dialect == "spark":
            yield Statement("certificate/plain_partitions")
        yield opened
    yield Statement("certificate/keep_claims", {"kept": KEPT, **held.leaves()})
    if dialect == "spark":
        yield Statement("certificate/cache_claims", {"kept": KEPT})
    yield Statement("certificate/tell_claims", {"kept": KEPT})
    yield Statement("certificate/judge_claims", {"kept": KEPT})
    if dialect == "duckdb":
        yield end_of_script()


def end_of_script() -> Statement:
    """Let a session that goes on be as it was."""
    return Statement("certificate/end_claims")


OF_A_SHELL = {
    "search_path": "pg_catalog",  # else a function of a schema may count, which fits its arguments better
    "standard_conforming_strings": "on",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",  # else numbers are cut, and read alike
}
"""Settings of a shell of PostgreSQL, of its role or its database, that would change what a script counts."""


def _in_one_transaction(held: ClaimedRelease) -> Iterator[Statement]:
    yield Statement("certificate/begin_claims")
    for text, value in OF_A_SHELL.items():
        yield settings_sql.change_setting(text, value)
    yield Statement("certificate/hold_claims", held.leaves())
    yield Statement("certificate/judge_claims")
    yield Statement("certificate/end_claims")
