"""A hospital of five tables released as a schema, beside the sum of its tables alone.

    python -m benchmarks.schema --visits 500000

Patients, visits, diagnoses, bills and providers. In the schema patients are people under k, visits are cut, a summary, signatures,
events or without a guarantee (`--protect`), diagnoses cut, bills folded into patients, providers copied. Alone, each counted table is released by
the policy of one table with the same columns, k and search, its people counted where it has their key, and providers are
copied. CPU seconds of all threads of whole commands, in turn, with the database in a file; the joined people are counted
again by this script.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks.measure import machine, middle, run_command, write, write_policy

K = 11
TABLES = """
CREATE TABLE providers (id INTEGER PRIMARY KEY, specialty VARCHAR);
CREATE TABLE patients (id INTEGER PRIMARY KEY, name VARCHAR, sex VARCHAR, born INTEGER, zip VARCHAR);
CREATE TABLE visits (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients (id),
  provider_id INTEGER REFERENCES providers (id), ward VARCHAR, day INTEGER);
CREATE TABLE diagnoses (visit_id INTEGER REFERENCES visits (id), icd VARCHAR, day INTEGER);
CREATE TABLE bills (patient_id INTEGER REFERENCES patients (id), amount INTEGER, year INTEGER);
INSERT INTO providers SELECT i, 'specialty ' || i % 30 FROM range(2000) AS t (i);
INSERT INTO patients SELECT i, 'Name ' || i, ['F', 'M'][1 + (hash(i) % 2)::INTEGER], 1930 + (hash(i, 1) % 80)::INTEGER,
  LPAD((hash(i, 2) % 100000)::VARCHAR, 5, '0') FROM range({people}) AS t (i);
INSERT INTO visits SELECT i, (hash(i, 3) % {people})::INTEGER, (hash(i, 4) % 2000)::INTEGER, 'ward ' || hash(i, 5) % 40,
  (hash(i, 6) % 1460)::INTEGER FROM range({visits}) AS t (i);
