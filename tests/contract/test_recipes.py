"""Recipes: each shows a policy for its case that names a standard and says why each column has its role."""

from __future__ import annotations

import pages
import pytest
import yaml

RECIPES = [name for name in pages.names() if name.startswith("docs/recipes/")]


def policies_of(name):
    return [yaml.safe_load(block.text) for block in pages.blocks_of(name) if block.kind == "yaml"]


def test_there_are_recipes():
    assert RECIPES or not (pages.ROOT / "docs").is_dir()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_a_policy_that_names_its_standard_and_its_reasons(name):
    policies = policies_of(name)
    assert policies
    for policy in policies:
        assert policy["about"]["standard"]
        assert policy["about"]["purpose"]
        assert [column for column, entry in policy["columns"].items() if "why" not in entry] == []


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_that_it_is_no_legal_advice(name):
    assert "legal advice" in " ".join(pages.text_of(name).split())
