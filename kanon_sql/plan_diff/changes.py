"""What became of a plan: its bounds, columns, figures and inputs beside those of another. Values only.

What is better or worse is said only where both plans measure the same thing. The words are in
`model/changes_told.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from kanon_sql.metrics.registry import figure_of
from kanon_sql.plans.hashes import IN_THE_POLICY, differ
from kanon_sql.plans.recodings import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
)
from kanon_sql.privacy.declared_models import MODELS
from kanon_sql.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.plans.plan import Plan


class ChangeKind(StrEnum):
    """What a change is: of a bound, of a column, or of a figure that has a better end."""

    SAME = "same"
    WEAKER = "weaker"
    STRICTER = "stricter"
    GONE = "gone"
    ADDED = "new"
    FINER = "finer"
    COARSER = "coarser"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class PrivacyBound:
    """What a privacy model asks, of both plans; None where one of them has no such model.

    `model` has the letter of the literature in the place of the number, `of` the columns it is about.
    Of a model that is not known by its words the number is 1 where it is asked. `strict` says of both
    plans whether NULL is no value to it: of two models of one number that is the stricter one, and of
    one value more the weaker.
    """

    model: str
    of: str
    old: float | None
    new: float | None
    strict: tuple[bool, bool] = (True, True)

    @property
    def verdict(self) -> ChangeKind:
        if self.old is None:
            return ChangeKind.ADDED
        if self.new is None:
            return ChangeKind.GONE
        sign = -1 if self.model in STRICTER_BELOW else 1
        old, new = (sign * self.old, self.strict[0]), (sign * self.new, self.strict[1])
        if old == new:
            return ChangeKind.SAME
        return ChangeKind.STRICTER if new > old else ChangeKind.WEAKER

    @property
    def shown(self) -> tuple[str | None, str | None]:
        """Give both bounds as texts, which say what NULL is where it is a value."""
        old, new = (
            None if n is None else f"{n:,}{'' if strict else SensitiveNulls.VALUE.words}"
            for n, strict in zip((self.old, self.new), self.strict, strict=True)
        )
        return old, new

    @property
    def weaker(self) -> bool:
        return self.verdict in {ChangeKind.WEAKER, ChangeKind.GONE}

    @property
    def stricter(self) -> bool:
        return self.verdict in {ChangeKind.STRICTER, ChangeKind.ADDED}


@dataclass(frozen=True, slots=True)
class ColumnRecoding:
    """How one plan releases a column: at these levels of so many, or in parts; `mean` is over rows.

    Boxes say nothing of single columns.
    """

    levels: tuple[int, ...]
    height: int
    mean: Fraction | None
    blanked: int = 0
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A quasi-identifier in both plans; None where it is none of one of them.

    `hierarchy` says what became of its hierarchy, by the hash of it.
    """

    name: str
    old: ColumnRecoding | None
    new: ColumnRecoding | None
    hierarchy: ChangeKind

    @property
    def verdict(self) -> ChangeKind:
        old, new = self.old, self.new
        if old is None or new is None:
            return ChangeKind.ADDED if old is None else ChangeKind.GONE
        if self.hierarchy is not ChangeKind.SAME or old.height != new.height:
            return ChangeKind.CHANGED
        if old == new:
            return ChangeKind.SAME
        found = ChangeKind.SAME
        if old.parts and new.parts:
            found = _of_order(len(old.parts), len(new.parts), ChangeKind.FINER, ChangeKind.COARSER)
        elif old.mean is not None and new.mean is not None:
            found = _of_order(old.mean, new.mean, ChangeKind.COARSER, ChangeKind.FINER)
        return ChangeKind.CHANGED if found is ChangeKind.SAME else found


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure of both plans; `why_not` says why its ends cannot be held against each other.

    `higher_is_better` is None for a figure that has no better end.
    """

    name: str
    old: float | None
    new: float | None
    higher_is_better: bool | None
    why_not: str | None = None

    @property
    def verdict(self) -> ChangeKind:
        if self.old is None:
            return ChangeKind.SAME if self.new is None else ChangeKind.ADDED
        if self.new is None:
            return ChangeKind.GONE
        if self.old == self.new:
            return ChangeKind.SAME
        if self.why_not is not None or self.higher_is_better is None:
            return ChangeKind.CHANGED
        up, down = ChangeKind.BETTER, ChangeKind.WORSE
        return _of_order(self.old, self.new, *((up, down) if self.higher_is_better else (down, up)))


def _of_order(
    old: float | Fraction, new: float | Fraction, more: ChangeKind, less: ChangeKind
) -> ChangeKind:
    return ChangeKind.SAME if old == new else more if new > old else less


FIGURES = {
    "gcp": (False, {"columns", "hierarchies"}),
    "loss": (False, {"columns", "hierarchies"}),
    "precision": (True, {"columns", "hierarchies"}),
    "entropy": (False, {"columns", "hierarchies", "rows"}),
    "height": (False, {"columns", "hierarchies"}),
    "discernibility": (False, {"columns", "rows"}),
    "c_avg": (False, {"columns", "k"}),
    "aecs": (False, {"columns"}),
    "lower_bound": (None, set()),
    "classes_before": (None, set()),
}
"""Of each figure of utility whether higher is better, and what must be alike for that to be said."""

CHARGE_SUPPRESSION = {"loss", "precision", "discernibility"}
"""The figures in which a suppressed row costs as much as one that is hidden wholly."""


@dataclass(frozen=True, slots=True)
class PlanChanges:
    """Two plans beside each other, and what changed from the old to the new."""

    old: Plan
    new: Plan

    @property
    def same(self) -> bool:
        """Whether both are one plan, to the byte."""
        return self.old.to_yaml() == self.new.to_yaml()

    @property
    def asked(self) -> tuple[PrivacyBound, ...]:
        """Give the privacy models, strictest bound of each, those of the old plan first."""
        bounds = _bounds(self.old.privacy), _bounds(self.new.privacy)
        none = (None, True)
        return tuple(
            PrivacyBound(*model, old, new, (strict, stricter))
            for model in dict.fromkeys([*bounds[0], *bounds[1]])
            for (old, strict), (new, stricter) in [
                (bounds[0].get(model, none), bounds[1].get(model, none))
            ]
        )

    @property
    def columns(self) -> tuple[ColumnChange, ...]:
        """Give the quasi-identifiers of either plan, those of the old one first."""
        old, new = _recoded(self.old), _recoded(self.new)
        return tuple(
            ColumnChange(name, old.get(name), new.get(name), self._hierarchy(name))
            for name in dict.fromkeys([*old, *new])
        )

    def _hierarchy(self, name: str) -> ChangeKind:
        old, new = self.old.hierarchies.get(name), self.new.hierarchies.get(name)
        if old is None or new is None:
            return (
                ChangeKind.SAME
                if old == new
                else ChangeKind.ADDED
                if old is None
                else ChangeKind.GONE
            )
        return ChangeKind.CHANGED if differ(old, new) else ChangeKind.SAME

    @property
    def unhashed(self) -> tuple[str, ...]:
        """Name the columns whose hierarchies the policies' texts hold: no hash tells of a change."""
        return tuple(
            each.name
            for each in self.columns
            if self.old.hierarchies.get(each.name) == IN_THE_POLICY
            and self.new.hierarchies.get(each.name) == IN_THE_POLICY
        )

    @property
    def other_keys(self) -> bool:
        """Whether something was hashed under another key, or by another database, and cannot be compared."""
        old = {**self.old.hierarchies, "": self.old.source_fingerprint or ""}
        new = {**self.new.hierarchies, "": self.new.source_fingerprint or ""}
        return any(differ(old[name], new[name]) is None for name in old.keys() & new.keys())

    @property
    def policy_changed(self) -> bool:
        """Whether the policy, or what was said instead of it, is another."""
        return self.old.policy_digest != self.new.policy_digest

    @property
    def source_changed(self) -> bool | None:
        """Whether the source has other rows; None where a plan lacks its hash, or it is under another key."""
        if self.old.source_rows != self.new.source_rows:
            return True
        if self.old.source_fingerprint is None or self.new.source_fingerprint is None:
            return None
        return differ(self.old.source_fingerprint, self.new.source_fingerprint)

    @property
    def only_data(self) -> bool:
        """Whether policy, overrides and hierarchies are the same, and the source is another."""
        alike = (
            (each.policy_digest, dict(each.overrides), dict(each.hierarchies), each.where)
            for each in (self.old, self.new)
        )
        return bool(self.source_changed) and next(alike) == next(alike)

    @property
    def alike(self) -> dict[str, bool]:
        """Say which of the things that figures depend on are the same in both plans."""
        old, new = self.old, self.new
        shared = set(old.names) & set(new.names)
        return {
            "columns": set(old.names) == set(new.names),
            "hierarchies": all(
                not differ(old.hierarchies.get(name, ""), new.hierarchies.get(name, ""))
                and old.heights[name] == new.heights[name]
                for name in shared
            ),
            "rows": old.source_rows == new.source_rows,
            "k": class_size(old) == class_size(new),
        }

    @property
    def figures(self) -> tuple[FigureChange, ...]:
        """Give the figures of utility that either plan has, the known ones first."""
        old, new = self.old.figures, self.new.figures
        named = [name for name in FIGURES if name in old or name in new]
        told = [
            self._figure(name, old.get(name), new.get(name))
            for name in dict.fromkeys([*named, *old, *new])
        ]
        if self.old.metric == self.new.metric and _is_no_figure(self.old):
            told.append(self._cost())
        return tuple(told)

    def _figure(self, name: str, old: float | None, new: float | None) -> FigureChange:
        higher, needs = FIGURES.get(name, (None, set()))
        return FigureChange(name, finite(old), finite(new), higher, self._why_not(needs))

    def _why_not(self, needs: set[str]) -> str | None:
        """Say what is another and would have to be the same."""
        words = {
            "columns": "other quasi-identifiers",
            "hierarchies": "other hierarchies",
            "rows": "another number of rows",
            "k": "another k",
        }
        return next((words[n] for n in words if n in needs and not self.alike[n]), None)

    def _cost(self) -> FigureChange:
        """Give the cost by a metric that is no figure by itself, if both count it by the same."""
        old, new = self.old.cost[0], self.new.cost[0]
        why = self._why_not({"columns", "hierarchies", "rows"})
        return FigureChange(
            f"cost by {self.old.metric}",
            finite(old),
            finite(new),
            higher_is_better=False,
            why_not=why,
        )

    @property
    def leading(self) -> FigureChange | None:
        """Give the figure that tells best how useful the plans are: that of their metric, if one."""
        told = {each.name: each for each in self.figures}
        metric = self.old.metric if self.old.metric == self.new.metric else ""
        for name in (figure_of(metric), f"cost by {metric}", "gcp", "loss", "discernibility"):
            found = told.get(name)
            if found is not None and None not in {found.old, found.new} and not found.why_not:
                return found
        return None

    @property
    def suppressed(self) -> FigureChange:
        """Give the shares of rows that are suppressed."""
        return FigureChange(
            "suppressed", suppression(self.old), suppression(self.new), higher_is_better=False
        )

    @property
    def risk(self) -> FigureChange:
        """Give the prosecutor's highest risk: one over the entities of the smallest class."""
        return FigureChange(
            "risk", highest_risk(self.old), highest_risk(self.new), higher_is_better=False
        )


