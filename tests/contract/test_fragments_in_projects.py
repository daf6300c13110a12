"""What the packages for dbt and SQLMesh count is what the fragments of the privacy models count.

Neither can include a fragment: macros and audits are rendered in a project, where there is no kanon-sql.
"""

from __future__ import annotations

import re
from fractions import Fraction

import duckdb
import pytest
from jinja2 import Environment
from measures import measures

from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import _environment, template_root
from kanon_sql.policy.privacy.declared_models import MODELS
from kanon_sql.policy.privacy.fitting_sql import ClassRows
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.policy.privacy.privacy_model import Channel, SensitiveNulls

ROOT = template_root()
COUNTED = {
    "rows": (KAnonymity(5), None, "class_size", (None,)),
    "entities": (KAnonymity(5), "who", "class_size", ("who",)),
    "values": (DistinctDiversity("d", 2), None, "distinct_values", ("d", "not_counted")),
    "values with NULL": (
        DistinctDiversity("d", 2, nulls=SensitiveNulls.VALUE),
        None,
        "distinct_values",
        ("d", "value"),
    ),
}
"""A model, the entity that is counted, and the macro of dbt with its arguments."""


def plain(text):
    """SQL without what two spellings of one expression differ in: case, quotes and blanks."""
    return re.sub(r'[\s"]+', " ", text.lower()).replace("( ", "(").replace(" )", ")").strip()


def fragment(case):
    model, entity, *_ = COUNTED[case]
    *_, requirement = model.requirements
    rows = ClassRows(
        None if entity is None else column(entity), lambda of: column(of.column), weighted=False
    )
    leaves = rows.requirement(requirement)
    template = _environment("duckdb").get_template(leaves["fragment"])
    return plain(template.render(requirement=leaves))


class Package:
    """The macros of the package as dbt renders them, with what dbt brings."""

    def __init__(self):
        env = Environment(extensions=["jinja2.ext.do"], autoescape=False)
        folder = ROOT / "dbt" / "macros" / "generic_tests"
        names = ("k_anonymity", "l_diversity", "alpha")
        text = "\n".join((folder / f"{n}.sql").read_text(encoding="utf-8") for n in names)
        text = re.sub(r"(?s)\{% test .*?\{% endtest %\}", "", text)
        self.macros = env.from_string(text, globals={"kanon": self}).module

    def quote(self, name):
        return name


@pytest.mark.parametrize("case", COUNTED)
def test_a_macro_of_dbt_counts_what_the_fragment_counts(case):
    *_, macro, arguments = COUNTED[case]
    assert plain(getattr(Package().macros, macro)(*arguments)) == fragment(case)


@pytest.mark.parametrize(
    ("case", "written"),
    [
        ("rows", "@IF(@entity IS NULL, COUNT(*), COUNT(DISTINCT @entity)) AS class_size"),
        ("entities", "@IF(@entity IS NULL, COUNT(*), COUNT(DISTINCT @entity)) AS class_size"),
        ("values", "COUNT(DISTINCT @sensitive)"),
        (
            "values with NULL",
            "COUNT(DISTINCT @sensitive) + MAX(CASE WHEN @sensitive IS NULL AND @sensitive_nulls = 'value' THEN 1 ELSE 0 END)",
        ),
    ],
)
def test_an_audit_of_sqlmesh_counts_what_the_fragment_counts(case, written):
    audits = (ROOT / "sqlmesh" / "audits" / "kanon.sql").read_text(encoding="utf-8")
    assert written in audits
    counted = written.replace(" AND @sensitive_nulls = 'value'", "")
    if branches := re.fullmatch(r"@IF\(@entity IS NULL, (.+), (.+)\) AS class_size", counted):
        counted = branches[1 if case == "rows" else 2]
    assert plain(counted.replace("@entity", "who").replace("@sensitive", "d")) == fragment(case)


def test_a_macro_of_dbt_decides_a_share_as_the_fragment_does():
    """In whole numbers, and without the decimals that not every warehouse has: of all classes of up to 12 rows."""
    template = _environment("duckdb").get_template("sql/privacy/measures/part/largest_share.sql.j2")
    counted = template.render(
        requirement={
            "unit": literal(10**9),
            "in_class": column("most"),
            "of_class": column("valued"),
        }
    )
    bounds = (0, 333_333_333, 333_333_334, 500_000_000, 750_000_000, 10**9)
    within = Package().macros.share_within("MAX(most)", "MAX(valued)", "bound")
    rows = duckdb.sql(
        f"SELECT most, valued, bound, {counted} <= bound, {within}"
        " FROM (SELECT CAST(NULLIF(m, 0) AS DECIMAL(38, 0)) AS most,"
        " CAST(NULLIF(n, 0) AS DECIMAL(38, 0)) AS valued FROM range(13) a (m), range(13) b (n)"
        f" WHERE m <= n AND (m = 0) = (n = 0)), (SELECT UNNEST({list(bounds)}) AS bound) GROUP BY most, valued, bound"
    ).fetchall()
    assert len(rows) == (78 + 1) * len(bounds)
    for most, valued, bound, by_fragment, by_macro in rows:
        share = Fraction(int(most), int(valued)) if valued else Fraction(1)
        assert by_macro == by_fragment == (share <= Fraction(bound, 10**9))


def test_every_measure_of_these_channels_is_compared():
    assert MODELS  # which are imported by then
    compared = {
        type(r.measure).__name__ for model, *_ in COUNTED.values() for r in model.requirements
    }
    counted = {
        each.__name__
        for each in measures()
        if each.channels & {Channel.DBT, Channel.SQLMESH}
        and each.__module__.startswith("kanon_sql.")
    }
    assert counted == compared | {"LargestShare"}
