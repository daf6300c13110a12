"""What a certificate claims of a release: the privacy models of its policy, and the figures of its plan.

Each claim is a number that can be counted in the released rows and a bound on it. What the policy
counts by a column that the release does not show cannot be counted there again: such a claim is never
passed, only failed where the rows alone contradict it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, assert_never

from kanon_sql.documents.records import Key, Needed, Null, Record
from kanon_sql.documents.shapes import check
from kanon_sql.errors import Fault, InternalError
from kanon_sql.policy.linkable import entity_column
from kanon_sql.policy.model import Action, Role
from kanon_sql.policy.policy_rules import check_counted
from kanon_sql.privacy.demands import Over, demands
from kanon_sql.privacy.distinct_l_diversity import DistinctValues
from kanon_sql.privacy.privacy_model import Channel, SensitiveAttribute, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Measure, Requirement

WHOLE = "all quasi-identifiers"


class Kind(StrEnum):
    """What is claimed."""

    COLUMNS = "columns"
    ROWS = "rows"
    SUPPRESSED = "suppressed_rows"
    CLASSES = "classes"
    SMALLEST = "smallest_class"
    K = "k_anonymity"
    DISTINCT_L = "distinct_l_diversity"


class Comparator(StrEnum):
    """How what is found must stand to what is asked."""

    EXACTLY = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"


class ClaimVerdict(StrEnum):
    """What a recount says of a claim: UNCHECKED is neither, for the rows can only contradict it."""

    PASS = "PASS"  # noqa: S105  no password
    FAIL = "FAIL"
    UNCHECKED = "UNCHECKED"


RELATIONS = {
    Kind.COLUMNS: Comparator.EXACTLY,
    Kind.ROWS: Comparator.EXACTLY,
    Kind.SUPPRESSED: Comparator.AT_MOST,
    Kind.CLASSES: Comparator.EXACTLY,
    Kind.SMALLEST: Comparator.EXACTLY,
    Kind.K: Comparator.AT_LEAST,
    Kind.DISTINCT_L: Comparator.AT_LEAST,
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim; `found` is what was counted, and None before.

    `over` names the quasi-identifiers of its classes as the policy does, none for all of them.
    `counts` is the column whose different values are counted, None where rows are. `source_rows` is
    of suppressed rows alone: how many there were, which the plan says and no release can. `nulls` is of
    distinct l-diversity: what NULL is to it; None in certificates of before it was stated.
    """

    kind: Annotated[Kind, Key("claim")]
    asked: int
    over: Annotated[tuple[str, ...], Needed()] = ()
    counts: Annotated[str | None, Null] = None
    recounted: Annotated[bool, Needed()] = True
    source_rows: int | None = None
    found: Annotated[int | None, Needed()] = None
    nulls: Annotated[SensitiveNulls | None, Key("sensitive_nulls")] = None

    KEYS: ClassVar = (
        "kind", "says", "over", "counts", "nulls", "source_rows", "relation", "asked", "found",
        "recounted", "verdict",
    )  # fmt: skip

    def __post_init__(self) -> None:
        of_rows, of_values = self.kind is Kind.SUPPRESSED, self.kind is Kind.DISTINCT_L
        check(
            ("source_rows", (self.source_rows is not None) is of_rows, "goes with suppressed_rows"),
            ("counts", not of_values or self.counts is not None, "names no column"),
            ("sensitive_nulls", of_values or self.nulls is None, "goes with distinct_l_diversity"),
        )

    @property
    def counts_null(self) -> bool:
        """Whether NULL is counted as a value: it was before claims stated what it is."""
        return self.nulls is not SensitiveNulls.NOT_COUNTED

    @property
    def _of_null(self) -> str:
        match self.nulls:
            case None:
                return "NULL being one"
            case SensitiveNulls.NOT_COUNTED:
                return "NULL not counted"
            case SensitiveNulls.VALUE:
                return "NULL counted as a value"
            case _:
                assert_never(self.nulls)

    @property
    def relation(self) -> Comparator:
        """Say how what is found must stand to what is asked."""
        return RELATIONS[self.kind]

    @property
    def bound(self) -> str:
        """Say what is asked, as `at least 5`."""
        return f"{self.relation} {self.asked}"

    @property
    def verdict(self) -> ClaimVerdict:
        """Hold what was found against what is asked.

        Where entities cannot be recounted, what was found are the rows of the smallest class, and
        no class has more entities than rows: fewer rows than asked contradict the claim.

        >>> [Claim(Kind.K, 5, found=n).verdict.value for n in (4, 5)]
        ['FAIL', 'PASS']
        >>> [Claim(Kind.SMALLEST, 5, counts="who", recounted=False, found=n).verdict.value for n in (4, 9)]
        ['FAIL', 'UNCHECKED']
        """
        if self.found is None:
            return ClaimVerdict.FAIL
        if not self.recounted:
            return ClaimVerdict.UNCHECKED if self.found >= self.asked else ClaimVerdict.FAIL
        match self.relation:
            case Comparator.EXACTLY:
                holds = self.found == self.asked
            case Comparator.AT_LEAST:
                holds = self.found >= self.asked
            case Comparator.AT_MOST:
                holds = self.found <= self.asked
            case _:
                assert_never(self.relation)
        return ClaimVerdict.PASS if holds else ClaimVerdict.FAIL

    @property
    def says(self) -> str:
        """Say what is counted, for readers.

        >>> Claim(Kind.K, 5).says
        'rows in every class over all quasi-identifiers'
        >>> Claim(Kind.DISTINCT_L, 3, ("age",), "disease", nulls=SensitiveNulls.NOT_COUNTED).says
        'different values of disease, NULL not counted, in every class over age'
        """
        over = ", ".join(self.over) or WHOLE
        who = "rows" if self.counts is None else f"different values of {self.counts}"
        match self.kind:
            case Kind.COLUMNS:
                told = "columns too many or too few"
            case Kind.ROWS:
                told = "rows of the release"
            case Kind.SUPPRESSED:
                told = f"rows that are not here, of the {self.source_rows} that the plan counted"
            case Kind.CLASSES:
                told = f"classes over {over}"
            case Kind.SMALLEST:
                told = f"{who} in the smallest class over {over}"
            case Kind.K:
                told = f"{who} in every class over {over}"
            case Kind.DISTINCT_L:
                told = f"{who}, {self._of_null}, in every class over {over}"
            case _:
                assert_never(self.kind)
        if self.recounted:
            return told
        return (
            f"{told}; as {self.counts} is not released, found are rows, of which there are no fewer"
        )

    @property
    def measure(self) -> Measure | None:
        """Give what of a sensitive column is counted in every class; None where entities or rows are."""
        if self.kind is not Kind.DISTINCT_L:
            return None
        nulls = SensitiveNulls.VALUE if self.counts_null else SensitiveNulls.NOT_COUNTED
        return DistinctValues(SensitiveAttribute(str(self.counts), nulls))

    def document(self) -> dict[str, object]:
        """Give it as plain values, in a fixed order."""
        return CLAIM.write(self, {})

    def measured(self, found: int) -> Claim:
        """Give the claim with what was found."""
        return replace(self, found=found)


