"""The histogram of a table's classes by size, which is all that a model of the whole table reads.

There are at most sqrt(2 * rows) different sizes, however many classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.privacy.privacy_model import Requirement


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """Pairs of a size in rows and how many classes have it, the smallest size first.

    >>> sizes = ClassSizes.of([(3, 1), (1, 2)])
    >>> sizes.classes, sizes.rows, sizes.unique, sizes.smallest(2)
    (3, 5, 2, 2)
    """

    counts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, counts: Iterable[tuple[int, int]]) -> Self:
        """Sort the pairs, so that results do not depend on the order in which a database returns them."""
        return cls(tuple(sorted(counts)))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return sum(many for _, many in self.counts)

    @property
    def rows(self) -> int:
        """How many rows they have."""
        return sum(size * many for size, many in self.counts)

    @property
    def unique(self) -> int:
        """How many rows are alone in their class."""
        return dict(self.counts).get(1, 0)

    @property
    def squares(self) -> int:
        """The sum of the squared sizes."""
        return sum(size * size * many for size, many in self.counts)

    def smallest(self, classes: int) -> int:
        """Return the number of rows in this many of the smallest classes."""
        return self.rows - self.without_smallest(classes).rows

    def without_smallest(self, classes: int) -> ClassSizes:
        """Return the sizes without this many of the smallest classes."""
        for at, (size, many) in enumerate(self.counts):
            if classes < many:
                return ClassSizes(((size, many - classes), *self.counts[at + 1 :]))
            classes -= many
        return ClassSizes(())

    def most_within(self, rows: int) -> int:
        """Return how many of the smallest classes have at most `rows` rows together."""
        found = 0
        for size, many in self.counts:
            fit = min(many, rows // size)
            found, rows = found + fit, rows - fit * size
            if fit < many:
                break
        return found


def smallest_to_suppress(required: Sequence[Requirement], sizes: ClassSizes, most: int) -> int:
    """Return how many of the smallest classes to suppress, one after the other, until a table keeps all requirements.

    The result is `most` + 1 if suppressing `most` classes is not enough. The remaining classes keep all requirements,
    and did not before the last class was suppressed. If a requirement that is kept stays kept when more of the smallest
    classes are suppressed, as a share of classes or of unique rows does, the result is the least such number.
    """
    found = 0
    while (broken := next((r for r in required if not _kept(r, sizes, found)), None)) is not None:
        low, found = found, most
        if low >= most or not _kept(broken, sizes, most):
            return most + 1
        while found - low > 1:
            middle = (low + found) // 2
            if _kept(broken, sizes, middle):
                found = middle
            else:
                low = middle
    return found


def _kept(required: Requirement, sizes: ClassSizes, suppressed: int) -> bool:
    left = sizes.without_smallest(suppressed)
    return left.classes > 0 and required.holds(required.measure.of_sizes(left))
