"""Each template says what it reads, prints only leaves, and is used."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, meta, nodes
from measures import measures
from offenders import offenders
from trees import nodes_of

import kanon_sql
from kanon_sql.base.sql import words
from kanon_sql.base.sql.templates import LEAVES, VIEWS, _environment, template_root
from kanon_sql.policy.hierarchies.specs import KINDS as HIERARCHIES

ENV = _environment("duckdb")
ROOT = Path(str(template_root()))
TEMPLATES = sorted((ROOT / "sql").rglob("*"))
TEMPLATES = [path for path in TEMPLATES if path.is_file()]
PARTS = [path for path in TEMPLATES if path.parent.name == "part"]
REWRITES = (
    nodes.Call,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.Macro,
    nodes.ScopedEvalContextModifier,
)
DIALECTS = {"tsql", *words.WORDS}
FILTERS = {"comma", "commas", *LEAVES, *words.FILTERS}
KINDS = r"\[|\{|template|table|column|literal|name|number|switch|placeholder|query|condition|said"
OURS = {"loop", "last", "first", "index", "index0", "revindex0", "nextitem", "previtem"}
KEYWORDS = set(
    """
    and as asc between by case cast copy create cross desc describe distinct drop else end exists
    from group having if in inner is join left like limit not null on or order over partition
    replace reset select set table temp then to union unnest using values view when where with
    """.split()  # noqa: SIM905  a list of fifty strings says no more
)


def failing(check, paths=TEMPLATES):
    """The templates that a check is not true of, or raises on."""

    def check_one(name):
        assert check(ROOT / name)

    return offenders(check_one, [(path.relative_to(ROOT).as_posix(),) for path in paths])


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


@cache
def parsed(text):
    return ENV.parse(text)


def tree_of(path):
    return parsed(text_of(path))


def header(path):
    match = re.match(r"\{#(.*?)-?#\}\n", text_of(path), re.DOTALL)
    assert match, "a template begins with its header"
    return match[1]


def leaves_named(path):
    """The names of the header's entries, and the names of what the lists hold."""
    entries = re.sub(rf"(?s)^.*?(?=\b\w+: (?:{KINDS}))", "", header(path), count=1)
    inner = re.findall(r"\{(.*)\}", entries)
    plain = re.sub(r"\[[^\s]?.*?\](?=\s{2,}|\s*$|\n)", "[]", entries)
    outer = set(re.findall(rf"\b(\w+): (?:{KINDS})", plain))
    return outer, {name for each in inner for name in re.findall(r"\w+", each)}


FRAGMENTS = sorted({f"sql/privacy/measures/part/{each.fragment}.sql.j2" for each in measures()})
LOST = sorted({f"sql/privacy/measures/part/{each.lost}.sql.j2" for each in measures() if each.lost})
SUMS = {f"sql/privacy/sums/part/{each.numerator}.sql.j2" for each in measures()}
RULES = sorted(kind.part for kind in HIERARCHIES if kind.part)
MASKS = sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "sql/source/masks/part").iterdir()
)
STEPS = [each for each in MASKS if each.endswith("_step.sql.j2")]
TOLD = {"fragment": FRAGMENTS, "lost": LOST, "part": RULES, "step": STEPS}
TOLD["drawn"] = ["sql/release/drawn/part/noise.sql.j2", "sql/release/drawn/part/shuffled.sql.j2"]
TOLD["mask"] = [each for each in MASKS if each not in STEPS and "iban" not in each]
"""What `include requirement.fragment` may stand for: a fragment a measure, all of which read the same leaves.

And `include part` for what makes the labels of a kind of hierarchy.
"""


def included_by(tree):
    """What a template includes, and what it says that one of them is to include.

    Where it includes what it is told, that is read where it is told.
    """
    found = set(meta.find_referenced_templates(tree)) - {None}
    for each in tree.find_all(nodes.Include):
        if isinstance(each.template, nodes.Getattr):
            found |= set(TOLD.get(each.template.attr, ()))
        if isinstance(each.template, nodes.Name):
            found |= set(TOLD.get(each.template.name, ()))
    said = [each.node for each in tree.find_all(nodes.Assign) if isinstance(each.node, nodes.Const)]
    return found | {each.value for each in said if str(each.value).endswith(".sql.j2")}


