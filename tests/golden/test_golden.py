"""Every statement as recorded, as a parser reads it, and as DuckDB runs it.

The cases stand in the order of a run and build on each other: one small table with names that no
careless quoting survives goes the whole path. KANON_UPDATE_GOLDEN=1 rewrites the recorded files;
review their diff as code.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain, count
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import duckdb
import pytest
import series_cases
import sqlglot
from candidates import PythonGraphs
from offenders import offenders
from sqlglot import exp

from kanon_sql.apps.explorer.node_figures import count_released_labels, example_classes_of_node
from kanon_sql.apps.getting_started import (
    column_profiles,
    following_columns,
    init_source,
    missing_codes,
    written_columns,
)
from kanon_sql.apps.getting_started.date_forms import date_shapes
from kanon_sql.apps.getting_started.trial import trial_rows
from kanon_sql.apps.getting_started.written_columns import number_shapes
from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.protected_events import SharedEvents
from kanon_sql.apps.schema.schema_policy import ColumnOf, Fold, KeyDomain
from kanon_sql.base.sql.quoting import column as column_of
from kanon_sql.base.sql.quoting import condition, literal, table
from kanon_sql.base.sql.quoting import name as quote_name
from kanon_sql.base.sql.templates import Statement, template_root
from kanon_sql.counting.hierarchies import together, value_axes
from kanon_sql.counting.hierarchies.mapping import Mapped
from kanon_sql.counting.hierarchies.together import OneHierarchy
from kanon_sql.counting.hierarchies.value_axes import LinePaths
from kanon_sql.counting.lattice import candidate_graph, smallest_classes
from kanon_sql.counting.lattice.candidate_graph import Coding, PartialNode
from kanon_sql.counting.lattice.counting_sql import CodedPopulation, Counting
from kanon_sql.counting.lattice.encode import QuasiTables, frequency_set
from kanon_sql.counting.lattice.smallest_classes import Items, LookedUp, Rank, kept_labels, numbers
from kanon_sql.counting.lattice.value_counters import (
    CountedValues,
    ValueCounters,
    counted_values,
    rows_of_codes,
)
from kanon_sql.counting.plans.shown_plan import Form, TextType
from kanon_sql.counting.source import exposed_rows, lineage, person_keys, released_types
from kanon_sql.counting.source import files as library_files
from kanon_sql.counting.source.exposed_rows import (
    count_lengths,
    masked_rows,
    tabulated_hashes,
    tabulated_rounds,
)
from kanon_sql.counting.source.text_files import (
    ReadColumn,
    count_missing_entries,
    count_unparsed,
    read_texts,
    texts_query,
)
from kanon_sql.engines import commands_sql, in_place_sql
from kanon_sql.engines import commands_sql as pseudonym_keys_sql
from kanon_sql.engines.base import ColumnType
from kanon_sql.engines.commands_sql import command, drop_table, drop_view
from kanon_sql.engines.destination_format import ColumnInFile
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.engines.locations import Compression, Destination, Format, Source
from kanon_sql.engines.source import source_sql
from kanon_sql.evidence.attacks import attacks_sql, column_sets
from kanon_sql.evidence.attacks.attacks_sql import (
    InferredValues,
    LinkedTables,
    Members,
    ReleaseTables,
)
from kanon_sql.evidence.certificate import certified_parts
from kanon_sql.evidence.certificate.certified_parts import ClaimedRelease
from kanon_sql.evidence.certificate.claims import Claim, Kind
from kanon_sql.evidence.explanation import explain_regions
from kanon_sql.evidence.release_quality import (
    beside_source,
    coded_pairs,
    small_tables,
)
from kanon_sql.evidence.release_quality.beside_source import Predicate
from kanon_sql.evidence.release_quality.two_columns import number_figures
from kanon_sql.evidence.reports import report_values
from kanon_sql.policy.cut_steps import AnonymityRequirement
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.codes import SCHEMES, CodeHierarchy
from kanon_sql.policy.hierarchies.entries import (
    CsvHierarchy,
    Match,
    Rule,
    TableHierarchy,
    TreeHierarchy,
)
from kanon_sql.policy.hierarchies.labels_sql import (
    Released,
    ReleasedRegions,
    SourceRows,
    joins,
    quasi_columns,
    release_map,
)
from kanon_sql.policy.hierarchies.mapping_sql import NullCode, Packing, Segment
from kanon_sql.policy.hierarchies.order import Dates, Listed, OrderKind, Steps
from kanon_sql.policy.hierarchies.specs import (
    DateHierarchy,
    DateUnit,
    Hierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    SuppressHierarchy,
)
from kanon_sql.policy.mask import CELLS
from kanon_sql.policy.masks import (
    HASH,
    NULL,
    BucketMask,
    ConstantMask,
    ExpressionMask,
    FakeMask,
    FormatMask,
    KeyNumberMask,
    NoiseMask,
    PartialMask,
    RedactMask,
    RoundMask,
    ShiftDateMask,
    ShuffleMask,
    TruncateMask,
)  # fmt: skip
from kanon_sql.policy.metrics.node import Joint, Lattice, Node
from kanon_sql.policy.model import Column, Nulls, Policy, Role, Suppression
from kanon_sql.policy.outputs import OUTPUTS
from kanon_sql.policy.privacy import protect_items
from kanon_sql.policy.privacy.candidates_sql import compatible, fewest_candidates, verify_candidates
from kanon_sql.policy.privacy.closeness import (
    BetaLikeness,
    DeltaDisclosure,
    GroundDistance,
    TCloseness,
)
from kanon_sql.policy.privacy.demands import (
    AT_ALL,
    Over,
    demands,
    joint_demands,
    requirements,
    requirements_of_release,
    requirements_unsuppressed,
)
from kanon_sql.policy.privacy.fitting_sql import (
    ClassPopulation,
    TableValues,
    ValueNodes,
    first_steps,
    order_leaves,
    table_values,
    value_nodes,
    whole,
)
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import (
    Alpha,
    DistinctDiversity,
    DistinctValues,
    EntropyDiversity,
    RecursiveDiversity,
)
from kanon_sql.policy.privacy.populations import DeltaPresence, KMap
from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute, SensitiveNulls
from kanon_sql.policy.privacy.table_models import AverageRisk, SampleUniqueness
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.policy.search_options import Choose, Width
from kanon_sql.policy.text_formats import DateFormat, NumberFormat
from kanon_sql.recoding import label_codes, linked_rows, rare_bounds, second_look, staging_sql
from kanon_sql.recoding import measured as risk_sql
from kanon_sql.recoding.class_values_sql import values_of_classes
from kanon_sql.recoding.counted_classes import class_rows, counted_classes
from kanon_sql.recoding.multi_node import released_classes
from kanon_sql.recoding.multi_node.released_classes import CellSuppression, ClassLabels
from kanon_sql.recoding.multidimensional import (
    assign_regions,
    kept_cut,
    region_cuts_sql,
    runs,
    runs_sql,
)
from kanon_sql.recoding.multidimensional import regions_sql as cutting_by
from kanon_sql.recoding.multidimensional.apportioned_values import (
    Apportioned,
    ApportionedPairs,
    columns_with_values,
    leave_out_rare,
    rows_of_rare,
    shown_values,
)
from kanon_sql.recoding.multidimensional.regions_sql import (
    STEPS,
    LineAxis,
    LineCut,
    LinedRows,
    LineOrder,
    Regions,
    TreeAxis,
)
from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels as Sides
from kanon_sql.recoding.multidimensional.regions_sql import ReleasedValues as Shown
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.recount import (
    class_sizes,
    count_sizes,
    recount_statement,
    short_rows,
    unique_sets,
    with_sizes,
)
from kanon_sql.recoding.second_look import example_classes, example_label
from kanon_sql.recoding.single_dimensional import (
    bottom_up,
    column_cuts,
    cut_scores,
    heads,
    top_down,
)
from kanon_sql.recoding.single_dimensional.cut_scores import TupleSource
from kanon_sql.recoding.single_dimensional.heads import Alphabet, HeadStatements
from kanon_sql.recoding.single_dimensional.top_down import Piece
from kanon_sql.release import add_partition, label_key
from kanon_sql.release.clean import counting as frequency_query_of
from kanon_sql.release.protected_lists import draw_cells
from kanon_sql.release.warehouse_sql import WAREHOUSES, Entries, WarehouseColumn
from kanon_sql.release.warehouse_sql import release as warehouse_release
from kanon_sql.release.warehouse_sql import rule as warehouse_rule
from tests.golden import recorded

GROWN = Coding(Lattice((1, 1, 2)))
SECRET = b"a key of the test's own, longer than a block of SHA-256, which is 64 bytes long"

SEX, ZIP, AGE, JOB = 'se"x', "zip; --", "age\nof 👩", "SELECT"
WHO, NAME, SSN, STREET = "who", "na'me", "s.s.n", "street"
DISEASE, WARD, VISIT = "dis'ease", "ward 🏥", "vis.it"
COLUMNS = [WHO, NAME, SSN, STREET, SEX, ZIP, AGE, JOB, DISEASE, WARD, VISIT]
ROWS = [
    ["w1", "Ann", "1", "a", "F", "021", "31", "nurse", "flu", "A", "1969-07-20"],
    ["w2", "Bob", "2", "b", "M", "021", "34", "nurse", "flu", "A", "2024-02-29"],
    ["w3", 'C"y', "3", "c", "F", "022", "38", "cook", "o'pox", "B", "2024-12-30"],
    ["w4", "Dee", "4", "d", "F", "022", "39", "cook", "flu", None, "2024-12-31"],
    ["w5", "Eve", "5", "e", "M", "115", "59", "clerk", None, "B", "1899-01-01"],
    ["w6", None, "6", "f", "M", "115", "61", "clerk", "gout", "B", None],
    ["w6", "Gus", "7", "g", "M", "115", "88", "clerk", "gout", "A", "2000-01-01"],
    ["w7", "Hal", "8", "h", None, "987", "4", None, "flu", "A", "2001-01-01"],
]
JOBS = "nurse;care;*\ncook;food;*\nclerk;office;*\n"

LABELS, _, NODE, SETS, BOUNDS, MEAN, MEDIAN, _, REPRESENTATIVE = OUTPUTS
AGES = IntervalHierarchy((Decimal(10), Decimal(30)), top=Decimal(60))
FINE = IntervalHierarchy((Decimal("2.5"),), Decimal("0.5"), Decimal("-1.5"), Decimal("60.25"))
SCHEMED = {f"code_{each}": (ZIP, CodeHierarchy(each)) for each in ("us_zip", "nace")}
SEXES = TreeHierarchy((("F", "person"), ("M", "person")))
QUASI = [
    Column(SEX, Role.QUASI, SEXES),
    Column(ZIP, Role.QUASI, MaskHierarchy(3, (1, 3), "#")),
    Column(AGE, Role.QUASI, AGES, BOUNDS),
    Column(JOB, Role.QUASI, CsvHierarchy("jo'bs.csv")),
]
TOPS = (1, 2, 3, 2)
SIBLINGS = [[2, 0], [1, 2, 0], [3, 1, 2, 0], [0, 3, 0]]
"""What `statistics` must find; see the test of that name."""

POLICY = Policy(
    Source(path="people.csv"),
    entity=WHO,
    columns=(
        Column(WHO, Role.IDENTIFYING),
        Column(NAME, Role.IDENTIFYING, action=HASH, key_env="KANON_TEST_KEY"),
        Column(SSN, Role.IDENTIFYING, action=NULL),
        Column(STREET, Role.IDENTIFYING),
        *QUASI,
        Column(DISEASE, Role.SENSITIVE),
        Column(WARD, Role.SENSITIVE),
        Column(VISIT, Role.INSENSITIVE),
    ),
    privacy=(
        KAnonymity(2),
        DistinctDiversity(DISEASE, 2),
        DistinctDiversity(WARD, 1, nulls=SensitiveNulls.VALUE),
    ),
    suppression=Suppression(rows=3),
)
SPREAD = (SensitiveAttribute(DISEASE), SensitiveAttribute(WARD, SensitiveNulls.VALUE))
LEVELS = (1, 1, 2, 2)
PACKING = Packing(
    TOPS,
    (
        Segment(quasi=0, level=0, key=0, shift=0, bits=2),
        Segment(quasi=1, level=0, key=0, shift=2, bits=1),
        Segment(quasi=1, level=1, key=0, shift=3, bits=2),
        Segment(quasi=2, level=0, key=0, shift=5, bits=2),
        Segment(quasi=2, level=1, key=1, shift=0, bits=1),
        Segment(quasi=2, level=2, key=1, shift=1, bits=2),
        Segment(quasi=3, level=1, key=1, shift=3, bits=2),
    ),
)
"""Two keys, and a column that lies across both."""
ROWWISE = Counting.of(PACKING, requirements((KAnonymity(2),)), entity=False)
DIVERSE = Counting.of(PACKING, requirements(POLICY.privacy[1:2]), entity=False)
PEOPLE = Counting.of(PACKING, requirements(POLICY.privacy), entity=True)


SIGNED = Counting.of(PACKING, requirements(POLICY.privacy), entity=True, signature=True)
WEIGHED = Counting.of(
    PACKING,
    requirements(
        (
            KAnonymity(2),
            TCloseness(DISEASE, Decimal("0.25")),
            TCloseness(WARD, Decimal("0.5"), nulls=SensitiveNulls.VALUE),
        )
    ),
    entity=True,
)
LISTED = Listed(("it's", "ward \\; DROP TABLE x", "ünï"))
RANKED = Counting.of(
    PACKING,
    requirements(
        (
            EntropyDiversity(DISEASE, Decimal(2)),
            RecursiveDiversity(DISEASE, Fraction(9, 4), 2),
            Alpha(DISEASE, Decimal("0.75")),
            BetaLikeness(DISEASE, Decimal(2), enhanced=True),
            DeltaDisclosure(DISEASE, Decimal("1.5")),
            TCloseness(
                WARD,
                Decimal("0.5"),
                GroundDistance.ORDERED,
                order=LISTED,
                nulls=SensitiveNulls.VALUE,
            ),
        )
    ),
    entity=False,
)
WEIGHING = {"weighed": WEIGHED, "ranked": RANKED}
IN_TREE = Counting.of(
    PACKING,
    requirements((KAnonymity(2), TCloseness(DISEASE, Decimal("0.5"), GroundDistance.HIERARCHICAL))),
    entity=False,
)
REGISTER = Source(table="reg'ister")
OF_PEOPLE = (KMap(2, REGISTER), DeltaPresence(Decimal("0.1"), Decimal("0.75"), REGISTER))
COMPARED = Counting.of(
    PACKING,
    requirements(OF_PEOPLE),
    entity=False,
    of_release=requirements_of_release(OF_PEOPLE),
)
SEVERAL = (
    KAnonymity(2),
    Over(DistinctDiversity(DISEASE, 2), (SEX, JOB)),
    Over(KAnonymity(3), (ZIP,)),
)
"""What several sets of quasi-identifiers must reach together."""
JOINT = Counting.of(
    PACKING,
    requirements(SEVERAL),
    entity=True,
    joint=[
        Joint(
            tuple(at for at, q in enumerate(QUASI) if q.name in (d.columns or [q.name])),
            d.requirements,
        )
        for d in joint_demands(SEVERAL)
    ],
)
JOINT_ROWS = Counting.of(
    PACKING,
    requirements((KAnonymity(2),)),
    entity=False,
    joint=[Joint((0, 3), requirements((KAnonymity(3),)))],
)

ORDER = [column.name for column in POLICY.columns]
SOURCE = table("the source; DROP TABLE x")
SET, SET_DIVERSE, SET_PEOPLE, SET_DIVERSE_PEOPLE = (table(f'frequency "set" {n}') for n in range(4))
DOMAINS, PATHS, COMPLETE, MAPS, CODES, RELEASED = (
    [table(f"{what} {column.name}") for column in QUASI]
    for what in ("domain", "paths", "complete", "map", "codes", "released")
)
SPREADS = [table(f"values {name}") for name in (DISEASE, WARD)]
VERDICT = table("verdict; --")
FAILING, STAGED, FAILING_ROWS = table("failing'"), table("staged'"), table("failing rows")
ITEMS, WEIGHTS = table("items"), table("weights")
TUPLES, NODES_OF = table("tup;les"), table("no'des")
NUMBERS = Items({(0, 0): 0, (1, 1): 1, (2, 2): 2, (3, 1): 3})
NODES = [Node((0, 0, 0, 0)), Node(LEVELS), Node(TOPS)]
RELEASES = [
    Released(column, level, top, made)
    for column, level, top, made in zip(QUASI, LEVELS, TOPS, RELEASED, strict=True)
]
NO_NULLS = (ZIP, AGE)
PAIRS = [
    (column.name, codes, column.name not in NO_NULLS)
    for column, codes in zip(QUASI, CODES, strict=True)
]
KNOWN = [replace(released, nulls=released.column.name not in NO_NULLS) for released in RELEASES]
"""What a run joins, which knows where no value is NULL."""


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    statement: Statement
    params: tuple = ()

    def __str__(self):
        return self.name


def table_of_values():
    return table(f"values' counts {next(NUMBERED)}")


NUMBERED = count()


def case(name, statement, params=()):
    assert name.split("-")[0] == statement.name, f"{name} says {statement.name}"
    return Case(name, statement, tuple(params))


def preparing():
    yield case("read_setting", commands_sql.read_setting("TimeZone"))
    yield case("change_setting", commands_sql.change_setting("TimeZone", "UTC"))
    yield case("allow_folders", commands_sql.allow_folders(("/srv/o'ne", "/srv/two")))
    yield case("transaction_number", command("transaction_number"))
    yield case("attach", command("attach", literal("ot'her.duckdb"), quote_name("ot'h\"er")))


def without_header(path):
    named = ["co'lumn_1", "column_2"]
    return source_sql.open_file(table("head less"), path, kind="csv", names=named)


def _masking():
    """Every masking action, of a column that breaks careless quoting."""
    keyed = {"key_env": "KANON_TEST_KEY"}
    masks = [
        ConstantMask("it's"),
        RedactMask(),
        PartialMask(1, 2, "it's"),
        TruncateMask("month"),
        TruncateMask(3),
        RoundMask(Decimal("0.5")),
        BucketMask(Decimal(10)),
        ShiftDateMask(NAME, 30),
        FormatMask(),
        FakeMask("iban", "de"),
        FakeMask("first_name", values=("it's", "o'ther")),
        ExpressionMask(f"TRIM({quote_name(SEX).sql(dialect='duckdb')}) || 'it''s'"),
    ]
    for number, mask in enumerate(masks):
        masked = Column(SEX, Role.INSENSITIVE, action=mask, **(keyed if mask.keyed else {}))
        policy = replace(POLICY, columns=(masked, Column(NAME, Role.IDENTIFYING)))
        columns = [ColumnType(NAME, "VARCHAR"), ColumnType(SEX, "VARCHAR")]
        made = masked_rows(SOURCE, policy, columns)
        made = replace(made, leaves={**made.leaves, "rows": table(f"ma'sked {number}")})
        yield case(f"masked_rows-{mask}_{number}", made)
    format_, rounds = FormatMask(), table("rou'nds")
    masked = Column(SEX, Role.INSENSITIVE, action=format_, **keyed)
    policy = replace(POLICY, columns=(masked, Column(NAME, Role.IDENTIFYING)))
    yield case("count_lengths", count_lengths(SOURCE, SEX))
    yield case("count_integers", person_keys.count_integers(SOURCE, [AGE, SSN], span=64))
    yield case(
        "tabulated_rounds", tabulated_rounds(rounds, masked, format_, [(1, 7, 4), (2, 6, 3)])
    )
    hash_ = Column(SEX, Role.IDENTIFYING, action=HASH, **keyed)
    yield case("tabulated_hashes", tabulated_hashes(table("has'hes"), SOURCE, hash_))
    known = replace(policy, columns=(hash_, Column(NAME, Role.IDENTIFYING)))
    made = masked_rows(SOURCE, known, columns, tabulated={SEX: {0: table("has'hes")}})
    made = replace(made, leaves={**made.leaves, "rows": table("ma'sked by hashes")})
    yield case("masked_rows-hashes", made)
    cells = table("ce'lls")
    yield case(
        "values_to_mask", label_codes.values_to_mask(cells, SOURCE, SEX, column_of(SEX, of="s"))
    )
    made = masked_rows(SOURCE, policy, columns, tabulated={SEX: {CELLS: cells}})
    made = replace(made, leaves={**made.leaves, "rows": table("ma'sked by cells")})
    yield case("masked_rows-cells", made)
    made = masked_rows(SOURCE, policy, columns, tabulated={SEX: dict.fromkeys((1, 2), rounds)})
    made = replace(made, leaves={**made.leaves, "rows": table("ma'sked by rounds")})
    yield case("masked_rows-tabulated", made)
    view = table("se'en masked")
    leaves = {"view": view, "masked": masked_rows(SOURCE, policy, columns)}
    yield case("see_masked", Statement("source/see_masked", leaves))


def drawing():
    """Cells of rows that are drawn by lot, of the numbers of a frequency set."""
    drawn = {"row_count": NoiseMask(Decimal("2.5")), "key_2": ShuffleMask()}
    shown = tuple(Column(each, Role.INSENSITIVE, action=mask) for each, mask in drawn.items())
    columns = [ColumnType(each, "BIGINT") for each in ("key_1", "key_2", "row_count")]
    policy = replace(POLICY, columns=shown)
    own = Column(
        "row_count", Role.IDENTIFYING, action=KeyNumberMask(9, "pa'tient"), key_env="KANON_TEST_KEY"
    )
    made = masked_rows(SET, replace(POLICY, columns=(own,)), [ColumnType("row_count", "BIGINT")])
    made = replace(made, leaves={**made.leaves, "rows": table("ma'sked numbers")})
    yield case("masked_rows-key_numbers", made)
    yield case("draw_cells", draw_cells(table("dra'wn"), SET, policy, columns, ["key_1"]))
    placed = draw_cells(table("pla'ced"), SET, policy, columns, ["key_1"], places_rows=True)
    yield case("draw_cells-places", placed)


def listing():
    """Lists of items, in the order in which a release protects them; each statement reads what those before made."""
    of = {each: table(f"li'st {each}") for each in ("numbered", "cells", "domain", "numbers", "nodes", "rows", "levels", "items", "short", "raised", "after", "staged")}  # fmt: skip
    row, class_, person = (
        column_of(f"kanon_{each}", of="s") for each in ("row", "class", "person")
    )
    shown = {"list": column_of(JOB, of="s"), "separator": literal(";")}
    names = {f"{each}_as": quote_name(f"kanon_{each}") for each in ("row", "class", "person")}
    labels = [column_of(ZIP, of="s")]

    def made(what, **leaves):
        return case(f"{what}", Statement(f"release/lists/{what}", leaves))

    own = {"numbered": of["numbered"], "before": SOURCE, "labels": labels}
    yield made("numbered_rows", **own, person=column_of(WHO, of="s"), **names)
    read = {"row": row, "class": class_, "person": person}
    yield made("item_cells", cells=of["cells"], numbered=of["numbered"], **shown, **read)
    yield case("domain-of_items", mapping_sql.domain(of["domain"], of["cells"], "item"))
    yield made("item_numbers", numbers=of["numbers"], domain=of["domain"])
    yield made("item_nodes", nodes=of["nodes"], numbers=of["numbers"], paths=None, levels=[])
    yield made("item_rows", rows=of["rows"], cells=of["cells"], numbers=of["numbers"])
    yield case("first_levels", protect_items.first_levels(of["levels"], of["rows"]))
    items = protect_items.labelled_items(of["items"], of["rows"], of["levels"], of["nodes"])
    yield case("labelled_items", items)
    for size in (1, 2, 3):
        short = table(f"short; {size}")
        found = protect_items.short_itemsets(short, of["items"], size=size, least=2)
        yield case(f"short_itemsets-{size}", found)
        raised = table(f"raised; {size}")
        chosen = protect_items.labels_to_raise(raised, of["items"], short, size=size)
        yield case(f"labels_to_raise-{size}", chosen)
    after = protect_items.raised_items(of["after"], of["levels"], table("raised; 1"), of["nodes"])
    yield case("raised_items", after)
    columns = [{"from": column_of(each, of="s"), "as": quote_name(each), "list": each == JOB} for each in (ZIP, JOB)]  # fmt: skip
    tables = {each: of[each] for each in ("staged", "numbered", "cells", "numbers", "nodes")}
    yield made(
        "protected_lists",
        **tables,
        levels=of["after"],
        columns=columns,
        row=row,
        separator=literal(";"),
    )
    named = [{"from": labels[0], "as": quote_name("label_0"), "inner": column_of("label_0", of="e"), "outer": column_of("label_0", of="c")}]  # fmt: skip
    for size in (1, 2, 3):
        leaves = {"staged": of["staged"], **shown, "labels": named, "person": None}
        counted = Statement("release/lists/count_short_lists", {**leaves, "size": size, "least": 2})
        yield case(f"count_short_lists-{size}", counted)


def _missing():
    missing = [
        ReadColumn(ColumnType(SEX, "VARCHAR"), ("it's", "NA", "")),
        ReadColumn(ColumnType(AGE, "INTEGER"), ("999", "-1.50", "NA")),
        ReadColumn(ColumnType(ZIP, "VARCHAR")),
        ReadColumn(ColumnType(JOB, "character varying(12)"), ("NA",)),
    ]
    yield case("read_texts", read_texts(table("re'ad"), SOURCE, missing))
    yield case("texts_query", texts_query(SOURCE, missing))
    everywhere = texts_query(SOURCE, missing, points=True, as_bytes=True)
    yield case("texts_query-as_bytes", everywhere)
    yield case("texts_query-points", texts_query(SOURCE, missing, points=True))
    yield case("count_missing_texts", source_sql.count_missing_texts(SOURCE, [SEX, ZIP]))
    each = [replace(read, missing=(text,)) for read in missing for text in (*read.missing, "N'A")]
    yield case("count_missing_entries", count_missing_entries(SOURCE, each))
    formats = [
        ReadColumn(ColumnType(SEX, "VARCHAR"), ("NA",), DateFormat(("%d.%m.%y", "excel"), 2025)),
        ReadColumn(ColumnType(AGE, "VARCHAR"), (), NumberFormat(",", "'"), keeps_others=False),
        ReadColumn(ColumnType(ZIP, "VARCHAR")),
    ]
    yield case("read_texts-formats", read_texts(table("re'ad by formats"), SOURCE, formats))
    moments = [ReadColumn(ColumnType(SEX, "VARCHAR"), (), DateFormat(("%b %d %Y %I:%M %p",)))]
    yield case("texts_query-moments", texts_query(SOURCE, moments))
    yield case("count_unparsed", count_unparsed(SOURCE, formats[:2]))
    yield case("count_codes", source_sql.count_codes(SOURCE, [AGE]))
    yield from _masking()
    yield from _types_of_texts()


def _types_of_texts():
    yield case("text_forms", released_types.text_forms(SOURCE, [SEX, ZIP], rows=8))
    forms = [TextType(form, 2) for form in Form]
    for at, kinds in enumerate(zip(*[iter(forms)] * 2, strict=True)):
        types = dict(zip([SEX, ZIP], kinds, strict=True))
        each = released_types.count_misfits(SOURCE, types, rows=8)
        yield case(f"count_misfits-{at}" if at else "count_misfits", each)
    typed = released_types.typed_rows(table("typed"), SOURCE, [SEX, ZIP], {ZIP: forms[1]})
    yield case("typed_rows", typed)


def _opening(sniffed):
    yield case("read_csv", source_sql.open_file(SOURCE, "pe'ople.csv", kind="csv", delimiter="|"))
    several = source_sql.open_file(
        sniffed, "pe*ople.csv", kind="csv", base="some'where", skip=0, union_by_name=True
    )
    yield case("read_csv-sniffed", several)
    yield case("read_csv-names", without_header("pe'ople.csv"))
    marked = Source(path="pe'ople.csv", quote="'", comment="#", delimiter="|", skip=2)
    yield case("write_plainly", source_sql.write_plainly("pe'ople.csv", "co'py.csv", marked))
    yield case("count_marked_lines", source_sql.count_marked_lines("pe'ople.csv", marked))
    yield case("find_marks", source_sql.find_marks("pe'ople.csv", "|"))
    yield case("header_signs", source_sql.header_signs(SOURCE, [(SEX, "f'emale")], ["n'a"], most=9))
    named_so = source_sql.count_named_fields(SOURCE, [(SEX, "f'emale"), (DISEASE, "flu")], most=9)
    yield case("count_named_fields", named_so)
    objects = source_sql.open_file(table("from json"), "pe'ople.ndjson", kind="json")
    yield case("read_json", objects)
    yield case("load_extension", command("load_extension", quote_name("json")))
    yield case("read_table", source_sql.open_table(table("from table"), sniffed))


def reading():
    sniffed = table("sniffed")
    yield from _opening(sniffed)
    text = 'SELECT "se""x" AS Sex /* ; DROP */, \'it\'\'s\' FROM "from table" -- the end;'
    query = source_sql.open_query(table("from query"), text, dialect="duckdb")
    yield case("read_table-query", query)
    met = """"se""x" = 'o''x; --' OR NOT "SELECT" IS NULL /* ; DROP */ -- the end"""
    some = condition(met, dialect="duckdb")
    yield case("without_nulls", source_sql.without_nulls(table("known; rows"), SOURCE, [SEX, ZIP]))
    part = source_sql.rows_of_partition(table("pa'rt"), SOURCE, [(SEX, "it's"), (ZIP, "; --")])
    yield case("rows_of_partition", part)
    kept = source_sql.without_suppressed(table("ke'pt"), SOURCE, [SEX, ZIP], "it's *; --")
    yield case("without_suppressed", kept)
    yield case("filter_rows", source_sql.filter_rows(table("some; rows"), SOURCE, some))
    yield from _missing()
    told = [(column.name, column.name == QUASI[0].name) for column in QUASI]
    yield case(
        "collation_probe", source_sql.collation_probe(table("like it"), SOURCE, [NAME, WARD])
    )
    yield case("table_text", source_sql.table_text(table("like it")))
    yield case("text_columns", source_sql.text_columns(table("plain"), SOURCE, told))
    for name, schema, catalog in (
        ("locate", None, None),
        ("locate-schema", "ma'in", None),
        ("locate-catalog", "main", "te'mp"),
    ):
        located = source_sql.locate(table(SOURCE.name, schema=schema, catalog=catalog))
        yield case(name, located, located.params)
    yield case("commented_tables", source_sql.commented_tables("ma'in", "te'mp"))
    yield case("commented_tables-in_use", source_sql.commented_tables(None, None))
    words = [
        lineage.Word("f'", True, "s'"),
        lineage.Word("g", True),
        lineage.Word("h", False),
    ]
    yield case("volatile_functions", lineage.volatile_functions(words))
    yield case("catalog_of", source_sql.catalog_of(table("seen", schema="te'mp")))
    yield case("catalog_of-in_use", source_sql.catalog_of(table("seen")))
    viewed = table("se'en", schema="ma'in", catalog="te'mp")
    yield case("view_texts", source_sql.view_texts())
    yield case("view_texts-one", source_sql.view_texts(viewed))
    yield case("materialize", commands_sql.materialize(table("kept;"), SOURCE))
    whole = [('key; "1"', True), ("sensitive_1", False), ("row_count", True)]
    yield case("take_csv", commands_sql.take_csv(table("taken; codes"), "co'des.csv", whole))
    yield case("columns_of", source_sql.columns_of(SOURCE))
    yield case("count_rows", source_sql.count_rows(SOURCE))
    yield case("count_missing", source_sql.count_missing(SOURCE, NAME, rows=8))
    yield case("fingerprint", source_sql.fingerprint(SOURCE, COLUMNS))
    yield case("seal", source_sql.seal(SOURCE, [(c, c == AGE) for c in COLUMNS], rows=0))
    yield case("count_repeats", source_sql.count_repeats(SOURCE, [NAME, WHO], rows=8))
    yield case("sample_rows", source_sql.sample_rows(table("sample"), SOURCE, 5, of=50))
    two = source_sql.sample_rows(table("sample of two"), SOURCE, 5, of=50, columns=[AGE, SEX])
    yield case("sample_rows-columns", two)
    yield case("list_tables", source_sql.list_tables())
    yield from identities()
    yield from sampling()
    yield from profiling()
    yield case("first_rows", source_sql.first_rows(SOURCE, 3))


def identities():
    """What identifies rows and people: unique values, keys, and classes of few people."""
    for variant, parts in (("", 1), ("-part", 2)):
        found = person_keys.count_unique(SOURCE, [VISIT, WARD], parts=parts)
        yield case(f"count_unique{variant}", found)
        found = person_keys.count_unique(SOURCE, [VISIT, WARD], parts=parts, apart=True)
        yield case(f"count_each_unique{variant}", found)
        found = exposed_rows.unique_rows(SOURCE, [VISIT, WARD], parts=parts)
        yield case(f"count_unique_rows{variant}", found)
        found = person_keys.count_keys(SOURCE, [WHO, NAME], [VISIT, SEX], parts=parts)
        yield case(f"count_keys{variant}", found)
        found = person_keys.constant_columns(SOURCE, WHO, [VISIT, SEX], parts=parts)
        yield case(f"constant_columns{variant}", found)
    few = person_keys.count_unique(SOURCE, [VISIT, WARD], parts=4)
    yield case("count_unique-few", few)
    yield case("most_frequent", person_keys.most_frequent(SOURCE, [VISIT, WARD]))
    few = exposed_rows.unique_rows(SOURCE, [VISIT, WARD], rows=8)
    yield case("count_unique_rows-few", few)
    yield case("count_kinds", linked_rows.count_kinds(SOURCE, [WARD, NAME]))
    stay, first, last = (
        linked_rows.NumberOrDay(each, is_date=each == VISIT, is_text=each == WARD)
        for each in (AGE, VISIT, WARD)
    )
    added = [linked_rows.Sum(stay, first, last, is_less=less) for less in (True, False)]
    yield case("count_sums", linked_rows.count_sums(SOURCE, added))
    yield case("count_few_people", exposed_rows.few_people(SOURCE, [VISIT, WARD], WHO, k=5))
    sets = [(NAME,), (SEX,), (NAME, SEX)]
    whole = exposed_rows.stand_ins(SOURCE, WHO, [VISIT, WARD], sets)
    yield case("count_stand_ins", whole)
    some = exposed_rows.stand_ins(SOURCE, WHO, [VISIT], sets, parts=3)
    yield case("count_stand_ins-part", some)


def profiling():
    """What `init` counts."""
    kinds = [(AGE, "number"), (WARD, "text"), (VISIT, "date"), (SEX, "other"), (NAME, "nested")]
    yield case("column_counts", column_profiles.column_counts(SOURCE, kinds))
    yield case("column_shapes", column_profiles.column_shapes(SOURCE, [WARD, NAME]))
    measured = [(AGE, "number", False), (WARD, "text", False), (VISIT, "date", False)]
    quantiles = column_profiles.column_quantiles(SOURCE, [measured[0], measured[2]])
    yield case("column_quantiles", quantiles)
    yield case("frequent_values", column_profiles.frequent_values(SOURCE, [SEX, WARD]))
    first, *others = [(AGE, "number", True), *measured[1:], (VISIT, "date", True)]
    yield case("follow_by_order", following_columns.follow_by_order(SOURCE, first, others))
    yield case("sentinel_dates", column_profiles.sentinel_dates(SOURCE, [VISIT]))
    texts = [ColumnType(each, "VARCHAR") for each in (NAME, ZIP, VISIT)]
    yield case("lone_values", init_source.lone_values(SOURCE, texts[:2], texts))
    yield case("rows_that_fit", missing_codes.rows_that_fit(SOURCE, NAME, missing_codes.IBAN))
    domain, paths = table("of codes"), table("codes of paths")
    yield case("domain-codes", mapping_sql.domain(domain, SOURCE, ZIP))
    yield case(
        "paths_by_rule-codes", mapping_sql.paths_by_rule(paths, domain, CodeHierarchy("nace"))
    )
    yield case("rows_in_scheme", missing_codes.rows_in_scheme(domain, SCHEMES["country"]))
    yield case("rows_in_scheme-ranges", missing_codes.rows_in_scheme(domain, SCHEMES["nace"]))
    yield case("listed_values", written_columns.listed_values(table("gra;des"), ["gra'de"]))
    yield case("date_shapes", date_shapes(SOURCE, [VISIT, NAME]))
    yield case("number_shapes", number_shapes(SOURCE, [WARD, NAME]))
    cures = [
        {"name": NAME, "cure": "none"},
        {"name": SEX, "cure": "upper"},
        {"name": WARD, "cure": "digits", "length": 5, "shortest": 4},
        {"name": AGE, "cure": "round", "width": "10"},
    ]
    yield case("cleaned_rows", column_profiles.cleaned_rows(cures, kind="table", origin=SOURCE))


def sampling():
    columns, told_apart = [SEX, ZIP, WARD], [SEX, ZIP]
    for tag, entity, share in (
        ("", None, Fraction(1, 2)),
        ("-people", WHO, Fraction(1, 2)),
        ("-whole", None, None),
    ):
        lot = {"entity": entity, "share": share, "most": 3, "rows": 0}
        sample = table(f"numbered sam'ple{tag}")
        numbered = source_sql.numbered_sample(sample, SOURCE, columns, told_apart, "n'th", **lot)
        yield case(f"numbered_sample{tag}", numbered)


def trying():
    """The same rows of two samples of the source, as if these were its releases."""
    releases = [table("numbered sam'ple"), table("numbered sam'ple-whole")]
    yield case("trial_rows", trial_rows(releases, [SEX, ZIP], "n'th", most=2))
    bound = commands_sql.bound_texts(table("bo'und"), ["value", "level_1"])
    yield case("bound_texts", bound, [["a", None], ["b", "it's"]])


def mapping():
    for number, (column, domain) in enumerate(zip(QUASI, DOMAINS, strict=True)):
        name = f"domain-{number}" if number else "domain"
        yield case(name, mapping_sql.domain(domain, SOURCE, column.name, rows=8))
    yield case(
        "paths_from_rows", mapping_sql.paths_from_rows(PATHS[0], ["value", "level_1"], SEXES.rows)
    )
    yield case("paths_by_rule", mapping_sql.paths_by_rule(PATHS[1], DOMAINS[1], QUASI[1].hierarchy))
    yield case("paths_by_rule-intervals", mapping_sql.paths_by_rule(PATHS[2], DOMAINS[2], AGES))
    for tag, of, how in (
        ("bounds", DOMAINS[2], {"bounded": True}),
        ("whole", table("who;les"), {"whole": True}),
    ):
        made = mapping_sql.paths_by_rule(table(f"in'tervals {tag}"), of, AGES, **how)
        yield case(f"paths_by_rule-{tag}", made)
    fine = mapping_sql.paths_by_rule(table("fine"), DOMAINS[2], FINE)
    yield case("paths_by_rule-fine", fine)
    yield case("paths_from_csv", mapping_sql.paths_from_csv(PATHS[3], "jo'bs.csv", ";", 2))
    origin, copied = table("from table"), table("copied")
    yield case("paths_from_table", mapping_sql.paths_from_table(copied, origin, [JOB, WARD, SEX]))
    visits, dates = table("visits"), table("dates")
    yield case("domain-visits", mapping_sql.domain(visits, SOURCE, VISIT))
    units = DateHierarchy((DateUnit.DAY,))
    object.__setattr__(units, "units", tuple(DateUnit))  # weeks beside months: one text shows all
    yield case("paths_by_rule-dates", mapping_sql.paths_by_rule(dates, visits, units))
    rules = {"mask": (ZIP, QUASI[1].hierarchy), "intervals": (AGE, AGES), "dates": (VISIT, units)}
    for kind, (own, spec) in {
        **rules,
        **SCHEMED,
        "suppression": (AGE, SuppressHierarchy()),
    }.items():
        name = f"paths_by_rule-column_by_{kind}"
        yield case(name, mapping_sql.paths_of_columns(SOURCE, [own], spec))
    shared = mapping_sql.paths_of_columns(SOURCE, [VISIT, VISIT], DateHierarchy((DateUnit.MONTH,)))
    yield case("paths_by_rule-column_by_dates_shared", shared)
    step = mapping_sql.paths_by_rule(table("one step"), visits, SuppressHierarchy())
    yield case("paths_by_rule-suppression", step)
    yield from (
        case("entries", mapping_sql.entries(PATHS[3], 2, 9)),
        case("false_labels", mapping_sql.false_labels(PATHS[3], 2)),
    )
    yield case("survey_paths", mapping_sql.survey_paths(PATHS[3], 2))
    yield case("survey_domain", mapping_sql.survey_domain(DOMAINS[3], PATHS[3], as_text=True))
    typed = mapping_sql.survey_domain(DOMAINS[2], PATHS[2], as_text=False)
    yield case("survey_domain-typed", typed)
    for number, as_text in ((3, True), (2, False)):
        own = "values_with_entry" if as_text else "values_with_entry-typed"
        kept = table(f"{own.replace('-', '_')}_values")
        given_ = (kept, DOMAINS[number], PATHS[number], 2)
        yield case(own, mapping_sql.values_with_entry(*given_, as_text=as_text, nulls=as_text))
    rules = {
        "warehouse_rule": [QUASI[1].hierarchy.rule(n) for n in (1, 2)],
        "warehouse_rule-intervals": [AGES.rule(1), Rule("root", {"root": "*"})],
        "warehouse_rule-dates": [
            Rule("date", {}, unit.value) for unit in DateUnit if unit is not DateUnit.WEEK
        ],
    }
    for (name, levels), own in zip(rules.items(), (ZIP, AGE, VISIT), strict=True):
        yield case(name, warehouse_rule(SOURCE, own, levels))
    names = ("paths_complete", "paths_complete-made", "paths_complete-bounds", "paths_complete-csv")
    for name, column, paths, domain, complete, top in zip(
        names, QUASI, PATHS, DOMAINS, COMPLETE, TOPS, strict=True
    ):
        spec = column.hierarchy
        statement = mapping_sql.paths_complete(complete, paths, domain, spec, top)
        yield case(name, statement)
    ragged = TableHierarchy("copied", ragged=True)
    lifted = mapping_sql.paths_complete(table("lifted"), copied, DOMAINS[3], ragged, 2)
    yield case("paths_complete-ragged", lifted)
    for number, (column, made, domain, complete, top) in enumerate(
        zip(QUASI, MAPS, DOMAINS, COMPLETE, TOPS, strict=True)
    ):
        as_text = column.has_entries
        statement = mapping_sql.map_values(made, domain, complete, height=top, as_text=as_text)
        yield case(f"map-{number}" if number else "map", statement)
    many = mapping_sql.map_values(
        table("map of several"),
        DOMAINS[3],
        COMPLETE[3],
        height=1,
        as_text=True,
        several_roots=True,
    )
    yield case("map-several_roots", many)
    of_many = [(table("map of several"), COMPLETE[3], Hierarchy(1, "", several_roots=True))]
    yield case("level_statistics-several_roots", mapping_sql.level_statistics(of_many))
    yield case(
        "level_statistics",
        mapping_sql.level_statistics(
            [
                (map_, complete, Hierarchy(top, ""))
                for map_, complete, top in zip(MAPS, COMPLETE, TOPS, strict=True)
            ]
        ),
    )


def many_values():
    """A domain of so many values that one task of a cluster should not rank them."""
    rows = mapping_sql.MANY_ROWS + 1
    yield case(
        "paths_complete-many",
        mapping_sql.paths_complete(
            table("complete of many"), PATHS[1], DOMAINS[1], QUASI[1].hierarchy, 2, rows=rows
        ),
    )
    for variant, options in (
        ("many", {"as_text": False}),
        ("many_by_bytes", {"as_text": True, "by_bytes": True, "several_roots": True}),
    ):
        large = mapping_sql.map_values(
            table(f"map of {variant}"), DOMAINS[1], COMPLETE[1], height=2, rows=rows, **options
        )
        yield case(f"map-{variant}", large)


def mapping_together():
    """Several hierarchies in shared tables: of the policy, a table and a file; a column has NULL, or has it not."""
    yield from many_values()
    origins = [
        OneHierarchy(0, 1, rows=SEXES.rows),
        OneHierarchy(2, 2, table=table("copied")),
        OneHierarchy(11, 2, file=("jo'bs.csv", ";")),
    ]
    paths, domains, complete = (table(f"all {what}'s") for what in ("path", "domain", "complete"))
    yield case("all_paths_of_files", together.all_paths(paths, origins))
    written = table("all written")
    yield case("all_paths", together.all_paths(written, origins[:2]))
    again = together.all_paths(table("all loaded"), origins[:1], (written, 2))
    yield case("all_paths-loaded", again)
    columns = {0: SEX, 2: AGE, 11: JOB}
    yield case("all_domains", together.all_domains(domains, SOURCE, columns, rows=8))
    yield case("survey_all_paths", together.survey_all_paths(paths, 2))
    yield case("survey_all_domains", together.survey_all_domains(domains, paths))
    yield case("likely_entries", mapping_sql.likely_entries(DOMAINS[3], PATHS[3]))
    yield case("likely_entries-all", mapping_sql.likely_entries(domains, paths, "1"))
    words = {"": ["trim"], "-folded": ["trim", "fold"], "-numbers": ["fold", "number"]}
    for what, each in words.items():
        own, match = table(f"matched paths{what}"), [Match(word) for word in each]
        made = mapping_sql.matched_paths(own, PATHS[3], DOMAINS[3], match, 2)
        yield case(f"matched_paths{what}", made)
    heights = {0: 1, 2: 2, 11: 2}
    full = together.all_paths_complete(table("all full"), paths, heights, [])
    yield case("all_paths_complete-full", full)
    made = together.all_paths_complete(complete, paths, heights, [0, 11])
    yield case("all_paths_complete", made)
    yield case("column_of_all", together.one_domain(table("one dom'ain"), domains, 11, 2))
    yield case("column_of_all-paths", together.one_paths(table("one's paths"), complete, 0, 1))
    maps, one = table("all map's"), table("one's map")
    yield case("all_maps", together.all_maps(maps, domains, complete, columns=3, height=2))
    yield case("column_of_all-map", together.one_map(one, maps, 0, 0, 1))
    coded = mapping_sql.path_codes(table("one's codes"), one, PACKING, 0, view=True)
    yield case("path_codes-view", coded)
    yield case("all_level_statistics", together.all_level_statistics(maps, complete, 2))


def suffix(variant, kind):
    return f"{variant or '-rows'}{kind}" if kind else variant


def counted_before():
    """A frequency set as the source of another, each of whose rows stands for several."""
    rows = "row_count"
    yield case("count_weights", source_sql.count_weights(SET, rows))
    repeated = source_sql.repeated_rows(table("repe'ated"), SET, [rows], rows)
    yield case("repeated_rows", repeated)
    twice = source_sql.repeated_rows(table("twi'ce"), SET, [rows], rows, most=2)
    yield case("repeated_rows-twice", twice)
    yield case(
        "domain-counted", mapping_sql.domain(table("coun'ted before"), SET, rows, weight=rows)
    )
    made = together.all_domains(table("weigh'ed"), SET, {0: rows}, rows=8, weight=rows)
    yield case("all_domains-counted", made)
    named = [(str(ROWWISE.packing.keys[0]), True), ("it's \"none", False)]
    yield case("policy_columns", source_sql.policy_columns(table("pol'icy"), SET, named, rows))
    texts = source_sql.read_weight(table("texts' weights"), SET, [named[0][0]], rows)
    yield case("read_weight", texts)
    weighed = frequency_set(
        table("weighed set"), ROWWISE, SET, quasi=[], sensitive=[], entity=None, rows=8, weight=rows
    )
    yield case("frequency_set-counted", weighed)
    policy = read_policy(
        {
            "version": 1,
            "source": {"table": "people"},
            "entity": "row",
            "columns": {"row_count": {"role": "quasi", "hierarchy": "suppress"}},
            "privacy": {"k": 2},
            "suppression": 0,
        }
    )
    for named, warehouse in (("", "snowflake"), ("-folded", "redshift"), ("-bytes", "tsql")):
        query = frequency_query_of(policy, SET, WAREHOUSES[warehouse])
        yield case(f"frequency_query{named}", query)


def counting():
    for number, (codes, made) in enumerate(zip(CODES, MAPS, strict=True)):
        statement = mapping_sql.path_codes(codes, made, PACKING, number)
        yield case(f"path_codes-{number}" if number else "path_codes", statement)
    for number, (codes, name) in enumerate(zip(SPREADS, (DISEASE, WARD), strict=True)):
        counts = number == 1
        statement = mapping_sql.domain_codes(codes, SOURCE, name, rows=8, counts_null=counts)
        yield case(f"domain_codes-{number}" if number else "domain_codes", statement)
    many = mapping_sql.domain_codes(
        table("many values"), SOURCE, WARD, rows=20_000_000, counts_null=False
    )
    yield case("domain_codes-many", many)
    sets = {
        "": (ROWWISE, SET, [], None),
        "-diverse": (DIVERSE, SET_DIVERSE, SPREADS[:1], None),
        "-people": (PEOPLE, SET_PEOPLE, SPREADS, WHO),
    }
    yield case("numbers", NUMBERS.table(ITEMS, PACKING))
    yield case("weights", NUMBERS.weights(WEIGHTS, PACKING, CODES))
    for variant, (kind, made, sensitive, entity) in sets.items():
        counted = frequency_set(
            made, kind, SOURCE, quasi=PAIRS, sensitive=sensitive, entity=entity, rows=8
        )
        yield case(f"frequency_set{variant}", counted)
        yield case(f"frequency_totals{variant}", kind.totals(made))
        checks = {"": (NODES, True), "_brief": (NODES, False), "_alone": (NODES[1:2], False)}
        for name, (nodes, detail) in checks.items():
            statement = kind.check(made, len(nodes), detail=detail)
            yield case(f"check{suffix(variant, name)}", statement, kind.bindings(nodes))
        sizes = kind.class_sizes(made)
        yield case(f"class_sizes-node{variant}", sizes, kind.bindings(NODES[1:2]))
        sizes = kind.class_sizes(made, len(NODES), by_rows=True)
        yield case(f"class_sizes-nodes{variant}", sizes, kind.bindings(NODES))
        bars = [kind.requirements, [replace(r, bound=0) for r in kind.requirements]]
        for name, nodes, squares in (("", NODES, True), ("_alone", NODES[1:2], False)):
            statement = kind.check_thresholds(made, len(nodes), bars, squares=squares)
            yield case(f"check_thresholds{suffix(variant, name)}", statement, kind.bindings(nodes))
        coarser = table(f"coarser{variant}")
        yield case(f"roll_up{variant}", kind.roll_up(coarser, made, NODES[1], rows=8))
        pairs = [(0, 0), (0, 3), (1, 1), (1, 2)]
        wanted = [*kind.bindings(NODES[:2]), *chain.from_iterable(pairs)]
        for name, weights in (("", None), ("_leaves", WEIGHTS)):
            asked = kind.suppressed_marginals(made, 2, len(pairs), items=ITEMS, weights=weights)
            yield case(f"suppressed_marginals{suffix(variant, name)}", asked, wanted)
        labels = kept_labels(kind, made, NODES[1], LookedUp(NUMBERS, (ITEMS, WEIGHTS)))
        yield case(f"kept_labels{variant}", labels, kind.bindings(NODES[1:2]))
    few = replace(ROWWISE, narrow=True)
    yield case("check-narrow", few.check(SET, 1, detail=True), few.bindings(NODES[1:2]))
    yield case("roll_up-narrow", few.roll_up(table("coarser narrow"), SET, NODES[1], rows=8))
    each = few.roll_ups(table("coarser, narrow"), SET, NODES, rows=8)
    yield case("roll_ups-narrow", each)


def signing():
    """Classes of people whose rows are alike, all together."""
    kind = SIGNED
    for name, nodes in (("", NODES), ("_alone", NODES[1:2])):
        statement = kind.check(SET_PEOPLE, len(nodes), detail=True)
        yield case(f"check-signatures{name}", statement, kind.bindings(nodes))
    bars = [kind.requirements]
    several = kind.check_thresholds(SET_PEOPLE, len(NODES), bars, squares=True)
    yield case("check_thresholds-signatures", several, kind.bindings(NODES))
    pairs = [(0, 0), (0, 3), (1, 1), (1, 2)]
    wanted = [*kind.bindings(NODES[:2]), *chain.from_iterable(pairs)]
    asked = kind.suppressed_marginals(SET_PEOPLE, 2, len(pairs), items=ITEMS, weights=WEIGHTS)
    yield case("suppressed_marginals-signatures", asked, wanted)
    labels = kept_labels(kind, SET_PEOPLE, NODES[1], LookedUp(NUMBERS, (ITEMS, WEIGHTS)))
    yield case("kept_labels-signatures", labels, kind.bindings(NODES[1:2]))
    yield case("frequency_totals-persons", kind.count_persons(SET_PEOPLE))


def releasing_signatures(quasi):
    policy = replace(POLICY, signature=True)
    of = SourceRows(SOURCE, RELEASES, SIGNED.requirements, WHO)
    failing = table("failing persons")
    steps = [table("classes of persons")]
    classes, found = staging_sql.failing_persons(failing, of, steps=steps)
    yield case("classes-persons", classes)
    yield case("failing_persons", found)
    left = table("staged persons")
    staged = staging_sql.stage(left, SOURCE, failing, policy, RELEASES, order=ORDER)
    yield case("stage-persons", staged)
    counted = staging_sql.stage(
        table("only coun'ted"), SOURCE, failing, policy, RELEASES, order=ORDER
    )
    yield case("stage-counted", staging_sql.in_any_order(counted))
    asked = demands(POLICY.privacy)[0].requirements
    recount = recount_statement(left, quasi, asked, entity=staging_sql.ENTITY, signature=True)
    yield case("verify-signatures", recount)


def by_counters(kind):
    """The same on a frequency set that has a counter for each value."""
    counted = [CountedValues.of(each, {0: 3, 1: 5}, every_row=False) for each in kind.sensitive]
    counters = ValueCounters(tuple(counted), 20, table("value; counters"))
    yield case("numbers-counters", counters.described())
    codes = [kind.code_of(each) for each in kind.sensitive]
    yield case("rows_of_codes", rows_of_codes(SET_PEOPLE, codes[0], counted=False))
    (of_table, *_) = kind.of_table.values()
    yield case("rows_of_codes-table", rows_of_codes(of_table.table, of_table.own, counted=True))
    keys, made = kind._keys, table("counted; values")
    packed = counters.packed(codes)
    yield case("counted_values", counted_values(made, SET_PEOPLE, keys, packed, rows=8))
    kind = replace(kind, counters=counters)
    for text, nodes in (("", NODES), ("_alone", NODES[1:2])):
        statement = kind.check(made, len(nodes), detail=True)
        yield case(f"check-counters{text}", statement, kind.bindings(nodes))
    bars = [kind.requirements, [replace(r, bound=0) for r in kind.requirements]]
    several = kind.check_thresholds(made, len(NODES), bars, squares=True)
    yield case("check_thresholds-counters", several, kind.bindings(NODES))
    yield case("roll_up-counters", kind.roll_up(table("coarser'"), made, NODES[1], rows=8))


def weighing():
    """Models that weigh the values of a class: beside each value its rows in the class and in the table."""
    for how, counting in WEIGHING.items():
        of_table = {}
        for each, values, made in counting.values_of_table(SET_PEOPLE, table_of_values):
            of_table[each] = values
            variant = "-ranked" * (how == "ranked") + "-null" * each.counts_null
            yield case(f"table_values{variant}", made)
            if each.order is not None:
                yield case("first_steps", first_steps(values.table))
                stepped = {**of_table, each: replace(values, steps=(3, 5, 8))}
        kind = replace(counting, of_table=of_table, unavoidable=how == "ranked")
        for name, nodes in ((how, NODES), (f"{how}_alone", NODES[1:2])):
            statement = kind.check(SET_PEOPLE, len(nodes), detail=False)
            yield case(f"check-{name}", statement, kind.bindings(nodes))
        left = table(f"the rest of {how}")
        yield case(f"rest-{how}", kind.rest(left, SET_PEOPLE, NODES[1], rows=8))
        yield case(f"whole-{how}", whole(SET_PEOPLE, kind.requirements, kind.class_rows))
    yield from by_counters(replace(kind, entity=False))
    kind = replace(kind, of_table=stepped)
    statement = kind.check(SET_PEOPLE, 1, detail=False)
    yield case("check-by_steps", statement, kind.bindings(NODES[:1]))
    order = order_leaves(LISTED, column_of("value"))
    made = table("codes in order")
    yield case(
        "domain_codes-ordered",
        mapping_sql.domain_codes(made, SOURCE, WARD, rows=8, order=order),
    )
    yield case(
        "domain_codes-many_ordered",
        mapping_sql.domain_codes(
            table("many in order"), SOURCE, WARD, rows=mapping_sql.MANY_ROWS + 1, order=order
        ),
    )


def weighing_in_a_tree(quasi):
    """A hierarchy of diseases is that of another column here: none of them has a node in it."""
    above = ValueNodes(MAPS[1], TOPS[1])
    nodes = table("nodes of values")
    yield case("value_nodes", value_nodes(nodes, SPREADS[0], above))
    (attribute,) = IN_TREE.sensitive
    kind = replace(IN_TREE, nodes={attribute: ValueNodes(nodes, TOPS[1])})
    ((_, values, made),) = kind.values_of_table(SET_PEOPLE, table_of_values)
    yield case("table_values-in_tree", made)
    kind = replace(kind, of_table={attribute: values})
    statement = kind.check(SET_PEOPLE, len(NODES), detail=False)
    yield case("check-in_tree", statement, kind.bindings(NODES))
    recount = recount_statement(
        STAGED, quasi, kind.requirements, entity=None, source=SOURCE, nodes={DISEASE: above}
    )
    yield case("verify-in_tree", recount)


def weighing_a_release():
    for how, counting in WEIGHING.items():
        steps = table(f"classes of {how}"), table(f"fitting of {how}")
        failing = table(f"failing of {how}")
        of = SourceRows(SOURCE, RELEASES, counting.requirements, WHO)
        found = staging_sql.unfit_classes(failing, of, steps=steps)
        for statement in found:
            yield case(f"{statement.name}-{how}", statement)


def recounting_by_weight(quasi):
    for how, counting in WEIGHING.items():
        recount = recount_statement(
            STAGED,
            quasi,
            counting.requirements,
            entity=staging_sql.ENTITY,
            source=SOURCE,
            of_source=WHO,
        )
        yield case(f"verify-{how}", recount)


def recounting_all(quasi):
    """Models of the whole table, which count its classes."""
    models = KAnonymity(2), AverageRisk(Decimal("0.5")), SampleUniqueness(Decimal(0))
    recount = recount_statement(STAGED, quasi, demands(models)[0].recounted, entity=None)
    yield case("verify-whole", recount)
    yield case("size_counts", count_sizes(recount))
    yield from falling_short(quasi)
    yield from showing(quasi)


def showing(quasi):
    """What is shown of staged rows: a few classes, and a label of a column or of its bounds."""
    for how, entity in (("", None), ("-people", staging_sql.ENTITY)):
        shown = example_classes(STAGED, quasi, entity=entity, least=2, most=5)
        yield case(f"example_classes{how}", shown)
        few = example_classes(STAGED, quasi, entity=entity, least=2, most=5, among=quasi[0])
        yield case(f"example_classes-among{how}", few)
        for each in RELEASES:
            if 0 < each.level < each.height:
                found = example_label(STAGED, each, entity=entity, least=2)
                yield case(f"example_label{'-bounds' if each.bounds else ''}{how}", found)
    yield case("rows_of_values", second_look.rows_of_values(DOMAINS[:2], 2))
    yield case(
        "rows_of_labels", second_look.rows_of_labels(STAGED, dict.fromkeys(quasi[:2]).items(), None)
    )
    listed = [(quasi[0], LinePaths(PATHS[3], 2))]
    yield case("rows_of_labels-levels", second_look.rows_of_labels(STAGED, listed, None))
    sets = [quasi[:2], []]
    yield case("rows_in_joined_classes", second_look.rows_in_joined_classes(STAGED, None, sets, 2))


def falling_short(quasi):
    """The rows and the people of the classes that fall short, by rows, by people and by their signatures."""
    needed = demands((KAnonymity(2),))[0].recounted
    person = staging_sql.ENTITY
    by_rows = recount_statement(STAGED, quasi, needed, entity=None)
    by_people = recount_statement(STAGED, quasi, needed, entity=person)
    signed = recount_statement(STAGED, quasi, needed, entity=person, signature=True)
    yield case("short_rows", short_rows(by_rows, every=False))
    yield case("short_rows-people", short_rows(by_people, every=False))
    yield case("short_rows-signature", short_rows(signed, every=False))
    yield case("short_rows-every", short_rows(by_people, every=True))
    yield from adding_a_partition(quasi, by_rows)


def adding_a_partition(quasi, recount):
    """A partition that is judged together with what is published: here of the same rows."""
    both, short = table("both; --"), table("short'classes")
    together = add_partition.published_together(
        both, STAGED, STAGED, [*quasi, WARD], folders=[WARD]
    )
    yield case("published_together", together)
    yield case("short_classes", add_partition.short_classes(short, recount))
    fitting = add_partition.fitting_rows(table("fit; --"), STAGED, short, quasi)
    yield case("fitting_rows", fitting)
    gone = add_partition.suppressed_partitions(SOURCE, STAGED, [SEX, WARD], most=5)
    yield case("suppressed_partitions", gone)


def comparing():
    """Models that compare classes with a population: here with the source's own rows."""
    domain = mapping_sql.domain(table("domain of both"), SOURCE, SEX, population=SOURCE)
    yield case("domain-population", domain)
    described = [
        (map_, complete, Hierarchy(top, ""))
        for map_, complete, top in zip(MAPS, COMPLETE, TOPS, strict=True)
    ]
    yield case(
        "level_statistics-population", mapping_sql.level_statistics(described, beyond_rows=True)
    )
    kind = replace(COMPARED, population=CodedPopulation(SET, 8))
    for name, nodes in (("", NODES), ("_alone", NODES[1:2])):
        statement = kind.check(SET, len(nodes), detail=False)
        yield case(f"check-population{name}", statement, kind.bindings(nodes))
    bars = [kind.requirements]
    several = kind.check_thresholds(SET, len(NODES), bars, squares=True)
    yield case("check_thresholds-population", several, kind.bindings(NODES))
    yield case("whole-population", whole(SET, kind.requirements, kind.class_rows))
    every, people, left = (table(f"{what} with their people") for what in ("all", "the", "left"))
    yield case("roll_ups-compared", kind.roll_ups(every, SET, NODES[1:2], rows=8))
    rolled_up = kind.population.roll_up(kind, people, NODES[1])
    yield case("roll_ups-population", rolled_up)
    beside = replace(kind, population=CodedPopulation(people, 8))
    yield case("fitting-population", beside.fitting_classes(left, every))


