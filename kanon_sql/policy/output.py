"""The interface of all outputs: what the cells of a quasi-identifier show in a release.

Each output is one class with one object. Code that uses outputs asks the object and never compares outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot import exp

    from kanon_sql.policy.model import Column, Policy


class Output:
    """One form in which the values of a class are released.

    The levels and cuts of the recoding determine the cells, unless the output derives from `OutputOfRows`.
    """

    key: ClassVar[str]
    """The word by which a policy states it, as in `output: set`."""
    words: ClassVar[str | None] = None
    """What a cell is, in the report; None if a hierarchy's levels or `region_words` say it."""
    region_words: ClassVar[str] = "the label that covers the values of its region"
    """What a cell is in the report, in a column that is cut into regions or intervals."""

    reading: ClassVar[str] = "count and compare groups; it is no number to compute with"
    """What may be done with a cell, in the codebook of a release."""

    parts: ClassVar[tuple[str, ...]] = ("label",)
    """The columns of a map or a table of regions that have its cells: a `label`, a `value`, a `centre`, or two bounds."""
    hashed_parts: ClassVar[tuple[str, ...] | None] = None
    """The columns that a plan's hash has in place of `parts`; None for the same."""
    bounded: ClassVar[bool] = False
    """Whether cells are two columns of numbers or dates: the bounds `low` and `high` of an interval."""

    is_of_rows: ClassVar[bool] = False
    """Whether cells follow from the rows of a class: no level and no boundary determines them."""
    is_of_class: ClassVar[bool] = False
    """Whether a cell stands for what its class has, so that its loss is what the rows of the class span of the column."""
    together: ClassVar[bool] = False
    """Whether the cells of all columns that have it are chosen together, so that a policy may state it once for all."""
    by_nodes: ClassVar[bool] = False
    """Whether a region on a line shows a node of the hierarchy, which a file of boundaries lacks."""
    regions_may_join: ClassVar[bool] = False
    """Whether two regions with different bounds may have equal cells, so that a reader takes them for one class."""

    shows_values: ClassVar[bool] = False
    """Whether cells show values of the source, some of which few rows may have."""
    shows_own_values: ClassVar[bool] = False
    """Whether each cell of a region is a value of the source, unless the order snaps values to units."""
    shows_ends: ClassVar[bool] = False
    """Whether cells of a column that is cut by its order show the least and the greatest value of a class."""
    may_be_of_one: ClassVar[bool] = False
    """Whether a number that is computed from the rows of a class may be the value of one of them."""
    covers: ClassVar[str | None] = None
    """What a cell of an ordered column covers: an `interval`, a `set`, or the value `itself`; None for nodes."""
    no_cover: ClassVar[str | None] = None
    """Why the values that a cell covers are unknown; None if they are known."""

    no_wildcard: ClassVar[str | None] = None
    """Why NULL cannot match any value in its columns, after "which"; None if it can."""
    only_regions: ClassVar[str | None] = None
    """Why only Mondrian's regions have it, after "it is"; None if classes of any search have it."""
    no_warehouse: ClassVar[str | None] = None
    """Why a script for a database that kanon-sql does not run in cannot write it; None if it can."""
    no_adapter: ClassVar[str | None] = None
    """Why a model for other adapters of dbt cannot write it; None if it can."""

    def __str__(self) -> str:
        return self.key

    def why_not(self, column: Column) -> str | None:
        """Return why a column with this hierarchy and this order cannot have it; None if it can."""

    def hashed_as(self, column: Column) -> Output:
        """Return the output that a policy with this one has: another one if cells of the column are the same."""
        del column
        return self

    def problems(self, policy: Policy, column: Column) -> Iterator[str]:
        """Yield the reasons why the search of a policy cannot release a column so."""
        del policy, column
        yield from ()

    def classes_may_join(self, *, several_levels: bool) -> bool:
        """Whether two classes with different labels, of one level or of `several_levels`, may have equal cells."""
        del several_levels
        return False

    def released_as(self, name: str) -> tuple[str, ...]:
        """Name the columns of the release that a column of the source becomes."""
        return (name,)

    def level_columns(self, level: int, height: int) -> tuple[str, ...]:
        """Name the columns of paths with its cells at a level above 0; none if cells are NULL there."""
        del height
        return (f"level_{level}",)

    def shown(self, label: str, level: int) -> str:
        """Return a label of an example as the explorer shows it."""
        del level
        return label

    def values_shown(self, cells: exp.Table, axis: exp.Table) -> exp.Table | None:
        """Return the table with the places of values that `cells` show, or that of all on an axis; None if of none."""

    @property
    def template(self) -> str:
        """The template that finds the cells of classes from their rows, by `region`, in columns for `parts`."""
        raise InternalError(f"{self} does not follow from the rows of a class")

    def leaves(self, column: Column, *, tree: bool) -> dict[str, object]:
        """Return the leaves of its template alone, for a column that is cut by its order or along a `tree`."""
        del column, tree
        return {}

    def steps(
        self, cells: exp.Table, column: Column, *, tree: bool, named: Callable[[str], exp.Table]
    ) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the templates that create the table of `cells`, with leaves besides `tuples` and the column's axis.

        The last one creates the table; `named` names a table for a step before it.
        """
        del named
        yield self.template, {"found": cells, **self.leaves(column, tree=tree)}


class OutputOfRows(Output):
    """An output that follows from the rows of a class, found by its `template`."""

    is_of_rows = True
    regions_may_join = True
    no_warehouse = "follows from the rows of a class; release labels"
    no_adapter = "it follows from the rows of a class; release labels"

    def classes_may_join(self, *, several_levels: bool) -> bool:
        del several_levels
        return True
