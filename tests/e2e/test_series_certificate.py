"""The certificate and the report of a release of a series: its counts are those of the ledger, and the rows prove them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta

import duckdb
import pytest
from series_runs import KEY

import kanon_sql
from kanon_sql.release.series import step
from kanon_sql.release.series.series_status import series_status

POLICY = {
    "version": 1,
    "database": "people.duckdb",
    "source": {"table": "the visits"},
    "entity": "who; --",
    "columns": {
        'the "row"': {"role": "identifying", "action": "drop"},
        "who; --": {"role": "identifying", "action": "drop"},
        "select": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
        "it's": {"role": "sensitive"},
    },
    "privacy": {"k": 2, "distinct_l": {"column": "it's", "l": 2}},
    "suppression": "100%",
    "release": {"table": 'the "release"'},
    "series": {
        "ledger": {"table": "its ledger"},
        "key_env": "SERIES_KEY",
        "row": 'the "row"',
        "changes": "new",
    },
}
FIRST = [(f"a{n}", f"p{n % 5}", "one", "uv"[n % 2]) for n in range(10)]
FIRST += [(f"b{n}", f"q{n}", "two", "uvw"[n % 3]) for n in range(6)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A series after three releases, nine days apart: a row was deleted, and one of a new class came."""
    place = tmp_path_factory.mktemp("series")
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    (place / "p.yml").write_text(json.dumps(POLICY))
    later = [*FIRST[1:], ("c0", "r0", "three", "RAWVALUE")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERIES_KEY", KEY)
        patch.setattr(step, "moment", lambda: now[0])
        for number, rows in enumerate((FIRST, later, later)):
            with duckdb.connect(str(place / "people.duckdb")) as connection:
                connection.execute(
                    'CREATE OR REPLACE TABLE "the visits" ("the ""row""" TEXT, "who; --" TEXT, "select" TEXT, "it\'s" TEXT)'
                )
                connection.executemany('INSERT INTO "the visits" VALUES (?, ?, ?, ?)', rows)
            if not number:
                plan = kanon_sql.plan(place / "p.yml")
                (place / "p.plan.yml").write_text(plan.named("p.yml").to_yaml())
            kanon_sql.apply(place / "p.plan.yml")
            now[0] += timedelta(days=9)
    return place


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A copy of that series, in which a test may change what it likes."""
    shutil.copytree(made, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    monkeypatch.setenv("SERIES_KEY", KEY)
    return tmp_path / "copy"


def certify(**options):
    return kanon_sql.certify('the "release"', "p.plan.yml", folder="c", replace=True, **options)


def test_a_certificate_has_the_counts_of_the_release_and_of_its_ledger(folder):
    found = certify()
    with duckdb.connect("people.duckdb", read_only=True) as connection:
        shown = connection.execute('SELECT "select", "it\'s" FROM "the ""release"""').fetchall()
    of = found.series
    classes = Counter(class_ for class_, _ in shown)
    assert (of.releases, of.shown, of.classes) == (3, len(FIRST), len(classes)) == (3, 16, 2)
    # All rows of a class came together, and none has left: two cells, of five people and of six.
    assert (of.ever_shown, of.cells, of.smallest_cell, of.smallest_class) == (16, 2, 5, 5)
    assert (of.withheld, of.waiting, of.outside) == (1, 1, 0)
    assert of.withheld_since == of.waiting_since == "2026-01-10T00:00:00+00:00"
    assert of.released_at == "2026-01-19T00:00:00+00:00"
    assert of == series_status("p.yml")
    kinds = {each.kind.value: each for each in found.claims}
    assert "suppressed_rows" not in kinds
    assert (kinds["rows"].bound, kinds["classes"].bound, kinds["smallest_class"].bound) == (
        16,
        2,
        5,
    )
    page = (folder / "c" / "report.html").read_text()
    assert page.count("the oldest since 2026-01-10T00:00:00+00:00 (9 days)") >= 4
    assert "leaves, and appears as another row" in page
    assert "RAWVALUE" not in page + (folder / "c" / "certificate.json").read_text()


def test_its_recipient_verifies_it_without_the_ledger_and_sees_what_was_edited(folder, monkeypatch):
    certify()
    monkeypatch.delenv("SERIES_KEY")
    with duckdb.connect("people.duckdb") as connection:
        connection.execute('DROP TABLE "its ledger"; DROP TABLE "its ledger_releases"')
    checked = kanon_sql.verify_certificate("c/certificate.json", plan="p.plan.yml")
    assert checked.passed, checked.faults
    file = folder / "c" / "certificate.json"
    text = file.read_text()
    for old, new in (
        ('"waiting": 1,', '"waiting": 0,'),
        ("appear at least k together", "appear at least 9k together"),
    ):
        assert text.count(old) == 1
        file.write_text(text.replace(old, new))
        where = {
            each.where for each in kanon_sql.verify_certificate(file, plan="p.plan.yml").faults
        }
        assert {"report.html"} <= where
        assert ("series" in where) is ("k" in new)
    file.write_text(text)
    with duckdb.connect("people.duckdb") as connection:
        connection.execute('DELETE FROM "the ""release""" WHERE "select" = \'two\'')
        with pytest.raises(duckdb.Error, match="3 claims do not hold"):
            connection.execute((folder / "c" / "verify.sql").read_text())
    assert not kanon_sql.verify_certificate(file).passed


def test_a_table_that_is_not_the_release_of_the_ledger_is_not_certified(folder):
    with duckdb.connect("people.duckdb") as connection:
        connection.execute('INSERT INTO "the ""release""" VALUES (\'two\', \'u\')')
    with pytest.raises(kanon_sql.VerificationError, match="exactly 16, found 17"):
        certify()
    with pytest.raises(kanon_sql.VerificationError, match="rows should be 16, the release has 17"):
        kanon_sql.report('the "release"', plan="p.plan.yml")
    assert not (folder / "c").exists()


def test_a_ledger_that_falls_short_is_not_certified(folder):
    with duckdb.connect("people.duckdb") as connection:
        connection.execute(
            'UPDATE "its ledger" SET birth_release = 2 WHERE row_hash = (SELECT min(row_hash) FROM "its ledger" WHERE '
            "birth_release = 1)"
        )
    with pytest.raises(kanon_sql.VerificationError, match="cells of the ledger fall short"):
        certify()


def test_a_report_says_what_the_series_holds_back_and_does_not_protect(folder):
    text = " ".join(kanon_sql.report('the "release"', plan="p.plan.yml").to_text().split())
    for said in (
        "each of its 2 equivalence classes (rows that are alike in these columns) has at least 5 people (k = 2)",
        "counts people by who; --, as the ledger did",
        "the series withholds 1 living row for later releases",
        "Waiting: 1 deleted row still shown",
        "Withheld rows: 1.",
        "compare the cells of both",
    ):
        assert said in text
    assert "suppressed" not in text.partition("Utility")[0]
    assert "RAWVALUE" not in text
    with pytest.raises(kanon_sql.StalePlanError) as caught:
        kanon_sql.report("p.plan.yml")
    assert "reports on the last one" in str(caught.value)
    assert "make the plan again" not in str(caught.value)
    (folder / "p.yml").write_text(json.dumps({**POLICY, "suppression": "50%"}))
    other = kanon_sql.plan("p.yml")
    with pytest.raises(kanon_sql.StalePlanError, match="is not the plan of the series"):
        kanon_sql.report('the "release"', plan=other, policy="p.yml")
