"""Files that others wrote: a few bytes of YAML or JSON are refused with their line, and hang nothing."""

from __future__ import annotations

import time

import pytest

from kanon_sql.apps.dbt.project import read_manifest, read_project, read_target
from kanon_sql.base.documents.keys import ALIASED, load, quoted
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.errors import InputError
from kanon_sql.evidence.certificate.certificate import Certificate
from kanon_sql.policy.read_policy import read_policy


def lines(shape):
    """A document whose every line but the first stands for ten of the line before it."""
    ten = (", ".join([f"*a{line}"] * 10) for line in range(11))
    more = (f"a{line}: &a{line} {shape.format(each)}" for line, each in enumerate(ten, start=1))
    return "\n".join(["a0: &a0 {x: 1}", *more])


def of_policy(text, folder):
    (folder / "policy.yml").write_text(text)
    read_policy(folder / "policy.yml")


def of_profile(text, folder):
    (folder / "profiles.yml").write_text(text)
    read_target(str(folder), "clinic", target=None, profiles_dir=str(folder))


YAML = {
    "policy": of_policy,
    "plan": lambda text, _: Plan.from_yaml(text, "plan"),
    "dbt_project.yml": lambda text, _: read_project(text, "dbt_project.yml"),
    "profiles.yml": of_profile,
}
JSON = {
    "certificate.json": lambda text: Certificate.from_json(text, "certificate"),
    "manifest.json": lambda text: read_manifest(text, "manifest"),
}


@pytest.mark.parametrize("shape", ["[{}]", "{{<<: [{}]}}"], ids=["lists", "merges"])
@pytest.mark.parametrize("read", YAML.values(), ids=YAML)
def test_aliases_of_aliases_are_refused_at_their_line_and_at_once(tmp_path, read, shape):
    began = time.process_time()
    with pytest.raises(InputError) as error:
        read(lines(shape), tmp_path)
    assert error.value.faults[0].line == 6  # ten to the fifth, of three values or more
    assert time.process_time() - began < 2


@pytest.mark.parametrize("read", YAML.values(), ids=YAML)
@pytest.mark.parametrize("text", ["[" * 5000, "a: &a [*a]", "a: !!int ''", "a: *hunter2"])
def test_yaml_that_cannot_be_read_is_an_error_of_ours(tmp_path, read, text):
    with pytest.raises(InputError) as error:
        read(text, tmp_path)
    assert read is not of_profile or "hunter2" not in str(error.value)


@pytest.mark.parametrize("read", JSON.values(), ids=JSON)
@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000], ids=["lists", "mappings"])
def test_json_that_is_nested_too_deeply_is_an_error_of_ours(read, text):
    with pytest.raises(InputError):
        read(text)


def test_aliases_in_moderation_and_large_documents_are_read():
    assert load("a: &a [1, 2]\nb: [*a, *a]\nc: {<<: &d {e: 1}}\nd: *d", "x") == {
        "a": [1, 2], "b": [[1, 2], [1, 2]], "c": {"e": 1}, "d": {"e": 1},
    }  # fmt: skip
    shared = "a: &a [" + "1, " * 400 + "]\n"
    assert len(load(shared + "b: [" + "*a, " * (ALIASED // 500) + "]", "x")["b"]) == ALIASED // 500


@pytest.mark.parametrize(
    "text", ["\u202eevil", "a\x85b", "\x1b[31m", "\u2028", "é\u200b", "é", "a: b"]
)
def test_a_quoted_text_shows_what_is_read(text):
    assert quoted(text).isprintable()
    assert load(quoted(text), "text") == text
