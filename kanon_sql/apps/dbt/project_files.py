"""What files of a dbt project say beside its meta: releases that nobody asks for, an edited model, the policy's file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import yaml

from kanon_sql.apps.dbt import build_project_files
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.counting.source.person_keys import unique_counts
from kanon_sql.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kanon_sql.apps.dbt.project import Project, ReleaseRequest
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session

PRIVATE = "kanon_private"
"""The folder of hierarchies, which have raw values: settings of the folder of releases, such as
`+grants`, do not apply there."""

MARKED = re.compile(r"made by kanon-sql (?:dbt plan|plan --dbt), from kanon/(.+)\.plan\.yml:")
"""Matches the mark in the first line of a file that a plan made."""


def policy_path(request: ReleaseRequest) -> str:
    """Return the path of the file of a release's policy in a project: beside what the policy's own paths start from."""
    return f"{request.release}.policy.yml"


def abandoned(
    root: Path, dbt_project: Project, requests: Iterable[ReleaseRequest]
) -> dict[str, str]:
    """Say of each release that dbt builds still, and that no `meta` of all `requests` asks for, which files to remove."""
    asked = {each.release for each in requests}
    found: dict[str, list[str]] = {}
    for kind in (dbt_project.models, dbt_project.seeds, dbt_project.macros, dbt_project.tests):
        for folder in (f"{kind}/kanon", f"{kind}/{PRIVATE}"):
            for file in sorted((root / folder).glob("*.[sy][qm]l")):
                with file.open(encoding="utf-8", errors="replace") as lines:
                    mark = MARKED.search(lines.readline())
                if mark is not None and mark[1] not in asked:
                    beside = file.with_suffix(".csv")  # of a seed, beside its properties
                    own = [file, beside] if beside.is_file() else [file]
                    found.setdefault(mark[1], []).extend(f"{folder}/{each.name}" for each in own)
    return {name: _left(root, dbt_project, name, files) for name, files in found.items()}


def _left(root: Path, dbt_project: Project, name: str, made: list[str]) -> str:
    own = (
        f"{dbt_project.models}/kanon/{name}.sql",
        f"kanon/{name}.plan.yml",
        f"{name}.policy.yml",
    )
    files = sorted({*made, *(each for each in own if (root / each).is_file())})
    return (
        f"no meta asks for it now, and dbt builds it still: the same people stay published in it; remove {joined(files)}, and "
        f"drop its tables and views"
    )


def same_people(release: str, requests: Iterable[ReleaseRequest]) -> list[str]:
    """Name the other releases whose people have the same key as those of a release."""
    keys = {each.release: each.policy.get("entity") for each in requests}
    own = keys[release]
    if own in {None, "row"}:
        return []
    return [name for name, key in keys.items() if key == own and name != release]


def notes_of_files(root: Path, dbt_project: Project, request: ReleaseRequest) -> Iterator[Fault]:
    """Yield what is other than the plan says, and leaves it valid: texts for readers, and an edited model."""
    policy = root / policy_path(request)
    if (
        policy.is_file()
        and not says_the_same(policy, request)
        and says_the_same(policy, request, to_readers=False)
    ):
        yield Fault(policy.name, "has another about or why than meta; run: kanon-sql dbt plan")
    model = f"{dbt_project.models}/kanon/{request.release}.sql"
    if (root / model).is_file() and not _is_plain((root / model).read_text(encoding="utf-8")):
        what = "says more than the call of kanon.anonymize: no plan has what it adds; the tests of dbt build and dbt certify count it"
        yield Fault(model, what)


def _is_plain(text: str) -> bool:
    """Whether the model of a release has comments, its settings, and the call of our macro alone."""
    own = re.sub(r"\{#.*?#\}|\{\{-?\s*config\(.*?\)\s*-?\}\}|--[^\n]*", "", text, flags=re.DOTALL)
    return re.fullmatch(r"\{\{-?\s*kanon\.anonymize\([^{}]*\)\s*-?\}\}", own.strip()) is not None


def notes_of_keys(run: Session, chosen: Plan) -> Iterator[Fault]:
    """Say that rows are counted where the plan counted people: each row has another key now, and rows shared keys then.

    Rows of one class shared keys if the average risk by people is above that by rows, which is classes by rows.
    """
    entity, released = run.policy.entity, chosen.source_rows - chosen.suppressed_rows
    if entity is None or chosen.risk is None or not released:
        return
    if chosen.risk.average <= chosen.classes / released + 1e-9:
        return
    source = find_table(run.engine, str(run.policy.source.table))
    found = unique_counts(run.engine, source, [entity])[entity]
    if found.values and found.unique == found.values:
        what = f"every row has another {printable(entity)} now, and rows shared one when the plan was made: is it still the key of people?"
        yield Fault("entity", what)


def recounted_by(root: Path, dbt_project: Project, request: ReleaseRequest) -> str | None:
    """Name the test that counted the people of a release in its source, if it passed in dbt's last run, on that relation."""
    try:
        text = (root / "target" / "run_results.json").read_text(encoding="utf-8")
        results = {each["unique_id"]: each for each in json.loads(text)["results"]}
        found = results[f"test.{dbt_project.name}.{request.release}_people"]
        day = str(found["timing"][-1]["completed_at"]).partition("T")[0]
        code = str(found["compiled_code"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    built = request.built
    if built is None or found["status"] != "pass":
        return None
    if not all(part in code for part in (built.database or "", built.schema, built.name)):
        return None
    return f"the dbt test {request.release}_people of {day}"


def of_any_target(text: str) -> dict[str, object]:
    """Read the file of a policy without what the target of the profile decides: its database, schema and table."""
    policy = yaml.safe_load(text)
    policy.pop("database", None)
    source = policy.pop("source", None)
    return {**policy, "missing": source.get("missing") if isinstance(source, dict) else None}


def without_readers(policy: dict[str, object]) -> dict[str, object]:
    """Return a policy without its texts for readers, which change no row: `about`, and the `why` of columns."""
    columns = policy.get("columns")
    if isinstance(columns, dict):
        for entry in columns.values():
            if isinstance(entry, dict):
                entry.pop("why", None)
    return {**policy, "about": None}


def says_the_same(file: Path, request: ReleaseRequest, *, to_readers: bool = True) -> bool:
    """Whether the file of a policy says all that meta does, also in its texts `to_readers`."""
    texts = file.read_text(encoding="utf-8"), build_project_files.policy_file(request, None)
    own, expected = map(of_any_target, texts)
    return own == expected if to_readers else without_readers(own) == without_readers(expected)
