"""Files beside their place: a lock tells whose run lives, and where there are none nobody is dead."""

from __future__ import annotations

import errno

import pytest

from kanon_sql.engines import local_files
from kanon_sql.engines.duckdb import session
from kanon_sql.engines.local_files import atomic_write, remove_leftovers


def listed(folder):
    return sorted(each.name for each in folder.iterdir())


def left_by_a_kill(target):
    """Leave what a killed run leaves: files, and a lock that no process holds."""
    with atomic_write(target) as place:
        place.written.write_text("half")
        name, text = place.lock, place.lock.read_text()
        half = place.written
    half.write_text("half")
    name.write_text(text)
    return sorted((half.name, name.name))


def test_what_a_dead_run_left_is_swept_and_a_living_one_is_not(tmp_path):
    left = left_by_a_kill(tmp_path / "out.csv")
    with atomic_write(tmp_path / "out.csv") as place:
        place.written.write_text("whole")
        assert sorted(remove_leftovers(tmp_path, dry_run=True)) == left
        assert sorted(remove_leftovers(tmp_path)) == left
        assert listed(tmp_path) == sorted((place.written.name, place.lock.name))
        place.move(replace=False)
    assert listed(tmp_path) == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "whole"


def _nowhere(*_):
    raise OSError(errno.ENOLCK, "no locks")


@pytest.mark.parametrize("system", [None, "refusing"])
def test_a_file_system_without_locks_takes_a_release_and_nobody_for_dead(
    tmp_path, monkeypatch, system
):
    left = left_by_a_kill(tmp_path / "out.csv")
    if system is None:
        for module in (local_files, session):
            monkeypatch.setattr(module, "LOCKS", False)
        monkeypatch.setattr(local_files, "fcntl", None)
        monkeypatch.setattr("kanon_sql.engines.local_files.LOCKS", False)
    else:
        monkeypatch.setattr(local_files.fcntl, "flock", _nowhere)
    with atomic_write(tmp_path / "out.csv") as place:
        place.written.write_text("whole")
        place.move(replace=False)
    with session.spill_folder(str(tmp_path)) as folder:
        assert session.spilled(tmp_path)
        assert folder.startswith(str(tmp_path))
        assert remove_leftovers(tmp_path) == []
    assert listed(tmp_path) == sorted([*left, "out.csv"])
