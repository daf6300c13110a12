"""The explorer's figures are those that plain Python counts, at every node; what it saves is what `plan` makes of it."""

from __future__ import annotations

import csv
import itertools
import random
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.apps.explorer.exploration import Choices, SavedFiles, open_exploration
from kanon_sql.apps.explorer.guarded_app import chart_document
from kanon_sql.apps.explorer.searched_state import UNSHOWN, ChartName
from kanon_sql.base.documents.text import simple_counts
from kanon_sql.errors import InputError, PolicyError

POLICY = """\
version: 1
source: people.csv
entity: row
columns:   # of the table
  zip: {role: quasi, hierarchy: {mask: 3}}  # digits
  age: {role: quasi, hierarchy: {intervals: [10, 40]}}
  sex: {role: quasi, hierarchy: suppress}
  ill: {role: sensitive}
  who: {role: identifying, action: drop}
privacy:
  - {k: 3}
  - {distinct_l: {column: ill, l: 2}}
suppression: 10%
search: {algorithm: optimal, metric: loss}
release: out.parquet
"""
TOPS = (3, 3, 1)
LABELS = (
    lambda zip_, level: zip_[: 3 - level] + "*" * level,
    lambda age, level: interval(int(age), (0, 10, 40)[level]) if level < 3 else "*",
    lambda sex, level: sex if level == 0 else "*",
)


def interval(age, width):
    low = age // width * width if width else age
    return f"[{low}, {low + width})" if width else str(age)


@pytest.fixture(scope="module")
def people():
    draw = random.Random(5)
    rows = [
        (f"{draw.choice('01')}{draw.choice('012')}{draw.randrange(4)}", str(draw.randrange(20, 80)), draw.choice("mf"), f"ill-{draw.randrange(4)}", f"canary-{n}")
        for n in range(240)
    ]  # fmt: skip
    return [*rows, ("999", "79", "m", "ill-rare", "canary-x")]