def class_size(plan: Plan) -> int:
    """Give the k that is asked of the classes over all quasi-identifiers; 1 where none is."""
    return int(_bounds(plan.privacy).get(("k-anonymity", ""), (1, True))[0])


def suppression(plan: Plan) -> float | None:
    """Give the share of rows that a plan suppresses."""
    return plan.suppressed_rows / plan.source_rows if plan.source_rows > 0 else None


def highest_risk(plan: Plan) -> float | None:
    """Give the prosecutor's highest risk (El Emam and Dankar, JAMIA 2008): that of the smallest class."""
    return 1 / plan.smallest_class if plan.smallest_class > 0 else None


def finite(value: float | None) -> float | None:
    """Give a number that can be compared and written; a file may say others."""
    return value if value is not None and math.isfinite(value) else None


STRICTER_BELOW = {each.named for each in MODELS if each.stricter_below}
"""The models of which a smaller bound asks more."""


def _bounds(privacy: Sequence[str]) -> dict[tuple[str, str], tuple[float, bool]]:
    """Give what the models ask, by their names without numbers and the columns they are about.

    It is a number, and whether NULL is no value.
    """
    found: dict[tuple[str, str], tuple[float, bool]] = {}
    for text in privacy:
        model, of, bound, strict = _read(text)
        known = found.get((model, of), (bound, strict))
        sign = -1 if model in STRICTER_BELOW else 1
        found[model, of] = max((bound, strict), known, key=lambda each: (sign * each[0], each[1]))
    return found


