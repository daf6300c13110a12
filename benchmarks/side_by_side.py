"""Ours beside other programs' releases and synthetic rows of the same columns, in one run and by the same measures.

    python -m venv sdnist && sdnist/bin/pip install sdnist pyarrow
    python -m venv anonypy && anonypy/bin/pip install anonypy pandas
    python -m venv dpmm && dpmm/bin/pip install dpmm
    python -m venv sdv && sdv/bin/pip install sdv
    R -e 'install.packages(c("sdcMicro", "synthpop"))'
    git clone https://github.com/usnistgov/SDNist
    python -m benchmarks.side_by_side --nist national2019.csv --adult adult/adult.csv --arx libarx-3.9.2.jar \\
        --anonypy anonypy/bin/python --dpmm dpmm/bin/python --sdv sdv/bin/python --rscript Rscript \\
        --sdnist-python sdnist/bin/python --sdnist-data SDNist/BenchmarkData/ACSDataExcerpts --cache releases

The tables are NIST's ten features (k = 6 and 11) and Adult without `salary-class` (k = 10). Ours are what `init` proposes for counts
and for records, with no row suppressed; ARX has the hierarchies of our records. A program that no argument names is left out.
A release that is in the folder of `--cache`, of the same rows, is taken from there with the CPU seconds of its run.

A release of labels is measured twice: its labels as they are (`plain`), and with each cell replaced by one of the values that its
label covers, drawn alike (`drawn`). A label covers the source's values of all rows that have it in that column. Values are
measured as they are. Of each table:

* pairs, plain and drawn: the median relative error of the counts of all pairs of bands of two columns that the source has in
  100 rows (in a hundredth of its rows if that is less), as the product's `count_error` is defined, counted here anew;
* score: 1000 times one less the mean total variation distance of the pairs of bands of two columns, of what is drawn;
* one-way: the mean total variation distance of the values of one column, of what is drawn;
* unique: rows of the source without an equal that are drawn or released with all their values;
* sdnist's k-marginal score and pMSE of NIST's table, of what is drawn; CPU seconds of the whole process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb

from benchmarks import counts, nist, peers
from benchmarks.measure import machine, run, write, write_policy
from benchmarks.quality import table
from benchmarks.recount import ROW, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE = Path(__file__).resolve().parent
ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")  # fmt: skip
OURS = {"counts": "kanon-sql, values for counts", "records": "kanon-sql, nested labels"}
FEW_VALUES, BANDS, OFTEN = 20, 10, 100
"""As the product's definition of the error of simple counts has them."""
LOCAL = "0.01"
"""The least share of the rows that ARX recodes in each step of its local recoding."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its command, in which TABLE, OUT and K stand for what it gets, whether it releases labels and knows a k."""

    name: str
    command: tuple[str, ...]
    labels: bool = False
    knows_k: bool = True

    def arguments(self, folder: Path, table: Path, out: Path, k: int) -> list[str]:
        """Give its command for a table."""
        given = {"FOLDER": str(folder), "TABLE": str(table), "OUT": str(out), "K": str(k)}
        return [given.get(each, each) for each in self.command]


