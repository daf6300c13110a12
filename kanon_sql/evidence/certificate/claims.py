"""The claims of a certificate about a release: the privacy models of its policy, and the counts of its plan.

Each claim is a number that can be counted in the released rows, and a bound on it. A claim about the values of a
column that is not released cannot be recounted: it never passes, and fails only where the released rows
contradict it.
"""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, assert_never

from kanon_sql.base.documents.records import Key, Needed, Null, Record
from kanon_sql.base.documents.shapes import OneOf, Published, Whole, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InternalError
from kanon_sql.policy.hierarchies.order import PLAIN, OrderKind
from kanon_sql.policy.policy_rules import check_counted, entity_column, is_released
from kanon_sql.policy.privacy.declared_models import MODELS, StatedModel
from kanon_sql.policy.privacy.demands import Over, demands, of_a_reader
from kanon_sql.policy.privacy.k_anonymity import SIZE, KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity, DistinctValues
from kanon_sql.policy.privacy.populations import as_named
from kanon_sql.policy.privacy.privacy_model import (
    BEYOND,
    FRACTION_UNIT,
    Channel,
    PrivacyModel,
    SensitiveAttribute,
    SensitiveNulls,
)
from kanon_sql.policy.privacy.risks import BOUNDS, STATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Measure, Requirement

MOST_SHOWN = 10**6
"""The greatest denominator of a fraction that readers are shown; beyond, a decimal."""


class Kind(StrEnum):
    """The kinds of claims."""

    COLUMNS = "columns"
    ROWS = "rows"
    SUPPRESSED = "suppressed_rows"
    CLASSES = "classes"
    SMALLEST = "smallest_class"
    UNIQUE = "unique_rows"
    ABOVE = "rows_above"
    K = "k_anonymity"
    DISTINCT_L = "distinct_l_diversity"
    MODEL = "privacy_model"
    TABLE = "table_model"
    POPULATION = "population_model"


class Comparator(StrEnum):
    """How the count is compared with the bound."""

    EXACTLY = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"


class ClaimVerdict(StrEnum):
    """The result of recounting a claim; UNCHECKED where the released rows can only contradict the claim."""

    PASS = "PASS"  # noqa: S105  no password
    FAIL = "FAIL"
    UNCHECKED = "UNCHECKED"


@dataclass(frozen=True, slots=True)
class ClaimKind:
    """A kind of claim: its title and text for readers, its comparator, and `count`, the SQL column with its count.

    For a claim that contains a privacy model, the model and its measure give title and comparator.
    """

    title: str
    comparator: Comparator
    count: str
    text: str


EXACTLY, AT_LEAST, AT_MOST = Comparator
SUPPRESSED = "suppressed rows of the {source_rows} source rows that the plan counted"
KINDS = {
    Kind.COLUMNS: ClaimKind("columns", EXACTLY, "others", "missing or unexpected columns"),
    Kind.ROWS: ClaimKind("rows", EXACTLY, "row_count", "rows of the release"),
    Kind.SUPPRESSED: ClaimKind("suppressed rows", AT_MOST, "suppressed", SUPPRESSED),
    Kind.CLASSES: ClaimKind("classes", EXACTLY, "classes", "equivalence classes over {over}"),
    Kind.SMALLEST: ClaimKind(
        "smallest class", EXACTLY, "smallest", "{what} in the smallest class over {over}"
    ),
    Kind.UNIQUE: ClaimKind("unique rows", EXACTLY, "unique_rows", "unique rows over {over}"),
    Kind.ABOVE: ClaimKind(
        "rows at risk",
        EXACTLY,
        "rows_above",
        f"rows of a re-identification risk above {STATED}, in classes smaller than {{below}}, over {{over}}",
    ),
    Kind.K: ClaimKind("k-anonymity", AT_LEAST, "smallest", "{what} in every class over {over}"),
    Kind.DISTINCT_L: ClaimKind(
        "distinct l-diversity", AT_LEAST, "distinct", "{what}, {nulls}, in every class over {over}"
    ),
    Kind.MODEL: ClaimKind("privacy model", AT_LEAST, "worst", "{what} in every class over {over}"),
    Kind.TABLE: ClaimKind("table model", AT_MOST, "share", "{what}, over {over}"),
    Kind.POPULATION: ClaimKind(
        "population model", AT_LEAST, "", "{what}, by the classes over {over}"
    ),
}


