"""`apply --to-new-rows`: what is told, what is held back, and what is refused."""

from __future__ import annotations

import json
from decimal import Decimal

import duckdb
import pytest
from mondrian import STRICT

pytestmark = pytest.mark.sampled(3)

BOXES = {
    "columns": {
        "zip": {"role": "quasi", "order": "number"},
        "age": {"role": "quasi", "order": "number", "output": "bounds"},
    },
    "search": STRICT,
}
RELAXED = {**BOXES, "search": {**BOXES["search"], "cuts": "relaxed"}}
CHOSEN = {**BOXES, "search": {**BOXES["search"], "choose": "information", "target": "disease"}}
PARTS = {**BOXES, "search": {"algorithm": "top_down", "target": "disease"}}
LEVELS = {"suppression": "10%"}
KINDS = {"boxes": BOXES, "relaxed": RELAXED, "chosen": CHOSEN, "parts": PARTS, "levels": LEVELS}
HEAD = "name,zip,sex,age,disease\n"


def new_rows(lab, *more):
    """Some of the rows again, twice, and others."""
    rows = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()[1:21]
    lab.write("new.csv", HEAD + "".join(f"{row}\n" for row in [*rows, *rows, *more]))
    return "--to-new-rows", "--source", "new.csv", "--release", "new.parquet"


def planned(lab, kind):
    lab.policy(**KINDS[kind])
    return lab.done("plan", "policy.yml")


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows_are_released_and_others_held_back(lab, kind):
    planned(lab, kind)
    more = ("Canary-x,73910,canary-?,30,canary-1", "Canary-y,73919,canary-?,300,canary-1")
    asked = new_rows(lab, *more)
    said = lab.done("apply", "policy.plan.yml", *asked)
    told = json.loads(lab.done("apply", "policy.plan.yml", *asked, "--replace", "--json"))
    assert (told["new_rows"], told["withheld"]) == (42, 2)
    assert told["verification"]["rows"] + told["suppressed"] == 40
    assert told["verification"]["smallest_class"] >= 3
    assert "42 new rows" in said
    assert "2 withheld, outside the plan's recoding" in said
    names = ["zip", "sex", *(["age"] if kind == "levels" else ["age_low", "age_high"])]
    with duckdb.connect() as connection:
        new = connection.read_parquet(str(lab.folder / "new.parquet"))
        assert min(new.aggregate(f"COUNT(*), {','.join(names)}").fetchall())[0] >= 3
        lab.done("apply", "policy.plan.yml")
        old = connection.read_parquet(str(lab.folder / "release.parquet"))
        shown = ",".join(names)
        assert {*new.project(shown).fetchall()} <= {*old.project(shown).fetchall()}


@pytest.mark.parametrize("algorithm", ["mondrian", "top_down", "k_optimize"])
def test_new_rows_lie_in_whole_units(lab, algorithm):
    """No value of theirs was there before, nor was any bound; beyond the units that were there is no place."""
    columns = {
        **dict.fromkeys(("name", "zip", "sex", "disease")),
        "age": {"role": "quasi", "order": "number", "snap": 2.5, "output": "bounds"},
        "born": {"role": "quasi", "order": "date", "snap": "quarter", "output": "bounds"},
        "ill": {"role": "insensitive"},
    }
    told = {"target": "ill"} if algorithm == "top_down" else {}
    head, old = "age,born,ill\n", [(n % 20, 1 + n * 5 % 12, "yn"[n % 2]) for n in range(60)]
    rows = "".join(f"{age}.5,2001-{month:02}-15 08:00:00,{ill}\n" for age, month, ill in old)
    lab.write("people.csv", head + rows)
    search = STRICT if algorithm == "mondrian" else {"algorithm": algorithm, **told}
    lab.policy(columns, search=search, suppression=0)
    lab.done("plan", "policy.yml")
    new = [(f"{n % 20}.25", f"2001-{1 + n * 5 % 12:02}-{1 + n % 28:02}") for n in range(60)]
    new += [("99", "2001-01-01"), ("5", "2002-01-01"), ("5", "2000-12-31")]
    lab.write("new.csv", head + "".join(f"{age},{day} 23:59:59,y\n" for age, day in new))
    asked = ("--to-new-rows", "--source", "new.csv", "--release", "new.parquet", "--json")
    said = json.loads(lab.done("apply", "policy.plan.yml", *asked))
    assert said["withheld"] == 3
    text = "age_low, age_high, CAST(born_low AS TEXT), CAST(born_high AS TEXT)"
    with duckdb.connect() as connection:
        released = connection.read_parquet(str(lab.folder / "new.parquet")).project(text).fetchall()
    assert len(released) == 60 - said["suppressed"] > 30
    boxes = set(released)
    for low, high, first, last in boxes:
        assert low % Decimal("2.5") == high % Decimal("2.5") == 0
        assert (first[5:] in QUARTERS[::2], last[5:] in QUARTERS[1::2]) == (True, True)
    inside = [
        sum(low <= Decimal(age) < high and first <= day <= last for low, high, first, last in boxes)
        for age, day in new
    ]
    assert inside[-3:] == [0, 0, 0]
    assert max(inside) == 1
    assert inside.count(1) == len(released)


