"""The display of a plan in Python and in notebooks, and the types that columns of texts are released as.

A text file has no types, so that every field is read as a text. A type holds all texts of a column and gives them back
unchanged: a text such as `007`, `+1` or `1e5` is not how any type writes a value, and its column stays text.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.base.charts.bars import compared
from kanon_sql.base.charts.chart import loss_text
from kanon_sql.base.charts.points import BeforeAfter, risk_before_after
from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.shapes import Parsed, Text, Wrong
from kanon_sql.base.documents.shown import Shown, ShownTable
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import classes_text, size_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.counting.plans.plan import Plan


def shown_plan(plan: Plan) -> Shown:
    """Return a plan's summary line, facts, tables, warnings and charts for display."""
    facts: list[tuple[str, object]] = [
        ("privacy", joined(plan.privacy)),
        ("equivalence classes", plan.classes),
        ("smallest class", size_text(plan.smallest_class, plan.entity)),
        *((f"smallest class over {', '.join(of.columns)}", of.smallest_class) for of in plan.over),
        ("suppressed rows", suppressed_text(plan)),
        (loss_text(plan.metric), cost_of(plan)),
        ("searched by", plan.algorithm),
    ]
    if plan.risk is not None:
        facts.append(("re-identification risk", plan.risk.text(plan.released_rows)))
    if plan.types_text is not None:
        facts.append(("types of released values", plan.types_text))
    facts += [("remark", each) for each in plan.remarks]
    line = (
        f"{classes_text(plan.classes, plan.smallest_class, plan.entity)}; {plan.suppressed_rows:,} of "
        f"{counted(plan.source_rows, 'row')} suppressed; {plan.algorithm}: {recoding_text(plan)}"
    )
    return Shown(
        line,
        facts,
        [*recoding_tables(plan), *example_tables(plan)],
        plan.warnings,
        charts=list(_charts(plan)),
    )


def recoding_text(plan: Plan) -> str:
    """Describe a plan's recoding in few words: the levels of its columns if it has one node."""
    if plan.levels and not plan.recoding.layers:
        return ", ".join(f"{name} {at} of {plan.heights[name]}" for name, at in plan.levels.items())
    return str(plan.recoding)


def bounds_text(plan: Plan) -> str:
    """Describe the levels that the policy allows, of each column with fewer than all."""
    return "; ".join(f"{name} {bounds}" for name, bounds in (plan.within or {}).items())


def nodes_text(plan: Plan) -> str:
    """Count the nodes that a search may choose, beside all nodes where the policy bounds levels.

    >>> from types import SimpleNamespace as Made
    >>> nodes_text(Made(lattice_nodes=12, all_nodes=12, bounded=False))
    '12 nodes'
    >>> nodes_text(Made(lattice_nodes=3, all_nodes=12, bounded=True))
    '3 of 12 nodes'
    """
    own = plan.lattice_nodes or 0
    return f"{own:,} of {counted(plan.all_nodes, 'node')}" if plan.bounded else counted(own, "node")


def lattice_text(plan: Plan) -> str:
    """Describe the size of the lattice, or of the part of it that the policy allows."""
    start = "the policy allows" if plan.bounded else "the lattice has"
    return f"{start} {nodes_text(plan)}"


def proof_text(plan: Plan, *, optimal: bool | None = None) -> str:
    """Say whether a plan is proven optimal, and among how many nodes where the policy bounds levels.

    `optimal` is what another proof found; the plan's own claim is the default.
    """
    proof = (
        "proven optimal" if (plan.optimal if optimal is None else optimal) else "not proven optimal"
    )
    if not plan.bounded:
        return proof
    if plan.lattice_nodes == 1:
        return f"compared with no other node: {lattice_text(plan)}"
    return f"{proof} among the nodes that the policy allows, {nodes_text(plan)}"


def cost_of(plan: Plan) -> str:
    """Format the cost of a plan, and whether it is proven optimal."""
    proof = proof_text(plan)
    if plan.checks_in_time is not None:
        proof = f"the best found in the time limit, {proof}"
    return f"{', '.join(map(decimal_text, plan.cost))}, {proof}"


def suppressed_text(plan: Plan) -> str:
    """Format the number of suppressed rows of a plan with their share and their limit."""
    share = plan.suppressed_share or 0
    return f"{plan.suppressed_rows:,} of {plan.source_rows:,} ({share:.2%}; limit {plan.max_suppressed:,})"


