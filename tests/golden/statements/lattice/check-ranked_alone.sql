-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 693147178 * "base_1" AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 * "base_3" AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 * "base_8" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 693147178 * "base_1" AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 * "base_3" AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 * "base_8" THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM(
    CASE
      WHEN row_count - GREATEST(0, CASE WHEN "row_count" >= 1 THEN 0 ELSE row_count END, "lost_1", "lost_2", "lost_3", "lost_4", "lost_8") < 1 THEN row_count
      ELSE GREATEST(0, CASE WHEN "row_count" >= 1 THEN 0 ELSE row_count END, "lost_1", "lost_2", "lost_3", "lost_4", "lost_8")
    END
  ) AS BIGINT) AS unavoidable
FROM (
SELECT
    p0.*,
    "p1"."measure_8",
    "p1"."base_8",
    "p1"."lost_8"
  FROM (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX("kanon_of_class_0") > 0 THEN GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) END, -1) AS "measure_1",
      COALESCE(MAX("kanon_of_class_0"), 0) AS "base_1",
      CAST(COALESCE(GREATEST(CEIL(((693147178 - 3) * MAX("kanon_of_class_0") - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)) / ((693147178 - 0) * (MAX("kanon_of_class_0") / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_1",
      COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) AS "measure_2",
      CAST(COALESCE(LEAST(MAX("kanon_of_class_0"), GREATEST(FLOOR((1000000000 * MAX("kanon_in_class_0") - 2250000000 * COALESCE(SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END), 0)) / 1000000000 + 0.000001), 0)), 0) AS BIGINT) AS "lost_2",
      COALESCE(CASE WHEN MAX("kanon_of_class_0") > 0 THEN 1000000000 * MAX("kanon_in_class_0") END, 1) AS "measure_3",
      COALESCE(MAX("kanon_of_class_0"), 0) AS "base_3",
      CAST(COALESCE(GREATEST(CEIL((1000000000 * MAX("kanon_in_class_0") - (750000000 + 3) * MAX("kanon_of_class_0")) / ((1000000000 - 750000000) * (MAX("kanon_of_class_0") / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_3",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))) AS BIGINT), 1000000000000000000) AS "measure_4",
      CAST(COALESCE(CEIL(SUM(GREATEST(1000000000 * "kanon_in_class_0" * "kanon_of_table_0" - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * "kanon_in_table_0" * "kanon_of_class_0", 0)) / (1000000000 * MAX("kanon_of_table_0") - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * SUM(CASE WHEN 1000000000 * "kanon_in_class_0" * "kanon_of_table_0" > (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * "kanon_in_table_0" * "kanon_of_class_0" THEN "kanon_in_table_0" ELSE 0 END)) - 0.000001), 0) AS BIGINT) AS "lost_4",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) AS "measure_5",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) AS "measure_6",
      COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) AS "measure_7"
    FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2" ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
  ) AS r
LEFT JOIN "values' counts 2" AS "w0"
  ON "r"."sensitive" IS NOT DISTINCT FROM "w0"."value"
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) > 0 THEN 1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) END, 1) AS "measure_8",
      COALESCE((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)), 0) AS "base_8",
      CAST(COALESCE(GREATEST(CEIL((1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) - (500000000 + 3) * (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1))) / ((1000000000 - 500000000) * ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_8"
    FROM (
  SELECT
    r.*,
    CAST("x0".place AS DECIMAL(38, 0)) AS "kanon_cross_place_0",
    CAST("x0".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0" ROWS UNBOUNDED PRECEDING) AS "kanon_running_0",
    COALESCE(LEAD("kanon_place_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_in_all_0") AS "kanon_next_place_0",
    COALESCE(LEAD("kanon_sum_before_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_sum_of_all_0") AS "kanon_next_sum_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST("w0".place AS DECIMAL(38, 0)) AS "kanon_place_0",
    CAST("w0".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_0",
    CAST("w0".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_0"
  FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
  ) AS r
LEFT JOIN "values' counts 3" AS "w0"
  ON "r"."sensitive" IS NOT DISTINCT FROM "w0"."value"
  ) AS r
  ) AS r
LEFT JOIN "values' counts 3" AS "x0"
  ON "x0".rows_up_to - "x0".value_rows <= CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) < "x0".rows_up_to
) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 693147178 * "base_1" AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 * "base_3" AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 * "base_8" THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 1 AND "measure_1" >= 693147178 * "base_1" AND "measure_2" <= 2250000000 AND "measure_3" <= 750000000 * "base_3" AND "measure_4" <= 2000000000 AND "measure_5" <= 0 AND "measure_6" <= 2828427124 AND "measure_7" <= 0 AND "measure_8" <= 500000000 * "base_8" THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM(
    CASE
      WHEN row_count - GREATEST(0, CASE WHEN "row_count" >= 1 THEN 0 ELSE row_count END, "lost_1", "lost_2", "lost_3", "lost_4", "lost_8") < 1 THEN row_count
      ELSE GREATEST(0, CASE WHEN "row_count" >= 1 THEN 0 ELSE row_count END, "lost_1", "lost_2", "lost_3", "lost_4", "lost_8")
    END
  ) AS BIGINT) AS unavoidable
FROM (
SELECT
    p0.*,
    "p1"."measure_8",
    "p1"."base_8",
    "p1"."lost_8"
  FROM (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX("kanon_of_class_0") > 0 THEN GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) END, -1) AS "measure_1",
      COALESCE(MAX("kanon_of_class_0"), 0) AS "base_1",
      CAST(COALESCE(GREATEST(CEIL(((693147178 - 3) * MAX("kanon_of_class_0") - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)) / ((693147178 - 0) * (MAX("kanon_of_class_0") / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_1",
      COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) AS "measure_2",
      CAST(COALESCE(LEAST(MAX("kanon_of_class_0"), GREATEST(FLOOR((1000000000 * MAX("kanon_in_class_0") - 2250000000 * COALESCE(SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END), 0)) / 1000000000 + 0.000001), 0)), 0) AS BIGINT) AS "lost_2",
      COALESCE(CASE WHEN MAX("kanon_of_class_0") > 0 THEN 1000000000 * MAX("kanon_in_class_0") END, 1) AS "measure_3",
      COALESCE(MAX("kanon_of_class_0"), 0) AS "base_3",
      CAST(COALESCE(GREATEST(CEIL((1000000000 * MAX("kanon_in_class_0") - (750000000 + 3) * MAX("kanon_of_class_0")) / ((1000000000 - 750000000) * (MAX("kanon_of_class_0") / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_3",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))) AS BIGINT), 1000000000000000000) AS "measure_4",
      CAST(COALESCE(CEIL(SUM(GREATEST(1000000000 * "kanon_in_class_0" * "kanon_of_table_0" - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * "kanon_in_table_0" * "kanon_of_class_0", 0)) / (1000000000 * MAX("kanon_of_table_0") - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * SUM(CASE WHEN 1000000000 * "kanon_in_class_0" * "kanon_of_table_0" > (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * "kanon_in_table_0" * "kanon_of_class_0" THEN "kanon_in_table_0" ELSE 0 END)) - 0.000001), 0) AS BIGINT) AS "lost_4",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) AS "measure_5",
      COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) AS "measure_6",
      COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) AS "measure_7"
    FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2" ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0"
  FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($1 AS BIGINT) AS "key_1",
        f."key_2" & CAST($2 AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
  ) AS r
LEFT JOIN "values' counts 2" AS "w0"
  ON ARRAY["r"."sensitive"] = ARRAY["w0"."value"]
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) > 0 THEN 1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) END, 1) AS "measure_8",
      COALESCE((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)), 0) AS "base_8",
      CAST(COALESCE(GREATEST(CEIL((1000000000 * SUM(CASE WHEN "kanon_in_class_0" IS NOT NULL THEN
        "kanon_running_0" * "kanon_of_table_0" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_0", "kanon_in_all_0"), "kanon_place_0"), "kanon_next_place_0") - "kanon_place_0" - "kanon_next_place_0")
        + "kanon_of_class_0" * ("kanon_sum_before_0" + "kanon_next_sum_0" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_0", "kanon_sum_of_all_0"), "kanon_sum_before_0"), "kanon_next_sum_0"))
        + CASE WHEN "kanon_running_0" = "kanon_in_class_0" THEN "kanon_of_class_0" * "kanon_sum_before_0" ELSE 0 END
      END) - (500000000 + 3) * (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1))) / ((1000000000 - 500000000) * ((MAX("kanon_of_class_0") * MAX("kanon_of_table_0") * GREATEST(MAX("kanon_in_all_0") - 1, 1)) / NULLIF(MAX("kanon_of_class_0"), 0))) - 0.000001), 0), 0) AS BIGINT) AS "lost_8"
    FROM (
  SELECT
    r.*,
    CAST("x0".place AS DECIMAL(38, 0)) AS "kanon_cross_place_0",
    CAST("x0".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_0"
  FROM (
  SELECT
    r.*,
    SUM("kanon_in_class_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0" ROWS UNBOUNDED PRECEDING) AS "kanon_running_0",
    COALESCE(LEAD("kanon_place_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_in_all_0") AS "kanon_next_place_0",
    COALESCE(LEAD("kanon_sum_before_0") OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2", CASE WHEN "kanon_in_class_0" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_0"), "kanon_sum_of_all_0") AS "kanon_next_sum_0"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "r"."sensitive" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "r"."node", "r"."key_1", "r"."key_2") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST("w0".place AS DECIMAL(38, 0)) AS "kanon_place_0",
    CAST("w0".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_0",
    CAST("w0".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_0"
  FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($3 AS BIGINT) AS "key_1",
        f."key_2" & CAST($4 AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
  ) AS r
LEFT JOIN "values' counts 3" AS "w0"
  ON ARRAY["r"."sensitive"] = ARRAY["w0"."value"]
  ) AS r
  ) AS r
LEFT JOIN "values' counts 3" AS "x0"
  ON "x0".rows_up_to - "x0".value_rows <= CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_0" * r."kanon_of_table_0" - (r."kanon_running_0" * r."kanon_of_table_0") % r."kanon_of_class_0") / r."kanon_of_class_0") AS DECIMAL(38, 0)) < "x0".rows_up_to
) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `row_count` >= 1 AND `measure_1` >= 693147178 * `base_1` AND `measure_2` <= 2250000000 AND `measure_3` <= 750000000 * `base_3` AND `measure_4` <= 2000000000 AND `measure_5` <= 0 AND `measure_6` <= 2828427124 AND `measure_7` <= 0 AND `measure_8` <= 500000000 * `base_8` THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `row_count` >= 1 AND `measure_1` >= 693147178 * `base_1` AND `measure_2` <= 2250000000 AND `measure_3` <= 750000000 * `base_3` AND `measure_4` <= 2000000000 AND `measure_5` <= 0 AND `measure_6` <= 2828427124 AND `measure_7` <= 0 AND `measure_8` <= 500000000 * `base_8` THEN 0 ELSE row_count END) AS suppressed,
  CAST(SUM(
    CASE
      WHEN row_count - GREATEST(0, CASE WHEN `row_count` >= 1 THEN 0 ELSE row_count END, `lost_1`, `lost_2`, `lost_3`, `lost_4`, `lost_8`) < 1 THEN row_count
      ELSE GREATEST(0, CASE WHEN `row_count` >= 1 THEN 0 ELSE row_count END, `lost_1`, `lost_2`, `lost_3`, `lost_4`, `lost_8`)
    END
  ) AS BIGINT) AS unavoidable
FROM (
SELECT
    p0.*,
    `p1`.`measure_8`,
    `p1`.`base_8`,
    `p1`.`lost_8`
  FROM (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN MAX(`kanon_of_class_0`) > 0 THEN GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0) END, -1) AS `measure_1`,
      COALESCE(MAX(`kanon_of_class_0`), 0) AS `base_1`,
      CAST(COALESCE(GREATEST(CEIL(((693147178 - 3) * MAX(`kanon_of_class_0`) - GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0)) / ((693147178 - 0) * (MAX(`kanon_of_class_0`) / NULLIF(MAX(`kanon_of_class_0`), 0))) - 0.000001), 0), 0) AS BIGINT) AS `lost_1`,
      COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_0`)
      - 1000000000 * MAX(`kanon_in_class_0`) % (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))
    ) / (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))) AS BIGINT) + 1, 1000000000000000000) AS `measure_2`,
      CAST(COALESCE(LEAST(MAX(`kanon_of_class_0`), GREATEST(FLOOR((1000000000 * MAX(`kanon_in_class_0`) - 2250000000 * COALESCE(SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END), 0)) / 1000000000 + 0.000001), 0)), 0) AS BIGINT) AS `lost_2`,
      COALESCE(CASE WHEN MAX(`kanon_of_class_0`) > 0 THEN 1000000000 * MAX(`kanon_in_class_0`) END, 1) AS `measure_3`,
      COALESCE(MAX(`kanon_of_class_0`), 0) AS `base_3`,
      CAST(COALESCE(GREATEST(CEIL((1000000000 * MAX(`kanon_in_class_0`) - (750000000 + 3) * MAX(`kanon_of_class_0`)) / ((1000000000 - 750000000) * (MAX(`kanon_of_class_0`) / NULLIF(MAX(`kanon_of_class_0`), 0))) - 0.000001), 0), 0) AS BIGINT) AS `lost_3`,
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_of_class_0`)) % (`kanon_in_table_0` * `kanon_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_of_class_0`))) AS BIGINT), 1000000000000000000) AS `measure_4`,
      CAST(COALESCE(CEIL(SUM(GREATEST(1000000000 * `kanon_in_class_0` * `kanon_of_table_0` - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * `kanon_in_table_0` * `kanon_of_class_0`, 0)) / (1000000000 * MAX(`kanon_of_table_0`) - (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * SUM(CASE WHEN 1000000000 * `kanon_in_class_0` * `kanon_of_table_0` > (CAST(1000000000 AS DECIMAL(38, 0)) + 2000000000) * `kanon_in_table_0` * `kanon_of_class_0` THEN `kanon_in_table_0` ELSE 0 END)) - 0.000001), 0) AS BIGINT) AS `lost_4`,
      COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_of_class_0`)) % (`kanon_in_table_0` * `kanon_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_of_class_0`))      + CAST(ROUND(1000000000 * LN(`kanon_in_table_0`)) AS BIGINT) - CAST(ROUND(1000000000 * LN(`kanon_of_table_0`)) AS BIGINT)) AS BIGINT), 1000000000000000000) AS `measure_5`,
      COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`) END
      - 1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`) END % (LEAST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`))
    ) / (LEAST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`)))) AS BIGINT) + 1, 1000000000000000000) AS `measure_6`,
      COALESCE(MAX(`kanon_in_all_0`) - COUNT(`kanon_in_class_0`), 1000000000000000000) AS `measure_7`
    FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2` ORDER BY COALESCE(`kanon_in_class_0`, 0) DESC) AS `kanon_rank_0`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`
  FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_1` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_1`
  ) AS r
LEFT JOIN `values' counts 2` AS `w0`
  ON `r`.`sensitive` IS NOT DISTINCT FROM `w0`.`value`
  ) AS r
) AS t
    GROUP BY 1, 2, 3
  ) AS `p0`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COALESCE(CASE WHEN (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)) > 0 THEN 1000000000 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL THEN
        `kanon_running_0` * `kanon_of_table_0` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_0`, `kanon_in_all_0`), `kanon_place_0`), `kanon_next_place_0`) - `kanon_place_0` - `kanon_next_place_0`)
        + `kanon_of_class_0` * (`kanon_sum_before_0` + `kanon_next_sum_0` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_0`, `kanon_sum_of_all_0`), `kanon_sum_before_0`), `kanon_next_sum_0`))
        + CASE WHEN `kanon_running_0` = `kanon_in_class_0` THEN `kanon_of_class_0` * `kanon_sum_before_0` ELSE 0 END
      END) END, 1) AS `measure_8`,
      COALESCE((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)), 0) AS `base_8`,
      CAST(COALESCE(GREATEST(CEIL((1000000000 * SUM(CASE WHEN `kanon_in_class_0` IS NOT NULL THEN
        `kanon_running_0` * `kanon_of_table_0` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_0`, `kanon_in_all_0`), `kanon_place_0`), `kanon_next_place_0`) - `kanon_place_0` - `kanon_next_place_0`)
        + `kanon_of_class_0` * (`kanon_sum_before_0` + `kanon_next_sum_0` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_0`, `kanon_sum_of_all_0`), `kanon_sum_before_0`), `kanon_next_sum_0`))
        + CASE WHEN `kanon_running_0` = `kanon_in_class_0` THEN `kanon_of_class_0` * `kanon_sum_before_0` ELSE 0 END
      END) - (500000000 + 3) * (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1))) / ((1000000000 - 500000000) * ((MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) * GREATEST(MAX(`kanon_in_all_0`) - 1, 1)) / NULLIF(MAX(`kanon_of_class_0`), 0))) - 0.000001), 0), 0) AS BIGINT) AS `lost_8`
    FROM (
  SELECT
    r.*,
    CAST(`x0`.place AS DECIMAL(38, 0)) AS `kanon_cross_place_0`,
    CAST(`x0`.sum_before AS DECIMAL(38, 0)) AS `kanon_cross_sum_0`
  FROM (
  SELECT
    r.*,
    SUM(`kanon_in_class_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0` ROWS UNBOUNDED PRECEDING) AS `kanon_running_0`,
    COALESCE(LEAD(`kanon_place_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0`), `kanon_in_all_0`) AS `kanon_next_place_0`,
    COALESCE(LEAD(`kanon_sum_before_0`) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`, CASE WHEN `kanon_in_class_0` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_0`), `kanon_sum_of_all_0`) AS `kanon_next_sum_0`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(CASE WHEN `r`.`sensitive` IS NOT NULL THEN r.row_count END) OVER (PARTITION BY `r`.`node`, `r`.`key_1`, `r`.`key_2`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(`w0`.place AS DECIMAL(38, 0)) AS `kanon_place_0`,
    CAST(`w0`.sum_before AS DECIMAL(38, 0)) AS `kanon_sum_before_0`,
    CAST(`w0`.sum_of_all AS DECIMAL(38, 0)) AS `kanon_sum_of_all_0`
  FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_2` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_2`
  ) AS r
LEFT JOIN `values' counts 3` AS `w0`
  ON `r`.`sensitive` IS NOT DISTINCT FROM `w0`.`value`
  ) AS r
  ) AS r
LEFT JOIN `values' counts 3` AS `x0`
  ON `x0`.rows_up_to - `x0`.value_rows <= CAST(ROUND((r.`kanon_running_0` * r.`kanon_of_table_0` - (r.`kanon_running_0` * r.`kanon_of_table_0`) % r.`kanon_of_class_0`) / r.`kanon_of_class_0`) AS DECIMAL(38, 0)) AND CAST(ROUND((r.`kanon_running_0` * r.`kanon_of_table_0` - (r.`kanon_running_0` * r.`kanon_of_table_0`) % r.`kanon_of_class_0`) / r.`kanon_of_class_0`) AS DECIMAL(38, 0)) < `x0`.rows_up_to
) AS t
    GROUP BY 1, 2, 3
  ) AS `p1`
    ON p0.node = `p1`.node AND p0.`key_1` = `p1`.`key_1` AND p0.`key_2` = `p1`.`key_2`
) AS c
GROUP BY node
