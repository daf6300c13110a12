"""Files of a dbt project: which of them a new plan replaces, removes and refuses."""

from __future__ import annotations

import pytest
from plans import plan

from kanon_sql import InputError
from kanon_sql.apps.cli.commands.pipelines import write_dbt
from kanon_sql.apps.dbt.build_project_files import marks_of
from kanon_sql.apps.dbt.plan_models import DbtPlan


def planned(release, files):
    return DbtPlan(release, plan({"zip": 0}, {"zip": 5}), files, "models/kept.sql", ("models",))


@pytest.mark.parametrize("mark", marks_of("anon"))
def test_files_of_the_same_release_are_replaced_or_removed_by_either_mark(tmp_path, mark):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "macro.sql").write_text(f"{{# {mark}: old #}}\n")
    (folder / "outdated.yml").write_text(f"# {mark}: old\n")
    (folder / "outdated.csv").write_text("value,level_1\n")
    (folder / "other.sql").write_text(f"{{# {marks_of('another')[0]}: theirs #}}\n")
    (folder / "kept.sql").write_text("mine")
    files = {"models/macro.sql": "new", "models/kept.sql": "new"}
    files = write_dbt(str(tmp_path), [planned("anon", files)])
    assert files.written == ["models/macro.sql"]
    assert sorted(files.removed) == ["models/outdated.csv", "models/outdated.yml"]
    assert {file.name: file.read_text()[:4] for file in folder.iterdir()} == {
        "macro.sql": "new",
        "other.sql": "{# m",
        "kept.sql": "mine",
    }


def test_a_file_of_another_release_is_refused_and_nothing_is_written(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "b.sql").write_text(f"{{# {marks_of('another')[0]}: theirs #}}\n")
    with pytest.raises(InputError, match=r"b\.sql: already exists"):
        write_dbt(str(tmp_path), [planned("anon", {"models/a.sql": "a", "models/b.sql": "b"})])
    assert [file.name for file in (tmp_path / "models").iterdir()] == ["b.sql"]


def test_a_file_of_two_releases_is_refused(tmp_path):
    both = [planned("one", {"models/a.sql": "1"}), planned("two", {"models/a.sql": "2"})]
    with pytest.raises(InputError, match="belongs to one and to two"):
        write_dbt(str(tmp_path), both)
    assert list(tmp_path.iterdir()) == []
