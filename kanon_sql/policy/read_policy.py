"""Read a policy from YAML or from Python, listing every fault at once, each with its line."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.lines import (
    MOST,
    Item,
    read_mapping,
    read_yaml,
)
from kanon_sql.errors import Fault, PolicyError
from kanon_sql.hierarchies.order import (
    CALENDAR,
    Dates,
    Listed,
    OrderKind,
    Steps,
)
from kanon_sql.hierarchies.read_specs import read_hierarchy
from kanon_sql.hierarchies.specs import DateUnit, IntervalHierarchy
from kanon_sql.policy.linkable import JOINS_ROWS
from kanon_sql.policy.locations import (
    read_attached,
    read_database,
    read_release,
    read_source,
)
from kanon_sql.policy.model import (
    Action,
    Column,
    Linkable,
    Nulls,
    Output,
    Policy,
    Role,
    Search,
    Source,
    Suppression,
)
from kanon_sql.policy.read_search import read_search
from kanon_sql.policy.search_options import conflicts, unsuited
from kanon_sql.privacy.declared_models import declared
from kanon_sql.privacy.demands import Over
from kanon_sql.privacy.privacy_model import FRACTION_PLACES, ParameterKind, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.hierarchies.order import Order
    from kanon_sql.policy.model import Destination
    from kanon_sql.privacy.privacy_model import DeclaredModel, Parameter, PrivacyModel

VERSION = 1
TOP = ("version", "source", "database", "attach", "entity", "columns", "privacy", "suppression",
       "nulls", "sensitive_nulls", "search", "release")  # fmt: skip
COLUMN = ("role", "hierarchy", "order", "snap", "output", "action", "key_env", "linkable")

UNBOUNDED = (OrderKind.TEXT, OrderKind.LIST)
"""The orders whose intervals cannot be released as two typed columns."""


def read_policy(given: str | Path | Mapping[str, object], *, has_source: bool = True) -> Policy:
    """Read a policy from a file or a mapping; without `has_source` it need not name a source.

    Raises PolicyError with all faults, each with its line where there is a file.
    """
    if isinstance(given, str | Path):
        path = Path(given)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            what = (
                "is not there"
                if isinstance(error, FileNotFoundError)
                else "cannot be read as UTF-8 text"
            )
            raise PolicyError(str(path), [Fault("", f"the policy file {what}")]) from error
        document, file, base = read_yaml(text, str(path)), str(path), str(path.parent)
    else:
        document, file, base = read_mapping(given), None, ""
    policy = policy_from(document, subject=file or "policy", has_source=has_source)
    return replace(policy, base=base, file=file, lines=document.lines())


def release_from(given: Mapping[str, object], columns: tuple[Column, ...]) -> Destination | None:
    """Read a release in the words of a policy. Raises PolicyError with all faults."""
    item = read_mapping({"release": given}).mapping()["release"]
    chosen = read_release(item, columns)
    if item.faults:
        raise PolicyError("release", item.faults)
    return chosen


def policy_from(document: Item, *, subject: str, has_source: bool = True) -> Policy:
    """Turn a document into a policy, or raise with every fault in it."""
    if isinstance(document.value, dict) and "kanon_sql_plan" in document.value:
        what = f"is a plan, not a policy; carry it out with: kanon-sql apply {subject}"
        raise PolicyError(subject, [Fault("", what)])
    top = document.mapping(known=TOP)
    if not isinstance(document.value, dict):
        raise PolicyError(subject, document.faults)
    for name, why in (
        ("version", "write version: 1"),
        ("source", "name a path, a glob, a table or a query"),
        ("entity", "say what classes count: row, or the column that identifies a person"),
        ("columns", "classify every column of the source"),
        ("privacy", "for example privacy: {k: 5}"),
    ):
        if name not in top and (has_source or name != "source"):
            document.faults.append(Fault(name, f"is missing; {why}"))
    if "version" in top and top["version"].value != VERSION:
        top["version"].fault(f"must be {VERSION}")
    columns = _columns(top["columns"]) if "columns" in top else ()
    entity = _entity(top["entity"], columns) if "entity" in top else None
    unknown = top["sensitive_nulls"].choice(SensitiveNulls) if "sensitive_nulls" in top else None
    policy = Policy(
        source=read_source(top["source"], needed=has_source) if "source" in top else Source(),
        entity=entity,
        columns=columns,
        privacy=_privacy(top["privacy"], columns, unknown or SensitiveNulls.NOT_COUNTED)
        if "privacy" in top
        else (),
        suppression=_suppression(top["suppression"])
        if "suppression" in top
        else Suppression(rows=0),
        nulls=(top["nulls"].choice(Nulls) if "nulls" in top else None) or Nulls.CATEGORY,
        search=read_search(top["search"], columns) if "search" in top else Search(),
        release=read_release(top["release"], columns) if "release" in top else None,
        database=read_database(top["database"]) if "database" in top else None,
        attach=read_attached(top["attach"], top.get("database")) if "attach" in top else (),
    )
    for option, what in conflicts(policy):
        search = top.get("search", top["privacy"])  # where none is said, it is what is asked of it
        said = search.mapping().get(option, search) if "search" in top else search
        if said is search or not any(f.where.startswith(said.path) for f in document.faults):
            said.fault(what)
    for name, what in unsuited(policy):
        top["columns"].mapping()[name].fault(what)
    in_place = policy.release is not None and policy.release.in_place is not None
    if in_place and (policy.source.path or policy.source.query):
        top["release"].fault("in_place needs a source that is a table of the database")
    if in_place and policy.source.where is not None:
        top["release"].fault("in_place does not go with source.where: what it leaves out would go")
    if document.faults:
        raise PolicyError(subject, sorted(document.faults, key=lambda f: f.line or 0))
    return policy


def _columns(item: Item) -> tuple[Column, ...]:
    entries = item.mapping()
    folded: dict[str, str] = {}
    columns = []
    for name, entry in entries.items():
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            entry.fault("differs from another column only in case; databases fold case")
        columns.append(_column(name, entry))
    if isinstance(item.value, dict) and not any(column.role is Role.QUASI for column in columns):
        item.fault(
            "no column has role quasi; without a quasi-identifier there is nothing to search"
        )
    return tuple(columns)


def _column(name: str, item: Item) -> Column:
    if not name:
        item.fault("cannot be the name of a column")
    entries = item.mapping(known=COLUMN)
    role = entries["role"].choice(Role) if "role" in entries else None
    if "role" not in entries and isinstance(item.value, dict):
        item.fault("has no role; give identifying, quasi, sensitive or insensitive")
    allowed = {
        Role.QUASI: ("hierarchy", "order", "snap", "output"),
        Role.IDENTIFYING: ("action", "key_env", "linkable"),
    }
    for key in COLUMN[1:]:
        if role is not None and key in entries and key not in allowed.get(role, ()):
            entries[key].fault(f"has no meaning for role {role}")
    hierarchy = read_hierarchy(entries["hierarchy"]) if "hierarchy" in entries else None
    order = _order(entries.get("order"), entries.get("snap"))
    if role is Role.QUASI and not {"hierarchy", "order"} & entries.keys():
        item.fault("is a quasi-identifier without a hierarchy; hierarchy: suppress is the least")
    output = (entries["output"].choice(Output) if "output" in entries else None) or Output.LABELS
    if output is Output.BOUNDS and (
        order in UNBOUNDED or isinstance(order, Listed)
        if order
        else not isinstance(hierarchy, IntervalHierarchy | None)
    ):
        entries["output"].fault(
            "bounds goes with a hierarchy of intervals, or order: number or date"
        )
    if output.is_centre and order is not OrderKind.NUMBER:
        entries["output"].fault(f"{output} goes with order: number, without snap")
    action, key_env, linkable = _action(item, entries, role)
    return Column(
        name, role or Role.INSENSITIVE, hierarchy, output, action, key_env, order, linkable
    )


def _action(
    item: Item, entries: Mapping[str, Item], role: Role | None
) -> tuple[Action, str | None, Linkable]:
    """Read what becomes of a direct identifier, by which key, and whether it may join rows."""
    action = Action.DROP
    if role is Role.IDENTIFYING:
        if "action" not in entries:
            item.fault("is identifying; say action: drop, hash or null")
        else:
            given = entries["action"]  # YAML reads an unquoted null as nothing
            action = Action.NULL if given.value is None else given.choice(Action) or Action.DROP
    if action is Action.HASH and "key_env" not in entries:
        item.fault("action hash needs key_env, the environment variable that holds the secret key")
    for key in ("key_env", "linkable"):
        if action is not Action.HASH and key in entries:
            entries[key].fault("goes with action: hash")
    key_env = entries["key_env"].text() if "key_env" in entries else None
    linkable = entries["linkable"].choice(Linkable) if "linkable" in entries else None
    return action, key_env, linkable or Linkable.REFUSE


def _order(item: Item | None, snap: Item | None) -> Order | None:
    """Read the order of a column's values: its name with its units, or a list of the values by their texts."""
    if item is None:
        if snap is not None:
            snap.fault("goes with order: number or date")
        return None
    if not isinstance(item.value, list):
        found = item.choice(OrderKind)
        if found is OrderKind.DATE:
            return Dates() if snap is None else _dates(snap)
        if found is OrderKind.NUMBER and snap is not None:
            return _steps(snap)
        if found is OrderKind.LIST:
            item.fault("list the values themselves: order: [low, middle, high]")
        if snap is not None and found is not None:
            snap.fault("goes with order: number or date")
        return found
    if snap is not None:
        snap.fault("goes with order: number or date")
    values = [text for part in item.items() if (text := part.text()) is not None]
    for text, times in Counter(values).items():
        if times > 1:  # an entry is a value of the table, and is not told
            at = [str(number) for number, each in enumerate(values, start=1) if each == text]
            item.fault(f"names one value {times} times: entries {', '.join(at)}")
    if not values:
        item.fault("lists no value")
    return Listed(tuple(values))


