"""Rows of events: whoever knows a class and some events of a person finds k people, by brute force over the release."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import duckdb
import pytest
from clinics import DAY, ITEMS, ORDERS, PEOPLE, STAYS, K, build, covers, events_of, policy, rows_of
from hospitals import KEY, KEY_ENV, pseudonym, quoted, released

from kanon_sql.apps.cli.schema_of_tables import FILE
from kanon_sql.apps.schema.certify_schema import certify_schema, verify_schema
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_page import SchemaReport
from kanon_sql.apps.schema.schema_plan import SchemaPlan, diff_schemas
from kanon_sql.errors import HierarchyError, PolicyError, StalePlanError, VerificationError


def short_sets(classes, events, known, k=K):
    """The multisets of events that some but fewer than k people of a class have; people's events as lists."""
    found = Counter()
    for person, label in classes.items():
        for size in range(1, known + 1):
            own = {tuple(sorted(each)) for each in combinations(events.get(person, []), size)}
            found.update((label, each) for each in own)
    return [each for each, people in found.items() if people < k]


def check_release(execute, plan, rows, known):
    """Check a release of the events by its tables alone, then each row by the source's row of its number."""
    found = released(execute, "the anon", [PEOPLE, STAYS, ORDERS])
    classes = {row["id"]: row["sex"] for row in found[PEOPLE]}
    after = events_of({name: found[name] for name in ITEMS})
    assert short_sets(classes, after, known) == []
    of_source = {
        name: [dict(zip(("the person", *ITEMS[name], "n"), row, strict=True)) for row in rows[name]]
        for name in ITEMS
    }
    before = events_of(of_source)
    assert short_sets(dict(rows[PEOPLE]), before, known)
    for name, own in of_source.items():
        left = found[name]
        assert 0.3 * len(own) < len(left) <= len(own)
        assert plan.tables[name].released_rows == len(left)
        same = 0
        for row in left:
            source = own[row["n"]]
            assert row["the person"] == pseudonym(source["the person"], "person")
            assert all(covers(row[each], source[each]) for each in ITEMS[name]), (row, source)
            same += all(str(row[each]) == str(source[each]) for each in ITEMS[name])
        assert plan.tables[name].unchanged == same
        for sex in set(
            classes.values()
        ):  # one label of a class covers a value, so that nobody is told apart by two
            labels = {
                tuple(row[each] for each in ITEMS[name])
                for row in left
                if classes[row["the person"]] == sex
            }
            for source in own:
                values = [source[each] for each in ITEMS[name]]
                fits = [each for each in labels if all(map(covers, each, values))]
                assert len(fits) <= 1, (fits, values)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


@pytest.fixture
def clinic():
    with duckdb.connect() as connection:
        build(connection.execute, rows_of(1))
        yield connection


@pytest.mark.parametrize(("known", "seed"), [(1, 1), (2, 2), (3, 3)])
def test_known_events_of_a_class_are_those_of_k_people(known, seed):
    rows = rows_of(seed)
    with duckdb.connect() as connection:
        build(connection.execute, rows)
        plan = plan_schema(policy(known), connection=connection)
        done = apply_schema(plan, policy=policy(known), connection=connection)
        check_release(connection.execute, done.plan, rows, known)


def test_known_events_on_postgres_are_those_of_k_people(postgres):
    rows = rows_of(4)
    postgres.execute('CREATE SCHEMA "the clinic"')
    build(postgres.execute, rows, '"the clinic"')
    at = '"the clinic".'
    named = {name: f'{at}"{name.replace(chr(34), chr(34) * 2)}"' for name in (PEOPLE, *ITEMS)}
    given = policy(2)
    given["tables"] = {named[name]: each for name, each in given["tables"].items()}
    own = ["id", "the person", "the person"]
    given["keys"]["person"]["columns"] = [f"{name}.{c}" for name, c in zip(named.values(), own, strict=True)]  # fmt: skip
    done = apply_schema(policy=given, connection=postgres.connection)
    tables = {name: done.plan.tables[each] for name, each in named.items()}
    check_release(postgres.execute, SchemaPlan(policy_file=None, policy_hash="", joined=(), foreign_keys=(), tables=tables), rows, 2)  # fmt: skip
    postgres.execute('DROP SCHEMA "the clinic" CASCADE; DROP SCHEMA "the anon" CASCADE')


def test_events_of_two_tables_are_known_together(clinic):
    """Without orders each stay is of k people; with them, pairs of a stay and an order are, too."""
    apply_schema(policy=policy(2), connection=clinic)
    found = released(clinic.execute, "the anon", [PEOPLE, STAYS, ORDERS])
    mixed = [
        pair
        for events in events_of({name: found[name] for name in ITEMS}).values()
        for pair in combinations(sorted(events), 2)
        if pair[0][0] != pair[1][0]
    ]
    assert mixed


