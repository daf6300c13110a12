"""How long the command line takes to come up: CPU seconds of whole processes, bare Python beside.

    python -m benchmarks.startup [--runs 9]

The least of several runs counts: whatever else the machine does only adds to it. Compiled modules
are kept in a folder of their own, as an installation keeps them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

PROGRAMS = {
    "python -c pass": ["-c", "pass"],
    "import click": ["-c", "import click"],
    "import kanon_sql": ["-c", "import kanon_sql"],
    "kanon-sql --version": ["-m", "kanon_sql", "--version"],
    "kanon-sql --help": ["-m", "kanon_sql", "--help"],
    "kanon-sql plan --help": ["-m", "kanon_sql", "plan", "--help"],
    "kanon-sql engines --json": ["-m", "kanon_sql", "engines", "--json"],
    "import of all commands": [
        "-c",
        "from kanon_sql.apps.cli.command_line import main; list(main.commands.values())",
    ],
}


def cpu_seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Run Python once and return the CPU seconds of its process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for arguments in PROGRAMS.values():
            cpu_seconds(arguments, environment)
        # In turns, so that a busy minute of the machine falls on all of them.
        found = [
            {name: cpu_seconds(arguments, environment) for name, arguments in PROGRAMS.items()}
            for _ in range(runs)
        ]
    for name in PROGRAMS:
        print(f"{name:26} {min(each[name] for each in found):.3f} CPU s")


if __name__ == "__main__":
    main()
