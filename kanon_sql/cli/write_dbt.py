"""Writing the plans of a dbt project: all files of all plans, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.cli.write import (
    PLAN_START,
    check_writable,
    make_folder,
    write,
)
from kanon_sql.errors import Fault, InputError
from kanon_sql.integrations.dbt.build_project_files import marks_of
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.integrations.dbt.plan_models import DbtPlan


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The names of files that were written, and of those that earlier plans wrote and that were removed."""

    written: list[str]
    removed: list[str]


def write_dbt(project: str, plans: Sequence[DbtPlan]) -> WrittenFiles:
    """Write the files of plans and return their names. Raises InputError, with nothing written.

    The model of a release belongs to the user once it exists, and is not written again.
    """
    root = Path(project)
    _check_all(root, plans)
    written, removed = [], []
    for plan in plans:
        for name, text in plan.files.items():
            if name != plan.kept or not (root / name).exists():
                make_folder((root / name).parent)
                write(root / name, text)
                written.append(name)
        for file in _outdated(root, plan):
            file.unlink()
            removed.append(file.relative_to(root).as_posix())
    return WrittenFiles(written, removed)


def _check_all(root: Path, plans: Sequence[DbtPlan]) -> None:
    """Refuse files of two plans, and existing files that are not of the same release."""
    faults: list[Fault] = []
    owners: dict[str, str] = {}
    for plan in plans:
        for name in plan.files:
            file = root / name
            if (owner := owners.setdefault(name, plan.name)) != plan.name:
                what = f"belongs to {owner} and to {plan.name}; rename one of the releases"
                faults.append(Fault(str(file), what))
            if name == plan.kept and file.exists():
                continue
            try:
                if file.parent.is_dir():
                    check_writable(file, starts=_starts(name, plan.name))
            except InputError as error:
                faults += [Fault(str(file), fault.what) for fault in error.faults]
    if faults:
        raise InputError(str(root), faults)


def _outdated(root: Path, plan: DbtPlan) -> list[Path]:
    """List the files that an earlier plan of this release wrote, and this one does not."""
    folders = [root / name for name in plan.folders if (root / name).is_dir()]
    now = {root / name for name in plan.files}
    others = [file for folder in folders for file in folder.iterdir() if file not in now]
    marks = [f"{mark}:".encode() for mark in marks_of(plan.name)]
    ours = [file for file in others if file.suffix in {".sql", ".yml"} and _has_mark(file, marks)]
    seeds = [file.with_suffix(".csv") for file in ours if file.suffix == ".yml"]
    return [*ours, *(seed for seed in seeds if seed in others)]


def _has_mark(file: Path, marks: Sequence[bytes]) -> bool:
    with file.open("rb") as lines:
        first = lines.readline()
    return any(mark in first for mark in marks)


def _starts(name: str, release: str) -> tuple[str, ...]:
    """List the starts of a file that may be replaced: those of our files of this release."""
    if name.endswith(".plan.yml"):
        return (PLAN_START,)
    if name.endswith(".csv"):
        return ("value,level_1", "region,child")
    comment = "#" if name.endswith(".yml") else "{#"
    return tuple(f"{comment} {mark}:" for mark in marks_of(release))
