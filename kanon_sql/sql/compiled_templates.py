"""Compiled templates, kept in files where Python keeps the bytecode of this package.

That is the folder ``__pycache__`` beside this module, or below ``PYTHONPYCACHEPREFIX``. An account that can write
there can replace this module too, so loading from there adds no risk. No folder of the user is read or written.
Where the package's folder is read-only, or Python is set to write no bytecode, each process compiles its templates,
which takes 2 ms each.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket, BytecodeCache
from sqlglot._version import __version__ as parser_version

HEADER = 32
"""Length in bytes of the hash before the code: of the template's text and of all that compiled it."""


class CompiledTemplates(BytecodeCache):
    """The compiled templates of one dialect, one file per template."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the name of a template's file: the template's path with dashes, and the dialect."""
        return (
            f"{name.removeprefix('sql/').removesuffix('.sql.j2').replace('/', '-')}-{self.dialect}"
        )

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's code, if the same versions compiled it from the same text."""
        path = _path(bucket.key)
        if path is None:
            return
        with suppress(OSError, EOFError, ValueError, TypeError):
            kept = path.read_bytes()
            if kept[:HEADER] == _hash(bucket.checksum):
                code = marshal.loads(kept[HEADER:])  # noqa: S302  as Python loads this module
                bucket.code = code if isinstance(code, CodeType) else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template's code for later processes, unless Python writes no bytecode or the disk refuses."""
        path = _path(bucket.key)
        if path is None or sys.dont_write_bytecode:
            return
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(_hash(bucket.checksum) + marshal.dumps(bucket.code))
            beside.replace(path)


def _path(key: str) -> Path | None:
    """Return the path where Python would keep the bytecode of a module named `key`; None if it keeps none."""
    if _compiled_by() is None:
        return None
    try:
        return Path(cache_from_source(str(Path(__file__).with_name(f"{key}.py"))))
    except NotImplementedError:
        return None


def _hash(checksum: str) -> bytes:
    return hashlib.sha256(f"{checksum} {_compiled_by()}".encode()).digest()


@cache
def _compiled_by() -> str | None:
    """Hash the versions and the source files that compile templates; None where they are not in a folder.

    The printers of leaves count too: a template's constants are printed when it is compiled.
    """
    folder = Path(__file__).parent
    found = hashlib.sha256(f"{sys.version} {jinja2.__version__} {parser_version}".encode())
    files = sorted([*folder.glob("*.py"), *folder.glob("words/*.py")])
    try:
        for file in files:
            found.update(file.read_bytes())
    except OSError:
        return None
    return found.hexdigest() if files else None
