"""The keys of what `--json` prints, by command: the text of `--help-all` and of the reference."""

from __future__ import annotations

Keys = dict[str, str]

STATUS: Keys = {
    "status": "`ok` or `feasible`; else `infeasible`, `out_of_time`, `failed`, `interrupted` or `error`."
}
ERROR: Keys = {
    "error": "The message.",
    "faults": "Of an error in the input: each with `where`, `what` and the `line` of the policy.",
}
"""What an object has whose status is none of success."""

RUN: Keys = {
    "checks": "Nodes that were checked.",
    "statements": "SQL statements of the run.",
    "rows_scanned": "Rows of tables that they are known to have read.",
    "rows_fetched": "Rows of counts that they brought to Python.",
    "seconds": "Seconds by step; of a trial, in all.",
}
ATTACKERS = "the `prosecutor`, `journalist` and `marketer`, each with the `highest` and `average` risk and the share of rows `above` each threshold"
RISK_KEYS: Keys = {
    "risk": f"`before` and after: `rows`, `classes`, `unique_rows`; {ATTACKERS}; `class_sizes` with `least` and `most`."
}
PLAN: Keys = {
    "algorithm": "The search algorithm.",
    "metric": "The quality metric that it minimized.",
    "optimal": "Whether the result is proven.",
    "cost": "The metric of the result.",
    "levels": "Levels by column.",
    "rows": "Rows of the source, or of the table that is counted.",
    "suppressed_rows": "Rows that are suppressed.",
    "max_suppressed_rows": "The suppression limit, in rows.",
    "classes": "Equivalence classes.",
    "smallest_class": "Rows, or people where these are counted, of the smallest class.",
    "figures": "Quality metrics by name.",
    **RISK_KEYS,
    "lattice_nodes": "Nodes of the lattice.",
    "warnings": "What to look at before a release.",
    **RUN,
}
OF_SOME_PLANS: Keys = {
    "remarks": "What else to know.",
    "checks_in_time": "Checks until the time limit.",
    "where": "The condition on the source.",
    "within": "The values by column that the recoding covers.",
    "over": "Figures over other sets of quasi-identifiers.",
    "feasible_nodes": "Nodes that satisfy the policy.",
    "minimal_nodes": "Those of which no finer one does.",
    "steps": "Steps of a search that generalizes column by column.",
    "effort": "Other counts of the search, by name.",
    "nodes": "Of local recoding and cells: each node with its `levels`, `rows` and `classes`.",
    "blanks": "Suppressed cells, of local suppression.",
    "least_suppressed": "Rows that a search suppresses at least.",
    "smallest_suppressed": "The largest class that is suppressed for its size.",
    "regions": "Groups that a multidimensional search made.",
    "depth": "Cuts of the deepest group.",
    "overlapping": "Whether the ranges of regions may overlap.",
    "parts": "Intervals by column.",
    "digest": "A hash of the labels.",
    "boundaries": "A hash of the boundaries' file.",
    "boundaries_file": "The file of the boundaries.",
}
"""Keys that a plan has by its recoding, its search and its policy."""
VERIFIED: Keys = {
    "passed": "Whether every bound is met.",
    "rows": PLAN["rows"],
    "classes": PLAN["classes"],
    "smallest_class": PLAN["smallest_class"],
    "short_classes": "Classes that fail.",
    "least_distinct": "The least number of distinct values in a class, by sensitive column; models have measures of their "
    "own, such as `largest_share`.",
    "unique_over_all_columns": "Rows that are `unique` `over` these columns, of `rows`; `by` people.",
    "short_rows": "Their rows.",
    "short_people": "Their people.",
    "suppressed_before": "Rows of the label of suppressed rows.",
    "failed": "Requirements that fall short.",
    "over": "The same over other `columns`, as `verify` prints it.",
    "linked": "Each `column` that joins a person's rows, its `values`, those that are `unique`.",
    "classes_of_few_people": "Classes of few people, where rows are counted.",
    "missing_values": "Texts that stand for a missing value, and count as values.",
    "without_place": "Values that an order lacks, by column.",
    "quality": "With `--against`, what `quality` prints.",
    "unique_columns": "Rows of unique values, by column in which most have one.",
}
RELEASE: Keys = {
    "release": "The place that was written.",
    **dict.fromkeys(
        ("new_rows", "partition_rows", "added", "published_before", "suppressed"),
        "Of new rows or a partition: how many.",
    ),
    "withheld": "Rows that are withheld for a later release.",
    "series_release": "The number of a series' release.",
    **dict.fromkeys(
        ("outside", "born", "left", "withdrawn", "waiting"),
        "Rows of a series that its plan does not recode, that appear, leave, leave as companions, wait.",
    ),
    "cells": "Cells of a series that were recounted.",
    "short_alone": "Classes of a partition that are short without the rows of others.",
    "verification": "The recount, with the keys that `verify` prints for a table.",
}
COUNTS: Keys = {
    "count_error": "The error of simple counts, each label spread over the values that it covers.",
    "count_error_plain": "The same by a plain GROUP BY.",
    "count_error_tenth": "The error that one in ten of these counts has at least.",
    "count_error_median": "The median error of drawn COUNT queries.",
    "count_error_mean": "The mean of it.",
    "marginal_distance": "The distance of two-way marginals.",
    "pmse": "The propensity score's mean squared error.",
}
QUASI: Keys = {"qi": "The quasi-identifiers."}
WRITTEN: Keys = {"folder": "The folder that was written."}
SQL: Keys = {"sql": "The text that is printed without `--json`."}
FIGURES = f"`rows`, `classes`, `unique_rows`; {ATTACKERS}; `class_sizes` with `least` and `most`"
DISCLOSED: Keys = {
    "excluding": "Other values that the attacker excludes.",
    "rows": PLAN["rows"],
    "rows_with_value": "Rows with a sensitive value.",
    "classes": PLAN["classes"],
    "exposed_rows": "Rows whose value is known for sure.",
    "exposed_classes": "Classes of such rows.",
    "exposed_share": "Their share of the rows with a value.",
    "highest": "The largest share of one value in a class.",
}
SETS = "`columns`, the `distinct_ratio`, the `separation_ratio` and the `unique_rows`"
PERSONS = "`persons`, `exposed`, `exposed_alone`, `contradicted`, `average`"
CLAIMS: Keys = {
    "claims": "Each `claim` with its `text`, what it is `over` and `counts`, the `comparator` and `bound`, what was "
    "`found`, whether that was `recounted`, the `verdict`; some with `sensitive_nulls` or `source_rows`."
}

