"""Writes the pages of `docs/reference` from the code: `python docs/reference.py`.

A test compares the pages that are committed with what this gives.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections import Counter
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_overloads

import click

import kanon_sql
from kanon_sql import errors
from kanon_sql.apps.cli.command_line import GROUPS, examples_of, main
from kanon_sql.apps.cli.console import ENGINE, FOLDED, OWN, by_group, group_of
from kanon_sql.apps.cli.options import EXIT_CODES
from kanon_sql.apps.schema.read_schema import SCHEMA
from kanon_sql.counting.run.arguments import with_roles
from kanon_sql.engines.capabilities import CAPABILITY_NAMES, ENGINES
from kanon_sql.policy.privacy.closeness import ComparedWith
from kanon_sql.policy.privacy.declared_models import MODELS, models_asked
from kanon_sql.policy.privacy.demands import uncounted
from kanon_sql.policy.privacy.populations import DeltaPresence, KMap
from kanon_sql.policy.privacy.privacy_model import Channel, SensitiveNulls
from kanon_sql.policy.read_policy import policy_schema
from kanon_sql.release.stage import EXECUTORS, RECODINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FOLDER = Path(__file__).parent / "reference"
CARRIED = {
    "no_of_rows": "values of classes",
    "no_sets": "`over:`",
    "no_beside": "`beside:`",
    "no_pseudonym": "hashed columns",
    "no_condition": "rows by a condition",
}
GENERATED = "<!-- not run: generated from the code -->"
Schema = dict[str, Any]


def pages() -> dict[str, str]:
    """Give every page of the reference, by its name."""
    made = {
        "policy.md": [*policy_page(policy_schema()), *schema_part(SCHEMA.schema())],
        "cli.md": cli_page(),
        "python.md": python_page(),
        "engines.md": [*engines_page(), "", *models_part(), "", *errors_part()],
        "proofs.md": proofs_page(),
    }
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in made.items()}


def proofs_page() -> list[str]:
    """Give the page of proofs from the tests that make them, which need z3."""
    sys.path[:0] = [str(FOLDER.parents[1]), str(FOLDER.parents[1] / "tests")]
    try:
        from tests.proofs.registry import page
    finally:
        del sys.path[:2]
    return list(page())


def code(text: object) -> str:
    """Give text as code, also where it holds a backtick."""
    return f"`` {text} ``" if "`" in str(text) else f"`{text}`"


def documented(thing: object) -> Iterator[str]:
    """Give a docstring as paragraphs; its examples are indented, as code."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    example = False
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith(">>> "):
            yield from [""] if before and not example else []
            example = True
        elif not line:
            example = False
        yield f"    {line}" if example else line.replace("``", "`")
    yield ""


SECTIONS = ("Args:", "Returns:", "Raises:")


# The policy, from its JSON Schema.

GUIDE = "../guides/write-a-policy.md"
KEYS = {
    "version": "The version of the policy's format.",
    "about": "Text for the people who read its report and its certificate. It changes no row and not the policy's hash."
    f" See [about]({GUIDE}#about).",
    "source": "Where the rows are: a path, a glob, a folder, a table's name, or a query."
    f" See [paths]({GUIDE}#paths), [text files]({GUIDE}#text-files) and"
    f" [where]({GUIDE}#some-of-the-rows-where).",
    "database": "What holds the table, or answers the query: a DuckDB file, or the address of a server."
    " By default files are read without any. See [engines](../guides/engines.md).",
    "attach": "More DuckDB files, which are only read, by their names in the source.",
    "columns": f"Every column of the source with its [role]({GUIDE}#roles), and each quasi-identifier"
    f" with its [hierarchy]({GUIDE}#hierarchies) or its order.",
    "entity": f"What k counts. See [entity]({GUIDE}#entity).",
    "output": "What the cells of all quasi-identifiers show that state no `output`: `apportioned`."
    " See [values whose counts are close](../guides/mondrian.md#values-whose-counts-are-close).",
    "sensitive_nulls": "Whether NULL counts as a value of a sensitive column; by default"
    f" `not_counted`. See [NULL]({GUIDE}#null).",
    "privacy": "What every class has to satisfy; `over` names the quasi-identifiers of its classes, by"
    " default all. See [privacy models](../explanation/privacy-models.md).",
    "suppression": "How many rows may be suppressed: a number, or a share such as `4%`, rounded down;"
    f" by default 0. See [suppression]({GUIDE}#suppression).",
    "nulls": f"What NULL is in a quasi-identifier; by default `category`. See [NULL]({GUIDE}#null).",
    "search": "The algorithm with its options, by default `optimal`, and the quality metric, by default"
    " `loss`. See [algorithms](../explanation/algorithms.md) and [metrics](../explanation/metrics.md).",
    "release": "Where the release is written: a file, a table, a view, a folder, or in place of the"
    " source. `--release` names another.",
    "series": "Releases over time, no difference of which is of fewer rows or people than a class has."
    " See [a series](../guides/series.md).",
}
"""What each key is for, beside the values that it may have; a key that is not here is an error."""