INSERT INTO diagnoses SELECT id, 'I' || hash(id, r, 7) % 300, day FROM visits, range(2) AS n (r);
INSERT INTO bills SELECT patient_id, (hash(id, 8) % 5000)::INTEGER, 2020 + day // 365 FROM visits WHERE id % 2 = 0;
"""
SUPPRESS: dict[str, object] = {"role": "quasi", "hierarchy": "suppress"}
DROP: dict[str, object] = {"role": "identifying", "action": "drop"}
DAY: dict[str, object] = {"role": "quasi", "hierarchy": {"intervals": [30, 90, 360]}}
SETTINGS: dict[str, object] = {"privacy": {"k": K}, "suppression": "5%"}
PEOPLE: dict[str, object] = {
    "name": DROP,
    "sex": SUPPRESS,
    "born": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
}
VISITS: dict[str, object] = {"ward": SUPPRESS, "day": DAY}
DIAGNOSES: dict[str, object] = {"icd": {"role": "sensitive"}, "day": DAY}


def key(*columns: str) -> dict[str, object]:
    return {"key_env": "KANON_KEY", "columns": list(columns)}


def schema(protect: str) -> dict[str, object]:
    """The policy of the schema, with visits cut, folded, signatures, events of which two are known, or without a guarantee."""
    plain = {name: {"role": "insensitive"} for name in VISITS}
    visits: dict[str, object] = {"columns": plain if protect == "none" else VISITS}
    if protect == "summary":
        visits = {"into": {"visits": {"count": True, "top": 4}}}
    more: dict[str, dict[str, object]] = {
        "cut": SETTINGS,
        "events": {"known": 2},
        "signature": {"suppression": "50%"},
    }
    visits |= more.get(protect, {})
    folds = {"bills": {"count": True, "top": 3}, "years": {"set": "year"}}
    return {
        "version": 2,
        "database": "hospital.duckdb",
        "keys": {
            "patient": key("patients.id", "visits.patient_id", "bills.patient_id"),
            "visit": key("visits.id", "diagnoses.visit_id"),
            "provider": key("providers.id", "visits.provider_id"),
        },
        "tables": {
            "patients": {"entity": "patient", "columns": PEOPLE, **SETTINGS},
            "visits": {"of": "patient", "protect": protect, **visits},
            "diagnoses": {"of": "patient", "protect": "cut", "columns": DIAGNOSES, **SETTINGS},
            "bills": {"of": "patient", "protect": "summary", "into": folds},
            "providers": {"copy": True},
        },
        "release": {"schema": "anon"},
    }


def alone() -> dict[str, dict[str, object]]:
    """The policies of the tables one by one."""

    def hashed(**more: str) -> dict[str, object]:
        return {"role": "identifying", "action": "hash", "key_env": "KANON_KEY", **more}

    def one(table: str, entity: str, columns: dict[str, object]) -> dict[str, object]:
        return {
            "version": 1,
            "source": {"table": table},
            "database": "hospital.duckdb",
            "entity": entity,
            "columns": columns,
            **SETTINGS,
            "release": {"table": f"{table}_alone"},
        }

    linked = hashed(linkable="accept")
    return {
        "patients": one("patients", "row", {"id": hashed(), **PEOPLE}),
        "visits": one(
            "visits",
            "patient_id",
            {"id": DROP, "patient_id": DROP, "provider_id": linked, **VISITS},
        ),
        "diagnoses": one("diagnoses", "row", {"visit_id": DROP, **DIAGNOSES}),
        "bills": one(
            "bills",
            "patient_id",
            {"patient_id": DROP, "amount": {"role": "insensitive"}, "year": SUPPRESS},
        ),
    }


def joined(database: Path) -> dict[str, int]:
    """Count the people below k over the join with visits, by a statement of this script."""
    text = f"""
    WITH rows_of AS (SELECT patient_id, list_sort(list(ROW(provider_id, ward, day)::VARCHAR)) AS had FROM anon.visits GROUP BY 1),
    alike AS (SELECT COUNT(*) AS n FROM anon.patients AS p LEFT JOIN rows_of AS r ON r.patient_id = p.id
      GROUP BY sex, born, zip, bills, years, had)
    SELECT SUM(n), COALESCE(SUM(n) FILTER (n < {K}), 0) FROM alike"""
    with duckdb.connect(str(database), read_only=True) as connection:
        ((people, below),) = connection.execute(text).fetchall()
    return {"people": int(people), "below_k_over_the_join": int(below)}


def main() -> None:
    """Release the hospital both ways in turn, and print the CPU seconds and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--visits", type=int, default=500_000)
    parser.add_argument(
        "--protect", choices=["cut", "summary", "signature", "events", "none"], default="cut"
    )
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    os.environ.setdefault("KANON_KEY", "a key of this benchmark, of 32 bytes")
    both: list[tuple[float, dict[str, float]]] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        database = folder / "hospital.duckdb"
        with duckdb.connect(str(database)) as connection:
            connection.execute(TABLES.format(people=given.visits * 2 // 5, visits=given.visits))
        write_policy(schema(given.protect), folder / "schema.yml")
        for table, policy in alone().items():
            write_policy(policy, folder / f"{table}.yml")
        for _ in range(given.runs):
            whole = run_command(["anonymize", "schema.yml", "--replace"], folder)
            single = {
                table: run_command(["anonymize", f"{table}.yml", "--replace"], folder)
                for table in alone()
            }
            both.append((whole, single))
        counts = joined(database) if given.protect == "none" else {}
    sums = [sum(single.values()) for _, single in both]
    report = {
        "benchmark": "schema",
        "machine": machine(),
        "visits": given.visits,
        "protect": given.protect,
        "schema_cpu_seconds": middle([whole for whole, _ in both], 1),
        "alone_cpu_seconds": {
            table: middle([single[table] for _, single in both], 1) for table in alone()
        },
        "sum_alone_cpu_seconds": middle(sums, 1),
        "ratio": middle([whole / total for (whole, _), total in zip(both, sums, strict=True)], 2),
        **counts,
    }
    write(report, given.out)
    if report["ratio"] > 3:
        sys.exit("the schema takes more than three times the sum of its tables alone")


if __name__ == "__main__":
    main()
