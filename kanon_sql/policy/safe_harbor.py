"""Checks of a policy by the standard that it names, among them the Safe Harbor of HIPAA (45 CFR 164.514(b)(2)(i)).

Where a standard is definite, a policy that breaks it is a fault; what it leaves to judgment is a remark of `lint` and
`plan`. A check sees names, types and entries of columns, and no values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.order import Dates, OrderKind
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.demands import demands, requirements, sensitive_attributes
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.standards import GUESSED, STANDARDS, StandardName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.policy.model import Column, Policy


YEAR = 12
"""The months of the shortest label of a date that may be released."""
ELDEST = 90
"""Ages from here on are one label."""
PERSON = "first|last|full|given|family|maiden|middle|patient|person|member|customer|relative|mother|father|spouse|employer"
IDENTIFIERS = (
    ("A", "names", rf"(({PERSON})_?)?name|surname|forename|.*initials"),
    ("D", "telephone numbers", r"(.*_)?(phone|telephone|tel|mobile|cell)(_?(no|nr|number))?"),
    ("E", "fax numbers", r"(.*_)?fax(_?(no|nr|number))?"),
    ("F", "email addresses", r"(.*_)?e_?mail(_?address)?"),
    ("G", "Social Security numbers", r"(.*_)?(ssn|social_security(_?(no|nr|number))?)"),
    ("H", "medical record numbers", r"(.*_)?(mrn|medical_record(_?(no|nr|number))?)"),
    ("I", "health plan beneficiary numbers", r"(.*_)?(beneficiary|subscriber|member|insurance|policy)_?(id|no|nr|number)"),
    ("J", "account numbers", r"(.*_)?(iban|account(_?(id|no|nr|number))?)"),
    ("K", "certificate and license numbers", r"(.*_)?(licen[sc]e|certificate|passport)(_?(id|no|nr|number))?"),
    ("L", "vehicle identifiers", r"(.*_)?(vin|(licen[sc]e_)?plate|vehicle_?(id|no|nr|number))"),
    ("M", "device identifiers", r"(.*_)?(imei|udi|(device|serial)_?(id|no|nr|number))"),
    ("N", "web addresses", r"(.*_)?(url|website|homepage)"),
    ("O", "IP addresses", r"(.*_)?ip(_?addr(ess)?)?"),
    ("P", "biometric identifiers", r"(.*_)?(fingerprint|voiceprint|retina|iris_scan)s?"),
    ("Q", "photographs", r"(.*_)?(photo|photograph|portrait)s?"),
    ("R", "unique numbers and codes", r"(.*_)?(id|ident|identifier|uuid|guid|uid|key)"),
)  # fmt: skip
"""The identifiers that a column's name shows, with their letters in the rule. Places, dates and ages have rules of their own."""
PLACE = r"(.*_)?(address|street|city|town|village|county|precinct|parish|district|zip|zip_?code|post_?code|postal(_?code)?|geocode|tract|latitude|longitude|lat|lon|lng)(_\d+)?"  # fmt: skip
DATE = r"(.*_)?(date|day|dob|birthday|birthdate|timestamp|datetime)|date_of_.*|(.*_)?(admitted|discharged|admission|discharge)"
AGE = r"(.*_)?age(_years|_at_.*)?"
STATES = {"us_zip": 1, "fips": 1, "us_state": 0, "country": 0}
"""The least level of each scheme of codes whose labels may be released."""

Found = tuple[str, str, bool]
"""The name of a column, what Safe Harbor asks of it, and whether that is definite."""


def safe_harbor(policy: Policy) -> Iterator[Found]:
    """Yield what the policy's columns lack for Safe Harbor."""
    for column in policy.columns:
        if column.role is Role.IDENTIFYING:
            if column.action.told_apart:
                shown = "a hash" if column.action.staged_as else f"action: {column.action}"
                what = f"is released as {shown}, a code derived from an identifier, which (R) and 45 CFR 164.514(c)(1) forbid; drop it"
                yield column.name, what, True
            continue
        yield from ((column.name, *each) for each in _of_released(column, _folded(column.name)))


def entry_by(name: str, *, is_date: bool, is_number: bool, code: str | None) -> str | None:
    """Return the entry without its role that a released column needs; None if any will do, and `drop` if it must go.

    >>> entry_by("ZIP", is_date=False, is_number=False, code="us_zip")
    'hierarchy: {code: us_zip}, levels: {least: 1}'
    """
    own = _folded(name)
    if is_date:
        return "hierarchy: {dates: [year, decade]}, levels: {least: 1}"
    if code is not None and STATES.get(code, 0):
        return f"hierarchy: {{code: {code}}}, levels: {{least: 1}}"
    if re.fullmatch(AGE, own) and is_number:
        return f"hierarchy: {{intervals: {{widths: [1, 5, 10, 20], top: {ELDEST}}}}}, levels: {{least: 1}}"
    removed = any(re.fullmatch(pattern, own) for _, _, pattern in IDENTIFIERS)
    return "drop" if removed or re.fullmatch(f"{PLACE}|{DATE}|{AGE}", own) else None


def date_of_source(column: Column) -> str | None:
    """Return what Safe Harbor asks of a column that the source has as dates; None if its policy entry is enough."""
    return None if column.role is Role.IDENTIFYING or _is_year(column) else _dates(column)