def matching_nulls(quasi):
    """NULL matches any value: in packed keys, in the classes of a release, and in its staged rows."""
    matched = replace(ROWWISE, nulls=(None, NullCode((3, 0), frozenset({0})), None, None))
    every, left = table("all where NULL matches"), table("left where NULL matches")
    yield case("null_codes", mapping_sql.null_codes(CODES[1], MAPS[1], ["key_1"], TOPS[1]))
    yield case("roll_ups-matched", matched.roll_ups(every, SET, NODES[:1], rows=8))
    yield case("compatible", compatible(left, every, matched.matched(NODES[0]), least=2))
    fewest = fewest_candidates(left, matched.matched(NODES[0]))
    yield case("verify_candidates-keys", fewest)
    steps = table("classes where NULL matches"), table("fitting where NULL matches")
    of = SourceRows(SOURCE, RELEASES, (), None)
    failing = table("failing where NULL matches")
    for statement in staging_sql.classes_without_candidates(steps, failing, of, least=2):
        yield case(f"{statement.name}-matched", statement)
    yield case("verify_candidates", verify_candidates(STAGED, quasi, least=2))


def comparing_a_release(quasi):
    counted, labels = table("people by class"), table("people's labels")
    yield case("classes-population", SourceRows(SOURCE, RELEASES, (), None).classes(counted))
    yield case("recoded_labels", staging_sql.labels_of(labels, SOURCE, POLICY, RELEASES))
    order = [each.column.name for each in RELEASES]
    own = {"order": order, "beside": {"series_row": ZIP}, "view": True}
    seen = table("rows of a series"), SOURCE, POLICY, RELEASES
    yield case("recoded_rows", staging_sql.recoded_rows(*seen, **own))
    steps = table("classes of people"), table("fitting of people")
    of = SourceRows(
        SOURCE,
        RELEASES,
        COMPARED.requirements,
        None,
        population=ClassPopulation(counted, weighted=True),
    )
    for statement in staging_sql.unfit_classes(table("failing of people"), of, steps=steps):
        yield case(f"{statement.name}-compared", statement)
    needed = (*COMPARED.requirements, *COMPARED.of_release)
    beside = ClassPopulation(labels, classes=labels, source=SOURCE)
    recount = recount_statement(
        STAGED, quasi, needed, entity=None, source=SOURCE, population=beside
    )
    yield case("verify-population", recount)


