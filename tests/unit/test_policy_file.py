"""Reading a policy: what is accepted means what it says, and nothing raises but PolicyError."""

from __future__ import annotations

import contextlib
import json
import math
from decimal import Decimal
from fractions import Fraction

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from policies import GOOD, WORDS, with_, with_column
from tiers import examples

from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.engines.locations import Format, destination_from_text, source_from_text
from kanon_sql.errors import PolicyError
from kanon_sql.policy.hierarchies.order import Dates, OrderKind, Steps
from kanon_sql.policy.hierarchies.specs import DateUnit
from kanon_sql.policy.masks import DROP, HASH
from kanon_sql.policy.model import Nulls, Role, suppression_from
from kanon_sql.policy.privacy.demands import Over, demands
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.read_policy import overridden, read_policy
from kanon_sql.policy.search_options import Algorithm, Identifying, Per, Preference, Repair


def text(tmp_path, content):
    path = tmp_path / "policy.yml"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8")
    return path


def faults(policy):
    with pytest.raises(PolicyError) as caught:
        read_policy(policy)
    return [(f.where, f.line) for f in caught.value.faults]


def test_the_policy_of_the_readme_is_read(tmp_path):
    policy = read_policy(text(tmp_path, GOOD))
    assert [c.name for c in policy.quasi] == ["sex", "age", "zip", "birth"]
    assert [c.role for c in policy.columns[4:]] == [
        Role.IDENTIFYING,
        Role.IDENTIFYING,
        Role.SENSITIVE,
        Role.INSENSITIVE,
    ]
    assert policy.columns[4].action is DROP
    assert (policy.columns[5].action, policy.columns[5].key_env) == (HASH, "KANON_KEY")
    assert policy.source.path == "adult.csv"
    assert policy.entity is None
    assert policy.suppression.share == Fraction(4, 100)
    assert policy.nulls is Nulls.CATEGORY
    assert policy.search.time_limit == 60
    assert policy.release.format is Format.PARQUET
    assert policy.base == str(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_policy(tmp_path):
    assert read_policy(text(tmp_path, "\ufeff" + GOOD)).source.path == "adult.csv"


def test_windows_line_ends_keep_the_lines(tmp_path):
    path = text(tmp_path, GOOD.replace("{k: 5}", "{k: 0}").replace("\n", "\r\n").encode())
    assert faults(path) == [("privacy.k", 13)]


def test_names_that_yaml_reads_as_something_else_stay_names():
    names = ["on", "no", "null", "1", "1.5", "2020-01-01", "~", "true", "row ", "a.b", "{{ x }}"]
    lines = "".join(f"  {n!r}: {{role: insensitive}}\n" for n in names)
    document = GOOD.replace("  disease:", lines + "  disease:")
    loaded = yaml.safe_load(document)
    policy = read_policy(loaded)
    assert set(names) <= {c.name for c in policy.columns}


def test_bare_names_stay_what_was_written(tmp_path):
    names = ["on", "no", "null", "1", "0x1F", "1.50", "2020-01-01", "true", "012"]
    lines = "".join(f"  {n}: {{role: insensitive}}\n" for n in names)
    policy = read_policy(text(tmp_path, GOOD.replace("  disease:", lines + "  disease:")))
    assert set(names) <= {c.name for c in policy.columns}


@pytest.mark.parametrize(
    ("given_", "rows", "share"),
    [
        (0, 0, None),
        (12, 12, None),
        ("12", 12, None),
        (" 7 ", 7, None),
        ("0%", None, Fraction(0)),
        ("4%", None, Fraction(1, 25)),
        ("4 %", None, Fraction(1, 25)),
        ("0.1%", None, Fraction(1, 1000)),
        ("33.333%", None, Fraction(33333, 100000)),
        ("100%", None, Fraction(1)),
    ],
)
def test_suppression_is_rows_or_a_share(given_, rows, share):
    suppression = suppression_from(given_)
    assert (suppression.rows, suppression.share) == (rows, share)


@pytest.mark.parametrize(
    "given_",
    [-1, "-1", "101%", "100.0001%", "-1%", 0.04, True, None, [], {}, "", "%", "1e2%", "٤%", "4%%"],
)
def test_other_suppression_is_a_fault(given_):
    with pytest.raises(Wrong):
        suppression_from(given_)


@pytest.mark.parametrize(
    ("share", "rows", "limit"),
    [("1%", 99, 0), ("1%", 199, 1), ("0.1%", 30162, 30), ("33.3%", 1000, 333), ("29%", 100, 29)],
)
def test_a_share_is_rounded_down_exactly(share, rows, limit):
    assert suppression_from(share).limit(rows) == limit


@pytest.mark.parametrize(
    ("given_", "path", "table"),
    [
        ("adult.csv", "adult.csv", None),
        ("a/b", "a/b", None),
        ("x.CSV.GZ", "x.CSV.GZ", None),
        ("data/*.parquet", "data/*.parquet", None),
        ("part-?", "part-?", None),
        ("s3://bucket/a.parquet", "s3://bucket/a.parquet", None),
        ("people", None, "people"),
        ("main.people", None, "main.people"),
        ("csv", None, "csv"),
        ("my csv", None, "my csv"),
    ],
)
def test_a_source_is_a_path_or_a_table(given_, path, table):
    source = source_from_text(given_)
    assert (source.path, source.table) == (path, table)


@pytest.mark.parametrize(
    ("given_", "format_"),
    [
        ("a.parquet", Format.PARQUET),
        ("A.PARQUET", Format.PARQUET),
        ("a.csv", Format.CSV),
        ("a.csv.gz", Format.CSV),
        ("a", Format.TABLE),
        ("a.b", Format.TABLE),
    ],
)
def test_a_destination_is_told_by_its_ending(given_, format_):
    assert destination_from_text(given_).format is format_


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [
        ("60s", 60),
        ("500ms", 0.5),
        ("5m", 300),
        ("1h", 3600),
        ("1.5h", 5400),
        ("7", 7),
        (3, 3),
        (0.5, 0.5),
    ],
)
def test_durations_are_read(duration, seconds):
    assert read_policy(with_(search={"time_limit": duration})).search.time_limit == seconds


