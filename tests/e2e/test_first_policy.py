"""`init`: from a raw table and three answers to a release, and what it says on the way."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from itertools import combinations

import duckdb
import pandas as pd
import pytest
import yaml

import kanon_sql
from benchmarks import hospital
from kanon_sql.apps.cli.commands import start as init_command
from kanon_sql.apps.getting_started.column_profiles import ColumnProfile, Spread
from kanon_sql.apps.getting_started.propose_hierarchies import recoding_of

PERSONS = 1500
CLEAN = {
    "sex": {"M", "F", "U", None},
    "race": {"white", "black", "asian", "other", "native", None},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory, lab_in):
    """A lab with a small hospital, and what `init` writes for it with three answers."""
    lab = lab_in(tmp_path_factory.mktemp("hospital"))
    lab.rows, lab.people = hospital.generate(PERSONS, lab.folder / "hospital.duckdb")
    lab.said = lab.done("init", "hospital.duckdb", *hospital.ANSWERS, "-o", "first.yml")
    lab.text = (lab.folder / "first.yml").read_text()
    return lab


def read(lab, query):
    with duckdb.connect(str(lab.folder / "hospital.duckdb"), read_only=True) as connection:
        return connection.execute(query).fetchall()


def recoded(entry):
    """An entry of a column without its reason."""
    return {key: of for key, of in entry.items() if key != "why"}


# ---- what is proposed --------------------------------------------------------------------


def test_each_column_has_a_reason_but_those_of_which_the_user_said_it(made):
    columns = yaml.safe_load((made.folder / "first.yml").read_text())["columns"]
    unsaid = {name for name, each in columns.items() if not each.get("why")}
    assert "admitted_at" in unsaid
    assert columns["discharged_at"]["why"].startswith(
        "you do not name it as what could be known, and "
    )
    assert unsaid.isdisjoint({"mrn", "name", "birth_date", "sex", "zip"})


def test_people_are_counted_and_what_identifies_is_dropped(made):
    policy = yaml.safe_load(made.text)
    dropped = {"role": "identifying", "action": "drop"}
    assert policy["entity"] == "mrn"
    for name in ("visit_id", "mrn", "discharged_at"):
        assert recoded(policy["columns"][name]) == dropped
    assert (
        f'why: "unique, or nearly: it identifies each row"}}  # {made.rows:,} distinct values'
        in made.text
    )
    ((repeated,),) = read(
        made, "SELECT COUNT(*) FROM (SELECT 1 FROM visits GROUP BY mrn HAVING COUNT(*) > 1)"
    )
    assert (
        f"{repeated:,} of {PERSONS:,} values are in several of the {made.rows:,} rows" in made.text
    )


def test_columns_are_recoded_by_what_they_hold(made):
    columns = yaml.safe_load(made.text)["columns"]
    assert columns["birth_date"]["hierarchy"] == {
        "dates": ["month", "year", "decade", "20_years", "40_years"]
    }
    units = {"dates": ["month", "quarter", "year"]}
    assert recoded(columns["admitted_at"]) == {"role": "quasi", "hierarchy": units}
    assert recoded(columns["zip"]) == {"role": "quasi", "hierarchy": {"mask": 5}}
    assert recoded(columns["diagnosis_code"]) == {"role": "sensitive"}
    for name in ("length_of_stay", "total_charges", "ward", "insurance", "readmitted"):
        assert recoded(columns[name]) == {"role": "insensitive"}
    (line,) = [line for line in made.text.splitlines() if line.startswith("  length_of_stay:")]
    assert "insensitive is a claim" in line


def test_the_bounds_are_proposed_with_their_reasons(made):
    policy = yaml.safe_load(made.text)
    assert policy["privacy"] == [{"k": 11}, {"distinct_l": {"column": "diagnosis_code", "l": 3}}]
    assert policy["suppression"] == "1%"
    assert policy["search"] == {"algorithm": "mondrian", "choose": "loss"}
    assert policy["about"]["threshold"].startswith("health data: the highest risk is 1/11")
    assert "# title:" in made.text
    assert "no faults" in made.done("lint", "first.yml")


def test_what_is_dirty_is_counted_and_cleaned_in_a_query(made):
    ((blanks, short, words, sentinels),) = read(
        made,
        """SELECT COUNT(*) FILTER (zip LIKE '% '), COUNT(*) FILTER (LENGTH(zip) = 4), COUNT(*) FILTER (zip = 'unknown'),
             COUNT(*) FILTER (birth_date = DATE '1900-01-01') FROM visits""",
    )
    assert f"{blanks:,} have blanks at the ends" in made.text
    assert f"{short:,} have 4 digits (padded with zeros)" in made.text
    assert f"{words:,} have words or letters (become NULL)" in made.text
    assert f"{sentinels:,} of {made.rows:,} rows say 1900-01-01: read as NULL" in made.text
    policy = yaml.safe_load(made.text)
    (unknown,) = policy["columns"]["birth_date"]["missing"]
    query = policy["source"]["query"]
    for name, values in CLEAN.items():
        assert {
            value for (value,) in read(made, f"SELECT DISTINCT {name} FROM ({query})")
        } <= values
    ((bad, births, charges),) = read(
        made,
        f"""SELECT COUNT(*) FILTER (NOT regexp_full_match(zip, '[0-9]{{5}}')), MIN(NULLIF(birth_date, DATE '{unknown}'))::VARCHAR,
              COUNT(*) FILTER (total_charges % 100 <> 0) FROM ({query})""",
    )
    assert (bad, charges) == (0, 0)
    assert births > "1920"


def test_no_value_is_in_what_init_writes_or_prints(made):
    there = made.text + made.said
    for column in ("mrn", "race", "insurance", "ward", "diagnosis_code", "attending"):
        for (value,) in read(made, f"SELECT DISTINCT {column}::VARCHAR FROM visits LIMIT 50"):
            if value == "other":  # a word of the comments too: a value that no other row has
                continue
            assert value is None or f" {value} " not in there.replace("'", " ").replace('"', " ")


def test_values_are_shown_where_they_are_asked_for(made):
    made.done("init", "hospital.duckdb", "--show-values", *hospital.ANSWERS, "-o", "shown.yml")
    text = (made.folder / "shown.yml").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("#   race:")]
    assert "such as 'White', " in line
    assert yaml.safe_load(text) == yaml.safe_load(made.text)


# ---- the release that it leads to --------------------------------------------------------


def people_in_classes(lab, file, columns):
    """The people of each class of a release that keeps the visit's number, by a join with the source."""
    return [
        people
        for (people,) in read(
            lab,
            f"SELECT COUNT(DISTINCT v.mrn) FROM read_parquet('{lab.folder / file}') AS r "
            f"JOIN visits AS v USING (visit_id) GROUP BY {', '.join(f'r.{c}' for c in columns)}",
        )
    ]


