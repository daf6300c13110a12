"""Which kind of recoding loses least, by one measure for all: full-domain, at several nodes, in regions.

    python -m benchmarks.trials --persons 12000 --out trials.json

Adult, NIST's extract of the American Community Survey, generated visits and, where `hospital.sql` lies beside this
script, the visits of a generated hospital: each is searched by every recoding, in a process of its own. NCP is the mean
of all cells as `compare` measures it from the released labels. CPU seconds are those of the whole process: it reads the
source, searches, and stages the release to measure it. Data that are not there are left out, and said.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks import adult, persons
from benchmarks.measure import ROOT, machine, run, write, write_policy
from benchmarks.quality import CUTS, CUTS_BY_LOSS

SEARCHES: dict[str, tuple[str, dict[str, object]]] = {
    "optimal": ("optimal", {}),
    "cells": ("cells", {}),
    "local": ("local", {}),
    "mondrian": ("mondrian", {**CUTS}),
    "mondrian, choose: loss": ("mondrian", {**CUTS_BY_LOSS}),
}
"""What `compare` is asked for, and the search of the policy that it has the options from."""
NIST = ROOT.parent / "shared" / "data" / "nist" / "national2019.csv"
HOSPITAL = Path(__file__).with_name("hospital.sql")
CLEANED = """
    SELECT
      mrn,
      CASE WHEN birth_date > DATE '1900-01-01' THEN year(birth_date) END AS birth_year,
      UPPER(TRIM(sex)) AS sex,
      LOWER(TRIM(race)) AS race,
      CASE WHEN regexp_full_match(TRIM(zip), '[0-9]{4,5}') THEN LPAD(TRIM(zip), 5, '0') END AS zip,
      CAST(admitted_at AS DATE) AS admitted
    FROM visits
"""
YEARS = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}, "order": "number"}
NAMED = {"role": "quasi", "hierarchy": "suppress"}
DAYS = {
    "role": "quasi",
    "hierarchy": {"dates": ["month", "quarter", "year"]},
    "order": "date",
    "snap": "month",
}


def stated(source: Path, columns: dict[str, object], **more: object) -> dict[str, object]:
    """Give a policy in which every column has what each kind of recoding needs."""
    found = {"version": 1, "source": str(source), "entity": "row", "columns": columns}
    return {**found, "privacy": {"k": 5}, "suppression": "1%", **more}


def of_adult(folder: Path) -> dict[str, object] | None:
    """Give Adult's policy, in which ages have an order too."""
    if not (folder / "adult.csv").is_file():
        return None
    policy = adult.policy(folder, k=5, suppression="1%", metric="loss")
    columns = policy["columns"]
    if isinstance(columns, dict):
        columns["age"]["order"] = "number"
    return policy


def of_nist(source: Path) -> dict[str, object] | None:
    """Give the policy of NIST's extract: what somebody may know of a neighbour."""
    if not source.is_file():
        return None
    names = duckdb.read_csv(str(source)).columns
    known = ("SEX", "MSP", "RAC1P", "EDU", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT")
    quasi = {**dict.fromkeys(known, NAMED), "AGEP": YEARS}
    quasi["PUMA"] = {"role": "quasi", "hierarchy": {"mask": 8}}
    return stated(source, {name: quasi.get(name, {"role": "insensitive"}) for name in names})


def of_visits(people: int, out: Path) -> dict[str, object]:
    """Generate visits, and give their policy, which counts people."""
    persons.generate(people, out)
    columns = {
        "person": {"role": "identifying", "action": "drop"},
        "sex": NAMED,
        "age": YEARS,
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "ward": NAMED,
        "visited": DAYS,
        "disease": {"role": "sensitive"},
    }
    return stated(out, columns, entity="person", privacy={"k": 11})


def of_hospital(people: int, out: Path) -> dict[str, object] | None:
    """Generate the visits of a hospital, clean them, and give their policy, which counts people."""
    if not HOSPITAL.is_file():
        return None
    with duckdb.connect() as connection:
        connection.execute("SET VARIABLE hospital_persons = ?", [people])
        connection.execute(f"CREATE TABLE visits AS {HOSPITAL.read_text(encoding='utf-8')}")
        connection.sql(CLEANED).write_parquet(str(out))
    columns = {
        "mrn": {"role": "identifying", "action": "drop"},
        "birth_year": YEARS,
        "sex": NAMED,
        "race": NAMED,
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "admitted": DAYS,
    }
    return stated(out, columns, entity="mrn", privacy={"k": 11})


def searched(policy: dict[str, object], name: str, scratch: Path, limit: str) -> dict[str, object]:
    """Search in a process of its own: what was found, and what that took."""
    asked, search = SEARCHES[name]
    file = write_policy({**policy, "search": search}, scratch / "policy.yml")
    arguments = ["compare", str(file), "--algorithms", asked, "--time-limit", limit, "--json"]
    took = run(["kanon_sql", *arguments])
    (found,) = took.summary["searches"]
    keys = ("error", "ncp", "suppressed_rows", "classes", "checks_in_time")
    return {
        "rows": took.summary["rows"],
        **{key: found[key] for key in keys if found.get(key) is not None},
        "cpu_seconds": round(took.cpu, 1),
    }


def print_row(data: str, name: str, found: dict[str, object]) -> None:
    """Print one line, as soon as it is known."""
    late = ", time up" if "checks_in_time" in found else ""
    text = (
        f"NCP {found['ncp']:.4f}  suppressed {found['suppressed_rows']:>7,}  "
        f"classes {found['classes']:>7,}"
        if "ncp" in found
        else f"none: {found.get('error')}"
    )
    line = (
        f"{data:9} {found['rows']:>9,} rows  {name:22}  {text}  CPU {found['cpu_seconds']} s{late}"
    )
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--adult", type=Path, default=adult.FOLDER)
    parser.add_argument("--nist", type=Path, default=NIST)
    parser.add_argument("--persons", type=int, default=12_000, help="people with visits")
    parser.add_argument("--time-limit", default="120s", help="of each search")
    parser.add_argument("--data", default="adult,nist,visits,hospital")
    parser.add_argument("--searches", default=";".join(SEARCHES), help="separated by semicolons")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    results: dict[str, dict[str, object]] = {}
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        for data in given.data.split(","):
            match data:
                case "adult":
                    policy = of_adult(given.adult.resolve())
                case "nist":
                    policy = of_nist(given.nist.resolve())
                case "visits":
                    policy = of_visits(given.persons, scratch / "visits.parquet")
                case "hospital":
                    policy = of_hospital(2 * given.persons, scratch / "hospital.parquet")
                case _:
                    sys.exit(f"unknown data: {data}")
            if policy is None:
                print(f"{data}: its files are not there", file=sys.stderr)
                continue
            results[data] = {}
            for name in given.searches.split(";"):
                found = searched(policy, name, scratch, given.time_limit)
                results[data][name] = found
                print_row(data, name, found)
    write({"machine": machine(), "time_limit": given.time_limit, "trials": results}, given.out)


if __name__ == "__main__":
    main()
