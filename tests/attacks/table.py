"""The attack table: hostile values, names and entities, once, for every channel that a release goes through.

An attack is a source and a policy. What must hold in every channel is the oracle's (tests/attacks/reader.py): the
classes that a reader of the release tells apart each hold k entities and l known sensitive values, and nothing that
was dropped or suppressed stands anywhere; or the channel refuses, and nothing is published.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CHANNELS = (
    "relation",
    "table",
    "parquet",
    "delta",
    "iceberg",
    "ducklake",
    "csv",
    "view",
    "script",
    "new rows",
    "dbt",
    "SQLMesh",
)
SECRET = "CANARY7391"
"""Stands in every value that is dropped."""
RARE = "RARE8264"
"""Stands in values that too few people have, where they are texts."""
RELEASED, REFUSED = "released", "refused"


@dataclass(frozen=True)
class Attack:
    """One row of the table: a query that makes the source, and what is asked of its release.

    `expect` says of each channel whether it releases; of those not named, `otherwise` is true. Where it
    does, at least so many classes are left that a reader tells apart (`classes`), so that nothing passes
    by being generalized to one. Rows of `later` come after the plan was made, those of
    `gone` are there no more when it is carried out. `cannot` has the reason why
    an attack does not apply to a channel.
    """

    name: str
    source: str
    quasi: dict
    more: dict = field(default_factory=dict)
    privacy: tuple = ({"k": 3},)
    policy: dict = field(default_factory=dict)
    later: str = "FALSE"
    gone: str = "FALSE"
    classes: int = 2
    person: str = "n"
    expect: dict = field(default_factory=dict)
    otherwise: str = RELEASED
    cannot: dict = field(default_factory=dict)

    @property
    def slug(self):
        """A name that a table and a model may have."""
        return "t_" + "".join(c if c.isalnum() else "_" for c in self.name.lower())

    def expected(self, channel):
        return self.expect.get(channel, self.otherwise)

    def columns(self):
        """The policy's columns: `name` is dropped, `n` tells which row of the source a row is."""
        own = {
            "n": {"role": "insensitive"},
            "name": {"role": "identifying", "action": "drop"},
            "s": {"role": "sensitive"},
            **{name: {"role": "quasi", "hierarchy": spec} for name, spec in self.quasi.items()},
        }
        return {name: told for name, told in (own | self.more).items() if told}

    def mapping(self, **changes):
        """The policy, but for its source."""
        return {
            "version": 1,
            "entity": "row",
            "columns": self.columns(),
            "privacy": list(self.privacy),
            "suppression": "60%",
            **self.policy,
            **changes,
        }


def of(*pairs, kind="VARCHAR", s="'s' || (i % 3)", q="q", more=""):
    """A source whose column q has each of these SQL expressions in so many rows."""
    parts = " UNION ALL ".join(
        f"SELECT {n} AS part, CAST({value} AS {kind}) AS q FROM range({count}) AS r (x)"
        for n, (value, count) in enumerate(pairs)
    )
    return (
        f"SELECT CAST(i AS BIGINT) AS n, '{SECRET}-' || i AS name, {q}, {s} AS s{more} FROM "
        f"(SELECT row_number() OVER (ORDER BY part) AS i, q FROM ({parts}) AS p) AS v"
    )


def text(value):
    return "'" + value.replace("'", "''") + "'"


def texts(*pairs, **more):
    return of(*((text(value), count) for value, count in pairs), **more)


SUPPRESS = {"q": "suppress"}
CODE = (
    "'; DROP TABLE t_code; -- ${x} {{ 1/0 }} {% raw %} %s %(x)s $1 :x ? @x \\ \\n \" ` ]]> \u2028"
)

ODD = (
    "", " ", "'", "''", '"', "it's", 'say "no"', "a\nb", "a\r\nb", "\t", ",", ";", "\\", "\\n", "%", "%s",
    "{{ x }}", "{% x %}", "$1", "?", "--", "/* x */", "NULL", "null", "NaN", "*", "[0, 5)", "true",
    "😀", "é", "e\u0301", "\u200b", "\u202e", "\ufeff", "\x01", "\x7f", "ß", "ss", "SS", "A", "a",
    "x" * 100_000, "'; DROP TABLE x; --", "#comment", "=1+1", "00", "0", "-0",
)  # fmt: skip
"""Texts that a shell, a reader of files or a template takes for something else."""

