"""Local files and object stores: paths that are written alike on every system, atomic writes, and locks.

Paths have forward slashes wherever they are kept, written or passed to a database, on Windows too. Windows reads both
kinds, and a backslash in YAML, SQL or a pattern would mean something else.

A file is written under a temporary name, then renamed. A run locks a file next to its target, and a lock ends with the
process that holds it. So if the lock is free, the run is dead, and the files with its mark are removed. An old release
that it moved aside without putting a new one in its place is put back.

DuckDB reads and writes in the object stores that fsspec reaches, and releases are moved there. Each library finds
credentials by itself: in the environment, a profile or a role.
"""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
import secrets
import shutil
import tempfile
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.base import UNFINISHED
from kanon_sql.engines.locations import FILE_ENDINGS
from kanon_sql.errors import Fault, MissingExtraError, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


DRIVE = re.compile(r"/([A-Za-z]:/)")
ESCAPED = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
"""Escaped non-ASCII bytes in names of partition folders: a character each to Spark, UTF-8 to others."""


class OwnFolder:
    """A folder of this process alone, removed with the last reference to it, or when the process ends."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="kanon-sql-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def slashes(path: str, separator: str = os.sep) -> str:
    r"""Return a path with forward slashes. Where these are the separator, a backslash is part of a name.

    >>> print(slashes(r"C:\data\a.csv", "\\"), slashes(r"/data/a\b.csv", "/"))
    C:/data/a.csv /data/a\b.csv
    """
    return path if separator == "/" else path.replace(separator, "/")


def relative_to(path: str, folder: str) -> str:
    """Return a path relative to a folder; an absolute path if the two are on different drives."""
    try:
        return slashes(os.path.relpath(path, folder))
    except ValueError:
        return slashes(os.path.abspath(path))  # noqa: PTH100  it may be a pattern


def without_slash_of_drive(path: str) -> str:
    """Remove the slash that an address has before a drive.

    >>> without_slash_of_drive("/C:/data/a.csv"), without_slash_of_drive("/data/a.csv")
    ('C:/data/a.csv', '/data/a.csv')
    """
    return path[1:] if DRIVE.match(path) else path


def write_through(file: Path) -> None:
    """Flush a written file to the disk. On Windows the file must be open for writing."""
    with file.open("rb" if os.name == "posix" else "r+b") as opened:
        os.fsync(opened.fileno())


def secret_in(variable: str) -> bytes | None:
    """Read the bytes of an environment variable; None if it is not set."""
    text = os.environ.get(variable)
    return None if text is None else os.fsencode(text)


def without_escapes(path: str) -> str:
    """Undo the escapes of non-ASCII characters in names of partition folders, which Spark would not undo.

    >>> without_escapes("zone=%C3%A4%20b"), without_escapes("zone=%E4")
    ('zone=ä%20b', 'zone=%E4')
    """

    def plain(found: re.Match[str]) -> str:
        try:
            return unquote(found[0], errors="strict")
        except UnicodeDecodeError:
            return found[0]

    return ESCAPED.sub(plain, path)


def rename_without_escapes(folder: str) -> None:
    """Apply `without_escapes` to the partition folders below one, so that all readers see the same values."""
    for root, names, _ in os.walk(folder, topdown=False):
        for name in names:
            if (plain := without_escapes(name)) != name:
                (Path(root) / name).rename(Path(root) / plain)


def escaped_keys(names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the partition keys with escaped UTF-8 in a folder's name, and those with it unescaped.

    >>> escaped_keys(["zone=%C3%A4", "zone=b", "day=é"])
    ({'zone'}, {'day'})
    """
    escaped, plain = set(), set()
    for name in names:
        key, mark, value = name.partition("=")
        if mark and ESCAPED.search(value):
            escaped.add(key)
        if mark and not value.isascii():
            plain.add(key)
    return escaped, plain


def remove_empty_folders(folder: Path, *, kept: Collection[str] = ()) -> None:
    """Remove the folders without files below a folder: names of partition folders are raw values.

    Folders directly below that are named in `kept` stay, with all that is in them.
    """
    for each in sorted(folder.iterdir()):
        if each.name in kept or each.is_symlink() or not each.is_dir():
            continue
        remove_empty_folders(each)
        with suppress(OSError):  # something is in it
            each.rmdir()


try:
    import fcntl
except ImportError:  # no such locks here: nothing is ever taken for dead
    fcntl = None  # type: ignore[assignment]

