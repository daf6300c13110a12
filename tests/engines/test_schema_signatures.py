"""Signatures: whoever knows a class and all released rows of a person finds k people, by plain Python over the release."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter, defaultdict

import duckdb
import pytest
from clinics import ITEMS, ORDERS, PEOPLE, STAYS, K, build, covers, events_of, rows_of
from clinics import policy as policy_of_events
from hospitals import KEY, KEY_ENV, pseudonym, quoted, released

from kanon_sql.apps.cli.schema_of_tables import FILE
from kanon_sql.apps.schema.certify_schema import certify_schema, verify_schema
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_page import SchemaReport
from kanon_sql.apps.schema.schema_plan import SchemaPlan, diff_schemas
from kanon_sql.errors import InfeasibleError, PolicyError, StalePlanError, VerificationError

LIMIT = 30
MANY = 400


def policy(limit=f"{LIMIT}%", **changes):
    """The policy of events, with signatures in their place; the numbers of rows are dropped."""
    made = policy_of_events(2)
    for name in ITEMS:
        own = made["tables"][name]
        own.pop("known")
        own |= {"protect": "signature", "suppression": limit}
    made["tables"] |= changes
    return made


def rare_groups(classes, events, k=K):
    """The classes and signatures of some but fewer than k people; people without rows have one, too."""
    found = Counter(
        (label, tuple(sorted(events.get(person, [])))) for person, label in classes.items()
    )
    return [each for each, people in found.items() if people < k]


def source_of(rows):
    return {
        name: [dict(zip(("the person", *ITEMS[name], "n"), row, strict=True)) for row in rows[name]]
        for name in ITEMS
    }


def check_release(execute, planned, rows, *, limit=LIMIT):
    """Check the released tables alone, then each row by the source's row of its number, and what was removed."""
    found = released(execute, "the anon", [PEOPLE, STAYS, ORDERS])
    classes = {row["id"]: row["sex"] for row in found[PEOPLE]}
    assert rare_groups(classes, events_of({name: found[name] for name in ITEMS})) == []
    own = source_of(rows)
    assert rare_groups(dict(rows[PEOPLE]), events_of(own))
    for name, source in own.items():
        left = found[name]
        assert (100 - limit) * len(source) <= 100 * len(left) <= 100 * len(source)
        assert planned[name].released_rows == len(left)
        same, labels = 0, defaultdict(set)
        for row in left:
            was = source[row["n"]]
            assert row["the person"] == pseudonym(was["the person"], "person")
            assert all(covers(row[each], was[each]) for each in ITEMS[name]), (row, was)
            same += all(str(row[each]) == str(was[each]) for each in ITEMS[name])
            labels[classes[row["the person"]]].add(tuple(row[each] for each in ITEMS[name]))
        assert planned[name].unchanged == same
        for (
            was
        ) in source:  # one label of a class covers a value, so that no two labels tell people apart
            values = [was[each] for each in ITEMS[name]]
            for listed in labels.values():
                assert sum(all(map(covers, each, values)) for each in listed) <= 1
    had = Counter(row["the person"] for source in own.values() for row in source)
    has = Counter(row["the person"] for name in ITEMS for row in found[name])
    assert all(has[pseudonym(each, "person")] in {0, many} for each, many in had.items())
    return sum(has.values()) < sum(had.values())


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


@pytest.fixture
def clinic():
    with duckdb.connect() as connection:
        build(connection.execute, rows_of(1, people=MANY))
        yield connection


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_rows_of_a_person_are_those_of_k_people(seed):
    rows = rows_of(seed, people=MANY)
    with duckdb.connect() as connection:
        build(connection.execute, rows)
        plan = plan_schema(policy(), connection=connection)
        done = apply_schema(plan, policy=policy(), connection=connection)
        assert check_release(connection.execute, done.plan.tables, rows)


def test_all_rows_on_postgres_are_those_of_k_people(postgres):
    rows = rows_of(4, people=MANY)
    postgres.execute('CREATE SCHEMA "the clinic"')
    build(postgres.execute, rows, '"the clinic"')
    named = {name: f'"the clinic".{quoted(name)}' for name in (PEOPLE, *ITEMS)}
    given = policy()
    given["tables"] = {named[name]: each for name, each in given["tables"].items()}
    given["keys"]["person"]["columns"] = [
        f"{name}.{own}"
        for name, own in zip(named.values(), ("id", "the person", "the person"), strict=True)
    ]
    done = apply_schema(policy=given, connection=postgres.connection)
    planned = {name: done.plan.tables[each] for name, each in named.items()}
    check_release(postgres.execute, planned, rows)
    postgres.execute('DROP SCHEMA "the clinic" CASCADE; DROP SCHEMA "the anon" CASCADE')


