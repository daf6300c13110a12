"""The examples that the help of each command ends with; a test parses each of them."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "algorithms": ("algorithms", "algorithms --json"),
    "anonymize": (
        "anonymize policy.yml",
        "anonymize policy.yml --source 'visits/*.parquet' --replace",
    ),
    "apply": (
        "apply policy.plan.yml --partition day=2026-11-24",
        "apply policy.plan.yml --to-new-rows --source new.parquet",
    ),
    "attack background": ("attack background t --quasi sex,age --sensitive ill --excluding 2",),
    "attack composition": ("attack composition a b --person id --quasi sex,age --sensitive ill",),
    "attack homogeneity": ("attack homogeneity visits --quasi sex,age --sensitive ill",),
    "attack link": ("attack link --target visits.csv --known register.csv --on sex,age",),
    "certify": (
        "certify people_k5.parquet --plan people.plan.yml",
        "certify people_k5.parquet --plan people.plan.yml --sign-with key.pem",
    ),
    "clean": ("clean --dry-run", "clean --path releases --older-than 24"),
    "compare": (
        "compare policy.yml",
        "compare policy.yml --algorithms optimal,mondrian --time-limit 20s",
    ),
    "compile": (
        "compile policy.plan.yml",
        "compile policy.plan.yml --dialect snowflake --table people",
    ),
    "dbt check": ("dbt check", "dbt check clinic --select people_k5"),
    "dbt example": ("dbt example clinic",),
    "dbt path": ("dbt path",),
    "dbt keys": ("dbt keys", "dbt keys clinic --select people_k5 --target dev"),
    "dbt plan": ("dbt plan", "dbt plan clinic --select people_k5 --target dev"),
    "demo": ("demo", "demo -o sample"),
    "diff": (
        "diff old.plan.yml new.plan.yml",
        "git show main:p.plan.yml | kanon-sql diff - p.plan.yml",
    ),
    "engines": ("engines",),
    "explain": ("explain policy.plan.yml", "explain policy.plan.yml --lattice lattice.svg"),
    "explore": ("explore policy.yml", "explore policy.yml -o k11.yml --port 8400 --no-browser"),
    "frequency-query": ("frequency-query policy.yml --dialect snowflake > counted.sql",),
    "suggest": ("suggest policy.yml", "suggest people.csv --time-limit 20s --no-rows"),
    "init": ("init people.csv", "init visits --database hospital.duckdb -o visits.yml"),
    "labels": ("labels people_k5.parquet --plan people.plan.yml -o key.parquet",),
    "lint": ("lint policy.yml", "lint policy.yml --source sample.parquet --json"),
    "plan": (
        "plan policy.yml",
        "plan policy.yml -k 11 --suppression 1% -o k11.plan.yml",
    ),
    "quality": (
        "quality people_k5.parquet --plan people.plan.yml",
        "quality people_k5.parquet --source people.csv --quasi sex,age",
    ),
    "report": (
        "report policy.plan.yml -o report.html",
        "report people_k5.parquet --plan policy.plan.yml --text",
    ),
    "risk": (
        "risk people.csv",
        "risk people.csv --quasi sex,age,zip --release people_k5.parquet",
    ),
    "schema": ("schema > policy.schema.json", "schema --certificate"),
    "sqlmesh audits": ("sqlmesh audits > audits/kanon.sql",),
    "sqlmesh example": ("sqlmesh example clinic",),
    "verify": (
        "verify people_k5.parquet --quasi sex,age,zip -k 5",
        "verify people_k5.certificate --plan people.plan.yml",
    ),
}
"""Examples by the words of their command, such as `dbt plan`, without the program's name."""


def examples_of(words: str) -> list[str]:
    """Return the examples of a command, each as a line to type.

    >>> examples_of("lint")[0]
    'kanon-sql lint policy.yml'
    """
    return [
        each if each.startswith("git ") else f"kanon-sql {each}" for each in EXAMPLES.get(words, ())
    ]
