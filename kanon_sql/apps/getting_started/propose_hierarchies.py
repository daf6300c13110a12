"""Proposes hierarchy and order of a quasi-identifier for `init`, by its profile. No bound is taken from a value.

Labels of a hierarchy nest: any two of a column are disjoint, or one contains the other. So a column that releases labels
has no order, by which it would be cut into intervals that overlap. An order with steps is for released values.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

import yaml

from kanon_sql.apps.getting_started.clean_source import is_medical_code, rounded_down
from kanon_sql.apps.getting_started.column_profiles import AGE, COORDINATE, MEASURE
from kanon_sql.apps.getting_started.role_names import MONEY, rule_of
from kanon_sql.apps.getting_started.written_columns import FEWEST
from kanon_sql.base.documents.shown import flow
from kanon_sql.base.documents.text import clause
from kanon_sql.counting.source.person_keys import BIRTH, folded
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.codes import CodeHierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile, Spread
    from kanon_sql.counting.run.arguments import Use

STEPS = 50
"""About how many steps the range of a column's numbers is divided into, where values are released."""
FEW = 20
"""The range of whole numbers below which each number is a step by itself."""
OFTEN = 25
"""The rows that a number has on average, at least, so that numbers are released as they are and not by steps."""
NARROWEST = 12
"""About how many of the narrowest intervals the middle nine tenths of a column's numbers lie in."""
ELDEST = 90
"""Ages from here on are one label, as few people are so old: the Safe Harbor of HIPAA asks for it (45 CFR 164.514(b)(2)(i)(C))."""
GRID = "{intervals: [0.01, 0.1, 1, 10]}"
"""The cells of a grid of coordinates, in degrees: about 1, 11, 110 and 1,100 kilometres from north to south."""
TAILED = 1.5
"""How many times as wide as their middle 98 hundredths numbers must be for open intervals at their ends."""
FINEST = 1000
"""About how many of the narrowest intervals the middle 98 hundredths of a column's numbers lie in, at most."""
SMALLEST, LARGEST = 1e-6, 1e13
"""The reach of numbers whose intervals have bounds that a policy can state."""
MANY_LEVELS = 5
"""The number of levels that is assumed of a hierarchy that a call gives."""
SEASON, DECADE = 92, 3653
"""The longest ranges of dates, in days, that are generalized from days, and from months up to years."""
LONG, YEARS = 4 * DECADE, ("20_years", "40_years")
"""The range of dates beyond which decades have units of several decades above them."""
TIME = re.compile(r"time(_ns)?\b", re.IGNORECASE)
DURATION = re.compile(r"interval\b|duration\b", re.IGNORECASE)
LENGTH_OF_TIME, MINUTE_AND_HOUR = 8, (5, 2)
"""The characters of a time such as 14:32:05, and of those that its minute and its hour are."""
MOST_POSTAL = 0.8
"""The least share of postal codes with the most frequent shape, whose first characters are regions."""
CODE = re.compile(r"[A-Za-z]{0,3}9{3,}")
"""Matches the shape of a code that is masked from the right: digits, after a few letters."""
NUMBERED = re.compile(r"((^|_)(id|key)|[a-z]I[dD])$")
"""Finds the names of columns whose numbers name a thing, as of a ward: they have no intervals and no mean."""


class ForRecords:
    """What a policy says for the use of its release: for rows that are each true, labels of hierarchies."""

    key: Use = "records"
    question = "records (each row is true: ranges and groups that nest)"
    by_regions = False
    """Whether only Mondrian releases what the use needs."""
    output = ""
    """The line at the top of a policy that says what cells show."""
    shows = ""
    """What cells show that Safe Harbor removes."""

    def order(self, profile: ColumnProfile) -> str:
        """Return what follows the hierarchy in a column's entry."""
        del profile
        return ""

    def loses_null(self, profile: ColumnProfile) -> bool:
        """Whether a NULL of a quasi-identifier would show what other rows of its class have."""
        del profile
        return False


class ForCounts(ForRecords):
    """For counts, values of classes: dates and numbers that few rows have get an order and steps."""

    key: Use = "counts"
    question = "counts (statistics, dashboards: plain values whose counts are close, and no row shows what is true of it)"
    by_regions = True
    output = "output: apportioned  # plain values whose counts are close; a row does not show what is true of it (init --for records does)"
    shows = "single ages, places and years"

    def order(self, profile: ColumnProfile) -> str:
        return _order(profile)


class ForMeans(ForRecords):
    """For regressions, means of numbers, and labels of all else. A row without a number has no mean: it is suppressed."""

    key: Use = "means"
    question = "means (regressions: each number is the mean of its class, all else are groups)"
    by_regions = True
    shows = "means of ages"

    def order(self, profile: ColumnProfile) -> str:
        is_amount = _has_intervals(profile) and not profile.is_postal and not profile.unbounded
        return ", order: number, output: mean" if is_amount and _masked(profile) is None else ""

    def loses_null(self, profile: ColumnProfile) -> bool:
        return profile.nulls > 0 and self.order(profile) != ""