@pytest.fixture
def open_policy(tmp_path, people, request):
    def opened(text=POLICY):
        with (tmp_path / "people.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("zip", "age", "sex", "ill", "who"), *people])
        (tmp_path / "policy.yml").write_text(text)
        found = open_exploration(str(tmp_path / "policy.yml"), None, files=files(tmp_path), settings=None)  # fmt: skip
        request.addfinalizer(found.close)
        return found

    return opened


def files(folder):
    return SavedFiles(
        folder / "saved.yml",
        folder / "saved.plan.yml",
        lambda path, text: Path(path).write_text(text),
        str(folder / "saved"),
    )


def classes_at(people, levels):
    """Every class of a node: how many rows it has of each illness, by its labels."""
    found = defaultdict(Counter)
    for *quasi, ill, _ in people:
        key = tuple(of(value, at) for of, value, at in zip(LABELS, quasi, levels, strict=True))
        found[key][ill] += 1
    return found


def test_each_column_says_how_many_values_and_labels_it_has(open_policy, people):
    explored = open_policy()
    counted = [
        [len({label(row[at], level) for row in people}) for level in range(top + 1)]
        for at, (label, top) in enumerate(zip(LABELS, TOPS, strict=True))
    ]
    found = explored.columns(Choices({}, TOPS))
    assert [(each["values"], each["labels"]) for each in found] == [(c[0], c) for c in counted]
    assert min(of[0] for of in counted) > 1
    cut = open_policy(POLICY.replace("algorithm: optimal, metric: loss", "algorithm: mondrian"))
    found = cut.columns(Choices({}, (0, 0, 0)))
    assert [(each["values"], each["labels"]) for each in found] == [(c[0], []) for c in counted]


def test_the_figures_of_every_node_are_counted_by_python_too(open_policy, people):
    explored = open_policy()
    limit = len(people) // 10
    rows = len(people)
    for levels in itertools.product(*(range(top + 1) for top in TOPS)):
        found = explored.figures(Choices({}, levels))
        classes = classes_at(people, levels)
        sizes = {key: sum(of.values()) for key, of in classes.items()}
        kept = {key: n for key, n in sizes.items() if n >= 3 and len(classes[key]) >= 2}
        suppressed = rows - sum(kept.values())
        assert (found.rows, found.suppressed, found.limit) == (rows, suppressed, limit)
        assert (found.classes, found.smallest) == (len(kept), min(kept.values(), default=0))
        assert found.feasible == (bool(kept) and suppressed <= limit)
        assert bool(found.why) != found.feasible
        assert {s.size: s.classes for s in found.sizes} == Counter(sizes.values())
        assert {s.size: s.classes for s in found.kept} == Counter(kept.values())
        released = [len({key[at] for key in kept}) for at in range(3)]
        assert list(found.released.values()) == released
        if kept:
            assert found.risk_after.prosecutor.highest == 1 / min(kept.values())
            assert found.risk_after.prosecutor.average == pytest.approx(
                len(kept) / (rows - suppressed)
            )
        for shown in found.examples:
            assert (shown.rows, shown.size) == (kept[shown.labels],) * 2
        assert len(found.examples) == min(5, len(kept))
        assert not any("canary" in str(label) for each in found.examples for label in each.labels)


@pytest.mark.parametrize("least", [1, 4])
def test_classes_that_fail_another_model_are_not_drawn_as_released(open_policy, people, least):
    """A class of k rows of one illness is suppressed: the chart then counts what is released by itself."""
    explored = open_policy(POLICY.replace("l: 2", f"l: {least}"))
    levels = (1, 1, 0)
    classes = classes_at(people, levels)
    large = [key for key, of in classes.items() if sum(of.values()) >= 3]
    kept = [key for key in large if len(classes[key]) >= least]
    rows = chart_document(ChartName.SIZES, explored.figures(Choices({}, levels)))["rows"]
    drawn = Counter()
    for name, _, many, _ in rows:
        drawn[name] += many
    assert drawn["at these levels"] == len(classes)
    assert drawn.get("released of these") == (None if len(kept) == len(large) else len(kept))
    assert (len(kept) == len(large)) == (least == 1)


def test_the_loss_of_a_column_is_that_of_its_definition(open_policy, people):
    found = open_policy().figures(Choices({}, (1, 2, 0)))
    classes = classes_at(people, (1, 2, 0))
    kept = {k for k, of in classes.items() if sum(of.values()) >= 3 and len(of) >= 2}
    for at, name in enumerate(("zip", "age", "sex")):
        leaves = defaultdict(set)
        for row in people:
            leaves[LABELS[at](row[at], (1, 2, 0)[at])].add(row[at])
        domain = len({row[at] for row in people})
        lost = 0.0
        for row in people:
            key = tuple(
                of(v, level) for of, v, level in zip(LABELS, row[:3], (1, 2, 0), strict=True)
            )
            lost += (len(leaves[key[at]]) - 1) / (domain - 1) if key in kept else 1
        assert found.losses[name] == pytest.approx(lost / len(people))


def test_bounds_suppression_and_hierarchies_change_without_another_file(open_policy, people):
    explored = open_policy()
    changed = {"privacy-0-k": "6", "privacy-1-distinct_l-l": "3", "suppression": "30%"}
    found = explored.figures(Choices(changed, (2, 2, 0)))
    kept = [
        c for c in classes_at(people, (2, 2, 0)).values() if sum(c.values()) >= 6 and len(c) >= 3
    ]
    assert (found.classes, found.limit) == (len(kept), int(0.3 * len(people)))
    wider = {"hierarchy-age": "{intervals: [30]}"}
    state = explored.clamped(Choices(wider, (2, 3, 0)))
    assert state.levels == (2, 2, 0)
    assert explored.columns(state)[1]["labels"] == [len({r[1] for r in people}), 3, 1]
    assert {each.labels[1] for each in explored.figures(state).examples} <= {"*"}
    with_t = explored.figures(Choices({"add-t_closeness-ill": "0.2"}, (2, 2, 0)))
    overall = Counter(row[3] for row in people)

    def distance(of):
        n = sum(of.values())
        return sum(abs(of[v] / n - overall[v] / len(people)) for v in overall) / 2

    kept = [c for c in classes_at(people, (2, 2, 0)).values() if sum(c.values()) >= 3 and len(c) >= 2 and distance(c) <= 0.2]  # fmt: skip
    assert with_t.classes == len(kept)


def test_each_level_says_whether_its_node_is_feasible(open_policy):
    explored = open_policy()
    state = Choices({}, (1, 1, 0))
    for at in range(3):
        levels = explored.feasible_levels(state, at)
        assert [each["level"] for each in levels] == list(range(TOPS[at] + 1))
        for each in levels:
            moved = (*state.levels[:at], each["level"], *state.levels[at + 1 :])
            found = explored.figures(Choices({}, moved))
            assert (each["feasible"], each["suppressed"]) == (found.feasible, found.suppressed)
            assert each["classes"] == found.classes
            assert each["loss"] == (pytest.approx(found.cost[0]) if found.feasible else None)


def test_the_best_node_is_the_plan_s_and_a_level_that_is_held_stays(open_policy, tmp_path):
    explored = open_policy()
    free = explored.best(Choices({}, (0, 0, 0)))
    plan = kanon_sql.plan(tmp_path / "policy.yml")
    assert free.levels == plan.recoding.nodes[0].levels
    found = explored.figures(free)
    assert (found.suppressed, found.classes, found.smallest) == (plan.suppressed_rows, plan.classes, plan.smallest_class)  # fmt: skip
    assert (found.cost, found.quality) == (plan.cost, plan.figures)
    held = explored.best(Choices({}, (3, 0, 0), frozenset({"zip"})))
    assert held.levels[0] == 3


def test_what_is_saved_is_the_policy_in_its_own_words_and_the_plan_of_it(open_policy, tmp_path):
    explored = open_policy()
    state = Choices({"privacy-0-k": "4"}, (2, 0, 0), frozenset({"zip"}))
    saved = explored.save(state, with_plan=True)
    text = (tmp_path / "saved.yml").read_text()
    expected = POLICY.replace("{k: 3}", "{k: 4}").replace("{mask: 3}}", "{mask: 3}, levels: {least: 2, most: 2}}")  # fmt: skip
    assert text == expected
    plan = kanon_sql.plan(tmp_path / "saved.yml", examples=True)  # as the command plans
    assert "count_error" in plan.figures
    assert (tmp_path / "saved.plan.yml").read_text() == plan.named("saved.yml").to_yaml()
    assert saved["state"]["levels"] == list(plan.recoding.nodes[0].levels)
    assert (tmp_path / "policy.yml").read_text() == POLICY


@pytest.mark.parametrize("edited", ["saved.yml", "saved.plan.yml"])
def test_a_file_that_was_edited_since_it_was_saved_is_not_replaced(open_policy, tmp_path, edited):
    explored = open_policy()
    explored.save(Choices({}, (2, 0, 0)), with_plan=True)
    own = tmp_path / edited
    text = own.read_text() + "# my own remark\n"
    own.write_text(text)
    before = {name: (tmp_path / name).read_text() for name in ("saved.yml", "saved.plan.yml")}
    with pytest.raises(InputError, match=f"{edited}: was changed since"):
        explored.save(Choices({}, (2, 0, 0)), with_plan=True)
    assert {name: (tmp_path / name).read_text() for name in before} == before
    explored.save(Choices({"privacy-0-k": "4"}, (2, 0, 0)), with_plan=True)
    assert {name: (tmp_path / name).read_text() for name in before} == before
    own = tmp_path / edited.replace("saved", "saved-2")
    own.write_text(own.read_text() + "# my own remark\n")
    with pytest.raises(InputError, match=f"{own.name}: was changed since"):
        explored.save(Choices({"privacy-0-k": "4"}, (2, 0, 0)), with_plan=True)


def test_another_policy_than_the_one_of_a_saved_plan_gets_files_of_its_own(open_policy, tmp_path):
    """The plan may have been applied and certified: the certificate names its policy and its hash."""
    explored = open_policy()
    explored.save(Choices({"privacy-0-k": "2"}, (2, 0, 0)), with_plan=False)
    first = explored.save(Choices({}, (2, 0, 0)), with_plan=True)
    files = {name: (tmp_path / name).read_text() for name in ("saved.yml", "saved.plan.yml")}
    assert explored.save(Choices({}, (1, 0, 0)), with_plan=True)["plan"] == first["plan"]
    (tmp_path / "saved-2.plan.yml").write_text("of another session\n")
    second = explored.save(Choices({"privacy-0-k": "4"}, (2, 0, 0)), with_plan=True)
    third = explored.save(Choices({"privacy-0-k": "5"}, (2, 0, 0)), with_plan=False)
    assert [Path(each["policy"]).name for each in (first, second, third)] == ["saved.yml", "saved-3.yml", "saved-4.yml"]  # fmt: skip
    assert Path(second["plan"]).name == "saved-3.plan.yml"
    assert {name: (tmp_path / name).read_text() for name in files} == files
    assert (tmp_path / "saved-2.plan.yml").read_text() == "of another session\n"


def test_a_release_that_is_there_is_not_named_again(open_policy, tmp_path):
    explored = open_policy()
    assert "release" not in explored.save(Choices({}, (2, 0, 0)), with_plan=True)
    release = tmp_path / explored.run.policy.release.name
    release.write_text("published\n")
    saved = explored.save(Choices({}, (2, 0, 0)), with_plan=True)
    assert saved["release"] == str(tmp_path / f"saved{release.suffix}")


def test_a_file_that_another_program_made_since_is_not_replaced(open_policy, tmp_path):
    explored = open_policy()
    (tmp_path / "saved.yml").write_text("mine\n")
    with pytest.raises(InputError, match=r"saved\.yml: was changed since"):
        explored.save(Choices({}, (2, 0, 0)), with_plan=False)
    assert (tmp_path / "saved.yml").read_text() == "mine\n"


def test_what_the_page_may_not_send_is_refused(open_policy):
    explored = open_policy()
    for words in ("{csv: /etc/passwd}", "{query: SELECT 1}", "{table: t}", "[", "5"):
        with pytest.raises(InputError):
            explored.figures(Choices({"hierarchy-age": words}, (0, 0, 0)))
    for sent in (None, {}, {"entries": {}, "levels": [0], "held": []}, {"entries": {"k": 5}, "levels": [0, 0, 0], "held": []}):  # fmt: skip
        with pytest.raises(InputError):
            Choices.read(sent, explored.names)
    with pytest.raises(PolicyError) as refused:
        explored.figures(Choices({"privacy-0-k": "0"}, (0, 0, 0)))
    assert explored.adjustable.key_of(refused.value.faults[0].where) == "privacy-0-k"
    with pytest.raises(InputError, match="no entry"):
        explored.figures(Choices({"release": "x"}, (0, 0, 0)))


def test_a_recoding_without_nodes_is_searched_anew_for_each_state(open_policy, people):
    text = POLICY.replace("algorithm: optimal, metric: loss", "algorithm: mondrian")
    explored = open_policy(text.replace("{mask: 3}}", "{mask: 3}, order: text}"))
    state = Choices.read(explored.start()["state"], explored.names)
    assert not explored.of_nodes(state)
    few, many = (explored.figures(Choices({"privacy-0-k": k}, (0, 0, 0))) for k in ("3", "9"))
    assert few.classes > many.classes
    assert many.smallest >= 9
    assert sum(s.rows for s in many.kept) == len(people) - many.suppressed
    assert all(each.size >= 9 for each in many.examples)


def test_a_release_of_regions_says_how_wrong_simple_counts_are(open_policy, tmp_path):
    text = POLICY.replace("algorithm: optimal, metric: loss", "algorithm: mondrian")
    explored = open_policy(text)
    found = explored.figures(Choices({}, (0, 0, 0)))
    plan = kanon_sql.plan(tmp_path / "policy.yml", examples=True)
    assert plan.simple_counts
    error = explored.count_error(Choices({}, (0, 0, 0)))
    assert simple_counts(*error) == plan.simple_counts
    assert dict(found.quality).items() <= dict(plan.figures).items()


def test_a_search_of_a_large_source_is_of_a_sample_and_says_so(open_policy, people, monkeypatch):
    text = POLICY.replace("algorithm: optimal, metric: loss", "algorithm: mondrian")
    explored = open_policy(text.replace("{mask: 3}}", "{mask: 3}, order: text}"))
    state = Choices({"suppression": "24"}, (0, 0, 0))
    whole = explored.figures(state)
    assert (whole.rows, whole.limit, whole.sample) == (len(people), 24, "")
    monkeypatch.setattr("kanon_sql.apps.explorer.exploration.SAMPLE", 100)
    explored = open_policy(text.replace("{mask: 3}}", "{mask: 3}, order: text}"))
    found = explored.figures(state)
    assert 50 < found.rows <= 100
    assert found.sample == f"a sample of {found.rows} of {len(people)} rows, chosen at random and always the same"  # fmt: skip
    assert found.document()["sample"] == found.sample
    assert found.limit == 24 * found.rows // len(people)
    assert sum(each.rows for each in found.kept) == found.rows - found.suppressed
    assert min(each.size for each in found.kept) >= 3
    again = open_policy(text.replace("{mask: 3}}", "{mask: 3}, order: text}")).figures(state)
    assert (again.sizes, again.examples, again.cost) == (found.sizes, found.examples, found.cost)
    assert explored.names == ("zip", "age", "sex")
    assert set(found.columns) == {"zip", "age", "sex"}


def test_persons_are_counted_where_the_policy_counts_them(open_policy, people):
    text = POLICY.replace("entity: row", "entity: who").replace("  - {distinct_l: {column: ill, l: 2}}\n", "")  # fmt: skip
    found = open_policy(text).figures(Choices({}, (2, 2, 1)))
    assert found.entity == "who"
    assert all(each.size == each.rows >= 3 for each in found.examples)


def test_nodes_of_a_large_source_are_counted_in_a_sample_until_all_rows_are_asked_for(
    open_policy, people, monkeypatch
):
    monkeypatch.setattr("kanon_sql.apps.explorer.exploration.SAMPLE", 100)
    explored = open_policy()
    start = explored.start()
    assert (start["large"], start["rows"]) == (True, len(people))
    first = Choices.read(start["state"], explored.names)
    found = explored.figures(first)
    assert 50 < found.rows <= 100
    assert found.feasible
    assert "sample" in found.document()["sample"]
    whole = replace(first, levels=(2, 2, 0), all_rows=True)
    found = explored.figures(whole)
    sizes = [sum(of.values()) for of in classes_at(people, (2, 2, 0)).values()]
    assert (found.rows, found.sample) == (len(people), "")
    assert {each.size: each.classes for each in found.sizes} == Counter(sizes)
    assert Choices.read(whole.document(explored.names), explored.names) == whole


def test_a_value_that_is_rare_in_a_sample_is_not_shown_of_a_release_for_counts(
    open_policy, people, monkeypatch
):
    """Each value of zip and age may be in k rows of the table, and in fewer of the sample."""
    text = POLICY.replace("algorithm: optimal, metric: loss", "algorithm: mondrian")
    text = text.replace("columns:", "output: apportioned\ncolumns:", 1).replace("{k: 3}", "{k: 9}")
    monkeypatch.setattr("kanon_sql.apps.explorer.exploration.SAMPLE", 60)
    explored = open_policy(text)
    found = explored.figures(Choices({}, (0, 0, 0)))
    assert found.feasible
    assert found.examples
    often = [Counter(row[at] for row in people) for at in range(3)]
    for each in found.examples:
        for at, label in enumerate(each.labels):
            assert label == UNSHOWN or often[at][label] >= 9
    assert UNSHOWN in {each.labels[1] for each in found.examples}
    assert explored.count_error(Choices({}, (0, 0, 0)))
