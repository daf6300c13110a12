"""Attacks a release by anonymeter's singling out: what `benchmarks.nist` starts, by the Python that has anonymeter.

    PYTHON benchmarks/run_anonymeter.py ORIGINAL.csv RELEASED.csv CONTROL.csv ATTACKS

ORIGINAL are the rows that the release is of, CONTROL rows that it is not of. An attack guesses a condition on several
features that one row alone meets; it succeeds where that is so in the original. `attack` and `control` are the shares
of attacks that succeed against either, `risk` is what the first exceeds the second by, of what it could (Giomi et al.,
PoPETs 2023), with its interval of 95 %. It prints JSON.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

SEED = 22
COLUMNS = 4
"""Features that a condition is on."""


def main() -> None:
    *files, attacks = sys.argv[1:]
    pandas: Any = import_module("pandas")
    original, released, control = (pandas.read_csv(file, dtype=str) for file in files)
    evaluators: Any = import_module("anonymeter.evaluators")
    made = evaluators.SinglingOutEvaluator(
        ori=original,
        syn=released[list(original.columns)],
        control=control,
        n_attacks=int(attacks),
        n_cols=COLUMNS,
        seed=SEED,
    ).evaluate(mode="multivariate")
    results, risk = made.results(), made.risk()
    found = {
        "attack": float(results.attack_rate.value),
        "control": float(results.control_rate.value),
        "risk": float(risk.value),
        "risk_interval": [float(end) for end in risk.ci],
        "attacks": int(attacks),
    }
    sys.stdout.write(f"\n{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
