"""What is forgotten raises: a match tells every case apart, and privacy models are told apart in one place."""

from __future__ import annotations

import ast
import re
from dataclasses import fields, replace
from inspect import isabstract
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest
from measures import measures
from trees import tree_of

import kanon_sql
from kanon_sql.base.sql.templates import has_template, template_root
from kanon_sql.base.sql.words import DUCKDB, SPARK
from kanon_sql.counting.plans.recodings import (
    FullDomain,
    Recoding,
    SingleDimensional,
    Way,
    _Recoding,
)
from kanon_sql.engines.destination_format import DestinationFormat, FileKind
from kanon_sql.engines.locations import Destination, Format, InPlace
from kanon_sql.errors import PolicyError
from kanon_sql.policy.hierarchies.entries import HierarchyKind
from kanon_sql.policy.hierarchies.order import OrderKind
from kanon_sql.policy.hierarchies.specs import KINDS, SuppressHierarchy
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.output import Output
from kanon_sql.policy.outputs import OUTPUTS
from kanon_sql.policy.privacy.declared_models import MODELS as REGISTERED
from kanon_sql.policy.privacy.demands import uncounted
from kanon_sql.policy.privacy.k_anonymity import KAnonymity, Size
from kanon_sql.policy.privacy.privacy_model import Channel, Reads
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.recoding.recode import RECODERS, Recoder
from kanon_sql.release.destination import Publisher
from kanon_sql.release.publish import FilePublisher, TablePublisher
from kanon_sql.release.publish_lake import PUBLISHERS, publisher_of
from kanon_sql.release.stage import EXECUTORS, executor_problems

ROOM = Path(kanon_sql.__file__).parent
FRAGMENTS = template_root() / "sql" / "privacy"
MODULES = {str(path.relative_to(ROOM)): path for path in sorted(ROOM.rglob("*.py"))}
MODELS = {each.__name__ for each in (*REGISTERED, *measures())}
"""The privacy models and their measures: who counts them reads what they state, and knows none of them."""


def parsed(module):
    return tree_of(MODULES[module])


def is_default(case):
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and not case.guard


def ends_there(case):
    """Whether the last statement of a case raises, itself or by assert_never."""
    last = case.body[-1]
    called = (
        last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    )
    return isinstance(last, ast.Raise) or getattr(called, "id", None) == "assert_never"


def test_a_match_ends_in_a_default_that_raises():
    """An open set is asked for by `if`: what a `match` does not name is a mistake, and no default."""
    open_ended = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Match)
        and not (is_default(node.cases[-1]) and ends_there(node.cases[-1]))
    ]
    assert open_ended == []


BUILT_IN = {"str", "int", "float", "bool", "bytes", "dict", "list", "tuple", "Decimal", "Fraction"}


def tells_a_union_apart(match):
    """Whether a case is a class of ours or a member of an enumeration: a type checker then knows all that are left."""
    return any(
        (isinstance(each, ast.MatchClass) and getattr(each.cls, "id", None) not in BUILT_IN)
        or (isinstance(each, ast.MatchValue) and isinstance(each.value, ast.Attribute))
        for case in match.cases
        for each in ast.walk(case.pattern)
    )


def test_a_match_of_a_union_ends_in_assert_never():
    """Another default, or one with a condition, hides a case that was added later until somebody runs into it."""
    hidden = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Match)
        and tells_a_union_apart(node)
        and not (
            isinstance(node.cases[-1].body[-1], ast.Expr)
            and getattr(node.cases[-1].body[-1].value.func, "id", None) == "assert_never"
            and not any(
                isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
                for case in node.cases[:-1]
            )
        )
    ]
    assert hidden == []


BY_RULE = {"part", "height", "described", "leaves"}
"""What a kind without entries answers itself."""
WITH_A_RULE_ELSEWHERE = {"label_words", "label_rule", "why_no_rule", "no_path"}
"""What a kind answers itself that has labels between the values and the root."""
PLACES = ("file", "table", "query", "rows")
"""Where entries are."""


