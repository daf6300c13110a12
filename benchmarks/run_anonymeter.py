"""Attacks a release by anonymeter's three attacks: what benchmarks start, by the Python that has anonymeter.

    PYTHON benchmarks/run_anonymeter.py ORIGINAL.csv RELEASED.csv CONTROL.csv ATTACKS [ATTACK ...]

ORIGINAL are the rows that the release is of, CONTROL rows that it is not of, and each ATTACK is one of

* singling_out: a condition on several features, which one row alone of the release meets, is right where one
  row alone meets it;
* linkability: two halves of a row's features are linked where their nearest released rows have one in common;
* inference: each feature in turn is guessed to be what the nearest released row by all others has.

`attack` and `control` are the shares of attacks that succeed against either, `risk` is what the first exceeds the
second by, of what it could (Giomi et al., PoPETs 2023), with its interval of 95 %. Of inference the shares are
means over the features, the risk follows from these, and `each` has those of each feature. It prints JSON.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

SEED = 22
COLUMNS = 4
"""Features that a condition is on."""
NEIGHBOURS = 10
"""Released rows that are taken for the nearest where features are linked."""


def found(
    evaluators: ModuleType, name: str, options: Mapping[str, object], **how: object
) -> dict[str, Any]:
    """Let an evaluator attack, and give the shares and the risk that it finds."""
    made: Any = getattr(evaluators, name)(**options).evaluate(**how)
    results, risk = made.results(), made.risk()
    return {
        "attack": float(results.attack_rate.value),
        "control": float(results.control_rate.value),
        "risk": float(risk.value),
        "risk_interval": [float(end) for end in risk.ci],
    }


def singling_out(evaluators: ModuleType, tables: Mapping[str, Any], attacks: int) -> dict[str, Any]:
    """Single rows out by conditions that features have certain values; numbers are texts here."""
    texts = {name: each.astype(str) for name, each in tables.items()}
    options = {**texts, "n_attacks": attacks, "n_cols": COLUMNS, "seed": SEED}
    return found(evaluators, "SinglingOutEvaluator", options, mode="multivariate")


def linkability(evaluators: ModuleType, tables: Mapping[str, Any], attacks: int) -> dict[str, Any]:
    """Link every other feature with those between them."""
    names = list(tables["ori"].columns)
    asked = {"aux_cols": (names[::2], names[1::2]), "n_neighbors": NEIGHBOURS}
    options = {**tables, **asked, "n_attacks": attacks}
    return found(evaluators, "LinkabilityEvaluator", options, n_jobs=1)


def inference(evaluators: ModuleType, tables: Mapping[str, Any], attacks: int) -> dict[str, Any]:
    """Infer each feature from all others."""
    names = list(tables["ori"].columns)
    each = {}
    for secret in names:
        asked = {"aux_cols": [name for name in names if name != secret], "secret": secret}
        options = {**tables, **asked, "n_attacks": attacks}
        each[secret] = found(evaluators, "InferenceEvaluator", options, n_jobs=1)
    attack, control = (fmean(one[of] for one in each.values()) for of in ("attack", "control"))
    # Of the means: a mean of risks, none of which is below 0, would be above 0 by chance alone.
    risk = max(0.0, (attack - control) / (1 - control))
    return {"attack": attack, "control": control, "risk": risk, "each": each}


ATTACKS = {each.__name__: each for each in (singling_out, linkability, inference)}


def main() -> None:
    original, released, control, attacks, *asked = sys.argv[1:]
    import_module("numpy").random.seed(SEED)
    pandas: Any = import_module("pandas")
    read = {"ori": original, "syn": released, "control": control}
    tables = {
        name: pandas.read_csv(file, keep_default_na=False, low_memory=False)
        for name, file in read.items()
    }
    tables["syn"] = tables["syn"][list(tables["ori"].columns)]
    evaluators = import_module("anonymeter.evaluators")
    risks = {name: ATTACKS[name](evaluators, tables, int(attacks)) for name in asked or ATTACKS}
    sys.stdout.write(f"\n{json.dumps({'attacks': int(attacks), **risks})}\n")


if __name__ == "__main__":
    main()
