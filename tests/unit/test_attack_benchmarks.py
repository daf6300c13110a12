"""The attacks of the benchmarks: their guesses beside all that could be guessed, and their counts beside rows counted by hand."""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import combinations_with_replacement, product
from math import prod
from random import Random
from types import SimpleNamespace

import duckdb
import pytest

from benchmarks import attacks, downcoding, run_anonymeter
from benchmarks.halves import STRICT, Halves, Table

SUPPRESS = {"role": "quasi", "hierarchy": "suppress"}


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


def table_of(folder, rows, entries, **options):
    """A table whose rows alternate between the halves, the first one of the control half."""
    path = folder / "rows.csv"
    path.write_text(
        "\n".join([",".join(entries), *(",".join(map(str, row)) for row in rows)]) + "\n"
    )
    return Table("small", path, entries, in_turn=True, **options)


def in_both(source, control):
    """Rows of two halves of one length, in the order in which they are dealt to the halves."""
    return [row for pair in zip(control, source, strict=True) for row in pair]


# ---- guesses ------------------------------------------------------------------------------


def every_class(children, rows, least):
    """Each assignment of rows to values that is possible, with its weight: one row at a time, by nothing but the definition."""
    child_of = {value: child for child, values in children.items() for value in values}
    weight = {value: w for values in children.values() for value, w in values.items()}
    for drawn in product(child_of, repeat=rows):
        met = Counter(child_of[value] for value in drawn)
        if least is None or min(met.values()) < least:
            yield Counter(drawn), prod(weight[value] for value in drawn)


def expected(guessed, classes):
    total = sum(weight for _, weight in classes)
    return sum((drawn & guessed).total() * weight for drawn, weight in classes) / total


@pytest.mark.parametrize("seed", range(12))
def test_no_guess_expects_more_to_be_right(seed):
    random = Random(seed)
    children = {
        child: {f"{child}{n}": random.randint(1, 9) for n in range(random.randint(1, 2))}
        for child in "abc"[: random.randint(2, 3)]
    }
    rows = random.randint(2, 4)
    values = [value for each in children.values() for value in each]
    for least in (None, rows, 2):
        classes = list(every_class(children, rows, least))
        best = max(
            expected(Counter(each), classes) for each in combinations_with_replacement(values, rows)
        )
        said = Counter(downcoding.guess(children, rows, least))
        assert said.total() == rows
        assert expected(said, classes) == pytest.approx(best)


def test_minimality_says_that_the_rare_child_has_a_row():
    children = {"usual": {"usual": 99.0}, "rare": {"rare": 1.0}}
    assert downcoding.guess(children, 8, None) == {"usual": 8}
    assert downcoding.guess(children, 8, 8) == {"usual": 7, "rare": 1}


def test_a_class_that_could_have_been_cut_was_not():
    """Twenty rows of two children as likely, of which one must have fewer than five."""
    given = downcoding.guess({"a": {"a": 1.0}, "b": {"b": 1.0}}, 20, None)
    assert given == {"a": 10, "b": 10}
    chances = downcoding.tails(
        0.5, 0.5, downcoding.of_others([downcoding.parts(0.5, 20, 5)] * 2, 20)[0], 20, 5
    )
    at_least = dict(enumerate(chances, start=1))
    assert at_least[1] == pytest.approx(1)
    assert at_least[5] == pytest.approx(at_least[16]) == pytest.approx(0.5)
    assert at_least[20] == pytest.approx(0)


def test_rows_of_large_classes_are_divided_by_shares():
    rows = downcoding.MOST + 1
    given = downcoding.guess({"a": {"x": 2.0, "y": 1.0}, "b": {"z": 3.0}}, rows, rows)
    assert given == {"x": 20, "y": 10, "z": 31}


# ---- downcoding ---------------------------------------------------------------------------


def test_the_clustered_table_is_downcoded(connection, tmp_path, monkeypatch):
    ways = ("labels", STRICT, "values")
    monkeypatch.setattr(downcoding, "WAYS", ways)
    monkeypatch.setattr(downcoding, "GROUPS", 80)
    monkeypatch.setattr(downcoding, "FLAGS", 3)
    made = downcoding.clustered(connection, tmp_path, 3)
    results = list(downcoding.attacked(Halves(connection, made, tmp_path), 3))
    by_way = {each["way"]: each for each in results}
    assert tuple(by_way) == ways
    for way in ("labels", STRICT):
        found = by_way[way]
        assert found["classes"] == 80
        assert found["pairs"] == found["pairs_right"] == found["splits"] > 10
        assert found["in_several_children"] == found["splits"]
    assert downcoding.works(results)
    blind = [{**each, "splits_by_minimal": each.get("splits_by_shares", 0)} for each in results]
    assert not downcoding.works(blind)


