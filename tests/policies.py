"""Small policies that are good, and may be made odd."""

from __future__ import annotations

from hypothesis import strategies as st

GOOD = """\
version: 1
source: adult.csv
entity: row
columns:
  sex:      {role: quasi, hierarchy: {csv: hierarchy_sex.csv}}
  age:      {role: quasi, hierarchy: {intervals: [5, 10, 20]}}
  zip:      {role: quasi, hierarchy: {mask: 5}}
  birth:    {role: quasi, hierarchy: {dates: [month, year, decade]}}
  name:     {role: identifying, action: drop}
  ssn:      {role: identifying, action: hash, key_env: KANON_KEY}
  disease:  {role: sensitive}
  visit_id: {role: insensitive}
privacy: {k: 5}
suppression: 4%
nulls: category
search: {algorithm: optimal, metric: loss, time_limit: 60s}
release: adult_k5.parquet
"""


def with_(**changes):
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}, "b": {"role": "sensitive"}}
    base = {"version": 1, "source": "t", "entity": "row", "columns": columns, "privacy": {"k": 2}}
    return {k: v for k, v in {**base, **changes}.items() if v is not None}


def with_column(**entry):
    return with_(columns={"a": {"role": "quasi", "hierarchy": "suppress"}, "c": entry})


WORDS = st.sampled_from(
    ["version", "source", "entity", "row", "columns", "role", "quasi", "hierarchy", "intervals",
     "mask", "dates", "year", "tree", "csv", "privacy", "k", "distinct_l", "suppression", "4%",
     "search", "release", "a", "1", "0", "-1", "1.5", ".inf", ".nan", "1.0e+40", "null", "~", "*",
     "!!int", "!!bool", "!!set", "&x", "*x", "<<", "'", '"', "|", ">", "?", "-", "[", "]", "{", "}",
     ":", ",", "#", "\n", "\n  ", "\t", "---", "%YAML", "0x1F", "0b1", "1:30", "2020-01-01", "😀"]
)  # fmt: skip
"""What a file may hold where a word is expected."""