def _read(text: str) -> tuple[str, str, float, bool]:
    words = SensitiveNulls.VALUE.words
    for model in MODELS:
        if (told := model.words.fullmatch(text)) is not None:
            of = (told[2] or "").strip(" ")
            bound = int(told[1]) if told[1].isdecimal() else float(told[1])
            return model.named, of.replace(words, "", 1), bound, words not in of
    return "", text, 1, True


def _is_no_figure(plan: Plan) -> bool:
    return figure_of(plan.metric) not in FIGURES and len(plan.cost) == 1


def _recoded(plan: Plan) -> dict[str, ColumnRecoding]:
    """Give how each column is released."""
    return dict(zip(plan.names, _each(plan), strict=True))


def _each(plan: Plan) -> Iterator[ColumnRecoding]:
    recoding, rows = plan.recoding, plan.source_rows - plan.suppressed_rows
    for at, height in enumerate(plan.heights.values()):
        match recoding:
            case Boxes():
                yield ColumnRecoding((), height, None)
            case Parts(parts=parts):
                yield ColumnRecoding((), height, None, parts=parts[at])
            case Layers(layers=layers):
                levels = [each.node.levels[at] for each in layers]
                released = sum(each.rows for each in layers)
                summed = sum(each.rows * level for each, level in zip(layers, levels, strict=True))
                mean = Fraction(summed, released) if released > 0 else None
                yield ColumnRecoding(tuple(sorted(set(levels))), height, mean)
            case Blanked(node=node, blanks=blanks):
                level, blanked = node.levels[at], blanks.released[at]
                summed = level * rows + (height - level) * blanked
                mean = Fraction(summed, rows) if rows > 0 else None
                yield ColumnRecoding((level,), height, mean, blanked)
            case FullDomain() | Enforced():
                level = recoding.node.levels[at]
                yield ColumnRecoding((level,), height, Fraction(level))
            case _:
                assert_never(recoding)
