"""Keys and subsets that users of masking tools reported as faults: two ways to one table, parts of keys, columns that databases make."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
from clinics import ORDERS, PEOPLE, STAYS, build, events_of, rows_of
from clinics import policy as policy_of_events
from hospitals import KEY, KEY_ENV, assert_keys_valid, below_k, pseudonym, quoted, released

from kanon_sql.apps.schema.release_schema import apply_schema
from kanon_sql.errors import SourceError

SEX = {"role": "quasi", "hierarchy": "suppress"}
PERSON = {"entity": "person", "columns": {"sex": SEX}, "privacy": {"k": 5}}
KEPT = {"role": "insensitive"}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


def key(*columns):
    return {"key_env": KEY_ENV, "columns": list(columns)}


def unguarded(*kept):
    return {"of": "person", "protect": "none", "columns": dict.fromkeys(kept, KEPT)}


def schema(keys, tables, **more):
    return {"version": 2, "keys": keys, "tables": tables, "release": {"schema": "anon"}, **more}


def test_a_table_that_is_found_by_two_ways_is_subset_once():
    """Invoices name their customer, and a card that names the customer; some name no card."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE person (id INTEGER PRIMARY KEY, sex TEXT);
            CREATE TABLE card (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person (id));
            CREATE TABLE invoice (id INTEGER PRIMARY KEY, payer INTEGER REFERENCES person (id),
              card INTEGER REFERENCES card (id), amount INTEGER);
            INSERT INTO person SELECT i, ['F', 'M'][1 + i % 2] FROM range(200) AS t (i);
            INSERT INTO card SELECT i, i % 200 FROM range(300) AS t (i);
            INSERT INTO invoice SELECT i, i % 200, CASE WHEN i % 5 > 0 THEN i * 7 % 300 END, i % 9
            FROM range(800) AS t (i)"""
        )
        source = connection.execute("SELECT id, payer, card FROM invoice").fetchall()
        keys = {
            "person": key("person.id", "card.owner", "invoice.payer"),
            "card": key("card.id", "invoice.card"),
            "invoice": key("invoice.id"),
        }
        tables = {"person": PERSON, "card": unguarded(), "invoice": unguarded("amount")}
        given = schema(keys, tables, subset={"person": "id < 50"})
        apply_schema(policy=given, connection=connection)
        found = released(connection.execute, "anon", tables)
    kept = {
        each for each, payer, card in source if payer < 50 and (card is None or card % 200 < 50)
    }
    assert {row["id"] for row in found["invoice"]} == {pseudonym(each, "invoice") for each in kept}
    assert any(row["card"] is None for row in found["invoice"])
    assert_keys_valid(
        found,
        [("card", "owner", "person", "id"), ("invoice", "payer", "person", "id"), ("invoice", "card", "card", "id")],
    )  # fmt: skip


@pytest.mark.parametrize("first", ["number", "branch"])
def test_a_part_of_a_composite_key_leads_to_people_where_it_is_unique(first):
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE person (id INTEGER PRIMARY KEY, sex TEXT);
            CREATE TABLE account (owner INTEGER REFERENCES person (id), branch INTEGER, number INTEGER, UNIQUE (branch, number));
            CREATE TABLE moves (branch INTEGER, number TEXT, amount INTEGER);
            CREATE TABLE holds (branch INTEGER, number INTEGER, FOREIGN KEY (branch, number) REFERENCES account (branch, number));
            INSERT INTO person SELECT i, ['F', 'M'][1 + i % 2] FROM range(100) AS t (i);
            INSERT INTO account SELECT i % 100, i % 3, i FROM range(150) AS t (i);
            INSERT INTO moves SELECT i % 3, (i % 150)::TEXT, i % 7 FROM range(600) AS t (i);
            INSERT INTO holds SELECT i % 3, i FROM range(90) AS t (i)"""
        )
        both = {
            each: key(*(f"{table}.{each}" for table in ("account", "moves", "holds")))
            for each in ("branch", "number")
        }
        keys = {"person": key("person.id", "account.owner"), first: both.pop(first), **both}
        tables = {"person": PERSON, "account": unguarded(), "moves": unguarded("amount"), "holds": unguarded()}  # fmt: skip
        given = schema(keys, tables)
        if first == "branch":
            with pytest.raises(SourceError, match="list it before this one under keys"):
                apply_schema(policy=given, connection=connection)
            return
        apply_schema(policy=given, connection=connection)
        found = released(connection.execute, "anon", tables)
    pairs = {(row["branch"], row["number"]) for row in found["account"]}
    assert len(found["moves"]) == 600  # a number there is a text here, of one pseudonym
    assert {row["number"] for row in found["moves"]} == {row["number"] for row in found["account"]}
    assert {(row["branch"], row["number"]) for row in found["holds"]} <= pairs


