"""Writing small files, such as plans, policies and lattices: each whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError

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
