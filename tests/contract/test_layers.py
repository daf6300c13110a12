"""Eight rooms, each on a floor of its own: who imports whom, and the first of the rules of the house.

Imports point down, those for types alone as well; `errors` lies on the lowest floor, `__init__` and `__main__` above. A slice
of the upper rooms imports another only through the doors that DOORS names, and no module imports itself by way of others.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from offenders import offenders
from trees import nodes_of, tree_of

import kanon_sql

PACKAGE = Path(kanon_sql.__file__).parent
FLOORS = (
    "base",
    "engines",
    "policy",
    "counting",
    "recoding",
    "release",
    "evidence",
    "apps",
    "__init__",
    "__main__",
)
"""From the lowest: what every room builds on, ..., what people start."""
SLICED = {"recoding", "release", "evidence", "apps"}
"""The rooms whose folders are slices: a folder is one feature, or one family of recodings."""
DOORS = {
    "apps": {"mcp_server", "scripts"},
    "apps.dbt": {"build_project_files", "check_project", "plan_models"},
    "apps.explorer": {"exploration", "serve"},
    "apps.getting_started": {"suggest", "demo_run", "first_policy", "import_arx", "init_source", "propose_columns", "propose_policy", "trial"},
    "apps.python": {"anonymize", "compare_searches", "plan_recoding", "verify_table"},
    "apps.schema": {"certify_schema", "propose_schema", "read_schema", "release_schema", "schema_page", "schema_plan", "schema_policy"},
    "evidence.attacks": {"column_sets"},
    "evidence.certificate": {"certificate", "certify"},
    "evidence.explanation": {"explain_plan", "explain_regions", "explanation", "explanation_text", "lattice_picture", "plan_diff", "regions_explanation"},
    "evidence.release_quality": {"beside_source", "coded_pairs", "measure_release", "measures", "simple_counts", "small_tables", "two_columns"},
    "evidence.reports": {"dossier", "first_screen", "make_report", "report", "report_values", "utility_sections"},
    "recoding": {"axes", "joined_classes", "label_codes", "linked_rows", "measured", "query", "rare_bounds", "recode", "recount", "second_look", "staging_sql"},
    "recoding.multi_node": {"local_recoding", "released_classes"},
    "recoding.multidimensional": {"assign_regions", "kept_cut", "mondrian", "region_cuts_sql", "regions_sql", "runs"},
    "recoding.new_rows": {"assign", "boundaries", "boundaries_sql"},
    "recoding.planning": {"make_plan", "open_plan", "remarks"},
    "recoding.searches": {"algorithms", "lightning", "optimal", "predictive_tagging"},
    "recoding.single_dimensional": {"bottom_up", "column_cuts", "k_optimize", "saved_search", "top_down"},
    "release": {"add_partition", "added_rows", "destination", "label_key", "publish_lake", "publish_view", "script", "script_entries", "stage", "warehouse_script", "warehouse_sql"},
    "release.series": {"ledger", "series_status", "step"},
}  # fmt: skip
"""What a slice shows to others. A folder of recodings or integrations is a slice of its own."""
FILES = sorted(PACKAGE.rglob("*.py"))
DRIVERS = {
    "duckdb",
    "psycopg",
    "pyspark",
    "pandas",
    "pyarrow",
    "polars",
    "narwhals",
    "fsspec",
    "deltalake",
    "pyiceberg",
}
DRIVERS_OF = {
    "kanon_sql.engines.duckdb.engine": {"duckdb"},
    "kanon_sql.engines.duckdb.session": {"duckdb"},
    "kanon_sql.engines.frames": {"narwhals", "pyarrow"},
    "kanon_sql.engines.lakes.delta": {"deltalake", "pyarrow"},
    "kanon_sql.engines.lakes.iceberg": {"pyiceberg", "pyarrow"},
    "kanon_sql.engines.local_files": {"fsspec"},
    "kanon_sql.engines.postgres.engine": {"psycopg"},
    "kanon_sql.engines.destination_format": {"pyarrow"},
    "kanon_sql.engines.files.library_files": {"polars", "pyarrow"},
    "kanon_sql.engines.spark.cluster": {"pyspark"},
    "kanon_sql.engines.spark.session": {"pyspark"},
    "kanon_sql.engines.spark.engine": {"pyspark", "pyarrow"},  # a session is sent rows as Arrow
}
STATEMENT = re.compile(
    r"""\b(ALTER|ATTACH|COPY|CREATE|DELETE|DESCRIBE|DROP|INSERT|PRAGMA|UPDATE)\s
      | \b(FROM|GROUP\ BY|HAVING|JOIN|LIMIT|ORDER\ BY|SELECT|SET|UNION|VALUES|WHERE|WITH)
        \s+([A-Z"'*({0-9]|\w+\.|\Z)""",
    re.VERBOSE,
)


def failing(check):
    """The modules that a check fails on."""
    names = [(str(path.relative_to(PACKAGE)),) for path in FILES]
    return offenders(lambda name: check(PACKAGE / name), names)


def dotted(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts)


def rank(module):
    """Give the floor of a module; the package itself is `__init__`, near the top."""
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else "__init__"
    return FLOORS.index("base" if room == "errors" else room)


def slice_of(module):
    """Give the slice of a module: its folder in a room of slices, else nothing that one would enter."""
    _, room, *inner = module.split(".")
    if room not in SLICED:
        return None
    return f"{room}.{inner[0]}" if len(inner) > 1 else room


def imports(nodes):
    """Every module that is imported anywhere: in functions, and for types alone, as well."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else str(node.module)


@cache
def is_module(name):
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def ours(nodes):
    return [name for name in imports(nodes) if name.split(".")[0] == "kanon_sql"]


def types_only(path):
    """The nodes beneath `if TYPE_CHECKING:`."""
    for node in nodes_of(path):
        if isinstance(node, ast.If) and getattr(node.test, "id", None) == "TYPE_CHECKING":
            yield from (inner for each in node.body for inner in ast.walk(each))


def test_the_rooms_are_eight():
    rooms = {path.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    assert rooms == set(FLOORS) - {"__init__", "__main__"}
    assert len(rooms) == 8


def test_imports_point_down():
    upward = [
        (dotted(path), name)
        for path in FILES
        for name in ours(nodes_of(path))
        # The command line says what a user of the package says.
        if rank(name) > rank(dotted(path)) and not ("cli" in path.parts and name == "kanon_sql")
    ]
    assert upward == []


def test_a_slice_is_entered_by_its_doors():
    entered = {
        (slice_of(name), name.split(".")[-1])
        for path in FILES
        if path.parent != PACKAGE
        for name in ours(nodes_of(path))
        if name != "kanon_sql" and slice_of(name) not in {None, slice_of(dotted(path))}
    }
    assert entered == {(slice_, door) for slice_, doors in DOORS.items() for door in doors}


def test_no_module_imports_itself_by_way_of_others():
    graph = {dotted(path): set() for path in FILES}
    for path in FILES:
        for_types = set(types_only(path))
        body = [n for n in tree_of(path).body if n not in for_types]
        at_once = ast.Module([n for n in body if not isinstance(n, ast.If)], [])
        graph[dotted(path)] = set(ours(ast.walk(at_once))) & graph.keys()
    while leaves := {module for module, uses in graph.items() if not uses}:
        graph = {module: uses - leaves for module, uses in graph.items() if module not in leaves}
    assert graph == {}


def test_one_name_is_one_thing():
    """Modules and public classes have names of their own, but for what each engine and each command has."""
    modules = Counter(
        path.stem
        for path in FILES
        if path.stem != "__init__"
        and not {"commands", "duckdb", "postgres", "spark"} & {path.parent.name}
    )
    classes = Counter(
        node.name
        for path in FILES
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in (modules + classes).items() if times > 1] == []


def test_no_folder_hides_a_public_function():
    folders = {path.parent.name for path in FILES if path.parent.parent == PACKAGE}
    assert folders & set(kanon_sql.__all__) == set()


def test_only_the_engine_imports_its_driver():
    def check(path):
        for_types = set(types_only(path))
        found = {
            name.split(".")[0]
            for node in nodes_of(path)
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in for_types
            for name in imports([node])
        }
        assert found & DRIVERS <= DRIVERS_OF.get(dotted(path), set())

    assert failing(check) == {}


def documentation(tree):
    """The constants that are texts for readers: docstrings of modules, classes, attributes."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def sql_in(tree):
    told = documentation(tree)
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in told
        and STATEMENT.search(node.value)
    ]


