"""Reads a dbt profile, and reaches the warehouse that it describes as `dbt` would."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from kanon_sql.documents.lines import load
from kanon_sql.engines.connect import hive_session
from kanon_sql.errors import Fault, InputError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCHEMES = ("md", "motherduck", "ducklake", "postgres", "mysql", "sqlite")
"""The beginnings, before a colon, of DuckDB paths that are no DuckDB file."""

OF_LIBPQ = ("sslmode", "sslcert", "sslkey", "sslrootcert", "connect_timeout")
"""Settings of a profile that PostgreSQL's client library has by the same names."""

CANNOT = "open a connection of it yourself, and hand it to kanon_sql.plan_dbt(connection=...)"


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
