"""Writing small files, such as plans, policies and lattices, each whole or not at all; and faults of a policy as SARIF.

Code review tools show SARIF 2.1.0 beside the lines of the policy.
"""

from __future__ import annotations

import contextlib
import os
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from kanon_sql.errors import Fault, InputError, KanonError
from kanon_sql.policy.read_policy import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


PLAN_START = "kanon_sql_plan:"
NOT_OURS = "already exists and was not written by kanon-sql; choose another name"


def check_free(path: Path) -> None:
    """Raise InputError for a path that exists, or cannot exist."""
    what = "already exists; --replace replaces it"
    try:
        if not path.exists():
            return
    except OSError as error:
        what = _reason(error)
    raise InputError(str(path), [Fault("", what)])


def check_writable(path: Path, *, starts: tuple[str, ...]) -> None:
    """Raise InputError for a path that cannot be written, or a file that begins with none of `starts`.

    It creates and removes a file beside the path, because only that shows whether the folder is writable.
    """
    with _as_faults(path):
        _check_start(path, starts)
        beside = _beside(path)
        try:
            beside.touch(exist_ok=False)
        finally:
            beside.unlink(missing_ok=True)


def write(path: Path, text: str, *, start: str | None = None) -> None:
    """Write a small file whole or not at all; an existing one is replaced only if it begins with `start`."""
    with _as_faults(path):
        _check_start(path, () if start is None else (start,))
        beside = _beside(path)
        try:
            beside.write_text(text, encoding="utf-8", newline="\n")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def write_example(root: Path, files: Mapping[str, str]) -> None:
    """Write files into a new folder, each whole. Raises InputError where the folder is not empty."""
    with _as_faults(root):
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise InputError(str(root), [Fault("", "already exists; name a new folder")])
    for name, text in files.items():
        make_folder((root / name).parent)
        write(root / name, text)


def make_folder(path: Path) -> None:
    """Make a folder and its parents where they do not exist. Raises InputError."""
    with _as_faults(path):
        path.mkdir(parents=True, exist_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def _check_start(path: Path, starts: tuple[str, ...]) -> None:
    """Raise InputError for a path that is not a file, or (given `starts`) a file that begins with none."""
    if path.exists() and not path.is_file():
        what = "is a folder, a device or a pipe; name a file (-o - prints instead)"
        raise InputError(str(path), [Fault("", what)])
    if starts and path.exists() and not any(_starts_with(path, each.encode()) for each in starts):
        raise InputError(str(path), [Fault("", NOT_OURS)])


def _starts_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def _reason(error: OSError) -> str:
    return f"cannot be written ({os.strerror(error.errno or 0)})"


@contextmanager
def _as_faults(path: Path) -> Iterator[None]:
    """Raise errors of the operating system as InputError, with the fault of the path."""
    try:
        yield
    except OSError as error:
        raise InputError(str(path), [Fault("", _reason(error))]) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path), [Fault("", "is not the name of a file")]) from error


START = '{\n  "$schema": "https://json.schemastore.org/sarif-'
"""How a log that may be replaced begins."""
RULES = {"fault": "The policy cannot be used.", "warning": "What to look at before a release."}


def sarif_of(policy: str, warnings: list[str], error: KanonError | None) -> dict[str, object]:
    """Return the log of one check. It has names and counts, as the messages have, and no value of the data."""
    results = [_result(policy, "fault", "error", each) for each in _faults(error)]
    results += [_result(policy, "warning", "warning", each) for each in _located(policy, warnings)]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "kanon-sql", "rules": rules}}, "results": results}],
    }


def _faults(error: KanonError | None) -> list[Fault]:
    if error is None:
        return []
    return list(error.faults) if isinstance(error, InputError) else [Fault("", str(error))]


def _located(policy: str, warnings: list[str]) -> list[Fault]:
    """Give each warning the line of the entry that it begins with, if the policy has that entry."""
    lines: dict[str, int] = {}
    with contextlib.suppress(InputError):
        lines = dict(read_policy(policy, has_source=False).lines)
    found = []
    for text in warnings:
        entry = text.partition(": ")[0]
        while entry not in lines and "." in entry:
            entry = entry.rpartition(".")[0]
        found.append(Fault("", text, lines.get(entry)))
    return found


def _result(policy: str, rule: str, level: str, fault: Fault) -> dict[str, object]:
    text = f"{fault.where}: {fault.what}" if fault.where else fault.what
    place = {
        "artifactLocation": {"uri": quote(PurePath(policy).as_posix())},
        "region": {"startLine": fault.line or 1},
    }
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