@pytest.mark.parametrize(
    "duration", ["", "0", 0, -1, "-1s", "1d", "s", True, None, [], "1 2", 10**400]
)
def test_other_durations_are_faults(duration):
    assert faults(with_(search={"time_limit": duration})) == [("search.time_limit", None)]


@pytest.mark.parametrize(
    ("entry", "order"),
    [
        ({"order": "number"}, OrderKind.NUMBER),
        ({"order": "number", "snap": 2.5}, Steps(Decimal("2.5"))),
        ({"order": "number", "snap": 1000}, Steps(Decimal(1000))),
        ({"order": "date"}, Dates(DateUnit.MONTH)),
        ({"order": "date", "snap": "quarter"}, Dates(DateUnit.QUARTER)),
    ],
)
def test_orders_are_read_with_their_units(entry, order):
    policy = read_policy(with_column(role="quasi", hierarchy="suppress", **entry))
    assert policy.quasi[1].order == order


@pytest.mark.parametrize(
    ("order", "snap"),
    [("number", "day"), ("date", 5), ("text", 5), (["x"], "day"), (None, 5), ("number", math.inf)],
)
def test_units_of_another_order_are_faults(order, snap):
    ordered = {} if order is None else {"order": order}
    found = faults(with_column(role="quasi", hierarchy="suppress", snap=snap, **ordered))
    assert found == [("columns.c.snap", None)]


def with_three(**search):
    quasi = {"role": "quasi", "hierarchy": "suppress"}
    columns = {**dict.fromkeys(("a", "b", "c"), quasi), "s": {"role": "sensitive"}}
    return with_(columns=columns, search=search)