def stays(connection, counts, *, ward="skin"):
    """Fill a clinic with people of one class, who have so many rows each."""
    rows = {PEOPLE: [(f"p{n}", "M") for n in range(len(counts))], STAYS: [], ORDERS: [("p0", "d0", 0)]}  # fmt: skip
    for n, many in enumerate(counts):
        rows[STAYS] += [(f"p{n}", ward, 5, len(rows[STAYS]) + at) for at in range(many)]
    build(connection.execute, rows)
    given = policy("100%")
    del given["tables"][ORDERS]
    given["keys"]["person"]["columns"].pop()
    apply_schema(policy=given, connection=connection)
    found = released(connection.execute, "the anon", [PEOPLE, STAYS])
    many = Counter(row["the person"] for row in found[STAYS])
    return Counter(many[row["id"]] for row in found[PEOPLE])


@pytest.mark.parametrize(
    ("counts", "left"),
    [
        ({1: 4, 2: 4}, {1: 4, 2: 4}),  # nobody is without rows
        ({0: 4, 1: 3, 2: 4}, {0: 7, 2: 4}),  # three with one row are too few
        ({0: 1, 1: 4, 2: 9}, {0: 5, 2: 9}),  # one without rows is too few: four with a row each go
        ({0: 1, 1: 9, 2: 4}, {0: 4, 1: 6, 2: 4}),  # three of nine are enough
        ({0: 3, 2: 4}, {0: 7}),  # there is no other way
        ({1: 2, 3: 4}, {0: 6}),  # two with one row would be alone without rows
    ],
)
def test_people_without_rows_are_k_people_too(counts, left):
    listed = [many for many, people in counts.items() for _ in range(people)]
    with duckdb.connect() as connection:
        assert stays(connection, listed) == left


def test_too_small_a_limit_is_refused_before_anything_is_written(clinic):
    with pytest.raises(InfeasibleError) as refused:
        apply_schema(policy=policy("1%"), connection=clinic)
    assert f"{STAYS}: " in str(refused.value)
    assert "to leave k = 4 people to whoever knows all rows of a person" in str(refused.value)
    assert "the limit (suppression) is" in str(refused.value)
    there = clinic.execute("SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'the anon'")
    assert not there.fetchall()


def test_a_higher_limit_generalizes_less(clinic):
    shown = []
    for limit in ("30%", "100%"):
        plan = plan_schema(policy(limit), connection=clinic)
        shown.append([plan.tables[name].released_rows for name in ITEMS])
    assert shown[0] > shown[1]


def test_plan_report_certificate_and_diff_say_that_all_rows_are_known(clinic, tmp_path):
    plan = plan_schema(policy(), connection=clinic)
    file = tmp_path / "s.plan.yml"
    file.write_text(plan.to_yaml(), encoding="utf-8")
    assert SchemaPlan.from_yaml(plan.to_yaml(), "plan") == plan
    own = plan.tables[STAYS]
    assert any(each.startswith(f"{STAYS}: {own.suppressed:,} of ") for each in plan.warnings)
    page = SchemaReport(plan, read_schema_policy(policy()), "t").to_html()
    assert "all known; " in page
    assert "all their rows finds k people" in page
    apply_schema(plan, policy=policy(), connection=clinic)
    certificate = certify_schema(file, policy=policy(), connection=clinic)
    (claim,) = (each for each in certificate.claims if "whoever knows" in each.claim)
    words = f"whoever knows the class and all rows of a person finds at least {K} people"
    assert claim.claim == f"{STAYS}, {ORDERS}: {words}"
    assert clinic.execute(claim.sql).fetchall() == [(0,)]  # a DBA runs it as it stands
    written = tmp_path / FILE
    written.write_text(certificate.to_json(), encoding="utf-8")
    assert verify_schema(written, file, policy=policy(), connection=clinic) == certificate
    clinic.execute(
        f'UPDATE "the anon".{quoted(STAYS)} SET "wa.rd" = \'odd\' '
        f'WHERE n = (SELECT MIN(n) FROM "the anon".{quoted(STAYS)})'
    )
    with pytest.raises(VerificationError, match="whoever knows the class and all rows"):
        certify_schema(file, policy=policy(), connection=clinic)
    before = plan_schema(policy_of_events(2), connection=clinic)
    changed = f"{STAYS}: is protected by signature, no longer by events"
    assert changed in diff_schemas(before, plan).markdown