@pytest.fixture(scope="module")
def counted(made):
    """The people in the classes of a release by the first policy, which keeps the visit's number."""
    hospital.with_visits(made.folder / "first.yml", made.folder / "counted.yml", "counted.parquet")
    made.done("plan", "counted.yml")
    made.done("apply", "counted.plan.yml")
    return people_in_classes(made, "counted.parquet", hospital.QUASI)


def test_every_class_of_the_release_has_k_people(counted):
    assert min(counted) >= 11
    assert len(counted) > 20


def test_a_parquet_lake_leads_to_the_same_classes(made, counted):
    lake = made.folder / "lake"
    lake.mkdir()
    for n in range(3):
        with duckdb.connect(str(made.folder / "hospital.duckdb"), read_only=True) as connection:
            part = connection.sql(f"FROM visits WHERE visit_id.hash() % 3 = {n}")
            part.write_parquet(str(lake / f"{n}.parquet"))
    made.done("init", "lake", *hospital.ANSWERS, "-o", "lake.yml")
    hospital.with_visits(made.folder / "lake.yml", made.folder / "of_lake.yml", "of_lake.parquet")
    made.done("anonymize", "of_lake.yml")
    people = people_in_classes(made, "of_lake.parquet", hospital.QUASI)
    assert sorted(people) == sorted(counted)


def test_classes_of_k_rows_hold_fewer_people_and_init_proposes_none(made):
    """What `entity: row` verifies beside a key that repeats: the classes that made `init` unsafe."""
    hospital.with_visits(made.folder / "first.yml", made.folder / "rows.yml", "rows.parquet")
    policy = yaml.safe_load((made.folder / "rows.yml").read_text())
    policy.update(entity="row", privacy=[{"k": 5}])
    (made.folder / "rows.yml").write_text(yaml.safe_dump(policy))
    assert "verified" in made.done("anonymize", "rows.yml")
    people = people_in_classes(made, "rows.parquet", hospital.QUASI)
    assert sum(each < 5 for each in people) > 0
    assert yaml.safe_load(made.text)["entity"] != "row"


