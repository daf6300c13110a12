"""Rows, people, and people by all their rows: what each takes on generated visits, and what it protects.

    python -m benchmarks.persons --persons 200000

200,000 people have some 1.7 million visits: half of them five or fewer, a hundredth more than thirty. The same policy
counts rows, then distinct people, then people of one signature. Each release is counted again from its file by
statements of this script, which share nothing with the product. Figures are medians; ratios are to the row mode.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from benchmarks.measure import Measured, machine, middle, run, write, write_policy

if TYPE_CHECKING:
    from collections.abc import Callable

QUASI = ("sex", "age", "zip", "ward", "visited")
ENTITIES: dict[str, object] = {
    "row": "row",
    "distinct": {"distinct": "person"},
    "signature": {"signature": "person"},
}


def generate(persons: int, out: Path, *, threads: int | None = None) -> tuple[int, int]:
    """Write the visits of so many people to a Parquet file; give its rows and the people in it."""
    text = Path(__file__).with_name("visits.sql").read_text(encoding="utf-8")
    with duckdb.connect(config={} if threads is None else {"threads": threads}) as connection:
        connection.execute("SET VARIABLE visits_persons = ?", [persons])
        connection.sql(text).write_parquet(str(out))
        ((rows, people),) = connection.execute(
            "SELECT COUNT(*), COUNT(DISTINCT person) FROM read_parquet(?)", [str(out)]
        ).fetchall()
    return int(rows), int(people)


def policy(source: Path, entity: str, *, k: int, suppression: str) -> dict[str, object]:
    """Give the policy of one mode. The person stays in the release, so that it can be counted from outside."""
    accepted = {"linkable": "accept"} if entity == "distinct" else {}
    columns: dict[str, object] = {
        "person": {"role": "insensitive", **accepted},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "visited": {"role": "quasi", "hierarchy": {"dates": ["month", "quarter", "year"]}},
        "disease": {"role": "sensitive"},
    }
    return {
        "version": 1,
        "source": str(source),
        "entity": ENTITIES[entity],
        "columns": columns,
        "privacy": [{"k": k}],
        "suppression": suppression,
    }


def counted(source: Path, release: Path, k: int) -> dict[str, int]:
    """Count people in a release by plain statements: in its classes, and by all their rows."""
    labels = ", ".join(QUASI)
    classes = (
        f"SELECT COUNT(*) AS n, COUNT(DISTINCT person) AS people FROM release GROUP BY {labels}"
    )
    people = (
        f"SELECT person, COUNT(*) AS n, list_sort(list(ROW({labels})::VARCHAR)) AS had "
        "FROM release GROUP BY person"
    )
    alike = f"SELECT COUNT(*) AS people FROM ({people}) GROUP BY had"
    texts = {
        "released_rows": "SELECT COUNT(*) FROM release",
        "classes": f"SELECT COUNT(*) FROM ({classes})",
        "least_rows": f"SELECT MIN(n) FROM ({classes})",
        "least_people": f"SELECT MIN(people) FROM ({classes})",
        "classes_of_fewer_people": f"SELECT COUNT(*) FROM ({classes}) WHERE people < {k}",
        "rows_of_fewer_people": f"SELECT COALESCE(SUM(n), 0) FROM ({classes}) WHERE people < {k}",
        "classes_of_one_person": f"SELECT COUNT(*) FROM ({classes}) WHERE people = 1",
        "people": "SELECT COUNT(DISTINCT person) FROM release",
        "signatures": f"SELECT COUNT(*) FROM ({alike})",
        "least_people_of_a_signature": f"SELECT MIN(people) FROM ({alike})",
        "people_told_apart": f"SELECT COUNT(*) FROM ({alike}) WHERE people = 1",
        "people_in_part": (
            f"SELECT COUNT(*) FROM ({people}) AS r JOIN (SELECT person, COUNT(*) AS n FROM source "
            "GROUP BY person) AS s USING (person) WHERE r.n < s.n"
        ),
    }
    with duckdb.connect() as connection:
        connection.read_parquet(str(source)).create_view("source")
        connection.read_parquet(str(release)).create_view("release")
        return {name: int(connection.execute(t).fetchall()[0][0]) for name, t in texts.items()}


def problems(found: dict[str, dict[str, int]], k: int) -> list[str]:
    """List what a release does not keep of what its policy asks, by the independent counts."""
    asked = {
        "row": [("least_rows", k)],
        "distinct": [("least_rows", k), ("least_people", k)],
        "signature": [("least_people", k), ("least_people_of_a_signature", k)],
    }
    wrong = [
        f"{entity}: {name} is {found[entity][name]}"
        for entity, bounds in asked.items()
        for name, least in bounds
        if entity in found and found[entity][name] < least
    ]
    if "signature" in found and found["signature"]["people_in_part"]:
        wrong.append("signature: some rows of a person are released, and others are not")
    return wrong


def figures(runs: list[Measured], alone: list[Measured]) -> dict[str, object]:
    """Give what a mode took, and how many times the row mode."""

    def search(each: Measured) -> float:
        return float(each.summary["plan_run"]["seconds"]["search"])

    def ratio(of: Callable[[Measured], float]) -> float:
        return middle([of(a) / of(b) for a, b in zip(runs, alone, strict=True)], 2)

    summary = runs[0].summary
    return {
        "levels": summary["levels"],
        "suppressed_rows": summary["suppressed_rows"],
        "checks": summary["checks"],
        "seconds": middle([each.wall for each in runs], 1),
        "search_seconds": middle([search(each) for each in runs], 2),
        "search_ratio": ratio(search),
        "ratio": ratio(lambda each: each.wall),
        "cpu_ratio": ratio(lambda each: each.cpu),
        "peak_mib": round(middle([each.peak_bytes / 2**20 for each in runs])),
    }


def main() -> None:
    """Measure, count, and print or write the report; fail where a release does not keep its policy."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--persons", type=int, default=200_000)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--suppression", default="5%")
    parser.add_argument(
        "--modes", default=",".join(ENTITIES), help="row and others, joined by commas"
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        made = Path(name)
        source = made / "visits.parquet"
        rows, people = generate(given.persons, source, threads=given.threads)
        runs: dict[str, list[Measured]] = {entity: [] for entity in given.modes.split(",")}
        for _ in range(given.repeat):
            for entity, of in runs.items():
                spec = policy(source, entity, k=given.k, suppression=given.suppression)
                file = write_policy(spec, made / "policy.yml")
                release = str(made / f"{entity}.parquet")
                arguments = ["benchmarks.measure", str(file), release]
                of.append(run([*arguments, "--threads", str(given.threads)]))
        found = {entity: counted(source, made / f"{entity}.parquet", given.k) for entity in runs}
    if wrong := problems(found, given.k):
        raise ValueError("; ".join(wrong))
    modes = {
        entity: {**figures(of, runs["row"]), "counted": found[entity]}
        for entity, of in runs.items()
    }
    stated = {"rows": rows, "people": people, "k": given.k, "suppression": given.suppression}
    write({"machine": machine(), **stated, "modes": modes}, given.out)


if __name__ == "__main__":
    main()