def policy_page(schema: Schema) -> Iterator[str]:
    """List each key of a policy, with the values that it may have."""
    yield "# Policy"
    yield ""
    yield "Every key of a policy, from its JSON Schema (`kanon-sql schema` prints it)."
    yield "[Write a policy](../guides/write-a-policy.md) says what the keys mean and shows an example. A line that begins with"
    yield "`with` is a mapping, and names the keys that it must have, which are texts if they are not listed; after `also` it may."
    yield ""
    required = schema.get("required", ())
    for name, value in schema["properties"].items():
        yield f"## {name}"
        yield ""
        yield KEYS[name]
        yield ""
        kind = resolved(value, schema)
        said = phrase(kind, schema)
        words = ["Required."] if name in required else []
        words += [] if said in PLAIN else [sentence(said)]
        yield from [" ".join(words), ""] if words else []
        below = said_once(list(nested(kind, schema, 0)))
        yield from [*below, ""] if below else []


OF_SCHEMA = {
    "version": "[a schema of tables](../guides/schema.md)",
    "about": "as above",
    "database": "what has the tables",
    "keys": "columns with the same pseudonyms, as `TABLE.COLUMN`; the others refer to the first",
    "tables": "every table that is released, as `TABLE` or `SCHEMA.TABLE`",
    "subset": "the rows that are released, as a condition or a share of people",
    "release": "where the tables are written",
}
OF_ITS_TABLES = {
    "entity": "the key of its people, one row each",
    "of": "the key of the people whose rows it has",
    "protect": "what [protects](../guides/schema.md#what-protects-a-table) these rows",
    "known": "known events of a person, for `protect: events`",
    "into": "columns of the people, for `protect: summary`",
    "copy": "a reference table, all of it",
}
"""What each key of a schema, and of each of its tables, is for; others are those of one table, and a new one is an error."""


def schema_part(schema: Schema) -> Iterator[str]:
    """List each key of the policy of a schema of tables."""
    yield "## Keys of `version: 2`"
    yield ""
    for name, value in schema["properties"].items():
        kind = resolved(value, schema)
        yield f"- {key_said(name, kind, schema, OF_SCHEMA[name])}"
        if name == "tables":
            yield from keys_of_tables(kind["additionalProperties"], schema)
        elif name != "about":
            yield from nested(kind, schema, 1)
    yield ""


def keys_of_tables(table: Schema, root: Schema) -> Iterator[str]:
    """List the keys of a table; those that it shares with the policy of one table by name alone."""
    shared = [name for name in table["properties"] if name not in OF_ITS_TABLES]
    if unknown := set(shared) - set(KEYS):
        raise KeyError(unknown)
    for name, said in OF_ITS_TABLES.items():
        kind = resolved(table["properties"][name], root)
        yield f"    - {key_said(name, kind, root, said)}"
        yield from nested(kind, root, 2)
    yield f"    - {', '.join(map(code, shared))}: as above"


PLAIN = {"text", "a mapping", "a mapping of names to values"}
"""Kinds of value that need no words beside what a key is for."""


