"""The privacy models that a policy may require, and how they are read: by their keys, or from the texts of a plan.

A new model is a class in this folder, and a line in `MODELS`. A plan's file may come from anybody. A text that is no
model's is kept whole, with a bound of 1: two plans can only be compared by whether they have it.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import partial, total_ordering
from typing import TYPE_CHECKING, Any

from kanon_sql.base.documents.keys import Keyed, Keys, MapOf, Object, Only, entries_of, read_mapping
from kanon_sql.base.documents.shapes import (
    Name,
    OneOf,
    Parsed,
    Refused,
    Schema,
    Several,
    Shape,
    read_all,
    refuse,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InputError
from kanon_sql.policy.hierarchies.order import ORDER
from kanon_sql.policy.privacy.closeness import BetaLikeness, DeltaDisclosure, TCloseness
from kanon_sql.policy.privacy.demands import Over, sensitive_attributes
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import (
    Alpha,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from kanon_sql.policy.privacy.populations import DeltaPresence, KMap
from kanon_sql.policy.privacy.privacy_model import QUASI, SENSITIVE, SensitiveNulls
from kanon_sql.policy.privacy.table_models import (
    AverageRisk,
    PopulationUniqueness,
    SampleUniqueness,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kanon_sql.base.documents.keys import Item
    from kanon_sql.base.documents.shapes import Known
    from kanon_sql.policy.hierarchies.order import Listed, OrderKind
    from kanon_sql.policy.privacy.privacy_model import DeclaredModel, PrivacyModel

MODELS: list[type[DeclaredModel]] = [
    KAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    TCloseness,
    Alpha,
    BetaLikeness,
    DeltaDisclosure,
    KMap,
    DeltaPresence,
    AverageRisk,
    SampleUniqueness,
    PopulationUniqueness,
]
"""All models, in the order in which messages list their keys."""


class Besides(StrEnum):
    """The sensitive columns that a model counts as quasi-identifiers: all but the column that it is about."""

    OTHERS = "others"


def _over(names: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """Return a set of quasi-identifiers in the policy's order; empty if it holds all of them."""
    chosen = tuple(name for name in known[QUASI] if name in names)
    return chosen if len(chosen) < len(known[QUASI]) else ()


BESIDE = "beside"
OTHERS = OneOf(Besides)
OVER = Parsed(
    Several(Name(QUASI), empty="must name at least one quasi-identifier"), _over, context=True
)


@dataclass(frozen=True, slots=True)
class _Beside:
    """A model, and the other sensitive columns, which it counts as quasi-identifiers."""

    model: PrivacyModel
    others: tuple[str, ...]


@dataclass(frozen=True)
class BesideOthers(Shape["PrivacyModel | _Beside"]):
    """The shape of a model of one sensitive column, which may have `beside: others`."""

    own: Shape[PrivacyModel]

    def read(self, item: Item) -> PrivacyModel | _Beside:
        said = item.entries.get(BESIDE)
        if said is None:
            return self.own.read(item)
        OTHERS.read(said)
        rest = {key: each for key, each in item.entries.items() if each is not said}
        model = self.own.read(replace(item, value=rest))
        columns = {each.column for each in sensitive_attributes(model.requirements)}
        others = tuple(name for name in item.reading.known[SENSITIVE] if name not in columns)
        if not others:
            raise refuse(said, "names no column, as there is no other sensitive one: remove it")
        return _Beside(model, others)

    def schema(self) -> Schema:
        own = self.own.schema()
        properties: Any = own["properties"]
        return {**own, "properties": {**properties, BESIDE: OTHERS.schema()}}


def _stated(model: type[DeclaredModel]) -> Shape[Any]:
    """Return the shape of a model in a policy; a model of a sensitive column may have `beside: others`."""
    of_column = "column" in {each.name for each in fields(model)}  # type: ignore[arg-type]
    return BesideOthers(model.stated()) if of_column else model.stated()