RISK_BELOW = {Kind.UNIQUE: 2, Kind.ABOVE: math.ceil(1 / BOUNDS[STATED])}
"""The claims about risks; each counts the rows in classes smaller than this size."""
OWN = (KAnonymity, DistinctDiversity)
"""The models with a kind of claim for themselves; a claim about any other model contains the model."""
ORDERED = OneOf(OrderKind, among=PLAIN)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: a bound, and the count `found`, which is None before the claim is counted.

    `over` names its quasi-identifiers, and is empty for all; `counts` is the column whose distinct values are counted,
    None for rows. The count of `measured` divided by `divisor` is the figure of a `model`.
    """

    kind: Annotated[Kind, Key("claim")]
    bound: int
    over: Annotated[tuple[str, ...], Needed()] = ()
    counts: Annotated[str | None, Null] = None
    recounted: Annotated[bool, Needed()] = True
    source_rows: int | None = None
    found: Annotated[int | None, Null, Whole()] = None
    nulls: Annotated[
        SensitiveNulls | None,
        Key("sensitive_nulls"),
        Published("sensitive_nulls", OneOf(SensitiveNulls)),
    ] = None
    order: Annotated[OrderKind | None, Published("order", ORDERED)] = None
    model: Annotated[PrivacyModel | None, StatedModel(but=OWN)] = None
    measured: str | None = None
    divisor: Annotated[int, Whole(1)] = 1

    KEYS: ClassVar = (
        "kind", "text", "over", "counts", "nulls", "order", "model", "measured", "divisor",
        "source_rows", "comparator", "bound", "found", "recounted", "verdict",
    )  # fmt: skip

    def __post_init__(self) -> None:
        of_rows, of_model = self.kind is Kind.SUPPRESSED, self.kind is Kind.MODEL
        counts_any = self.counts is None or not self.of_population
        of_values = of_model or self.kind is Kind.DISTINCT_L
        check(
            ("source_rows", (self.source_rows is not None) is of_rows, "goes with suppressed_rows"),
            ("counts", not of_values or self.counts is not None, "names no column"),
            ("counts", counts_any, "is of no comparison with a population"),
            (
                "sensitive_nulls",
                (self.nulls is not None) is of_values,
                "is stated of sensitive values",
            ),
            (
                "model",
                self._as_modelled,
                "is not what is counted and required, or is of another claim",
            ),
        )

    @property
    def _by_model(self) -> Requirement | None:
        """Return the model's requirement on the measure `measured`; None where the claim has no model."""
        if self.model is None:
            return None
        found = (r for r in of_a_reader(self.model) if r.measure.reported == self.measured)
        return next(found, None)

    @property
    def _as_modelled(self) -> bool:
        """Whether a claim agrees with the requirement of its model; a claim of another kind must have no model."""
        if self.kind not in {Kind.MODEL, Kind.TABLE, Kind.POPULATION}:
            return (self.model, self.measured, self.order, self.divisor) == (None, None, None, 1)
        required = self._by_model
        if required is None or required.measure.claim != self.kind:
            return False
        of = required.measure.sensitive
        if of is None:
            due = (None, None, None, required.bound, required.measure.one, self.kind is Kind.TABLE)
            return due == (
                self.counts,
                self.nulls,
                self.order,
                self.bound,
                self.divisor,
                self.recounted,
            )
        stated = (of.column, of.nulls, of.order, required.bound, required.measure.one)
        own = (self.counts, self.nulls, self.order, self.bound, self.divisor)
        return self.recounted and stated == own

    @property
    def of_population(self) -> bool:
        """Whether classes are compared with a population, which is no part of the release."""
        return self.kind is Kind.POPULATION

    @property
    def is_of_hidden_people(self) -> bool:
        """Whether the claim is about people whom the release does not show, so that their rows are counted instead."""
        return self.verdict is ClaimVerdict.UNCHECKED and not self.of_population

    @property
    def title(self) -> str:
        """Name the claim for readers.

        >>> Claim(Kind.K, 5).title
        'k-anonymity'
        """
        named = (model.named for model in MODELS if isinstance(self.model, model))
        return next(named, KINDS[self.kind].title)

    def shown(self, counted: int) -> str:
        """Return a count as text for readers: a whole number, a decimal or a fraction."""
        if counted >= BEYOND:
            return "no bound that is kept"
        if self.divisor == FRACTION_UNIT:
            return f"{Decimal(counted).scaleb(-9).normalize():f}"
        fraction = Fraction(counted, self.divisor)
        short = fraction.denominator <= MOST_SHOWN
        return str(fraction) if short else f"{float(fraction):.9g}"

    @property
    def comparator(self) -> Comparator:
        if self.measure is not None and self.measure.at_most:
            return Comparator.AT_MOST
        return KINDS[self.kind].comparator

    @property
    def required(self) -> str:
        """Return the bound as text: `at least 5`."""
        return f"{self.comparator} {self.shown(self.bound)}"

    @property
    def verdict(self) -> ClaimVerdict:
        """Compare the count with the bound.

        Where entities cannot be recounted, the rows of the smallest class are counted instead, and
        no class has more entities than rows: fewer rows than required contradict the claim.

        >>> [Claim(Kind.K, 5, found=n).verdict.value for n in (4, 5)]
        ['FAIL', 'PASS']
        >>> [Claim(Kind.SMALLEST, 5, counts="who", recounted=False, found=n).verdict.value for n in (4, 9)]
        ['FAIL', 'UNCHECKED']
        """
        if self.found is None:
            return ClaimVerdict.UNCHECKED if self.of_population else ClaimVerdict.FAIL
        if not self.recounted and not self.of_population:
            return ClaimVerdict.UNCHECKED if self.found >= self.bound else ClaimVerdict.FAIL
        match self.comparator:
            case Comparator.EXACTLY:
                holds = self.found == self.bound
            case Comparator.AT_LEAST:
                holds = self.found >= self.bound
            case Comparator.AT_MOST:
                holds = self.found <= self.bound
            case _:
                assert_never(self.comparator)
        return ClaimVerdict.PASS if holds else ClaimVerdict.FAIL

    @property
    def text(self) -> str:
        """Describe what is counted.

        >>> Claim(Kind.K, 5).text
        'rows in every class over all quasi-identifiers'
        >>> Claim(Kind.DISTINCT_L, 3, ("age",), "disease", nulls=SensitiveNulls.NOT_COUNTED).text
        'distinct values of disease, NULL not counted, in every class over age'
        """
        return self._described(str(self.source_rows))

    def _described(self, source_rows: str) -> str:
        text = KINDS[self.kind].text.format(
            what=self._what,
            nulls=f"NULL {'not counted' if self.nulls is SensitiveNulls.NOT_COUNTED else 'counted as a value'}",
            over=", ".join(self.over) or "all quasi-identifiers",
            source_rows=source_rows,
            below=RISK_BELOW[Kind.ABOVE],
        )
        if self.of_population:
            return f"{text}; the release alone does not show it"
        if self.recounted:
            return text
        return f"{text}; {self.counts} is not released: rows are counted instead, and are no fewer"

    @property
    def _what(self) -> str:
        if (required := self._by_model) is not None:
            not_counted = self.nulls is SensitiveNulls.NOT_COUNTED
            nulls = " (NULL not counted)" if not_counted else ""
            return f"{required.measure.claimed}{nulls}"
        return "rows" if self.counts is None else f"distinct values of {self.counts}"

    @property
    def measure(self) -> Measure | None:
        """Return the measure of a model or of distinct sensitive values; None where entities or rows are counted."""
        if (required := self._by_model) is not None:
            return required.measure
        if self.counts is None or self.nulls is None:
            return None
        return DistinctValues(SensitiveAttribute(self.counts, self.nulls))

    def __str__(self) -> str:
        """Return the claim with its count.

        >>> str(Claim(Kind.CLASSES, 76, found=75))
        'equivalence classes over all quasi-identifiers: exactly 76, found 75'
        >>> str(Claim(Kind.SUPPRESSED, 1206, found=1178, source_rows=30162))
        'suppressed rows of the 30,162 source rows that the plan counted: at most 1,206, found 1,178'
        """
        text = self._described(f"{self.source_rows:,}" if self.source_rows is not None else "")
        required = f"{self.comparator} {self._read(self.bound)}"
        if self.found is None:
            of_none = "not counted" if self.of_population else "found nothing"
            return f"{text}: {required}, {of_none}"
        if self.is_of_hidden_people:
            return f"{text}: {required}; at least {self._read(self.found)} rows seen, people not visible"
        return f"{text}: {required}, found {self._read(self.found)}"

    def _read(self, counted: int) -> str:
        """Return a count as a person reads it: with commas. A certificate's file has it without."""
        text = self.shown(counted)
        return f"{int(text):,}" if text.isdigit() else text

    def document(self) -> dict[str, object]:
        """Return the claim as plain values, in a fixed order."""
        return CLAIM.write(self, {})


