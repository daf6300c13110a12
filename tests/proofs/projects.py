"""What runs in projects of dbt and SQLMesh: their tests of a release, as the packages' own macros render them for DuckDB.

dbt's are rendered here. SQLMesh pins what these tests do not: what it renders is recorded in `audits.sql`, and
`tests/sqlmesh/test_recorded_audits.py` compares the record with what SQLMesh renders today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot
from jinja2 import Environment, StrictUndefined
from sqlglot import exp

from kanon_sql.base.sql.templates import template_root
from tests.proofs.definitions import Classes, Table
from tests.proofs.proof import Proof
from tests.proofs.recounts import ILL, MODELS, SEX, WHO, ZIP

FOLDER = template_root() / "dbt" / "macros" / "generic_tests"
RECORDED = Path(__file__).with_name("audits.sql")
RELEASE, SOURCE = "released", "source"
"""Names without quotes, as a name that SQLMesh renders has a catalog and a schema before it."""
DECIDES_NOTHING = ("class_hash", "quasi_identifiers")


def quoted(name):
    """Quote a name, as the adapter of DuckDB and the packages do."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Case:
    """A test of classes: the model by its name among `MODELS`, the test that is asked for, and with what."""

    model: str
    test: str
    entity: str | None = None
    nulls: str = "category"

    def __str__(self):
        by = "by people" if self.entity else "by rows"
        return f"{self.model}, {by}{', NULL refused' if self.nulls == 'refuse' else ''}"

    @property
    def quasi(self):
        """Name the quasi-identifiers: one beside a sensitive column, else two."""
        return [SEX, ZIP] if self.test == "k_anonymity" else [SEX]

    @property
    def bound(self):
        """Give what the model asks for."""
        return 0.5 if self.test == "alpha" else 2

    @property
    def options(self):
        """Give the arguments beside columns and bound that are not the defaults."""
        found = {"entity": self.entity} if self.entity else {}
        found |= {"nulls": "refuse"} if self.nulls == "refuse" else {}
        return found | ({"sensitive_nulls": "value"} if "NULL a value" in self.model else {})

    def proof(self, package, statement):
        """Return the proof that a statement lists the classes that fail: with their size, or those of alpha without."""
        letters = ("f", "m", None)
        values = dict.fromkeys(self.quasi, letters)
        if self.entity:
            values[WHO] = letters
        elif self.test != "k_anonymity":
            values[ILL] = ("x", "y", None)
        table = Table(RELEASE, values, rows=4 if self.entity or self.test == "alpha" else 5)

        def defined(tables):
            rows = tables[RELEASE]
            world, gates = rows.world, rows.world.gates
            found = []
            for each in Classes(rows, self.quasi, MODELS[self.model][1](self.entity)).found:
                unknown = gates.any(world.known(each.cells[key]) ^ 1 for key in self.quasi)
                fails = each.fits ^ 1
                if self.nulls == "refuse":
                    fails = gates.either(fails, unknown)
                told = {"class_size": each.rows.size(self.entity)}
                if self.test == "alpha":
                    told = {"sensitive_column": world.constant(ILL)}
                found.append((gates.both(each.there, fails), told))
            return found

        template = f"{package}/{self.test}"
        return Proof(f"{package}: {self}", template.lower(), [statement], [table], defined)


ALPHA = (
    Case("alpha", "alpha"),
    Case("alpha", "alpha", nulls="refuse"),
    Case("alpha, NULL a value", "alpha"),
)
COUNTED = (
    *(Case("k", "k_anonymity", entity, nulls) for entity in (None, WHO) for nulls in ("category", "refuse")),
    Case("distinct l", "l_diversity"),
    Case("distinct l", "l_diversity", nulls="refuse"),
    Case("distinct l, NULL a value", "l_diversity"),
)  # fmt: skip
"""What both packages test; dbt's tests alpha too."""
SUPPRESSED = (2, "50%")
"""How many rows may be missing: a number, or a share."""


class Package:
    """The tests of dbt's package with what dbt and its adapter of DuckDB bring; the hash of a class is a constant."""

    def __init__(self):
        env = Environment(extensions=["jinja2.ext.do"], autoescape=False, undefined=StrictUndefined)
        names = ("k_anonymity", "l_diversity", "alpha", "suppression")
        text = "\n".join((FOLDER / f"{name}.sql").read_text(encoding="utf-8") for name in names)
        text = re.sub(r"\{% macro was_built.*?endmacro %\}", "", text, flags=re.DOTALL)
        text = re.sub(r"\{% test (\w+)", r"{% macro test_\1", text).replace("endtest", "endmacro")
        self.module = env.from_string(text, globals={"kanon": self}).module

    def __getattr__(self, name):
        return getattr(self.module, name)

    def quote(self, name):
        return quoted(name)

    def quoted(self, names):
        return ", ".join(map(quoted, names))

    def text(self, value):
        return "'" + value.replace("'", "''") + "'"

    def class_hash(self, columns):
        return "'the hash'"

    def was_built(self, relation):
        return True


