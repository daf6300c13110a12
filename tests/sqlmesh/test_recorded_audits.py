"""The audits that are proven are those that SQLMesh renders: `tests/proofs/audits.sql` has them for who has no SQLMesh."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kanon_sql.base.sql.templates import template_root

projects = pytest.importorskip("tests.proofs.projects", reason="no z3: it is in the extra dev")

CONFIG = """gateways: {here: {connection: {type: duckdb}}}
default_gateway: here
model_defaults: {dialect: duckdb, start: 2024-01-01}
"""


def test_the_recorded_audits_are_what_sqlmesh_renders(sqlmesh, tmp_path):
    for name, text in (
        ("config.yaml", CONFIG),
        ("models/released.sql", projects.audited_model()),
        ("audits/kanon.sql", (template_root() / "sqlmesh/audits/kanon.sql").read_text(encoding="utf-8")),
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    script = Path(__file__).with_name("render_audits.py")
    done = subprocess.run(
        [sqlmesh, str(script), str(tmp_path), "main.released"], cwd=tmp_path, capture_output=True, text=True,
        timeout=300, check=False, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rendered = json.loads(done.stdout.strip().splitlines()[-1])
    text = "".join(f"{each};\n" for each in rendered)
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        projects.RECORDED.write_text(text, encoding="utf-8")
    assert projects.RECORDED.read_text(encoding="utf-8") == text