def settling():
    for variant, kind, made in (("", JOINT, SET_DIVERSE_PEOPLE), ("-rows", JOINT_ROWS, SET)):
        if not variant:
            counted = frequency_set(
                made, kind, SOURCE, quasi=PAIRS, sensitive=SPREADS[:1], entity=WHO, rows=8
            )
            yield case("frequency_set-joint", counted)
        every, left = table(f"every{variant}"), table(f"left{variant}")
        yield case(f"roll_ups{variant}", kind.roll_ups(every, made, NODES, rows=8))
        yield case(f"fitting{variant}", kind.fitting(left, every))
        again = table(f"left again{variant}")
        yield case(f"fitting-again{variant}", kind.fitting(again, left))
        checked = kind.check(every, len(NODES), detail=True, kept=again)
        yield case(f"check-joint{variant}", checked)
        yield case(f"class_sizes-joint{variant}", kind.class_sizes(every, kept=again))
        pairs = [0, 0, 1, 2]
        asked = kind.suppressed_marginals(every, 3, 2, items=ITEMS, weights=WEIGHTS, kept=again)
        yield case(f"suppressed_marginals-joint{variant}", asked, pairs)
        labels = LookedUp(NUMBERS, (ITEMS, WEIGHTS))
        asked = kept_labels(kind, every, NODES[1], labels, kept=again)
        yield case(f"kept_labels-joint{variant}", asked)


def growing():
    """Incognito's graphs over three columns, two of them with two levels, up to all three."""
    names = ("levels", "cand;idates", "ed'ges", "failed --", 'surv"ivors', "cand 2", "edges 2")
    levels, first, steps, failed, left, pairs, between = map(table, names)
    yield case("numbers-levels", GROWN.levels(levels))
    yield case("first_candidates", candidate_graph.first_candidates(first, levels))
    yield case("first_edges", candidate_graph.first_edges(steps, levels))
    yield case("candidate_graph", candidate_graph.candidate_graph(first, steps))
    codes = [(GROWN.code(PartialNode((2,), Node((1, 1, 0)))),)]
    yield case("paths_from_rows-failed", mapping_sql.paths_from_rows(failed, ["value"], codes))
    yield case("survivors", candidate_graph.survivors(left, first, failed))
    yield case("candidates", candidate_graph.candidates(pairs, left, levels, 2))
    yield case("edges", candidate_graph.edges(between, pairs, steps))
    yield case("candidate_graph-pairs", candidate_graph.candidate_graph(pairs, between))
    triples, three = table("cand 3"), table("edges 3")
    yield case("candidates-triples", candidate_graph.candidates(triples, pairs, levels, 3))
    yield case("edges-triples", candidate_graph.edges(three, triples, between))
    yield case("candidate_graph-triples", candidate_graph.candidate_graph(triples, three))


PLACES = table("pla;ces")
CUTS = Alphabet(((-1, 1), (0, 2)), key_bits=3)
"""Two columns, the second of which lies across two keys."""


def cutting_up():
    """K-Optimize's heads: what is counted of them is compared with Python in another test."""
    yield case("numbers-intervals", heads.head_intervals(table("cu'ts"), CUTS.intervals(0b0101)))
    needed = requirements((KAnonymity(2),))
    kinds = {
        "": HeadStatements(CUTS, needed, rows=8),
        "-classes": HeadStatements(CUTS, needed, rows=8, targets=2),
        "-people": HeadStatements(CUTS, requirements(POLICY.privacy[:2]), rows=8, entity=True),
        "-people_classes": HeadStatements(CUTS, needed, rows=8, entity=True, targets=2),
    }
    letters = table("let'ters")
    yield case("numbers-letters", kinds[""].letters(letters))
    for variant, kind in kinds.items():
        codes, allset = table(f"co'des{variant}"), table(f"all;set{variant}")
        yield case(f"thermometers{variant}", kind.thermometers(codes, PLACES))
        yield case(f"allset{variant}", kind.allset(allset, codes, 0b0111, rows=8))
        told = kind.heads(allset, 3)
        yield case(f"heads{variant}", told, kind.bindings([0b0000, 0b0101, 0b0111]))
        if kind.additive:
            nodes = [(0b0000, 0b0111), (0b0101, 0b0010)]
            yield case(
                f"splits{variant}", kind.splits(allset, letters, 2), kind.node_bindings(nodes)
            )


def suppressing_one_more():
    """A class that fits goes too: in a rolled-up frequency set, and at the release."""
    ranks = []
    for number, each in enumerate(RELEASES):
        masks = PACKING.column_masks(number, each.level)
        if any(masks):
            numbered = replace(each, table=table(f"map by bytes {number}"), by_bytes=True)
            made = release_map(numbered, DOMAINS[number], COMPLETE[number])
            yield case(f"release_map-by_bytes_{number}", made)
            ranks.append(Rank(table(f"ranks {number}"), masks))
            statement = smallest_classes.ranks(PACKING, ranks[-1], CODES[number], numbered.table)
            yield case(f"ranks-{number}" if len(ranks) > 1 else "ranks", statement)
    node = Node(tuple(each.level for each in RELEASES))
    labels = []
    for number, each in enumerate(RELEASES):
        labels.append(Rank(table(f"lab'els {number}"), PACKING.column_masks(number, each.level)))
        statement = smallest_classes.ranks(PACKING, labels[-1], CODES[number], each.table)
        yield case(f"ranks-labels_{number}", statement)
    few = table("too few; rows")
    counted = counted_classes(few, SET, ROWWISE, node, labels, least=2, rows=8)
    yield case("counted_classes", counted)
    yield from one_row_a_class(node)
    for variant, kind, made in (("", JOINT, SET_DIVERSE_PEOPLE), ("-rows", JOINT_ROWS, SET)):
        every, fitting, left = (
            table(f"{what}{variant} at once") for what in ("all", "fits", "left")
        )
        yield case(f"roll_ups-alone{variant}", kind.roll_ups(every, made, [node], rows=8))
        yield case(f"fitting-alone{variant}", kind.fitting_classes(fitting, every))
        yield case(f"missing{variant}", smallest_classes.missing(kind, every, fitting))
        yield case(
            f"without_smallest{variant}",
            smallest_classes.suppress_smallest(kind, left, fitting, ranks, classes=1),
        )
    short, more = table("short; --"), table("short and one more")
    needed = requirements(POLICY.privacy)
    of = SourceRows(SOURCE, RELEASES, needed, WHO)
    said = staging_sql.enforced_classes(short, more, of, steps=(), smallest=1)
    for name, statement in zip(("failing_classes-short", "enforced_classes"), said, strict=True):
        yield case(name, statement)


def one_row_a_class(node):
    """A row for each class of a node, staged as the rows of a source are, and shown."""
    rows, staged, weight = table("a row; a class"), table("staged 'classes"), 'rows"'
    quasi = [(each.name, codes) for each, codes in zip(QUASI, CODES, strict=True)]
    told = {"least": 2, "weight": weight, "rows": 8}
    yield case("class_rows", class_rows(rows, SET, ROWWISE, node, quasi, **told))
    alone = replace(POLICY, entity=None)
    order = [name for name, _ in quasi]
    staging = staging_sql.stage(staged, SOURCE, None, alone, RELEASES, order=order)
    yield case("stage-weighted", staging_sql.weighted(staging, rows, weight))
    shown = [name for each in RELEASES for name in each.names]
    asked = {"entity": None, "least": 2, "weight": weight}
    yield case("example_classes-weighted", example_classes(staged, shown, most=5, **asked))
    zips = next(each for each in RELEASES if 0 < each.level < each.height and not each.bounds)
    yield case("example_label-weighted", example_label(staged, zips, **asked))


def following():
    """What rows of a frequency set are released under, where several nodes release them."""
    kinds = {
        "": (PEOPLE, SET_PEOPLE, ClassLabels(PACKING, entity=True)),
        "-rows": (ROWWISE, SET, ClassLabels(PACKING, entity=False)),
    }
    labels, all_items = table("labels; --"), table("all items")
    known = [QuasiTables(*each) for each in zip(QUASI, CODES, MAPS, COMPLETE, TOPS, strict=True)]
    for variant, (kind, made, labelled) in kinds.items():
        if not variant:
            yield case("labels", labelled.labels(labels, known))
            yield case("numbers-items_all", labelled.items.table(all_items, PACKING))
        left, layer, last = (table(f"{what}{variant}") for what in ("le'ft", "layer of", "last of"))
        yield case(f"rest-keys{variant}", kind.rest(left, made, NODES[1], rows=8))
        yield case(
            f"remainder_statistics{variant}", labelled.statistics(left, all_items, labels, rows=8)
        )
        of = {"node": NODES[1], "rows": 8}
        yield case(f"released_classes{variant}", labelled.released(layer, made, left, labels, **of))
        gone = labelled.released(last, left, None, labels, **of)
        yield case(f"released_classes-left{variant}", gone)
        yield case(f"label_totals{variant}", labelled.totals([layer, last]))
        yield case(f"merged_classes{variant}", labelled.merged([layer, last]))
        yield case(f"class_sizes-merged{variant}", labelled.class_sizes([layer, last]))
        items = [labelled.items.numbers[at] for at in enumerate(NODES[1].levels)]
        of = {"labels": labels, "items": dict(enumerate(items)), "least": 2, "most": 5}
        shown = example_classes_of_node(kind, made, NODES[1], kept=None, **of)
        yield case(f"example_classes_of_node{variant}", shown, kind.bindings(NODES[1:2]))
        of_one = {**of, "items": {1: items[1]}, "largest": True}
        shown = example_classes_of_node(kind, made, NODES[1], kept=None, **of_one)
        yield case(f"example_classes_of_node-largest{variant}", shown, kind.bindings(NODES[1:2]))
        every = table(f"every class of{variant}")
        yield case(f"roll_ups-shown{variant}", kind.roll_ups(every, made, NODES[1:2], rows=8))
        shown = example_classes_of_node(kind, every, NODES[1], kept=every, **of)
        yield case(f"example_classes_of_node-kept{variant}", shown)
        labels_of = count_released_labels(kind, made, NODES[1], kept=None)
        yield case(f"count_released_labels{variant}", labels_of, kind.bindings(NODES[1:2]))
        labels_of = count_released_labels(kind, every, NODES[1], kept=every)
        yield case(f"count_released_labels-kept{variant}", labels_of)


def cutting_columns():
    """TDS, and bottom-up: cuts of a tree and a line, where a third column is left as one part."""
    counts, line, ancestors, gains = (
        table(f"{n} of; --") for n in ("counts", "line", "up", "gains")
    )
    yield case("target_counts", cut_scores.target_counts(counts, TUPLES, 0))
    yield case("target_counts-line", cut_scores.target_counts(line, TUPLES, 1))
    yield case("tree_depth", cut_scores.tree_depth(NODES_OF))
    yield case("ancestors", cut_scores.ancestors(ancestors, NODES_OF, depth=2))
    yield case("ancestors-deep", cut_scores.ancestors(table("deep"), NODES_OF, depth=3))
    yield case("node_gains", cut_scores.node_gains(gains, ancestors, counts, depth=2))
    yield case("best_splits", cut_scores.best_splits(line, [(-1, 2**31 - 1)]))
    yield case("best_splits-halves", cut_scores.best_splits(line, [(-1, 0), (1, 3)]))
    yield case("inner_nodes", cut_scores.inner_nodes(NODES_OF, gains))
    cuts = [table(f"cu't {n}") for n in range(4)]
    yield case("first_cut", top_down.first_cut(cuts[0], counts, whole=0))
    yield case("first_cut-line", top_down.first_cut(cuts[1], line, whole=-1))
    of_roots = top_down.first_cut_of_roots(table("cu't of roots"), ancestors, depth=2)
    yield case("first_cut_of_roots", of_roots)
    in_tree = top_down.specialize_tree(cuts[2], cuts[0], ancestors, nodes=[-2], depth=2)
    yield case("specialize_tree", in_tree)
    pieces = [Piece(-1, 0, -1, -1), Piece(1, 1, -1, 1), Piece(2, 3, 2, None)]
    yield case("specialize_line", top_down.specialize_line(cuts[3], cuts[1], pieces))
    for variant, within, entity, sensitive in (
        ("", [], False, ()),
        ("-people", [(1, -1, 1), (0, 2, 2)], True, ()),
        ("-values", [], False, SPREAD),
    ):
        needed = requirements(POLICY.privacy if sensitive else POLICY.privacy[:1])
        asked = [AnonymityRequirement((0, 1), r.bound, r.measure) for r in needed]
        of = TupleSource(None, None, TUPLES, (), asked, entity, sensitive)
        size, counted = of.counted("l")[0], of.counted("l")[-1]
        classes = table(f"linked{variant}")
        by = {"split": [0, 1], "within": within, "carried": of.carried}
        yield case(
            f"candidate_classes{variant}",
            top_down.candidate_classes(classes, TUPLES, dict(enumerate(cuts[2:])), **by),
        )
        pairs = [(0, 0, (0, 1)), (0, 1, (0, 1)), (1, 1, (1,))]
        after = top_down.smallest_after(classes, pairs, [size, counted])
        yield case(f"smallest_after{variant}", after)
        leaves, fewer = table(f"leaves{variant}"), table(f"fewer{variant}")
        first = bottom_up.leaf_classes(leaves, TUPLES, (0, 2), of.carried)
        yield case(f"leaf_classes{variant}", first)
        merged = {0: [(0, 1), (2, 2)]}
        again = bottom_up.generalized_classes(fewer, leaves, (0, 2), merged, of.carried)
        yield case(f"generalized_classes{variant}", again)
        required = list(zip([(0, 2), (2,)], (of.counted("c") * 2)[:2], strict=True))
        apart = bool(of.carried)
        found = bottom_up.smallest_classes(fewer, required, (0, 2), apart=apart)
        yield case(f"smallest_classes{variant}", found)
        size, counted = of.counted("t")[0], of.counted("t")[-1]
        asked = [((0, 2), 0, 0, 2, size), ((2,), 2, 0, 1, counted)]
        merged = bottom_up.smallest_merged(fewer, asked, of.carried)
        yield case(f"smallest_merged{variant}", merged)
    yield case("intervals", top_down.intervals(table("cu;ts"), cuts[2:]))
    ends = bottom_up.intervals(table("cu;ts by starts"), table("fewer"), (0, 2), TUPLES, 3)
    yield case("intervals-starts", ends)


def removing_loss():
    """TDS without a target: widths, and what nodes and splits remove of the loss."""
    lost, measured = (table(f"{n} by lo'ss") for n in ("gains", "counts"))
    of_tree = cut_scores.measured_counts(measured, TUPLES, 0, line=None)
    yield case("measured_counts", of_tree)
    of_line = table("counts of a line; --")
    counted = cut_scores.measured_counts(of_line, TUPLES, 1, line=table("li;ne"))
    yield case("measured_counts-line", counted)
    for variant, least in ("", 0), ("-least", 1):
        axis = TreeAxis(table("labels"), (7, 6, 0), least=least)
        made = table(f"wid;ths{variant}")
        found = cut_scores.node_widths(made, NODES_OF, table("ranked; --"), axis)
        yield case(f"node_widths{variant}", found)
    by_loss = cut_scores.nodes_by_loss(
        lost, table("up of; --"), measured, table("wid;ths"), depth=2
    )
    yield case("nodes_by_loss", by_loss)
    halves = [(-1, 0), (1, 3)]
    yield case("splits_by_loss", cut_scores.splits_by_loss(of_line, halves, least=2))


def holding_keys():
    set_key, inner, outer = pseudonym_keys_sql.set_keys("KANON_TEST_KEY")
    held = pseudonym_keys_sql.store_key(set_key.leaves["variable"].name, table("brought; --"))
    yield case("store_key", held, [SECRET])
    yield case("set_pad", inner)
    yield case("set_pad-outer", outer)
    kept = table("kept; keys")
    yield case("delete_keys", pseudonym_keys_sql.delete_keys(kept))
    yield case("insert_key", pseudonym_keys_sql.insert_key(kept, "KANON_TEST_KEY"))


def forgetting_keys():
    secret = pseudonym_keys_sql.set_keys("KANON_TEST_KEY")[0].leaves["variable"].name
    variables = (secret, *pseudonym_keys_sql.key_variables("KANON_TEST_KEY"))
    for number, variable in enumerate(variables):
        statement = pseudonym_keys_sql.forget_key(variable)
        yield case(f"forget_key-{number}" if number else "forget_key", statement)


def released_together():
    steps, left_out = [table(f"step {n}") for n in range(3)], table("left out")
    names = ("classes", "fitting-released", "fitting-released_again", "unfit_classes")
    of = SourceRows(SOURCE, RELEASES, (), WHO)
    joint = staging_sql.joint_classes(steps, left_out, of, joint_demands(SEVERAL))
    for name, statement in zip(names, joint, strict=True):
        yield case(name, statement)


def released_at_nodes():
    """Some columns at several levels: values beside labels, bounds of every kind, one as ever."""
    nodes = [Node(LEVELS), Node((1, 0, 0, 2)), Node((1, 2, 3, 2))]
    several = [
        Released(
            column, levels[0], top, table(f"in layers {column.name}"), tuple(levels[1:]), False
        )
        for column, top, levels in zip(QUASI, TOPS, ((1,), (1, 0, 2), (2, 0, 3), (2,)), strict=True)
    ]
    for number, released in enumerate(several):
        statement = release_map(released, DOMAINS[number], COMPLETE[number])
        yield case(f"release_map-nodes_{number}", statement)
    steps, moved = [table(f"layer {n}") for n in range(3)], table("mo'ved")
    left = table("left at last")
    said = released_classes.released_at_nodes(
        SourceRows(SOURCE, several, requirements(POLICY.privacy), WHO),
        nodes,
        steps=steps,
        moved=moved,
        failing=left,
    )
    names = ("classes-nodes", "rest", "rest-released_1", "rest-released_2", "moved")
    for name, statement in zip(names, said, strict=True):
        yield case(name, statement)
    staged = staging_sql.stage(
        table("staged in layers"), SOURCE, left, POLICY, several, order=ORDER, moved=moved
    )
    yield case("stage-nodes", staged)
    yield from what_classes_have("-nodes", several, left, moved)


