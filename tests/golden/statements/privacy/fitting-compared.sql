-- duckdb
CREATE TEMP TABLE "fitting of people" AS
SELECT t.*
FROM "classes of people" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_1" AS "class_1",
    "class_2" AS "class_2",
    "class_3" AS "class_3"
  FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      "class_0" AS "kanon_key_0",
      "class_1" AS "kanon_key_1",
      "class_2" AS "kanon_key_2",
      "class_3" AS "kanon_key_3"
    FROM "classes of people" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows"
    FROM (
      SELECT
        "t"."class_0" AS "kanon_key_0",
        "t"."class_1" AS "kanon_key_1",
        "t"."class_2" AS "kanon_key_2",
        "t"."class_3" AS "kanon_key_3",
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM "people by class" AS t
      GROUP BY 1, 2, 3, 4
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        "t"."class_0" AS "kanon_key_0",
        "t"."class_1" AS "kanon_key_1",
        "t"."class_2" AS "kanon_key_2",
        "t"."class_3" AS "kanon_key_3",
        1 AS is_there
      FROM "classes of people" AS t
    ) AS "of_absent_rows"
      ON "n"."kanon_key_0" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_0" AND "n"."kanon_key_1" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_1" AND "n"."kanon_key_2" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_2" AND "n"."kanon_key_3" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_3"
  ) AS g
    ON "r"."kanon_key_0" IS NOT DISTINCT FROM "g"."kanon_key_0" AND "r"."kanon_key_1" IS NOT DISTINCT FROM "g"."kanon_key_1" AND "r"."kanon_key_2" IS NOT DISTINCT FROM "g"."kanon_key_2" AND "r"."kanon_key_3" IS NOT DISTINCT FROM "g"."kanon_key_3"
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COALESCE(MAX("kanon_in_population"), 0) >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) <= 750000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) >= 100000000 AND
    COALESCE(MAX("kanon_absent_rows"), 0) <= 0
)

-- postgres
CREATE TEMP TABLE "fitting of people" AS
SELECT t.*
FROM "classes of people" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_1" AS "class_1",
    "class_2" AS "class_2",
    "class_3" AS "class_3"
  FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      "class_0" AS "kanon_key_0",
      "class_1" AS "kanon_key_1",
      "class_2" AS "kanon_key_2",
      "class_3" AS "kanon_key_3"
    FROM "classes of people" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows"
    FROM (
      SELECT
        "t"."class_0" AS "kanon_key_0",
        "t"."class_1" AS "kanon_key_1",
        "t"."class_2" AS "kanon_key_2",
        "t"."class_3" AS "kanon_key_3",
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM "people by class" AS t
      GROUP BY 1, 2, 3, 4
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        "t"."class_0" AS "kanon_key_0",
        "t"."class_1" AS "kanon_key_1",
        "t"."class_2" AS "kanon_key_2",
        "t"."class_3" AS "kanon_key_3",
        1 AS is_there
      FROM "classes of people" AS t
    ) AS "of_absent_rows"
      ON ARRAY["n"."kanon_key_0"] = ARRAY["of_absent_rows"."kanon_key_0"] AND ARRAY["n"."kanon_key_1"] = ARRAY["of_absent_rows"."kanon_key_1"] AND ARRAY["n"."kanon_key_2"] = ARRAY["of_absent_rows"."kanon_key_2"] AND ARRAY["n"."kanon_key_3"] = ARRAY["of_absent_rows"."kanon_key_3"]
  ) AS g
    ON ARRAY["r"."kanon_key_0"] = ARRAY["g"."kanon_key_0"] AND ARRAY["r"."kanon_key_1"] = ARRAY["g"."kanon_key_1"] AND ARRAY["r"."kanon_key_2"] = ARRAY["g"."kanon_key_2"] AND ARRAY["r"."kanon_key_3"] = ARRAY["g"."kanon_key_3"]
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COALESCE(MAX("kanon_in_population"), 0) >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) <= 750000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) >= 100000000 AND
    COALESCE(MAX("kanon_absent_rows"), 0) <= 0
)

-- spark
CREATE TEMP VIEW `fitting of people` AS
SELECT t.*
FROM `classes of people` AS t
WHERE (t.`class_0`, t.`class_1`, t.`class_2`, t.`class_3`) IN (
  SELECT
    `class_0` AS `class_0`,
    `class_1` AS `class_1`,
    `class_2` AS `class_2`,
    `class_3` AS `class_3`
  FROM (
  SELECT
    r.*,
    g.`kanon_absent_rows`,
    g.in_population AS `kanon_in_population`
  FROM (
    SELECT
      r.*,
      `class_0` AS `kanon_key_0`,
      `class_1` AS `kanon_key_1`,
      `class_2` AS `kanon_key_2`,
      `class_3` AS `kanon_key_3`
    FROM `classes of people` AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN `of_absent_rows`.`is_there` IS NULL THEN n.in_population ELSE 0 END) OVER () AS `kanon_absent_rows`
    FROM (
      SELECT
        `t`.`class_0` AS `kanon_key_0`,
        `t`.`class_1` AS `kanon_key_1`,
        `t`.`class_2` AS `kanon_key_2`,
        `t`.`class_3` AS `kanon_key_3`,
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM `people by class` AS t
      GROUP BY 1, 2, 3, 4
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        `t`.`class_0` AS `kanon_key_0`,
        `t`.`class_1` AS `kanon_key_1`,
        `t`.`class_2` AS `kanon_key_2`,
        `t`.`class_3` AS `kanon_key_3`,
        1 AS is_there
      FROM `classes of people` AS t
    ) AS `of_absent_rows`
      ON `n`.`kanon_key_0` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_0` AND `n`.`kanon_key_1` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_1` AND `n`.`kanon_key_2` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_2` AND `n`.`kanon_key_3` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_3`
  ) AS g
    ON `r`.`kanon_key_0` IS NOT DISTINCT FROM `g`.`kanon_key_0` AND `r`.`kanon_key_1` IS NOT DISTINCT FROM `g`.`kanon_key_1` AND `r`.`kanon_key_2` IS NOT DISTINCT FROM `g`.`kanon_key_2` AND `r`.`kanon_key_3` IS NOT DISTINCT FROM `g`.`kanon_key_3`
) AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COALESCE(MAX(`kanon_in_population`), 0) >= 2 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) <= 750000000 AND
    COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000) >= 100000000 AND
    COALESCE(MAX(`kanon_absent_rows`), 0) <= 0
)