def test_columns_that_postgres_makes_partitions_and_uuids(postgres):
    postgres.execute(
        """CREATE SCHEMA app;
        CREATE TABLE app.person (id uuid PRIMARY KEY, no int GENERATED ALWAYS AS IDENTITY, sex text,
          label text GENERATED ALWAYS AS ('sex ' || sex) STORED);
        CREATE TABLE app.visit (person uuid REFERENCES app.person, day int, twice int GENERATED ALWAYS AS (day * 2) STORED)
          PARTITION BY RANGE (day);
        CREATE TABLE app.early PARTITION OF app.visit FOR VALUES FROM (0) TO (50);
        CREATE TABLE app.late PARTITION OF app.visit FOR VALUES FROM (50) TO (100);
        INSERT INTO app.person (id, sex) SELECT md5(i::text)::uuid, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END
          FROM generate_series(1, 100) AS i;
        INSERT INTO app.visit SELECT md5((1 + i % 100)::text)::uuid, i % 100 FROM generate_series(1, 500) AS i"""
    )
    drop = {"role": "identifying", "action": "drop"}
    keys = {"person": key("app.person.id", "app.visit.person")}
    person = {**PERSON, "columns": {"sex": SEX, "no": drop, "label": drop}}
    tables = {"app.person": person, "app.visit": unguarded("day", "twice")}
    release = apply_schema(policy=schema(keys, tables), connection=postgres.connection)
    found = released(postgres.execute, "anon", ["person", "visit"])
    ids = postgres.execute("SELECT CAST(id AS text) FROM app.person").fetchall()
    assert {row["id"] for row in found["person"]} == {pseudonym(each, "person") for (each,) in ids}
    assert Counter(row["day"] for row in found["visit"]) == Counter(i % 100 for i in range(1, 501))
    assert all(row["twice"] == 2 * row["day"] for row in found["visit"])
    assert release.published.created == ("app.visit.person -> app.person.id",)
    postgres.execute("DROP SCHEMA app CASCADE; DROP SCHEMA anon CASCADE")


class OnDuckDB:
    """A database of its own."""

    def __init__(self, connection):
        self.connection, self.execute = connection, connection.execute


def test_a_coarser_release_is_made_of_a_finer_one_by_a_policy_of_its_own():
    with duckdb.connect() as connection:
        check_coarser(OnDuckDB(connection))


def test_a_coarser_release_is_made_of_a_finer_one_on_postgres(postgres):
    check_coarser(postgres, "public")
    for name in ("the anon", "research"):
        postgres.execute(f'DROP SCHEMA "{name}" CASCADE')


