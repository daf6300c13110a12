"""Distinct l-diversity in searches that cut columns, from the policy to the release, by brute force."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from heads import Table
from hypothesis import event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

QUASI = ("a", "b")
TREE = {"*": {"low": ["0", "1"], "high": ["2", "3"]}}


@st.composite
def people(draw):
    """Rows of two quasi-identifiers, two sensitive columns with unknown values, and a person."""
    row = st.tuples(
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from((None, "flu", "cold", "flu", "ulcer")),
        st.sampled_from((None, "x", "y")),
        st.integers(0, 9),
        st.integers(0, 1),
    )
    return draw(st.lists(row, min_size=4, max_size=24))


@st.composite
def asked(draw):
    """What a policy asks of the classes over both columns, or over the second alone."""
    found = []
    if draw(st.booleans()):
        found.append(({"k": draw(st.integers(2, 4))}, QUASI))
    columns = draw(st.sampled_from((["d"], ["w"], ["d", "w"])))
    found += [
        ({"distinct_l": {"column": column, "l": draw(st.integers(1, 3))}}, QUASI)
        for column in columns
    ]
    if draw(st.booleans()):
        found.append(({"distinct_l": {"column": "d", "l": draw(st.integers(2, 3))}}, ("b",)))
    return found


@dataclass(frozen=True)
class Asked:
    """The models of a policy, and what counts as a person and as a value there."""

    models: list
    by_person: bool
    null_is_a_value: bool

    def fits(self, model, rows):
        """Whether a class fits a model; a row is a mapping."""
        if (k := model.get("k")) is not None:
            return len({row["who"] for row in rows} if self.by_person else rows) >= k
        of = model["distinct_l"]
        values = {row[of["column"]] for row in rows}
        return len(values - (set() if self.null_is_a_value else {None})) >= of["l"]

    def short(self, rows):
        """The classes of a release that do not fit, with the model that they do not."""
        for model, over in self.models:
            classes = defaultdict(list)
            for row in rows:
                classes[tuple(row[name] for name in over)].append(row)
            yield from ((key, model) for key, of in classes.items() if not self.fits(model, of))

    def policy(self, columns, **more):
        privacy = [{**m, **({} if over == QUASI else {"over": [*over]})} for m, over in self.models]
        accepted = {"linkable": "accept"} if self.by_person else {}
        return {
            "version": 1,
            "source": "people",
            "entity": "who" if self.by_person else "row",
            "columns": {
                **columns,
                **{name: {"role": "sensitive"} for name in "dw"},
                "c": {"role": "insensitive"},
                "who": {"role": "insensitive", **accepted},
            },
            "privacy": privacy,
            "sensitive_nulls": "value" if self.null_is_a_value else "not_counted",
            **more,
        }


kinds = st.builds(Asked, asked(), st.booleans(), st.booleans())


def released(rows, policy):
    """The plan and the rows of the release, as mappings; None where the whole table does not fit."""
    names = ("a", "b", "d", "w", "who", "c")
    frame = pa.table(  # noqa: F841
        {
            name: pa.array(cells, pa.string() if name in "dw" else pa.int64())
            for name, cells in zip(names, zip(*rows, strict=True), strict=True)
        }
    )
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS FROM frame")
        try:
            plan = kanon_sql.plan(policy, connection=connection)
        except kanon_sql.InfeasibleError:
            return None
        kanon_sql.apply(plan, policy=policy, connection=connection, release="out")
        found = connection.execute(f"SELECT {', '.join(names)} FROM out").fetchall()
    return plan, [dict(zip(names, row, strict=True)) for row in found]


def whole_fits(rows, kind):
    named = [dict(zip(("a", "b", "d", "w", "who", "c"), row, strict=True)) for row in rows]
    return all(kind.fits(model, named) for model, _ in kind.models)


@examples(12)
@given(people(), kinds, st.sampled_from(("top_down", "bottom_up")))
def test_greedy_cuts_leave_no_class_short_and_suppress_no_row(rows, kind, algorithm):
    columns = {
        "a": {"role": "quasi", "hierarchy": {"tree": TREE}},
        "b": {"role": "quasi", "hierarchy": {"tree": {"*": ["0", "1", "2"]}}},
    }
    found = released(rows, kind.policy(columns, search={"algorithm": algorithm, "target": "c"}))
    assert (found is None) is not whole_fits(rows, kind)
    if found is None:
        event("infeasible")
        return
    plan, made = found
    event(f"classes: {min(plan.classes, 4)}")
    assert len(made) == len(rows)
    assert list(kind.short(made)) == []


@dataclass
class OfModels(Table):
    """Heads whose classes fit where all models say so."""

    asked: Asked | None = None

    def fits(self, members):
        return all(self.asked.fits(model, members) for model, _ in self.asked.models)


@examples(12)
@given(people(), kinds, st.sampled_from((0, 2, "100%")))
def test_k_optimize_finds_the_optimum_among_classes_that_fit(rows, kind, suppressed):
    kind = Asked(
        [each for each in kind.models if each[1] == QUASI], kind.by_person, kind.null_is_a_value
    )
    columns = {name: {"role": "quasi", "order": "number"} for name in QUASI}
    search = {"algorithm": "k_optimize"}
    found = released(rows, kind.policy(columns, search=search, suppression=suppressed))
    assert (found is None) is not whole_fits(rows, kind)
    if found is None:
        return
    plan, made = found
    ranks = [{v: n for n, v in enumerate(sorted({row[at] for row in rows}))} for at in (0, 1)]
    named = [
        {
            "places": tuple(ranks[at][row[at]] for at in (0, 1)),
            "d": row[2],
            "w": row[3],
            "who": row[4],
        }
        for row in rows
    ]
    ends = [(0, len(rank) - 1) for rank in ranks]
    most = len(rows) if suppressed == "100%" else suppressed
    heads = OfModels(named, ends, k=1, max_suppressed=most, asked=kind)
    event(f"suppressed: {plan.suppressed_rows > 0}")
    assert plan.cost == (heads.optimum(),)
    assert plan.optimal
    assert list(kind.short(made)) == []
    assert len(made) == len(rows) - plan.suppressed_rows
