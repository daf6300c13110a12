"""Reads a dbt project: its folders and requested releases, and the warehouse that its profile describes."""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from kanon_sql.base.documents.keys import load
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.connect import hive_session
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


META = "kanon"
"""Our key in the `meta` of models and columns."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
REFERENCE = re.compile(r"\w+\('[^'\\{}\r\n]+'(, '[^'\\{}\r\n]+')?\)")
"""Matches a model's reference to a relation, whose name must not end the text or be read by dbt as its language."""

OF_THE_MODEL = ("entity", "privacy", "suppression", "nulls", "sensitive_nulls", "search", "about")
"""The keys of a model's `meta` that are keys of a policy."""

KNOWN = (*OF_THE_MODEL, "missing", "release", "loaded_at", "adapters", "without_entry", "contract")

SEVERITIES = ("warn", "error")
"""The severities that a value without an entry in its hierarchy may have: by default `dbt build` warns, and `dbt check` fails."""
SCHEMES = ("md", "motherduck", "ducklake", "postgres", "mysql", "sqlite")
"""The beginnings, before a colon, of DuckDB paths that are no DuckDB file."""

OF_LIBPQ = ("sslmode", "sslcert", "sslkey", "sslrootcert", "connect_timeout")
"""Settings of a profile that PostgreSQL's client library has by the same names."""

CANNOT = "open a connection of it yourself, and hand it to kanon_sql.plan_dbt(connection=...)"


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
    `files` are the files of the project that contain the request. `built` is the relation of the release, or of the first load of an incremental one, if dbt knows it. `keys` is the relation of the keys of pseudonyms, if
    dbt knows one, and `key_checks` the first digits of a hash under each key. `joined_to` says which columns are the same pseudonyms as those of
    another release, by tests of relationships. `without_entry` is the severity of a
    value without an entry in its hierarchy: a warning or an error; `accepts_loss` if the project itself says that it warns.
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
    built: ProjectRelation | None = None
    keys: ProjectRelation | None = None
    key_checks: Mapping[str, str] = field(default_factory=dict)
    joined_to: tuple[str, ...] = ()
    accepts_loss: bool = False


def key_table(release: str) -> str:
    """Name the table of the keys of a release's pseudonyms."""
    return f"kanon_keys_of_{release}"


def first_load(release: str) -> str:
    """Name the view of the rows that the first load of an incremental release has."""
    return f"{release}_first_load"


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
        release = _release_of(node)
        other = releases.setdefault(str(release).lower(), node["unique_id"])
        if other != node["unique_id"]:
            where = f"{node['name']}.meta.{META}.release"
            faults.append(Fault(where, f"is the release of {other}; give each its own name"))
        if select is None or select in (release, node["name"]):
            own = key_table(str(release))
            request = _request(node, ours, release, known, faults)
            requests.append(
                replace(
                    request,
                    built=known.get(
                        first_load(str(release)) if request.loaded_at else str(release)
                    ),
                    keys=known.get(own),
                    key_checks=checks.get(own, {}),
                )
            )
    joined = _joined_releases(manifest)
    requests = [replace(each, joined_to=tuple(joined.get(each.release, ()))) for each in requests]
    if not requests and not faults:
        what = f"says meta: {{{META}: ...}} of no model, seed or source"
        if select is not None:
            what += f" that is, or is released as, {select}"
        what += "; if it does by now, run dbt parse"
        faults.append(Fault("", what))
    if faults:
        raise InputError("the dbt project", faults)
    return requests


def relation_of(manifest: Mapping[str, Any], model: str) -> ProjectRelation:
    """Return the relation of a model, seed, snapshot or source. Raises InputError."""
    nodes = [*manifest["nodes"].values(), *manifest.get("sources", {}).values()]
    for node in nodes:
        if _is_rows(node) and node["name"] == model:
            return _relation(node)
    what = f"has no model, seed, snapshot or source {model}; if it does by now, run dbt parse"
    raise InputError("the dbt project", [Fault("", what)])


