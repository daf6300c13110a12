"""Attacks: the answers that are known, releases by their plans, hostile names, refusals, and no value unasked."""

from __future__ import annotations

import json
from collections import Counter

import duckdb
import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.sampled(3)

FIRST = {"74": ["aids", "flu", "flu", "aids"], "64": ["flu", "short breath", "flu", "aids"]}
SECOND = {
    "70-80": ["hypertension", "gastritis", "aids", "gastritis"],
    "60-70": ["flu", "aids", "flu", "gastritis"],
}
"""Two releases of the slides of the SPDP Lab, Milan (84 and 85): their classes with the sensitive values."""
IN_FIRST = ["Alice", "Bob", "Carol", "Dave", "Eve", "Frank", "Grace", "Heidi"]
IN_SECOND = ["Ivan", "Judy", "Alice", "Mallory", "Eve", "Heidi", "Grace", "Oscar"]
"""Whose row each is: of the second class of 1964 all but Frank are in both releases."""

INPATIENTS = [
    *(("130**", "<30", d) for d in ("heart", "heart", "virus", "virus")),
    *(("1485*", ">=40", d) for d in ("cancer", "heart", "virus", "virus")),
    *(("130**", "3*", "cancer") for _ in range(4)),
]
"""The 4-anonymous table of Machanavajjhala and others (ICDE 2006, figure 2)."""


def texts(names, rows):
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(names, columns, strict=True)})


def released(classes, persons):
    values = [(born, value) for born, of in classes.items() for value in of]
    return texts(("who", "born", "d"), [(p, *v) for p, v in zip(persons, values, strict=True)])


def test_the_composition_attack_of_the_slides_finds_alice_and_frank():
    found = kanon_sql.attack_composition(
        released(FIRST, IN_FIRST),
        released(SECOND, IN_SECOND),
        person="who",
        quasi=["born"],
        sensitive="d",
        show_values=True,
    )
    values = {each["person"]: each["value"] for each in found.shown}
    assert values["Alice"] == "aids", "in both releases"
    assert values["Frank"] == "short breath", "in the first alone"
    assert (found.m_invariant, found.m) == (False, 0)
    assert (found.in_both.persons, found.in_both.exposed) == (4, 1)
    assert (found.only_first.persons, found.only_first.exposed) == (4, 1)
    assert found.everyone.exposed_alone == 0, "neither release gives anybody away"
    assert found.in_both.average == (1 + 2 + 2 + 2) / 4


def test_the_example_is_that_of_the_reference(shared):
    examples = json.loads((shared / "EXAMPLES.json").read_text(encoding="utf-8"))["examples"]
    (example,) = (each for each in examples if each["id"] == "composition_attack_spdp")
    assert (example["T1"], example["T2"]) == (FIRST, SECOND)
    assert example["expected"] == {
        "Alice (in both)": ["aids"],
        "Frank (only in T1)": ["short breath"],
        "m_invariant": False,
    }


def test_the_same_persons_are_found_by_what_is_known_of_them(lab):
    """The releases have no persons: these are in tables of their own, with the labels of each release."""
    for name, classes, persons in (("a", FIRST, IN_FIRST), ("b", SECOND, IN_SECOND)):
        rows = released(classes, persons).to_pylist()
        lab.write(f"{name}.csv", "born,d\n" + "".join(f"{r['born']},{r['d']}\n" for r in rows))
        known = "".join(f"{r['who']},{r['born']}\n" for r in rows)
        # Who has no class of the release is not in it.
        lab.write(f"{name}_known.csv", f"who,born\n{known}Nobody,1901\n")
    asked = ("attack", "composition", "a.csv", "b.csv", "--person", "who", "--quasi", "born",
             "--sensitive", "d", "--first-known", "a_known.csv", "--second-known", "b_known.csv")  # fmt: skip
    found = json.loads(lab.done(*asked, "--json", "--show-values"))
    assert {"person": "Alice", "value": "aids"} in found["shown"]
    assert {"person": "Frank", "value": "short breath"} in found["shown"]
    assert (found["persons"], found["exposed"], found["m_invariant"]) == (12, 3, False)
    told = lab.done(*asked, "--show-values")
    assert "person=Frank, value=short breath" in told
    assert "m-invariant: no: 4 classes where a value repeats or is missing" in told


