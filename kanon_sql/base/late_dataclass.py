"""Frozen dataclasses whose methods are written when they are first called.

Python's `dataclass` compiles six methods for each class, in 0.3 ms. A command imports 240 classes and calls few of
their methods, yet compiling them all took a tenth of its time. Here a class gets its fields at once, and a method when
it is first looked up. That is the same method: `__init__` is written here, and the others by Python's `dataclass`, which
would write two more for each `__init__`.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:  # noqa: ANN401  a class, or what makes one
        """Return a dataclass, as `dataclasses.dataclass` does with the same options. InitVar is not supported."""
        return partial(_late, **options) if cls is None else _late(cls, **options)


__all__ = ["dataclass"]

PARAMS = "__dataclass_params__"
AT_ONCE = frozenset({"slots", "kw_only", "match_args"})
KNOWN = AT_ONCE | {"init", "repr", "eq", "order", "frozen"}
NONE_YET = {"init": False, "repr": False, "eq": False}
METHODS: dict[str, dict[str, bool]] = {
    "__repr__": {"repr": True},
    "__eq__": {"eq": True},
    "__hash__": {"unsafe_hash": True},
    **{at: {"eq": True, "order": True} for at in ("__lt__", "__le__", "__gt__", "__ge__")},
}
"""The options with which Python's `dataclass` writes each method but `__init__`."""
WANTED_BY = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "eq"}
"""The option that gives a class each of these methods. The comparisons depend on `order`."""


class _LateMethod:
    """Stands for a method of a class. The first lookup writes the method and replaces this object by it."""

    def __init__(self, cls: type, name: str) -> None:
        self._cls = cls
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:  # noqa: ANN401  any method
        method = _written(self._cls, self._name)
        setattr(self._cls, self._name, method)
        return method.__get__(instance, owner)


class _Factory:
    """Stands for an argument that is not given, for which a field's factory makes a value."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = _Factory()


def _written(cls: Any, name: str) -> Any:  # noqa: ANN401  any class, any method
    """Return the method that Python's `dataclass` writes for a class with the same fields."""
    if name == "__init__":
        return _init(cls)
    fields = dataclasses.fields(cls)
    body: dict[str, object] = {each.name: each for each in fields}
    body["__annotations__"] = {each.name: each.type for each in fields}
    body["__module__"] = cls.__module__
    body["__qualname__"] = cls.__qualname__
    body["__doc__"] = name  # for a class without a text, Python would write out its signature
    like: Any = type(cls.__name__, (), body)
    options: Any = {**NONE_YET, "match_args": False, **METHODS[name]}
    return vars(dataclasses.dataclass(**options)(like))[name]


def _init(cls: Any) -> Any:  # noqa: ANN401  any class, its method
    """Return an `__init__` that sets the fields of a frozen class."""
    known: dict[str, object] = {"__name__": cls.__module__, "_set": object.__setattr__}
    known["_factory"] = FACTORY
    given, by_name, lines = ["self"], ["*"], []
    for each in dataclasses.fields(cls):
        at, value, default = each.name, each.name, ""
        if each.default is not dataclasses.MISSING:
            known[f"_default_{at}"], default = each.default, f"_default_{at}"
        elif each.default_factory is not dataclasses.MISSING:
            known[f"_make_{at}"], default = each.default_factory, "_factory"
            value = f"_make_{at}() if {at} is _factory else {at}"
        if each.init:
            (by_name if each.kw_only else given).append(f"{at}={default}" if default else at)
        elif default:
            value = default.replace("_factory", f"_make_{at}()")
        else:
            continue
        lines.append(f" _set(self, {at!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    arguments = ", ".join([*given, *(by_name if len(by_name) > 1 else [])])
    exec(f"def __init__({arguments}):\n" + "\n".join(lines or [" pass"]), known)  # noqa: S102
    method: Any = known["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    types = {each.name: each.type for each in dataclasses.fields(cls) if each.init}
    method.__annotations__ = {**types, "return": None}
    return method


def _late(cls: Any, **options: bool) -> type:  # noqa: ANN401  any class
    of_bases = [vars(each)[PARAMS] for each in cls.__mro__[1:] if PARAMS in vars(each)]
    if not (options.get("frozen") and all(p.frozen for p in of_bases)) or options.keys() - KNOWN:
        return dataclasses.dataclass(**options)(cls)
    own = {name for name, method in vars(cls).items() if method is not None}
    undocumented = cls.__doc__ is None
    if undocumented:
        cls.__doc__ = cls.__name__  # Python's own would write out a signature
    early: Any = {at: value for at, value in options.items() if at in AT_ONCE}
    with _thawed(of_bases):
        made: Any = dataclasses.dataclass(**early, **NONE_YET)(cls)
    if undocumented:
        made.__doc__ = None
    for at in ("init", "repr", "eq", "order", "frozen"):
        # A dataclass that inherits from this one reads these parameters.
        setattr(made.__dataclass_params__, at, options.get(at, at != "order"))
    for name in ("__init__", *METHODS):
        if name not in own and options.get(WANTED_BY.get(name, "order"), name in WANTED_BY):
            setattr(made, name, _LateMethod(made, name))
    made.__setattr__, made.__delattr__ = _refusing(made)
    if options.get("slots") and "__getstate__" not in own:
        made.__getstate__, made.__setstate__ = _state, _restore
    return made  # type: ignore[no-any-return]


@contextmanager
def _thawed(parameters: Sequence[Any]) -> Iterator[None]:
    """Let a class inherit from frozen dataclasses before it refuses to be changed itself."""
    for each in parameters:
        each.frozen = False
    try:
        yield
    finally:
        for each in parameters:
            each.frozen = True


def _refusing(cls: Any) -> tuple[Callable[..., None], Callable[..., None]]:  # noqa: ANN401  any class
    fields = frozenset(cls.__dataclass_fields__)

    def set_attribute(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in fields:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: object, name: str) -> None:
        if type(self) is cls or name in fields:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return set_attribute, delete_attribute


def _state(self: Any) -> list[object]:  # noqa: ANN401  any dataclass
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401  any dataclass
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
