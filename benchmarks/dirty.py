"""Tables as people have them, made from a seed with their own truth: does `init` read each column as what it is?

    python -m benchmarks.dirty [--tables 400] [--seed 36000] [--engine duckdb] [--seconds N] [--out dirty.json]

Each table has dates, numbers, a code, categories and a sensitive column. Formats of dates and numbers, words and codes
for a missing value, their share, the types of the columns and the kind of source (a table or a CSV file) are drawn by
lot; the truth is kept in Python. The clean twin has the same rows as ISO dates, plain numbers and NULL. Both go through
`init` with three answers (known, sensitive, for), `plan` and `apply`, without an edit. Where no value decides about the
order of day and month, `init` must ask, and gets the answer. Plain Python that shares nothing with the product checks:

- each column is recoded as what it is: dates as dates, numbers in intervals, codes as codes and never as numbers;
- each text is read as its true value, and no value but a missing one is NULL;
- the loss of the release is at most 1.05 times that of the clean twin: the mean, over all cells, of the share of the
  column's true values that the label covers.

A failure prints the seed of its table; the exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import json
import random
import re
import sys
import tempfile
import time
from bisect import bisect_left
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.propose_columns import Answers, questions_of
from kanon_sql.base.sql.quoting import parse_table_name
from kanon_sql.counting.source.open_source import as_read
from kanon_sql.counting.source.text_files import texts_query
from kanon_sql.engines.connect import open_engine
from kanon_sql.policy.read_policy import read_policy

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from tests.engines.conftest import STARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Cell: TypeAlias = Any
MOST_LOSS = 1.05
ROWS = 300
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
OPEN_DATE, OPEN_NUMBER = "day first or month first", "thousands or decimals"
"""Ways of writing in which no value decides how it is read, so that `init` must ask."""
EPOCH, SERIAL = dt.date(1970, 1, 1), dt.date(1899, 12, 30)


def by(pattern: str) -> Callable[[dt.date], str]:
    return lambda day: day.strftime(pattern)


def in_words(pattern: str, language: str) -> Callable[[dt.date], str]:
    names = MONTHS[language].split()
    return lambda day: pattern.format(d=day.day, m=names[day.month - 1], y=day.year)


def of_first(write: Callable[[dt.date], str]) -> Callable[[dt.date], str]:
    return lambda day: write(day.replace(day=1))


def short(day: dt.date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


DATES: dict[str, Callable[[dt.date], str]] = {
    **{
        each: by(each)
        for each in (
            "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y.%m.%d", "%d %m %Y",
            "%d.%m.%y", "%m/%d/%y", "%y-%m-%d", "%Y%m%d", "%d%b%Y", "%d-%b-%y", "%b %d, %Y", "%d %b. %Y",
            "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%Y-%m-%d %H:%M:%S+00:00",
        )
    },
    "short day": short,
    "english": in_words("{m} {d}, {y}", "en"),
    "german": in_words("{d}. {m} {y}", "de"),
    "french": in_words("{d} {m} {y}", "fr"),
    "spanish": in_words("{d} de {m} de {y}", "es"),
    "epoch": lambda day: str((day - EPOCH).days * 86_400),
    "epoch_ms": lambda day: str((day - EPOCH).days * 86_400_000),
    "excel": lambda day: str((day - SERIAL).days),
    "%m/%Y": of_first(by("%m/%Y")),
    "%b %Y": of_first(by("%b %Y")),
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    OPEN_DATE: of_first(by("%d/%m/%Y")),
}  # fmt: skip
MIXED = "mixed"
COARSE = {"%m/%Y": 1, "%b %Y": 1, OPEN_DATE: 1, "quarter": 3}
"""Formats that know a month or a quarter alone, with its months."""


def signs(thousands: str, decimal: str) -> dict[int, str]:
    return str.maketrans({",": thousands, ".": decimal})


NUMBERS: dict[str, Callable[[Decimal], str]] = {
    "plain": str,
    "comma": lambda x: str(x).replace(".", ","),
    "german": lambda x: f"{x:,}".translate(signs(".", ",")),
    "english": lambda x: f"{x:,}",
    "french": lambda x: f"{x:,}".translate(signs("\u202f", ",")),
    "blank": lambda x: f"{x:,}".translate(signs(" ", ".")),
    "swiss": lambda x: f"{x:,}".translate(signs("'", ".")),
    "$": lambda x: f"${x:,}",
    "€": lambda x: f"{x:,} €".translate(signs(".", ",")),
    "EUR": lambda x: f"EUR {x}",
    "percent": lambda x: f"{x}%",
    "kg": lambda x: f"{x} kg",
    "cm": lambda x: f"{x}cm",
    "exponent": lambda x: f"{x:e}",
    "parentheses": lambda x: f"({-x:,})" if x < 0 else f"{x:,}",
    "padded": lambda x: f" {x} ",
}
NUMBERS[OPEN_NUMBER] = NUMBERS["german"]
WORDS = (
    "", " ", "NA", "n/a", "NULL", "unknown", "?", "-", ".", "#N/A", "nan", "Missing", "k.A.", "keine Angabe", "Unbekannt",
    "non renseigné", "sin datos", "sconosciuto", "não informado", "onbekend",
)  # fmt: skip
POSTAL = ("zip", "PLZ", "code_postal", "codigo_postal", "CAP", "postnummer")
"""Names of a column of postal codes."""
CODES = ("999", "-1", "-9", "-99", "9999")
DAYS = (dt.date(1900, 1, 1), dt.date(9999, 12, 31), dt.date(1901, 1, 1))
NO_DAYS = ("0000-00-00", "00.00.0000", "00/00/0000")
SHARES = (0.0, 0.002, 0.02, 0.1, 0.3)


@dataclass(slots=True)
class Made:
    """A column: its true values, the texts or numbers that a table has in their place, and what was drawn for it."""

    kind: str
    truth: list[Cell]
    cells: list[Cell]
    drawn: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Table:
    """A dirty table, or its clean twin."""

    seed: int
    columns: dict[str, Made]
    is_file: bool = False

    @property
    def drawn(self) -> str:
        return "; ".join(
            f"{name}: {each.drawn}" for name, each in self.columns.items() if each.drawn
        )

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(name for name, each in self.columns.items() if each.kind in {"date", "number"})

    def twin(self) -> Table:
        """Return the same rows as ISO dates, plain numbers and NULL."""
        clean = {
            name: Made(each.kind, each.truth, [None if x is None else str(x) for x in each.truth])
            for name, each in self.columns.items()
        }
        return Table(self.seed, clean, self.is_file)


def make(seed: int, *, files: bool = True) -> Table:
    """Draw a table from its seed."""
    lot = random.Random(seed)
    rows = ROWS + lot.randrange(100)
    birth = [dt.date(1932, 1, 1) + dt.timedelta(lot.randrange(27_000)) for _ in range(rows)]
    seen = [dt.date(2019, 1, 1) + dt.timedelta(lot.randrange(2_000)) for _ in range(rows)]
    amounts = [Decimal(round(lot.lognormvariate(10.4, 0.6) * 100)).scaleb(-2) for _ in range(rows)]
    sizes = [Decimal(round(lot.gauss(75, 12) * 10)).scaleb(-1) for _ in range(rows)]
    changes = [Decimal(round(lot.gauss(500, 4000) * 100)).scaleb(-2) for _ in range(rows)]
    ages = [Decimal(lot.randrange(18, 91)) for _ in range(rows)]
    number = lot.choice(list(NUMBERS))
    amount_name, amount = lot.choice(
        [("income", amounts), ("amount", amounts), ("weight", sizes), ("score", sizes)]
    )
    if number == "parentheses":
        amount_name, amount = "change", changes
    if number == OPEN_NUMBER:
        amount_name, amount = "income", [Decimal(1000 + int(each) % 99_000) for each in amounts]
    columns = {
        "birth_date": _dates(lot, birth, "birth_date"),
        lot.choice(["visited_on", "admission_date", "visit_date"]): _dates(lot, seen, "visit"),
        amount_name: _numbers(lot, amount, number),
        "age": _numbers(lot, ages, lot.choice(["plain", "plain", "padded"])),
        lot.choice(POSTAL): _codes(lot, rows, lot.choice([0, 37_000])),
        "diagnosis": _categories(lot, rows, tuple(f"{c}{n}" for c in "EIJK" for n in (10, 21, 44))),
    }
    table = Table(seed, columns, files and lot.random() < 0.4)
    for each in () if table.is_file else columns.values():
        if each.drawn.get("as") in {"%Y-%m-%d", "plain"} and lot.random() < 0.5:
            _typed(each)
    return table


def _typed(made: Made) -> None:
    """Give a column's cells the type of their values: words for a missing value become NULL, codes stay."""
    of: Callable[[str], Cell] = Decimal if made.kind == "number" else dt.date.fromisoformat
    made.drawn["type"] = made.kind
    for at, (true, cell) in enumerate(zip(made.truth, made.cells, strict=True)):
        try:
            made.cells[at] = of(cell)
        except (ValueError, ArithmeticError):
            made.cells[at] = true


