"""Plans, releases, diffs and certificates state the risk of the released classes, as `risk` does of the release."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction

import duckdb
import pytest
import yaml

from tests.certificates import CERTIFICATE, edits, failed

QUASI = ("zip", "sex", "age")
NAME = {"name": {"role": "identifying", "action": "drop"}}
THRESHOLDS = ("0.05", "0.09", "0.1", "0.2", "0.33", "0.5")
SEARCHES = {
    "full-domain": {},
    "local": {"recoding": "local"},
    "datafly": {"algorithm": "datafly"},
    "mondrian": {"algorithm": "mondrian"},
    "top-down": {"algorithm": "top_down", "target": "disease"},
    "none": {"privacy": [{"k": 1}]},
}


def expected(rows, person=None):
    """The prosecutor's figures by brute force over the released rows; persons are counted by a column of theirs."""
    members, many = defaultdict(set), Counter()
    for at, row in enumerate(rows):
        key = tuple(str(row[name]) for name in QUASI)
        members[key].add(at if person is None else row[person])
        many[key] += 1
    sizes = [(len(members[key]), many[key]) for key in many]
    total = len(rows)
    of_rows = sum(Fraction(n, size) for size, n in sizes) / total
    return {
        "highest": 1 / min(size for size, _ in sizes),
        "average": float(max(of_rows, Fraction(len(sizes), sum(size for size, _ in sizes)))),
        "above": {
            t: float(Fraction(sum(n for size, n in sizes if Fraction(t) * size < 1), total))
            for t in THRESHOLDS
        },
        "unique": sum(n for size, n in sizes if size == 1),
        "matched": float(of_rows),
    }


def close(found, due):
    assert found["unique_rows"] == due["unique"]
    for name in ("prosecutor", "journalist"):
        assert found[name]["highest"] == pytest.approx(due["highest"])
        assert found[name]["average"] == pytest.approx(due["average"])
        assert found[name]["above"] == pytest.approx(due["above"])
    assert found["marketer"]["average"] == pytest.approx(due["matched"])


def released(lab):
    relation = duckdb.read_parquet(str(lab.folder / "release.parquet"))
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("search", SEARCHES)
def test_a_plan_and_its_release_state_what_python_counts(lab, search):
    options = dict(SEARCHES[search])
    changes = {"privacy": options.pop("privacy")} if "privacy" in options else {}
    if options:
        changes["search"] = options
    lab.policy(NAME, suppression="50%", **changes)
    planned = json.loads(lab.done("plan", "policy.yml", "--json"))["risk"]
    made = json.loads(lab.done("anonymize", "policy.yml", "--json"))["risk"]
    rows = released(lab)
    names = set(rows[0])
    assert names >= set(QUASI), "each quasi-identifier is one column"
    due = expected(rows)
    close(planned, due)
    close(made, due)
    assert planned["rows"] == made["rows"] == len(rows)
    again = json.loads(lab.done("risk", "release.parquet", "--quasi", ",".join(QUASI), "--json"))
    shared = {"rows", "classes", "unique_rows", "prosecutor", "journalist", "marketer"}
    assert {key: made[key] for key in shared} == {key: again[key] for key in shared}
    assert {key: planned[key] for key in shared} == {key: again[key] for key in shared}


def test_persons_are_counted_where_the_policy_counts_them(lab):
    lab.write("people.csv", "name,zip,sex,age,disease\n" + "".join(
        f"p{n % 7},{20 + n % 2}111,canary-m,{30 + n % 3},flu\n" for n in range(40)
    ))  # fmt: skip
    columns = {"name": {"role": "insensitive", "linkable": "accept"}}
    lab.policy(columns, entity="name", suppression="50%", privacy=[{"k": 3}])
    planned = json.loads(lab.done("plan", "policy.yml", "--json"))["risk"]
    lab.done("anonymize", "policy.yml")
    close(planned, expected(released(lab), "name"))
    assert "before" not in planned, "the source's tuples are not counted by persons"
    assert "; people are counted" in lab.done("plan", "policy.yml")


