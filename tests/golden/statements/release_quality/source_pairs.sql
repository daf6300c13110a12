-- duckdb, postgres
CREATE TEMP TABLE "measu'red own" AS
SELECT
CASE WHEN "bin_0" IS NOT NULL THEN 0 WHEN "bin_1" IS NOT NULL THEN 1 WHEN "bin_2" IS NOT NULL THEN 2 WHEN "bin_3" IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN "bin_3" IS NOT NULL THEN 3 WHEN "bin_2" IS NOT NULL THEN 2 WHEN "bin_1" IS NOT NULL THEN 1 WHEN "bin_0" IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE("bin_0", "bin_1", "bin_2", "bin_3") AS first_value,
  COALESCE("bin_3", "bin_2", "bin_1", "bin_0") AS second_value,
  row_count
FROM (
  SELECT
    "bin_0",
    "bin_1",
    "bin_2",
    "bin_3",
    SUM(row_count) AS row_count
  FROM (
    SELECT
      "x0"."bin" AS "bin_0",
      "x1"."bin" AS "bin_1",
      "x2"."bin" AS "bin_2",
      "x3"."bin" AS "bin_3",
      t.row_count
    FROM "measu'red classes" AS t
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins se""x"
    ) AS "x0" ON "x0"."own" = "t"."key_0"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins zip; --"
    ) AS "x1" ON "x1"."own" = "t"."key_1"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins age
of 👩"
    ) AS "x2" ON "x2"."own" = "t"."key_2"
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM "measu'red bins SELECT"
    ) AS "x3" ON "x3"."own" = "t"."key_3"
  ) AS c
  GROUP BY GROUPING SETS (("bin_0", "bin_1"), ("bin_0", "bin_2"), ("bin_0", "bin_3"), ("bin_1", "bin_2"), ("bin_1", "bin_3"), ("bin_2", "bin_3"))
) AS p

-- spark
CREATE TEMP VIEW `measu'red own` AS
SELECT
CASE WHEN `bin_0` IS NOT NULL THEN 0 WHEN `bin_1` IS NOT NULL THEN 1 WHEN `bin_2` IS NOT NULL THEN 2 WHEN `bin_3` IS NOT NULL THEN 3 END AS first_quasi,
  CASE WHEN `bin_3` IS NOT NULL THEN 3 WHEN `bin_2` IS NOT NULL THEN 2 WHEN `bin_1` IS NOT NULL THEN 1 WHEN `bin_0` IS NOT NULL THEN 0 END AS second_quasi,
  COALESCE(`bin_0`, `bin_1`, `bin_2`, `bin_3`) AS first_value,
  COALESCE(`bin_3`, `bin_2`, `bin_1`, `bin_0`) AS second_value,
  row_count
FROM (
  SELECT
    `bin_0`,
    `bin_1`,
    `bin_2`,
    `bin_3`,
    SUM(row_count) AS row_count
  FROM (
    SELECT
      `x0`.`bin` AS `bin_0`,
      `x1`.`bin` AS `bin_1`,
      `x2`.`bin` AS `bin_2`,
      `x3`.`bin` AS `bin_3`,
      t.row_count
    FROM `measu'red classes` AS t
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM `measu'red bins se"x`
    ) AS `x0` ON `x0`.`own` = `t`.`key_0`
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM `measu'red bins zip; --`
    ) AS `x1` ON `x1`.`own` = `t`.`key_1`
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM `measu'red bins age
of 👩`
    ) AS `x2` ON `x2`.`own` = `t`.`key_2`
    JOIN (
      SELECT DISTINCT
        own,
        bin
      FROM `measu'red bins SELECT`
    ) AS `x3` ON `x3`.`own` = `t`.`key_3`
  ) AS c
  GROUP BY GROUPING SETS ((`bin_0`, `bin_1`), (`bin_0`, `bin_2`), (`bin_0`, `bin_3`), (`bin_1`, `bin_2`), (`bin_1`, `bin_3`), (`bin_2`, `bin_3`))
) AS p