@pytest.mark.parametrize(
    ("second", "m"),
    [
        ([("a", "B", "flu"), ("b", "B", "cold"), ("c", "B", "gout")], 3),
        ([("a", "B", "flu"), ("b", "B", "cold")], 0),
        ([("a", "B", "flu"), ("b", "B", "cold"), ("c", "B", "gout"), ("d", "B", "flu")], 0),
        ([("a", "B", "flu"), ("b", "B", "cold"), ("c", "B", "gout"), ("d", "C", "mumps")], 1),
    ],
    ids=["same signature", "another signature", "a value repeats", "a class of one"],
)
def test_m_is_the_least_class_while_signatures_stay(second, m):
    first = [("a", "A", "flu"), ("b", "A", "cold"), ("c", "A", "gout")]
    names = ("who", "q", "d")
    found = kanon_sql.attack_composition(
        texts(names, first), texts(names, second), person="who", quasi=["q"], sensitive="d"
    )
    assert (found.m, found.m_invariant) == (m, m >= 2)


def test_a_release_may_lack_a_quasi_identifier():
    """Without it its classes are larger; a column that neither release has is a mistake."""
    first = texts(("who", "q", "r", "d"), [("a", "1", "x", "flu"), ("b", "1", "y", "cold")])
    second = first.drop_columns(["r"])
    asked = {"person": "who", "sensitive": "d"}
    found = kanon_sql.attack_composition(first, second, quasi=["q", "r"], **asked)
    assert (found.in_both.exposed, found.in_both.exposed_alone) == (2, 2)
    without = kanon_sql.attack_composition(second, second, quasi=["q"], **asked)
    assert without.in_both.exposed == 0
    with pytest.raises(kanon_sql.InputError, match="r: is a column of neither release"):
        kanon_sql.attack_composition(second, second, quasi=["q", "r"], **asked)
    with pytest.raises(kanon_sql.InputError, match="quasi: the second release has none of these"):
        kanon_sql.attack_composition(first, second, quasi=["r"], **asked)


def test_homogeneity_of_the_inpatients():
    table = texts(("zip", "age", "disease"), INPATIENTS)
    found = kanon_sql.attack_homogeneity(
        table, quasi=["zip", "age"], sensitive="disease", show_values=True
    )
    assert (found.rows, found.classes) == (12, 3)
    assert (found.exposed_rows, found.exposed_classes, found.highest) == (4, 1, 1.0)
    assert found.exposed_share == 4 / 12
    assert found.shown == ({"labels": {"zip": "130**", "age": "3*"}, "value": "cancer", "rows": 4},)


@pytest.mark.parametrize(("excluding", "highest", "exposed"), [(0, 1 / 2, 0), (1, 1, 4), (2, 1, 8)])
def test_background_knowledge_is_what_recursive_diversity_bounds(excluding, highest, exposed):
    """The class of four has 2, 1, 1 (c must exceed 1 for l = 2, 2 for l = 3); the other has 2, 2."""
    table = texts(("zip", "age", "disease"), INPATIENTS[:8])
    found = kanon_sql.attack_background(
        table, quasi=["zip", "age"], sensitive="disease", excluding=excluding
    )
    assert (found.highest, found.exposed_rows) == (highest, exposed)
    of_four = kanon_sql.attack_background(
        texts(("zip", "disease"), [(z, d) for z, _, d in INPATIENTS[4:8]]),
        quasi=["zip"],
        sensitive="disease",
        excluding=excluding,
    )
    assert of_four.highest == [1 / 2, 2 / 3, 1][excluding]


def test_null_is_a_value_of_quasi_identifiers_and_of_others_where_that_is_asked():
    table = texts(("z", "d"), [(None, "flu"), (None, None), ("NULL", "flu"), ("NULL", "cold")])
    found = kanon_sql.attack_homogeneity(table, quasi=["z"], sensitive="d")
    assert (found.classes, found.rows_with_value, found.exposed_rows) == (2, 3, 1)
    valued = kanon_sql.attack_homogeneity(
        table, quasi=["z"], sensitive="d", sensitive_nulls="value"
    )
    assert (valued.rows_with_value, valued.exposed_rows, valued.highest) == (4, 0, 0.5)
    known = texts(("z",), [(None,), ("NULL",), ("other",)])
    linked = kanon_sql.attack_link(table, known, on=["z"])
    assert (linked.target.matched, linked.target.highest) == (2, 0.5)


