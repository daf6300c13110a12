"""What each privacy model adds to a search: the same plan with and without it, in turn.

    python -m benchmarks.models --rows 1000000 --out models.json

Rows are drawn from Adult as in `benchmarks.scaled`; occupation is sensitive, and the other eight columns are
quasi-identifiers. Every model stands beside k. Figures are medians; ratios are of the search step, of one check of
it on average, and of the whole process's CPU, over those of the policy with k alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.adult import FOLDER
from benchmarks.measure import Measured, machine, middle, run, write, write_policy
from benchmarks.scaled import generate, nine

SENSITIVE = "occupation"
MODELS: dict[str, dict[str, object]] = {
    "distinct_l": {"l": 5},
    "entropy_l": {"l": 3},
    "recursive_l": {"c": 4, "l": 3},
    "alpha": {"alpha": 0.5},
    "t_closeness": {"t": 0.4},
    "t_closeness, by the source": {"t": 0.4, "reference": "source"},
    "t_closeness, ordered": {"t": 0.2, "distance": "ordered"},
    "t_closeness, ordered, by the source": {"t": 0.2, "distance": "ordered", "reference": "source"},
    "beta_likeness": {"beta": 4},
    "delta_disclosure": {"delta": 3, "absent": "ignored"},
}


def policy(
    folder: Path, source: Path, model: str | None, *, metric: str, suppression: str
) -> dict[str, object]:
    """Give the policy of k = 5 with a model more, if one is named."""
    spec = nine(folder, source, metric=metric, suppression=suppression)
    columns: Any = spec["columns"]
    ordered = model is not None and MODELS[model].get("distance") == "ordered"
    columns[SENSITIVE] = {"role": "sensitive", **({"order": "text"} if ordered else {})}
    privacy: list[dict[str, object]] = [{"k": 5}]
    if model is not None:
        privacy.append({model.partition(",")[0]: {"column": SENSITIVE, **MODELS[model]}})
    spec["privacy"] = privacy
    return spec


def figures(runs: list[Measured], alone: list[Measured]) -> dict[str, object]:
    """Give what a policy took, and by how much it exceeds k alone."""

    def search(of: list[Measured]) -> float:
        return middle([each.summary["seconds"]["search"] for each in of])

    def check(of: list[Measured]) -> float:
        return search(of) / int(of[0].summary["checks"])

    summary = runs[0].summary
    return {
        "levels": summary["levels"],
        "suppressed_rows": summary["suppressed_rows"],
        "checks": summary.get("checks"),
        "search_seconds": search(runs),
        "search_ratio": round(search(runs) / search(alone), 2),
        "check_ratio": round(check(runs) / check(alone), 2),
        "cpu_ratio": round(
            middle([each.cpu for each in runs]) / middle([each.cpu for each in alone]), 2
        ),
        "peak_mib": round(middle([each.peak_bytes / 2**20 for each in runs])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--suppression", default="4%")
    parser.add_argument("--models", default="|".join(MODELS), help="names of models, joined by |")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    asked = [None, *given.models.split("|")]
    with TemporaryDirectory() as name:
        made = Path(name)
        source = made / "rows.parquet"
        distinct = generate(given.folder.resolve(), given.rows, source)
        runs: dict[str | None, list[Measured]] = {model: [] for model in asked}
        for _ in range(given.repeat):
            for model in asked:
                spec = policy(
                    given.folder.resolve(),
                    source,
                    model,
                    metric=given.metric,
                    suppression=given.suppression,
                )
                file = write_policy(spec, made / "policy.yml")
                arguments = ["benchmarks.measure", str(file), "--threads", str(given.threads)]
                runs[model].append(run(arguments))
    report = {str(model or "k"): figures(of, runs[None]) for model, of in runs.items()}
    given_ = {"rows": given.rows, "distinct_tuples": distinct, "suppression": given.suppression}
    write({"machine": machine(), **given_, "models": report}, given.out)


if __name__ == "__main__":
    main()