TRIED = (
    "`searched_by`, its `search`, `status`, whether it `ended`, `ncp`, `suppressed_rows`, `classes`, `seconds`, an "
    "`error`, `count_error`, `count_error_plain`, `count_error_tenth`, some released `rows`"
)

PARTITION = "`known`, `regions`, `classes`, `smallest_class`, `gcp`, `discernibility`, `c_avg`"

JSON_KEYS: dict[str, Keys] = {
    "init": {
        **STATUS,
        "policy": "The file that was written; null for `-o -`.",
        "text": "For `-o -`, the policy.",
        "questions": "What it took without an answer: the `option`, the `question`, its `columns`, what was `taken`.",
        "not_taken_over": "What of an ARX project is in no policy.",
    },
    "suggest": {
        **STATUS,
        "rows": "Rows of the sample.",
        "of_rows": "Rows of the source.",
        "privacy": "The privacy models.",
        "columns": "The quasi-identifiers.",
        "best": "The `search:` of the recommended recoding.",
        "advice": "Why another may be better.",
        "tried": f"Each recoding: {TRIED}.",
        "for_counts": f"Values for counts: {TRIED}, and the lines that a policy needs `more`.",
        "small_tables": "Counts or rates by bands of `columns`, before and after: `rows`, `rate_of` a column, the `rate` in words, "
        "`of` each recoding.",
        "seconds": RUN["seconds"],
    },
    "demo": {**STATUS, **PLAN, **RELEASE, **WRITTEN},
    "plan": {
        **STATUS,
        **PLAN,
        **OF_SOME_PLANS,
        "plan": "The plan file.",
        "replaced": "Whether that file had an earlier plan.",
    },
    "apply": {
        **STATUS,
        **{key: text for key, text in PLAN.items() if key != "checks"},
        **OF_SOME_PLANS,
        **RELEASE,
    },
    "anonymize": {**STATUS, **PLAN, **OF_SOME_PLANS, **RELEASE, "plan": "The plan file."},
    "compile": {**STATUS, **SQL, "file": "The file that was written."},
    "labels": {
        **STATUS,
        "labels": "Labels by column.",
        "unknown": "Labels that no hierarchy has, by column.",
        "place": "The key that was written.",
    },
    "verify": {
        **STATUS,
        **VERIFIED,
        **QUASI,
        "sensitive_nulls": "Whether NULL was counted as a sensitive value.",
        "release": "Of a certificate: the release that was recounted.",
        "same_rows": "Whether all its rows are those of the certificate.",
        "signature": "`good`, `bad`, `unchecked` or `none`.",
        "compared_with_plan": "Whether the claims were compared with a plan.",
        "count_error": COUNTS["count_error"],
        "pages_compared": "Whether report and script were compared, not only their hashes.",
        **CLAIMS,
        "faults": "What failed: `where` and `what`.",
    },
    "certify": {
        **STATUS,
        "certificate": "The file that was written; all other keys are its own: `kanon-sql schema --certificate`.",
    },
    "risk": {
        **STATUS,
        **QUASI,
        "rows": PLAN["rows"],
        "classes": PLAN["classes"],
        "unique_rows": "Rows that no other row is like.",
        **dict.fromkeys(
            ("prosecutor", "journalist", "marketer"),
            "The `highest` and `average` risk, and the share of rows `above` each threshold.",
        ),
        "class_sizes": "`classes` and `rows` by the size of a class, from `least` to `most`.",
        "entity": f"By persons: {FIGURES}.",
        "signature": f"By persons with all their rows: {FIGURES}.",
        "released": f"The release: {FIGURES}, `qi`, `entity`, `signature`.",
        "warnings": PLAN["warnings"],
        "near": "`--near`.",
        "most_columns": "`--most-columns`.",
        "unconfirmed": "Sets that may distinguish rows, too many to be counted.",
        "left_out": "Columns that are in no set.",
        "columns": f"Without quasi-identifiers, each column: {SETS}.",
        "unique": f"Sets that are unique: {SETS}.",
        "near_unique": f"Sets that are nearly unique: {SETS}.",
        "others": f"Other sets: {SETS}.",
    },
    "attack link": {
        **STATUS,
        "known": "Known records.",
        "matched": "Records with a candidate.",
        "unique": "Records with one candidate.",
        "average": "The mean probability of the right candidate.",
        "highest": "The highest.",
        "released": "The same of the release: `matched`, `unique`, `average`, `highest`.",
    },
    "attack homogeneity": {**STATUS, **DISCLOSED},
    "attack background": {**STATUS, **DISCLOSED},
    "attack composition": {
        **STATUS,
        "persons": "Persons.",
        "exposed": "Persons whose sensitive value is known.",
        "exposed_alone": "Those that one release exposes alone.",
        "contradicted": "Persons of whom the releases disagree.",
        "average": "Values that are left of a person, on average.",
        "in_both": f"Of persons in both releases: {PERSONS}.",
        "only_first": f"Of persons in the first alone: {PERSONS}.",
        "only_second": f"Of persons in the second alone: {PERSONS}.",
        "m_invariant": "Whether the releases are m-invariant.",
        "m": "For this m.",
        "repeating_classes": "Classes where a value repeats or is missing.",
        "changed_signatures": "Persons whose class has other values in the second.",
    },
    "quality": {
        **STATUS,
        "rows": PLAN["rows"],
        "released_rows": "Rows of the release.",
        "suppressed_rows": PLAN["suppressed_rows"],
        "classes": PLAN["classes"],
        "smallest_class": PLAN["smallest_class"],
        "k": "k, if stated.",
        "figures": PLAN["figures"],
        "reasons": "Why one is missing, by name.",
        "columns": "Figures by column: values before and after, entropies, losses, errors.",
        "queries": "COUNT `queries`, those that are `empty`, and the `mean`, `median` and `highest` error.",
        "numbers": "Of `columns` of numbers `mean_before`, `mean_after`, `deviation_before`, `deviation_after`; Pearson's `correlations` of two `columns`, `before` and `after`.",
        "warnings": PLAN["warnings"],
    },
    "explain": {
        **STATUS,
        **PLAN,
        **OF_SOME_PLANS,
        "claimed_optimal": "Whether the plan says that it is optimal.",
        "proof_checks": "Nodes that were checked to prove it again.",
        "recounted": "Whether the figures were counted again.",
        "feasible": "Whether the plan's node satisfies the policy.",
        "privacy": "The privacy models.",
        "promise": "What the algorithm guarantees.",
        "paper": "Where it is from.",
        "highest_levels": "The highest level by column.",
        "optimum": "The best node: `known` for sure or not, the `node`, `suppressed_rows`, `cost`.",
        "base": "That under the policy without overrides: `known`, `node`, `suppressed_rows`, `cost`.",
        "bounds": "Each requirement: `name`, `bound`, whether it `binds`, the `slack`, and "
        f"if it is `relaxed` the `optimum`: `known`, `node`, `suppressed_rows`, `cost`, or of regions {PARTITION}.",
        "columns": "Each column: `name`, `cost_over_others`, the optimum (`known`, `node`) `without` it, and with it `raw`; of regions "
        "its `ncp`, its `share` of all, `exact_rows`, `whole_rows`, `widest_regions`.",
        "neighbours": "Nodes beside the chosen one: `column`, `node`, `coarser`, `feasible`, `suppressed_rows`, `cost`, "
        "`classes` and `why` it was not taken.",
        "frontier": "The optimum (`known`, `node`) for each `k` and `max_suppressed_rows`, `of_policy`, `pareto`.",
        "k": "Of regions: k.",
        "ends": "Why regions were not cut again: `alike`, `small`, `uncut`, with `alike_rows`, `small_rows`, "
        "`uncut_rows`.",
        "sizes": "Classes by how many `times` k they have, with their `rows`.",
        "steps": "At one of how many places a group of ordered rows ends.",
        "sampled": "Of how many rows one was in the sample that chose the first cuts.",
        "overlap": "Rows in several labels' ranges, `shared_rows`, and `boxes_per_row`.",
        "other_k": f"The partition by other `k`, `of_policy`: {PARTITION}.",
        "walked": "Whether all of its nodes are known.",
        "ncp": "Information loss (NCP): mean over cells.",
        **COUNTS,
        "nodes_checked": "Nodes that were checked, each once.",
        "lattice": "The file that was written.",
    },
    "compare": {
        **STATUS,
        "rows": PLAN["rows"],
        "classes_before": "Classes of the source.",
        "lattice_nodes": PLAN["lattice_nodes"],
        "metric": PLAN["metric"],
        "quasi_identifiers": "The quasi-identifiers.",
        "privacy": "The privacy models.",
        "max_suppressed_rows": PLAN["max_suppressed_rows"],
        "searches": "Each search: `searched_by`, `status`, `error`, and the figures that `plan` and `explain` print.",
    },
    "diff": {
        **STATUS,
        "same": "Whether the plans are the same.",
        "headline": "What changed, in one sentence.",
        "only_data": "Whether only the data changed.",
        "warnings": PLAN["warnings"],
        "notes": "What else to know.",
        "privacy": "Each `model` and what it is `of`: `old`, `new`, and whether that is a `change`.",
        "figures": "Quality metrics by name: `old`, `new`, `change`, why they are `not_comparable`.",
        "columns": "Columns by name: `old`, `new`, `change`, `hierarchy`.",
        **dict.fromkeys(
            (
                *("max_suppressed_rows", "recoding", "suppressed_rows", "classes", "average_class"),
                *("smallest_class", "highest_prosecutor_risk", "average_prosecutor_risk"),
                *(
                    "rows_above",
                    "unique_rows",
                    "suppressed_share",
                    "algorithm",
                    "metric",
                    "optimal",
                ),
                *("ended_by_time_limit", "lattice_nodes", "checks_in_time", "source_rows"),
                "overrides",
            ),
            "`old` and `new`; some with `change` and `not_comparable`.",
        ),
        "risk": "`old` and `new`, as `plan` prints it.",
        "over": "Other sets of quasi-identifiers.",
        "source_changed": "Whether the source did.",
        "condition_changed": "Whether its condition did.",
        "policy": "What changed in the policies and no plan states: `old`, `new`, `change`.",
        "may_weaken": "Whether privacy is weaker, or changed in something that cannot be compared.",
        "policy_changed": "Whether the policy did.",
        "other_keys_changed": "Its keys that did.",
    },
    "report": {
        **STATUS,
        "page": "The page that was written.",
        "pdf": "The PDF that was written.",
        "figures": "The figures that were written.",
        "text": "For `--text`, the report.",
    },
    "explore": {
        **STATUS,
        "address": "The page, served until the command ends.",
        "policy": "The policy that it saves.",
        "plan": "The plan beside it.",
    },
    "algorithms": {
        **STATUS,
        "algorithms": "Each with `name`, `default`, what it `promises`, `cost`, `paper`, `only_monotone_models`, "
        "`several_sets`, `most_nodes` and `options` by name.",
        "options_of_all": "Options by name.",
    },
    "dbt plan": {
        **STATUS,
        "plans": "The object of `plan`, by release.",
        "notes": "What to know of incremental ones, by release.",
        "files": "The files that were written.",
        "removed_files": "Files of earlier plans that were removed.",
    },
    "dbt certify": {
        **STATUS,
        "releases": "By release: the folder of its `certificate`, the `page` of its report; all other keys are the certificate's.",
    },
    "dbt check": {
        **STATUS,
        "plans": "Each by `name`: whether it `fits`, `faults`, `rows`, `suppressed_rows`, `rows_without_entry`, "
        "`remarks`, `notes`, `max_suppressed_rows`, `levels`, `levels_now`.",
    },
    "dbt keys": {
        **STATUS,
        "releases": "Their names.",
        "forgotten": "Whether keys were removed.",
    },
    "dbt init": {**STATUS, "meta": "The text of the properties."},
    "dbt path": {**STATUS, "folder": "The package."},
    "dbt example": {**STATUS, **WRITTEN},
    "series status": {
        **STATUS,
        "releases": "Releases of the series.",
        "released_at": "The time of the last one.",
        "shown": "Rows that it shows.",
        "shown_share": "The share of living rows that it shows.",
        "withheld": "Living rows that no release has shown yet.",
        "withheld_since": "Since when the oldest of them is withheld.",
        "waiting": "Shown rows that are no longer in the source.",
        "waiting_since": "Since when the oldest of them waits.",
        "outside": "Rows that the plan's recoding does not assign.",
        "classes": "Classes of the shown rows.",
        "smallest_class": "Rows, or people where these are counted, of the smallest class.",
        "ever_shown": "Rows that some release has shown.",
        "cells": "Cells: rows with one class, first and last release.",
        "smallest_cell": "Rows, or people where these are counted, of the smallest cell.",
        "not_protected": "What the series does not hide.",
        "ended": "Whether the series has ended.",
        "rule": "The rule of the policy.",
    },
    "series verify": {
        **STATUS,
        "passed": "Whether every cell satisfies the policy.",
        "cells": "Cells: rows with one class, first and last release.",
        "short_cells": "Cells that fall short.",
        "rows": "Rows that some release has shown.",
        "smallest_cell": "Rows, or people where these are counted, of the smallest cell.",
        **SQL,
    },
    "series simulate": {
        **STATUS,
        "rates": "Mean new and deleted rows, and seconds, from one of the last releases to the next.",
        "releases": "Each simulated release, by the keys of `series status`.",
    },
    "series end": {**STATUS, "releases": "Releases of the series."},
    "sqlmesh audits": {**STATUS, **SQL},
    "sqlmesh example": {**STATUS, **WRITTEN},
    "frequency-query": {**STATUS, **SQL},
    "lint": {**STATUS, "warnings": PLAN["warnings"]},
    "macros": {**STATUS, "sql": "The script."},
    "mcp": {**STATUS, "tools": "The names of the tools."},
    "clean": {
        **STATUS,
        "dry_run": "Whether nothing was removed.",
        "leftovers": "Each `place`, whether it is `removed`, and `why`.",
    },
    "schema": {**STATUS, "schema": "The JSON Schema."},
    "engines": {
        **STATUS,
        "engines": "Capabilities by database, and the version that is `installed`.",
    },
}
"""The keys of each command's object. Keys that a run has no value for are left out, or null."""