def test_plan_report_certificate_and_diff_say_what_is_known(clinic, tmp_path):
    plan = plan_schema(policy(2), connection=clinic)
    file = tmp_path / "s.plan.yml"
    file.write_text(plan.to_yaml(), encoding="utf-8")
    assert SchemaPlan.from_yaml(plan.to_yaml(), "plan") == plan
    own = plan.tables[STAYS]
    assert (own.known, plan.summary()["tables"][STAYS]["unchanged_rows"]) == (2, own.unchanged)
    assert any(each.startswith(f"{STAYS}: {own.suppressed:,} of ") for each in plan.warnings)
    page = SchemaReport(plan, read_schema_policy(policy(2)), "t").to_html()
    assert "any 2 known; " in page
    assert "finds k people" in page
    apply_schema(plan, policy=policy(2), connection=clinic)
    certificate = certify_schema(file, policy=policy(2), connection=clinic)
    (claim,) = (each for each in certificate.claims if "whoever knows" in each.claim)
    assert claim.claim == (
        f"{STAYS}, {ORDERS}: whoever knows the class and any 2 events of a person finds at least {K} people"
    )
    assert clinic.execute(claim.sql).fetchall() == [(0,)]  # a DBA runs it as it stands
    written = tmp_path / FILE
    written.write_text(certificate.to_json(), encoding="utf-8")
    assert verify_schema(written, file, policy=policy(2), connection=clinic) == certificate
    ward = clinic.execute(f'SELECT MIN(rowid) FROM "the anon".{quoted(STAYS)}').fetchall()[0][0]
    clinic.execute(f'UPDATE "the anon".{quoted(STAYS)} SET "wa.rd" = \'odd\' WHERE rowid = {ward}')
    with pytest.raises(VerificationError, match="whoever knows the class and any 2 events"):
        certify_schema(file, policy=policy(2), connection=clinic)
    other = plan_schema(policy(1), connection=clinic)
    assert f"{STAYS}: known events: 2 before, 1 now" in diff_schemas(plan, other).markdown


def test_the_count_finds_what_plain_python_finds(clinic):
    """The statement of the certificate on raw events, which are those of single people."""
    from kanon_sql.apps.schema.protected_events import SharedEvents
    from kanon_sql.base.sql.quoting import table

    rows = rows_of(1)
    for known in (1, 2, 3):
        shared = SharedEvents(
            table(PEOPLE), "id", ("sex",), known, K, (table(STAYS), table(ORDERS)),
            ("the person", "the person"), tuple(ITEMS.values()),
        )  # fmt: skip
        ((found,),) = clinic.execute(shared.count_short.render("duckdb")).fetchall()
        raw = {
            name: [dict(zip(("the person", *ITEMS[name]), row[:-1], strict=True)) for row in rows[name]]
            for name in ITEMS
        }  # fmt: skip
        assert found == len(short_sets(dict(rows[PEOPLE]), events_of(raw), known))


def test_events_that_fall_short_are_not_published(clinic, monkeypatch):
    from kanon_sql.apps.schema import protected_events

    loosen = protected_events.protect_items
    monkeypatch.setattr(
        protected_events,
        "protect_items",
        lambda *given, known, **more: loosen(*given, known=1, **more),
    )
    with pytest.raises(VerificationError, match="sets of at most 2 events are those of fewer than"):
        apply_schema(policy=policy(2), connection=clinic)
    assert not clinic.execute(
        "SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'the anon'"
    ).fetchall()


def test_a_plan_of_other_events_is_stale(clinic):
    plan = plan_schema(policy(2), connection=clinic)
    clinic.execute(f'UPDATE {quoted(STAYS)} SET "select" = 1 WHERE n < 9')
    with pytest.raises(StalePlanError, match="changed since the plan was made"):
        apply_schema(plan, policy=policy(2), connection=clinic)
    with pytest.raises(StalePlanError, match="changed since the plan was made"):
        apply_schema(plan, policy=policy(1), connection=clinic)


def test_a_hierarchy_without_a_value_names_its_table(clinic):
    clinic.execute(f"INSERT INTO {quoted(STAYS)} VALUES ('p1', 'nowhere', 1, 999)")
    with pytest.raises(HierarchyError) as refused:
        plan_schema(policy(2), connection=clinic)
    assert [each.where for each in refused.value.faults] == [
        f"tables.{STAYS}.columns.wa.rd.hierarchy"
    ]
    assert "nowhere" not in str(refused.value)


def test_a_table_that_hangs_on_events_goes_with_them(clinic):
    """Rows of a table without a guarantee that name removed events are not released, nor those of people left out."""
    clinic.execute(f"CREATE TABLE notes AS SELECT n AS stay, n % 3 AS words FROM {quoted(STAYS)}")
    given = policy(2, notes={"of": "person", "protect": "none", "columns": {"words": {"role": "insensitive"}}})  # fmt: skip
    given["tables"][STAYS]["columns"].pop("n")
    given["keys"]["stay"] = {"key_env": KEY_ENV, "columns": [f"{STAYS}.n", "notes.stay"]}
    plan = apply_schema(policy=given, connection=clinic).plan
    found = released(clinic.execute, "the anon", [STAYS, "notes"])
    assert {row["stay"] for row in found["notes"]} == {row["n"] for row in found[STAYS]}
    assert 0 < len(found["notes"]) < plan.tables["notes"].rows


