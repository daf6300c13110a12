"""Names of tables as texts, which a user writes with dots between the parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import table

if TYPE_CHECKING:
    from sqlglot import exp

DOTTED = re.compile(r'(?:"(?:[^"]|"")+"|[^."]+)(?:\.(?:"(?:[^"]|"")+"|[^."]+)){0,2}')
PART = re.compile(r'"(?:[^"]|"")+"|[^."]+')


def parse_table_name(text: str) -> exp.Table:
    """Split a table's name into its parts: dots separate them, double quotes keep a dot in a name.

    >>> parse_table_name('clinic."a.b"').sql(identify=True)
    '"clinic"."a.b"'
    """
    if not DOTTED.fullmatch(text):
        return table(text)
    catalog, schema, own = [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in ["", "", *PART.findall(text)][-3:]
    ]
    return table(own, schema=schema or None, catalog=catalog or None)
