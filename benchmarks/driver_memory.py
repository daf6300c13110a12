"""How the memory of a process, and of its Spark's JVM, goes over time: the peak in each third of a run.

What this process has in memory is Python with its DuckDB. Of the JVM the heap counts that a garbage collection leaves;
what Spark throws away soon is not in it. With `local[...]` the JVM is also the executor; in a cluster it is the driver.
"""

from __future__ import annotations

import resource
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY = 0.05
"""Seconds between two looks at this process."""
HEAP_EVERY = 10
"""Looks at this process for one at the heap, each of which asks the JVM some ten questions."""
CLEANED = 2
"""Seconds in which Spark drops blocks that a collection has found to be of no use."""
HEAP = ("Eden", "Survivor", "Old")
"""What the names of the pools of a heap have, whatever the collector."""


@dataclass
class Course:
    """Bytes of this process and of the heap after a collection, each at a time since the run began."""

    process: list[tuple[float, int]] = field(default_factory=list)
    heap: list[tuple[float, int]] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    """The heap after a full collection, before the run and after it."""
    seconds: float = 0

    @property
    def grown(self) -> int:
        """By how many bytes this process grew at most."""
        return max(value for _, value in self.process) - self.process[0][1]

    def told(self) -> dict[str, object]:
        """Give the figures in MiB."""
        found: dict[str, object] = {"process_mib": self._of(self.process)}
        if self.heap:
            found["heap_mib"] = self._of(self.heap)
            before, after = self.live
            found["live_heap_mib"] = {"before": _mib(before), "after": _mib(after)}
        return found

    def _of(self, samples: list[tuple[float, int]]) -> dict[str, object]:
        """Give the first of the samples, and the highest in each third of the run."""
        last, peaks = samples[0][1], []
        for third in range(3):
            of = [value for at, value in samples if int(3 * at / self.seconds) == third]
            peaks.append(max(of, default=last))
            last = of[-1] if of else last
        return {"before": _mib(samples[0][1]), "peak_by_thirds": list(map(_mib, peaks))}


def resident() -> int:
    """Read how many bytes this process has in memory; only Linux says so in a file."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def heap_after_collection(jvm: Any) -> int:  # noqa: ANN401  a bridge to Java has no types
    """Ask a JVM how many bytes its last garbage collection left in its heap; 0 before the first."""
    last, left = -1, 0
    for collector in jvm.java.lang.management.ManagementFactory.getGarbageCollectorMXBeans():
        told = collector.getLastGcInfo()
        if told is None or told.getEndTime() <= last:
            continue
        last, pools = told.getEndTime(), told.getMemoryUsageAfterGc()
        left = sum(pools[name].getUsed() for name in pools if any(part in name for part in HEAP))
    return left


def _live_heap(jvm: Any) -> int:  # noqa: ANN401  as above
    """Collect, let Spark drop the blocks that nothing refers to any more, and collect once more."""
    jvm.java.lang.System.gc()
    time.sleep(CLEANED)
    jvm.java.lang.System.gc()
    return heap_after_collection(jvm)


def _mib(size: int) -> int:
    return round(size / 2**20)


@contextmanager
def memory_of(connection: object) -> Iterator[Course]:
    """Sample the memory while a block runs; a connection that is a Spark session has a JVM."""
    course, ended = Course(), threading.Event()
    jvm = getattr(connection, "_jvm", None)
    if jvm is not None:
        course.live.append(_live_heap(jvm))
    started = time.perf_counter()

    def sample() -> None:
        turn = 0
        while True:
            now = time.perf_counter() - started
            course.process.append((now, resident()))
            if jvm is not None and turn % HEAP_EVERY == 0:
                course.heap.append((now, heap_after_collection(jvm)))
            turn += 1
            if ended.wait(EVERY):
                return

    sampling = threading.Thread(target=sample)
    sampling.start()
    try:
        yield course
    finally:
        ended.set()
        sampling.join()
        course.seconds = time.perf_counter() - started
        if jvm is not None:
            course.live.append(_live_heap(jvm))
