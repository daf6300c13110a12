"""Prints what SQLMesh renders of each audit of a project's model, as a list in JSON: run by the Python that has SQLMesh."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main() -> None:
    folder, name = sys.argv[1:]
    model = import_module("sqlmesh").Context(paths=folder).get_model(name)
    asked = [model.render_audit_query(each, **given) for each, given in model.audits_with_args]
    sys.stdout.write(f"\n{json.dumps([each.sql('duckdb', pretty=True) for each in asked])}\n")


if __name__ == "__main__":
    main()