def key_said(name: str, kind: Schema, root: Schema, said: str) -> str:
    """Give a key with what it is for, and its values if they are no text and no mapping of names."""
    plain = phrase(kind, root)
    shown = "" if plain in PLAIN else f"{plain}: "
    return f"{code(name)}: {shown}{said}"


def said_once(lines: list[str]) -> list[str]:
    """Put "as above" in place of what a key of the same name has had below it already."""
    shown: set[tuple[str, ...]] = set()
    kept: list[str] = []
    while lines:
        line, *lines = lines
        depth = indent_of(line)
        size = next((n for n, other in enumerate(lines) if indent_of(other) <= depth), len(lines))
        block = tuple(each[depth:] for each in [line, *lines[:size]])
        if size > 1 and block in shown:
            kept.append(f"{line.partition(':')[0]}: as above")
            lines = lines[size:]
        else:
            kept.append(line)
            shown.add(block)
    return kept


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def resolved(schema: Schema, root: Schema) -> Schema:
    """Follow a reference within the document."""
    while "$ref" in schema:
        found: Schema = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def choices_of(schema: Schema, root: Schema) -> list[Schema]:
    """Give the kinds of value of which one is given, flat."""
    several = schema.get("anyOf", schema.get("oneOf"))
    if several is None or "properties" in schema:  # of a mapping: which of its keys go together
        return [schema]
    each = [resolved(choice, root) for choice in several]
    return [inner for choice in each for inner in choices_of(choice, root)]


def mappings_in(schema: Schema, root: Schema) -> list[Schema]:
    """Give the mappings that a value may be, or hold in lists, each once."""
    found: list[Schema] = []
    for choice in choices_of(schema, root):
        if choice.get("type") == "array":
            found += mappings_in(resolved(choice.get("items", {}), root), root)
        elif choice.get("type") == "object":
            found.append(choice)
    return [each for n, each in enumerate(found) if each not in found[:n]]


def phrase(schema: Schema, root: Schema) -> str:
    """Describe a kind of value in a few words."""
    choices = choices_of(schema, root)
    mappings = [each for each in choices if each.get("type") == "object"]
    plain = [one_phrase(each, root) for each in choices if each not in mappings]
    if len(mappings) > 1:
        plain.append("a mapping of these")
    elif mappings:
        plain.append(mapping_phrase(*mappings))
    said = ", or ".join(listed_once(dict.fromkeys(plain)))
    return f"{said} ({schema['description']})" if "description" in schema else said


def listed_once(kinds: Iterable[str]) -> Iterator[str]:
    """Say "a list" of a list whose entries are of the kind before it."""
    before = None
    for kind in kinds:
        yield "a list" if kind == f"a list of: {before}" else kind
        before = kind


def either(choices: Iterable[str]) -> str:
    """Join what one has to choose from."""
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last


def one_phrase(schema: Schema, root: Schema) -> str:
    if "const" in schema:
        return code(bare(schema["const"]))
    if "enum" in schema:
        return either(dict.fromkeys(code(bare(value)) for value in schema["enum"]))
    kind = schema.get("type")
    if kind == "array":
        return f"a list of: {phrase(resolved(schema.get('items', {}), root), root)}"
    words = {"string": "text", "integer": "a whole number", "number": "a number"}
    words |= {"boolean": "`true` or `false`", "null": "`null`"}
    name = words.get(str(kind), "any value")
    return name + limits(schema)


def mapping_phrase(schema: Schema) -> str:
    """Describe a mapping by the keys that it must have, or may have."""
    keys = schema.get("properties", {})
    if not keys:
        return "a mapping of names to values"
    required = [
        code(f"{name}: {bare(keys[name]['const'])}")
        if "const" in keys.get(name, {})
        else code(name)
        for name in schema.get("required", ())
    ]
    return f"with {', '.join(required)}" if required else "a mapping"


