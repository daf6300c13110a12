"""The tables of codes in the package: groups that part a scheme, and labels that nest."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import duckdb
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import SCHEMES, CodeHierarchy
from tests.codes import CODES, paths_of

TABLES = Path(kanon_sql.__file__).parent / "policy" / "hierarchies" / "code_tables"
ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def labelled(name, values):
    """Every value with its labels, as DuckDB gives them."""
    kind = CodeHierarchy(name)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (code VARCHAR)")
        connection.execute("INSERT INTO t SELECT UNNEST(?)", [list(values)])
        text = mapping_sql.paths_of_columns(table("t"), ["code"], kind).render("duckdb")
        return connection.sql(text).fetchall()


@pytest.mark.parametrize("name", SCHEMES)
def test_codes_have_the_labels_of_their_scheme(name):
    found = labelled(name, [*CODES[name], "é11", "1'; --", "", None])
    other = [(each, *[None] * CodeHierarchy(name).height) for each in ("é11", "1'; --", "")]
    null = [(None, *[None] * (CodeHierarchy(name).height - 1), "*")]
    assert sorted(found, key=str) == sorted([*paths_of(name), *other, *null], key=str)


def test_every_scheme_is_described_and_is_tested():
    assert set(SCHEMES) == set(CODES)
    assert {each.table for each in SCHEMES.values()} == {each.stem for each in TABLES.iterdir()}


@pytest.mark.parametrize("path", sorted(TABLES.iterdir()), ids=lambda path: path.stem)
def test_a_table_names_its_source_and_is_small(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert len(text) < 15_000, "facts alone: no list of a scheme's codes with its words"


def expanded(written):
    """All three-character categories of ranges such as E08-E14, in the order of letters and digits."""
    for part in written.split(","):
        low, _, high = part.partition("-")
        width = len(low)
        own = ["".join(each) for each in product(ALNUM, repeat=3)]
        own = own if width == 3 else [f"E{each}" for each in own]
        yield from (each for each in own if low <= each <= (high or low))


@pytest.mark.parametrize("name", ["icd10", "icd9"])
def test_every_category_has_the_block_that_lists_it(name):
    """The oracle expands each range of the file into its categories; the first block that has one is its own."""
    wanted, chapter = {}, None
    for line in (TABLES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"([A-Z]?\d\w+-.*):", line):
            chapter = found[1]
        elif line.startswith("  "):
            for block in line.strip().split("; "):
                for each in expanded(block):
                    wanted.setdefault(each, (each, block, chapter))
    form = {"icd10": "[A-Z][0-9A-Z]{2}", "icd9": r"[VE]?\d+"}[name]
    wanted = {each: labels for each, labels in wanted.items() if re.fullmatch(form, each)}
    assert len(wanted) > 1_000
    assert {row[0]: row[1:4] for row in labelled(name, wanted)} == wanted


@pytest.mark.parametrize("name", SCHEMES)
def test_labels_nest(name):
    """Two codes with one label share all coarser labels; so a level is a function of the level below it."""
    codes = {
        low + tail
        for group in SCHEMES[name].groups
        for low, high in group.codes
        for low in (low, high)
        for tail in ("", "1", "11", "111", "1111", "01AA01")
    }
    rows = [row[1:] for row in labelled(name, codes) if row[-1] is not None]
    for at in range(len(rows[0]) - 1):
        above = {}
        for row in rows:
            assert above.setdefault(row[at], row[at + 1]) == row[at + 1]


def test_the_areas_of_safe_harbor_are_those_that_the_department_lists():
    listed = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905
    found = {row[0]: row[1] for row in labelled("us_zip", [f"{n:03d}01" for n in range(1000)])}
    assert all(found[f"{each}01"] == "000" for each in listed)
    later = {"205", "369", "753", "772"}
    assert {each[:3] for each, label in found.items() if label == "000"} == {"000", *listed, *later}


def test_a_plan_is_stale_if_the_groups_change(monkeypatch):
    before = CodeHierarchy("icd10").digest
    assert len(before) == 64
    scheme = SCHEMES["icd10"]
    monkeypatch.setitem(
        SCHEMES,
        "icd10",
        type(scheme)(**{**{n: getattr(scheme, n) for n in scheme.__slots__}, "stem": 2}),
    )
    assert CodeHierarchy("icd10").digest != before
