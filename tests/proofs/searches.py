"""Checks of nodes, as searches make them: from the rows of a source to the verdict on each node."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.base.sql.quoting import table as table_of
from kanon_sql.counting.lattice.counting_sql import Counting
from kanon_sql.counting.lattice.encode import frequency_set
from kanon_sql.counting.lattice.smallest_classes import Rank
from kanon_sql.policy.hierarchies.mapping_sql import Packing, Segment
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.fitting_sql import whole
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.recoding.counted_classes import counted_classes
from tests.proofs.definitions import Classes, Table, k_anonymity
from tests.proofs.formulas import TRUE
from tests.proofs.proof import Fixed, Proof
from tests.proofs.recounts import ILL, LETTERS, MODELS, SEX, WHO, ZIP

SOURCE, SET = 'the "source"', 'frequency "set"'
CODES = {SEX: "codes of sex", ZIP: "codes'; --", ILL: "codes of ill"}
PACKING = Packing(
    (2, 1),
    (
        Segment(quasi=0, level=0, key=0, shift=0, bits=1),
        Segment(quasi=0, level=1, key=0, shift=1, bits=2),
        Segment(quasi=1, level=0, key=0, shift=3, bits=2),
    ),
)
"""A column of two levels below its root, and one of one level, in one key."""
PATHS = {
    SEX: {"f": 0b000, "m": 0b001, "x": 0b010, None: 0b100},
    ZIP: {"f": 0b00000, "m": 0b01000, "x": 0b10000, None: 0b11000},
}
LABELS = {
    SEX: [
        {"f": "f", "m": "m", "x": "x", None: None},
        {"f": "f or m", "m": "f or m", "x": "other", None: "unknown"},
        dict.fromkeys(LETTERS, "*"),
    ],
    ZIP: [{v: v for v in LETTERS}, dict.fromkeys(LETTERS, "*")],
}
"""The hierarchies, for the definitions: the label of each value at each level."""
NODES = ((0, 0), (1, 1), (2, 0))


def label_of(column, level):
    """Return what gives the label of a value, as a key of `Classes`."""
    return (column, lambda value, labels=LABELS[column][level]: labels[value])


def fixed_codes(of):
    """Return the tables of codes: of quasi-identifiers their paths, of a sensitive column numbers."""
    tables = {
        CODES[c]: Fixed({"value": "TEXT", "key_1": "BIGINT"}, list(PATHS[c].items()), ("value",))
        for c in (SEX, ZIP)
    }
    if of is not None:
        codes = [(v, n) for n, v in enumerate(each for each in LETTERS if each is not None)]
        codes.append((None, len(codes) if of.counts_null else None))
        tables[CODES[ILL]] = Fixed({"value": "TEXT", "code": "BIGINT"}, codes, ("value",))
    return tables


def bound_text(statement, values):
    """Return a statement with numbers in place of what it binds; no name of these tables has a question mark."""
    first, *rest = statement.render("duckdb").split("?")
    return first + "".join(f"{value}{text}" for value, text in zip(values, rest, strict=True))


def counting_of(models, entity):
    return Counting.of(PACKING, requirements(models), entity=entity is not None)


def source_of(name, entity, *, weighs):
    """Return the source of a proof."""
    other = ILL if "distinct" in name or weighs else ZIP
    values = {SEX: ("f", "m", None), other: ("f", "m", None)}
    values |= {} if entity is None else {WHO: ("1", "2")}
    return Table(SOURCE, values, rows=3)


def checks():
    """Yield the proofs that checks count what the definitions do, at nodes of a lattice."""
    for name, (models, definitions) in MODELS.items():
        for entity in (None, WHO):
            weighs = any(each.of_table or each.start == () for each in definitions(None))
            nodes = (
                [((1, 1),)]
                if weighs
                else [((1, 0),), NODES]
                if name == "k" and entity is None
                else [((1, 1), (0, 1))]
            )
            for among in nodes:
                yield check(name, models, definitions, entity, among, weighs=weighs)


def check(name, models, definitions, entity, nodes, *, weighs):
    """Return the proof of a check of some nodes: of the statements from the source's rows on."""
    counting = counting_of(models, entity)
    source = source_of(name, entity, weighs=weighs)
    (of,) = counting.sensitive or (None,)
    quasi = [(c, table_of(CODES[c]), True) for c in (SEX, ZIP) if c in source.values]
    made = frequency_set(
        table_of(SET), replace(counting, packing=packing_of(quasi)), table_of(SOURCE), quasi=quasi,
        sensitive=[] if of is None else [table_of(CODES[ILL])], entity=entity, rows=6,
    )  # fmt: skip
    statements = [made.render("duckdb")]
    values = {}
    for attribute, found, counted in counting.values_of_table(
        table_of(SET), lambda: table_of("all values")
    ):
        values[attribute] = found
        statements.append(counted.render("duckdb"))
    counting = replace(counting, of_table=values)
    nodes = [Node(each) for each in nodes]
    checked = counting.check(table_of(SET), len(nodes), detail=True)
    statements.append(bound_text(checked, counting.bindings(nodes)))

    def defined(tables):
        found = []
        for number, node in enumerate(nodes):
            keys = [
                label_of(c, level)
                for c, level in zip((SEX, ZIP), node.levels, strict=True)
                if c in source.values
            ]
            rows = tables[SOURCE]
            classes = Classes(rows, keys, [k_anonymity(1, entity), *definitions(entity)])
            cells = {
                "node": rows.world.constant(number),
                "all_classes": classes.many(),
                "failing": classes.short(),
                "suppressed": classes.short_rows(),
                "smallest": classes.smallest(entity),
            }
            found.append((rows.rows[0][0] if rows.rows else TRUE ^ 1, cells))
        return found

    by = "by people" if entity else "by rows"
    many = f", {len(nodes)} nodes" if len(nodes) > 1 else ""
    fixed = {
        k: v for k, v in fixed_codes(of).items() if k in " ".join(statements).replace("''", "'")
    }
    return Proof(
        f"check: {name}, {by}{many}", "lattice/check", statements, [source], defined, fixed
    )


