"""What a certificate counts is what Python counts, and no edit of one does anything but be refused."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from certificates import remade
from class_models import Counted, shares, shares_of_people
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from kanon_sql.base.sql.quoting import table
from kanon_sql.errors import InputError
from kanon_sql.evidence.certificate import certified_parts
from kanon_sql.evidence.certificate.certificate import (
    Band,
    Certificate,
    FilesLocation,
    Quasi,
    Stored,
    TableLocation,
)
from kanon_sql.evidence.certificate.certified_parts import ClaimedRelease, figures_digest, script_of
from kanon_sql.evidence.certificate.claims import Claim, ClaimVerdict, Kind
from kanon_sql.policy.privacy.closeness import BetaLikeness, ComparedWith, TCloseness
from kanon_sql.policy.privacy.l_diversity import RecursiveDiversity
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls

NAMES = ("sex", "ag;e", "ill'ness", 'w"ho')
VALUES = st.one_of(st.none(), st.sampled_from(["", "a", "A", "a ", "NULL", "é", "e\u0301", "1:a,"]))
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES, st.sampled_from("pqrs")), min_size=1, max_size=14)
SETS = ((), ("sex",))
CLASSES = {(): ("sex", "ag;e"), ("sex",): ("sex",)}


def claims_on(over, entity, *, recounted):
    return (
        Claim(Kind.K, 2, over, entity, recounted),
        Claim(Kind.DISTINCT_L, 2, over, "ill'ness", nulls=SensitiveNulls.VALUE),
        Claim(Kind.CLASSES, 3, over),
        Claim(Kind.SMALLEST, 1, over, entity, recounted),
    )


ILLNESS = {"column": "ill'ness", "nulls": SensitiveNulls.VALUE}


PARTS = 10**9
THIRDS = 3 * (PARTS // 3)
"""The parts of 1 in which a c of thirds is counted: the most of at most PARTS that its denominator divides."""


def of_models(over):
    """Claims of models that weigh values, NULL one of them."""
    closeness = TCloseness(t=Decimal("0.3"), reference=ComparedWith.RELEASE, **ILLNESS)
    beta = BetaLikeness(beta=Decimal("1e-9"), enhanced=True, **ILLNESS)
    stated = {"over": over, "counts": "ill'ness", "nulls": SensitiveNulls.VALUE}
    billionths = {**stated, "divisor": 10**9}
    return (
        Claim(
            Kind.MODEL, 3 * 10**8, model=closeness, measured="largest_distance", **billionths
        ),
        Claim(
            Kind.MODEL, 5 * (PARTS // 3), model=RecursiveDiversity(c=Fraction(5, 3), l=2, **ILLNESS),
            measured="largest_c", **stated, divisor=THIRDS,
        ),
        Claim(Kind.MODEL, 1, model=beta, measured="largest_gain", **billionths),
        Claim(
            Kind.MODEL, 0, model=beta, measured="largest_gain_beyond_logarithm", **billionths
        ),
    )  # fmt: skip


def ills_of(rows, *, people):
    """How many rows have each illness, or how many people, and how many of these there are."""
    had = {(row[2], row[3] if people else n) for n, row in enumerate(rows)}
    return Counted((ill for ill, _ in had), people=len({who for _, who in had}))


def weighed_in_python(rows, over, *, people):
    """The worst class over a set, by each of these models: compared with all rows, in fractions."""
    in_class = defaultdict(list)
    for row in rows:
        in_class[row[: len(CLASSES[over])]].append(row)
    classes = {key: ills_of(of, people=people) for key, of in in_class.items()}
    all_ills = ills_of(rows, people=people)
    q, of_people = shares(all_ills), shares_of_people(all_ills)
    distances = [sum(abs(shares(own).get(v, 0) - q[v]) for v in q) / 2 for own in classes.values()]
    least = [
        math.floor(Fraction(THIRDS * max(own.values()), rest)) + 1 if rest else 10**18
        for own in classes.values()
        for rest in [own.total() - max(own.values())]
    ]
    gains = [
        (max((p - of_people[v]) / of_people[v], 0), math.log(of_people[v]))
        for own in classes.values()
        for v, p in shares_of_people(own).items()
    ]
    beyond = max(10**9 * (float(gain) + logarithm) for gain, logarithm in gains)
    return math.ceil(10**9 * max(distances)), max(least), math.ceil(10**9 * max(gains)[0]), beyond


def counted_in_python(rows, over, *, people):
    """The classes over a set: how many, the smallest, and the fewest different illnesses."""
    classes = defaultdict(list)
    for row in rows:
        classes[row[: len(CLASSES[over])]].append(row)
    sizes = [len({row[3] for row in of}) if people else len(of) for of in classes.values()]
    return len(classes), min(sizes), min(len({row[2] for row in of}) for of in classes.values())


@examples(60)
@given(rows=ROWS, entity=st.booleans(), shown=st.booleans(), more=st.integers(0, 3))
def test_claims_find_what_python_counts(rows, entity, shown, more):
    who = 'w"ho' if entity else None
    recounted = shown or not entity
    claims = (
        *(claim for over in SETS for claim in claims_on(over, who, recounted=recounted)),
        *(claim for over in SETS for claim in of_models(over)),
        Claim(Kind.ROWS, len(rows)),
        Claim(Kind.SUPPRESSED, 1, source_rows=len(rows) + more),
        Claim(Kind.COLUMNS, 0),
    )
    columns = [(name, False) for name in NAMES]
    held = ClaimedRelease(table("re;lease"), claims, CLASSES, columns, who if recounted else None)
    with duckdb.connect() as connection:
        frame = pa.table(
            {
                n: pa.array(v, pa.string())
                for n, v in zip(NAMES, zip(*rows, strict=True), strict=True)
            }
        )
        connection.register("re;lease", frame)
        told = connection.execute(certified_parts.claims(held, rows=0).render("duckdb")).fetchall()
    found = [int(Fraction(each) * of.divisor) for of, (*_, each) in zip(claims, told, strict=True)]
    wanted = []
    for over in SETS:
        classes, smallest, least = counted_in_python(rows, over, people=entity and recounted)
        wanted += [smallest, least, classes, smallest]
    weighed = found[8:16]
    for at, over in zip((0, 4), SETS, strict=True):
        *exact, beyond = weighed_in_python(rows, over, people=entity and recounted)
        assert weighed[at : at + 4] == [*exact, pytest.approx(beyond, rel=0, abs=2)]
    assert found == [*wanted, *weighed, len(rows), more, 0]
    # The database says of each claim what we say.
    judged = [replace(claim, found=n).verdict.value for claim, n in zip(claims, found, strict=True)]
    assert [verdict for _, verdict, _ in told] == judged
    if not recounted:
        assert not {ClaimVerdict.PASS.value} & {judged[0], judged[3]}


MADE, _ = remade(
    Certificate(
        made_by="0.1.0",
        engine="duckdb 2.0.0",
        dialect="duckdb",
        plan="0" * 64,
        policy="1" * 64,
        location=FilesLocation(Stored.PARQUET, "../k5.parquet", "../k5.parquet", None, (), None),
        columns=tuple((name, False) for name in NAMES),
        types=("VARCHAR",) * len(NAMES),
        rows=9,
        fingerprint=f"sha256:{'7' * 64}",
        entity='w"ho',
        entity_released=True,
        nulls="category",
        quasi=(Quasi("sex", ("sex",), "level 0 of 1"), Quasi("ag;e", ("ag;e",), "level 1 of 2")),
        claims=(
            *(replace(each, found=3) for each in claims_on((), 'w"ho', recounted=True)),
            *(replace(each, found=-3) for each in of_models(("sex",))),
            Claim(Kind.ROWS, 9, found=9),
            Claim(Kind.SUPPRESSED, 1, source_rows=10, found=1),
            Claim(Kind.COLUMNS, 0, found=0),
        ),
        sizes=(Band(1, 2, 0, 0), Band(3, None, 3, 9)),
    )
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.text(max_size=4),
              st.sampled_from(["table", "spark", "postgres", "csv", "a\0", "sha256:1"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)  # fmt: skip


def paths(value, here=()):
    """Every place in nested plain values."""
    yield here
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in entries:
            yield from paths(each, (*here, key))


PLACES = [path for path in paths(MADE.document()) if path]


def test_a_certificate_of_an_earlier_version_is_refused_with_what_to_do():
    file = Path(__file__).parents[1] / "corpus" / "certificate_before_models.json"
    with pytest.raises(InputError, match="earlier version; certify the release again"):
        Certificate.from_json(file.read_text(encoding="utf-8"), "c")


def test_a_certificate_survives_its_file():
    assert Certificate.from_json(MADE.to_json(), "c") == MADE


@examples(400)
@given(path=st.sampled_from(PLACES), value=JSON, gone=st.booleans())
def test_an_edit_is_refused_or_is_a_certificate_whose_files_are_others(path, value, gone):
    """What is taken still has files that are made of it, and they are not those that it names."""
    document = json.loads(MADE.to_json())
    *above, last = path
    inner = document
    for key in above:
        inner = inner[key]
    before = inner[last]
    if gone:
        del inner[last]
    else:
        inner[last] = value
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    try:
        read = Certificate.from_json(text, "c")
    except InputError:
        return
    if not gone and before == value and type(before) is type(value):
        assert read == MADE
        return
    again, _ = remade(read)
    assert again.files != read.files
    # Its page has the hash of other figures, whatever else it shows.
    assert figures_digest(read) != figures_digest(MADE) or again.files == MADE.files


@examples(100)
@given(st.text(), st.integers(0, 3000), st.integers(0, 40))
def test_any_text_is_a_certificate_or_an_input_error(text, at, length):
    whole = MADE.to_json()
    for each in (text, whole[:at] + text + whole[at + length :]):
        try:
            read = Certificate.from_json(each, "c")
        except InputError:
            continue
        assert read.to_json() == each


@pytest.mark.parametrize(
    ("dialect", "location"),
    [
        ("duckdb", FilesLocation(Stored.PARQUET, "../k", "../k", None, (), None)),
        ("spark", FilesLocation(Stored.CSV, "../k", "../k", None, (), ",")),
        ("postgres", TableLocation(Stored.TABLE, "k", "s", None, None)),
    ],
)
@examples(30)
@given(columns=st.integers(1, 20), sets=st.integers(0, 5), least=st.booleans())
def test_a_script_is_as_long_as_a_person_reads(dialect, location, columns, sets, least):
    names = [f"quasi {n}" for n in range(columns)]
    claims = []
    for over in [(), *((names[n % columns],) for n in range(sets))]:
        claims += [Claim(Kind.K, 5, over), Claim(Kind.CLASSES, 3, over)]
        claims += [Claim(Kind.SMALLEST, 5, over)]
        claims += (
            [Claim(Kind.DISTINCT_L, 2, over, "ill", nulls=SensitiveNulls.VALUE)] if least else []
        )
    whole = (Claim(Kind.ROWS, 9), Claim(Kind.SUPPRESSED, 1, source_rows=10), Claim(Kind.COLUMNS, 0))
    made = replace(
        MADE,
        location=location,
        dialect=dialect,
        columns=tuple((name, False) for name in (*names, "ill")),
        types=("VARCHAR",) * (len(names) + 1),
        quasi=tuple(Quasi(name, (name,), "level 1 of 2") for name in names),
        claims=(*claims, *whole),
        entity=None,
    )
    script = script_of(made).text
    assert script.count("\n") <= 150
    assert max(map(len, script.splitlines())) < 1000
    assert sets or "hash of all rows" in script


@examples(60)
@given(
    st.lists(
        st.text(min_size=1, max_size=6).filter(lambda t: "\0" not in t),
        min_size=2,
        max_size=4,
        unique=True,
    )
)
def test_any_names_survive_the_file_and_make_a_script_that_duckdb_reads(names):
    quasi, *others = names
    claims = (
        Claim(Kind.K, 1, found=1),
        Claim(Kind.DISTINCT_L, 1, counts=others[0], found=1, nulls=SensitiveNulls.NOT_COUNTED),
        Claim(Kind.CLASSES, 1, found=1),
        Claim(Kind.ROWS, 1, found=1),
        Claim(Kind.SUPPRESSED, 0, source_rows=1, found=0),
        Claim(Kind.COLUMNS, 0, found=0),
    )
    made, files = remade(
        replace(
            MADE, columns=tuple((n, False) for n in names), types=("VARCHAR",) * len(names), rows=1, entity=None, claims=claims,
            quasi=(Quasi(quasi, (quasi,), "level 0 of 1"),), location=TableLocation(Stored.TABLE, "it's", "main", None, None),
        )
    )  # fmt: skip
    assert Certificate.from_json(files["certificate.json"].decode(), "c") == made
    with duckdb.connect() as connection:
        assert len(connection.extract_statements(files["verify.sql"].decode())) == 6
