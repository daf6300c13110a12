"""What a release decides by its own rows: which classes are suppressed, and whether what is staged may be published."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from operator import attrgetter

import class_models

from kanon_sql.base.sql.quoting import column as column_of
from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as table_of
from kanon_sql.evidence.certificate.certified_parts import ClaimedRelease, claims
from kanon_sql.evidence.certificate.claims import Claim, Kind
from kanon_sql.policy.hierarchies.labels_sql import Released, SourceRows
from kanon_sql.policy.hierarchies.specs import SuppressHierarchy
from kanon_sql.policy.model import Column, Role, Suppression
from kanon_sql.policy.privacy.candidates_sql import verify_candidates
from kanon_sql.policy.privacy.demands import Over, demands, requirements
from kanon_sql.policy.privacy.fitting_sql import ClassRows, FittingSet, KeyPart, rest
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import Alpha
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls
from kanon_sql.policy.privacy.table_models import AverageRisk, SampleUniqueness
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.recount import recount_statement, short_rows
from tests.proofs.choices import Raised
from tests.proofs.definitions import Classes, Rows, Table, by_values, distinct_l, k_anonymity
from tests.proofs.formulas import TRUE
from tests.proofs.proof import Fixed, Proof
from tests.proofs.recounts import FEWER, ILL, LETTERS, MODELS, RELEASE, SEX, WHO, ZIP

SOURCE, FAILING = 'the "source"', "failing'"
RELEASED = {SEX: "released sex", ZIP: "released'; --"}
LABELS = {SEX: {"f": 0, "m": 0, "x": 1, None: 2}, ZIP: {"f": 0, "m": 1, "x": 2, None: 3}}
"""The number of the label of each value, in the recoding that is released."""
MAPS = {
    RELEASED[c]: Fixed({"value": "TEXT", "code": "BIGINT"}, list(LABELS[c].items()), ("value",))
    for c in (SEX, ZIP)
}
CODES = {f"class_{n}": (c, LABELS[c].get) for n, c in enumerate((SEX, ZIP))}
COLUMNS = [
    Released(Column(c, Role.QUASI, SuppressHierarchy()), 1, 1, table_of(RELEASED[c]))
    for c in (SEX, ZIP)
]


def source_of(*, of=False, entity=None, rows=4):
    values = {SEX: LETTERS, ZIP: ("f", "m", None)}
    values |= {ILL: ("f", "m", None)} if of else {}
    values |= {WHO: ("1", "2", None)} if entity else {}
    return Table(SOURCE, values, rows=rows)


def released(models, entity, *, rows=4):
    """Return the source of a proof, and its rows as the product has them with what is required of classes."""
    needed = requirements(models)
    source = source_of(of=len(needed) > 1, entity=entity, rows=rows)
    return source, SourceRows(table_of(SOURCE), COLUMNS, needed, entity)


def failing_classes():
    """Yield the proofs that the classes that a release suppresses are those that do not fit."""
    for name in ("k", "k = 3", "distinct l", "distinct l, NULL a value", "k and distinct l"):
        models, definitions = MODELS[name]
        for entity in (None, WHO):
            source, of = released(models, entity)
            statement = staging_sql.failing_classes(table_of(FAILING), of)

            def defined(tables, entity=entity, definitions=definitions):
                wanted = [k_anonymity(1, entity), *definitions(entity)]
                classes = Classes(tables[SOURCE], list(CODES.values()), wanted)
                return classes.listed(lambda each: each.fails, CODES)

            by = "by people" if entity else "by rows"
            yield Proof(
                f"failing classes: {name}, {by}", "recoding/failing_classes",
                [statement.render("duckdb")], [source], defined, MAPS,
            )  # fmt: skip


def kept_and_unfit():
    """Yield the proofs of the classes that are kept, and of those that no pass over several sets leaves."""
    source, of = released((KAnonymity(2),), None)
    failing = staging_sql.failing_classes(table_of(FAILING), of).render("duckdb")
    kept = staging_sql.kept_classes(table_of("kept"), table_of(SOURCE), table_of(FAILING), COLUMNS)

    def of_kept(tables):
        classes = Classes(tables[SOURCE], list(CODES.values()), [k_anonymity(2)])
        return classes.listed(lambda each: each.kept, CODES, sizes=False)

    yield Proof(
        "kept classes",
        "recoding/kept_classes",
        [failing, kept.render("duckdb")],
        [source],
        of_kept,
        MAPS,
    )
    for name, models, definition in (
        (
            "alpha",
            (Alpha(ILL, Decimal("0.5")),),
            by_values(class_models.alpha(Fraction(1, 2)), ILL),
        ),
        (
            "k and alpha",
            (KAnonymity(2), Alpha(ILL, Decimal("0.75"))),
            by_values(class_models.alpha(Fraction(3, 4)), ILL),
        ),
    ):
        source, of = released(models, None, rows=3)
        steps = [table_of("all classes"), table_of("classes that fit")]
        statements = [
            each.render("duckdb")
            for each in staging_sql.unfit_classes(table_of(FAILING), of, steps=steps)
        ]
        least = 2 if len(models) > 1 else 1

        def of_unfit(tables, definition=definition, least=least):
            wanted = [k_anonymity(least), definition]
            classes = Classes(tables[SOURCE], list(CODES.values()), wanted)
            return classes.listed(attrgetter("fails"), CODES)

        yield Proof(
            f"classes that do not fit: {name}",
            "recoding/unfit_classes",
            statements,
            [source],
            of_unfit,
            MAPS,
        )
    yield several_sets()


def several_sets():
    """The proof of one pass over two sets of columns: it leaves the rows that fit over both."""
    models = (KAnonymity(2), Over(KAnonymity(3), (SEX,)))
    source = source_of()
    of = SourceRows(table_of(SOURCE), COLUMNS, requirements(models), None)
    steps = [table_of("all classes"), table_of("one pass")]
    *first, _ = staging_sql.joint_classes(steps, table_of(FAILING), of, demands(models))

    def defined(tables):
        rows = tables[SOURCE]
        every = Classes(rows, list(CODES.values()), [k_anonymity(2)])
        gates = rows.world.gates
        return [
            (
                gates.both(
                    each.kept,
                    k_anonymity(3).formula(rows.like(each.cells, [CODES["class_0"]]), rows),
                ),
                {
                    **{text: rows.label(each.cells, key) for text, key in CODES.items()},
                    "row_count": each.rows.size(),
                },
            )
            for each in every.found
        ]

    texts = [each.render("duckdb") for each in first]
    return Proof(
        "one pass over two sets of columns", "privacy/fitting", texts, [source], defined, MAPS
    )


def remainders():
    """The proof of the rows whose class does not fit at one node of several."""
    counted = Table(
        "classes", {"key_1": (0, 1, 2, 3), "row_count": (1, 2)}, rows=4, weight="row_count"
    )
    where = ClassRows(None, lambda of: column_of(of.column), weighted=True)
    parts = [KeyPart(name_of("key_1"), name_of("part_1"), mask=literal(2))]
    of = FittingSet(parts, requirements((KAnonymity(3),)), where)
    statement = rest(table_of("rest"), table_of("classes"), of)

    def defined(tables):
        rows = tables["classes"]
        classes = Classes(rows, [("key_1", lambda key: key >> 1)], [k_anonymity(3)])
        return [
            (f, {"key_1": cells["key_1"], "row_count": cells["row_count"]})
            for f, cells in classes.of_rows(lambda each: each.fails).rows
        ]

    yield Proof(
        "the remainder at a node", "privacy/rest", [statement.render("duckdb")], [counted], defined
    )


def recounted_rows():
    """Yield the proofs of the rows in classes that fall short, and of the models of the whole table."""
    for entity in (None, WHO):
        source = Table(
            RELEASE,
            {SEX: LETTERS, ZIP: ("f", "m", None), **({WHO: ("1", "2", None)} if entity else {})},
            rows=4,
        )
        (demand,) = demands((KAnonymity(2),))
        recount = recount_statement(table_of(RELEASE), [SEX, ZIP], demand.recounted, entity=entity)

        def defined(tables, entity=entity):
            classes = Classes(tables[RELEASE], [SEX, ZIP], [k_anonymity(2, entity)])
            rows = classes.of_rows(lambda each: each.fails)
            return [
                (
                    TRUE,
                    {"row_count": rows.size(), **({"people": rows.size(entity)} if entity else {})},
                )
            ]

        yield Proof(
            f"rows in classes that fall short, {'by people' if entity else 'by rows'}", "recoding/short_rows",
            [short_rows(recount, every=False).render("duckdb")], [source], defined,
        )  # fmt: skip
    for model, rule in (
        (
            AverageRisk(Decimal("0.5")),
            lambda sizes: Fraction(len(sizes), sum(sizes)) <= Fraction(1, 2),
        ),
        (
            SampleUniqueness(Decimal("0.4")),
            lambda sizes: Fraction(sizes.count(1), sum(sizes)) <= Fraction(2, 5),
        ),
    ):
        source = Table(RELEASE, {SEX: FEWER, ZIP: FEWER}, rows=5)
        (demand,) = demands((model,))
        recount = recount_statement(table_of(RELEASE), [SEX, ZIP], demand.recounted, entity=None)

        def of_table(tables, rule=rule):
            classes = Classes(tables[RELEASE], [SEX, ZIP], [])
            sizes = classes.world.fold(
                [(each.there, (each.rows.size(),)) for each in classes.found],
                (),
                lambda s, n: tuple(sorted((*s, n))),
            )
            short = classes.world.lift(lambda s: 0 if not s or rule(s) else len(s), sizes)
            return [(TRUE, {"classes": classes.many(), "short_classes": short})]

        yield Proof(
            f"recount: {model.key}",
            "release/verify",
            [recount.render("duckdb")],
            [source],
            of_table,
        )


def candidates():
    """The proof of a recount where NULL matches any value: rows that are equal, or NULL, in every column."""
    source = Table(RELEASE, {SEX: ("f", "m", None), ZIP: ("f", "m", None)}, rows=3)
    statement = verify_candidates(table_of(RELEASE), [SEX, ZIP], least=2)

    def defined(tables):
        rows = tables[RELEASE]
        world, gates = rows.world, rows.world.gates
        classes, short, sizes = Classes(rows, [SEX, ZIP], []), [], []
        for each in classes.found:
            matches = []
            for formula, cells in rows.rows:
                near = [
                    world.truth(
                        world.lift(
                            lambda a, b: a is None or b is None or a == b, each.cells[c], cells[c]
                        )
                    )
                    for c in (SEX, ZIP)
                ]
                matches.append((gates.all([formula, *near]), cells))
            count = Rows(world, rows.table, matches).size()
            few = world.truth(world.lift(lambda n: n < 2, count))
            short.append(gates.both(each.there, few))
            sizes.append((each.there, (count,)))
        fewest = world.fold(sizes, None, lambda s, n: n if s is None else min(s, n))
        return [
            (
                TRUE,
                {
                    "class_count": classes.many(),
                    "row_count": rows.size(),
                    "smallest_class": fewest,
                    "short_classes": world.count(short),
                },
            )
        ]

    yield Proof(
        "recount where NULL matches any value",
        "privacy/verify_candidates",
        [statement.render("duckdb")],
        [source],
        defined,
    )


def certificates():
    """Yield the proofs of the verdicts of a certificate's script."""
    claimed = (
        (Claim(Kind.K, 2), lambda c: c.short_of([k_anonymity(2)])),
        (
            Claim(Kind.DISTINCT_L, 2, (), ILL, nulls=SensitiveNulls.NOT_COUNTED),
            lambda c: c.short_of([distinct_l(2, ILL)]),
        ),
        (
            Claim(Kind.DISTINCT_L, 2, (), ILL, nulls=SensitiveNulls.VALUE),
            lambda c: c.short_of([distinct_l(2, ILL, nulls=True)]),
        ),
    )
    yield certificate("k and l", claimed[:2])
    yield certificate("l, NULL a value", claimed[2:])


