"""The files of an entry to NIST's archive of deidentified data: one release of national2019, its labels, and sdnist's report.

    python -m venv sdnist && sdnist/bin/pip install sdnist pyarrow
    git clone https://github.com/usnistgov/SDNist
    python -m benchmarks.nist_entry national2019.csv entry --team TEAM --sdnist-python sdnist/bin/python \\
        --sdnist-data SDNist/BenchmarkData/ACSDataExcerpts

The release has the ten features of the demographic set as values for counts, at k = 6: no row is suppressed, and its
classes are counted here. FOLDER gets what the archive keeps of an entry, in the folders that it has: the rows
(`national/NAME.csv`), what was done (`national/NAME.json`), and, where sdnist is named, its report beside them. A person reads the
labels, and sends the folder to the archive.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import kanon_sql
from benchmarks import nist
from benchmarks.recount import ROW, quoted

K = 6
SEARCH = "apportioned"
NAME = f"kanon_sql_k_{K}_demographic_focused"
DETAIL = (
    f"{K}-anonymity by local multidimensional recoding (Mondrian, cuts by information loss): each class of at least {K} rows shows one "
    "value in each feature, chosen so that the counts of values over all classes are close to those of the table. No row is suppressed, "
    "and none is synthetic. All ten features are quasi-identifiers."
)


def labels(team: str) -> dict[str, str]:
    """Return what the archive keeps of an entry beside its rows, in the archive's words."""
    return {
        "team": team,
        "submission timestamp": f"{datetime.now(UTC):%m/%d/%Y %H:%M:%S}",
        "target dataset": "national2019",
        "algorithm name": "Mondrian, values for counts",
        "library": f"kanon-sql {kanon_sql.__version__}",
        "feature set": "demographic-focused",
        "features list": ", ".join(nist.FEATURES),
        "variant label": f"k: {K}",
        "privacy": "k-anonymity",
        "privacy label detail": DETAIL,
        "research papers": "https://doi.org/10.1109/ICDE.2006.101",
    }


def released(source: Path, folder: Path) -> Path:
    """Write the release; end where a class is too small, or a row is lost."""
    out = folder / "national" / f"{NAME}.csv"
    if out.exists():
        sys.exit(f"{out} exists: name a new folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, duckdb.connect() as connection:
        numbered = Path(scratch) / "national.parquet"
        connection.execute(
            f"""CREATE TEMP TABLE source AS SELECT ROW_NUMBER() OVER () AS {ROW},
                  {", ".join(map(quoted, nist.FEATURES))} FROM read_csv('{source}', all_varchar = true)"""
        )
        connection.execute(f"COPY source TO '{numbered}' (FORMAT PARQUET)")
        given = argparse.Namespace(representative="product", threads=2)
        release = Path(scratch) / "release.parquet"
        nist.released(connection, numbered, SEARCH, release, k=K, given=given)
        classes, smallest, rows = nist.counted(connection)
        ((own,),) = connection.execute("SELECT COUNT(*) FROM source").fetchall()
        if smallest < K or rows != own:
            sys.exit(f"{rows} of {own} rows, the smallest class has {smallest}")
        nist.write_table(connection, "released", out)
    sys.stdout.write(f"{rows:,} rows in {classes:,} classes, the smallest has {smallest}\n")
    return out


def report(python: str, excerpts: Path, source: Path, out: Path, told: dict[str, str]) -> None:
    """Let sdnist write its report beside the rows; it names the report's folder itself."""
    with TemporaryDirectory() as scratch:
        root = nist.target_root(excerpts, source, Path(scratch))
        plain = Path(scratch) / "labels.json"
        plain.write_text(json.dumps(told), encoding="utf-8")
        words = [str(out.resolve()), "NATIONAL", "--labels", str(plain), "--data-root", str(root)]
        subprocess.run(
            [python, "-m", "sdnist.report", *words], cwd=out.parent, check=True,
            env={**os.environ, "PYTHONPATH": "", "MPLBACKEND": "agg", "BROWSER": "true"},
        )  # fmt: skip


def main() -> None:
    """Make the entry."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="NIST's national2019.csv")
    parser.add_argument("folder", type=Path, help="where the entry goes")
    parser.add_argument("--team", default="kanon-sql", help="who sends the entry")
    parser.add_argument("--sdnist-python", help="a Python that has sdnist, for the report")
    parser.add_argument("--sdnist-data", type=Path, help="BenchmarkData/ACSDataExcerpts of SDNist")
    given = parser.parse_args()
    if not given.source.is_file():
        sys.exit(f"there is no file {given.source}: name NIST's national2019.csv")
    if bool(given.sdnist_python) != bool(given.sdnist_data):
        sys.exit("a report needs both --sdnist-python and --sdnist-data")
    out = released(given.source, given.folder)
    told = labels(given.team)
    out.with_suffix(".json").write_text(
        json.dumps({"labels": told}, indent=4) + "\n", encoding="utf-8"
    )
    if given.sdnist_python:
        report(given.sdnist_python, given.sdnist_data, given.source, out, told)


if __name__ == "__main__":
    main()
