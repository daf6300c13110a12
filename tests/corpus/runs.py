"""What a policy comes to, as a document that is frozen: the plan less its words, and the release.

Only what users can reach is used here, so that no move within the package touches it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa
import yaml

import kanon_sql
from kanon_sql.counting.plans.plan import by_older_keys
from tests.corpus.table import SCHOOLS, later_people, people

HERE = Path(__file__).parent
POLICIES = HERE / "policies"
FROZEN = HERE / "frozen"
CHANNELS = HERE / "channels"
NAMES = sorted(path.stem for path in POLICIES.glob("*.yml"))

ENVIRONMENT = {
    "KANON_SQL_PLAN_KEY": "the people of this plan do not exist",
    "KANON_TEST_KEY": "a key of thirty-two bytes, or so",
}
"""Both keys are fixed, so that hashes under them are."""

BY_LOT = {"mondrian_relaxed", "mondrian_runs", "order"}
"""Policies that deal rows by lot: each column of their releases stays as it is, and no row does."""

WAREHOUSES = {
    "snowflake": {"dialect": "snowflake", "table": "people", "release": "released"},
    "sqlmesh": {"sqlmesh": "made.released"},
}
MADE = (
    "released",
    "applied",
    "shown",
    "scripted",
    "released_later",
    "people_in_place",
    "people_before",
)
"""The tables that a policy's runs may leave."""

NEUTRAL = {
    "varchar": "text", "string": "text", "character varying": "text", "bigint": "int64", "integer": "int32",
    "int": "int32", "double precision": "double", "timestamp without time zone": "timestamp",
}  # fmt: skip
"""What engines call a type, where they do not call it by the same name."""

TYPES_OF_POSTGRES = (
    b"SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
    b"WHERE attrelid = CAST(CAST(%s AS TEXT) AS REGCLASS) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
)


def prepare(place, folder):
    """Put the tables there that policies name, and beside the policies the files."""
    place.put("people", people())
    place.put("people_later", later_people())
    parents = ["low", "low", "middle", "high", "high"]
    entries = {"value": SCHOOLS, "wide": parents, "all": ["*"] * len(SCHOOLS)}
    place.put("schools", pa.table(entries))
    made = duckdb.from_arrow(people())
    made.write_csv(str(folder / "people.csv"), sep=";")
    made.write_parquet(str(folder / "people.parquet"))


def of_files(name):
    """Whether a policy reads or writes files, which tests do on DuckDB alone."""
    policy = yaml.safe_load((POLICIES / f"{name}.yml").read_text(encoding="utf-8"))
    release = policy.get("release", {})
    return "path" in policy["source"] or "parquet" in release or str(release).endswith(".csv")


