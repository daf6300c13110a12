"""`init` of an ARX project: unpacks its files beside the policy, and translates its settings and privacy models."""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.arx_project import (
    INPUT,
    MOST_OF_HIERARCHY,
    MOST_OF_INPUT,
    ArxArchive,
    ArxProject,
    read_project,
)
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.metrics.registry import takes
from kanon_sql.recoding.planning.make_plan import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kanon_sql.apps.getting_started.arx_project import ArxAttribute


ENDING = ".deid"
METRICS = (
    ("Loss", "loss"),
    ("Height", "height"),
    ("Monotonic precision", "distortion"),
    ("Non-monotonic precision", "distortion"),
    ("Non-uniform entropy", "entropy"),
    ("Non-monotonic non-uniform entropy", "entropy"),
    ("Normalized non-uniform entropy", "normalized_entropy"),
    ("Average equivalence class size", "class_size"),
    ("Monotonic discernability", "discernibility"),
    ("Non-monotonic discernability", "discernibility"),
    ("Ambiguity", "ambiguity"),
)
"""The beginning of ARX's text for a metric, and the metric of a policy."""
INPUT_FILE = "input.csv"
NUMBER = r"([0-9]{1,20}(?:\.[0-9]{1,20})?(?:E-?[0-9]{1,2})?)"
WHOLE = r"([0-9]{1,9})"
OF = r" for attribute '(.*)'"
DATES = frozenset({"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"})
"""Formats of dates that are ISO 8601, which `order: date` reads."""
NUMBERS = frozenset({"Decimal", "Integer"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A column as the policy states it: quoted name, entry and a note."""

    name: str
    entry: str
    note: str


def is_project(source: str) -> bool:
    return source.lower().endswith(ENDING)


@dataclass(frozen=True, slots=True)
class ImportedProject:
    """The policy made from a project, the folder of its files, and the criteria that are only comments in it."""

    policy: str
    folder: Path
    untranslated: tuple[str, ...]


@contextmanager
def imported_project(project: Path, policy_file: Path) -> Iterator[ImportedProject]:
    """Write a project's input and hierarchies into a new folder beside the policy, and yield the policy's text.

    The folder has the project's name, and only its owner can read it; it is removed if the block fails.
    Raises InputError for a project that cannot be read, and where the folder exists.
    """
    with ArxArchive(project) as archive:
        read = read_project(archive)
        folder = policy_file.absolute().parent / _file_name(project.stem, set())
        if os.path.lexists(folder):
            what = "already exists; remove it, or write the policy to another folder by -o"
            raise InputError(str(folder), [Fault("", what)])
        attributes = {each.name: each for each in read.attributes}
        models = [model_of(each, attributes) for each in read.criteria]
        files = _files_of(read, models)
        text = _policy(read, project.name, folder.name, models, files)
        try:
            _unpack(archive, folder, files)
        except OSError as error:
            what = f"cannot be written ({os.strerror(error.errno or 0)})"
            raise InputError(str(folder), [Fault("", what)]) from error
        try:
            yield ImportedProject(text, folder, _untranslated(models))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _untranslated(models: list[PolicyModel]) -> tuple[str, ...]:
    return tuple(found.note for found in models if found.entry is None and found.k is None)


def _unpack(archive: ArxArchive, folder: Path, files: dict[str, str]) -> None:
    """Write all files into the folder, or none: a temporary folder is renamed once they are complete."""
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        _write(archive, INPUT, MOST_OF_INPUT, beside / INPUT_FILE)
        for entry, name in files.items():
            _write(archive, entry, MOST_OF_HIERARCHY, beside / name)
        beside.rename(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _write(archive: ArxArchive, entry: str, most: int, path: Path) -> None:
    with path.open("x", encoding="utf-8", newline="") as file:
        file.writelines(archive.texts(entry, most))


def _files_of(project: ArxProject, models: list[PolicyModel]) -> dict[str, str]:
    """Return the file names of the hierarchies that the policy needs, by their entries in the archive."""
    taken = {"input"}
    trees = {found.of_tree for found in models}
    return {
        each.hierarchy: _file_name(f"hierarchy_{each.name}", taken) + ".csv"
        for each in project.attributes
        if each.hierarchy is not None and (_is_generalized(each) or each.name in trees)
    }


def _file_name(text: str, taken: set[str]) -> str:
    """Name a file after a text of the project, such that it is no path, no pattern and not taken.

    >>> _file_name("../age[1]", taken := set()), _file_name("..-age*1-", taken)
    ('age_1', 'age_1_2')
    """
    name = plain = re.sub(r"[^\w-]+", "_", text[:50]).strip("_-") or "project"
    number = 1
    while name.casefold() in taken:
        number += 1
        name = f"{plain}_{number}"
    taken.add(name.casefold())
    return name


def _is_generalized(attribute: ArxAttribute) -> bool:
    return attribute.role == "quasi" and attribute.levels > 1


def _policy(
    project: ArxProject, name: str, folder: str, models: list[PolicyModel], files: dict[str, str]
) -> str:
    metric = next((own for start, own in METRICS if project.metric.startswith(start)), None)
    sizes = [found.k for found in models if found.k is not None]
    k = max(sizes, default=None)
    weights = _weights(project) if takes(metric or "loss", "weights") else {}
    needs = {found.ordered: "order" for found in models} | {f.of_tree: "tree" for f in models}
    paths = {entry: f"{folder}/{file}" for entry, file in files.items()}
    return render_report(
        "arx_policy.yml",
        project=printable(name),
        version=printable(project.version[:40]),
        source={"path": quoted(f"{folder}/{INPUT_FILE}"), "delimiter": quoted(project.separator)},
        columns=[
            _column(each, project, paths, weights, needs.get(each.name))
            for each in project.attributes
        ],
        models=[found for found in models if found.note != f"{k}-anonymity"],
        k=k,
        suppression=_suppression(project.suppression_limit),
        notes=_notes(project, metric),
        search=_search(project, metric or "loss"),
        release=quoted(f"{folder}_release.parquet"),
    )


def _notes(project: ArxProject, metric: str | None) -> list[str]:
    """List notes on settings of the whole project that have no counterpart in the policy."""
    notes = []
    if metric is None:
        model = printable(project.metric[:80])
        notes.append(f"Its quality model is {model}; the search here has metric: loss.")
    if any(each.role == "sensitive" for each in project.attributes):
        notes.append(
            "ARX suppresses the quasi-identifiers of a row; here suppressed rows are left out."
        )
    return notes


def _column(
    attribute: ArxAttribute,
    project: ArxProject,
    paths: dict[str, str],
    weights: dict[str, str],
    need: str | None,
) -> Entry:
    """Write the entry of a column; `need` is what a privacy model needs of it: `order`, `tree` or nothing."""
    parts, notes = [f"role: {attribute.role}"], []
    file = paths.get(attribute.hierarchy or "")
    tree = f"hierarchy: {{csv: {quoted(file or '')}, delimiter: {quoted(project.separator)}}}"
    if attribute.role == "identifying":
        parts.append("action: drop")
    elif _is_generalized(attribute) or need == "tree":
        parts.append(tree)
    elif attribute.role == "quasi":
        parts.append("hierarchy: suppress")
        notes.append("has no levels in ARX, which keeps its values or suppresses the row")
    elif need == "order":
        parts.append(f"order: {order_of(attribute)}")
    if _is_generalized(attribute):
        bounds = {"least": attribute.least, "most": attribute.most}
        stated = [f"{name}: {bound}" for name, bound in bounds.items() if bound is not None]
        parts += [f"levels: {{{', '.join(stated)}}}"] if stated else []
    if attribute.role == "quasi" and attribute.name in weights:
        parts.append(f"weight: {weights[attribute.name]}")
    if attribute.is_averaged:
        notes.append("ARX releases an aggregate of each class")
    if attribute.is_response:
        notes.append("what ARX predicts")
    return Entry(quoted(attribute.name), ", ".join(parts), "; ".join(notes))


def _weights(project: ArxProject) -> dict[str, str]:
    """Return the weights of the quasi-identifiers, where they differ; a policy cannot state weights of 0."""
    names = [each.name for each in project.attributes if each.role == "quasi"]
    stated = {name: project.weights.get(name, "") for name in names}
    known = {name: Decimal(text) for name, text in stated.items() if re.fullmatch(NUMBER, text)}
    if len(set(known.values())) < 2:
        return {}
    return {name: plain(str(weight)) for name, weight in known.items() if weight > 0}


def _suppression(limit: str) -> str:
    """Write ARX's share of rows that may be suppressed, a number from 0 to 1, as a percentage.

    >>> _suppression("0.04"), _suppression("1.0")
    ('4%', '100%')
    """
    share = Decimal(limit) if re.fullmatch(NUMBER, limit) else Decimal(0)
    return f"{plain(str(min(share, Decimal(1)) * 100))}%"


def _search(project: ArxProject, metric: str) -> str:
    """Write the search entry: the complete search, unless the lattice is too large for it."""
    nodes = math.prod(_levels(each) for each in project.attributes if each.role == "quasi")
    algorithm = "lightning" if nodes > MOST_NODES else "optimal"
    parts = [f"algorithm: {algorithm}", f"metric: {metric}"]
    factor = re.match(rf"Loss \({NUMBER}/", project.metric)
    if factor is not None and factor[1] != "0.5" and Decimal(factor[1]) <= 1:
        parts.append(f"generalization_factor: {plain(factor[1])}")
    if algorithm == "lightning":
        parts.append("time_limit: 60s")
    return f"{{{', '.join(parts)}}}"


def _levels(attribute: ArxAttribute) -> int:
    """Count the levels that a search may choose from."""
    if not _is_generalized(attribute):
        return 2
    most = attribute.levels - 1 if attribute.most is None else attribute.most
    return max(1, most - (attribute.least or 0) + 1)


@dataclass(frozen=True, slots=True)
class PolicyModel:
    """The translation of a criterion: an entry of `privacy` or None, and a note for the reader of the policy.

    `k` is the class size that the criterion asks for. `ordered` is a sensitive column that needs an order, `of_tree`
    one that needs its hierarchy.
    """

    entry: str | None
    note: str
    k: int | None = None
    ordered: str | None = None
    of_tree: str | None = None


def plain(number: str) -> str:
    """Write a number of Java without an exponent.

    >>> plain("1.0E-4"), plain("3.0"), plain("100")
    ('0.0001', '3', '100')
    """
    text = f"{Decimal(number):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def order_of(attribute: ArxAttribute) -> str | None:
    """Return the `order` that a column's values have in ARX; None where a policy cannot say it."""
    if attribute.data_type in NUMBERS:
        return "number"
    if attribute.data_type == "Date/Time":
        return "date" if attribute.format in DATES else None
    return "text" if attribute.data_type == "String" else None


def model_of(criterion: str, attributes: Mapping[str, ArxAttribute]) -> PolicyModel:
    """Translate a criterion as ARX prints it; one that a policy cannot state becomes a note."""
    for pattern, translate in MODELS:
        match = re.fullmatch(pattern, criterion, re.DOTALL)
        if match is not None:
            found = translate(*match.groups(), attributes=attributes)
            note = f"{printable(criterion)}{f': {found.note}' if found.note else ''}"
            return PolicyModel(found.entry, note, found.k, found.ordered, found.of_tree)
    return PolicyModel(None, f"{printable(criterion)}: has no counterpart here")


def _size(k: str, *_: str, **__: object) -> PolicyModel:
    return PolicyModel(None, "", k=int(k))


def _estimated(_: str, k: str, **__: object) -> PolicyModel:
    note = "ARX estimates by it how large a class must be in the sample; k is that size"
    return PolicyModel(None, note, k=int(k))


def _of_values(name: str, bounds: str) -> Callable[..., PolicyModel]:
    """Return a translation of a model whose groups are its bounds and, last, its sensitive attribute."""

    def translate(
        *groups: str, attributes: Mapping[str, ArxAttribute], **more: object
    ) -> PolicyModel:
        del more
        *numbers, column = groups
        if column not in attributes or attributes[column].role != "sensitive":
            return PolicyModel(None, "its attribute is not sensitive")
        entry = bounds.format(*map(plain, numbers))
        return PolicyModel(f"{name}: {{column: {quoted(column)}, {entry}}}", "")

    return translate


def _closeness(
    t: str, distance: str, column: str, *, attributes: Mapping[str, ArxAttribute]
) -> PolicyModel:
    kind = distance.partition(" ")[0]
    found = _of_values("t_closeness", f"t: {{}}, distance: {kind}")(
        t, column, attributes=attributes
    )
    if found.entry is None or kind == "equal":
        return found
    attribute = attributes[column]
    if kind == "hierarchical":
        if attribute.hierarchy is None or attribute.levels < 2:
            return PolicyModel(None, "its attribute has no hierarchy")
        return PolicyModel(found.entry, "", of_tree=column)
    if order_of(attribute) is None:
        what = f"state the order of {printable(column)} as a list of its values"
        return PolicyModel(None, what)
    return PolicyModel(found.entry, "", ordered=column)


def _likeness(
    kind: str, beta: str, column: str, *, attributes: Mapping[str, ArxAttribute]
) -> PolicyModel:
    enhanced = ", enhanced: true" if kind == "enhanced" else ""
    return _of_values("beta_likeness", f"beta: {{}}{enhanced}")(beta, column, attributes=attributes)


def _share(name: str) -> Callable[..., PolicyModel]:
    return lambda share, **_: PolicyModel(f"{name}: {plain(share)}", "")


def _three_risks(average: str, highest: str, _: str, at_risk: str, **__: object) -> PolicyModel:
    if Fraction(at_risk) == 0 and Fraction(highest) > 0:
        k = math.ceil(1 / Fraction(highest))
        return PolicyModel(
            f"average_risk: {plain(average)}", f"its highest risk asks for k: {k}", k=k
        )
    note = "no share of records may be bounded here, so only its average risk is taken"
    return PolicyModel(f"average_risk: {plain(average)}", note)


def _population_uniqueness(share: str, estimator: str, **_: object) -> PolicyModel:
    entry = f"{{share: {plain(share)}, sampling: SHARE, estimator: {estimator}}}"
    what = f"how much of the population the table is cannot be read; write population_uniqueness: {entry}"
    return PolicyModel(None, what)


def _note(what: str) -> Callable[..., PolicyModel]:
    return lambda *_, **__: PolicyModel(None, what)


MODELS: tuple[tuple[str, Callable[..., PolicyModel]], ...] = (
    (rf"{WHOLE}-anonymity", _size),
    (rf"\({WHOLE}\)-map estimated as \({WHOLE}\)-anonymity \(.*\)", _estimated),
    (rf"distinct-{WHOLE}-diversity{OF}", _of_values("distinct_l", "l: {}")),
    (rf"(?:shannon-)?entropy-{NUMBER}-diversity{OF}", _of_values("entropy_l", "l: {}")),
    (rf"recursive-\({NUMBER},{WHOLE}\)-diversity{OF}", _of_values("recursive_l", "c: {}, l: {}")),
    (
        rf"{NUMBER}-closeness with (equal ground-distance|hierarchical ground-distance|ordered distance){OF}",
        _closeness,
    ),
    (rf"{NUMBER}-disclosure privacy{OF}", _of_values("delta_disclosure", "delta: {}")),
    (rf"(basic|enhanced)-{NUMBER}-likeness{OF}", _likeness),
    (rf"\({NUMBER}\)-avg-reidentification-risk", _share("average_risk")),
    (
        rf"\({NUMBER}, {NUMBER} \({NUMBER}\), {NUMBER}\)-avg-reidentification-risk",
        _three_risks,
    ),
    (rf"\({NUMBER}\)-sample-uniqueness", _share("sample_uniqueness")),
    (
        rf"\({NUMBER}\)-population-uniqueness \((dankar|pitman|zayatz|snb)\)",
        _population_uniqueness,
    ),
    (
        r"\(\S+\)-map",
        _note("its population is not in the XML; write k_map: {k: K, population: FILE}"),
    ),
    (
        r"\(\S+,\S+\)-presence",
        _note(
            "its population is not in the XML; write delta_presence: {least: MIN, most: MAX, population: FILE}"
        ),
    ),
    (
        "Inclusion",
        _note(
            "ARX anonymizes the records that the project selects, which the XML does not name; here all are: "
            "use where, if some were left out"
        ),
    ),
)
