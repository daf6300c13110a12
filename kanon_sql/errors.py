"""Every exception kanon_sql raises, and the shell command that adds an extra which a message names.

The text of an error says what is wrong, where, and what to do. It never contains a value of
the data: counts and column names only.

A message that names an extra prints it. What a reader may type depends on how kanon-sql was installed: pip knows
nothing of pipx's and uv's environments, and a clone or a wheel is found in no registry.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


SHOWN_FAULTS = 200
"""How many faults the text of an error lists; `faults` has all."""

DEBUG = "KANON_SQL_DEBUG"
"""The environment variable that shows a database's own messages, which may quote data."""


class KanonError(Exception):
    """Base class: catch this to catch everything kanon_sql raises on purpose.

    `status` is one word for the outcome of a run that this error ends.
    """

    status = "error"


class KanonWarning(UserWarning):
    """What a result warns of, as its `warnings` list it: counts and names of columns, and no value of the data."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One problem of an input: where it is and what to do about it.

    >>> print(Fault("columns.age", "is classified twice; keep one entry", line=7))
    line 7: columns.age: is classified twice; keep one entry
    """

    where: str
    what: str
    line: int | None = None

    def __str__(self) -> str:
        spot = f"line {self.line}: " if self.line is not None else ""
        return f"{spot}{self.where}: {self.what}" if self.where else f"{spot}{self.what}"


class InputError(KanonError, ValueError):
    """An input cannot be used. Nothing was written. Lists every fault.

    >>> print(InputError("policy.yml", [Fault("k", "must be at least 1"), Fault("source", "is missing")]))
    policy.yml: 2 faults
      - k: must be at least 1
      - source: is missing
    """

    def __init__(self, subject: str, faults: Iterable[Fault]) -> None:
        self.subject = subject
        self.faults = tuple(faults)
        super().__init__(subject, self.faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"{self.subject}: {self.faults[0]}"
        lines = [f"\n  - {fault}" for fault in self.faults[:SHOWN_FAULTS]]
        more = len(self.faults) - len(lines)
        if more:
            lines.append(f"\n  - and {more:,} more")
        return f"{self.subject}: {len(self.faults)} faults{''.join(lines)}"


class PolicyError(InputError):
    """The policy cannot be used."""


class HierarchyError(InputError):
    """A hierarchy does not generalize its column."""


class SourceError(InputError):
    """The source cannot be read, or is not what the policy describes."""


class ReleaseError(InputError):
    """The destination cannot take the release."""


class StalePlanError(InputError):
    """The policy, a hierarchy or the source changed since the plan was made."""


class InfeasibleError(KanonError):
    """No recoding satisfies the policy. The text names the smallest relaxation that would."""

    status = "infeasible"


class OutOfTimeError(InfeasibleError):
    """The time limit passed before the search found a recoding worth releasing; one may exist."""

    status = "out_of_time"


class VerificationError(KanonError):
    """The staged release failed its recount; it was dropped and nothing was published."""

    status = "failed"


class MissingExtraError(KanonError, ImportError):
    """An engine's library is not installed."""

    def __init__(self, extra: str) -> None:

        super().__init__(f"this needs another library; install it with: {install_command(extra)}")


class MissingRightError(KanonError):
    """The database role lacks a right that a step needs."""

    def __init__(self, step: str, right: str) -> None:
        super().__init__(f"{step}: the role lacks a right; it needs {right}")


class StatementError(KanonError):
    """The database refused a statement.

    The database's own message may quote data, so no message or traceback repeats it: it is in
    ``cause``, and the statement's text in ``sql``. For classes of errors that quote no data, `meaning` states the
    cause in our words, and what to do.
    """

    def __init__(
        self, step: str, sql: str, cause: BaseException, meaning: str | None = None
    ) -> None:
        self.step = step
        self.sql = sql
        self.cause = cause
        self.kind = type(cause).__name__
        self.meaning = meaning
        super().__init__(step, sql)

    @property
    def why(self) -> str:
        """Return the cause in words that a message may contain: `meaning`, or the class of the error."""
        return self.kind if self.meaning is None else self.meaning

    def __str__(self) -> str:
        if self.meaning is not None:
            return f"{self.step}: {self.meaning}"
        return (
            f"{self.step}: the database refused the statement ({self.kind}). Its own words can "
            f"quote data, so they are not repeated here; {DEBUG}=1 shows them"
        )


class MemoryLimitError(KanonError):
    """The database needs more memory, or more disk space for spilling, than it may use."""

    def __init__(self, step: str, limit: str) -> None:
        super().__init__(f"{step}: the database ran out of memory; {limit}")


class ExecutorsLostError(KanonError):
    """Executors of a cluster were lost with rows that a run had computed there. Nothing was published."""

    def __init__(self, step: str, remedy: str) -> None:
        super().__init__(
            f"{step}: executors of the cluster were lost, with rows that this run had computed there; nothing was "
            f"published, and nothing is wrong with the policy: run it again. {remedy[:1].upper()}{remedy[1:]}"
        )


class InternalError(KanonError):
    """A defect of kanon-sql, not of an input."""


class UnsafeSqlError(InternalError):
    """Something other than a quoted leaf was about to be printed into a statement."""


NAME = "kanon-sql"
PROGRAM = "kanon-sql"


def install_command(extra: str) -> str:
    """Return the command that installs `extra` where this Python finds kanon-sql."""
    url, editable, installer = _origin()
    wanted = f"{NAME}[{extra}]" if url is None else f"{NAME}[{extra}] @ {url}"
    prefix = Path(sys.prefix)
    if prefix.parent.name.startswith("archive-v"):  # uvx runs tools in environments of uv's cache
        return f"uvx --from {_quoted(wanted)} {PROGRAM}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install {_quoted(wanted)}"
    if (prefix / "pipx_metadata.json").exists():
        if prefix.parent.name == "venvs":
            return f"pipx install --force {_quoted(wanted)}"
        return f"pipx run --spec {_quoted(wanted)} {PROGRAM}"
    words = _quoted(wanted)
    if editable is not None:
        words = f"-e {_quoted(f'{editable}[{extra}]')}"
    return f"{_install(installer)} {words}"


def _origin() -> tuple[str | None, str | None, str]:
    """Return the address that kanon-sql was installed from, the folder if it is editable, and the installer's name.

    Without an address it came from an index. It is recorded as PEP 610 says; a wheel that is gone is not named.
    """
    try:
        found = metadata.distribution(NAME)
    except metadata.PackageNotFoundError:  # a folder on the path
        return None, None, "pip"
    installer = (found.read_text("INSTALLER") or "pip").strip()
    recorded = json.loads(found.read_text("direct_url.json") or "{}")
    url = recorded.get("url")
    if "vcs_info" in recorded:
        return f"{recorded['vcs_info']['vcs']}+{url}", None, installer
    if not isinstance(url, str) or not url.startswith("file:"):
        return url, None, installer
    from urllib.request import url2pathname  # noqa: PLC0415  it loads ssl and e-mail

    path = url2pathname(urlsplit(url).path)
    if not Path(path).exists():
        return None, None, installer
    return url, path if recorded.get("dir_info", {}).get("editable") else None, installer


def _install(installer: str) -> str:
    """Return how pip, or uv's, installs for this Python, which the pip on the PATH may not serve."""
    if installer == "uv":
        return f"uv pip install --python {_quoted(sys.executable)}"
    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{_quoted(sys.executable)} -m pip install"


def _quoted(text: str) -> str:
    return shlex.quote(text) if os.name == "posix" else f'"{text}"'
