"""`suggest` and the first policy that it gives, and the policies of calls that classify columns by lists of names in place of a policy."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from operator import index
from typing import TYPE_CHECKING, Unpack, cast

import yaml

from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.apps.getting_started.propose_policy import GivenRoles
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable, flow
from kanon_sql.base.documents.text import printable
from kanon_sql.counting.run.arguments import ColumnRoles, checked
from kanon_sql.engines.frames import read_again
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Role
from kanon_sql.policy.read_policy import read_policy

if TYPE_CHECKING:
    from kanon_sql.counting.run.arguments import Names
    from kanon_sql.counting.run.inputs import Connection, PolicyInput, TableInput

ARGUMENTS = {
    "quasi": Role.QUASI,
    "sensitive": Role.SENSITIVE,
    "keep": Role.INSENSITIVE,
    "drop": Role.IDENTIFYING,
}
"""The lists of a call, and the role of the columns that each names."""


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


@checked
def suggest(
    source: TableInput,
    *,
    quasi: Names | None = None,
    database: str | None = None,
    connection: Connection | None = None,
    **columns: Unpack[ColumnRoles],
) -> SuggestedPolicy:
    """Suggest a first policy for a frame, a file or a table, to be reviewed by a person.

    What the call does not state is suggested from names, types and counts. No value of the data is
    in the policy.

    Args:
        source: The table; by default the policy's source.
        quasi: Columns that somebody could know about a person.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        sensitive: Columns that nobody may learn about a person.
        keep: Other columns that are released as they are.
        drop: Columns that are not released.
        hierarchies: Hierarchies by column, as a policy has them; others are suggested.
        entity: The column whose people a class counts, or `row`; by default a key of people that repeats.
        k: The least rows, or people, of a class; by default 5, for health data 11.
        l: The least distinct values of each sensitive column in a class; by default 2 or 3.
        suppression: The most suppressed rows, as a number or a share; by default 1%.
        use: `'counts'`: values whose counts are close; `'means'`: for regressions; by default rows are true.

    Returns:
        The policy: a mapping to look at, to edit, and to pass on.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.
        SourceError: The source cannot be read.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> policy = kanon_sql.suggest(people, k=2)
    >>> policy["columns"]["disease"]
    {'role': 'sensitive', 'why': 'its name suggests a sensitive attribute: health'}
    >>> policy
    <SuggestedPolicy: 1 quasi, 1 sensitive of 2 columns; entity row>
    """
    return _suggested("suggest", source, quasi, columns, database=database, connection=connection)


def policy_of_call(
    call: str,
    policy: object,
    source: object,
    quasi: Names,
    columns: ColumnRoles,
    *,
    connection: object | None,
) -> tuple[PolicyInput, object]:
    """Make the policy of a call with a frame and lists of columns; return the policy and the source."""
    if source is not None:
        what = "is the first argument where quasi= is given; a policy has its own quasi-identifiers"
        raise InputError(call, [Fault("source", what)])
    source = read_again(policy)
    found = _suggested(call, source, quasi, columns, connection=connection, brief=True)
    _check_classified(call, found, _given(call, quasi, columns))
    found.pop("release", None)
    return found, None if "source" in found else source


def _suggested(
    call: str,
    source: object,
    quasi: Names | None,
    columns: ColumnRoles,
    *,
    database: str | None = None,
    connection: object | None = None,
    brief: bool = False,
) -> SuggestedPolicy:
    """Suggest a policy; the call's statements are checked before a row is read, its names before one is counted."""
    of_frame = source is not None and not isinstance(source, str | os.PathLike | Mapping)
    index = tuple(getattr(getattr(source, "index", None), "names", ()))
    given = replace(_given(call, quasi, columns), of_frame=of_frame, call=call, index=index)
    read_policy(given.stated, has_source=False)
    text = first_policy(
        source,
        database=database,
        connection=connection,
        answers=Answers(use=given.use),
        given=given,
        brief=brief,
    )
    return SuggestedPolicy(text)


def _given(call: str, quasi: Names | None, columns: ColumnRoles) -> GivenRoles:
    """Read the statements of a call about its columns. Raises InputError with all faults."""
    faults = []
    roles: dict[str, Role] = {}
    lists = {"quasi": quasi, **columns}
    for argument, role in ARGUMENTS.items():
        names = cast("str | Sequence[str] | None", lists.get(argument)) or ()
        for name in [names] if isinstance(names, str) else names:
            if roles.setdefault(name, role) is not role:
                what = f"names {printable(name)}, which another list names too"
                faults.append(Fault(argument, what))
    if quasi is not None and Role.QUASI not in roles.values():
        faults.append(Fault("quasi", "must name at least one column"))
    hierarchies = cast("Mapping[str, object]", columns.get("hierarchies") or {})
    for name in hierarchies:
        if roles.get(name, Role.QUASI) is not Role.QUASI:
            what = f"names {printable(name)}, which is no quasi-identifier"
            faults.append(Fault("hierarchies", what))
    try:
        yaml.safe_dump(dict(hierarchies))
    except yaml.YAMLError:
        faults.append(Fault("hierarchies", "must hold texts, numbers, lists and mappings alone"))
    stated = {"order", "output", "snap"}
    faults += [
        Fault(
            f"hierarchies.{name}",
            "order, snap and output are of a policy: p = suggest(...); p['columns']['age'].update(order='number', output='mean'); pass p",
        )
        for name, of in hierarchies.items()
        if isinstance(of, Mapping) and not stated.isdisjoint(of)
    ]
    limit = columns.get("suppression")
    if isinstance(limit, float):
        limit = f"{(Decimal(str(limit)) * 100).normalize():f}%"  # a share
    if columns.get("l") is not None and Role.SENSITIVE not in roles.values():
        what = "needs sensitive=, the columns that have so many values in each class"
        faults.append(Fault("l", what))
    if faults:
        raise InputError(call, faults)
    return GivenRoles(
        roles=roles,
        hierarchies=hierarchies,
        entity=cast("str | None", columns.get("entity")),
        k=_number(columns.get("k")),
        l=_number(columns.get("l")),
        suppression=limit,
        use=columns.get("use"),
    )


def _number(of: int | None) -> int | None:
    """Return a bound as Python's own number: numpy has others."""
    return None if of is None else index(of)


def _check_classified(call: str, found: SuggestedPolicy, given: GivenRoles) -> None:
    """Raise InputError if a call leaves columns out, with the arguments that would name them."""
    faults: list[Fault] = []
    added: dict[str, list[str]] = {}
    entity = None
    for name, entry in found.entries.items():
        if given.role_of(name) is not None:
            continue
        argument = next(a for a, role in ARGUMENTS.items() if role == entry["role"])
        offered = f"{argument}=[{name!r}]"
        if name == found.get("entity"):
            entity = offered = f"entity={name!r}"
        else:
            added.setdefault(argument, []).append(name)
        faults.append(Fault(f"columns.{name}", f"is in none of the lists; suggested: {offered}"))
    if not faults:
        return
    lists = [f"{argument}={names!r}" for argument, names in added.items()]
    whole = ", ".join([*([entity] if entity else []), *lists])
    what = f"every column is quasi=, sensitive=, keep= (released as it is) or drop=; add: {whole}"
    raise InputError(call, [*faults, Fault("", what)])
