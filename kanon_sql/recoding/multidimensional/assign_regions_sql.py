"""The statement that writes rows in boxes, each row in one: the one that its tuple lies in, or it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.recoding.staging_sql import recoded
from kanon_sql.sql.quoting import column, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy
    from kanon_sql.privacy.privacy_model import SensitiveAttribute


@dataclass(frozen=True, slots=True)
class Dealt:
    """What tuples whose rows are dealt are told by beside their places: sensitive columns, entities."""

    spreads: Mapping[SensitiveAttribute, exp.Table]
    entity: str | None


def stage_boxes(
    staged: exp.Table,
    source: exp.Table,
    *,
    homes: exp.Table,
    boxes: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    order: Sequence[str],
    dealt: Dealt | None = None,
    rows: int = 0,
) -> Statement:
    """Write the staged table of rows in boxes, shuffled; what lies in none is left out.

    `homes` says in which region each tuple of places lies, or each row of a tuple where these are
    `dealt`; `boxes` how that is shown.
    """
    leaves = recoded(source, policy, released, order, with_hidden=True)
    of = {f"place_{n}": column("place", of=f"q{n}") for n in range(len(released))}
    if dealt is None:
        codes = [{"from": each, "as": name(text), "home": None} for text, each in of.items()]
    else:
        of |= {f"spread_{n}": column("code", of=f"v{n}") for n in range(len(dealt.spreads))}
        of |= {} if dealt.entity is None else {"entity": column(dealt.entity, of="s")}
        nth, lot, *names = _free(policy, ["nth", "lot", *of])
        leaves["lot"] = name(lot)
        leaves["of_spreads"] = _joined(dealt.spreads)
        leaves["nth"] = name(nth)
        leaves["numbered"] = [
            {"from": each, "as": name(free)} for free, each in zip(names, of.values(), strict=True)
        ]
        codes = [
            {
                "from": column(free, of="s"),
                "as": name(text),
                "home": column(text, of="r") if text.startswith("spread_") else None,
            }
            for free, text in zip(names, of, strict=True)
        ]
    leaves |= {"homes": homes, "boxes": boxes, "codes": codes, "failing": None}
    return Statement("recoding/stage", {"staged": staged, **leaves}, scans=rows)


def _joined(spreads: Mapping[SensitiveAttribute, exp.Table]) -> list[dict[str, object]]:
    """Join the numbers of sensitive values to the source."""
    return [
        {
            "table": table,
            "alias": name(f"v{n}"),
            "column": column(each.column, of="s"),
            "value": column("value", of=f"v{n}"),
        }
        for n, (each, table) in enumerate(spreads.items())
    ]


def _free(policy: Policy, texts: Sequence[str]) -> list[str]:
    """Give names that no column of the source has."""
    taken = {each.name.casefold() for each in policy.columns}
    while any(text in taken for text in texts):
        texts = [f"{text}_" for text in texts]
    return list(texts)
