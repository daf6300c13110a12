"""Progress: a line of a terminal that is rewritten, lines of a log, nothing by --quiet; colors; the time of a run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from kanon_sql.apps.cli import console
from kanon_sql.apps.cli.console import StepLines, show_progress

LINE = re.compile(r"(.+), (\d+):(\d\d)")
LONG = (
    "quality",
    "verify",
    "labels",
    "lint",
    "attack_homogeneity",
    "inspect_source",
    "clean",
    "compile_sql",
    "risk",
)


@pytest.fixture
def fast(monkeypatch):
    """A log gets a line each hundredth of a second."""
    monkeypatch.setattr(console, "BETWEEN_LINES", 0.01)


def lines_of(text):
    return [LINE.fullmatch(line).group(1) for line in text.splitlines()]


def test_a_log_has_a_line_for_each_step_and_repeats_a_long_one_ever_less_often(fast, capsys):
    with show_progress("reading a file") as progress:
        time.sleep(0.2)
        progress("search")
        progress.count(3, 12, "node")
        time.sleep(0.4)
    printed = lines_of(capsys.readouterr().err)
    first = printed.count("reading a file")
    assert printed == ["reading a file"] * first + [
        "searching for a recoding, 3 of at most 12 nodes (25%)"
    ] * (len(printed) - first)
    assert 2 <= first <= 7  # after 1, 2, 4, 8 ... hundredths
    assert 2 <= len(printed) - first <= 8


def test_nothing_is_printed_after_the_end(fast, capsys):
    with show_progress("reading a file"):
        time.sleep(0.05)
    assert capsys.readouterr().err
    time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_short_run_prints_no_step(capsys):
    with show_progress("reading a file") as progress:
        progress("publish")
    assert capsys.readouterr() == ("", "")


def test_improvements_are_lines_where_they_are_asked_for(capsys):
    for asked, printed in ((True, "after 0 s: best cost 1\n"), (False, "")):
        StepLines("starting", improvements=asked)("after 0 s: best cost 1")
        assert capsys.readouterr().err == printed


SLOW = {
    ("init", "people.csv", "-o", "p.yml"): "kanon_sql.apps.cli.commands.start.inspect_source",
    ("lint", "policy.yml"): "kanon_sql.lint",
    ("plan", "policy.yml"): "kanon_sql.plan",
    ("plan", "policy.yml", "--json"): "kanon_sql.plan",
    ("verify", "people.csv", "--quasi", "sex", "-k", "2"): "kanon_sql.verify",
    ("risk", "people.csv", "--quasi", "sex"): "kanon_sql.risk",
    ("attack", "homogeneity", "people.csv", "--quasi=sex", "--sensitive", "disease"): "kanon_sql.attack_homogeneity",
    ("quality", "people.csv", "--source", "people.csv", "--quasi", "sex"): "kanon_sql.quality",
    ("compare", "policy.yml", "--algorithms", "optimal"): "kanon_sql.compare",
    ("suggest", "policy.yml"): "kanon_sql.apps.cli.commands.start.try_recodings",
    ("anonymize", "policy.yml"): "kanon_sql.anonymize",
    ("clean", "--dry-run"): "kanon_sql.clean",
}  # fmt: skip


@pytest.mark.parametrize("typed", SLOW, ids=" ".join)
def test_a_command_that_takes_long_shows_what_it_does(lab, fast, monkeypatch, typed):
    """The function behind the command takes long before it says its first step, as a large source makes it."""
    lab.policy()
    slow = SLOW[typed]
    place, _, name = slow.rpartition(".")
    module = sys.modules.get(place) or __import__(place, fromlist=[name])
    function = getattr(module, name)

    def after_a_while(*args, **kwargs):
        time.sleep(0.1)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, after_a_while)
    shown = lab.run(*typed)
    assert shown.exit_code == 0
    assert LINE.fullmatch(shown.stderr.splitlines()[0])
    quiet = lab.run(
        *typed, "--quiet", *(["--replace"] if typed[0] in {"init", "anonymize"} else [])
    )
    assert quiet.exit_code == 0
    assert [line for line in quiet.stderr.splitlines() if LINE.fullmatch(line)] == []


def test_the_time_of_a_release_is_that_of_the_command(lab, monkeypatch):
    """Steps may be timed by the run, but a reader compares the figure with a clock."""
    lab.policy()
    lab.done("plan", "policy.yml")
    told = {}

    def anonymized(publish):
        def after_a_while(*args, **kwargs):
            time.sleep(0.3)  # as a connection to a server that is not up takes
            release = publish(*args, **kwargs)
            time.sleep(0.3)
            told["run"] = sum(release.journal.seconds.values())
            return release

        return after_a_while

    import kanon_sql

    monkeypatch.setattr(kanon_sql, "apply", anonymized(kanon_sql.apply))
    before = time.monotonic()
    said = lab.done("apply", "policy.plan.yml")
    spent = time.monotonic() - before
    (seconds,) = re.findall(r"released to .* in (\d+\.\d\d) s", said)
    assert told["run"] + 0.6 <= float(seconds) + 0.01
    assert float(seconds) <= spent + 0.01


@pytest.mark.skipif(os.name != "posix", reason="pseudo terminals are POSIX")
@pytest.mark.parametrize(
    ("more", "environment", "colored"),
    [((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False)],
)
def test_a_terminal_has_colors_unless_none_are_asked_for(lab, more, environment, colored):
    code = "import pty, sys; sys.exit(pty.spawn([sys.executable, '-m', 'kanon_sql', 'demo', *sys.argv[1:]]) >> 8)"
    done = subprocess.run(
        [sys.executable, "-c", code, *more],
        cwd=lab.folder,
        env={**os.environ, "TERM": "xterm-256color", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode(errors="replace")
    assert "PASS" in text
    assert "anonymizing the sample, 0:0" in text  # the line that is rewritten
    assert bool(re.search(r"\x1b\[[0-9;]*(3|4|9)[0-7]", text)) is colored