def certificate(name, claimed):
    """The proof that each claim passes exactly where its definition holds, of a release that has rows."""
    source = Table(
        RELEASE, {SEX: ("f", "m", None), ZIP: ("f", "m", None), ILL: ("f", "m", None)}, rows=4
    )
    rows_and_classes = (
        Claim(Kind.ROWS, 4),
        Claim(Kind.CLASSES, 2),
        Claim(Kind.SMALLEST, 2),
        Claim(Kind.SUPPRESSED, 2, source_rows=6),
        Claim(Kind.COLUMNS, 0),
    )
    every = (*(claim for claim, _ in claimed), *rows_and_classes)
    release = ClaimedRelease(
        table_of(RELEASE), every, {(): (SEX, ZIP)}, [(c, False) for c in source.values], None
    )
    statement = claims(release, rows=4).render("duckdb")
    passed = {True: "PASS", False: "FAIL"}

    def defined(tables):
        rows = tables[RELEASE]
        world = rows.world
        found = []
        for number, (_, holds) in enumerate(claimed, 1):
            short = holds(_Counted(rows))
            found.append(
                (number, world.lift(lambda s, n: passed[n > 0 and s == 0], short, rows.size()))
            )
        classes = Classes(rows, [SEX, ZIP], [])
        figures = [
            (rows.size(), lambda n: n == 4),
            (classes.many(), lambda n: n == 2),
            (classes.smallest(), lambda n: n == 2),
            (rows.size(), lambda n: n > 0 and 6 - n <= 2),
            (rows.size(), lambda _: True),
        ]
        for number, (cell, right) in enumerate(figures, len(claimed) + 1):
            found.append((number, world.lift(lambda n, right=right: passed[right(n)], cell)))
        return [(TRUE, {"number": world.constant(n), "verdict": cell}) for n, cell in found]

    return Proof(f"certificate: {name}", "certificate/claims", [statement], [source], defined)