class ModelsOver(Keys[tuple["PrivacyModel", ...]]):
    """The shape of one entry: its models, in the order they are written, over some quasi-identifiers or all."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys that an entry may have: those of all declared models, and `over`."""
        return (*(model.key for model in MODELS), "over")

    def read(self, item: Item) -> tuple[PrivacyModel, ...]:
        return self.take(item, entries_of(item, self.keys, noun="privacy model"))

    def take(self, item: Item, entries: Mapping[str, Item]) -> tuple[PrivacyModel, ...]:
        shapes: dict[str, Shape[Any]] = {model.key: _stated(model) for model in MODELS}
        if not set(shapes) & set(entries):
            if set(entries) - {"over"}:
                raise Refused  # an unknown key is a fault already
            what = "names no privacy model" if entries else "is empty"
            raise refuse(item, f"{what}; for example {{k: 5}}")
        shapes["over"] = OVER
        known = [key for key in entries if key in shapes]
        values = read_all(partial(shapes[key].read, entries[key]) for key in known)
        found = dict(zip(known, values, strict=True))
        over = found.pop("over", ())
        quasi = tuple(item.reading.known[QUASI])
        return tuple(_over_columns(each, over, quasi) for each in found.values())

    def objects(self) -> list[Object]:
        properties = {model.key: _stated(model).schema() for model in MODELS}
        one: Schema = {"anyOf": [{"required": [model.key]} for model in MODELS]}
        return [Object({**properties, "over": OVER.schema()}, more=one)]


def _over_columns(
    stated: PrivacyModel | _Beside, over: tuple[str, ...], quasi: tuple[str, ...]
) -> PrivacyModel:
    """Return a model over the quasi-identifiers `over` (all if empty) and the sensitive columns that it adds."""
    if isinstance(stated, _Beside):
        return Over(stated.model, (*(over or quasi), *stated.others), stated.others)
    return Over(stated, over) if over else stated


def _joined(entries: tuple[tuple[PrivacyModel, ...], ...]) -> tuple[PrivacyModel, ...]:
    return tuple(model for entry in entries for model in entry)


@dataclass(frozen=True, slots=True)
class StatedColumn:
    """A sensitive column as models need it: its name, and the order of its values."""

    name: str
    order: OrderKind | Listed | None


def tell_columns(
    item: Item,
    columns: Sequence[StatedColumn],
    nulls: SensitiveNulls,
    quasi: Sequence[str] = (),
) -> None:
    """Prepare an item so that models can be read outside of a policy; they may name these columns alone."""
    item.reading.known |= {
        QUASI: tuple(quasi),
        SENSITIVE: [each.name for each in columns],
        "columns": columns,
        "sensitive_nulls": nulls,
    }


def _named(item: Item) -> Iterator[str]:
    """Name the columns of the models of an entry."""
    for each in item.entries.values():
        of = each.entries.get("column")
        if of is not None and isinstance(of.value, str):
            yield of.value


class StatedModel(Shape["PrivacyModel"]):
    """The shape of one model by its key, as a policy states it; the models `but` are not allowed.

    A policy's entries beside the model, `sensitive_nulls` and the `order` of the column, must be read before.
    """

    def __init__(self, *, but: Collection[type[DeclaredModel]]) -> None:
        self.but = but

    @property
    def models(self) -> list[type[DeclaredModel]]:
        return [each for each in MODELS if each not in self.but]

    @property
    def forms(self) -> Keyed[PrivacyModel]:
        return Keyed({each.key: Only(each.key, each.stated()) for each in self.models})

    def read(self, item: Item) -> PrivacyModel:
        known = item.reading.known
        nulls = known.get("sensitive_nulls", SensitiveNulls.NOT_COUNTED)
        columns = [StatedColumn(name, known.get("order")) for name in _named(item)]
        tell_columns(item, columns, nulls)
        return self.forms.read(item)

    def schema(self) -> Schema:
        return self.forms.schema()

    def write(self, value: PrivacyModel, known: Known) -> object:
        (model,) = (each for each in self.models if isinstance(value, each))
        return {model.key: _written(model.stated().write(value, known))}


