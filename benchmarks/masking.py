"""29 masking rules over a table, beside a copy of the same table in the same database.

    python -m benchmarks.masking --rows 10000000

All read one Parquet file and write another, with two threads; the seconds are of CPU, of a process each. `hashes` is a copy
with a keyed hash of each row for each that these rules name, in bare SQL: eight rounds of `format`, one for each `fake` and
`shift_date`, and two of HMAC for the pseudonym, 13 a row. The rounds of `format` are looked up where halves of its digits
have far fewer values than there are rows, as 5 and 6 digits have of 10 million: a hash takes 0.3 to 0.4 CPU seconds per
million rows, and a look-up a third of it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

MADE = """
    COPY (
      SELECT 20 + HASH(i) % 60 AS age, 'Ann ' || (HASH(i, 1) % 5000) AS name, i AS person,
        '+49 30 ' || (1000000 + i % 9000000) AS phone,
        {texts}, {numbers}, {dates}
      FROM RANGE({rows}) AS t(i)
    ) TO '{path}' (FORMAT parquet)
"""
KEY = {"key_env": "KANON_KEY"}
TEXTS: list[dict[str, object]] = [
    {"action": "partial", "first": 2, "last": 2},
    {"action": "partial", "last": 4},
    {"action": "truncate", "to": 3},
    {"action": "constant", "value": "-"},
    {"action": "redact"},
    {"action": "null"},
    {"action": "drop"},
    {"action": "truncate", "to": 1},
]
NUMBERS: list[dict[str, object]] = [
    {"action": "round", "to": 10},
    {"action": "round", "to": 0.5},
    {"action": "bucket", "width": 100},
    {"action": "constant", "value": 0},
    {"action": "null"},
    {"action": "drop"},
    {"action": "noise", "up_to": 50},
    {"action": "bucket", "width": 5},
]
DATES: list[dict[str, object]] = [
    {"action": "truncate", "to": "month"},
    {"action": "truncate", "to": "year"},
    {"action": "truncate", "to": "quarter"},
    {"action": "truncate", "to": "week"},
    {"action": "constant", "value": "1900-01-01"},
    {"action": "null"},
    {"action": "drop"},
    {"action": "shift_date", "by": "person", "days": 30, **KEY},
]


HASHED = ("name", "text_8", "person", "person", "person", *["phone"] * 8)
"""The columns of which a hash is needed for each row, as often as it is."""


def policy(source: Path, release: Path) -> dict[str, object]:
    """Return a policy with 29 rules, of which five are keyed."""
    rules: dict[str, dict[str, object]] = {
        "name": {"action": "fake", "kind": "name", **KEY},
        "phone": {"action": "format", "linkable": "accept", **KEY},
        "person": {"action": "hash", "linkable": "accept", **KEY},
        "text_8": {"action": "fake", "kind": "city", **KEY},
        "number_8": {"action": "expression", "sql": "number_8 % 10"},
    }
    for kind, listed in (("text", TEXTS), ("number", NUMBERS), ("date", DATES)):
        rules |= {f"{kind}_{at}": rule for at, rule in enumerate(listed)}
    columns = {each: dict[str, object](rule, role="identifying") for each, rule in rules.items()}
    return {
        "version": 1,
        "source": {"path": str(source)},
        "entity": "row",
        "privacy": {"k": 5},
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}, **columns},
        "release": str(release),
    }


def run_child(task: str, source: Path, release: Path) -> float:
    """Run a task in a process of its own, and return its seconds of CPU."""
    words = [sys.executable, "-m", "benchmarks.masking", "--task", task, str(source), str(release)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, env={**os.environ, "KANON_KEY": "a key of 16 bytes or more"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_task(task: str, source: Path, release: Path) -> None:
    """Copy the source, or mask it."""
    if task in {"copy", "hashes"}:
        connection = duckdb.connect(config={"threads": 2})
        connection.execute(f"COPY (FROM '{source}') TO '{release}' (FORMAT parquet)")
        if task == "hashes":
            hashes = ", ".join(
                f"MAX(CAST('0x' || SUBSTR(sha256('{n}' || repeat('k', 32) || {value}), 1, 15) AS BIGINT))"
                for n, value in enumerate(HASHED)
            )
            connection.execute(f"SELECT {hashes} FROM '{source}'")
        return
    import kanon_sql  # noqa: PLC0415  the copy is without it

    settings = kanon_sql.Settings(threads=2)
    kanon_sql.anonymize(policy(source, release), settings=settings)


def main() -> None:
    """Make the table, run both tasks, and print their seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--task", nargs=3)
    given = parser.parse_args()
    if given.task:
        task, source, release = given.task
        run_task(task, Path(source), Path(release))
        return
    with TemporaryDirectory() as folder:
        source = Path(folder) / "people.parquet"
        texts = ", ".join(
            f"'t{n} ' || HASH(i, {n}) % 100000 AS text_{n}" for n in range(len(TEXTS) + 1)
        )
        numbers = ", ".join(
            f"(HASH(i, {n}) % 10000)::INTEGER AS number_{n}" for n in range(len(NUMBERS) + 1)
        )
        dates = ", ".join(
            f"DATE '1950-01-01' + (HASH(i, {n}) % 20000)::INTEGER AS date_{n}"
            for n in range(len(DATES))
        )
        made = MADE.format(texts=texts, numbers=numbers, dates=dates, rows=given.rows, path=source)
        duckdb.connect().execute(made)
        seconds = {
            task: round(run_child(task, source, Path(folder) / f"{task}.parquet"), 2)
            for task in ("copy", "hashes", "mask")
        }
    ratios = {task: round(seconds[task] / seconds["copy"], 2) for task in ("hashes", "mask")}
    print(json.dumps({"rows": given.rows, "cpu": seconds, "ratio": ratios}))


if __name__ == "__main__":
    main()
