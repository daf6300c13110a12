"""What the documents say exists: commands, options, files, versions."""

from __future__ import annotations

import csv
import io
import re
import shlex
from importlib.resources import files
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

import kanon_sql
from kanon_sql.cli.commands import main
from kanon_sql.documents.lines import read_yaml
from kanon_sql.policy.read_policy import policy_from, policy_schema

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELLS = {"sh", "bash", "console", "shell"}
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def blocks(text, kinds):
    return [block for kind, block in FENCE.findall(text) if kind in kinds]


def commands(text):
    """Every call of kanon-sql in the shell blocks of a document, as its words."""
    for block in blocks(text, SHELLS):
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
    if words and not words[0].startswith("-"):
        name, *words = words
        if name not in main.commands:
            return [f"no command {name}"]
        command = main.commands[name]
    known = {"-h", "--help"}
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            known |= {*parameter.opts, *parameter.secondary_opts}
    options = [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    return [f"no option {option}" for option in options if option not in known]


def document(name):
    path = ROOT / name
    if not path.is_file():
        pytest.skip(f"no {name} beside the tests")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_commands_and_options_that_exist(name):
    found = {" ".join(words): faults(words) for words in commands(document(name))}
    assert {call: wrong for call, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("block", "wrong"),
    [
        ("kanon-sql demo", []),
        ("$ kanon-sql plan policy.yml --json | jq .cost", []),
        ("KEY=x .venv/bin/kanon-sql anonymize p.yml \\\n  --no-such", ["no option --no-such"]),
        ("cd x && kanon-sql undo", ["no command undo"]),
        ("python -m kanon_sql --version", []),
    ],
)
def test_the_reader_of_documents_sees_what_is_wrong(block, wrong):
    ((words),) = commands(f"```sh\n{block}\n```\n")
    assert faults(words) == wrong


def test_readme_policies_follow_the_schema():
    for block in blocks(document("README.md"), {"yaml"}):
        policy = yaml.safe_load(block)
        if isinstance(policy, dict) and "columns" in policy and "source" in policy:
            jsonschema.validate(policy, policy_schema())


@pytest.mark.parametrize("command", main.commands)
def test_every_command_explains_itself_and_its_options(command):
    assert main.commands[command].help
    for parameter in main.commands[command].params:
        if isinstance(parameter, click.Option):
            assert re.fullmatch(r"--?[a-z-]+", parameter.opts[0])


def test_changelog_has_the_current_version():
    versions = re.findall(
        r"^## \[?(\d+\.\d+\.\d+)\]? - \d{4}-\d\d-\d\d$", document("CHANGELOG.md"), re.MULTILINE
    )
    assert kanon_sql.__version__ == versions[0]


def test_contributing_names_files_that_exist():
    named = re.findall(
        r"`((?:kanon_sql|templates|tests|benchmarks|\.ci|\.github)/[^`<>*\s]*)`",
        document("CONTRIBUTING.md"),
    )
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_schema_is_a_json_schema():
    schema = policy_schema()
    jsonschema.validators.validator_for(schema).check_schema(schema)


def test_the_sample_follows_the_schema():
    text = (files("kanon_sql") / "sample" / "people.yml").read_text(encoding="utf-8")
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
    text = (files("kanon_sql") / "sample" / "people.yml").read_text(encoding="utf-8")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**yaml.safe_load(text), **change}, policy_schema())


def test_the_sample_policy_classifies_every_column_of_the_sample():
    folder = files("kanon_sql") / "sample"
    policy = yaml.safe_load((folder / "people.yml").read_text(encoding="utf-8"))
    (names, *_) = csv.reader(io.StringIO((folder / "people.csv").read_text(encoding="utf-8")))
    assert list(policy["columns"]) == names


def test_the_policies_of_the_readme_can_be_read():
    shown = [text for text in blocks(document("README.md"), {"yaml"}) if "models:" not in text]
    assert len(shown) >= 2
    sample = (files("kanon_sql") / "sample" / "people.yml").read_text(encoding="utf-8")
    for text in shown:
        if "columns:" not in text:  # a part, which is put in the place of the sample's own
            whole = {**yaml.safe_load(sample), **yaml.safe_load(text)}
            text = yaml.safe_dump(whole, sort_keys=False)  # noqa: PLW2901
        jsonschema.validate(yaml.safe_load(text), policy_schema())
        policy = policy_from(read_yaml(text, "README.md"), subject="README.md")
        assert policy.quasi
