"""What became of the rows of a partition that was released beside others."""

from __future__ import annotations

from kanon_sql.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AddedRows:
    """A partition of `rows` in the source: so many are in a place of the recoding, and so many were added to those `before`.

    Of the classes that it has by itself, `short_alone` fit only together with what is published beside it. None are
    where the values of the partition are known to whoever tells classes apart.
    """

    rows: int
    assigned: int
    added: int
    before: int
    classes_alone: int
    short_alone: int

    @property
    def held_back(self) -> int:
        """Count the rows that the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Give the counts of what became of them; all partitions together have so many `released` rows."""
        del released
        return {
            "partition_rows": self.rows,
            "added": self.added,
            "published_before": self.before,
            "held_back": self.held_back,
            "suppressed": self.assigned - self.added,
            "short_alone": self.short_alone,
        }

    @property
    def warning(self) -> str | None:
        """Say what whoever knows the partition of a person may see."""
        if not self.short_alone:
            return None
        return (
            f"{self.short_alone:,} of the partition's {self.classes_alone:,} classes fit only together with other "
            f"partitions: whoever knows in which partition a person is sees fewer people than the policy asks for; "
            f"if that can be known, its column is a quasi-identifier"
        )