def _of_released(column: Column, name: str) -> Iterator[tuple[str, bool]]:
    for letter, words, pattern in IDENTIFIERS:
        if re.fullmatch(pattern, name):
            yield (
                f"is named like {words}, which ({letter}) removes; say role: identifying, action: drop",
                True,
            )
            return
    dated = column.hierarchy is not None and column.hierarchy.of_dates
    if column.output.shows_values and (dated or re.fullmatch(f"{PLACE}|{DATE}|{AGE}", name)):
        what = f"has output: {column.output}, which shows single values of it; leave the output out"
        yield what, True
    elif re.fullmatch(PLACE, name):
        yield from _of_place(column, name)
    elif dated:
        if not _is_year(column):
            yield _dates(column), True
        elif re.search("birth|dob|born", name):
            what = "a year of birth shows an age above 89, which (C) makes one label: release the age with top: 90 instead, unless nobody is so old"
            yield what, False
    elif re.fullmatch(DATE, name) and not _is_root(column):
        yield _dates(column), True
    elif re.fullmatch(AGE, name):
        yield from _of_age(column)
    elif (
        column.hierarchy is not None
        and (least := STATES.get(_scheme(column), 0)) > column.levels.least
    ):
        yield _coarser(least), True


def _of_place(column: Column, name: str) -> Iterator[tuple[str, bool]]:
    zips = "say hierarchy: {code: us_zip}, levels: {least: 1}, or drop it"
    if column.hierarchy is None or column.role is not Role.QUASI:
        yield (
            f"is named like a place smaller than a state, which (B) removes; {zips if 'zip' in name else 'drop it'}",
            True,
        )
    elif (scheme := _scheme(column)) in STATES:
        if column.levels.least < STATES[scheme]:
            yield _coarser(STATES[scheme]), True
    elif re.search("zip|post", name):
        yield (
            f"is named like a ZIP code, of which (B) allows three digits, and 000 for areas of at most 20,000 people; {zips}",
            True,
        )
    elif column.levels.least == 0:
        yield (
            "is named like a place smaller than a state, which (B) removes; say levels: {least: 1} if that level has states, or drop it",
            True,
        )
    elif not _is_root(column):
        yield (
            f"is named like a place: (B) allows states, and nothing here shows that level {column.levels.least} has them",
            False,
        )


def _of_age(column: Column) -> Iterator[tuple[str, bool]]:
    kind = column.hierarchy
    asks = "(C) makes ages above 89 one label: say hierarchy: {intervals: {widths: [1, 5, 10], top: 90}}, levels: {least: 1}"
    least = 0 if kind is None else column.levels.least
    if kind is not None and kind.top is not None and kind.top <= ELDEST and least >= 1:
        return
    if kind is not None and kind.has_entries and least >= 1:
        yield f"{asks}, or see to it that level {least} of its hierarchy does so", False
    elif not _is_root(column):
        yield asks, True


def _is_year(column: Column) -> bool:
    """Whether a column shows no more of a date than its year."""
    kind, least = column.hierarchy, column.levels.least
    if column.role is not Role.QUASI:
        return False
    if isinstance(column.order, Dates):
        return column.order.unit == "year"
    if column.order is OrderKind.DATE or kind is None:
        return False
    if _is_root(column):
        return True
    months = kind.months(least) if kind.of_dates else None
    return months is not None and months >= YEAR


def _is_root(column: Column) -> bool:
    """Whether a column is released as one label for all values, as far as its hierarchy says by itself."""
    kind = column.hierarchy
    if kind is None or column.role is not Role.QUASI or (kind.has_entries and kind.rows is None):
        return False
    return column.levels.least >= kind.height


def _dates(column: Column) -> str:
    if column.role is Role.QUASI:
        return "shows more of a date than its year, which (C) removes; say hierarchy: {dates: [year, decade]}, levels: {least: 1}"
    return "is a date that is released as it is, of which (C) removes all but the year; say role: quasi, hierarchy: {dates: [year, decade]}, levels: {least: 1}"


def _coarser(least: int) -> str:
    return f"shows places smaller than a state at level 0, which (B) removes; say levels: {{least: {least}}}"


def _scheme(column: Column) -> str:
    """Return the scheme of codes of a column's hierarchy; an empty text for other hierarchies."""
    return "" if column.hierarchy is None else column.hierarchy.codes or ""


def _folded(name: str) -> str:
    """Write a name in lower case with underscores between its words.

    >>> _folded("BirthDate"), _folded("ZIP code"), _folded("patient-ID")
    ('birth_date', 'zip_code', 'patient_id')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")


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
        if each.pseudonym or (each.mask is not None and each.mask.keyed):
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
    """Return the remarks on a policy by its standard, its own threshold and its guesses, each as one sentence."""
    found = [f"{'.'.join(each.path)}: {each.what}" for each in breaches(policy, definite=False)]
    guessed = [
        printable(each.name)
        for each in policy.columns
        if each.role in {Role.SENSITIVE, Role.INSENSITIVE} and (each.why or "").startswith(GUESSED)
    ]
    if guessed:
        found.append(
            f"columns.{', '.join(guessed)}: released as they are by a guess of init, which nobody has confirmed: whoever knows such "
            f"a value of a person finds their rows by it; decide each: role: quasi, drop it, or say your reason in why:"
        )
    said = STATED_RISK.search(policy.about.threshold or "")
    k = max(
        (each.bound for each in requirements(policy.privacy) if each.measure == SIZE), default=0
    )
    if said is not None and k and int(said[1]) != k:
        found.append(
            f"about.threshold: says that the highest risk is 1/{said[1]}, and k: {k:,} allows 1/{k:,}: say why it is {k:,}"
        )
    return found


STATED_RISK = re.compile(r"highest risk is 1/(\d{1,9})\b")
"""The risk that a threshold states in the words of `init`."""
