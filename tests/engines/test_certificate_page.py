"""The page of a certificate on every engine: the same words and figures, whatever types the released columns have."""

from __future__ import annotations

import html
import re

import duckdb
import pyarrow as pa

import kanon_sql
from kanon_sql.engines.journal import Journal

AWKWARD = {
    "duckdb": "{'x': n % 4} AS s, [n % 2, 7] AS l, MAP {'k': n % 5} AS m, CAST('{}' AS JSON) AS j, CAST('a' AS BLOB) AS b",
    "postgres": "CAST('{\"a\": 1}' AS json) AS s, ARRAY[n % 2, 7] AS l, CAST('{}' AS jsonb) AS m, CAST('(1,2)' AS point) AS j, CAST('a' AS bytea) AS b",
    "spark": "named_struct('x', n % 4) AS s, array(n % 2, 7) AS l, map('k', n % 5) AS m, current_date() AS j, CAST('a' AS BINARY) AS b",
}
"""Columns that SQL groups by in its own way, or not at all."""


def certified(place, tmp_path, table, columns):
    policy = {
        "version": 1,
        "source": {"table": table},
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 2},
        "release": {"table": "released_k2"},
        "about": {"title": "Visits", "purpose": "Research <b>"},
    }
    plan = kanon_sql.plan(policy, connection=place.connection)
    kanon_sql.apply(plan, policy=policy, connection=place.connection, replace=True)
    kanon_sql.certify(
        "released_k2", plan, policy=policy, connection=place.connection, folder=tmp_path / "c"
    )
    again = kanon_sql.verify_certificate(
        tmp_path / "c/certificate.json", plan=plan, policy=policy, connection=place.connection
    )
    assert again.passed
    return (tmp_path / "c/report.html").read_text(encoding="utf-8")


def test_a_page_is_made_whatever_types_sensitive_columns_have(place, tmp_path):
    place.put("numbers", pa.table({"n": list(range(40)), "a": [n % 3 for n in range(40)]}))
    place.execute("DROP TABLE IF EXISTS awkward")
    place.execute(f"CREATE TABLE awkward AS SELECT a, {AWKWARD[place.name]} FROM numbers")
    columns = {name: {"role": "sensitive"} for name in "slmjb"}
    quasi = {"a": {"role": "quasi", "hierarchy": "suppress"}}
    text = certified(place, tmp_path, "awkward", {**quasi, **columns})
    assert "Research &lt;b&gt;" in text
    place.drop("awkward")
    place.drop("numbers")
    place.drop("released_k2")


def test_words_and_figures_are_the_same_on_every_engine(server, places, tmp_path):
    rows = [(20 + n % 23, f"7391{n % 3}", n % 4) for n in range(60)]
    table = pa.table(
        dict(zip(("age", "zip", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    )
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}, "why": "known"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "ill": {"role": "sensitive"},
    }
    shown = []
    for place in (places("duckdb"), server):
        place.put("visits", table)
        (tmp_path / place.name).mkdir()
        text = certified(place, tmp_path / place.name, "visits", columns)
        place.drop("visits")
        place.drop("released_k2")
        plain = html.unescape(
            re.sub(r"<(svg|style|script|pre).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
        )
        words = " ".join(plain.partition("SQL that recodes")[0].split())
        shown.append(re.sub(r" in (duckdb|postgresql|spark) .*? (?=Data and purpose)", " ", words))
    one, other = shown
    assert one == other


def test_the_page_shows_the_counts_of_the_claims_and_counts_no_class_again(tmp_path, monkeypatch):
    said, say = [], Journal.statement

    def noted(self, text, **counts):
        said.append(text)
        say(self, text, **counts)

    rows = [(n % 3, f"{'abcd'[n % 4]}") for n in range(60)]
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "privacy": [{"k": 2}, {"distinct_l": {"column": "ill", "l": 3}}],
    }
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER, ill VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        policy |= {"source": {"table": "t"}, "release": {"table": "r"}}
        plan = kanon_sql.plan(policy, connection=connection)
        kanon_sql.apply(plan, policy=policy, connection=connection)
        monkeypatch.setattr(Journal, "statement", noted)
        kanon_sql.certify("r", plan, policy=policy, connection=connection, folder=tmp_path / "c")
    assert sum('COUNT(DISTINCT "t"."ill")' in text or 'COUNT(DISTINCT "ill")' in text for text in said) == 1  # fmt: skip
    page = html.unescape((tmp_path / "c/report.html").read_text(encoding="utf-8"))
    models = [row for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL) if "diversity" in row]
    diverse = len({ill for _, ill in rows})
    assert any(f">{diverse}<" in row for row in models), "as many as the oracle counts in a class"
