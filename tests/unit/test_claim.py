"""What a certificate claims of a plan, and what it states of what it cannot count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
import yaml

from kanon_sql.counting.plans.plan import Plan
from kanon_sql.errors import InputError
from kanon_sql.evidence.certificate.claims import (
    Claim,
    ClaimVerdict,
    Kind,
    claims_of,
    entity_recountable,
    released_names,
)
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctValues
from kanon_sql.policy.privacy.privacy_model import (
    Channel,
    Monotony,
    Requirement,
    SensitiveAttribute,
)
from kanon_sql.policy.read_policy import read_policy

PLAN = {
    "kanon_sql_plan": 1,
    "policy": {"file": "p.yml", "sha256": "0", "overrides": {}},
    "source": {"rows": 50, "fingerprint": "x:1"},
    "hierarchies": {"a": "in the policy"},
    "privacy": ["4-anonymity"],
    "search": {"algorithm": "optimal", "metric": "loss", "optimal": True, "cost": 0.0, "lattice_nodes": 1},
    "recoding": {"levels": {"a": 1}, "heights": {"a": 1}, "max_suppressed": 5, "suppressed_rows": 3},
    "figures": {"classes": 6, "smallest_class": 4},
    "over": [{"columns": ["b"], "classes": 2, "smallest_class": 20}],
    "sql": "SELECT 1",
}  # fmt: skip
MADE = Plan.from_yaml(yaml.safe_dump(PLAN), "plan")


def policy(**who):
    return read_policy(
        {
            "version": 1,
            "source": "t",
            "entity": "who" if who else "row",
            "columns": {
                "a": {"role": "quasi", "hierarchy": {"intervals": [10]}, "output": "bounds"},
                "b": {"role": "quasi", "hierarchy": "suppress"},
                "ill": {"role": "sensitive"},
                "who": {"role": "identifying", "action": "drop", **who},
            },
            "privacy": [
                {"k": 4},
                {"distinct_l": {"column": "ill", "l": 2}},
                {"k": 9, "over": ["b"]},
            ],
            "suppression": "10%",
        }
    )


def test_each_model_over_each_set_is_claimed_and_then_the_figures_of_the_plan():
    found = [(c.kind, c.over, c.bound, c.counts) for c in claims_of(policy(), MADE)]
    assert found == [
        (Kind.K, (), 4, None),
        (Kind.DISTINCT_L, (), 2, "ill"),
        (Kind.CLASSES, (), 6, None),
        (Kind.SMALLEST, (), 4, None),
        (Kind.K, ("b",), 9, None),
        (Kind.CLASSES, ("b",), 2, None),
        (Kind.SMALLEST, ("b",), 20, None),
        (Kind.ROWS, (), 47, None),
        (Kind.SUPPRESSED, (), 5, None),
        (Kind.COLUMNS, (), 0, None),
    ]


@pytest.mark.parametrize(
    ("who", "shown"),
    [
        ({"action": "drop"}, False),
        ({"action": "null"}, False),
        ({"action": "hash", "key_env": "KEY", "linkable": "accept"}, True),
        ({"role": "insensitive", "action": None}, True),
    ],
)
def test_people_are_recounted_only_if_the_release_shows_who_they_are(who, shown):
    said = {key: value for key, value in who.items() if value is not None}
    given = policy(**said) if "role" not in said else None
    if given is None:
        given = replace(policy(action="drop"))
        columns = tuple(
            replace(c, role=c.role.INSENSITIVE) if c.name == "who" else c for c in given.columns
        )
        given = replace(given, columns=columns)
    assert entity_recountable(given) is shown
    by_people = [c for c in claims_of(given, MADE) if c.kind in {Kind.K, Kind.SMALLEST}]
    assert {(c.counts, c.recounted) for c in by_people} == {("who", shown)}
    assert ("who" in released_names(given)) is (said.get("action") != "drop" or shown)


def test_bounds_are_two_columns_of_the_release():
    assert released_names(policy()) == ("a_low", "a_high", "b", "ill")


@pytest.mark.parametrize("found", [None, 0, 1, 3, 4, 5, 10**9])
def test_what_cannot_be_recounted_never_passes(found):
    for kind in (Kind.K, Kind.SMALLEST):
        claim = Claim(kind, 4, (), "who", recounted=False, found=found)
        assert claim.verdict is not ClaimVerdict.PASS
        assert (claim.verdict is ClaimVerdict.FAIL) is (found is None or found < 4)
        assert "who is not released" in claim.text


@dataclass(frozen=True, slots=True)
class Closeness(DistinctValues):
    """A measure that no certificate knows."""

    channels: ClassVar[frozenset[Channel]] = frozenset()
    why_not: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class TCloseness(KAnonymity):
    monotony: Monotony = Monotony.NEVER

    @property
    def requirements(self):
        return (Requirement(Closeness(SensitiveAttribute("ill")), 1),)


def test_a_privacy_model_that_no_certificate_can_state_is_refused():
    given = policy()
    with pytest.raises(InputError, match="a certificate"):
        claims_of(replace(given, privacy=(*given.privacy, TCloseness(2))), MADE)