def programs(given: argparse.Namespace, number: str, arx: Path) -> Iterator[Program]:
    """List the programs that the arguments name; `number` is the column that is one, `arx` has what runs ARX."""
    command: tuple[str, ...]
    files = ("TABLE", "OUT", "K")
    if given.arx:
        path = os.pathsep.join([str(arx), given.arx])
        options = (f"-Dlocal={LOCAL}", "-Dseparator=,", "-Xmx6g", "-cp", path)
        share = str(1 - float(LOCAL))
        command = ("java", *options, "RunArx", "TABLE", "FOLDER", "OUT", "K", share)
        yield Program("ARX, local recoding", command, labels=True)
    if given.anonypy:
        command = (given.anonypy, str(HERE / "run_peer.py"), "anonypy", "-", *files)
        yield Program("anonypy", command, labels=True)
    in_r = str(HERE / "run_in_r.R")
    synthesizer = str(HERE / "run_synthesizer.py")
    if given.rscript:
        for name in ("sdcMicro MDAV, mean", "sdcMicro MDAV, representative"):
            yield Program(name, (given.rscript, in_r, name, number, *files))
        name = "synthpop CART"
        yield Program(name, (given.rscript, in_r, name, number, *files), knows_k=False)
    for python, names in (
        (given.dpmm, ("dpmm MST, epsilon 1", "dpmm MST, epsilon 10")),
        (given.sdv, ("SDV GaussianCopula",)),
    ):
        for name in names if python else ():
            yield Program(name, (python, synthesizer, name, number, *files), knows_k=False)


def band_width(values: Sequence[str]) -> float | None:
    """Give the width of the bands of a column's different values, None if each value is counted by itself."""
    try:
        numbers = sorted(map(float, values))
    except ValueError:
        return None
    many = len(numbers)
    if many <= FEW_VALUES:
        return None
    middle = [each for at, each in enumerate(numbers, start=1) if many < 20 * at <= 19 * many]
    span, power = middle[-1] - middle[0], 1e-9
    while True:
        for width in (power, 2 * power, 5 * power):
            if width * BANDS >= span:
                return round(width, 9)
        power *= 10