def test_of_a_table_without_rows_nothing_is_found():
    empty = texts(("who", "z", "d"), [("a", "b", "c")]).slice(0, 0)
    linked = kanon_sql.attack_link(empty, empty, on=["z"])
    assert linked.summary() == {"known": 0, "matched": 0, "unique": 0, "average": 0, "highest": 0}
    inferred = kanon_sql.attack_homogeneity(empty, quasi=["z"], sensitive="d")
    assert (inferred.classes, inferred.exposed_share, inferred.highest) == (0, 0, 0)
    both = kanon_sql.attack_composition(empty, empty, person="who", quasi=["z"], sensitive="d")
    assert (both.everyone.persons, both.everyone.average, both.m) == (0, 0, 0)


# Releases


def classes_of(release, names):
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT {', '.join(names)} FROM '{release}'").fetchall()
    return Counter(rows)


@pytest.fixture
def planned(lab):
    """A lab with a release of its people, and its plan."""
    policy = lab.policy()
    lab.done("plan", policy)
    lab.done("apply", "policy.plan.yml")
    return lab


LINK = ("attack", "link", "--target", "people.csv", "--known", "people.csv", "--on", "zip,sex,age", "--json")  # fmt: skip


def test_an_attacker_who_knows_the_source_finds_the_classes_of_the_release(planned):
    """Each released row is found with the others of its class, and none that was suppressed."""
    classes = classes_of(planned.folder / "release.parquet", ("zip", "sex", "age"))
    found = json.loads(
        planned.done(*LINK, "--released", "release.parquet", "--plan", "policy.plan.yml")
    )
    raw = classes_of(planned.folder / "people.csv", ("zip", "sex", "age"))
    assert (found["matched"], found["unique"]) == (40, list(raw.values()).count(1))
    assert found["average"] == pytest.approx(len(raw) / 40)
    after = found["released"]
    assert after["matched"] == sum(classes.values())
    assert (after["unique"], after["highest"]) == (0, 1 / min(classes.values()))
    assert after["average"] == pytest.approx(len(classes) / sum(classes.values()))
    alone = json.loads(
        planned.done("attack", "link", "--target", "release.parquet", *LINK[4:], "--plan", "policy.plan.yml")
    )  # fmt: skip
    assert {name: alone[name] for name in after} == after


def test_labels_are_compared_as_they_are_without_a_plan(planned):
    told = planned.run(*LINK[:-1], "--released", "release.parquet")
    assert told.exit_code == 0
    assert "release: none is matched" in told.stdout
    assert "warning: no known record is matched: " in told.output
    same = json.loads(
        planned.done(
            "attack", "link", "--target", "release.parquet", "--known", "release.parquet",
            "--on", "zip", "--on", "sex,age", "--json",
        )
    )  # fmt: skip
    assert (same["matched"], same["unique"]) == (same["known"], 0)


