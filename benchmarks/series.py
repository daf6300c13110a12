"""A series of daily releases beside daily releases by themselves: what is shown, what neighbouring days reveal, what it costs.

    python -m benchmarks.series
    python -m benchmarks.series --days 30 --seed 2 --only waiting
    python -m benchmarks.series --cost 1000000 --days 4

20,000 rows of 200 classes (Zipf) and six values come first; each day 300 rows join, some of them up to five days late, 100
are deleted, and 60 change their value or their class. k = 5, l = 2. All of it is drawn by a seeded generator.

The attacker knows of each person the class and the days on which the releases first and last show the row, and compares the
neighbouring releases there. A case is a person whose class differs by fewer than k rows that day, all of one value; the
attacker names this value. The control is who names the value that most rows of the class have, of the same persons. The
benchmark ends with 1 where less than 97 % of the living rows are shown while deletions wait, or where a series lets the
attacker be right more often than the control and five points; it says so of fewer than 30 cases without judging them.

`--cost` measures CPU seconds of releases of so many rows, beside those of a release of the same rows by itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from bisect import bisect_left
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from random import Random
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

import kanon_sql
from kanon_sql.release.series import step
from kanon_sql.release.series.series_status import series_status, verify_series

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

K, CLASSES, VALUES = 5, 200, "abcdef"
KEY = "BENCHMARK_SERIES_KEY"
RULES: dict[str, dict[str, object] | None] = {
    "by themselves": None,
    "waiting": {},
    "waiting, births of 2k": {"births": {"at_least": "2k"}},
    "within 7 days, births of 2k": {
        "births": {"at_least": "2k"},
        "deletions": {"within": "7 days"},
    },
    "at once": {"deletions": "at_once"},
}
LEAST_SHOWN, MORE_THAN_CONTROL, FEW_CASES = 0.97, 0.05, 30
Row = tuple[int, str, str]


def policy(rule: dict[str, object] | None) -> dict[str, object]:
    """Return the policy of a series, or without a rule that of releases by themselves."""
    own = {"ledger": {"table": "ledger"}, "key_env": KEY, "row": "person"}
    return {
        "version": 1,
        "source": {"table": "people"},
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            "class": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
            "value": {"role": "sensitive"},
            "tag": {"role": "insensitive"},
        },
        "privacy": {"k": K, "distinct_l": {"column": "value", "l": 2}},
        "suppression": "100%",
        "release": {"table": "shown"},
        **({} if rule is None else {"series": {**own, **rule}}),
    }


def drawn_days(days: int, seed: int) -> Iterator[list[Row]]:
    """Yield the source of each day: persons with class and value."""
    random = Random(seed)
    shares = list(accumulate(1 / n**0.8 for n in range(1, CLASSES + 1)))
    weights = [[random.gammavariate(0.8, 1) for _ in VALUES] for _ in range(CLASSES)]

    def draw() -> tuple[str, str]:
        at = bisect_left(shares, random.random() * shares[-1])
        return str(at), random.choices(VALUES, weights[at])[0]

    live: dict[int, tuple[str, str]] = {n: draw() for n in range(20_000)}
    late: dict[int, list[int]] = defaultdict(list)
    next_person = len(live)
    for day in range(days):
        if day:
            for person in range(next_person, next_person + 300):
                late[day + random.choice((0, 0, 0, 0, 1, 2, 5))].append(person)
            next_person += 300
            live |= {person: draw() for person in late[day]}
            for person in random.sample(sorted(live), 100):
                del live[person]
            for person in random.sample(sorted(live), 60):
                of, value = live[person]
                new_class, new_value = draw()
                live[person] = (of, new_value) if random.random() < 0.5 else (new_class, value)
        yield [(person, *row) for person, row in live.items()]


def fill(connection: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    persons, classes, values = map(list, zip(*rows, strict=True))
    tags = list(map(str, persons))
    made = pa.table({"person": persons, "class": classes, "value": values, "tag": tags})
    connection.register("made", made)
    connection.execute("CREATE OR REPLACE TABLE people AS FROM made")
    connection.unregister("made")


def attacked(shown: Sequence[dict[str, tuple[str, str]]]) -> tuple[int, int, int]:
    """Compare neighbouring releases; return the cases, how often the attacker is right, and how often the control is."""
    cases = right = control = 0
    for before, after in pairwise(shown):
        counts: list[defaultdict[str, Counter[str]]]
        counts = [defaultdict(Counter), defaultdict(Counter)]
        for number, release in enumerate((before, after)):
            for of, value in release.values():
                counts[number][of][value] += 1
        for first, last, ours in (
            (before, after, (counts[1], counts[0])),
            (after, before, (counts[0], counts[1])),
        ):
            for person, (of, value) in last.items():
                if person in first:
                    continue
                more, fewer = ours[0][of] - ours[1][of], ours[1][of] - ours[0][of]
                if 0 < more.total() < K and len(more) == 1 and not fewer:
                    cases += 1
                    right += value in more
                    control += ours[0][of].most_common(1)[0][0] == value
    return cases, right, control


def measure(name: str, days: int, seed: int) -> bool:
    """Release the days by one rule, print a line, and return whether it keeps its promises."""
    rule = RULES[name]
    shown: list[dict[str, tuple[str, str]]] = []
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    step.moment = lambda: clock[0]
    with duckdb.connect() as connection:
        plan = None
        for rows in drawn_days(days, seed):
            fill(connection, rows)
            given = policy(rule)
            plan = plan or kanon_sql.plan(given, connection=connection)
            alone = rule is None
            kanon_sql.apply(
                plan, policy=given, connection=connection, to_new_rows=alone, replace=alone
            )
            clock[0] += timedelta(days=1)
            found = connection.execute('SELECT tag, "class", value FROM shown').fetchall()
            shown.append({tag: (of, value) for tag, of, value in found})
        living = {str(person) for person, *_ in rows}
        share = len(living & {*shown[-1]}) / len(living)
        stale = len({*shown[-1]} - living) / len(shown[-1])
        cells = "-"
        if rule is not None:
            recount = verify_series(given, connection=connection)
            waiting = series_status(given, connection=connection).waiting
            cells = f"{recount.short_cells} of {recount.cells:,}"
            assert waiting == len({*shown[-1]} - living)
    cases, right, control = attacked(shown)
    rates = f"{right / cases:.0%} (control {control / cases:.0%})" if cases else "-"
    print(f"| {name} | {share:.1%} | {stale:.1%} | {cells} | {cases:,} | {rates} |", flush=True)
    shows_enough = name != "waiting" or share >= LEAST_SHOWN
    too_few = cases < FEW_CASES
    is_safe = rule is None or too_few or right <= control + MORE_THAN_CONTROL * cases
    return shows_enough and is_safe


def cost(rows: int, days: int) -> None:
    """Print the CPU seconds of each release of a series, and of the same rows by themselves."""
    print("| release | CPU s of the series | by itself | beyond, a million living rows |")
    print("|---|--:|--:|--:|")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT i AS person, (i * 7919 % {CLASSES})::VARCHAR AS class, "
            f"['a', 'b', 'c', 'd', 'e', 'f'][1 + i % 6] AS value, (i % 97)::VARCHAR AS tag FROM range({rows}) AS v (i)"
        )
        plans = {
            named: (given, kanon_sql.plan(given, connection=connection))
            for named, given in (("series", policy({})), ("alone", policy(None)))
        }
        for day in range(days):
            spent = {}
            for named, (given, plan) in plans.items():
                alone = named == "alone"
                began = time.process_time()
                kanon_sql.apply(
                    plan,
                    policy=given,
                    connection=connection,
                    release="alone" if alone else None,
                    to_new_rows=alone,
                    replace=alone,
                )
                spent[named] = time.process_time() - began
            beyond = (spent["series"] - spent["alone"]) * 1e6 / rows
            print(
                f"| {day + 1} | {spent['series']:.2f} | {spent['alone']:.2f} | {beyond:.2f} |",
                flush=True,
            )
            connection.execute(f"DELETE FROM people WHERE person % 250 = {day}")
            connection.execute(
                f"INSERT INTO people SELECT person + {rows} * {day + 1}, class, value, tag FROM people USING SAMPLE 0.4%"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(RULES), action="append")
    parser.add_argument("--cost", type=int, metavar="ROWS")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", kanon_sql.KanonWarning)  # of a tag, by which rows are followed
    os.environ[KEY] = "a key of the benchmark alone"
    if asked.cost:
        cost(asked.cost, asked.days)
        return
    print(
        "| releases | living rows shown | deleted, of the shown | cells that fail | cases | right |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    kept = [measure(name, asked.days, asked.seed) for name in asked.only or RULES]
    sys.exit(not all(kept))


if __name__ == "__main__":
    main()
