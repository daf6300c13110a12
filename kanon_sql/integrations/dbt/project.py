"""Reads a dbt project from its dbt_project.yml and its manifest: its folders, and the releases that it asks for."""

from __future__ import annotations

import json
import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from kanon_sql.documents.lines import load
from kanon_sql.errors import Fault, InputError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

META = "kanon"
"""Our key in the `meta` of models and columns."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
REFERENCE = re.compile(r"\w+\('[^'\\{}\r\n]+'(, '[^'\\{}\r\n]+')?\)")
"""Matches a model's reference to a relation, whose name must not end the text or be read by dbt as its language."""

OF_THE_MODEL = ("entity", "privacy", "suppression", "nulls", "sensitive_nulls", "search")
"""The keys of a model's `meta` that are keys of a policy."""

KNOWN = (*OF_THE_MODEL, "missing", "release", "loaded_at", "adapters", "without_entry", "contract")

SEVERITIES = ("warn", "error")
"""The severities that a value without an entry in its hierarchy may have in `dbt build` and `dbt check`."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project's name and profile, and the first folder in which dbt looks for each kind of file."""

    name: str
    profile: str
    models: str
    seeds: str
    macros: str
    tests: str


@dataclass(frozen=True, slots=True)
class ProjectRelation:
    """A relation of the warehouse, and how a model refers to it."""

    reference: str
    database: str | None
    schema: str
    name: str

    @property
    def dotted(self) -> str:
        """Return database, schema and name, joined by dots."""
        return ".".join(filter(None, (self.database, self.schema, self.name)))


@dataclass(frozen=True, slots=True)
class Documented:
    """A project's documentation of a relation: its description, and its columns' descriptions and declared types.

    With a `contract`, dbt enforces these types in the release.
    """

    description: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    contract: bool = False


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """A relation to release: the policy in its `meta`, and the name of the model that it is released as.

    The model is incremental if `loaded_at` names the column by which new rows are recognized. Hierarchies by rule are
    written for other `adapters` too. `given` has, by column, the hierarchies that are models or seeds of the project.
    `files` are the files of the project that contain the request. `keys` is the relation of the keys of pseudonyms, if
    dbt knows one, and `key_checks` the first digits of a hash under each key. `without_entry` is the severity of a
    value without an entry in its hierarchy: a warning or an error.
    """

    relation: ProjectRelation
    release: str
    loaded_at: str | None
    adapters: tuple[str, ...]
    policy: Mapping[str, object]
    given: Mapping[str, ProjectRelation]
    files: tuple[str, ...]
    without_entry: str = "warn"
    documented: Documented = field(default_factory=Documented)
    keys: ProjectRelation | None = None
    key_checks: Mapping[str, str] = field(default_factory=dict)


def key_table(release: str) -> str:
    """Name the table of the keys of a release's pseudonyms."""
    return f"kanon_keys_of_{release}"


def read_project(text: str, subject: str) -> Project:
    """Read dbt_project.yml. Raises InputError."""
    document = load(text, subject)
    if not isinstance(document, dict) or not document.get("name") or not document.get("profile"):
        raise InputError(subject, [Fault("", "has no name and profile; is it dbt_project.yml?")])

    def first(kind: str, otherwise: str) -> str:
        folders = document.get(f"{kind}-paths") or [otherwise]
        return str(folders[0])

    return Project(
        name=str(document["name"]),
        profile=str(document["profile"]),
        models=first("model", "models"),
        seeds=first("seed", "seeds"),
        macros=first("macro", "macros"),
        tests=first("test", "tests"),
    )


def read_manifest(text: str, subject: str) -> dict[str, Any]:
    """Read target/manifest.json. Raises InputError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(subject, [Fault("", "is no manifest; run dbt parse again")]) from error
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), dict):
        raise InputError(subject, [Fault("", "is no manifest; run dbt parse again")])
    return document


def release_requests(manifest: Mapping[str, Any], select: str | None) -> list[ReleaseRequest]:
    """Return the releases that a project asks for; with `select`, only that of this relation or release.

    Raises InputError with the faults of all of them.
    """
    faults: list[Fault] = []
    # A model goes before a source's table of the same name, as that is what ref() says.
    nodes = [*manifest.get("sources", {}).values(), *manifest["nodes"].values()]
    known = {node["name"]: _relation(node) for node in nodes if _is_rows(node)}
    requests, releases = [], dict[str, str]()
    checks = {node["name"]: _all_meta(node).get("kanon_keys") or {} for node in nodes}
    for node in nodes:
        ours = _meta(node)
        if not _is_rows(node) or ours is None:
            continue
        release = ours.get("release", f"{node['name']}_anonymized")
        other = releases.setdefault(str(release).lower(), node["unique_id"])
        if other != node["unique_id"]:
            where = f"{node['name']}.meta.{META}.release"
            faults.append(Fault(where, f"is the release of {other}; give each its own name"))
        if select is None or select in (release, node["name"]):
            own = key_table(str(release))
            request = _request(node, ours, release, known, faults)
            requests.append(replace(request, keys=known.get(own), key_checks=checks.get(own, {})))
    if not requests and not faults:
        what = f"says meta: {{{META}: ...}} of no model, seed or source"
        if select is not None:
            what += f" that is, or is released as, {select}"
        what += "; if it does by now, run dbt parse"
        faults.append(Fault("", what))
    if faults:
        raise InputError("the dbt project", faults)
    return requests


def _is_rows(node: Mapping[str, Any]) -> bool:
    return node.get("resource_type") in {"model", "seed", "snapshot", "source"}


def _meta(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return our part of the meta of a node or a column, which versions of dbt keep in two places."""
    ours = _all_meta(node).get(META)
    return None if ours is None else dict(ours) if isinstance(ours, dict) else {"role": ours}


