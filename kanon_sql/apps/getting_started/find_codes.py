"""Finds columns of codes, of phone numbers and of account numbers for `init`: by their names, and by counting values that fit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys import FEW, folded
from kanon_sql.errors import StatementError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import CodeHierarchy, CodeScheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.hierarchy_kind import HierarchyKind

NAMES = {
    "icd10": r"icd|diag|dx|disease|condition|cause",
    "icd9": r"icd|diag|dx|disease|condition|cause",
    "atc": r"atc|drug|medication|substance|medicine",
    "nace": r"nace|isic|industry|sector|branch|activity",
    "naics": r"naics|industry|sector",
    "isco08": r"isco|occupation|job|profession",
    "soc": r"soc|onet|occupation|job|profession",
    "country": r"country|nationality|citizenship|nation|birthplace|origin|residence|cntry|geo",
    "nuts": r"nuts|region|geo",
    "fips": r"fips|county",
    "us_state": r"state",
    "us_zip": r"zip|postcode|postal",
}
"""The beginnings of words in the names of columns that may hold codes of each scheme, which is tried in this order."""
LONGEST = {
    "icd10": 3,
    "icd9": 3,
    "atc": 3,
    "nace": 3,
    "naics": 3,
    "isco08": 3,
    "nuts": 3,
    "fips": 5,
}
"""The least length of the longest code: short numbers are as well those of a list of the table's own."""
NEARLY = 0.9
"""The least share of rows with a code for which a comment names the scheme that the others are no codes of."""
IBAN = CodeScheme(
    "iban", "IBAN", (), "", pattern="AA99", lengths=tuple(range(15, 35)), dropped=" -"
)
PHONE = re.compile(r"\+?\(?9[9 ()./-]{5,}9")
"""Matches the shape of a phone number, or of a number that is written like one."""
ZIP_OR_PLAIN = re.compile(r"9+|9{5}-9{4}")
"""Matches shapes of digits alone, and of a ZIP code of nine digits."""


def with_codes(
    run: Session, table: exp.Table, profiles: Mapping[str, ColumnProfile]
) -> dict[str, ColumnProfile]:
    """Return the profiles with the schemes whose codes the values are, and with the forms of direct identifiers."""
    return {name: _with_code(run, table, each) for name, each in profiles.items()}


def _with_code(run: Session, table: exp.Table, each: ColumnProfile) -> ColumnProfile:
    is_measured = each.kind == "number" and each.fractions > 0
    if each.kind not in {"text", "number"} or is_measured or each.is_date or not each.present:
        return each
    if (direct := _direct(run, table, each)) is not None:
        return replace(each, direct=direct)
    best = each
    for scheme, words in NAMES.items():
        is_long = each.longest >= LONGEST.get(scheme, 0)
        if is_long and re.search(rf"(^|_)({words})", folded(each.name)):
            coded = _rows_of_codes(run, table, each.name, CodeHierarchy(scheme))
            if coded >= NEARLY * each.present and coded > best.coded:
                best = replace(each, code=scheme, coded=coded)
    return best


def _direct(run: Session, table: exp.Table, each: ColumnProfile) -> str | None:
    """Return what kind of direct identifier a column's values have the form of; None if there is none."""
    if each.kind != "text" or each.is_number or each.values <= FEW:
        return None
    shapes = [shape for shape, _ in each.shapes]
    if shapes and all(shape and PHONE.fullmatch(shape.strip()) for shape in shapes):
        marked = any(not ZIP_OR_PLAIN.fullmatch(str(shape).strip()) for shape in shapes)
        return "phone numbers, or of other numbers of a person" if marked else None
    if 15 <= each.longest <= 42 and each.shortest >= 15:
        rows = run.engine.fetch_count(rows_that_fit(table, each.name, IBAN))
        return "account numbers (IBAN)" if rows == each.present else None
    return None


def _rows_of_codes(run: Session, table: exp.Table, name: str, kind: HierarchyKind) -> int:
    """Count the rows whose value has a path in a hierarchy."""
    domain, paths = run.scratch.table("domain"), run.scratch.table("paths")
    try:
        run.engine.execute(mapping_sql.domain(domain, table, name))
        run.engine.execute(mapping_sql.paths_by_rule(paths, domain, kind))
        return run.engine.fetch_count(rows_with_path(domain, paths, kind.height))
    except StatementError:
        return 0


def rows_with_path(domain: exp.Table, paths: exp.Table, height: int) -> Statement:
    """Count the rows whose value has a path in a hierarchy by rule."""
    root = column(mapping_sql.level(height), of="p")
    leaves = {"domain": domain, "paths": paths, "root": root, "as_text": False}
    return Statement("getting_started/rows_with_path", leaves)


def rows_that_fit(table: exp.Table, name: str, scheme: CodeScheme) -> Statement:
    """Count the rows whose value has the form of a code of a scheme."""
    leaves = {"source": table, "column": column(name, of="s"), "code": scheme.leaves}
    return Statement("getting_started/rows_that_fit", leaves)