def packing_of(quasi):
    """Return the packing of the columns that a source has; the others are at their root."""
    kept = {(SEX, ZIP).index(c) for c, *_ in quasi}
    return replace(PACKING, segments=tuple(s for s in PACKING.segments if s.quasi in kept))


def others():
    """Yield the proofs of other statements on a frequency set."""
    source = source_of("k", None, weighs=False)
    counting = counting_of((KAnonymity(2),), None)
    quasi = [(c, table_of(CODES[c]), True) for c in (SEX, ZIP)]
    made = frequency_set(
        table_of(SET), counting, table_of(SOURCE), quasi=quasi, sensitive=[], entity=None, rows=6
    ).render("duckdb")
    nodes = [Node((1, 0)), Node((0, 1))]

    def totals(tables, node, k):
        keys = [label_of(c, level) for c, level in zip((SEX, ZIP), node, strict=True)]
        return Classes(tables[SOURCE], keys, [k_anonymity(k)])

    several = counting.check_thresholds(
        table_of(SET), len(nodes), [requirements((KAnonymity(k),)) for k in (2, 3)], squares=False
    )

    def thresholds(tables):
        found = []
        for number, node in enumerate(nodes):
            two, three = (totals(tables, node.levels, k) for k in (2, 3))
            cells = {"node": two.world.constant(number), "all_classes": two.many()}
            for n, each in enumerate((two, three)):
                cells |= {
                    f"failing_{n + 1}": each.short(),
                    f"suppressed_{n + 1}": each.short_rows(),
                }
            found.append((tables[SOURCE].rows[0][0] if tables[SOURCE].rows else TRUE ^ 1, cells))
        return found

    yield Proof(
        "check of two k at once", "lattice/check_thresholds",
        [made, bound_text(several, counting.bindings(nodes))], [source], thresholds, fixed_codes(None),
    )  # fmt: skip
    node, masks = Node((1, 0)), [PACKING.column_masks(0, 1), PACKING.column_masks(1, 0)]
    ranks, numbers = {}, []
    for n, (c, (mask,)) in enumerate(zip((SEX, ZIP), masks, strict=True)):
        places = sorted({path & mask for path in PATHS[c].values()})
        ranks[f"ranks of {n}"] = Fixed(
            {"code": "BIGINT", "key_1": "BIGINT"}, list(enumerate(places)), ("key_1",)
        )
        numbers.append({v: places.index(path & mask) for v, path in PATHS[c].items()})
    labels = [Rank(table_of(name), masks[n]) for n, name in enumerate(ranks)]
    few = counted_classes(
        table_of("failing"), table_of(SET), counting, node, labels, least=2, rows=6
    )

    def failing(tables):
        codes = {f"class_{n}": (c, numbers[n].get) for n, c in enumerate((SEX, ZIP))}
        return totals(tables, node.levels, 2).listed(lambda each: each.fails, codes)

    yield Proof(
        "classes that fail, by the frequency set", "recoding/counted_classes",
        [made, few.render("duckdb")], [source], failing, {**fixed_codes(None), **ranks},
    )  # fmt: skip
    yield whole_table()


def whole_table():
    """The proof that the whole table is counted as one class."""
    counting = counting_of((KAnonymity(2),), None)
    statement = whole(table_of("counted"), counting.requirements, counting.class_rows)
    counted = Table(
        "counted", {"key_1": (0, 1, 2), "row_count": (1, 2, 3)}, rows=4, weight="row_count"
    )

    def defined(tables):
        rows = tables["counted"]
        return [(TRUE, {"column0": rows.world.lift(lambda n: n or None, rows.size())})]

    return Proof(
        "the whole table as one class",
        "privacy/whole",
        [statement.render("duckdb")],
        [counted],
        defined,
    )
