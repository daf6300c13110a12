"""`init` finds how dates and numbers are written, alike on every engine, and asks where nothing in them decides."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest
import yaml

from kanon_sql.apps.getting_started.first_policy import inspect_source
from kanon_sql.apps.getting_started.propose_columns import Answers, questions_of

LOT = random.Random(36)
DAYS = [dt.date(1931, 3, 1) + dt.timedelta(LOT.randrange(26_000)) for _ in range(240)]
AMOUNTS = [round(LOT.uniform(900, 250_000), 2) for _ in range(240)]
GERMAN = str.maketrans(",.", ".,")
MONTHS = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"


def texts(write, values=DAYS):
    return [write(each) for each in values]


def mixed(write, *others):
    return [([write, *others])[n % (1 + len(others))](each) for n, each in enumerate(DAYS)]


def by(pattern):
    return lambda day: day.strftime(pattern)


FRENCH = "janv févr mars avril mai juin juil août sept oct nov déc"


def suffixed(day):
    return (
        f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    )


def french(day):
    return f"{'1er' if day.day == 1 else day.day} {FRENCH.split()[day.month - 1]} {day.year}"


def spanish(day):
    return f"{day.day} de {MONTHS.split()[day.month - 1]} de {day.year}"


FOUND = {
    "german": (texts(by("%d.%m.%Y")), "%d.%m.%Y"),
    "american": (texts(by("%m/%d/%Y")), "%m/%d/%Y"),
    "named": (texts(by("%B %d, %Y")), "%b %d, %Y"),
    "spanish": (texts(spanish), "%d de %b de %Y"),
    "ordinal": (texts(lambda day: f"{day:%B} {suffixed(day.day)}, {day.year}"), "%b %d, %Y"),
    "french_first": (texts(french), "%d %b %Y"),
    "sas": (texts(by("%d%b%Y")), "%d%b%Y"),
    "digits": (texts(by("%Y%m%d")), "%Y%m%d"),
    "clock": (texts(by("%m/%d/%Y %I:%M %p")), "%m/%d/%Y %I:%M %p"),
    "zone": (mixed(by("%Y-%m-%dT%H:%M:%SZ"), by("%d.%m.%Y")), ["%Y-%m-%dT%H:%M:%S%z", "%d.%m.%Y"]),
    "months": (texts(by("%m/%Y")), "%m/%Y"),
    "quarters": (texts(lambda day: f"{day.year}-Q{(day.month + 2) // 3}"), "%Y-Q%q"),
    "weeks": (texts(by("%G-W%V")), "%G-W%V"),
    "created_at": (texts(lambda day: str((day - dt.date(1899, 12, 30)).days)), "excel"),
    "mixture": (
        mixed(by("%d.%m.%Y"), by("%Y-%m-%d"), by("%d-%b-%Y")),
        ["%Y-%m-%d", "%d-%b-%Y", "%d.%m.%Y"],
    ),
    "comma": (texts(lambda x: f"{x:.1f}".replace(".", ","), AMOUNTS), {"decimal": ","}),
    "euro": (
        texts(lambda x: f"{x:,.2f} €".translate(GERMAN), AMOUNTS),
        {"decimal": ",", "thousands": ".", "affixes": ["€"]},
    ),
    "dollar": (
        texts(lambda x: f"(${x:,.2f})" if x < 9000 else f"${x:,.2f}", AMOUNTS),
        {"decimal": ".", "thousands": ",", "affixes": ["$"]},
    ),
    "french": (
        texts(lambda x: f"{x:,.2f}".translate(str.maketrans(",.", "\u202f,")), AMOUNTS),
        {"decimal": ",", "thousands": " "},
    ),
    "unit": (texts(lambda x: f"{x:.1f} kg", AMOUNTS), {"decimal": ".", "affixes": ["kg"]}),
    "exponent": (texts(lambda x: f"{x:.4e}", AMOUNTS), None),
    "codes": (texts(lambda x: f"{int(x):06}", AMOUNTS), None),
    "two_units": (
        texts(lambda x: f"{x:.0f} {'kg' if x > 90_000 else 'lb'}", AMOUNTS),
        None,
    ),
    "icd": (texts(lambda x: f"{'VE'[int(x) % 2]}{int(x) % 90}.{int(x) % 9}", AMOUNTS), None),
}
ASKED = {
    "days": (
        texts(lambda day: f"{day.day % 12 + 1:02}/{day.month:02}/{day.year}"),
        {"day_first": "%d/%m/%Y", "month_first": "%m/%d/%Y"},
    ),
    "thousands": (
        texts(lambda x: f"{int(x):,}".replace(",", "."), AMOUNTS),
        {"decimals": None, "thousands": {"decimal": ",", "thousands": "."}},
    ),
}


@pytest.fixture
def found(place):
    cells = {name: of for columns in (FOUND, ASKED) for name, (of, _) in columns.items()}
    place.put("written_forms", pa.table(cells))
    yield inspect_source("written_forms", connection=place.connection, brief=True)
    place.drop("written_forms")


def entries(found, *read):
    known = (*FOUND, *ASKED)
    answers = Answers(known=known, sensitive=(), read=read)
    return yaml.safe_load(found.policy(answers))["columns"]


def test_formats_are_found_alike_and_an_open_one_is_a_question(found):
    columns = entries(found)
    formats = {name: columns[name].get("format") for name in FOUND}
    expected = {name: of for name, (_, of) in FOUND.items()}
    assert {name: sorted(of) if isinstance(of, list) else of for name, of in formats.items()} == {
        name: sorted(of) if isinstance(of, list) else of for name, of in expected.items()
    }
    dates = [name for name, of in expected.items() if isinstance(of, str | list)]
    assert [name for name in dates if "dates" not in columns[name]["hierarchy"]] == []
    assert "month" not in columns["quarters"]["hierarchy"]["dates"]
    numbers = [name for name, of in expected.items() if isinstance(of, dict)]
    assert [name for name in numbers if "intervals" not in columns[name]["hierarchy"]] == []
    assert columns["codes"]["hierarchy"] == {"mask": 6}
    (question,) = [each for each in questions_of(found, Answers()) if each.option == "read"]
    assert question.columns == ("days=day_first|month_first", "thousands=decimals|thousands")
    for name in ASKED:
        assert columns[name]["hierarchy"] == "suppress"
        assert "format" not in columns[name]
    for way in ("day_first", "month_first"):
        entry = entries(found, ("days", way), ("thousands", "thousands"))
        assert entry["days"]["format"] == ASKED["days"][1][way]
        assert "dates" in entry["days"]["hierarchy"]
        assert entry["thousands"]["format"] == ASKED["thousands"][1]["thousands"]
        assert min(entry["thousands"]["hierarchy"]["intervals"]) >= 1000
