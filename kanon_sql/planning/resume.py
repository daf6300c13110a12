"""Resumes a killed run from the tables that it kept, if policy, source and version are still the same."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.errors import Fault, InputError
from kanon_sql.source.source_hashes import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


def keep_tables(
    run: Session, opened: OpenSource, *, portable: bool, to_keep: bool, resume: bool
) -> str | None:
    """Keep tables that cost a pass over the source; with `resume`, read those that a killed run kept.

    Tables are reused for the same source, policy, overrides and versions; hierarchies are compared by their values.
    Returns the source's hash, None if it was not computed. Raises InputError to `resume` if the engine keeps nothing.
    """
    why = run.engine.why_no_resume
    if resume and why is not None:
        raise InputError("resume", [Fault("", why)])
    if why is not None or not (resume or to_keep) or run.policy.source.frequency_set is not None:
        return None
    with run.engine.journal.step("fingerprint"):
        hashed = fingerprint(run, opened, portable=portable)
    overrides = {key: str(each) for key, each in sorted(run.overrides.items())}
    versions = [version("kanon-sql"), run.engine.version]
    origin = json.dumps([versions, run.policy.digest, overrides, hashed])
    run.engine.keep_tables(origin, run.key, goes_on=resume)
    return hashed


def resume_remarks(run: Session) -> Iterator[str]:
    """Yield remarks on whether a resumed run found kept tables, and how many it made anew."""
    count = run.engine.kept_count
    if count is None:
        return
    if count.changed:
        yield (
            f"{counted(count.changed, 'table')} of an earlier run had other rows than that run wrote, or could not be "
            f"read, and {'was' if count.changed == 1 else 'were'} made anew"
        )
    if count.found:
        yield (
            f"went on from {counted(count.found, 'table')} that a killed run had kept; {count.kept:,} more "
            f"{'was' if count.kept == 1 else 'were'} made"
        )
    else:
        yield (
            "began anew: no run of this policy, source and version was killed with tables that it had kept"
        )
