"""What `init` proposes for a raw hospital table, beside what a specialist wrote for it.

    python -m benchmarks.hospital --persons 107859

107,859 people have some 510,000 visits. `init` gets three answers, and its policy is planned and applied without an
edit; so is the specialist's (`hospital_specialist.yml`). Both releases are measured by statements of this script, which
share nothing with the product: people in each class, and NCP over the same five columns, from the released labels and
the values of the source. A cell's NCP is the width of its label as a share of the width of its column: days of dates,
ZIP codes of a prefix, everything for `*`; the mean is over all rows of the source, suppressed ones as `*`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import duckdb

from benchmarks.measure import machine, run_command, write

K = 11
ANSWERS = (
    "--known",
    "admitted_at",
    "--sensitive",
    "diagnosis_code",
    "--key",
    "drop",
    "--for",
    "records",
)
QUASI = ("birth_date", "sex", "race", "zip", "admitted_at")
FOLDER = Path(__file__).parent
CLEANED = """
CREATE OR REPLACE TEMP TABLE cleaned AS
SELECT
  visit_id,
  mrn,
  NULLIF(birth_date, DATE '1900-01-01') AS birth_date,
  UPPER(TRIM(sex)) AS sex,
  LOWER(TRIM(race)) AS race,
  CASE WHEN regexp_full_match(TRIM(zip), '[0-9]{4,5}') THEN LPAD(TRIM(zip), 5, '0') END AS zip,
  admitted_at::DATE AS admitted_at
FROM visits
"""


def generate(persons: int, database: Path, *, threads: int | None = None) -> tuple[int, int]:
    """Write the visits of so many people to a table of a DuckDB file; give its rows and its people."""
    text = (FOLDER / "hospital.sql").read_text(encoding="utf-8")
    with duckdb.connect(
        str(database), config={} if threads is None else {"threads": threads}
    ) as connection:
        connection.execute("SET VARIABLE hospital_persons = ?", [persons])
        connection.execute(f"CREATE TABLE visits AS {text}")
        ((rows, people),) = connection.execute(
            "SELECT COUNT(*), COUNT(DISTINCT mrn) FROM visits"
        ).fetchall()
    return int(rows), int(people)


def bounds(label: str) -> str:
    """Give the SQL of the first and last day of a label of dates.

    It is one day, an interval of days or of years, a span of whole years, or a month, quarter, year or decade.
    """
    years = f"regexp_extract({label}, '^\\[?([0-9]{{4}})(?:, ([0-9]{{4}})\\))?$', ['low', 'high'])"
    low = f"regexp_extract({label}, '([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})', 1)"
    high = f"regexp_extract({label}, '([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})\\]?$', 1)"
    month = f"TRY_CAST(regexp_extract({label}, '^[0-9]{{4}}-[0-9]{{2}}$') || '-01' AS DATE)"
    parts = f"regexp_extract({label}, '^([0-9]{{4}})-Q([1-4])$', ['year', 'quarter'])"
    quarter = f"MAKE_DATE(TRY_CAST({parts}.year AS INTEGER), 3 * TRY_CAST({parts}.quarter AS INTEGER) - 2, 1)"
    decade = f"TRY_CAST(regexp_extract({label}, '^([0-9]{{3}}0)s$', 1) || '-01-01' AS DATE)"
    span = f"regexp_extract({label}, '^([0-9]{{4}})-([0-9]{{4}})$', ['low', 'high'])"
    span_low, span_high = (f"TRY_CAST({span}.{end} || '{day}' AS DATE)" for end, day in (("low", "-01-01"), ("high", "-12-31")))  # fmt: skip
    units = ((month, "1 MONTH"), (quarter, "3 MONTHS"), (decade, "10 YEARS"))
    ends = [f"CAST({first} + INTERVAL {long} AS DATE) - 1" for first, long in units]
    return (
        f"COALESCE(TRY_CAST({low} AS DATE), TRY_CAST({years}.low || '-01-01' AS DATE), "
        f"{span_low}, {', '.join(first for first, _ in units)}) AS low, "
        f"COALESCE(TRY_CAST({high} AS DATE), TRY_CAST({years}.high || '-01-01' AS DATE) - 1, "
        f"{span_high}, TRY_CAST({years}.low || '-12-31' AS DATE), {', '.join(ends)}) AS high"
    )


def measured(connection: duckdb.DuckDBPyConnection, release: Path) -> dict[str, float]:
    """Count a release, and the NCP of each column, by labels alone."""
    connection.execute(CLEANED)
    connection.read_parquet(str(release)).create_view("release", replace=True)
    ((rows,),) = connection.execute("SELECT COUNT(*) FROM cleaned").fetchall()
    ((released, classes),) = connection.execute(
        f"SELECT COUNT(*), COUNT(DISTINCT ROW({', '.join(QUASI)})::VARCHAR) FROM release"
    ).fetchall()
    found: dict[str, float] = {"rows": rows, "released_rows": released, "classes": classes}
    losses = {
        "birth_date": _of_dates("birth_date"),
        "admitted_at": _of_dates("admitted_at"),
        "sex": _of_categories("sex"),
        "race": _of_categories("race"),
        "zip": (
            "SELECT SUM(n * CASE WHEN label IS NULL OR leaves = 1 THEN 0 WHEN strpos(label, '*') = 0 THEN 0 "
            "ELSE leaves / total END) FROM (SELECT label, n, (SELECT COUNT(DISTINCT zip) FROM cleaned "
            "WHERE starts_with(zip, split_part(label, '*', 1))) AS leaves, "
            "(SELECT COUNT(DISTINCT zip) FROM cleaned) AS total "
            "FROM (SELECT zip AS label, COUNT(*) AS n FROM release GROUP BY zip))"
        ),
    }
    for column, text in losses.items():
        ((lost,),) = connection.execute(text).fetchall()
        found[f"ncp_{column}"] = (float(lost or 0) + rows - released) / rows
    found["ncp"] = sum(found[f"ncp_{column}"] for column in QUASI) / len(QUASI)
    return found


def _of_dates(column: str) -> str:
    width = f"(SELECT MAX({column}) - MIN({column}) FROM cleaned)"
    return (
        f"SELECT SUM(n * CASE WHEN label IS NULL THEN 0 WHEN label = '*' OR low IS NULL THEN 1 "
        f"ELSE LEAST(1, (high - low) / {width}) END) FROM (SELECT label, n, {bounds('label')} "
        f"FROM (SELECT {column}::VARCHAR AS label, COUNT(*) AS n FROM release GROUP BY 1))"
    )


def _of_categories(column: str) -> str:
    return f"SELECT COUNT(*) FROM release WHERE {column} = '*'"


def fewest_people(connection: duckdb.DuckDBPyConnection, release: Path) -> tuple[int, int]:
    """Count the fewest people of a class, and the classes with fewer than k, of a release that has `visit_id`."""
    connection.read_parquet(str(release)).create_view("with_people", replace=True)
    classes = (
        f"SELECT COUNT(DISTINCT v.mrn) AS people FROM with_people AS r JOIN visits AS v USING (visit_id) "
        f"GROUP BY {', '.join(f'r.{name}' for name in QUASI)}"
    )
    ((fewest, below),) = connection.execute(
        f"SELECT MIN(people), COUNT(*) FILTER (WHERE people < {K}) FROM ({classes})"
    ).fetchall()
    return int(fewest), int(below)


def with_visits(policy: Path, out: Path, release: str) -> Path:
    """Write a policy that releases the visit's number as well, so that people can be counted from outside."""
    import yaml  # noqa: PLC0415

    found = yaml.safe_load(policy.read_text(encoding="utf-8"))
    query = found["source"]["query"]
    if "visit_id" not in query:
        found["source"]["query"] = query.replace("SELECT", "SELECT visit_id,", 1)
    found["columns"]["visit_id"] = {"role": "insensitive", "linkable": "accept"}
    found["release"] = release
    out.write_text(yaml.safe_dump(found, sort_keys=False), encoding="utf-8")
    return out