@pytest.mark.slow
def test_the_whole_hospital_is_as_useful_as_a_specialist_makes_it(monkeypatch, capfd):
    monkeypatch.setattr(
        "sys.argv", ["hospital", "--cpu-seconds", "inf"]
    )  # the benchmark's own matter
    hospital.main()
    assert '"classes_below_k": 0' in capfd.readouterr().out


# ---- sources -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["a table", "csv", "parquet", "folder"])
def test_the_query_reads_the_source_that_it_cleans(lab, kind):
    (lab.folder / "deep").mkdir()
    rows = "".join(
        f"{20 + i % 50},{' 01234'[i % 2 :]},{('Red', 'red', 'blue')[i % 3]}\n" for i in range(90)
    )
    file = lab.write("raw.csv", f"age,zip,colour\n{rows}")
    frame = duckdb.read_csv(str(file), all_varchar=True)
    given, more = "raw.csv", ()
    if kind == "parquet":
        given = "raw.parquet"
        frame.write_parquet(str(lab.folder / given))
    elif kind == "folder":
        (lab.folder / "lake").mkdir()
        given = "lake"
        frame.write_parquet(str(lab.folder / "lake" / "a.parquet"))
    elif kind == "a table":
        given, more = "raw", ("--database", "raw.duckdb")
        with duckdb.connect(str(lab.folder / "raw.duckdb")) as connection:
            connection.execute(f"CREATE TABLE raw AS FROM read_csv('{file}', all_varchar = TRUE)")
    lab.done("init", given, *more, "-o", "deep/first.yml")
    policy = yaml.safe_load((lab.folder / "deep" / "first.yml").read_text())
    assert "LOWER(TRIM(" in policy["source"]["query"]
    lab.done("lint", "deep/first.yml")
    lab.done("anonymize", "deep/first.yml", "--release", "out.parquet")
    released = duckdb.read_parquet(str(lab.folder / "out.parquet")).project("colour").distinct()
    colours = {colour for (colour,) in released.fetchall()}
    assert colours <= {"red", "blue", "*"}


def test_a_clean_source_stays_as_it_is(lab):
    policy = yaml.safe_load(lab.done("init", "people.csv", "-o", "-"))
    assert policy["source"] == "people.csv"


def test_rows_of_nobody_are_left_out_by_the_query(lab):
    rows = "".join(
        f"{'' if i % 9 == 0 else f'p{i % 40}'},19{60 + i % 40}-01-01,{i % 7}\n" for i in range(360)
    )
    lab.write("visits.csv", f"patient_id,birth_date,ward\n{rows}")
    lab.done("init", "visits.csv", "-o", "first.yml")
    text = (lab.folder / "first.yml").read_text()
    assert "40 rows are of an unknown person, who cannot be counted; they are left out" in text
    assert yaml.safe_load(text)["entity"] == "patient_id"
    assert "no faults" in lab.done("lint", "first.yml")


def test_columns_of_any_type_get_a_policy_that_lints(lab):
    with duckdb.connect(str(lab.folder / "odd.duckdb")) as connection:
        connection.execute(
            """CREATE TABLE odd AS SELECT uuid() AS u, NULL::VARCHAR AS nothing, NULL::DATE AS no_date, NULL::INTEGER AS number,
                 TIME '10:00:00' + to_minutes(i % 50) AS clock, to_days((i % 5)::INTEGER) AS span,
                 (i % 3)::VARCHAR::ENUM('0', '1', '2') AS letter, i::HUGEINT * 1000000000000000000 AS big,
                 CASE i % 7 WHEN 0 THEN 'inf'::DOUBLE WHEN 1 THEN 'nan'::DOUBLE ELSE i / 7.0 END AS share,
                 [i] AS several, {'a': i} AS pair, TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_hours(i) AS moment,
                 CASE WHEN i % 2 = 0 THEN 'a''b"c' ELSE E'x\ny ' END AS "we""ird
col", i % 2 = 0 AS flag, '' AS blank
               FROM range(300) AS r(i)"""
        )
    lab.done("init", "odd", "--database", "odd.duckdb", "-o", "first.yml")
    assert "no faults" in lab.done("lint", "first.yml")
    columns = yaml.safe_load((lab.folder / "first.yml").read_text())["columns"]
    assert "dates" in columns["moment"]["hierarchy"]
    assert recoded(columns["nothing"]) == {"role": "insensitive"}