LOCKS = fcntl is not None
"""Whether this machine has such locks."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another process has it locked, OSError where the file system has no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


LOCK = re.compile(r"\.(.+)\.([0-9a-f]{8})\.kanon\.lock", re.DOTALL)


def temporary_name(name: str, mark: str) -> str:
    """Return the hidden name of a file that is being written. A long name is cut, but not its ending.

    >>> temporary_name("people.csv.gz", "0a1b2c3d")
    '.people.csv.gz.0a1b2c3d.kanon.csv.gz'
    """
    ending = next((each for each in FILE_ENDINGS if name.lower().endswith(each)), "")
    return f".{name[:40]}.{mark}.kanon{name[len(name) - len(ending) :]}"


@dataclass(frozen=True, slots=True)
class AtomicWrite:
    """The paths that one run writes next to its target. `mark` distinguishes the runs."""

    target: Path
    mark: str

    @property
    def written(self) -> Path:
        return self.target.with_name(temporary_name(self.target.name, self.mark))

    @property
    def aside(self) -> Path:
        """The path to which the old folder is moved while it is replaced."""
        return self.target.with_name(f".{self.target.name[:40]}.{self.mark}.kanon.old")

    @property
    def lock(self) -> Path:
        """The file that the run locks while it lives; it contains the target's whole name."""
        return self.target.with_name(f".{self.target.name[:40]}.{self.mark}.kanon.lock")

    def clear(self) -> list[str]:
        """Put back an old release that was not replaced, remove the run's other files, and return their names."""
        if self.aside.exists() and self.written.exists() and not self.target.exists():
            self.aside.rename(self.target)
        names = self.leftovers()
        for each in map(self.target.with_name, names):
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
        return names

    def leftovers(self) -> list[str]:
        return [each.name for each in (self.written, self.aside) if each.exists()]

    def move(self, *, replace: bool) -> None:
        """Rename the written file or folder to its target. A folder in its place is moved aside first.

        Raises OSError. The old release is then still, or after `clear` again, at the target.
        """
        if self.written.is_dir():
            if replace and self.target.exists():
                self.target.rename(self.aside)
            self.written.rename(self.target)  # where it fails, `clear` puts the old one back
            return
        write_through(self.written)
        if replace:
            self.written.replace(self.target)
            return
        try:
            os.link(self.written, self.target)
        except FileExistsError:
            raise
        except OSError:  # no hard links here: rely on the check a moment ago
            self.written.replace(self.target)

    def add(self, levels: int) -> None:
        """Move the one partition that was written into the target. `levels` is the number of its columns.

        One rename adds the partition, together with the folders above it, or the whole target, if they do not exist.
        Raises OSError if the partition exists.
        """
        part, place = self.written, self.target
        for _ in range(levels):
            if not place.exists():
                break
            (part,) = part.iterdir()
            place /= part.name
        if place.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        part.rename(place)


@contextmanager
def lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder while a partition is added to it. Yields False if another run holds the lock."""
    if not LOCKS or not folder.is_dir():  # a folder that does not exist yet is renamed as a whole
        yield True
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            locked = try_lock(descriptor)
        except OSError:  # a file system without locks
            locked = True
        yield locked
    finally:
        os.close(descriptor)


@contextmanager
def atomic_write(target: Path) -> Iterator[AtomicWrite]:
    """Reserve temporary names next to a target. Files that still have them at the end are removed."""
    place, descriptor = AtomicWrite(target, secrets.token_hex(4)), None
    try:  # an interrupt may come as soon as the lock is there
        while (descriptor := _locked(place.lock)) is None:
            place = AtomicWrite(target, secrets.token_hex(4))
        os.write(descriptor, os.fsencode(target.name))
        yield place
    finally:
        place.clear()
        if LOCKS:  # it is removed by the run that has it locked
            place.lock.unlink(missing_ok=True)
        if descriptor is not None:
            os.close(descriptor)
        if not LOCKS:  # Windows removes no file that is open
            place.lock.unlink(missing_ok=True)


def _locked(lock: Path) -> int | None:
    """Create and lock a lock file; None if another run removed it before, taking this run for dead."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        locked = try_lock(descriptor)
    except OSError:  # a file system without locks, where no run is ever taken for dead
        locked = True
    if locked and _is_current(descriptor, lock):
        return descriptor
    os.close(descriptor)
    return None


def remove_leftovers(folder: Path, *, of: str | None = None, dry_run: bool = False) -> list[str]:
    """Remove the leftovers of dead runs in a folder, `of` one release or of all, and return their names.

    Files of living runs stay, and so do those that may not be read or removed. A `dry_run` lists what it would
    remove.
    """
    removed: list[str] = []
    if not LOCKS:
        return removed
    for lock in sorted(folder.glob(".*.kanon.lock")):
        match = LOCK.fullmatch(lock.name)
        if match is None or (of is not None and match[1] != of[:40]):
            continue
        with suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if try_lock(descriptor) and _is_current(descriptor, lock):
                    name = os.fsdecode(os.read(descriptor, 4096))
                    if name[:40] == match[1] and "/" not in name:
                        place = AtomicWrite(folder / name, match[2])
                        removed += place.leftovers() if dry_run else place.clear()
                    if not dry_run:
                        lock.unlink(missing_ok=True)
                    removed.append(lock.name)
            finally:
                os.close(descriptor)
    return removed


def _is_current(descriptor: int, lock: Path) -> bool:
    """Return whether an open lock file is still the one under its name."""
    try:
        return lock.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


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
