"""The interface of privacy models; code that counts classes knows nothing else about a model.

A model is a conjunction of requirements. Each is one whole number that a fragment of SQL counts of an
equivalence class, and a bound on it. A real number is counted in units of which its bound is a whole number,
rounded against the model, so that every comparison is exact and the same in every database.
"""

from __future__ import annotations

import math
import re  # noqa: TC003  records read the annotations of models
from abc import ABC
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Number, Parsed, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from kanon_sql.base.documents.shapes import Shape
    from kanon_sql.engines.locations import Source
    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.privacy.table_models import ClassSizes

QUASI, SENSITIVE = "quasi-identifier", "column with role sensitive"
"""The keys under which the names of these columns are known while a policy is read."""


class Monotony(StrEnum):
    """When generalizing a feasible node gives a feasible node (ALWAYS: k, distinct l).

    Models that weigh a class's distribution are monotone only where no row may be suppressed: a class
    that fits may stop fitting when a class that does not fit is merged into it. A metric is monotone
    when generalizing a feasible node never lowers its cost.
    """

    ALWAYS = "always"
    UNSUPPRESSED = "where no row may be suppressed"
    NEVER = "never"

    def holds(self, max_suppressed: int) -> bool:
        """Whether this monotony holds if `max_suppressed` rows may be suppressed.

        >>> [Monotony.UNSUPPRESSED.holds(rows) for rows in (0, 1)]
        [True, False]
        """
        return self is Monotony.ALWAYS or (self is Monotony.UNSUPPRESSED and not max_suppressed)


class SensitiveNulls(StrEnum):
    """Whether a model that counts values counts NULL in a sensitive column as a value."""

    NOT_COUNTED = "not_counted"
    VALUE = "value"

    @property
    def words(self) -> str:
        """Return the words that follow the counted column in a text; empty for the default.

        >>> SensitiveNulls.VALUE.words
        ', NULL counted as a value'
        """
        return ", NULL counted as a value" if self is SensitiveNulls.VALUE else ""


@dataclass(frozen=True, slots=True)
class SensitiveAttribute:
    """A column whose values are counted in a class; NULL is an unknown value, or a value like any other.

    With an `order`, values have places on a line, and NULL comes first if it is a value. With `in_tree`, values are
    leaves of their column's hierarchy.
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
    """The searches, releases, scripts and checks that decide, or let another database decide, which classes fit.

    Each checks `uncounted` before it begins, and refuses a model that does not name it.
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
"""Channels that weigh single values, by rows or by people. Channels not listed here refuse to do so by people."""

OF_VALUES = OF_PEOPLE | {Channel.REGIONS}
"""Channels that weigh single values by rows."""


ELSEWHERE = frozenset({Channel.WAREHOUSE, Channel.SQLMESH, Channel.DBT})
"""Channels whose SQL runs in databases that are not known here."""

NOT_ALIKE = (
    "weighs no values by windows, decimals or logarithms, which not every database computes alike"
)
"""Why these channels do not weigh single values."""


class Distribution(StrEnum):
    """The distribution of values that a fragment reads as `requirement.NAME`, with one row for each value of a class."""

    NONE = "none"
    OF_CLASS = "of the class"
    """`in_class` rows of the class have the value, of `of_class` with any, as `largest_share` reads them."""
    RANKED = "of the class, the most frequent first"
    """And the value's `rank` in the class, as `recursive` reads it."""
    OF_TABLE = "of the class and of a table"
    """And `in_table` of `of_table` rows of a table with `in_all` different values, as `t_closeness` reads them."""
    IN_ORDER = "of the class and of a table, in the order of the values"
    """And the value's place in that order, as `ordered_distance` reads it."""
    IN_TREE = "of the class and of a table, in the hierarchy of the values"
    """And the nodes above the value with their rows in class and table, as `tree_distance` reads them."""


