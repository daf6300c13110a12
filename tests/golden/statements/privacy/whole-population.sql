-- duckdb
SELECT
  SUM(row_count),
  COALESCE(MAX("kanon_in_population"), 0),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(MAX("kanon_absent_rows"), 0)
FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      0 AS "kanon_key_0"
    FROM "frequency ""set"" 0" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows"
    FROM (
      SELECT
        0 AS "kanon_key_0",
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM "frequency ""set"" 0" AS t
      GROUP BY 1
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        0 AS "kanon_key_0",
        1 AS is_there
      FROM "frequency ""set"" 0" AS t
    ) AS "of_absent_rows"
      ON "n"."kanon_key_0" IS NOT DISTINCT FROM "of_absent_rows"."kanon_key_0"
  ) AS g
    ON "r"."kanon_key_0" IS NOT DISTINCT FROM "g"."kanon_key_0"
) AS w

-- postgres
SELECT
  SUM(row_count),
  COALESCE(MAX("kanon_in_population"), 0),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX("kanon_in_population"), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(MAX("kanon_absent_rows"), 0)
FROM (
  SELECT
    r.*,
    g."kanon_absent_rows",
    g.in_population AS "kanon_in_population"
  FROM (
    SELECT
      r.*,
      0 AS "kanon_key_0"
    FROM "frequency ""set"" 0" AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN "of_absent_rows"."is_there" IS NULL THEN n.in_population ELSE 0 END) OVER () AS "kanon_absent_rows"
    FROM (
      SELECT
        0 AS "kanon_key_0",
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM "frequency ""set"" 0" AS t
      GROUP BY 1
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        0 AS "kanon_key_0",
        1 AS is_there
      FROM "frequency ""set"" 0" AS t
    ) AS "of_absent_rows"
      ON ARRAY["n"."kanon_key_0"] = ARRAY["of_absent_rows"."kanon_key_0"]
  ) AS g
    ON ARRAY["r"."kanon_key_0"] = ARRAY["g"."kanon_key_0"]
) AS w

-- spark
SELECT
  SUM(row_count),
  COALESCE(MAX(`kanon_in_population`), 0),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      + (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0) - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(CAST(ROUND((
      1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0))
      - 1000000000 * CAST(SUM(row_count) AS DECIMAL(38, 0)) % (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))
    ) / (NULLIF(CAST(COALESCE(MAX(`kanon_in_population`), 0) AS DECIMAL(38, 0)), 0))) AS BIGINT), 1000000000000000000),
  COALESCE(MAX(`kanon_absent_rows`), 0)
FROM (
  SELECT
    r.*,
    g.`kanon_absent_rows`,
    g.in_population AS `kanon_in_population`
  FROM (
    SELECT
      r.*,
      0 AS `kanon_key_0`
    FROM `frequency "set" 0` AS r
  ) AS r
  LEFT JOIN (
    SELECT
      n.*,
      SUM(CASE WHEN `of_absent_rows`.`is_there` IS NULL THEN n.in_population ELSE 0 END) OVER () AS `kanon_absent_rows`
    FROM (
      SELECT
        0 AS `kanon_key_0`,
        CAST(SUM(row_count) AS BIGINT) AS in_population
      FROM `frequency "set" 0` AS t
      GROUP BY 1
    ) AS n
    LEFT JOIN (
      SELECT DISTINCT
        0 AS `kanon_key_0`,
        1 AS is_there
      FROM `frequency "set" 0` AS t
    ) AS `of_absent_rows`
      ON `n`.`kanon_key_0` IS NOT DISTINCT FROM `of_absent_rows`.`kanon_key_0`
  ) AS g
    ON `r`.`kanon_key_0` IS NOT DISTINCT FROM `g`.`kanon_key_0`
) AS w
