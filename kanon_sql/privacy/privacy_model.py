"""What a privacy model states about itself; whatever counts classes knows nothing else about it.

A model is a conjunction of requirements. Each is one whole number that a fragment of SQL counts of an
equivalence class, and a bound on it. A real number is counted in units that its bound is a whole number of,
rounded against the model, so that every comparison is exact and the same in every database.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from kanon_sql.documents.shapes import Number, Parsed, check
from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping
    from decimal import Decimal

    from kanon_sql.documents.shapes import Shape
    from kanon_sql.hierarchies.order import Order
    from kanon_sql.policy.locations import Source
    from kanon_sql.privacy.class_sizes import ClassSizes

QUASI, SENSITIVE = "quasi-identifier", "column with role sensitive"
"""What names of columns are known as while a policy is read."""


class Monotony(StrEnum):
    """When generalizing a feasible node gives a feasible node (ALWAYS: k, distinct l).

    Models that weigh a class's distribution are so only where no row may be suppressed: a class
    that fits may stop fitting when one that does not is merged into it. Metrics have the same
    property: when generalizing a feasible node never lowers its cost.
    """

    ALWAYS = "always"
    UNSUPPRESSED = "where no row may be suppressed"
    NEVER = "never"

    def holds(self, max_suppressed: int) -> bool:
        """Whether it is so where so many rows may be suppressed.

        >>> [Monotony.UNSUPPRESSED.holds(rows) for rows in (0, 1)]
        [True, False]
        """
        return self is Monotony.ALWAYS or (self is Monotony.UNSUPPRESSED and not max_suppressed)


class SensitiveNulls(StrEnum):
    """What NULL in a sensitive column is to a model that counts values: nothing, or a value."""

    NOT_COUNTED = "not_counted"
    VALUE = "value"

    @property
    def words(self) -> str:
        """Say it after what is counted, where it is not the default.

        >>> SensitiveNulls.VALUE.words
        ', NULL counted as a value'
        """
        return ", NULL counted as a value" if self is SensitiveNulls.VALUE else ""


@dataclass(frozen=True, slots=True)
class SensitiveAttribute:
    """A column whose values are counted in a class; NULL is an unknown value, or one like any other.

    Values in an `order` have a place on a line, before all of which NULL is, if it is a value. Those `in_tree` have
    nodes above them, of their column's hierarchy.
    """

    column: str
    nulls: SensitiveNulls = SensitiveNulls.NOT_COUNTED
    order: Order | None = None
    in_tree: bool = False

    @property
    def counts_null(self) -> bool:
        """Whether NULL is one of the values."""
        return self.nulls is SensitiveNulls.VALUE

    def __str__(self) -> str:
        return f"{self.column}{self.nulls.words}"


class Channel(StrEnum):
    """Whatever decides by SQL of its own which classes fit, or leaves that to others.

    Each checks `uncounted` before it begins: a model that does not name it is refused there.
    """

    LATTICE = "a search of the lattice"
    SEVERAL_SETS = "over: several sets of quasi-identifiers together"
    SEVERAL_NODES = "recoding: local or cells"
    DATAFLY = "datafly"
    LOCAL_SUPPRESSION = "mu_argus"
    REGIONS = "mondrian"
    CUTS = "top_down, bottom_up or k_optimize"
    RELEASE = "the statements and the recount of a release"
    NEW_ROWS = "a release of new rows"
    SCRIPT = "a script"
    WAREHOUSE = "a script of one statement for another database"
    SQLMESH = "a model of SQLMesh"
    DBT = "a model of dbt"
    CERTIFICATE = "a certificate, which is counted in the released rows alone,"
    VERIFY = "verify, which counts a table alone,"


EVERY_CHANNEL = frozenset(Channel)

OF_PEOPLE = frozenset(
    {
        Channel.LATTICE,
        Channel.SEVERAL_SETS,
        Channel.SEVERAL_NODES,
        Channel.DATAFLY,
        Channel.RELEASE,
        Channel.NEW_ROWS,
        Channel.SCRIPT,
        Channel.CERTIFICATE,
        Channel.VERIFY,
    }
)
"""Where single values are weighed, of rows or of people. What is not listed here refuses those of people."""

OF_VALUES = OF_PEOPLE | {Channel.REGIONS}
"""Where those of rows are."""


ELSEWHERE = frozenset({Channel.WAREHOUSE, Channel.SQLMESH, Channel.DBT})
"""Channels whose SQL runs in databases that are not known here."""

NOT_ALIKE = (
    "weighs no values by windows, decimals or logarithms, which not every database computes alike"
)
"""Why these do not count single values as the engines do."""


class Distribution(StrEnum):
    """The counts of single values that a fragment reads, each value of a class once."""

    NONE = "none"
    OF_CLASS = "of the class"
    RANKED = "of the class, the most frequent first"
    OF_TABLE = "of the class and of a table"
    IN_ORDER = "of the class and of a table, in the order of the values"
    IN_TREE = "of the class and of a table, in the hierarchy of the values"


class Reads(StrEnum):
    """What a fragment takes the values of a sensitive column for.

    CODES are equal or not, or NULL, and nothing else: a search has a number for each value, where a table has the value
    itself. What computes with values, which no channel gives in the same type everywhere, is refused in all.
    """

    CODES = "codes"
    NUMBERS = "numbers"
    DATES = "dates"


class Reference(StrEnum):
    """The table whose distribution a class is compared with: the source, or the rows that are released."""

    SOURCE = "source"
    RELEASE = "release"

    @property
    def table(self) -> str:
        """Name it for readers.

        >>> Reference.RELEASE.table
        'released rows'
        """
        return "source" if self is Reference.SOURCE else "released rows"


class Measure(ABC):
    """What is counted of a class: a whole number, by `templates/sql/privacy/measures/part/<fragment>.sql.j2`.

    Subclasses are frozen dataclasses, whose fields tell one measure from another.
    """

    __slots__ = ()

    fragment: ClassVar[str]
    at_most: ClassVar[bool] = False
    """Whether the bound is the most that a class may have, and not the least."""
    distribution: ClassVar[Distribution] = Distribution.NONE
    channels: ClassVar[frozenset[Channel]] = frozenset()
    """Where the fragment is counted. Whatever is not listed here refuses the model."""
    why_not: ClassVar[str] = ""
    """Why the other channels do not count it."""
    reads: ClassVar[Reads] = Reads.CODES
    """What the fragment takes the values of its sensitive column for."""
    of_share: ClassVar[bool] = False
    """Whether it is a share of what grows with a class: one may fit by it that is made of some that do not."""
    of_persons: ClassVar[bool] = False
    """Whether, where entities are counted, a share is of the entities that have any value: of pairs with a value else."""
    of_absent: ClassVar[bool] = False
    """Whether it counts the classes of a population that the source has no row in."""
    of_rest: ClassVar[bool] = False
    """Whether it counts what of a population is in none of the released classes."""
    of_all_classes: ClassVar[bool] = False
    """Whether it is of the sizes of all released classes, and of no class."""
    estimated: ClassVar[bool] = False
    """Whether it is no count, but estimated of the sizes of all classes, which no statement does."""
    of_rows: ClassVar[bool] = False
    """Whether it compares rows with rows, so that no other entity can be counted."""
    lost: ClassVar[str] = ""
    """The fragment of the rows that each finer node suppresses of a class, at least; none where nothing is known."""
    numerator: ClassVar[str] = ""
    denominator: ClassVar[str] = ""
    """The fragments of a quotient that `fragment` rounds; a search compares the first with the bound times the second."""
    reported: ClassVar[str]
    """The key under which a recount prints the worst class."""
    claim: ClassVar[str] = "privacy_model"
    """The kind of claim that a certificate makes of it; by default, one that states its model."""
    audit: ClassVar[str] = ""
    """The name of its test in a dbt project, and of its audit in SQLMesh."""

    @property
    def sensitive(self) -> SensitiveAttribute | None:
        """Give the column whose values are counted; None where entities are."""
        return None

    @property
    def reference(self) -> Reference | None:
        """Give the table whose values a class is compared with; None where no table is."""
        return None

    @property
    def population(self) -> Source | None:
        """Give the population whose rows in a class are counted; None where none are."""
        return None

    @property
    def about(self) -> str | None:
        """Name the sensitive column or the population that it is of; None where entities are counted."""
        return None if self.sensitive is None else self.sensitive.column

    @property
    def of_release(self) -> bool:
        """Whether it is of the release as a whole: no class fits or fails by it before the others are known."""
        return self.of_rest or self.of_all_classes or self.reference is Reference.RELEASE

    @property
    def by_source(self) -> Measure:
        """Give the measure of a class that this one is of the release."""
        raise InternalError(f"{self} compares a class with no table")

    def of_rest_rows(self, suppressed: int, beyond: int) -> int:
        """Count the rest: so many suppressed rows, and so many of a population in no released class."""
        raise InternalError(f"{self} counts no rest, of {suppressed} and {beyond} or any rows")

    def of_sizes(self, sizes: ClassSizes) -> int:
        """Count it of all released classes, of which there is one at least."""
        raise InternalError(f"{self} is of a class, and not of all: {sizes.classes}")

    @property
    def reported_as(self) -> str:
        """Give the key of the worst class, which says so where classes are compared with the release."""
        of_release = self.reference is Reference.RELEASE
        return f"{self.reported}_in_release" if of_release else self.reported

    @property
    def numbers(self) -> Mapping[str, int]:
        """Give what the fragment has as numbers, beside the bound."""
        return {}

    @property
    def one(self) -> int:
        """Give what 1 is in the units that are counted."""
        return 1

    @property
    def claimed(self) -> str:
        """Say what a certificate shows, which is the count by `one`."""
        return str(self)

    @property
    @abstractmethod
    def loosest(self) -> int:
        """Give the bound that every class keeps, whatever it holds."""

    @property
    def bound_name(self) -> str:
        """Name the bound for readers, as `k`; by what is counted where it has no name of its own."""
        return str(self)

    def refusal(self, channel: Channel) -> str | None:
        """Say why a channel does not count it, if it says more than that; None where it does."""
        if channel in self.channels:
            return None
        if channel in ELSEWHERE and self.distribution is not Distribution.NONE:
            *_, instead = self.why_not.rpartition("; ")
            return f"{NOT_ALIKE}; {instead}"
        return self.why_not

    def as_written(self, counted: int) -> int | float:
        """Give a count or a bound in the model's own unit, as a policy writes it; infinity where nothing bounds a class."""
        return math.inf if counted >= BEYOND else self.in_unit(counted)

    def in_unit(self, counted: int) -> int | float:
        """Give a finite count in the model's own unit."""
        return counted if self.one == 1 else counted / self.one

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        """Give the arguments of its test beside the quasi-identifiers."""
        raise InternalError(f"nothing tests {self} in a project, with {bound} or any bound")

    def beyond(self, whole: int, bound: int) -> str:
        """Say that even the whole table as one class does not fit: what it has and what to require."""
        if abs(whole) >= BEYOND:
            return f"no bound of {self} lets the whole table as one class fit: leave it out"
        asked = "at most" if self.at_most else "at least"
        instead = "at least" if self.at_most else "at most"
        return (
            f"the whole table has {self.as_written(whole):,} {self}, and the policy asks for {asked} "
            f"{self.as_written(bound):,} in every class: ask for {instead} {self.as_written(whole):,}"
        )


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one class must reach, or must not exceed.

    A `step` relaxes it by the least that its policy could write; explanations do.
    """

    measure: Measure
    bound: int
    step: int = 1

    @property
    def binding(self) -> bool:
        """Whether any class could fall short."""
        loosest = self.measure.loosest
        return self.bound < loosest if self.measure.at_most else self.bound > loosest

    @property
    def of_release(self) -> bool:
        """Whether no class fits or fails by it before the others are known."""
        return self.measure.of_release

    def holds(self, counted: int) -> bool:
        """Whether a class of which so many were counted fits."""
        return counted <= self.bound if self.measure.at_most else counted >= self.bound

    def __str__(self) -> str:
        side = "at most" if self.measure.at_most else "at least"
        return f"{self.measure.bound_name}: {side} {self.measure.as_written(self.bound):,}"

    @property
    def relaxed(self) -> int:
        """Give the bound one step looser."""
        return self.bound + self.step if self.measure.at_most else self.bound - self.step

    def stricter(self, other: Requirement) -> Requirement:
        """Give the stricter of two requirements of one measure."""
        strictest = min if self.measure.at_most else max
        return strictest((self, other), key=lambda each: each.bound)


FRACTION_UNIT: int = 10**9
"""What 1 is in units of 10^-9, in which fractions of a class are counted, rounded against the model."""


BEYOND: int = 10**18
"""What is counted of a class where nothing bounds it: more than any bound that a policy may have."""


def exact(number: Decimal) -> Decimal:
    """Give a number of at most nine decimal places without zeros at its end."""
    places = 9
    what = f"must have at most {places} decimal places"
    check(("", number == round(number, places), what))
    return number.normalize()


def _fraction(number: Decimal) -> Decimal:
    check(("", 0 <= number <= 1, "must lie between 0 and 1"))
    return exact(number)


FRACTION = Parsed(Number(), _fraction)
"""A bound from 0 to 1, exact in whole units; 0.20 is 0.2."""

POSITIVE = Parsed(Number(positive=True, below=10**6), exact)
"""A bound above 0, exact in whole units."""


def step_of(bound: Decimal) -> int:
    """Give the step by which explanations relax a bound: a hundredth, or less where it has more decimals."""
    places: int = max(-int(bound.as_tuple().exponent), 2)
    return int(FRACTION_UNIT // 10**places)


class PrivacyModel(Protocol):
    """What every privacy model states about itself."""

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A class fits when it keeps all of these."""
        ...

    @property
    def monotony(self) -> Monotony:
        """Say when a search may tag a node from its neighbours, without a check."""
        ...

    def __str__(self) -> str: ...


class DeclaredModel(PrivacyModel, Protocol):
    """A model as it is declared: its key in a policy and what stands there, and its words in plans read back."""

    key: ClassVar[str]
    words: ClassVar[re.Pattern[str]]
    """Matches `str(model)`: the bound is its first group, what it is of the second."""
    named: ClassVar[str]
    """What it is called without its bound."""
    stricter_below: ClassVar[bool]
    """Whether a smaller bound is stricter."""

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Give the shape that a policy states it by: the record of its fields, or a single value."""
        ...