def _all_meta(node: Mapping[str, Any]) -> dict[str, Any]:
    return (node.get("meta") or {}) | ((node.get("config") or {}).get("meta") or {})


def _relation(node: Mapping[str, Any]) -> ProjectRelation:
    is_source = node["resource_type"] == "source"
    name, schema = str(node["name"]), str(node["schema"])
    reference = f"source('{node['source_name']}', '{name}')" if is_source else f"ref('{name}')"
    identifier = node.get("identifier") or node.get("alias") or name
    return ProjectRelation(reference, node.get("database"), schema, str(identifier))


def _request(
    node: Mapping[str, Any],
    ours: dict[str, Any],
    release: object,
    known: Mapping[str, ProjectRelation],
    faults: list[Fault],
) -> ReleaseRequest:
    name = str(node["name"])
    faults += _model_faults(name, ours, release, _relation(node))
    columns: dict[str, object] = {}
    given: dict[str, ProjectRelation] = {}
    for column, properties in node.get("columns", {}).items():
        meta = _meta(properties)
        if meta is None:
            what = f"has no role; state one: meta: {{{META}: {{role: ...}}}}"
            faults.append(Fault(f"{name}.{column}", what))
            continue
        hierarchy = meta.get("hierarchy")
        if isinstance(hierarchy, dict) and list(hierarchy) == ["ref"]:
            relation = known.get(str(hierarchy["ref"]))
            if relation is None or not REFERENCE.fullmatch(relation.reference):
                what = f"has a hierarchy that is no model or seed: {hierarchy['ref']}"
                faults.append(Fault(f"{name}.{column}", what))
                continue
            given[str(column)] = relation
            meta = {**meta, "hierarchy": {"table": relation.dotted}}
        columns[str(column)] = meta
    of_model = {key: ours[key] for key in OF_THE_MODEL if key in ours}
    policy = {"version": 1, **of_model, "columns": columns}
    if "missing" in ours:
        policy["source"] = {"missing": ours["missing"]}
    loaded_at = ours.get("loaded_at")
    if loaded_at is not None and str(loaded_at) not in columns:
        where = f"{name}.meta.{META}.loaded_at"
        faults.append(Fault(where, "is no column that the properties of the model name"))
    return ReleaseRequest(
        _relation(node),
        str(release),
        None if loaded_at is None else str(loaded_at),
        tuple(map(str, ours.get("adapters") or [])),
        policy,
        given,
        tuple(_files(node)),
        without_entry=str(ours.get("without_entry", "warn")),
        documented=_documented(node, ours),
    )


def _documented(node: Mapping[str, Any], ours: Mapping[str, Any]) -> Documented:
    """Read the documentation of a node; the release has a contract as `ours` states, else if the node has one."""
    columns = node.get("columns", {})
    enforced = ((node.get("config") or {}).get("contract") or {}).get("enforced", False)
    return Documented(
        str(node.get("description") or "").strip(),
        {str(n): str(each.get("description") or "").strip() for n, each in columns.items()},
        {str(n): str(each["data_type"]) for n, each in columns.items() if each.get("data_type")},
        bool(ours.get("contract", enforced)),
    )


def _files(node: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files of a node: its own and, if it is another, that of its properties."""
    if node.get("original_file_path"):
        yield str(node["original_file_path"])
    if node.get("patch_path"):
        yield str(node["patch_path"]).partition("://")[2]


def _model_faults(
    name: str, ours: Mapping[str, Any], release: object, relation: ProjectRelation
) -> Iterator[Fault]:
    for key in ours:
        if key not in KNOWN:
            what = f"is none of {', '.join(KNOWN)}"
            yield Fault(f"{name}.meta.{META}.{key}", what)
    if not isinstance(ours.get("contract", True), bool):
        yield Fault(f"{name}.meta.{META}.contract", "must be true or false")
    if ours.get("without_entry", "warn") not in SEVERITIES:
        what = f"is none of {', '.join(SEVERITIES)}"
        yield Fault(f"{name}.meta.{META}.without_entry", what)
    if not isinstance(release, str) or not NAME.fullmatch(release):
        yield Fault(f"{name}.meta.{META}.release", "must be the name of a model")
    elif release.lower() == name.lower():
        what = "is the model itself; release it under another name"
        yield Fault(f"{name}.meta.{META}.release", what)
    if any("." in (part or "") for part in (relation.database, relation.schema, relation.name)):
        yield Fault(name, "has a dot in a name, so that its parts cannot be distinguished")
    if not REFERENCE.fullmatch(relation.reference):
        yield Fault(name, "has a name that a model of dbt cannot say between quotes")