def test_the_options_of_the_greedy_and_of_mu_argus_are_read():
    search = read_policy(
        with_three(algorithm="greedy", order=["c", "a"], per="record")
    ).search.options
    assert (search.order, search.per) == (("c", "a"), Per.RECORD)
    sets = {"more": "b", "most": ["c"]}
    told = with_three(
        algorithm="mu_argus", sets=sets, generalize={"c": 0, "a": 1}, repair="records"
    )
    search = read_policy(told).search.options
    assert search.sets == Identifying(("a",), ("b",), ("c",))
    assert search.generalize == (("a", 1), ("c", 0))
    assert search.repair is Repair.RECORDS
    plain = read_policy(with_three(algorithm="mu_argus")).search.options
    assert (plain.sets, plain.generalize, plain.repair) == (None, (), Repair.NONE)


@pytest.mark.parametrize(
    ("search", "where"),
    [
        ({"order": ["s"]}, "search.order[0]"),
        ({"order": ["a", "a"]}, "search.order[1]"),
        ({"order": "d"}, "search.order"),
        ({"sets": {"most": ["s"]}}, "search.sets.most[0]"),
        ({"sets": {"more": ["a"], "most": ["a"]}}, "search.sets"),
        ({"sets": {"identifying": ["a"]}}, "search.sets"),
        ({"generalize": {"s": 1}}, "search.generalize.s"),
        ({"generalize": {"a": "1"}}, "search.generalize.a"),
    ],
)
def test_what_names_no_quasi_identifier_is_a_fault(search, where):
    algorithm = "greedy" if "order" in search else "mu_argus"
    assert faults(with_three(algorithm=algorithm, **search)) == [(where, None)]


@pytest.mark.parametrize("algorithm", ["datafly", "mu_argus"])
def test_what_recodes_by_itself_takes_no_other_recoding(algorithm):
    search = {"algorithm": algorithm, "recoding": "local"}
    assert faults(with_three(**search)) == [("search.recoding", None)]


@pytest.mark.parametrize("option", ["order", "per", "sets", "generalize", "repair"])
def test_an_option_of_another_algorithm_is_a_fault(option):
    value = {"order": ["a"], "per": "record", "sets": {"most": ["a"]}, "generalize": {"a": 1},
             "repair": "records"}[option]  # fmt: skip
    assert faults(with_three(**{option: value})) == [(f"search.{option}", None)]


