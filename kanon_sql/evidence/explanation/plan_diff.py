"""Reads two plans and compares them row by row: bounds, columns, quality metrics, search and inputs. Writes nothing.

A number is called better or worse only if both plans measure the same thing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import differ
from kanon_sql.counting.run.arguments import checked
from kanon_sql.evidence.explanation.recoded_columns import (
    GROUP,
    INPUTS,
    PRIVACY,
    QUALITY_AND_RISK,
    RECODING,
    RISKS,
    SEARCH,
    TABLES,
    ChangeKind,
    ChangeRow,
    changed_keys,
    column_text,
    compared,
    headline,
    notes,
    policy_rows,
    recoded_columns,
    text_of,
    warnings,
)
from kanon_sql.policy.metrics.registry import (
    BESIDE_FIGURES,
    GCP,
    HIGHEST_RISK,
    QUALITY,
    SUPPRESSED_SHARE,
    quality_of_label,
    shown_label,
)
from kanon_sql.policy.metrics.statistics import Basis, QualityMetric
from kanon_sql.policy.model import ANY_LEVEL
from kanon_sql.policy.privacy.declared_models import ModelName, strictest
from kanon_sql.recoding.planning.open_plan import policy_at_hand, read_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.model import Policy

    SetCounts = tuple[int | None, int | None]


T = TypeVar("T")

SHOWN_OF_A_HASH = 28
UP, DOWN = (ChangeKind.BETTER, ChangeKind.WORSE), (ChangeKind.WORSE, ChangeKind.BETTER)


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """The differences of two plans: bounds, recoding, quality metrics and inputs.

    `markdown` is for a pull request. It has no value of the data, nor the text of a condition or a statement.
    """

    old: Plan
    new: Plan
    policies: tuple[Policy, Policy] | None = None
    """The policies of both plans, where they are known: they say what plans do not state."""

    @property
    def may_weaken(self) -> bool:
        """Whether privacy is weaker, or changed in something of which nothing shows that it is not."""
        known = self.policies is not None or not self.policy_changed
        doubtful = (row for row in self.rows() if row.group == GROUP)
        return (
            any(row.weakens for row in self.rows())
            or any(row.change is ChangeKind.CHANGED for row in doubtful)
            or not known
        )

    @property
    def markdown(self) -> str:
        """The changes as Markdown: a headline, warnings, and small tables."""
        return markdown(self)

    def document(self) -> dict[str, object]:
        """Return the changes as nested mappings and lists; numbers that are not finite are None."""
        found: dict[str, Any] = {
            "same": self.same,
            "headline": " ".join(headline(self, printable)).strip(),
            "only_data": self.only_data,
            "warnings": warnings(self, printable),
            "notes": notes(self, printable),
            "privacy": [],
            "figures": {},
            "columns": {},
            "policy": {},
            "may_weaken": self.may_weaken,
        }
        for row in self.rows():
            group = found[row.group] if row.group else found
            if row.group == GROUP and row.change is ChangeKind.SAME:
                continue
            value = {"old": row.old, "new": row.new, **row.more}
            if isinstance(group, list):
                group.append(value)
            elif row.key:
                group[row.key] = value
        return {
            **found,
            "over": [
                {
                    "columns": list(columns),
                    "classes": {"old": old[0], "new": new[0]},
                    "smallest_class": {"old": old[1], "new": new[1]},
                }
                for columns, old, new in self.sets
            ],
            "source_changed": self.source_changed,
            "risk": dict(
                zip(("old", "new"), self.both(lambda plan: plan.risk_summary), strict=True)
            ),
            "condition_changed": self.differs(lambda plan: plan.where),
            "policy_changed": self.policy_changed,
            "overrides": {"old": dict(self.old.overrides), "new": dict(self.new.overrides)},
            "other_keys_changed": changed_keys(self),
        }

    def both(self, of: Callable[[Plan], T]) -> tuple[T, T]:
        """Return `of` of the old plan and of the new one."""
        return of(self.old), of(self.new)

    def differs(self, of: Callable[[Plan], object]) -> bool:
        """Return True if `of` differs between the plans."""
        return of(self.old) != of(self.new)

    @property
    def same(self) -> bool:
        """True if both plans' files are equal, to the byte."""
        return not self.differs(lambda plan: plan.to_yaml())

    @property
    def policy_changed(self) -> bool:
        """True if the policy, or an option given in its place, changed."""
        return self.differs(lambda plan: plan.policy_digest)

    @property
    def source_changed(self) -> bool | None:
        """True if the source's rows changed; None if a plan lacks their hash, or the hashes have other keys."""
        if self.differs(lambda plan: plan.source_rows):
            return True
        old, new = self.both(lambda plan: plan.source_fingerprint)
        return None if old is None or new is None else differ(old, new)

    @property
    def only_data(self) -> bool:
        """True if the source changed, and neither the policy nor its options and hierarchies did."""
        return bool(self.source_changed) and not self.differs(
            lambda plan: (
                (plan.policy_digest, dict(plan.overrides)),
                (dict(plan.hierarchies), plan.where),
            )
        )

    @property
    def other_keys(self) -> bool:
        """True if two hashes have different keys or databases, and therefore cannot be compared."""
        old, new = self.both(lambda plan: {**plan.hierarchies, "": plan.source_fingerprint or ""})
        return any(differ(old[name], new[name]) is None for name in old.keys() & new.keys())

    @property
    def other_basis(self) -> tuple[Basis, ...]:
        """The differences between the plans' inputs that make quality metrics incomparable."""
        shared = set(self.old.names) & set(self.new.names)
        other = {
            Basis.COLUMNS: self.differs(lambda plan: set(plan.names)),
            Basis.HIERARCHIES: any(
                self.hierarchy(name) is not ChangeKind.SAME
                or self.old.heights[name] != self.new.heights[name]
                for name in shared
            ),
            Basis.ROWS: self.differs(lambda plan: plan.source_rows),
            Basis.CLASS_SIZE: self.differs(_class_size),
        }
        return tuple(basis for basis in Basis if other[basis])

    def hierarchy(self, name: str) -> ChangeKind:
        """Compare a column's hierarchies by their hashes; hashes that cannot be compared count as the same."""
        old, new = self.old.hierarchies.get(name), self.new.hierarchies.get(name)
        if old is not None and new is not None and not differ(old, new):
            return ChangeKind.SAME
        return compared(old, new)

    @property
    def sets(self) -> Iterator[tuple[tuple[str, ...], SetCounts, SetCounts]]:
        """Yield each set of quasi-identifiers, with both plans' number of classes and smallest class over it."""
        old, new = self.both(
            lambda plan: {each.columns: (each.classes, each.smallest_class) for each in plan.over}
        )
        for columns in dict.fromkeys([*old, *new]):
            yield columns, old.get(columns, (None, None)), new.get(columns, (None, None))

    def rows(self) -> Iterator[ChangeRow]:
        """Yield all rows, table by table."""
        yield from self._bounds()
        yield self._rows_of_source(
            PRIVACY, "suppression limit, rows", "max_suppressed", "max_suppressed_rows"
        )
        if self.policies is not None:
            yield from policy_rows(*self.policies)
        yield from self._columns()
        yield from self._counts()
        yield from self.quality()
        yield from self._search()
        yield from self._inputs()

    def _attribute(
        self, table: str, title: str, attribute: str, *, always: bool = False
    ) -> ChangeRow:
        """Return the row of a plan's attribute, by its name."""
        old, new = self.both(lambda plan: getattr(plan, attribute))
        change, from_file = compared(old, new), isinstance(old, str)
        return ChangeRow(
            table, title, old, new, change, from_file=from_file, always=always, key=attribute
        )

    def _rows_of_source(self, table: str, title: str, attribute: str, key: str) -> ChangeRow:
        """Return the row of an attribute that counts rows, shown with its share of the source's rows."""
        row = self._attribute(table, title, attribute, always=True)
        texts = self.both(lambda plan: _with_share(getattr(plan, attribute), plan))
        return replace(row, texts=texts, key=key)

    def _bounds(self) -> Iterator[ChangeRow]:
        """Yield the strictest bound of each privacy model, unchanged ones too: a reviewer needs to see those."""
        olds, news = self.both(lambda plan: strictest(plan.privacy))
        for name in dict.fromkeys([*olds, *news]):
            old, new = ends = olds.get(name), news.get(name)
            change = compared(old, new, ChangeKind.STRICTER, ChangeKind.WEAKER)
            nulls = [end is not None and not end.ignores_null for end in ends]
            yield ChangeRow(
                PRIVACY,
                name.model,
                old and old.number,
                new and new.number,
                change,
                (name.about,) if name.about else (),
                (text_of(old), text_of(new)) if name.model else (_yes(old), _yes(new)),
                always=True,
                brief=name.letter,
                group="privacy",
                more={
                    "model": name.model or name.about,
                    "of": name.about if name.model else "",
                    "change": change.value,
                    **({"null_is_a_value": nulls} if any(nulls) else {}),
                },
            )

    def _columns(self) -> Iterator[ChangeRow]:
        """Yield the kind of recoding, then every quasi-identifier of either plan, the old plan's first."""
        how = self.both(lambda plan: plan.recoding.summary)
        yield ChangeRow(RECODING, "*all*", *how, compared(*how), key="recoding")
        olds, news = self.both(recoded_columns)
        for name in dict.fromkeys([*olds, *news]):
            old, new, hierarchy = olds.get(name), news.get(name), self.hierarchy(name)
            if old is None or new is None:
                change = compared(old, new)
            elif hierarchy is not ChangeKind.SAME or old.height != new.height:
                change = ChangeKind.CHANGED
            else:
                change = old.change(new)
            gone, other = change is ChangeKind.GONE, hierarchy is ChangeKind.CHANGED
            if gone and self._dropped(name):
                gone, change, hierarchy = False, ChangeKind.CHANGED, ChangeKind.SAME
            yield ChangeRow(
                RECODING,
                "",
                column_text(old),
                column_text(new),
                change,
                (name,),
                note="no longer a quasi-identifier" if gone else "other hierarchy" if other else "",
                group="columns",
                key=name,
                more={"change": change.value, "hierarchy": hierarchy.value},
            )

    def _dropped(self, name: str) -> bool:
        """Return True if the new policy is known to release nothing of a column."""
        if self.policies is None:
            return False
        return not any(
            each.name == name and not each.is_dropped for each in self.policies[1].columns
        )

    def _counts(self) -> Iterator[ChangeRow]:
        """Yield the counts of rows and classes, also over each set of quasi-identifiers if there are several."""
        table = QUALITY_AND_RISK
        suppressed = "suppressed_rows"
        row = self._rows_of_source(table, SUPPRESSED_SHARE.title, suppressed, suppressed)
        yield replace(row, change=self.suppressed.change)
        yield self._attribute(table, "classes", "classes", always=True)
        yield self._attribute(table, "released rows per class", "average_class", always=True)
        yield self._attribute(table, "smallest class", "smallest_class", always=True)
        for columns, was, now in self.sets:
            for at, title in enumerate(("classes over", "smallest class over")):
                change = compared(was[at], now[at])
                yield ChangeRow(table, title, was[at], now[at], change, columns, always=True)

    def quality(self) -> Iterator[ChangeRow]:
        """Yield the risks, the quality metrics of either plan, known ones first, and the suppressed share.

        A cost that is not among the plans' figures is a metric here, if both plans searched by it.
        """
        yield from self._risks()
        olds, news = self.both(lambda plan: plan.figures)
        known = [key for key in QUALITY if key in olds or key in news]
        for key in dict.fromkeys([*known, *olds, *news]):
            yield self._metric(QUALITY.get(key) or _unknown(key), olds.get(key), news.get(key))
        cost = quality_of_label(self.old.metric)
        alike = not self.differs(lambda plan: (plan.metric, len(plan.cost)))
        if cost.key not in QUALITY and alike and len(self.old.cost) == 1:
            yield self._metric(cost, self.old.cost[0], self.new.cost[0])
        yield self.suppressed

    def _risks(self) -> Iterator[ChangeRow]:
        """Yield the risks; plans of earlier versions state only the highest."""
        counted = {plan.risk.counted for plan in (self.old, self.new) if plan.risk is not None}
        for each in RISKS:
            old, new = self.both(each.of)
            if (old, new) == (None, None) and each.metric is not HIGHEST_RISK:
                continue
            row = self._metric(each.metric, old, new, texts=self.both(each.text))
            note = "persons counted in one, rows in the other" if len(counted) > 1 else row.note
            yield replace(row, note=note)

    @property
    def suppressed(self) -> ChangeRow:
        """The row of the suppressed share of rows."""
        old, new = self.both(lambda plan: plan.suppressed_share)
        return self._metric(SUPPRESSED_SHARE, old, new, texts=self.both(_share))

    def _metric(
        self,
        metric: QualityMetric,
        old: float | None,
        new: float | None,
        *,
        texts: tuple[str, str] | None = None,
    ) -> ChangeRow:
        old, new = _finite(old), _finite(new)
        other = next((b.value for b in self.other_basis if b in metric.basis), None)
        better = metric.higher_is_better
        ends = () if other is not None or better is None else UP if better else DOWN
        change = compared(old, new, *ends)
        in_both = change not in {ChangeKind.ADDED, ChangeKind.GONE}
        why_not = f"not comparable: {other}" if other else ""  # of equal values too
        direction = {True: "; higher is better", False: "; lower is better", None: ""}[better]
        in_figures = metric not in BESIDE_FIGURES
        known = metric.key in QUALITY or not in_figures
        return ChangeRow(
            "" if metric is SUPPRESSED_SHARE else QUALITY_AND_RISK,
            f"{metric.title}{direction}" if known else "",
            old,
            new,
            change,
            () if known else (metric.key,),
            texts,
            always=True,
            brief=metric.name if known else "",
            note=why_not if in_both else "not counted in both",
            group="figures" if in_figures else "",
            key=metric.key,
            more={"change": change.value, "not_comparable": other},
        )

    def leading(self) -> ChangeRow | None:
        """Return the metric that utility is judged by: that of both searches, else GCP, LM or discernibility."""
        found = {row.key: row for row in self.quality()}
        own, other = self.both(lambda plan: quality_of_label(plan.metric).key)
        for key in (*([own] if own == other else []), GCP.key, "loss", "discernibility"):
            row = found.get(key)
            if row is not None and None not in {row.old, row.new} and not row.note:
                return row
        return None

    def _search(self) -> Iterator[ChangeRow]:
        """Yield how the recoding was searched, and the cost if it is not among the quality metrics."""
        yield self._attribute(SEARCH, "algorithm", "algorithm")
        metric = self._attribute(SEARCH, "metric", "metric")
        yield replace(metric, texts=self.both(lambda plan: shown_label(plan.metric)))
        yield self._attribute(SEARCH, "proven optimal", "optimal")
        yield self._attribute(SEARCH, "ended by its time limit", "ended_by_time_limit")
        yield self._attribute(SEARCH, "nodes of the lattice", "lattice_nodes")
        olds, news = self.both(lambda plan: plan.within or {})
        for name in dict.fromkeys([*olds, *news]):
            bounds = olds.get(name, ANY_LEVEL), news.get(name, ANY_LEVEL)
            texts = str(bounds[0]), str(bounds[1])
            yield ChangeRow(SEARCH, "allowed levels of", *texts, compared(*bounds), (name,))
        yield self._attribute(SEARCH, "checks in time", "checks_in_time")
        if None in self.both(lambda plan: plan.cost_quality):
            costs = self.both(lambda plan: ", ".join(map(repr, plan.cost)))
            yield ChangeRow(SEARCH, "cost", *costs, compared(*costs))

    def _inputs(self) -> Iterator[ChangeRow]:
        """Yield the plans' inputs: the source, which is always listed, its condition, policy and hierarchies."""
        same = {None: "unknown", True: "changed", False: "same rows"}[self.source_changed]
        rows = self.both(lambda plan: plan.source_rows)
        yield ChangeRow(INPUTS, "source, rows", *rows, always=True, note=same, key="source_rows")
        where = self.both(lambda plan: None if plan.where is None else "in the plan")
        change = ChangeKind.CHANGED if self.differs(lambda p: p.where) else ChangeKind.SAME
        yield ChangeRow(INPUTS, "condition on the source's rows", *where, change)
        policies = self.both(lambda plan: plan.policy_digest)
        yield ChangeRow(
            INPUTS,
            "policy, its hash",
            _hash(policies[0]),
            _hash(policies[1]),
            compared(*policies),
            from_file=True,
        )
        for title, (olds, news) in (
            ("in place of the policy's", self.both(lambda plan: plan.overrides)),
            ("hierarchy of", self.both(lambda plan: plan.hierarchies)),
        ):
            for name in dict.fromkeys([*olds, *news]):
                old, new = olds.get(name), news.get(name)
                change = compared(old, new)
                yield ChangeRow(
                    INPUTS, title, _hash(old), _hash(new), change, (name,), from_file=True
                )
        olds, news = self.both(lambda p: {name: str(of) for name, of in (p.types or {}).items()})
        for name in dict.fromkeys([*olds, *news]):
            texts = olds.get(name, "its own"), news.get(name, "its own")
            yield ChangeRow(INPUTS, "released type of", *texts, compared(*texts), (name,))


