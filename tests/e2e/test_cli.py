"""The command line: what it prints for people and machines, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import duckdb
import pytest
import yaml

from kanon_sql import Plan
from kanon_sql.counting.lattice.sql_checker import SqlChecker
from kanon_sql.errors import install_command
from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable

pytestmark = pytest.mark.sampled(5)

PLAN_KEYS = {
    "status", "algorithm", "metric", "optimal", "cost", "levels", "rows", "suppressed_rows", "classes",
    "lattice_nodes", "checks", "statements", "seconds",
}  # fmt: skip


def objects(text):
    """Exactly one JSON object, and nothing else."""
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_plan_prints_one_object(lab):
    lab.policy()
    result = lab.run("plan", "policy.yml", "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    found = objects(result.stdout)
    assert found.keys() >= PLAN_KEYS
    assert found["status"] == "feasible"
    assert list(found["levels"]) == ["zip", "sex", "age"]
    assert found["rows"] == 40
    assert all(isinstance(s, float) for s in found["seconds"].values())
    assert (lab.folder / "policy.plan.yml").is_file()
    assert not (lab.folder / "release.parquet").exists()


@pytest.mark.parametrize("algorithm", ["incognito", "exhaustive"])
def test_algorithms_that_enumerate_tell_what_they_found(lab, algorithm):
    lab.policy()
    found = objects(lab.done("plan", "policy.yml", "--json", "--algorithm", algorithm))
    assert found["algorithm"] == algorithm
    assert found["feasible_nodes"] >= len(found["minimal_nodes"]) >= 1
    assert all(len(node) == 3 for node in found["minimal_nodes"])
    told = (lab.folder / "policy.plan.yml").read_text()
    assert f"minimal_nodes: {len(found['minimal_nodes'])}\n" in told
    assert Plan.from_yaml(told, "plan").to_yaml() == told


@pytest.mark.parametrize("variant", [None, "basic", "super_roots", "cube"])
def test_incognito_tells_its_effort_and_the_plan_file_does_not(lab, variant):
    given = {} if variant is None else {"variant": variant}
    lab.policy(search={"algorithm": "incognito", **given})
    found = objects(lab.done("plan", "policy.yml", "--json"))
    effort = found["effort"]
    assert list(effort) == [
        "source_scans", "nodes", "roots", "families", "counted",
        "first_set_scans", "rolled_up_scans", "sets_made", "rows_read",
    ]  # fmt: skip
    assert effort["source_scans"] == 1
    assert effort["families"] == 7
    assert effort["nodes"] >= effort["counted"] > 0
    assert found["checks"] >= effort["counted"]
    assert "effort" not in (lab.folder / "policy.plan.yml").read_text()
    if variant == "basic":
        assert effort["first_set_scans"] <= effort["roots"]


@pytest.mark.parametrize(
    "algorithm", ["optimal", "samarati", "incognito", "lightning", "exhaustive"]
)
@pytest.mark.parametrize(
    "metric", ["height", "distortion", "loss", "discernibility", "class_size", "entropy"]
)
def test_every_algorithm_and_metric_gives_a_feasible_plan(lab, algorithm, metric):
    lab.policy()
    found = objects(
        lab.done("plan", "policy.yml", "--json", "--algorithm", algorithm, "--metric", metric)
    )
    assert found["smallest_class"] >= 3
    assert found["suppressed_rows"] <= 4


def wide(lab, search):
    """A policy of 21 columns: 2^21 nodes."""
    names = [f"q{n}" for n in range(21)]
    lines = [",".join("canary-" + "ab"[i >> n % 5 & 1] for n in range(21)) for i in range(40)]
    lab.write("wide.csv", "\n".join([",".join(names), *lines]) + "\n")
    columns = {name: {"role": "quasi", "hierarchy": "suppress"} for name in names}
    unused = dict.fromkeys(("name", "zip", "sex", "age", "disease"))
    return lab.policy({**unused, **columns}, source="wide.csv", search=search)


@pytest.mark.slow
def test_a_lattice_too_large_to_enumerate_is_left_to_lightning(lab):
    said = lab.refused("plan", wide(lab, {"algorithm": "optimal", "time_limit": "5s"}))
    assert "2,097,152 nodes" in said
    assert "algorithm: lightning with a time_limit" in said
    for command in ("plan", "lint"):
        said = lab.refused(command, wide(lab, {"algorithm": "lightning"}))
        assert "search.time_limit" in said
    lab.done("lint", wide(lab, {"algorithm": "lightning", "time_limit": "4s"}))
    told = lab.done("plan", wide(lab, {"algorithm": "lightning", "time_limit": "4s"}))
    assert "among 2,097,152 nodes" in told


def late_after(monkeypatch, calls):
    """Let the time limit pass when a search has looked at the clock so often."""
    asked = {}

    def late(checker):
        asked[checker] = asked.get(checker, 0) + 1
        checker.cut_short = checker.cut_short or asked[checker] > calls
        return checker.cut_short

    monkeypatch.setattr(SqlChecker, "late", late)


def test_a_search_that_time_ended_says_so_in_the_plan_and_in_its_file(lab, monkeypatch):
    late_after(monkeypatch, 6)
    policy = wide(lab, {"algorithm": "lightning", "time_limit": "60s"})
    told = lab.done("plan", policy)
    assert ", the best found in its time, not proven optimal\n" in told
    text = (lab.folder / "policy.plan.yml").read_text()
    plan = Plan.from_yaml(text, "plan")
    assert plan.checks_in_time
    assert f"searched by lightning: {plan.checks_in_time} checks among 2,097,152" in told
    assert not plan.optimal
    assert plan.to_yaml() == text
    found = objects(lab.done("plan", policy, "--json"))
    assert (found["checks_in_time"], found["optimal"]) == (plan.checks_in_time, False)
    lab.done("apply", "policy.plan.yml")
    assert (lab.folder / "release.parquet").is_file()


def test_a_search_is_gone_on_with_from_its_plan(lab, monkeypatch):
    columns = {
        "zip": {"role": "quasi", "order": "text"},
        "sex": {"role": "quasi", "order": "text"},
        "age": {"role": "quasi", "order": "number"},
    }
    looks = iter([False, True])
    monkeypatch.setattr(KOptimizeTable, "late", lambda _: next(looks, False))
    lab.policy(columns, search={"algorithm": "k_optimize"})
    begun = lab.run("plan", "policy.yml")
    assert begun.stdout.endswith("run the same command with: --resume policy.plan.yml\n")
    assert begun.stderr.startswith("after 0 s: best cost ")
    plan = Plan.from_yaml((lab.folder / "policy.plan.yml").read_text(), "plan")
    assert plan.state is not None
    ended = lab.run(
        *("plan", "policy.yml", "--resume", "policy.plan.yml"), *("--time-limit", "9m", "--json")
    )
    assert ended.stderr == ""
    found = objects(ended.stdout)
    assert found["optimal"]
    assert found["cost"] <= plan.cost[0]
    said = lab.refused("plan", "policy.yml", "--resume", "policy.plan.yml")
    assert "has no search to go on with" in said
    assert "no such plan file" in lab.refused("plan", "policy.yml", "--resume", "none.yml")
    lab.policy()
    assert "has no search" in lab.refused("plan", "policy.yml", "--resume", "policy.plan.yml")


@pytest.mark.parametrize(
    "algorithm", ["optimal", "samarati", "all_min", "ola", "flash", "lightning"]
)
def test_time_that_ends_at_the_top_of_the_lattice_releases_nothing(lab, monkeypatch, algorithm):
    late_after(monkeypatch, 0)
    lab.policy(search={"algorithm": algorithm, "time_limit": "60s"}, privacy={"k": 40})
    for command in ("plan", "anonymize"):
        said = lab.refused(command, "policy.yml", code=3)
        assert "but the top of the lattice" in said
        assert "--time-limit" in said
        assert "greedy" in said
    told = objects(lab.run("plan", "policy.yml", "--json").stdout)
    assert told["status"] == "out_of_time"
    found = objects(lab.done("compare", "policy.yml", "--json", "--algorithms", algorithm))
    assert found["searches"][0]["status"] == "out_of_time"
    assert "but the top" in found["searches"][0]["error"]
    assert "none in time" in lab.done("compare", "policy.yml", "--algorithms", algorithm)


def test_a_top_of_the_lattice_that_is_proven_is_released_whatever_the_time(lab):
    lab.policy(search={"algorithm": "optimal", "time_limit": "60s"}, privacy={"k": 40})
    told = lab.done("anonymize", "policy.yml")
    assert "proven optimal" in told
    assert "warning: all released rows are in one equivalence class" in told


@pytest.mark.parametrize("algorithm", ["datafly", "greedy"])
def test_a_search_that_never_looks_at_the_clock_is_not_cut_short(lab, algorithm):
    lab.policy(search={"algorithm": algorithm})
    unhurried = objects(lab.done("plan", "policy.yml", "--json"))
    lab.policy(search={"algorithm": algorithm, "time_limit": "1ms"})
    told = lab.done("plan", "policy.yml")
    assert "time limit" not in told
    found = objects(lab.done("plan", "policy.yml", "--json"))
    assert "checks_in_time" not in found
    assert found["levels"] == unhurried["levels"]


def test_overrides_hold_in_the_plan_and_when_it_is_carried_out(lab):
    lab.policy()
    found = objects(lab.done("plan", "policy.yml", "--json", "-k", 7, "--suppression", "0"))
    assert found["smallest_class"] >= 7
    assert found["max_suppressed_rows"] == 0
    done = objects(lab.done("apply", "policy.plan.yml", "--json"))
    assert done["verification"]["smallest_class"] >= 7
    assert done["verification"]["rows"] == 40


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "0"],
        ["-k", "-3"],
        ["--suppression", "101%"],
        ["--suppression", "-1"],
        ["--suppression", "x"],
        ["-k", "41"],
    ],
)
def test_overrides_out_of_range_are_refused(lab, options):
    for command in ("plan", "anonymize"):
        lab.refused(command, lab.policy(), *options)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan"], ["apply"], ["verify", "people.csv"], ["nothing"], ["--nothing"],
        ["plan", "policy.yml", "-k", "many"], ["plan", "policy.yml", "--metric", "beauty"],
        ["plan", "policy.yml", "--algorithm", "magic"], ["plan", "policy.yml", "--threads", "0"],
        ["verify", "people.csv", "--quasi", "zip"], ["verify", "people.csv", "--quasi", "zip", "-k", "2", "--distinct-l", "x"],
        ["verify", "people.csv", "--quasi", "zip", "-k", "2", "--distinct-l", "=2"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_usage_that_is_wrong_ends_with_2(lab, arguments):
    lab.policy()
    lab.refused(*arguments, code=2)


def test_verify_prints_one_object(lab):
    found = objects(lab.done("verify", "people.csv", "--quasi", "zip,sex", "-k", 6, "--json"))
    assert found["passed"] is True
    assert {"smallest_class", "classes", "rows"} <= found.keys()
    assert (found["classes"], found["rows"], found["smallest_class"]) == (6, 40, 6)


def test_verify_fails_with_4(lab):
    result = lab.run("verify", "people.csv", "--quasi", "zip,sex,age", "-k", 30, "--json")
    assert result.exit_code == 4
    assert objects(result.stdout)["passed"] is False
    result = lab.run("verify", "people.csv", "--quasi", "zip", "-k", 2, "--distinct-l", "disease=6")
    assert result.exit_code == 4
    assert "anary" not in result.output


@pytest.mark.parametrize(
    "options",
    [
        ["--quasi", "nothing", "-k", "2"], ["--quasi", "", "-k", "2"], ["--quasi", "zip", "-k", "0"],
        ["--quasi", "ZIP", "-k", "2"], ["--quasi", "zip", "-k", "2", "--entity", "nobody"],
        ["--quasi", "zip", "-k", "2", "--distinct-l", "nothing=2"], ["--quasi", "zip", "-k", "2", "--distinct-l", "disease=0"],
        ["--quasi", "zip,,sex", "-k", "2"], ["--quasi", "\x00", "-k", "2"], ["--quasi", "x" * 200_000, "-k", "2"],
    ],
    ids=list("0123456789"),
)  # fmt: skip
def test_verify_of_what_is_not_there_is_refused(lab, options):
    lab.refused("verify", "people.csv", *options)


def test_verify_counts_entities_where_asked(lab):
    by_rows = objects(lab.done("verify", "people.csv", "--quasi", "sex", "-k", 5, "--json"))
    by_disease = objects(
        lab.done("verify", "people.csv", "--quasi", "sex", "-k", 5, "--entity", "disease", "--json")
    )
    assert (by_rows["smallest_class"], by_disease["smallest_class"]) == (20, 5)


def test_verify_takes_columns_one_by_one_and_names_them(lab):
    asked = (
        "verify",
        "people.csv",
        "--quasi",
        "zip,sex",
        "--quasi",
        "age",
        "--quasi",
        "sex",
        "-k",
        30,
    )
    result = lab.run(*asked)
    assert result.exit_code == 4
    assert result.stdout.startswith("FAIL over zip, sex, age: ")
    assert json.loads(lab.run(*asked, "--json").stdout)["qi"] == ["zip", "sex", "age"]


def test_verify_takes_names_with_commas_in_quotes(lab):
    lab.write("odd.csv", '"a,b",c\n1,2\n1,2\n')
    found = objects(lab.done("verify", "odd.csv", "--quasi", '"a,b",c', "-k", 2, "--json"))
    assert found["passed"]


def test_a_released_folder_can_be_verified_by_its_bare_name(lab):
    lab.done("anonymize", lab.policy(release={"parquet": "out", "partition_by": ["sex"]}))
    found = objects(lab.done("verify", "out", "--quasi", "zip,sex,age", "-k", 3, "--json"))
    assert found["passed"]


def test_a_bare_name_is_a_table_first_where_there_is_a_database(lab):
    with duckdb.connect(str(lab.folder / "w.duckdb")) as connection:
        connection.execute("CREATE TABLE out AS SELECT 1 AS zip FROM range(7)")
    asked = ("--quasi", "zip", "-k", 3, "--database", "w.duckdb")
    assert objects(lab.done("verify", "out", *asked, "--json"))["rows"] == 7
    lab.done("anonymize", lab.policy(release={"parquet": "out", "partition_by": ["sex"]}))
    told = lab.refused("verify", "out", *asked)
    assert "out: source: is a table and a path; write ./out for the path" in told
    assert objects(lab.done("verify", "./out", *asked, "--json"))["rows"] > 7
    assert objects(lab.done("verify", "main.out", *asked, "--json"))["rows"] == 7
    lab.policy(database="w.duckdb", columns={"name": None})
    assert "is a table and a path" in lab.refused("plan", "policy.yml", "--source", "out")


def test_a_folder_as_a_source_is_told_how_to_be_written(lab):
    (lab.folder / "visits").mkdir()
    said = lab.refused("plan", lab.policy(source="visits"))
    assert "is a folder; write ./visits, visits/ or" in said
    file = str(lab.folder / "people.csv")
    duckdb.read_csv(file).write_parquet(str(lab.folder / "visits" / "a.parquet"))
    lab.done("init", "./visits", "-o", "visits.yml")
    assert "./visits" in (lab.folder / "visits.yml").read_text()
    lab.done("lint", "visits.yml")


@pytest.mark.parametrize("command", ["plan", "anonymize", "lint", "apply", "verify"])
def test_errors_are_one_object_where_json_is_asked_for(lab, command):
    options = ["--quasi", "zip", "-k", "2"] if command == "verify" else []
    result = lab.run(
        command, "nowhere.csv" if command == "verify" else "nowhere.yml", *options, "--json"
    )
    assert result.exit_code == 1
    found = objects(result.stdout)
    assert found["status"] == "error"
    assert "nowhere" in found["error"]
    assert found["faults"]


def test_an_infeasible_policy_is_told_as_json(lab):
    privacy = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 9}}]
    result = lab.run("plan", lab.policy(privacy=privacy), "--json")
    assert result.exit_code == 3
    assert objects(result.stdout)["status"] == "infeasible"


def test_anonymize_prints_one_object(lab):
    found = objects(lab.done("anonymize", lab.policy(), "--json"))
    assert found["verification"]["passed"] is True
    assert found["release"].endswith("release.parquet")
    assert found["verification"]["rows"] + found["suppressed_rows"] == 40
    assert duckdb.read_parquet(str(lab.folder / "release.parquet")).columns == [
        "zip",
        "sex",
        "age",
        "disease",
    ]


def test_a_policy_without_a_release_is_refused_where_it_must_be_published(lab):
    said = lab.refused("anonymize", lab.policy(release=None))
    assert "--release" in said
    lab.done("plan", "policy.yml")
    assert "--release" in lab.refused("apply", "policy.plan.yml")
    lab.done("apply", "policy.plan.yml", "--release", "elsewhere.csv")
    assert (lab.folder / "elsewhere.csv").is_file()


def test_plan_then_apply_is_anonymize(lab):
    lab.policy()
    lab.done("anonymize", "policy.yml", "--release", "one.parquet")
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml", "--release", "two.parquet")
    one, two = (
        sorted(duckdb.read_parquet(str(lab.folder / f"{n}.parquet")).fetchall())
        for n in ("one", "two")
    )
    assert one == two


def test_a_plan_is_the_same_bytes_again(lab):
    lab.policy()
    texts = set()
    for options in ([], ["--threads", 1], ["--threads", 2], []):
        lab.done("plan", "policy.yml", *options)
        texts.add((lab.folder / "policy.plan.yml").read_bytes())
    assert len(texts) == 1


def test_a_plan_can_lie_in_another_folder(lab):
    (lab.folder / "plans").mkdir()
    lab.policy()
    lab.done("plan", "policy.yml", "-o", "plans/a.yml")
    lab.done("apply", "plans/a.yml")
    assert (lab.folder / "release.parquet").is_file()


def test_a_plan_for_another_source_is_carried_out_on_it(lab):
    lab.write(
        "other.csv", "".join((lab.folder / "people.csv").read_text().splitlines(keepends=True)[:31])
    )
    lab.policy()
    assert objects(lab.done("plan", "policy.yml", "--json", "--source", "other.csv"))["rows"] == 30
    assert "changed" in lab.refused("apply", "policy.plan.yml", "--source", "people.csv")
    assert objects(lab.done("apply", "policy.plan.yml", "--json"))["rows"] == 30
    lab.write("moved.csv", (lab.folder / "other.csv").read_bytes())
    (lab.folder / "other.csv").unlink()
    assert "other.csv" in lab.refused("apply", "policy.plan.yml", "--replace")
    args = ("apply", "policy.plan.yml", "--json", "--source", "moved.csv", "--replace")
    assert objects(lab.done(*args))["rows"] == 30
    assert "moved.csv" in lab.done("compile", "policy.plan.yml", "--source", "moved.csv")


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.json"])
def test_init_writes_a_policy_that_lints_and_runs(lab, name):
    source = lab.folder / "people.csv"
    if name != "people.csv":
        kind = "PARQUET" if name.endswith("parquet") else "JSON"
        duckdb.execute(
            f"COPY (FROM read_csv('{source}')) TO '{lab.folder / name}' (FORMAT {kind})"
        ).fetchall()
    said = lab.done("init", name, "-o", "first.yml")
    text = (lab.folder / "first.yml").read_text()
    assert "first.yml" in said
    assert "anary" not in text + said
    assert "7391" not in text + said
    assert text.count("#") > 3
    lab.done("lint", "first.yml")
    policy = yaml.safe_load(text)
    assert list(policy["columns"]) == ["name", "zip", "sex", "age", "disease"]
    assert lab.run("plan", "first.yml", "--suppression", "100%").exit_code == 0


def test_init_never_overwrites_unless_told(lab):
    lab.write("policy.yml", "mine")
    assert "--replace" in lab.refused("init", "people.csv")
    lab.done("init", "people.csv", "--replace")
    assert (lab.folder / "policy.yml").read_text() != "mine"
    lab.refused("init", "nowhere.csv", "-o", "other.yml")
    lab.refused("init", "people.csv", "-o", "no/folder.yml")


def test_init_prints_where_it_is_told_to(lab):
    before = lab.files()
    assert yaml.safe_load(lab.done("init", "people.csv", "-o", "-"))["source"] == "people.csv"
    assert lab.files() == before


def test_init_for_another_folder_finds_its_way_back(lab):
    (lab.folder / "sub").mkdir()
    with duckdb.connect(str(lab.folder / "people.duckdb")) as connection:
        connection.read_csv(str(lab.folder / "people.csv")).create("people")
    lab.done("init", "people.csv", "-o", "sub/a.yml")
    lab.done("lint", "sub/a.yml")
    lab.done("init", "people", "--database", "people.duckdb", "-o", "sub/b.yml")
    lab.done("lint", "sub/b.yml")


def test_lint_warns_without_failing(lab):
    lab.write("sex.csv", "canary-m;canary-1;canary-x;*\ncanary-f;canary-2;canary-x;*\n")
    lab.policy()
    found = objects(lab.done("lint", "policy.yml", "--json"))
    assert found["status"] == "ok"
    assert any("changes nothing" in w for w in found["warnings"])
    assert "anary" not in str(found)


def test_schema_prints_a_schema(lab):
    assert objects(lab.done("schema"))["title"] == "kanon-sql policy"


def test_demo_shows_the_whole_path(lab):
    said = lab.done("demo", "-o", "shown")
    assert "PASS" in said
    assert {p.name for p in (lab.folder / "shown").iterdir()} >= {
        "people.csv",
        "people.yml",
        "people_k5.parquet",
    }


@pytest.mark.parametrize("name", ["people.csv", "people_k5.parquet"])
def test_the_demo_overwrites_no_other_file(lab, name):
    (lab.folder / "own").mkdir()
    lab.write(f"own/{name}", "mine")
    assert f"{name}: already exists" in lab.refused("demo", "-o", "own")
    assert "cannot be written" in lab.refused("demo", "-o", "sex.csv")
    lab.done("demo", "-o", "shown")
    assert "PASS" in lab.done("demo", "-o", "shown")  # its own are no hindrance


def test_help_names_every_command(lab):
    said = lab.done("--help")
    for command in ("init", "lint", "plan", "apply", "anonymize", "compile", "verify", "demo"):
        assert command in said
        assert lab.done(command, "--help")


def test_a_pipe_gets_no_color_and_no_progress_if_none_is_asked_for(lab):
    lab.policy()
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", "anonymize", "policy.yml", "--quiet"],
        cwd=lab.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "reading the source" not in done.stdout


def test_a_closed_pipe_is_no_traceback(lab):
    lab.policy()
    done = subprocess.run(
        f"'{sys.executable}' -m kanon_sql plan policy.yml --sql | head -n 1",
        cwd=lab.folder,
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")  # noqa: PTH110
@pytest.mark.parametrize("arguments", ["plan policy.yml --quiet", "engines", "--help"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_one_error(lab, arguments, unbuffered):
    lab.policy()
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "kanon_sql", *arguments.split()],
            cwd=lab.folder,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard output cannot be written (")
    assert done.stderr.endswith("may have been written all the same\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_an_interrupt_while_the_program_is_loaded_is_no_traceback(lab):
    """Whoever presses Ctrl-C at once: the first thing that is done is to say how that ends."""
    code = "import os, signal, sys; from kanon_sql.apps.cli import main; assert 'duckdb' not in sys.modules; "
    meddling = (  # the interrupt comes with the first library that is imported for the commands
        "sys.meta_path.insert(0, type('M', (), {'find_spec': lambda *_: os.kill(os.getpid(), "
        "signal.SIGINT)})()); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + meddling], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "error: interrupted; nothing was published\n"


def test_lint_counts_values_outside_the_range_of_their_label(lab):
    """A label such as 20-29 beside the value 30 is false; no value is shown."""
    ages = [each[0] for each in duckdb.sql(f"SELECT DISTINCT age FROM '{lab.folder}/people.csv'").fetchall()]  # fmt: skip
    tens = {age: (f"{age // 10 * 10}-{age // 10 * 10 + 9}", f"[{age // 50 * 50}, {age // 50 * 50 + 50}[") for age in ages}  # fmt: skip
    for wrong in (0, 2):
        rows = [(age, "0-1" if at < wrong else of[0], of[1]) for at, (age, of) in enumerate(sorted(tens.items()))]  # fmt: skip
        lab.write("age.csv", "".join(f"{';'.join(map(str, row))};*\n" for row in rows))
        lab.policy({"age": {"role": "quasi", "hierarchy": {"csv": "age.csv"}}})
        said = " ".join(lab.done("lint", "policy.yml").split())
        told = "columns.age.hierarchy: values lie outside the range that their label names: 2 at level 1;"
        assert (told in said) == bool(wrong)
        assert ("lie outside" in said) == bool(wrong)


def test_a_hidden_identifier_may_be_set_to_null_without_quotes(lab):
    text = json.dumps(lab.mapping({"name": {"role": "identifying", "action": "NULL"}}))
    lab.write("policy.yml", text.replace('"NULL"', "null"))
    lab.done("anonymize", "policy.yml")
    names = duckdb.sql(f"SELECT DISTINCT name FROM '{lab.folder}/release.parquet'").fetchall()
    assert names == [(None,)]


def test_levels_that_change_nothing_are_one_warning(lab):
    lab.policy({"zip": {"role": "quasi", "hierarchy": {"mask": 40}}})
    said = lab.done("lint", "policy.yml")
    assert said.count("warning: ") == 1
    assert "levels 1 to 35 change nothing" in said
    assert ": no faults, 1 warning; next: kanon-sql plan policy.yml" in said


def test_a_release_of_one_class_is_warned_of(lab):
    lab.policy(privacy={"k": 40}, suppression=0)
    assert "all released rows are in one equivalence class" in lab.done("plan", "policy.yml")
    assert objects(lab.done("plan", "policy.yml", "--json"))["warnings"]
    lab.policy()
    assert objects(lab.done("plan", "policy.yml", "--json"))["warnings"] == []


def test_every_command_says_that_a_view_covers_no_later_row(lab):
    with duckdb.connect(str(lab.folder / "people.duckdb")) as connection:
        path = lab.folder / "people.csv"
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{path}', all_varchar = TRUE)")
    given = {"source": "people", "database": "people.duckdb"}
    lab.policy(**given, release={"table": "people_k3", "view": True})
    told = "warning: the release is a view: rows that are added to its classes later"
    assert told in lab.done("plan", "policy.yml")
    assert told in lab.done("apply", "policy.plan.yml")
    assert lab.done("anonymize", "policy.yml", "--replace").count(told) == 1
    for command in (("plan", "policy.yml"), ("apply", "policy.plan.yml", "--replace")):
        assert "verify it again" in objects(lab.done(*command, "--json"))["warnings"][0]
    words = ("people_k3", "--quasi", "zip,sex,age", "-k", "3", "--database", "people.duckdb")
    assert "PASS" in lab.done("verify", *words)
    assert "cannot release a view" in lab.refused("compile", "policy.plan.yml")
    name = {"name": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}}
    lab.policy(name, **given, release={"table": "people_k3", "view": True})
    told = lab.refused("plan", "policy.yml")
    assert "columns.name.action: a view cannot release a hashed column" in told


def test_clean_says_what_it_did(lab):
    left = lab.folder.joinpath("kanon-sql-0123456789abcdef")
    left.mkdir()
    left.joinpath("spilled").touch()
    why = "has no lock: of an older version, or where files cannot be locked"
    kept = f"{left.name}: {why}\n"
    said = lab.done("clean", "--path", ".")
    assert said == f"kept {kept}removed 0 leftovers of killed runs\n"
    said = lab.done("clean", "--path", ".", "--force", "--dry-run")
    assert said == f"would remove {kept}would remove 1 leftover of killed runs\n"
    assert lab.done("clean", "--path", ".", "--force").startswith("removed kanon-sql-")
    assert lab.done("clean", "--path", ".") == "removed 0 leftovers of killed runs\n"
    lab.refused("clean", "--path", "nowhere")


def test_a_release_stands_in_the_order_of_its_source(lab):
    columns = dict(reversed(lab.mapping()["columns"].items()))
    lab.write("policy.yml", json.dumps(lab.mapping() | {"columns": columns}))
    lab.done("anonymize", "policy.yml")
    names = duckdb.read_parquet(f"{lab.folder}/release.parquet").columns
    assert names == ["zip", "sex", "age", "disease"]
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml", "--release", "again.parquet")
    assert duckdb.read_parquet(f"{lab.folder}/again.parquet").columns == names


@pytest.mark.parametrize(("widths", "kind"), [([5, 10], "BIGINT"), ([2.5], "DECIMAL(38,1)")])
def test_both_bounds_have_one_type(lab, widths, kind):
    lab.policy(
        {"age": {"role": "quasi", "hierarchy": {"intervals": widths}, "output": "bounds"},
         "zip": {"role": "insensitive"}}, privacy={"k": 2}
    )  # fmt: skip
    lab.done("anonymize", "policy.yml")
    found = duckdb.read_parquet(f"{lab.folder}/release.parquet")
    types = dict(zip(found.columns, map(str, found.types), strict=True))
    assert types["age_low"] == types["age_high"] == kind


def test_a_failed_recount_says_which_bound(lab):
    lab.done("anonymize", lab.policy())
    args = ("verify", "release.parquet", "--quasi", "zip,sex,age", "-k", "30", "--distinct-l")
    result = lab.run(*args, "disease=30")
    assert result.exit_code == 4
    assert "(k = 30)" in result.stdout
    assert "distinct disease (l = 30)" in result.stdout


def test_the_release_s_path_is_told_from_here(lab):
    (lab.folder / "sub").mkdir()
    text = (lab.folder / lab.policy()).read_text().replace("people.csv", "../people.csv")
    lab.write("sub/policy.yml", text.replace("sex.csv", "../sex.csv"))
    assert "released to sub/release.parquet" in lab.done("anonymize", "sub/policy.yml")


def test_init_takes_the_hierarchy_files_that_lie_beside(lab):
    lab.write("hierarchy_sex.csv", (lab.folder / "sex.csv").read_bytes())
    text = lab.done("init", "people.csv", "-o", "-")
    assert "sex: {role: quasi, hierarchy: {csv: hierarchy_sex.csv}, why: " in text


def test_engines_are_listed_with_what_they_can_do(lab, monkeypatch):
    told = objects(lab.done("engines", "--json"))["engines"]
    assert [engine["name"] for engine in told] == ["DuckDB", "Spark SQL", "PostgreSQL"]
    assert told[0]["installed"] == f"duckdb {duckdb.__version__}"
    shown = lab.done("engines")
    assert "bits of a packed key" in shown
    monkeypatch.setattr("kanon_sql.apps.cli.commands.upkeep.installed", lambda _: None)
    monkeypatch.setenv("COLUMNS", "200")
    assert install_command("spark") in lab.done("engines")