USES: dict[Use, ForRecords] = {each.key: each for each in (ForCounts(), ForMeans(), ForRecords())}
"""What a release may be for; the default is the last."""


def use_for(key: Use | None) -> ForRecords:
    """Return the use of that name, by default that of rows which are each true."""
    return USES[key or ForRecords.key]


def recoding_of(profile: ColumnProfile, file: str | None, use: Use | None = None) -> str:
    """Propose the recoding of a quasi-identifier as a policy writes it; `file` is the YAML path of a hierarchy file.

    It is a hierarchy, of which labels are made, and what the `use` of the release needs beside it.
    """
    if file is not None:
        return f"hierarchy: {{csv: {file}}}"
    return f"hierarchy: {_hierarchy(profile)}{use_for(use).order(profile)}"


def _hierarchy(profile: ColumnProfile) -> str:
    if profile.code not in {None, "us_zip"} and profile.coded == profile.present:
        return f"{{code: {profile.code}}}"
    if profile.is_date:
        return f"{{dates: [{', '.join(_date_units(profile))}]}}"
    if profile.is_postal and (postal := _of_postal_codes(profile)) is not None:
        return postal
    if (length := _masked(profile)) is not None:
        return f"{{mask: {length}}}"
    if _has_intervals(profile):
        return _intervals(profile)
    return _by_type(profile)


def _of_postal_codes(profile: ColumnProfile) -> str | None:
    """Propose the regions of postal codes by their first characters; None where they begin with no common length.

    Numbers have lost the zeros in front, which intervals by powers of ten have as if they were there. Beside codes of
    most rows there may be longer texts, which no level but the root groups.
    """
    if profile.kind == "number":
        spread = profile.spread
        digits = 0 if spread is None else len(f"{spread.largest:.0f}")
        return f"{{intervals: [{', '.join(str(10**n) for n in range(1, digits))}]}}"
    shape, rows = next(iter(profile.shapes), (None, 0))
    if shape is None or "9" not in shape or rows < MOST_POSTAL * profile.present:
        return None
    kept, longest = len(shape), profile.longest
    if kept >= longest:
        return f"{{mask: {longest}}}"
    steps = ", ".join(map(str, range(longest - kept + 1, longest)))
    return f"{{mask: {{length: {longest}, steps: [{steps}]}}}}"


def _by_type(profile: ColumnProfile) -> str:
    """Propose the hierarchy of a type that lists its values, or of times of day; of others none but the root."""
    if profile.listed:
        return f"{{tree: {flow(nested_groups(profile.listed))}}}"
    if TIME.match(profile.type) and profile.longest >= LENGTH_OF_TIME:
        steps = ", ".join(str(profile.longest - kept) for kept in MINUTE_AND_HOUR)
        return f"{{mask: {{length: {profile.longest}, steps: [{steps}]}}}}"
    return "suppress"


def lost_as_a_whole(profile: ColumnProfile, rest: str) -> str | None:
    """Return why a proposed hierarchy keeps or removes values as a whole, and what to do; None if few values are lost by it."""
    if rest != "hierarchy: suppress" or profile.values <= FEW or profile.kind == "text":
        return None  # of texts lint says so where most rows are lost by it
    whole = "kept or removed as a whole"
    if profile.huge:
        return f"{whole}, as {clause(profile.huge, 'row', 'have numbers from 10^15 on')}, which no interval holds: make them NULL"
    if profile.kind == "number":
        return f"{whole}, as its numbers are too close or too far apart for intervals: scale them"
    if DURATION.match(profile.type):
        return (
            f"{whole}, as a length of time has no intervals: make it a number, such as of minutes"
        )
    return f"{whole}: give it groups (csv or tree), or drop it"


def _has_intervals(profile: ColumnProfile) -> bool:
    """Whether its numbers go into intervals: two or three whole ones in a row are categories."""
    if not _is_measured(profile) or profile.spread is None or NUMBERED.search(profile.name):
        return False
    reach = profile.spread.reach
    return SMALLEST < reach < LARGEST and (reach > 2 or not profile.is_whole)


def _is_measured(profile: ColumnProfile) -> bool:
    """Whether all its values are numbers that intervals hold; what is infinite or no number stays itself there."""
    return profile.is_number and not profile.huge