def what_classes_have(kind, several, failing, moved):
    """Columns that are released as what the rows of a class have: a set of values, and one that stands for them."""
    outputs = dict(zip((QUASI[0].name, QUASI[-1].name), (SETS, REPRESENTATIVE), strict=True))

    def shown(column):
        return replace(column, output=outputs.get(column.name, column.output))

    policy = replace(POLICY, columns=tuple(map(shown, POLICY.columns)))
    released = [replace(each, column=shown(each.column)) for each in several]
    found = values_of_classes(
        policy,
        staging_sql.recoded(SOURCE, policy, [], [], with_hidden=False) | joins(released),
        released,
        lambda what, number: table(f"{what} {number}{kind}"),
        by_bytes=frozenset({QUASI[0].name}),
        floating=frozenset(),
        failing=failing,
        moved=moved,
    )
    names = ("class_numbers", "value_places", "value_places-of_numbers", "class_tuples", "sets-classes",
             "representatives-classes")  # fmt: skip
    for text, statement in zip(names, found.steps, strict=True):
        yield case(f"{text}{kind}", statement)
    staged = staging_sql.stage(
        table(f"staged by classes{kind}"),
        SOURCE,
        failing,
        policy,
        released,
        order=ORDER,
        moved=moved,
        of_classes=found,
    )
    yield case(f"stage-classes{kind}", staged)


COMBINED = [(0, 1), (1, 2, 3), (2, 3)]
"""Combinations of columns in which mu-Argus found outliers."""


def suppressing():
    """Cells of classes are suppressed round by round, on packed keys; and what is released then."""
    kinds = {"": (PEOPLE, SET_PEOPLE), "-rows": (ROWWISE, SET)}
    places = [PACKING.column_masks(quasi, at) for quasi, at in enumerate(LEVELS)]
    for variant, (kind, made) in kinds.items():
        made_of = CellSuppression(
            PACKING.keys, places, COMBINED, kind.requirements, kind.class_rows
        )
        names = ("classes at", "outliers of", "blanks of", "short of", "as shown", "and labels of")
        classes, found, after, short, seen, released = (table(f"{n}{variant}") for n in names)
        yield case(f"roll_up-node{variant}", kind.roll_up(classes, made, Node(LEVELS), rows=8))
        yield case(f"outliers{variant}", made_of.outliers(found, classes))
        yield case(f"unresolved{variant}", made_of.unresolved(found))
        yield case(f"suppress_cells{variant}", made_of.suppress(after, found))
        held = [*PACKING.keys, *kind.carried]
        statement = made_of.classes_after(seen, classes, after, carried=held)
        yield case(f"after_suppression{variant}", statement)
        yield case(f"rest-after_suppression{variant}", made_of.failing(short, seen))
        counted = made_of.suppressed_columns(seen, short)
        yield case(f"suppressed_columns{variant}", counted)
        counted = made_of.suppressed_columns(short, None)
        yield case(f"suppressed_columns-failing{variant}", counted)
        labelled = ClassLabels(PACKING, entity=not variant)
        of = {"node": Node(LEVELS), "suppressed_keys": made_of.keys}
        told = labelled.released(released, seen, short, table("labels; --"), **of)
        yield case(f"released_classes-suppressed{variant}", told)


def released_with_suppressed_cells():
    """The same by the source's own rows: a class's cells go to their roots, or the class goes."""
    several = [
        Released(column, level, top, table(f"blanked {column.name}"), (top,) if top > level else ())
        for column, top, level in zip(QUASI, TOPS, LEVELS, strict=True)
    ]
    for number, released in enumerate(several):
        statement = release_map(released, DOMAINS[number], COMPLETE[number])
        yield case(f"release_map-suppressed_{number}", statement)
    steps = [table(f"suppressing {n}") for n in range(5)]
    moved, left = table("bla'nked"), table("left out at last")
    said = released_classes.released_with_suppressed_cells(
        SourceRows(SOURCE, several, requirements(POLICY.privacy), WHO),
        COMBINED,
        steps=steps,
        moved=moved,
        failing=left,
    )
    names = ("classes-suppressed", "outliers-released", "suppress_cells-released_1",
             "suppress_cells-released_2", "moved_cells", "after_suppression-released",
             "rest-suppressed")  # fmt: skip
    for name, statement in zip(names, said, strict=True):
        yield case(name, statement)
    staged = staging_sql.stage(
        table("staged with blanks"), SOURCE, left, POLICY, several, order=ORDER, moved=moved
    )
    yield case("stage-suppressed", staged)


def writing(columns):
    as_csv, as_parquet = Destination(Format.CSV, "a.csv"), Destination(Format.PARQUET, "a.parquet")
    yield case("relation", commands_sql.relation(STAGED, columns))
    yield case("copy_csv", commands_sql.copy_out(STAGED, columns, as_csv, "re'lease.csv"))
    marked = Destination(Format.CSV, "a.csv", bom=True)
    yield case("copy_csv-bom", commands_sql.copy_out(STAGED, columns, marked, "re'lease.csv"))
    yield case(
        "copy_parquet", commands_sql.copy_out(STAGED, columns, as_parquet, "re'lease.parquet")
    )
    parts = Destination(Format.PARQUET, "parts", (SEX, WARD), Compression.SNAPPY, 4096)
    yield case(
        "copy_parquet-partitioned",
        commands_sql.copy_out(STAGED, columns, parts, "parts"),
    )
    added = replace(parts, file_size=10**9, recoded_by="0'1")
    made = commands_sql.copy_out(STAGED, columns, replace(added, partition_by=()), "files of parts")
    yield case("copy_parquet-files", made)
    marked = commands_sql.copy_out(
        STAGED, columns, replace(added, file_size=None), "parts of a plan"
    )
    yield case("copy_parquet-marked", marked)
    by_two = replace(added, added=((SEX, "x"), (WARD, "y")), file_size=None)
    yield case("copy_parquet-added", commands_sql.copy_out(STAGED, columns, by_two, "parts added"))
    remembered = replace(by_two, added=(), suppressed="0'1 2")
    written = commands_sql.copy_out(STAGED, columns, remembered, "parts beside suppressed ones")
    yield case("copy_parquet-suppressed", written)
    of_parts = "parts beside suppressed ones/**/*.parquet"
    yield case("suppressed_hashes", add_partition.suppressed_hashes(of_parts))
    yield case("coarser_files", add_partition.coarser_files("parts of a plan/**/*.parquet", 2))
    yield case("count_files", add_partition.count_files("parts of a plan/**/*.parquet", "0'1"))
    for out in (as_csv, as_parquet):
        passed = commands_sql.copy_out(
            STAGED, columns, out, f"script's.{out.format.value}", verdict=VERDICT
        )
        yield case(f"copy_{out.format.value}-verdict", passed)
    passed = commands_sql.copy_out(STAGED, columns, parts, "script's parts", verdict=VERDICT)
    yield case("copy_parquet-verdict_partitioned", passed)
    yield case("empty_copy", commands_sql.empty_copy(table("no ro'ws"), STAGED))


def seeing(kept):
    """A release that is a view holds no key, and is over what outlives the run."""
    unhashed = tuple(c for c in POLICY.columns if c.name != NAME)
    policy = replace(POLICY, columns=unhashed)
    order = [column.name for column in unhashed]
    kinds = {"": {}, "-replace": {"replace": True}, "-scratch": {"is_scratch": True}}
    for name, options in kinds.items():
        view = table("scratch; --" if name == "-scratch" else "se'en")
        made = staging_sql.release_view(
            view, SOURCE, kept, policy, RELEASES, order=order, **options
        )
        yield case(f"release_view{name}", made)
    known = replace(policy, nulls=Nulls.SUPPRESS)
    view = table("known; --")
    made = staging_sql.release_view(view, SOURCE, kept, known, RELEASES, order=order)
    yield case("release_view-nulls", made)
    yield case("comment_on_view", in_place_sql.comment_on_view(table("se'en"), "it's a view"))


def parting(line, tree, masks, nodes):
    """A tree in the order of its leaves, and a line in parts; the target is a sensitive column."""
    ranked, of_ranked = table("ran'ked"), table("nodes of ran'ked")
    yield case("ranked_paths", column_cuts.ranked_paths(ranked, tree))
    yield case(
        "node_intervals", column_cuts.node_intervals(of_ranked, ranked, list(enumerate(masks)))
    )
    working = table("places, targe't")
    own = [(column_of(name, of="s"), axis, "place") for name, axis in ((AGE, line), (ZIP, ranked))]
    target = column_of(DISEASE, of="s"), SPREADS[0]
    said = value_axes.places(
        working, SOURCE, own, sensitive=[], entity=None, target=target, region=0, rows=0
    )
    yield case("places-target", said)
    yield case("place_ranges", heads.place_ranges(working, 2))
    yield case("count_targets", heads.count_targets(working, targeted=True))
    yield case("count_targets-alone", heads.count_targets(working, targeted=False))
    cuts = table("two cu'ts")
    each_place = bottom_up.intervals(cuts, working, (), working, 2)
    yield case("intervals-places", each_place)
    yield case("interval_starts", column_cuts.interval_starts(cuts))
    loaded = mapping_sql.paths_from_rows(
        table("lo'aded"), ["value", "part", "low", "high"], [("0", "0", "-1", "9")]
    )
    yield case("paths_from_rows-cuts", loaded)
    yield case(
        "loaded_intervals",
        column_cuts.loaded_intervals(table("loaded cu'ts"), table("lo'aded")),
    )
    spots, kept = [table(f"spo'ts {n}") for n in range(2)], table("kep't")
    for n, (axis, place) in enumerate(((line, "place"), (ranked, "path"))):
        found = column_cuts.assigned_intervals(spots[n], axis, cuts, quasi=n, coordinate=place)
        yield case("assigned_intervals-tree" if n else "assigned_intervals", found)
    yield case(
        "kept_tuples",
        column_cuts.kept_tuples(
            kept, working, spots, requirements((KAnonymity(5),)), Regions((), ()).rows_of()
        ),
    )
    persons = table("places of person's")
    said = value_axes.places(
        persons, SOURCE, own, sensitive=[], entity=column_of(NAME, of="s"), region=0, rows=0
    )
    yield case("places-entities", said)
    of_people = Regions((), (), entity=True).rows_of()
    by_entity = column_cuts.kept_tuples(
        table("kept of person's"), persons, spots, requirements((KAnonymity(5),)), of_people
    )
    yield case("kept_tuples-entities", by_entity)
    valued = table("places of value's")
    values = [(column_of(c, of="s"), t) for c, t in zip((DISEASE, WARD), SPREADS, strict=True)]
    said = value_axes.places(valued, SOURCE, own, sensitive=values, entity=None, region=0, rows=0)
    yield case("places-values", said)
    needed, of_values = requirements(POLICY.privacy), Regions((), (), SPREAD)
    by_value = column_cuts.kept_tuples(
        table("kept of value's"), valued, spots, needed, of_values.rows_of()
    )
    yield case("kept_tuples-values", by_value)
    for n, (axis, place, of, kind) in enumerate(
        (
            (line, "place", LineAxis(line, 7, even=False), True),
            (ranked, "path", TreeAxis(nodes, tuple(masks)), False),
        )
    ):
        inside, ends, boxes = (table(f"{what} {n}") for what in ("in pa'rts", "ends", "bo'xes"))
        suffix = "-tree" if n else ""
        yield case(
            f"interval_tuples{suffix}",
            column_cuts.interval_tuples(inside, kept, spots[n], quasi=n),
        )
        alone = Regions((of,), ())
        yield case(f"regions-part_{n}", alone.survey(ends, inside))
        shown = Sides(0, BOUNDS if kind else LABELS)
        yield case(f"released_regions-part_{n}", alone.released(boxes, ends, [shown]))
        map_ = table(f"part ma'p {n}")
        yield case(
            f"interval_labels{suffix}",
            column_cuts.interval_labels(
                map_, axis, ends, boxes, coordinate=place, released_as=shown
            ),
        )
        yield case(f"interval_widths{suffix}", column_cuts.interval_widths(boxes))
    yield from classes_of_intervals(working, valued, needed, of_values)


def classes_of_intervals(working, valued, needed, of_values):
    maps, of_size = {n: table(f"part ma'p {n}") for n in range(2)}, requirements((KAnonymity(2),))
    of_rows = maps, of_size, Regions((), ()).rows_of("w")
    yield case("interval_classes", column_cuts.interval_classes(working, *of_rows))
    yield case("class_sizes-intervals", column_cuts.class_sizes(working, *of_rows))
    by_value = column_cuts.interval_classes(valued, maps, needed, of_values.rows_of("w"))
    yield case("interval_classes-values", by_value)


def within_levels(cut, masks, after):
    """A tree whose leaves are the nodes of its first level, and of which no region is a coarser one."""
    yield case("unfit_regions", region_cuts_sql.unfit_regions(cut, after))
    tree, nodes = table("tr'ee of level 1"), table("no'des from level 1")
    packing = Packing.of([[1, 2, 0]])
    yield case("tree-least", value_axes.tree(tree, MAPS[1], packing, keep=masks[1]))
    yield case("nodes-least", value_axes.nodes(nodes, tree, masks, least=1, all_leaves=4))
    flat = replace(cut, axes=(*cut.axes[:2], replace(cut.axes[2], flat=True)))
    yield case("regions-flat", flat.survey(table("flat re'gions"), after))
    bounded = replace(cut, axes=(*cut.axes[:2], TreeAxis(nodes, tuple(masks), least=1, most=1)))
    working, regions = table("wor'king"), table("regions within le'vels")
    yield case("regions-least", bounded.survey(regions, working))
    parts, cuts = table("parts at a le'vel"), table("cuts at a le'vel")
    asked = region_cuts_sql.RegionTuples(working, regions, at=bounded.bounded[0])
    yield case("axis_parts-at_level", region_cuts_sql.parts(bounded, parts, asked))
    yield case("cuts_at_level", region_cuts_sql.cuts_at_level(cuts, parts))


def in_regions():
    """Lines by all four orders and a tree, cut once; then rows are led to their boxes."""
    lines = [table(f"line; {n}") for n in range(4)]
    ages, visits = table("domain of ages"), table("domain of visits")
    for kind, domain, of in (("ages", ages, AGE), ("of_visits", visits, VISIT)):
        yield case(f"domain-{kind}", mapping_sql.domain(domain, SOURCE, of))
    listed = Listed(("nurse", "co'ok", "cook", "clerk"))
    orders = (OrderKind.NUMBER, OrderKind.TEXT, listed)
    for line, order, domain in zip(
        (lines[0], *lines[2:]), orders, (ages, DOMAINS[0], DOMAINS[3]), strict=True
    ):
        kind = "" if order is OrderKind.NUMBER else f"-{getattr(order, 'value', 'list')}"
        yield case(f"line{kind}", value_axes.line(line, domain, order))
        yield case(f"survey_line{kind}", value_axes.survey_line(line))
    by_units = {
        "": (visits, Dates()),
        "-day": (visits, Dates(DateUnit.DAY)),
        "-quarter": (visits, Dates(DateUnit.QUARTER)),
        "-year": (visits, Dates(DateUnit.YEAR)),
        "-step": (ages, Steps(Decimal(5))),
        "-parts": (ages, Steps(Decimal("2.5"))),
    }
    for kind, (domain, order) in by_units.items():
        units = table(f"uni'ts{kind}")
        yield case(f"units{kind}", value_axes.units(units, domain, order))
        axis = table(f"line by units{kind}")
        yield case(f"unit_line{kind}", value_axes.unit_line(axis, units, domain, order))
        if not kind:
            yield case("survey_line-units", value_axes.survey_line(axis))
    yield case("count_nulls", mapping_sql.count_nulls(visits))
    packing = Packing.of([[1, 2, 0]])
    tree, nodes = table("tr'ee"), table("no'des")
    yield case("tree", value_axes.tree(tree, MAPS[1], packing))
    narrow = Packing.of([[1, 2, 0]], 3)
    yield case("tree-narrow", value_axes.tree(table("narrow tr'ee"), MAPS[1], narrow))
    masks = [packing.column_masks(0, n)[0] for n in range(3)]
    yield case("nodes", value_axes.nodes(nodes, tree, masks, all_leaves=4))
    yield from parting(lines[0], tree, masks, nodes)
    cut = Regions(
        (
            LineAxis(lines[0], 7, even=False),
            LineAxis(lines[2], 1, even=True, weight=Decimal("1.5")),
            TreeAxis(nodes, tuple(masks)),
        ),
        requirements(POLICY.privacy),
        SPREAD,
        entity=True,
    )
    own = [
        (column_of(name, of="s"), axis, "place")
        for name, axis in zip((AGE, SEX, ZIP), (lines[0], lines[2], tree), strict=True)
    ]
    sensitive = [
        (column_of(name, of="s"), t) for name, t in zip((DISEASE, WARD), SPREADS, strict=True)
    ]
    working, after, done = table("wor'king"), table("af'ter"), table("do'ne")
    said = value_axes.places(
        working, SOURCE, own, sensitive=sensitive, entity=column_of(WHO, of="s"), region=0, rows=0
    )
    yield case("places", said)
    yield case("whole", whole(working, cut.requirements, cut.class_rows))
    regions, branches = table("re'gions"), table("bran'ches")
    yield case("regions", cut.survey(regions, working))
    parts, cuts = ([table(f"{what}; {n}") for n in range(2)] for what in ("parts", "cuts"))
    for n, suffix in enumerate(("", "-beside")):
        asked = region_cuts_sql.RegionTuples(working, regions, cuts[0] if n else None)
        yield case(f"axis_parts{suffix}", region_cuts_sql.parts(cut, parts[n], asked))
        yield case(f"region_cuts{suffix}", region_cuts_sql.cuts(cut, cuts[n], parts[n]))
    middle = replace(cut, median=True)
    yield case(
        "region_cuts-median",
        region_cuts_sql.cuts(middle, table("at the median"), parts[0]),
    )
    yield from branching(cut, list(zip(cuts, parts, strict=True)), regions, branches)
    yield from moving(cut, (working, after, done), (regions, cuts), branches)
    yield from by_distinct_values(cut, working, regions)
    yield from within_levels(cut, masks, after)
    yield from scoring(cut, regions, lines[0])
    yield from dealing(cut)
    yield from in_boxes(cut, own, done, after)
    yield from explaining_regions(cut, regions, after)
    yield from keeping_sides(cut, own, (ages, DOMAINS[0]), branches, after)


def branching(cut, found, regions, branches):
    """Regions are cut into branches; those without are finished."""
    yield case("branches", region_cuts_sql.branches(cut, branches, found, first=1))
    yield case("count_branches", region_cuts_sql.count_branches(cut, branches))
    for kind, some in (("", [branches]), ("-none", [])):
        ended = region_cuts_sql.finished_regions(table(f"un'cut{kind}"), [regions], some)
        yield case(f"finished_regions{kind}", ended)


def moving(cut, tuples, found, branches):
    """Tuples go into branches: each into one, into one or none, and along several depths."""
    (working, after, done), (regions, cuts) = tuples, found
    yield case("count_uncut", region_cuts_sql.count_uncut(cut, regions, cuts[0]))
    yield case("move_tuples", region_cuts_sql.split(cut, after, working, branches))
    between = table("be'tween")
    yield case("split", region_cuts_sql.split(cut, between, working, branches, gaps=True))
    (led,) = region_cuts_sql.lead(
        cut, table("l'ed"), working, [branches, branches], lambda *_: after
    )
    yield case("lead_tuples", led.statement)
    ordered = region_cuts_sql.lead(
        cut, table("led in or'der"), working, [branches], lambda *_: after, in_order=True
    )
    yield from (case("lead_tuples-in_order", each.statement) for each in ordered)
    deep = [branches] * (region_cuts_sql.DEPTHS + 1)
    (_, last) = region_cuts_sql.lead(cut, table("led furth'er"), working, deep, lambda *_: after)
    yield case("lead_tuples-further", last.statement)
    yield from by_rows(cut, working, regions)
    yield case("finished_tuples", region_cuts_sql.finished_tuples(cut, done, working, branches))


def by_rows(cut, working, regions):
    """Of lines whose rows alone are counted, cuts by width and branches by loss are one statement each."""
    wide = LineAxis(cut.axes[1].table, 2**61, even=True)
    lines = replace(
        cut, axes=(*cut.axes[:2], wide), requirements=needed_rows(), sensitive=(), entity=False
    )
    asked = region_cuts_sql.RegionTuples(working, regions)
    yield case("line_cuts", region_cuts_sql.line_cuts(lines, table("cuts of li'nes"), asked))
    by_loss, branches = replace(lines, choose=Choose.LOSS), table("branches by l'oss")
    made = region_cuts_sql.branches_by_loss(by_loss, branches, asked, first=1)
    yield case("branches_by_loss", made)
    yield case("count_branches-rows", region_cuts_sql.count_branches(by_loss, branches))
    again, of_branches = (
        table("branches of bran'ches"),
        replace(asked, regions=branches, of_branches=True),
    )
    made = region_cuts_sql.branches_by_loss(by_loss, again, of_branches, first=3)
    yield case("branches_by_loss-again", made)
    ended = region_cuts_sql.finished_branches(by_loss, table("en'ded"), [branches, again])
    yield case("finished_branches", ended)
    ended = region_cuts_sql.finished_branches(by_loss, table("en'ded after"), [again], regions)
    yield case("finished_branches-surveyed", ended)
    yield case("sampled_tuples", runs.sampled_tuples(lines, table("sam'ple"), working))
    after = table("moved in or'der")
    moved = region_cuts_sql.split(by_loss, after, working, branches, in_order=True)
    yield case("move_tuples-in_order", moved)


def along_a_hierarchy():
    rows = mapping_sql.MANY_ROWS + 1
    for kind in (OrderKind.NUMBER, OrderKind.TEXT):
        many = value_axes.line(table(f"many by {kind.value}"), DOMAINS[1], kind, rows=rows)
        yield case(f"line-many_by_{kind.value}", many)
    listing, paths = table("line al'ong"), LinePaths(COMPLETE[3], TOPS[3])
    yield case("line-along", value_axes.line(listing, DOMAINS[3], OrderKind.TEXT, along=paths))
    yield case("count_places", value_axes.count_places(listing))


def by_distinct_values(cut, working, regions):
    """Widths are shares of values that are there; and what is released is measured by its bounds."""
    yield from along_a_hierarchy()
    many = replace(cut, choose=Choose.LOSS, width=Width.DISTINCT, values=(8, 2, 4))
    found, parts, sides = (table(f"{what} by val'ues") for what in ("regions", "parts", "sides"))
    yield case("regions-distinct", many.survey(found, working))
    asked = region_cuts_sql.RegionTuples(working, found)
    yield case("axis_parts-distinct", region_cuts_sql.parts(many, parts, asked))
    yield case("bound_cuts-distinct", region_cuts_sql.bound_cuts(many, sides, parts))
    scored = table("sco'red by values")
    yield case("score_by_loss-distinct", region_cuts_sql.losses(many, scored, parts, sides))
    bounds = table("bou'nds")
    yield case("bounds_of", cutting_by.bounds_of(bounds, regions, 3))
    yield case("regions-again", many.survey_again(table("mea'sured"), bounds))


def assigning_to_boxes(cut, boxes, shown, working):
    """Tuples compared with boxes that may overlap, down a tree over them."""
    points, parted, below, nodes, within, containing, first, fits, found = (
        table(f"{what}'")
        for what in (
            "points",
            "parted",
            "below",
            "nodes",
            "within",
            "holding",
            "first",
            "fit",
            "narrow",
        )
    )
    yield case("box_points", boundaries_sql.points(points, working, 3))
    yield case("box_parts", boundaries_sql.parts(parted, boxes, 3, root=True))
    yield case("box_parts-below", boundaries_sql.parts(below, parted, 3, root=False))
    yield case("box_nodes", boundaries_sql.nodes(nodes, parted, 3))
    yield case("points_within", boundaries_sql.points_within(within, points, nodes, 3))
    yield case(
        "boxes_of_points", boundaries_sql.boxes_of_points(containing, within, parted, 3, tree=True)
    )
    yield case(
        "boxes_of_points-few",
        boundaries_sql.boxes_of_points(table("of fe'w"), points, boxes, 3, tree=False),
    )
    yield case("overlap", explain_regions.overlap(working, containing, 3))
    own = {"carried": cut.carried, "axes": 3}
    yield case("narrowest_box", boundaries_sql.narrowest_box(first, working, containing, **own))
    yield case("fitting_regions-boxes", boundaries_sql.fitting(fits, first, boxes, shown, cut))
    yield case(
        "narrowest_box-fitting",
        boundaries_sql.narrowest_box(found, working, containing, **own, fitting=fits),
    )


def keeping_sides(cut, own, domains, branches, after):
    """What is kept beside a plan, and new rows put into it; here the same rows again."""
    shown = [Sides(n, LABELS if n else BOUNDS) for n in range(3)]
    ends = {n: table(f"val'ues {n}") for n in range(2)}
    for n, named in ends.items():
        yield case(
            "line_values-1" if n else "line_values", boundaries_sql.line_values(named, own[n][1])
        )
    yield case(
        "narrowest_first",
        boundaries_sql.narrowest_first(table("narrow'est"), table("en'ds"), cut.axes),
    )
    sides = table("kept si'des")
    of_boxes = boundaries_sql.boundaries(
        sides, cut.axes, ends, regions=table("en'ds"), branches=[branches]
    )
    yield case("boundaries", of_boxes)
    own_columns = [Column(text, Role.QUASI, order=OrderKind.TEXT) for text in (AGE, SEX, ZIP)]
    trees = (False, False, True)
    yield case(
        "empty_boundaries",
        boundaries_sql.empty_boundaries(table("li'ke"), SOURCE, own_columns, trees),
    )
    snapped = [
        replace(each, order=order)
        for each, order in zip(
            own_columns, (Steps(Decimal(5)), Dates(), Steps(Decimal("2.5"))), strict=True
        )
    ]
    no_trees = (False, False, False)
    yield case(
        "empty_boundaries-units",
        boundaries_sql.empty_boundaries(table("li'ke units"), SOURCE, snapped, no_trees),
    )
    leaves, nodes = table("ranked lea'ves"), table("label no'des")
    yield case(
        "ranked_leaves",
        boundaries_sql.ranked_leaves(leaves, DOMAINS[1], COMPLETE[1], height=2, as_text=False),
    )
    yield case("label_intervals", boundaries_sql.label_intervals(nodes, leaves, 2))
    placed = [
        boundaries_sql.AxisCoordinates(own[0][1]),
        boundaries_sql.AxisCoordinates(own[1][1]),
        boundaries_sql.AxisCoordinates(leaves, nodes),
    ]
    parts = [table(f"ends {n}") for n in range(2)]
    pair = (cut.axes[0], cut.axes[2])
    of_parts = table("si'des of parts")
    yield case(
        "boundaries-parts", boundaries_sql.boundaries(of_parts, pair, {0: ends[0]}, parts=parts)
    )
    both = table("both doma'ins")
    yield case(
        "values_and_boundaries", boundaries_sql.values_and_boundaries(both, domains[0], sides, 0)
    )
    routes, boxes, inside, fits = (table(f"{n}'") for n in ("routes", "told", "in", "fits"))
    yield case("branch_intervals", boundaries_sql.branch_intervals(routes, sides, placed))
    yield case(
        "released_boundaries",
        boundaries_sql.released_boundaries(boxes, sides, dict(enumerate(placed)), shown),
    )
    one = table("told of one'")
    yield case(
        "released_boundaries-part",
        boundaries_sql.released_boundaries(one, of_parts, {0: placed[0]}, shown[:1], only=0),
    )
    map_ = table("told pa'rts")
    yield case(
        "released_intervals",
        boundaries_sql.released_intervals(map_, own[0][1], one, shown[0], quasi=0),
    )
    homes = table("ho'mes")
    yield case("tuples_within", boundaries_sql.tuples_within(inside, homes, boxes, 3))
    yield case("count_assigned", boundaries_sql.count_assigned(inside))
    yield case("fitting_regions", boundaries_sql.fitting(fits, inside, boxes, shown, cut))
    yield case("unfit_tuples", boundaries_sql.unfit_tuples(table("left o'ut"), inside, fits))
    yield case("regions_of_tuples", boundaries_sql.regions_of_tuples(table("pla'in"), inside, 3))
    yield from assigning_to_boxes(cut, boxes, shown, after)
    axes = [
        (column_of(text, of="s"), axis)
        for text, axis in zip((AGE, SEX, ZIP), (own[0][1], own[1][1], leaves), strict=True)
    ]
    of_tuples = boundaries_sql.released_tuples(
        table("told of tu'ples"),
        SOURCE,
        table("pla'in"),
        boxes,
        axes=axes,
        labels_of_regions=shown,
    )
    yield case("released_tuples", of_tuples)
    yield from as_models(sides, map_)
    in_one = [Released(QUASI[0], 1, 2, map_)]
    yield case("count_released", boundaries_sql.count_released(SOURCE, in_one))