def test_the_count_finds_what_plain_python_finds():
    """The statement of the certificate on raw rows, which are those of single people."""
    from kanon_sql.apps.schema.protected_events import SharedEvents
    from kanon_sql.base.sql.quoting import table

    rows = rows_of(1)
    with duckdb.connect() as connection:
        build(connection.execute, rows)
        shared = SharedEvents(
            table(PEOPLE), "id", ("sex",), None, K, (table(STAYS), table(ORDERS)),
            ("the person", "the person"), tuple(ITEMS.values()),
        )  # fmt: skip
        ((found,),) = connection.execute(shared.count_short.render("duckdb")).fetchall()
    assert found == len(rare_groups(dict(rows[PEOPLE]), events_of(source_of(rows)))) > 50


def test_signatures_that_fall_short_are_not_published(clinic, monkeypatch):
    from kanon_sql.apps.schema import protected_events

    loosen = protected_events.protect_signatures
    monkeypatch.setattr(
        protected_events,
        "protect_signatures",
        lambda *given, least, **more: loosen(*given, least=2, **more),
    )
    with pytest.raises(VerificationError, match="signatures are those of fewer than 4 people"):
        apply_schema(policy=policy(), connection=clinic)
    there = clinic.execute("SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'the anon'")
    assert not there.fetchall()


def test_a_plan_of_other_rows_or_another_limit_is_stale(clinic):
    plan = plan_schema(policy(), connection=clinic)
    with pytest.raises(StalePlanError, match="changed since the plan was made"):
        apply_schema(plan, policy=policy("90%"), connection=clinic)
    clinic.execute(f"UPDATE {quoted(STAYS)} SET \"wa.rd\" = 'skin' WHERE n < 9")
    with pytest.raises(StalePlanError, match="changed since the plan was made"):
        apply_schema(plan, policy=policy(), connection=clinic)


DRUG = {"drug": {"role": "quasi", "hierarchy": {"mask": 2}}}
SIGNED = {"of": "person", "protect": "signature", "columns": DRUG}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({**SIGNED, "known": 2}, "known: goes with protect: events"),
        ({**SIGNED, "suppression": "150%"}, "must lie between"),
        ({**SIGNED, "protect": "events", "known": 2}, "has protect: events, and vis.*are known together, so say the same"),
        ({**SIGNED, "columns": {"drug": {"role": "insensitive"}}}, "has no column of role quasi"),
        ({**SIGNED, "privacy": {"k": 3}}, "goes with a table that is counted"),
        ({"of": "person", "protect": "none", "suppression": "5%", "columns": {}}, "suppression: goes with"),
    ],
)  # fmt: skip
def test_signatures_that_cannot_be_protected_are_refused(entry, says):
    with pytest.raises(PolicyError, match=says):
        plan_schema(policy(**{ORDERS: entry}), connection=duckdb.connect())


KILLED = """
import os, signal, sys
from kanon_sql.engines.journal import Journal
from kanon_sql.apps.schema.release_schema import apply_schema
said = Journal.statement
def statement(self, *args, **kwargs):
    said(self, *args, **kwargs)
    if any("kept" in str(each) or "groups" in str(each) for each in args):
        os.kill(os.getpid(), signal.SIGKILL)
Journal.statement = statement
apply_schema(policy=sys.argv[1], replace=True)
"""


@pytest.mark.rare
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_among_signatures_leaves_the_old_schema(tmp_path):
    file, database = tmp_path / "s.yml", tmp_path / "c.duckdb"
    with duckdb.connect(str(database)) as connection:
        build(connection.execute, rows_of(1, people=MANY))

    def write(limit):
        file.write_text(json.dumps({**policy(limit), "database": str(database)}), encoding="utf-8")

    def counted():
        with duckdb.connect(str(database)) as connection:
            found = released(connection.execute, "the anon", [PEOPLE, *ITEMS])
            return {name: len(rows) for name, rows in found.items()}

    write("30%")
    apply_schema(policy=str(file))
    before = counted()
    write("100%")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED, str(file)],
        check=False,
        env={**os.environ, KEY_ENV: KEY},
    )
    assert run.returncode == -signal.SIGKILL
    assert counted() == before
    apply_schema(policy=str(file), replace=True)
    assert counted() != before