def _unknown(key: str) -> QualityMetric:
    return QualityMetric(key, key, key, higher_is_better=None, basis=frozenset())


def _finite(value: float | None) -> float | None:
    """Return the number, or None if it is not finite: a plan file may have such numbers."""
    return value if value is not None and math.isfinite(value) else None


def _class_size(plan: Plan) -> float:
    """Return the k required of classes over all quasi-identifiers; 1 if none is required."""
    found = strictest(plan.privacy).get(ModelName("k-anonymity", ""))
    return 1 if found is None else found.number


def _yes(bound: object) -> str:
    """Format the presence of a privacy statement that has no numeric bound: yes, or a dash."""
    return text_of(None if bound is None else True)


def _with_share(rows: int, plan: Plan) -> str:
    share = f" ({rows / plan.source_rows:.2%})" if plan.source_rows > 0 else ""
    return f"{rows:,}{share}"


def _share(plan: Plan) -> str:
    share = plan.suppressed_share
    return text_of(None if share is None else f"{share:.2%}")


def _hash(value: str | int | None) -> str | int | None:
    """Shorten a hash to 12 characters. Shorter texts, such as an option's value, stay unchanged."""
    if isinstance(value, str) and len(value) > SHOWN_OF_A_HASH:
        return f"{value[:12]}..."
    return value


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
            recut = changes.new.recoding != changes.old.recoding and not changes.new.recoding.nodes
            blocks.append(OF_OTHERS if recut else _as_before(unchanged, len(columns)))
    blocks += [f"{each[0].upper()}{each[1:]}." for each in notes(changes, code)]
    if rest := changed_keys(changes):
        blocks.append(f"Also changed in the plan file: {', '.join(map(code, rest))}.")
    return "\n\n".join(blocks) + "\n"