def test_search_options_go_with_what_they_belong_to():
    good = {"algorithm": "samarati", "preference": "minimum_suppression", "metric": "entropy"}
    search = read_policy(with_(search={**good, "suppressed": "counted"})).search
    assert search.algorithm is Algorithm.SAMARATI
    assert search.options.preference is Preference.SUPPRESSION
    assert search.count_suppressed
    assert faults(with_(search={"aggregate": "sum", "metric": "height"}))
    assert faults(with_(search={"suppressed": "counted", "metric": "loss"}))
    assert faults(with_(search={"preference": "minimum_suppression"}))
    for algorithm in ("samarati", "mingen"):
        search = {"algorithm": algorithm, "preference": "maximum_distribution"}
        assert (
            read_policy(with_(search=search)).search.options.preference is Preference.DISTRIBUTION
        )
    among = {"among": "all_minimal"}
    assert read_policy(with_(search={"algorithm": "samarati", **among})).search.options.among
    assert faults(with_(search={"algorithm": "mingen", **among}))
    assert faults(with_(search=among))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"version": None}, "version"),
        ({"version": "1"}, "version"),
        ({"source": None}, "source"),
        ({"source": ""}, "source"),
        ({"source": 5}, "source"),
        ({"source": {"path": "a", "delimiter": 5}}, "source.delimiter"),
        ({"source": {"table": "a", "delimiter": ";"}}, "source.delimiter"),
        ({"source": {"table": "a", "skip": 1}}, "source.skip"),
        ({"source": {"path": "a", "skip": -1}}, "source.skip"),
        ({"entity": None}, "entity"),
        ({"entity": "a"}, "entity"),
        ({"entity": "z"}, "entity"),
        ({"entity": 1}, "entity"),
        ({"columns": None}, "columns"),
        ({"columns": []}, "columns"),
        ({"columns": {}}, "columns"),
        ({"privacy": {"l": 2}}, "privacy.l"),
        ({"privacy": [{}]}, "privacy[0]"),
        ({"privacy": [5]}, "privacy[0]"),
        ({"privacy": {"distinct_l": {"column": "b"}}}, "privacy.distinct_l"),
        ({"privacy": {"distinct_l": {"column": "a", "l": 2}}}, "privacy.distinct_l.column"),
        ({"privacy": {"distinct_l": {"column": "z", "l": 2}}}, "privacy.distinct_l.column"),
        ({"privacy": {"distinct_l": {"column": "b", "l": 0}}}, "privacy.distinct_l.l"),
        ({"database": 5}, "database"),
        ({"database": "sc://head/;token=abc"}, "database"),
        ({"nulls": "maybe"}, "nulls"),
        ({"sensitive_nulls": "maybe"}, "sensitive_nulls"),
        ({"release": ""}, "release"),
        ({"release": {"table": "a", "partition_by": "b"}}, "release.partition_by"),
        ({"release": {"parquet": "a", "partition_by": "z"}}, "release.partition_by"),
        ({"release": {"csv": "a", "row_group_rows": 5}}, "release.row_group_rows"),
        ({"release": "s3://key:secret@a/b.parquet"}, "release"),
        ({"source": {"path": "s3://key:secret@a/b.parquet"}}, "source.path"),
        ({"release": {"csv": "a", "view": True}}, "release.view"),
        ({"attach": {"temp": "a.duckdb"}}, "attach.temp"),
        ({"attach": {"a": "postgresql:///x"}}, "attach.a"),
        ({"release": {"in_place": True}}, "release"),
        (
            {
                "source": {"table": "t", "where": "a = 1"},
                "release": {"in_place": True, "drop_original": True},
            },
            "release",
        ),
        ({"source": "a.csv", "release": {"in_place": True, "drop_original": True}}, "release"),
        ({"release": {"in_place": True, "drop_original": False}}, "release.drop_original"),
        ({"release": {"in_place": True, "keep_original": "a", "accept": [5]}}, "release.accept[0]"),
        ({"search": "fast"}, "search"),
        ({"search": {"metric": 5}}, "search.metric"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_fault_is_told_where_it_stands(change, where):
    assert where in [w for w, _ in faults(with_(**change))]


def test_columns_without_a_quasi_identifier_are_the_only_fault():
    """The entity is among them, and its own entry has no fault."""
    columns = {"a": {"role": "identifying", "action": "drop"}, "b": {"role": "sensitive"}}
    assert [w for w, _ in faults(with_(entity="a", columns=columns))] == ["columns"]


def test_a_policy_that_does_not_accept_linkable_rows_keeps_the_hash_of_its_old_plans():
    """The hash was recorded before policies knew that key."""
    hashed = {"role": "identifying", "action": "hash", "key_env": "KEY"}
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}, "n": hashed}
    recorded = "1c5f8c11c34f057cbdf17c20aaa2889930a4ae52f8d63015bf604e91dde63107"
    assert read_policy(with_(columns=columns)).digest == recorded
    columns["n"] = {**hashed, "linkable": "accept"}
    assert read_policy(with_(columns=columns)).digest != recorded


