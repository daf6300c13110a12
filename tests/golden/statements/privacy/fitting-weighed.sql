-- duckdb
CREATE TEMP TABLE "fitting of weighed" AS
SELECT t.*
FROM "classes of weighed" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_1" AS "class_1",
    "class_2" AS "class_2",
    "class_3" AS "class_3"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "spread_0" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0" ORDER BY "spread_0") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1" ORDER BY "spread_1") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "spread_0" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "classes of weighed" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON "spread_0" IS NOT DISTINCT FROM "w0"."value"
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t) AS table_persons
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON "spread_1" IS NOT DISTINCT FROM "w1"."value"
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT "entity") >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000) <= 250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0))
      + (MAX("kanon_of_class_1") * MAX("kanon_of_table_1") - 1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))
    ) / (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) AS BIGINT), 1000000000) <= 500000000
)

-- postgres
CREATE TEMP TABLE "fitting of weighed" AS
SELECT t.*
FROM "classes of weighed" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_1" AS "class_1",
    "class_2" AS "class_2",
    "class_3" AS "class_3"
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN "spread_0" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0" ORDER BY "spread_0") = 1
          THEN SUM(r."kanon_pair_0") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_0",
    CAST(
      SUM(r."kanon_pair_0") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_0",
    CAST("w0".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_0",
    CAST("w0".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_0",
    "w0".table_values AS "kanon_in_all_0",
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1" ORDER BY "spread_1") = 1
          THEN SUM(r."kanon_pair_1") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1")
      END
    AS DECIMAL(38, 0)) AS "kanon_in_class_1",
    CAST(
      SUM(r."kanon_pair_1") OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3") AS DECIMAL(38, 0)
    ) AS "kanon_of_class_1",
    CAST("w1".value_rows AS DECIMAL(38, 0)) AS "kanon_in_table_1",
    CAST("w1".table_rows AS DECIMAL(38, 0)) AS "kanon_of_table_1",
    "w1".table_values AS "kanon_in_all_1"
  FROM (
  SELECT
    r.*,
    CASE
      WHEN "r"."entity" IS NOT NULL AND "spread_0" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_0", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_0",
    CASE
      WHEN "r"."entity" IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY "class_0", "class_1", "class_2", "class_3", "spread_1", "r"."entity" ORDER BY "r"."entity") = 1 THEN 1
    END AS "kanon_pair_1"
  FROM "classes of weighed" AS r
  ) AS r
LEFT JOIN (SELECT
  "t"."dis'ease" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t WHERE "t"."dis'ease" IS NOT NULL) AS table_persons
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY "t"."dis'ease"
) AS "w0"
  ON ARRAY["spread_0"] = ARRAY["w0"."value"]
LEFT JOIN (SELECT
  "t"."ward 🏥" AS value,
  COUNT(DISTINCT "t"."who") AS value_rows,
  SUM(COUNT(DISTINCT "t"."who")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "t"."who") FROM "the source; DROP TABLE x" AS t) AS table_persons
FROM "the source; DROP TABLE x" AS t
GROUP BY "t"."ward 🏥"
) AS "w1"
  ON ARRAY["spread_1"] = ARRAY["w1"."value"]
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT "entity") >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0))
      + (MAX("kanon_of_class_0") * MAX("kanon_of_table_0") - 1000000000 * SUM(GREATEST("kanon_in_class_0" * "kanon_of_table_0" - "kanon_in_table_0" * "kanon_of_class_0", 0)) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) % (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))
    ) / (MAX("kanon_of_class_0") * MAX("kanon_of_table_0"))) AS BIGINT), 1000000000) <= 250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0))
      + (MAX("kanon_of_class_1") * MAX("kanon_of_table_1") - 1000000000 * SUM(GREATEST("kanon_in_class_1" * "kanon_of_table_1" - "kanon_in_table_1" * "kanon_of_class_1", 0)) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) % (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))
    ) / (MAX("kanon_of_class_1") * MAX("kanon_of_table_1"))) AS BIGINT), 1000000000) <= 500000000
)

