"""Texts that write dates and numbers in the forms of the world are read alike on every engine; others are refused."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from shells import psql

import kanon_sql
from kanon_sql.errors import HierarchyError, InputError, PolicyError, SourceError

SEEDED = random.Random(36)
DAYS = [date(1931, 1, 1) + timedelta(days=SEEDED.randrange(33_000)) for _ in range(300)]
DAYS[:2] = [date(2020, 12, 31), date(2021, 1, 1)]  # both in the 53rd week of 2020
MONTHS = {
    "english": ("Jan", "February", "mar", "APR", "May", "June", "Jul.", "August", "Sept", "Oct", "November", "dec"),
    "german": ("Januar", "Feb.", "März", "April", "mai", "Juni", "JULI", "Aug.", "September", "Okt", "Nov", "Dezember"),
    "french": ("janvier", "février", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "octobre", "nov", "décembre"),
    "spanish": ("enero", "feb", "marzo", "abril", "mayo", "junio", "jul", "agosto", "septiembre", "oct", "nov.", "dic"),
}  # fmt: skip
NEVER = [
    "31.02.1980",
    "00.01.1980",
    "12.13.1980",
    "1.1.198",
    "x1.1.1980",
    "1.1.1980x",
    "",
    "soon",
    "1.1.19 80",
    "1.1.1980\n",
    "2021-W53",
    "2020-W00",
    "\u0661.\u0661.\u0661\u0669\u0668\u0660",
]


def suffixed(day):
    return (
        f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    )


def first_of_quarter(day):
    return date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)


def clock(at):
    return datetime(DAYS[at].year, DAYS[at].month, DAYS[at].day, at % 24, at * 7 % 60, at * 11 % 60)


def half_day(at):
    time = clock(at)
    return f"{time:%m/%d/%Y} {(time.hour + 11) % 12 + 1}:{time:%M} {'am' if time.hour < 12 else 'P.M.'}"


DATES = {
    # name: format, the text of a day by its place, and what is to be read
    "point": ("%d.%m.%Y", lambda n: f"{DAYS[n]:%d.%m.%Y}", lambda n: str(DAYS[n])),
    "part_0_0_day": ("%d.%m.%Y", lambda n: f" {DAYS[n].day}.{DAYS[n].month}.{DAYS[n].year} ", lambda n: str(DAYS[n])),
    "slash": ("%m/%d/%Y", lambda n: f"{DAYS[n]:%m/%d/%Y}", lambda n: str(DAYS[n])),
    "packed": ("%Y%m%d", lambda n: f"{DAYS[n]:%Y%m%d}", lambda n: str(DAYS[n])),
    "two": (
        {"dates": ["%d-%m-%y"], "latest": 2025},
        lambda n: f"{DAYS[n]:%d-%m-%y}",
        lambda n: str(DAYS[n].replace(year=DAYS[n].year - (100 if DAYS[n].year > 2025 else 0))),
    ),
    "mixed": (
        ["%d.%m.%Y", "%Y-%m-%d"],
        lambda n: f"{DAYS[n]:%d.%m.%Y}" if n % 3 else str(DAYS[n]),
        lambda n: str(DAYS[n]),
    ),
    **{
        language: (
            pattern,
            lambda n, names=names, form=form: form.format(DAYS[n], names[DAYS[n].month - 1]),
            lambda n: str(DAYS[n]),
        )
        for (language, names), (pattern, form) in zip(
            MONTHS.items(),
            [
                ("%d %b %Y", "{0.day} {1} {0.year}"),
                ("%d. %B %Y", "{0.day}. {1} {0.year}"),
                ("%b %d, %Y", "{1}  {0.day}, {0.year}"),
                (["%d %b %Y", "%d-%b-%Y"], "{0.day:02}-{1}-{0.year}"),
            ],
            strict=True,
        )
    },
    "suffix": (
        ["%d %b %Y", "%B %d, %Y"],
        lambda n: f"{DAYS[n]:%B} {suffixed(DAYS[n].day)}, {DAYS[n].year}" if n % 2 else f"{suffixed(DAYS[n].day).upper()} {DAYS[n]:%b} {DAYS[n].year}",
        lambda n: str(DAYS[n]),
    ),
    "month": ("%m/%Y", lambda n: f"{DAYS[n]:%m/%Y}", lambda n: str(DAYS[n].replace(day=1))),
    "quarter": ("%Y-Q%q", lambda n: f"{DAYS[n].year}-Q{(DAYS[n].month + 2) // 3}", lambda n: str(first_of_quarter(DAYS[n]))),
    "week": ("%G-W%V", lambda n: f"{DAYS[n]:%G-W%V}", lambda n: str(DAYS[n] - timedelta(DAYS[n].weekday()))),
    "zoned": ("%Y/%m/%dT%H:%M:%S%z", lambda n: f"{clock(n):%Y/%m/%dT%H:%M:%S}+02:00", lambda n: str(clock(n))),
    "clock": ("%m/%d/%Y %I:%M %p", half_day, lambda n: str(clock(n).replace(second=0))),
    "epoch": ("epoch", lambda n: str(int(clock(n).replace(tzinfo=UTC).timestamp())), lambda n: str(DAYS[n])),
    "thousandths": ("epoch_ms", lambda n: f"{int(clock(n).replace(tzinfo=UTC).timestamp()) * 1000 + 7}", lambda n: str(DAYS[n])),
    "serial": ("excel", lambda n: f"{(DAYS[n] - date(1899, 12, 30)).days}.25", lambda n: str(DAYS[n])),
}  # fmt: skip
AMOUNTS = [Decimal(SEEDED.randrange(-(10**7), 10**7)) / 100 for _ in range(300)]


def grouped(number, point, thousands):
    return f"{number:,.2f}".replace(",", "_").replace(".", point).replace("_", thousands)


def accounted(number):
    written = grouped(abs(number), ".", ",")
    return f"({written})" if number < 0 else f"$ {written}"


NUMBERS = {
    "german": ({"decimal": ",", "thousands": "."}, lambda n: grouped(AMOUNTS[n], ",", "."), AMOUNTS),
    "swiss": ({"thousands": "'"}, lambda n: grouped(AMOUNTS[n], ".", "'"), AMOUNTS),
    "french": ({"decimal": ",", "thousands": " ", "affixes": ["€"]}, lambda n: grouped(AMOUNTS[n], ",", "\u202f") + "\u00a0€", AMOUNTS),
    "books": ({"thousands": ",", "affixes": ["$", "US $"]}, lambda n: accounted(AMOUNTS[n]), AMOUNTS),
    "weight": ({"affixes": ["kg"]}, lambda n: f"{abs(AMOUNTS[n])}kg" if n % 2 else f"{abs(AMOUNTS[n])} kg ", [abs(each) for each in AMOUNTS]),
    "share": ({"decimal": ",", "affixes": ["%"]}, lambda n: f"{n // 3},5 %", [Decimal(n // 3) + Decimal("0.5") for n in range(300)]),
    "exponent": ({"decimal": "."}, lambda n: f"{n}e+0{n % 6}" if n % 2 else f"{n}.5E-1", [Decimal(n * 10 ** (n % 6)) if n % 2 else (Decimal(n) + Decimal("0.5")) / 10 for n in range(300)]),
}  # fmt: skip
NO_NUMBERS = ["1.2.3", "12,34,5", "1 2", "--3", "(4", "5)", "6 x", "e5", ".", "", "1e99", "\u0663"]


def policy(columns):
    return {
        "version": 1,
        "source": "written",
        "entity": "row",
        "columns": {
            "at": {"role": "insensitive", "linkable": "accept"},
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            **columns,
        },
        "privacy": {"k": 2},
    }


def asked(format_, role="insensitive", **others):
    return {"role": role, "format": format_, "unparsed": "null", "linkable": "accept", **others}


@pytest.fixture
def written(place):
    yield place
    for name in ("written", "written_out"):
        place.drop(name)


def released(place, columns, texts, **others):
    rows = len(next(iter(texts.values())))
    cells = {"at": pa.array(range(rows), pa.int64()), "sex": pa.array([n % 2 for n in range(rows)])}
    cells |= {name: pa.array(each, pa.string()) for name, each in texts.items()}
    place.put("written", pa.table(cells))
    kanon_sql.anonymize(
        policy(columns), connection=place.connection, release="written_out", **others
    )
    names = place.names("written_out")
    rows = sorted(place.read("written_out"))
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def test_dates_are_read_alike_everywhere(written):
    texts = {name: [write(n) for n in range(300)] + NEVER for name, (_, write, _) in DATES.items()}
    columns = {name: asked(format_) for name, (format_, *_) in DATES.items()}
    found = released(written, columns, texts)
    for name, (_, _, expected) in DATES.items():
        assert found[name][:300] == [expected(n) for n in range(300)], name
        assert found[name][300:] == [None] * len(NEVER), name


def test_numbers_are_read_alike_everywhere(written):
    texts = {
        name: [write(n) for n in range(300)] + NO_NUMBERS for name, (_, write, _) in NUMBERS.items()
    }
    columns = {name: asked(format_) for name, (format_, *_) in NUMBERS.items()}
    found = released(written, columns, texts)
    for name, (_, _, expected) in NUMBERS.items():
        assert [Decimal(each) for each in found[name][:300]] == expected, name
        assert found[name][300:] == [None] * len(NO_NUMBERS), name


def test_a_hierarchy_reads_what_a_format_reads(written):
    birth = asked(
        "%d.%m.%Y", "quasi", hierarchy={"dates": ["year", "decade"]}, levels={"least": 2, "most": 2}
    )
    money = asked(
        {"decimal": ","},
        "quasi",
        hierarchy={"intervals": [10, 100]},
        levels={"least": 2, "most": 2},
    )
    for each in (birth, money):
        del each["linkable"]
    born = [f"{DAYS[n]:%d.%m.%Y}" if n % 40 else "unknown" for n in range(300)]
    paid = [f"{n},5" for n in range(300)]
    found = released(
        written,
        {"birth": {**birth, "missing": ["unknown"]}, "paid": money},
        {"birth": born, "paid": paid},
    )
    wanted = [f"{DAYS[n].year // 10}0s" if n % 40 else None for n in range(300)]
    kept = dict(zip(found["at"], found["birth"], strict=True))
    assert {each: kept[each] for each in kept if kept[each] != "*"} == {
        each: wanted[each] for each in kept if kept[each] != "*"
    }


def test_texts_that_no_format_reads_are_refused_with_their_count_and_without_their_text(written):
    texts = {"born": ["24.12.1980", "12/24/1980", "1980-12-24", None, "NA", "24.12.1981"] * 5}
    column = {"role": "insensitive", "format": "%d.%m.%Y", "missing": "NA"}
    with pytest.raises(SourceError) as refused:
        released(written, {"born": column}, texts)
    assert "columns.born" in str(refused.value)
    assert "10 rows have a text that no format of it reads" in str(refused.value)
    assert "1980" not in str(refused.value)
    made = kanon_sql.plan(
        policy({"born": {**column, "unparsed": "null", "linkable": "accept"}}),
        connection=written.connection,
    )
    assert any(
        "columns.born: 10 rows have a text that no format of it reads: NULL" in str(each)
        for each in made.notes
    )


def test_a_view_reads_new_rows_by_its_formats(written):
    if written.name == "spark":
        pytest.skip("a view of Spark's own is not written by this test")
    born = [f"{1940 + n % 5 * 10}0101"[:8] for n in range(60)]
    cells = {"at": range(60), "sex": [n % 2 for n in range(60)], "born": born}
    written.put("written", pa.table({name: list(each) for name, each in cells.items()}))
    column = {"role": "quasi", "format": "%Y%m%d", "hierarchy": {"dates": ["year", "decade"]}}
    own = policy({"born": column})
    plan = kanon_sql.plan(own, connection=written.connection)
    kanon_sql.apply(
        plan,
        policy=own,
        connection=written.connection,
        release={"table": "written_out", "view": True},
    )
    shown = written.execute("SELECT * FROM written_out").fetchall()
    assert len(shown) == 60
    written.execute("DROP VIEW written_out")


@pytest.mark.parametrize(
    ("format_", "why"),
    [
        ("%d.%m", "must have a year"),
        ("%d.%m.%y", "add latest"),
        ("%d.%m.%Y %Q", "has %Q"),
        ("[%d.%m.%Y", "has a backslash"),
        ("%d.%d.%m.%Y", "twice"),
        ("%m.%Y %H", "it needs a day"),
        ([], "at least one pattern"),
        ({}, "has neither dates nor decimal"),
        ({"decimal": ",", "thousands": ","}, "must differ from decimal"),
        ({"decimal": "1"}, "a sign is no digit"),
        ({"affixes": ["m2"]}, "has no digit"),
        ({"affixes": ["^"]}, "backslash"),
        ({"decimal": ",", "dates": "%Y-%m-%d"}, "does not go with dates"),
    ],
)  # fmt: skip
def test_a_format_that_reads_nothing_is_refused(format_, why):
    with pytest.raises(PolicyError, match=why):
        kanon_sql.plan(
            policy({"born": {"role": "insensitive", "format": format_}}), pa.table({"born": ["x"]})
        )


def test_unparsed_goes_with_a_format():
    with pytest.raises(PolicyError, match="goes with format"):
        kanon_sql.plan(
            policy({"born": {"role": "insensitive", "unparsed": "null"}}), pa.table({"born": ["x"]})
        )


def test_a_column_of_dates_has_no_format():
    frame = pa.table({"at": [1, 2], "sex": [1, 1], "born": [date(1980, 1, 1)] * 2})
    own = policy({"born": {"role": "insensitive", "format": "%d.%m.%Y"}})
    with pytest.raises(SourceError, match="the column is of type DATE"):
        kanon_sql.plan({**own, "source": {}}, frame)


def test_a_number_of_days_is_read_from_a_column_of_numbers():
    serials = [(each - date(1899, 12, 30)).days for each in DAYS]
    frame = pa.table({"at": range(300), "sex": [1] * 300, "born": serials})
    own = {
        **policy({"born": {"role": "insensitive", "format": "excel", "linkable": "accept"}}),
        "source": {},
    }
    table = kanon_sql.anonymize(own, frame).frame()
    shown = dict(zip(table["at"].to_pylist(), table["born"].to_pylist(), strict=True))
    assert shown == {n: str(each) for n, each in enumerate(DAYS)}


def people_written():
    return pa.table(
        {
            "at": range(300),
            "sex": [n % 2 for n in range(300)],
            "born": [f"{each:%d.%m.%Y}" if n % 30 else "unknown" for n, each in enumerate(DAYS)],
            "paid": [f"{n % 50},5 €" for n in range(300)],
        }
    )


BY_LEVELS = policy(
    {
        "born": {
            "role": "quasi",
            "format": "%d.%m.%Y",
            "unparsed": "null",
            "hierarchy": {"dates": ["decade", "century"]},
        },
        "paid": {"role": "sensitive", "format": {"decimal": ",", "affixes": "€"}},
    }
)


def test_a_script_reads_by_formats_what_apply_reads(written, tmp_path):
    written.put("written", people_written())
    place = {"policy": BY_LEVELS, "connection": written.connection}
    plan = kanon_sql.plan(**place)
    kanon_sql.apply(plan, release="written_out", **place)
    applied = sorted(written.read("written_out"), key=str)
    assert {row[2] for row in applied} - {None} <= {f"{n}s" for n in range(1900, 2030, 10)}
    assert {row[3] for row in applied} == {f"{n}.5" for n in range(50)}
    written.drop("written_out")
    script = kanon_sql.compile_sql(plan, release="written_out", **place)
    if written.name == "postgres":
        ran = psql(script, written.address, tmp_path)
        assert ran.returncode == 0, ran.stderr
    else:
        for each in [script] if written.name == "duckdb" else script.split(";\n"):
            if each.strip():
                written.execute(each)
    assert sorted(written.read("written_out"), key=str) == applied


def test_a_database_in_which_no_format_was_tried_gets_no_script():
    own = {**BY_LEVELS, "source": {"table": "written"}}
    with duckdb.connect() as connection:
        connection.register("frame", people_written())
        connection.execute("CREATE TABLE written AS FROM frame")
        plan = kanon_sql.plan(own, connection=connection)
        with pytest.raises(
            InputError, match=r"columns\.born\.format: is not written for Snowflake"
        ):
            kanon_sql.compile_sql(
                plan,
                policy=own,
                connection=connection,
                dialect="snowflake",
                table="written",
                release="out",
            )


def test_a_hierarchy_of_days_names_the_format_that_would_read_them():
    columns = {"born": {"role": "quasi", "hierarchy": {"dates": ["year"]}}}
    own = {**policy(columns), "source": {}}
    frame = people_written().drop_columns(["paid"])
    with pytest.raises(HierarchyError, match=r"are not finite dates; if they .* format says how"):
        kanon_sql.plan(own, frame)


def test_lint_counts_missing_texts_as_they_are_compared_whatever_the_condition():
    texts = [" -1 ", "-1", *(f" {n}.{n % 12 + 1}.1980 " for n in range(1, 19))]
    frame = pa.table({"at": range(20), "sex": [1] * 20, "born": texts})
    column = {
        "role": "insensitive",
        "format": "%d.%m.%Y",
        "missing": ["-1", "none"],
        "linkable": "accept",
    }
    own = {**policy({"born": column}), "source": {"where": "born >= '1980-01-01'"}}
    notes = kanon_sql.lint(own, frame)
    assert "columns.born.missing: 2 rows with '-1' read as NULL" in notes
    assert "columns.born.missing: no row has 'none'" in notes