@pytest.mark.parametrize(
    "entry",
    [
        {"role": "sensitive", "hierarchy": "suppress"},
        {"role": "insensitive", "action": "drop"},
        {"role": "quasi", "hierarchy": "suppress", "action": "drop"},
        {"role": "quasi", "hierarchy": "suppress", "output": "bounds"},
        {"role": "identifying", "action": "drop", "key_env": "KEY"},
        {"role": "identifying", "action": "drop", "linkable": "accept"},
        {"role": "identifying", "action": "hash", "key_env": "KEY", "linkable": "yes"},
        {"role": "identifying", "action": "hash"},
        {"role": "identifying", "action": "shred"},
        {"role": ["quasi", "sensitive"], "hierarchy": "suppress"},
        {"role": None},
        {},
    ],
)
def test_an_entry_that_has_no_meaning_is_a_fault(entry):
    assert faults(with_column(**entry))


def test_bounds_go_with_intervals():
    entry = {"role": "quasi", "hierarchy": {"intervals": [5]}, "output": "bounds"}
    assert read_policy(with_column(**entry)).columns[1].output.bounded
    assert read_policy(with_column(**entry)).columns[1].hierarchy.widths == (Decimal(5),)


def test_the_digest_tells_policies_apart_but_not_places():
    first = read_policy(with_())
    assert first.digest == read_policy(with_(release="x.csv")).digest
    assert first.digest == read_policy(with_(source="u")).digest
    changes = ({"privacy": {"k": 3}}, {"suppression": 1}, {"nulls": "refuse"},
               {"search": {"metric": "height"}}, {"entity": {"signature": "b"}})  # fmt: skip
    digests = {read_policy(with_(**c)).digest for c in changes} | {first.digest}
    assert len(digests) == len(changes) + 1
    filtered = [with_(source={"table": "t", "where": text}) for text in ("a = 1", "a = 2")]
    assert len({read_policy(each).digest for each in filtered} | {first.digest}) == 3


def test_a_policy_that_does_not_say_what_came_later_keeps_its_hash():
    """Plans hold it: that of distinct l was the same before a policy could say what NULL is."""
    said = {
        "columns": {"a": {"role": "quasi", "hierarchy": "suppress"}, "d": {"role": "sensitive"}},
        "privacy": [{"k": 2}, {"distinct_l": {"column": "d", "l": 2}}],
        "entity": "row",
        "source": "t",
        "version": 1,
    }
    was = "3fbc790614994a00fb058978386228fc17703f8a0e2ae6e0b864a63cb67c2a0f"
    assert read_policy(said).digest == was
    assert read_policy({**said, "sensitive_nulls": "not_counted"}).digest == was
    assert read_policy({**said, "sensitive_nulls": "value"}).digest != was


def test_a_set_of_quasi_identifiers_stands_in_the_policy_s_order():
    quasi = {name: {"role": "quasi", "hierarchy": "suppress"} for name in "abc"}
    privacy = [{"k": 5}, {"k": 9, "over": ["c", "a", "c"]}, {"k": 7, "over": ["c", "b", "a"]}]
    policy = read_policy(with_(columns=quasi, privacy=privacy))
    assert list(map(str, policy.privacy)) == ["5-anonymity", "9-anonymity over a, c", "7-anonymity"]
    assert [(d.columns, d.class_size) for d in demands(policy.privacy)] == [
        ((), 7),
        (("a", "c"), 9),
    ]
    assert overridden(policy, {"k": 2}).privacy == (KAnonymity(2), Over(KAnonymity(9), ("a", "c")))


def test_every_fault_of_a_privacy_entry_is_listed():
    entry = {"k": 0, "distinct_l": {"column": "nothing", "l": 2}, "over": ["z"], "t_closness": 1}
    paths = {where for where, _ in faults(with_(privacy=entry))}
    assert {
        "privacy.k",
        "privacy.distinct_l.column",
        "privacy.over[0]",
        "privacy.t_closness",
    } <= paths


BESIDE = {"distinct_l": {"column": "s", "l": 2, "beside": "others"}}
SENSITIVE = {name: {"role": "sensitive"} for name in ("r", "s", "t")}