def main() -> None:
    """Run both ways, measure both releases, and fail where `init` misses what it must reach."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--persons", type=int, default=107_859)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu-seconds", type=float, default=60, help="what init to apply may take")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows, people = generate(given.persons, folder / "hospital.duckdb", threads=given.threads)
        threads = ("--threads", str(given.threads))
        cpu = {
            "init": run_command(["init", "hospital.duckdb", *ANSWERS, "-o", "init.yml"], folder),
            "plan": run_command(["plan", "init.yml", *threads], folder),
            "apply": run_command(["apply", "init.plan.yml", *threads], folder),
        }
        copyfile(FOLDER / "hospital_specialist.yml", folder / "specialist.yml")
        specialist = run_command(["anonymize", "specialist.yml", *threads], folder)
        with_visits(folder / "init.yml", folder / "counted.yml", "counted.parquet")
        run_command(["anonymize", "counted.yml", *threads], folder)
        with duckdb.connect(str(folder / "hospital.duckdb")) as connection:
            found = {
                "init": measured(connection, folder / "release.parquet"),
                "specialist": measured(connection, folder / "specialist.parquet"),
            }
            fewest, below = fewest_people(connection, folder / "counted.parquet")
    ratio = found["init"]["ncp"] / found["specialist"]["ncp"]
    report = {
        "machine": machine(),
        "rows": rows,
        "people": people,
        "cpu_seconds": {**cpu, "all": sum(cpu.values()), "specialist": specialist},
        **found,
        "ncp_ratio": ratio,
        "fewest_people": fewest,
        "classes_below_k": below,
    }
    write(report, given.out)
    if below or ratio > 1.1 or sum(cpu.values()) > given.cpu_seconds:
        sys.exit("init misses k people, 1.1 times the specialist's NCP, or its CPU seconds")


if __name__ == "__main__":
    main()