def check_coarser(place, *built_in):
    """The tables of the finer release are those of the coarser policy: what it shows follows from the finer one."""
    known, finer_k, coarser_k = 2, 4, 40
    execute, connection = place.execute, place.connection
    build(execute, rows_of(1, people=300), *built_in)
    apply_schema(policy=policy_of_events(known), connection=connection)
    given = policy_of_events(known)
    places = {name: f'"the anon".{quoted(name)}' for name in given["tables"]}
    given["keys"]["person"]["columns"] = [
        f"{places[name]}.{own}"
        for name, own in zip(places, ("id", "the person", "the person"), strict=True)
    ]
    for own in given["tables"].values():
        own["columns"] = {
            each: SEX if entry["role"] == "quasi" else entry
            for each, entry in own["columns"].items()
        }
    given["tables"] = {places[name]: own for name, own in given["tables"].items()}
    given["tables"][places[PEOPLE]]["privacy"] = {"k": coarser_k}
    apply_schema(policy={**given, "release": {"schema": "research"}}, connection=connection)
    finer, coarser = (
        released(execute, each, [PEOPLE, STAYS, ORDERS]) for each in ("the anon", "research")
    )
    ids = {pseudonym(row["id"], "person"): row["sex"] for row in finer[PEOPLE]}
    assert {row["id"] for row in coarser[PEOPLE]} <= set(ids)
    assert all(row["sex"] in {ids[row["id"]], "*"} for row in coarser[PEOPLE])
    sizes = Counter(row["sex"] for row in coarser[PEOPLE])
    assert min(sizes.values()) >= coarser_k
    for name in (STAYS, ORDERS):
        items = {row["n"]: row for row in finer[name]}
        for row in coarser[name]:
            was = items[row["n"]]
            assert row["the person"] == pseudonym(was["the person"], "person")
            assert all(
                row[each] in {was[each], "*"} for each in row if each not in {"the person", "n"}
            )
    # Whoever holds both and joins them, even by the key, sees the finer classes and no smaller ones.
    classes = Counter((ids[row["id"]], row["sex"]) for row in coarser[PEOPLE])
    assert min(classes.values()) >= finer_k
    short = Counter()
    shown = events_of({name: coarser[name] for name in (STAYS, ORDERS)})
    for row in coarser[PEOPLE]:
        short.update({(row["sex"], each) for each in shown[row["id"]]})
    assert min(short.values()) >= coarser_k


STAFF_WHO_ARE_PATIENTS = """CREATE TABLE person (id INTEGER PRIMARY KEY, sex TEXT);
CREATE TABLE doctor (id INTEGER PRIMARY KEY, self INTEGER REFERENCES person (id), field TEXT);
CREATE TABLE shift (id INTEGER PRIMARY KEY, doctor INTEGER REFERENCES doctor (id), ward INTEGER);
CREATE TABLE visit (id INTEGER PRIMARY KEY, person INTEGER REFERENCES person (id), doctor INTEGER REFERENCES doctor (id));
INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 60) AS t (i);
INSERT INTO doctor SELECT 100 + i, CASE WHEN i < 40 THEN i END, 'f' || i % 3 FROM generate_series(1, 45) AS t (i);
INSERT INTO shift SELECT i, 101 + i * 7 % 39, i % 2 FROM generate_series(1, 12) AS t (i);
INSERT INTO visit SELECT i, 1 + i % 60, CASE WHEN i % 20 > 0 THEN 101 + 3 * (i % 10) END FROM generate_series(1, 60) AS t (i)"""


def doctors_who_are_patients(database):
    """Shifts are of doctors, some of whom are patients; visits name a doctor: a reader joins all of it to the patients."""
    for each in STAFF_WHO_ARE_PATIENTS.split(";\n"):
        database.execute(each)
    keys = {
        "person": key("person.id", "doctor.self", "visit.person"),
        "doctor": key("doctor.id", "shift.doctor", "visit.doctor"),
        "shift": key("shift.id"),
        "visit": key("visit.id"),
    }
    field = {"role": "quasi", "hierarchy": "suppress"}
    tables = {
        "person": PERSON,
        "doctor": {"entity": "doctor", "columns": {"field": field}, "privacy": {"k": 5}},
        "shift": {**unguarded("ward"), "of": "doctor"},
        "visit": unguarded(),
    }
    plan = apply_schema(policy=schema(keys, tables), connection=database.connection).plan
    found = released(database.execute, "anon", tables)
    doctors = {row["id"]: row for row in found["doctor"]}
    assert len({row["field"] for row in found["doctor"]}) == 3
    linked = [
        [(row["self"], (row["field"],)) for row in found["doctor"]],
        [(row["person"], (doctors[row["doctor"]]["field"] if row["doctor"] else None,)) for row in found["visit"]],
        [(doctors[row["doctor"]]["self"], (row["ward"], doctors[row["doctor"]]["field"])) for row in found["shift"]],
    ]  # fmt: skip
    (joined,) = [each for each in plan.joined if each.people_of == "person"]
    assert joined.tables == ("doctor", "visit", "shift")
    assert (joined.below, joined.fewest) == below_k(found["person"], "id", ["sex"], linked, 5)
    alone = below_k(found["person"], "id", ["sex"], linked[:1], 5)[0]
    assert alone < below_k(found["person"], "id", ["sex"], linked[:2], 5)[0] < joined.below