# ---- questions ---------------------------------------------------------------------------


def test_questions_without_an_answer_are_printed_with_what_was_taken(made):
    said = made.done("init", "hospital.duckdb", "-o", "asked.yml", "--replace")
    assert "taken: --known attending,admitted_at,discharged_at,ward,readmitted\n" in said
    assert "taken: --sensitive insurance,diagnosis_code\n" in said
    assert "taken: --drop none" in said
    assert "taken: --key drop" in said
    assert "taken: --for records" in said
    policy = yaml.safe_load((made.folder / "asked.yml").read_text())
    assert policy["columns"]["ward"]["role"] == "quasi"
    assert "taken" not in made.said


def test_a_terminal_is_asked(made, monkeypatch):
    said = iter(["admitted_at", "none", "none", "drop", "records"])
    monkeypatch.setattr(init_command, "is_terminal", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(said))
    made.done("init", "hospital.duckdb", "-o", "asked.yml", "--replace")
    columns = yaml.safe_load((made.folder / "asked.yml").read_text())["columns"]
    assert columns["admitted_at"]["role"] == "quasi"
    assert recoded(columns["ward"]) == {"role": "insensitive"}
    assert not [name for name, each in columns.items() if each["role"] == "sensitive"]


def test_a_terminal_is_asked_again_after_a_misspelt_answer_and_reads_80_columns(made, monkeypatch):
    said = iter(["wrad", "ward", "ward", "none", "none", "drop", "records"])
    monkeypatch.setattr(init_command, "is_terminal", lambda: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(said))
    monkeypatch.setenv("COLUMNS", "80")
    told = made.done("init", "hospital.duckdb", "-o", "asked.yml", "--replace")
    columns = yaml.safe_load((made.folder / "asked.yml").read_text())["columns"]
    assert columns["ward"]["role"] == "quasi"
    assert next(said, None) is None
    assert "  wrad is not a column of the source; did you mean ward?" in told.splitlines()
    assert "  ward is in --known, too" in told.splitlines()
    assert "default: attending, admitted_at," in told
    assert max(map(len, told.splitlines())) <= 80


def test_a_key_that_is_needed_is_counted_by_signatures(made, monkeypatch):
    monkeypatch.setenv("KANON_SQL_KEY", "a key of thirty-two bytes, or so")
    answers = ("--known", "none", "--sensitive", "none", "--key", "signature")
    made.done("init", "hospital.duckdb", *answers, "-o", "keyed.yml")
    policy = yaml.safe_load((made.folder / "keyed.yml").read_text())
    assert policy["entity"] == {"signature": "mrn"}
    assert policy["columns"]["mrn"]["action"] == "hash"
    assert policy["search"]["algorithm"] in {"optimal", "lightning"}
    assert "no faults" in made.done("lint", "keyed.yml")


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        (("--known", "shoe"), "--known: shoe is not a column of the source"),
        (("--known", "wrad"), "--known: wrad is not a column of the source; did you mean ward?"),
        (("--known", "ward", "--sensitive", "ward"), "ward is in --known, too"),
    ],
)
def test_answers_that_fit_no_column_are_refused(made, answers, what):
    assert what in made.refused("init", "hospital.duckdb", *answers, "-o", "none.yml")


def test_what_is_released_for_counts_is_grouped_without_reading_labels(lab):
    source = files("kanon_sql") / "apps" / "sample" / "people.csv"
    lab.done("init", source, "-o", "counts.yml", "--for", "counts", "--known", "age,days")
    policy = yaml.safe_load((lab.folder / "counts.yml").read_text())
    assert policy["output"] == "apportioned"
    assert "does not show what is true of it" in " ".join(lab.done("plan", "counts.yml").split())
    lab.done("apply", "counts.plan.yml", "--release", "counts.parquet")
    with duckdb.connect() as connection:
        counts = [
            connection.execute(
                f"SELECT sex, COUNT(*), AVG(age) FROM '{lab.folder / file}' GROUP BY sex ORDER BY sex"
            ).fetchall()
            for file in (source, "counts.parquet")
        ]
    for (sex, rows, age), (shown, many, mean) in zip(*counts, strict=True):
        assert sex == shown
        assert abs(many - rows) < 0.02 * rows
        assert abs(mean - age) < 2


