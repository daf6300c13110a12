"""Read what a policy says of the search: the algorithm with its options, the metric, the time."""

from __future__ import annotations

import difflib
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.metrics.registry import METRICS, NAMES
from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.policy.model import (
    Algorithm,
    Among,
    At,
    Choose,
    Dealing,
    Identifying,
    Minimize,
    Per,
    Preference,
    Recode,
    Repair,
    Role,
    Search,
    Variant,
)
from kanon_sql.policy.search_options import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.documents.lines import Item
    from kanon_sql.policy.model import Column

KNOWN = (
    "algorithm", "metric", "aggregate", "suppressed", "recoding", "layers", "time_limit", *OPTIONS
)  # fmt: skip
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?", re.ASCII)
A_DURATION = "a duration such as 60s, 5m or 500ms"
LONGEST = 1e9
MOST_WEIGHT = 10**6
SETS = ("identifying", "more", "most")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def read_search(item: Item, columns: Sequence[Column]) -> Search:
    """Read the entry `search`; an option that the algorithm has no use for is a fault."""
    quasi = [column.name for column in columns if column.role is Role.QUASI]
    entries = item.mapping(known=KNOWN)
    default = Search()
    metric = entries["metric"].text() if "metric" in entries else default.metric
    if metric is not None and metric not in NAMES:
        entries["metric"].fault(f"must be one of {', '.join(METRICS)}")
    aggregate = entries["aggregate"].choice(Aggregate) if "aggregate" in entries else None
    if aggregate is not None and metric != "loss":
        entries["aggregate"].fault("goes with metric: loss")
    count = False
    if "suppressed" in entries:
        if entries["suppressed"].value not in ("counted", "ignored"):
            entries["suppressed"].fault("must be counted or ignored")
        elif metric != "entropy":
            entries["suppressed"].fault("goes with metric: entropy")
        count = entries["suppressed"].value == "counted"
    algorithm = entries["algorithm"].choice(Algorithm) if "algorithm" in entries else None
    preference = entries["preference"].choice(Preference) if "preference" in entries else None
    among = entries["among"].choice(Among) if "among" in entries else None
    variant = entries["variant"].choice(Variant) if "variant" in entries else None
    per = entries["per"].choice(Per) if "per" in entries else None
    repair = entries["repair"].choice(Repair) if "repair" in entries else None
    minimize = entries["minimize"].choice(Minimize) if "minimize" in entries else None
    score = entries["score"].choice(Score) if "score" in entries else None
    average = entries["average"].choice(Average) if "average" in entries else None
    choose = entries["choose"].choice(Choose) if "choose" in entries else None
    at = entries["at"].choice(At) if "at" in entries else None
    cuts = entries["cuts"].choice(Dealing) if "cuts" in entries else None
    recoding = entries["recoding"].choice(Recode) if "recoding" in entries else None
    layers = entries["layers"].integer(least=2) if "layers" in entries else None
    if layers is not None and recoding in {None, Recode.FULL_DOMAIN}:
        entries["layers"].fault("goes with recoding: local or cells")
    for name, option in OPTIONS.items():
        if name in entries and (algorithm or default.algorithm) not in option.of:
            entries[name].fault(f"goes with algorithm: {' or '.join(option.of)}")
    return Search(
        algorithm=algorithm or default.algorithm,
        metric=metric or default.metric,
        aggregate=aggregate or default.aggregate,
        count_suppressed=count,
        preference=preference or default.preference,
        among=among or default.among,
        variant=variant or default.variant,
        recoding=recoding or default.recoding,
        layers=layers or default.layers,
        time_limit=_duration(entries["time_limit"]) if "time_limit" in entries else None,
        order=_names(entries["order"], quasi) if "order" in entries else (),
        per=per or default.per,
        sets=_sets(entries["sets"], quasi) if "sets" in entries else None,
        generalize=_levels(entries["generalize"], quasi) if "generalize" in entries else (),
        repair=repair or default.repair,
        choose=choose or default.choose,
        at=at or default.at,
        cuts=cuts or default.cuts,
        target=_target(entries["target"], columns) if "target" in entries else None,
        score=score or default.score,
        average=average or default.average,
        minimize=minimize or default.minimize,
        weights=_weights(entries["weights"], quasi) if "weights" in entries else (),
    )