def _line(row: ChangeRow) -> tuple[str, ...]:
    change = row.note or row.change.value
    return row.titled(code), *row.cells(code), f"**{change}**" if row.weakens else change


OF_OTHERS = "Columns are recoded in the same way, by regions or intervals that are others now."
"""The text in place of the unchanged columns, if what they are recoded by is not what it was."""


def _as_before(rows: Sequence[ChangeRow], columns: int) -> str:
    """List the unchanged columns by name, or their number where there are more than `LONGEST_SAME`."""
    if len(rows) == columns:
        return "Every column is recoded as before."
    if len(rows) > LONGEST_SAME:
        return f"As before: {len(rows)} columns."
    return f"As before: {', '.join(row.titled(code) for row in rows)}."


@checked
def diff(old: str | Path | Plan, new: str | Path | Plan) -> PlanDiff:
    """Compare a plan with an older one: privacy models, recoding, suppression, risk and utility.

    Where each plan's policy is the file that it names, all columns are compared. Guarantee: neither
    the Markdown nor the document has a value of the data.

    Args:
        old: The older plan.
        new: The newer plan.

    Returns:
        The differences, by privacy, recoding, risk and utility.

    Raises:
        InputError: A file does not exist, or is not a plan.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> tens = {"age": {"intervals": [10]}}
    >>> policy = kanon_sql.suggest(people, quasi="age", sensitive="disease", k=2, hierarchies=tens)
    >>> policy["search"] = {"algorithm": "optimal"}
    >>> old = kanon_sql.plan(policy, people)
    >>> new = kanon_sql.plan(policy, people, overrides={"k": 4})
    >>> kanon_sql.diff(old, new).same
    False
    """
    plans, policies = (read_plan(old), read_plan(new)), (policy_at_hand(old), policy_at_hand(new))
    known = None if policies[0] is None or policies[1] is None else (policies[0], policies[1])
    return PlanDiff(*plans, known)
