"""The result of `anonymize` and `apply`: a release that was published or stays in the database."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from kanon_sql.base.documents.shown import Shown, ShownResult
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.shown_plan import cost_of, shown_plan, suppressed_text
from kanon_sql.counting.run.inputs import NO_POLICY
from kanon_sql.counting.run.session import session
from kanon_sql.counting.source.open_view import open_as_view
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.frames import from_relation
from kanon_sql.errors import Fault, ReleaseError
from kanon_sql.recoding.recount import recount_line, shown_verification
from kanon_sql.release.added_rows import AddedRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd  # type: ignore[import-untyped]  # a caller may have its stubs
    import polars as pl
    import pyarrow as pa  # type: ignore[import-untyped]

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.journal import Journal
    from kanon_sql.engines.locations import Destination, Source
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.recoding.new_rows.recode_new_rows import NewRows
    from kanon_sql.recoding.recount import Verification


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """The place to read a published release from: its file, or its table in the database of the run."""

    source: Source
    columns: tuple[str, ...]
    connection: object | None
    database: str | None
    settings: Settings | None

    def read(self, library: str) -> object:
        """Read the rows into a frame of a library. Raises SourceError where they are no longer there."""
        with ExitStack() as stack:
            engine = stack.enter_context(
                open_engine(self.connection, self.database, self.settings, writes=False)
            )
            run = stack.enter_context(session(engine, NO_POLICY))
            view = run.scratch.table("published")
            open_as_view(run, view, self.source, "")
            try:
                relation = engine.relation(view, self.columns)
            except ReleaseError:  # of an engine whose rows no frame library fetches
                what = f"was published; read it from {self.source.table}"
                raise ReleaseError("release", [Fault("", what)]) from None
            return from_relation(relation, library)


@dataclass(repr=False)
class Release(ShownResult):
    """A release with its plan and the recount that it passed.

    `place` is its path or table. Without a destination it is None, and `relation` returns the rows lazily, for
    `.df()`, `.pl()` or `.to_arrow_table()`, until the release is closed or no longer referred to. `labelled` columns
    have labels of a hierarchy.
    """

    plan: Plan
    verification: Verification
    destination: Destination | None
    place: str | None
    columns: tuple[str, ...]
    journal: Journal
    _relation: object | None
    _held: ExitStack
    new: NewRows | AddedRows | None = None
    _library: str = "pyarrow"
    _published: PublishedRows | None = None
    labelled: tuple[str, ...] = ()

    @property
    def relation(self) -> Any:  # noqa: ANN401  what the engine's own library gives
        """The released rows, if the release has no destination. Raises ReleaseError if it has, or was closed."""
        if self._relation is None:
            what = "was closed; read its rows before"
            if self.destination is not None:
                what = f"was published; read it from {self.place}"
            raise ReleaseError("release", [Fault("", what)])
        return self._relation

    def report(self, *, search: bool | None = None, time_limit: float = 20.0) -> Report:
        """Report on the released rows, as they are now: `kanon_sql.report` with the policy and source of the run."""
        from kanon_sql.evidence.reports.make_report import report  # noqa: PLC0415  few releases are reported

        return report(self, search=search, time_limit=time_limit)

    def verify(self) -> Verification:
        """Recount the released rows, as they are now, against the models of the run's policy.

        Raises InputError where the policy counts people by a column that is not released.
        """
        from kanon_sql.apps.python.verify_table import verify_release  # noqa: PLC0415  few are verified again

        return verify_release(self)

    def frame(self) -> Any:  # noqa: ANN401  a frame of any library
        """Read the released rows into memory: as a frame of the library of the source, else of Arrow."""
        return self._read(self._library)

    def to_pandas(self) -> pd.DataFrame:
        """Read the released rows into a DataFrame of pandas."""
        return self._read("pandas")

    def to_polars(self) -> pl.DataFrame:
        """Read the released rows into a DataFrame of polars."""
        found: pl.DataFrame = self._read("polars")
        return found

    def to_arrow(self) -> pa.Table:
        """Read the released rows into a Table of pyarrow."""
        return self._read("pyarrow")

    def _read(self, library: str) -> Any:  # noqa: ANN401  a frame of that library
        if self._published is not None:
            return self._published.read(library)
        return from_relation(self.relation, library)

    @property
    def warnings(self) -> list[str]:
        """The warnings of the plan, of the recount and of an added partition, each once."""
        of_part = self.new.warning if isinstance(self.new, AddedRows) else None
        found = [*self.plan.warnings, *self.verification.warnings, *([of_part] if of_part else [])]
        return list(dict.fromkeys(found))

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds that each step of the run took."""
        return self.journal.rounded_seconds()

    def close(self) -> None:
        """Drop the rows of `relation` from the database."""
        self._relation = None
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def _shown(self) -> Shown:
        held = "in the database, until it is closed" if self._relation is not None else "closed"
        place = held if self.place is None else self.place
        found, made = shown_verification(self.verification), shown_plan(self.plan)
        return Shown(
            f"{recount_line(self.verification)}; {place}",
            [
                ("released to", place),
                *found.facts,
                ("suppressed rows", suppressed_text(self.plan)),
                (self.plan.metric, cost_of(self.plan)),
            ],
            [*made.tables, *found.tables],
            self.warnings,
            charts=[*made.charts, *found.charts],
        )

    def __exit__(self, *_: object) -> None:
        self.close()

    def summary(self) -> dict[str, object]:
        """Return the object that `anonymize --json` prints."""
        name = None if self.destination is None else self.destination.name
        new = {} if self.new is None else self.new.document(self.verification.rows)
        risk = self.verification.risk
        counted = {} if risk is None else {"risk": {**self.plan.risk_before, **risk.summary()}}
        return {
            **self.plan.summary(),
            **counted,
            **new,
            **self.journal.summary(),
            "release": name,
            "verification": self.verification.summary(),
        }