def test_what_was_before_is_stated_where_it_is_known(lab):
    lab.policy(NAME, suppression="50%")
    before = json.loads(lab.done("plan", "policy.yml", "--json"))["risk"]["before"]
    asked = json.loads(lab.done("risk", "people.csv", "--quasi", ",".join(QUASI), "--json"))
    assert before["classes"] == asked["classes"]
    assert before["prosecutor"]["average"] == pytest.approx(asked["prosecutor"]["average"])


def test_an_edited_risk_is_not_released(lab):
    lab.policy(NAME, suppression="50%")
    lab.done("plan", "policy.yml")
    path = lab.folder / "policy.plan.yml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["risk"]["unique_rows"] += 1
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    result = lab.run("apply", "policy.plan.yml")
    assert result.exit_code == 1, result.output
    assert "risk" in result.output
    assert not (lab.folder / "release.parquet").exists()


def test_a_diff_has_the_risk_of_both_plans(lab):
    lab.policy(NAME, suppression="50%")
    lab.done("plan", "policy.yml", "-o", "old.yml")
    lab.done("plan", "policy.yml", "-k", "2", "-o", "new.yml")
    found = json.loads(lab.done("diff", "old.yml", "new.yml", "--json"))
    for side, file in (("old", "old.yml"), ("new", "new.yml")):
        document = yaml.safe_load((lab.folder / file).read_text(encoding="utf-8"))["risk"]
        assert found["risk"][side]["unique_rows"] == document["unique_rows"]
        assert found["average_prosecutor_risk"][side] == document["average"]
    text = lab.done("diff", "old.yml", "new.yml")
    assert "average prosecutor risk" in text
    assert "rows whose risk is above 0.2" in text
    without = yaml.safe_load((lab.folder / "old.yml").read_text(encoding="utf-8"))
    del without["risk"]
    lab.write("older.yml", yaml.safe_dump(without, sort_keys=False))
    older = json.loads(lab.done("diff", "older.yml", "new.yml", "--json"))
    assert older["risk"]["old"] is None
    assert older["unique_rows"]["change"] == "new"


def test_a_certificate_claims_the_risk_and_counts_it_again(lab):
    lab.policy(NAME, suppression="50%")
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    stated = json.loads((lab.folder / CERTIFICATE).read_text(encoding="utf-8"))
    due = expected(released(lab))
    risk = stated["risk"]
    assert risk["unique_rows"] == due["unique"]
    assert risk["prosecutor"]["highest"] == pytest.approx(due["highest"])
    assert risk["prosecutor"]["average"] == pytest.approx(due["average"])
    assert risk["prosecutor"]["above"] == pytest.approx({"0.2": due["above"]["0.2"]})
    claims = {each["claim"]: each for each in stated["claims"]}
    assert claims["rows_above"]["found"] == round(due["above"]["0.2"] * stated["release"]["rows"])
    assert "Re-identification risk" in (lab.folder / "release.certificate/report.html").read_text()
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    edits(lambda document: document["risk"].update(unique_rows=1))(lab)
    result = lab.run("verify", CERTIFICATE)
    assert result.exit_code == 1
    assert "was edited" in result.output


def test_a_certificate_with_another_number_of_unique_rows_fails(lab):
    lab.policy(NAME, suppression="50%")
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    path = str(lab.folder / "release.parquet").replace("'", "''")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{path}'")
        connection.execute("UPDATE t SET zip = '99999' WHERE rowid = 0")
        connection.execute(f"COPY t TO '{path}'")
    assert "unique rows" in failed(lab)


def test_a_journalist_looks_in_the_population_of_the_policy(lab):
    """A population that has each row twice: every class has twice as many members there."""
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    lab.write("twice.csv", "\n".join([*rows, *rows[1:]]) + "\n")
    privacy = [{"k": 2}, {"k_map": {"k": 4, "population": "twice.csv"}}]
    lab.policy(NAME, suppression="50%", privacy=privacy)
    found = json.loads(lab.done("anonymize", "policy.yml", "--json"))["risk"]
    due = expected(released(lab))
    assert found["prosecutor"]["highest"] == pytest.approx(due["highest"])
    assert found["journalist"]["highest"] == pytest.approx(due["highest"] / 2)
    assert found["marketer"]["average"] == pytest.approx(due["matched"] / 2)
    planned = json.loads(lab.done("plan", "policy.yml", "--json"))["risk"]
    assert planned["journalist"] == planned["prosecutor"], "a plan compares with no population"
