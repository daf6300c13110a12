"""Find, load and render the files under templates/: statements, and pages and pictures for readers.

In a wheel the folder sits inside the package as ``kanon_sql/_templates``; in a checkout
it is the top-level ``templates/`` next to the package.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from importlib.util import cache_from_source
from itertools import count
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, TypeAlias

import jinja2
from jinja2 import Environment, FunctionLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.runtime import LoopContext
from sqlglot import exp
from sqlglot._version import __version__ as parser_version

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import NUMBER, CatalogText, column, literal, name, plain_printer
from kanon_sql.base.sql.words import FILTERS, words_of
from kanon_sql.errors import UnsafeSqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable

    from kanon_sql.base.sql.words.common import Words


HEADER = 32
"""Length in bytes of the hash before the code: of the template's text and of all that compiled it."""


class CompiledTemplates(BytecodeCache):
    """The compiled templates of one dialect, or of pages, one file per template."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    def get_cache_key(self, name: str, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the name of a template's file: the template's path with dashes, and the dialect."""
        return (
            f"{name.removeprefix('sql/').removesuffix('.sql.j2').replace('/', '-')}-{self.dialect}"
        )

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's code, if the same versions compiled it from the same text."""
        path = _path(bucket.key)
        if path is None:
            return
        with suppress(OSError, EOFError, ValueError, TypeError):
            kept = path.read_bytes()
            if kept[:HEADER] == _hash(bucket.checksum):
                code = marshal.loads(kept[HEADER:])  # noqa: S302  as Python loads this module
                bucket.code = code if isinstance(code, CodeType) else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template's code for later processes, unless Python writes no bytecode or the disk refuses."""
        path = _path(bucket.key)
        if path is None or sys.dont_write_bytecode:
            return
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(_hash(bucket.checksum) + marshal.dumps(bucket.code))
            beside.replace(path)


def _path(key: str) -> Path | None:
    """Return the path where Python would keep the bytecode of a module named `key`; None if it keeps none."""
    if _compiled_by() is None:
        return None
    try:
        return Path(cache_from_source(str(Path(__file__).with_name(f"{key}.py"))))
    except NotImplementedError:
        return None


def _hash(checksum: str) -> bytes:
    return hashlib.sha256(f"{checksum} {_compiled_by()}".encode()).digest()


@cache
def _compiled_by() -> str | None:
    """Hash the versions and the source files that compile templates; None where they are not in a folder.

    The printers of leaves count too: a template's constants are printed when it is compiled.
    """
    folder = Path(__file__).parent
    found = hashlib.sha256(f"{sys.version} {jinja2.__version__} {parser_version}".encode())
    files = sorted([*folder.glob("*.py"), *folder.glob("words/*.py")])
    try:
        for file in files:
            found.update(file.read_bytes())
    except OSError:
        return None
    return found.hexdigest() if files else None


OWN_NAME = re.compile("[a-z][a-z_]*")
"""The form of names that templates give to columns and aliases: constants, never texts of a policy."""
Leaves: TypeAlias = "exp.Expr | Sequence[exp.Expr]"
PRINTABLE = (
    exp.Identifier,
    exp.Column,
    exp.Table,
    exp.Literal,
    exp.Neg,
    exp.Paren,
    exp.Placeholder,
    exp.Query,
)
_BOUND: ContextVar[Iterator[int]] = ContextVar("bound")
"""Numbers the placeholders of the statement that is being rendered."""
_CREATED: ContextVar[exp.Table | None] = ContextVar("created", default=None)
"""The scratch table that the statement being rendered creates."""
_OPENED: ContextVar[exp.Table | None] = ContextVar("opened", default=None)
"""The scratch view that the statement being rendered opens."""
_READ: ContextVar[list[exp.Table | None] | None] = ContextVar("read", default=None)
"""The tables that the statement being rendered reads; a None among them stands for a user's query."""


