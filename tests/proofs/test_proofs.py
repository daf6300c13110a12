"""Each statement that decides is its definition: proven by z3 within bounds, or run by DuckDB on all small tables.

So that a proof means something, its translation is compared with DuckDB on tables of random rows, and faults are planted.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import class_models
import pytest

from kanon_sql.policy.privacy.privacy_model import Monotony
from tests.proofs import registry
from tests.proofs.choices import World
from tests.proofs.exhaustive import EXECUTIONS
from tests.proofs.monotony import CLAIMS, IN_TWELVE_ROWS
from tests.proofs.mutants import MUTANTS
from tests.proofs.proof import defined_rows, executed_rows, random_tables, refute, translated_rows
from tests.proofs.recounts import MODELS

PROOFS = registry.all_proofs()
COMPARED = registry.compared()
LATER = [name for name in PROOFS if name not in registry.QUICK]


def prove(name):
    found = refute(PROOFS[name])
    assert found is None, f"for these rows the statement is not its definition: {found}"


@pytest.mark.parametrize("name", registry.QUICK)
def test_a_statement_is_its_definition(name):
    prove(name)


@pytest.mark.rare
@pytest.mark.parametrize("name", LATER)
def test_every_statement_is_its_definition(name):
    prove(name)


def agree(name, times):
    proof, compared = (PROOFS | COMPARED)[name], 0
    for filled in random_tables(proof, times):
        wanted, columns = defined_rows(proof, filled)
        if columns:
            compared += 1
            assert translated_rows(proof, filled, columns) == wanted, filled
            assert executed_rows(proof, filled, columns) == wanted, filled
    assert compared


@pytest.mark.parametrize("name", registry.QUICK)
def test_the_translation_gives_what_duckdb_gives(name):
    agree(name, 4)


@pytest.mark.rare
@pytest.mark.parametrize("name", [*LATER, *COMPARED])
def test_every_translation_gives_what_duckdb_gives(name):
    agree(name, 10)


def is_refuted(mutant):
    proof = PROOFS[mutant.proof]
    statements = mutant.statements(proof)
    filled = refute(proof, statements)
    assert filled is not None, "z3 finds no table that tells the fault"
    wanted, columns = defined_rows(proof, filled)
    columns = columns or ["row_count"]
    assert executed_rows(proof, filled, columns) == wanted, filled
    assert executed_rows(proof, filled, columns, statements) != wanted, filled


def test_a_planted_fault_is_refuted_by_a_table_that_tells_it():
    is_refuted(next(each for each in MUTANTS if each.proof in registry.QUICK))


@pytest.mark.rare
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_every_planted_fault_is_refuted(mutant):
    is_refuted(mutant)


@pytest.mark.rare
@pytest.mark.parametrize("execution", EXECUTIONS, ids=str)
def test_all_small_tables_give_what_is_defined(execution):
    assert next(execution.unlike(), None) is None


@pytest.mark.rare
@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_a_model_is_as_monotone_as_it_declares(claim):
    claim.check()


def test_twelve_rows_show_that_delta_disclosure_declares_nothing_where_absent_values_are_ignored():
    """The first two classes and the third fit; the first two as one have half the table's share of y, and do not."""
    (model,) = MODELS[IN_TWELVE_ROWS][0]
    assert model.monotony is Monotony.NEVER
    rule = class_models.delta(Fraction(1), absent="ignored")
    first, second, third = ({"x": 4}, {"x": 1, "y": 1}, {"x": 3, "y": 3})
    table = class_models.Counted({"x": 8, "y": 4})
    assert all(rule.fits(class_models.Counted(each), table) for each in (first, second, third))
    assert not rule.fits(class_models.Counted({"x": 5, "y": 1}), table)


def test_every_template_that_decides_is_accounted_for():
    """With a proof, an exhaustive run, or a reason why neither; and nothing is said of a template that is gone."""
    deciding = {registry.without_dialect(each) for each in registry.deciding_templates()}
    proven, executed = set(registry.proven_templates()), {each.template for each in EXECUTIONS}
    neither = {registry.without_dialect(each) for each in registry.NEITHER}
    assert deciding <= proven | executed | neither
    assert not neither & (proven | executed)
    assert neither <= deciding
    assert executed == registry.EXECUTED.keys()


def test_a_free_cell_can_have_each_of_its_values():
    """Else a proof would be of fewer tables than it says."""
    world = World()
    values = ("a", "b", "c", "d", None)
    cells = [world.free(name, values, []) for name in ("x", "y")]
    for a, b in product(values, repeat=2):
        both = world.gates.both(cells[0].cases[a], cells[1].cases[b])
        assert world.gates.solve(both, seconds=60) is not None, (a, b)


def test_at_least_forty_faults_are_planted():
    assert len({str(each) for each in MUTANTS}) == len(MUTANTS) >= 40