def test_splits_and_cells_are_counted_by_class_and_column(connection, tmp_path, monkeypatch):
    """Two classes by hand: one shows sex as it is, the other both sexes under a label."""
    monkeypatch.setattr(downcoding, "SMOOTHING", 0.1)
    source = [*[("a", "f")] * 4, *[("b", "f")] * 2, *[("b", "m")]]
    control = [*[("a", "f")] * 4, *[("b", "m")] * 3]
    made = table_of(tmp_path, in_both(source, control), {"place": SUPPRESS, "sex": SUPPRESS})
    shown = Halves(connection, made, tmp_path)
    connection.execute(
        """CREATE TEMP TABLE released AS SELECT row_number, place, IF(place = 'a', sex, '*') AS sex,
             IF(place = 'a', 1, 2) AS class, IF(place = 'a', 4, 3) AS m FROM source"""
    )
    found = downcoding.Attack(shown).labels(None)
    assert (found["all_cells"], found["cells"], found["splits"]) == (14, 3, 1)
    assert (found["in_several_children"], found["pairs"], found["pairs_right"]) == (1, 1, 1)
    # Beside b the control has men alone: three men are said, of whom one is; with minimality two, one woman beside.
    assert (found["splits_by_shares"], found["cells_by_shares"]) == (0, 1)
    assert (found["splits_by_minimal"], found["cells_by_minimal"]) == (0, 2)
    plain = downcoding.Attack(shown).values()
    assert plain == {"all_cells": 14, "cells_by_value": 11}


# ---- halves -------------------------------------------------------------------------------


def test_a_value_lies_below_each_label_of_its_path_once(connection, tmp_path):
    (tmp_path / "race.csv").write_text("x,x,letters,*\ny,yy,letters,*\n1,1,1,*\n")
    entries = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 20]}},
        "race": {"role": "quasi", "hierarchy": {"csv": str(tmp_path / "race.csv")}},
    }
    rows = [(7, "x"), (7, "x"), (12, "y"), (12, "1")]
    Halves(connection, table_of(tmp_path, rows, entries), tmp_path)
    ages = connection.execute("FROM tree_0 WHERE value = '7' ORDER BY len(label), label").fetchall()
    assert [each[1:3] for each in ages] == [
        ("*", "[0, 20)"), ("7", None), ("[0, 20)", "[5, 10)"), ("[5, 10)", "7"),
    ]  # fmt: skip
    races = connection.execute("SELECT value, label, child, share FROM tree_1").fetchall()
    assert {each[:3] for each in races} == {
        ("x", "x", None), ("x", "letters", "x"), ("x", "*", "letters"),
        ("y", "y", None), ("y", "yy", "y"), ("y", "letters", "yy"), ("y", "*", "letters"),
        ("1", "1", None), ("1", "*", "1"),
    }  # fmt: skip
    assert {(value, float(share)) for value, _, _, share in races} == {
        ("x", 1), ("y", 1), ("1", 0.5),
    }  # fmt: skip


def test_labels_that_are_no_nodes_end_the_run(connection, tmp_path):
    made = table_of(tmp_path, [(n % 7, "a") for n in range(40)], {"n": SUPPRESS, "s": SUPPRESS})
    shown = Halves(connection, made, tmp_path)
    shown.release("labels", 3)
    connection.execute("DELETE FROM tree_0")
    with pytest.raises(SystemExit, match="no nodes"):
        shown.release("labels", 3)


# ---- rows rebuilt, the last row -----------------------------------------------------------

SOURCE = [("a", "f"), ("a", "m"), ("b", "f"), ("b", "f"), ("c", "m")]
CONTROL = [("a", "f"), ("a", "f"), ("b", "f"), ("b", "m"), ("c", "m")]


@pytest.fixture
def small(connection, tmp_path):
    made = table_of(tmp_path, in_both(SOURCE, CONTROL), {"place": SUPPRESS, "sex": SUPPRESS})
    return Halves(connection, made, tmp_path)


def unique(rows):
    return {row for row, n in Counter(rows).items() if n == 1}