EVENTS = {"of": "person", "protect": "events", "known": 2}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"of": "person", "protect": "events", "columns": {"drug": DAY}}, "has no known: say how many events"),
        ({**EVENTS, "known": 4, "columns": {"drug": DAY}}, "must be"),
        ({**EVENTS, "known": 1, "columns": {"drug": DAY}}, "has known: 1, and vis.*so say the same in each"),
        ({**EVENTS, "columns": {"drug": {"role": "insensitive"}}}, "has no column of role quasi"),
        ({**EVENTS, "columns": {"drug": {**DAY, "output": "bounds"}}}, "takes role and hierarchy alone"),
        ({**EVENTS, "columns": {"drug": DAY}, "privacy": {"k": 3}}, "goes with a table that is counted"),
        ({**EVENTS, "columns": {"drug": DAY, "n": {"role": "quasi", "items": True, "known": 1}}}, "counts no classes"),
        ({"of": "person", "protect": "none", "known": 2, "columns": {}}, "known: goes with protect: events"),
    ],
)  # fmt: skip
def test_events_that_cannot_be_protected_are_refused(entry, says):
    with pytest.raises(PolicyError, match=says):
        plan_schema(policy(2, **{ORDERS: entry}), connection=duckdb.connect())


def test_events_that_hang_on_other_rows_are_refused():
    given = policy(2, lines={**EVENTS, "columns": {"x": DAY}})
    given["keys"]["stay"] = {"key_env": KEY_ENV, "columns": [f"{STAYS}.n", "lines.stay"]}
    given["tables"][STAYS]["columns"].pop("n")
    with pytest.raises(PolicyError, match="or add such a column, as in a view"):
        plan_schema(json.loads(json.dumps(given)), connection=duckdb.connect())
    given = policy(2)
    given["keys"]["person"]["columns"].append(f"{STAYS}.doctor")
    with pytest.raises(PolicyError, match=r"has 2 columns under keys.person"):
        plan_schema(given, connection=duckdb.connect())


SUPPRESS = {"role": "quasi", "hierarchy": "suppress"}


def test_equal_values_of_an_event_that_are_written_in_two_ways_are_one_item(clinic):
    """One person has each way of writing zero; k of them have zero, and nothing is removed, in every run alike."""
    clinic.execute(f"CREATE OR REPLACE TABLE {quoted(ORDERS)} (\"the person\" text, drug double, day text, n int)")  # fmt: skip
    clinic.execute(
        f"INSERT INTO {quoted(ORDERS)} SELECT 'p' || 2 * i, CASE WHEN i % 2 = 0 THEN 0.0 ELSE -(0.0::DOUBLE) END, 'day ' || i, i "
        f"FROM range({K}) AS t (i)"
    )
    shown = {"n": {"role": "insensitive"}}
    own = {**EVENTS, "known": 1, "columns": {"drug": SUPPRESS, "day": SUPPRESS, **shown}}
    done = apply_schema(policy=policy(1, **{ORDERS: own}), connection=clinic)
    assert done.plan.tables[ORDERS].released_rows == K
    (drugs,) = zip(*clinic.execute(f'SELECT DISTINCT drug FROM "the anon".{quoted(ORDERS)}').fetchall(), strict=True)  # fmt: skip
    assert len(drugs) == 1


@pytest.mark.parametrize(
    ("protect", "search"),
    [(EVENTS, {}), ({"of": "person", "protect": "none"}, {"grouping": "order"})],
)
def test_people_of_equal_values_are_in_the_regions_of_the_plan(clinic, protect, search):
    """Many people have one age, which lies in several regions: all are dealt as in the plan, whose figures follow from it."""
    clinic.execute(f"ALTER TABLE {quoted(PEOPLE)} ADD age int")
    clinic.execute(f"UPDATE {quoted(PEOPLE)} SET age = CAST(hash(id) % 6 AS int)")
    ages = {"age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}}}
    given = policy(2)
    given["tables"][PEOPLE]["columns"] |= ages
    given["tables"][PEOPLE]["search"] = {"algorithm": "mondrian", **search}
    drug = SUPPRESS if protect is EVENTS else {"role": "insensitive"}
    given["tables"][ORDERS] = {**protect, "columns": {"drug": drug, "n": {"role": "insensitive"}}}
    del given["tables"][STAYS]
    given["keys"]["person"]["columns"].pop(1)
    plan = plan_schema(given, connection=clinic)
    assert plan.tables[PEOPLE].plan.recoding.runs
    apply_schema(plan, policy=given, connection=clinic)
    people = released(clinic.execute, "the anon", [PEOPLE])[PEOPLE]
    classes = Counter((each["sex"], each["age"]) for each in people)
    assert len(people) == 120
    assert min(classes.values()) >= K
    again = {each["id"]: each["age"] for each in people}
    clinic.execute('DROP SCHEMA "the anon" CASCADE')
    apply_schema(plan, policy=given, connection=clinic)
    people = released(clinic.execute, "the anon", [PEOPLE])[PEOPLE]
    assert {each["id"]: each["age"] for each in people} == again
