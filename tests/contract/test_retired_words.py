"""Words that need the project's past to be understood stand in no message, no template of a page and no page.

What is read are sentences: texts of the package with two blanks or more, which names, keys and SQL have not, and the help
of its commands; the words of a template between its tags; the prose of a page and what its commands print.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pages
import pytest
from trees import nodes_of

import kanon_sql
from kanon_sql.base.sql.templates import template_root

PACKAGE = Path(kanon_sql.__file__).parent
TEMPLATES = Path(str(template_root()))
RUNS = r"runs? of (ordered|neighbouring) rows"
REFUSED = r"refused in words"
AGAINST = r"(held|hold|holds) against"
TOLD = r"(is|are) (told|said)"
SPREAD = r"labels spread over what they cover"
RETIRED = {
    r"gcp": "information loss (NCP, mean over cells)",
    r"LM \((geometric )?(mean|sum|max)": "loss, with its aggregate",
    r"grouped by their order": "neighbouring rows are grouped",
    RUNS: "regions",
    r"cuts deep": "nothing: how often rows were cut helps no reader",
    r"boxes": "regions, or ranges of regions",
    r"sides of (regions|intervals|boxes)": "boundaries",
    r"heights": "highest levels; sums of levels",
    r"range of its region": "by region",
    r"recoded by (mondrian|top_down|bottom_up|k_optimize)": "searched by",
    r"intervals of an order, which are labels of no hierarchy": "intervals",
    r"no level a column": "regions, and no level for each column",
    REFUSED: "refused with a reason",
    r"hangs? on|hanging on": "dependents",
    r"notch(es)?": "step",
    AGAINST: "verify, recount",
    r"by lot": "at random",
    r"maxsup": "suppression limit",
    r"micro-?aggregates?": "class values",
    TOLD: "say who tells it, or name it",
    r"rows that (came|are not here)": "rows of the source; suppressed rows",
    r"held back": "withheld",
    r"seals?|fingerprints?": "content hash",
    r"sentinels?": "missing value",
    r"ledger rows": "held, waiting or withdrawn rows",
    SPREAD: "each label spread over the values that it covers",
}
"""Each pattern with what to say instead. It is looked for as whole words, in capitals or not."""
EXCEPTIONS = {
    ("docs/benchmarks.md", r"gcp"): "GCP as its paper names it",
    ("docs/benchmarks.md", SPREAD): "of a page that is to be reworded",
    ("docs/explanation/metrics.md", r"gcp"): "GCP as its paper names it",
    ("docs/guides/measure-quality.md", r"gcp"): "GCP as its paper names it",
    ("docs/guides/mondrian.md", r"gcp"): "GCP as its paper names it",
    ("docs/reference/python.md", r"gcp"): "GCP as its paper names it",
    ("kanon_sql/apps/cli/json_keys.py", r"gcp"): "a key of partitions",
    ("kanon_sql/policy/metrics/registry.py", r"gcp"): "GCP as its paper names it",
    ("docs/guides/report.md", r"boxes"): "the chart draws boxes",
    ("kanon_sql/base/charts/areas.py", r"boxes"): "the chart draws boxes",
    ("kanon_sql/evidence/reports/utility_sections.py", r"boxes"): "the chart draws boxes",
    ("kanon_sql/recoding/multidimensional/mondrian.py", r"boxes"): "a text that is hashed",
    ("docs/explanation/algorithms.md", r"boxes"): "of a page that is to be reworded",
    ("docs/guides/mondrian.md", r"boxes"): "of a page that is to be reworded",
    ("docs/explanation/algorithms.md", RUNS): "of a page that is to be reworded",
    ("docs/explanation/recodings.md", RUNS): "of a page that is to be reworded",
    ("docs/guides/mondrian.md", RUNS): "of a page that is to be reworded",
    ("docs/reference/python.md", r"heights"): "a key of plans",
    ("kanon_sql/policy/metrics/node.py", r"heights"): "a key of plans",
    ("docs/guides/explorer.md", r"no level a column"): "of a page that is to be reworded",
    ("templates/explorer/explorer.js", r"no level a column"): "of a page that is to be reworded",
    ("docs/contributing/add-a-destination.md", REFUSED): "of a page that is to be reworded",
    ("docs/contributing/add-a-hierarchy-kind.md", REFUSED): "of a page that is to be reworded",
    ("docs/contributing/add-an-output.md", REFUSED): "of a page that is to be reworded",
    ("docs/guides/explain-and-compare.md", r"by lot"): "of a page that is to be reworded",
    ("docs/guides/new-rows.md", r"by lot"): "of a page that is to be reworded",
    ("docs/explanation/terms.md", r"maxsup"): "the papers' name, beside the term",
    ("docs/decisions/0014-typed-documents.md", AGAINST): "a type checker compares",
    ("docs/decisions/0014-typed-documents.md", TOLD): "forms are distinguished",
    ("docs/explanation/algorithms.md", TOLD): "of a page that is to be reworded",
    ("docs/explanation/what-it-does-not-protect.md", TOLD): "of a page that is to be reworded",
    ("docs/guides/dbt.md", TOLD): "of a page that is to be reworded",
    ("docs/guides/persons.md", TOLD): "of a page that is to be reworded",
    ("docs/guides/write-a-policy.md", TOLD): "of a page that is to be reworded",
}
"""Where a pattern may stand, with the reason: no other file has it."""
SENTENCE = 2
"""The least number of blanks in a sentence."""


def texts_of(path):
    """Every text of a module but its docstrings, of fields and constants too, with `...` for what an f-string puts in."""
    inner, own = set(), []
    for node in nodes_of(path):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(each) for each in node.values}
            parts = [
                each.value if isinstance(each, ast.Constant) else "..." for each in node.values
            ]
            own.append("".join(parts))
        elif isinstance(node, ast.Expr):
            inner.add(id(node.value))
    plain = [each for each in nodes_of(path) if isinstance(each, ast.Constant)]
    own += [e.value for e in plain if isinstance(e.value, str) and id(e) not in inner]
    return [each for each in own if each.count(" ") >= SENTENCE]


def helps_of(path):
    """The help of a module's commands."""
    functions = [each for each in nodes_of(path) if isinstance(each, ast.FunctionDef)]
    of_commands = [each for each in functions if each.decorator_list]
    return [text for each in of_commands if (text := ast.get_docstring(each))]