def test_what_is_released_for_records_has_labels_that_nest_and_says_how_wrong_a_count_is(lab):
    source = files("kanon_sql") / "apps" / "sample" / "people.csv"
    lab.done("init", source, "-o", "records.yml", "--known", "age,birth")
    planned = lab.done("plan", "records.yml")
    lab.done("apply", "records.plan.yml", "--release", "records.parquet")
    measured = lab.done("quality", "records.parquet", "--plan", "records.plan.yml")
    (said,) = [line for line in planned.splitlines() if line.startswith("count error: ")]
    assert said in measured
    with duckdb.connect() as connection:
        released = connection.execute(f"SELECT age, birth, zip FROM '{lab.folder}/records.parquet'")
        columns = list(zip(*released.fetchall(), strict=True))
    for labels in columns:
        sets = [covered(label) for label in sorted(set(labels))]
        assert len(sets) > 2
        for one, other in combinations(sets, 2):
            assert one <= other or other <= one or not one & other


def covered(label):
    """List what a label may stand for: of numbers below 120, of years, or of the codes that the sample has."""
    if found := re.fullmatch(r"\[(\d+), (\d+)\)", label):
        return set(range(int(found[1]), int(found[2])))
    if re.fullmatch(r"\d{1,3}", label):
        return {int(label)}
    if found := re.fullmatch(r"(\d{4})s", label):
        return set(range(int(found[1]), int(found[1]) + 10))
    if re.fullmatch(r"\d{4}", label):
        return {int(label)}
    known = [*range(3000), *(f"{n:05}" for n in range(2000, 3000))]
    return {each for each in known if label == "*" or str(each).startswith(label.rstrip("*"))}


def test_people_who_are_joined_by_a_key_are_not_released_for_counts(made):
    told = made.refused(
        "init", "hospital.duckdb", "--key", "signature", "--for", "counts", "-o", "none.yml"
    )
    assert "--for: counts is not for --key signature" in told


def test_a_key_that_nobody_has_is_refused(lab):
    assert "--key: no column" in lab.refused("init", "people.csv", "--key", "signature")


# ---- bounds that are nobody's ------------------------------------------------------------


def numbers(spread, *, fractions=0):
    return ColumnProfile(
        "n", "INTEGER", "number", 1000, 1000, 500, 0, 0, 500, 500, 1000, 1000, fractions, 0, 0, 1, 6,
        family="integer", spread=spread,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        (
            Spread(17, 90, 17, 20, 37, 63, 74),
            "hierarchy: {intervals: [2, 10, 20, 40]}",
        ),
        (
            Spread(0, 1_000_000, 0, 10, 500, 900, 1000),
            "hierarchy: {intervals: {widths: [50, 100, 200, 400, 800, 1600], bottom: 0, top: 1600}}",
        ),
        (
            Spread(0, 9, 0, 0, 1, 6, 8),
            "hierarchy: {intervals: [2, 4]}",
        ),
        (Spread(0, 1, 0, 0, 1, 1, 1), "hierarchy: suppress"),
    ],
)
def test_intervals_follow_the_quantiles(spread, expected):
    assert recoding_of(numbers(spread), None) == expected


@pytest.mark.parametrize("name", ["ward_id", "id", "wardId", "WardID", "ward_key"])
def test_numbers_that_name_a_thing_have_no_intervals_and_no_mean(name):
    spread = Spread(1, 8, 1, 2, 4, 6, 8)
    assert recoding_of(replace(numbers(spread), name=name), None, use="means") == "hierarchy: suppress"  # fmt: skip
    days = recoding_of(replace(numbers(spread), name="paid"), None, use="means")
    assert days == "hierarchy: {intervals: [2, 4]}, order: number, output: mean"


def test_released_values_have_steps_only_where_few_rows_have_each_number():
    ages = numbers(Spread(17, 90, 17, 20, 37, 63, 74))
    labels = recoding_of(ages, None)
    assert recoding_of(ages, None, use="counts") == f"{labels}, order: number, snap: 2"
    often = replace(ages, rows=40 * ages.values, present=40 * ages.values)
    assert recoding_of(often, None, use="counts") == labels
    assert recoding_of(ages, "ages.csv", use="counts") == "hierarchy: {csv: ages.csv}"


