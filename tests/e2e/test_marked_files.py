"""Text files with other quotes than the usual ones, and with comments: read like a plain file, on all ways of release.

What a run reads is compared with what Python's own reader of CSV gives.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter

import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.first_policy import first_policy

NAMES = ('no"te', "se x", "order")
TEXTS = ("O'Hara, 'x'", 'say "so"', "#1; two\r\nlines", "", "plain", "'", '"')


def rows_of(many=240, seed=3):
    lot = random.Random(seed)
    return [(lot.choice(TEXTS), lot.choice("fm"), str(lot.randrange(20, 24))) for _ in range(many)]


def text_of(rows, *, quote, comment=None, delimiter=","):
    """Write rows as a program with these marks does: all texts in quotes, and comments above and between the rows."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quotechar=quote, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(NAMES)
    for n, row in enumerate(rows):
        if comment and n % 60 == 0:
            out.write(f"{comment} page {n}, it's 'new'\r\n")
        writer.writerow(row)
    above = f"{comment} exported; by a program\r\n" if comment else ""
    return above + out.getvalue()


def policy_of(source):
    others = {name: {"role": "insensitive"} for name in NAMES if name != "se x"}
    return {
        "version": 1,
        "source": source,
        "entity": "row",
        "columns": {"se x": {"role": "quasi", "hierarchy": "suppress"}, **others},
        "privacy": {"k": 2},
        "suppression": 0,
    }


def released(folder, source):
    out = folder / "released.csv"
    kanon_sql.anonymize(policy_of(source), release=str(out), replace=True)
    with out.open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert sorted(found[0]) == sorted(NAMES)
    places = [found[0].index(name) for name in NAMES]
    return Counter(tuple(row[at] for at in places) for row in found[1:])


@pytest.mark.parametrize(
    "marks",
    [
        {"quote": "'"},
        {"quote": "'", "comment": "#", "delimiter": ";"},
        {"quote": "|", "comment": "%", "encoding": "utf-16"},
    ],
)
def test_a_file_is_read_by_its_marks(tmp_path, marks):
    rows = rows_of()
    own = {key: of for key, of in marks.items() if key != "encoding"}
    content = text_of(rows, **own).encode(marks.get("encoding", "utf-8"))
    (tmp_path / "pe'ople.csv").write_bytes(content)
    found = released(tmp_path, {"path": str(tmp_path / "pe'ople.csv"), **marks})
    assert found == Counter(rows)


def test_comments_alone_are_left_out_beside_the_usual_quotes(tmp_path):
    rows = rows_of()
    content = text_of(rows, quote='"', comment="#")
    (tmp_path / "a.csv").write_text(content, encoding="utf-8", newline="")
    source = {"path": str(tmp_path / "a.csv"), "comment": "#"}
    assert released(tmp_path, source) == Counter(rows)


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        ({"quote": "'"}, {"quote": "'"}),
        ({"quote": '"', "comment": "#"}, {"comment": "#"}),
        ({"quote": '"'}, {}),
    ],
)
def test_init_finds_the_marks_and_says_so(tmp_path, marks, wanted):
    rows = [(f"O'Hara, {n}", "fm"[n % 2], str(20 + n % 50)) for n in range(300)]
    (tmp_path / "a.csv").write_text(text_of(rows, **marks), encoding="utf-8", newline="")
    text = first_policy(str(tmp_path / "a.csv"), beside=str(tmp_path / "a.yml"))
    source = yaml.safe_load(text)["source"]
    assert source == ({"path": "a.csv", **wanted} if wanted else "a.csv")
    assert ("as it seems" in text) == bool(wanted)
    assert list(yaml.safe_load(text)["columns"]) == list(NAMES)


def test_names_that_begin_with_an_apostrophe_are_no_quotes(tmp_path):
    (tmp_path / "a.csv").write_text(
        "town,age\n" + "".join(f"{('s-Hertogenbosch', 'Ede')[n % 2]},{n % 50}\n" for n in range(90))
        + "".join(f"'t Gooi,{n}\n" for n in range(9)), encoding="utf-8",
    )  # fmt: skip
    policy = yaml.safe_load(first_policy(str(tmp_path / "a.csv"), beside=str(tmp_path / "a.yml")))
    assert policy["source"] == "a.csv"


def test_rows_that_begin_with_an_error_of_a_spreadsheet_are_no_comments(tmp_path):
    days = ("#N/A" if n % 10 == 3 else f"19{n % 90 + 10}-02-03" for n in range(300))
    rates = ("#DIV/0!" if n % 20 == 3 else f"0.{n % 97:02}" for n in range(300))
    lines = (
        f'{day},"{20 + n % 50},5",{rate}\n'
        for n, (day, rate) in enumerate(zip(days, rates, strict=True))
    )
    (tmp_path / "a.csv").write_text(f"born,age,rate\n{''.join(lines)}", encoding="utf-8")
    text = first_policy(str(tmp_path / "a.csv"), beside=str(tmp_path / "a.yml"))
    assert yaml.safe_load(text)["source"] == "a.csv"
    assert "30 of 300 rows say #N/A" in text
    assert yaml.safe_load(text)["columns"]["rate"]["missing"] == ["#DIV/0!"]


@pytest.mark.parametrize(
    ("marks", "what"),
    [
        ({"quote": "''"}, "must match"),
        ({"comment": "a"}, "must match"),
        ({"quote": "#", "comment": "#"}, "must differ from comment and delimiter"),
        ({"delimiter": '"'}, "must differ from comment and delimiter"),
    ],
)
def test_marks_that_nothing_can_read_are_refused(tmp_path, marks, what):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(kanon_sql.PolicyError, match=what):
        kanon_sql.plan(policy_of({"path": str(tmp_path / "a.csv"), **marks}))


@pytest.mark.parametrize(("many", "where"), [(50, ""), (30_000, ", as line 30002 does not fit")])
def test_a_file_that_the_marks_do_not_fit_is_refused_without_a_value(tmp_path, many, where):
    rows = "".join(f"'secret {n}','f'\n" for n in range(many))
    (tmp_path / "a.csv").write_text(f"'x','se x'\n{rows}'secret','f','g'\n", encoding="utf-8")
    source = {"path": str(tmp_path / "a.csv"), "quote": "'", "delimiter": ","}
    with pytest.raises(
        kanon_sql.SourceError, match="check them, and delimiter and skip"
    ) as refused:
        kanon_sql.verify(source, quasi=["se x"], k=2)
    assert f"with this quote and comment{where}:" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert str(tmp_path / "a.csv") in str(refused.value)


def test_marks_go_with_text_files(tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(kanon_sql.SourceError, match="go with text files"):
        kanon_sql.verify({"path": str(tmp_path / "a.json"), "quote": "'"}, quasi=["a"], k=1)


def test_a_script_of_marked_files_is_refused_with_a_way_on(tmp_path):
    content = text_of(rows_of(), quote="'")
    (tmp_path / "a.csv").write_text(content, encoding="utf-8", newline="")
    policy = policy_of({"path": str(tmp_path / "a.csv"), "quote": "'"})
    policy["release"] = str(tmp_path / "out.parquet")
    plan = kanon_sql.plan(policy)
    with pytest.raises(kanon_sql.KanonError, match="with other quotes or comments"):
        kanon_sql.compile_sql(plan, policy=policy)
