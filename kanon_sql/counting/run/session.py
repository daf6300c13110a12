"""One run: its engine, scratch tables, policy and secret key, and the early end of its search.

Plans are committed, and others read them. With a plain hash of all rows, a reader who knows all rows but one could
try values for that row until the hash fits. A hash under a key that is in no committed file reveals nothing.

A search ends at its deadline or at the first interrupt, with the best recoding so far. Signals concern the whole
process, so that state is global.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
import time
from contextlib import ExitStack, contextmanager
from dataclasses import field
from functools import cache, partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import KEYED
from kanon_sql.engines.duckdb.session import spill_folder
from kanon_sql.engines.local_files import secret_in, slashes, without_slash_of_drive
from kanon_sql.engines.locations import check_inside
from kanon_sql.engines.scratch import Scratch, scratch
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.model import Policy


KEY_ENV = "KANON_SQL_PLAN_KEY"


SHORTEST = 16


@dataclass(frozen=True, slots=True, repr=False)
class PlanKey:
    """A secret of at least 16 bytes."""

    secret: bytes

    def hash(self, text: str) -> str:
        """Compute HMAC-SHA-256 (RFC 2104) of a text, after the first digits of a hash of the key itself.

        Two hashes can be compared only if these digits are equal: otherwise their keys differ.
        """
        return f"{KEYED}:{self._digest('which key')[:8]}:{self._digest(f'what: {text}')}"

    def _digest(self, text: str) -> str:
        return hmac.new(self.secret, text.encode(), "sha256").hexdigest()


def plan_key(*, keep: bool) -> PlanKey:
    """Return the key in the environment variable, or else the key of this user on this machine.

    The user's key is created when it is first needed, in a file outside of any project. A run that
    does not `keep` its plan uses a key of this process, and leaves no file. Raises InputError if
    the key is too short, or its file cannot be read or created.
    """
    secret = secret_in(KEY_ENV)
    if secret is not None:
        if len(secret) < SHORTEST:
            raise InputError(KEY_ENV, [Fault("", f"must hold a key of {SHORTEST} bytes or more")])
        return PlanKey(secret)
    return PlanKey(_read_or_create(key_file()) if keep else _of_this_process())


@dataclass(frozen=True)
class Draft:
    """What the drafts of one mapped source share, by keys, with the scratch tables that hold it."""

    scratch: Scratch
    kept: dict[object, object] = field(default_factory=dict)


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
    ends: ExitStack = field(default_factory=ExitStack)
    """What is removed when the run ends."""
    draft: Draft | None = None
    """What drafts share, where nothing is released and no plan is kept: steps which only refine a result may be fewer."""

    def see(self, named: exp.Table, statement: Statement) -> None:
        """Execute a statement that opens a table or view under a scratch name, and record which of both it is."""
        self.engine.execute(statement)
        self.scratch.is_view(named, view=statement.makes_view)

    def may_publish(self, name: str) -> None:
        """Record, for interrupts, that from now on the release may be published."""
        self.reached.append(f"{name} is released whole, or as it was before")

    def folder(self) -> Path:
        """Create a folder for copies of files, which may hold raw rows; it is removed when the run ends."""
        return Path(self.ends.enter_context(spill_folder(self.engine.temp_directory)))

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
    drops = not (ends_engine and engine.ends_scratch)
    with ExitStack() as ends, scratch(engine, drops=drops) as tables:
        report = [] if reached is None else reached
        yield Session(engine, tables, policy, overrides or {}, report, left_out, key, ends)


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
    """Make a path absolute; an address of an object store is returned unchanged. Raises InputError outside `only_folders`.

    >>> resolve("s3://bucket/a.parquet", "/srv")
    's3://bucket/a.parquet'
    """
    if "://" in text:
        check_inside(text)
        return text
    path = os.path.normpath(Path(base or ".").absolute() / os.path.expanduser(text))  # noqa: PTH111
    check_inside(path)
    return slashes(path)


def key_file() -> Path:
    """Return the path of the file with the user's key."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        state = Path("~/.local/state").expanduser()
    return state / "kanon-sql" / "plan.key"


def _read_or_create(file: Path) -> bytes:
    """Read the key in a file, after creating the file if it does not exist. Raises InputError."""
    instead = f"set {KEY_ENV} to a secret of {SHORTEST} bytes or more"
    try:
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create(file)
        key = file.read_bytes().strip()
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no home folder"
        what = f"the key of this user's plans cannot be kept there ({why}); {instead}"
        raise InputError(str(file), [Fault("", what)]) from error
    if len(key) < SHORTEST:
        what = f"holds no key; remove it and make plans again, or {instead}"
        raise InputError(str(file), [Fault("", what)])
    return key


def _create(file: Path) -> None:
    """Create a key file. If two processes do so at once, one wins, and both read its key."""
    own = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file_:
            file_.write(f"{secrets.token_hex(32)}\n")
        with contextlib.suppress(FileExistsError):
            os.link(own, file)
    finally:
        own.unlink(missing_ok=True)


@cache
def _of_this_process() -> bytes:
    return secrets.token_bytes(32)


_ALLOWED, _SEARCHING, _ASKED = Event(), Event(), Event()

INTERRUPTED = "the search was interrupted, and this is the best recoding that it had found"

NEVER = float("inf")
"""The deadline of a search without a time limit, which only an interrupt can end early."""


class SearchInterrupted(KeyboardInterrupt):
    """A search was interrupted. `plan` is the best that it had found; it was not applied."""

    def __init__(self, plan: Plan) -> None:
        super().__init__("interrupted; nothing was published")
        self.plan = plan


@contextmanager
def ended_by_interrupt() -> Iterator[None]:
    """Let the first interrupt end the search as a time limit would. Further interrupts end the run."""
    _ASKED.clear()
    _ALLOWED.set()
    try:
        yield
    finally:
        _ALLOWED.clear()


@contextmanager
def searching(limit: float | None) -> Iterator[float | None]:
    """Begin a search. Yields its deadline on the monotonic clock: in `limit` seconds, NEVER, or None."""
    by_interrupt = _ALLOWED.is_set()
    if by_interrupt:
        _SEARCHING.set()
    try:
        yield time.monotonic() + limit if limit is not None else NEVER if by_interrupt else None
    finally:
        _SEARCHING.clear()


def end_search() -> bool:
    """Ask the search to end with the best found. Returns False if none can, or it was asked before."""
    if not _SEARCHING.is_set() or _ASKED.is_set():
        return False
    _ASKED.set()
    return True


def was_interrupted() -> bool:
    """Whether an interrupt has asked the current or last search to end."""
    return _ASKED.is_set()


def forget_interrupt() -> None:
    """Reset the state for a run that was not interrupted yet."""
    _ASKED.clear()


def is_past(deadline: float | None) -> bool:
    """Whether a search has to end now: past its deadline, or interrupted. Never without a deadline."""
    return deadline is not None and (_ASKED.is_set() or time.monotonic() > deadline)


def interrupt_notes() -> tuple[str, ...]:
    """Return the note for a plan whose search was interrupted; else none."""
    return (INTERRUPTED,) if _ASKED.is_set() else ()


def ended_by() -> str:
    """Return the cause of a search's early end in words: the interrupt, or the time limit."""
    return "the interrupt" if _ASKED.is_set() else "the time limit"
