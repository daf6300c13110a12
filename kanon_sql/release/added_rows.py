"""Counts of the rows of a partition that was added to a release."""

from __future__ import annotations

from kanon_sql.base.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AddedRows:
    """Counts of a partition: its `rows` in the source, rows that the recoding assigned, and added rows.

    `before` counts the rows published before. Of the `classes_alone` that the partition has by itself, `short_alone`
    fit only together with published rows: 0 if its column is a quasi-identifier, whose value no other class has.
    """

    rows: int
    assigned: int
    added: int
    before: int
    classes_alone: int
    short_alone: int

    @property
    def withheld(self) -> int:
        """The number of withheld rows, which the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Return the counts for the summary of a release; `released` is not used."""
        del released
        return {
            "partition_rows": self.rows,
            "added": self.added,
            "published_before": self.before,
            "withheld": self.withheld,
            "suppressed": self.assigned - self.added,
            "short_alone": self.short_alone,
        }

    @property
    def warning(self) -> str | None:
        """A warning on classes that are smaller for someone who knows a person's partition; None if none are."""
        if not self.short_alone:
            return None
        return (
            f"{self.short_alone:,} of the partition's {self.classes_alone:,} classes fit only together with other "
            f"partitions: whoever knows in which partition a person is sees fewer people than the policy asks for; "
            f"if that can be known, its column is a quasi-identifier"
        )
