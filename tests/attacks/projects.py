"""The attack table in one dbt project and in one SQLMesh project: a model an attack, one build for all."""

from __future__ import annotations

import json
import re
from contextlib import closing

import duckdb
import yaml

from tests.attacks.channels import Outcome, make_sources, released, rows_told

REFUSES = re.compile(r"^error: ", re.MULTILINE)


class Built:
    """What a project made of each attack: its outcome, and all that was said and written meanwhile.

    SQLMesh writes names in small letters.
    """

    def __init__(self, file):
        self.file, self.outcomes, self.words = file, {}, []

    def read(self, attacks, schema, ending):
        """Read the releases; what is not there was not released."""
        with closing(duckdb.connect(str(self.file), read_only=True)) as connection:
            for attack in attacks:
                if attack.name in self.outcomes:
                    continue
                try:
                    rows = released(connection, f"{attack.slug}{ending}", schema)
                    own = {name.casefold(): name for name in attack.columns()}
                    rows = [
                        {own[name.casefold()]: cell for name, cell in row.items()} for row in rows
                    ]
                except duckdb.CatalogException:
                    rows = None
                self.outcomes[attack.name] = Outcome(rows, rows_told(rows or []))


def in_dbt(project, attacks):
    """Plan each attack's source, a table of the warehouse, in a project, and build all that were planned."""
    for name in ("models", "seeds", "hierarchies", "tests", "macros"):
        for file in (project.folder / name).rglob("*.*"):
            if file.is_file():
                file.unlink()
    settings = yaml.safe_load((project.folder / "dbt_project.yml").read_text())
    settings.pop("seeds")
    project.write("dbt_project.yml", yaml.safe_dump(settings))
    file = project.folder / "patients.duckdb"
    make_sources(file, attacks)
    project.write(
        "models/sources.yml",
        json.dumps({"version": 2, "sources": [sources(attacks)]}, ensure_ascii=False),
    )
    project.linked()
    built = Built(file)
    built.words.append(project.dbt("parse"))
    for attack in attacks:
        told = project.run_kanon("dbt", "plan", ".", "--select", f"{attack.slug}_out")
        built.words.append(told.output)
        if told.exit_code:
            assert REFUSES.search(told.output), told.output
            built.outcomes[attack.name] = Outcome(None, [told.output])
    built.words.append(project.dbt("build"))
    built.words += [
        file.read_bytes()
        for name in ("logs", "target", "macros", "models/kanon")
        for file in (project.folder / name).rglob("*")
        if file.is_file() and not file.name.endswith(".msgpack")
    ]
    built.read(attacks, "main", "_out")
    return built


def sources(attacks):
    tables = []
    for attack in attacks:
        own = {
            key: told for key, told in attack.mapping().items() if key not in ("version", "columns")
        }
        columns = [
            {"name": name, "quote": True, "config": {"meta": {"kanon": told}}}
            for name, told in attack.columns().items()
        ]
        meta = {"kanon": {**own, "release": f"{attack.slug}_out"}}
        tables.append({"name": attack.slug, "config": {"meta": meta}, "columns": columns})
    return {"name": "raw", "schema": "main", "tables": tables}


COMPILE = """
import json, sys
from pathlib import Path
import duckdb, kanon_sql
from kanon_sql.apps.scripts import audits_file

told = {}
with duckdb.connect("lab.duckdb") as connection:
    for each in json.loads(Path("attacks.json").read_text()):
        connection.execute(f'CREATE TABLE {each["slug"]} AS {each["source"]}')
        try:
            plan = kanon_sql.plan(each["policy"], connection=connection)
            text = kanon_sql.compile_sql(
                plan, policy=each["policy"], connection=connection, sqlmesh=f'out.{each["slug"]}'
            )
        except kanon_sql.KanonError as error:
            told[each["name"]] = str(error)
        else:
            Path("models", each["slug"] + ".sql").write_text(text, encoding="utf-8")
Path("audits/kanon.sql").write_text(audits_file(), encoding="utf-8")
Path("refused.json").write_text(json.dumps(told))
"""
CONFIG = """
gateways: {lab: {connection: {type: duckdb, database: lab.duckdb}}}
default_gateway: lab
model_defaults: {dialect: duckdb, start: 2026-01-01}
disable_anonymized_analytics: true
"""


def in_sqlmesh(project, attacks):
    """Compile each attack to a model of one project, and build all that were compiled."""
    for name in ("models", "audits"):
        (project.folder / name).mkdir()
    asked = [
        {
            "name": attack.name,
            "slug": attack.slug,
            "source": attack.source,
            "policy": attack.mapping(source={"table": f"main.{attack.slug}"}),
        }
        for attack in attacks
    ]
    project.write("attacks.json", json.dumps(asked))
    project.write("compile.py", COMPILE)
    project.write("config.yaml", CONFIG)
    built = Built(project.folder / "lab.duckdb")
    built.words.append(project.shell("python compile.py"))
    refused = json.loads(project.read("refused.json"))
    built.outcomes = {name: Outcome(None, [told]) for name, told in refused.items()}
    for name in ("attacks.json", "compile.py"):
        (project.folder / name).unlink()
    built.words.append(project.plan())
    texts = [*(project.folder / "models").iterdir(), *(project.folder / "logs").rglob("*")]
    built.words += [file.read_bytes() for file in texts if file.is_file()]
    built.read(attacks, "out", "")
    return built
