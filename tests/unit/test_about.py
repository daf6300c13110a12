"""What a policy says for its readers: text, which changes no row, no plan and no hash."""

from __future__ import annotations

import jsonschema
import pytest
from policies import with_, with_column

from kanon_sql.errors import PolicyError
from kanon_sql.policy.read_policy import policy_schema, read_policy

ABOUT = {
    "title": "Visits of 2025",
    "purpose": "Research into readmissions.\nApproved as EC-17.",
    "contact": "privacy@example.org",
    "recipients": "The university's institute of epidemiology, under contract",
    "threshold": "11, as the hospital's rule for small numbers asks",
}
ROLES = (
    {"role": "quasi", "hierarchy": "suppress"},
    {"role": "sensitive"},
    {"role": "insensitive"},
    {"role": "identifying", "action": "drop"},
    {"role": "identifying", "action": "hash", "key_env": "KEY"},
)


def faults(policy):
    with pytest.raises(PolicyError) as caught:
        read_policy(policy)
    return [(fault.where, fault.line) for fault in caught.value.faults]


def test_a_policy_says_what_its_release_is_for_and_why_columns_have_their_roles():
    columns = {f"c{n}": {**role, "why": f"reason {n}"} for n, role in enumerate(ROLES)}
    policy = read_policy(with_(about=ABOUT, columns=columns))
    assert {name: getattr(policy.about, name) for name in ABOUT} == ABOUT
    assert policy.why == {f"c{n}": f"reason {n}" for n in range(len(ROLES))}


@pytest.mark.parametrize("key", ABOUT)
def test_every_part_of_it_may_be_left_out(key):
    said = {name: text for name, text in ABOUT.items() if name != key}
    policy = read_policy(with_(about=said))
    assert getattr(policy.about, key) is None
    jsonschema.validate(with_(about=said), policy_schema())


def test_text_for_readers_changes_no_hash_so_that_a_plan_is_kept_when_a_sentence_is_corrected():
    without = read_policy(with_()).digest
    assert read_policy(with_(about={})).digest == without
    assert read_policy(with_(about=ABOUT)).digest == without
    for role in ROLES:
        plain = with_(columns={"q": ROLES[0], "c": role})
        said = with_(columns={"q": ROLES[0], "c": {**role, "why": "because"}})
        assert read_policy(said).digest == read_policy(plain).digest


@pytest.mark.parametrize(
    "text", [None, 7, ["a"], "", " \n ", "a\x07b", "a\x1b[31m", "x" * 4001, {"a": "b"}]
)
def test_what_is_no_text_that_can_be_shown_is_a_fault(text):
    assert [where for where, _ in faults(with_(about={"purpose": text}))] == ["about.purpose"]
    column = with_column(role="quasi", hierarchy="suppress", why=text)
    ((where, _),) = faults(column)
    assert where.endswith(".why")


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\u202eafter", "x" * 4000, "\"'&"])
def test_any_other_text_is_kept_as_it_is(text):
    assert read_policy(with_(about={"title": f" {text}\n"})).about.title == text


def test_a_key_that_is_misspelt_is_told_with_its_line(tmp_path):
    path = tmp_path / "policy.yml"
    path.write_text("version: 1\nabout:\n  title: Visits\n  pupose: research\n", encoding="utf-8")
    assert ("about.pupose", 4) in faults(path)