def example_tables(plan: Plan) -> Iterator[ShownTable]:
    """Yield tables of example labels and classes that the plan would release, if the plan has examples."""
    if plan.examples is None:
        return
    if plan.examples.labels:
        yield ShownTable(["quasi-identifier", "for example"], list(plan.examples.labels.items()))
    if plan.examples.classes:
        sizes = ["rows"] if plan.entity is None else ["rows", "people"]
        rows = [
            [*each.labels, each.rows, each.people][: len(plan.examples.columns) + len(sizes)]
            for each in plan.examples.classes
        ]
        yield ShownTable([*plan.examples.columns, *sizes], rows)


def recoding_tables(plan: Plan) -> Iterator[ShownTable]:
    """Yield a table of the recoding: levels by column, rows by node, or number of intervals by column."""
    recoding = plan.recoding
    if recoding.layers:
        rows: list[list[object]] = [
            [", ".join(map(str, each.node.levels)), each.rows, each.classes]
            for each in recoding.layers
        ]
        yield ShownTable([f"levels of {', '.join(plan.names)}", "rows", "classes"], rows)
    elif recoding.by_levels:
        levels = [[name, f"{level} of {plan.heights[name]}"] for name, level in plan.levels.items()]
        yield ShownTable(["quasi-identifier", "level"], levels)
    elif all(intervals := [len(recoding.starts_of(at)) for at in range(len(plan.names))]):
        labels = zip(plan.names, intervals, strict=True)
        yield ShownTable(["quasi-identifier", "labels"], list(labels))
    else:
        names = [[name] for name in plan.names]
        yield ShownTable([f"quasi-identifiers, recoded in {recoding}"], names)


def _charts(plan: Plan) -> Iterator[Chart]:
    """Draw each quasi-identifier's level if the plan has one node, and prosecutor risks if it has any."""
    if plan.levels and not plan.recoding.layers:
        names = list(plan.levels)
        texts = [f"{plan.levels[name]} of {plan.heights[name]}" for name in names]
        yield compared(
            "Generalization levels",
            names,
            [plan.levels[name] / (plan.heights[name] or 1) for name in names],
            measure="level, as a share of the hierarchy's height",
            text_of=lambda at: texts[at],
            share=True,
        )
    if plan.risk is not None:
        tuples = plan.source_rows and plan.risk_before.get("before")
        before = tuples["prosecutor"]["average"] if isinstance(tuples, dict) else None
        yield risk_before_after(
            [
                BeforeAfter("prosecutor, highest", None, plan.risk.highest),
                BeforeAfter("prosecutor, average", before, plan.risk.average),
            ]
        )


class Form(StrEnum):
    """How a type writes values as texts. Of several forms that all texts of a column have, the first is its type's."""

    WHOLE = "whole"
    FIXED = "fixed"
    POINTED = "pointed"
    PLAIN = "plain"
    DATE = "date"
    MOMENT = "moment"
    ISO_MOMENT = "iso_moment"
    LOWER = "lower"
    TITLE = "title"
    UPPER = "upper"


WRITTEN = {
    Form.WHOLE: "BIGINT",
    Form.POINTED: "DOUBLE",
    Form.PLAIN: "DOUBLE, whole numbers without a point",
    Form.DATE: "DATE",
    Form.MOMENT: "TIMESTAMP",
    Form.ISO_MOMENT: "TIMESTAMP, written with a T",
    Form.LOWER: "BOOLEAN",
    Form.TITLE: "BOOLEAN, written True and False",
    Form.UPPER: "BOOLEAN, written TRUE and FALSE",
}
"""The words of a plan for a type and its form; a form that is the type's own in SQL is not named."""
EXACT = frozenset({Form.WHOLE, Form.FIXED, Form.POINTED, Form.DATE, Form.MOMENT, Form.LOWER})
"""The forms that the database itself writes: a value of the type has the text that it had."""
FIXED = re.compile(r"DECIMAL\(18, ([1-9]|1[0-8])\)")
"""The words for numbers that all have the same number of decimals."""


@dataclass(frozen=True, slots=True)
class TextType:
    """The type that texts of one form are released as, with the number of `decimals` that each of them has."""

    form: Form
    decimals: int = 0

    @classmethod
    def of(cls, text: str) -> TextType:
        """Return the type that a plan states. Raises Wrong where it is none of them."""
        if found := FIXED.fullmatch(text):
            return cls(Form.FIXED, int(found[1]))
        for form, written in WRITTEN.items():
            if text == written:
                return cls(form)
        raise Wrong(
            ("", f"is no type; write one of: {'; '.join(WRITTEN.values())}; DECIMAL(18, 2)")
        )

    def __str__(self) -> str:
        return WRITTEN.get(self.form) or f"DECIMAL(18, {self.decimals})"


TYPES = MapOf(Parsed(Text(), TextType.of, unparse=str))
"""The shape of a plan's types: each column by its name."""
