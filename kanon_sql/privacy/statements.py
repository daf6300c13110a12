"""Reads privacy models back from the texts of a plan: which model, about which columns, and its bound.

A plan holds each model as a text (`str` of the model), and its file may come from anybody. A text that is no model's
is kept whole, with a bound of 1: two plans can only be compared by whether they have it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import total_ordering

from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.declared_models import MODELS
from kanon_sql.privacy.privacy_model import SensitiveNulls

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