def test_doctors_who_are_patients_are_joined_with_all_that_names_them():
    with duckdb.connect() as connection:
        doctors_who_are_patients(OnDuckDB(connection))


def test_doctors_who_are_patients_on_postgres(postgres):
    postgres.execute("CREATE SCHEMA clinic")
    postgres.execute("SET search_path = clinic")
    doctors_who_are_patients(postgres)
    postgres.execute("RESET search_path")
    postgres.execute("DROP SCHEMA clinic CASCADE; DROP SCHEMA anon CASCADE")


@pytest.mark.parametrize(
    ("kind", "value"), [("DECIMAL(9, 2)", "1"), ("VARCHAR", "'01'"), ("DOUBLE", "1")]
)
def test_keys_that_are_equal_by_value_and_not_by_text_are_refused(kind, value):
    """Their pseudonyms would differ, and each row would be left out as one without its person."""
    with duckdb.connect() as connection:
        connection.execute(
            f"""CREATE TABLE person (id INTEGER PRIMARY KEY, sex TEXT); CREATE TABLE visit (person {kind});
            INSERT INTO person SELECT i, 'F' FROM range(20) AS t (i); INSERT INTO visit VALUES ({value}), ({value}), (99)"""
        )
        given = schema({"person": key("person.id", "visit.person")}, {"person": PERSON, "visit": unguarded()})  # fmt: skip
        with pytest.raises(SourceError, match=r"visit.person -> person.id: 2 rows would lose the row that they name") as said:  # fmt: skip
            apply_schema(policy=given, connection=connection)
        assert "01" not in str(said.value)
        connection.execute("CREATE OR REPLACE TABLE visit AS SELECT CAST(person AS INTEGER) AS person FROM visit")  # fmt: skip
        assert apply_schema(policy=given, connection=connection).published.rows["visit"] == 2


def test_enums_of_tables_without_classes_are_released_as_texts():
    """The type lists all values, also those of rows that are left out."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TYPE mood AS ENUM ('calm', 'sad', 'of nobody');
            CREATE TABLE person (id INTEGER PRIMARY KEY, sex TEXT);
            CREATE TABLE visit (person INTEGER REFERENCES person (id), mood mood);
            CREATE TABLE day (person INTEGER REFERENCES person (id), mood mood);
            CREATE TABLE moods (name mood, level INTEGER);
            INSERT INTO person SELECT i, ['F', 'M'][1 + i % 2] FROM range(40) AS t (i);
            INSERT INTO visit SELECT i % 40, ['calm', 'sad'][1 + i % 2]::mood FROM range(100) AS t (i);
            INSERT INTO day FROM visit; INSERT INTO moods VALUES ('calm', 1), ('sad', 2)"""
        )
        tables = {
            "person": PERSON,
            "visit": unguarded("mood"),
            "day": {"of": "person", "protect": "events", "known": 1, "columns": {"mood": SEX}},
            "moods": {"copy": True},
        }
        keys = {"person": key("person.id", "visit.person", "day.person")}
        apply_schema(policy=schema(keys, tables), connection=connection)
        found = released(connection.execute, "anon", tables)
        types = connection.execute("SELECT DISTINCT data_type FROM duckdb_columns() WHERE schema_name = 'anon'").fetchall()  # fmt: skip
    assert Counter(row["mood"] for row in found["visit"]) == {"calm": 50, "sad": 50}
    assert {row["name"] for row in found["moods"]} == {"calm", "sad"}
    assert {kind for (kind,) in types} == {"VARCHAR", "INTEGER"}
