"""Frames of any library, converted by narwhals and Arrow. No value of a frame becomes a Python object.

Importing narwhals takes as long as all of the command line, so it is imported where a frame is passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.base.documents.text import printable
from kanon_sql.errors import Fault, MissingExtraError, SourceError

if TYPE_CHECKING:
    from collections.abc import Collection

    import narwhals.stable.v2 as nw


def to_arrow(frame: object) -> tuple[Any, bool]:
    """Return an object that a database can read in place of a frame, and whether it can be read again.

    A frame that narwhals knows becomes an Arrow table, and a lazy one is computed once: a run reads its source
    several times. Any other object with the Arrow PyCapsule interface becomes a reader of its batches. A frame with a
    type that Arrow lacks, and any other object, is returned unchanged for the database to read or refuse. Raises
    SourceError for an array, a Series, columns of objects or a lazy frame that fails, and MissingExtraError.
    """
    import narwhals.stable.v2 as nw

    known = _known(frame)
    if known is None:
        if what := _no_table(frame):
            raise SourceError("source", [Fault("", what)])
        return _stream(frame) or (frame, True)
    rows = nw.maybe_reset_index(_computed(known))
    if rows.implementation.is_pandas():
        rows = _without_own_types(rows)
        if nw.Unknown in rows.schema.dtypes():
            return rows.to_native(), True  # as Arrow, periods would be numbers
        half = [name for name, dtype in rows.schema.items() if dtype == nw.Float16]
        rows = rows.with_columns(nw.col(half).cast(nw.Float32)) if half else rows
    else:
        _check_types(rows)
    try:
        return rows.to_arrow(), True
    except ImportError as error:
        if not rows.implementation.is_pandas():  # DuckDB reads its arrays without pyarrow
            raise MissingExtraError("frames") from error
    except (TypeError, ValueError, NotImplementedError, OverflowError):
        if rows.implementation.is_pandas():
            return _with_texts(rows.to_native()), True
    return rows.to_native(), True


def _with_texts(native: Any) -> Any:  # noqa: ANN401  a DataFrame of pandas
    """Write columns of texts and other objects as texts: a database reads a type from some of their rows, and refuses others.

    Numbers that no integer of Arrow holds are left to the database.
    """
    found = native.copy(deep=False)
    for name, dtype in native.dtypes.items():
        if getattr(dtype, "kind", "") == "O" and native[name].map(type).isin([str]).any():
            found[name] = native[name].map(str, na_action="ignore")
    return found


def _without_own_types(rows: nw.DataFrame[Any]) -> Any:  # noqa: ANN401  a frame of narwhals
    """Replace the types that only pandas has: intervals by their texts, periods by their first day, sparse values by plain ones.

    Values stay what they mean; as Arrow, intervals would be pairs of bounds, and periods numbers.
    """
    import narwhals.stable.v2 as nw

    native = rows.to_native()
    plain = {}
    for name, dtype in native.dtypes.items():
        kind, of = type(dtype).__name__, type(getattr(dtype, "categories", None)).__name__
        if kind == "SparseDtype":
            plain[name] = native[name].sparse.to_dense()
        elif kind == "PeriodDtype":
            plain[name] = native[name].dt.start_time
        elif kind == "IntervalDtype" or of == "IntervalIndex":
            values = native[name].astype("category")
            plain[name] = values.cat.rename_categories(values.cat.categories.astype(str))
    if not plain:
        return rows
    native = native.copy(deep=False)
    for name, values in plain.items():
        native[name] = values
    return nw.from_native(native)


def declared_orders(frame: object) -> dict[str, tuple[str, ...]]:
    """Return the values that the types of a frame's columns list in an order, as polars' Enum and ordered categoricals do."""
    import narwhals.stable.v2 as nw

    known = _known(frame)
    if known is None:
        return {}
    schema = known.collect_schema()
    return {
        name: tuple(map(str, dtype.categories))
        for name, dtype in schema.items()
        if isinstance(dtype, nw.Enum)
    }


def with_these_columns(frame: object, names: Collection[str]) -> object:
    """Return a frame without its columns of other names; an object that narwhals does not know, and one that has none, as it is."""
    known = _known(frame)
    there = [] if known is None else known.collect_schema().names()
    wanted = [name for name in there if name in names]
    return known.select(wanted).to_native() if known is not None and wanted else frame


def read_once(frame: object) -> bool:
    """Whether an object exports its rows only once, as far as that shows without reading them."""
    return hasattr(frame, "__arrow_c_stream__") and _known(frame) is None


def read_again(frame: object) -> object:
    """Return an object with the rows of a frame that can be read repeatedly: mostly the frame itself."""
    if not read_once(frame):
        return frame
    rows, again = to_arrow(frame)
    return rows if again else rows.read_all()


def unreadable(frame: object, engine: str) -> list[Fault]:
    """Say why a database could not read an object that was passed as a frame, and what to pass instead."""
    import narwhals.stable.v2 as nw

    what = f"a {type(frame).__name__} is nothing that {engine} can read as a table"
    known = _known(frame)
    if known is None:
        if hasattr(frame, "to_pandas"):
            return [Fault("", f"{what}; pass its rows, such as to_pandas() gives them")]
        return [Fault("", f"{what}; pass a frame (of pandas, polars, Arrow ...), a path or a name")]
    schema = known.collect_schema()
    if not schema:
        return [Fault("", f"the {type(frame).__name__} has no columns")]
    if unknown := [name for name, dtype in schema.items() if dtype == nw.Unknown]:
        names = ", ".join(map(printable, unknown))
        what = f"Arrow has no type for the values of {names}; cast them, such as by astype(str)"
        return [Fault("", what)]
    return [Fault("", f"{what}; cast columns whose type Arrow does not have")]


def _no_table(frame: object) -> str | None:
    """Say what to pass in place of a Series or a numpy array, which is no table; None for other objects."""
    name = type(frame).__name__
    if type(frame).__module__ == "numpy":
        return "an array of numpy has no names of columns; pass a frame, such as pandas.DataFrame(array, columns=[...])"
    if name == "Series" and hasattr(frame, "to_frame"):
        return "a Series is one column and no table; pass a frame, such as to_frame() gives"
    return None


def _check_types(rows: nw.DataFrame[Any]) -> None:
    """Raise SourceError for columns of Python objects: their library would export memory addresses."""
    import narwhals.stable.v2 as nw

    faults = [
        Fault(f"columns.{printable(name)}", f"is of type {dtype}; cast it to a type that Arrow has")
        for name, dtype in rows.schema.items()
        if dtype == nw.Object
    ]
    if faults:
        raise SourceError("source", faults)


def _stream(frame: object) -> tuple[Any, bool] | None:
    """Return a reader of the Arrow batches that an object exports, perhaps only once; None if it has none."""
    if not hasattr(frame, "__arrow_c_stream__"):
        return None
    try:
        import pyarrow as pa  # type: ignore[import-untyped]

        return pa.RecordBatchReader.from_stream(frame), False
    except ImportError as error:
        raise MissingExtraError("frames") from error
    except (TypeError, ValueError):  # one column, or a class
        return None


def _known(frame: object) -> nw.DataFrame[Any] | nw.LazyFrame[Any] | None:
    """Wrap a frame of a library that narwhals knows; None for any other object."""
    import narwhals.stable.v2 as nw

    try:
        return nw.from_native(frame)
    except (TypeError, ValueError):
        return None


def _computed(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    import narwhals.stable.v2 as nw

    if not isinstance(frame, nw.LazyFrame):
        return frame
    try:
        return frame.collect()
    except ImportError as error:
        raise MissingExtraError("frames") from error
    except Exception as error:  # noqa: BLE001  each library has its own, whose words may quote data
        what = f"the {type(frame.to_native()).__name__} cannot be computed ({type(error).__name__})"
        raise SourceError("source", [Fault("", what)]) from None


def library_of(frame: object | None) -> str:
    """Name the library in whose frames rows are returned: that of an eager frame, else pyarrow."""
    known = None if frame is None else _known(frame)
    if known is None or not (
        known.implementation.is_pandas_like() or known.implementation.is_polars()
    ):
        return "pyarrow"
    return str(known.implementation.value)


def from_relation(relation: object, library: str) -> object:
    """Read a relation of DuckDB or a DataFrame of Spark into a frame of a library."""
    import narwhals.stable.v2 as nw

    try:
        rows = nw.from_native(relation).collect("pyarrow")  # type: ignore[call-overload]
        frame = nw.from_arrow(rows, backend=library).to_native()  # type: ignore[arg-type]
        return _with_own_types(frame, rows.to_native()) if library == "pandas" else frame
    except ImportError as error:
        raise MissingExtraError("frames") from error


def with_declared_orders(frame: object, source: object) -> object:
    """Return a frame whose texts are ordered categories as in its source's frame, in columns that show no other text.

    A column with a label of a hierarchy stays as it is; so does a frame of Arrow, which has no order.
    """
    import narwhals.stable.v2 as nw

    rows, orders = _known(frame), declared_orders(source)
    if not isinstance(rows, nw.DataFrame) or rows.implementation.is_pyarrow():
        return frame
    cast = [
        nw.col(name).cast(nw.Enum(values))
        for name, values in orders.items()
        if rows.schema.get(name) == nw.String
        and {*rows[name].drop_nulls().unique().to_list()} <= {*values}
    ]
    return rows.with_columns(cast).to_native() if cast else frame


def _with_own_types(frame: Any, rows: Any) -> object:  # noqa: ANN401  a DataFrame, and a Table of Arrow
    """Return a frame of pandas whose whole numbers and booleans with NULL are what they are, and no floats or objects."""
    from pyarrow.types import is_boolean, is_integer  # type: ignore[import-untyped]

    for name, kind in zip(rows.schema.names, rows.schema.types, strict=True):
        if is_boolean(kind) and rows[name].null_count:
            frame[name] = frame[name].astype("boolean")
        if is_integer(kind) and rows[name].null_count:
            dtype = str(kind).replace("uint", "UInt").replace("int", "Int")
            frame[name] = rows[name].to_pandas(integer_object_nulls=True).astype(dtype)
    return frame