def own_answers(kind):
    return {
        name for each in kind.__mro__[: kind.__mro__.index(HierarchyKind)] for name in vars(each)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_hierarchy_answers_every_channel(kind):
    """What it forgets would be refused at run time, or end in an internal error."""
    own = own_answers(kind)
    assert {"key", "shape"} <= own
    if kind.has_entries:
        assert {"described", "becomes"} <= own
        assert len(own & set(PLACES)) == 1
    else:
        assert own >= BY_RULE
        assert (template_root() / kind.part).is_file()
        if kind is not SuppressHierarchy:
            assert own >= WITH_A_RULE_ELSEWHERE


@pytest.mark.parametrize("recoding", get_args(Recoding))
def test_every_recoding_has_words_for_itself_and_for_its_columns(recoding):
    """What a recoding forgets ends in an internal error, and in the words of no other."""
    own = {name for each in recoding.__mro__ for name in vars(each) if each is not _Recoding}
    assert {"summary", "__str__"} <= own
    assert {"nodes", "column_text"} & own


RECODING_ITSELF = {"phrase", "ways", "many_labels"}
"""What a recoding states itself and takes from no other, so that it is released in no way that it forgets."""
LIKE_FULL_DOMAIN = {FullDomain, SingleDimensional}
"""The recodings whose classes fail by themselves, so that their recoders need no classes of their own."""


def test_every_recoding_has_a_recoder():
    assert set(RECODERS) == set(get_args(Recoding))


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda each: each.name)
@pytest.mark.parametrize("recoding", get_args(Recoding))
def test_every_recoding_is_released_in_every_way_or_refused_with_a_reason(recoding, executor):
    """`tests/e2e/test_executors.py` carries out what is released here, and reads the reason of what is not."""
    assert vars(recoding).keys() >= RECODING_ITSELF
    assert recoding in executor.recodings or executor.no_recoding


def test_every_way_is_that_of_an_executor():
    assert {each.way for each in EXECUTORS} == {None, *Way}


@pytest.mark.parametrize("recoding", get_args(Recoding))
def test_a_recoder_has_the_queries_that_those_of_levels_do_not_fit(recoding):
    """One that forgets its classes would suppress those of full-domain recoding."""
    recoder = RECODERS[recoding]
    own = {name for each in recoder.__mro__ for name in vars(each) if each is not Recoder}
    if recoding.in_regions:
        assert own >= {"recode", "recode_new", "plan_steps", "script_query"}
        assert "region_count" in vars(recoding)
    else:
        assert "classes" in own or recoding in LIKE_FULL_DOMAIN
    if recoding.has_boundaries and not recoding.in_regions:
        assert own >= {"columns", "labels", "recode"}
    if recoding.has_boundaries:
        assert {"boundaries", "with_boundaries"} <= vars(recoding).keys()


@pytest.mark.parametrize("output", OUTPUTS, ids=str)
def test_every_output_answers_every_channel(output):
    """What it forgets would be an internal error, a cell without words, or values that nobody is warned of."""
    own = {name for each in type(output).__mro__ if each is not Output for name in vars(each)}
    assert "key" in own
    assert output.covers or output.no_cover or output.by_nodes
    if not output.is_of_rows:
        assert output.shows_ends or output.by_nodes
        return
    assert {"words", "template", "leaves"} <= own
    assert output.shows_values or output.no_cover
    assert output.shows_values is (type(output).values_shown is not Output.values_shown)
    template = template_root() / "sql" / f"{output.template}.sql.j2"
    header = template.read_text(encoding="utf-8").partition("-#}")[0]
    leaves = output.leaves(Column("of", Role.QUASI, order=OrderKind.NUMBER), tree=False)
    read = ["tuples"] * (not output.together)  # what is chosen together is counted before
    assert [each for each in ("found", *read, *leaves) if f"{each}:" not in header] == []


STATED = (
    {"hierarchy": {"intervals": [10]}},
    {"order": "number"},
    {"hierarchy": {"intervals": [10]}, "order": "number"},
)


def policy_with(output, search):
    """A policy with a column of an output: of the first kind of column that can have it."""
    policy = {"version": 1, "source": "t", "entity": "row", "privacy": {"k": 2}, "suppression": 0}
    for own in STATED:
        column = {"role": "quasi", "output": output.key, **own}
        try:
            return read_policy({**policy, "columns": {"age": column}, "search": search})
        except PolicyError as error:
            faults = error
    raise faults


@pytest.mark.parametrize("executor", EXECUTORS, ids=lambda each: each.name)
@pytest.mark.parametrize("output", OUTPUTS, ids=str)
def test_every_way_to_release_has_every_output_or_a_reason(output, executor):
    policy = policy_with(output, {"algorithm": "mondrian"} if output.is_of_rows else {})
    faults = [each for each in executor_problems(policy, executor) if each.where.endswith("output")]
    assert bool(faults) is (output.is_of_rows and bool(executor.no_of_rows))
    assert all(executor.no_of_rows in each.what for each in faults)
    if faults and executor.counts in {Channel.WAREHOUSE, Channel.SQLMESH}:
        assert output.no_warehouse


