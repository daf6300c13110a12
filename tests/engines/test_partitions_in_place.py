"""PostgreSQL's partitioned tables, single partitions and tables that inherit, released in place."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from in_place import (
    AGE,
    NOTE,
    NUMBER,
    ROWS,
    TABLE,
    WHO,
    ZIP,
    A,
    N,
    T,
    W,
    Z,
    ask,
    in_files,
    kill_at_each_step,
    own_postgres,
    policy,
    refused,
    run,
    say,
)  # fmt: skip

import kanon_sql

ODD = 'pa"rt; --'
ODDLY = '"pa""rt; --"'
COLUMNS = (
    f"{W} VARCHAR NOT NULL, {Z} TEXT, {A} INTEGER NOT NULL, "
    f'"{NOTE}" TEXT NOT NULL, {N} BIGINT DEFAULT 9000 NOT NULL CONSTRAINT few CHECK ({N} < 9999)'
)
RANGES = [(f"part{i}", 30 * i, 30 * i + 30) for i in range(9)]
PARTED = (
    f"CREATE TABLE {T} ({COLUMNS}) PARTITION BY RANGE ({N})",
    *(f"CREATE TABLE {name} PARTITION OF {T} FOR VALUES FROM ({low}) TO ({high})" for name, low, high in RANGES),
    f"CREATE TABLE deep PARTITION OF {T} FOR VALUES FROM (270) TO (330) PARTITION BY HASH ({N})",
    "CREATE TABLE deep0 PARTITION OF deep FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
    "CREATE TABLE deep1 PARTITION OF deep FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    # made by itself, in another order and with a column that went: its numbers of columns differ
    (f'CREATE TABLE {ODDLY} (gone INTEGER, {N} BIGINT DEFAULT 9000 NOT NULL CONSTRAINT few CHECK ({N} < 9999), "{NOTE}" TEXT NOT NULL, '
    f"{A} INTEGER NOT NULL, {Z} TEXT, {W} VARCHAR NOT NULL)"),
    f"ALTER TABLE {ODDLY} DROP gone",
    f"ALTER TABLE {T} ATTACH PARTITION {ODDLY} FOR VALUES FROM (330) TO (380)",
    f"CREATE TABLE other PARTITION OF {T} DEFAULT",
    (f"INSERT INTO {T} SELECT 'canary' || i, '021' || (i * i % 7), 20 + i * i % 50, 'canary', i "
    f"FROM generate_series(0, {ROWS - 1}) AS g(i)"),
)  # fmt: skip
"""The raw table of the other tests, in twelve partitions with rows: two of these below another."""
LEAVES = [name for name, *_ in RANGES] + ["deep0", "deep1", ODD, "other"]
BY_LEAF = f"SELECT tableoid::regclass::text AS leaf, {N} FROM {T} ORDER BY 1, 2"


@pytest.fixture
def pg(postgres):
    with own_postgres(postgres, PARTED) as place:
        yield place


def attached(place):
    return ask(place, f"SELECT count(*) FROM pg_partition_tree('{T}'::regclass)")[0][0] - 1


def test_the_rows_of_each_partition_are_replaced_there(pg):
    elsewhere = kanon_sql.anonymize({**policy(), "release": "elsewhere"}, connection=pg.connection)
    before, oid = dict(map(reversed, ask(pg, BY_LEAF))), ask(pg, f"SELECT '{T}'::regclass::oid")
    made = run(pg, policy(original={"keep_original": "kept"}))
    assert made.verification == elsewhere.verification
    assert Counter(pg.read(TABLE)) == Counter(pg.read("elsewhere"))
    assert pg.names(TABLE) == [ZIP, AGE, NOTE, NUMBER]
    after = dict(map(reversed, ask(pg, BY_LEAF)))
    assert set(after.values()) == {name if name != ODD else ODDLY for name in LEAVES}
    assert after.items() <= before.items()
    assert (attached(pg), ask(pg, f"SELECT '{T}'::regclass::oid")) == (len(LEAVES) + 1, oid)
    assert not any("canary" in str(row) for leaf in LEAVES for row in pg.read(leaf))
    assert len(pg.read("kept")) == ROWS
    assert kanon_sql.verify(T, quasi=[ZIP, AGE], k=15, connection=pg.connection).passed


def test_what_fits_stays_on_the_table_and_on_its_partitions(pg):
    say(pg, "DROP ROLE IF EXISTS analyst", "CREATE ROLE analyst", "CREATE TABLE wards (a BIGINT PRIMARY KEY)",
        f"INSERT INTO wards SELECT {N} FROM {T}",
        f"ALTER TABLE {T} ADD PRIMARY KEY ({N}), ADD FOREIGN KEY ({N}) REFERENCES wards, "
        "ADD always BIGINT GENERATED ALWAYS AS IDENTITY",
        f"CREATE INDEX whole ON {T} ({Z}, {N})", f"CREATE INDEX own ON part3 ({Z})",
        f"GRANT SELECT ON {T} TO analyst", "GRANT SELECT ON part3 TO analyst",
        f'ALTER TABLE {T} ALTER "{NOTE}" DROP NOT NULL', f"COMMENT ON TABLE {T} IS 'it''s'", "COMMENT ON TABLE part3 IS 'third'",
        f"CREATE VIEW seen AS SELECT {N} AS n FROM part3")  # fmt: skip
    given = policy()
    given["columns"]["always"] = {"role": "insensitive"}
    indexes = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'"
    (there,) = ask(pg, indexes)
    try:
        run(pg, given)
        assert ask(pg, indexes) == [there]
        assert ask(pg, "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0") == [(1,)]  # fmt: skip
        for name in (T, "part3"):
            assert ask(pg, f"SELECT has_table_privilege('analyst', '{name}', 'SELECT')") == [(True,)]  # fmt: skip
        notes = "SELECT obj_description('{}'::regclass)"
        assert ask(pg, notes.format(T)) + ask(pg, notes.format("part3")) == [("it's",), ("third",)]
        assert 0 < len(pg.read("seen")) == len(pg.read("part3"))
        say(pg, "INSERT INTO wards VALUES (5000)", f"INSERT INTO {T} ({A}, {N}) VALUES ('a', 5000)")
        assert ask(pg, f"SELECT always FROM other WHERE {N} = 5000") == [(ROWS + 1,)]
    finally:
        say(pg, "DROP OWNED BY analyst", "DROP ROLE analyst")


OWN = (
    (f"CREATE INDEX ie ON {T} (lower({Z}))", "index public.ie"),
    (f"CREATE INDEX io ON part1 (lower({Z}))", "index public.io"),
    (f"ALTER TABLE {T} ADD CONSTRAINT top CHECK ({A} > 3)", "constraint top"),
    (f"ALTER TABLE deep1 ADD CONSTRAINT low CHECK ({A} > 4)", "constraint low of public.deep1"),
    (f"ALTER TABLE {T} ALTER {A} SET DEFAULT 3", 'default of "select"'),
    (f"ALTER TABLE {ODDLY} ALTER {Z} SET DEFAULT '3'", f'default of "{ZIP}" of public.{ODDLY}'),
    (f"CREATE VIEW aged AS SELECT {A} AS a FROM part2", "view public.aged"),
    ("CREATE MATERIALIZED VIEW solid AS SELECT a FROM aged", "materialized view public.solid"),
    (f"CREATE POLICY pol ON part4 USING ({A} > 3)", "policy pol of public.part4"),
    ("CREATE RULE ru AS ON DELETE TO part4 DO ALSO SELECT 1", "rule ru of public.part4"),
    ((f"CREATE TRIGGER tg BEFORE UPDATE ON {T} FOR EACH ROW EXECUTE FUNCTION "
      "suppress_redundant_updates_trigger()"), "trigger tg"),
    (("CREATE TRIGGER tp BEFORE UPDATE ON deep0 FOR EACH ROW EXECUTE FUNCTION "
      "suppress_redundant_updates_trigger()"), "trigger tp of public.deep0"),
    (f"CREATE PUBLICATION pub FOR TABLE {T}", "publication pub"),
    ("CREATE PUBLICATION one FOR TABLE part5", "publication one of public.part5"),
    ("CREATE PUBLICATION all_of_them FOR ALL TABLES", "publication all_of_them"),
    (f"CREATE STATISTICS sta (mcv) ON {W}, {Z} FROM part1", "statistics public.sta"),
    (f"ALTER TABLE {T} ADD UNIQUE ({N}); CREATE TABLE points (a BIGINT REFERENCES {T} ({N}))",
     "foreign key public.points points_a_fkey"),
    ("CREATE UNIQUE INDEX un ON part8 (\"n.umber\"); CREATE TABLE to_one (a BIGINT REFERENCES part8 (\"n.umber\"))",
     "foreign key public.to_one to_one_a_fkey"),
)  # fmt: skip


def test_what_would_be_lost_on_any_partition_is_listed_once_and_goes_when_accepted(pg):
    say(pg, *(statement for statement, _ in OWN))
    expected = {name for _, name in OWN}
    assert refused(pg, policy()) == expected
    run(pg, policy(accept=expected))
    assert kanon_sql.verify(T, quasi=[ZIP, AGE], k=15, connection=pg.connection).passed
    assert attached(pg) == len(LEAVES) + 1
    assert ask(pg, "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal") == [(0,)]


BARRED = (
    (f"ALTER TABLE part1 ALTER {Z} SET STATISTICS 0", f'statistics target of "{ZIP}" of public.part1'),
    ("CREATE TABLE typed (whole part1)", "column whole of typed, of its row type"),
    (f"CREATE FUNCTION f() RETURNS BIGINT BEGIN ATOMIC SELECT count({A}) FROM part1; END", "function public.f()"),
)  # fmt: skip


@pytest.mark.parametrize(("statement", "name"), BARRED)
def test_what_cannot_be_accepted_of_a_partition_is_refused(pg, statement, name):
    say(pg, statement)
    assert refused(pg, policy(accept=[name])) == {name}


@pytest.mark.parametrize("deep", [False, True])
def test_a_generated_column_becomes_a_plain_one_where_the_server_lets_it(pg, deep):
    if not deep:
        say(pg, f"ALTER TABLE {T} DETACH PARTITION deep")
    say(pg, f"ALTER TABLE {T} ADD key BIGINT GENERATED ALWAYS AS ({N} + 1) STORED")
    given = policy(accept=["generation of key"])
    given["columns"]["key"] = {"role": "insensitive"}
    if deep:
        assert refused(pg, given) == {"generation of key"}
    else:
        run(pg, given)
        assert all(key == number + 1 for *_, number, key in pg.read(TABLE))


@pytest.mark.parametrize("by", [f"LIST ({Z})", f"RANGE ((lower({Z})))", f"HASH ({N}, {Z})"])
def test_a_partition_key_that_is_recoded_is_refused_with_what_to_do(pg, by):
    say(pg, f"CREATE TABLE keyed (LIKE {T}) PARTITION BY {by}")
    if by.startswith("HASH"):
        say(pg, "CREATE TABLE k0 PARTITION OF keyed FOR VALUES WITH (MODULUS 1, REMAINDER 0)")
    else:
        say(pg, "CREATE TABLE k0 PARTITION OF keyed DEFAULT")
    say(pg, f"INSERT INTO keyed SELECT * FROM {T}")
    assert refused(pg, policy(table="keyed", accept=["partition key"])) == {"partition key"}
    with pytest.raises(kanon_sql.ReleaseError, match="role insensitive or sensitive"):
        run(pg, policy(table="keyed"))


def test_a_partition_that_holds_its_rows_elsewhere_is_refused(pg):
    say(pg, "CREATE FOREIGN DATA WRAPPER nowhere", "CREATE SERVER s FOREIGN DATA WRAPPER nowhere",
        f"CREATE FOREIGN TABLE far PARTITION OF {T} FOR VALUES FROM (5000) TO (6000) SERVER s")  # fmt: skip
    with pytest.raises(kanon_sql.ReleaseError, match=r"partition public\.far: holds its rows elsewhere"):  # fmt: skip
        kanon_sql.lint(policy(), connection=pg.connection)


def test_columns_of_bounds_and_what_partitions_alone_declare(pg):
    say(pg, f"ALTER TABLE {T} ADD late TEXT DEFAULT 'canary'", f"ALTER TABLE {T} ALTER late DROP DEFAULT",
        "ALTER TABLE part2 ALTER late SET NOT NULL")  # fmt: skip
    columns = {**policy()["columns"], "late": {"role": "identifying", "action": "null"}}
    columns[AGE]["output"] = "bounds"
    run(pg, policy(columns=columns, accept=["column order"]))
    assert pg.names(TABLE) == [ZIP, NOTE, NUMBER, "late", f"{AGE}_low", f"{AGE}_high"]
    assert ask(pg, "SELECT attname FROM pg_attribute WHERE atthasmissing") == []
    assert {row[3] for row in pg.read("part2")} == {None}


def test_statistics_and_materialized_views_of_all_levels_are_computed_again(pg):
    say(pg, f"CREATE MATERIALIZED VIEW low AS SELECT {Z} AS z FROM deep0",
        f"CREATE MATERIALIZED VIEW high AS SELECT {Z} AS z FROM {T}", f"ANALYZE {T}", "ANALYZE")  # fmt: skip
    run(pg, policy())
    labels = {row[0] for row in pg.read(TABLE)}
    for view in ("low", "high"):
        assert {row[0] for row in pg.read(view)} <= labels
    held = ask(pg, "SELECT tablename, inherited, most_common_vals::text, histogram_bounds::text FROM pg_stats "
               f"WHERE schemaname = 'public' AND attname IN ('{AGE}', '{WHO}', '{NOTE}')")  # fmt: skip
    assert {(name, inherited) for name, inherited, *_ in held} == {
        (TABLE, True), ("deep", True), *((leaf, False) for leaf in LEAVES)
    }  # fmt: skip
    assert not any("canary" in str(row) for row in held)


def test_purge_leaves_no_raw_value_of_any_partition(pg):
    say(pg, f"ANALYZE {T}")
    assert len(in_files(pg)) >= len(LEAVES)
    kanon_sql.anonymize(policy(), connection=pg.connection, purge=True)
    assert in_files(pg) == []


def test_a_partition_that_loses_all_rows_keeps_no_statistics_of_them(pg):
    say(pg, f"INSERT INTO {T} VALUES ('canary', '9999', 99, '', 9990)", "CREATE TABLE alone (LIKE other)",
        f"ALTER TABLE {T} DETACH PARTITION other", "TRUNCATE other", "DROP TABLE alone",
        "INSERT INTO other VALUES ('canary', '9999', 99, '', 9990)",
        f"ALTER TABLE {T} ATTACH PARTITION other DEFAULT", f"ANALYZE {T}", "ANALYZE other")  # fmt: skip
    raw, left = Counter(pg.read(TABLE)), pg.left()
    with pytest.raises(kanon_sql.VerificationError, match=r"a partition or an index of a part"):
        run(pg, policy())
    assert (Counter(pg.read(TABLE)), pg.left()) == (raw, left)
    say(pg, "DROP TABLE other")
    run(pg, policy())


def test_nobody_adds_a_row_to_a_partition_meanwhile(pg, monkeypatch):
    import psycopg

    import kanon_sql.apps.python.anonymize as flow

    stage, told = flow.stage, []

    def late(*args, **kwargs):
        with psycopg.connect(pg.address, autocommit=True) as other:
            other.execute("SET lock_timeout = 50")
            try:
                told.append(other.execute(b"INSERT INTO part3 VALUES ('late', '0213', 27, '', 95)"))
            except psycopg.errors.LockNotAvailable as error:
                told.append(error)
        return stage(*args, **kwargs)

    monkeypatch.setattr(flow, "stage", late)
    made = run(pg, policy())
    # It was written to a partition while nobody waited; the run begins again, with that row.
    assert isinstance(told[1], psycopg.errors.LockNotAvailable)
    assert made.plan.source_rows == ROWS + 1


@pytest.mark.rare
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_kill_at_any_step_leaves_the_old_table_or_the_new_one(pg, killer, tmp_path):
    kill_at_each_step(pg, killer, tmp_path / "policy.yml", PARTED)


# ---- one partition, and tables that inherit --------------------------------------------------


def small(table, **changes):
    given = policy(table=table, privacy={"k": 2}, suppression="60%", **changes)
    given["columns"][AGE] = {"role": "insensitive"}
    return given


def test_a_partition_whose_columns_go_is_detached_when_that_is_accepted(pg):
    say(pg, f"ALTER TABLE {T} ADD CONSTRAINT top CHECK ({Z} > '0')", f"CREATE INDEX ie ON {T} (lower({Z}))",
        f"CREATE MATERIALIZED VIEW high AS SELECT {W} AS w, {N} AS n FROM {T}",
        (f"CREATE TRIGGER tg BEFORE UPDATE ON {T} FOR EACH ROW EXECUTE FUNCTION "
         "suppress_redundant_updates_trigger()"), f"ANALYZE {T}", "ANALYZE high")  # fmt: skip
    names = {f"partition of public.{T}", "constraint top", "index public.part1_lower_idx"}
    assert refused(pg, small("part1")) == names
    others = Counter(row for row in pg.read(TABLE) if not 30 <= row[-1] < 60)
    run(pg, small("part1", accept=names))
    assert pg.names("part1") == [ZIP, AGE, NOTE, NUMBER]
    assert kanon_sql.verify("part1", quasi=[ZIP], k=2, connection=pg.connection).passed
    assert Counter(pg.read(TABLE)) == others
    assert not any(30 <= n < 60 for _, n in pg.read("high"))
    held = f"SELECT histogram_bounds::text FROM pg_stats WHERE attname = '{NUMBER}' AND tablename = '{TABLE}'"
    assert not {str(n) for n in range(30, 60)} & set(ask(pg, held)[0][0].strip("{}").split(","))


def test_a_partition_whose_columns_stay_is_attached_still(pg):
    say(pg, f"ALTER TABLE {T} ALTER {W} TYPE TEXT", f"CREATE MATERIALIZED VIEW high AS SELECT {W} AS w, {N} AS n FROM {T}",
        f'ALTER TABLE {T} ALTER {W} DROP NOT NULL, ALTER "{NOTE}" DROP NOT NULL', f"ANALYZE {T}")  # fmt: skip
    given = small("part1")
    given["columns"][WHO] = {"role": "identifying", "action": "null"}
    others = Counter(row for row in pg.read(TABLE) if not 30 <= row[-1] < 60)
    made = run(pg, given)
    assert attached(pg) == len(LEAVES) + 1
    found = Counter(pg.read(TABLE))
    assert found == others + Counter(pg.read("part1"))
    assert found.total() == others.total() + made.verification.rows
    assert {who for who, n in pg.read("high") if 30 <= n < 60} == {None}


def test_the_last_partition_with_rows_leaves_no_statistics_above_it(pg):
    say(pg, "CREATE TABLE lone (a TEXT, b TEXT) PARTITION BY LIST (b)",
        "CREATE TABLE only_one PARTITION OF lone DEFAULT", "INSERT INTO lone SELECT 'canary', 'b' FROM generate_series(1, 40)",
        "ANALYZE lone")  # fmt: skip
    columns = {
        "a": {"role": "identifying", "action": "drop"},
        "b": {"role": "quasi", "hierarchy": "suppress"},
    }
    given = policy(table="only_one", columns=columns, accept=["partition of public.lone"])
    with pytest.raises(kanon_sql.VerificationError, match="old statistics of lone"):
        run(pg, given)
    assert len(pg.read("lone")) == 40


def test_a_table_that_inherits_goes_its_own_way_when_that_is_accepted(pg):
    say(pg, "CREATE TABLE parent (LIKE part1 INCLUDING DEFAULTS)", "CREATE TABLE child (more TEXT) INHERITS (parent)",
        "INSERT INTO child SELECT * FROM part1", "INSERT INTO parent SELECT * FROM part2", "ANALYZE")  # fmt: skip
    given = small("child")
    given["columns"]["more"] = {"role": "insensitive"}
    assert refused(pg, given) == {"child of public.parent"}
    given["release"]["accept"] = ["child of public.parent"]
    assert refused(pg, small("parent")) == {"inheritance", "inherited statistics"}
    run(pg, given)
    assert len(pg.read("parent")) == 30
    assert not any("canary" in str(row) for row in pg.read("child"))
    assert refused(pg, small("parent")) == {"inherited statistics"}


# ---- row security ----------------------------------------------------------------------------


@pytest.mark.parametrize("kept", ["none", "one that writes", "one that reads"])
def test_row_security_that_would_leave_a_table_unreadable_is_told(pg, kept):
    say(
        pg,
        f"ALTER TABLE {T} ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY pol ON {T} USING ({A} > 3)",
    )
    if kept != "none":
        command = "INSERT WITH CHECK" if kept == "one that writes" else "SELECT USING"
        say(pg, f"CREATE POLICY more ON {T} FOR {command} ({N} > 3)")
    told = {"row security without a policy"} if kept != "one that reads" else set()
    assert refused(pg, policy()) == {"policy pol", *told}
    assert refused(pg, policy(accept=["policy pol"])) == told if told else True
    run(pg, policy(accept=["policy pol", *told]))
    assert ask(pg, f"SELECT relrowsecurity FROM pg_class WHERE oid = '{T}'::regclass") == [(True,)]