CLAIM = Record(Claim)
"""The form of a claim in a certificate."""


def entity_recountable(policy: Policy) -> bool:
    """Whether class sizes can be recounted in the release: they count rows, or an entity whose column is released.

    An entity may be released as a pseudonym: each pseudonym stands for one entity.
    """
    entity = entity_column(policy)
    return entity is None or is_released(entity)


def released_names(policy: Policy) -> tuple[str, ...]:
    """Return the names of the release's columns, in the policy's order."""
    return tuple(
        name for each in policy.columns if not each.is_dropped for name in each.released_as
    )


def claims_of(policy: Policy, plan: Plan) -> tuple[Claim, ...]:
    """List the claims of a plan about its release, before anything is counted.

    A release of a series shows deleted rows and lacks new ones, so that its rows and those of a source say nothing together.
    """
    check_counted(policy, Channel.CERTIFICATE)
    return (
        *(claim for demand in demands(policy.privacy) for claim in _over(policy, plan, demand)),
        Claim(Kind.ROWS, plan.source_rows - plan.suppressed_rows),
        *(
            ()
            if policy.series
            else (Claim(Kind.SUPPRESSED, plan.max_suppressed, source_rows=plan.source_rows),)
        ),
        Claim(Kind.COLUMNS, 0),
    )


