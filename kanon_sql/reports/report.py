"""The report as a dataclass, which pages, terminals, notebooks and files of figures are made from."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.documents.shown import Shown, ShownResult
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.shown_plan import shown_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.model import Policy
    from kanon_sql.privacy.attackers import SizeCount
    from kanon_sql.privacy.risks import CountedBy, RiskFigures
    from kanon_sql.release_quality.measured import Quality
    from kanon_sql.reports.report_values import (
        Correlation,
        LabelPairs,
        LabelTree,
        MeasuredModel,
        ReportedColumn,
        ReportOf,
        SearchFigures,
        SensitiveSpread,
    )
    from kanon_sql.source.exposed_rows import UniqueOverAll


@dataclass(frozen=True, slots=True, repr=False)
class Report(ShownResult):
    """The measurements of a plan or of a release, for the people who decide on it.

    Texts are names, and labels of released classes; labels that are values of the source are replaced by numbers.
    `sizes` counts the classes by size, in rows or persons as `counted` says; `risk` is that of the same classes.
    `unique` counts the rows that are unique over all released columns, of up to a million. Numbers of the source are
    None if it was not read. `left_out` says why a section is missing, by its name. `search` has results under other
    limits.
    """

    of: ReportOf
    name: str
    made_by: str
    engine: str
    policy: Policy
    plan: Plan
    counted: CountedBy
    sizes: tuple[SizeCount, ...]
    sizes_before: tuple[SizeCount, ...] | None
    risk: RiskFigures
    risk_before: RiskFigures | None
    models: tuple[MeasuredModel, ...]
    columns: tuple[ReportedColumn, ...]
    quality: Quality | None
    sensitive: tuple[SensitiveSpread, ...]
    correlations: tuple[Correlation, ...]
    pairs: LabelPairs | None
    trees: tuple[LabelTree, ...]
    search: SearchFigures | None
    unique: UniqueOverAll | None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def to_html(self) -> str:
        """Return the report as an HTML page: one self-contained file, which loads no other."""
        from kanon_sql.reports.report_page import page_of  # noqa: PLC0415  which imports this

        return page_of(self)

    def to_text(self) -> str:
        """Return the report as text of at most 80 columns, for a terminal."""
        from kanon_sql.reports.report_text import text_of_report  # noqa: PLC0415  which imports this

        return text_of_report(self)

    def write(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all. Raises InputError."""
        from kanon_sql.reports.report_files import write_page  # noqa: PLC0415  which imports this

        write_page(self, Path(path))

    def figures(self, folder: str | Path) -> list[Path]:
        """Write `class_sizes`, `tradeoff` and `distinct_values` to a folder, each as SVG and PNG.

        Raises InputError without the extra `report`, or where a file cannot be written.
        """
        from kanon_sql.reports.report_files import write_figures  # noqa: PLC0415  which imports this

        return write_figures(self, Path(folder))

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        return Shown(
            f"of {self.of} {self.name}: {made.line}", made.facts, made.tables, made.warnings
        )
