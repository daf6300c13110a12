"""The interface of all masking actions: what a column that is no quasi-identifier shows in a release.

Each action is one class. Code that uses actions asks the object and never compares actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.base.documents.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.model import Column, Policy

    Steps = Sequence[Sequence[Mapping[str, object]]]
    """What a mask computes before its cells: the columns of a first query, those of a query over it, and so on."""

OWN_WORDS = "each database writes such a text, number or date in its own way, and no test compares them there"
DRAWN = "the view would draw other values each time it is read, and their mean tells the true one"
AFTER = "it works on rows that are staged already"
NO_MACRO = "its macros do not write it; mask the column in a model before"


class Mask:
    """One action by which a column is masked. It says how, in which channels, and what it does not protect."""

    key: ClassVar[str]
    """The word by which a policy states it, as in `action: hash`."""
    treatment: ClassVar[str]
    """What the release does to the column, in a report and a certificate."""
    shown: ClassVar[str]
    """What the cells of the column are, in a plan."""
    unprotected: ClassVar[str]
    """What a reader may still learn from the cells."""
    keeps: ClassVar[tuple[str, ...]] = ()
    """What the cells keep of the values: `equality` (joins by equal values), `order`, `sums`, `frequencies`."""

    is_dropped: ClassVar[bool] = False
    """Whether the release has no such column."""
    keyed: ClassVar[bool] = False
    """Whether the cells are made with the secret key of `key_env`."""
    links: ClassVar[bool] = False
    """Whether each value has a cell of its own, as a pseudonym has: a reader knows the rows of one value."""
    told_apart: ClassVar[bool] = False
    """Whether cells tell values apart, in part or all: they may still stand in for a person."""
    staged_as: ClassVar[str | None] = None
    """What the staging template makes of the column: `hash` or `null`; None if a `fragment` does or it is dropped."""
    fragment: ClassVar[str | None] = None
    """The template of the cell's expression, of one row; None if there is none."""
    drawn_by: ClassVar[str | None] = None
    """The template of the cell's expression over all staged rows, where its cells are drawn at random; None for others."""
    in_lists: ClassVar[bool] = False
    """Whether cells are lists of items that are generalized or removed when their rows are staged."""
    tabulates: ClassVar[bool] = False
    """Whether it computes numbers of few texts, which are best computed once each for many rows."""
    families: ClassVar[frozenset[str] | None] = None
    """The families of types that it takes; None for every type."""

    no_view: ClassVar[str] = ""
    """Why a view does not show it; empty if it does, or where the key of `keyed` actions is the reason."""
    no_script: ClassVar[str] = ""
    """Why a script does not write it, where the key of `keyed` actions is not the reason."""
    no_new_rows: ClassVar[str] = ""
    """Why partitions are not added to a release with it."""
    no_warehouse: ClassVar[str] = OWN_WORDS
    """Why a script for a database that kanon-sql does not run in, or a model of SQLMesh, does not write it."""
    no_dbt: ClassVar[str] = NO_MACRO
    """Why a model of dbt does not write it."""
    in_dbt: ClassVar[str] = "value"
    """What the macros of dbt make of the column, where they can."""

    def __str__(self) -> str:
        return self.key

    @property
    def is_after_staging(self) -> bool:
        """Whether it works on all rows that are staged, and not on one row of the source."""
        return self.drawn_by is not None or self.in_lists

    def why_no_type(self, kind: str, family: str) -> str | None:
        """Return what it takes instead, where it takes no column of a type; None if it takes it."""
        del kind
        takes = self.families is None or family in self.families
        return None if takes else listed(sorted(self.families or ()))

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of other columns that it reads."""
        return ()

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        """Yield the reasons why a policy cannot mask this column so."""
        del policy, column
        yield from ()

    @property
    def purpose(self) -> str:
        """What its hashes are made for: those for another purpose, under the same key, tell nothing of them."""
        return self.key

    def leaves(self, family: str) -> dict[str, object]:
        """Return the leaves of its fragment, besides those of its `steps`, for a column of a family of types."""
        del family
        return {}

    def turn(self, number: int) -> exp.Expr:
        """Return what tells a round from the others in the texts that are hashed, where it `tabulates`."""
        raise NotImplementedError

    def worth(self, lengths: Mapping[int, float]) -> list[tuple[int, int, int]]:
        """Return the rounds to tabulate, where so many rows have so many digits: turn, digits, and places of a half."""
        del lengths
        return []

    def steps(
        self, own: str, column: Column, keys: Mapping[str, object]
    ) -> tuple[Steps, dict[str, object]]:
        """Return the columns that it computes before its cells, with names from `own`, and the leaves that read them.

        A keyed mask hashes its value, or that of the column it reads, under the session's `keys`.
        """
        if not self.keyed:
            return (), {}
        from kanon_sql.base.sql import quoting  # noqa: PLC0415  a policy is read without sqlglot

        hash_ = f"{own}_hash"
        step = {
            "step": "sql/source/masks/part/hash_step.sql.j2",
            "as": quoting.name(hash_),
            "from": quoting.column(next(iter(self.reads), column.name), of="s"),
            "purpose": quoting.literal(self.purpose),
            **keys,
        }
        return ((step,),), {"hash": quoting.column(hash_, of="s")}