QUARTERS = ("01-01", "03-31", "04-01", "06-30", "07-01", "09-30", "10-01", "12-31")


def test_boundaries_are_beside_the_plan_by_their_hash(lab):
    assert "policy.plan.boundaries.parquet" in planned(lab, "boxes")
    plan = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    assert "boundaries: sha256:" in plan
    assert not lab.run("plan", "policy.yml").stderr
    asked = new_rows(lab)
    boundaries = lab.folder / "policy.plan.boundaries.parquet"
    kept = boundaries.read_bytes()
    boundaries.unlink()
    assert "is missing" in lab.refused("apply", "policy.plan.yml", *asked)
    boundaries.write_bytes(b"PAR1 no more")
    assert "cannot be read" in lab.refused("apply", "policy.plan.yml", *asked)
    with duckdb.connect() as connection:
        connection.sql("SELECT 1 AS region").write_parquet(str(boundaries))
        assert "is not of this plan" in lab.refused("apply", "policy.plan.yml", *asked)
        boundaries.write_bytes(kept)
        table = connection.read_parquet(str(boundaries))
        other = table.filter("child IS NOT NULL OR row_count < 99").project(
            "* REPLACE (row_count + 1 AS row_count)"
        )
        other.write_parquet(str(lab.folder / "other.parquet"))
    (lab.folder / "other.parquet").replace(boundaries)
    assert "is not the hash of" in lab.refused("apply", "policy.plan.yml", *asked)
    boundaries.write_bytes(kept)
    lab.done("apply", "policy.plan.yml", *asked)


def test_boundaries_are_found_by_their_earlier_name(lab):
    planned(lab, "boxes")
    file = lab.folder / "policy.plan.boundaries.parquet"
    file.replace(lab.folder / "policy.plan.sides.parquet")
    lab.done("apply", "policy.plan.yml", *new_rows(lab))
    assert not file.exists()


@pytest.mark.parametrize(
    "search",
    [
        {"algorithm": "mondrian", "cuts": "relaxed"},
        {"algorithm": "mondrian", "grouping": "order"},
        {"algorithm": "order"},
    ],
    ids=["relaxed", "runs", "order"],
)
def test_boxes_that_may_overlap_are_kept_the_narrowest_first_without_branches(lab, search):
    lab.policy(**{**RELAXED, "search": search})
    assert "policy.plan.boundaries.parquet" in lab.done("plan", "policy.yml")
    with duckdb.connect() as connection:
        kept = connection.read_parquet(str(lab.folder / "policy.plan.boundaries.parquet"))
        (facts,) = kept.aggregate("COUNT(child), COUNT(DISTINCT region) = COUNT(*)").fetchall()
        assert facts == (0, True)
        wide = kept.order("region").project("CAST(high_0 AS INTEGER) - CAST(low_0 AS INTEGER)")
        assert wide.fetchall()[0] == (0,)


def test_boxes_that_are_shown_by_their_middle_take_no_new_rows(lab):
    """It is of the plan's own rows, and is released as a number."""
    columns = {**BOXES["columns"], "age": {"role": "quasi", "order": "number", "output": "mean"}}
    lab.policy(**{**BOXES, "columns": columns})
    lab.done("plan", "policy.yml")
    said = lab.refused("apply", "policy.plan.yml", *new_rows(lab))
    assert "output: interval or bounds" in said
    lab.done("apply", "policy.plan.yml")
    with duckdb.connect() as connection:
        released = connection.read_parquet(str(lab.folder / "release.parquet"))
        assert dict(zip(released.columns, map(str, released.types), strict=True))["age"] == "DOUBLE"


