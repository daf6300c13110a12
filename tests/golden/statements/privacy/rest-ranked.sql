-- duckdb
CREATE TEMP TABLE "the rest of ranked" AS
SELECT t.*
FROM "frequency ""set"" 2" AS t
JOIN (
  SELECT
    "key_1" & CAST(24 AS BIGINT) AS "key_1",
    "key_2" & CAST(6 AS BIGINT) AS "key_2"
  FROM (
  SELECT
    r.*,
    CAST("x1".place AS DECIMAL(38, 0)) AS "kanon_cross_place_1",
    CAST("x1".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_1"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT) ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0",
    SUM("kanon_in_class_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1" ROWS UNBOUNDED PRECEDING) AS "kanon_running_1",
    COALESCE(LEAD("kanon_place_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_in_all_1") AS "kanon_next_place_1",
    COALESCE(LEAD("kanon_sum_before_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_sum_of_all_1") AS "kanon_next_sum_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "sensitive_1" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_1" ORDER BY "sensitive_1") = 1
          THEN SUM(r.row_count) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_1")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "sensitive_1" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN "sensitive_2" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_2" ORDER BY "sensitive_2") = 1
          THEN SUM(r.row_count) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_2")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(CASE WHEN "sensitive_2" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST("w1".place AS DECIMAL(38, 0)) AS "kanon_place_1",
    CAST("w1".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_1",
    CAST("w1".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_1"
  FROM "frequency ""set"" 2" AS r
LEFT JOIN "values' counts 2" AS "w0"
  ON "sensitive_1" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN "values' counts 3" AS "w1"
  ON "sensitive_2" IS NOT DISTINCT FROM "w1"."value"
  ) AS r
  ) AS r
LEFT JOIN "values' counts 3" AS "x1"
  ON "x1".rows_up_to - "x1".value_rows <= CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) < "x1".rows_up_to
) AS b
  GROUP BY 1, 2
  HAVING NOT (
    SUM(row_count) >= 1 AND
    COALESCE(CAST(ROUND((
      GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)
      - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 0) >= 693147178 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) <= 2250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      + (MAX("kanon_of_class_0") - 1000000000 * MAX("kanon_in_class_0") % (MAX("kanon_of_class_0"))) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 1000000000) <= 750000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))) AS BIGINT), 1000000000000000000) <= 2000000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) <= 0 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) <= 2828427124 AND
    COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) <= 0 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))
    ) / ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) AS BIGINT), 1000000000) <= 500000000
  )
) AS s
  ON (t."key_1" & CAST(24 AS BIGINT)) = s."key_1" AND (t."key_2" & CAST(6 AS BIGINT)) = s."key_2"

-- postgres
CREATE TEMP TABLE "the rest of ranked" AS
SELECT t.*
FROM "frequency ""set"" 2" AS t
JOIN (
  SELECT
    "key_1" & CAST(24 AS BIGINT) AS "key_1",
    "key_2" & CAST(6 AS BIGINT) AS "key_2"
  FROM (
  SELECT
    r.*,
    CAST("x1".place AS DECIMAL(38, 0)) AS "kanon_cross_place_1",
    CAST("x1".sum_before AS DECIMAL(38, 0)) AS "kanon_cross_sum_1"
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT) ORDER BY COALESCE("kanon_in_class_0", 0) DESC) AS "kanon_rank_0",
    SUM("kanon_in_class_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1" ROWS UNBOUNDED PRECEDING) AS "kanon_running_1",
    COALESCE(LEAD("kanon_place_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_in_all_1") AS "kanon_next_place_1",
    COALESCE(LEAD("kanon_sum_before_1") OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), CASE WHEN "kanon_in_class_1" IS NULL THEN 1 ELSE 0 END ORDER BY "kanon_place_1"), "kanon_sum_of_all_1") AS "kanon_next_sum_1"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "sensitive_1" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_1" ORDER BY "sensitive_1") = 1
          THEN SUM(r.row_count) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_1")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(CASE WHEN "sensitive_1" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN "sensitive_2" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_2" ORDER BY "sensitive_2") = 1
          THEN SUM(r.row_count) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT), "sensitive_2")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(CASE WHEN "sensitive_2" IS NOT NULL THEN r.row_count END) OVER (PARTITION BY "key_1" & CAST(24 AS BIGINT), "key_2" & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1",
    CAST("w1".place AS DECIMAL(38, 0)) AS "kanon_place_1",
    CAST("w1".sum_before AS DECIMAL(38, 0)) AS "kanon_sum_before_1",
    CAST("w1".sum_of_all AS DECIMAL(38, 0)) AS "kanon_sum_of_all_1"
  FROM "frequency ""set"" 2" AS r
LEFT JOIN "values' counts 2" AS "w0"
  ON ARRAY["sensitive_1"] = ARRAY["w0"."value"]
LEFT JOIN "values' counts 3" AS "w1"
  ON ARRAY["sensitive_2"] = ARRAY["w1"."value"]
  ) AS r
  ) AS r
