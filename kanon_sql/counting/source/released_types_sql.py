"""Statements on the types that texts can be released as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.plans.text_types import Form, TextType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

FORMS = tuple(each for each in Form if each is not Form.FIXED)
"""The forms that a text has or has not, whatever the number of its decimals."""


def text_forms(origin: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Find the forms of the least and the greatest text of each column, and the number of decimals of both."""
    leaves = {"columns": [column(each, of="s") for each in columns], "forms": list(map(str, FORMS))}
    return Statement("source/text_forms", {"origin": origin, **leaves}, scans=rows)


def count_misfits(origin: exp.Table, types: Mapping[str, TextType], *, rows: int) -> Statement:
    """Count the rows of each column whose text is not written as the column's type writes a value."""
    leaves = {"origin": origin, "columns": columns_of_types([*types], types)}
    return Statement("source/count_misfits", leaves, scans=rows)


def typed_rows(
    view: exp.Table, origin: exp.Table, columns: Sequence[str], types: Mapping[str, TextType]
) -> Statement:
    """See rows of a release with texts as values of their types; columns without a type as they are."""
    leaves = {"view": view, "origin": origin, "columns": columns_of_types(columns, types)}
    return Statement("source/typed_rows", leaves)


def columns_of_types(
    columns: Sequence[str], types: Mapping[str, TextType]
) -> list[dict[str, object]]:
    """Describe columns of a table `t`, each with the form of its texts and the number of their decimals."""
    return [
        {
            "column": column(each, of="t"),
            "as": name(each),
            "form": str(types[each].form) if each in types else None,
            "decimals": types[each].decimals if each in types else 0,
        }
        for each in columns
    ]
