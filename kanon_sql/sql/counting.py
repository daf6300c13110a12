"""Statements over frequency sets: build one, roll it up, check nodes on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.model.privacy import Distinct, Requirement, Size
from kanon_sql.sql.hierarchies import leaves
from kanon_sql.sql.leaves import PLACEHOLDER, column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.model.lattice import Node
    from kanon_sql.sql.packing import Packing


@dataclass(frozen=True)
class Counting:
    """What every frequency set of a run holds, and what a class must reach.

    `spreads` are the sensitive columns that the models need counted by value, in order.
    """

    packing: Packing
    requirements: tuple[Requirement, ...]
    spreads: tuple[str, ...]
    entity: bool

    @classmethod
    def of(cls, packing: Packing, needed: Sequence[Requirement], *, entity: bool) -> Counting:
        """Find out what the requirements need counted."""
        spreads = dict.fromkeys(r.measure.spread for r in needed if r.measure.spread is not None)
        return cls(packing, tuple(needed), tuple(spreads), entity)

    @property
    def _keys(self) -> list[exp.Identifier]:
        return [name(key) for key in self.packing.keys]

    @property
    def _size(self) -> exp.Identifier:
        return name("entities" if self.entity else "row_count")

    def _measure(self, requirement: Requirement) -> exp.Identifier:
        match requirement.measure:
            case Size():
                return self._size
            case Distinct(spread=spread):
                return name(f"distinct_{self.spreads.index(spread) + 1}")

    @property
    def _class_leaves(self) -> dict[str, object]:
        parts: list[dict[str, object]] = []
        if self.entity or not self.spreads:
            parts.append({"spread": None, "measure": None})
        parts += [
            {"spread": name(f"spread_{n}"), "measure": name(f"distinct_{n}")}
            for n in range(1, len(self.spreads) + 1)
        ]
        for number, part in enumerate(parts):
            part["alias"] = name(f"p{number}")
        return {
            "bind": PLACEHOLDER,
            "keys": self._keys,
            "ordinals": [literal(n + 1) for n in range(len(self._keys))],
            "entity": self.entity,
            "parts": parts,
            "requirements": [
                {"measure": self._measure(r), "least": literal(r.at_least)}
                for r in self.requirements
            ],
        }

    def bindings(self, node: Node) -> tuple[int, ...]:
        """Give the masks that the classes of one node bind, in the statement's order."""
        parts = max(1, len(self.spreads) + (1 if self.entity and self.spreads else 0))
        return self.packing.masks(node) * parts

    def check(self, finer: exp.Table, nodes: int) -> Statement:
        """Check so many nodes on one frequency set; binds each node's masks."""
        return Statement(
            "check",
            {
                **self._class_leaves,
                "nodes": [literal(n) for n in range(nodes)],
                "finer": finer,
                "size": self._size,
            },
        )

    def suppressed_marginals(
        self, finer: exp.Table, nodes: int, *, items: exp.Table, weights: exp.Table | None
    ) -> Statement:
        """Sum the suppressed rows of so many nodes column by column.

        Binds each node's masks and then one item a quasi-identifier.
        """
        columns = [PLACEHOLDER] * len(self.packing.tops)
        return Statement(
            "suppressed_marginals",
            {
                **self._class_leaves,
                "nodes": [{"number": literal(n), "wanted": columns} for n in range(nodes)],
                "finer": finer,
                "items": items,
                "weights": weights,
                "item_keys": [
                    {"key": name(key), "mask": name(f"mask_{n}")}
                    for n, key in enumerate(self.packing.keys, start=1)
                ],
            },
        )

    def roll_up(self, coarser: exp.Table, finer: exp.Table, node: Node, *, rows: int) -> Statement:
        """Make the frequency set of a node from that of a finer one."""
        masks = self.packing.masks(node)
        held = len(masks) + len(self.spreads) + (1 if self.entity else 0)
        return Statement(
            "roll_up",
            {
                "coarser": coarser,
                "finer": finer,
                "keys": [
                    {"as": key, "mask": literal(mask)}
                    for key, mask in zip(self._keys, masks, strict=True)
                ],
                "spreads": [name(f"spread_{n + 1}") for n in range(len(self.spreads))],
                "entity": self.entity,
                "groups": [literal(n + 1) for n in range(held)],
            },
            scans=rows,
        )

    def frequency_set(
        self,
        table: exp.Table,
        source: exp.Table,
        *,
        quasi: Sequence[tuple[str, exp.Table]],
        spreads: Sequence[exp.Table],
        entity: str | None,
        rows: int,
    ) -> Statement:
        """Encode and count the source; `quasi` pairs each column with its table of codes."""
        keys = []
        for number, key in enumerate(self.packing.keys):
            parts: list[exp.Expr] = [
                column(key, of=f"q{q}") for q in range(len(quasi)) if self.packing.uses(q, number)
            ]
            keys.append({"as": name(key), "parts": parts or [literal(0)]})
        held = len(keys) + len(spreads) + (1 if entity else 0)
        return Statement(
            "frequency_set",
            {
                "frequency_set": table,
                "source": source,
                "keys": keys,
                "joins": [
                    {
                        "table": codes,
                        "alias": name(f"q{q}"),
                        "column": column(text, of="s"),
                        "value": column("value", of=f"q{q}"),
                    }
                    for q, (text, codes) in enumerate(quasi)
                ],
                "spreads": [
                    {
                        "as": name(f"spread_{n}"),
                        "code": column("code", of=f"v{n}"),
                        "table": codes,
                        "alias": name(f"v{n}"),
                        "column": column(text, of="s"),
                        "value": column("value", of=f"v{n}"),
                    }
                    for n, (text, codes) in enumerate(zip(self.spreads, spreads, strict=True), 1)
                ],
                "entity": column(entity, of="s") if entity else None,
                "groups": [literal(n + 1) for n in range(held)],
            },
            scans=rows,
        )


@dataclass(frozen=True)
class Items:
    """The (column, level) pairs whose share among the suppressed rows must be looked up.

    At all others the figure is the same for every row, so it needs no statement.
    """

    numbers: dict[tuple[int, int], int]

    def table(self, items: exp.Table, packing: Packing) -> Statement:
        """Write the pairs down with the bits that each keeps."""
        rows = [
            [literal(number), *(literal(mask) for mask in packing.column_masks(quasi, level))]
            for (quasi, level), number in self.numbers.items()
        ]
        masks = [name(f"mask_{n + 1}") for n in range(len(packing.keys))]
        return Statement("items", {"items": items, "masks": masks, "rows": rows})

    def weights(
        self, weights: exp.Table, packing: Packing, codes: Sequence[exp.Table]
    ) -> Statement:
        """Write down the leaves under each label of each pair."""
        sources = []
        for (quasi, level), number in self.numbers.items():
            keys = [
                {
                    "as": name(key),
                    "code": column(key) if packing.uses(quasi, n) else None,
                    "mask": literal(packing.column_masks(quasi, level)[n]),
                }
                for n, key in enumerate(packing.keys)
            ]
            sources.append(
                {
                    "item": literal(number),
                    "codes": codes[quasi],
                    "places": keys,
                    "leaves": name(leaves(level)),
                }
            )
        return Statement("weights", {"weights": weights, "sources": sources})
