"""One table of privacy and utility: ours, other programs' releases and synthetic rows of one half of a table, attacked.

    python -m venv anonymeter && anonymeter/bin/pip install anonymeter
    python -m benchmarks.league --nist national2019.csv --adult adult/adult.csv --arx libarx-3.9.2.jar \\
        --anonypy anonypy/bin/python --dpmm dpmm/bin/python --sdv sdv/bin/python --rscript Rscript \\
        --sdnist-python sdnist/bin/python --sdnist-data SDNist/BenchmarkData/ACSDataExcerpts \\
        --anonymeter-python anonymeter/bin/python --cache halves

How to install the others is in `benchmarks.side_by_side`, which releases and measures. A program that no argument names is left
out, and so is a measure whose Python is not named.

One half of each table, drawn by the row's number, is all that a program gets; what is kept is measured against that half,
by the half's own `sdnist` too. The other half is the control: nobody released it, so what an attack finds there it learned of
people in general. Only the excess over the control is a loss of privacy. The first line releases the half as it is: the
most that each attack can find. Of labels, a value that they cover is drawn for each cell, alike.

* pairs, drawn, score, k-marginal, CPU seconds: as `benchmarks.side_by_side` has them;
* singled out, linked, inferred: percent of the attacks of Anonymeter that succeed on released rows, and on the control;
* unique: rows without an equal in their half that are shown with all values, of the released half and of the control.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from benchmarks import attacks, side_by_side
from benchmarks.measure import machine, write
from benchmarks.quality import table
from benchmarks.recount import quoted
from benchmarks.side_by_side import Program, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

KS = {"nist": (11,), "adult": (10,)}
AS_IT_IS = Program("the half as it is", ("cp", "TABLE", "OUT"), knows_k=False)
HEADINGS = ("table", "k", "program", "smallest class", "pairs plain %", "drawn %", "score", "k-marginal",
            "singled out, control %", "linked, control %", "inferred, control %", "unique, control", "CPU s")  # fmt: skip


class Attacked(Run):
    """One half of a table: what is measured of each release of it, and what attackers find there and in the other half."""

    kept = ()
    """No column is released as it is."""

    @property
    def names(self) -> Any:  # noqa: ANN401
        """The columns that are attacked."""
        return self.columns

    def programs(self) -> Iterator[Program]:
        """List the half as it is, and the programs that the arguments name."""
        yield AS_IT_IS
        yield from super().programs()

    def _written(self) -> tuple[Path, Path]:
        """Take the half of an even number as the table, and the other as the table `control`."""
        half = self.scratch / f"{self.name}-half.csv"
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE everyone AS
                  SELECT *, HASH(ROW_NUMBER() OVER (), 22) % 2 AS "its half"
                  FROM read_csv('{self.source}', all_varchar = true)"""
        )
        self.connection.execute(
            f"""COPY (SELECT * EXCLUDE "its half" FROM everyone WHERE "its half" = 0) TO '{half}' (HEADER)"""
        )
        listed = ", ".join(map(quoted, self.columns))
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE control AS SELECT {listed} FROM everyone WHERE "its half" = 1"""
        )
        self.source = half
        return super()._written()

    def _measured(self, *given: Any, labels: bool) -> dict[str, Any]:  # noqa: ANN401
        found = super()._measured(*given, labels=labels)
        self.connection.execute("CREATE OR REPLACE TEMP TABLE shown AS FROM drawn")
        found |= attacks.rebuilt(self)
        if self.given.anonymeter_python:
            python, times = self.given.anonymeter_python, self.given.attacks
            found |= attacks.with_anonymeter(self, python, times)
            sys.stderr.write(f"{line(found)}\n")
        return found


def line(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Give one row of the table: of each attack the share that succeeds, and that of the control."""
    attacked = []
    for attack in ("singling_out", "linkability", "inference"):
        one = found.get(attack)
        rates = one and (f"{100 * one[of]:.1f}" for of in ("attack", "control"))
        attacked.append(", ".join(rates) if rates else "")
    return (
        found["table"],
        str(found["k"] or ""),
        found["program"],
        f"{found['smallest']:,}",
        *(f"{100 * found[key]:.1f}" for key in ("pairs_plain", "pairs_drawn")),
        str(found["score"]),
        str(found.get("sdnist", {}).get("k_marginal", "")),
        *attacked,
        f"{found['rebuilt_of_source']:,}, {found['rebuilt_of_control']:,}",
        f"{found['cpu_seconds']:.1f}",
    )


def main() -> None:
    """Measure and attack the releases of the tables that are named."""
    parser = side_by_side.parser(__doc__)
    parser.add_argument("--anonymeter-python", help="a Python that has anonymeter")
    parser.add_argument("--attacks", type=int, default=500, help="of anonymeter, each")
    given = parser.parse_args()
    if not given.nist and not given.adult:
        sys.exit("no table is named: give --nist or --adult")
    results = [each for found in side_by_side.measure(given, Attacked, KS) for each in found]
    sys.stdout.write(table(HEADINGS, [line(each) for each in results]))
    report: dict[str, object] = {"benchmark": "league", "machine": machine(), "results": results}
    if given.out is not None:
        write(report, given.out)


if __name__ == "__main__":
    main()