def _dates(item: Item) -> Dates:
    unit = item.choice(DateUnit)
    if unit is not None and unit not in CALENDAR:
        item.fault(f"must be one of {', '.join(CALENDAR)}")
    return Dates(unit or DateUnit.MONTH)


def _steps(item: Item) -> Order:
    width = item.decimal()
    if width is not None and width <= 0:
        item.fault("must be more than 0")
    return Steps(width) if width is not None and width > 0 else OrderKind.NUMBER


def _entity(item: Item, columns: tuple[Column, ...]) -> str | None:
    name = item.text()
    if name is None or name == "row":
        if name == "row" and any(column.name == "row" for column in columns):
            item.fault("row is also a column's name here; rename the column in a query")
        return None
    match = next((column for column in columns if column.name == name), None)
    if match is None:
        item.fault("must be row or the name of a column listed under columns")
    elif match.role is Role.QUASI:
        item.fault("names a quasi-identifier; classes would be counted by what defines them")
    elif match.pseudonym and match.linkable is Linkable.REFUSE:
        item.fault(f"names {name}, which would be released as a pseudonym, {JOINS_ROWS}")
    return name


def _privacy(
    item: Item, columns: tuple[Column, ...], nulls: SensitiveNulls
) -> tuple[PrivacyModel, ...]:
    models: list[PrivacyModel] = []
    if not item.items():
        item.fault("is empty; for example privacy: {k: 5}")
    for entry in item.items():
        known = declared()
        parts = entry.mapping(known=(*known, "over"))
        over = _over(parts["over"], columns) if "over" in parts else ()
        found: list[PrivacyModel] = []
        for name, spec in parts.items():
            if name in known:
                found += _model(spec, known[name], columns, nulls)
        if isinstance(entry.value, dict) and not set(parts) - {"over"}:
            what = "asks nothing of the classes" if parts else "is empty"
            entry.fault(f"{what}; for example {{k: 5}}")
        models += [Over(model, over) for model in found] if over else found
    return tuple(models)


