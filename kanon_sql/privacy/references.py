"""The base of models that compare a class with a table: with the source, with the released rows, or with both."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import ClassVar, assert_never

from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    OF_VALUES,
    Channel,
    Distribution,
    Measure,
    Reference,
    SensitiveAttribute,
)


class ComparedWith(StrEnum):
    """The table that a policy compares classes with.

    Before a release only its maker knows the source's distribution; afterwards, readers can count only that of the
    released rows. With both, neither distribution shows more than the model allows.
    """

    BOTH = "both"
    SOURCE = "source"
    RELEASE = "release"

    @property
    def references(self) -> tuple[Reference, ...]:
        """Return the tables; with both, the source decides which classes fit."""
        match self:
            case ComparedWith.BOTH:
                return (Reference.SOURCE, Reference.RELEASE)
            case ComparedWith.SOURCE:
                return (Reference.SOURCE,)
            case ComparedWith.RELEASE:
                return (Reference.RELEASE,)
            case _:
                assert_never(self)

    @property
    def words(self) -> str:
        """Return the words that follow a model's text; empty for the default.

        >>> ComparedWith.BOTH.words, ComparedWith.SOURCE.words
        ('', ', compared with the source alone')
        """
        return "" if self is ComparedWith.BOTH else f", compared with the {self} alone"


CHOSEN_APART = frozenset({Channel.SEVERAL_NODES, Channel.DATAFLY})
"""Channels that choose the released classes one after the other, and compare no class with all of them."""


@dataclass(frozen=True, slots=True)
class TableComparison(Measure):
    """A measure that compares the values of a class with those of a table."""

    of: SensitiveAttribute
    by: Reference

    at_most: ClassVar[bool] = True
    distribution: ClassVar[Distribution] = Distribution.OF_TABLE
    channels: ClassVar[frozenset[Channel]] = OF_VALUES

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def reference(self) -> Reference:
        return self.by

    @property
    def by_source(self) -> Measure:
        return replace(self, by=Reference.SOURCE)

    def refusal(self, channel: Channel) -> str | None:
        if self.by is Reference.SOURCE and channel in {Channel.CERTIFICATE, Channel.VERIFY}:
            return "compares no class with the source: say reference: both or release"
        if self.by is Reference.RELEASE and channel in CHOSEN_APART:
            return "does not compare classes with the released rows: say reference: source"
        return Measure.refusal(self, channel)
