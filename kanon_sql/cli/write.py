"""The small files that commands write: plans, policies and lattices; each whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PLAN_START = "kanon_sql_plan:"
SOMETHING_ELSE = "is there already and is something else; give another name"


def hold_free(path: Path, taken: str) -> None:
    """Refuse a path at which there is something, or could be nothing."""
    try:
        if not path.exists():
            return
    except OSError as error:
        taken = f"cannot be written ({os.strerror(error.errno or 0)})"
    raise InputError(str(path), [Fault("", taken)])


def hold_writable(path: Path, *, over: tuple[str, ...]) -> None:
    """Refuse a path that could not be written later, or that holds what does not begin so.

    A file is written beside it and removed, because nothing else tells for sure.
    """
    with _as_faults(path):
        _hold_over(path, over)
        beside = _beside(path)
        try:
            beside.touch(exist_ok=False)
        finally:
            beside.unlink(missing_ok=True)


def write(path: Path, text: str, *, over: str | None = None) -> None:
    """Write a small file whole or not at all; what is there is replaced only if it begins so."""
    with _as_faults(path):
        _hold_over(path, () if over is None else (over,))
        beside = _beside(path)
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def write_folder(root: Path, files: Mapping[str, str]) -> None:
    """Write files into a new folder, each whole. Raises InputError if there is something at it."""
    with _as_faults(root):
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise InputError(str(root), [Fault("", "is there already; name a new folder")])
    for name, text in files.items():
        make_folder((root / name).parent)
        write(root / name, text)


def make_folder(path: Path) -> None:
    """Make a folder, and those it lies in, where there is none. Raises InputError."""
    with _as_faults(path):
        path.mkdir(parents=True, exist_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def _hold_over(path: Path, starts: tuple[str, ...]) -> None:
    """Refuse what is no file, or none of those that may be replaced, if only some may be."""
    if path.exists() and not path.is_file():
        what = "is a folder, a device or a pipe; name a file (-o - prints instead)"
        raise InputError(str(path), [Fault("", what)])
    if starts and path.exists() and not any(_begins(path, start.encode()) for start in starts):
        raise InputError(str(path), [Fault("", SOMETHING_ELSE)])


def _begins(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


@contextmanager
def _as_faults(path: Path) -> Iterator[None]:
    """Turn what the system says of a path into a fault of what was given."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({os.strerror(error.errno or 0)})"
        raise InputError(str(path), [Fault("", what)]) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path), [Fault("", "is no name of a file")]) from error
