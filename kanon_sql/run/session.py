"""One run: its engine, its scratch tables, its policy."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.local_files import slashes, without_slash_of_drive
from kanon_sql.engines.scratch import Scratch, scratch
from kanon_sql.late_dataclass import dataclass
from kanon_sql.run.plan_key import plan_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.model import Policy
    from kanon_sql.run.plan_key import PlanKey
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True)
class Session:
    """The engine, scratch tables and policy that every step of a run needs."""

    engine: Engine
    scratch: Scratch
    policy: Policy
    overrides: Mapping[str, str | int] = field(default_factory=dict)
    """Entries that replace those of the policy file; `policy` contains them already."""
    reached: list[str] = field(default_factory=list)
    """The texts that an interrupt reports, once the release may have been published."""
    left_out: tuple[str, ...] = ()
    """Options of the policy's search that the overrides make useless."""
    key: PlanKey = field(default_factory=partial(plan_key, keep=False))
    """The key of hashes in the plan. It is of this process only, unless the plan is kept."""

    def see(self, named: exp.Table, statement: Statement) -> None:
        """Execute a statement that opens a table or view under a scratch name, and record which of both it is."""
        self.engine.execute(statement)
        self.scratch.is_view(named, view=statement.makes_view)

    def may_publish(self, name: str) -> None:
        """Record, for interrupts, that from now on the release may be published."""
        self.reached.append(f"{name} is released whole, or as it was before")

    def path(self, text: str) -> str:
        """Resolve a path of the policy against the policy's own folder."""
        return resolve(on_disk(text, self.engine), self.policy.base)


@contextmanager
def session(
    engine: Engine,
    policy: Policy,
    overrides: Mapping[str, str | int] | None = None,
    reached: list[str] | None = None,
    left_out: tuple[str, ...] = (),
    *,
    keeps_plan: bool = False,
    ends_engine: bool = False,
) -> Iterator[Session]:
    """Open the session of a run. Its scratch tables are dropped however it ends.

    If the engine ends with the run (`ends_engine`), the tables may end with it: each drop costs a small statement.
    """
    key = plan_key(keep=keeps_plan)
    with scratch(engine, drops=not (ends_engine and engine.ends_scratch)) as tables:
        report = [] if reached is None else reached
        yield Session(engine, tables, policy, overrides or {}, report, left_out, key)


@contextmanager
def interrupt_report() -> Iterator[list[str]]:
    """Add to an interrupt's message what may have been published. Enter this before the engine is opened."""
    reached: list[str] = []
    try:
        yield reached
    except KeyboardInterrupt as error:
        if not reached:
            raise
        raise KeyboardInterrupt(f"interrupted; {'; '.join(reached)}") from error


ON_DISK = re.compile(r"file:(?://(?:localhost)?)?(/.*)", re.IGNORECASE | re.DOTALL)


def on_disk(text: str, engine: Engine | None = None) -> str:
    """Return the path in a file:// address, if the engine reads files of this machine; else the text.

    >>> on_disk("file:///srv/a.parquet"), on_disk("s3://bucket/a.parquet")
    ('/srv/a.parquet', 's3://bucket/a.parquet')
    """
    found = ON_DISK.fullmatch(text) if engine is None or engine.capabilities.local_files else None
    return without_slash_of_drive(found[1]) if found else text


def resolve(text: str, base: str) -> str:
    """Make a path absolute; an address of an object store is returned unchanged.

    >>> resolve("s3://bucket/a.parquet", "/srv")
    's3://bucket/a.parquet'
    """
    if "://" in text:
        return text
    path = os.path.normpath(Path(base or ".").absolute() / os.path.expanduser(text))  # noqa: PTH111
    return slashes(path)