class Run:
    """One policy on one engine: a place of `tests/engines/conftest.py`, and the folder of the policies."""

    def __init__(self, name, place, folder):
        self.name, self.place, self.folder = name, place, folder
        self.path = folder / f"{name}.yml"
        self.document = yaml.safe_load(self.path.read_text(encoding="utf-8"))
        self.given = {"connection": place.connection}
        self.release = self.document.get("release", {})
        self.in_place = self.document["source"] == "people_in_place"
        self.planned = None

    def __enter__(self):
        if self.in_place:
            self.place.put("people_in_place", people())
        return self

    def __exit__(self, *_):
        for table in {*MADE} & {*self.place.left()}:
            try:
                self.place.drop(table)
            except Exception:  # noqa: BLE001  each driver has its own: a view is not dropped as a table
                self.place.execute(f"DROP VIEW {table}")

    def frozen(self):
        """Plan and release in one run; or what kind of error says that there is none, and where."""
        release = {} if self.release else {"release": "released"}
        try:
            made = kanon_sql.anonymize(str(self.path), **self.given, **release)
        except kanon_sql.KanonError as error:
            return {"refused": refusal(error)}
        plan, hashes = less_words(made.plan)
        effort = {
            "checks": made.plan.checks,
            **dict(made.plan.effort),
            "warnings": len(made.plan.warnings),
        }
        if made.plan.minimal_nodes is not None:
            effort["minimal_nodes"] = [list(node) for node in made.plan.minimal_nodes]
        return {
            "plan": plan,
            "effort": effort,
            "recount": self.recounted(made.verification.summary()),
            "release": self.released(made),
            **({"kept": self.of_table("people_before")} if "keep_original" in self.release else {}),
            "hashes": hashes,
        }

    def recounted(self, summary):
        """What the recount found, without what depends on which of equal rows are where."""
        if self.name in BY_LOT:
            del summary["unique_over_all_columns"]
        return summary

    def channels(self):
        """What each other way from the policy to rows gives, and whether warehouses are written for."""
        file = self.folder / f"{self.name}.plan.yml"
        boundaries = str(file.with_suffix(".boundaries.parquet"))
        try:
            plan = kanon_sql.plan(str(self.path), **self.given, boundaries=boundaries)
        except kanon_sql.KanonError as error:
            return {"refused": refusal(error)}
        file.write_text(plan.to_yaml(), encoding="utf-8")
        self.planned = less_words(plan)[0]
        given = {**self.given, "policy": str(self.path)}
        view = {"table": "shown", "view": True}
        later = {"release": "released_later", "to_new_rows": True}
        ways = {
            "applied": lambda: self.applied(file, release="applied", **given),
            "view": lambda: self.applied(file, release=view, **given),
            "script": lambda: self.scripted(file, **given),
            "new_rows": lambda: self.applied(file, "people_later", **later, **given),
        }
        for name, asked in WAREHOUSES.items():
            ways[name] = partial(written, file, **given, **asked)
        told = {}
        for name, way in ways.items():
            try:
                told[name] = way()
            except kanon_sql.KanonError as error:
                told[name] = {"refused": refusal(error)}
        return told

    def applied(self, file, *source, **given):
        made = kanon_sql.apply(str(file), *source, **given)
        told = self.released(made)
        return told if made.new is None else {"held_back": made.new.withheld, **told}

    def scripted(self, file, **given):
        """Run the script by the driver: what the shell reads of the environment is there a function."""
        script = kanon_sql.compile_sql(str(file), release="scripted", **given)
        key = ENVIRONMENT["KANON_TEST_KEY"]
        with closing(self.place.connection.cursor()) as own:
            own.execute(f"CREATE TEMP MACRO getenv(name) AS '{key}'")
            own.execute(script)
        return self.of_table("scripted")

    def released(self, made):
        """What a reader gets, wherever the release is."""
        match made.destination.format:
            case "csv":
                return self.of_relation(duckdb.read_csv(made.place, header=True))
            case "parquet":
                folder = Path(made.place).is_dir()
                files = f"{made.place}/**/*.parquet" if folder else made.place
                return self.of_relation(duckdb.read_parquet(files, hive_partitioning=folder))
            case "table":
                return self.of_table(made.place.rpartition(".")[2])
            case other:
                raise AssertionError(other)

    def of_relation(self, relation):
        return self.told(relation.columns, map(str, relation.types), relation.fetchall())

    def of_table(self, table):
        return self.told(self.place.names(table), self.types(table), self.place.read(table))

    def types(self, table):
        match self.place.name:
            case "duckdb":
                rows = self.place.connection.execute(f"DESCRIBE {table}").fetchall()
                return [row[1] for row in rows]
            case "postgres":
                rows = self.place.connection.execute(TYPES_OF_POSTGRES, [table]).fetchall()
                return [name for (name,) in rows]
            case "spark":
                return [name for _, name in self.place.connection.table(table).dtypes]
            case other:
                raise AssertionError(other)

    def told(self, names, types, rows):
        """Each column's name, type, number of values and hash, and the hash of all rows in order."""
        texts = [[cell_text(value) for value in row] for row in rows]
        columns = {
            name: {
                "type": neutral(kind),
                "values": len(Counter(column)),
                "sha256": hashed(column)[:12],
            }
            for name, kind, column in zip(names, types, zip(*texts, strict=True), strict=True)
        }
        whole = {} if self.name in BY_LOT else {"sha256": hashed(map(json.dumps, texts))}
        return {"rows": len(texts), **whole, "columns": columns}


def less_words(plan):
    """A plan's document without its words and its SQL, by the keys that it was frozen with, and its hashes beside."""
    told = json.loads(json.dumps(plan.document()))
    told["recoding"] = by_older_keys(told["recoding"])
    del told["sql"], told["privacy"], told["policy"]["file"]
    del told["source"]["fingerprint"]  # an engine's own, and its version's
    hashes = {"policy": told["policy"].pop("sha256"), "hierarchies": told.pop("hierarchies")}
    for of_cuts in ("digest", "sides"):
        if of_cuts in told["recoding"]:
            hashes[of_cuts] = told["recoding"].pop(of_cuts)
    return told, hashes


def written(file, **asked):
    kanon_sql.compile_sql(str(file), **asked)
    return "written"


def refusal(error):
    """What kind of error it is, and where in the policy, on which lines; its words may change."""
    faults = {(fault.line or 0, fault.where) for fault in getattr(error, "faults", ())}
    told = [where if line == 0 else f"line {line}: {where}" for line, where in sorted(faults)]
    return {type(error).__name__: told} if told else type(error).__name__


def cell_text(value):
    """A value as it reads in every engine; bytes and nested values there are none."""
    return "NULL" if value is None else f"{type(value).__name__} {value}"


def hashed(texts):
    """A hash of texts in any order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def neutral(kind):
    kind = kind.lower()
    return re.sub(r"^numeric\b", "decimal", NEUTRAL.get(kind, kind))


class _Dumper(yaml.SafeDumper):
    """Writes what holds no mapping with members of its own on one line."""

    def represent_mapping(self, tag, mapping, flow_style=None):
        flat = not any(isinstance(value, dict | list) for value in dict(mapping).values())
        return super().represent_mapping(tag, mapping, flow_style=flat and len(mapping) <= 4)

    def represent_sequence(self, tag, sequence, flow_style=None):
        flat = len(sequence) <= 6 or all(isinstance(value, int) for value in sequence)
        flat = flat and not any(isinstance(value, dict | list) for value in sequence)
        return super().represent_sequence(tag, sequence, flow_style=flat)

    def ignore_aliases(self, data):
        return True


def text_of(document):
    """The text of a frozen file."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