def _missing(lot: random.Random, made: Made, others: Sequence[Cell]) -> Made:
    """Put one word, or one of the column's own codes, in the place of some values."""
    share = lot.choice(SHARES)
    if not share:
        return made
    word = lot.choice([*WORDS, *others])
    is_code = word in others
    share = (
        max(share, 0.05) if is_code else share
    )  # nobody can distinguish a rare code from a value
    made.drawn |= {"missing": repr(str(word)), "share": str(share)}
    for at in range(len(made.cells)):
        if lot.random() < share:
            made.truth[at], made.cells[at] = None, word
    return made


def _dates(lot: random.Random, days: list[dt.date], name: str) -> Made:
    chosen = lot.choice([*DATES, MIXED])
    while name == "birth_date" and chosen in {"epoch", "epoch_ms", "excel", "quarter", "%Y%m%d %H"}:
        chosen = lot.choice([*DATES, MIXED])
    if chosen == MIXED:
        some = [DATES[each] for each in ("%d.%m.%Y", "%Y-%m-%d", "english")]
        return _missing(
            lot,
            Made("date", list(days), [lot.choice(some)(d) for d in days], {"as": MIXED}),
            NO_DAYS,
        )
    months = COARSE.get(chosen)
    if months:
        days = [each.replace(day=1, month=each.month - (each.month - 1) % months) for each in days]
    write = DATES[chosen]
    others: list[str] = []
    if (
        "%y" not in chosen
        and chosen not in {"epoch", "epoch_ms", "excel", "quarter"}
        and months is None
    ):
        others = [
            *(write(each) for each in DAYS if each.year < 9999 or "%y" not in chosen),
            *NO_DAYS,
        ]
    return _missing(
        lot, Made("date", list(days), [write(each) for each in days], {"as": chosen}), others
    )