LEFT JOIN "values' counts 3" AS "x1"
  ON "x1".rows_up_to - "x1".value_rows <= CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) AND CAST(ROUND((r."kanon_running_1" * r."kanon_of_table_1" - (r."kanon_running_1" * r."kanon_of_table_1") % r."kanon_of_class_1") / r."kanon_of_class_1") AS DECIMAL(38, 0)) < "x1".rows_up_to
) AS b
  GROUP BY 1, 2
  HAVING NOT (
    SUM(row_count) >= 1 AND
    COALESCE(CAST(ROUND((
      GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0)
      - GREATEST(MAX("kanon_of_class_0") * MAX(CAST(ROUND(1000000000 * LN("kanon_of_class_0")) AS BIGINT)) - SUM("kanon_in_class_0" * CAST(ROUND(1000000000 * LN("kanon_in_class_0")) AS BIGINT)), 0) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 0) >= 693147178 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      - 1000000000 * MAX("kanon_in_class_0") % (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))
    ) / (SUM(CASE WHEN "kanon_rank_0" >= 2 THEN "kanon_in_class_0" END))) AS BIGINT) + 1, 1000000000000000000) <= 2250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX("kanon_in_class_0")
      + (MAX("kanon_of_class_0") - 1000000000 * MAX("kanon_in_class_0") % (MAX("kanon_of_class_0"))) % (MAX("kanon_of_class_0"))
    ) / (MAX("kanon_of_class_0"))) AS BIGINT), 1000000000) <= 750000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))) AS BIGINT), 1000000000000000000) <= 2000000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)
      + ("kanon_in_table_0" * "kanon_of_class_0" - 1000000000 * GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0) % ("kanon_in_table_0" * "kanon_of_class_0")) % ("kanon_in_table_0" * "kanon_of_class_0")
    ) / ("kanon_in_table_0" * "kanon_of_class_0"))      + CAST(ROUND(1000000000 * LN("kanon_in_table_0")) AS BIGINT) - CAST(ROUND(1000000000 * LN("kanon_of_table_0")) AS BIGINT)) AS BIGINT), 1000000000000000000) <= 0 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END
      - 1000000000 * CASE WHEN "kanon_in_class_0" IS NOT NULL THEN GREATEST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0") END % (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0"))
    ) / (LEAST("kanon_in_class_0" * "kanon_of_table_0", "kanon_in_table_0" * "kanon_of_class_0")))) AS BIGINT) + 1, 1000000000000000000) <= 2828427124 AND
    COALESCE(MAX("kanon_in_all_0") - COUNT("kanon_in_class_0"), 1000000000000000000) <= 0 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END)
      + ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)) - 1000000000 * SUM(CASE WHEN "kanon_in_class_1" IS NOT NULL THEN
        "kanon_running_1" * "kanon_of_table_1" * (2 * LEAST(GREATEST(COALESCE("kanon_cross_place_1", "kanon_in_all_1"), "kanon_place_1"), "kanon_next_place_1") - "kanon_place_1" - "kanon_next_place_1")
        + "kanon_of_class_1" * ("kanon_sum_before_1" + "kanon_next_sum_1" - 2 * LEAST(GREATEST(COALESCE("kanon_cross_sum_1", "kanon_sum_of_all_1"), "kanon_sum_before_1"), "kanon_next_sum_1"))
        + CASE WHEN "kanon_running_1" = "kanon_in_class_1" THEN "kanon_of_class_1" * "kanon_sum_before_1" ELSE 0 END
      END) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) % ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))
    ) / ((MAX("kanon_of_class_1") * MAX("kanon_of_table_1") * GREATEST(MAX("kanon_in_all_1") - 1, 1)))) AS BIGINT), 1000000000) <= 500000000
  )
) AS s
  ON (t."key_1" & CAST(24 AS BIGINT)) = s."key_1" AND (t."key_2" & CAST(6 AS BIGINT)) = s."key_2"

