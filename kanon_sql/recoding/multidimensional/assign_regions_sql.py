"""The statement that stages rows by regions: each row has the region of its tuple, or one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.recoding.label_codes import REGION
from kanon_sql.recoding.multidimensional.regions_sql import Packed, keys_of
from kanon_sql.recoding.staging_sql import recoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, LinedRows


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What distinguishes tuples where cuts are relaxed: their coordinates, sensitive values, entities.

    The `axes` that coordinates are packed by are not known to the text of a plan, which is written without the data.
    """

    axes: Sequence[Axis] | None
    sensitive: Mapping[SensitiveAttribute, exp.Table]
    entity: str | None


def stage_regions(
    staged: exp.Table,
    source: exp.Table,
    *,
    assigned: exp.Table,
    regions: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    order: Sequence[str],
    relaxed: RowOrder | None = None,
    lined: LinedRows | None = None,
    rows: int = 0,
) -> Statement:
    """Write the staged table of rows by regions, shuffled; rows that lie in none are left out.

    `assigned` has the region of each tuple of coordinates, or of each row of a tuple where cuts are
    `relaxed`; `regions` what each region is released as. Where rows are `lined` each is numbered in the line of all, and
    lies in the region of its number: if its place in the line is between those of the region's rows when it was made.
    """
    leaves = recoded(source, policy, released, order, with_hidden=True)
    places = [column("place", of=f"q{n}") for n in range(len(released))]
    if lined is not None:
        entries = cast("list[dict[str, exp.Column]]", leaves["columns"])
        carried = [{**each, "carried": each["from"].table != REGION} for each in entries]
        leaves |= {"lined": _lined(lined, places), "columns": carried}
        leaves |= {"regions": regions, "codes": [], "failing": None}
        return Statement(
            "recoding/stage", {"staged": staged, "in_any_order": False, **leaves}, scans=rows
        )
    if relaxed is None:
        codes = [
            {"from": each, "as": name(f"place_{n}"), "assigned": None}
            for n, each in enumerate(places)
        ]
    else:
        packed = Packed.keys(places, relaxed.axes)
        of: dict[str, object] = {f"tuple_{n}": key for n, key in enumerate(packed)}
        of |= {f"spread_{n}": column("code", of=f"v{n}") for n in range(len(relaxed.sensitive))}
        of |= {} if relaxed.entity is None else {"entity": column(relaxed.entity, of="s")}
        nth, lot, *names = _free(policy, ["nth", "lot", *of])
        leaves["lot"] = name(lot)
        leaves["of_sensitive"] = _joined(relaxed.sensitive)
        leaves["nth"] = name(nth)
        leaves["numbered"] = [
            {"packed" if isinstance(each, Packed) else "from": each, "as": name(free)}
            for free, each in zip(names, of.values(), strict=True)
        ]
        codes = [
            {
                "from": column(free, of="s"),
                "as": name(text),
                "assigned": column(text, of="r") if text.startswith("spread_") else None,
            }
            for free, text in zip(names, of, strict=True)
        ]
    leaves |= {"assigned": assigned, "regions": regions, "codes": codes, "failing": None}
    return Statement(
        "recoding/stage", {"staged": staged, "in_any_order": False, **leaves}, scans=rows
    )


def region_rows(
    rows: exp.Table, regions: exp.Table, columns: Sequence[Mapping[str, object]], weight: str
) -> Statement:
    """See the labels of each region as one row, with the number of its rows under the name of a `weight`."""
    leaves = {"rows": rows, "regions": regions, "columns": columns, "weight": name(weight)}
    return Statement("multidimensional/region_rows", leaves)


def _lined(lined: LinedRows, places: Sequence[exp.Column]) -> dict[str, object]:
    """Describe the line that rows are numbered in."""
    order = lined.order
    return {
        "axes": range(len(order.axes)),
        "packed": keys_of(order.radixes),
        "given": order.given,
        "radixes": order.radixes,
        "least": order.least,
        "ranks": order.ranks,
        "places": places,
        "filled": lined.filled,
        "cut": lined.cut,
    }


def _joined(sensitive: Mapping[SensitiveAttribute, exp.Table]) -> list[dict[str, object]]:
    """Join the numbers of sensitive values to the source."""
    return [
        {
            "table": table,
            "alias": name(f"v{n}"),
            "column": column(each.column, of="s"),
            "value": column("value", of=f"v{n}"),
        }
        for n, (each, table) in enumerate(sensitive.items())
    ]


def _free(policy: Policy, texts: Sequence[str]) -> list[str]:
    """Return names that no column of the source has."""
    taken = {each.name.casefold() for each in policy.columns}
    while any(text in taken for text in texts):
        texts = [f"{text}_" for text in texts]
    return list(texts)