def _numbers(lot: random.Random, values: list[Decimal], chosen: str) -> Made:
    write = NUMBERS[chosen]
    negative = min(values) < 0
    others = [] if negative else [write(Decimal(each)) for each in CODES if max(values) < 900]
    made = Made("number", list(values), [write(each) for each in values], {"as": chosen})
    if chosen == OPEN_NUMBER:
        others = []
    return _missing(lot, made, [each for each in others if "(" not in each])


def _codes(lot: random.Random, rows: int, first: int) -> Made:
    codes = [f"{first + lot.randrange(40):05}" for _ in range(rows)]
    return _missing(lot, Made("code", codes, list(codes)), ())


def _categories(lot: random.Random, rows: int, values: tuple[str, ...]) -> Made:
    drawn = [lot.choice(values) for _ in range(rows)]
    return _missing(lot, Made("category", drawn, list(drawn)), ())


def read_as_policy(policy: dict[str, Cell], table: str, place: Cell) -> str:
    """Return the query by which the policy's texts are read; the only words of the product that a check uses."""
    with open_engine(place.connection, None, None, writes=False) as engine:
        source = parse_table_name(table)
        columns = as_read(read_policy(policy), engine.columns(source))
        return (
            texts_query(source, columns).render(place.name) if columns else f"SELECT * FROM {table}"
        )


def is_true(kind: str, read: object, true: object) -> bool:
    """Whether a text is read as its true value."""
    if read is None or true is None:
        return read is true
    if kind == "date":
        return str(read)[:10] == str(true)
    if kind == "number":
        return Decimal(str(read).strip()) == true
    return str(read) == str(true)


def recoded_as(entry: dict[str, Cell]) -> str:
    """Return what a policy recodes a column as."""
    match entry.get("hierarchy"):
        case {"dates": _}:
            return "date"
        case {"intervals": _}:
            return "number"
        case {"mask": _}:
            return "code"
        case _:
            return "category"


def loss_of(table: Table, released: dict[str, list[Cell]], columns: Sequence[str]) -> float:
    """Return the mean, over all cells of some columns, of the share of the column's true values that a label covers."""
    lost = 0.0
    for name in columns:
        made = table.columns[name]
        own = sorted(_number(made.kind, each) for each in made.truth if each is not None)
        missing = made.truth.count(None)
        widths = {
            label: _covered(label, made.kind, own, missing) / len(made.truth)
            for label in set(released[name])
        }
        lost += sum(widths[label] for label in released[name])
        lost += len(made.truth) - len(released[name])
    return lost / (len(columns) * len(next(iter(table.columns.values())).truth))


