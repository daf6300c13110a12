"""A process that has dbt imported and forks for each command: most of a short command is its imports.

It reads one command a line as JSON, and answers with its exit code; what it prints goes to a file.
"""

from __future__ import annotations

import json
import os
import sys
import traceback


def child(asked):
    """Be the command: in its folder, with its environment, its output in its file."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    with open(asked["output"], "wb") as output:  # noqa: PTH123
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    code = 2
    try:
        from dbt.cli.main import dbtRunner

        found = dbtRunner().invoke(asked["args"])
        code = 0 if found.success else 1 if found.exception is None else 2
        if found.exception is not None:
            print(found.exception)
    except BaseException:  # noqa: BLE001  a child never goes back to the loop
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def main():
    import dbt.adapters.duckdb
    import dbt.cli.main  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        started = os.fork()
        if not started:
            child(asked)
        _, status = os.waitpid(started, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