class Beside:
    """A source, by the bands of its values, and what releases of it are compared with it by."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
        """Band each column of the table `source`."""
        self.connection, self.names = connection, names
        for at, name in enumerate(names):
            found = connection.execute(f"SELECT DISTINCT {quoted(name)} FROM source").fetchall()
            width = band_width([value for (value,) in found])
            band = "v" if width is None else f"CAST(FLOOR(CAST(v AS DOUBLE) / {width}) AS VARCHAR)"
            connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE bands_{at} AS
                      SELECT v, {band} AS band FROM (SELECT DISTINCT {quoted(name)} AS v FROM source)"""
            )
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE covers_{at} (label VARCHAR, covered VARCHAR[], band VARCHAR)"
            )
        self._band("source", "own")

    @cached_property
    def rows(self) -> int:
        """The rows of the source."""
        return self._count("source")

    def _count(self, relation: str) -> int:
        ((rows,),) = self.connection.execute(f"SELECT COUNT(*) FROM {relation}").fetchall()
        return int(rows)

    def _band(self, relation: str, named: str) -> None:
        """Make the table of a relation's bands, of values."""
        joins = " ".join(
            f"LEFT JOIN bands_{at} AS b{at} ON b{at}.v = r.{quoted(name)}"
            for at, name in enumerate(self.names)
        )
        listed = ", ".join(f"b{at}.band AS b{at}" for at, _ in enumerate(self.names))
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {named} AS SELECT {listed} FROM {relation} AS r {joins}"
        )

    def _cover(self) -> None:
        """Make the tables of the values that labels cover, and draw one for each cell."""
        drawn, plain, joins = [], [], []
        for at, name in enumerate(self.names):
            self.connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE covers_{at} AS
                      SELECT label, LIST(v ORDER BY v) AS covered,
                        CASE WHEN MIN(band) = MAX(band) THEN MIN(band) END AS band
                      FROM (SELECT DISTINCT r.{quoted(name)} AS label, s.{quoted(name)} AS v
                            FROM released AS r JOIN source AS s USING ({ROW}))
                      JOIN bands_{at} USING (v) GROUP BY label"""
            )
            covered = f"c{at}.covered"
            drawn.append(
                f"{covered}[1 + CAST(HASH({ROW}, {at}) % LEN({covered}) AS BIGINT)] AS {quoted(name)}"
            )
            plain.append(f"c{at}.band AS b{at}")
            joins.append(f"JOIN covers_{at} AS c{at} ON c{at}.label = r.{quoted(name)}")
        for named, listed in (("drawn", drawn), ("plain", plain)):
            self.connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE {named} AS
                      SELECT {", ".join(listed)} FROM released AS r {" ".join(joins)}"""
            )

    def measure(self, *, labels: bool) -> dict[str, Any]:
        """Measure the table `released`, and make the table `drawn`, of values."""
        listed = ", ".join(map(quoted, self.names))
        if labels:
            self._cover()
        else:
            self.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE drawn AS SELECT {listed} FROM released"
            )
        self._band("drawn", "shown")
        ((classes, smallest),) = self.connection.execute(
            f"SELECT COUNT(*), MIN(m) FROM (SELECT COUNT(*) AS m FROM released GROUP BY {listed})"
        ).fetchall()
        ((unique,),) = self.connection.execute(
            f"""SELECT COUNT(*) FROM (
                  SELECT {listed} FROM source GROUP BY ALL HAVING COUNT(*) = 1
                  INTERSECT SELECT {listed} FROM drawn)"""
        ).fetchall()
        return {
            "classes": classes,
            "smallest": smallest,
            "rows": self._count("released"),
            "pairs_plain": self._pair_error("plain" if labels else "shown"),
            "pairs_drawn": self._pair_error("shown"),
            "score": round(1000 * (1 - self._pair_distance()), 1),
            "one_way": self._value_distance(),
            "unique": unique,
        }

    def _pair_error(self, shown: str) -> float:
        """Give the median error of the counts of pairs of bands that the source has often enough."""
        least = min(OFTEN, max(self.rows // OFTEN, 1))
        errors = " UNION ALL ".join(
            f"""SELECT ABS(COALESCE(r.m, 0) - o.m) / o.m AS error
                FROM (SELECT b{one} AS a, b{two} AS b, COUNT(*) AS m FROM own GROUP BY ALL HAVING m >= {least}) AS o
                LEFT JOIN (SELECT b{one} AS a, b{two} AS b, COUNT(*) AS m FROM {shown} GROUP BY ALL) AS r USING (a, b)"""
            for one, two in combinations(range(len(self.names)), 2)
        )
        ((error,),) = self.connection.execute(f"SELECT MEDIAN(error) FROM ({errors})").fetchall()
        return float(error)

    def _distance(self, own: str, shown: str, columns: Sequence[str]) -> float:
        """Give the total variation distance of the shares of the values of some columns."""
        keys = ", ".join(columns)
        shares = [
            f"(SELECT {keys}, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM {each} GROUP BY {keys})"
            for each in (own, shown)
        ]
        ((found,),) = self.connection.execute(
            f"""SELECT SUM(ABS(COALESCE(o.share, 0) - COALESCE(r.share, 0))) / 2
                FROM {shares[0]} AS o FULL JOIN {shares[1]} AS r USING ({keys})"""
        ).fetchall()
        return float(found)

    def _pair_distance(self) -> float:
        pairs = list(combinations([f"b{at}" for at, _ in enumerate(self.names)], 2))
        return sum(self._distance("own", "shown", pair) for pair in pairs) / len(pairs)

    def _value_distance(self) -> float:
        found = [self._distance("source", "drawn", [quoted(name)]) for name in self.names]
        return sum(found) / len(found)


def write_hierarchies(
    connection: duckdb.DuckDBPyConnection, policy: dict[str, Any], folder: Path
) -> None:
    """Write the hierarchies of a first policy as ARX reads them: intervals of some widths, or a value and then `*`."""
    for name, entry in policy["columns"].items():
        if entry["role"] != "quasi":
            continue
        found = connection.execute(f"SELECT DISTINCT {quoted(name)} FROM source ORDER BY ALL")
        widths = [] if entry["hierarchy"] == "suppress" else entry["hierarchy"]["intervals"]
        lines = []
        for (value,) in found.fetchall():
            lows = [(int(value) // width * width, width) for width in widths]
            lines.append(";".join([value, *(f"[{low}, {low + width})" for low, width in lows), "*"]))  # fmt: skip
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"hierarchy_{name}.csv").write_text(text, encoding="utf-8")


HEADINGS = ("k", "program", "classes", "smallest", "pairs plain %", "drawn %", "score", "one-way %", "unique",
            "k-marginal", "1000 pMSE", "sdnist unique", "CPU s")  # fmt: skip


def line(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Give one row of the table."""
    scores = found.get("sdnist", {})
    return (
        str(found["k"] or ""),
        found["program"],
        *(f"{found[key]:,}" for key in ("classes", "smallest")),
        *(f"{100 * found[key]:.1f}" for key in ("pairs_plain", "pairs_drawn")),
        str(found["score"]),
        f"{100 * found['one_way']:.2f}",
        f"{found['unique']:,}",
        str(scores.get("k_marginal", "")),
        f"{1000 * scores['pmse']:.1f}" if scores else "",
        f"{scores['unique_exact_matches']:,}" if scores else "",
        f"{found['cpu_seconds']:.1f}",
    )


@dataclass(slots=True)
class Run:
    """One table, and what is measured of each release of it."""

    connection: duckdb.DuckDBPyConnection
    given: argparse.Namespace
    scratch: Path
    name: str
    source: Path
    columns: Sequence[str]
    number: str
    arx: Path

    def lines(self, ks: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Measure ours and every program's release at each k, then what knows no k."""
        plain, numbered = self._written()
        beside = Beside(self.connection, self.columns)
        hierarchies = dict(counts.policies(plain, 2, self.columns))["records"]
        write_hierarchies(self.connection, hierarchies, self.scratch)
        named = list(self.programs())
        for k in ks:
            for way, policy in counts.policies(plain, k, self.columns):
                if way in OURS:
                    yield self._ours(beside, way, policy, numbered, k)
            for program in named:
                if program.knows_k:
                    yield self._theirs(beside, program, numbered, k)
        for program in named:
            if not program.knows_k:
                yield self._theirs(beside, program, numbered, 0)

    def programs(self) -> Iterator[Program]:
        """List the programs that are measured beside ours."""
        return programs(self.given, self.number, self.arx)

    def _written(self) -> tuple[Path, Path]:
        """Write the columns alone, and with a number for each row, and make the table `source` of the latter."""
        listed = ", ".join(map(quoted, self.columns))
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE source AS SELECT ROW_NUMBER() OVER () AS {ROW}, {listed}
                FROM read_csv('{self.source}', all_varchar = true)"""
        )
        if self.name == "nist" and self.given.sdnist_data:
            nist.target_root(self.given.sdnist_data, self.source, self.scratch)
        plain, numbered = self.scratch / "columns.csv", self.scratch / "numbered.csv"
        for out, what in ((plain, listed), (numbered, f"{ROW}, {listed}")):
            self.connection.execute(f"COPY (SELECT {what} FROM source ORDER BY {ROW}) TO '{out}' (HEADER)")  # fmt: skip
        return plain, numbered

    def _ours(
        self, beside: Beside, way: str, policy: dict[str, Any], numbered: Path, k: int
    ) -> dict[str, Any]:
        kept = {ROW: {"role": "insensitive", "linkable": "accept"}}
        policy = {**policy, "source": str(numbered), "columns": {**kept, **policy["columns"]}}
        file = write_policy(policy, self.scratch / "policy.yml")
        release = self.scratch / "release.parquet"
        done = run(["benchmarks.measure", str(file), str(release), "--threads", "2"])
        found = self._measured(beside, OURS[way], release, done.cpu, k, labels=way == "records")
        if found["smallest"] < k or found["rows"] != beside.rows:
            sys.exit(f"{OURS[way]}: {found['rows']} rows, the smallest class {found['smallest']}")
        return found

    def _theirs(self, beside: Beside, program: Program, numbered: Path, k: int) -> dict[str, Any]:
        cache = (self.given.cache or self.scratch) / self.name
        made = peers.release_of(program, self.scratch, numbered, cache, k)
        return self._measured(beside, program.name, made.path, made.cpu, k, labels=program.labels)

    def _measured(
        self, beside: Beside, name: str, release: Path, cpu: float, k: int, *, labels: bool
    ) -> dict[str, Any]:
        reader = f"read_csv('{release}', all_varchar = true, header = true)"
        if release.suffix == ".parquet":
            reader = f"'{release}'"
        listed = ", ".join(f"CAST({quoted(c)} AS VARCHAR) AS {quoted(c)}" for c in self.columns)
        number = f"CAST({ROW} AS BIGINT) AS {ROW}, " if labels else ""
        self.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE released AS SELECT {number}{listed} FROM {reader}"
        )
        found = {"table": self.name, "k": k, "program": name, "cpu_seconds": round(cpu, 2)}
        found |= beside.measure(labels=labels)
        if self.name == "nist" and self.given.sdnist_python:
            out = nist.write_table(self.connection, "drawn", self.scratch / "drawn.csv")
            root = str(self.scratch / "excerpts")
            found["sdnist"] = nist.told_by(self.given.sdnist_python, "run_sdnist.py", str(out), root)  # fmt: skip
        sys.stderr.write(f"{line(found)}\n")
        return found


def parser(of: str | None) -> argparse.ArgumentParser:
    """Return the parser of what names the tables and the programs."""
    parser = argparse.ArgumentParser(description=(of or "").splitlines()[0])
    parser.add_argument("--nist", type=Path, metavar="CSV", help="NIST's national2019.csv")
    parser.add_argument("--adult", type=Path, metavar="CSV", help="adult.csv")
    parser.add_argument("--arx", metavar="JAR", help="ARX's library, or a class path")
    parser.add_argument("--anonypy", metavar="PYTHON", help="a Python that has anonypy")
    parser.add_argument("--dpmm", metavar="PYTHON", help="a Python that has dpmm")
    parser.add_argument("--sdv", metavar="PYTHON", help="a Python that has SDV")
    parser.add_argument("--rscript", help="an Rscript that has sdcMicro and synthpop")
    parser.add_argument("--sdnist-python", help="a Python that has sdnist")
    parser.add_argument("--sdnist-data", type=Path, help="BenchmarkData/ACSDataExcerpts of SDNist")
    parser.add_argument("--cache", type=Path, help="where the others' releases are kept")
    parser.add_argument("--out", type=Path, help="where the JSON goes; the tables are printed")
    return parser


def measure(
    given: argparse.Namespace, kind: type[Run], ks: Mapping[str, Sequence[int]]
) -> Iterator[list[dict[str, Any]]]:
    """Measure every release of each table that is named, at its values of k."""
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        scratch = Path(folder)
        if given.arx:
            source = str(HERE / "RunArx.java")
            subprocess.run(["javac", "-d", folder, "-cp", given.arx, source], check=True)
        for name, source, columns, number in (
            ("nist", given.nist, nist.FEATURES, nist.AGE),
            ("adult", given.adult, ADULT, "age"),
        ):
            if source is not None:
                one = kind(connection, given, scratch, name, source, columns, number, scratch)
                yield list(one.lines(ks[name]))


def main() -> None:
    """Measure the tables that are named."""
    given = parser(__doc__).parse_args()
    results = []
    for found in measure(given, Run, {"nist": (6, 11), "adult": (10,)}):
        name = found[0]["table"]
        sys.stdout.write(f"{name}\n{table(HEADINGS, [line(each) for each in found])}")
        results += found
    report: dict[str, object] = {
        "benchmark": "side_by_side",
        "machine": machine(),
        "results": results,
    }
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
