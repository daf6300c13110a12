"""Open one version of a table of a lake as a source."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.counting.run.session import on_disk, resolve
from kanon_sql.engines.lakes.lake import lake_errors, open_lake
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.lakes.lake import Lake
    from kanon_sql.engines.lakes.lake_tables import LakeTable


def lake_at(engine: Engine, table: LakeTable, base: str) -> LakeTable:
    """Return a table with an absolute place. Raises SourceError if the engine cannot read such tables."""
    if not engine.capabilities.reads_lakes:
        what = f"is a table that a library reads for DuckDB; {engine.capabilities.name} has its own tables of that format"
        raise SourceError(table.name, [Fault("source", f"{what}: name one by table")])
    return table.moved(partial(_resolved, engine, base))


def _resolved(engine: Engine, base: str, path: str) -> str:
    return resolve(on_disk(path, engine), base)


def open_lake_table(run: Session, view: exp.Table, table: LakeTable, base: str) -> Lake:
    """Open a version of a table under the name `view`, and return it. Raises SourceError."""
    lake = open_lake(run.engine, lake_at(run.engine, table, base))
    with lake_errors(table):
        run.scratch.is_view(view, view=lake.open_rows(view))
    return lake
