"""Each dialect's spelling of short expressions. Statements that differ have a template per dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.words.duckdb import DuckDBWords
from kanon_sql.base.sql.words.postgres import PostgresWords
from kanon_sql.base.sql.words.spark import SparkWords
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from kanon_sql.base.sql.words.common import Print, Words

DUCKDB, POSTGRES, SPARK = "duckdb", "postgres", "spark"
WORDS: dict[str, type[Words]] = {DUCKDB: DuckDBWords, POSTGRES: PostgresWords, SPARK: SparkWords}
FILTERS = (
    "as_json", "as_list", "bit", "bit_place", "both_halves", "byte_length", "bytes", "check_digits",
    "counter", "date", "day_text", "days", "digits", "digits_of_hash", "double", "group", "groups", "half", "half_hash",
    "half_hash_column", "hashed",
    "hex_number", "in_order", "in_part", "joined", "keyed", "keyed_for", "keyed_half", "logarithm", "moved", "multiple",
    "multiset", "noise", "numbered", "numbers_of_half", "of_round", "ones", "parted", "picked", "plain", "plain_digits", "read_bytes", "redacted",
    "repeated", "same", "scaled", "scaled_integer", "scratch_table", "scratch_view", "sha256", "sorted_list",
    "start_of", "text", "typed", "unnested", "week_text", "week_year", "whole_sum", "with_digits",
    "written_as",
)  # fmt: skip
"""The words that templates use, as filters."""


def unknown_dialect(dialect: str) -> InternalError:
    """Return the error for a dialect without words. No other dialect's words are used in its place."""
    return InternalError(f"no words of the dialect {dialect} are known here")


def dialect_of_words(dialect: str) -> type[Words]:
    """Return the class of a dialect's words, which says what its database does. Raises InternalError if it has none."""
    if dialect not in WORDS:
        raise unknown_dialect(dialect)
    return WORDS[dialect]


def words_of(dialect: str, print_leaf: Print) -> Words:
    """Return a dialect's words, which print leaves by `print_leaf`. Raises InternalError if it has none."""
    return dialect_of_words(dialect)(print_leaf)
