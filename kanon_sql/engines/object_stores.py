"""Object stores that fsspec reaches: DuckDB reads and writes there, and releases are moved there.

Each library finds credentials by itself: in the environment, a profile or a role.
"""

from __future__ import annotations

import datetime as dt
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.base import UNFINISHED
from kanon_sql.engines.local_files import without_escapes
from kanon_sql.errors import Fault, MissingExtraError, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Objects:
    """One object store. It cannot rename: `move` copies objects, and callers then `remove` the originals."""

    def __init__(self, filesystem: Any) -> None:  # noqa: ANN401  fsspec has no types
        self.filesystem = filesystem

    def exists(self, path: str) -> bool:
        """Return whether there is an object of this name, or one below it."""
        with _refusing("look up"):
            self.filesystem.invalidate_cache()
            return bool(self.filesystem.exists(path))

    def move(self, origin: str, target: str) -> None:
        """Copy an object, which appears as a whole, or a folder, object by object.

        A mark lies in the folder until all objects are copied. If copying fails, none of them stays. Folders of
        partitions get names that every reader reads alike.
        """
        fs = self.filesystem
        with _refusing("move"):
            if fs.isfile(origin):
                fs.copy(origin, target)
                return
            root = fs._strip_protocol(origin)  # noqa: SLF001  how fsspec names objects
            mark = f"{target}/{UNFINISHED}"
            try:
                fs.pipe_file(mark, b"")
                for each in fs.find(root):
                    fs.copy(each, target + without_escapes(each[len(root) :]))
                fs.rm(mark)
            except BaseException:
                fs.rm(target, recursive=True)
                raise

    def remove(self, path: str) -> None:
        """Remove an object, or all objects below a name."""
        with _refusing("remove"):
            self.filesystem.invalidate_cache()
            if self.filesystem.exists(path):
                self.filesystem.rm(path, recursive=True)

    def spelt(self, path: str) -> str:
        """Return an address of this store as fsspec writes it; other addresses are returned unchanged."""
        fs = self.filesystem
        known = [fs.protocol] if isinstance(fs.protocol, str) else list(fs.protocol)
        scheme, _, rest = path.partition("://")
        if scheme.lower() not in known:
            return path
        own = fs._strip_protocol(f"{scheme.lower()}://{rest}")  # noqa: SLF001  how fsspec names objects
        return f"{known[0]}://{own}"

    def names(self, folder: str) -> list[tuple[str, float]]:
        """List objects and folders in a folder, each with the seconds since it was last written."""
        fs, found = self.filesystem, []
        with _refusing("list"):
            if not fs.exists(folder):
                return []
            now = dt.datetime.now(dt.UTC)
            for path in fs.ls(folder, detail=False):
                name = path.rstrip("/").rpartition("/")[2]
                ours = name.startswith((".", UNFINISHED))  # the age of others is not needed
                written = [_moment(fs.modified(each)) for each in fs.find(path)] if ours else []
                found.append((name, (now - max(written, default=now)).total_seconds()))
        return found


def _moment(time: dt.datetime) -> dt.datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=dt.UTC)


def filesystem_of(path: str) -> Any:  # noqa: ANN401  fsspec has no types
    """Return fsspec's file system of an address. Raises MissingExtraError, and SourceError without one."""
    scheme = path.partition("://")[0]
    try:
        import fsspec  # type: ignore[import-untyped]

        return fsspec.filesystem(scheme)
    except ImportError as error:
        raise MissingExtraError("objects") from error
    except Exception as error:  # noqa: BLE001  each library has its own
        what = f"{scheme}:// cannot be reached ({type(error).__name__})"
        raise SourceError(scheme, [Fault("", what)]) from None


@contextmanager
def _refusing(step: str) -> Iterator[None]:
    """Raise errors of a store's library as StatementError: their texts may contain keys and addresses."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  each library has its own
        raise StatementError(step, "", error) from None