VIEWS = frozenset(
    {
        "alive_rows",
        "recoded_rows",
        "shaped_rows",
        "read_table",
        "read_parquet",
        "filter_rows",
        "without_suppressed",
        "rows_of_partition",
        "published_together",
        "undo_escapes",
        "read_texts",
        "text_columns",
        "without_nulls",
        "release_view",
        "beside_source",
        "repeated_rows",
        "policy_columns",
        "see_masked",
        "read_weight",
        "decoded_rows",
        "column_of_all",
        "region_rows",
        "typed_rows",
        "rows_by_number",
        "bounds_of_parts",
        "runs_of_rows",
    }
)
"""Templates that open a view instead of copying rows."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a statement, the scratch table or view that it creates, and the tables that it reads.

    `reads` is None if the statement holds a user's query, which may read any table.
    """

    text: str
    makes: exp.Table | None
    opens: exp.Table | None
    reads: tuple[exp.Table, ...] | None


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement before it is rendered: a template, its leaves, and the values to bind.

    `scans` is how many rows it is known to read; `step` names it in journals and errors.
    """

    template: str
    leaves: Mapping[str, object] = field(default_factory=dict)
    params: tuple[object, ...] = ()
    scans: int = 0

    @property
    def name(self) -> str:
        """The template's name without its folder, or the command's name where a template has several commands."""
        return str(self.leaves.get("command") or self.template.rsplit("/", 1)[-1])

    @property
    def makes_view(self) -> bool:
        """Whether the statement opens a view instead of copying rows."""
        return self.name in VIEWS or self.leaves.get("as_view") is True

    @property
    def step(self) -> str:
        return self.name.replace("_", " ")

    def render(self, dialect: str) -> str:
        """Return the text of the statement, without the bound values."""
        return self.rendered(dialect).text

    def rendered(self, dialect: str) -> Rendered:
        """Return the text of the statement with the tables that it creates and reads."""
        _CREATED.set(None)
        _OPENED.set(None)
        named: list[exp.Table | None] = []
        _READ.set(named)
        text = render_sql(self.template, dialect, **self.leaves)
        makes, opens = _CREATED.get(), _OPENED.get()
        tables = dict.fromkeys(each for each in named if each not in {makes, opens})
        known = tuple(each for each in tables if each is not None)
        return Rendered(text, makes, opens, known if len(known) == len(tables) else None)


def _selected(step: Statement, dialect: str) -> str:
    """Return the query by which a step creates its scratch table. Raises UnsafeSqlError for other steps."""
    rendered = copy_context().run(step.rendered, dialect)
    head, _, body = rendered.text.partition("\n")
    created = "\n"
    if rendered.makes is not None:
        created = copy_context().run(_environment(dialect).filters["scratch_table"], rendered.makes)
    before, found, after = head.partition(created)
    # The first line must be `CREATE <table> AS`: the query begins on the next line.
    if not found or len(before.split()) != 1 or len(after.split()) != 1 or step.params:
        raise UnsafeSqlError("only what creates a scratch table of a query is a step of another")
    return body


class _Printed(str):
    """Text that _printer has already quoted."""

    __slots__ = ()


@cache
def template_root() -> Traversable:
    """Find the folder of templates, in the installed package or in a checkout next to it."""
    packaged = files("kanon_sql") / "_templates"
    if packaged.is_dir():
        return packaged
    checkout = Path(str(files("kanon_sql"))).parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "templates").is_dir():
        return checkout / "templates"
    raise FileNotFoundError("kanon_sql is installed without its templates; reinstall the wheel")


def _source(path: str) -> str | None:
    node = template_root()
    for part in path.split("/"):
        if part in {"", ".", ".."}:
            return None
        node = node / part
    return node.read_text(encoding="utf-8") if node.is_file() else None


def _shaped(path: str, dialect: str) -> str | None:
    """Read a template: the file in the slice's folder for the dialect, or else the shared file."""
    slice_, _, rest = path.removeprefix("sql/").partition("/")
    own = _source(f"sql/{slice_}/{dialect}/{rest}")
    return own if own is not None else _source(path)


def has_template(template: str, dialect: str) -> bool:
    """Return whether a statement can be rendered in a dialect."""
    return _shaped(f"sql/{template}.sql.j2", dialect) is not None


def _refuse_raw_numbers(leaf: exp.Expr) -> None:
    """Raise UnsafeSqlError for a number literal that is not a number: sqlglot would print it unquoted."""
    if isinstance(leaf, exp.Query):
        return
    for number in leaf.find_all(exp.Literal):
        if not number.is_string and not NUMBER.fullmatch(number.this):
            raise UnsafeSqlError("a number literal holds something that is not a number")


def _own_names(text: object, numbers: object) -> list[str]:
    """Return a template's own name, or one per number. Raises UnsafeSqlError for any other text."""
    if not isinstance(text, str) or not OWN_NAME.fullmatch(text):
        raise UnsafeSqlError("a SQL template names its own columns by plain words alone")
    if numbers is None:
        return [text]
    found = numbers if isinstance(numbers, Sequence) else [numbers]
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in found):
        raise UnsafeSqlError("a SQL template numbers its own columns by whole numbers alone")
    return [f"{text}{number}" for number in found]


def own_name(text: object, numbers: object = None) -> Leaves:
    """Quote a template's own name: `"level_" | name(n)`. A list of numbers makes a list of names."""
    names = [name(each) for each in _own_names(text, numbers)]
    return names if isinstance(numbers, Sequence) else names[0]


def own_column(text: object, of: object = None, numbers: object = None) -> Leaves:
    """Return a column with a template's own name, or one per number; `of` is one of its aliases.

    An alias with a number is quoted first: `"value" | column("q" | name(n))`.
    """
    if isinstance(of, exp.Identifier):
        alias: str | None = of.name
    else:
        alias = None if of is None else _own_names(of, None)[0]
    columns = [column(each, of=alias) for each in _own_names(text, numbers)]
    return columns if isinstance(numbers, Sequence) else columns[0]