def _over(policy: Policy, plan: Plan, demand: Demand) -> Iterator[Claim]:
    """List the claims about the classes over one set of columns: the policy's models, then the plan's counts."""
    over, entity, recountable = demand.columns, policy.entity, entity_recountable(policy)
    models = [m for m in policy.privacy if (m.columns if isinstance(m, Over) else ()) == over]
    strictest: dict[Measure, tuple[Requirement, PrivacyModel]] = {}
    for model in (each.model if isinstance(each, Over) else each for each in models):
        for requirement in of_a_reader(model):
            strictest_yet, _ = strictest.get(requirement.measure, (requirement, model))
            if requirement.stricter(strictest_yet) == requirement:
                strictest[requirement.measure] = requirement, model
    first = sorted(strictest.values(), key=lambda each: each[0].measure != SIZE)
    for requirement, model in first:
        yield _of_model(requirement, model, over, entity, recountable=recountable)
    counts = {each.columns: (each.classes, each.smallest_class) for each in plan.over}
    counts[()] = (plan.classes, plan.smallest_class)
    if over in counts:
        classes, smallest = counts[over]
        yield Claim(Kind.CLASSES, classes, over)
        yield Claim(Kind.SMALLEST, smallest, over, entity, recountable)
    if plan.risk is not None and not over and recountable:
        yield Claim(Kind.UNIQUE, plan.risk.unique_rows, counts=entity)
        if (above := plan.risk.rows_above.get(STATED)) is not None:
            yield Claim(Kind.ABOVE, above, counts=entity)


def _of_model(
    requirement: Requirement,
    model: PrivacyModel,
    over: tuple[str, ...],
    entity: str | None,
    *,
    recountable: bool,
) -> Claim:
    """Return the claim of one requirement of a model. Raises InternalError if certificates cannot claim it."""
    measure = requirement.measure
    kind, of = Kind(measure.claim), measure.sensitive
    if not isinstance(model, tuple(MODELS)) or (kind is Kind.MODEL and of is None):
        raise InternalError(f"a certificate claims nothing of {measure}")
    if kind is Kind.TABLE:
        modelled = partial(Claim, kind, requirement.bound, over, model=model)
        return modelled(measured=measure.reported, divisor=measure.one)
    if measure.population is not None:
        stated = partial(
            Claim, model=as_named(model), measured=measure.reported, divisor=measure.one
        )
        return stated(kind, requirement.bound, over, recounted=False)
    if of is None:
        return Claim(kind, requirement.bound, over, entity, recountable)
    claim = partial(Claim, kind, requirement.bound, over, of.column, nulls=of.nulls)
    if kind is not Kind.MODEL:
        return claim()
    order = of.order if isinstance(of.order, OrderKind) else None
    return claim(order=order, model=model, measured=measure.reported, divisor=measure.one)


def failed(claims: tuple[Claim, ...]) -> list[Fault]:
    """List a fault for each claim that fails."""
    return [
        Fault(claim.kind.value, str(claim))
        for claim in claims
        if claim.verdict is ClaimVerdict.FAIL
    ]
