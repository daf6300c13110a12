"""Runs that are killed after a number of statements of a step: real processes, real signals."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager


@contextmanager
def killer(*modules, within="publish", asks=True):
    """Give what runs a policy until a statement of a step, and tells by what signal that run ended.

    `delay` seconds after the statement a timer ends the run, by a signal that nothing handles;
    without a delay it is SIGKILL. Zero is the end of a run that was over before. Without `asks`
    only statements count that change something.
    """
    program = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, within, str(int(asks)), *modules],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def run_until(policy, step, delay=0.0):
        program.stdin.write(f"{step} {delay} {policy}\n")
        program.stdin.flush()
        return int(program.stdout.readline())

    try:
        yield run_until
    finally:
        program.kill()
        program.communicate()


def run(policy, last, delay, *, within, asks):
    """Release by a policy; this process ends with its statement of that number within a step."""
    import kanon_sql
    from kanon_sql.engines.journal import Journal

    said, begun = Journal.statement, Journal.step
    steps, counting = [0], [False]

    def statement(self, *args, **kwargs):
        said(self, *args, **kwargs)
        steps[0] += counting[0] and (asks or not kwargs["fetched"])
        if steps[0] == last:
            steps[0] += 1
            if not delay:
                os.kill(os.getpid(), signal.SIGKILL)
            signal.setitimer(signal.ITIMER_REAL, delay)

    def step(self, name):
        counting[0] |= name == within
        return begun(self, name)

    Journal.statement, Journal.step = statement, step
    if policy.startswith("{"):  # the arguments of another function
        kanon_sql.apply(**json.loads(policy))
        return
    kanon_sql.anonymize(policy, purge=within == "purge")


if __name__ == "__main__":
    step, every, *modules = sys.argv[1:]
    for each in ("kanon_sql", "sqlglot", *modules):  # nothing but imports warms a run up
        importlib.import_module(each)
    for line in sys.stdin:
        number, seconds, path = line.rstrip("\n").split(" ", 2)
        pid = os.fork()
        if pid == 0:
            run(path, int(number), float(seconds), within=step, asks=every == "1")
            os._exit(0)
        print(os.waitpid(pid, 0)[1], flush=True)