def as_models(sides, map_):
    """What models of dbt read: boundaries and values as texts; and steps as one query."""
    names = boundaries_sql.columns((False, False, True))
    yield case("boundary_texts", boundaries_sql.boundary_texts(sides, names, 100))
    types = [ColumnType(each, "INTEGER") for each in ("region", "code")]
    loaded = boundaries_sql.loaded_boundaries(table("loaded si'des"), map_, types)
    yield case("loaded_boundaries", loaded)
    seen = table("se'en")
    read = boundaries_sql.source_values(seen, SOURCE, [AGE], [], distinct=True)
    yield case("source_values", read)
    every = boundaries_sql.source_values(table("se'en rows"), SOURCE, [], [AGE], distinct=False)
    yield case("source_values-rows", every)
    yield case(
        "one_query",
        boundaries_sql.one_query([read, mapping_sql.domain(table("dom'ain"), seen, AGE)]),
    )


def scoring(cut, regions, line):
    """Every cut of every axis is scored: by its loss, by the classes of a target, by its numbers."""
    codes, working = table("whole num'bers"), table("tuples with a tar'get")
    yield case("whole_numbers", region_cuts_sql.whole_numbers(codes, line))
    own = [(column_of(AGE, of="s"), line, "place")]
    said = value_axes.places(
        working,
        SOURCE,
        own,
        sensitive=[],
        entity=None,
        target=(column_of(AGE, of="s"), codes),
        region=0,
        rows=0,
    )
    yield case("places-numbers", said)
    for choose in (Choose.LOSS, Choose.INFORMATION, Choose.VARIANCE):
        of = replace(cut, choose=choose, targeted=choose is not Choose.LOSS)
        parts, scored = table(f"parts by {choose}"), table(f"sco'red by {choose}")
        asked = region_cuts_sql.RegionTuples(
            table("wor'king") if choose is Choose.LOSS else working, regions
        )
        if choose is not Choose.LOSS:
            of = replace(
                of, axes=of.axes[:1], sensitive=(), entity=False, requirements=needed_rows()
            )
        yield case(f"axis_parts-{choose}", region_cuts_sql.parts(of, parts, asked))
        if choose is Choose.LOSS:
            sides = table("si'des")
            yield case("bound_cuts", region_cuts_sql.bound_cuts(of, sides, parts))
            yield case("score_by_loss", region_cuts_sql.losses(of, scored, parts, sides))
        else:
            yield case(f"score_by_{choose}", region_cuts_sql.by_target(of, scored, parts, asked))
        yield case(
            f"region_cuts-{choose}", region_cuts_sql.cuts(of, table(f"cut by {choose}"), scored)
        )


def needed_rows():
    return tuple(requirements((KAnonymity(2),)))


def dealing(cut):
    """Lines are cut at half of their rows: tuples lie in one region, or in several."""
    ordered = mapping_sql.map_values(
        table("map by bytes"), DOMAINS[1], COMPLETE[1], height=2, as_text=True, by_bytes=True
    )
    yield case("map-by_bytes", ordered)
    of_spread = mapping_sql.domain_codes(
        table("codes by bytes"), SOURCE, DISEASE, rows=8, by_bytes=True, counts_null=False
    )
    yield case("domain_codes-by_bytes", of_spread)
    dealt = replace(cut, relaxed=True)
    working, regions, parts = table("wor'king"), table("re'gions"), table("halves")
    cuts, branches, after = table("cuts at half"), table("branches of rows"), table("dealt; after")
    asked = region_cuts_sql.RegionTuples(working, regions)
    yield case("axis_parts-relaxed", region_cuts_sql.parts(dealt, parts, asked))
    yield case("region_cuts-relaxed", region_cuts_sql.cuts(dealt, cuts, parts))
    found = [(cuts, parts)]
    yield case("branches-relaxed", region_cuts_sql.branches(dealt, branches, found, first=1))
    yield case("split_relaxed", region_cuts_sql.split(dealt, after, working, branches))
    lines = replace(dealt, axes=dealt.axes[:2], entity=False)
    yield case(
        "split_relaxed-lines", region_cuts_sql.split(lines, table("dealt lines"), working, branches)
    )
    yield case("region_of_row", region_cuts_sql.region_of_row(dealt, table("dealt; ho'mes"), after))
    yield from in_runs(cut, working, regions)
    yield from of_kept_cut(cut, branches)
    yield from weighing_regions(cut)


def of_kept_cut(cut, branches):
    """A cut in a file beside its plan, with and without groups of rows, and how it leads there again."""
    kept, seen, starts, groups = map(table, ("kept cu't", "seen cu't", "star'ts", "mer'ged"))
    yield case("kept_cut", kept_cut.kept_cut(kept, [branches, branches], groups, of="a'b;--"))
    alone = kept_cut.kept_cut(table("a cu't alone"), [branches], None, of="a'b;--")
    yield case("kept_cut-alone", alone)
    shown = [(1, table("ce;lls")), (2, table("ce;lls"))]
    values = kept_cut.kept_cut(table("a cu't of values"), [branches], groups, shown, of="a'b;--")
    yield case("kept_cut-values", values)
    yield case("empty_cut", kept_cut.empty_cut(table("no cu't")))
    yield case("cut_of_plan", kept_cut.cut_of_plan(seen, kept, of="a'b;--"))
    yield case("count_cut", kept_cut.count_cut(seen))
    yield case("kept_branches", kept_cut.kept_branches(table("kept branch'es"), seen))
    yield case("kept_starts", kept_cut.kept_starts(starts, seen))
    yield case("kept_values", kept_cut.kept_values(table("kept va'lues"), seen))
    yield case("leaf_rows", kept_cut.leaf_rows(table("leaf ro'ws"), groups))
    runs = kept_cut.runs_from_starts(cut, table("kept ru'ns"), table("li'ne"), starts)
    yield case("runs_from_starts", runs)


def in_one_line(cut, alone, working, ranks):
    """One line of the whole table, and its equal parts, in which rows are found by their numbers."""
    for tag, of, least in (("", cut, {1: -1}), ("-alone", alone, {})):
        whole = table(f"who'le{tag}")
        line_order = LineOrder(of.axes, [2, 0, 1], [2, 3, 4], least, ranks)
        yield case(f"one_line{tag}", runs_sql.one_line(of, whole, working, line_order))
        runs = table(f"one line's ru'ns{tag}")
        cut_up = runs_sql.equal_parts(of, runs, whole, rows=7, least=2)
        yield case(f"equal_parts-whole{tag}", cut_up)
    for tag, part in (("", LineCut.of(7, 2)), ("-narrow", LineCut.of(8, 2))):
        equal = table(f"equal runs of one li'ne{tag}")
        made = runs_sql.equal_runs(alone, equal, whole, part, once=not tag)
        yield case(f"equal_runs{tag}", made)
    yield case("filled_runs", runs_sql.filled_runs(FILLED, whole, line_order, part))
    yield case("regions-keyed", alone.survey(table("keyed en'ds"), equal, keyed=True))
    yield from sorted_once(alone, ranks)


def sorted_once(alone, ranks):
    """Rows in one line, and the regions that their numbers tell."""
    axes = [alone.axes[0].table, alone.axes[1].table, table("tr'ee")]
    mapped = [
        SimpleNamespace(column=SimpleNamespace(name=text), domain=domain, nulls=bool(n))
        for n, (text, domain) in enumerate(
            ((AGE, table("domain of ages")), (SEX, DOMAINS[0]), (ZIP, DOMAINS[1]))
        )
    ]
    yield case("ranks_of_values", runs.ranks_of_values(table("place ra'nks"), axes, mapped))
    ranked = rare_bounds.rare_places(
        table("rare ra'nks"), table("place ra'nks"), [0, 1], entity=False, least=5, ranked=True
    )
    yield case("rare_places-ranked", ranked)
    request = SimpleNamespace(opened=SimpleNamespace(table=SOURCE, rows=8), mapped=mapped)
    order = LineOrder(alone.axes, [2, 0, 1], [2, 3, 4], {1: -1}, ranks)
    stored, in_order = table("sor'ted"), table("numb'ered")
    yield case("sorted_rows", runs.sorted_rows(stored, request, axes, order, [DISEASE]))
    yield case("first_row", runs.first_row(stored))
    yield case("rows_by_number", runs.rows_by_number(in_order, stored, 36028797018960000))
    parts, cut, long = table("par'ts of rows"), LineCut.of(7, 2), table("lo'ng")
    yield case("parts_of_rows", runs.parts_of_rows(parts, in_order, alone, cut))
    yield case("long_tuples", runs.long_tuples(long, in_order, parts))
    seen = table("bou'nds of parts"), table("ru'ns of rows")
    yield case("bounds_of_parts", runs.bounds_of_parts(seen[0], parts, FILLED))
    yield case("runs_of_rows", runs.runs_of_rows(seen[1], in_order, FILLED, alone, cut))


def in_order_of_leaves(cut, working, regions, orders):
    """The axes are ordered by how alike rows are; values of long lines get numbers."""
    values, long = table("leaf val'ues"), LineAxis(cut.axes[1].table, 10**6, even=True)
    yield case("leaf_values", runs_sql.leaf_values(cut, values, working))
    in_leaves = runs_sql.leaf_orders(cut, orders, regions, counted=values, leaves=working)
    yield case("leaf_orders", in_leaves)
    wide = replace(cut, axes=(cut.axes[0], long, *cut.axes[2:]))
    numbered = runs_sql.ranks_in_leaves(wide, table("ranks of long li'nes"), working, orders)
    yield case("ranks_in_leaves", numbered)


def in_runs(cut, working, regions):
    """Larger regions are ordered and grouped: in the order of each, or one for all, equally or by loss."""
    ranks, orders, line = table("ra'nks"), table("ord'ers"), table("li'ne")
    yield case("local_ranks", runs_sql.local_ranks(cut, ranks, working))
    yield from in_order_of_leaves(cut, working, regions, orders)
    yield case("greatest_radixes", runs_sql.greatest_radixes(cut, orders))
    found = {"ranks": ranks, "keys": [[0, 1], [2]]}
    yield case("lined_tuples", runs_sql.lined_tuples(cut, line, working, orders=orders, **found))
    yield case("axes_by_values", runs_sql.axes_by_values(ranks))
    orders, given = table("one ord'er"), [2, 0, 1]
    yield case(
        "leaf_orders-given", runs_sql.leaf_orders(cut, orders, regions, ranks=ranks, given=given)
    )
    alone = replace(cut, sensitive=(), entity=False)
    lined = runs_sql.lined_tuples(
        alone,
        table("one li'ne"),
        working,
        orders=orders,
        given=given,
        **found | {"keys": [[0, 1, 2]]},
    )
    yield case("lined_tuples-given", lined)
    yield case("axes_of_line", runs_sql.axes_of_line(ranks))
    yield from in_one_line(cut, alone, working, ranks)
    equal, parts = table("equal ru'ns"), table("sec'tions")
    yield case("equal_parts", runs_sql.equal_parts(cut, equal, line, least=2))
    yield case("equal_parts-most", runs_sql.equal_parts(cut, parts, line, most=6))
    counted, spans, blocks = table("coun'ted"), table("spa'ns"), table("blo'cks")
    yield case("sections", runs_sql.sections(counted, parts, 2, 10))
    upto = table("up't o")
    yield case("numbers-spans", numbers(upto, {"number": True}, [(n,) for n in range(STEPS + 1)]))
    yield case("spans", runs_sql.spans(spans, upto, 10))
    of = {"parts": parts, "sections": counted, "least": 2}
    yield case("blocks", runs_sql.blocks(cut, blocks, spans=spans, **of))
    bounded, losses = table("boun'ded"), table("los'ses")
    possible = runs_sql.PossibleRuns(cut, 2, span=8)
    yield case("step_bounds", possible.step_bounds(bounded, blocks, spans))
    yield case("run_losses", possible.losses(losses, bounded, spans))
    pairs, all_ = table("pai'rs"), table("al'l")
    yield case("joined_segments", possible.joined_segments(pairs, losses, level=0))
    yield case("joined_segments-again", possible.joined_segments(all_, pairs, level=1))
    halves, chosen = table("hal'ves"), table("cho'sen")
    yield case("chosen_segments", runs_sql.chosen_segments(halves, all_, None, level=1))
    yield case("chosen_segments-above", runs_sql.chosen_segments(chosen, pairs, halves, level=0))
    runs, of = table("ru'ns"), of | {"blocks": blocks, "chosen": chosen, "span": possible.span}
    yield case("runs_of_tuples", runs_sql.runs_of_tuples(cut, runs, **of))
    unfit, after = table("un'fit runs"), table("mer'ged")
    yield case("unfit_runs", runs_sql.unfit_runs(cut, unfit, runs))
    yield case("count_unfit", runs_sql.count_unfit(unfit))
    far = table("merged fa'r")
    yield case("merged_runs-far", runs_sql.merged_runs(far, runs, unfit, reach=4))
    merged = table("what runs beco'me")
    yield case("merged_runs", runs_sql.merged_runs(merged, runs, unfit))
    yield case("after_merging", runs_sql.after_merging(cut, after, runs, merged))


def weighing_regions(cut):
    """Cuts both sides of which fit by what weighs values: of lines, a tree, and lines at half of their rows."""
    models = (
        KAnonymity(2),
        EntropyDiversity(DISEASE, Decimal("1.5")),
        TCloseness(DISEASE, Decimal("0.5")),
    )
    working, regions, values = table("wor'king"), table("re'gions"), table("values of regi'ons")
    of = SensitiveAttribute(DISEASE)
    counted = TableValues(working, column_of("spread_0"), weighted=True, coded=True)
    needed = requirements_unsuppressed(models)
    for _, found, said in table_values(needed, lambda: values, lambda _: counted):
        yield case("table_values-regions", said)
        weighed = replace(cut, requirements=needed, of_table={of: found}, entity=False)
    kinds = {
        "": weighed,
        "-lines": replace(weighed, axes=weighed.axes[:2]),
        "-relaxed": replace(weighed, relaxed=True),
    }
    for variant, kind in kinds.items():
        sides, fitting = table(f"sid'es{variant}"), table(f"fit'ting{variant}")
        parts, cuts = table(f"parts weigh'ed{variant}"), table(f"cuts weigh'ed{variant}")
        asked = region_cuts_sql.RegionTuples(working, regions)
        yield case(f"cut_sides{variant}", region_cuts_sql.cut_sides(kind, sides, asked))
        yield case(f"fitting_cuts{variant}", region_cuts_sql.fitting_cuts(kind, fitting, sides))
        yield case(f"axis_parts-weighed{variant}", region_cuts_sql.parts(kind, parts, asked))
        made = region_cuts_sql.cuts(kind, cuts, parts, fitting)
        yield case(f"region_cuts-weighed{variant}", made)
    yield case("unfit_regions-weighed", region_cuts_sql.unfit_regions(weighed, working))


def explaining_regions(cut, regions, tuples):
    """What each column of a partition costs, why it ended, and which boxes overlap."""
    yield case("region_columns", explain_regions.region_columns(regions, 3))
    of_classes = explain_regions.region_columns(regions, 2, whole=True)
    yield case("region_columns-whole", of_classes)
    yield case("region_ends", explain_regions.region_ends(regions, 3, least=4))
    by_people = explain_regions.region_ends(regions, 3, least=4, tuples=tuples)
    yield case("region_ends-entity", by_people)
    boxes = table("bo'xes")
    yield case("region_boxes", explain_regions.region_boxes(boxes, regions, cut.axes))


FILLED = table("fil'led ru'ns")


def staged_in_line(policy, released, order, of):
    """Rows are numbered to be staged, and those that were sorted are staged as they stand."""
    lined = assign_regions.stage_by_regions(
        table("staged by line"),
        SOURCE,
        assigned=table("ho'mes"),
        regions=table("keyed box'es"),
        policy=policy,
        released=released,
        order=order,
        lined=LinedRows(of, LineCut.of(7, 2), FILLED),
    )
    yield case("stage-lined", lined)
    sorted_ = LinedRows(of, LineCut.of(7, 2), FILLED, table("numb'ered"), (DISEASE,))
    of_rows = assign_regions.stage_by_regions(
        table("staged from sorted"),
        SOURCE,
        assigned=table("ho'mes"),
        regions=table("keyed box'es"),
        policy=replace(
            policy,
            columns=tuple(
                each
                if each.role is Role.QUASI
                else Column(each.name, Role.SENSITIVE)
                if each.name == DISEASE
                else Column(each.name, Role.IDENTIFYING)
                for each in policy.columns
            ),
        ),
        released=released,
        order=order,
        lined=sorted_,
    )
    yield case("stage-sorted", of_rows)


def in_boxes(cut, own, done, after):
    homes, ends, boxes = table("ho'mes"), table("en'ds"), table("box'es")
    yield case("union_all", region_cuts_sql.union_all(homes, [done, after]))
    yield case(
        "tuples_in_order", region_cuts_sql.tuples_in_order(table("in ord'er"), [done, after])
    )
    yield case("regions-ends", cut.survey(ends, homes))
    shown = [Sides(n, LABELS if n else BOUNDS) for n in range(3)]
    yield case("released_regions", cut.released(boxes, ends, shown))
    yield from in_the_middle(cut, homes, ends)
    yield case("released_totals", cutting_by.totals(boxes, shown))
    yield case("released_widths", cutting_by.widths(boxes, shown))
    stands = [type("Stands", (type(each.output),), {"is_of_class": True})() for each in shown]
    of_class = [Sides(n, output) for n, output in enumerate(stands)]
    measured = [
        (axis, table("tr'ee") if axis.tree else axis.table, kind)
        for axis, kind in zip(cut.axes, ("number", "list", None), strict=True)
    ]
    widths = cutting_by.class_widths(table("class wid'ths"), homes, boxes, of_class, measured)
    yield case("class_widths", widths)
    for kind, entity in (("", False), ("-entity", True)):
        rare = table(f"ra're{kind}")
        found = rare_bounds.rare_places(rare, homes, [0, 1], entity=entity, least=5)
        yield case(f"rare_places{kind}", found)
    yield from chosen_together(cut, homes, rare)
    yield case(
        "count_bounds", rare_bounds.count_bounds(rare, [(0, ends, 0, None), (1, ends, 1, None)])
    )
    values = [(0, ends, 0, table("o'ne-median"))]
    yield case("count_bounds-values", rare_bounds.count_bounds(rare, values))
    yield case("smallest_released", cutting_by.smallest(homes, boxes, shown))
    for suffix, entities in (("", None), ("-people", homes)):
        sizes = cutting_by.class_sizes(entities, boxes, shown)
        yield case(f"class_sizes-regions{suffix}", sizes)
    of_boxes = [
        replace(column, order=OrderKind.TEXT, output=BOUNDS if n == 2 else LABELS)
        for n, column in enumerate(QUASI[:3])
    ]
    released = [
        ReleasedRegions(of_boxes[at], 0, 0, axis, boundaries=sides.names)
        for at, (_, axis, _), sides in zip((2, 0, 1), own, shown, strict=True)
    ]
    others = [c for c in POLICY.columns if c.name not in {NAME, JOB} and c not in QUASI]
    policy = replace(POLICY, columns=(*others, *(each.column for each in released)))
    order = [column.name for column in policy.columns]
    staged = table("staged in boxes")
    leaves = assign_regions.stage_by_regions(
        staged, SOURCE, assigned=homes, regions=boxes, policy=policy, released=released, order=order
    )
    yield case("stage-boxes", leaves)
    parts = [
        {"from": part["from"], "as": part["as"]}
        for at, each in enumerate(released)
        for part in quasi_columns(each, at, column_of(each.column.name))
    ]
    rows = table("ro'ws of boxes")
    yield case("region_rows", assign_regions.region_rows(rows, boxes, parts, 'ro"ws'))
    dealt = assign_regions.RowOrder(cut.axes, dict(zip(SPREAD, SPREADS, strict=True)), WHO)
    leaves = assign_regions.stage_by_regions(
        table("staged by lot"),
        SOURCE,
        assigned=table("dealt; ho'mes"),
        regions=boxes,
        policy=policy,
        released=released,
        order=order,
        relaxed=dealt,
    )
    yield case("stage-relaxed", leaves)
    keyed = table("keyed box'es")
    alone = replace(cut, sensitive=(), entity=False)
    made = alone.released(keyed, table("keyed en'ds"), shown, keyed=True)
    yield case("released_regions-keyed", made)
    order_of_line = LineOrder(alone.axes, [2, 0, 1], [2, 3, 4], {1: -1}, table("ra'nks"))
    yield from staged_in_line(policy, released, order, order_of_line)
    wards = table("wards by; lot")
    yield case("domain-lot", mapping_sql.domain(wards, SOURCE, WARD))
    joined = label_codes.with_values(leaves, {WARD: wards})
    taken = [f"kanon_code_{n}" for n in range(len(order))]
    yield case(
        "stage-beside",
        label_codes.stage_codes(joined, table("co'des by lot"), {}, [], taken=taken),
    )


def of_numbers(output):
    return Column(AGE, Role.QUASI, output=output, order=OrderKind.NUMBER)


def in_the_middle(cut, homes, ends):
    """A box is shown by what its rows have in the middle."""
    of_line = Shown(cut.axes[0], cut.axes[0].table, 0)
    for output in (MEAN, MEDIAN):
        centres = table(f"cen'tres by {output}")
        (found,) = of_line.cells(centres, homes, of_numbers(output), table)
        yield case("centres" if output is MEAN else f"centres-{output}", found)
    shown = [Sides(n, LABELS if n else MEDIAN) for n in range(3)]
    boxes = cut.released(table("boxes by the middle"), ends, shown, found={0: centres})
    yield case("released_regions-centre", boxes)
    yield from by_their_values(cut, homes, ends)


def chosen_together(cut, homes, rare):
    """Values of two columns that are chosen for all boxes together."""
    yield case("rare_counts", rare_bounds.rare_counts(rare))
    line, _, tree = cut.axes
    of_line, of_tree = Shown(line, line.table, 0), Shown(tree, table("tr'ee"), 2)
    counts, common, spots = (table(f"{n}'") for n in ("counts", "common", "spots"))
    numbers = count()
    statements, people = (
        Apportioned([0, 2], homes, lambda what: table(f"{what}' {next(numbers)}"), entity=each)
        for each in (False, True)
    )
    yield case("apportioned_counts", statements.count(counts))
    yield case("apportioned_spots", statements.number(spots, counts))
    few, shown = table("rows of ra're"), table("sho'wn")
    yield case("apportioned_rare", rows_of_rare(few, counts, rare))
    yield case("apportioned_common", leave_out_rare(common, counts, spots, hidden=rare, rare=few))
    yield case("apportioned_start", statements.start(shown, common, spots, few))
    yield case("apportioned_start-all", statements.start(table("sho'wn-all"), counts, spots, None))
    yield case("apportioned_columns", columns_with_values(shown, 2))
    found = {0: table("o'ne-apportioned"), 2: table("o'ther-apportioned")}
    pairs = ApportionedPairs(table("pa'irs"), table("mo're"))
    values = {0: of_line, 2: of_tree}
    steps = statements.choose(found, values, shown, common, pairs, most=2, lone=1)
    chosen = ("moves", "rest_after", "after")
    names = ("movable", "pairs", "rest", "offers", *chosen, *(f"{each}-next" for each in chosen))
    names = (
        *names,
        "after-all",
        "lone",
        "movable-lone",
        "lone_moves",
        "rest_after-all",
        "after-last",
    )
    for name, step in zip(names, steps, strict=False):
        yield case(f"apportioned_{name}", step.statement)
    *_, last = steps
    yield case("apportioned", last.statement)
    yield case("apportioned-kept", shown_values(table("ke'pt-apportioned"), shown, of_line))
    lone = people.offer_to_lone(table("lone of pe'ople"), shown, common, 2)
    yield case("apportioned_lone-people", lone)


def by_their_values(cut, homes, ends):
    """A box is shown by the values of its rows, by one of them, or by the node above them."""
    line, text, tree = cut.axes
    of_line, of_text = Shown(line, line.table, 0), Shown(text, text.table, 1)
    of_tree = Shown(tree, table("tr'ee"), 2)
    in_steps = LineAxis(table("line by units-step"), 7, True, None, table("uni'ts-step"), True)
    of_steps = Shown(in_steps, in_steps.table, 0)
    at_least = Shown(replace(tree, least=1), table("tr'ee"), 2)
    sets = {"": of_text, "-units": of_steps, "-nodes": at_least}
    for kind, values in sets.items():
        (found,) = values.cells(table(f"se'ts{kind}"), homes, of_numbers(SETS), table)
        yield case(f"sets{kind}", found)
    for kind, values in (("", of_tree), ("-median", of_line)):
        one = table(f"o'ne{kind}")
        (found,) = values.cells(one, homes, of_numbers(REPRESENTATIVE), table)
        yield case(f"representatives{kind}", found)
    shown = [
        Sides(0, REPRESENTATIVE), Sides(1, SETS), Sides(2, LABELS)
    ]  # fmt: skip
    by = {0: table("o'ne-median"), 1: table("se'ts")}
    yield case("released_regions-values", cut.released(table("val'ued"), ends, shown, found=by))
    above, covering = table("above the li'ne"), table("cover'ing")
    paths = LinePaths(COMPLETE[0], TOPS[0], as_text=False)
    yield case("line_nodes", value_axes.line_nodes(above, text.table, paths))
    yield case("parted_nodes", value_axes.parted_nodes(above, paths.levels))
    noded = replace(text, nodes=above, levels=paths.levels)
    found = cutting_by.nodes_of_lines(covering, ends, noded, 1)
    yield case("nodes_of_lines", found)
    as_nodes = [Sides(n, NODE if n == 1 else LABELS) for n in range(3)]
    made = cut.released(table("in no'des"), ends, as_nodes, found={1: covering})
    yield case("released_regions-nodes", made)