VALUES = [
    Attack(
        "odd texts, as they are",
        texts(*((each, 3) for each in ODD), more=", q AS t"),
        SUPPRESS,
        {"t": {"role": "insensitive"}},
        policy={"suppression": 0},
        classes=len(ODD),
    ),
    Attack(
        "minus zero beside zero",
        of(("0.0", 5), ("'-0.0'", 1), ("1.5", 4), kind="DOUBLE"),
        SUPPRESS,
        expect={"SQLMesh": REFUSED},
    ),
    Attack(
        "NaN of two signs",
        of(("'nan'::DOUBLE", 5), ("-('nan'::DOUBLE)", 1), ("2.5", 4), kind="DOUBLE"),
        SUPPRESS,
        expect={"SQLMesh": REFUSED},
    ),
    Attack(
        "empty text beside NULL",
        of(("''", 4), ("NULL", 4), (text(RARE), 1)),
        SUPPRESS,
    ),
    Attack(
        "the text NULL beside NULL",
        of(("'NULL'", 4), ("NULL", 4), ("'null'", 2), ("'None'", 2), ("'\\N'", 3)),
        SUPPRESS,
    ),
    Attack(
        "trailing blanks",
        texts(("a", 4), ("a ", 2), (" a", 2), ("a\t", 1), ("a\u00a0", 4)),
        SUPPRESS,
    ),
    Attack(
        "case and forms of Unicode",
        texts(("é", 4), ("e\u0301", 2), ("É", 2), ("ﬁ", 3), ("fi", 2), ("ß", 4), ("SS", 1)),
        SUPPRESS,
    ),
    Attack(
        "marks that are not seen",
        texts(("ab", 4), ("a\u200db", 2), ("\u202eab", 1), ("a\u200bb", 3), ("\ufeffab", 1)),
        SUPPRESS,
    ),
    Attack(
        "texts that a collation holds equal",
        texts(("few", 3), ("FEW", 1), ("Few", 1), ("many", 4), q="q COLLATE NOCASE AS q"),
        SUPPRESS,
        expect={"view": REFUSED, "dbt": REFUSED, "SQLMesh": REFUSED},
    ),
    Attack(
        "a type that lists its values",
        texts(("f", 4), ("m", 4), (RARE, 1), kind=f"ENUM('f', 'm', '{RARE}', '{SECRET}-of none')"),
        SUPPRESS,
        expect={"view": REFUSED, "dbt": REFUSED, "SQLMesh": REFUSED},
    ),
    Attack(
        "texts that are code",
        texts(
            (CODE, 4), (CODE + " ", 1), ("'", 3), ('"', 3), ("\\", 3), ("a\nb", 3), ("a\r\nb", 1)
        ),
        SUPPRESS,
        classes=4,
    ),
    Attack("one number in two texts", texts(("1.0", 3), ("1.00", 2), ("1", 4)), SUPPRESS),
    Attack(
        "one span in two forms",
        of(
            ("INTERVAL 1 MONTH", 4), ("INTERVAL 30 DAYS", 1), ("INTERVAL 1 DAY", 4), kind="INTERVAL"
        ),
        SUPPRESS,
        expect={"delta": REFUSED, "iceberg": REFUSED, "script": REFUSED, "SQLMesh": REFUSED},
    ),
    Attack(
        "numbers that no double holds",
        of(
            ("170141183460469231731687303715884105727", 4),
            ("170141183460469231731687303715884105726", 3),
            ("9007199254740993", 1),
            ("9007199254740992", 3),
            kind="HUGEINT",
        ),
        SUPPRESS,
        classes=3,
        expect={"parquet": REFUSED, "delta": REFUSED, "iceberg": REFUSED, "script": REFUSED},
    ),
    Attack(
        "columns of types that Parquet lacks",
        of(
            ("'a'", 4),
            ("'b'", 4),
            more=", CAST(i AS HUGEINT) AS big, [CAST(i AS UHUGEINT)] AS nested",
        ),
        SUPPRESS,
        {"big": {"role": "insensitive"}, "nested": {"role": "insensitive"}},
        expect={"parquet": REFUSED, "delta": REFUSED, "iceberg": REFUSED, "script": REFUSED},
    ),
    Attack(
        "labels of integers of 128 bits",
        of(*((f"{n}", 2) for n in (11, 15, 22, 26)), kind="HUGEINT"),
        {"q": {"intervals": [10]}},
        policy={"suppression": 0},
    ),
    Attack(
        "bytes with commas",
        of(
            ("'a,b'::BLOB", 4),
            ("'a'::BLOB", 3),
            ("'\\x00'::BLOB", 2),
            ("',NULL'::BLOB", 3),
            kind="BLOB",
        ),
        SUPPRESS,
        expect={"SQLMesh": REFUSED},
        classes=3,
    ),
    Attack(
        "texts that look like labels",
        texts(("*", 2), ("[20, 25)", 4), ("< 18", 1), ("*****", 3), ("2****", 1)),
        SUPPRESS,
    ),
    Attack(
        "a value that is the label of others",
        texts(("a", 2), ("b", 2), ("x", 2), ("c", 2)),
        {"q": {"tree": {"*": {"x": ["a", "b"], "y": ["x", "c"]}}}},
        policy={"suppression": 0},
    ),
    Attack(
        "masks that meet",
        texts(("021*", 2), ("0213", 2), ("0214", 2), ("02**", 3)),
        {"q": {"mask": 4}},
        policy={"suppression": 0},
        classes=1,
    ),
    Attack(
        "a value without an entry",
        texts(("a", 4), ("b", 4), (RARE, 1)),
        {"q": {"tree": {"*": {"x": ["a"], "y": ["b"]}}}},
        otherwise=REFUSED,
        later=f"q = '{RARE}'",
        expect={"new rows": RELEASED},
    ),
    Attack(
        "a source that has shrunk",
        texts(("a", 42), *((f"{RARE}{n}", 1) for n in range(18))),
        SUPPRESS,
        policy={"suppression": "30%"},
        gone="n BETWEEN 4 AND 50",
        classes=1,
        expect={"relation": RELEASED, "new rows": RELEASED},
        otherwise=REFUSED,
        cannot={
            "dbt": "a build counts what it suppressed by a test, after the model: tests/dbt has it",
            "SQLMesh": "a model that raises stops all others of the project: tests/engines runs its statement",
        },
    ),
    Attack(
        "an entry given twice",
        texts(("a", 4), ("b", 4)),
        {"q": {"tree": {"*": {"x": ["a", "b"], "y": ["b"]}}}},
        otherwise=REFUSED,
    ),
]