def own_number(value: object) -> Leaves:
    """Return the literal of a number, or of each in a list. Raises UnsafeSqlError for a text."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_number(each) for each in value]
    return _number(value)


def _number(value: object) -> exp.Expr:
    if not isinstance(value, int | Decimal):
        raise UnsafeSqlError(f"a {type(value).__name__} is no number of a SQL template")
    return literal(value)


LEAVES: dict[str, Callable[..., Leaves]] = {
    "name": own_name,
    "column": own_column,
    "number": own_number,
}
"""Filters that make leaves of a template's own words and numbers."""


def comma(loop: object, more: object = False) -> str:  # noqa: FBT002  as a template passes it
    """Return a comma, or nothing after the last entry of a loop, unless `more` entries follow the loop."""
    if not isinstance(loop, LoopContext):
        raise UnsafeSqlError(f"a {type(loop).__name__} is no loop of a SQL template")
    return _Printed("" if loop.last and not more else ",")


def _note_read(leaf: exp.Expr) -> None:
    """Record a table that the statement reads, or None for a user's query."""
    named = _READ.get()
    if named is None:
        return
    if isinstance(leaf, exp.Table):
        named.append(leaf)
    elif isinstance(leaf, exp.Query):
        named.append(None)


def _printer(dialect: str) -> Callable[[object], str]:
    print_plain = plain_printer(dialect)

    def print_leaf(value: object) -> str:
        if isinstance(value, _Printed):
            return value
        if isinstance(value, CatalogText):
            return _Printed(value.text)
        if isinstance(value, Statement):
            return _Printed(_selected(value, dialect))
        if isinstance(value, exp.Placeholder):
            return _Printed(words().placeholder(next(_BOUND.get(count(1)))))
        if isinstance(value, PRINTABLE):
            _note_read(value)
            plain = print_plain(value)
            if plain is not None:
                return _Printed(plain)
            _refuse_raw_numbers(value)
            own_text = isinstance(value, exp.Query) and not isinstance(value, exp.Table)
            return _Printed(value.sql(dialect=dialect, identify=not own_text, comments=False))
        raise UnsafeSqlError(
            f"a SQL template tried to print a {type(value).__name__}; "
            f"build it with kanon_sql.base.sql.quoting first"
        )

    words = _words(dialect, print_leaf)
    return print_leaf


def _words(dialect: str, show: Callable[[object], str]) -> Callable[[], Words]:
    """Return a function that loads a dialect's words at its first call: many statements need none."""
    return cache(lambda: words_of(dialect, show))


@cache
def _environment(dialect: str) -> Environment:
    print_leaf = _printer(dialect)
    words = _words(dialect, print_leaf)

    def commas(leaves: Iterable[object]) -> str:
        return _Printed(", ".join(print_leaf(leaf) for leaf in leaves))

    def spelled(word: str) -> Callable[..., str]:
        return lambda *leaves, **switches: _Printed(getattr(words(), word)(*leaves, **switches))

    def scratch_table(table: exp.Table) -> str:
        _CREATED.set(table)
        return _Printed(words().scratch_table(table))

    def scratch_view(view: exp.Table) -> str:
        _OPENED.set(view)
        return _Printed(words().scratch_view(view))

    env = Environment(
        loader=FunctionLoader(lambda path: _shaped(path, dialect)),
        undefined=StrictUndefined,
        finalize=print_leaf,
        bytecode_cache=CompiledTemplates(dialect),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  SQL, not HTML: print_leaf is the gate
    )
    env.filters["commas"] = commas
    env.filters["comma"] = comma
    env.filters.update(LEAVES)
    for word in FILTERS:
        env.filters[word] = spelled(word)
    env.filters["scratch_table"] = scratch_table
    env.filters["scratch_view"] = scratch_view
    return env


def render_sql(template: str, dialect: str, **leaves: object) -> str:
    """Fill ``templates/sql/<slice>/<name>.sql.j2``, or the dialect's own file in its place."""
    _BOUND.set(count(1))
    return _environment(dialect).get_template(f"sql/{template}.sql.j2").render(leaves).strip()


def _page_source(name: str) -> str | None:
    file = template_root() / "report" / name
    return file.read_text(encoding="utf-8") if file.is_file() else None


@cache
def _page_environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_page_source),
        undefined=StrictUndefined,
        bytecode_cache=CompiledTemplates("page"),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    # Names within sentences: a mark of direction in one would turn around the words after it.
    environment.filters["printable"] = printable
    return environment


def render_report(template: str, **values: object) -> str:
    """Fill ``templates/report/<template>.j2``; every text is escaped, unless it is marked as safe."""
    return _page_environment().get_template(f"{template}.j2").render(values)


def page_part(name: str) -> str:
    """Return the text of a file of ``templates/report`` that a page has inline: a style sheet or a script."""
    return (template_root() / "report" / name).read_text(encoding="utf-8").strip()