@cache
def leaves_read(path):
    tree = tree_of(path)
    found = set(meta.find_undeclared_variables(tree))
    own = {each.name for each in tree.find_all(nodes.Name) if each.ctx == "store"}
    for included in included_by(tree):
        found |= leaves_read(ROOT / included) - own
    targets = [each.target for each in tree.find_all(nodes.Assign)]
    made = [name for each in targets for name in (each, *each.find_all(nodes.Name))]
    return found - {each.name for each in made if isinstance(each, nodes.Name)}


def test_headers_name_the_leaves_and_no_others():
    assert failing(lambda path: leaves_named(path)[0] == leaves_read(path)) == {}


def test_headers_name_what_the_lists_hold():
    def named(path):
        read = {node.attr for node in tree_of(path).find_all(nodes.Getattr)} - OURS
        return read <= leaves_named(path)[1]

    assert failing(named) == {}


def test_headers_say_what_the_statement_is_for():
    assert failing(lambda path: re.match(r"[A-Z].*[.]", header(path).strip(), re.DOTALL)) == {}


def rewrites(text):
    tree = parsed(text)
    found = [type(node).__name__ for node in tree.find_all(REWRITES)]
    printed = [each for out in tree.find_all(nodes.Output) for each in out.nodes]
    allowed = (nodes.TemplateData, nodes.Name, nodes.Getattr)
    for each in printed:
        if isinstance(each, nodes.Filter) and each.name in FILTERS:
            continue
        if not isinstance(each, allowed):
            found.append(type(each).__name__)
    return found


def test_nothing_but_leaves_is_printed_and_nothing_rewrites_them():
    assert failing(lambda path: rewrites(text_of(path)) == []) == {}


@pytest.mark.parametrize(
    "text",
    [
        "{% filter upper %}{{ x }}{% endfilter %}",
        "{% autoescape true %}{{ x }}{% endautoescape %}",
        "{% call m() %}{{ x }}{% endcall %}",
        "{% macro m() %}{{ x }}{% endmacro %}",
        "{{ x | upper }}",
        "{{ x ~ y }}",
        "{{ x.upper() }}",
        "{{ 1 }}",
    ],
)
def test_what_rewrites_a_leaf_is_recognised(text):
    assert rewrites(text)


def names_given(text):
    """What the template names itself, and the aliases that it names columns of."""
    for node in parsed(text).find_all(nodes.Filter):
        if node.name in {"name", "column"}:
            yield node.node
            yield from node.args[:1] if node.name == "column" else []
            yield from (each.value for each in node.kwargs if each.key == "of")


def is_constant(each):
    """An alias may have a number: then it is a name that was made by this filter itself."""
    return isinstance(each, nodes.Const) or (isinstance(each, nodes.Filter) and each.name == "name")


def names_are_constants(text):
    return all(is_constant(each) for each in names_given(text))


def test_a_template_s_own_names_are_constants_of_its_text():
    assert failing(lambda path: names_are_constants(text_of(path))) == {}


@pytest.mark.parametrize(
    "text",
    [
        "{{ x | name }}",
        "{{ 'low_' | column(x) }}",
        "{{ x | column('a') | text }}",
        "{{ 'a' | column(of=x) }}",
        "{{ 'a' | column(x | name) }}",
        "{{ 'a' | column(x | text) }}",
    ],
)
def test_a_name_that_is_no_constant_is_recognised(text):
    assert not names_are_constants(text)


def body(path):
    return text_of(path).split("#}", 1)[1]


def test_one_statement_a_file():
    assert failing(lambda path: ";" not in body(path)) == {}


def lower_keywords(path):
    raw = " ".join(node.data for node in tree_of(path).find_all(nodes.TemplateData))
    words = re.sub(r"'[^']*'", "", re.sub(r"(?m)^ *(--|\\).*$", "", raw))
    return [w for w in re.findall(r"(?<![\w.])[a-z]+\b(?!\s*\()", words) if w in KEYWORDS]


def test_keywords_are_upper_case():
    assert failing(lambda path: lower_keywords(path) == []) == {}


