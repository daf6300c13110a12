"""The secret key of a plan's hashes, which keeps readers from testing guesses of rows against them.

Plans are committed, and others read them. With a plain hash of all rows, a reader who knows all rows but one could
try values for that row until the hash fits. A hash under a key that is in no committed file reveals nothing.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
from functools import cache
from pathlib import Path

from kanon_sql.engines.local_files import secret_in
from kanon_sql.errors import Fault, InputError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.hashes import KEYED

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