class Reads(StrEnum):
    """The kind of values that a fragment needs of a sensitive column.

    CODES are equal or not, or NULL, and nothing else: a search has a number in place of each value, a table the value
    itself. A measure that computes with values is refused in all channels: no channel has them in one type everywhere.
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
        """Name the table for readers.

        >>> Reference.RELEASE.table
        'released rows'
        """
        return "source" if self is Reference.SOURCE else "released rows"


class Measure(ABC):
    """A whole number that is counted of a class, by `templates/sql/privacy/measures/part/<fragment>.sql.j2`.

    Subclasses are frozen dataclasses: two measures of a class are the same if their fields are.
    """

    __slots__ = ()

    fragment: ClassVar[str]
    at_most: ClassVar[bool] = False
    """Whether the bound is the most that a class may have, and not the least."""
    in_billionths: ClassVar[bool] = False
    """Whether it is counted in units of 10^-9."""
    distribution: ClassVar[Distribution] = Distribution.NONE
    channels: ClassVar[frozenset[Channel]] = frozenset()
    """The channels that count the fragment; all others refuse the model."""
    why_not: ClassVar[str] = ""
    """The reason why the other channels do not count it."""
    reads: ClassVar[Reads] = Reads.CODES
    """The kind of values that the fragment needs of its sensitive column."""
    of_share: ClassVar[bool] = False
    """Whether it is a share of something that grows with a class, so that classes that do not fit may fit merged."""
    of_persons: ClassVar[bool] = False
    """Whether, where entities are counted, a share is of entities with a value, not of pairs of entity and value."""
    of_absent: ClassVar[bool] = False
    """Whether it counts the rows of a population in classes without a row of the source."""
    of_rest: ClassVar[bool] = False
    """Whether it is of the rows of a population in no released class."""
    of_all_classes: ClassVar[bool] = False
    """Whether it is computed from the sizes of all released classes, and not of each class."""
    estimated: ClassVar[bool] = False
    """Whether it is estimated in Python from the sizes of all classes, which no statement can do."""
    of_rows: ClassVar[bool] = False
    """Whether it compares rows with rows, so that no entity but the row can be counted."""
    of_groups: ClassVar[bool] = False
    """Whether it is the same where the rows of a class are first grouped by the sensitive value."""
    lost: ClassVar[str] = ""
    """The fragment that counts the rows of a class that every finer node suppresses at least; empty if unknown."""
    numerator: ClassVar[str] = ""
    denominator: ClassVar[str] = ""
    """The fragments of the quotient that `fragment` rounds; a search compares numerator and bound times denominator."""
    reported: ClassVar[str]
    """The key under which a recount prints the worst class."""
    claim: ClassVar[str] = "privacy_model"
    """The kind of a certificate's claim about it; by default, a claim that states its model."""
    audit: ClassVar[str] = ""
    """The name of its test in a dbt project, and of its audit in SQLMesh."""

    @property
    def sensitive(self) -> SensitiveAttribute | None:
        """Return the attribute whose values are counted; None where entities are counted."""
        return None

    @property
    def reference(self) -> Reference | None:
        """Return the table with whose values a class is compared; None without a comparison."""
        return None

    @property
    def population(self) -> Source | None:
        """Return the population whose rows in a class are counted; None without a population."""
        return None

    @property
    def about(self) -> str | None:
        """Return the name of its sensitive column or population; None where entities are counted."""
        return None if self.sensitive is None else self.sensitive.column

    @property
    def of_release(self) -> bool:
        """Whether it is of the whole release: whether a class fits depends on the other released classes."""
        return self.of_rest or self.of_all_classes or self.reference is Reference.RELEASE

    @property
    def by_source(self) -> Measure:
        """Return the measure by the source that corresponds to this measure by the release."""
        raise InternalError(f"{self} compares a class with no table")

    def of_rest_rows(self, suppressed: int, beyond: int) -> int:
        """Compute it from the suppressed rows and the population's rows `beyond` all released classes."""
        raise InternalError(f"{self} counts no rest, of {suppressed} and {beyond} or any rows")

    def of_sizes(self, sizes: ClassSizes) -> int:
        """Compute it from the sizes of all released classes, of which there is at least one."""
        raise InternalError(f"{self} is of a class, and not of all: {sizes.classes}")

    @property
    def reported_as(self) -> str:
        """Return the key of the worst class; it ends in `_in_release` if classes are compared with the release."""
        of_release = self.reference is Reference.RELEASE
        return f"{self.reported}_in_release" if of_release else self.reported

    @property
    def numbers(self) -> Mapping[str, int]:
        """Return the numbers that the fragment needs beside the bound, by name."""
        return {}

    @property
    def one(self) -> int:
        """Return the number 1 in the units that are counted."""
        return FRACTION_UNIT if self.in_billionths else 1

    @property
    def claimed(self) -> str:
        """Describe the figure that a certificate shows: the count divided by `one`."""
        return str(self)

    @property
    def loosest(self) -> int:
        """Return the bound that every class keeps, whatever it holds: by default there is none, or 0."""
        return BEYOND if self.at_most else 0

    @property
    def bound_name(self) -> str:
        """Name the bound for readers, as `k`; by default it is the measure's own text."""
        return str(self)

    def refusal(self, channel: Channel) -> str | None:
        """Return why a channel does not count it (empty if there is no more to say); None if the channel does."""
        if channel in self.channels:
            return None
        if channel in ELSEWHERE and self.distribution is not Distribution.NONE:
            *_, instead = self.why_not.rpartition("; ")
            return f"{NOT_ALIKE}; {instead}"
        return self.why_not

    def as_written(self, counted: int) -> int | float:
        """Return a count or a bound in the model's unit, as a policy writes it; infinity from `BEYOND` on."""
        return math.inf if counted >= BEYOND else self.in_unit(counted)

    def in_unit(self, counted: int) -> int | float:
        """Return a finite count in the model's unit."""
        return counted if self.one == 1 else counted / self.one

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        """Return the arguments of its test in a project, beside the quasi-identifiers."""
        raise InternalError(f"nothing tests {self} in a project, with {bound} or any bound")

    def beyond(self, whole: int, bound: int) -> str:
        """Describe that even the whole table as one class does not fit: its count, and the bound to ask for instead."""
        if abs(whole) >= BEYOND:
            return f"no bound of {self} lets the whole table as one class fit: leave it out"
        asked = "at most" if self.at_most else "at least"
        instead = "at least" if self.at_most else "at most"
        return (
            f"the whole table has {self.as_written(whole):,} {self}, and the policy asks for {asked} "
            f"{self.as_written(bound):,} in every class: ask for {instead} {self.as_written(whole):,}"
        )