def test_bounds_are_linked_by_both_columns(lab):
    columns = {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"}}
    lab.done("plan", lab.policy(columns))
    lab.done("apply", "policy.plan.yml")
    classes = classes_of(lab.folder / "release.parquet", ("zip", "sex", "age_low", "age_high"))
    found = json.loads(
        lab.done(*LINK, "--released", "release.parquet", "--plan", "policy.plan.yml")
    )["released"]
    assert found["matched"] == sum(classes.values())
    assert found["average"] == pytest.approx(len(classes) / sum(classes.values()))


def test_known_records_need_not_have_all_columns_nor_only_values_of_the_source(planned):
    planned.write("known.csv", "age,disease\n20,canary-1\n999,canary-1\nold,canary-1\n")
    found = json.loads(
        planned.done(
            "attack", "link", "--target", "release.parquet", "--known", "known.csv",
            "--on", "age,disease", "--plan", "policy.plan.yml", "--json",
        )
    )  # fmt: skip
    with duckdb.connect() as connection:
        ages = connection.execute(
            f"SELECT age, disease FROM '{planned.folder}/release.parquet'"
        ).fetchall()
    (label,) = {age for age, _ in ages if age == "*" or age.startswith("[20")}
    candidates = [each for each in ages if each == (label, "canary-1")]
    assert found["known"] == 3
    assert found["highest"] == (1 / len(candidates) if candidates else 0)


def test_two_releases_by_their_plans(planned):
    """The persons of the sources are raised to each release's labels."""
    lab = planned
    lab.done("plan", lab.policy(privacy={"k": 8}, release="b.parquet"), "-o", "b.plan.yml")
    lab.done("apply", "b.plan.yml")
    found = json.loads(
        lab.done(
            "attack", "composition", "release.parquet", "b.parquet", "--person", "name",
            "--quasi", "zip,sex,age", "--sensitive", "disease", "--json",
            "--first-known", "people.csv", "--second-known", "people.csv",
            "--second-plan", "b.plan.yml",
        )
    )  # fmt: skip
    rows = [
        sum(classes_of(lab.folder / each, ("zip", "sex", "age")).values())
        for each in ("release.parquet", "b.parquet")
    ]
    assert found["only_first"]["persons"] == 0, "their labels are not known without the first plan"
    assert found["only_second"]["persons"] == rows[1]


@pytest.mark.parametrize(
    ("search", "why"),
    [
        ({"recoding": "cells"}, "releases classes at several nodes"),
        ({"algorithm": "mondrian"}, "releases regions"),
        ({"algorithm": "top_down", "target": "disease"}, "releases intervals"),
        ({"algorithm": "mu_argus", "repair": "records"}, "suppresses single cells"),
    ],
    ids=["cells", "mondrian", "top_down", "mu_argus"],
)
def test_plans_that_give_a_value_several_labels_are_refused(lab, search, why):
    by_order = {
        name: {"role": "quasi", "order": order}
        for name, order in (("zip", "text"), ("sex", "text"), ("age", "number"))
    }
    columns = by_order if search.get("algorithm") == "mondrian" else {}
    lab.done("plan", lab.policy(columns, search=search), "-o", "p.plan.yml")
    told = lab.refused(*LINK[:-1], "--plan", "p.plan.yml")
    assert f"plan: recoding: {why}" in told
    assert "give a full-domain plan" in told


def test_a_plan_whose_policy_changed_is_refused(planned):
    planned.policy(privacy={"k": 4})
    told = planned.refused(*LINK[:-1], "--plan", "policy.plan.yml")
    assert "policy: changed since the plan was made" in told


# Names, refusals and values

HOSTILE = ('se"x', "zip; DROP TABLE t", "o'pox, 🏥")


def test_hostile_names_of_columns_tables_and_files(tmp_path):
    path = tmp_path / 'it\'s "here".parquet'
    table = texts((*HOSTILE, "who"), [("F", "1", "flu", "a"), ("F", "1", "flu", "b"), ("M", "1", "flu", "c")])  # fmt: skip
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.register("it", table)
        connection.execute(f"COPY it TO '{str(path).replace(chr(39), chr(39) * 2)}'")
        connection.execute('CREATE TABLE "a.b""c" AS FROM it')
        own = {"connection": connection}
        for source in (str(path), 'a.b"c'):
            linked = kanon_sql.attack_link(source, source, on=HOSTILE[:2], show_values=True, **own)
            assert (linked.target.matched, linked.target.unique) == (3, 1)
            assert linked.shown == ({HOSTILE[0]: "M", HOSTILE[1]: "1"},)
            asked = {"quasi": HOSTILE[:2], "sensitive": HOSTILE[2], **own}
            assert kanon_sql.attack_homogeneity(source, **asked).exposed_rows == 3
            both = kanon_sql.attack_composition(source, source, person="who", **asked)
            assert (both.in_both.persons, both.in_both.exposed) == (3, 3)
        left = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert left == [('a.b"c',)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("link", "--target", "people.csv", "--known", "people.csv", "--on", "zap"), "attack: zap: is not a column of the known records"),
        (("link", "--target", "people.csv", "--known", "known.csv", "--on", "sex"), "attack: sex: is not a column of the known records"),
        (("link", "--target", "known.csv", "--known", "people.csv", "--on", "sex"), "attack: sex: is not a column of the target"),
        (("link", "--target", "no.csv", "--known", "known.csv", "--on", "age"), "no.csv"),
        (("link", "--target", "people.csv", "--known", "people.csv", "--on", "zip", "--plan", "no.yml"), "no.yml: there is no such plan file"),
        (("homogeneity", "people.csv", "--quasi", "zip", "--sensitive", "ill"), "attack: ill: is not a column of the table"),
        (("background", "people.csv", "--quasi", "zup", "--sensitive", "ill", "--excluding", "1"), "attack: 2 faults"),
        (("composition", "people.csv", "twice.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease"), "name: 1 row repeats a person in the second release"),
        (("composition", "people.csv", "nobody.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease"), "name: 1 row has no person in the second release"),
        (("composition", "people.csv", "people.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease", "--first-known", "people.csv"), "known: is given for one release"),
        (("composition", "people.csv", "people.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease", "--first-plan", "policy.plan.yml"), "plan: raises the values of known persons"),
    ],
)  # fmt: skip
def test_what_cannot_be_attacked_is_refused_with_a_reason(lab, words, told):
    lab.write("known.csv", "age\n20.5\n21.5\n")
    lab.write("twice.csv", "name,zip,disease\nCanary-1,73911,canary-1\nCanary-1,73912,canary-2\n")
    lab.write("nobody.csv", "name,zip,disease\nCanary-1,73911,canary-1\n,73912,canary-2\n")
    if "policy.plan.yml" in words:
        lab.done("plan", lab.policy())
    assert told in lab.refused("attack", *words)
    assert told in lab.refused("attack", *words, "--json")