@pytest.mark.parametrize(
    ("column", "entry"),
    [
        ("(i % 40) * 1000003", "intervals: [2000000, 10000000, 20000000]"),
        ("CASE WHEN i % 9 = 0 THEN 'infinity' ELSE DATE '1950-01-01' + i * 30 END", "dates:"),
    ],
)
def test_values_far_away_get_a_policy_that_plans(lab, column, entry):
    with duckdb.connect(str(lab.folder / "far.duckdb")) as connection:
        connection.execute(
            f"""CREATE TABLE far AS SELECT {column} AS q, i % 2 AS sex,
                  CASE i % 7 WHEN 0 THEN 'inf' WHEN 1 THEN 'nan' WHEN 2 THEN 1e30 ELSE i / 7.0 END::DOUBLE AS charges
                FROM range(400) AS r(i)""".replace("i * 30", "(i * 30)::INTEGER")
        )
    lab.done("init", "far", "--database", "far.duckdb", "-o", "far.yml")
    policy = yaml.safe_load((lab.folder / "far.yml").read_text())
    assert entry in (lab.folder / "far.yml").read_text()
    lab.done("plan", "far.yml")
    with duckdb.connect(str(lab.folder / "far.duckdb")) as connection:
        rows = connection.execute(
            f"SELECT count(*), count(charges) FROM ({policy['source']['query']})"
        ).fetchone()
    assert rows == (400, sum(i % 7 > 2 for i in range(400)))
    assert policy["columns"]["q"].get("missing") == (["infinity"] if entry == "dates:" else None)


def test_codes_of_another_shape_stay_but_words_for_unknown_become_null(lab):
    rows = "".join(
        f"{i % 50},{'V270' if i == 7 else 25000 + i % 9},{'unknown' if i == 9 else 300000 + i % 9}\n"
        for i in range(200)
    )
    lab.write("codes.csv", f"age,diagnosis,ward\n{rows}")
    policy = yaml.safe_load(lab.done("init", "codes.csv", "-o", "-"))
    assert policy["columns"]["ward"]["missing"] == ["unknown"]
    assert "missing" not in policy["columns"]["diagnosis"]
    policy |= {"privacy": {"k": 2}, "source": str(lab.folder / "codes.csv")}
    del policy["release"]
    released = kanon_sql.anonymize(policy).to_arrow()
    assert "V270" in released["diagnosis"].to_pylist()
    assert "unknown" not in released["ward"].to_pylist()


def test_a_key_by_its_name_is_one_beside_wrong_days_of_birth(lab):
    rows = "".join(
        f"p{i % 40},19{50 + (0 if i < 8 else i % 40)}-01-01,{i % 7}\n" for i in range(400)
    )
    lab.write("visits.csv", f"patient_id,birth_date,ward\n{rows}")
    policy = yaml.safe_load(lab.done("init", "visits.csv", "-o", "-"))
    assert policy["entity"] == "patient_id"
    lab.write("visits.csv", f"wing_id,birth_date,ward\n{rows}")
    assert yaml.safe_load(lab.done("init", "visits.csv", "-o", "-"))["entity"] == "row"


HOUSEHOLDS = [
    (hhid, member, "fm"[(hhid + member) % 2], 20 + 3 * member + hhid % 11, f"r{hhid % 5}", hhid % 9)
    for hhid in range(1, 101)
    for member in range(1, 2 + hhid % 4)
]


def test_households_are_named_and_their_key_is_no_quasi_identifier(lab):
    lines = [",".join(map(str, row)) for row in HOUSEHOLDS]
    lab.write("people.csv", "\n".join(["hhid,member,sex,age,region,rooms", *lines]) + "\n")
    said = lab.done("init", "people.csv")
    first = yaml.safe_load((lab.folder / "policy.yml").read_text(encoding="utf-8"))
    assert first["entity"] == "hhid"
    assert recoded(first["columns"]["hhid"]) == {"role": "identifying", "action": "drop"}
    assert "Classes count households" in said
    assert "row would count their members" in (lab.folder / "policy.yml").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("key", ["id", "nr", "q17", "Kennung"])
