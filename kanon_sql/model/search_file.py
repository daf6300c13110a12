"""Read what a policy says of the search: the algorithm with its options, the metric, the time."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.model.metric import METRICS, Aggregate
from kanon_sql.model.policy import Algorithm, Among, Preference, Recode, Search, Variant

if TYPE_CHECKING:
    from kanon_sql.model.document import Item

OPTIONS = {
    "preference": (Algorithm.SAMARATI, Algorithm.MINGEN),
    "among": (Algorithm.SAMARATI,),
    "variant": (Algorithm.INCOGNITO,),
}
"""The options that only some algorithms have."""

KNOWN = (
    "algorithm", "metric", "aggregate", "suppressed", "recoding", "layers", "time_limit", *OPTIONS
)  # fmt: skip
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
A_DURATION = "a duration such as 60s, 5m or 500ms"
LONGEST = 1e9
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def read_search(item: Item) -> Search:
    """Read the entry `search`; an option that the algorithm has no use for is a fault."""
    entries = item.mapping(known=KNOWN)
    default = Search()
    metric = entries["metric"].text() if "metric" in entries else default.metric
    if metric is not None and metric not in METRICS:
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
    recoding = entries["recoding"].choice(Recode) if "recoding" in entries else None
    layers = entries["layers"].integer(least=2) if "layers" in entries else None
    if layers is not None and recoding in {None, Recode.FULL_DOMAIN}:
        entries["layers"].fault("goes with recoding: local or cells")
    for option, of in OPTIONS.items():
        if option in entries and (algorithm or default.algorithm) not in of:
            entries[option].fault(f"goes with algorithm: {' or '.join(of)}")
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
    )


def duration(text: str) -> float | None:
    """Read a time in seconds, or in the unit that is said; None where it is none.

    >>> duration("60s"), duration("500 ms"), duration("soon")
    (60.0, 0.5, None)
    """
    match = DURATION.fullmatch(text.strip())
    return None if match is None else float(match[1]) * SECONDS[match[2]]


def _duration(item: Item) -> float | None:
    if isinstance(item.value, int | float | Decimal) and not isinstance(item.value, bool):
        seconds = float(item.value) if item.value < LONGEST else LONGEST
    elif isinstance(item.value, str) and (said := duration(item.value)) is not None:
        seconds = said
    else:
        item.fault(f"must be {A_DURATION}")
        return None
    if not 0 < seconds < LONGEST:
        item.fault("must be more than nothing, and less than thirty years")
        return None
    return seconds
