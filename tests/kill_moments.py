"""Commands that are killed at a chosen moment: after a statement, before a change of a file, after a time.

`killer.py` kills runs within one step of the Python interface, at statements. Here a whole command line runs in a fork of
a process that has imported all it needs, so that hundreds of kills cost little more than the runs.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
"""Audit events of Python that precede a change of a file; `open` counts where it opens a file for writing."""


@dataclass(frozen=True)
class Moment:
    """When a run ends by SIGKILL: at the n-th statement or change of a file, or after so many seconds."""

    kind: str
    at: float


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit status or minus its signal, and, of one that ended by itself, what it did."""

    code: int
    statements: int = 0
    changes: int = 0
    seconds: float = 0.0

    def moments(self, number, random):
        """Spread kills over a run: a third at statements, a third at changes of files, a third by time."""
        for n in range(number):
            kind = ("statement", "change", "time")[n % 3]
            most = {"statement": self.statements, "change": self.changes, "time": self.seconds}[
                kind
            ]
            at = random.uniform(0, most) if kind == "time" else random.randint(1, max(1, int(most)))
            yield Moment(kind, at)


@contextmanager
def commands(*modules):
    """Give what runs the words of a command in a folder, until a moment if one is given."""
    program = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, *modules],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def run(words, folder, moment=None, **environment):
        given = {"words": words, "folder": str(folder), "environment": environment,
                 "kind": moment and moment.kind, "at": moment and moment.at}  # fmt: skip
        program.stdin.write(json.dumps(given) + "\n")
        program.stdin.flush()
        return Ended(**json.loads(program.stdout.readline()))

    try:
        yield run
    finally:
        program.kill()
        program.communicate()


def run_until(given, told):
    """Run a command in this process, which ends by SIGKILL at its moment; write what it did where it ends by itself."""
    import tempfile
    import time

    from kanon_sql.apps.cli.command_line import main
    from kanon_sql.engines.journal import Journal

    folder, kind, at = Path(given["folder"]), given["kind"], given["at"]
    os.chdir(folder)
    os.environ |= {"TMPDIR": str(folder / "tmp"), **given["environment"]}
    tempfile.tempdir = None
    # Where the folder's disk is full, what a run prints is kept all the same.
    with Path(os.environ.get("KANON_TEST_SAID", folder / "said")).open("w") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    done = {"statement": 0, "change": 0}

    def count(what):
        done[what] += 1
        if kind == what and done[what] == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def changes(event, args):
        writes = (
            event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in CHANGES or writes:
            count("change")

    said_before = Journal.statement

    def statement(self, *args, **kwargs):
        said_before(self, *args, **kwargs)
        count("statement")

    Journal.statement = statement
    sys.addaudithook(changes)
    if kind == "time":
        signal.setitimer(signal.ITIMER_REAL, max(at, 1e-4))  # SIGALRM, which nothing handles
    began, code = time.monotonic(), 0
    try:
        main(given["words"], standalone_mode=True)
    except SystemExit as ended:
        code = int(ended.code or 0)
    seconds = time.monotonic() - began
    told.write(
        json.dumps(
            {
                "code": code,
                "statements": done["statement"],
                "changes": done["change"],
                "seconds": seconds,
            }
        )
    )
    told.flush()


def serve(modules):
    for each in (
        "kanon_sql.apps.cli.command_line",
        "kanon_sql.apps.cli.commands.release",
        "kanon_sql.apps.cli.commands.release",
        "sqlglot",
        *modules,
    ):
        with suppress(ImportError):
            importlib.import_module(each)
    for line in sys.stdin:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as told:
                run_until(json.loads(line), told)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as told:
            text = told.read()
        _, status = os.waitpid(pid, 0)
        ended = (
            json.loads(text)
            if text
            else {"code": -os.WTERMSIG(status) if os.WIFSIGNALED(status) else 1}
        )
        print(json.dumps(ended), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1:])
