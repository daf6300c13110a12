"""The tree of a SQL statement as relational algebra over tables of which the cells are only known as choices.

A relation is a list of rows, each with the formula that says when it is there. Rows are compared pair by pair, so a
statement becomes formulas of a size that is polynomial in the rows. What this cannot express raises `UntranslatedError`, which
names it: window frames, recursive steps, LIMIT, and functions that `scalars` does not list.

Assumed: arithmetic is exact; where ORDER BY of a window leaves rows equal, the first row of the table comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from tests.proofs import scalars
from tests.proofs.choices import Raised
from tests.proofs.formulas import FALSE, TRUE


class UntranslatedError(Exception):
    """A part of SQL that becomes no formula here."""


@dataclass
class Relation:
    """Rows with the formula of each; `unique` are sets of columns in which no two rows that are there are the same."""

    columns: list[str]
    rows: list[tuple[int, dict[str, object]]]
    unique: list[frozenset[str]] = field(default_factory=list)


@dataclass
class Row:
    """A row of a query's FROM, by table and column; with `members`, the rows of the group that it stands for."""

    formula: int
    cells: dict[str, dict[str, object]]
    members: list[tuple[int, Row]] | None = None


class Query:
    """Executes statements on the tables of a world."""

    def __init__(self, world, tables):
        self.world, self.gates = world, world.gates
        self.tables = dict(tables)
        self.raised = FALSE
        self._known = {}

    # Statements and sets of rows

    def run(self, tree):
        """Execute a statement; one that creates a table gives and keeps it."""
        if isinstance(tree, exp.Create):
            name = tree.this.this.name if isinstance(tree.this, exp.Schema) else tree.this.name
            self.tables[name.lower()] = made = self.select(tree.expression, ())
            return made
        return self.select(tree, ())

    def select(self, tree, outer):
        """Evaluate a query; `outer` are the rows that it may refer to, the nearest first."""
        named = tree.args.get("with_")
        if named is None:
            return self._body(tree, outer)
        if named.args.get("recursive"):
            raise UntranslatedError("a recursive step")
        before = self.tables
        self.tables = dict(before)
        for each in named.expressions:
            self.tables[each.alias.lower()] = self.select(each.this, outer)
        try:
            return self._body(tree, outer)
        finally:
            self.tables = before

    def _body(self, tree, outer):
        match tree:
            case exp.Subquery():
                return self.select(tree.this, outer)
            case exp.Union():
                return self._union(tree, outer)
            case exp.Except():
                left = self._distinct(self._body(tree.this, outer))
                right = self._body(tree.expression, outer)
                rows = [
                    (self.gates.both(formula, self._among(cells, right) ^ 1), cells)
                    for formula, cells in left.rows
                ]
                return Relation(left.columns, rows, left.unique)
            case exp.Select():
                return self._select(tree, outer)
            case _:
                raise UntranslatedError(type(tree).__name__)

    def _union(self, tree, outer):
        left, right = self._body(tree.this, outer), self._body(tree.expression, outer)
        renamed = [
            (formula, dict(zip(left.columns, cells.values(), strict=True)))
            for formula, cells in right.rows
        ]
        both = Relation(left.columns, [*left.rows, *renamed])
        return self._distinct(both) if tree.args.get("distinct") else both

    def _among(self, cells, relation):
        """Return the formula that a relation has a row of these cells."""
        return self.gates.any(
            self.gates.both(formula, self._alike(cells.values(), other.values()))
            for formula, other in relation.rows
        )

    def _alike(self, cells, others):
        return self.gates.all(self.world.same(a, b) for a, b in zip(cells, others, strict=True))

    def _distinct(self, relation):
        rows = []
        for formula, cells in relation.rows:
            before = Relation(relation.columns, list(rows))
            rows.append((self.gates.both(formula, self._among(cells, before) ^ 1), cells))
        return Relation(relation.columns, rows, [frozenset(relation.columns)])

    # FROM

    def _relation(self, tree, outer):
        """Evaluate what stands in FROM or JOIN; gives its alias and its rows."""
        alias = (tree.alias_or_name or "").lower()
        match tree:
            case exp.Table():
                found = self.tables.get(tree.name.lower())
                if found is None:
                    raise UntranslatedError(f"the table {tree.name}, which is not given")
            case exp.Subquery() if isinstance(tree.this, exp.Describe):
                return alias, self._relation(tree.this, outer)[1]
            case exp.Subquery():
                found = self.select(tree.this, outer)
            case exp.Describe():
                names = self.select(tree.this, outer).columns
                named = self.world.constant
                rows = [(TRUE, {"column_name": named(each)}) for each in names]
                found = Relation(["column_name"], rows)
            case exp.Values():
                names = [each.name.lower() for each in tree.args["alias"].args["columns"]]
                rows = [
                    (
                        TRUE,
                        dict(zip(names, (self._plain(e) for e in each.expressions), strict=True)),
                    )
                    for each in tree.expressions
                ]
                found = Relation(names, rows)
            case _:
                raise UntranslatedError(f"{type(tree).__name__} in FROM")
        return alias, found

    def _plain(self, tree):
        return self.cell(tree, Row(TRUE, {}), [], ())

    def _from(self, tree, outer):
        """Return the joined rows, and whether they have the unique columns of one table alone."""
        source = tree.args.get("from_")
        if source is None:
            return [Row(TRUE, {})], {}, []
        alias, first = self._relation(source.this, outer)
        shapes = {alias: first.columns}
        rows = [Row(formula, {alias: cells}) for formula, cells in first.rows]
        unique = [frozenset((alias, name) for name in names) for names in first.unique]
        for join in tree.args.get("joins") or []:
            alias, other = self._relation(join.this, outer)
            shapes[alias] = other.columns
            if join.args.get("using") or join.side not in {"", "LEFT"}:
                raise UntranslatedError(f"a join {join.side}")
            joined = self._one_match if self._matches_once(join, alias, other) else self._any_match
            unique = unique if joined == self._one_match else []
            rows = joined(rows, alias, other, join, outer)
        return rows, shapes, unique

    def _matches_once(self, join, alias, other):
        """Whether a row meets one row at most: the join compares columns that are unique."""
        on = join.args.get("on")
        parts = list(on.flatten()) if isinstance(on, exp.And) else [on]
        equal = set()
        for each in (part.unnest() for part in parts if part is not None):
            if isinstance(each, (exp.EQ, exp.NullSafeEQ)):
                sides = [each.this.unnest(), each.expression.unnest()]
                own = [
                    {c.table.lower() == alias for c in side.find_all(exp.Column)} == {True}
                    for side in sides
                ]
                for side, mine, others in zip(sides, own, reversed(own), strict=True):
                    if mine and not others and isinstance(side, exp.Column):
                        equal.add(side.name.lower())
        return any(names <= equal for names in other.unique)

    def _meets(self, left, alias, formula, cells, join, outer):  # noqa: PLR0917
        row = Row(self.gates.both(left.formula, formula), {**left.cells, alias: cells})
        on = join.args.get("on")
        if on is not None:
            row.formula = self.gates.both(row.formula, self._true(on, row, [], outer))
        return row

    def _one_match(self, rows, alias, other, join, outer):
        """Join each row with the one that it meets, if any: there are no more rows than before."""
        found = []
        for left in rows:
            met = [self._meets(left, alias, f, cells, join, outer) for f, cells in other.rows]
            nothing = self.world.constant(None)
            cells = {
                name: self.world.pick([(m.formula, m.cells[alias][name]) for m in met], nothing)
                for name in other.columns
            }
            formula = left.formula
            if join.side != "LEFT":
                formula = self.gates.both(formula, self.gates.any(m.formula for m in met))
            found.append(Row(formula, {**left.cells, alias: cells}))
        return found

    def _any_match(self, rows, alias, other, join, outer):
        found = []
        for left in rows:
            met = [self._meets(left, alias, f, cells, join, outer) for f, cells in other.rows]
            found += met
            if join.side == "LEFT":
                alone = self.gates.any(m.formula for m in met) ^ 1
                cells = dict.fromkeys(other.columns, self.world.constant(None))
                formula = self.gates.both(left.formula, alone)
                found.append(Row(formula, {**left.cells, alias: cells}))
        return [row for row in found if row.formula != FALSE]

    # SELECT

    def _select(self, tree, outer):
        for part in ("limit", "offset", "qualify"):
            if tree.args.get(part) is not None:
                raise UntranslatedError(part.upper())
        rows, shapes, unique = self._from(tree, outer)
        if (where := tree.args.get("where")) is not None:
            for row in rows:
                row.formula = self.gates.both(row.formula, self._true(where.this, row, [], outer))
        expressions = self._unstarred(tree, shapes)
        grouped, sets = self._grouped(tree, expressions, rows, outer)
        if (having := tree.args.get("having")) is not None:
            for row in grouped:
                row.formula = self.gates.both(
                    row.formula, self._true(having.this, row, grouped, outer)
                )
        names = [each.alias_or_name.lower() or f"column{n}" for n, each in enumerate(expressions)]
        made = [
            (
                row.formula,
                {
                    name: self._projected(each, row, grouped, outer)
                    for name, each in zip(names, expressions, strict=True)
                },
            )
            for row in grouped
            if row.formula != FALSE
        ]
        plain = {
            (c.table.lower() or self._of(shapes, c), c.name.lower()): name
            for each, name in zip(expressions, names, strict=True)
            if isinstance(c := each.unalias(), exp.Column)
        }
        kept = [frozenset(plain[c] for c in each) for each in unique if each <= plain.keys()]
        texts = {each.unalias().sql(): name for each, name in zip(expressions, names, strict=True)}
        kept += [frozenset(texts[k] for k in keys) for keys in sets if set(keys) <= texts.keys()]
        found = Relation(names, made, kept if sets or not self._aggregates(tree) else [])
        return self._distinct(found) if tree.args.get("distinct") else found

    def _projected(self, tree, row, among, outer):
        """Evaluate a column of the result; one that cannot be is a reason, which whoever reads it raises."""
        try:
            return self.cell(tree, row, among, outer)
        except UntranslatedError as reason:
            return reason

    @staticmethod
    def _of(shapes, column):
        """Return the one table that has an unqualified column."""
        found = [alias for alias, names in shapes.items() if column.name.lower() in names]
        return found[0] if found else ""

    def _unstarred(self, tree, shapes):
        expressions = []
        for each in tree.expressions:
            inner = each.unalias()
            if isinstance(inner, exp.Star) or (
                isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
            ):
                table = inner.table.lower() if isinstance(inner, exp.Column) else None
                expressions += [
                    exp.column(name, table=alias)
                    for alias, names in shapes.items()
                    if table in {None, alias}
                    for name in names
                ]
            else:
                expressions.append(each)
        return expressions

    @staticmethod
    def _aggregates(tree):
        """Whether a query without GROUP BY makes one row of all: it has a function of many rows outside of a window."""
        tops = [*tree.expressions, *([tree.args["having"]] if tree.args.get("having") else [])]
        return any(
            not isinstance(each.parent, exp.Window) and each.find_ancestor(exp.Select) is tree
            for top in tops
            for each in top.find_all(exp.AggFunc)
        )

    def _grouped(self, tree, expressions, rows, outer):
        """Return a row for each group, and the texts of what groups them; the rows themselves where nothing does."""
        group = tree.args.get("group")
        if group is None:
            if not self._aggregates(tree):
                return [row for row in rows if row.formula != FALSE], []
            members = [(row.formula, row) for row in rows]
            first = rows[0].cells if rows else {}
            return [Row(TRUE, first, members)], []
        sets = [self._by(each, expressions) for each in group.expressions]
        if (many := group.args.get("grouping_sets")) is None or not many:
            return self._groups(sets, rows, outer), [[each.sql() for each in sets]]
        raise UntranslatedError("GROUPING SETS")

    @staticmethod
    def _by(tree, expressions):
        """Return what groups rows: itself, or the expression that a number or an alias stands for."""
        if isinstance(tree, exp.Literal) and not tree.is_string:
            return expressions[int(tree.name) - 1].unalias()
        return tree

    def _groups(self, keys, rows, outer):
        cells = [[self.cell(key, row, [], outer) for key in keys] for row in rows]
        made = []
        for n, row in enumerate(rows):
            alike = [
                self.gates.both(other.formula, self._alike(cells[n], cells[m]))
                for m, other in enumerate(rows)
            ]
            first = self.gates.both(row.formula, self.gates.any(alike[:n]) ^ 1)
            if first != FALSE:
                members = [(f, other) for f, other in zip(alike, rows, strict=True) if f != FALSE]
                made.append(Row(first, row.cells, members))
        return made

    # Cells

    def _true(self, tree, row, among, outer):
        """Return the formula that a condition is true; where it is an error instead, the whole statement is one."""
        found = self.cell(tree, row, among, outer)
        for value, case in found.cases.items():
            if isinstance(value, Raised):
                self.raised = self.gates.either(self.raised, self.gates.both(row.formula, case))
        return self.world.truth(found)

    def cell(self, tree, row, among, outer):
        """Evaluate an expression in a row; `among` are all rows of the query, which windows see."""
        tree = tree.unalias()
        worth = isinstance(
            tree, (exp.AggFunc, exp.Window, exp.Binary, exp.Cast, exp.Case, exp.Func)
        )
        key = (tree.sql(), id(row), id(row.members)) if worth else None
        if key is not None and key in self._known:
            return self._known[key][0]
        found = self._cell(tree, row, among, outer)
        if key is not None:
            self._known[key] = (found, row)
        return found

    def _cell(self, tree, row, among, outer):  # noqa: PLR0911, PLR0912  one for each kind of node
        world = self.world

        def of(each):
            return self.cell(each, row, among, outer)

        match tree:
            case exp.Paren():
                return of(tree.this)
            case exp.Literal():
                value = tree.name if tree.is_string else scalars.Fraction(tree.name)
                return world.constant(value)
            case exp.Null():
                return world.constant(None)
            case exp.Boolean():
                return world.constant(bool(tree.this))
            case exp.Column():
                return self._column(tree, row, outer)
            case exp.Window():
                return self._window(tree, row, among, outer)
            case exp.AggFunc() if not isinstance(tree, (exp.Greatest, exp.Least)):
                if row.members is None:
                    raise UntranslatedError(f"{tree.key} outside of a group")
                return self._aggregate(tree, row.members, outer)
            case exp.Cast() | exp.TryCast():
                return world.lift(scalars.strict(self._cast(tree)), of(tree.this))
            case exp.Case():
                return self._case(tree, of)
            case exp.If():
                return self._case(exp.Case(ifs=[tree], default=tree.args.get("false")), of)
            case exp.Not():
                return world.lift(scalars.strict(lambda a: not a), of(tree.this))
            case exp.Neg():
                return world.lift(scalars.strict(lambda a: -a), of(tree.this))
            case exp.Is():
                return world.lift(lambda a, b: a is b, of(tree.this), of(tree.expression))
            case exp.In():
                return self._in(tree, row, among, outer)
            case exp.Exists():
                inner = self.select(tree.this, (row, *outer))
                there = self.gates.any(formula for formula, _ in inner.rows)
                return world.pick([(there, world.constant(True))], world.constant(False))
            case exp.Subquery() | exp.Select():
                return self._one_row(tree, row, outer)
            case exp.Anonymous():
                return self._function(
                    scalars.NAMED.get(tree.name.lower()), tree, tree.expressions, of
                )
            case exp.Binary():
                return self._function(
                    scalars.BINARY.get(type(tree)), tree, [tree.this, tree.expression], of
                )
            case exp.Func():
                return self._function(scalars.FUNCTIONS.get(type(tree)), tree, arguments(tree), of)
            case _:
                raise UntranslatedError(type(tree).__name__)

    def _function(self, function, tree, given, of):
        if function is None:
            raise UntranslatedError(
                f"the function {tree.name if isinstance(tree, exp.Anonymous) else tree.key}"
            )
        return self.world.lift(function, *map(of, given))

    @staticmethod
    def _cast(tree):
        try:
            return scalars.cast_to(tree.to.this.value)
        except NotImplementedError as error:
            raise UntranslatedError(str(error)) from None

    def _column(self, tree, row, outer):
        name, table = tree.name.lower(), tree.table.lower()
        for each in (row, *outer):
            found = [
                cells[name]
                for alias, cells in each.cells.items()
                if table in {"", alias} and name in cells
            ]
            if found:
                if isinstance(found[0], UntranslatedError):
                    raise found[0]
                return found[0]
        raise UntranslatedError(f"the column {tree.sql()}, which no table has")

    def _case(self, tree, of):
        subject = tree.args.get("this")
        matches = []
        for each in tree.args["ifs"]:
            condition = each.this if subject is None else exp.EQ(this=subject, expression=each.this)
            matches.append((self.world.truth(of(condition)), of(each.args["true"])))
        default = tree.args.get("default")
        return self.world.pick(
            matches, self.world.constant(None) if default is None else of(default)
        )

    def _in(self, tree, row, among, outer):
        """Evaluate IN: TRUE if any value is equal, NULL if any comparison is unknown, else FALSE."""
        world, gates = self.world, self.gates
        sides = tree.this.expressions if isinstance(tree.this, exp.Tuple) else [tree.this]
        own = [self.cell(each, row, among, outer) for each in sides]
        if (query := tree.args.get("query")) is not None:
            key = ("in", query.sql())
            if key not in self._known:
                self._known[key] = (self._uncorrelated(query, row, outer), query)
            others = [(f, list(cells.values())) for f, cells in self._known[key][0].rows]
        else:
            others = [(TRUE, [self.cell(e, row, among, outer)]) for e in tree.expressions]
        yes, unknown = [], []
        for formula, cells in others:
            equal = world.constant(True)
            for a, b in zip(own, cells, strict=True):
                each = world.lift(scalars.BINARY[exp.EQ], a, b)
                equal = world.lift(scalars.conjunction, equal, each)
            yes.append(gates.both(formula, world.truth(equal)))
            unknown.append(gates.both(formula, equal.cases.get(None, FALSE)))
        true, null = world.constant(True), world.constant(None)
        return world.pick(
            [(gates.any(yes), true), (gates.any(unknown), null)], world.constant(False)
        )

    def _uncorrelated(self, query, row, outer):
        try:
            return self.select(query.unnest(), ())
        except UntranslatedError:
            raise UntranslatedError("IN with a query that refers to rows around it") from None

    def _one_row(self, tree, row, outer):
        inner = self.select(tree, (row, *outer))
        (name,) = inner.columns
        matches = [(formula, cells[name]) for formula, cells in inner.rows]
        return self.world.pick(matches, self.world.constant(None))

    # Functions of many rows

    def _aggregate(self, tree, members, outer):
        """Evaluate a function of the rows of a group, each (formula, row)."""
        world, argument = self.world, tree.this
        if tree.args.get("order") is not None:
            raise UntranslatedError(f"{tree.key} in an order")
        if isinstance(tree, exp.Count) and isinstance(argument, exp.Star):
            return world.count(formula for formula, _ in members)
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            (argument,) = argument.expressions
        cells = [(f, self.cell(argument, row, [], outer)) for f, row in members]
        known = [(self.gates.both(f, world.known(c)), c) for f, c in cells]
        if distinct:
            known = [
                (
                    self.gates.both(
                        f,
                        self.gates.any(
                            self.gates.both(before, world.same(c, other))
                            for before, other in known[:n]
                        )
                        ^ 1,
                    ),
                    c,
                )
                for n, (f, c) in enumerate(known)
            ]
        steps = {
            exp.Sum: lambda state, v: v if state is None else state + v,
            exp.Min: lambda state, v: v if state is None else min(state, v),
            exp.Max: lambda state, v: v if state is None else max(state, v),
            exp.ArrayAgg: lambda state, v: (v,) if state is None else tuple(sorted((*state, v))),
        }
        if isinstance(tree, exp.Count):
            return world.count(f for f, _ in known)
        if type(tree) not in steps:
            raise UntranslatedError(f"the function {tree.key}")
        step = steps[type(tree)]
        return world.fold(
            [(f, (c,)) for f, c in known],
            None,
            lambda state, v: state if v is None else v if isinstance(v, Raised) else step(state, v),
        )

    def _window(self, tree, row, among, outer):
        if tree.args.get("spec") is not None:
            raise UntranslatedError("a window frame")
        parts = tree.args.get("partition_by") or []
        order = tree.args.get("order")
        own = [self.cell(each, row, among, outer) for each in parts]
        members = []
        for other in among or [row]:
            theirs = [self.cell(each, other, among, outer) for each in parts]
            members.append((self.gates.both(other.formula, self._alike(own, theirs)), other))
        match tree.this:
            case exp.RowNumber():
                if order is None:
                    raise UntranslatedError("ROW_NUMBER without an order")
                return self._row_number(order, row, members, among, outer)
            case exp.AggFunc() if order is None:
                if any(other.members is not None for _, other in members):
                    return self._of_groups(tree.this, members, among, outer)
                return self._aggregate(tree.this, members, outer)
            case _:
                raise UntranslatedError(f"a window of {tree.this.key} in an order")

    def _of_groups(self, tree, members, among, outer):
        """Evaluate a window over groups: its argument is itself of each group."""
        inner = tree.this
        if isinstance(inner, exp.Star):
            return self.world.count(formula for formula, _ in members)
        cells = [
            (f, Row(f, {"": {"of group": self.cell(inner, other, among, outer)}}))
            for f, other in members
        ]
        return self._aggregate(type(tree)(this=exp.column("of group")), cells, outer)

    def _row_number(self, order, row, members, among, outer):
        keys = order.expressions
        own = [self.cell(each.this, row, among, outer) for each in keys]
        place = next(n for n, (_, other) in enumerate(members) if other is row)
        before = []
        for n, (formula, other) in enumerate(members):
            theirs = [self.cell(each.this, other, among, outer) for each in keys]
            ahead = TRUE if n <= place else FALSE
            for each, mine, its in reversed(list(zip(keys, own, theirs, strict=True))):
                first = self.world.lift(comes_before(each), its, mine)
                ahead = self.gates.either(
                    self.world.truth(first), self.gates.both(self.world.same(its, mine), ahead)
                )
            before.append(self.gates.both(formula, ahead))
        return self.world.count(before)


def comes_before(ordered):
    """Return whether a value is sorted before another; NULL where the dialect puts it."""
    down, nulls_first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))

    def before(a, b):
        if a is None or b is None:
            return a != b and (a is None) is nulls_first
        return a > b if down else a < b

    return before


def arguments(tree):
    """Return the arguments of a function in their order."""
    found = []
    for name in tree.arg_types:
        given = tree.args.get(name)
        if isinstance(given, exp.Expr):
            found.append(given)
        elif isinstance(given, list):
            found += given
    return found