def tests_of_dbt():
    """Yield the proofs that a test of dbt fails for the classes that its definition says, and for no others."""
    for case in (*COUNTED, *ALPHA):
        named = (case.quasi, *([] if case.test == "k_anonymity" else [ILL]), case.bound)
        statement = getattr(Package(), f"test_{case.test}")(RELEASE, *named, **case.options)
        yield case.proof("dbt", statement)
    for at_most in SUPPRESSED:
        yield of_suppression(at_most, "dbt", Package().test_suppression(RELEASE, SOURCE, at_most))


def of_suppression(at_most, channel, statement):
    """Return the proof that a test of suppressed rows fails where too many rows are missing, or any was added."""
    tables = [Table(name, {SEX: ("f", None)}, rows=6) for name in (SOURCE, RELEASE)]

    def defined(tables):
        world = tables[SOURCE].world
        sizes = [tables[name].size() for name in (SOURCE, RELEASE)]
        most = {2: lambda _: 2, "50%": lambda source: source // 2}[at_most]
        fails = world.lift(lambda s, r: s - r > most(s) or r > s, *sizes)
        missing = world.lift(lambda s, r: s - r, *sizes)
        return [(world.truth(fails), {"suppressed_rows": missing})]

    name = f"{channel}: suppression, at most {at_most}"
    return Proof(name, f"{channel.lower()}/suppression", [statement], tables, defined)


def audited_model():
    """Return the model of a SQLMesh project that asks for each audit that is proven."""
    asked = []
    for case in COUNTED:
        sensitive = [] if case.test == "k_anonymity" else [f"sensitive := {quoted(ILL)}"]
        told = [
            f"columns := ({', '.join(map(quoted, case.quasi))})",
            *sensitive,
            f"{'k' if case.test == 'k_anonymity' else 'l'} := {case.bound}",
            *(f"{key} := {quoted(WHO) if key == 'entity' else repr(value)}" for key, value in case.options.items()),
        ]  # fmt: skip
        asked.append(f"kanon_{case.test}({', '.join(told)})")
    asked += [f"kanon_suppression(source := {SOURCE}, at_most := {each!r})" for each in SUPPRESSED]
    listed = ",\n  ".join(asked)
    return f"MODEL (name main.{RELEASE}, kind FULL, audits (\n  {listed}\n));\nSELECT 1 AS one;\n"


def audits_of_sqlmesh():
    """Yield the proofs that an audit of SQLMesh fails for the classes that its definition says, and for no others."""
    texts = RECORDED.read_text(encoding="utf-8").split(";\n")
    statements = [decided_by(each) for each in texts if each.strip()]
    for case, statement in zip(COUNTED, statements[: len(COUNTED)], strict=True):
        yield case.proof("SQLMesh", statement)
    for at_most, statement in zip(SUPPRESSED, statements[len(COUNTED) :], strict=True):
        yield of_suppression(at_most, "SQLMesh", computed(statement))


def decided_by(text):
    """Return an audit without the hash of a class and its salt, and with its tables' names alone."""
    tree = sqlglot.parse_one(text, read="duckdb")
    tree.set("expressions", [e for e in tree.expressions if e.alias not in DECIDES_NOTHING])
    kept = [each for each in tree.args.get("joins") or [] if each.this.alias != "s"]
    tree.set("joins", kept)
    for table in tree.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    return tree.sql("duckdb")


def computed(text):
    """Return a statement with what reads no column computed by DuckDB, and with its choices by that taken."""
    tree = sqlglot.parse_one(text, read="duckdb")
    for case in list(tree.find_all(exp.Case)):
        (chosen,) = case.args["ifs"]
        case.replace(chosen.args["true"] if value_of(chosen.this) else case.args["default"])
    for cast in list(tree.find_all(exp.Cast)):
        if cast.is_type("decimal"):
            cast.replace(exp.Literal.number(f"{value_of(cast).normalize():f}"))
    return tree.sql("duckdb")


def value_of(constant):
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT {constant.sql('duckdb')}").fetchone()[0]