-- spark
CREATE TEMP VIEW `the rest of ranked` AS
SELECT t.*
FROM `frequency "set" 2` AS t
JOIN (
  SELECT
    `key_1` & CAST(24 AS BIGINT) AS `key_1`,
    `key_2` & CAST(6 AS BIGINT) AS `key_2`
  FROM (
  SELECT
    r.*,
    CAST(`x1`.place AS DECIMAL(38, 0)) AS `kanon_cross_place_1`,
    CAST(`x1`.sum_before AS DECIMAL(38, 0)) AS `kanon_cross_sum_1`
  FROM (
  SELECT
    r.*,
    ROW_NUMBER() OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT) ORDER BY COALESCE(`kanon_in_class_0`, 0) DESC) AS `kanon_rank_0`,
    SUM(`kanon_in_class_1`) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1` ROWS UNBOUNDED PRECEDING) AS `kanon_running_1`,
    COALESCE(LEAD(`kanon_place_1`) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1`), `kanon_in_all_1`) AS `kanon_next_place_1`,
    COALESCE(LEAD(`kanon_sum_before_1`) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), CASE WHEN `kanon_in_class_1` IS NULL THEN 1 ELSE 0 END ORDER BY `kanon_place_1`), `kanon_sum_of_all_1`) AS `kanon_next_sum_1`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `sensitive_1` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), `sensitive_1` ORDER BY `sensitive_1`) = 1
          THEN SUM(r.row_count) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), `sensitive_1`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(CASE WHEN `sensitive_1` IS NOT NULL THEN r.row_count END) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(
      CASE
        WHEN `sensitive_2` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), `sensitive_2` ORDER BY `sensitive_2`) = 1
          THEN SUM(r.row_count) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT), `sensitive_2`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_1`,
    CAST(
      SUM(CASE WHEN `sensitive_2` IS NOT NULL THEN r.row_count END) OVER (PARTITION BY `key_1` & CAST(24 AS BIGINT), `key_2` & CAST(6 AS BIGINT)) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_1`,
    CAST(`w1`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_1`,
    CAST(`w1`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_1`,
    `w1`.table_values AS `kanon_in_all_1`,
    CAST(`w1`.place AS DECIMAL(38, 0)) AS `kanon_place_1`,
    CAST(`w1`.sum_before AS DECIMAL(38, 0)) AS `kanon_sum_before_1`,
    CAST(`w1`.sum_of_all AS DECIMAL(38, 0)) AS `kanon_sum_of_all_1`
  FROM `frequency "set" 2` AS r
LEFT JOIN `values' counts 2` AS `w0`
  ON `sensitive_1` IS NOT DISTINCT FROM `w0`.`value`
LEFT JOIN `values' counts 3` AS `w1`
  ON `sensitive_2` IS NOT DISTINCT FROM `w1`.`value`
  ) AS r
  ) AS r
