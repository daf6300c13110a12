"""Entries of a hierarchy that are not the texts of the column, but would be if both were written alike."""

from __future__ import annotations

import pytest

ALIKE = {
    "blanks": (
        " {}",
        "all of the values without an entry would have one without blanks at the ends",
    ),
    "case": ("{}", "in one case"),
    "decimals": ("{}.0", "as numbers"),
    "zeros": ("0{}", "as numbers"),
    "nothing": ("x{}", None),
}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", ALIKE)
def test_values_that_only_look_otherwise_than_their_entries_are_named(lab, name, several):
    written, said = ALIKE[name]
    values = [f"w{n}" for n in range(9)] if name == "case" else [str(30 + n) for n in range(9)]
    entries = [v.upper() for v in values] if name == "case" else [written.format(v) for v in values]
    lab.write("wards.csv", "ward,age,ill\n" + "".join(f"{v},{v},i\n" * 3 for v in values))
    lab.write("ward.csv", "".join(f"{each};all\n" for each in entries))
    quasi = {"role": "quasi", "hierarchy": {"csv": "ward.csv"}}
    columns = dict.fromkeys(("name", "zip", "sex", "disease")) | {
        "ward": quasi,
        "age": quasi if several else {"role": "insensitive"},
        "ill": {"role": "sensitive"},
    }
    told = lab.refused("lint", lab.policy(columns, source="wards.csv"))
    assert "9 distinct values in 27 rows have no entry" in told
    assert (said or "would have one") in told if said else "would have one" not in told


@pytest.mark.parametrize(("label", "said"), [("all", "to the same labels"), ("other", "to other")])
def test_a_line_that_is_there_twice_is_told_from_one_that_contradicts(lab, label, said):
    text = (lab.folder / "sex.csv").read_text(encoding="utf-8")
    lab.write(
        "sex.csv",
        text
        + text.splitlines()[0].replace("canary-x", "canary-x" if label == "all" else "y")
        + "\n",
    )
    told = lab.refused("lint", lab.policy())
    assert "1 entries repeat a value that is mapped already" in told
    assert said in told
    assert "canary" not in told
