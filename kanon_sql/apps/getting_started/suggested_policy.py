"""A first policy as an object: a mapping to look at, to edit, and to pass wherever a policy is taken."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, cast

import yaml

from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping


class SuggestedPolicy(ShownResult, dict[str, object]):
    """A first policy. It is a mapping: edit its entries, and pass it wherever a policy is taken.

    `text` is YAML with the reason of each line, for a person to review. It holds no value of the data.
    """

    def __init__(self, text: str) -> None:
        super().__init__(yaml.safe_load(text))
        self._text = text

    @property
    def text(self) -> str:
        """The policy as the text of a file; without comments once it was edited."""
        if self == yaml.safe_load(self._text):
            return self._text
        return str(yaml.safe_dump(dict(self), sort_keys=False, allow_unicode=True))

    @property
    def policy(self) -> dict[str, object]:
        """A copy of its entries, as plain values."""
        return copy.deepcopy(dict(self))

    @property
    def entries(self) -> Mapping[str, Mapping[str, object]]:
        """The entries of its columns, by their names."""
        return cast("Mapping[str, Mapping[str, object]]", self.get("columns") or {})

    def _shown(self) -> Shown:
        roles = [str(each.get("role")) for each in self.entries.values()]
        counts = ", ".join(f"{roles.count(role)} {role}" for role in Role if role in roles)
        columns = [
            (
                name,
                entry.get("role"),
                ", ".join(
                    f"{key}: {flow(of)}" for key, of in entry.items() if key not in {"role", "why"}
                ),
            )
            for name, entry in self.entries.items()
        ]
        left_out = {"version", "columns", "about"}
        others = [(key, flow(of)) for key, of in self.items() if key not in left_out]
        return Shown(
            f"{counts} of {len(roles)} columns; entity {self.get('entity')}",
            others,
            [ShownTable(["column", "role", "recoding"], columns)],
            text=self.text,
        )


def flow(value: object) -> str:
    """Write a value on one line of YAML.

    >>> flow({"mask": 5}), flow("suppress"), flow([1, 2])
    ('{mask: 5}', 'suppress', '[1, 2]')
    """
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return str(text).removesuffix("\n").removesuffix("\n...")


def block_text(text: str) -> str:
    """Write a text of several lines as the value of a key: as a block if YAML reads it back unchanged, else quoted."""
    if not all(line.isprintable() for line in text.split("\n")):
        return quoted(text)
    block = "|-\n" + "\n".join(f"    {line}" for line in text.split("\n"))
    try:
        same = yaml.safe_load(f"key:\n  inner: {block}\n") == {"key": {"inner": text}}
    except yaml.YAMLError:
        same = False
    return block if same else quoted(text)