def _model(
    item: Item, model: type[DeclaredModel], columns: tuple[Column, ...], nulls: SensitiveNulls
) -> Iterator[PrivacyModel]:
    """Read a model by the keys that it declares; nothing where one that it needs is missing."""
    if len(model.parameters) == 1:
        parts = {model.parameters[0].name: item}
    else:
        parts = item.mapping(known=[each.name for each in model.parameters])
    said: dict[str, object] = {}
    for each in model.parameters:
        if each.name in parts:
            said[each.name] = _parameter(parts[each.name], each, columns)
        elif isinstance(item.value, dict) and not each.optional:
            item.fault(f"has no {each.name}")
    if all(said.get(each.name) is not None for each in model.parameters if not each.optional):
        yield model.read(said, nulls)


def _parameter(item: Item, asked: Parameter, columns: tuple[Column, ...]) -> object:
    """Read the value of a key of a model; one that is at fault counts as the least it can ask."""
    match asked.kind:
        case ParameterKind.WHOLE:
            return item.integer(least=1) or 1
        case ParameterKind.FRACTION:
            number = item.decimal()
            if number is not None and not 0 <= number <= 1:
                item.fault("must lie between 0 and 1")
            elif number is not None and number != round(number, FRACTION_PLACES):
                item.fault(f"must have at most {FRACTION_PLACES} decimal places")
            return number
        case ParameterKind.SENSITIVE:
            name = item.text()
            at = next((c for c in columns if c.name == name), None)
            if name is not None and (at is None or at.role is not Role.SENSITIVE):
                item.fault("must name a column with role sensitive")
            return name
        case tuple() as words:
            if item.value not in words:
                item.fault(f"must be {' or '.join(words)}")
            return item.value
        case _:
            assert_never(asked.kind)


