"""How a policy states its privacy models: each by its key, over all quasi-identifiers or some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.keys import Keys, Object, entries_of
from kanon_sql.documents.shapes import (
    InContext,
    Name,
    Parsed,
    Refused,
    Schema,
    Several,
    refuse,
)
from kanon_sql.privacy.declared_models import MODELS
from kanon_sql.privacy.demands import Over
from kanon_sql.privacy.privacy_model import QUASI

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.lines import Item
    from kanon_sql.documents.shapes import Known
    from kanon_sql.privacy.privacy_model import PrivacyModel


def _over(names: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """Give a set of quasi-identifiers in the policy's order; empty where it holds all of them."""
    chosen = tuple(name for name in known[QUASI] if name in names)
    return chosen if len(chosen) < len(known[QUASI]) else ()


OVER = InContext(Several(Name(QUASI), empty="must name at least one quasi-identifier"), _over)


class ModelsOver(Keys[tuple["PrivacyModel", ...]]):
    """The models of one entry, in the order they are written, over some quasi-identifiers or all."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Name the keys of an entry: a model that is not declared cannot be required."""
        return (*(model.key for model in MODELS), "over")

    def read(self, item: Item) -> tuple[PrivacyModel, ...]:
        return self.take(item, entries_of(item, self, "privacy model"))

    def take(self, item: Item, entries: Mapping[str, Item]) -> tuple[PrivacyModel, ...]:
        stated = {model.key: model.stated() for model in MODELS}
        if set(entries) - set(self.keys):
            raise Refused
        if not set(stated) & set(entries):
            what = "names no privacy model" if entries else "is empty"
            raise refuse(item, f"{what}; for example {{k: 5}}")
        over = OVER.read(entries["over"]) if "over" in entries else ()
        models = [stated[key].read(entry) for key, entry in entries.items() if key in stated]
        return tuple(Over(model, over) if over else model for model in models)

    def objects(self) -> list[Object]:
        properties = {model.key: model.stated().schema() for model in MODELS}
        one: Schema = {"anyOf": [{"required": [model.key]} for model in MODELS]}
        return [Object({**properties, "over": OVER.schema()}, more=one)]


def _joined(entries: tuple[tuple[PrivacyModel, ...], ...]) -> tuple[PrivacyModel, ...]:
    return tuple(model for entry in entries for model in entry)


PRIVACY = Parsed(Several(ModelsOver(), empty="is empty; for example privacy: {k: 5}"), _joined)