SENSITIVE = [
    Attack(
        "NULL as a second sensitive value",
        of(("'a'", 3), ("'b'", 4), s="CASE i % 3 WHEN 0 THEN NULL ELSE 'flu' END"),
        SUPPRESS,
        privacy=({"k": 3}, {"distinct_l": {"column": "s", "l": 2}}),
        otherwise=REFUSED,
    ),
    Attack(
        "a placeholder as a second sensitive value",
        of(("'a'", 3), ("'b'", 4), s="CASE i % 3 WHEN 0 THEN 'NA' WHEN 1 THEN ' ' ELSE 'flu' END"),
        SUPPRESS,
        {"s": {"role": "sensitive", "missing": ["NA", ""]}},
        privacy=({"k": 3}, {"distinct_l": {"column": "s", "l": 2}}),
        otherwise=REFUSED,
    ),
    Attack(
        "placeholders beside NULL, in columns of every role",
        of(
            *(("'a'", 4), ("'n/a'", 2), ("NULL", 2), ("'N/A'", 3)),
            s="CASE i % 3 WHEN 0 THEN 'NA' ELSE 'v' || (i % 3) END",
            more=", CASE WHEN i % 2 = 0 THEN 999 ELSE CAST(i AS INTEGER) END AS code",
        ),
        SUPPRESS,
        {
            "q": {"role": "quasi", "hierarchy": "suppress", "missing": ["n/a"]},
            "s": {"role": "sensitive", "missing": ["NA"]},
            "code": {"role": "insensitive", "missing": [999, "NA"]},
        },
        classes=3,
    ),
    Attack(
        "sensitive values that differ by case",
        of(("'a'", 4), ("'b'", 4), s="CASE i % 2 WHEN 0 THEN 'Flu' ELSE 'flu ' END"),
        SUPPRESS,
        privacy=({"k": 3}, {"distinct_l": {"column": "s", "l": 2}}),
    ),
    Attack(
        "one person in every row of a class",
        of(("'a'", 5), ("'b'", 5), more=", CASE WHEN i <= 5 THEN 1 ELSE i END AS who"),
        SUPPRESS,
        {"who": {"role": "insensitive", "linkable": "accept"}},
        policy={"entity": "who"},
        person="who",
        classes=1,
    ),
    Attack(
        "a pseudonym of one person in every row",
        of(("'a'", 5), ("'b'", 5), more=", CASE WHEN i <= 5 THEN 1 ELSE i END AS who"),
        SUPPRESS,
        {"who": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}},
        person="who",
        otherwise=REFUSED,
    ),
    Attack(
        "a column that stands in for the entity",
        of(("'a'", 20), ("'b'", 20), more=", i % 10 AS who, 'u' || (i % 10) AS uid"),
        SUPPRESS,
        {"who": {"role": "identifying", "action": "drop"}, "uid": {"role": "insensitive"}},
        policy={"entity": "who"},
        person="who",
        otherwise=REFUSED,
    ),
    Attack(
        "two columns that stand in for the entity together",
        of(("'a'", 20), ("'b'", 20), more=", i % 10 AS who, i % 5 AS team, i % 2 AS seat"),
        SUPPRESS,
        {
            "who": {"role": "identifying", "action": "drop"},
            "team": {"role": "insensitive"},
            "seat": {"role": "insensitive"},
        },
        policy={"entity": "who"},
        person="who",
        otherwise=REFUSED,
    ),
]