def of_several(**changes):
    quasi = {"role": "quasi", "hierarchy": "suppress"}
    columns = {"a": quasi, "c": quasi, **SENSITIVE}
    return with_(**{"columns": columns, **changes})


def test_a_model_beside_others_is_over_all_quasi_identifiers_and_them():
    own, of_first = read_policy(of_several(privacy=[BESIDE, {**BESIDE, "over": "c"}])).privacy
    assert (own.columns, own.beside) == (("a", "c", "r", "t"), ("r", "t"))
    assert str(own) == "distinct 2-diversity of s over a, c, r, t"
    assert (of_first.columns, of_first.beside) == (("c", "r", "t"), ("r", "t"))


@pytest.mark.parametrize(
    ("changes", "where", "words"),
    [
        ({"privacy": {"distinct_l": {"column": "s", "l": 2, "beside": "r"}}}, "beside", "one of others"),
        ({"privacy": BESIDE, "search": {"metric": "discernibility"}}, "search.metric", "beside"),
        ({"privacy": BESIDE, "search": {"algorithm": "mondrian"}}, "search.algorithm", "with beside: others"),
        ({"privacy": BESIDE, "search": {"recoding": "local"}}, "search.recoding", "remove beside:"),
        ({"privacy": {"k": 2, "beside": "others"}}, "privacy.beside", "unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_beside_others_is_a_fault(changes, where, words):
    with pytest.raises(PolicyError) as caught:
        read_policy(of_several(**changes))
    assert any(where in each.where and words in each.what for each in caught.value.faults)


def test_one_sensitive_column_has_no_others():
    columns = {"a": {"role": "quasi", "hierarchy": "suppress"}, "s": {"role": "sensitive"}}
    with pytest.raises(PolicyError, match=r"distinct_l\.beside: .*no other sensitive one"):
        read_policy(of_several(columns=columns, privacy=BESIDE))


@pytest.mark.parametrize("over", ["z", ["a", "z"], "b", [["a"]], None])
def test_a_set_of_other_columns_is_a_fault(over):
    assert [where for where, _ in faults(with_(privacy={"k": 2, "over": over}))]


def test_a_source_that_is_given_may_still_say_which_rows():
    policy = read_policy(with_(source={"where": "a = 1"}), has_source=False)
    assert policy.source.where == "a = 1"
    assert overridden(policy, {"source": "x.csv"}).source.where == "a = 1"


@pytest.mark.parametrize(
    "content",
    [
        "a: &a [*a]\n",
        "&a {b: *a}\n",
        "[" * 5000,
        "{a: " * 5000,
        GOOD.replace("5, 10, 20", "1, " + "9" * 60),
        GOOD.replace("5, 10, 20", "0.1, 1.0e+99"),
        GOOD.replace("5, 10, 20", "1.0e-99999999"),
        GOOD.replace("5, 10, 20", "0x" + "f" * 5000),
        GOOD.replace("4%", "'" + "1" * 5000 + "'"),
        GOOD.replace("60s", "1" + "0" * 400),
        GOOD.replace("{k: 5}", "{k: !!int ''}"),
        GOOD.replace("{k: 5}", "{k: !!bool maybe}"),
        GOOD.replace("{k: 5}", "{k: !!int '-'}"),
        GOOD.replace("{k: 5}", "{k: !!python/object:os.system 1}"),
        GOOD.replace("{k: 5}", "{k: !!binary aaa}"),
        GOOD.replace("5, 10, 20", ".inf"),
        GOOD.replace("5, 10, 20", ".nan, !!float x"),
    ],
    ids=["list of itself", "mapping of itself", "deep list", "deep mapping", "wide width",
         "far widths", "tiny width", "long width", "long MaxSup", "long time", "empty int",
         "odd bool", "odd int", "object", "binary", "inf", "odd float"],
)  # fmt: skip
def test_odd_yaml_is_a_policy_error(tmp_path, content):
    with pytest.raises(PolicyError):
        read_policy(text(tmp_path, content))


@examples(200)
@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.binary()))
def test_any_policy_text_gives_a_policy_or_a_policy_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any-policy.yml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(errors="replace"))
    with contextlib.suppress(PolicyError):
        read_policy(path)


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), WORDS, st.decimals(), st.binary(),
    st.dates(),
)  # fmt: skip
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(WORDS, v, max_size=4), max_leaves=12
)


