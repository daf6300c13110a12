"""A census-like table of any size, the same everywhere, and a policy for it.

    python -m benchmarks.census 1000000 census.parquet

The columns are skewed and correlated, as people are: eight quasi-identifiers, a disease, an
income and the number of the person. Ten million rows have some 5.6 million distinct tuples of
the quasi-identifiers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import duckdb

TREES: dict[str, dict[str, object]] = {
    "education": {
        "any education": {
            "compulsory": {
                "primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
                "some secondary": ["9th", "10th", "11th", "12th"],
            },
            "beyond": {
                "secondary": ["HS-grad", "Some-college"],
                "vocational": ["Assoc-voc", "Assoc-acdm"],
                "tertiary": ["Bachelors", "Masters", "Prof-school", "Doctorate"],
            },
        }
    },
    "marital": {
        "any status": {
            "has a spouse": ["Married-civ-spouse", "Married-spouse-absent", "Married-AF-spouse"],
            "has none": ["Never-married", "Divorced", "Separated", "Widowed"],
        }
    },
    "country": {
        "any country": {
            "North America": ["United-States", "Mexico", "Canada"],
            "Latin America": [
                *("Puerto-Rico", "El-Salvador", "Cuba", "Jamaica", "Guatemala", "Columbia"),
                *("Dominican-Republic", "Haiti", "Nicaragua", "Peru", "Ecuador", "Honduras"),
                *("Trinidad-Tobago", "Outlying-US"),
            ],
            "Asia": [
                *("Philippines", "India", "China", "Vietnam", "Japan", "Taiwan", "South-Korea"),
                *("Iran", "Hong-Kong", "Thailand", "Cambodia", "Laos"),
            ],
            "Europe": [
                *("Germany", "England", "Italy", "Poland", "Portugal", "Greece", "France"),
                *("Ireland", "Yugoslavia", "Hungary", "Scotland", "Holland"),
            ],
        }
    },
    "workclass": {
        "any work": {
            "private": ["Private", "Self-emp-not-inc", "Self-emp-inc"],
            "public": ["Local-gov", "State-gov", "Federal-gov"],
            "unpaid": ["Without-pay", "Never-worked"],
        }
    },
    "occupation": {
        "any occupation": {
            "office": [
                "Adm-clerical",
                "Exec-managerial",
                "Prof-specialty",
                "Sales",
                "Tech-support",
            ],
            "manual": [
                *("Craft-repair", "Machine-op-inspct", "Handlers-cleaners", "Transport-moving"),
                "Farming-fishing",
            ],
            "service": ["Other-service", "Protective-serv", "Priv-house-serv", "Armed-Forces"],
            "none": ["None"],
        }
    },
}
QUASI: dict[str, object] = {
    "sex": "suppress",
    "age": {"intervals": [5, 10, 20, 40]},
    "zip": {"mask": 5},
    **{name: {"tree": tree} for name, tree in TREES.items()},
}
VARIABLES = {"educations": "education", "maritals": "marital", "countries": "country",
             "workclasses": "workclass", "occupations": "occupation"}  # fmt: skip


def leaves(tree: object) -> list[str]:
    """Give the leaves of a tree in the order in which they are written."""
    if isinstance(tree, dict):
        return [leaf for child in tree.values() for leaf in leaves(child)]
    return [str(leaf) for leaf in tree] if isinstance(tree, list) else []


def policy(
    source: Path, *, k: int = 5, suppression: str = "1%", metric: str = "loss"
) -> dict[str, object]:
    """Give the policy that the benchmarks run on a census."""
    return {
        "version": 1,
        "source": str(source),
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            **{name: {"role": "quasi", "hierarchy": spec} for name, spec in QUASI.items()},
            "disease": {"role": "sensitive"},
            "income": {"role": "insensitive"},
        },
        "privacy": {"k": k},
        "suppression": suppression,
        "search": {"metric": metric},
    }


def generate(
    rows: int, out: Path, *, threads: int | None = None, memory_limit: str | None = None
) -> None:
    """Write a census as Parquet, row group by row group: memory does not grow with the rows."""
    text = Path(__file__).with_name("census.sql").read_text(encoding="utf-8")
    asked = {"threads": threads, "memory_limit": memory_limit}
    config: dict[str, str | bool | int | float | list[str]] = {
        name: value for name, value in asked.items() if value is not None
    }
    with duckdb.connect(config=config) as connection:
        connection.execute("SET VARIABLE census_rows = CAST(? AS BIGINT)", [rows])
        for variable, column in VARIABLES.items():
            connection.execute(f"SET VARIABLE {variable} = ?", [leaves(TREES[column])])
        connection.sql(text).write_parquet(str(out), compression="snappy")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--memory-limit")
    given = parser.parse_args()
    generate(given.rows, given.out, threads=given.threads, memory_limit=given.memory_limit)


if __name__ == "__main__":
    main()
