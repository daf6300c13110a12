"""Load DuckDB's extensions: from an installed wheel, or from where DuckDB itself finds them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines import commands_sql
from kanon_sql.engines.commands_sql import command
from kanon_sql.errors import Fault, SourceError, StatementError
from kanon_sql.sql.quoting import literal
from kanon_sql.sql.quoting import name as name_of

if TYPE_CHECKING:
    from kanon_sql.engines.base import Engine


def load_extension(engine: Engine, extension: str) -> None:
    """Load an extension. Raises SourceError, with what to install, where there is none for this DuckDB."""
    release = engine.version.rpartition(" ")[2]
    wheel = _in_wheel(extension, release)
    try:
        loaded = name_of(extension) if wheel is None else literal(str(wheel))
        engine.execute(command("load_extension", loaded))
    except StatementError as error:
        what = (
            f"needs DuckDB's extension {extension}, which DuckDB {release} does not find: pip install "
            f"duckdb-extension-{extension.replace('_', '-')}=={release}, or INSTALL {extension} in DuckDB. Where "
            f"there is none for this version, another DuckDB may have it: pip install 'kanon-sql[ducklake]'"
        )
        raise SourceError(f"DuckDB {release}", [Fault("source", what)]) from error


def has_extension(engine: Engine, extension: str) -> bool:
    """Load an extension if it is on this machine, and return whether it is. Downloads nothing."""
    wheel = _in_wheel(extension, engine.version.rpartition(" ")[2])
    if wheel is None and not engine.fetch_count(commands_sql.extension_installed(extension)):
        return False
    try:
        load_extension(engine, extension)
    except SourceError:
        return False
    return True


def _in_wheel(extension: str, release: str) -> Path | None:
    """Return the file of an extension in its wheel, or None. DuckDB checks the signature on loading."""
    found = find_spec(f"duckdb_extension_{extension}")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "extensions" / f"v{release}"
    file = folder / f"{extension}.duckdb_extension"
    return file if file.is_file() else None
