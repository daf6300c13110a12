"""Where NULL matches any value: the candidates of a row, and what is left where each has enough of them.

The candidates of a row are the rows whose every quasi-identifier is equal to its own, or NULL in either. There is a
greatest set of rows in which each has enough candidates of the set, as a union of such sets is one; it is what is left
when the rows of classes with too few are suppressed again and again until none is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class MaskedKey:
    """Of a key the bits that are of one column, and the code of NULL there, if it has one."""

    key: str
    mask: int
    code: int | None = None


@dataclass(frozen=True, slots=True)
class MatchedColumn:
    """One quasi-identifier of classes: its parts of packed keys, or a column of its own, by its name.

    A column of its own is NULL itself, or where the column `null` is 1.
    """

    parts: tuple[MaskedKey, ...] = ()
    own: str | None = None
    null: str | None = None

    def tests(self) -> list[dict[str, object]]:
        """Say when it is NULL; none where it never is."""
        if self.own is not None:
            at = self.null or self.own
            return [
                {
                    "column": column(at, of="b"),
                    "mask": None,
                    "code": None if self.null is None else literal(1),
                }
            ]
        return [
            {"column": column(p.key, of="b"), "mask": literal(p.mask), "code": literal(p.code)}
            for p in self.parts
            if p.code is not None
        ]


@dataclass(frozen=True, slots=True)
class MatchedClasses:
    """The rows of a table, or those that stand for `row_count` rows each, by the columns that tell classes apart."""

    keys: Sequence[str]
    columns: Sequence[MatchedColumn]
    weighted: bool = True

    def leaves(self, table: exp.Table) -> dict[str, object]:
        """Give it as templates read it."""
        named = (
            {text: name(f"{AS}{n}") for n, text in enumerate(self.keys)}
            if not self.weighted
            else {}
        )
        keys = [
            {
                "column": column(text, of="b"),
                "bytes": not self.weighted,
                "as": named.get(text, name(text)),
            }
            for text in self.keys
        ]
        parts: list[dict[str, object]] = []
        for n, each in enumerate(self.columns):
            own: list[tuple[str, int | None]] = [(p.key, p.mask) for p in each.parts]
            own += [] if each.own is None else [(each.own, None)]
            for key, mask in own:
                alias = f"part_{len(parts)}"
                parts.append(
                    {
                        "key": named.get(key, name(key)),
                        "mask": None if mask is None else literal(mask),
                        "bit": literal(1 << n),
                        "as": name(alias),
                        "own": column(alias, of="c"),
                        "other": column(alias, of="o"),
                    }
                )
        return {
            "table": table,
            "weighted": self.weighted,
            "told": keys,
            "nullable": [
                {"bit": literal(1 << n), "tests": tests}
                for n, each in enumerate(self.columns)
                if (tests := each.tests())
            ],
            "parts": parts,
            "groups": _ordinals(len(keys) + 1),
            "beside_groups": _ordinals(len(parts) + 2),
        }


AS = "kanon_class_"


def _ordinals(count: int) -> list[exp.Expr]:
    return [literal(n + 1) for n in range(count)]


def compatible(
    after: exp.Table, before: exp.Table, classes: MatchedClasses, *, least: int
) -> Statement:
    """Make the table of the rows whose class has enough candidates among those of the table before."""
    leaves = {"fitting": after, "before": before, "least": literal(least)}
    return Statement("privacy/compatible", {**leaves, "classes": classes.leaves(before)})


def fewest_candidates(table: exp.Table, classes: MatchedClasses) -> Statement:
    """Count the classes of a table and their rows, and the fewest candidates that one has."""
    leaves = {"classes": classes.leaves(table), "least": literal(1), "rows_alone": False}
    return Statement("privacy/verify_candidates", leaves)


def verify_candidates(table: exp.Table, quasi: Sequence[str], *, least: int) -> Statement:
    """Recount a table by the candidates of its classes, which are distinguished by the bytes of their labels."""
    columns = [MatchedColumn(own=each) for each in quasi]
    classes = MatchedClasses(quasi, columns, weighted=False).leaves(table)
    leaves = {"classes": classes, "least": literal(least), "rows_alone": False}
    return Statement("privacy/verify_candidates", leaves)


def rows_short_of_candidates(recount: Statement) -> Statement:
    """Count the rows of the classes that a recount by candidates found too few of."""
    return replace(recount, leaves={**recount.leaves, "rows_alone": True})
