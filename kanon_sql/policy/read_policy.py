"""Read a policy from YAML or from Python, with the entries that a call replaces; every fault is listed with its line.

Editors get the JSON Schema of policies, with a description and examples of every key, as SchemaStore takes it.
"""

from __future__ import annotations

import copy
import json
import re
import shlex
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import yaml

from kanon_sql.base.documents.keys import Item, Keyed, Only, entries_of, read_mapping, read_yaml
from kanon_sql.base.documents.records import Needed, Record
from kanon_sql.base.documents.shapes import (
    ByKind,
    Fixed,
    Known,
    OneOf,
    Parsed,
    Published,
    Refused,
    Shape,
    Text,
    Whole,
    check,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import template_root
from kanon_sql.engines.locations import (
    ATTACHED,
    DATABASE,
    PLACE,
    RELEASE,
    SOURCE,
    Destination,
    Source,
    source_from_text,
)
from kanon_sql.errors import Fault, PolicyError
from kanon_sql.policy.metrics.column_metrics import Aggregate
from kanon_sql.policy.metrics.registry import takes
from kanon_sql.policy.metrics.statistics import EVEN
from kanon_sql.policy.model import (
    OF_ALL,
    SUPPRESSION,
    Column,
    Columns,
    Linkable,
    Nulls,
    Policy,
    Role,
    Suppression,
    known_columns,
)
from kanon_sql.policy.output import Output  # noqa: TC001  a Record reads it
from kanon_sql.policy.outputs import OUTPUT_OF_ALL
from kanon_sql.policy.policy_rules import SAY_SIGNATURE, conflicts, is_released, policy_problems
from kanon_sql.policy.privacy.declared_models import PRIVACY
from kanon_sql.policy.privacy.k_anonymity import with_other_k
from kanon_sql.policy.privacy.privacy_model import PrivacyModel, SensitiveNulls
from kanon_sql.policy.safe_harbor import breaches
from kanon_sql.policy.search import EARLIER, METRIC, SEARCH, TIME, Recode, Search, by_present_names
from kanon_sql.policy.search_options import Algorithm  # noqa: TC001  the type of a field is its shape
from kanon_sql.policy.series_rule import SERIES, Series
from kanon_sql.policy.standards import ABOUT, NOTHING_SAID, About

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Overrides:
    """Entries that replace those of a policy; None keeps the policy's."""

    source: Annotated[Source | None, Parsed(PLACE, source_from_text)] = None
    k: Annotated[int | None, Whole(1)] = None
    suppression: Annotated[Suppression | None, SUPPRESSION] = None
    algorithm: Algorithm | None = None
    metric: Annotated[str | None, METRIC] = None
    recoding: Recode | None = None
    max_nodes: Annotated[int | None, Whole(2)] = None
    time_limit: Annotated[float | None, TIME] = None
    frequency_set: Annotated[str | None, PLACE] = None


OVERRIDES = Record(Overrides)
ENTRIES = {
    "source": "source",
    "frequency_set": "source",
    "k": "privacy",
    "suppression": "suppression",
    **dict.fromkeys(("algorithm", "metric", "recoding", "max_nodes", "time_limit"), "search"),
}
"""The entry of a policy that each override replaces, in full or in part."""


def overridden(policy: Policy, overrides: Mapping[str, str | int]) -> Policy:
    """Replace entries of the policy by overrides; raises PolicyError with all faults.

    A relative path starts from the policy's folder, as in the policy. The policy's `where`, `weight` and `missing`
    apply to another source too, `skip` and `header` to another file. A frequency set is read instead of the policy's
    source, which stays named.
    """
    document = read_mapping(by_present_names(overrides))
    faults = document.faults
    try:
        replaced = OVERRIDES.read(document)
    except Refused:
        replaced = Overrides()
    source = replaced.source or policy.source
    of_file = source.path is not None
    policy = replace(
        policy,
        source=replace(
            source,
            where=policy.source.where,
            weight=policy.source.weight,
            missing=policy.source.missing,
            skip=policy.source.skip if of_file else 0,
            header=policy.source.header if of_file else None,
            encoding=policy.source.encoding if of_file else None,
            quote=policy.source.quote if of_file else None,
            comment=policy.source.comment if of_file else None,
            sheet=policy.source.sheet if of_file else None,
            range=policy.source.range if of_file else None,
            values=policy.source.values if of_file else None,
            frequency_set=replaced.frequency_set,
        ),
        suppression=replaced.suppression or policy.suppression,
        search=_searched(policy.search, replaced, faults),
        lines=_lines_left(policy, overrides),
    )
    if replaced.k is not None:
        policy = replace(policy, privacy=with_other_k(policy.privacy, replaced.k))
    if not faults:
        for option, what in conflicts(policy):
            fault = policy.fault(f"search.{option}", what)
            faults.append(Fault(option, what) if option in overrides else fault)
        by_standard = breaches(policy, definite=True)
        faults += [policy.fault(".".join(each.path), each.what) for each in by_standard]
    if faults:
        raise PolicyError("overrides" if overrides else policy.subject, faults)
    return policy


def _lines_left(policy: Policy, overrides: Mapping[str, str | int]) -> dict[str, int]:
    """Return the lines of the entries that no override replaces: a replaced entry has no line in the policy."""
    gone = {ENTRIES[each] for each in overrides if each in ENTRIES}
    return {
        of: at
        for of, at in policy.lines.items()
        if of.partition(".")[0].partition("[")[0] not in gone
    }


def _searched(search: Search, replaced: Overrides, faults: list[Fault]) -> Search:
    """Replace options of the search, and append what cannot be replaced to `faults`."""
    if replaced.algorithm is not None:
        before = search.options
        search = search.switched(replaced.algorithm)
        if search.options is not before and before.generalize:
            columns = ", ".join(column for column, _ in before.generalize)
            what = f"{replaced.algorithm} has no option generalize, which the policy sets for {columns}"
            faults.append(Fault("algorithm", f"{what}; remove it from the policy"))
    if replaced.metric not in {None, search.metric}:
        default = Aggregate.GEOMETRIC_MEAN
        metric = str(replaced.metric)
        keeps = takes(metric, "factor") and metric != "entropy"
        search = replace(
            search,
            metric=metric,
            aggregate=default,
            count_suppressed=False,
            ignore_suppressed=False,
            generalization_factor=search.generalization_factor if keeps else EVEN,
        )
    if replaced.recoding is not None:
        search = replace(search, recoding=replaced.recoding)
    if search.recoding is Recode.FULL_DOMAIN:
        search = search.at_one_node
        if replaced.max_nodes is not None:
            faults.append(Fault("max_nodes", "goes with recoding: local or cells"))
    elif replaced.max_nodes is not None:
        search = replace(search, max_nodes=replaced.max_nodes)
    return (
        search if replaced.time_limit is None else replace(search, time_limit=replaced.time_limit)
    )


VERSION, OF_SCHEMA = 1, 2
IS_SCHEMA = re.compile(r"^version:[ \t]*2[ \t]*(#.*)?$", re.MULTILINE)
SAY_SCHEMA = (
    "2 is the policy of a schema of tables, which init, lint, plan, apply, anonymize, certify, verify, diff and report take (from Python: plan_schema, apply_schema); of its tables, report shows what protects each and what a column lost; this takes the policy "
    "of one table, with version: 1"
)

DATA = {".csv", ".tsv", ".parquet", ".duckdb", ".db", ".deid"}
"""Endings of files that hold tables. If such a file is given as a policy, the error advises `init`."""


LARGEST = 2_000_000
"""Characters of a policy's file: YAML of that size takes ten seconds to parse."""


def read_policy(given: str | Path | Mapping[str, object], *, has_source: bool = True) -> Policy:
    """Read a policy from a file or a mapping, and check it.

    Args:
        given: The path of a file, or a mapping.
        has_source: Whether the policy must name a source.

    Returns:
        The policy.

    Raises:
        PolicyError: The policy is wrong; all faults are listed, each with its line where there is a file.

    >>> import kanon_sql
    >>> columns = {"age": {"role": "quasi", "hierarchy": "suppress"}}
    >>> given = {"version": 1, "source": "people.csv", "entity": "row", "columns": columns, "privacy": {"k": 5}}
    >>> [column.name for column in kanon_sql.read_policy(given).quasi]
    ['age']
    """
    document, file, base = policy_document(given)
    policy = policy_from(document, subject=file or "policy", has_source=has_source)
    return replace(policy, base=base, file=file, lines=document.lines())


def policy_document(given: str | Path | Mapping[str, object]) -> tuple[Item, str | None, str]:
    """Parse a policy's file or mapping; return its document, its file, and its folder. Raises PolicyError."""
    if not isinstance(given, str | Path):
        return read_mapping(given), None, ""
    path = Path(given)
    if path.suffix.lower() in DATA and path.is_file():
        raise PolicyError(str(path), [Fault("", _no_policy(path))])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        missing = isinstance(error, FileNotFoundError)
        what = "does not exist" if missing else "cannot be read as UTF-8 text"
        raise PolicyError(str(path), [Fault("", f"the policy file {what}")]) from error
    if len(text) > LARGEST:
        what = f"has {len(text):,} characters, and a policy at most {LARGEST:,}; put hierarchies into files"
        raise PolicyError(str(path), [Fault("", what)])
    return read_yaml(text, str(path)), str(path), str(path.parent)


def is_schema_policy(given: object) -> bool:
    """Return whether a policy is that of a schema: `version: 2` at the top level of its file or mapping."""
    if isinstance(given, dict):
        return bool(given.get("version") == OF_SCHEMA)
    if not isinstance(given, str | Path):
        return False
    path = Path(given)
    try:
        if path.stat().st_size > 4 * LARGEST:  # no policy, but data that is named in its place
            return False
        text = path.read_text(encoding="utf-8-sig")
        if not text.startswith("{"):
            return IS_SCHEMA.search(text) is not None
        return _version_of(text, str(given)) == OF_SCHEMA
    except (OSError, ValueError):
        return False


def _version_of(text: str, subject: str) -> object:
    """Return the version of a mapping in braces; JSON is tried first, as it is parsed in a tenth of YAML's time."""
    with suppress(ValueError, RecursionError):
        return json.loads(text).get("version")
    version = read_yaml(text, subject).entries.get("version")
    return None if version is None else version.value


def _no_policy(path: Path) -> str:
    return f"is no policy; if it holds a table, suggest one for it: kanon-sql init {shlex.quote(str(path))}"


def release_from(given: Mapping[str, object], columns: tuple[Column, ...]) -> Destination:
    """Read a release from a mapping as in a policy. Raises PolicyError with all faults."""
    item = read_mapping({"release": given}).entries["release"]
    item.reading.known = known_columns(columns, set())
    try:
        chosen = RELEASE.read(item)
    except Refused:
        raise PolicyError("release", item.faults) from None
    if item.faults:
        raise PolicyError("release", item.faults)
    return chosen


def source_from(given: Mapping[str, object]) -> Source:
    """Read a source from a mapping as in a policy. Raises PolicyError with all faults."""
    item = read_mapping({"source": dict(given)}).entries["source"]
    item.reading.known = {"has_source": True}
    try:
        chosen = SOURCE.read(item)
    except Refused:
        raise PolicyError("source", item.faults) from None
    if item.faults:
        raise PolicyError("source", item.faults)
    return chosen


def _by_present_names(document: Item) -> Item:
    """Return a policy's document with the keys of its search by their present names."""
    search = document.entries.get("search")
    if search is None or not isinstance(search.value, dict):
        return document
    named = replace(search, value=by_present_names(search.entries))
    return replace(document, value={**document.entries, "search": named})


def policy_from(document: Item, *, subject: str, has_source: bool = True) -> Policy:
    """Read a policy from a document. Raises PolicyError with all faults."""
    if "kanon_sql_plan" in document.entries:
        what = f"is a plan, not a policy; carry it out with: kanon-sql apply {subject}"
        raise PolicyError(subject, [Fault("", what)])
    if (version := document.entries.get("version")) is not None and version.value == OF_SCHEMA:
        raise PolicyError(subject, [Fault("version", SAY_SCHEMA, version.line)])
    faults = document.faults
    document = _by_present_names(document)
    document.reading.known = {"has_source": has_source, **known_columns((), set())}
    nowhere = {} if has_source else {"source": Item({}, "source", None, document.reading)}
    try:
        policy = POLICY.take(document, {**nowhere, **entries_of(document, POLICY.keys)})
        above = [document.path] if document.path else []
        for path, what in policy_problems(policy):
            item = document.at(path)
            below = {each.where for each in faults if each.where.startswith(item.path)}
            if item.path != ".".join([*above, *path]) or below <= {f"{item.path}.output"}:
                item.fault(what)
    except Refused:
        policy = None
    if faults or policy is None:
        raise PolicyError(subject, sorted(faults, key=lambda fault: fault.line or 0))
    return policy


@dataclass(frozen=True, slots=True)
class Entity:
    """The unit that is counted in classes: the distinct values of a column, or rows if it is None.

    With `signature` a class consists of the people (values of the column) who have the same rows.
    """

    column: str | None
    signature: bool = False


def _row_or_column(name: str, known: Known) -> Entity:
    """Read an entity that is one text: `row`, or the column whose values are counted. Raises Wrong."""
    row_is_column = "is ambiguous: the source has a column named row; rename the column in a query"
    if name != "row":
        return _entity(name, known, "must be row or the name of a column listed under columns")
    check(("", all(each.name != name for each in known["columns"]), row_is_column))
    return Entity(None)


def _distinct(name: str, known: Known) -> Entity:
    return _entity(name, known, "must be the name of a column listed under columns")


def _entity(name: str, known: Known, unknown: str) -> Entity:
    """Check the column whose values each class counts; it may be released only with linkable: accept."""
    column = _column(name, known, unknown)
    if column is not None and is_released(column):
        how = "would be released as a pseudonym" if column.pseudonym else "is released as it is"
        joins = f"names {name}, which {how}, {SAY_SIGNATURE.format(name=name)}"
        check(("", column.linkable is Linkable.ACCEPT, joins))
    return Entity(name)


def _signature(name: str, known: Known) -> Entity:
    """Check the column of a signature: it must be released, so that readers see all rows of a person."""
    column = _column(name, known, "must be the name of a column listed under columns")
    hidden = f"names {name}, which is not released, so that nobody sees whose rows are whose: say entity: {name}"
    check(("", column is None or is_released(column), hidden))
    return Entity(name, signature=True)


def _column(name: str, known: Known, unknown: str) -> Column | None:
    """Find the column of an entity, which is no quasi-identifier; None if it, or all columns, have faults already."""
    if name in known["doubtful"] or not known["columns"]:
        return None
    columns: Mapping[str, Column] = {each.name: each for each in known["columns"]}
    check(("", name in columns, unknown))
    found = columns[name]
    defining = "names a quasi-identifier, which is the same for all rows of a class"
    check(("", found.role is not Role.QUASI, defining))
    return found


_COLUMN = "the column that identifies a person"
ENTITY: Shape[Entity] = ByKind(
    mapping=Keyed(
        {
            form: Only(
                form, Parsed(Text(), read, {**Text().schema(), "description": what}, context=True)
            )
            for form, read, what in (
                ("distinct", _distinct, f"{_COLUMN}, whose values are counted in each class"),
                (
                    "signature",
                    _signature,
                    f"{_COLUMN}, released: classes are people with the same rows",
                ),
            )
        }
    ),
    plain=Parsed(
        Text(),
        _row_or_column,
        {**Text().schema(), "description": f"row, or {_COLUMN}"},
        context=True,
    ),
)


NO_SOURCE, NO_SUPPRESSION, OPTIMAL = Source(), Suppression(rows=0), Search()
ROWS = Entity(None)


def _policy(
    *,
    version: Annotated[
        bool,
        Fixed(VERSION, f"must be {VERSION}, or {OF_SCHEMA} for a schema of tables"),
        Needed("add version: 1"),
    ] = True,
    about: Annotated[About, ABOUT] = NOTHING_SAID,
    source: Annotated[
        Source, SOURCE, Needed("name a path, a glob, a table or a query")
    ] = NO_SOURCE,
    database: Annotated[str | None, DATABASE] = None,
    attach: Annotated[tuple[tuple[str, str], ...], ATTACHED] = (),
    output: Annotated[Output | None, Published(OF_ALL, OUTPUT_OF_ALL)] = None,
    columns: Annotated[
        tuple[Column, ...], Columns(), Needed("classify every column of the source")
    ] = (),
    entity: Annotated[
        Entity,
        ENTITY,
        Needed("state what classes count: row, or the column that identifies a person"),
    ] = ROWS,
    sensitive_nulls: Annotated[
        SensitiveNulls, Published("sensitive_nulls", OneOf(SensitiveNulls))
    ] = SensitiveNulls.NOT_COUNTED,
    privacy: Annotated[
        tuple[PrivacyModel, ...], PRIVACY, Needed("for example privacy: {k: 5}")
    ] = (),
    suppression: Annotated[Suppression, SUPPRESSION] = NO_SUPPRESSION,
    nulls: Nulls = Nulls.CATEGORY,
    search: Annotated[Search, SEARCH] = OPTIMAL,
    release: Annotated[Destination | None, RELEASE] = None,
    series: Annotated[Series | None, SERIES] = None,
) -> Policy:
    """Build a policy from its entries. They are read in this order: later entries need earlier ones."""
    del version, output, sensitive_nulls
    return Policy(
        source,
        entity.column,
        columns,
        privacy,
        suppression,
        nulls,
        search,
        release,
        database,
        attach,
        entity.signature,
        about,
        series,
    )


POLICY = Record(_policy)


def policy_schema() -> dict[str, object]:
    """Return the JSON Schema (2020-12); the reader also checks rules that no schema can express."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kanon-sql policy",
        **_with_earlier_names(POLICY.schema()),
    }


def _with_earlier_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a policy with the earlier names of its search's keys, marked as deprecated."""
    forms = []
    for form in schema["properties"]["search"]["anyOf"]:
        keys, never = form["properties"], []
        for name, now in EARLIER.items():
            said = f"The earlier name of {now}: write {now}."
            keys = {**keys, name: {**keys[now], "deprecated": True, "description": said}}
            never.append({"required": [name, now]})
        forms.append({**form, "properties": keys, "not": {"anyOf": never}})
    search = {"anyOf": forms}
    return {**schema, "properties": {**schema["properties"], "search": search}}


DRAFT = "http://json-schema.org/draft-07/schema#"
"""The draft that SchemaStore's tests and most editors read; of later ones the schema uses `deprecated` alone, which others ignore."""


def editor_schema() -> dict[str, object]:
    """Return the schema of `policy_schema` with the words of `templates/schema/policy_keys.yml`."""
    words = "What kanon-sql protects in a table, and how it is released."
    return described({**policy_schema(), "$schema": DRAFT, "description": words})


def described(plain: dict[str, object], parent: str = "") -> dict[str, object]:
    """Return a copy of a schema with the words of `templates/schema/policy_keys.yml`, those of its `parent` first."""
    text = (template_root() / "schema" / "policy_keys.yml").read_text(encoding="utf-8")
    schema = copy.deepcopy(plain)  # shapes keep parts of it
    _describe(schema, parent, yaml.safe_load(text))
    return schema


def _describe(schema: Any, parent: str, words: dict[str, list[object]]) -> None:  # noqa: ANN401  a tree of JSON
    """Add the words of each key, those of the key inside `parent` first, to the schema in place."""
    if isinstance(schema, list):
        for each in schema:
            _describe(each, parent, words)
    if not isinstance(schema, dict):
        return
    for name, below in schema.get("properties", {}).items():
        found = words.get(f"{parent}.{name}", words.get(name))
        if found is not None:
            below["description"] = found[0]
            if found[1:]:
                below["examples"] = found[1:]
        _describe(below, name, words)
    for key, below in schema.items():
        if key != "properties":
            _describe(below, parent, words)