LEFT JOIN `values' counts 3` AS `x1`
  ON `x1`.rows_up_to - `x1`.value_rows <= CAST(ROUND((r.`kanon_running_1` * r.`kanon_of_table_1` - (r.`kanon_running_1` * r.`kanon_of_table_1`) % r.`kanon_of_class_1`) / r.`kanon_of_class_1`) AS DECIMAL(38, 0)) AND CAST(ROUND((r.`kanon_running_1` * r.`kanon_of_table_1` - (r.`kanon_running_1` * r.`kanon_of_table_1`) % r.`kanon_of_class_1`) / r.`kanon_of_class_1`) AS DECIMAL(38, 0)) < `x1`.rows_up_to
) AS b
  GROUP BY 1, 2
  HAVING NOT (
    SUM(row_count) >= 1 AND
    COALESCE(CAST(ROUND((
      GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0)
      - GREATEST(MAX(`kanon_of_class_0`) * MAX(CAST(ROUND(1000000000 * LN(`kanon_of_class_0`)) AS BIGINT)) - SUM(`kanon_in_class_0` * CAST(ROUND(1000000000 * LN(`kanon_in_class_0`)) AS BIGINT)), 0) % (MAX(`kanon_of_class_0`))
    ) / (MAX(`kanon_of_class_0`))) AS BIGINT), 0) >= 693147178 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_0`)
      - 1000000000 * MAX(`kanon_in_class_0`) % (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))
    ) / (SUM(CASE WHEN `kanon_rank_0` >= 2 THEN `kanon_in_class_0` END))) AS BIGINT) + 1, 1000000000000000000) <= 2250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * MAX(`kanon_in_class_0`)
      + (MAX(`kanon_of_class_0`) - 1000000000 * MAX(`kanon_in_class_0`) % (MAX(`kanon_of_class_0`))) % (MAX(`kanon_of_class_0`))
    ) / (MAX(`kanon_of_class_0`))) AS BIGINT), 1000000000) <= 750000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_of_class_0`)) % (`kanon_in_table_0` * `kanon_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_of_class_0`))) AS BIGINT), 1000000000000000000) <= 2000000000 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)
      + (`kanon_in_table_0` * `kanon_of_class_0` - 1000000000 * GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0) % (`kanon_in_table_0` * `kanon_of_class_0`)) % (`kanon_in_table_0` * `kanon_of_class_0`)
    ) / (`kanon_in_table_0` * `kanon_of_class_0`))      + CAST(ROUND(1000000000 * LN(`kanon_in_table_0`)) AS BIGINT) - CAST(ROUND(1000000000 * LN(`kanon_of_table_0`)) AS BIGINT)) AS BIGINT), 1000000000000000000) <= 0 AND
    COALESCE(CAST(MAX(ROUND((
      1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`) END
      - 1000000000 * CASE WHEN `kanon_in_class_0` IS NOT NULL THEN GREATEST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`) END % (LEAST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`))
    ) / (LEAST(`kanon_in_class_0` * `kanon_of_table_0`, `kanon_in_table_0` * `kanon_of_class_0`)))) AS BIGINT) + 1, 1000000000000000000) <= 2828427124 AND
    COALESCE(MAX(`kanon_in_all_0`) - COUNT(`kanon_in_class_0`), 1000000000000000000) <= 0 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(CASE WHEN `kanon_in_class_1` IS NOT NULL THEN
        `kanon_running_1` * `kanon_of_table_1` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_1`, `kanon_in_all_1`), `kanon_place_1`), `kanon_next_place_1`) - `kanon_place_1` - `kanon_next_place_1`)
        + `kanon_of_class_1` * (`kanon_sum_before_1` + `kanon_next_sum_1` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_1`, `kanon_sum_of_all_1`), `kanon_sum_before_1`), `kanon_next_sum_1`))
        + CASE WHEN `kanon_running_1` = `kanon_in_class_1` THEN `kanon_of_class_1` * `kanon_sum_before_1` ELSE 0 END
      END)
      + ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)) - 1000000000 * SUM(CASE WHEN `kanon_in_class_1` IS NOT NULL THEN
        `kanon_running_1` * `kanon_of_table_1` * (2 * LEAST(GREATEST(COALESCE(`kanon_cross_place_1`, `kanon_in_all_1`), `kanon_place_1`), `kanon_next_place_1`) - `kanon_place_1` - `kanon_next_place_1`)
        + `kanon_of_class_1` * (`kanon_sum_before_1` + `kanon_next_sum_1` - 2 * LEAST(GREATEST(COALESCE(`kanon_cross_sum_1`, `kanon_sum_of_all_1`), `kanon_sum_before_1`), `kanon_next_sum_1`))
        + CASE WHEN `kanon_running_1` = `kanon_in_class_1` THEN `kanon_of_class_1` * `kanon_sum_before_1` ELSE 0 END
      END) % ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))) % ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))
    ) / ((MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) * GREATEST(MAX(`kanon_in_all_1`) - 1, 1)))) AS BIGINT), 1000000000) <= 500000000
  )
) AS s
  ON (t.`key_1` & CAST(24 AS BIGINT)) = s.`key_1` AND (t.`key_2` & CAST(6 AS BIGINT)) = s.`key_2`
