"""Rules for outputs that follow from the rows of a class, if classes have equal labels (no regions)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.policy.model import Nulls, Output
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.privacy.demands import of_population
from kanon_sql.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.policy.model import Column, Policy

OF_REGIONS = {
    Output.MEAN: "a number that no row has, which the order of Mondrian's regions gives; say output: representative",
    Output.MEDIAN: "a number that no row has, which the order of Mondrian's regions gives; say output: representative",
}
"""The reason why only Mondrian's regions and runs support an output."""


def of_rows_problems(policy: Policy, column: Column) -> Iterator[str]:
    """Yield the reasons why a column's output, which follows from the rows of a class, is not possible."""
    output = column.output
    said = f"has output: {output}"
    if output in OF_REGIONS:
        yield f"{said}, which only {Algorithm.MONDRIAN} supports: it is {OF_REGIONS[output]}"
        return
    if column.levels.least:
        what = f"and levels, whose least is {column.levels.least}: values as they are would be released below it"
        yield f"{said} {what}; leave output out"
    if policy.nulls is Nulls.WILDCARD:
        what = (
            "in which NULL is a value among others, and nulls: wildcard would match any with a row"
        )
        yield f"{said}, {what} of it; leave output out, or nulls: category"
    if policy.source.frequency_set is not None:
        yield f"{said}, which follows from rows, and the source is a frequency set; leave output out"
    for model in policy.privacy:
        if of_population(model):
            what = f"and {model} compares classes with a population, whose rows have no part in what they are released as"
            yield f"{said}, {what}; leave output out"
        elif may_join(policy, column) and (
            model.monotony is Monotony.NEVER or any(r.measure.estimated for r in model.requirements)
        ):
            what = f"by which two classes may be released alike that fail {model} together"
            yield f"{said}, {what}; leave output out"


def may_join(policy: Policy, column: Column) -> bool:
    """Whether a column's output may make classes with different labels equal in the release.

    Labels of one level or of one cut have no value in common, so the value sets of two classes differ if their labels
    do. Labels of several levels may have values in common. Any two classes may have the same representative.
    """
    by_levels = column.output is Output.SET and policy.search.labels_vary
    return by_levels or column.output is Output.REPRESENTATIVE