def test_what_cannot_be_counted_is_refused_in_python():
    table = pa.table({"who": ["a"], "z": pa.array([1]), "d": ["flu"]})
    other = pa.table({"who": ["a"], "z": pa.array([1.0]), "d": ["flu"]})
    told = "z: is of type float in the known records and integer in the target"
    with pytest.raises(kanon_sql.InputError, match=told):
        kanon_sql.attack_link(table, other, on=["z"])
    texts = pa.table({"who": ["a"], "z": pa.array(["1"]), "d": ["flu"]})
    told = "z: is of type text in the known records and float in the target"
    with pytest.raises(kanon_sql.InputError, match=told):  # a file writes 1 as 1, a float is 1.0
        kanon_sql.attack_link(other, texts, on=["z"])
    with pytest.raises(kanon_sql.InputError, match="z: is of type text in the table and float in"):
        kanon_sql.risk(texts, quasi=["z"], population=other)
    assert kanon_sql.attack_link(table, texts, on=["z"]).target.matched == 1
    with pytest.raises(kanon_sql.InputError, match="on: name at least one column"):
        kanon_sql.attack_link(table, table, on=[])
    with pytest.raises(kanon_sql.InputError, match="quasi: name at least one column"):
        kanon_sql.attack_homogeneity(table, quasi=[], sensitive="d")
    with pytest.raises(kanon_sql.InputError, match="excluding: must be at least 0"):
        kanon_sql.attack_background(table, quasi=["z"], sensitive="d", excluding=-1)
    with pytest.raises(kanon_sql.InputError, match="sensitive_nulls: is not_counted or value"):
        kanon_sql.attack_homogeneity(table, quasi=["z"], sensitive="d", sensitive_nulls="maybe")
    with pytest.raises(kanon_sql.InputError, match="z: is of type"):
        kanon_sql.attack_composition(table, other, person="who", quasi=["who"], sensitive="z")


EVERY = [
    ("link", "--target", "people.csv", "--known", "people.csv", "--on", "zip,sex,age,disease"),
    (*LINK[1:-1], "--released", "release.parquet", "--plan", "policy.plan.yml"),
    (*LINK[1:-1], "--entity", "name"),
    ("homogeneity", "people.csv", "--quasi", "name,sex", "--sensitive", "disease"),
    ("background", "people.csv", "--quasi", "zip,sex", "--sensitive", "disease", "--excluding", "4"),
    ("composition", "people.csv", "people.csv", "--person", "name", "--quasi", "name,sex", "--sensitive", "disease"),
    ("composition", "release.parquet", "people.csv", "--person", "name", "--quasi", "zip", "--sensitive", "disease",
     "--first-known", "people.csv", "--second-known", "people.csv", "--first-plan", "policy.plan.yml"),
]  # fmt: skip


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_value_is_printed_unless_asked_for(planned, as_json):
    """Whatever is exposed: names, ZIP codes and diseases of the lab are planted to be found."""
    more = ("--json",) if as_json else ()
    exposed = 0
    for words in EVERY:
        plain = planned.run("attack", *words, *more)
        assert plain.exit_code == 0, plain.output
        found = [each for each in ("anary", "7391") if each in plain.output]
        assert found == [], words
        shown = planned.done("attack", *words, *more, "--show-values")
        figures = json.loads(shown) if as_json else {}
        if as_json:
            assert len(figures.pop("shown", [])) <= 20
            assert figures == json.loads(plain.stdout)
        else:
            assert shown.startswith(plain.stdout)
        exposed += "anary" in shown or "7391" in shown
    assert exposed >= 4, "what is planted is exposed by most of them"


def test_at_most_twenty_are_shown():
    table = texts(("who", "z", "d"), [(str(n), str(n), "flu") for n in range(30)])
    asked = {"quasi": ["z"], "sensitive": "d", "show_values": True}
    assert len(kanon_sql.attack_link(table, table, on=["z"], show_values=True).shown) == 20
    assert len(kanon_sql.attack_homogeneity(table, **asked).shown) == 20
    assert len(kanon_sql.attack_composition(table, table, person="who", **asked).shown) == 20