class _Counted:
    def __init__(self, rows):
        self.rows = rows

    def short_of(self, definitions):
        return Classes(self.rows, [SEX, ZIP], definitions).short()


def scripts():
    """The proof of the verdict of a script: it passes exactly where all rows are accounted for and the recount is right."""
    source = Table(SOURCE, {SEX: ("f", "m")}, rows=4)
    staged = Table(RELEASE, {SEX: ("f", "m", None), ZIP: ("f", None)}, rows=4)
    failing = Table(FAILING, {"row_count": (1, 2)}, rows=2)
    (demand,) = demands((KAnonymity(2),))
    recount = recount_statement(table_of(RELEASE), [SEX, ZIP], demand.recounted, entity=None)
    statement = staging_sql.require(
        table_of("verdict"), table_of(SOURCE), table_of(FAILING), recount,
        key_envs=[], target=None, max_suppressed=Suppression(rows=1), spared=False,
    )  # fmt: skip

    def defined(tables):
        rows, all_rows, lost = tables[RELEASE], tables[SOURCE], tables[FAILING]
        world = rows.world
        total = lost.fold(["row_count"], 0, lambda s, n, _: s + n)
        short = Classes(rows, [SEX, ZIP], [k_anonymity(2)]).short()

        def verdict(staged_rows, source_rows, failed, short_classes):
            if staged_rows + failed != source_rows:
                return Raised(
                    "the source has rows that the plan's recoding does not assign; make the plan again"
                )
            if source_rows - staged_rows > 1:
                return Raised(
                    "more rows would be suppressed than the policy allows; make the plan again"
                )
            if short_classes or not staged_rows:
                return Raised("the staged rows fail their recount; make the plan again")
            return "passed"

        return [
            (TRUE, {"verdict": world.lift(verdict, rows.size(), all_rows.size(), total, short)})
        ]

    yield Proof(
        "verdict of a script",
        "recoding/require",
        [statement.render("duckdb")],
        [source, staged, failing],
        defined,
    )


def of_releases():
    """Yield all proofs of this module."""
    for each in (
        failing_classes,
        kept_and_unfit,
        remainders,
        recounted_rows,
        candidates,
        certificates,
        scripts,
    ):
        yield from each()
