"""Paths of an agent lie inside the folders of its server, by any spelling that the system has."""

from __future__ import annotations

import ntpath
import os
from subprocess import CompletedProcess

import pytest

from kanon_sql.apps import mcp_server
from kanon_sql.counting.run.session import resolve
from kanon_sql.engines import locations
from kanon_sql.engines.locations import FOLDERS_ENV, check_inside, only_folders
from kanon_sql.errors import InputError


def test_without_the_variable_there_is_no_limit(monkeypatch):
    monkeypatch.delenv(FOLDERS_ENV, raising=False)
    assert only_folders() == ()
    assert resolve("s3://bucket/a", "") == "s3://bucket/a"


@pytest.mark.skipif(os.name != "posix", reason="paths as POSIX writes them")
def test_what_lies_inside_is_resolved_and_all_else_refused(monkeypatch, tmp_path):
    inside, beside = tmp_path / "a b", tmp_path / "a b c"
    for each in (inside, beside):
        each.mkdir()
    monkeypatch.setenv(FOLDERS_ENV, os.pathsep.join([str(inside), str(tmp_path / "other")]))
    assert resolve("x/../y.csv", str(inside)) == f"{inside}/y.csv"
    assert resolve(".", str(inside)) == str(inside)
    assert resolve("../other/z.csv", str(inside)) == f"{tmp_path}/other/z.csv"
    for path in (str(beside), "../a b c/x.csv", "/", "..", "s3://bucket/a", "~/x.csv"):
        with pytest.raises(InputError, match=r"outside|address"):
            resolve(path, str(inside))


def test_windows_tells_no_case_apart(monkeypatch):
    monkeypatch.setattr(locations.os, "sep", "\\")
    monkeypatch.setattr(locations.os, "path", ntpath)
    monkeypatch.setattr(ntpath, "realpath", ntpath.abspath)
    monkeypatch.setattr(ntpath, "abspath", ntpath.normpath)
    check_inside("c:\\DATA\\x\\..\\people.csv", ("C:\\Data",))
    check_inside("D:\\x", ("D:\\",))
    for path in ("C:\\database\\x", "D:\\data\\x", "C:\\data\\..\\x"):
        with pytest.raises(InputError, match="outside"):
            check_inside(path, ("C:\\Data",))


def test_no_file_of_a_folder_runs_as_code(tmp_path):
    (tmp_path / "click.py").write_text("raise SystemExit('canary')")
    found = mcp_server.Folders((str(tmp_path),)).run("lint", str(tmp_path / "policy.yml"))
    assert "policy.yml" in found["error"], found


def test_what_a_crash_prints_is_not_returned(tmp_path, monkeypatch):
    def crash(code):
        ended = CompletedProcess([], code, "", "ValueError: canary")
        monkeypatch.setattr(mcp_server.subprocess, "run", lambda *_, **__: ended)
        return mcp_server.Folders((str(tmp_path),)).run("lint", "policy.yml")["error"]

    assert crash(1) == "kanon-sql lint ended with exit code 1; run it in a shell to see why"
    assert "canary" in crash(2)  # words that cannot be read are the agent's own
