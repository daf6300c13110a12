"""Models of the whole table from the policy to the certificate: at the bound, one row beyond, and what refuses them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import duckdb
import pytest
from click.testing import CliRunner
from table_models import average_risk

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.counting.plans.recodings import FullDomain, WithoutSmallest
from kanon_sql.evidence.explanation.explanation_text import headline
from kanon_sql.policy.privacy.table_models import ClassesOfRows, ClassSizes

ADULT = {
    1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29, 12: 18, 13: 23,
    14: 14, 15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3, 24: 2, 25: 1, 26: 3, 27: 5,
    29: 1, 30: 2, 32: 1, 34: 1, 35: 1, 36: 1, 45: 1,
}  # fmt: skip
"""The class sizes of Adult (UCI, CC BY 4.0; 30,162 rows) over its nine quasi-identifiers, as they are."""

SIZES = {"a": 1, "b": 1, "c": 2, "d": 3, "e": 5}
QUASI = {"role": "quasi", "hierarchy": "suppress"}


@pytest.fixture
def db():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (z VARCHAR, d VARCHAR, n INTEGER)")
        for label, size in SIZES.items():
            connection.execute(
                f"INSERT INTO people SELECT '{label}', 'x', range FROM range({size})"
            )
        yield connection


def policy(privacy, *, suppression=2, **changes):
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "z": {**QUASI, "levels": {"most": 0}},
            "d": {"role": "sensitive"},
            "n": {"role": "insensitive"},
        },
        "privacy": privacy,
        "suppression": suppression,
        **changes,
    }


def labels(db, table="out"):
    return dict(db.execute(f"SELECT z, COUNT(*) FROM {table} GROUP BY z").fetchall())


def test_adult_has_the_average_risk_of_arx():
    assert ClassesOfRows().of_sizes(ClassSizes.of(ADULT.items())) / 10**9 == pytest.approx(
        0.64658, abs=5e-6
    )


@pytest.mark.parametrize(
    ("share", "gone"),
    [
        (0.42, ""),
        (5 / 12, None),
        (0.416666667, ""),
        (0.416666666, "a"),
        (0.37, "a"),
        (0.36, "ab"),
        (0.3, "ab"),
    ],
)
def test_classes_go_smallest_first_until_the_bound_is_kept_exactly(db, share, gone):
    """5 classes of 12 rows, 4 of 11, 3 of 10: a bound of nine decimal places is kept or missed by a billionth."""
    if gone is None:  # more places than a bound may have
        with pytest.raises(kanon_sql.PolicyError, match="decimal places"):
            kanon_sql.read_policy(policy({"average_risk": share}))
        return
    made = kanon_sql.anonymize(policy({"average_risk": share}), connection=db, release="out")
    kept = {label: n for label, n in SIZES.items() if label not in gone}
    assert labels(db) == kept
    node = made.plan.recoding.node
    assert made.plan.recoding == (WithoutSmallest(node, len(gone)) if gone else FullDomain(node))
    risk = average_risk(list(kept.values()))
    assert made.verification.of_all["average_risk"] == pytest.approx(float(risk), abs=1e-9)
    assert risk <= Fraction(str(share))


def test_one_row_more_than_may_be_suppressed_is_infeasible_and_says_so(db):
    """3 classes of 10 rows are 0.3, and 2 of 8 are 0.25: that takes four rows."""
    asked = {"average_risk": 0.29}
    kanon_sql.anonymize(policy(asked, suppression=4), connection=db, release="out")
    assert labels(db) == {"d": 3, "e": 5}
    with pytest.raises(kanon_sql.InfeasibleError, match="suppress"):
        kanon_sql.plan(policy(asked, suppression=3), connection=db)


def test_even_one_class_of_all_rows_may_be_too_many(db):
    columns = {"z": QUASI, "d": {"role": "sensitive"}, "n": {"role": "insensitive"}}
    for share, feasible in ((0.083333334, True), (0.083333333, False)):
        asked = policy({"average_risk": share}, suppression=0, columns=columns)
        if feasible:
            assert kanon_sql.plan(asked, connection=db).classes == 1
            continue
        with pytest.raises(
            kanon_sql.InfeasibleError, match=r"the whole table as one class has 0\.083333334"
        ):
            kanon_sql.plan(asked, connection=db)


def test_a_class_model_goes_first_and_its_classes_are_not_counted(db):
    """Of k = 2 both unique rows are gone; what is left has 3 classes of 10 rows."""
    for share, rows in ((0.3, 10), (0.29, 8)):
        privacy = [{"k": 2}, {"average_risk": share}]
        made = kanon_sql.anonymize(
            policy(privacy, suppression=4), connection=db, release="out", replace=True
        )
        assert made.verification.rows == rows


def test_a_plan_that_leaves_the_smallest_classes_in_is_not_published(db):
    asked = policy({"average_risk": 0.3})
    plan = kanon_sql.plan(asked, connection=db)
    assert plan.recoding.smallest == 2
    whole = replace(
        plan,
        recoding=FullDomain(plan.recoding.node),
        suppressed_rows=0,
        classes=5,
        smallest_class=1,
    )
    with pytest.raises(kanon_sql.VerificationError, match="5 of 5 classes fall short"):
        kanon_sql.apply(whole, policy=asked, connection=db, release="out")
    one = replace(plan, recoding=WithoutSmallest(plan.recoding.node, 1))
    with pytest.raises(kanon_sql.StalePlanError):
        kanon_sql.apply(one, policy=asked, connection=db, release="out")
    assert db.execute("SHOW TABLES").fetchall() == [("people",)]


def test_a_plan_of_a_policy_without_such_a_model_suppresses_no_class_that_fits(db):
    asked = policy({"k": 1})
    plan = kanon_sql.plan(asked, connection=db)
    edited = replace(
        plan, recoding=WithoutSmallest(plan.recoding.node, 1), suppressed_rows=1, classes=4
    )
    with pytest.raises(
        kanon_sql.StalePlanError, match="no model of the policy is of the table as a whole"
    ):
        kanon_sql.apply(edited, policy=asked, connection=db, release="out")


def test_a_script_and_a_view_leave_the_same_classes_out(db):
    asked = policy({"sample_uniqueness": 0.1})
    plan = kanon_sql.plan(asked, connection=db)
    script = kanon_sql.compile_sql(plan, policy=asked, connection=db, release="out")
    with db.cursor() as own:
        own.execute(script)
    assert labels(db) == {label: n for label, n in SIZES.items() if label != "a"}
    seen = policy({"sample_uniqueness": 0.1}, release={"table": "seen", "view": True})
    kanon_sql.anonymize(seen, connection=db)
    assert labels(db, "seen") == labels(db)
    db.execute(
        "DROP TABLE out; INSERT INTO people SELECT chr(102 + range::INTEGER), 'x', 1 FROM range(9)"
    )
    with db.cursor() as own, pytest.raises(duckdb.Error, match="recount"):
        own.execute(script)


@pytest.mark.parametrize("privacy", [{"average_risk": 0.3}, {"sample_uniqueness": 0.0}])
def test_a_certificate_claims_it_and_its_script_counts_it(db, tmp_path, privacy):
    asked = policy(privacy)
    made = kanon_sql.anonymize(asked, connection=db, release="out")
    folder = tmp_path / "made"
    certificate = kanon_sql.certify("out", made.plan, policy=asked, connection=db, folder=folder)
    claim = next(each for each in certificate.claims if each.kind == "table_model")
    (key,) = privacy
    assert (claim.verdict.value, claim.bound) == ("PASS", int(privacy[key] * 10**9))
    assert claim.found / 10**9 == made.verification.of_all[key]
    file = folder / "certificate.json"
    assert kanon_sql.verify_certificate(file, connection=db).passed
    script = (folder / "verify.sql").read_text(encoding="utf-8")
    assert claim.text in script
    db.execute("INSERT INTO out VALUES ('g', 'x', 9)")
    again = kanon_sql.verify_certificate(file, connection=db)
    assert "table_model" in {each.kind for each in again.claims if each.verdict.value == "FAIL"}


def test_explain_counts_the_node_without_its_smallest_classes(db):
    asked = policy({"average_risk": 0.3})
    plan = kanon_sql.plan(asked, connection=db)
    found = kanon_sql.explain(plan, policy=asked, connection=db)
    assert found.feasible
    assert found.optimal
    assert found.plan.suppressed_rows == plan.suppressed_rows == 2
    assert "2 classes that fit, for the table as a whole" in headline(found)
    (bound,) = (each for each in found.bounds if "classes per row" in each.name)
    assert bound.bound == pytest.approx(0.3)


REFUSED = {
    "of persons": (policy(
            {"average_risk": 0.3},
            entity="n",
            columns={
                "z": QUASI,
                "d": {"role": "sensitive"},
                "n": {"role": "identifying", "action": "drop"},
            },
        ), "entity: n has several"),
    "over": (
        policy(
            {"average_risk": 0.3, "over": "z"},
            columns={"z": QUASI, "n": QUASI, "d": {"role": "sensitive"}},
        ),
        "remove over",
    ),
    "per record": (
        policy({"average_risk": 0.3}, search={"algorithm": "greedy", "per": "record"}),
        "does not suppress the smallest",
    ),
    "local": (policy({"average_risk": 0.3}, search={"recoding": "local"}), "does not suppress the smallest"),
    "presence": (
        policy([
            {"average_risk": 0.3},
            {"delta_presence": {"least": 0, "most": 0.5, "population": "people"}},
        ]),
        "leave out one of them",
    ),
    "pruned": (
        policy(
            {"population_uniqueness": {"share": 0.1, "sampling": 0.5}}, search={"algorithm": "flash"}
        ),
        "not sound",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_suppress_the_smallest_classes_refuses_the_policy(db, name):
    asked, why = REFUSED[name]
    with pytest.raises(kanon_sql.KanonError, match=why):
        kanon_sql.plan(asked, connection=db)


def test_the_risk_of_the_release_is_the_figure_of_its_recount(db):
    asked = policy(
        [
            {"average_risk": 0.4},
            {"population_uniqueness": {"share": 0.2, "sampling": 0.5, "estimator": "zayatz"}},
        ]
    )
    made = kanon_sql.anonymize(asked, connection=db, release="out")
    risk = kanon_sql.risk("out", quasi=["z"], sampling=0.5, connection=db)
    assert made.verification.of_all == {
        "average_risk": pytest.approx(risk.classes / risk.rows, abs=1e-9),
        "population_uniqueness": pytest.approx(risk.population_uniques.zayatz, abs=1e-9),
    }


def test_verify_prints_the_figures_of_the_whole_table(tmp_path):
    """Three rows in two classes, one of them unique: both shares are a billionth above the bounds."""
    (tmp_path / "rows.csv").write_text("z,n\na,1\na,2\nb,3\n", encoding="utf-8")
    asked = [
        "--privacy",
        "average_risk: 0.666666666",
        "--privacy",
        "sample_uniqueness: 0.333333333",
    ]
    done = CliRunner().invoke(main, ["verify", str(tmp_path / "rows.csv"), "--quasi", "z", *asked])
    assert done.exit_code == 4
    assert done.output.startswith(
        "FAIL over z: 2 of 2 classes fail (3 of 3 rows); smallest 1 row; "
    )
    assert "average risk: 0.666666667; sample uniqueness: 0.333333334" in done.output
