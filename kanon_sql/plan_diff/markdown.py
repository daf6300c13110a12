"""Formats a comparison of two plans as Markdown, for a comment on a pull request.

Text from a plan file is formatted as code, in which Markdown, HTML, mentions and links have no effect, because anybody
can write a file of a pull request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.documents.text import printable
from kanon_sql.plan_diff.change_row import TABLES, ChangeKind
from kanon_sql.plan_diff.summary import changed_keys, headline, notes, warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.plan_diff.change_row import ChangeRow
    from kanon_sql.plan_diff.plan_diff import PlanDiff

LONGEST_SAME = 8
"""The most unchanged columns that are listed by name; more are only counted."""


def code(text: str) -> str:
    """Format any text as code in Markdown, so that it is safe in a cell of a table too.

    >>> print(code("zip"), code("a|b"), code("`x` <b>"))
    `zip` <code>a&#124;b</code> <code>&#96;x&#96; &#60;b&#62;</code>
    """
    shown = printable(text)
    if "`" in shown or "|" in shown or not shown.strip():
        # No fence of backticks holds these in every reader of tables; references do.
        parts = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in shown)
        return f"<code>{''.join(parts)}</code>"
    return f"`{shown}`" if shown == shown.strip() else f"` {shown} `"


def markdown(changes: PlanDiff) -> str:
    """Return a headline, warnings, small tables of the changes, and notes."""
    lead, signs = headline(changes, code)
    if changes.same:
        return f"{lead}\n"
    blocks = [f"**{lead}** {signs}".strip()]
    if alarming := warnings(changes, code):
        blocks.append("\n".join(f"- **Warning:** {each}." for each in alarming))
    for table in TABLES:
        shown = [row for row in changes.rows() if row.table == table]
        lines = [_line(row) for row in shown if row.always or row.change is not ChangeKind.SAME]
        if lines:
            lines = [("", "old", "new", ""), ("---", "---:", "---:", "---"), *lines]
            text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            blocks.append(f"### {table}\n\n{text}")
        columns = [row for row in shown if row.group == "columns"]
        if unchanged := [row for row in columns if row.change is ChangeKind.SAME]:
            blocks.append(_as_before(unchanged, len(columns)))
    blocks += [f"{each[0].upper()}{each[1:]}." for each in notes(changes, code)]
    if rest := changed_keys(changes):
        blocks.append(f"Also changed in the plan file: {', '.join(map(code, rest))}.")
    return "\n\n".join(blocks) + "\n"


def _line(row: ChangeRow) -> tuple[str, ...]:
    change = row.note or row.change.value
    return row.titled(code), *row.cells(code), f"**{change}**" if row.weakens else change


def _as_before(rows: Sequence[ChangeRow], columns: int) -> str:
    """List the unchanged columns by name, or their number where there are more than `LONGEST_SAME`."""
    if len(rows) == columns:
        return "Every column is recoded as before."
    if len(rows) > LONGEST_SAME:
        return f"As before: {len(rows)} columns."
    return f"As before: {', '.join(row.titled(code) for row in rows)}."
