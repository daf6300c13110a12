"""Entries of a hierarchy that are not the texts of the column, but would be if both were written alike."""

from __future__ import annotations

import pytest

ALIKE = {
    "blanks": (
        " {}",
        "all of the values without an entry would have one without blanks at the ends: say match: trim beside",
    ),
    "case": ("{}", "in one case: say match: [trim, fold] beside"),
    "decimals": ("{}.0", "as numbers (34.0 and 034 are 34): say match: number beside"),
    "zeros": ("0{}", "as numbers (34.0 and 034 are 34): say match: number beside"),
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


def test_a_line_that_contradicts_another_is_refused(lab):
    text = (lab.folder / "sex.csv").read_text(encoding="utf-8")
    lab.write("sex.csv", text + text.splitlines()[0].replace("canary-x", "y") + "\n")
    told = lab.refused("lint", lab.policy())
    assert "1 entry repeats a value that is mapped already, to other labels" in told
    assert "canary" not in told