@pytest.mark.parametrize("output", OUTPUTS, ids=str)
def test_every_output_is_of_the_classes_of_any_search_or_says_why_not(output):
    if output.only_regions is None:
        assert bool(policy_with(output, {}).of_rows) is output.is_of_rows
    else:
        with pytest.raises(PolicyError, match=re.escape(output.only_regions)):
            policy_with(output, {})


def own_attributes(each, base):
    return {
        name for part in type(each).__mro__[: type(each).__mro__.index(base)] for name in vars(part)
    } | set(vars(each))


@pytest.mark.parametrize("format_", Format)
def test_every_destination_format_answers_every_channel(format_):
    """What it forgets would end in an internal error once rows were staged."""
    kind = format_.kind
    own = own_attributes(kind, DestinationFormat)
    assert {"key", "label"} <= own
    if not kind.is_file:
        assert kind.in_database is not (kind.lake is not None)
        return
    if kind.library is not None:
        library = own_attributes(kind.library, FileKind)
        assert {"key", "label", "endings", "read", "write", "writes", "loses"} <= library
        assert set(kind.endings) <= set(kind.library.endings)
        assert not has_template(kind.template, DUCKDB)
        return
    assert {"is_path", "endings", "spelled", "template", "lost"} <= own
    assert has_template(kind.template, DUCKDB)
    assert has_template(kind.template, SPARK) is ("spark_options" in own)
    assert set(kind.options) <= {each.name for each in fields(Destination)}


def test_every_destination_has_a_publisher():
    view = Destination(Format.TABLE, "t", view=True)
    in_place = [
        Destination(each, "t", in_place=InPlace()) for each in Format if not each.kind.is_file
    ]
    plain = [Destination(each, "t") for each in Format]
    chosen = [type(publisher_of(None, each)) for each in (view, *in_place, *plain)]
    assert set(chosen) == set(PUBLISHERS)


@pytest.mark.parametrize("publisher", PUBLISHERS)
def test_every_destination_answers_every_step_of_a_run(publisher):
    assert not isabstract(publisher)
    own = {name for each in publisher.__mro__ if each is not Publisher for name in vars(each)}
    assert {"takes", "faults", "write"} <= own
    assert ("why_not_purged" in own) is ("remove_dropped" in own)
    is_written_by_scripts = publisher in {TablePublisher, FilePublisher}
    assert is_written_by_scripts is not ("script_faults" in own)
    assert ("place" in own) is ("source_at" in own)


def test_nobody_asks_which_hierarchy_it_is():
    """Who needs an answer asks the kind: a comparison of types forgets what comes later."""
    kinds = {each.__name__ for each in KINDS}
    found = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", None) == "isinstance"
            and kinds & {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
        )
        or (isinstance(node, ast.MatchClass) and getattr(node.cls, "id", None) in kinds)
    ]
    assert found == []


def test_a_fragment_computes_with_no_value():
    """A search gives it codes, staging the values: both are equal or not, or NULL, and nothing else."""
    found = []
    for folder in ("measures", "sums"):
        for path in sorted((FRAGMENTS / folder / "part").glob("*.sql.j2")):
            text = re.sub(r"{#.*?#}|{%.*?%}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            of = r"{{ requirement\.of }}"
            plain = re.findall(rf"COUNT\((?:DISTINCT )?{of}\)|{of} IS (?:NOT )?NULL", text)
            if len(plain) != len(re.findall(r"requirement\.of\b", text)):
                found.append(path.name)
    assert found == []
    assert {each.reads for each in measures()} == {Reads.CODES}


@pytest.mark.parametrize("reads", [Reads.NUMBERS, Reads.DATES])
def test_a_measure_that_reads_more_than_codes_is_refused_in_every_channel(reads):
    class Mean(Size):
        pass

    Mean.reads = reads
    model = KAnonymity(2)
    asked = SimpleNamespace(requirements=(replace(model.requirements[0], measure=Mean()),))
    for channel in Channel:
        (why,) = uncounted([asked], channel)
        assert f"has codes in place of the {reads}" in why


def test_nobody_asks_which_model_it_is():
    """Nobody filters by the type of a model or a measure, as who does so leaves out what comes later."""
    found = [
        f"{module}:{node.lineno}"
        for module in MODULES
        if not module.startswith("policy/privacy/")
        for node in ast.walk(parsed(module))
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", None) == "isinstance"
            and MODELS & {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
        )
        or (isinstance(node, ast.MatchClass) and getattr(node.cls, "id", None) in MODELS)
    ]
    assert found == []