def test_a_plan_that_kept_no_boundaries_takes_no_new_rows(lab):
    lab.policy(**BOXES)
    plan = lab.done("plan", "policy.yml", "-o", "-")
    assert "boundaries:" not in plan
    lab.write("printed.plan.yml", plan)
    said = lab.refused("apply", "printed.plan.yml", *new_rows(lab))
    assert "has no boundaries, by which rows are assigned" in said


@pytest.mark.parametrize("kind", ["boxes", "parts"])
def test_columns_of_other_types_are_refused(lab, kind):
    with duckdb.connect() as connection:
        people = connection.read_csv(str(lab.folder / "people.csv"), all_varchar=True)
        people.write_parquet(str(lab.folder / "new.parquet"))
        typed = people.project("* REPLACE (CAST(age AS INTEGER) AS age)")
        typed.write_parquet(str(lab.folder / "old.parquet"))
    lab.policy(source="old.parquet", **KINDS[kind])
    lab.done("plan", "policy.yml")
    asked = ("--to-new-rows", "--source", "new.parquet", "--release", "out.parquet")
    said = lab.refused("apply", "policy.plan.yml", *asked)
    assert "columns.age: is of another type than it was" in said


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_fits_is_no_release(lab, kind):
    planned(lab, kind)
    one = "Canary-x,73910,canary-m,20,canary-1"
    lab.write(
        "new.csv", HEAD + "".join(f"{row}\n" for row in [one, *[one.replace("m,", "?,")] * 4])
    )
    asked = ("--to-new-rows", "--source", "new.csv", "--release", "new.parquet")
    said = lab.refused("apply", "policy.plan.yml", *asked, code=3)
    assert "none of 5 new rows can be released: 4 lie outside" in said
    assert not (lab.folder / "new.parquet").exists()


def test_several_sets_fit_among_new_rows_by_themselves(lab):
    lab.policy(privacy=[{"k": 2}, {"k": 4, "over": ["zip", "age"]}], suppression="50%")
    lab.done("plan", "policy.yml")
    told = json.loads(lab.done("apply", "policy.plan.yml", *new_rows(lab), "--json"))
    (over,) = told["verification"]["over"]
    assert over["smallest_class"] >= 4


def test_a_view_takes_its_rows_by_itself(lab):
    with duckdb.connect(str(lab.folder / "a.db")) as connection:
        connection.execute(
            "CREATE TABLE people AS FROM read_csv(?)", [str(lab.folder / "people.csv")]
        )
    lab.policy(source="people", database="a.db", release={"table": "seen", "view": True})
    lab.done("plan", "policy.yml")
    said = lab.refused("apply", "policy.plan.yml", "--to-new-rows")
    assert "shows rows to come by itself" in said


def test_what_a_file_has_no_type_for_keeps_no_sides_and_says_so(lab):
    with duckdb.connect(str(lab.folder / "a.db")) as connection:
        people = connection.read_csv(str(lab.folder / "people.csv"))
        people.project("* REPLACE (CAST(age AS HUGEINT) AS age)").create("people")
    lab.policy(**BOXES, source="people", database="a.db")
    lab.done("plan", "policy.yml")
    told = json.loads(lab.done("plan", "policy.yml", "--json"))
    assert any("of a type that files lack" in each for each in told["warnings"])
    assert "boundaries_file" not in told


def test_an_order_by_frequency_assigns_no_later_rows_and_says_why(lab):
    """More rows may make another value the most frequent: bounds in that order would mean something else."""
    columns = {"age": {"role": "quasi", "order": "number"}}
    columns["zip"] = columns["sex"] = {"role": "quasi", "order": "frequency", "output": "set"}
    lab.policy(columns, search={"algorithm": "mondrian"})
    assert "boundaries" not in lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    to_new = "--to-new-rows", "--source", "people.csv", "--release", "new.parquet"
    for said in (
        lab.refused("apply", "policy.plan.yml", *to_new),
        lab.refused("compile", "policy.plan.yml"),
    ):
        assert "columns.zip.order: has no boundaries" in said
        assert "columns.sex.order: has no boundaries" in said
        assert "take order: text" in said
    assert not (lab.folder / "new.parquet").exists()


