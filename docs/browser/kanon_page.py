"""What the page asks of kanon-sql: functions that take and return texts, on files in the page's memory."""

from __future__ import annotations

import io
import os
import re
import secrets
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


def _no_link(*_):
    raise OSError("files of a page have no second name")


os.link = _no_link  # which Python lacks here; kanon-sql then renames
os.environ["KANON_SQL_PLAN_KEY"] = secrets.token_hex(32)
os.chdir("/home/pyodide")

import kanon_sql  # noqa: E402  after what it reads
from kanon_sql.apps.cli.command_line import main  # noqa: E402
from kanon_sql.apps.cli.console import print_warnings  # noqa: E402
from kanon_sql.apps.cli.print_results import (  # noqa: E402
    print_examples,
    print_recoding,
    print_risk,
    print_simple_counts,
    recount_text,
)
from kanon_sql.base.documents.text import list_text  # noqa: E402

warnings.simplefilter("ignore", kanon_sql.KanonWarning)

SAMPLE = Path(kanon_sql.__file__).parent / "apps" / "sample" / "people.csv"
POLICY, RELEASE, REPORT = "policy.yml", "release.csv", "report.html"
PLAIN = re.compile(r"(?!release\.csv$)\w[\w .()-]*\.(csv|tsv|txt)", re.IGNORECASE)
"""Names of files that a policy names as they are, no option of a command and no release. Another file is called table.csv here."""


def open_file(name, data=None, use="records"):
    """Keep a file, or the sample, and propose a policy for it."""
    for each in Path().iterdir():
        if each.is_file():
            each.unlink()
    name = name if PLAIN.fullmatch(name) else "table.csv"
    Path(name).write_bytes(SAMPLE.read_bytes() if data is None else data.to_bytes())
    return propose(name, use=use)


def propose(name, known=None, sensitive=None, use="records"):
    """Write a policy by `init`; give its text, what init says, and the roles that it proposes."""
    words = ["init", name, "-o", POLICY, "--replace", "--for", use]
    for option, names in (("--known", known), ("--sensitive", sensitive)):
        if names is not None:
            words.append(f"{option}={list_text(names) or 'none'}")
    said = _command(*words).partition("\n")[2]  # the first line says where it is written
    text = re.sub(
        "^release: .*$", f"release: {RELEASE}", Path(POLICY).read_text(), flags=re.MULTILINE
    )
    roles = {each.name: each.role.value for each in kanon_sql.read_policy(_kept(text)).columns}
    return {"name": name, "policy": text, "said": said, "roles": roles}


def compare(policy):
    """Try the four recodings of `suggest`."""
    return {"said": _command("suggest", _kept(policy), "--time-limit", "60s")}


def release(policy):
    """Plan, apply and report; give the figures, and the bytes of the files to download."""
    said = io.StringIO()
    with _refusing(), redirect_stdout(said):
        Path(RELEASE).unlink(missing_ok=True)
        made = kanon_sql.apply(
            kanon_sql.plan(_kept(policy), examples=True), release=RELEASE, examples=True
        )
        made.report(search=False).write(REPORT)
        plan, found = made.plan, made.verification
        print(f"a recount of the rows verified {', '.join(plan.privacy)}: {recount_text(found)}")
        print_recoding(plan)
        print_risk(plan)
        print_simple_counts(plan)
        print_warnings(plan.warnings)
        print_examples(plan, found.classes)
    files = {name: Path(name).read_bytes() for name in (RELEASE, POLICY, REPORT)}
    return {"said": said.getvalue(), "files": files}


def _kept(policy):
    Path(POLICY).write_text(policy, encoding="utf-8")
    return POLICY


class Refused(Exception):
    """What the page shows instead of a result."""


@contextmanager
def _refusing():
    """Raise errors as texts for a reader; of one that nobody expected, its kind and place, and no value."""
    try:
        yield
    except kanon_sql.KanonError as error:
        raise Refused(str(error)) from None
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        what = f"a fault of the page ({type(error).__name__} in {where}); nothing was released"
        raise Refused(what) from None


def _command(*words):
    """Run a command of the command line; return what it prints."""
    said, wrong = io.StringIO(), io.StringIO()
    code = 0
    with _refusing(), redirect_stdout(said), redirect_stderr(wrong):
        try:
            main.main([*words, "--quiet", "--no-color"], prog_name="kanon-sql")
        except SystemExit as ended:
            code = ended.code
    if code:
        raise Refused(wrong.getvalue().removeprefix("error: ").strip())
    return said.getvalue() + wrong.getvalue()
