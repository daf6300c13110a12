"""`explore --json` prints one object with the keys that its help explains, before it serves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from kanon_sql.apps.cli.json_keys import JSON_KEYS

ROOT = Path(__file__).parents[2]
POLICY = """version: 1
source: people.csv
entity: row
columns:
  "my ""zip": {role: quasi, hierarchy: {mask: 2}}
  ill: {role: sensitive}
privacy: {k: 2}
release: out.parquet
""".replace('""', '\\"')


def test_the_first_line_is_the_object_that_is_explained(tmp_path):
    rows = "".join(f"{10 + n % 4},{'ab'[n % 2]}\n" for n in range(40))
    (tmp_path / "people.csv").write_text(f'"my ""zip",ill\n{rows}', encoding="utf-8")
    (tmp_path / "own.yml").write_text(POLICY, encoding="utf-8")
    words = [sys.executable, "-m", "kanon_sql", "explore", "own.yml", "--json", "--no-browser"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    found = json.loads(line)
    assert found.keys() == JSON_KEYS["explore"].keys()
    assert found["status"] == "ok"
    assert found["address"].startswith("http://127.0.0.1:")
    assert (found["policy"], found["plan"]) == ("own.explored.yml", "own.explored.plan.yml")
    assert rest == ""
