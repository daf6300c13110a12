"""Translates the privacy models of an ARX project into entries of a policy."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.documents.lines import quoted
from kanon_sql.documents.text import printable
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kanon_sql.getting_started.arx_project import ArxAttribute

NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?(?:E-?[0-9]{1,2})?)"
WHOLE = r"([0-9]{1,9})"
OF = r" for attribute '(.*)'"
DATES = frozenset({"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"})
"""Formats of dates that are ISO 8601, which `order: date` reads."""
NUMBERS = frozenset({"Decimal", "Integer"})


@dataclass(frozen=True, slots=True)
class PolicyModel:
    """The translation of a criterion: an entry of `privacy` or None, and a note for the reader of the policy.

    `k` is the class size that the criterion asks for. `ordered` is a sensitive column that needs an order, `of_tree`
    one that needs its hierarchy.
    """

    entry: str | None
    note: str
    k: int | None = None
    ordered: str | None = None
    of_tree: str | None = None


def plain(number: str) -> str:
    """Write a number of Java without an exponent.

    >>> plain("1.0E-4"), plain("3.0"), plain("100")
    ('0.0001', '3', '100')
    """
    text = f"{Decimal(number):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def order_of(attribute: ArxAttribute) -> str | None:
    """Return the `order` that a column's values have in ARX; None where a policy cannot say it."""
    if attribute.data_type in NUMBERS:
        return "number"
    if attribute.data_type == "Date/Time":
        return "date" if attribute.format in DATES else None
    return "text" if attribute.data_type == "String" else None


def model_of(criterion: str, attributes: Mapping[str, ArxAttribute]) -> PolicyModel:
    """Translate a criterion as ARX prints it; one that a policy cannot state becomes a note."""
    for pattern, translate in MODELS:
        match = re.fullmatch(pattern, criterion, re.DOTALL)
        if match is not None:
            found = translate(*match.groups(), attributes=attributes)
            note = f"{printable(criterion)}{f': {found.note}' if found.note else ''}"
            return PolicyModel(found.entry, note, found.k, found.ordered, found.of_tree)
    return PolicyModel(None, f"{printable(criterion)}: has no counterpart here")


def _size(k: str, *_: str, **__: object) -> PolicyModel:
    return PolicyModel(None, "", k=int(k))


def _estimated(_: str, k: str, **__: object) -> PolicyModel:
    note = "ARX estimates by it how large a class must be in the sample; k is that size"
    return PolicyModel(None, note, k=int(k))


def _of_values(name: str, bounds: str) -> Callable[..., PolicyModel]:
    """Return a translation of a model whose groups are its bounds and, last, its sensitive attribute."""

    def translate(
        *groups: str, attributes: Mapping[str, ArxAttribute], **more: object
    ) -> PolicyModel:
        del more
        *numbers, column = groups
        if column not in attributes or attributes[column].role != "sensitive":
            return PolicyModel(None, "its attribute is not sensitive")
        entry = bounds.format(*map(plain, numbers))
        return PolicyModel(f"{name}: {{column: {quoted(column)}, {entry}}}", "")

    return translate


def _closeness(
    t: str, distance: str, column: str, *, attributes: Mapping[str, ArxAttribute]
) -> PolicyModel:
    kind = distance.partition(" ")[0]
    found = _of_values("t_closeness", f"t: {{}}, distance: {kind}")(
        t, column, attributes=attributes
    )
    if found.entry is None or kind == "equal":
        return found
    attribute = attributes[column]
    if kind == "hierarchical":
        if attribute.hierarchy is None or attribute.levels < 2:
            return PolicyModel(None, "its attribute has no hierarchy")
        return PolicyModel(found.entry, "", of_tree=column)
    if order_of(attribute) is None:
        what = f"state the order of {printable(column)} as a list of its values"
        return PolicyModel(None, what)
    return PolicyModel(found.entry, "", ordered=column)


def _likeness(
    kind: str, beta: str, column: str, *, attributes: Mapping[str, ArxAttribute]
) -> PolicyModel:
    enhanced = ", enhanced: true" if kind == "enhanced" else ""
    return _of_values("beta_likeness", f"beta: {{}}{enhanced}")(beta, column, attributes=attributes)


def _share(name: str) -> Callable[..., PolicyModel]:
    return lambda share, **_: PolicyModel(f"{name}: {plain(share)}", "")


def _three_risks(average: str, highest: str, _: str, at_risk: str, **__: object) -> PolicyModel:
    if Fraction(at_risk) == 0 and Fraction(highest) > 0:
        k = math.ceil(1 / Fraction(highest))
        return PolicyModel(
            f"average_risk: {plain(average)}", f"its highest risk asks for k: {k}", k=k
        )
    note = "no share of records may be bounded here, so only its average risk is taken"
    return PolicyModel(f"average_risk: {plain(average)}", note)


def _population_uniqueness(share: str, estimator: str, **_: object) -> PolicyModel:
    entry = f"{{share: {plain(share)}, sampling: SHARE, estimator: {estimator}}}"
    what = f"how much of the population the table is cannot be read; write population_uniqueness: {entry}"
    return PolicyModel(None, what)


def _note(what: str) -> Callable[..., PolicyModel]:
    return lambda *_, **__: PolicyModel(None, what)


MODELS: tuple[tuple[str, Callable[..., PolicyModel]], ...] = (
    (rf"{WHOLE}-anonymity", _size),
    (rf"\({WHOLE}\)-map estimated as \({WHOLE}\)-anonymity \(.*\)", _estimated),
    (rf"distinct-{WHOLE}-diversity{OF}", _of_values("distinct_l", "l: {}")),
    (rf"(?:shannon-)?entropy-{NUMBER}-diversity{OF}", _of_values("entropy_l", "l: {}")),
    (rf"recursive-\({NUMBER},{WHOLE}\)-diversity{OF}", _of_values("recursive_l", "c: {}, l: {}")),
    (
        rf"{NUMBER}-closeness with (equal ground-distance|hierarchical ground-distance|ordered distance){OF}",
        _closeness,
    ),
    (rf"{NUMBER}-disclosure privacy{OF}", _of_values("delta_disclosure", "delta: {}")),
    (rf"(basic|enhanced)-{NUMBER}-likeness{OF}", _likeness),
    (rf"\({NUMBER}\)-avg-reidentification-risk", _share("average_risk")),
    (
        rf"\({NUMBER}, {NUMBER} \({NUMBER}\), {NUMBER}\)-avg-reidentification-risk",
        _three_risks,
    ),
    (rf"\({NUMBER}\)-sample-uniqueness", _share("sample_uniqueness")),
    (
        rf"\({NUMBER}\)-population-uniqueness \((dankar|pitman|zayatz|snb)\)",
        _population_uniqueness,
    ),
    (
        r"\(\S+\)-map",
        _note("its population is not in the XML; write k_map: {k: K, population: FILE}"),
    ),
    (
        r"\(\S+,\S+\)-presence",
        _note(
            "its population is not in the XML; write delta_presence: {least: MIN, most: MAX, population: FILE}"
        ),
    ),
    (
        "Inclusion",
        _note(
            "ARX anonymizes the records that the project selects, which the XML does not name; here all are: "
            "use where, if some were left out"
        ),
    ),
)
