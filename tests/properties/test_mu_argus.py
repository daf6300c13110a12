"""mu-Argus on the database, from plan to release, against itself on the rows."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import SEARCHES
from tiers import examples
from twins import ByMuArgus, combinations

import kanon_sql

searches = st.sampled_from(SEARCHES)
NAMES = ("q0", "q1", "q2", "q3")


def options(problem, ranks, start):
    sets = {
        key: [NAMES[c] for c, rank in enumerate(ranks or ()) if rank == number]
        for number, key in enumerate(("identifying", "more", "most"))
    }
    named = {key: names for key, names in sets.items() if names}
    told = {"sets": named} if "more" in named or "most" in named else {}
    return {
        "algorithm": "mu_argus",
        **told,
        "generalize": dict(zip(NAMES, start, strict=False)),
    }


@st.composite
def asked(draw):
    problem = draw(combinations())
    width = len(problem.tops)
    ranks = draw(st.none() | st.lists(st.integers(0, 2), min_size=width, max_size=width))
    if ranks is not None and not any(ranks):
        ranks = None
    start = draw(st.tuples(*(st.integers(0, min(1, top)) for top in problem.tops)))
    return problem, ranks, start


def as_text(row):
    return tuple(None if cell is None else str(cell) for cell in row)


@examples(50)
@given(given_=asked(), search=searches)
def test_what_is_released_is_what_the_rows_give(writer, given_, search):
    problem, ranks, start = given_
    own = {**search, **options(problem, ranks, start)}
    frame = writer.frame(problem)
    policy = writer.policy(problem, {**own, "repair": "records"})
    twin = ByMuArgus(problem, start, ranks)
    able = twin.node is not None and twin.classes and len(twin.short) <= problem.max_suppressed
    if not able:
        event("nothing can be released")
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(policy, frame)
        return
    event(
        f"released with blanks: {any(twin.blanked[i] for i in twin.blanked if i not in twin.short)}"
    )
    plan = kanon_sql.plan(policy, frame)
    assert tuple(plan.levels.values()) == twin.node
    assert plan.recoding.suppressed_cells.tested == len(twin.family)
    outliers = {each.columns: each.rows for each in plan.recoding.suppressed_cells.outliers}
    assert outliers == {c: len(rows) for c, rows in twin.outliers.items() if rows}
    blanked = [Counter(c for i in rows for c in twin.blanked[i])
               for rows in (twin.blanked, set(twin.blanked) - twin.short)]  # fmt: skip
    width = range(len(problem.tops))
    assert plan.recoding.suppressed_cells.rows == tuple(blanked[0][c] for c in width)
    assert plan.recoding.suppressed_cells.released == tuple(blanked[1][c] for c in width)
    assert plan.suppressed_rows == len(twin.short)
    assert plan.classes == len(twin.classes)
    assert plan.smallest_class == min(map(problem.size, twin.classes.values()))
    assert plan.cost == pytest.approx(twin.cost(search), rel=1e-9, abs=1e-7)
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan.yml")
    assert again.to_yaml() == plan.to_yaml()
    with kanon_sql.apply(again, frame, policy=policy) as release:
        rows = release.relation.fetchall()
        assert release.verification.passed
        assert release.verification.classes == plan.classes
    expected = {i: as_text(twin.shown[i]) for i in range(len(problem.rows)) if i not in twin.short}
    assert {row[0]: as_text(row[1 : len(problem.tops) + 1]) for row in rows} == expected


@examples(25)
@given(given_=asked())
def test_without_repair_only_what_needs_none_is_released(writer, given_):
    problem, ranks, start = given_
    policy = writer.policy(problem, options(problem, ranks, start))
    twin = ByMuArgus(problem, start, ranks)
    if twin.node is not None and not twin.short:
        assert kanon_sql.plan(policy, writer.frame(problem)).suppressed_rows == 0
        return
    with pytest.raises(kanon_sql.InfeasibleError) as caught:
        kanon_sql.plan(policy, writer.frame(problem))
    if twin.node is not None and twin.classes:
        allows = "allows" if len(twin.short) <= problem.max_suppressed else "does not allow"
        assert f"leaves {len(twin.short)} rows in " in str(caught.value)
        assert f"{{repair: records}} they are suppressed: {len(twin.short)} of" in str(caught.value)
        assert str(caught.value).endswith(f"suppression of {problem.max_suppressed} rows {allows}")
