"""Items of lists that k people of a class share: 300,000 people with a million items of 400 codes, on DuckDB.

    python -m benchmarks.items --people 300000 --known 2
    python -m benchmarks.items --people 100000 --known 3 --longest 10

Codes are drawn so that a few are frequent and most are rare, and have groups of five, and chapters of twenty above
them. Each run is of a plan and a release of its own process; the seconds of CPU are those of the items alone.
"""

from __future__ import annotations

import argparse
import json
import time

from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.duckdb.session import open_duckdb
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.privacy.protect_items import protect_items

CODES = 400
HIERARCHY = (1, 5, 20)
"""How many codes a label covers at each level."""
MADE = """
    CREATE TABLE item_rows AS
    SELECT DISTINCT person % ? AS class_id, person AS person_id,
      LEAST(399, FLOOR(400 * POWER((HASH(person, n) % 1000003) / 1000003.0, 3)))::BIGINT AS item_id
    FROM RANGE(?) AS p(person), RANGE(?) AS q(n)
    WHERE n <= HASH(person, 77) % ?
"""


def main() -> None:
    """Make the items, protect them, and print what it took and what is left of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("people", 300_000),
        ("known", 2),
        ("longest", 6),
        ("classes", 1),
        ("k", 10),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--flat", action="store_true", help="without a hierarchy: items are removed"
    )
    given = parser.parse_args()
    levels = HIERARCHY[:1] if given.flat else HIERARCHY
    with open_duckdb(threads=2, memory_limit="3GB") as engine, scratch(engine) as tables:
        connection = engine.connection
        connection.execute(MADE, [given.classes, given.people, given.longest, given.longest])
        nodes = [
            (item, level, level * CODES + item // covered)
            for item in range(CODES)
            for level, covered in enumerate(levels)
        ]
        connection.execute(
            "CREATE TABLE item_nodes (item_id BIGINT, level INTEGER, label_id BIGINT)"
        )
        connection.executemany("INSERT INTO item_nodes VALUES (?, ?, ?)", nodes)
        ((rows,),) = connection.execute("SELECT COUNT(*) FROM item_rows").fetchall()
        started, spent = time.perf_counter(), time.process_time()
        names = table("item_rows"), table("item_nodes")
        found, *_ = protect_items(engine, tables, *names, known=given.known, least=given.k)
        seconds, cpu = time.perf_counter() - started, time.process_time() - spent
        shares = connection.execute(
            f"SELECT level, COUNT(*) FROM item_rows JOIN {found.sql(dialect='duckdb', identify=True)} "
            "USING (class_id, item_id) GROUP BY level ORDER BY level"
        ).fetchall()
    print(json.dumps({**vars(given), "rows": rows, "seconds": round(seconds, 1), "cpu": round(cpu, 2),
                      "rows_by_level": dict(shares)}))  # fmt: skip


if __name__ == "__main__":
    main()
