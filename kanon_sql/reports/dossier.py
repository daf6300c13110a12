"""The words of a report: what the policy says, what is done with each column, and what the models do not protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.policy.column_roles import ColumnRole, column_roles
from kanon_sql.policy.linkable import linking_columns
from kanon_sql.policy.model import Output, Role
from kanon_sql.privacy.demands import sensitive_attributes
from kanon_sql.reports.transformations import Transformation, transformations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.about import About
    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class Limit:
    """What a release does not protect from: a name, and a sentence or two."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Dossier:
    """What an ethics board asks for in words. It holds no value of the source.

    `entity` is the column whose distinct values classes count, or None where they count rows; `suppressed` of `rows`
    rows are suppressed, at most `most_suppressed`.
    """

    about: About
    roles: tuple[ColumnRole, ...]
    entity: str | None
    transformations: tuple[Transformation, ...]
    rows: int
    suppressed: int
    most_suppressed: int
    privacy: tuple[str, ...]
    limits: tuple[Limit, ...]
    sql: str

    @property
    def half_open(self) -> str | None:
        """A label shown that includes its first number and excludes its last, which readers have to be told."""
        labels = (each.after or "" for each in self.transformations)
        return next((each for each in labels if each[:1] == "[" and each[-1:] == ")"), None)


def dossier_of(policy: Policy, plan: Plan, labels: Mapping[str, str]) -> Dossier:
    """Collect the words of a plan and its policy; `labels` has a released label of quasi-identifiers, by their names."""
    return Dossier(
        policy.about,
        column_roles(policy),
        policy.entity,
        transformations(policy, plan, labels),
        plan.source_rows,
        plan.suppressed_rows,
        plan.max_suppressed,
        plan.privacy,
        tuple(_limits(policy)),
        plan.sql,
    )


def _limits(policy: Policy) -> Iterator[Limit]:
    """List what this policy leaves open: nobody reads a list of what does not apply."""
    guarded = {
        each.column
        for each in sensitive_attributes(r for model in policy.privacy for r in model.requirements)
    }
    sensitive = [each.name for each in policy.with_role(Role.SENSITIVE)]
    bare = [name for name in sensitive if name not in guarded]
    if bare:
        yield Limit(
            "What all rows of a class share",
            f"No privacy model bounds {_names(bare)}: where all rows of a class have one value, whoever finds the "
            "class learns it.",
        )
    if guarded:
        yield Limit(
            "What most rows of a class share",
            f"The models bound {_names(sorted(guarded))} as this page states, and do not hide that some values are "
            "likelier in one class than in another. They do not know which values mean nearly the same.",
        )
    unchanged = [
        each.name for each in policy.columns if each.role in {Role.SENSITIVE, Role.INSENSITIVE}
    ]
    yield Limit(
        "Knowledge beyond the quasi-identifiers",
        "The risks on this page are those of somebody who knows the quasi-identifiers and nothing else."
        + (
            f" Whoever also knows a value of {_names(unchanged, 'or')} can use it to find a row."
            if unchanged
            else ""
        ),
    )
    yield Limit("Membership", "That a person is among the data is not hidden.")
    yield Limit(
        "Other releases",
        "Several releases of the same people can reveal together what each of them hides. This page describes one "
        "release, and knows of no other.",
    )
    if policy.entity is None:
        yield Limit(
            "Rows and people",
            "Classes count rows. If a person has several rows, fewer people than rows share a class, and the risk "
            "for a person is higher than stated.",
        )
    if linking := linking_columns(policy):
        yield Limit(
            "Rows of one person can be joined",
            f"The release keeps {_names(linking)}, which links the rows of a person: a set of rows can single "
            "somebody out although each class is large enough.",
        )
    if any(each.pseudonym for each in policy.columns):
        yield Limit("Pseudonyms", "A keyed hash is as secret as its key.")
    if any(
        each.output in {Output.BOUNDS, Output.MEDIAN} and each.order is not None
        for each in policy.quasi
    ):
        yield Limit(
            "Bounds and medians",
            "A bound or a median that follows from the rows of a class can be the value of one person.",
        )
    yield Limit(
        "The choices of the policy",
        "Counting confirms the models for the columns that the policy names. It does not confirm that the roles are "
        "right, that the hierarchies group what belongs together, or that the thresholds suit the recipients.",
    )
    yield Limit(
        "Law",
        "This page is no legal opinion: data that satisfy the policy can still be personal data.",
    )


def _names(names: list[str], last: str = "and") -> str:
    """Join names of columns.

    >>> _names(["a", "b", "c"], "or")
    'a, b or c'
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end
