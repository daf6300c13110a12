"""Every kind of destination of a release, and the one that publishes at a given destination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.locations import Destination, Format
from kanon_sql.release.destination import Publisher, Unpublished
from kanon_sql.release.publish import FilePublisher, TablePublisher
from kanon_sql.release.publish_lake import DeltaPublisher, DuckLakePublisher, IcebergPublisher
from kanon_sql.release.publish_view import ViewPublisher
from kanon_sql.release.replace_in_place import InPlacePublisher

if TYPE_CHECKING:
    from kanon_sql.counting.run.session import Session

PUBLISHERS: tuple[type[Publisher], ...] = (
    ViewPublisher,
    InPlacePublisher,
    TablePublisher,
    FilePublisher,
    DeltaPublisher,
    IcebergPublisher,
    DuckLakePublisher,
)
"""Every kind of destination. The first that takes a destination publishes there."""


def publisher_of(
    run: Session,
    destination: Destination | None,
    frame: object | None = None,
    *,
    replace: bool | None = None,
    purge: bool = False,
) -> Publisher:
    """Return the object that publishes a run's release at a destination."""
    if destination is None:
        return Unpublished(run, Destination(Format.TABLE, "release"), frame, replace, purge)
    kind = next(each for each in PUBLISHERS if each.takes(destination))
    return kind(run, destination, frame, replace, purge)