def _masked(profile: ColumnProfile) -> int | None:
    """Return the length of codes that can be masked: codes of one shape, or diagnosis codes; None for others."""
    if profile.kind != "text" or not profile.shapes or _names_an_amount(profile):
        return None
    if is_medical_code(profile):
        return profile.longest
    (shape, _), *others = profile.shapes
    if others or shape is None or not CODE.fullmatch(shape) or profile.longest < 4:
        return None
    return profile.longest


def _names_an_amount(profile: ColumnProfile) -> bool:
    """Whether a column of numbers is of amounts by its name, so that five digits in each row are no code."""
    name = folded(profile.name)
    rule = rule_of(name)
    of_money = rule is not None and rule.about == MONEY
    return profile.is_number and (of_money or MEASURE.search(name) is not None)


def _date_units(profile: ColumnProfile) -> tuple[str, ...]:
    """Return the units of a hierarchy of dates; none is shorter than the unit to which the dates are known."""
    shorter = {"month": {"day", "week"}, "quarter": {"day", "week", "month"}}.get(profile.unit, ())
    known = tuple(unit for unit in _units_by_reach(profile) if unit not in shorter)
    return known or (profile.unit,)


def _units_by_reach(profile: ColumnProfile) -> tuple[str, ...]:
    reach = 0 if profile.spread is None else profile.spread.reach
    if _is_birth(profile) or reach > DECADE:
        # As ages do, births have steps up to half of what people live: else few rows would have a label but the root.
        return ("month", "year", "decade", *(YEARS if reach > LONG else ()))
    if reach > SEASON:
        return ("month", "quarter", "year")
    return ("day", "week") if reach <= SEASON / 2 else ("day", "month")


def _is_birth(profile: ColumnProfile) -> bool:
    return BIRTH.fullmatch(folded(profile.name)) is not None


def _order(profile: ColumnProfile) -> str:
    """Propose order and snap of dates and numbers; none where the outermost step would hold a single row."""
    if profile.is_date:
        unit = next(unit for unit in _date_units(profile) if unit != "week")
        if unit == "month" and (_is_birth(profile) or "decade" in _date_units(profile)):
            unit = "year"
        return f", order: date, snap: {unit}"
    if not _is_measured(profile) or profile.spread is None or _masked(profile) is not None:
        return ""
    if profile.is_postal:
        return ""
    if profile.unbounded or profile.spread.reach <= 2 or profile.present >= OFTEN * profile.values:
        return ""
    if _is_far_reaching(profile.spread):
        return ""  # the outermost bound would be the step of a single row
    return f", order: number, snap: {_plain(_step(profile))}"


def _step(profile: ColumnProfile) -> float:
    """Return the width of the steps between which numbers are cut: 1, 2 or 5 times a power of ten."""
    spread = profile.spread
    if spread is None:
        raise InternalError("a number without a spread has no steps")
    wide = (spread.high - spread.low) or spread.reach
    step = rounded_down(wide / STEPS)
    if not profile.is_whole:
        return step
    # A step of 1 would publish whole numbers unchanged, which is meant for years of birth and small ranges alone.
    return max(step, 1.0 if _is_birth(profile) or wide < FEW else 2.0)


def _intervals(profile: ColumnProfile) -> str:
    """Propose intervals by the quantiles: numbers far from the middle are in one open interval at each end.

    The coarsest interval between open ends is all that lies between them: else a class of rows on both sides of any cut would
    lose the column as a whole.
    """
    spread = profile.spread
    if spread is None:
        raise InternalError("a number without a spread has no intervals")
    if COORDINATE.search(folded(profile.name)):
        return GRID
    wide = spread.high - spread.low or spread.reach
    narrowest = (spread.middle or spread.reach) / NARROWEST
    tails = [tail for tail in (spread.median - spread.lower, spread.upper - spread.median) if tail]
    if tails and 4 * min(tails) < spread.middle:
        # Half of the rows are in the shorter tail: the longer one must not widen their intervals.
        narrowest = max(2 * min(tails) / NARROWEST, wide / FINEST, SMALLEST / FINEST)
    narrowest = rounded_down(narrowest)
    if profile.is_whole:
        narrowest = max(narrowest, 2.0)  # whole numbers are in intervals of 1 already
    dense = min(
        [spread.middle, *(4 * tail for tail in tails)]
    )  # most values lie so near to the median
    widths = _merging(_nested_widths(narrowest, wide), dense, profile.values)
    ends = ""
    if AGE.search(folded(profile.name)) and ELDEST < spread.largest < 130:
        ends = f", top: {ELDEST}"
    elif spread.reach > TAILED * wide:
        coarse = widths[-1]
        bottom = math.floor(spread.low / coarse) * coarse
        top = max(math.ceil(spread.high / coarse) * coarse, bottom + coarse)
        while widths[-1] < top - bottom:
            widths.append(2 * widths[-1])
        offset = f", offset: {_plain(bottom)}" if bottom % widths[-1] else ""
        ends = f"{offset}, bottom: {_plain(bottom)}, top: {_plain(top)}"
    written = f"[{', '.join(map(_plain, widths))}]"
    return f"{{intervals: {{widths: {written}{ends}}}}}" if ends else f"{{intervals: {written}}}"