NAMES = (
    "two words", "a.b", "a.b.c.d", 'a"b', '"', "it's", "x; DROP TABLE people; --", "select", "FROM",
    "value", "key_1", "q0", "row_count", "entity", "_kanon_entity", "class_size",
    "staged", "rowid", "100%", "%s", "?", "$1", ":a", "\\", "--", "/*", "😀", "e\u0301", "a,b", "level_1",
    "row_number", "${x}", "{x}", "x" * 60, "null", "1",
)  # fmt: skip
"""Names of columns that break what quotes carelessly; of three at a time the first are in roles that matter."""


def named(quasi, sensitive, dropped, others):
    """A source with columns of these names."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in (quasi, sensitive, dropped, *others)]
    q, s, d, *rest = quoted
    more = "".join(f", 'v' || (i % 2) AS {name}" for name in rest)
    return (
        f"SELECT CAST(i AS BIGINT) AS n, '{SECRET}-' || i AS {d}, "
        f"CASE WHEN i < 5 THEN 'a' WHEN i < 9 THEN 'b' ELSE '{RARE}' END AS {q}, 's' || (i % 3) AS {s}"
        f"{more} FROM range(1, 10) AS r (i)"
    )


def columns_named(name, names, **more):
    quasi, sensitive, dropped, *others = names
    return Attack(
        name,
        named(quasi, sensitive, dropped, others),
        {quasi: "suppress"},
        {
            "name": None,
            "s": None,
            sensitive: {"role": "sensitive"},
            dropped: {"role": "identifying", "action": "drop"},
            **{each: {"role": "insensitive"} for each in others},
        },
        **more,
    )


COLUMNS = [
    columns_named("names that a careless quote breaks", NAMES),
    columns_named("the same names in other roles", NAMES[::-1]),
    columns_named(
        "names of templates",
        ("{{ x }}", "{% for x in y %}", "{# x #}"),
        expect={"SQLMesh": REFUSED},
        cannot={"dbt": "dbt renders such a name itself, and reads no project that has one"},
    ),
    columns_named(
        "names of two lines",
        ("a\nb", ".shell\ntouch x", "\\!x\n", "a\tb"),
        expect={"dbt": REFUSED, "SQLMesh": REFUSED},
    ),
    columns_named(
        "a column called star",
        ("*", "d", "ssn"),
        policy={"entity": "ssn"},
        person="ssn",
    ),
    columns_named("the star is dropped", ("q", "d", "*")),
    columns_named(
        "names of scratch tables",
        ("kanon_source", "kanon_staged", "kanon_entity", "n_", "kanon_class_size"),
        expect={"dbt": REFUSED},
    ),
    columns_named(
        "a name whose small letters are another's",
        ("İ", "d", "ẞ"),
        cannot={
            "SQLMesh": "it reads names in small letters, which DuckDB has no such column of: the build fails"
        },
    ),
    columns_named("variables of SQLMesh", ("@x", "d", "@DEF(x)"), expect={"SQLMesh": REFUSED}),
]
ATTACKS = [*VALUES, *SENSITIVE, *COLUMNS]