def _joined_releases(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Name, for each release, its columns that a test of relationships joins to another release by the same pseudonyms."""
    nodes = {**manifest.get("sources", {}), **manifest["nodes"]}
    found: dict[str, list[str]] = {}
    for test in manifest["nodes"].values():
        called = test.get("test_metadata") or {}
        own = nodes.get(test.get("attached_node"))
        if called.get("name") != "relationships" or own is None:
            continue
        column, field_ = test.get("column_name"), (called.get("kwargs") or {}).get("field")
        for name in (test.get("depends_on") or {}).get("nodes", ()):
            other = nodes.get(name)
            if other is None or other is own:
                continue
            key = _key_of(own, column)
            if key is not None and key == _key_of(other, field_):
                to = f"{column} to {_release_of(other)}.{field_}"
                found.setdefault(str(_release_of(own)), []).append(to)
    return found


def _release_of(node: Mapping[str, Any]) -> Any:  # noqa: ANN401  whatever the project says
    """Return what a relation of a project is released as: as it says, or by the name of the relation."""
    return (_meta(node) or {}).get("release", f"{node['name']}_anonymized")


def _key_of(node: Mapping[str, Any], column: object) -> str | None:
    """Return the variable of the key under which a column of a release is a pseudonym; None if it is none."""
    stated = _meta(node.get("columns", {}).get(column) or {}) or {}
    return (
        stated.get("key_env")
        if _meta(node) is not None and stated.get("action") == "hash"
        else None
    )


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
        accepts_loss=ours.get("without_entry") == "warn",
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


@dataclass(frozen=True, slots=True)
class ProfileOutput:
    """One output of a profile: its name, its type and its settings."""

    name: str
    type: str
    settings: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reached:
    """How a warehouse is reached: a connection, or a DuckDB file with others attached."""

    connection: object | None = None
    database: str | None = None
    attach: tuple[tuple[str, str], ...] = ()


def read_target(
    project: str, profile: str, *, target: str | None, profiles_dir: str | None
) -> ProfileOutput:
    """Read one target of a profile, from the first profiles.yml where dbt looks for it. Raises InputError."""
    folders = [
        profiles_dir or os.environ.get("DBT_PROFILES_DIR"),
        project,
        str(Path.home() / ".dbt"),
    ]
    files = [Path(folder) / "profiles.yml" for folder in folders if folder]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        what = "has no profiles.yml; say where it is with --profiles-dir"
        raise InputError(project, [Fault("", what)])
    subject = str(file)
    try:
        profiles: Any = load(file.read_text(encoding="utf-8"), subject)
        chosen = profiles[profile]
        named = target or os.environ.get("DBT_TARGET")
        name = named or _rendered(chosen.get("target", "default"))
        # Another output may refer to what the environment of this machine lacks: dbt does not render it either.
        settings = _rendered(chosen["outputs"][name])
        return ProfileOutput(str(name), str(settings["type"]), settings)
    except InputError as error:
        line = error.faults[0].line  # the words of the fault may quote a password
        raise InputError(subject, [Fault("", "is not YAML that can be read", line)]) from None
    except UnicodeDecodeError as error:
        raise InputError(subject, [Fault("", "is not YAML")]) from error
    except TemplateError as error:
        raise InputError(subject, [Fault(profile, f"cannot be rendered ({error})")]) from error
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        what = f"has no profile {profile} with that target"
        raise InputError(subject, [Fault("", what)]) from error


def _rendered(value: object) -> Any:  # noqa: ANN401  nested plain values
    """Render the Jinja in the values of a profile, as dbt does; it may read environment variables."""
    if isinstance(value, dict):
        return {key: _rendered(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rendered(each) for each in value]
    if not isinstance(value, str) or ("{{" not in value and "{%" not in value):
        return value
    text = _environment().from_string(value).render()
    if "as_number" in value:
        return float(text) if "." in text else int(text)
    return text.lower() == "true" if "as_bool" in value else text


@cache
def _environment() -> SandboxedEnvironment:
    found = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    found.filters |= dict.fromkeys(("as_number", "as_bool", "as_text", "as_native"), str)
    found.globals["env_var"] = _env_var
    return found


def _env_var(name: str, default: str | None = None) -> str:
    found = os.environ.get(name, default)
    if found is None:
        raise TemplateError(f"the environment has no {name}")
    return found


@contextmanager
def reach(target: ProfileOutput, project: str) -> Iterator[Reached]:
    """Reach the warehouse of a target for reading. Raises InputError if only a caller's connection can reach it."""
    settings = target.settings
    match target.type:
        case "duckdb":
            yield _duckdb(settings, project)
        case "postgres":
            with _password(settings.get("password") or settings.get("pass")):
                yield Reached(database=_address(settings))
        case "spark" if settings.get("method") == "session":
            yield Reached(hive_session(project, settings.get("server_side_parameters") or {}))
        case _:
            method = f" by {settings['method']}" if "method" in settings else ""
            what = f"is {target.type}{method}, which is not reached from here; {CANNOT}"
            raise InputError(f"target {target.name}", [Fault("type", what)])


def _duckdb(settings: Mapping[str, Any], project: str) -> Reached:
    path, attached = settings.get("path", ":memory:"), settings.get("attach") or []
    what = f"is no DuckDB file of this machine, so that nothing can be read from it; {CANNOT}"
    faults = [] if _is_file(path) else [Fault("path", what)]
    for number, each in enumerate(attached, start=1):
        # An attached path may be the address of a server with a password, so no message has it.
        is_file = isinstance(each, dict) and each.get("type", "duckdb") == "duckdb"
        if not is_file or not _is_file(each.get("path")):
            faults.append(Fault(f"attach {number}", what))
    if faults:
        raise InputError("the dbt profile", faults)
    attach = tuple(
        (str(each.get("alias") or Path(each["path"]).stem), _below(project, each["path"]))
        for each in attached
    )
    return Reached(database=_below(project, path), attach=attach)


def _is_file(path: object) -> bool:
    """Whether a path could be a file's: no address, and no database in memory."""
    if not isinstance(path, str) or path in {"", ":memory:"}:
        return False
    return not ("://" in path or path.partition(":")[0] in SCHEMES)


def _below(project: str, path: str) -> str:
    return str((Path(project) / Path(path).expanduser()).absolute())


def _address(settings: Mapping[str, Any]) -> str:
    """Return a server's address without the password."""
    user = quote(str(settings["user"]), safe="") + "@" if settings.get("user") else ""
    port = f":{settings['port']}" if settings.get("port") else ""
    if not re.fullmatch(r"(:\d{1,5})?", port):
        raise InputError("the dbt profile", [Fault("port", "is no number")])
    name = quote(str(settings.get("dbname") or settings.get("database") or ""), safe="")
    more = {key: settings[key] for key in OF_LIBPQ if settings.get(key) is not None}
    return f"postgresql://{user}{quote(str(settings.get('host', '')), safe='')}{port}/{name}" + (
        f"?{urlencode(more)}" if more else ""
    )


@contextmanager
def _password(password: object) -> Iterator[None]:
    """Hand the password to the client library in PGPASSWORD, so that no address and no message has it."""
    before = os.environ.get("PGPASSWORD")
    if password is None:
        yield
        return
    os.environ["PGPASSWORD"] = str(password)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PGPASSWORD"]
        else:
            os.environ["PGPASSWORD"] = before