@examples(200)
@given(
    st.dictionaries(
        st.sampled_from(["source", "entity", "columns", "privacy", "suppression", "nulls", "sensitive_nulls", "search",
                         "release", "database", "version"]),
        VALUES,
    )
)  # fmt: skip
def test_any_change_of_a_policy_gives_a_policy_or_a_policy_error(changes):
    with contextlib.suppress(PolicyError):
        read_policy({**with_(), **changes})


@examples(200)
@given(VALUES)
def test_any_hierarchy_gives_a_policy_or_a_policy_error(value):
    try:
        policy = read_policy(with_column(role="quasi", hierarchy=value))
    except PolicyError:
        return
    assert policy.digest


@pytest.mark.parametrize(("bad", "told"), [("\x00", "a NUL"), ("\ud800", "half a character")])
def test_text_that_no_database_takes_is_a_fault_wherever_it_stands(tmp_path, bad, told):
    tree = {"role": "quasi", "hierarchy": {"tree": {"*": [f"a{bad}", "b"]}}}
    masked = {"role": "quasi", "hierarchy": {"mask": 5}}
    for changes, where in (
        ({"source": f"a{bad}.csv"}, "source"),
        ({"release": {"table": f"t{bad}"}}, "release.table"),
        ({"database": f"{bad}"}, "database"),
        (
            {"columns": {"age": tree, "disease": {"role": "sensitive"}}},
            "columns.age.hierarchy.tree",
        ),
        ({"columns": {f"a{bad}": masked, "disease": {"role": "sensitive"}}}, "columns"),
        ({"attach": {f"a{bad}": "x.duckdb"}}, "attach"),
    ):
        for way in (policy := with_(**changes), tmp_path / "policy.yml"):
            if way is not policy:  # YAML may escape such a character, though not hold it
                way.write_text(json.dumps(policy, indent=1), encoding="utf-8")
            with pytest.raises(PolicyError) as caught:
                read_policy(way)
            (fault, *_) = [each for each in caught.value.faults if told in each.what]
            assert fault.where == where
            assert (fault.line is None) == (way is policy)
            str(caught.value).encode()


@pytest.mark.parametrize(
    ("override", "entry"),
    [
        ({"k": 9}, "privacy"),
        ({"frequency_set": "f.csv"}, "source"),
        ({"metric": "entropy"}, "search"),
    ],
)
@pytest.mark.parametrize("privacy", ["{k: 5}", "[{k: 5}]"])
def test_a_fault_of_what_an_override_replaces_is_at_no_line_of_the_policy(
    tmp_path, override, entry, privacy
):
    file = tmp_path / "p.yml"
    text = f"version: 1\nsource: p.csv\nentity: row\ncolumns: {{a: {{role: quasi, hierarchy: suppress}}}}\nprivacy: {privacy}\n"
    file.write_text(f"{text}suppression: 0\nsearch: {{metric: loss}}\n")
    before = read_policy(file)
    after = overridden(before, override)
    lines = {"source": 2, "privacy": 5, "suppression": 6, "search": 7}
    inner = "privacy[0].k" if privacy.startswith("[") else "privacy.k"
    for each, line in lines.items():
        assert before.fault(each, "").line == line
        assert after.fault(each, "").line == (None if each == entry else line)
    assert after.fault(inner, "").line == (None if entry == "privacy" else 5)