def models_asked(
    privacy: object,
    order: Mapping[str, object],
    quasi: Sequence[str],
    nulls: SensitiveNulls,
) -> tuple[PrivacyModel, ...]:
    """Read the models and the orders of columns that a caller without a policy states, in the form of a policy.

    Models that were read already are returned unchanged. Raises InputError.
    """
    if not privacy:
        return ()
    if isinstance(privacy, tuple) and all(hasattr(each, "requirements") for each in privacy):
        return privacy
    document = read_mapping({"order": order, "privacy": privacy}, "verify", InputError)
    try:
        orders = ORDERS.read(document.entries["order"])
        entries = document.entries["privacy"]
        names = dict.fromkeys(name for each in entries.members for name in _named(each))
        tell_columns(document, [StatedColumn(n, orders.get(n)) for n in names], nulls, quasi)
        models = PRIVACY.read(entries)
    except Refused:
        models = ()
    if document.faults:
        raise InputError("verify", document.faults)
    return models


def _written(value: object) -> object:
    """Return exact numbers as JSON numbers, and other fractions as texts; decimals have at most nine places."""
    if isinstance(value, dict):
        return {key: _written(each) for key, each in value.items()}
    if isinstance(value, Decimal | Fraction) and value == int(value):
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, Fraction) else value


ORDERS = MapOf(ORDER)
PRIVACY = Parsed(Several(ModelsOver(), empty="is empty; for example privacy: {k: 5}"), _joined)


LETTER = re.compile(r"\b([a-z])-")


@dataclass(frozen=True, slots=True)
class ModelName:
    """A privacy model without its bound; `model` is empty if the text is no model's."""

    model: str
    about: str

    @property
    def letter(self) -> str:
        """Return the letter of the model's bound; empty if it has none.

        >>> ModelName("distinct l-diversity", "of disease").letter
        'l'
        """
        found = LETTER.search(self.model)
        return "" if found is None else found[1]


@total_ordering
@dataclass(frozen=True, slots=True)
class ModelBound:
    """The bound of a model on every class; bounds compare by strictness, the strictest being the greatest.

    Of two bounds with the same number, the bound that does not count NULL is stricter.
    """

    number: float
    ignores_null: bool = True
    stricter_below: bool = False

    def __lt__(self, other: ModelBound) -> bool:
        sign = -1 if self.stricter_below else 1
        return (sign * self.number, self.ignores_null) < (sign * other.number, other.ignores_null)

    def __str__(self) -> str:
        words = SensitiveNulls.NOT_COUNTED if self.ignores_null else SensitiveNulls.VALUE
        return f"{self.number:,}{words.words}"


def read_statement(text: str) -> tuple[ModelName, ModelBound]:
    """Read the text of one privacy model.

    >>> name, bound = read_statement("distinct 3-diversity of disease, NULL counted as a value")
    >>> name, str(bound)
    (ModelName(model='distinct l-diversity', about='of disease'), '3, NULL counted as a value')
    >>> read_statement("2-entropy of disease")[0]
    ModelName(model='', about='2-entropy of disease')
    """
    nulls = SensitiveNulls.VALUE.words
    for model in MODELS:
        if (found := model.words.fullmatch(text)) is not None:
            about = (found[2] or "").strip(" ")
            number = int(found[1]) if found[1].isdecimal() else float(Fraction(found[1]))
            bound = ModelBound(number, nulls not in about, model.stricter_below)
            return ModelName(model.named, about.replace(nulls, "", 1)), bound
    return ModelName("", text), ModelBound(1)


def strictest(statements: tuple[str, ...]) -> dict[ModelName, ModelBound]:
    """Return the strictest bound of each model, in the order of the statements.

    >>> [(name.model, bound.number) for name, bound in strictest(("3-anonymity", "5-anonymity")).items()]
    [('k-anonymity', 5)]
    """
    found: dict[ModelName, ModelBound] = {}
    for name, bound in map(read_statement, statements):
        found[name] = max(bound, found.get(name, bound))
    return found