def test_derived_columns_are_named_by_as():
    unnamed = re.compile(r"\) (?!as\b)[a-z_]+,?\n")
    assert failing(lambda path: not unnamed.search(body(path))) == {}


def test_comparison_of_quasi_identifiers_is_never_natural():
    natural = re.compile(r"\bNATURAL\b|\bUSING\s*\(", re.IGNORECASE)
    assert failing(lambda path: not natural.search(text_of(path))) == {}


@cache
def constants():
    """Every text of the package and every statement that it makes, with its file."""
    folder, found = Path(kanon_sql.__file__).parent, []
    for file in folder.rglob("*.py"):
        for node in nodes_of(file):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", None) == "Statement"
                and node.args
            ):
                found.append((file, node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((file, node.value))
    return found


def names(path):
    return path.name.removesuffix(".sql.j2")


def slice_and_name(path):
    """What a statement calls a template: its folders and its name, whatever the dialect."""
    folders = path.relative_to(ROOT / "sql").parts[:-1]
    return "/".join([*(each for each in folders if each not in DIALECTS), names(path)])


def test_templates_are_used():
    said = {each for _, each in constants() if isinstance(each, str)}
    assert failing(lambda path: slice_and_name(path) in said, {*TEMPLATES} - {*PARTS}) == {}


def test_parts_are_included():
    of_dialect = re.compile(rf"^(sql/\w+)/(?:{'|'.join(DIALECTS)})/part/")
    told = {each for _, each in constants() if isinstance(each, str)}
    known = {*FRAGMENTS, *LOST, *SUMS, *told}.union(
        *(included_by(tree_of(path)) for path in TEMPLATES)
    )

    def included(path):
        return of_dialect.sub(r"\1/part/", path.relative_to(ROOT).as_posix()) in known

    assert failing(included, PARTS) == {}


def test_every_statement_has_a_template():
    there = {slice_and_name(path) for path in TEMPLATES if path not in PARTS}
    said = {
        call.args[0].value
        for _, call in constants()
        if isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
    }
    assert said
    assert said <= there


def test_tables_that_an_engine_treats_in_its_own_way_are_those_of_templates():
    """A template that gets another name must get it there, too: Spark would plan a join for hours."""
    postgres = pytest.importorskip("kanon_sql.engines.postgres.engine")
    spark = pytest.importorskip("kanon_sql.engines.spark.engine")
    named = postgres.ANALYZED | spark.COUNTED_ON | spark.OF_ROWS | VIEWS
    assert named - {names(path) for path in TEMPLATES} == set()


def test_templates_that_open_a_view_are_known_as_views():
    """PostgreSQL refuses to drop a view as a table, at the end of a run, and DuckDB does not notice."""
    opening = {
        names(path)
        for path in TEMPLATES
        if not {"duckdb", "spark"} & {*path.parts}
        and "scratch_view" in (text := text_of(path))
        and "as_view" not in text
    }
    assert len(opening) > 10
    assert opening - VIEWS == set()


def test_a_statement_s_template_lies_in_the_folder_of_its_slice():
    """The folder of templates is called as a folder of the module; `classes` are what two slices say."""
    elsewhere = {
        (file.parent.name, call.args[0].value)
        for file, call in constants()
        if isinstance(call, ast.Call)
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value.split("/")[0] not in file.parent.parts
    }
    assert elsewhere == {
        ("hierarchies", "recoding/classes"),
    }


@pytest.mark.parametrize(
    "name",
    [
        "sql/../../pyproject.toml",
        "../pyproject.toml",
        "/etc/passwd",
        "sql//check.sql.j2",
        "sql/lattice/../lattice/check.sql.j2",
    ],
)
def test_a_template_name_cannot_leave_the_folder(name):
    with pytest.raises(TemplateNotFound):
        ENV.get_template(name)


def test_templates_hold_no_python():
    projects = tuple(ROOT / each for each in ("dbt", "macros", "schema", "sqlmesh"))
    found = [path for path in ROOT.rglob("*") if path.is_file()]
    ours = [path for path in found if not any(each in path.parents for each in projects)]
    assert {path.suffix for path in ours} == {".j2", ".css", ".html", ".js", ".svg"}
    assert not [path for path in found if path.suffix == ".py"]
