"""Regions in a dbt project on PostgreSQL: what is built there, and who may read what."""

from __future__ import annotations

import sys

from tests.dbt.test_dbt_regions import regions_policy
from tests.engines.test_dbt_engines import on_postgres  # noqa: F401  a fixture


import pytest
from tests.dbt.test_dbt_regions import LINES

@pytest.mark.parametrize("columns",[{}, LINES])
def test_regions_on_postgres(on_postgres, columns):
    project = on_postgres
    regions_policy(project, columns=columns)
    project.linked()
    ran = project.run(sys.executable, "-c", "from dbt.cli.main import dbtRunner; dbtRunner().invoke(['build'])")
    print(ran.stdout)
    ran = project.run(sys.executable, "-m", "kanon_sql", "dbt", "plan", ".")
    print(ran.stdout, ran.stderr)
    ran = project.run(sys.executable, "-c", "from dbt.cli.main import dbtRunner; dbtRunner().invoke(['build'])")
    print(ran.stdout)
    print(project.results())
    for k,v in project.taken().items():
        print("=====", k); print(v[:6000])
    assert 0