-- spark
CREATE TEMP VIEW `fitting of weighed` AS
SELECT t.*
FROM `classes of weighed` AS t
WHERE (t.`class_0`, t.`class_1`, t.`class_2`, t.`class_3`) IN (
  SELECT
    `class_0` AS `class_0`,
    `class_1` AS `class_1`,
    `class_2` AS `class_2`,
    `class_3` AS `class_3`
  FROM (
  SELECT
    r.*,
    CAST(
      CASE
        WHEN `spread_0` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_0` ORDER BY `spread_0`) = 1
          THEN SUM(r.`kanon_pair_0`) OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_0`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_0`,
    CAST(
      SUM(r.`kanon_pair_0`) OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_0`,
    CAST(`w0`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_0`,
    CAST(`w0`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_0`,
    `w0`.table_values AS `kanon_in_all_0`,
    CAST(
      CASE
        WHEN ROW_NUMBER() OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_1` ORDER BY `spread_1`) = 1
          THEN SUM(r.`kanon_pair_1`) OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_1`)
      END
    AS DECIMAL(38, 0)) AS `kanon_in_class_1`,
    CAST(
      SUM(r.`kanon_pair_1`) OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`) AS DECIMAL(38, 0)
    ) AS `kanon_of_class_1`,
    CAST(`w1`.value_rows AS DECIMAL(38, 0)) AS `kanon_in_table_1`,
    CAST(`w1`.table_rows AS DECIMAL(38, 0)) AS `kanon_of_table_1`,
    `w1`.table_values AS `kanon_in_all_1`
  FROM (
  SELECT
    r.*,
    CASE
      WHEN `r`.`entity` IS NOT NULL AND `spread_0` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_0`, `r`.`entity` ORDER BY `r`.`entity`) = 1 THEN 1
    END AS `kanon_pair_0`,
    CASE
      WHEN `r`.`entity` IS NOT NULL AND ROW_NUMBER() OVER (PARTITION BY `class_0`, `class_1`, `class_2`, `class_3`, `spread_1`, `r`.`entity` ORDER BY `r`.`entity`) = 1 THEN 1
    END AS `kanon_pair_1`
  FROM `classes of weighed` AS r
  ) AS r
LEFT JOIN (SELECT
  `t`.`dis'ease` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `t`.`who`) FROM `the source; DROP TABLE x` AS t WHERE `t`.`dis'ease` IS NOT NULL) AS table_persons
FROM `the source; DROP TABLE x` AS t
WHERE `t`.`dis'ease` IS NOT NULL
GROUP BY `t`.`dis'ease`
) AS `w0`
  ON `spread_0` IS NOT DISTINCT FROM `w0`.`value`
LEFT JOIN (SELECT
  `t`.`ward 🏥` AS value,
  COUNT(DISTINCT `t`.`who`) AS value_rows,
  SUM(COUNT(DISTINCT `t`.`who`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `t`.`who`) FROM `the source; DROP TABLE x` AS t) AS table_persons
FROM `the source; DROP TABLE x` AS t
GROUP BY `t`.`ward 🏥`
) AS `w1`
  ON `spread_1` IS NOT DISTINCT FROM `w1`.`value`
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT `entity`) >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0))
      + (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`) - 1000000000 * SUM(GREATEST(`kanon_in_class_0` * `kanon_of_table_0` - `kanon_in_table_0` * `kanon_of_class_0`, 0)) % (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))) % (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))
    ) / (MAX(`kanon_of_class_0`) * MAX(`kanon_of_table_0`))) AS BIGINT), 1000000000) <= 250000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * SUM(GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0))
      + (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`) - 1000000000 * SUM(GREATEST(`kanon_in_class_1` * `kanon_of_table_1` - `kanon_in_table_1` * `kanon_of_class_1`, 0)) % (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))) % (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))
    ) / (MAX(`kanon_of_class_1`) * MAX(`kanon_of_table_1`))) AS BIGINT), 1000000000) <= 500000000
)