def held(*, people, seal=None):
    """What is claimed of the staged table: people in it as its entity, or not shown and rows alone."""
    quasi = {each.column.name: each.names for each in RELEASES}
    whole = tuple(name for names in quasi.values() for name in names)
    some = (SEX, ZIP)
    claims = (
        Claim(Kind.K, 2, (), WHO, recounted=people),
        Claim(Kind.DISTINCT_L, 1, (), DISEASE, nulls=SensitiveNulls.NOT_COUNTED),
        Claim(Kind.CLASSES, 1),
        Claim(Kind.SMALLEST, 4, (), WHO, recounted=people),
        Claim(Kind.K, 2, some, WHO, recounted=people),
        Claim(Kind.DISTINCT_L, 1, some, WARD, nulls=SensitiveNulls.VALUE),
        Claim(Kind.ROWS, 4),
        Claim(Kind.SUPPRESSED, 5, source_rows=len(ROWS)),
        Claim(Kind.COLUMNS, 0),
        *((Claim(Kind.UNIQUE, 0, (), WHO), Claim(Kind.ABOVE, 4, (), WHO)) if people else ()),
    )
    classes = {(): whole, some: (*quasi[SEX], *quasi[ZIP])}
    names = [*staging_sql.output_columns(POLICY, RELEASES, ORDER), staging_sql.ENTITY]
    columns = [(name, False) for name in names]
    return ClaimedRelease(
        STAGED, claims, classes, columns, staging_sql.ENTITY if people else None, seal
    )


def reidentified(quasi):
    """Classes by size, in a population and by signatures, and how well columns distinguish rows."""
    yield case("class_histogram", risk_sql.class_histogram(STAGED, quasi))
    people = risk_sql.class_histogram(STAGED, quasi, entity=staging_sql.ENTITY)
    yield case("class_histogram-people", people)
    yield case("population_histogram", risk_sql.population_histogram(SOURCE, SOURCE, [SEX]))
    known = risk_sql.population_histogram(
        SOURCE, SOURCE, [SEX, ZIP], entity=WHO, population_entity=WHO
    )
    yield case("population_histogram-people", known)
    yield case("signature_histogram", risk_sql.signature_histogram(SOURCE, [SEX, ZIP], WHO))
    sample = table("sample of columns")
    for n, source in enumerate((SOURCE, sample)):
        drawn = table("smaller sample") if n else sample
        columns = [SEX, ZIP]
        sampling = column_sets.sample_columns(drawn, source, columns, 0.5, encoded=n > 0)
        yield case("sample_columns-again" if n else "sample_columns", sampling)
        counted = column_sets.column_sets(source, [[SEX], [SEX, ZIP]], encoded=n > 0, rows=0)
        yield case("column_sets-sample" if n else "column_sets", counted)


def held_as_a_whole():
    """What is claimed of all classes together: a model of the whole table each."""
    models = AverageRisk(Decimal(1)), SampleUniqueness(Decimal("0.25"))
    claims = [
        Claim(Kind.TABLE, each.bound, model=model, measured=each.measure.reported, divisor=10**9)
        for model in models
        for each in model.requirements
    ]
    release = held(people=False)
    return replace(release, claims=(*claims, *(each for each in release.claims if not each.over)))


def held_by_models():
    """What is claimed of the values of its classes, each weighed; a NULL ward is a value."""
    weighed = {"over": (), "nulls": SensitiveNulls.VALUE, "divisor": 10**9}
    far = TCloseness(
        WARD,
        Decimal("0.5"),
        GroundDistance.ORDERED,
        order=OrderKind.TEXT,
        nulls=SensitiveNulls.VALUE,
    )
    beta = BetaLikeness(WARD, Decimal(2), nulls=SensitiveNulls.VALUE)
    diverse = RecursiveDiversity(DISEASE, Fraction(9, 4), 2)
    claims = (
        Claim(
            Kind.MODEL, 5 * 10**8, counts=WARD, order=OrderKind.TEXT, model=far,
            measured="largest_ordered_distance", **weighed,
        ),
        Claim(Kind.MODEL, 2 * 10**9, counts=WARD, model=beta, measured="largest_gain", **weighed),
        Claim(
            Kind.MODEL, 2_250_000_000, counts=DISEASE, model=diverse, measured="largest_c", divisor=10**9,
            nulls=SensitiveNulls.NOT_COUNTED,
        ),
    )  # fmt: skip
    release = held(people=False)
    return replace(release, claims=(*claims, *(each for each in release.claims if not each.over)))


def certified(quasi):
    """A release held against its claims, by us and by its script."""
    people = class_sizes(STAGED, quasi, entity=staging_sql.ENTITY, bands=(2, 4))
    yield case("class_sizes-people", people)
    yield case("claims", certified_parts.claims(held(people=True), rows=0))
    yield case("claims-rows", certified_parts.claims(held(people=False), rows=0))
    yield case("claims-weighed", certified_parts.claims(held_by_models(), rows=0))
    yield case("claims-whole", certified_parts.claims(held_as_a_whole(), rows=0))
    opened = source_sql.open_file(certified_parts.RELEASE, "re'lease.parquet", kind="parquet")
    for each in script_of_claims("duckdb", opened=None):
        yield case(f"{each.name}", each)
    (begin, *_) = script_of_claims("duckdb", opened=opened)
    yield case("begin_script-files", begin)
    yield case("list_schemas", commands_sql.list_schemas())
    yield case("own_functions-schema", commands_sql.own_functions("main"))
    yield case("end_script-schema", certified_parts.end_of_script())


def script_of_claims(dialect, *, opened):
    return certified_parts.script_statements(held(people=True, seal=SEAL), opened, dialect=dialect)


SEAL = "90dfb2ef096d602aa469ee93d09760623fb2757fe425c05715f3f7b08a992697"
"""The hash of all staged rows."""


def mapped_to_levels():
    for number, released in enumerate(RELEASES):
        statement = release_map(released, DOMAINS[number], COMPLETE[number])
        yield case(f"release_map-{number}" if number else "release_map", statement)
    as_is = Released(QUASI[1], 0, 2, table("as it is"))
    yield case("release_map-level_0", release_map(as_is, DOMAINS[1], COMPLETE[1]))
    several = replace(as_is, others=(1,), table=table("released of many"))
    many = release_map(several, DOMAINS[1], COMPLETE[1], rows=mapping_sql.MANY_ROWS + 1)
    yield case("release_map-many", many)


def failing_at_a_node():
    of = SourceRows(SOURCE, RELEASES, requirements(POLICY.privacy), WHO)
    failing = staging_sql.failing_classes(FAILING, of)
    yield case("failing_classes", failing)
    of = SourceRows(SOURCE, RELEASES, requirements((KAnonymity(2),)), None)
    by_rows = staging_sql.failing_classes(FAILING_ROWS, of)
    yield case("failing_classes-rows", by_rows)


def counting_all_rows(recount):
    """A script whose source is without the rows of NULL counts these too."""
    required = staging_sql.require(
        table("verdict on all"),
        table("known; rows"),
        FAILING,
        recount,
        key_envs=[],
        max_suppressed=Suppression(share=Fraction(99, 100)),
        spared=True,
        target=None,
        all_rows=SOURCE,
    )
    yield case("require-all_rows", required)


def counting_rare_values():
    for kind, entity in (("", WHO), ("-rows", None)):
        rare = rare_bounds.count_rare_values(SOURCE, NAME, entity=entity, least=3)
        yield case(f"count_rare_values{kind}", rare)


def staging_known():
    """A run knows of some columns that they have no NULL."""
    known = table("staged without NULLs")
    yield case("stage-known", staging_sql.stage(known, SOURCE, None, POLICY, KNOWN, order=ORDER))


def seeing_folders(columns):
    """A column of files that is compared with the folders of another."""
    own, path = ColumnType(columns[0], "VARCHAR"), "par[t]s/**/*.parquet"
    labelled = source_sql.count_other_labels(SOURCE, path, WARD, own, union_by_name=True)
    yield case("count_other_labels", labelled)


def releasing():
    yield from mapped_to_levels()
    yield from failing_at_a_node()
    yield from weighing_a_release()
    for classes in (released_together, suppressing_one_more):
        yield from classes()
    kept = staging_sql.kept_classes(table("kept classes"), SOURCE, FAILING, RELEASES)
    yield case("kept_classes", kept)
    yield from holding_keys()
    for several in (released_at_nodes, released_with_suppressed_cells, in_regions):
        yield from several()
    yield from what_classes_have("", RELEASES, FAILING, None)
    yield from counting_rare_values()
    yield case("stage", staging_sql.stage(STAGED, SOURCE, FAILING, POLICY, RELEASES, order=ORDER))
    for staging in (staging_known, staging_codes):
        yield from staging()
    quasi = [name for released in RELEASES for name in released.names]
    asked = demands(POLICY.privacy)[0].requirements
    recount = recount_statement(STAGED, quasi, asked, entity=staging_sql.ENTITY)
    yield case("verify", recount)
    rows = recount_statement(STAGED, quasi, requirements((KAnonymity(3),)), entity=None)
    yield from [case("verify-rows", rows), case("verify-sizes", with_sizes(rows))]
    for recounting in (
        recounting_by_weight,
        recounting_all,
        weighing_in_a_tree,
        comparing_a_release,
        releasing_signatures,
        matching_nulls,
    ):
        yield from recounting(quasi)
    yield from requiring(quasi, recount)
    yield from forgetting_keys()
    yield from seeing(table("kept classes"))
    yield case("class_sizes", class_sizes(STAGED, quasi))
    yield case("unique_sets", unique_sets(STAGED, staging_sql.ENTITY, quasi))
    for counted in (reidentified, certified):
        yield from counted(quasi)
    columns = staging_sql.output_columns(POLICY, RELEASES, ORDER)
    yield from writing(columns)
    opened = table("read back")
    yield case("read_parquet", source_sql.open_file(opened, "re'lease.parquet", kind="parquet"))
    yield case("hash_rows", source_sql.hash_rows(opened, columns, rows=0))
    typed = source_sql.hash_rows(opened, columns, rows=0, typed=columns[1:2])
    yield case("hash_rows-typed", typed)
    yield case("hash_rows-wholes", source_sql.hash_rows(SOURCE, [SEX, AGE], rows=0, wholes=[AGE]))
    yield case("count_formulas", commands_sql.count_formulas(STAGED, [NAME, WARD], rows=0))
    yield from seeing_folders(columns)
    yield case("survey_files", source_sql.survey_files("par[t]s/**/*.parquet", depth=1))
    yield case(
        "find_format_marks",
        source_sql.find_format_marks(["par[t]s/_delta_log/*", "it's/**"], "/_delta_log(/[^/]*)?$"),
    )
    parts = source_sql.open_file(
        table("parts read back"),
        "par[t]s/**/*.parquet",
        kind="parquet",
        base="parts",
        union_by_name=True,
        partitions=[quote(SEX), quote(WARD)],
    )
    yield case("read_parquet-partitioned", parts)
    release = table('re"lease', schema="main")
    made = commands_sql.publish_table(release, STAGED, columns, replace=False)
    yield case("publish_table", made)
    again = commands_sql.publish_table(release, STAGED, columns, replace=True)
    yield case("publish_table-replace", again)
    script = table("script's")
    guarded = commands_sql.publish_table(script, STAGED, columns, replace=False, verdict=VERDICT)
    yield case("publish_table-verdict", guarded)
    yield from elsewhere()
    yield case("drop_table", drop_table(release))
    yield case("drop_view", drop_view(opened))


def requiring(quasi, recount):
    """A script requires what is recounted of its rows."""
    required = staging_sql.require(
        VERDICT,
        SOURCE,
        FAILING,
        recount,
        key_envs=["KANON_TEST_KEY"],
        apart=[NAME],
        max_suppressed=Suppression(rows=99),
        spared=False,
        target="re'lease*",
    )
    yield case("require", required)
    plain = recount_statement(STAGED, quasi, requirements((KAnonymity(2),)), entity=None)
    alone = staging_sql.require(
        table("verdict on rows"),
        SOURCE,
        FAILING,
        plain,
        key_envs=[],
        max_suppressed=Suppression(share=Fraction(99, 100)),
        spared=True,
        target=None,
    )
    yield case("require-rows", alone)
    second = staging_sql.require(
        table("second verdict"),
        SOURCE,
        FAILING,
        plain,
        key_envs=[],
        max_suppressed=Suppression(rows=99),
        spared=False,
        target=None,
        files=[("jo'bs.csv", hashlib.sha256(JOBS.encode()).hexdigest())],
        after=VERDICT,
    )
    yield case("require-after", second)
    yield from counting_all_rows(plain)


def staging_codes():
    """Labels as codes of types: those of the staged rows, and those of a file, which lists no others."""
    codes, seen, coded = table("staged; co'des"), table("de;coded"), table("co'ded")
    plain = staging_sql.stage(seen, SOURCE, FAILING, POLICY, RELEASES, order=ORDER)
    of, *_ = (
        each
        for each in label_codes.label_columns(plain)
        if all(source.column == "label" for source in each.sources)
    )
    yield case("count_labels", label_codes.count_labels([of]))
    type_, (source,) = table("la;bels"), of.sources
    yield case("label_type", label_codes.label_type(type_, of))
    copied = label_codes.code_labels(coded, source.table, source.alias, {of: type_})
    yield case("code_labels", copied)
    of_regions = replace(of, sources=(replace(source, alias=label_codes.REGION),))
    copied = label_codes.code_labels(
        table("co'ded regions"), source.table, label_codes.REGION, {of_regions: type_}
    )
    yield case("code_labels-regions", copied)
    staged = label_codes.stage_codes(plain, codes, {source.alias: coded}, [of], taken=[])
    yield case("stage-codes", staged)
    names = label_codes.staged_columns(plain)
    yield case("decoded_rows", label_codes.decoded_rows(seen, codes, names, {of.name}))
    yield case("guess_values", label_codes.guess_values(SOURCE, [NAME, WARD]))
    wards = table("wa;rds")
    yield case("domain-wards", mapping_sql.domain(wards, SOURCE, WARD))
    own = staging_sql.stage(table("va;lues"), SOURCE, FAILING, POLICY, RELEASES, order=ORDER)
    yield case("stage-values", label_codes.with_values(own, {WARD: wards}))
    written = table("writ;ten")
    yield case("label_type-written", label_codes.type_of_rows(written, codes, of.name))
    yield case("count_staged_labels", label_codes.count_staged_labels(codes, [of.name, WARD]))
    first = label_codes.count_staged_labels(codes, [of.name], limit=9)
    yield case("count_staged_labels-first", first)
    exact = label_codes.decoded_rows(table("ex'act"), codes, names, {of.name}, {of.name: written})
    yield case("decoded_rows-written", exact)
    asked = requirements((KAnonymity(2),))
    recount = recount_statement(codes, [of.name], asked, entity=None, codes={of.name})
    yield case("verify-codes", recount)
    yield case("drop_type", command("drop_type", table("no'type")))


def elsewhere():
    """What is translated for databases that no engine runs in, in the words it is translated from."""
    entries = table("kanon_hierarchy_entries_4")
    made = commands_sql.text_table(entries, ["value", "level_1", "level_2"])
    yield case("text_table", made)
    jobs = Entries(table=COMPLETE[3], level="level_1")
    rows = Entries((("F", "person"), ("M", "person")), of_null="person", top=True)
    columns = [
        WarehouseColumn(SEX, quasi=True, entries=rows, labelled=True),
        WarehouseColumn(ZIP, quasi=True, rule=Rule("mask", {"length": 3, "kept": 2, "mask": "#"})),
        WarehouseColumn(JOB, quasi=True, entries=jobs, labelled=True),
        WarehouseColumn(VISIT, quasi=True, rule=Rule("date", {}, DateUnit.QUARTER.value)),
        WarehouseColumn(NAME, null=True),
        WarehouseColumn(DISEASE),
    ]
    diverse = [*AT_ALL, *(Requirement(DistinctValues(each), 1) for each in SPREAD)]
    for suffix_, release, changes in (
        ("", "re'lease", {"entity": WHO, "needed": diverse}),
        ("-rows", "re'lease of rows", {}),
        ("-shuffled", "re'lease in an order", {"shuffled": True}),
    ):
        asked = {"condition": None, "entity": None, "needed": AT_ALL, **changes}
        statement = warehouse_release(
            table(release),
            SOURCE,
            columns,
            WAREHOUSES["snowflake"],
            max_suppressed=Suppression(rows=8),
            **asked,
        )
        yield case(f"warehouse_release{suffix_}", statement)


def replacing():
    """A table under the name of its source, and a database file under the name of the old one."""
    raw, own = table('re"lease', schema="main"), table('in "place', schema="main")
    yield case(
        "publish_table-raw", commands_sql.publish_table(raw, STAGED, [SEX, ZIP], replace=False)
    )
    noted = commands_sql.publish_table(
        table("no;ted"), STAGED, [SEX], replace=False, note="it's ours"
    )
    yield case("publish_table-noted", noted)
    yield case("begin", command("begin"))
    yield case("table_definition", in_place_sql.table_definition(raw))
    yield case("table_definition-in_use", in_place_sql.table_definition(table("nowhere")))
    yield case("dependents", in_place_sql.dependents(raw))
    columns = [(SEX, "VARCHAR", "'it''s'", True), (ZIP, "VARCHAR", None, False)]
    made = in_place_sql.create_in_place(own, columns, ['CHECK("se""x" <> \'\')'])
    yield case("create_in_place", made)
    yield case(
        "create_in_place-plain", in_place_sql.create_in_place(table("plain one"), columns[1:], [])
    )
    yield case("insert_rows", in_place_sql.insert_rows(own, [SEX, ZIP], STAGED))
    again = in_place_sql.recreate('CREATE INDEX "i""x" ON main."in ""place"("se""x");')
    yield case("recreate", again)
    yield case("comment_on-nothing", in_place_sql.comment_on("table", own, None))
    yield case("comment_on", in_place_sql.comment_on("table", own, "it's"))
    index = table('i"x', schema="main")
    yield case("comment_on-index", in_place_sql.comment_on("index", index, "x"))
    spot = exp.column(column_of(SEX).this, table=own.this, db=own.args["db"])
    yield case("comment_on-column", in_place_sql.comment_on("column", spot, "; --"))
    yield case("drop_index", command("drop_index", index))
    yield case("commit", command("commit"))
    yield case("begin-again", command("begin"))
    yield case("rollback", command("rollback"))
    yield case("checkpoint", command("checkpoint", quote_name("memory")))
    yield case("vacuum", lakes_sql.vacuum())
    yield case("extension_installed", commands_sql.extension_installed("de'lta"))
    yield case("database_in_use", in_place_sql.database_in_use())
    yield case(
        "attach_file", command("attach_file", literal("fre'sh.duckdb"), quote_name('fre"sh'))
    )
    yield case(
        "copy_database", command("copy_database", quote_name("memory"), quote_name('fre"sh'))
    )
    yield case("inventory", in_place_sql.inventory('fre"sh'))
    yield case("tables_of_database", in_place_sql.tables_of_database('fre"sh'))
    there = [("main", own.name)] * 2
    yield case("count_rows_of_each", in_place_sql.count_rows_of_each('fre"sh', there))
    yield case("detach", command("detach", quote_name('fre"sh')))


def replacing_on_servers():
    raw, other = table('pe"ople', schema="pub lic"), table("o'ther", schema="pub lic")
    yield case("lock_table", command("lock_table", raw))
    yield case("lock_definition", command("lock_definition", raw))
    yield case("all_rows", command("all_rows"))
    yield case("row_versions", in_place_sql.row_versions(raw))
    yield case("holds_definition", in_place_sql.holds_definition(raw, 7))
    yield case("truncate", command("truncate", raw))
    all_ = {
        "not_null": ["a b"],
        "removed": ["c"],
        "retyped": {'d"': "text"},
        "new": {"e": "bigint"},
    }
    yield case("reshape", in_place_sql.reshape(raw, **all_))
    one = {"not_null": [], "removed": ["c", "d"], "retyped": {}, "new": {}}
    yield case("reshape-gone", in_place_sql.reshape(raw, **one))
    for kind in ("foreign key", "view", "materialized view", "index", "statistics", "trigger",
                 "rule", "policy", "publication", "default", "generated", "identity", "partition", "child"):  # fmt: skip
        suffix = "" if kind == "view" else f"-{kind.replace(' ', '_')}"
        yield case(
            f"drop_dependent{suffix}", in_place_sql.drop_dependent(kind, raw, other, 'pa"rt')
        )
    yield case("refresh_view", command("refresh_view", other))
    yield case("rewrite_table", in_place_sql.rewrite_table(raw, 'ma"rk')[0])
    yield case("drop_not_null", command("drop_not_null", raw, quote_name("a b")))
    yield case("count_statistics", in_place_sql.count_statistics(raw))
    yield case("count_statistics-own", in_place_sql.count_statistics(raw, own=True))
    yield case("check_constraints", command("check_constraints"))
    yield case("grantees", in_place_sql.grantees(other))
    yield case("owner_of", in_place_sql.owner_of(other))
    yield case("collated_columns", source_sql.collated_columns(raw))
    yield case("set_owner", command("set_owner", other, quote_name('ow"ner')))
    yield case("revoke", command("revoke", other, quote_name('rea"der')))
    yield case("revoke-all", command("revoke", other))
    yield case("vacuum_full", command("vacuum_full", other))
    yield case("describe_extended", command("describe_extended", raw))
    yield case("table_properties", command("table_properties", raw))
    told = {"partitions": [ZIP], "comment": "it's", "settings": {"a.b": "c'd"}}
    columns = [(SEX, "STRING", "it's"), (ZIP, "INT", None)]
    made = in_place_sql.create_replacement(raw, columns, provider="parquet", **told)
    yield case("create_replacement", made)
    bare = {"partitions": [], "comment": None, "settings": {}}
    made = in_place_sql.create_replacement(raw, columns[:1], provider="orc", **bare)
    yield case("create_replacement-bare", made)
    yield case("uncache", command("uncache", raw))
    yield case("rename_table", command("rename_table", raw, other))
    yield case("purge_table", command("purge_table", raw))


def attacking():
    """The source attacked as a target, a release, and what is known, all at once."""
    linked = LinkedTables(SOURCE, SOURCE, [SEX, AGE])
    yield case("count_candidates", linked.count_candidates())
    people = replace(linked, entity=WHO)
    yield case("count_candidates-people", people.count_candidates())
    yield case("unique_records", linked.unique_records(3))
    raised = table("rai'sed")
    yield case("raised_records", attacks_sql.raised_records(raised, SOURCE, RELEASES, [WHO]))
    for variant, sensitive in zip(("", "-nulls"), SPREAD, strict=True):
        inferred = InferredValues(SOURCE, [SEX, ZIP], sensitive, excluding=1)
        yield case(f"infer_values{variant}", inferred.infer_values())
        yield case(f"exposed_classes{variant}", inferred.exposed_classes(3))
    yield from composing()


def composing():
    """Two releases that are the same."""
    person, quasi = table("per'sons"), [SEX, ZIP]
    overlap = table("over'laps")
    for variant, sensitive in zip(("", "-nulls"), SPREAD, strict=True):
        releases = []
        for number in (1, 2):
            names = [
                table(f"{what}{variant} {number}")
                for what in ("attacked clas'ses", "attacked val'ues")
            ]
            classes, counts = names
            if number == 1 or not variant:
                tag = variant or ("-second" if number == 2 else "")
                values = attacks_sql.sensitive_values(counts, SOURCE, quasi, sensitive)
                yield case(f"sensitive_values{tag}", values)
                counted = attacks_sql.classes_of_values(classes, counts, sensitive)
                yield case(f"classes_of_values{tag}", counted)
            releases.append(ReleaseTables(classes, counts))
        if variant:
            releases = [releases[0], releases[0]]
        else:
            members = [Members(SOURCE, WHO, quasi)] * 2
            yield case("persons", attacks_sql.persons(person, members, releases))
            yield case("overlaps", attacks_sql.overlaps(overlap, person))
        candidates = table(f"candi'dates{variant}")
        found = attacks_sql.candidate_values(candidates, overlap, tuple(releases), sensitive)
        yield case(f"candidate_values{variant}", found)
        composed = attacks_sql.compose(overlap, candidates, tuple(releases))
        yield case(f"compose{variant}", composed)
    yield case("invariant_classes", attacks_sql.invariant_classes(releases[0].classes))
    yield case("exposed_persons", attacks_sql.exposed_persons(person, candidates, 3))


def measuring():
    """The source measured as a release of itself, at the levels of the run and at all of them."""
    keys = tuple((column.name,) for column in QUASI)
    classes, raised, drawn = (
        table(f"measu'red {what}") for what in ("classes", "raised", "ranges")
    )
    yield case("classes-measured", beside_source.classes(classes, SOURCE, keys))
    bounds = tuple((AGE, ZIP) if column.name == AGE else (column.name,) for column in QUASI)
    yield case("classes-bounds", beside_source.classes(raised, SOURCE, bounds))
    rows, several = "row_count", table("measu'red weights")
    yield case("classes-of_several", beside_source.classes(several, SET, ((rows,),), weight=rows))
    yield case("class_sums", beside_source.class_sums(classes))
    yield case("column_values", beside_source.column_values(classes, len(QUASI)))
    yield case("majority", beside_source.majority(SOURCE, keys, DISEASE))
    mapped = [
        Mapped(column, domain, paths, Hierarchy(top, ""), ())
        for column, domain, paths, top in zip(QUASI, DOMAINS, COMPLETE, TOPS, strict=True)
    ]
    labels = [table(f"measu'red labels {column.name}") for column in QUASI]
    values = [table(f"measu'red values {column.name}") for column in QUASI]
    for column, each, own, of in zip(
        ("sex", "zip", "age", "job"), mapped, labels, values, strict=True
    ):
        levels = range(each.hierarchy.height + 1)
        tag = "" if column == "sex" else f"-{column}"
        yield case(f"labels-measured{tag}", beside_source.labels(own, each, levels))
        yield case(f"values{tag}", beside_source.values(of, each, levels))
    yield from keys_of_labels(mapped)
    yield case("label_sums", beside_source.label_sums(classes, labels))
    yield case("label_remainders", beside_source.label_remainders(classes, labels))
    yield case("ambiguity", beside_source.ambiguity(classes, labels))
    yield case("squared_error", beside_source.squared_error(mapped[2], 1))
    of_zip = condition("\"zip; --\" >= '02'", dialect="duckdb")
    predicates = [
        Predicate(0, at, column.name, of_zip if at == 1 else None)
        for at, column in enumerate(QUASI)
    ]
    yield case("taken", beside_source.taken(drawn, predicates, values))
    shares = [table(f"measu'red shares {column.name}") for column in QUASI]
    for at, (own, of) in enumerate(zip(shares, values, strict=True)):
        yield case(
            f"shares-{at}" if at else "shares",
            beside_source.shares(own, of, drawn, at, before=at < 2),
        )
    yield case("count_queries", beside_source.count_queries(classes, shares, [(0, (1,)), (1, ())]))
    yield case("places_of_columns", beside_source.places(values))
    yield case("penalty_of_covered", beside_source.penalty_of_covered(classes, 0, values[0]))
    yield case("shared_values", beside_source.shared_values(classes, 0, values[0]))
    ages = next(each for each, column in enumerate(QUASI) if column.name == AGE)
    for tag, of, both in (("", classes, False), ("-bounds", raised, True)):
        weighed = beside_source.penalty_of_intervals(of, ages, DOMAINS[ages], "number", bounds=both)
        yield case(f"penalty_of_intervals{tag}", weighed)
    yield from two_columns(classes, values)
    yield from weighing_labels(mapped)
    yield from reporting(mapped, labels)


def paired(named, counted, prefix, **how):
    return coded_pairs.counted_pairs(named, counted, prefix, len(QUASI), **how)