@pytest.mark.parametrize("text", ["{}", "x{}", "{}.0"])
def test_a_key_of_any_name_that_repeats_is_the_entity(lab, key, text):
    rows = [
        (text.format(n), "fm"[n % 2], 1950 + n % 40, year, (n * year) % 97)
        for n in range(90)
        for year in range(4)
    ]
    lines = [",".join(map(str, row)) for row in rows]
    lab.write("panel.csv", "\n".join([f"{key},sex,born_in,year,pay", *lines]) + "\n")
    first = yaml.safe_load(lab.done("init", "panel.csv", "-o", "-"))
    assert first["entity"] == key
    assert recoded(first["columns"][key]) == {"role": "identifying", "action": "drop"}


def test_a_table_without_people_that_repeat_has_no_key(lab):
    """Codes that determine their label, and measures that repeat, are no keys."""
    rows = [
        (n % 30, f"l{n % 30}", n * 7 % 211, n * 13 % 17, "ab"[n * 5 % 3 == 0]) for n in range(900)
    ]
    lines = [",".join(map(str, row)) for row in rows]
    lab.write("codes.csv", "\n".join(["code,label,amount,floor,kind", *lines]) + "\n")
    assert yaml.safe_load(lab.done("init", "codes.csv", "-o", "-"))["entity"] == "row"


def test_numbers_that_are_not_finite_are_read_as_null_and_counted(lab):
    with duckdb.connect(str(lab.folder / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT CASE WHEN i % 100 = 0 THEN 'nan'::DOUBLE WHEN i % 150 = 1 THEN 'inf'::DOUBLE "
            "ELSE i % 90 END AS q, 20 + i % 50 AS age, 'd' || i % 7 AS disease FROM range(900) AS r (i)"
        )
    lab.done("init", "t.duckdb", "--known", "q,age", "--sensitive", "disease")
    text = (lab.folder / "policy.yml").read_text(encoding="utf-8")
    assert "q: 15 rows have no number below 10^15 (infinite, or NaN): NULL" in text
    assert "intervals" in yaml.safe_load(text)["columns"]["q"]["hierarchy"]
    lab.done("anonymize", "policy.yml")


def test_a_frame_with_numbers_that_are_not_finite_is_released():
    frame = pd.DataFrame(
        {"q": [float("inf"), float("nan"), *map(float, range(98))], "s": ["a", "b"] * 50}
    )
    with kanon_sql.anonymize(frame, quasi=["q"], sensitive=["s"], k=3) as release:
        assert release.verification.passed


def test_a_column_of_a_frame_may_be_named_by_its_number():
    frame = pd.DataFrame({0: list(range(40)), 1: ["a", "b"] * 20})
    assert kanon_sql.suggest(frame, quasi=[0], keep=[1])["columns"]["0"]["role"] == "quasi"
    with kanon_sql.anonymize(frame, quasi=[0], sensitive=[1], k=2) as release:
        assert list(release.to_pandas().columns) == ["0", "1"]
    with pytest.raises(kanon_sql.InputError, match="is not a column"):
        kanon_sql.suggest(frame, quasi=[7])
    with pytest.raises(kanon_sql.InputError, match="must be a text or a list of texts or None"):
        kanon_sql.suggest(frame, quasi=True)


def test_every_argument_that_names_columns_takes_the_number_of_one():
    """A frame's label that is a number is a text in every other place, so each argument is read alike."""
    frame = pd.DataFrame(
        {0: [n // 2 for n in range(40)], 1: ["a", "b", "c", "d"] * 10, 2: [*range(10)] * 4}
    )
    tens = {0: "drop", 2: {"intervals": [5, 10]}}
    found = kanon_sql.suggest(frame, quasi=2, sensitive=1, entity=0, hierarchies={2: tens[2]})
    assert (found["entity"], found["columns"]["2"]["hierarchy"]) == ("0", {"intervals": [5, 10]})
    given = {"hierarchies": {2: tens[2]}, "entity": 0, "k": 2, "suppression": "50%"}
    with kanon_sql.anonymize(frame, quasi=2, sensitive=1, **given) as release:
        assert release.verification.passed
    counted = kanon_sql.verify(
        frame, quasi=[2], k=2, entity=0, distinct_l={1: 2}, order={2: "number"}
    )
    assert counted == kanon_sql.verify(
        frame, quasi=["2"], k=2, entity="0", distinct_l={"1": 2}, order={"2": "number"}
    )
    assert kanon_sql.verify(frame, quasi=[2], k=2, signature=0).classes
    told = kanon_sql.risk(frame, quasi=[2], entity=0)
    assert told == kanon_sql.risk(frame, quasi=["2"], entity="0")