CLAIM = Record(Claim)
"""How a certificate states a claim."""


def entity_shown(policy: Policy) -> bool:
    """Whether the release shows what classes count: rows, or a column that is released.

    A pseudonym stands for one entity each, and is counted as they are.
    """
    entity = entity_column(policy)
    return entity is None or entity.role is not Role.IDENTIFYING or entity.pseudonym


def released_names(policy: Policy) -> tuple[str, ...]:
    """Name the columns of the release, as the policy lists them."""
    return tuple(
        name
        for each in policy.columns
        if each.role is not Role.IDENTIFYING or each.action is not Action.DROP
        for name in each.released_as
    )


def claims_of(policy: Policy, plan: Plan) -> tuple[Claim, ...]:
    """Say what a plan claims of its release, before anything is counted."""
    check_counted(policy, Channel.CERTIFICATE)
    kept = plan.source_rows - plan.suppressed_rows
    return (
        *(claim for demand in demands(policy.privacy) for claim in _over(policy, plan, demand)),
        Claim(Kind.ROWS, kept),
        Claim(Kind.SUPPRESSED, plan.max_suppressed, source_rows=plan.source_rows),
        Claim(Kind.COLUMNS, 0),
    )


def _over(policy: Policy, plan: Plan, demand: Demand) -> Iterator[Claim]:
    """Say what is claimed of the classes over one set: what the policy asks, then the plan's figures."""
    over, entity, shown = demand.columns, policy.entity, entity_shown(policy)
    asked = [m for m in policy.privacy if (m.columns if isinstance(m, Over) else ()) == over]
    measures = {r.measure for model in asked for r in model.requirements}
    for requirement in demand.requirements:
        if requirement.measure in measures:
            yield _of_model(requirement, over, entity, shown=shown)
    figures = {each.columns: (each.classes, each.smallest_class) for each in plan.over}
    figures[()] = (plan.classes, plan.smallest_class)
    if over in figures:
        classes, smallest = figures[over]
        yield Claim(Kind.CLASSES, classes, over)
        yield Claim(Kind.SMALLEST, smallest, over, entity, shown)


def _of_model(
    asked: Requirement, over: tuple[str, ...], entity: str | None, *, shown: bool
) -> Claim:
    """Claim what a model asks: its measure says what kind of claim that is; one of none raises."""
    if asked.measure.claim not in list(Kind):
        raise InternalError(f"a certificate claims nothing of {asked.measure}")
    kind, of = Kind(asked.measure.claim), asked.measure.sensitive
    if of is None:
        return Claim(kind, asked.bound, over, entity, shown)
    return Claim(kind, asked.bound, over, of.column, nulls=of.nulls)


def contradicted(claims: tuple[Claim, ...]) -> list[Fault]:
    """Say of each claim that fails what was asked and what was found."""
    return [
        Fault(claim.kind.value, f"{claim.says}: {claim.bound}, found {claim.found}")
        for claim in claims
        if claim.verdict is ClaimVerdict.FAIL
    ]