def two_columns(classes, values):
    """The source as a release of itself, two columns at a time."""
    binned = [table(f"measu'red bins {column.name}") for column in QUASI]
    for at, (own, of) in enumerate(zip(binned, values, strict=True)):
        made = coded_pairs.binned_values(own, of)
        yield case(f"binned_values-{at}" if at else "binned_values", made)
    yield case("bins", coded_pairs.bins(binned))
    own, released, cells = (table(f"measu'red {what}") for what in ("own", "pairs", "cells"))
    in_bins = table("measu'red bins of tuples")
    yield case("binned_rows", coded_pairs.binned_tuples(in_bins, classes, binned))
    yield case("counted_pairs", paired(own, in_bins, "value_", weighted=True, many=False))
    codes = [table(f"measu'red codes {column.name}") for column in QUASI]
    for at, (own_codes, domain) in enumerate(zip(codes, DOMAINS, strict=True)):
        made = coded_pairs.value_codes(own_codes, domain)
        yield case(f"value_codes-{at}" if at else "value_codes", made)
    coded, again = table("measu'red coded"), table("measu'red bins of codes")
    names = [column.name for column in QUASI]
    numbered = list(zip(names, codes, strict=True))
    yield case("coded_tuples", coded_pairs.coded_tuples(coded, SOURCE, numbered))
    people = table("measu'red coded people")
    of_people = coded_pairs.coded_tuples(people, SOURCE, numbered, entity=VISIT)
    yield case("coded_tuples-people", of_people)
    of_codes = coded_pairs.binned_tuples(again, coded, binned, codes=codes)
    yield case("binned_rows-coded", of_codes)
    pairs = table("measu'red coded pairs")
    yield case("counted_pairs-coded", paired(pairs, again, "value_", weighted=True, many=True))
    every, of_pairs = table("measu'red coded values"), table("measu'red binned pairs")
    by_number, bins = coded_pairs.numbered_tuples(coded, codes), table("measu'red code bins")
    yield case("pairs_of_codes", coded_pairs.pairs_of_codes(every, by_number, many=True))
    few, of_few = [0, 2], table("measu'red few values")
    yield case("tuples_of_few", coded_pairs.tuples_of_few(of_few, by_number, few))
    spared = coded_pairs.pairs_of_codes(
        table("measu'red spared"), by_number, many=True, few=[((0, 2), of_few)]
    )
    yield case("pairs_of_codes-of_few", spared)
    yield case("coded_entropies", report_values.coded_entropies(every, 3))
    yield case("bins_of_codes", coded_pairs.bins_of_codes(bins, by_number, binned))
    yield case("count_ambiguous", coded_pairs.count_ambiguous(bins))
    shared = table("measu'red shared bins")
    yield case("shared_bins", coded_pairs.shared_bins(shared, *binned[:2]))
    of_first = coded_pairs.bins_of_shared(
        table("measu'red own bins"), [shared, binned[2]], ["first_bin", "bin"]
    )
    yield case("bins_of_shared", of_first)
    yield case("binned_pairs", coded_pairs.binned_pairs(of_pairs, every, bins, wide=False))
    yield from in_two_keys(binned)
    of_labels = paired(released, classes, "key_", weighted=True, many=True)
    yield case("counted_pairs-many", of_labels)
    yield case("number_figures", number_figures(SOURCE, [AGE, ZIP]))
    yield case("pair_cells", coded_pairs.pair_cells(cells, own, released, binned))
    yield case("pair_sums", coded_pairs.pair_sums(cells, 10, 10))
    yield from simple_counts(values, cells)
    yield case("pair_queries", coded_pairs.pair_queries(cells, table("ran;ges")))


def in_two_keys(binned):
    """Pairs of the tuples of a frequency set, where a column has bits in two keys."""
    tuples = coded_pairs.packed_tuples(SET, PACKING, CODES)
    pairs, bins, found = (table(f"measu'red {what}") for what in ("packed", "packed bins", "found"))
    yield case("pairs_of_codes-two_keys", coded_pairs.pairs_of_codes(pairs, tuples, many=True))
    yield case(
        "tuples_of_few-two_keys",
        coded_pairs.tuples_of_few(table("measu'red wide"), tuples, [0, 1, 2]),
    )
    few = coded_pairs.pairs_of_codes(table("measu'red few"), tuples, many=False)
    yield case("pairs_of_codes-few", few)
    yield case("bins_of_codes-two_keys", coded_pairs.bins_of_codes(bins, tuples, binned))
    yield case("binned_pairs-two_keys", coded_pairs.binned_pairs(found, pairs, bins, wide=True))
    shown = (table("pa'irs"), table("mo're"))
    cells = coded_pairs.apportioned_cells(table("measu'red cells of values"), *shown, bins)
    yield case("apportioned_cells", cells)


def keys_of_labels(mapped):
    """The key of the labels of codes and numbers, and what labels of days span."""
    units = (DateUnit.DAY, DateUnit.WEEK), (DateUnit.MONTH, DateUnit.DECADE)
    by_days = [replace(mapped[1].column, hierarchy=DateHierarchy(each)) for each in units]
    tags = ("-sex", "-zip", "", "-job", "-weeks", "-decades")
    spans = [table(f"sp'ans{tag}") for tag in tags]
    days = [replace(mapped[1], column=column) for column in by_days]
    for tag, own, each in zip(tags, spans, (*mapped, *days), strict=True):
        yield case(f"spanned_labels{tag}", label_key.spanned_labels(own, each))
    found = [table(f"la'bels {n}") for n in range(2)]
    for tag, own, of, each in zip(("", "-age"), found, spans[1:3], mapped[1:3], strict=True):
        yield case(f"label_paths{tag}", label_key.label_paths(own, each, SOURCE, of, (0, 1)))
    key = table("the ke'y of labels")
    yield case("label_key", label_key.label_key(key, mapped[1:3], found))
    yield case("count_known_labels", label_key.count_known_labels(mapped[1:3], found, SOURCE))


def simple_counts(values, cells):
    """The pairs of bands of the source: of numbers, and of the dates of units."""
    of_dates = [table(DAYS_BY_UNIT), values[1]]
    yield case("values_of_units", two_columns_of_units())
    yield case("spans_of_values", coded_pairs.spans_of_values(of_dates, [0]))
    rows, bands = table("measu'red bins of rows"), [table(f"measu'red bands {n}") for n in range(3)]
    for n, (own, dates) in enumerate(zip((values[0], of_dates[0]), (False, True), strict=True)):
        made = coded_pairs.banded_values(bands[n], own, Decimal(10), dates=dates)
        yield case(f"banded_values-{n}" if n else "banded_values", made)
    binned = [table(f"measu'red bins {column.name}") for column in QUASI]
    names = [column.name for column in QUASI]
    yield case("binned_rows-rows", coded_pairs.binned_rows(rows, SOURCE, names, binned))
    pairs = table("measu'red row pairs")
    yield case("counted_pairs-rows", paired(pairs, rows, "value_", weighted=False, many=True))
    yield case("count_errors", coded_pairs.count_errors(cells, 2))
    of_one = [(AGE, bands[0], "bin"), (ZIP, values[1], "own")]
    yield case("spread_of_numbers", small_tables.spread_of_numbers(SOURCE, names[0]))
    rate = small_tables.Rate(names[0])
    yield case("band_counts", small_tables.band_counts(SOURCE, of_one, entity=VISIT, rate=rate))
    released = [((own,), *more) for own, *more in of_one]
    estimates = small_tables.band_estimates(SOURCE, SOURCE, released, rate=rate)
    yield case("band_estimates", estimates)
    least = small_tables.Rate(names[0], Decimal(20))
    counts = small_tables.band_counts(SOURCE, of_one, entity=VISIT, rate=least)
    yield case("band_counts-numbers", counts)
    estimates = small_tables.band_estimates(SOURCE, SOURCE, released, rate=least)
    yield case("band_estimates-numbers", estimates)


DAYS_BY_UNIT = "measu'red days"


def two_columns_of_units():
    axis, units = table("line by units"), table("uni'ts")
    return beside_source.values_of_units(table(DAYS_BY_UNIT), axis, units)


def reporting(mapped, labels):
    """The source reported as if it were a release of itself."""
    keys = tuple((column.name,) for column in QUASI)
    bounds = tuple((AGE, ZIP) if column.name == AGE else (column.name,) for column in QUASI)
    classes, people, values = (table(f"report'ed {what}") for what in ("rows", "people", "values"))
    yield case("classes-reported", report_values.classes(classes, SOURCE, keys))
    of_people = report_values.classes(people, SOURCE, bounds, entity=VISIT)
    yield case("classes-reported_people", of_people)
    yield case("class_sizes-reported", report_values.class_sizes(people))
    of_rows = report_values.class_sizes_of_rows(SOURCE, keys)
    yield case("class_sizes-reported_rows", of_rows)
    yield case("domain_values", coded_pairs.domain_values([each.domain for each in mapped]))
    tables = [None, *labels[1:]]
    domains = [None, *(each.domain for each in mapped[1:])]
    yield case("label_rows", report_values.label_rows(classes, tables, domains, keys, most=3))
    both = report_values.label_rows(people, tables, domains, bounds, most=3)
    yield case("label_rows-bounds", both)
    yield case("removed_rows", report_values.removed_rows(classes, keys, [0, 1]))
    yield case("removed_rows-bounds", report_values.removed_rows(people, bounds, [0]))
    of_values = table("report'ed value rows")
    rows = report_values.value_rows(of_values, table(DAYS_BY_UNIT), mapped[0].domain)
    yield case("value_rows", rows)
    yield case("label_pairs", report_values.label_pairs(classes, 0, 2, most=3))
    yield case("pair_entropies", report_values.pair_entropies(classes, [(0, 1), (0, 2)]))
    of_values = report_values.class_values(values, SOURCE, bounds, DISEASE)
    yield case("class_values", of_values)
    yield case("value_distances", report_values.value_distances(values, bounds, steps=20, most=9))
    paths = mapped[1].paths
    tree = report_values.label_tree(classes, 1, paths, finest=1, height=TOPS[1], most=5)
    yield case("label_tree", tree)


def weighing_labels(mapped):
    """The source beside its own values as if it were a release, and what labels and places hide of these."""
    view = table("weigh'ed source")
    copies = {column.name: f"own '{column.name}'" for column in QUASI}
    yield case("beside_source", beside_source.beside_source(view, SOURCE, copies))
    orders = (None, None, "number", "list")
    for number, (each, order) in enumerate(zip(mapped, orders, strict=True)):
        own, text = table(f"weigh'ed {each.column.name}"), each.column.name
        parts = (ZIP, AGE) if text == AGE else (text,)
        yield case(
            f"cells-{number}" if number else "cells",
            beside_source.cells(own, view, parts, copies[text]),
        )
        levels = range(each.hierarchy.height + 1)
        weighed = beside_source.penalty_of_labels(own, each, levels, order)
        yield case(f"penalty_of_labels-{number}" if number else "penalty_of_labels", weighed)
    for text, axis, order in (
        (AGE, "line; 0", "number"),
        (SEX, "line; 2", "list"),
        (VISIT, "line by units", "date"),
    ):
        own, copy = table(f"weigh'ed places of {text}"), copies.get(text, text)
        yield case(f"cells-of_{order}", beside_source.cells(own, view, [text], copy))
        placed = beside_source.penalty_of_places(own, table(axis), order)
        yield case("penalty_of_places" + ("" if text == AGE else f"-{order}"), placed)
    of_cells, line = table(f"weigh'ed places of {AGE}"), table("line; 0")
    for covers in ("interval", "set"):
        covered = table(f"cover'ed by {covers}")
        made = beside_source.values_of_cells(covered, of_cells, line, covers)
        tag = "" if covers == "interval" else f"-{covers}"
        yield case(f"values_of_cells{tag}", made)


def of_a_series():
    """The statements of a series, of a first release and a second one."""
    for named, statement in series_cases.statements(SOURCE, SSN, WHO, [SEX, ZIP], DISEASE):
        yield case(named, statement)


def over_tables():
    """A schema of two tables: people, and their visits, which name them by a column with a dot."""
    people, visits = table("peo;ple of all"), table("vis;its")
    with_people, shown = table("vis;its with people"), table("people; shown")
    pairs = ("pa.tient",), ("i'd",)
    yield case("table_keys", schema_sql.table_keys())
    yield case("create_schema", schema_sql.create_schema("a'n;on"))
    yield case("required_columns", schema_sql.required_columns())
    kinds = {"pa.tient": None, "day": "number", "wa;rd": "text"}
    types = {"day": ColumnType("day", "INTEGER"), "wa;rd": ColumnType("wa;rd", "VARCHAR(9)")}
    yield case("measured_columns", schema_sql.measured_columns(visits, kinds))
    yield case("count_changed", schema_sql.count_changed(visits, types))
    yield case("count_strange_labels", schema_sql.count_strange_labels(visits, "wa;rd", visits))
    yield case("shaped_rows", schema_sql.shaped_rows(table("sha;ped"), visits, [*kinds], types))
    yield case("tables_of_schema", schema_sql.tables_of_schema("a'n;on"))
    of_release = {"peo;ple": ["i'd", "sex"], "ico'ds": ["co;de"]}
    yield case("count_strange_columns", schema_sql.count_strange_columns("a'n;on", of_release))
    yield case("count_dangling", schema_sql.count_dangling(visits, pairs[0], people, pairs[1]))
    yield case("count_keys_of_rows", schema_sql.count_keys_of_rows(visits, ["pa.tient", "wa;rd"]))
    owner = schema_sql.Owner(people, "pa.tient", "i'd", "i'd", "kanon_person")
    kept = [(people, *pairs)]
    yield case(
        "rows_of_table", schema_sql.rows_of_table(with_people, visits, owner=owner, kept=kept)
    )
    of_people = KeyDomain("p", "KANON_TEST_KEY", (ColumnOf("peo;ple of all", "i'd"),))
    sampled = ("i'd", of_people, "8000000000000000")
    yield case(
        "rows_of_table-sampled",
        schema_sql.rows_of_table(table("half; of all"), people, sampled=sampled),
    )
    folds = {
        "ma'ny": Fold("count", None, 2), "all": Fold("count"), "wa;rds": Fold("set", "wa;rd", 1), "sets": Fold("set", "wa;rd"),
        "first": Fold("first", "day"), "last": Fold("last", "day"), "sum": Fold("sum", "day"), "round": Fold("sum", "day", 10),
    }  # fmt: skip
    folded = [schema_sql.Folded(with_people, "kanon_person", folds)]
    yield case("folded_rows", schema_sql.folded_rows(shown, people, "i'd", folded))
    key = schema_sql.StagedKey(pairs[0], people, pairs[1])
    owned, emptied = table("sett'led"), table("emp;tied")
    columns = ["pa.tient", "wa;rd"]
    yield case("settled_rows", schema_sql.settled_rows(owned, visits, columns, owner=key))
    yield case(
        "settled_rows-others",
        schema_sql.settled_rows(emptied, visits, columns, owner=None, others=[key]),
    )
    way = ((visits, "j0", ("s", "pa.tient"), ("j0", "pa.tient")),)
    linked = [
        schema_sql.LinkedRows(owned, (), ("s", "pa.tient"), (("s", "wa;rd"),)),
        schema_sql.LinkedRows(owned, way, ("j0", "pa.tient"), (("s", "wa;rd"), ("j0", "day"))),
    ]
    yield case("joined_people", schema_sql.joined_people(people, "i'd", ["se'x"], linked, k=2))
    domain = KeyDomain("p", "KANON_TEST_KEY", (ColumnOf("peo;ple of all", "i'd"),))
    crossed = schema_sql.crossed_people(
        visits, "pa.tient", people, domain, common=[("wa;rd", "se'x")], k=2
    )
    yield case("crossed_people", crossed)
    crossed = schema_sql.crossed_people(
        visits, "pa.tient", people, replace(domain, digits=9), common=[("wa;rd", "se'x")], k=2
    )
    yield case("crossed_people-numbers", crossed)
    keyed = [ColumnType("i'd", "VARCHAR"), ColumnType("pa.tient", "VARCHAR")]
    keys = schema_sql.ReleasedKeys(
        ("i'd",), (("pa.tient",),), ((("pa.tient",), table("key;ed"), ("i'd",)),)
    )
    yield case(
        "create_keyed",
        schema_sql.create_keyed(table("key;ed"), keyed, schema_sql.ReleasedKeys(("i'd",))),
    )
    yield case("create_keyed-foreign", schema_sql.create_keyed(table("key;ed too"), keyed, keys))
    yield from of_events(people, visits)


def of_events(people, visits):
    """Visits whose wards are items of people, in the order in which a release protects them."""
    of = {each: table(f"eve'nt {each}") for each in ("numbered", "items", "labels", "rows", "nodes", "levels", "known", "short", "raised", "after", "staged")}  # fmt: skip

    def made(what, **leaves):
        return case(what, Statement(f"schema/events/{what}", leaves))

    of_people = {"people": people, "key": column_of("i'd", of="p")}
    of_people["labels"] = [column_of("se'x", of="p")]
    yield made("numbered_people", numbered=of["numbered"], **of_people)
    numbers = {"many": literal(2), "at": literal(1)}
    values = [{"from": column_of("wa;rd", of="s"), "as": quote_name("value_0")}]
    yield made("event_items", items=of["items"], events=visits, values=values, **numbers)
    wards = table("wa;rds map")
    shown = [column_of(each, of="m") for each in ("value", "label_1")]
    yield made("count_event_labels", map=wards, labels=shown)
    own, label = column_of("value_0", of="i"), quote_name("label_0")
    steps = [
        {"number": number, "labels": [{"from": each, "as": label}]}
        for number, each in enumerate((own, column_of("label_1", of="q0")))
    ]
    maps = [{"table": wards, "alias": quote_name("q0"), "value": column_of("value", of="q0"), "own": own}]  # fmt: skip
    names = [{"bytes": column_of("label_0", of="t")}]
    yield made("event_labels", labels=of["labels"], items=of["items"], steps=steps, maps=maps, names=names, **numbers)  # fmt: skip
    pairs = [{"value": own, "own": column_of("wa;rd", of="s")}]
    events = {"table": visits, "person": column_of("pa.tient", of="s"), "numbers": of["items"], "pairs": pairs}  # fmt: skip
    yield made("event_rows", rows=of["rows"], numbered=of["numbered"], events=[events])
    yield made("event_nodes", nodes=of["nodes"], tables=[of["labels"]])
    yield case("first_levels-of_events", protect_items.first_levels(of["levels"], of["rows"]))
    known = protect_items.labelled_items(
        of["known"], of["rows"], of["levels"], of["nodes"], repeated=True, known=2
    )
    yield case("labelled_items-of_events", known)
    for size in (1, 2, 3):
        short, raised = table(f"eve'nt short; {size}"), table(f"eve'nt raised; {size}")
        found = protect_items.short_itemsets(short, of["known"], size=size, least=2, repeated=True)
        yield case(f"short_itemsets-of_events_{size}", found)
        chosen = protect_items.labels_to_raise(raised, of["known"], short, size=size, repeated=True)
        yield case(f"labels_to_raise-of_events_{size}", chosen)
    counted = {"rows": of["rows"], "levels": of["levels"], "items": of["items"]}
    yield made("count_unchanged", **counted)
    columns = [
        {"from": column_of("pa.tient", of="s"), "as": quote_name("pa.tient")},
        {"from": column_of("label_0", of="l"), "as": quote_name("wa;rd")},
    ]
    tables = {each: of[each] for each in ("staged", "numbered", "levels", "labels")}
    yield made("labelled_events", **tables, events=events, columns=columns)
    shared = SharedEvents(
        people, "i'd", ("se'x",), 3, 2, (of["staged"], visits), ("pa.tient",) * 2, (("wa;rd",),) * 2
    )
    yield case("count_short_events", shared.count_short)
    yield case("count_short_signatures", replace(shared, known=None).count_short)
    yield from of_signatures({each: of[each] for each in ("numbered", "rows", "nodes")})


def of_signatures(of):
    """All rows of people, as signatures choose which of them are released."""
    own = {each: table(f"sig;ned {each}") for each in ("signed", "groups", "chosen", "kept", "levels")}  # fmt: skip

    def made(created, what, *read, **leaves):
        tables = {each: {**of, **own}[each] for each in (created, *read)}
        return case(what, Statement(f"schema/signatures/{what}", {**tables, **leaves}))

    yield made("signed", "signed_people", "numbered", "rows", "nodes")
    yield made("groups", "signature_groups", "signed", least=literal(2))
    yield made("chosen", "chosen_steps", "groups", allowed=literal(1), rows=literal(9))
    yield made("kept", "people_with_rows", "numbered", "signed", "groups", "chosen")
    yield made("levels", "step_levels", "rows", "chosen", "nodes")


CASES = [
    *preparing(),
    *reading(),
    *trying(),
    *mapping(),
    *mapping_together(),
    *counting(),
    *drawing(),
    *listing(),
    *counted_before(),
    *signing(),
    *weighing(),
    *comparing(),
    *settling(),
    *growing(),
    *cutting_up(),
    *following(),
    *suppressing(),
    *cutting_columns(),
    *removing_loss(),
    *releasing(),
    *attacking(),
    *measuring(),
    *replacing(),
    *of_a_series(),
    *over_tables(),
    case(
        "close_other_files", command("close_other_files")
    ),  # the last that may read or write a file
]


def in_lakes():
    """What DuckDB says of tables of lakes: with an extension loaded, or of files; tests/engines run it on such tables."""
    yield case("read_delta", lakes_sql.read_delta(table("see'n"), "/la'ke", 7))
    files = ["/la'ke/a.parquet", "/la'ke/b.parquet"]
    yield case("stored_columns", lakes_sql.stored_columns(files))
    now = [("a'ge", "a'ge", "BIGINT"), ("ZIP", 'zi"p', "DECIMAL(9,2)")]
    parts = [(now, files), ([(None, *now[0][1:]), now[1]], ["/la'ke/c.parquet"])]
    for suffix_, deletes in (("", []), ("-deletes", ["/la'ke/deleted.parquet"])):
        seen = lakes_sql.read_files(table("see'n"), parts, deletes)
        yield case(f"read_files{suffix_}", seen)
    lake, own = "la'ke", table('ta"ble', schema="sche'ma", catalog="la'ke")
    yield case("attached_ducklakes", lakes_sql.attached_ducklakes())
    for suffix_, read_only in (("", True), ("-written", False)):
        attached = lakes_sql.attach_ducklake("ca'talog", 'la"ke', read_only=read_only)
        yield case(f"attach_ducklake{suffix_}", attached)
    for suffix_, snapshot in (("", None), ("-older", 7)):
        found = lakes_sql.ducklake_table(lake, "sche'ma", 'ta"ble', snapshot)
        yield case(f"ducklake_table{suffix_}", found)
    view = table("see'n")
    yield case("read_snapshot", lakes_sql.read_snapshot(view, own, 7))
    for suffix_, may_sort in (("", True), ("-older", False)):
        layout = lakes_sql.ducklake_layout(lake, 3, may_sort=may_sort)
        yield case(f"ducklake_layout{suffix_}", layout)
    yield case("ducklake_changes", lakes_sql.ducklake_changes(lake, 3, 7))
    yield case("older_snapshots", lakes_sql.older_snapshots(lake, "sche'ma", 'ta"ble'))
    yield case("expire_snapshots", lakes_sql.expire_snapshots(lake, [3, 7]))
    yield case("remove_expired_files", lakes_sql.remove_expired_files(lake))
    yield case("ducklake_orphans", lakes_sql.ducklake_orphans(lake))
    yield case("ducklake_folder", lakes_sql.ducklake_folder(lake, 3))


def in_files():
    """What DuckDB makes of the batches of a library; tests/e2e/test_library_files.py runs it on files."""
    taken, columns = table("tak'en"), library_files_of()
    numbers = [each.name for each in columns if each.stores == "number"]
    yield case("count_fractions", library_files.count_fractions(taken, numbers))
    view = table("see'n")
    cast = library_files.cast_columns(table("ca'st"), taken, {"na'me": "DECIMAL(9,2)", "b": "DATE"})
    yield case("cast_columns", cast)
    yield case("stored_values", library_files.stored_values(view, taken, columns, {"a'ge"}))


def library_files_of():
    return [
        ColumnInFile("na'me", "text"),
        ColumnInFile("se'x", "number", ((Decimal(1), "ma'le"), (Decimal("2.5"), "other"))),
        ColumnInFile("a'ge", "number"),
        ColumnInFile("weight", "number"),
        ColumnInFile("born", "date", units=86400, origin=141428),
        ColumnInFile("seen", "timestamp", units=86400000, origin=3653),
        ColumnInFile("as it is", "typed"),
    ]


OF_LAKES = [*in_lakes(), *in_files()]
IN_A_SHELL = [case("set_key", pseudonym_keys_sql.set_keys("KANON_TEST_KEY")[0])]
"""`getenv` is known to the DuckDB shell alone, so the connection of a library cannot say it."""

OF_SERVERS = [
    case("require_columns", schema_sql.require_columns(table("key;ed"), ["i'd", "pa.tient"])),
    case("add_key", schema_sql.add_key(table("key;ed"), ["i'd"], primary=True)),
    case("add_key-unique", schema_sql.add_key(table("key;ed"), ["pa.tient", "i'd"])),
    case(
        "add_key-foreign",
        schema_sql.add_key(table("o'ther"), ["pa.tient"], to=table("key;ed"), of=["i'd"]),
    ),
    case("drop_tables", schema_sql.drop_tables([table("vis;its", schema="a'n;on"), table("a'")])),
    case("analyze", command("analyze", table("frequency"))),
    case("copy_client-texts", commands_sql.copy_client(table("jobs"), as_csv=False)),
    case(
        "insert_rows-overriding",
        in_place_sql.insert_rows(table("t"), ["a b"], STAGED, overriding=True),
    ),
    case("copy_client", commands_sql.copy_client(table("si'des"), ["region", "hi'gh"])),
    case("undo_escapes", source_sql.undo_escapes(SOURCE, table("li'ke"), [SEX, WARD], [WARD])),
    case("copy_client-in", commands_sql.copy_client(table("li'ke"))),
    case("views_in", command("views_in", table("sche'ma"))),
    case("tables_in", command("tables_in", table("ma'in", schema="te'mp"))),
    case(
        "read_parquet-widened",
        source_sql.open_file(
            table("it's"),
            "/la'ke",
            kind="parquet",
            union_by_name=True,
            columns=[("a`b", "bigint"), ("n", "int")],
        ),
    ),
    case("view_text", command("view_text", table("vi`ew", schema="sche'ma"))),
    *(
        case(each.name, each)
        for dialect, own in (
            ("postgres", ("check_claims", "end_script")),
            ("spark", ("plain_partitions", "cache_verdicts")),
        )
        for each in script_of_claims(dialect, opened=command("begin"))
        if each.name in own
    ),
    case("isolation_level", command("isolation_level")),
    case("one_snapshot", command("one_snapshot")),
    case("session_setting", commands_sql.session_setting("kanon.client_rows")),
    case("set_config", commands_sql.set_config("search_path", '"$us\'er", public')),
    *replacing_on_servers(),
]
"""Statements that DuckDB has no need of."""