@dataclass(frozen=True, slots=True)
class MeasureOfValues(Measure):
    """A measure of the values of a sensitive attribute in a class."""

    of: SensitiveAttribute

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of


@dataclass(frozen=True, slots=True)
class Requirement:
    """A measure of a class and the bound that it must reach, or must not exceed.

    Explanations relax the bound by a `step`, a small change that a policy could write.
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
        """Whether it depends on the other released classes whether a class fits."""
        return self.measure.of_release

    def holds(self, counted: int) -> bool:
        """Whether a class with this count fits."""
        return counted <= self.bound if self.measure.at_most else counted >= self.bound

    def __str__(self) -> str:
        side = "at most" if self.measure.at_most else "at least"
        return f"{self.measure.bound_name}: {side} {self.measure.as_written(self.bound):,}"

    @property
    def relaxed(self) -> int:
        """Return the bound one step looser."""
        return self.bound + self.step if self.measure.at_most else self.bound - self.step

    def stricter(self, other: Requirement) -> Requirement:
        """Return the stricter of two requirements on one measure."""
        strictest = min if self.measure.at_most else max
        return strictest((self, other), key=lambda each: each.bound)


FRACTION_UNIT: int = 10**9
"""The number 1 in units of 10^-9, in which fractions of a class are counted, rounded against the model."""


BEYOND: int = 10**18
"""The count of a class that fits no bound: more than any bound that a policy may have."""


def exact(number: Decimal) -> Decimal:
    """Return a number without zeros at its end. Raises Wrong if it has more than nine decimal places."""
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
    """Return the step by which explanations relax a bound: a hundredth, or less if the bound has more decimals."""
    places: int = max(-int(bound.as_tuple().exponent), 2)
    return int(FRACTION_UNIT // 10**places)


class PrivacyModel(Protocol):
    """The interface of a privacy model."""

    __slots__ = ()

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements; a class fits when it keeps all of them."""
        ...

    @property
    def monotony(self) -> Monotony:
        """The condition under which a search may tag a node from its neighbors, without a check."""
        ...

    def __str__(self) -> str: ...


class DeclaredModel(PrivacyModel, Protocol):
    """The interface of a model that a policy can ask for: its key and shape there, and its text in plans."""

    __slots__ = ()

    key: ClassVar[str]
    words: ClassVar[re.Pattern[str]]
    """Matches `str(model)`: the first group is the bound, the second is what the model is about."""
    named: ClassVar[str]
    """The name of the model without its bound."""
    stricter_below: ClassVar[bool] = True
    """Whether a smaller bound is stricter."""

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy: by default the record of its fields."""
        return Record(cls)
