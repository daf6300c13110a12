"""Reports: every figure beside a count in plain Python over the released file, and no value of the source on the page."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql.errors import InputError, VerificationError
from kanon_sql.evidence.reports import measure_report, report
from kanon_sql.evidence.reports.report_values import percent

pytestmark = pytest.mark.sampled(4)

QUASI = ("age", "zip", "sex")
PLANTED = ("Planted-Person", "planted disease")
DRAW = random.Random(7)
ROWS = [
    {
        "name": f"Planted-Person-{i % 150}",
        "age": DRAW.randint(20, 61),
        "zip": DRAW.choice("1123") + DRAW.choice("0012") + DRAW.choice("089"),
        "sex": DRAW.choice("mf"),
        "disease": DRAW.choice(["planted disease a"] * 3 + ["planted disease b", "", "planted c"]),
    }
    for i in range(240)
]
COLUMNS = {
    "name": {"role": "identifying", "action": "drop"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 3}},
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "disease": {"role": "sensitive"},
}
BY_ORDER = {"age": {"role": "quasi", "order": "number"}}
RECODINGS = {
    "full_domain": {},
    "local": {"search": {"recoding": "local"}},
    "cells": {"search": {"recoding": "cells"}},
    "datafly": {"search": {"algorithm": "datafly"}},
    "mu_argus": {"search": {"algorithm": "mu_argus", "repair": "records"}, "suppression": "40%"},
    "mondrian": {"search": {"algorithm": "mondrian"}, "columns": BY_ORDER},
    "top_down": {"search": {"algorithm": "top_down", "target": "disease"}},
    "people": {"entity": "name"},
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory, lab_in):
    """Gives a lab with the release of a recoding, and the reports of its plan and of the release; each made once."""
    made = {}

    def of(recoding):
        if recoding not in made:
            lab = lab_in(tmp_path_factory.mktemp(recoding))
            with (lab.folder / "people.csv").open("w", newline="") as file:
                out = csv.DictWriter(file, ROWS[0])
                out.writeheader()
                out.writerows(ROWS)
            changes = dict(RECODINGS[recoding])
            columns = {**COLUMNS, **changes.pop("columns", {})}
            policy = {"privacy": {"k": 4}, "suppression": "10%", **changes}
            (lab.folder / "policy.yml").write_text(
                json.dumps(
                    {
                        "version": 1,
                        "source": "people.csv",
                        "entity": "row",
                        "columns": columns,
                        "release": "release.parquet",
                        **policy,
                    }
                )
            )
            lab.done("plan", "policy.yml")
            lab.done("apply", "policy.plan.yml")
            plan = lab.folder / "policy.plan.yml"
            made[recoding] = (
                lab,
                kanon_sql.report(plan, search=False),
                kanon_sql.report(lab.folder / "release.parquet", plan=plan, search=False),
            )
        return made[recoding]

    return of


def released(lab):
    return pq.read_table(lab.folder / "release.parquet").to_pylist()


def classes_of(rows):
    return Counter(tuple(row[name] for name in QUASI) for row in rows)


def histogram(rows):
    """How many classes have each size, and how many rows."""
    sizes = Counter(classes_of(rows).values())
    return [(size, many, size * many) for size, many in sorted(sizes.items())]


def shown(sizes):
    return [(each.size, each.classes, each.rows) for each in sizes]


@pytest.mark.parametrize("recoding", RECODINGS)
def test_class_sizes_and_risks_are_those_of_the_released_file(reports, recoding):
    lab, of_plan, of_release = reports(recoding)
    rows = released(lab)
    found = histogram(rows)
    assert shown(of_release.sizes) == found
    own = Counter(tuple(str(row[name]) for name in QUASI) for row in ROWS)
    before = Counter(own.values())
    assert shown(of_release.sizes_before) == [(s, n, s * n) for s, n in sorted(before.items())]
    assert of_release.risk_before.unique_rows == before[1]
    risk = of_release.risk
    assert risk.prosecutor.highest == 1 / found[0][0]
    assert risk.prosecutor.average == pytest.approx(len(classes_of(rows)) / len(rows))
    small = sum(size * many for size, many, _ in found if size < 5)
    assert risk.prosecutor.above["0.2"] == pytest.approx(small / len(rows))
    if recoding != "people":
        assert of_plan.sizes == of_release.sizes
        assert of_plan.risk == of_release.risk
    assert of_plan.columns == of_release.columns
    assert of_plan.quality == of_release.quality


def test_people_are_counted_where_the_plan_is_reported(reports):
    _, of_plan, of_release = reports("people")
    assert (of_plan.counted, of_release.counted) == ("persons", "rows")
    people = defaultdict(set)
    for row in ROWS:
        people[tuple(str(row[name]) for name in QUASI)].add(row["name"])
    before = Counter(map(len, people.values()))
    assert [(each.size, each.classes) for each in of_plan.sizes_before] == sorted(before.items())
    assert min(each.size for each in of_plan.sizes) == of_plan.plan.smallest_class
    assert of_release.models[0].found is None
    assert "whose rows it has" in of_release.left_out["models"]
    text = " ".join(of_release.to_text().split())
    stated = of_release.plan.risk
    assert f"of at most {percent(stated.highest)}" in text
    assert f"{percent(stated.average)} on average. " in text
    assert f"the plan counted at least {of_release.plan.smallest_class} in each class" in text
    assert "counted by the plan" in text


def label(column, value, level):
    """Generalize one value in Python."""
    if column == "sex":
        return value if level == 0 else "*"
    if column == "zip":
        return value[: 3 - level] + "*" * level
    if level == 0:
        return str(value)
    if level == 4:
        return "*"
    width = (5, 10, 20)[level - 1]
    low = value // width * width
    return f"[{low}, {low + width})"


@pytest.mark.parametrize("recoding", ["full_domain", "local", "cells", "datafly", "mu_argus"])
def test_the_rows_of_labels_are_counted_before_and_after(reports, recoding):
    lab, _, found = reports(recoding)
    rows = released(lab)
    levels = [node.levels for node in found.plan.recoding.nodes]
    for at, column in enumerate(found.columns):
        after = Counter(str(row[column.name]) for row in rows)
        under = Counter()
        for level in {node[at] for node in levels}:
            under |= Counter(label(column.name, row[column.name], level) for row in ROWS)
        of_value: dict[object, set[str]] = defaultdict(set)
        for level in {node[at] for node in levels}:
            for row in ROWS:
                of_value[row[column.name]].add(label(column.name, row[column.name], level))
        overlap = any(len(labels & set(after)) > 1 for labels in of_value.values())
        assert sorted(each.rows for each in column.labels) == sorted(after.values())
        for each in column.labels:
            if not re.fullmatch("hidden #[0-9]+", each.text):  # a value of the source, by number
                before = None if overlap else under[each.text]
                assert (each.rows, each.before) == (after[each.text], before)
        assert column.distinct == len(after)
        assert column.distinct_before == len({row[column.name] for row in ROWS})
        assert column.other_labels == 0


@pytest.mark.parametrize("recoding", RECODINGS)
def test_labels_that_are_values_of_the_source_are_numbered(reports, recoding):
    lab, _, found = reports(recoding)
    rows = released(lab)
    for column in found.columns:
        own = {str(row[column.name]) for row in ROWS}
        texts = [each.text for each in column.labels]
        assert not own & set(texts)
        numbered = [each for each in texts if each.startswith("hidden #")]
        assert len(numbered) == len(own & {str(row[column.name]) for row in rows})
        assert {*texts} - {*numbered} <= {str(row[column.name]) for row in rows}
    counts, _, labels = found.to_text().partition("\nDistributions before and after\n")
    is_told = "A number stands for a value: see" in " ".join(counts.split())
    assert is_told == (
        "hidden #" in counts.partition("\nThree small tables, before and after\n")[2]
    )
    assert "To know them, count the release by its column" in " ".join(labels.split())
    shown = {text for each in found.pairs.pairs for text in (each.one, each.other)}
    assert not shown & {str(row[name]) for row in ROWS for name in QUASI}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("recoding", ["full_domain", "people"])
def test_the_classes_of_a_large_source_are_those_of_its_tuples(reports, recoding, monkeypatch):
    """Of a source of many rows no table of tuples is made: two hashes tell its classes apart."""
    lab, plan, _ = reports(recoding)
    assert plan.sizes_before
    monkeypatch.setattr(measure_report, "MOST_TUPLES", 100)
    again = kanon_sql.report(lab.folder / "policy.plan.yml", search=False)
    assert "more than 100 rows" in again.left_out["correlations"]
    assert again.sizes_before == plan.sizes_before
    assert again.risk_before == plan.risk_before


@pytest.mark.parametrize("recoding", ["full_domain", "mondrian"])
def test_sensitive_values_are_compared_with_those_of_the_release(reports, recoding):
    lab, _, found = reports(recoding)
    (spread,) = found.sensitive
    values = defaultdict(Counter)
    for row in released(lab):
        if row["disease"]:
            values[tuple(row[name] for name in QUASI)][row["disease"]] += 1
    whole = sum(values.values(), Counter())
    total = sum(whole.values())
    distances, shares, distinct = [], [], Counter()
    for counts in values.values():
        rows = sum(counts.values())
        apart = sum(abs(Fraction(counts[v], rows) - Fraction(whole[v], total)) for v in whole)
        distances.append(apart / 2)
        shares.append(Fraction(max(counts.values()), rows))
        distinct[len(counts)] += 1
    steps = Counter(math.floor(each * 20) for each in distances)
    assert {round(each.least * 20): each.classes for each in spread.distances} == steps
    by_share = Counter(math.floor(each * 20) for each in shares)
    assert {round(each.least * 20): each.classes for each in spread.shares} == by_share
    assert {int(each.least): each.classes for each in spread.distinct} == distinct
    assert spread.largest_distance == pytest.approx(float(max(distances)))
    assert spread.largest_share == pytest.approx(float(max(shares)))


def information(pairs):
    """The mutual information of two columns, in bits."""
    rows = len(pairs)
    both, one, other = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return sum(n / rows * math.log2(n * rows / (one[a] * other[b])) for (a, b), n in both.items())


@pytest.mark.parametrize("recoding", ["full_domain", "cells", "mondrian"])
def test_correlations_and_pairs_are_those_of_both_tables(reports, recoding):
    lab, _, found = reports(recoding)
    rows = released(lab)
    assert len(found.correlations) == 3
    for each in found.correlations:
        before = information([(row[each.one], row[each.other]) for row in ROWS])
        after = information([(row[each.one], row[each.other]) for row in rows])
        assert each.before == pytest.approx(before, abs=1e-6)
        assert each.after == pytest.approx(after, abs=1e-6)
    one, other = found.pairs.columns
    counted = Counter((row[one], row[other]) for row in rows)
    assert sorted(each.rows for each in found.pairs.pairs) == sorted(counted.values())
    assert found.pairs.all_pairs == len(counted)


def test_hierarchies_show_what_has_released_rows_and_nothing_below(reports):
    lab, _, found = reports("full_domain")
    rows = released(lab)
    levels = dict(zip(QUASI, found.plan.recoding.nodes[0].levels, strict=True))
    assert {tree.column for tree in found.trees} == {
        name for name, top in (("age", 4), ("zip", 3), ("sex", 1)) if 0 < levels[name] < top
    }
    for tree in found.trees:
        assert min(node.level for node in tree.nodes) == tree.level == levels[tree.column]
        finest = {node.label: node.rows for node in tree.nodes if node.level == tree.level}
        assert finest == Counter(row[tree.column] for row in rows)
        for level in range(tree.level, tree.height + 1):
            assert sum(n.rows for n in tree.nodes if n.level == level) == len(rows)


def test_models_are_counted_anew(reports, lab_in, tmp_path):
    lab, _, found = reports("full_domain")
    (k,) = found.models
    assert (k.required, k.found, k.holds) == (4, min(classes_of(released(lab)).values()), True)


def test_distinct_values_are_counted_where_people_are_hidden(reports, lab_in, tmp_path):
    lab, _, _ = reports("people")
    policy = json.loads((lab.folder / "policy.yml").read_text())
    policy["privacy"] = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}]
    policy["release"] = "diverse.parquet"
    (lab.folder / "diverse.yml").write_text(json.dumps(policy))
    lab.done("plan", "diverse.yml")
    lab.done("apply", "diverse.plan.yml")
    release, plan = lab.folder / "diverse.parquet", lab.folder / "diverse.plan.yml"
    found = kanon_sql.report(release, plan=plan, search=False)
    values = defaultdict(set)
    for row in pq.read_table(release).to_pylist():
        values[tuple(row[name] for name in QUASI)].add(row["disease"] or None)
    least = min(len(each - {None}) for each in values.values())
    assert [(each.required, each.found, each.holds) for each in found.models] == [
        (3, None, None),
        (2, least, True),
    ]
    lab.done("certify", "diverse.parquet", "--plan", "diverse.plan.yml", "-o", "proof")
    page = (lab.folder / "proof" / "report.html").read_text()
    assert "not counted here" not in page
    assert "counted by the plan" in page


@pytest.mark.parametrize("recoding", RECODINGS)
def test_the_count_error_is_that_of_quality_and_no_query_is_drawn_beside(reports, recoding):
    lab, _, found = reports(recoding)
    release, plan = lab.folder / "release.parquet", lab.folder / "policy.plan.yml"
    assert found.quality.queries is None
    expected = kanon_sql.quality(release, plan=plan).figures["count_error_median"]
    assert expected is not None
    assert found.quality.figures["count_error_median"] == expected


def test_no_table_stands_twice_on_a_page(reports):
    page = reports("full_domain")[2].to_html()
    tables = re.findall(r"<tbody>.*?</tbody>", page, re.DOTALL)
    assert len(tables) > 10
    assert len(set(tables)) == len(tables)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_page_is_one_file_and_has_no_value_of_the_source(reports, recoding):
    for found in reports(recoding)[1:]:
        page, text = found.to_html(), found.to_text()
        for planted in PLANTED:
            assert planted not in page + text
        assert "default-src 'none'" in page
        for outside in ("http://", "https://", "src=", "@import", "url("):
            assert outside not in page.replace("http://www.w3.org/", "")
        assert max(map(len, text.splitlines())) <= 80
        assert len(page) < 3_000_000


def test_a_search_gives_other_k_and_the_nodes_of_the_lattice(reports):
    lab, _, _ = reports("full_domain")
    found = kanon_sql.report(lab.folder / "policy.plan.yml", search=True)
    assert "search" not in found.left_out
    for each in found.search.of_k:
        nodes = dict(zip(QUASI, each.optimum.levels, strict=True))
        rows = [{n: label(n, row[n], at) for n, at in nodes.items()} for row in ROWS]
        kept = [(s, n) for s, n, _ in histogram(rows) if s >= each.k]
        assert [(of.size, of.classes) for of in each.sizes] == kept
        assert len(ROWS) - sum(s * n for s, n in kept) == each.optimum.suppressed_rows
        assert each.labels == tuple(len({row[name] for row in rows}) for name in QUASI)
    page = found.to_html()
    assert "Privacy against utility" in page
    assert page.count("<svg") > 5


def test_a_table_that_is_not_the_release_has_no_report(reports, tmp_path):
    lab, _, _ = reports("full_domain")
    rows = pq.read_table(lab.folder / "release.parquet")
    path = tmp_path / "other.parquet"
    pq.write_table(rows.slice(1), path)
    with pytest.raises(VerificationError, match="is not the release of its plan") as error:
        kanon_sql.report(path, plan=lab.folder / "policy.plan.yml")
    assert "[2" not in str(error.value)


def test_a_release_without_its_source_says_what_is_left_out(reports, tmp_path):
    lab, _, whole = reports("full_domain")
    for name in ("policy.yml", "policy.plan.yml", "release.parquet"):
        (tmp_path / name).write_bytes((lab.folder / name).read_bytes())
    found = kanon_sql.report(tmp_path / "release.parquet", plan=tmp_path / "policy.plan.yml")
    assert found.sizes == whole.sizes
    assert found.risk_before is None
    assert found.quality is None
    assert set(found.left_out) >= {"risk before", "utility", "search", "correlations"}
    assert "source cannot be read" in found.to_html()


def test_rows_that_are_unique_over_all_released_columns_are_counted():
    rows = [{"age": 20 + n % 4, "ill": f"ill {n % 5}", "ward": n % 7} for n in range(60)]
    rows += [{"age": 21, "ill": "ill 1", "ward": 9}, {"age": 21, "ill": "ill 1", "ward": 9}]
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [2]}},
            "ill": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        "privacy": {"k": 5},
    }
    people = pa.Table.from_pylist(rows)
    plan = kanon_sql.plan(policy, people)
    found = kanon_sql.report(plan, people, policy=policy, search=False)
    level = plan.levels["age"]
    label = {0: lambda age: age, 1: lambda age: age // 2}.get(level, lambda age: 0)
    many = Counter((label(each["age"]), each["ill"], each["ward"]) for each in rows)
    unique = sum(count == 1 for count in many.values())
    assert (found.unique.rows, found.unique.unique) == (62, unique)
    text = " ".join(found.to_text().split())
    assert f"{unique} of 62 rows are unique by " in text
    assert "These columns are age, ill and ward." in text


def test_wrong_calls_say_what_to_do(reports):
    lab, of_plan, _ = reports("full_domain")
    with pytest.raises(InputError, match="plan: is missing"):
        kanon_sql.report(lab.folder / "release.parquet")
    with pytest.raises(InputError, match="is the plan of a release"):
        kanon_sql.report(lab.folder / "policy.plan.yml", plan=of_plan.plan)
    assert "name what to write" in lab.refused("report", "policy.plan.yml")
    assert "--plan FILE" in lab.refused("report", "release.parquet", "--text")
    both = lab.refused("report", "policy.plan.yml", "--plan", "policy.plan.yml", "--text")
    assert "leave --plan out" in " ".join(both.split())


def test_the_command_writes_the_page_the_text_and_the_figures(reports):
    lab, _, _ = reports("full_domain")
    told = lab.done(
        "report", "policy.plan.yml", "-o", "r.html", "--figures", "drawn", "--no-search"
    )
    assert told.startswith("wrote r.html: ")
    assert {path.name for path in (lab.folder / "drawn").iterdir()} == {
        f"{name}.{kind}"
        for name in ("class_sizes", "tradeoff", "distinct_values")
        for kind in ("svg", "png")
    }
    assert (lab.folder / "drawn" / "tradeoff.png").read_bytes().startswith(b"\x89PNG")
    assert "already exists" in lab.refused("report", "policy.plan.yml", "-o", "r.html")
    error = lab.refused("report", "policy.plan.yml", "--figures", "drawn", "--no-search")
    assert "class_sizes.svg: already exists; --replace replaces it" in error
    lab.done("report", "policy.plan.yml", "-o", "r.html", "--replace", "--no-search")
    text = lab.done(
        "report", "release.parquet", "--plan", "policy.plan.yml", "--text", "--no-search"
    )
    assert "Re-identification risk, before and after" in text


def test_without_the_extra_the_page_has_tables_and_no_figure_is_written(
    reports, monkeypatch, tmp_path
):
    _, found, _ = reports("full_domain")
    monkeypatch.setattr(report, "can_render", lambda: False)
    page = found.to_html()
    assert "<svg" not in page
    assert "Class sizes: the figures as a table" in page
    assert "kanon-sql[report]" in page
    with pytest.raises(InputError, match="pip install"):
        found.figures(tmp_path / "drawn")
    assert not (tmp_path / "drawn").exists()


HOSTILE = "<script>alert(1)</script>\"'\u202e" + "x" * 10_000


def test_hostile_labels_and_names_are_text(tmp_path):
    import pyarrow as pa

    column = 'a"><img src=x onerror=alert(1)>'
    labels = {"*": {HOSTILE: ["1", "2"], "<b>bold</b>": ["3", "4"]}}
    frame = pa.table({column: ["1", "2", "3", "4"] * 3, "d": ["u", "v", "w"] * 4})
    policy = {
        "version": 1,
        "source": "t.parquet",
        "entity": "row",
        "columns": {
            column: {"role": "quasi", "hierarchy": {"tree": labels}},
            "d": {"role": "sensitive"},
        },
        "privacy": {"k": 4},
    }
    plan = kanon_sql.plan(policy, frame)
    found = kanon_sql.report(plan, frame, policy=policy)
    page = found.to_html()
    assert page.count("<script") == page.count("</script>") == 1
    for hostile in ("<img", "<b>", "\u202e", "x" * 1000):
        assert hostile not in page
    assert "&lt;b&gt;bold" in page
    assert max(map(len, found.to_text().splitlines())) <= 80


def test_the_penalty_of_each_column_is_that_of_its_released_labels(reports):
    lab, _, found = reports("mondrian")
    rows = released(lab)
    suppressed = len(ROWS) - len(rows)
    ages = [row["age"] for row in ROWS]
    span = max(ages) - min(ages)

    def of_age(label):
        if label == "*":
            return 1.0
        ends = re.fullmatch(r"\[(\d+), (\d+)[\])]", str(label))
        return 0.0 if ends is None else min((int(ends[2]) - int(ends[1])) / span, 1.0)

    def of_text(label, values, covers):
        under = sum(covers(str(label), each) for each in values)
        return 0.0 if under == 1 else under / len(values)

    def masked(label, value):
        kept = label.rstrip("*")
        return value.startswith(kept) and len(value) == len(label)

    sexes, zips = ({row[name] for row in ROWS} for name in ("sex", "zip"))
    expected = {
        "age": [of_age(row["age"]) for row in rows],
        "zip": [of_text(row["zip"], zips, masked) for row in rows],
        "sex": [of_text(row["sex"], sexes, lambda label, v: label in ("*", v)) for row in rows],
    }
    assert len({row["age"] for row in rows}) > 2
    for each in found.quality.columns:
        penalty = (math.fsum(expected[each.name]) + suppressed) / len(ROWS)
        assert each.certainty == pytest.approx(penalty, abs=1e-9), each.name
        assert f"{percent(penalty)}" in found.to_html()


@pytest.mark.parametrize("recoding", ["full_domain", "cells", "mondrian", "top_down"])
def test_no_row_of_the_source_is_listed_under_two_labels(reports, recoding):
    lab, _, found = reports(recoding)
    rows = released(lab)
    for column in found.columns:
        known = [each.before for each in column.labels if each.before is not None]
        assert sum(known) <= len(ROWS), column.name
        if "*" in {row[column.name] for row in rows} and len(column.labels) > 1:
            assert known == [], column.name
            assert column.name in found.left_out["distributions before"]


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_correlation_that_rises_is_named_as_invented(reports, recoding):
    lab, _, found = reports(recoding)
    rows = released(lab)

    def bits(table, one, other):
        n = len(table)
        both = Counter((str(row[one]), str(row[other])) for row in table)
        a, b = Counter(str(row[one]) for row in table), Counter(str(row[other]) for row in table)
        return math.fsum(c / n * math.log2(c * n / (a[x] * b[y])) for (x, y), c in both.items())

    rising = 0
    for each in found.correlations:
        rises = bits(rows, each.one, each.other) > bits(ROWS, each.one, each.other) + 1e-6
        assert each.rises == rises, (each.one, each.other)
        rising += rises
    page = found.to_html()
    assert page.count("rises: invented by the recoding") == rising
    assert ("No figure rises" in page) == (rising == 0)
    assert "Generalization lowers it" not in page


def test_the_page_says_on_which_side_of_a_threshold_a_class_is(reports):
    _, _, found = reports("full_domain")
    page = found.to_html()
    assert "risk above 1/11 (in classes of fewer than 11)" in page
    assert "risk above 1/20 (in classes of fewer than 20)" in page
    assert "risk above 1/12 (in classes of fewer than 12)" in page
    assert "A risk of 0.09 is allowed" not in page, "no standard is named that allows it"