READS = {
    "compose",
    "count_candidates",
    "exposed_classes",
    "exposed_persons",
    "infer_values",
    "class_sums",
    "column_values",
    "majority",
    "coded_entropies",
    "domain_values",
    "label_pairs",
    "label_rows",
    "removed_rows",
    "label_tree",
    "pair_entropies",
    "value_distances",
    "label_sums",
    "label_remainders",
    "ambiguity",
    "squared_error",
    "count_queries",
    "invariant_classes",
    "unique_records",
    "warehouse_rule",
    "entries",
    "false_labels",
    *(
        f"paths_by_rule-column_by_{kind}"
        for kind in ("mask", "intervals", "dates", "suppression", "dates_shared")
    ),
    *(f"paths_by_rule-column_by_{kind}" for kind in SCHEMED),
    "released_totals",
    "released_widths",
    "count_bounds",
    "count_rare_values",
    "axes_by_values",
    "axes_of_line",
    "first_row",
    "bins",
    "overlap",
    "band_counts",
    "band_estimates",
    "count_errors",
    "spans_of_values",
    "spread_of_numbers",
    "pair_queries",
    "pair_sums",
    "places_of_columns",
    "region_columns",
    "region_columns-whole",
    "region_ends",
    "count_ambiguous",
    "count_branches",
    "count_cut",
    "count_uncut",
    "count_unfit",
    "greatest_radixes",
    "interval_classes",
    "count_assigned",
    "count_released",
    "interval_widths",
    "count_nulls",
    "count_places",
    "null_codes",
    "verify_candidates",
    "place_ranges",
    "interval_starts",
    "count_targets",
    "smallest_released",
    "unfit_regions",
    "parted_nodes",
    "survey_line",
    "whole",
    "catalog_of",
    "database_in_use",
    "table_definition",
    "candidate_graph",
    "inventory",
    "tables_of_database",
    "count_rows_of_each",
    "dependents",
    "transaction_number",
    "check",
    "check_thresholds",
    "rows_of_codes",
    "size_counts",
    "short_rows",
    "count_files",
    "example_classes",
    "example_label",
    "listed_values",
    "rows_of_values",
    "rows_of_labels",
    "rows_in_joined_classes",
    "claims",
    "class_sizes",
    "class_histogram",
    "population_histogram",
    "signature_histogram",
    "column_sets",
    "print_verdicts",
    "fail_script",
    "count_missing",
    "count_weights",
    "count_fractions",
    "frequency_query",
    "count_formulas",
    "count_named_fields",
    "header_signs",
    "count_marked_lines",
    "find_marks",
    "likely_entries",
    "constant_columns",
    "most_frequent",
    "count_each_unique",
    "count_unique",
    "count_keys",
    "count_integers",
    "count_labels",
    "count_staged_labels",
    "guess_values",
    "count_unique_rows",
    "count_few_people",
    "count_kinds",
    "count_sums",
    "count_stand_ins",
    "list_tables",
    "count_repeats",
    "unique_sets",
    "count_rows",
    "level_statistics",
    "all_level_statistics",
    "best_splits",
    "splits_by_loss",
    "tree_depth",
    "fingerprint",
    "first_rows",
    "first_steps",
    "inner_nodes",
    "frequency_totals",
    "heads",
    "label_totals",
    "merged_classes",
    "remainder_statistics",
    "hash_rows",
    "locate",
    "missing",
    "suppressed_columns",
    "column_counts",
    "column_shapes",
    "column_quantiles",
    "sentinel_dates",
    "follow_by_order",
    "number_figures",
    "date_shapes",
    "number_shapes",
    "frequent_values",
    "lone_values",
    "rare_counts",
    "rows_that_fit",
    "rows_in_scheme",
    "cleaned_rows",
    "count_missing_texts",
    "count_missing_entries",
    "count_codes",
    "text_forms",
    "count_misfits",
    "texts_query",
    "count_unparsed",
    "smallest_classes",
    "relation",
    "list_schemas",
    "coarser_files",
    "suppressed_hashes",
    "suppressed_partitions",
    "seal",
    "read_setting",
    "session_setting",
    "smallest_after",
    "smallest_merged",
    "splits",
    "suppressed_marginals",
    "kept_labels",
    "example_classes_of_node",
    "count_released_labels",
    "survey_all_domains",
    "survey_all_paths",
    "survey_domain",
    "count_known_labels",
    "count_other_labels",
    "survey_files",
    "survey_paths",
    "table_text",
    "find_format_marks",
    "commented_tables",
    "view_texts",
    "unresolved",
    "verify",
    "volatile_functions",
    "table_keys",
    "tables_of_schema",
    "count_strange_columns",
    "count_dangling",
    "count_keys_of_rows",
    "joined_people",
    "crossed_people",
}
KINDS = {
    **dict.fromkeys(
        (
            "count_alike",
            "count_row_keys",
            "count_lengths",
            "last_release",
            "released_before",
            "count_gone",
            "largest_cell",
            "count_strange",
            "oldest_rows",
            "rates",
            "count_cells",
            "count_changed",
            "count_strange_labels",
            "measured_columns",
            "required_columns",
        ),
        exp.Select,
    ),
    **dict.fromkeys(("add_fresh", "add_release"), exp.Insert),
    **dict.fromkeys(("mark_gone", "end_rows", "end_series"), exp.Update),
    "forget_withheld": exp.Delete,
    "drop_tables": exp.Drop,
    **dict.fromkeys(
        (
            "count_short_lists",
            "count_event_labels",
            "count_unchanged",
            "count_short_events",
            "count_short_signatures",
        ),
        exp.Select,
    ),
    "apportioned_columns": exp.Select,
    "boundary_texts": exp.Select,
    "one_query": exp.Select,
    "trial_rows": exp.Select,
    "penalty_of_covered": exp.Select,
    "penalty_of_intervals": exp.Select,
    "penalty_of_labels": exp.Select,
    "shared_values": exp.Select,
    "penalty_of_places": exp.Select,
    **dict.fromkeys(READS, exp.Query),
    "attach": exp.Attach,
    "attach_file": exp.Attach,
    "begin": exp.Transaction,
    "columns_of": exp.Describe,
    "comment_on": exp.Comment,
    "comment_on_view": exp.Comment,
    "commit": exp.Commit,
    "delete_keys": exp.Delete,
    "detach": exp.Detach,
    "attach_ducklake": exp.Attach,
    **dict.fromkeys(("attached_ducklakes", "ducklake_table", "ducklake_layout"), exp.Select),
    **dict.fromkeys(
        ("ducklake_changes", "older_snapshots", "expire_snapshots", "ducklake_folder"), exp.Select
    ),
    **dict.fromkeys(("remove_expired_files", "vacuum"), exp.Command),
    "ducklake_orphans": exp.Query,
    "stored_columns": exp.Select,
    "extension_installed": exp.Select,
    "drop_index": exp.Drop,
    "insert_key": exp.Insert,
    "insert_rows": exp.Insert,
    "rollback": exp.Rollback,
    "copy_csv": exp.Copy,
    "write_plainly": exp.Copy,
    "copy_parquet": exp.Copy,
    "drop_table": exp.Drop,
    "drop_type": exp.Command,
    "drop_view": exp.Drop,
    "begin_script": exp.Set,
    "own_functions": exp.Set,
    "allow_folders": exp.Set,
    "close_other_files": exp.Set,
    "change_setting": exp.Set,
    "store_key": exp.Set,
    "label_type": exp.Command,
    "load_extension": exp.Command,
    "end_script": exp.Command,
    "forget_key": exp.Command,  # sqlglot knows no RESET; it keeps the words as they stand
    "set_key": exp.Set,
    "set_pad": exp.Set,
}
"""All others are CREATE."""


def by_name(cases):
    return pytest.mark.parametrize("case", cases, ids=str)


def texts(dialect):
    """Of each case, the text in a dialect, where it has that statement."""
    known = templates_of(dialect)
    others = [*IN_A_SHELL, *OF_LAKES] if dialect == "duckdb" else OF_SERVERS
    cases = {each.name: each for each in [*CASES, *others] if each.statement.name in known}
    return {each: each.statement.render(dialect) for each in cases.values()}


@pytest.fixture(scope="module")
def said():
    """Of each dialect its texts by their cases, which are recorded anew if that is asked."""
    found = {dialect: texts(dialect) for dialect in recorded.DIALECTS}
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        recorded.write(found)
    return found


@pytest.mark.parametrize("dialect", recorded.DIALECTS)
def test_statements_render_as_recorded(said, dialect):
    """Here is what a reviewer sees changing; what runs is tested against the databases."""
    there, here = (
        {path: text for path, text in files.items() if path.name.endswith(f".{dialect}.sql")}
        for files in (recorded.read(), recorded.shown(said))
    )
    assert there
    assert there == here


@pytest.mark.parametrize("dialect", recorded.DIALECTS)
def test_no_other_text_of_a_template_has_drifted(said, dialect):
    """What differs names a template: read its diff, then record anew."""
    there, here = (
        set(re.findall(rf"^(\S+).* ({dialect}:\w+)", text, re.MULTILINE))
        for text in (recorded.HASHES.read_text(encoding="utf-8"), recorded.hashes(said))
    )
    assert there
    assert there ^ here == set()


def test_what_is_recorded_can_be_read():
    """Records are reviewed as code: all together, and each by itself, they stay small."""
    lines = {path.name: len(text.splitlines()) for path, text in recorded.read().items()}
    assert sum(lines.values()) <= 20_000
    assert max(lines.values()) <= recorded.LONGEST + 1
    assert sum(each > recorded.SHORT + 1 for each in lines.values()) < len(lines) / 10


UNKNOWN_TO_SQLGLOT = {
    "duckdb": {"checkpoint", "comment_on-nothing", "copy_database"},
    "postgres": {"insert_rows-overriding", "comment_on-nothing", "begin_script"},
    "spark": {"insert_rows-overriding", "comment_on-nothing"},
}
"""What sqlglot cannot read; the databases do."""


@pytest.mark.parametrize("dialect", recorded.DIALECTS)
def test_each_is_one_statement_of_its_kind(said, dialect):
    def check(name, text):
        if {name, name.split("-")[0]} & UNKNOWN_TO_SQLGLOT[dialect]:
            return
        (statement,) = sqlglot.parse(text, read=dialect)
        if dialect == "duckdb":
            assert isinstance(statement, KINDS.get(name, KINDS.get(name.split("-")[0], exp.Create)))

    assert offenders(check, [(case.name, text) for case, text in said[dialect].items()]) == {}


def test_every_case_has_its_own_name():
    names = Counter(case.name for case in [*CASES, *IN_A_SHELL, *OF_LAKES])
    assert [name for name, times in names.items() if times > 1] == []


def templates_of(dialect):
    """The statements that a dialect has: its own, and those that all share; a file of commands has several."""
    folder = Path(str(template_root())) / "sql"
    others = {"part", "tsql", *recorded.DIALECTS} - {dialect}
    files = [
        path for path in folder.rglob("*.sql.j2") if not {*path.relative_to(folder).parts} & others
    ]
    named = [commands_of(path) or [path.name.removesuffix(".sql.j2")] for path in files]
    return {name for each in named for name in each}


def commands_of(path):
    return re.findall(r'if command == "(\w+)"', path.read_text("utf-8"))


@pytest.mark.parametrize("dialect", recorded.DIALECTS)
def test_every_template_is_recorded(said, dialect):
    assert {case.statement.name for case in said[dialect]} == templates_of(dialect)


TUPLES_AND_NODES = [
    """CREATE TABLE "tup;les" AS
    SELECT * FROM (VALUES (0, -1, 0, 1, 1, 2, 1, 1), (1, 0, 1, 0, 2, 1, 2, 1), (2, 1, 0, 1, 3, 3, NULL, 1), (2, 3, 1, 1, 3, 1, 1, 2))
    AS t(place_0, place_1, place_2, target, entity, row_count, spread_0, spread_1)""",
    """CREATE TABLE "ran;ges" AS
    FROM (VALUES ('0', '0', '1', '0', '0', '0', '9'))
      AS v (value, first_quasi, second_quasi, first_from, first_to, second_from, second_to)""",
    """CREATE TABLE "no'des" AS
    SELECT * FROM (VALUES (0, NULL, 0, 2, 2), (1, 0, 0, 1, 1), (2, 0, 2, 2, 0), (3, 1, 0, 0, 0), (4, 1, 1, 1, 0))
    AS t(node, parent, low, high, level)""",
    """CREATE TABLE "li;ne" AS
    SELECT * FROM (VALUES (-1, NULL, 4.0), (0, 1.0, 4.0), (1, 2.0, 4.0), (2, 5.0, 4.0)) AS t(place, measure, span)""",
    """CREATE TABLE "ranked; --" AS SELECT * FROM (VALUES ('x', 0, 0), ('y', 1, 1), ('z', 2, 2)) AS t(value, place, path)""",
    """CREATE TABLE labels AS SELECT * FROM (VALUES (0, 0, 0.0), (0, 1, 0.0), (0, 2, 0.0), (1, 0, 0.5), (2, 0, 1.0))
    AS t(level, node, share)""",
    """CREATE TABLE "ce;lls" AS SELECT * FROM (VALUES (0, 2), (1, 3)) AS t(region, place)""",
    """CREATE TABLE "who;les" AS SELECT * FROM (VALUES (7, 1), (NULL, 2)) AS t(value, row_count)""",
    """CREATE TABLE "gra;des" ("gra'de" ENUM ('mid', 'low'))""",
    """CREATE TABLE "peo;ple of all" AS SELECT * FROM (VALUES ('a', 'f'), ('b', 'f'), ('c', NULL)) AS t("i'd", "se'x")""",
    """CREATE TABLE "vis;its" AS SELECT * FROM (VALUES ('a', 'w1', 3), ('a', NULL, 5), ('b', 'w2', 8), ('x', 'w1', 9), (NULL, 'w3', 1))
    AS t("pa.tient", "wa;rd", day)""",
    """CREATE TABLE "wa;rds map" AS SELECT * FROM (VALUES ('w1', '*'), ('w2', '*'), ('w3', '*'), (NULL, '*')) AS t(value, label_1)""",
]
"""Tuples of places with a class column, the nodes of the first column and their widths, and a line, in the way of names
as hostile."""


def people_beside(folder, connection):
    """What the statements read: files in a folder, and tables that no statement makes."""
    with (folder / "pe'ople.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="|", lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(ROWS)
    objects = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in ROWS]
    (folder / "pe'ople.ndjson").write_text("\n".join(objects), encoding="utf-8")
    (folder / "jo'bs.csv").write_text(JOBS, encoding="utf-8")
    (folder / "co'des.csv").write_text("5,1,2\n4294967296,2,3\n", encoding="utf-8")
    duckdb.connect(str(folder / "ot'her.duckdb")).close()
    for text in TUPLES_AND_NODES:
        connection.execute(text)
    given = "(-1, 0, 0, 1, 1, 3), (0, 1, 1, 1, NULL, 2), (1, 2, 0, 2, 2, 3)"
    named = "place_0, place_1, target, entity, spread_0, row_count"
    connection.execute('CREATE TABLE "kept; keys" (name TEXT, inner_key TEXT, outer_key TEXT)')
    connection.execute(f'CREATE TABLE "pla;ces" AS FROM (VALUES {given}) AS v ({named})')


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Say every statement in order on one connection: rows by name, or the refusal."""
    folder = tmp_path_factory.mktemp("golden")
    found = {}
    with contextlib.chdir(folder), duckdb.connect() as connection:
        people_beside(folder, connection)
        for each in CASES:
            try:
                rows = connection.execute(each.statement.render("duckdb"), list(each.params))
                found[each.name] = rows.fetchall()
            except duckdb.Error as error:
                found[each.name] = error
                continue
            if each.name == "read_parquet-partitioned":
                shown = connection.execute('SELECT * FROM "staged\'"')
                found["staged names"] = [column[0] for column in shown.description]
                found["staged"] = shown.fetchall()
                for name in (
                    "dates",
                    "fine",
                    "read back",
                    "parts read back",
                    "verdict; --",
                    "left out",
                ):
                    found[name] = connection.execute(f'SELECT * FROM "{name}"').fetchall()
        for name, made in (
            ("binned pairs", "measu'red binned pairs"),
            ("pairs of codes", "measu'red coded pairs"),
        ):
            found[name] = connection.execute(f'SELECT * FROM "{made}"').fetchall()
        found["files"] = [str(p.relative_to(folder)) for p in folder.glob("parts/**/*.parquet")]
        found["csv"] = (folder / "re'lease.csv").read_text(encoding="utf-8")
    return found


def test_duckdb_runs_every_statement(ran):
    assert {
        each.name: ran[each.name] for each in CASES if not isinstance(ran[each.name], list)
    } == {}


@by_name(IN_A_SHELL)
def test_the_duckdb_shell_runs_the_statement(case, tmp_path):
    shell = shutil.which("duckdb")
    if shell is None:
        pytest.skip("there is no DuckDB shell here")
    variable = case.statement.leaves["variable"].this
    said = case.statement.render("duckdb")
    script = f"{said};\nSELECT hex(getvariable('{variable}'));"
    told = subprocess.run(
        [shell, "-csv", "-noheader"],
        input=script,
        env={**os.environ, "KANON_TEST_KEY": SECRET.decode()},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert bytes.fromhex(told.stdout.strip()) == SECRET


def label(quasi, row, level):
    """What a released cell should be, said again without SQL."""
    value = row[COLUMNS.index(QUASI[quasi].name)]
    if level == 0:
        return value
    if level == TOPS[quasi]:
        return "top"
    if quasi == 1:
        return None if value is None else value[:2]
    if quasi == 2:
        if int(value) >= 60:
            return "60+"
        width = (10, 30)[level - 1]
        return int(value) // width * width
    jobs = dict(line.split(";")[:2] for line in JOBS.splitlines())
    return jobs.get(value)


def classes(levels):
    found = {}
    for row in ROWS:
        key = tuple(label(quasi, row, level) for quasi, level in enumerate(levels))
        found.setdefault(key, []).append(row)
    return list(found.values())


def greatest(levels, *, people):
    """The rows that `SEVERAL` leaves, of people; or 3-anonymity over sex and job, of rows."""
    at = COLUMNS.index
    sets = [(range(4), 2, 1), ((0, 3), 1, 2), ((1,), 3, 1)] if people else [((0, 3), 3, 1)]
    left, before = list(ROWS), None
    while left != before:
        before = left
        for quasi, k, least in sets:
            members = {}
            for row in left:
                key = tuple(label(q, row, levels[q]) for q in quasi)
                members.setdefault(key, []).append(row)
            left = [
                row
                for each in members.values()
                if (len({r[at(WHO)] for r in each}) if people else len(each)) >= k
                and len({r[at(DISEASE)] for r in each}) >= least
                for row in each
            ]
    return left


def fits(members, *, people):
    if not people:
        return len(members) >= 2
    at = COLUMNS.index
    diseases = {row[at(DISEASE)] for row in members}
    return len({row[at(WHO)] for row in members}) >= 2 and len(diseases) >= 2


def test_facts_find_the_siblings_that_the_keys_have_room_for(ran):
    found = [[] for _ in QUASI]
    for quasi, _, _, labels, *_, last, _ in ran["level_statistics"]:
        found[quasi].append(last)
        assert labels == len({label(quasi, row, len(found[quasi]) - 1) for row in ROWS})
    assert found == SIBLINGS


@pytest.mark.parametrize("variant", ["", "-people"])
def test_a_check_counts_what_python_counts(ran, variant):
    found = ran[f"check{variant}"]
    assert sorted(row[0] for row in found) == [0, 1, 2]
    for number, every, failing, suppressed, smallest, *_ in found:
        made = classes(NODES[number].levels)
        fitting = [each for each in made if fits(each, people=bool(variant))]
        assert (every, failing) == (len(made), len(made) - len(fitting))
        assert suppressed == len(ROWS) - sum(map(len, fitting))
        who = COLUMNS.index(WHO)
        sizes = (len({row[who] for row in each}) if variant else len(each) for each in made)
        assert smallest == min(sizes)


@pytest.mark.parametrize(("name", "size"), [("", 1), ("-pairs", 2), ("-triples", 3)])
def test_a_candidate_graph_is_what_python_grows(ran, name, size):
    graphs = PythonGraphs(GROWN.lattice.tops)
    graph = graphs.first()
    for failed in [{PartialNode((2,), Node((1, 1, 0)))}, set()][: size - 1]:
        graph = graphs.grow(failed)
    read = {candidate: [] for candidate in graph}
    for code, coarser in ran[f"candidate_graph{name}"]:
        above = read[GROWN.candidate(code)]
        if coarser is not None:
            above.append(GROWN.candidate(coarser))
    assert {each: tuple(sorted(above)) for each, above in read.items()} == graph


def test_the_recount_passes_and_nobody_is_lost(ran):
    released = [each for each in classes(LEVELS) if fits(each, people=True)]
    rows = sum(map(len, released))
    assert 0 < rows < len(ROWS)
    ((count, counted, smallest, least_diseases, _, short),) = ran["verify"]
    assert (count, counted, short) == (len(released), rows, 0)
    assert smallest >= 2
    assert least_diseases >= 2
    assert ran["verdict; --"] == [("passed", *ran["verify"][0])]
    assert sum(row[2] for row in ran["class_sizes"]) == rows
    assert len(ran["read back"]) == rows


def test_the_recount_counts_the_classes_of_each_size_in_the_same_pass(ran):
    released = [each for each in classes(LEVELS) if fits(each, people=True)]
    of_all = [row[:-2] for row in ran["verify-sizes"] if row[-1]]
    assert of_all == ran["verify-rows"]
    by_size = {size: row[:2] for *row, size, all_ in ran["verify-sizes"] if not all_}
    counts = Counter(map(len, released))
    assert by_size == {size: [many, size * many] for size, many in counts.items()}


def test_the_whole_table_is_recounted_by_the_sizes_of_its_classes(ran):
    sizes = dict(ran["size_counts"])
    ((count, rows, _, risk, unique, short),) = ran["verify-whole"]
    assert (count, rows) == (sum(sizes.values()), sum(n * many for n, many in sizes.items()))
    assert risk == -(-count * 10**9 // rows)
    assert unique == -(-sizes.get(1, 0) * 10**9 // rows)
    kept = risk <= 5 * 10**8 and unique <= 0
    assert short == (sizes.get(1, 0) if kept else count)
    told = {number: found for number, _, found in ran["claims-whole"]}
    assert {float(told[1]), float(told[2])} == {risk / 10**9, unique / 10**9}


def test_the_sizes_of_fitting_classes_are_those_that_a_check_counts(ran):
    sizes = {}
    for size, many, _, node in ran["class_sizes-nodes"]:
        sizes.setdefault(node, []).append((size, many))
    for node, every, failing, suppressed, *_ in ran["check"]:
        assert sum(many for _, many in sizes.get(node, ())) == every - failing
        fit = sum(size * many for size, many in sizes.get(node, ()))
        assert fit == len(ROWS) - suppressed


def test_claims_are_told_as_the_recount_has_them(ran):
    ((count, rows, smallest, *_),) = ran["verify"]
    told = {number: (verdict, found) for number, verdict, _, found, _ in ran["print_verdicts"]}
    assert {verdict for verdict, _ in told.values()} == {"PASS"}
    assert [told[n][1] for n in (3, 4, 7)] == [str(count), str(smallest), str(rows)]
    assert ran["fail_script"] == [("every claim holds",)]
    assert [(n, v, found) for n, (v, found) in told.items() if n < 12] == ran["claims"]
    unshown = {number: verdict for number, verdict, _ in ran["claims-rows"]}
    assert [n for n, verdict in unshown.items() if verdict == "UNCHECKED"] == [1, 4, 5]


def test_the_staged_table_holds_labels_hashes_and_nulls(ran):
    staged = [dict(zip(ran["staged names"], row, strict=True)) for row in ran["staged"]]
    kept = [row for each in classes(LEVELS) if fits(each, people=True) for row in each]
    hashed = {
        None if row[1] is None else hmac.new(SECRET, row[1].encode(), hashlib.sha256).hexdigest()
        for row in kept
    }
    assert {row[NAME] for row in staged} == hashed
    assert {row[SSN] for row in staged} == {None}
    assert {row[SEX] for row in staged} == {"person"}
    assert {row[staging_sql.ENTITY] for row in staged} == {row[0] for row in kept}
    assert STREET not in ran["staged names"]
    assert staging_sql.ENTITY not in ran["csv"]
    assert f"{AGE}_low" in ran["staged names"]


def test_dates_are_generalized_by_calendar_units(ran):
    found = {str(row[0]): row[1:] for row in ran["dates"]}
    assert found["2024-12-30"] == (
        "2024-12-30",
        "2025-W01",
        "2024-12",
        "2024-Q4",
        "2024",
        "2020s",
        "2020-2039",
        "2000-2039",
        "2000s",
        "*",
    )
    assert found["1969-07-20"][4:9] == ("1969", "1960s", "1960-1979", "1960-1999", "1900s")
    assert found["1899-01-01"][6:9] == ("1880-1899", "1880-1919", "1800s")
    assert found["None"] == (*[None] * 9, "*")


def test_intervals_are_exact_at_their_ends(ran):
    labels = {row[0]: row[1] for row in ran["fine"]}
    assert labels["4"] == "[3.00, 5.50)"
    assert labels["59"] == "[58.00, 60.25)"
    assert labels["61"] == ">= 60.25"


def test_a_partitioned_release_is_a_folder_of_its_values(ran):
    assert ran["files"]
    assert all("=person/" in path and "ward" in path for path in ran["files"])
    told = [(kind, label) for kind, label, *_ in ran["survey_files"]]
    assert told == [("partition", quote(SEX)), ("partition", quote(WARD))]
    assert Counter(map(sorted_texts, ran["parts read back"])) == Counter(
        map(sorted_texts, ran["read back"])
    )


def sorted_texts(row):
    return tuple(sorted(map(str, row)))


@pytest.mark.parametrize("variant", ["-rows", "-diverse", "-people"])
def test_a_check_says_the_same_alone_and_in_a_batch(ran, variant):
    (alone,) = ran[f"check{variant}_alone"]
    detailed = ran["check" if variant == "-rows" else f"check{variant}"]
    brief = {row[0]: row[1:] for row in ran[f"check{variant}_brief"]}
    assert brief == {row[0]: (*row[1:4], *row[8:]) for row in detailed}
    assert alone[1:] == brief[1]


@pytest.mark.parametrize("variant", ["-rows", "-diverse", "-people"])
def test_each_bar_counts_as_a_check_by_itself(ran, variant):
    """The first bar is that of the checks, the second one that every class reaches."""
    detailed = {row[0]: row for row in ran["check" if variant == "-rows" else f"check{variant}"]}
    together = {
        row[0]: row
        for row in ran["check_thresholds" if variant == "-rows" else f"check_thresholds{variant}"]
    }
    assert together.keys() == detailed.keys()
    for node, (_, every, *rest) in together.items():
        _, all_classes, failing, suppressed, _, _, squares, all_squares, *measures = detailed[node]
        assert every == all_classes
        assert rest == [*measures, failing, suppressed, squares, 0, 0, all_squares]
    (alone,) = ran[f"check_thresholds{variant}_alone"]
    *_, failing, suppressed, none_fails, none_goes = alone
    assert (failing, suppressed) == detailed[1][2:4]
    assert (none_fails, none_goes) == (0, 0)


def test_suppressed_leaves_are_those_of_the_suppressed_rows(ran):
    failing = [r for each in classes((0, 0, 0, 0)) if not fits(each, people=False) for r in each]
    for node, item, figure in ran["suppressed_marginals-rows_leaves"]:
        if (node, item) == (0, 0):
            assert figure == len(failing)
        assert figure > 0


@pytest.mark.parametrize("variant", ["", "-rows"])
def test_what_fits_several_sets_is_what_python_leaves(ran, variant):
    found = {row[0]: row for row in ran[f"check-joint{variant}"]}
    assert sorted(found) == [0, 1, 2]
    for number, (_, every, failing, suppressed, *_) in found.items():
        made = classes(NODES[number].levels)
        left = greatest(NODES[number].levels, people=not variant)
        kept = [each for each in made if all(row in left for row in each)]
        assert suppressed == len(ROWS) - len(left)
        assert (every, failing) == (len(made), len(made) - len(kept))


def test_the_released_steps_leave_the_same_out(ran):
    left = greatest(LEVELS, people=True)
    assert 0 < len(left) < len(ROWS)
    assert sum(row[-1] for row in ran["left out"]) == len(ROWS) - len(left)


def test_pairs_of_bins_are_the_same_by_each_way(ran):
    def shown(name):
        return sorted(map(repr, ran[name]))

    assert shown("binned pairs") == shown("pairs of codes") != []