def _nested_widths(narrowest: float, reach: float) -> list[float]:
    """Return widths of intervals, each a multiple of the one before: up to a power of ten, then doubled up to `reach`.

    >>> _nested_widths(2.0, 73), _nested_widths(5000.0, 60_000), _nested_widths(0.1, 0.3), _nested_widths(2.0, 9)
    ([2.0, 10.0, 20.0, 40.0], [5000.0, 10000.0, 20000.0, 40000.0], [0.1, 0.2], [2.0, 4.0, 8.0])
    """
    widths, width = [narrowest], 10.0 ** math.ceil(math.log10(narrowest))
    if not narrowest < width < reach:
        width = narrowest * 2
    while width < reach:
        widths.append(width)
        width *= 2
    return widths


def _merging(widths: Sequence[float], reach: float, values: int) -> list[float]:
    """Return the widths whose intervals are fewer than the values, so that some hold several; always the widest one.

    >>> _merging([0.02, 0.1, 0.2, 0.4], 0.53, 12), _merging([2.0, 4.0, 8.0], 9.0, 10), _merging([5.0], 80.0, 3)
    ([0.1, 0.2, 0.4], [2.0, 4.0, 8.0], [5.0])
    """
    return [each for each in widths if reach < each * (values - 2)] or list(widths[-1:])


def _is_far_reaching(spread: Spread) -> bool:
    """Whether a few numbers are so far from the others that only an interval without an end can hold them."""
    return spread.reach > 2 * (spread.high - spread.low)


def _plain(number: float) -> str:
    """Write all digits of a number, without an exponent, which YAML would take for a text.

    >>> _plain(2e6), _plain(0.05), _plain(12345678.0)
    ('2000000', '0.05', '12345678')
    """
    text = f"{Decimal(repr(round(number, 12))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def levels_of(entry: str, height: int | None = None) -> int:
    """Count the levels of a proposed hierarchy, including the original values; `height` is a file's.

    >>> [levels_of(f"hierarchy: {h}") for h in ("suppress", "{mask: 5}", "{dates: [month, year]}")]
    [2, 6, 4]
    """
    match yaml.safe_load(f"{{{entry}}}")["hierarchy"]:
        case {"code": str(name)}:
            return CodeHierarchy(name).height + 1
        case {"mask": int(length)}:
            return length + 1
        case (
            {"dates": list(steps)}
            | {"intervals": list(steps)}
            | {"intervals": {"widths": list(steps)}}
        ):
            return len(steps) + 2
        case {"csv": _} if height is not None:
            return height + 1
        case "suppress":
            return 2
        case dict() | str():  # one that a call gives
            return MANY_LEVELS
        case _:
            raise InternalError("a suggested hierarchy is neither a mapping nor a text")


INTERVAL = re.compile(r"([\[(][^,]+), ([^,]+[\])])")


def nested_groups(listed: Sequence[str]) -> dict[str, object]:
    """Return the tree of values that groups neighbours by two, a last one with the group before it, up to one root.

    >>> nested_groups(["low", "mid", "high"])
    {'*': {'low to mid': ['low', 'mid'], 'high': ['high']}}
    >>> nested_groups(["(0, 1]", "(1, 2]", "(2, 3]", "(3, 9]"])
    {'*': {'(0, 2]': ['(0, 1]', '(1, 2]'], '(2, 9]': ['(2, 3]', '(3, 9]']}}
    """
    groups: list[tuple[str, str, object]] = [(each, each, None) for each in listed]
    while len(groups) > FEWEST or groups[0][2] is None:
        starts = list(range(0, max(len(groups) - 1, FEWEST), 2))
        ends = [*starts[1:], len(groups)]
        parts = [groups[start:end] for start, end in zip(starts, ends, strict=True)]
        groups = [(part[0][0], part[-1][1], _members(part)) for part in parts]
    return {"*": _members(groups)}


def _members(groups: Sequence[tuple[str, str, object]]) -> object:
    if groups[0][2] is None:
        return [first for first, _, _ in groups]
    return {_between(first, last): members for first, last, members in groups}


def _between(first: str, last: str) -> str:
    """Return the label of all values from the first to the last: of intervals, the interval from end to end."""
    if first == last:
        return first
    ends = INTERVAL.fullmatch(first), INTERVAL.fullmatch(last)
    if ends[0] is not None and ends[1] is not None:
        return f"{ends[0][1]}, {ends[1][2]}"
    return f"{first} to {last}"
