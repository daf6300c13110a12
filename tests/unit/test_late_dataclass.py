"""Late dataclasses: what Python's own make, but for when the methods are written."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass as own_dataclass
from dataclasses import field, replace

import pytest

from kanon_sql.base.late_dataclass import dataclass


def of(decorate):
    @decorate(frozen=True, slots=True, order=True)
    class Shape:
        """A shape."""

        name: str
        sides: list[int] = field(default_factory=list)
        closed: bool = field(default=True, init=False)
        hidden: int = field(default=3, repr=False, compare=False, kw_only=True)

        def __post_init__(self):
            if not self.name:
                raise ValueError("a shape has a name")

    return Shape


LATE, OWN = of(dataclass), of(own_dataclass)
MADE = [("a",), ("a", [1]), ("b", [0, 2])]


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2


@dataclass(frozen=True)
class Named:
    text: str

    def __eq__(self, other):
        return isinstance(other, Named) and self.text.lower() == other.text.lower()

    def __hash__(self):
        return 7


@dataclass(frozen=True, slots=True)
class Near(Point):
    name: str = "near"


@own_dataclass(frozen=True)
class Far(Point):
    name: str = "far"


class Plain(Point):
    """Inherits, and is no dataclass itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    at: int


def inherited(decorate):
    """A dataclass of a dataclass, with fields of its own, one of the other's again, and a method."""

    @decorate(frozen=True, slots=True)
    class Animal:
        legs: int
        name: str = "it"

        def sound(self):
            return self.name

    @decorate(frozen=True, slots=True, order=True)
    class Dog(Animal):
        name: str = "dog"
        friends: list[str] = field(default_factory=list, kw_only=True)

        def sound(self):
            return f"{super(Dog, self).sound()} barks"  # noqa: UP008  slots make the class anew

    @decorate(frozen=True)
    class Puppy(Dog):
        weeks: int = 8

        def __eq__(self, other):
            return isinstance(other, type(self)) and self.weeks == other.weeks

        __hash__ = Dog.__hash__

    return Animal, Dog, Puppy


def test_it_inherits_as_python_s_own_does():
    for late, own in zip(inherited(dataclass), inherited(own_dataclass), strict=True):
        assert str(inspect.signature(late)) == str(inspect.signature(own))
        assert [(e.name, e.kw_only) for e in dataclasses.fields(late)] == [
            (each.name, each.kw_only) for each in dataclasses.fields(own)
        ]
        assert repr(late.__dataclass_params__) == repr(own.__dataclass_params__)
        assert late.__match_args__ == own.__match_args__
        assert vars(late).get("__slots__") == vars(own).get("__slots__")
        assert (repr(late(4)), late(4).sound()) == (repr(own(4)), own(4).sound())
        assert (late(4) == late(4), late(4) == late(3)) == (own(4) == own(4), own(4) == own(3))
        assert dataclasses.asdict(replace(late(4), legs=3)) == dataclasses.asdict(
            replace(own(4), legs=3)
        )
        for made in (late(4), own(4)):
            with pytest.raises(dataclasses.FrozenInstanceError):
                made.legs = 5
    late, own = inherited(dataclass), inherited(own_dataclass)
    assert (late[1](1) < late[1](2), late[0](4) == late[1](4)) == (True, False)
    assert hash(late[0](4)) == hash(own[0](4))
    for _, dog, puppy in (late, own):
        with pytest.raises(TypeError, match="unhashable"):
            hash(dog(4))
        with pytest.raises(TypeError, match="unhashable"):
            hash(puppy(4))


def test_one_that_may_be_changed_does_not_inherit_from_one_that_may_not():
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclass
        class Changed(Point):
            z: int = 3


def test_it_is_what_python_s_own_is():
    assert str(inspect.signature(LATE)) == str(inspect.signature(OWN))
    assert [each.name for each in dataclasses.fields(LATE)] == ["name", "sides", "closed", "hidden"]
    assert LATE.__match_args__ == OWN.__match_args__
    assert LATE.__slots__ == OWN.__slots__
    assert LATE.__doc__ == "A shape."
    assert repr(LATE.__dataclass_params__) == repr(OWN.__dataclass_params__)
    for given in MADE:
        assert repr(LATE(*given)) == repr(OWN(*given))
        assert dataclasses.asdict(LATE(*given)) == dataclasses.asdict(OWN(*given))
    for left in MADE:
        for right in MADE:
            assert (LATE(*left) < LATE(*right)) == (OWN(*left) < OWN(*right))
            assert (LATE(*left) >= LATE(*right)) == (OWN(*left) >= OWN(*right))
            assert (LATE(*left) == LATE(*right)) == (OWN(*left) == OWN(*right))
    assert LATE("a") == LATE("a", hidden=4)
    assert LATE("a") != OWN("a")
    assert replace(LATE("a"), name="b") == LATE("b")


@pytest.mark.parametrize("made", [LATE, OWN])
def test_it_refuses_what_python_s_own_refuses(made):
    with pytest.raises(TypeError, match=r"Shape.__init__\(\) missing 1 required"):
        made()
    with pytest.raises(ValueError, match="has a name"):
        made("")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made("a").name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del made("a").name
    with pytest.raises(TypeError, match="unhashable"):
        hash(made("a"))


def test_it_is_hashed_by_its_fields():
    assert hash(Point(1)) == hash(Point(1, 2))
    assert len({Point(1), Point(1, 2), Point(2)}) == 2


def test_it_is_copied_and_pickled():
    for again in (
        copy.copy(Point(1)),
        copy.deepcopy(Point(1)),
        pickle.loads(pickle.dumps(Point(1))),
    ):
        assert again == Point(1)


def test_a_method_of_its_own_stays():
    assert Named("A") == Named("a")
    assert hash(Named("A")) == 7
    assert repr(Named("A")) == "Named(text='A')"


def test_without_eq_each_is_itself():
    assert Each(1) != Each(1)
    assert len({Each(1), Each(1)}) == 2


def test_others_inherit_from_it():
    assert repr(Near(1)) == "Near(x=1, y=2, name='near')"
    assert repr(Far(1)) == "Far(x=1, y=2, name='far')"
    assert repr(Plain(1)) == "Plain(x=1, y=2)"
    assert Plain(1) != Point(1)
    plain = Plain(1)
    plain.more = 3
    assert plain.more == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.x = 3


def test_without_a_docstring_it_has_none():
    assert Point.__doc__ is None


def test_a_class_that_is_not_frozen_is_python_s_own():
    @dataclass(slots=True)
    class Open:
        at: int

    made = Open(1)
    made.at = 2
    assert made == Open(2)


def test_a_method_is_written_when_it_is_first_looked_up():
    @dataclass(frozen=True, slots=True)
    class Once:
        at: int

    assert not inspect.isfunction(vars(Once)["__init__"])
    assert Once(1).at == 1
    assert inspect.isfunction(vars(Once)["__init__"])
    assert not inspect.isfunction(vars(Once)["__repr__"])
