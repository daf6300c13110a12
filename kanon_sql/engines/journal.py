"""What a run did: statements, rows scanned, seconds of each step. Counts only, never text or values."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Journal:
    """Counts statements, the rows they are known to scan and the rows they bring to Python."""

    statements: int = 0
    scanned: int = 0
    fetched: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    """The text of each statement with placeholders, in order; kept only where `keep_text`."""
    keep_text: bool = False
    on_step: Callable[[str], None] | None = None
    began: float = field(default_factory=time.perf_counter)
    _within: float = 0.0
    """Seconds of the steps that ended within the one that is timed now."""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time one step of the path; a step within another counts for itself alone, so that all add up to the run's time at most."""
        if self.on_step is not None:
            self.on_step(name)
        start = time.perf_counter()
        before, self._within = self._within, 0.0
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent - self._within
            self._within = before + spent

    @property
    def elapsed(self) -> float:
        """Give the seconds since the run began, those between its steps too."""
        return time.perf_counter() - self.began

    def count(self, done: int, of: int, what: str) -> None:
        """Tell whoever shows the steps how much of one is done, of so many at most (0: unknown); `what` is one."""
        show = getattr(self.on_step, "count", None)
        if show is not None:
            show(done, of, what)

    def statement(self, text: str, *, scans: int, fetched: int) -> None:
        self.statements += 1
        self.scanned += scans
        self.fetched += fetched
        if self.keep_text:
            self.texts.append(text)

    def rounded_seconds(self) -> dict[str, float]:
        return {step: round(spent, 4) for step, spent in self.seconds.items()}

    def summary(self) -> dict[str, object]:
        """Return the counts, as the command line's JSON prints them."""
        return {
            "statements": self.statements,
            "rows_scanned": self.scanned,
            "rows_fetched": self.fetched,
            "seconds": self.rounded_seconds(),
        }
