"""Check arguments of the Python interface against its signatures. An error lists all wrong arguments."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from pathlib import Path
from typing import Literal, ParamSpec, TypedDict, TypeVar, get_args

from kanon_sql.counting.plans.plan import Plan
from kanon_sql.engines.connect import Settings
from kanon_sql.engines.locations import Destination
from kanon_sql.errors import Fault, InputError, InternalError, KanonWarning
from kanon_sql.policy.model import Policy

Use = Literal["counts", "means", "records"]
"""What a release is for: plain values whose counts are close, means for regressions, or records that are each true."""
P = ParamSpec("P")
Result = TypeVar("Result")


def _whole(value: object) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _texts(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    return all(isinstance(each, str) for each in value)


def names_of(value: object) -> object:
    """Return an argument that names columns, with whole numbers (a frame's labels) as texts; an Index or a set is a list.

    >>> names_of(0), names_of([0, "age"]), names_of({0: "suppress"}), names_of({"zip", "age"})
    ('0', ['0', 'age'], {'0': 'suppress'}, ['age', 'zip'])
    """
    if isinstance(value, AbstractSet):
        return names_of(sorted(value, key=str))
    if hasattr(value, "tolist"):  # of numpy and pandas
        return names_of(value.tolist())
    if isinstance(value, Mapping):
        return {names_of(name): of for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [names_of(each) for each in value]
    return str(value) if _whole(value) else value


def _numbers(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    return all(isinstance(each, Real) and not isinstance(each, bool) for each in value)


def _counts(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_whole, value.values()))


def _of_slice(module: str, name: str) -> Callable[[object], bool]:
    """Return a check for instances of a class without importing it: instances imply a loaded module."""
    return lambda value: isinstance(value, getattr(sys.modules.get(module), name, ()))


def _of(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "None": ("None", lambda value: value is None),
    "object": ("anything", lambda _: True),
    "str": ("a text", _of(str)),
    "Path": ("a path", _of(Path)),
    "bool": ("True or False", _of(bool)),
    "int": ("a whole number", _whole),
    "float": ("a number", lambda value: isinstance(value, Real) and not isinstance(value, bool)),
    "Sequence[str]": ("a list of texts", _texts),
    "Sequence[Label]": ("a list of texts", _texts),
    "Label": ("a text", _of(str)),
    "Sequence[float]": ("a list of numbers", _numbers),
    "Mapping[str, int]": ("a mapping of names to whole numbers", _counts),
    "Mapping[str, object]": ("a mapping", _of(Mapping)),
    "Mapping[Label, object]": ("a mapping", _of(Mapping)),
    "Callable[[str], None]": ("a function", callable),
    "Callable[[Compared], None]": ("a function", callable),
    "Destination": ("a Destination", _of(Destination)),
    "Explanation": (
        "an Explanation",
        _of_slice("kanon_sql.evidence.explanation.explanation", "Explanation"),
    ),
    "Plan": ("a Plan", _of(Plan)),
    "SchemaPlan": ("a SchemaPlan", _of_slice("kanon_sql.apps.schema.schema_plan", "SchemaPlan")),
    "Policy": ("a Policy", _of(Policy)),
    "Settings": ("Settings", _of(Settings)),
    "Use": ("'counts', 'means' or 'records'", lambda value: value in get_args(Use)),
}
"""Every type in signatures of the Python interface: its name in messages, and a check of a value."""
ALIASES = {
    "Connection": "object",
    "ModelsInput": "object",
    "QueriesInput": "object",
    "TableInput": "object",
    "PolicyInput": "str | Path | Mapping[str, object] | Policy",
    "ReleaseInput": "str | Destination | Mapping[str, object]",
    "Overrides": "Mapping[str, object]",
    "Names": "Label | Sequence[Label]",
}
OF_COLUMNS = frozenset(
    {
        "quasi", "sensitive", "keep", "drop", "hierarchies", "entity", "signature", "distinct_l", "order", "on",
        "leave_out", "class_column", "person",
    }
)  # fmt: skip
"""Arguments that name columns, alone, in a list, or as the keys of a mapping."""


OTHER_NAMES = {
    "identifying": "drop",
    "insensitive": "keep",
    "for_": "use",
    "output": "release",
    "l": "distinct_l",
}
"""The names of arguments in other functions, or in a policy, for suggestions in messages."""
LIST = "Sequence[str]"
"""The type of arguments that list texts; one column's name is a list of one."""
RENAMED = {"qi": "quasi", "sides": "boundaries"}
"""Parameters under their earlier names, which are still accepted."""


def checked(function: Callable[P, Result]) -> Callable[P, Result]:
    """Check that arguments have the types of the signature. A path is accepted in place of a text.

    Raises InputError with all wrong arguments, TypeError for wrong names. A type outside KINDS fails on import.
    """
    signature = with_roles(inspect.signature(function))
    wanted = {name: _wanted(each.annotation) for name, each in signature.parameters.items()}

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        for old, new in RENAMED.items():
            if old in kwargs and new in wanted and new not in kwargs:
                warnings.warn(f"{old}= is now {new}=", DeprecationWarning, stacklevel=2)
                kwargs[new] = kwargs.pop(old)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(_misfit(function.__name__, signature, args, kwargs, error)) from None
        faults = []
        for name in OF_COLUMNS & bound.arguments.keys():
            named = names_of(bound.arguments[name])
            alone = isinstance(named, str) and wanted[name] in ([LIST], [LIST, "None"])
            bound.arguments[name] = [named] if alone else named
        for name, value in bound.arguments.items():
            if "str" in wanted[name] and isinstance(value, os.PathLike):
                bound.arguments[name] = os.fspath(value) if "Path" not in wanted[name] else value
            elif not any(KINDS[kind][1](value) for kind in wanted[name]):
                faults.append(Fault(name, _mismatch(name, wanted[name], value)))
        if faults:
            raise InputError(function.__name__, faults)
        result = function(*bound.args, **bound.kwargs)
        _warn_of(result)
        return result

    vars(call)["__signature__"] = signature  # what help() shows
    return call


def _warn_of(result: object) -> None:
    """Give the warnings of a result to `warnings.warn`, but to no caller within this package, which prints them."""
    frame = sys._getframe(2)  # noqa: SLF001  the caller of the public function
    if frame.f_globals.get("__name__", "").partition(".")[0] != __name__.partition(".")[0]:
        for each in getattr(result, "warnings", ()):
            warnings.warn(each, KanonWarning, stacklevel=3)


def _misfit(
    name: str,
    signature: inspect.Signature,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    error: TypeError,
) -> str:
    """Return the message for arguments that a function does not take, with what was probably meant."""
    there = signature.parameters
    for each in kwargs.keys() - there.keys():
        close = difflib.get_close_matches(each, there, n=1)
        meant = [OTHER_NAMES[each]] if OTHER_NAMES.get(each) in there else close
        hint = f"; did you mean {meant[0]}=?" if meant else f"; it has {', '.join(there)}"
        if not meant and "policy" in there and each in {"quasi", *TYPES}:
            hint = f"; pass a policy: suggest(source, {each}=...) makes one"
        if each in {"output", "order", "snap", "levels", "missing"}:
            where = "; release= says where to write" if each == "output" and meant else ""
            hint = (
                "; what cells show is of a policy: edit what suggest() gives, as by p['columns']['age'].update(order='number', "
                f"output='mean'), and pass it{where}"
            )
        return f"{name}() has no argument {each}={hint}"
    unnamed = [each for each, of in there.items() if of.kind is not of.KEYWORD_ONLY]
    if len(args) > len(unnamed):
        named = "quasi" if "quasi" in there else [*there][-1]
        most = f"at most {len(unnamed)} without a name ({', '.join(unnamed)})"
        return f"{name}() takes {most}, and has {len(args)}; name the others, such as {named}="
    return f"{name}(): {error}"


def with_roles(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature with the arguments of `ColumnRoles` in place of its `**` parameter."""
    parameters = list(signature.parameters.values())
    if not parameters or parameters[-1].kind is not inspect.Parameter.VAR_KEYWORD:
        return signature
    roles = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in TYPES.items()
    ]
    return signature.replace(parameters=[*parameters[:-1], *roles])


def _mismatch(name: str, wanted: Sequence[str], value: object) -> str:
    words = " or ".join(KINDS[kind][0] for kind in wanted)
    if {"Sequence[str]", "Sequence[Label]"} & set(wanted) and isinstance(value, list | tuple):
        odd = next(each for each in value if not isinstance(each, str))
        return f"must be {words}, and holds {_kind(odd)}"
    if "Use" in wanted and isinstance(value, str):
        return f"must be {words}"
    meant = _meant(name, wanted, value)
    return f"must be {words}, and is {_kind(value)}{f'; {meant}' if meant else ''}"


def _meant(name: str, wanted: Sequence[str], value: object) -> str:
    """Return what to write in place of a value that users often pass by mistake; an empty text if unknown."""
    if name == "plan" and hasattr(value, "plan"):
        return "pass its plan, the attribute of that name"
    if name == "plan" and isinstance(value, Mapping | Policy):
        return "plan(policy, source) makes one"
    if name in {"policy", "plan"} and hasattr(value, "columns"):
        made = "; suggest(frame) makes a policy" if name == "policy" else ""
        return f"pass a frame as the source, the second argument{made}"
    if {"Sequence[str]", "Sequence[Label]"} & set(wanted) and isinstance(value, Iterable):
        return "write a list in brackets, or list(...)"
    return ""


def _kind(value: object) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _wanted(annotation: str) -> list[str]:
    meant = " | ".join(ALIASES.get(kind, kind) for kind in annotation.split(" | "))
    kinds = meant.split(" | ")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InternalError(f"a signature of the Python interface names {', '.join(unknown)}")
    return kinds


Label = str | int
"""The label of a column of a frame: its name, or a whole number, which `checked` turns into a text."""
Names = Label | Sequence[Label]
"""One column's name, or several."""


class ColumnRoles(TypedDict, total=False):
    """The roles and bounds that a call may pass beside its quasi-identifiers. None means not passed."""

    sensitive: Names | None
    keep: Names | None
    drop: Names | None
    hierarchies: Mapping[Label, object] | None
    entity: Label | None
    k: int | None
    l: int | None  # noqa: E741  the model's own name
    suppression: int | float | str | None
    use: Use | None


TYPES = {name: str(each.__forward_arg__) for name, each in ColumnRoles.__annotations__.items()}
"""The text of each argument's type annotation."""
