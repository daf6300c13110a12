"""The oldest dependencies that are allowed are those that .ci/run tests with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".ci/constraints-oldest.txt"
EXTRAS = ("frames", "sign")

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="not in a checkout")


def test_the_lowest_version_of_every_range_is_the_one_that_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    wanted += [each for extra in EXTRAS for each in project["optional-dependencies"][extra]]
    pins = dict(re.findall(r"^([\w-]+)==([\w.]+)", FILE.read_text(encoding="utf-8"), re.MULTILINE))
    for each in wanted:
        name, lowest = re.match(r"([\w-]+)>=([\d.]+)", each).groups()
        assert re.fullmatch(rf"{re.escape(lowest)}(\.0)*", pins[name]), each
