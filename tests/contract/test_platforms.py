"""Linux, macOS and Windows: what Windows lacks is used where it was asked for, and paths, locks and texts hold there.

No Windows is at hand in most runs: what differs is hidden or put in its place.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import io
import os
import re
import sys
from pathlib import Path

import pytest
from trees import nodes_of, tree_of

import kanon_sql
from kanon_sql.apps.cli import write_utf8
from kanon_sql.apps.cli.write import write
from kanon_sql.engines import local_files
from kanon_sql.engines import local_files as beside
from kanon_sql.engines import local_files as file_lock
from kanon_sql.engines.duckdb import session

PACKAGE = Path(kanon_sql.__file__).parent
TESTS = Path(__file__).parents[1]
POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}
POSIX_NAMES = re.compile(
    r"os\.(environb|fork|getegid|geteuid|getuid|getgid|killpg|mkfifo|setuid|setsid|O_NOFOLLOW|O_DIRECTORY|chown)\b"
    r"|signal\.(SIGKILL|SIGHUP|SIGALRM|SIGUSR1|alarm|pause)\b|os\.kill\(|symlink|/dev/(full|null)"
)
WHERE_ASKED = {
    ("engines/local_files.py", "fcntl"),  # may be missing
    ("engines/local_files.py", "os.O_NOFOLLOW"),  # only where there are locks
    ("engines/duckdb/session.py", "os.O_NOFOLLOW"),
    (
        "engines/duckdb/in_place.py",
        "os.chown",
    ),  # where the owner differs, which is 0 for all on Windows
    ("evidence/reports/report.py", "os.geteuid"),  # only where it is
}
TIERS = ("attacks", "contract", "corpus", "e2e", "properties", "unit")


def used(path):
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ({each.name for each in node.names} & POSIX_MODULES)
        elif isinstance(node, ast.Attribute):
            named = ast.unparse(node)
            if POSIX_NAMES.fullmatch(named):
                yield named


def test_the_package_uses_of_posix_alone_what_it_asked_for():
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for name in used(path)
    }
    assert found == WHERE_ASKED


def test_tests_that_need_posix_say_so():
    """Functions of the tiers that start no server; helpers of other folders are used by these."""
    found = []
    for path in (each for folder in TIERS for each in (TESTS / folder).rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        tree = tree_of(path)
        whole = re.search(r"^pytestmark = .*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
        if path == Path(__file__) or (whole and "posix" in whole[0]):
            continue
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            source = ast.unparse(node)
            if POSIX_NAMES.search(source) and not re.search(
                "posix|os.path.exists|is_symlink", source
            ):
                found.append(f"{path.name}: {node.name}")
    assert found == []


def test_without_fcntl_the_package_is_imported_and_locks_nothing(monkeypatch):
    importing = builtins.__import__

    def hidden(name, *args, **more):
        if name in POSIX_MODULES:
            raise ImportError(name)
        return importing(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", hidden)
    try:
        found = importlib.reload(file_lock)
        assert (found.LOCKS, found.try_lock(0)) == (False, True)
    finally:
        monkeypatch.undo()
        assert importlib.reload(file_lock).LOCKS is (sys.platform != "win32")


@pytest.fixture
def without_locks(monkeypatch):
    """A system without locks, on which no file that is open is removed."""
    removed = []

    def check(path):
        if Path("/proc/self/fd").is_dir():
            links = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
            held = [each for each in links if each == str(path) or each.startswith(f"{path}/")]
            assert held == [], "a file is removed while it is open"
        removed.append(path)

    unlink, rmtree = Path.unlink, session.shutil.rmtree
    monkeypatch.setattr(file_lock, "fcntl", None)
    for module in (beside, session):
        monkeypatch.setattr(module, "LOCKS", False)
    monkeypatch.setattr(Path, "unlink", lambda path, **more: (check(path), unlink(path, **more))[1])
    monkeypatch.setattr(
        session.shutil, "rmtree", lambda path, **more: (check(path), rmtree(path, **more))[1]
    )
    return removed


def test_where_there_are_no_locks_nothing_is_removed_that_is_open(tmp_path, without_locks):
    with beside.atomic_write(tmp_path / "out.csv") as place:
        place.written.write_text("whole", encoding="utf-8")
        place.move(replace=False)
    with session.spill_folder(str(tmp_path)) as folder:
        assert Path(folder).is_dir()
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
    assert len(without_locks) >= 2


def test_written_files_have_one_kind_of_line_end(tmp_path, monkeypatch):
    opened = []
    opens = Path.open

    def opening(path, *args, **more):
        opened.append(more.get("newline", args[4] if len(args) > 4 else None))
        return opens(path, *args, **more)

    monkeypatch.setattr(Path, "open", opening)
    monkeypatch.setattr(io, "open", lambda *args, **more: opening_of(opened, *args, **more))
    write(tmp_path / "plan.yml", "a: é\nb: 1\n")
    assert (tmp_path / "plan.yml").read_bytes() == "a: é\nb: 1\n".encode()
    assert "\n" in opened


REAL = io.open


def opening_of(opened, *args, **more):
    opened.append(more.get("newline", args[5] if len(args) > 5 else None))
    return REAL(*args, **more)


def test_from_another_drive_only_the_absolute_path_leads(monkeypatch):
    def other_drive(*_):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    here = os.path.abspath("people.csv")  # noqa: PTH100
    assert local_files.relative_to(here, os.getcwd()) == "people.csv"  # noqa: PTH109
    monkeypatch.setattr(local_files.os.path, "relpath", other_drive)
    assert local_files.relative_to(here, "/elsewhere") == local_files.slashes(here)


def test_a_file_or_pipe_is_written_in_utf_8_whatever_the_code_page(monkeypatch):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="cp1252")
    monkeypatch.setattr("kanon_sql.apps.cli.os.name", "nt")
    write_utf8(stream)
    monkeypatch.undo()
    stream.write("┃ é 🏥")
    stream.flush()
    assert written.getvalue().decode("utf-8") == "┃ é 🏥"