def _number(kind: str, value: Cell) -> Cell:
    if kind == "date":
        return value.toordinal()
    return value if kind == "number" else str(value)


def _covered(label: Cell, kind: str, own: Sequence[Cell], missing: int) -> int:
    """Count the true values that a label covers."""
    if label is None or label == "NULL":
        return missing
    text = str(label)
    if text == "*":
        return len(own) + missing
    if kind in {"code", "category"}:
        start = text.split("*", maxsplit=1)[0]
        return sum(each.startswith(start) for each in own)
    low, high = _bounds(text, kind)
    return (len(own) if high is None else bisect_left(own, high)) - (
        0 if low is None else bisect_left(own, low)
    )


def _bounds(text: str, kind: str) -> tuple[Cell, Cell]:
    """Return the first number, or day, of a label, and the first one after it; None for no end."""
    if kind == "date":
        return _days(text)
    if (found := re.fullmatch(r"\[(\S+), (\S+)\)", text)) is not None:
        return Decimal(found[1]), Decimal(found[2])
    if (found := re.fullmatch(r"(<|>=) ?(\S+)", text)) is not None:
        return (None, Decimal(found[2])) if found[1] == "<" else (Decimal(found[2]), None)
    return Decimal(text), Decimal(text) + Decimal("1e-9")


def _days(text: str) -> tuple[int, int]:
    if (found := re.fullmatch(r"(\d{4})(s?)", text)) is not None:
        return _month(int(found[1]) * 12), _month((int(found[1]) + (10 if found[2] else 1)) * 12)
    if (found := re.fullmatch(r"(\d{4})-(\d{4})", text)) is not None:
        return _month(int(found[1]) * 12), _month((int(found[2]) + 1) * 12)
    if (found := re.fullmatch(r"(\d{4})-(Q?)(\d{1,2})", text)) is not None:
        months = 3 if found[2] else 1
        first = int(found[1]) * 12 + (int(found[3]) - 1) * months
        return _month(first), _month(first + months)
    if (found := re.fullmatch(r"(\d{4})-W(\d\d)", text)) is not None:
        day = dt.date.fromisocalendar(int(found[1]), int(found[2]), 1).toordinal()
        return day, day + 7
    day = dt.date.fromisoformat(text[:10]).toordinal()
    return day, day + 1


