"""Faults planted in the statements: each must be refuted by a table, on which DuckDB then gives other rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A statement of a proof with one text in place of another, all times that it has it."""

    proof: str
    what: str
    old: str
    new: str

    def __str__(self):
        return f"{self.proof}: {self.what}"

    def statements(self, proof):
        """Return the statements of the proof with the fault."""
        changed = [each.replace(self.old, self.new) for each in proof.statements]
        assert changed != list(proof.statements), f"{self} changes nothing"
        return changed


BY_PEOPLE = "failing classes: k and distinct l, by people"
RECOUNT, RECOUNT_L = "recount: k, by rows", "recount: distinct l, by rows"
NULLS, CANDIDATES = (
    "recount: distinct l, NULL a value, by rows",
    "recount where NULL matches any value",
)
CHECK, CHECK_L = "check: k, by rows", "check: distinct l, by rows, 2 nodes"
UNFIT, SHORT = "classes that do not fit: k and alpha", "rows in classes that fall short, by rows"
SCRIPT, KEPT, REST = "verdict of a script", "kept classes", "the remainder at a node"
CERTIFICATE, BOTH = "certificate: k and l", "one pass over two sets of columns"
RISK, FEW = "recount: average_risk", "classes that fail, by the frequency set"
DBT, AUDIT = "dbt: k, by rows", "SQLMesh: distinct l, NULL a value, by rows"
SAME = "IS NOT DISTINCT FROM"

MUTANTS = [
    Mutant(RECOUNT, "more than k for at least k", '"class_size" >= 2', '"class_size" > 2'),
    Mutant(RECOUNT, "at most k for at least k", '"class_size" >= 2', '"class_size" <= 2'),
    Mutant(RECOUNT, "k less one", '"class_size" >= 2', '"class_size" >= 1'),
    Mutant(RECOUNT, "a lost quasi-identifier", ', encode(CAST("select" AS VARCHAR))', ""),
    Mutant(RECOUNT, "classes without NULL", 'AS t\n  GROUP BY', 'AS t WHERE "select" IS NOT NULL\n  GROUP BY'),
    Mutant(RECOUNT, "NULL and a text in one class", 'CAST("select" AS VARCHAR)', """COALESCE("select", 'f')"""),
    Mutant(RECOUNT, "the largest class for the smallest", 'MIN("class_size")', 'MAX("class_size")'),
    Mutant("recount: k, by people", "rows for people", 'COUNT(DISTINCT "who; --")', "COUNT(*)"),
    Mutant("recount: k, by people", "COUNT for COUNT DISTINCT", "COUNT(DISTINCT ", "COUNT("),
    Mutant(RECOUNT_L, "COUNT for COUNT DISTINCT", "COUNT(DISTINCT ", "COUNT("),
    Mutant(RECOUNT_L, "NULL counted as a value", 'COUNT(DISTINCT "dis\'ease")', "COUNT(DISTINCT COALESCE(\"dis'ease\", '?'))"),
    Mutant(NULLS, "NULL not counted", 'MAX(CASE WHEN "dis\'ease" IS NULL THEN 1', 'MAX(CASE WHEN "dis\'ease" IS NULL THEN 0'),
    Mutant(NULLS, "each NULL counted", "MAX(CASE", "SUM(CASE"),
    Mutant("recount: k and distinct l, by rows", "OR for AND", '>= 3 AND', '>= 3 OR'),
    Mutant("recount: alpha, by rows", "less than alpha for at most", "<= 500000000", "< 500000000"),
    Mutant("recount: alpha, by rows", "the rarest value for the most frequent", 'MAX("kanon_in_class_0")', 'MIN("kanon_in_class_0")'),
    Mutant("recount: recursive (c, l), by rows", "from the next value on", '"kanon_rank_0" >= 2', '"kanon_rank_0" > 2'),
    Mutant(RISK, "a class of its own for each row", "COUNT(*) AS class_rows", "1 AS class_rows"),
    Mutant(CHECK, "a wrong mask", "& CAST(30 AS BIGINT)", "& CAST(26 AS BIGINT)"),
    Mutant(CHECK, "the mask of a finer level", "& CAST(30 AS BIGINT)", "& CAST(31 AS BIGINT)"),
    Mutant(CHECK, "rows of the set for rows of the table", 'SUM("f"."row_count")', "COUNT(*)"),
    Mutant(CHECK, "NULL lost in a join", f'"s"."select" {SAME}', '"s"."select" ='),
    Mutant(CHECK_L, "a class for each value", 'GROUP BY 1, 2, f."sensitive_1"', 'GROUP BY 1, 2, f."sensitive_1", f."key_1"'),
    Mutant(CHECK_L, "rows for values", 'COUNT("sensitive")', "COUNT(*)"),
    Mutant("check of two k at once", "one bound for both", '"row_count" >= 3', '"row_count" >= 2'),
    Mutant(FEW, "at most k for fewer than k", "< 2", "<= 2"),
    Mutant(BY_PEOPLE, "a lost negation", "HAVING NOT (", "HAVING ("),
    Mutant(BY_PEOPLE, "COUNT for COUNT DISTINCT", 'COUNT(DISTINCT "s"."who; --")', 'COUNT("s"."who; --")'),
    Mutant("failing classes: k, by rows", "NULL lost in a join", f'"s"."se""x" {SAME}', '"s"."se""x" ='),
    Mutant(KEPT, "a class for each label", 'f."class_0" = "q0"."code" AND', "TRUE AND"),
    Mutant(KEPT, "EXISTS for NOT EXISTS", "NOT EXISTS", "EXISTS"),
    Mutant(UNFIT, "a value of a class counted in all", 'PARTITION BY "class_0", "class_1", "spread_0"', 'PARTITION BY "spread_0"'),
    Mutant(BOTH, "either set for both", ') AND (t."class_0") IN', ') OR (t."class_0") IN'),
    Mutant(REST, "LEFT JOIN for JOIN", "JOIN (", "LEFT JOIN ("),
    Mutant(SHORT, "equality that NULL does not pass", f'"k"."key_1" {SAME}', '"k"."key_1" ='),
    Mutant(CANDIDATES, "NULL matches NULL alone", "(c.nulls | p.nulls)", "c.nulls"),
    Mutant(SCRIPT, "a row too many suppressed", "v.row_count > 1", "v.row_count > 2"),
    Mutant(SCRIPT, "an empty release", " OR v.row_count = 0", ""),
    Mutant(CERTIFICATE, "unequal for equal", '"classes" = 2', '"classes" >= 2'),
    Mutant(DBT, "at most k for fewer than k", "count(*) < 2", "count(*) <= 2"),
    Mutant("dbt: k, by people", "rows for people", 'count(distinct "who; --")', "count(*)"),
    Mutant("dbt: alpha, by rows", "a class without a value passes", "coalesce(kanon_most_frequent, 1)", "coalesce(kanon_most_frequent, 0)"),
    Mutant("dbt: suppression, at most 2", "added rows pass", " or suppressed_rows < 0", ""),
    Mutant(AUDIT, "each NULL counted", "MAX(CASE", "SUM(CASE"),
    Mutant("SQLMesh: suppression, at most 50%", "a share of the release", '"s"."source_rows" * 50', '"r"."released_rows" * 50'),
    Mutant("SQLMesh: k, by rows, NULL refused", "a NULL passes", '"c"."select" IS NULL', "FALSE"),
    Mutant(CERTIFICATE, "PASS for FAIL", "ELSE 'FAIL' END AS verdict, 'at least 2'", "ELSE 'PASS' END AS verdict, 'at least 2'"),
]  # fmt: skip
