"""The explorer as a process of its own, at the address that it prints."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]


@contextmanager
def explorer_of(folder, policy, *more):
    """Serve a policy of a folder; give the address with its token, and the origin."""
    words = [sys.executable, "-m", "kanon_sql", "explore", policy, "--no-browser", *more]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
    with subprocess.Popen(
        words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        told = ""
        try:
            for line in process.stdout:
                told += line
                found = re.search(r"(http://127\.0\.0\.1:\d+/\?token=\S+)", line)
                if found:
                    break
            assert found, told
            parts = urlsplit(found[1])
            yield found[1], f"{parts.scheme}://{parts.netloc}"
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
