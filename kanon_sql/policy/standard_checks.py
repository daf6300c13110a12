"""Checks of a policy by the standard that it names.

Where a standard is definite, a policy that breaks it is a fault; what it
leaves to judgment is a remark of `lint` and `plan`. A check sees names, types and entries of columns, and no values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands, sensitive_attributes
from kanon_sql.policy.safe_harbor import safe_harbor
from kanon_sql.policy.standards import STANDARDS, StandardName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class Breach:
    """What a policy lacks for a standard: the path of its entry and a message; `definite` if the standard leaves no choice."""

    path: tuple[str, ...]
    what: str
    definite: bool = False


def smallest_class(policy: Policy) -> int:
    """Return the k of the classes over all quasi-identifiers."""
    return demands(policy.privacy)[0].class_size


def _iso27559(policy: Policy) -> Iterator[Breach]:
    yield from _undocumented(policy, "title", "purpose", "contact", "recipients", "threshold")
    yield from _without_reasons(policy, "clause 7.2.4, attribute types")


def _ema0070(policy: Policy) -> Iterator[Breach]:
    if smallest_class(policy) < 12:
        k = smallest_class(policy)
        what = (
            f"k is {k}, a highest risk of {1 / k:.4f}, and the threshold of Policy 0070 is 0.09: classes of at least 12 have at most "
            "1/12 = 0.0833 (1/11 = 0.0909 is above); say k: 12"
        )
        yield Breach(("privacy",), what, definite=True)
    yield from _undocumented(policy, "title", "purpose", "contact")
    yield from _without_reasons(
        policy, "the anonymisation report lists each variable and its technique"
    )


def _expert(policy: Policy) -> Iterator[Breach]:
    if smallest_class(policy) < 11:
        what = "has a k below 11, a common choice for a very small risk; the expert's determination must justify it in about: threshold"
        yield Breach(("privacy",), what)
    yield from _undocumented(policy, "purpose", "contact", "recipients", "threshold")
    yield from _without_reasons(
        policy, "the expert documents the methods and results, 45 CFR 164.514(b)(1)(ii)"
    )


def _safe_harbor(policy: Policy) -> Iterator[Breach]:
    for column, what, definite in safe_harbor(policy):
        yield Breach(("columns", column), what, definite=definite)


def _gdpr(policy: Policy) -> Iterator[Breach]:
    if smallest_class(policy) < 2:
        what = "lets classes hold one person, who is singled out (WP216, section 2.2; Recital 26 of the GDPR); say k: 2 or more"
        yield Breach(("privacy",), what, definite=True)
    for each in policy.columns:
        if each.pseudonym:
            what = "is released as a pseudonym, which links the rows of a person: pseudonymised data may be personal data (Recital 26, Article 4(5))"
            yield Breach(("columns", each.name), what)
    bounded = {
        each.column
        for each in sensitive_attributes(r for model in policy.privacy for r in model.requirements)
    }
    for each in policy.with_role(Role.SENSITIVE):
        if each.name not in bounded:
            what = "is sensitive, and no privacy model bounds what a class tells about it (inference: WP216, section 2.2); say distinct_l"
            yield Breach(("columns", each.name), what)
    yield from _undocumented(policy, "purpose", "contact", "recipients")


def _undocumented(policy: Policy, *keys: str) -> Iterator[Breach]:
    missing = [key for key in keys if getattr(policy.about, key) is None]
    if missing:
        yield Breach(
            ("about",), f"does not state {', '.join(missing)}, which the standard asks to document"
        )


def _without_reasons(policy: Policy, source: str) -> Iterator[Breach]:
    missing = [each.name for each in policy.columns if each.why is None]
    if missing:
        yield Breach(
            ("columns",),
            f"{len(missing)} of them do not say why they have their role ({source}); add why: to each",
        )


CHECKS: dict[StandardName, Callable[[Policy], Iterator[Breach]]] = {
    StandardName.ISO27559: _iso27559,
    StandardName.EMA0070: _ema0070,
    StandardName.HIPAA_EXPERT: _expert,
    StandardName.HIPAA_SAFE_HARBOR: _safe_harbor,
    StandardName.GDPR_RELEASE: _gdpr,
}
"""What each standard asks of a policy."""


def breaches(policy: Policy, *, definite: bool) -> Iterator[Breach]:
    """Yield what a policy lacks for its standard: faults if `definite`, else remarks; nothing without a standard."""
    if policy.about.standard is None:
        return
    title = STANDARDS[policy.about.standard].title
    for each in CHECKS[policy.about.standard](policy):
        if each.definite is definite:
            yield replace(each, what=f"{each.what} [{title}]")


def standard_remarks(policy: Policy) -> list[str]:
    """Return the remarks on a policy by its standard, each as one sentence."""
    return [f"{'.'.join(each.path)}: {each.what}" for each in breaches(policy, definite=False)]
