"""What the documents say exists: commands, options, files, versions."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections import Counter
from importlib.resources import files
from pathlib import Path

import click
import jsonschema
import pages
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.schema.read_schema import SCHEMA, read_schema_policy
from kanon_sql.policy.read_policy import policy_schema

ROOT = Path(__file__).parents[2]
SHELLS = {"sh", "bash", "console", "shell"}
DOCUMENTS = [*pages.names(), "CHANGELOG.md"]


def commands(text):
    """Every call of kanon-sql in the shell blocks of a document, as its words."""
    for block in (each["text"] for each in pages.FENCE.finditer(text) if each["kind"] in SHELLS):
        lines = re.sub(r"\\\n\s*", " ", block).splitlines()
        prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in prompted or lines:  # beside prompts stands what a command printed
            for part in re.split(r"&&|\|\||[|;]", line):
                try:
                    words = shlex.split(part, comments=True)
                except ValueError:
                    continue
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words = words[1:]
                if words[1:3] == ["-m", "kanon_sql"]:
                    words = ["kanon-sql", *words[3:]]
                if words and Path(words[0]).name == "kanon-sql":
                    yield words[1:]


def faults(words):
    """What is wrong with one call: no such command, no such option."""
    command = main
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        if name not in command.commands:
            return [f"no command {name}"]
        command = command.commands[name]
    known = {"-h", "--help"}
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            known |= {*parameter.opts, *parameter.secondary_opts}
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    return [f"no option {option}" for option in options if option not in known]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_commands_and_options_that_exist(name):
    found = {" ".join(words): faults(words) for words in commands(pages.text_of(name))}
    assert {call: wrong for call, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("block", "wrong"),
    [
        ("kanon-sql demo", []),
        ("$ kanon-sql plan policy.yml --json | jq .cost", []),
        ("KEY=x .venv/bin/kanon-sql anonymize p.yml \\\n  --no-such", ["no option --no-such"]),
        ("cd x && kanon-sql undo", ["no command undo"]),
        ("kanon-sql dbt plan . --select x", []),
        ("kanon-sql dbt plan . --sql", ["no option --sql"]),
        ("kanon-sql dbt undo .", ["no command undo"]),
        ("python -m kanon_sql --version", []),
    ],
)
def test_the_reader_of_documents_sees_what_is_wrong(block, wrong):
    ((words),) = commands(f"```sh\n{block}\n```\n")
    assert faults(words) == wrong


NOT_RUN = {
    "a picture": 1,
    "an extract of a file that the example project has": 1,
    "installs the project": 4,
    "is for a file of the user's": 2,
    "fetches packages of npm": 1,
    "its plan is saved by a person on a page": 1,
    "needs a cluster; the test runs release.py on two executors and on a Connect server": 1,
    "needs Dagster; tests/e2e/test_orchestrators.py runs these assets": 1,
    "needs a run that was killed; tests/engines/test_resume.py has one": 1,
    "renames files of another project, which the tests have under these names": 1,
    "runs all tests": 2,
    "serves until it is interrupted": 1,
    "writes the pictures": 1,
    "the shape of a statement; tests/golden runs those of the templates": 1,
    "the tests do, in tests/snowflake, by fakesnow": 1,
    "writes the golden files": 1,
}
"""The blocks that no test runs, by their reasons; the reference is generated, and shows no program."""


def test_all_blocks_are_run_but_these():
    written = [name for name in pages.names() if not name.startswith("docs/reference/")]
    reasons = [block.not_run for name in written for block in pages.blocks_of(name)]
    assert Counter(filter(None, reasons)) == NOT_RUN


@pytest.mark.parametrize("name", pages.names())
def test_no_block_hides_from_the_tests(name):
    """As one in a list would, or one of another fence, or a mark that is no mark."""
    text = pages.text_of(name)
    text = re.sub(r"(?<!`)`(?!`)[^`]+`(?!`)", "", text)
    fences = len(re.findall(r"```|~~~", text))
    assert fences == 2 * len(pages.blocks_of(name))
    marked = len(pages.MARK.findall(text)) + len(re.findall(r"^<!-- not run: ", text, re.MULTILINE))
    used = len(pages.marks_of(name)) + sum(b.not_run is not None for b in pages.blocks_of(name))
    assert text.count("<!--") == marked == used


@pytest.mark.parametrize("name", pages.names())
def test_a_page_with_a_test_of_its_own_is_named_there(name):
    named = pages.marks_of(name).get("run by")
    if named is not None:
        folder = (ROOT / named).parent
        assert (ROOT / named).is_file()
        assert any(name in each.read_text(encoding="utf-8") for each in folder.glob("*.py"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name):
    """To a file, and to a heading in it. (Of a page that is on the site, `mkdocs build` checks that too.)"""
    broken = []
    for target in pages.links_of(pages.text_of(name)):
        path, _, heading = target.partition("#")
        found = (ROOT / name).parent / path if path else ROOT / name
        if not found.exists() or (heading and heading not in pages.headings_of(found)):
            broken.append(target)
    assert broken == []


def test_readme_fits_on_a_few_screens():
    text = pages.text_of("README.md")
    assert len(text.splitlines()) <= 150
    assert len(text.encode()) <= 9_216


def test_policies_of_the_pages_follow_the_schema():
    shown = [
        policy
        for name in pages.names()
        for block in pages.blocks_of(name)
        if block.kind == "yaml"
        and {"columns", "source"} <= (policy := yaml.safe_load(block.text)).keys()
    ]
    assert len(shown) >= 7
    schema = policy_schema()
    validator = jsonschema.validators.validator_for(schema)(schema)
    for policy in shown:
        validator.validate(policy)


def test_the_reference_lists_every_key_of_a_schema_of_tables():
    """Each key of `version: 2` below its heading: of the schema, of a table, and of what a table folds into."""
    found = set()
    for schema in (
        of_schema := SCHEMA.schema(),
        of_schema["properties"]["tables"]["additionalProperties"],
    ):
        found |= schema["properties"].keys()
    table = of_schema["properties"]["tables"]["additionalProperties"]["properties"]
    for kind in table["into"]["additionalProperties"]["anyOf"]:
        found |= kind["properties"].keys()
    part = pages.text_of("docs/reference/policy.md").partition("## Keys of `version: 2`")[2]
    listed = set(re.findall(r"`(\w+)(?:: \w+)?`", part))
    assert len(found) >= 20
    assert found - listed == set()
    assert {"where", "limit", "schema", "key_env"} <= listed


def test_the_guide_shows_folds_and_events_that_can_be_planned():
    (shown,) = (
        tables
        for block in pages.blocks_of("docs/guides/schema.md")
        if block.kind == "yaml" and "version" not in (tables := yaml.safe_load(block.text))
    )
    columns = ["patients.id", *(f"{name}.patient_id" for name in shown)]
    people = {
        "entity": "patient",
        "columns": {"sex": {"role": "quasi", "hierarchy": "suppress"}},
        "privacy": {"k": 5},
    }
    policy = {
        "version": 2,
        "keys": {"patient": {"key_env": "KEY", "columns": columns}},
        "tables": {"patients": people, **shown},
    }
    read = read_schema_policy(policy)
    folds = [str(fold) for each in read.tables.values() for fold in each.folds.values()]
    assert any("sum of" in each for each in folds)
    assert any("set of" in each for each in folds)
    assert [each.known for each in read.tables.values() if each.known] == [2]


@pytest.mark.parametrize("command", main.commands)
def test_every_command_explains_itself_and_its_options(command):
    assert main.commands[command].help
    for parameter in main.commands[command].params:
        if isinstance(parameter, click.Option):
            assert re.fullmatch(r"--?[a-z-]+", parameter.opts[0])


def test_changelog_has_the_current_version():
    versions = re.findall(
        r"^## \[?(\d+\.\d+\.\d+)\]? - \d{4}-\d\d-\d\d$", pages.text_of("CHANGELOG.md"), re.MULTILINE
    )
    assert kanon_sql.__version__ == versions[0]


def test_pages_name_files_that_exist():
    named = {
        (page, path)
        for page in pages.names()
        for path in re.findall(
            r"`((?:kanon_sql|templates|tests|benchmarks|\.ci|\.github)/[^`<>*\s]*)`",
            pages.text_of(page),
        )
    }
    assert named
    assert [(page, path) for page, path in named if not (ROOT / path).exists()] == []


def test_the_schema_is_a_json_schema():
    schema = policy_schema()
    jsonschema.validators.validator_for(schema).check_schema(schema)


def test_the_sample_follows_the_schema():
    text = (files("kanon_sql") / "apps" / "sample" / "people.yml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), policy_schema())


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"columns": []},
        {"privacy": {"k": 0}},
        {"surprise": 1},
        {"search": {"algorithm": "luck"}},
        {"columns": {"age": {"role": "quasy"}}},
    ],
)
def test_the_schema_refuses_what_a_policy_may_not_say(change):
    text = (files("kanon_sql") / "apps" / "sample" / "people.yml").read_text(encoding="utf-8")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**yaml.safe_load(text), **change}, policy_schema())


def test_the_sample_policy_classifies_every_column_of_the_sample():
    folder = files("kanon_sql") / "apps" / "sample"
    policy = yaml.safe_load((folder / "people.yml").read_text(encoding="utf-8"))
    (names, *_) = csv.reader(io.StringIO((folder / "people.csv").read_text(encoding="utf-8")))
    assert list(policy["columns"]) == names