def _month(month: int) -> int:
    return dt.date(month // 12, month % 12 + 1, 1).toordinal()


def _array(cells: list[Cell]) -> pa.Array:
    """Return cells as an array of texts, days or numbers: of floats if one is NaN, which no decimal is."""
    if any(isinstance(each, Decimal) and each.is_nan() for each in cells):
        return pa.array([None if each is None else float(each) for each in cells], pa.float64())
    types = {dt.date: pa.date32(), Decimal: pa.decimal128(12, 2)}
    kinds = {type(each) for each in cells if each is not None}
    return pa.array(cells, types.get(kinds.pop(), pa.string()) if kinds else pa.string())


@contextmanager
def started(engine: str, folder: Path) -> Iterator[Cell]:
    """Start an engine as the tests do."""
    with STARTS[engine](folder) as place:
        if engine == "duckdb":
            place.connection.execute("SET threads = 1")
        yield place


def run(
    table: Table, place: Cell, folder: Path, name: str
) -> tuple[dict[str, Cell], list[str], float]:
    """Lead a table from `init` to its release; return the policy, what is wrong with it, and its loss."""
    cells = {each: of.cells for each, of in table.columns.items()}
    empty = "" if table.is_file else None  # files have no other NULL
    there = {each: _array([None if x == empty else x for x in of]) for each, of in cells.items()}
    place.put(name, pa.table(there))
    source: str = name
    if table.is_file:
        path = folder / f"{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(cells)
            rows.writerows(zip(*(of for of in cells.values()), strict=True))
        source = str(path)
    connection = place.connection
    found = inspect_source(source, connection=connection, beside=str(folder / f"{name}.yml"))
    answers = Answers(known=table.known, sensitive=("diagnosis",), use="records")
    faults = []
    asked = [each for each in questions_of(found, answers) if each.option == "read"]
    open_ = {
        each: "day_first" if of.drawn["as"] == OPEN_DATE else "thousands"
        for each, of in table.columns.items()
        if of.drawn.get("as") in {OPEN_DATE, OPEN_NUMBER}
    }
    told = {each.partition("=")[0] for question in asked for each in question.columns}
    if told != {*open_}:
        faults.append(f"asks how to read {sorted(told)}, and {sorted(open_)} is open")
    ways = tuple((each, way) for each, way in open_.items() if each in told)
    answers = Answers(known=table.known, sensitive=("diagnosis",), use="records", read=ways)
    policy = yaml.safe_load(found.policy(answers))
    for each, of in table.columns.items():
        entry = policy["columns"][each]
        if entry["role"] == "quasi" and recoded_as(entry) != of.kind and of.kind != "category":
            faults.append(f"{each} is recoded as {recoded_as(entry)}, and is a {of.kind}")
        if entry["role"] == "identifying":
            faults.append(f"{each} is dropped")
    if "query" not in (policy.get("source") if isinstance(policy.get("source"), dict) else {}):
        faults += _misread(table, policy, place, name)
    on_files = place.name == "duckdb"
    policy["release"] = str(folder / f"{name}.parquet") if on_files else f"{name}_release"
    path = folder / f"{name}.yml"
    path.write_text(yaml.safe_dump(policy, sort_keys=False), encoding="utf-8")
    plan = kanon_sql.plan(path, connection=connection)
    kanon_sql.apply(plan, policy=path, connection=connection, replace=True)
    released = read_release(place, policy["release"])
    quasi = [each for each, of in policy["columns"].items() if of["role"] == "quasi"]
    return policy, faults, loss_of(table, released, quasi)


def _misread(table: Table, policy: dict[str, Cell], place: Cell, name: str) -> Iterator[str]:
    """Yield the columns in which a text is read as another value than the true one."""
    query = read_as_policy(policy, name, place)
    place.execute(f"CREATE TABLE {name}_read AS {query}")
    names = list(table.columns)
    columns = zip(*place.read(f"{name}_read"), strict=True)
    for each, values in zip(names, columns, strict=True):
        of = table.columns[each]
        wrong = Counter(
            "NULL" if value is None else "another value" if true is not None else "a value"
            for value, true in zip(values, of.truth, strict=True)
            if not is_true(of.kind, value, true)
        )
        if wrong:
            yield f"{each} has texts read as {dict(wrong)}"


def read_release(place: Cell, release: str) -> dict[str, list[Cell]]:
    """Read the labels of a release, which is a file or a table."""
    if release.endswith(".parquet"):
        rows = duckdb.execute("FROM read_parquet(?)", [release])
        names, found = [each[0] for each in rows.description or ()], rows.fetchall()
    else:
        names, found = place.names(release), place.read(release)
    return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))


def check(seed: int, place: Cell, folder: Path, *, files: bool = True) -> tuple[list[str], float]:
    """Return what is wrong with the table of a seed, and its loss as a share of its twin's."""
    table = make(seed, files=files)
    _, faults, loss = run(table, place, folder, f"dirty_{seed}")
    _, _, clean = run(table.twin(), place, folder, f"clean_{seed}")
    ratio = loss / clean if clean else 1.0
    if ratio > MOST_LOSS:
        faults.append(f"the loss is {loss:.4f}, and {clean:.4f} of the clean twin")
    return [f"seed {seed}: {each} ({table.drawn})" for each in faults], ratio


def main() -> None:
    """Check so many tables, and print a summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--seed", type=int, default=36_000)
    parser.add_argument("--engine", choices=("duckdb", "postgres", "spark"), default="duckdb")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    ratios, failed, began = [], [], time.monotonic()
    files = given.engine == "duckdb"
    with tempfile.TemporaryDirectory() as name, started(given.engine, Path(name)) as place:
        for seed in range(given.seed, given.seed + given.tables):
            if given.seconds and time.monotonic() - began > given.seconds:
                break
            try:
                faults, ratio = check(seed, place, Path(name), files=files)
            except Exception as error:  # noqa: BLE001  a table that ends in an error is a finding
                faults, ratio = (
                    [f"seed {seed}: {type(error).__name__}: {error} ({make(seed).drawn})"],
                    0.0,
                )
            for each in faults:
                print(each, flush=True)
            failed += [seed] if faults else []
            ratios.append(ratio)
    report = {
        "tables": len(ratios),
        "failed": failed,
        "greatest_ratio": max(ratios),
        "median_ratio": sorted(ratios)[len(ratios) // 2],
    }
    text = json.dumps(report, indent=2)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    if failed:
        sys.exit(f"{len(failed)} of {len(ratios)} tables fail")


if __name__ == "__main__":
    main()
