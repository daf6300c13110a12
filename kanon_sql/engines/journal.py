"""What a run did: counts of statements and rows, seconds per step; texts only on request."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass

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
    on_statement: Callable[[], None] | None = None
    """Called after each statement; what it raises ends the run between two statements."""
    began: float = field(default_factory=time.perf_counter)
    _within: float = 0.0
    """Seconds of the nested steps that ended within the current step."""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time one step, without its nested steps: the sum of all steps is at most the run's time."""
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
        """The seconds since the run began, including those between its steps."""
        return time.perf_counter() - self.began

    def count(self, done: int, of: int, what: str) -> None:
        """Pass progress to the display of steps: `done` of at most `of` (0: unknown). `what` is the singular."""
        show = getattr(self.on_step, "count", None)
        if show is not None:
            show(done, of, what)

    def statement(self, text: str, *, scans: int, fetched: int) -> None:
        self.statements += 1
        self.scanned += scans
        self.fetched += fetched
        if self.keep_text:
            self.texts.append(text)
        if self.on_statement is not None:
            self.on_statement()

    def rounded_seconds(self) -> dict[str, float]:
        return {step: round(spent, 4) for step, spent in self.seconds.items()}

    def summary(self) -> dict[str, object]:
        """Return the counts as `--json` prints them."""
        return {
            "statements": self.statements,
            "rows_scanned": self.scanned,
            "rows_fetched": self.fetched,
            "seconds": self.rounded_seconds(),
        }