def bare(value: object) -> str:
    """Give a value as YAML has it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def limits(schema: Schema) -> str:
    if schema.get("maxLength") == 1:
        return " of one character"
    if "pattern" in schema:
        return f" that matches {code(schema['pattern'])}"
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']}"
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None and most < 1_000_000:
        return f" from {least} to {most}"
    return f" from {least}" if least is not None else ""


def nested(schema: Schema, root: Schema, depth: int) -> Iterator[str]:
    """List the keys of the mappings that a value may be, each with its own."""
    found = mappings_in(schema, root)
    shared = shared_keys(found) if len(found) > 2 else {}
    if shared:
        yield f"{'    ' * depth}- in each of them"
        yield from keys_of({"properties": shared}, root, depth + 1)
    several = several_keys(found, without=shared)
    if several:
        yield f"{'    ' * depth}- in several of them"
        yield from keys_of({"properties": several}, root, depth + 1)
    for each in found:
        listed = each.get("properties", {})
        common = [key for key, of in listed.items() if several.get(key) == of]
        also = [code(key) for key in common if key not in each.get("required", ())]
        if len(found) > 1:
            line = ", also ".join(filter(None, [mapping_phrase(each), ", ".join(also)]))
            yield f"{'    ' * depth}- {line}"
        own = {key: of for key, of in listed.items() if key not in {*shared, *common}}
        yield from keys_of({**each, "properties": own}, root, depth + (len(found) > 1))


def shared_keys(mappings: list[Schema]) -> dict[str, Schema]:
    """Give the keys that all of them may have, with the same values."""
    first, *others = [each.get("properties", {}) for each in mappings]
    return {
        key: value
        for key, value in first.items()
        if all(other.get(key) == value for other in others)
    }


def several_keys(mappings: list[Schema], *, without: Iterable[str]) -> dict[str, Schema]:
    """Give the keys that three or more of them have with the same values, which are said once."""
    found: dict[str, Schema] = {}
    listed = [each.get("properties", {}) for each in mappings]
    for key, value in ((key, value) for each in listed for key, value in each.items()):
        those = [each for each in mappings if each.get("properties", {}).get(key) == value]
        required = all(key in each.get("required", ()) for each in those)
        told = required and ("const" in value or value.get("type") == "string")
        if len(those) > 2 and key not in {*without, *found} and not told:
            found[key] = value
    return found


def keys_of(mapping: Schema, root: Schema, depth: int) -> Iterator[str]:
    named = mapping.get("properties", {})
    others = mapping.get("additionalProperties")
    for name, value in [*named.items(), *([(None, others)] if isinstance(others, dict) else [])]:
        kind = resolved(value, root)
        said = phrase(kind, root)
        if kind.get("deprecated"):
            continue
        if name in mapping.get("required", ()) and ("const" in kind or said == "text"):
            continue  # the line above has the key with its only value, or as a text
        key = "any name" if name is None else code(name)
        yield f"{'    ' * depth}- {key}: {said}"
        yield from nested(kind, root, depth + 1)


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


# The command line, from click.


GROUPED = {
    OWN: "On some commands, which name them",
    ENGINE: "On every command that reads a database",
}


def cli_page() -> Iterator[str]:
    """List each command with its arguments and options; an option of several commands is explained once."""
    yield "# Command line"
    yield ""
    yield "Every line below begins with `kanon-sql`. [Commands](../guides/commands.md) has the exit codes, and"
    yield "`COMMAND --help` more examples."
    yield ""
    listed = dict(commands(main, []))
    shared = shared_options(listed.values())
    yield "## Shared options"
    yield ""
    for group, listed_here in by_group(shared.values()).items():
        yield f"{GROUPED.get(group, group)}:"
        yield ""
        yield from map(option_line, listed_here)
        yield ""
    for group, names in GROUPS.items():
        yield f"## {group}"
        yield ""
        for words, command in listed.items():
            if words[0] in names:
                yield from command_section(words, command, shared)


def command_section(
    words: tuple[str, ...], command: click.Command, shared: Mapping[str, click.Option]
) -> Iterator[str]:
    """Give the usage, the examples, the text and the options of a command."""
    name = " ".join(words)
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    context = click.Context(command)
    usage = " ".join([name, *(each.make_metavar(context) for each in arguments)])
    yield f"### {name}"
    yield ""
    yield from helped(command)
    calls = [each.removeprefix("kanon-sql ") for each in examples_of(name)]
    yield code(usage) if calls[-1] == usage else f"{code(usage)}, such as {code(calls[-1])}"
    yield ""
    options = [each for each in command.params if isinstance(each, click.Option)]
    both = [each for each in options if is_shared(each, shared)]
    for group, listed in by_group(each for each in options if each not in both).items():
        if group != OWN:
            yield f"{group}:"
            yield ""
        yield from map(option_line, listed)
        yield ""
    often = [code(each.opts[-1]) for each in both if group_of(each) not in FOLDED]
    if often:
        yield f"Shared: {', '.join(often)}"
        yield ""


def shared_options(listed: Iterable[click.Command]) -> dict[str, click.Option]:
    """Give the options that several commands have with one text, by their long names."""
    found = [
        each for command in listed for each in command.params if isinstance(each, click.Option)
    ]
    number = Counter((each.opts[-1], each.help) for each in found)
    often = {each.opts[-1]: each for each in found if number[each.opts[-1], each.help] >= 2}
    return dict(sorted(often.items()))


def is_shared(option: click.Option, shared: Mapping[str, click.Option]) -> bool:
    """Whether an option is explained with the shared ones."""
    return option.opts[-1] in shared and shared[option.opts[-1]].help == option.help


def option_line(option: click.Option) -> str:
    """Give an option with its text, as an entry of a list."""
    record = option.get_help_record(click.Context(click.Command("any")))
    if record is None:
        raise AssertionError(option.opts)
    return f"- {code(record[0])}: {record[1]}"


def commands(
    group: click.Group, words: list[str]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, [*words, name])
        else:
            yield (*words, name), command


def helped(command: click.Command) -> Iterator[str]:
    yield inspect.cleandoc(command.help or "")
    yield ""


# Python, from signatures and docstrings.


def python_page() -> Iterator[str]:
    """Describe the public functions, and the classes of what they take and give."""
    named = {name: getattr(kanon_sql, name) for name in kanon_sql.__all__}
    functions = {name: each for name, each in named.items() if inspect.isfunction(each)}
    classes = {
        name: each
        for name, each in named.items()
        if inspect.isclass(each) and not issubclass(each, Exception)
    }
    arguments = shared_entries(functions.values(), "Args:")
    raised = shared_entries(functions.values(), "Raises:")
    yield "<!-- run by: tests/contract/test_reference.py -->"
    yield "# Python"
    yield ""
    yield "The public names of `kanon_sql`; everything else in the package may change."
    yield "[From Python](../guides/python.md) has an example, and each function's `help` another,"
    yield "which is tested. [Errors](engines.md#errors) says when each is raised."
    yield ""
    yield "## Functions"
    yield ""
    yield "`anonymize` does all at once; `plan`, `apply` and `verify` are its steps. An argument with `=None` may be"
    yield "left out; one without a type is a number, a truth value or a text. `PolicyInput` is a"
    yield "policy (the path of its file, a mapping, or a `Policy`), `TableInput` a path, a glob, a table's name or a frame,"
    yield "`ReleaseInput` a destination (a path or name, a mapping as in a policy, or a `Destination`), `Overrides` a mapping"
    yield "of the command line's overrides to values, `Names` a column's name, or a list of them. Every function may raise"
    yield "`InputError`. Unless an entry differs:"
    yield ""
    types = {
        name: of.annotation
        for function in reversed(functions.values())
        for name, of in with_roles(inspect.signature(function)).parameters.items()
    }
    for name, said in sorted(arguments.items()):
        yield argument_entry(name, types[name], said)
    yield ""
    for name, function in functions.items():
        yield f"### {name}"
        yield ""
        yield from signature(name, function)
        sections = sections_of(function)
        yield sections[""].replace("``", "`")
        yield ""
        found = with_roles(inspect.signature(function)).parameters
        own = {
            each: said
            for each, said in entries_in(sections["Args:"]).items()
            if arguments.get(each) != said
        }
        for each, said in own.items():
            yield argument_entry(each, found[each].annotation, said)
        yield from [""] if own else []
        given = str(inspect.signature(function).return_annotation)
        if given != "str" and given.removeprefix("list[").rstrip("]") not in classes:
            yield f"Returns: {' '.join(sections['Returns:'].split())}"
        said_here = [
            code(each) + ("" if raised.get(each) == said else f" ({said.rstrip('.')})")
            for each, said in entries_in(sections["Raises:"]).items()
            if each != "InputError"
        ]
        yield from [f"Raises: {', '.join(said_here)}."] if said_here else []
        yield ""
    yield from classes_part(classes)


def classes_part(classes: Mapping[str, type]) -> Iterator[str]:
    """Describe the classes of what functions take and give."""
    yield "## Classes"
    yield ""
    yield "`summary()` of a result is the object that its command prints with `--json`, `document()` its plain values."
    yield "`help(kanon_sql.Plan)` has the types, and says what each attribute is."
    yield ""
    for name, kind in classes.items():
        yield f"### {name}"
        yield ""
        yield from documented(kind)
        yield from members(kind)


def sections_of(function: object) -> dict[str, str]:
    """Give the parts of a function's docstring by their headings; the text before them has none."""
    text = (inspect.getdoc(function) or "").partition("\n\n>>> ")[0]
    parts = re.split(rf"\n\n({'|'.join(SECTIONS)})\n", text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries_in(section: str) -> dict[str, str]:
    """Give the texts of a section of arguments or errors by their names."""
    entries = re.split(r"\n(?=    \S)", section)
    pairs = (" ".join(each.split()).partition(": ") for each in entries)
    return {name: said for name, _, said in pairs}


def shared_entries(functions: Iterable[object], section: str) -> dict[str, str]:
    """Give each argument or error that several functions describe by one text, with that text."""
    texts: dict[str, Counter[str]] = {}
    for function in functions:
        for name, said in entries_in(sections_of(function)[section]).items():
            texts.setdefault(name, Counter())[said] += 1
    most = {name: counted.most_common(1)[0] for name, counted in texts.items()}
    return {name: said for name, (said, times) in most.items() if times > 1}


def argument_entry(name: str, kind: str, said: str) -> str:
    return f"- {code(typed(name, short_type(kind)))}: {said}"


def short_type(kind: str) -> str:
    """Give a type without the None of an argument that may be left out."""
    return kind.removesuffix(" | None")


def signature(name: str, function: Any) -> Iterator[str]:  # noqa: ANN401  any callable
    """Give each form of a call, with the names of its arguments; a later form with those that it adds."""
    forms = get_overloads(inspect.unwrap(function)) or [function]
    yield "```python"
    shown: set[str] = set()
    for form in forms:
        found = with_roles(inspect.signature(form))
        pieces = [each for each in call_of(found) if not {each.partition("=")[0]} & shown]
        pieces += ["..."] if shown else []
        shown |= set(found.parameters) - {"source"}
        call = f"{name}({', '.join(pieces)}) -> {found.return_annotation}"
        yield from textwrap.wrap(call, 100, subsequent_indent="    ", break_on_hyphens=False)
    yield "```"
    yield ""


def call_of(found: inspect.Signature) -> Iterator[str]:
    """Give the arguments of one form of a call, with their defaults."""
    keyword = False
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not keyword:
            keyword = True
            yield "*"
        yield each.name + ("" if each.default is each.empty else f"={default_of(each.default)}")
        if each.kind is each.POSITIONAL_ONLY:
            yield "/"


def default_of(value: object) -> str:
    """Give a default as one writes it: of a member of an enumeration, its value."""
    return repr(getattr(value, "value", value))


def members(each: type) -> Iterator[str]:
    """List the attributes and methods of a class."""
    if issubclass(each, Enum):
        yield f"Members: {', '.join(code(f'{choice.name} = {choice.value!r}') for choice in each)}."
        yield ""
        return
    if is_dataclass(each):
        stored = [field for field in fields(each) if not field.name.startswith("_")]
        yield from listed("Fields", (field.name for field in stored))
    yield from listed("Computed", computed(each))


def computed(each: type) -> Iterator[str]:
    """Give the properties of a class, and its methods as they are called."""
    for name, member in vars(each).items():
        inner = getattr(member, "fget", None) or getattr(member, "__func__", member)
        inner = getattr(inner, "func", inner)
        if name.startswith("_") or not inspect.isfunction(inner) or name in RESULTS:
            continue
        found = inspect.signature(inner)
        if inspect.isfunction(member) or isinstance(member, classmethod):
            _, *others = found.parameters.values()  # the first is the object itself
            yield f"{name}({', '.join(of.name for of in others)})"
        else:
            yield name


def typed(name: str, kind: str) -> str:
    """Give an attribute with its type, if that is more than a number or a text; no line breaks in it."""
    return name if kind in {"int", "float", "str", "bool"} else f"{name}: {unbroken(kind)}"


def unbroken(kind: str) -> str:
    return kind.replace(" | ", "|").replace(", ", ",")


def listed(what: str, members: Iterable[str]) -> Iterator[str]:
    """Give the members of a class as lines of one paragraph."""
    if said := ", ".join(map(code, members)):
        yield from textwrap.wrap(f"{what}: {said}.", 118, break_on_hyphens=False)
        yield ""


RESULTS = ("summary", "document")
"""Methods of most results, which the page explains once."""


# Errors, from the classes of exceptions.


def errors_part() -> Iterator[str]:
    """List every exception below its base class, with the command line's status and exit code."""
    yield "## Errors"
    yield ""
    yield "Everything that kanon-sql raises on purpose is a `KanonError`. A message says what is wrong,"
    yield "where, and what to do. It holds counts and column names, and no value of the data."
    yield ""
    yield "With `--json` the command line prints the status, by default `error`; the exit code is by default 1. An error is of"
    yield "the kinds that it stands under."
    yield ""
    yield from error_and_below(errors.KanonError, 0)
    yield ""
    yield "`StatementError` has the database's own message, which may quote data, in `cause`, and the statement in `sql`."


def error_and_below(error: type[errors.KanonError], depth: int) -> Iterator[str]:
    exit_code = next(number for kind, number in EXIT_CODES if issubclass(error, kind))
    ended = "" if exit_code == 1 else f" Status {code(error.status)}, exit code {exit_code}."
    said = " ".join((inspect.getdoc(error) or "").partition("\n\n")[0].split())
    yield f"{'    ' * depth}- {code(error.__name__)}: {said}{ended}"
    for inner in vars(errors).values():
        if inspect.isclass(inner) and inner.__bases__[0] is error:
            yield from error_and_below(inner, depth + 1)


# Engines, from the table of capabilities.


def engines_page() -> Iterator[str]:
    """List what each database can do."""
    yield "# Engines, privacy models, errors"
    yield ""
    yield "What each database can do, where each model is counted, and what is raised."
    yield ""
    yield "## Engines"
    yield ""
    yield "[Engines](../guides/engines.md) says how each is named, and what is tested."
    yield ""
    yield f"| | {' | '.join(engine.name for engine in ENGINES)} |"
    yield f"|---|{'---|' * len(ENGINES)}"
    yield f"| library | {' | '.join(code(engine.library) for engine in ENGINES)} |"
    extras = (f"`{engine.extra}`" if engine.extra else "installed" for engine in ENGINES)
    yield f"| extra | {' | '.join(extras)} |"
    for name, words in CAPABILITY_NAMES.items():
        yield f"| {words} | {' | '.join(capability(getattr(e, name)) for e in ENGINES)} |"
    yield ""
    yield "## What each way to release can carry"
    yield ""
    yield "Every other plan is refused, when planning if the policy tells it already."
    yield ""
    yield "| | carries |"
    yield "|---|---|"
    for executor in EXECUTORS:
        carried = {said: kind in executor.recodings for kind, said in RECODINGS.items()}
        carried |= {said: not getattr(executor, reason) for reason, said in CARRIED.items()}
        yield f"| {executor.name} | {all_but(carried)} |"


def all_but(held: Mapping[str, bool]) -> str:
    """Name what holds, or what does not, whichever is shorter."""
    true, false = (
        [name for name, holds in held.items() if holds is kind] for kind in (True, False)
    )
    if not false:
        return "all"
    return ", ".join(true) if len(true) < len(false) else f"all but {', '.join(false)}"


# The privacy models, from what each states of the channels.

STATED: dict[str, object] = {
    "k": 5,
    "distinct_l": {"l": 3},
    "entropy_l": {"l": 3},
    "recursive_l": {"c": 3, "l": 3},
    "t_closeness": {"t": 0.2},
    "alpha": {"alpha": 0.5},
    "beta_likeness": {"beta": 1},
    "delta_disclosure": {"delta": 1.5},
    "k_map": {"k": 5, "population": "register.parquet"},
    "delta_presence": {"least": 0, "most": 0.5, "population": "register.parquet"},
    "average_risk": 0.05,
    "sample_uniqueness": 0.01,
    "population_uniqueness": {"share": 0.01, "sampling": 0.1},
}
"""A model of each kind; one that is not here is an error."""


OF_A_TABLE = (
    "k_map",
    "delta_presence",
    "average_risk",
    "sample_uniqueness",
    "population_uniqueness",
)
"""The models that most channels lack, which the page names once."""


def models_part() -> Iterator[str]:
    """List where each privacy model is counted; the message of a refusal says why."""
    yield "## Where privacy models are counted"
    yield ""
    yield "Each channel counts a [model](../explanation/privacy-models.md), or refuses the policy before anything is read and says"
    yield "why. `explain` and `diff` read all; views and releases in place are recounted as releases are. *Models of a table* are"
    yield f"{', '.join(map(code, OF_A_TABLE))}."
    yield ""
    yield "| | counts | by one reference only |"
    yield "|---|---|---|"
    for channel in Channel:
        counted: dict[str, bool] = {}
        partly: dict[str, list[str]] = {}
        for model in MODELS:
            refused = {
                said: uncounted_by(model.key, said, channel) for said in references(model.key)
            }
            unshown = channel is Channel.CERTIFICATE and model in {KMap, DeltaPresence}
            cell = "`--population`" if unshown else counted_cell(refused)
            counted[code(model.key)] = cell != "no"
            if cell not in {"yes", "no"}:
                partly.setdefault(cell, []).append(code(model.key))
        shown = "; ".join(f"{', '.join(keys)}: {cell}" for cell, keys in partly.items())
        said = all_but(counted).replace(", ".join(map(code, OF_A_TABLE)), "models of a table")
        yield f"| {str(channel).rstrip(',')} | {said} | {shown} |"


def references(key: str) -> list[str]:
    """Give the references that a model may name; none of them where it compares with no table."""
    (model,) = models_asked({key: stated(key)}, {}, (), SensitiveNulls.NOT_COUNTED)
    compared = any(each.measure.reference for each in model.requirements)
    return [each.value for each in ComparedWith] if compared else [""]


def stated(key: str, reference: str = "") -> object:
    """Give a model as a policy states it."""
    said = STATED[key]
    if not isinstance(said, dict) or {"population", "share"} & said.keys():
        return said
    return {"column": "disease", **said, **({"reference": reference} if reference else {})}


def uncounted_by(key: str, reference: str, channel: Channel) -> str | None:
    """Give the reason why a channel does not count a model; None where it does."""
    asked = {key: stated(key, reference)}
    models = models_asked(asked, {}, (), SensitiveNulls.NOT_COUNTED)
    return next(uncounted(models, channel), None)


def counted_cell(refused: Mapping[str, str | None]) -> str:
    """Say whether a model is counted, or by which references."""
    counted = [said for said, why in refused.items() if why is None]
    if len(counted) in {0, len(refused)}:
        return capability(bool(counted))
    return f"`reference:` {' or '.join(counted)}"


def capability(value: object) -> str:
    shown: Mapping[object, str] = {True: "yes", False: "no", None: "any"}
    return shown[value] if value is None or isinstance(value, bool) else str(value)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page, text in pages().items():
        (FOLDER / page).write_text(text, encoding="utf-8")