def test_sql_is_written_in_templates_alone():
    """But for sql/words, which spells the words that differ between the databases."""

    def check(path):
        assert path.parent.name == "words" or sql_in(tree_of(path)) == []

    assert failing(check) == {}


@pytest.mark.parametrize(
    "line",
    [
        'run(f"SELECT {name} FROM t")',
        'run(f"DROP TABLE {t}")',
        'x = "CREATE " + "TABLE " + t',
        "say('COPY t TO x')",
        'run("SET " + name)',
        'sql += " WHERE a.b = 1"',
    ],
)
def test_sql_in_python_is_recognised(line):
    assert sql_in(ast.parse(line))


@pytest.mark.parametrize("line", ['"""SELECT A"""', "raise E('must be exactly one SELECT')"])
def test_talk_about_sql_is_no_sql(line):
    assert not sql_in(ast.parse(line))


def test_statements_reach_the_connection_in_one_place():
    def check(path):
        calls = [
            node
            for node in nodes_of(path)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"execute", "executemany", "sql", "query"}
            and node.args
            and not isinstance(node.func.value, ast.Name)
            and not ast.unparse(node.func.value).endswith("engine")
        ]
        if dotted(path) in DRIVERS_OF:
            assert not any(isinstance(call.args[0], ast.JoinedStr | ast.Constant) for call in calls)
        else:
            assert [call for call in calls if call.func.attr.startswith("execute")] == []

    assert failing(check) == {}


def test_the_package_starts_without_any_frame_library():
    code = (
        "import sys, kanon_sql; from kanon_sql.apps.cli.command_line import main; "
        "list(main.commands.values()); print(*sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"narwhals", "pandas", "polars", "psycopg", "pyarrow", "pyspark", "vl_convert"} & set(
        told.stdout.split()
    ) == set()
