"""An option has one name on every command; a name of an earlier version works, and warns."""

from __future__ import annotations

import pytest

EARLIER = {
    ("risk", "people.csv", "--qi", "zip,age"): ("--qi", "--quasi"),
    ("risk", "people.csv", "--qi=zip", "--quasi", "age"): ("--qi", "--quasi"),
    ("verify", "people.csv", "--qi", "sex", "-k", "2"): ("--qi", "--quasi"),
    ("attack", "homogeneity", "people.csv", "--qi=sex", "--sensitive", "disease"): (
        "--qi",
        "--quasi",
    ),
}


@pytest.mark.parametrize("typed", EARLIER)
def test_an_earlier_name_of_an_option_warns_and_does_the_same(lab, typed):
    before, now = EARLIER[typed]
    earlier = lab.run(*typed)
    present = lab.run(*(word.replace(before, now) for word in typed))
    assert earlier.stderr == f"warning: {before} is now {now}\n"
    assert (earlier.exit_code, earlier.stdout) == (0, present.stdout)
    assert present.stderr == ""
    assert before not in lab.done(*typed[: 2 if typed[0] == "attack" else 1], "--help").split()


def test_the_folder_of_the_demo_by_its_earlier_name(lab):
    earlier = lab.run("demo", "--out", "shown")
    assert earlier.stderr == "warning: --out is now --output\n"
    assert "kept the files in shown" in earlier.stdout
    assert "--out " not in lab.done("demo", "--help")


def test_a_name_of_no_option_of_the_command_is_an_error(lab):
    lab.policy()
    done = lab.run("plan", "policy.yml", "--qi", "age")
    assert done.exit_code == 2
    assert "No such option" in done.stderr
    assert "--qi is now" not in done.stderr