@pytest.mark.parametrize("of", ["source", "control"])
def test_unique_rows_that_a_release_shows_are_counted_of_both_halves(small, of):
    shown = {"source": SOURCE, "control": CONTROL}[of]
    small.connection.execute(f"CREATE TEMP TABLE shown AS SELECT place, sex FROM {of}")
    assert attacks.rebuilt(small) == {
        "unique_of_source": len(unique(SOURCE)),
        "rebuilt_of_source": len(unique(SOURCE) & set(shown)),
        "unique_of_control": len(unique(CONTROL)),
        "rebuilt_of_control": len(unique(CONTROL) & set(shown)),
        "distinct_shown": len(set(shown)),
    }


def test_exact_totals_tell_the_last_row_and_no_other(small):
    small.connection.execute("CREATE TEMP TABLE shown AS SELECT place, sex FROM source")
    found = attacks.last_row(small)
    assert found["source"] == pytest.approx(1)
    # b and f are the commonest of the source: two of five control rows are in b, three are f.
    assert found["commonest"] == pytest.approx((2 / 5 + 3 / 5) / 2)


def test_totals_far_from_the_table_tell_the_commonest_value_at_most(small):
    small.connection.execute(
        "CREATE TEMP TABLE shown AS SELECT 'c' AS place, 'm' AS sex FROM RANGE(1000)"
    )
    assert attacks.last_row(small)["source"] <= (2 / 5 + 3 / 5) / 2


def test_values_are_drawn_below_each_label_as_often_as_the_control_has_them(connection, tmp_path):
    rows = [("a" if n % 8 else "b", "x" if n % 4 < 2 else "y") for n in range(8000)]
    shown = Halves(
        connection, table_of(tmp_path, rows, {"letter": SUPPRESS, "other": SUPPRESS}), tmp_path
    )
    connection.execute(
        "CREATE TEMP TABLE released AS SELECT row_number, '*' AS letter, other FROM source"
    )
    attacks.draw(shown, labels=True)
    drawn = connection.execute("SELECT letter, other FROM shown").fetchall()
    assert len(drawn) == 4000
    assert Counter(other for _, other in drawn) == Counter(other for _, other in rows[1::2])
    share = Counter(letter for letter, _ in rows[::2])["b"] / 4000
    assert Counter(letter for letter, _ in drawn)["b"] / 4000 == pytest.approx(share, abs=0.02)


def test_the_three_attacks_are_read_where_they_are_told(capsys, monkeypatch):
    """By evaluators of our own: what is asked of anonymeter, and what the benchmark's line shows of it."""
    asked = []

    class Evaluator:
        def __init__(self, **options):
            asked.append(options)

        def evaluate(self, **_):
            return self

        def results(self):
            rate = SimpleNamespace
            return SimpleNamespace(attack_rate=rate(value=0.5), control_rate=rate(value=0.25))

        def risk(self):
            return SimpleNamespace(value=1 / 3, ci=(0.3, 0.4))

    evaluators = SimpleNamespace(
        SinglingOutEvaluator=Evaluator, LinkabilityEvaluator=Evaluator, InferenceEvaluator=Evaluator
    )
    modules = {
        "anonymeter.evaluators": evaluators,
        "numpy": SimpleNamespace(random=SimpleNamespace(seed=lambda _: None)),
        "pandas": pytest.importorskip("pandas"),
    }
    monkeypatch.setattr(run_anonymeter, "import_module", modules.__getitem__)
    frame = modules["pandas"].DataFrame({"a": [1], "b": ["N"], "c": ["x"]})
    monkeypatch.setattr(modules["pandas"], "read_csv", lambda *_, **__: frame)
    monkeypatch.setattr(sys, "argv", ["run_anonymeter.py", "o.csv", "r.csv", "c.csv", "7"])
    run_anonymeter.main()
    told = json.loads(capsys.readouterr().out)
    assert told["attacks"] == 7
    assert [each.get("aux_cols") for each in asked] == [
        None, (["a", "c"], ["b"]), ["b", "c"], ["a", "c"], ["a", "b"],
    ]  # fmt: skip
    assert [each.get("secret") for each in asked[2:]] == ["a", "b", "c"]
    line = attacks.line(
        {
            "k": 6,
            "table": "t",
            "way": "values",
            "rebuilt_of_source": 3,
            "rebuilt_of_control": 1,
            **told,
        }
    )
    assert line[3:6] == ("50.0, 25.0: 0.333",) * 3
    assert line[6:] == ("-", "3, 1", "-")