def duration(text: str) -> float | None:
    """Read a time in seconds, or in the unit that is said; None where it is none.

    >>> duration("60s"), duration("500 ms"), duration("soon")
    (60.0, 0.5, None)
    """
    match = DURATION.fullmatch(text.strip())
    return None if match is None else float(match[1]) * SECONDS[match[2]]


def _names(item: Item, quasi: Sequence[str]) -> tuple[str, ...]:
    """Read names of quasi-identifiers, each once."""
    given = [(part, text) for part in item.items() if (text := part.text()) is not None]
    if not item.items():
        item.fault("names no column; leave it out, or name one")
    for at, (part, text) in enumerate(given):
        if _is_quasi(part, text, quasi) and text in [before for _, before in given[:at]]:
            part.fault(f"{text} is named twice")
    return tuple(text for _, text in given)


def _is_quasi(item: Item, name: str, quasi: Sequence[str]) -> bool:
    """Whether a name is a quasi-identifier's; a fault where it is not."""
    if name in quasi:
        return True
    close = difflib.get_close_matches(name, quasi, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    item.fault(f"{name} is not a quasi-identifier{hint}")
    return False


def _sets(item: Item, quasi: Sequence[str]) -> Identifying:
    """Read how identifying columns are; those that are not named are identifying."""
    entries = item.mapping(known=SETS)
    if isinstance(item.value, dict) and not entries.keys() - {"identifying"}:
        item.fault("names no columns as more or most; say which are the more identifying ones")
    named = {name: _names(entries[name], quasi) for name in SETS if name in entries}
    more, most = named.get("more", ()), named.get("most", ())
    for name in quasi:
        if [name in each for each in named.values()].count(True) > 1:
            item.fault(f"{name} is in two sets; name it in one")
    return Identifying(tuple(q for q in quasi if q not in (*more, *most)), more, most)


def _levels(item: Item, quasi: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Read the least level of some columns, in the policy's order."""
    levels = {
        name: entry.integer(least=0) or 0
        for name, entry in item.mapping().items()
        if _is_quasi(entry, name, quasi)
    }
    return tuple((name, levels[name]) for name in quasi if name in levels)


def _target(item: Item, columns: Sequence[Column]) -> str | None:
    """Read the name of a column that is released beside the quasi-identifiers."""
    text = item.text()
    if text is None:
        return None
    found = next((column for column in columns if column.name == text), None)
    if found is None or found.role not in {Role.SENSITIVE, Role.INSENSITIVE}:
        item.fault("must name a column with role sensitive or insensitive")
    return text


def _weights(item: Item, quasi: Sequence[str]) -> tuple[tuple[str, Decimal], ...]:
    """Read what the widths of some columns are multiplied with, in the policy's order."""
    weights = {}
    for name, entry in item.mapping().items():
        if not _is_quasi(entry, name, quasi) or (weight := entry.decimal()) is None:
            continue
        if not 0 < weight < MOST_WEIGHT:
            entry.fault("must be more than nothing, and less than a million")
        weights[name] = weight
    return tuple((name, weights[name]) for name in quasi if name in weights)


def _duration(item: Item) -> float | None:
    seconds, fault = seconds_from(item.value)
    if fault is not None:
        item.fault(fault)
    return seconds


def seconds_from(value: object) -> tuple[float | None, str | None]:
    """Read a time limit: a number of seconds, or a text with a unit; or say what is wrong with it.

    >>> seconds_from("5m"), seconds_from(0)
    ((300.0, None), (None, 'must be more than nothing, and less than thirty years'))
    """
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        seconds = float(value) if value < LONGEST else LONGEST
    elif isinstance(value, str) and (said := duration(value)) is not None:
        seconds = said
    else:
        return None, f"must be {A_DURATION}"
    if not 0 < seconds < LONGEST:
        return None, "must be more than nothing, and less than thirty years"
    return seconds, None