def test_where_rows_are_suppressed_nothing_shows_them(lab):
    """A value that only suppressed rows have is no bound: of no release, and not in the file of boundaries."""
    ages = [10] * 40 + [20] * 60 + [97]
    lab.write("people.csv", "age\n" + "".join(f"{age}\n" for age in ages))
    columns = dict.fromkeys(("name", "zip", "sex", "disease"))
    columns["age"] = {"role": "quasi", "order": "number"}
    lab.policy(columns, privacy={"k": 5}, search={"algorithm": "k_optimize"})
    assert "suppressed rows: 1 of 101 " in lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")
    lab.write("script.sql", lab.done("compile", "policy.plan.yml"))
    released, boundaries = (
        lab.folder / "release.parquet",
        lab.folder / "policy.plan.boundaries.parquet",
    )
    assert ages_of(released) == {"10": 40, "20": 60}
    released.unlink()
    with duckdb.connect() as connection:
        connection.execute((lab.folder / "script.sql").read_text())
        assert ages_of(released) == {"10": 40, "20": 60}
        bounds = connection.read_parquet(str(boundaries)).project("low_0, high_0").fetchall()
    assert sorted(bounds) == [("10", "10"), ("20", "20")]
    lab.write("new.csv", "age\n" + "10\n" * 5 + "97\n" * 7 + "15\n" * 7)
    to_new = "--to-new-rows", "--source", "new.csv", "--release", "new.parquet"
    told = json.loads(lab.done("apply", "policy.plan.yml", *to_new, "--json"))
    assert told["withheld"] == 14


def ages_of(path):
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(path))
        return dict(relation.aggregate("age, COUNT(*)").fetchall())


def test_values_of_one_place_are_refused_where_rows_may_be_suppressed(lab):
    """Bounds are told by places: a bound could be the spelling of a suppressed row. Units are nobody's."""
    text = " UNION ALL ".join(["SELECT '1' AS seen"] * 9 + ["SELECT '1.0'"] * 9)
    asked = {"source": {"query": text}, "privacy": {"k": 5}, "search": {"algorithm": "k_optimize"}}
    columns = {"seen": {"role": "quasi", "order": "number"}}
    columns = {**dict.fromkeys(("name", "zip", "sex", "disease", "age")), **columns}
    lab.policy(columns, **asked)
    assert "columns.seen.order: gives several values one position" in lab.refused(
        "plan", "policy.yml"
    )
    lab.policy(columns, **asked, suppression=0)
    assert "suppressed rows: 0 of 18 " in lab.done("plan", "policy.yml")
    columns["seen"] = {"role": "quasi", "order": "number", "snap": 5}
    lab.policy(columns, **asked)
    assert "suppressed rows: 0 of 18 " in lab.done("plan", "policy.yml")


def test_sides_that_put_a_row_into_two_boxes_release_nothing(lab, monkeypatch):
    """Their hash does not hold, and would not help against one who edits the plan as well."""
    planned(lab, "boxes")
    boundaries = lab.folder / "policy.plan.boundaries.parquet"
    with duckdb.connect() as connection:
        connection.read_parquet(str(boundaries)).to_table("boundaries")
        connection.execute(
            "INSERT INTO boundaries SELECT region, 999, axis, side, row_count, COLUMNS('(low|high|level|label)_.*')"
            " FROM boundaries WHERE child = (SELECT MIN(region) FROM boundaries WHERE child IS NULL)"
        )
        connection.execute(
            "INSERT INTO boundaries SELECT 999, child, axis, side, row_count, COLUMNS('(low|high|level|label)_.*')"
            " FROM boundaries WHERE child IS NULL AND region = (SELECT MIN(region) FROM boundaries WHERE child IS NULL)"
        )
        connection.table("boundaries").write_parquet(str(boundaries))
    monkeypatch.setattr(
        "kanon_sql.recoding.new_rows.boundaries.boundaries_hash", lambda *_: plan_hash(lab)
    )
    asked = ("--to-new-rows", "--source", "people.csv", "--release", "new.parquet")
    said = lab.refused("apply", "policy.plan.yml", *asked, code=4)
    assert "assign rows to several regions" in said


def plan_hash(lab):
    text = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    return next(line.split(": ")[1] for line in text.splitlines() if "boundaries: " in line)


@pytest.mark.parametrize("depth", [-1, 1000, 10**9])
def test_a_depth_that_no_boxes_have_is_no_plan(lab, depth):
    planned(lab, "boxes")
    text = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    (own,) = [line for line in text.splitlines() if line.startswith("  depth: ")]
    lab.write("policy.plan.yml", text.replace(own, f"  depth: {depth}"))
    assert "recoding.depth: " in lab.refused("apply", "policy.plan.yml", *new_rows(lab))
