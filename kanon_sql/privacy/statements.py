"""Privacy models as a plan states them, read back: which model, about which columns, and its bound.

A plan holds each model in its own words (`str` of the model), and its file may come from anybody. A text that is no
model's words is a statement of its own, with a bound of 1: two plans either have it or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kanon_sql.privacy.models import SensitiveNulls

WORDS = (
    ("k-anonymity", "k", re.compile(r"([0-9]{1,18})-anonymity( over .+)?", re.DOTALL)),
    (
        "distinct l-diversity",
        "l",
        re.compile(r"distinct ([0-9]{1,18})-diversity( of .+)", re.DOTALL),
    ),
)
"""Each model with the literature's letter in the place of its bound, and its words. The higher the bound, the stricter."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A privacy model without its bound; `model` is empty where the words are no model's."""

    model: str
    letter: str
    about: str


@dataclass(frozen=True, slots=True, order=True)
class ModelBound:
    """What a model asks of every class. Of two with one number the one that does not count NULL is stricter."""

    at_least: int
    ignores_null: bool = True

    def __str__(self) -> str:
        words = SensitiveNulls.NOT_COUNTED if self.ignores_null else SensitiveNulls.VALUE
        return f"{self.at_least:,}{words.words}"


def read_statement(text: str) -> tuple[ModelName, ModelBound]:
    """Read the words of one privacy model.

    >>> read_statement("distinct 3-diversity of disease, NULL counted as a value")
    (ModelName(model='distinct l-diversity', letter='l', about='of disease'), ModelBound(at_least=3, ignores_null=False))
    >>> read_statement("0.2-closeness of disease")[0]
    ModelName(model='', letter='', about='0.2-closeness of disease')
    """
    nulls = SensitiveNulls.VALUE.words
    for model, letter, words in WORDS:
        if (found := words.fullmatch(text)) is not None:
            about = (found[2] or "").strip(" ")
            bound = ModelBound(int(found[1]), ignores_null=nulls not in about)
            return ModelName(model, letter, about.replace(nulls, "", 1)), bound
    return ModelName("", "", text), ModelBound(1)


def strictest(statements: tuple[str, ...]) -> dict[ModelName, ModelBound]:
    """Give what each model asks at the strictest, in the order of the statements.

    >>> [(name.model, bound.at_least) for name, bound in strictest(("3-anonymity", "5-anonymity")).items()]
    [('k-anonymity', 5)]
    """
    found: dict[ModelName, ModelBound] = {}
    for name, bound in map(read_statement, statements):
        found[name] = max(bound, found.get(name, bound))
    return found