def _over(item: Item, columns: tuple[Column, ...]) -> tuple[str, ...]:
    """Read a set of quasi-identifiers, in the policy's order; empty where it holds all of them."""
    quasi = [column.name for column in columns if column.role is Role.QUASI]
    given = [text for part in item.items() if (text := part.text()) is not None]
    if not given:
        item.fault("must name at least one quasi-identifier")
    for name in given:
        if name not in quasi:
            close = difflib.get_close_matches(name, quasi, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            item.fault(f"{name} is not a quasi-identifier{hint}")
    chosen = tuple(name for name in quasi if name in given)
    return chosen if len(chosen) < len(quasi) else ()


def _suppression(item: Item) -> Suppression:
    suppression, fault = suppression_from(item.value)
    if fault is not None:
        item.fault(fault)
    return suppression


def suppression_from(value: object) -> tuple[Suppression, str | None]:
    """Read MaxSup: a whole number of rows, or a share such as `4%`.

    >>> suppression_from("4%")[0].share, suppression_from(12)[0].rows
    (Fraction(1, 25), 12)
    """
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"\d{1,18}", text, re.ASCII):
            return Suppression(rows=int(text)), None
        if re.fullmatch(r"\d{1,3}(\.\d{1,30})?\s*%", text, re.ASCII):
            share = Fraction(Decimal(text.rstrip("% \t"))) / 100
            if share <= 1:
                return Suppression(share=share), None
            return Suppression(rows=0), "must lie between 0% and 100%"
    elif isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value <= MOST:
            return Suppression(rows=value), None
        return Suppression(rows=0), "must not be negative" if value < 0 else "must be at most 10^18"
    return Suppression(rows=0), "must be a whole number of rows or a share such as 4%"