def words_of_page(text):
    """The prose of a page without code, comments and addresses, and what its commands print."""
    printed = [each["text"] for each in pages.FENCE.finditer(text) if each["kind"] == "text"]
    prose = re.sub(r"<!--.*?-->", "", pages.FENCE.sub("", text), flags=re.DOTALL)
    prose = re.sub(r"`[^`]*`", "", prose)
    return "\n".join([re.sub(r"\]\([^)]*\)", "]", prose), *printed])


def words_of_template(path):
    """The words of a template of a page: without its code, its styles and its scripts but for their sentences."""
    text = path.read_text(encoding="utf-8")
    if path.name.endswith((".js", ".js.j2")):
        quoted = re.findall(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`", text)
        return "\n".join(t for each in quoted for t in each if t.count(" ") >= SENTENCE)
    text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL)
    text = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", "", text)


def texts():
    """Each file that has words for readers, with them."""
    for path in sorted(PACKAGE.rglob("*.py")):
        found = texts_of(path)
        if "cli" in path.parts:
            found += helps_of(path)
        yield f"kanon_sql/{path.relative_to(PACKAGE).as_posix()}", "\n".join(found)
    for folder in ("report", "explorer", "sqlmesh"):
        for path in sorted((TEMPLATES / folder).rglob("*")):
            if path.name.endswith((".html", ".html.j2", ".js", ".js.j2", ".md.j2", ".txt.j2")):
                name = f"templates/{path.relative_to(TEMPLATES).as_posix()}"
                yield name, words_of_template(path)
    for name in pages.names():
        yield name, words_of_page(pages.text_of(name))


@pytest.fixture(scope="module")
def words():
    found = dict(texts())
    assert {
        "kanon_sql/apps/cli/commands/release.py",
        "templates/report/report.html.j2",
        "README.md",
    } <= set(found)
    return found


def found_in(text, pattern):
    return re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE) is not None


@pytest.mark.parametrize("pattern", RETIRED)
def test_no_reader_meets_a_retired_word(words, pattern):
    met = [name for name, text in words.items() if found_in(text, pattern)]
    unexcused = [name for name in met if (name, pattern) not in EXCEPTIONS]
    assert unexcused == [], f"say instead: {RETIRED[pattern]}"


def test_every_exception_is_of_a_retired_word():
    assert {pattern for _, pattern in EXCEPTIONS} <= set(RETIRED)


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("the regions' boxes may overlap", "boxes", True),
        ("a checkbox, and box-sizing", "boxes", False),
        ("GCP 0.2", "gcp", True),
        ("LM (geometric mean) 0.2", r"LM \((geometric )?(mean|sum|max)", True),
        ("at ordered rows", RUNS, False),
        ("a value is told", TOLD, True),
    ],
)
def test_a_word_is_found_whole(text, pattern, found):
    assert found_in(text, pattern) is found


def test_words_of_code_are_not_read(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""Boxes are here."""\nKEY = "boxes"\nsaid = f"{KEY} has three boxes"\n')
    assert texts_of(module) == ["... has three boxes"]
    page = "`boxes`\n```yaml\nboxes: 3\n```\nSee [it](boxes.md).\n```text\n3 boxes\n```\n"
    assert found_in(words_of_page(page.replace("3 boxes", "3")), "boxes") is False
    assert found_in(words_of_page(page), "boxes") is True
